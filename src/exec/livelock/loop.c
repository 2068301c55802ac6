/* A thread that can never leave the loop it is in.
 *
 * The thread is followed alone, on a copy, while memory stands still. If it comes to a state it was in before, it will do so
 * again and again: alone or among others, under any scheduler, until another thread changes a word it reads. A step
 * that changes memory others see, exits, meets other threads (barriers, votes, shuffles), looks at who runs beside it
 * or calls the system ends the attempt: the thread does something, or at least cannot be followed alone (joint.c may
 * say more). So when every thread of a launch that is not blocked is such a one, the launch will not end: no scheduler
 * could make it.
 *
 * The same state means the state that matters. A loop that counts its turns in vain (for a statistic, for the report of a
 * lock) never has all its registers again, but those that decide where it goes are. What matters is found backwards along
 * the instructions between the two visits: guards, branch indices, addresses, operands of atomics, values stored where
 * others see them, and whatever those are computed from, round the loop until nothing is added. Nothing else can influence
 * the next turn, which therefore is the same again. Bytes of local memory are treated like registers. Loops with calls are
 * compared whole. The clock never has the same value twice: a loop that depends on it proves nothing.
 *
 * Visits are looked for as in Brent's cycle finding (1980, doi:10.1007/BF01933190): the state is compared with one anchor,
 * which moves on after 16, 32, 64, ... steps, so that a loop of n instructions is found within about 4 n. */
#include "exec/livelock/loop.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/livelock/follow.h"

enum { FIRST_ANCHOR = 16, MOST_PROOFS = 4 };

struct copy { /* of one thread */
    uint64_t *r64;
    uint32_t *r32;
    uint8_t *pred;
    bool carry;
    uint32_t depth, frame, sp, nsaved;
    VEC(uint8_t) local;
    VEC(struct exec_frame) frames;
    VEC(uint8_t) saved;
};

#define NOT_LOCAL UINT32_MAX

struct turn { /* an instruction between two visits */
    uint32_t pc;
    uint32_t local; /* byte of local memory that it accessed, or NOT_LOCAL */
    bool ran;       /* its guard was true */
};

struct exec_looper {
    const struct exec_grid *g;
    struct exec_warp *w;
    uint32_t lane, pc;
    uint32_t rows[3];
    uint64_t steps;
    struct copy before, anchor;
    uint32_t anchor_pc;
    VEC(struct turn) trace; /* since the anchor */
    uint32_t proofs;        /* tried since then */
    bool calls, reads, clock;
    bool ends; /* the last step was its last */
    /* What matters before the next instruction of the walk back; after it, at the anchor. */
    uint8_t *matters[3];       /* rows of each file */
    VEC(uint8_t) byte_matters; /* of local memory */
    bool carry_matters, clock_matters;
    uint64_t marks; /* how many of all these are set */
};

/* ---- copies ---- */

static void copy_new(struct copy *c, const uint32_t rows[3]) {
    c->r64 = xcalloc(rows[IR_FILE_64], sizeof *c->r64);
    c->r32 = xcalloc(rows[IR_FILE_32], sizeof *c->r32);
    c->pred = xcalloc(rows[IR_FILE_P], sizeof *c->pred);
}

static void copy_free(struct copy *c) {
    xfree(c->r64);
    xfree(c->r32);
    xfree(c->pred);
    VEC_FREE(&c->local);
    VEC_FREE(&c->frames);
    VEC_FREE(&c->saved);
}

static uint8_t *local_of(const struct exec_warp *w, uint32_t lane) {
    return w->local + (size_t)lane * w->local_stride;
}

static void copy_take(struct exec_looper *k, struct copy *c) {
    const struct exec_warp *w = k->w;
    const struct exec_stack *s = &w->stack[k->lane];
    const uint32_t l = k->lane;
    for (uint32_t r = 0; r < k->rows[IR_FILE_64]; r++) c->r64[r] = w->x.r64[0][(size_t)r * EXEC_LANES + l];
    for (uint32_t r = 0; r < k->rows[IR_FILE_32]; r++) c->r32[r] = w->x.r32[0][(size_t)r * EXEC_LANES + l];
    for (uint32_t r = 0; r < k->rows[IR_FILE_P]; r++) c->pred[r] = w->x.pred[r] >> l & 1;
    c->carry = w->carry >> l & 1;
    c->depth = w->depth[l];
    c->frame = w->frame[l];
    c->sp = w->sp[l];
    c->nsaved = s->nsaved;
    VEC_RESERVE(&c->local, w->local_cap + 1);
    VEC_RESERVE(&c->frames, c->depth + 1);
    VEC_RESERVE(&c->saved, c->nsaved + 1);
    c->local.n = w->local ? w->local_cap : 0;
    if (c->local.n) memcpy(c->local.v, local_of(w, l), c->local.n);
    if (c->depth) memcpy(c->frames.v, s->frame, c->depth * sizeof *s->frame);
    if (c->nsaved) memcpy(c->saved.v, s->saved, c->nsaved);
}

/* The stacks only grow: there is room for what was on them. */
static void copy_put_back(struct exec_looper *k, const struct copy *c) {
    struct exec_warp *w = k->w;
    struct exec_stack *s = &w->stack[k->lane];
    const uint32_t l = k->lane, bit = 1u << l;
    for (uint32_t r = 0; r < k->rows[IR_FILE_64]; r++) w->x.r64[0][(size_t)r * EXEC_LANES + l] = c->r64[r];
    for (uint32_t r = 0; r < k->rows[IR_FILE_32]; r++) w->x.r32[0][(size_t)r * EXEC_LANES + l] = c->r32[r];
    for (uint32_t r = 0; r < k->rows[IR_FILE_P]; r++)
        w->x.pred[r] = (w->x.pred[r] & ~bit) | (uint32_t)c->pred[r] << l;
    w->carry = (w->carry & ~bit) | (uint32_t)c->carry << l;
    w->depth[l] = c->depth;
    w->frame[l] = c->frame;
    w->sp[l] = c->sp;
    s->nsaved = c->nsaved;
    if (c->local.n) memcpy(local_of(w, l), c->local.v, c->local.n);
    if (c->depth) memcpy(s->frame, c->frames.v, c->depth * sizeof *s->frame);
    if (c->nsaved) memcpy(s->saved, c->saved.v, c->nsaved);
}

struct exec_looper *exec_looper_new(const struct exec_grid *g) {
    struct exec_looper *k = xcalloc(1, sizeof *k);
    k->g = g;
    for (int f = 0; f < 3; f++) k->rows[f] = g->func->total_rows[f] + (f == IR_FILE_P);
    copy_new(&k->before, k->rows);
    copy_new(&k->anchor, k->rows);
    for (int f = 0; f < 3; f++) k->matters[f] = xcalloc(k->rows[f], 1);
    return k;
}

void exec_looper_free(struct exec_looper *k) {
    if (!k) return;
    copy_free(&k->before);
    copy_free(&k->anchor);
    for (int f = 0; f < 3; f++) xfree(k->matters[f]);
    VEC_FREE(&k->trace);
    VEC_FREE(&k->byte_matters);
    xfree(k);
}

uint64_t exec_loop_steps(const struct exec_looper *k) {
    return k->steps;
}

/* ---- one step ---- */

/* Where in the thread's local memory, or NOT_LOCAL. */
static uint32_t local_offset(const struct exec_looper *k, const uint8_t *p) {
    if (!k->w->local) return NOT_LOCAL;
    const uintptr_t off = (uintptr_t)p - (uintptr_t)local_of(k->w, k->lane);
    return off < k->w->local_cap ? (uint32_t)off : NOT_LOCAL;
}

/* False: memory would not be the same afterwards, or there is no such memory. */
static bool access_step(struct exec_looper *k, const struct ir_insn *i, struct turn *t) {
    const bool atom = ir_ops[i->op].cls == IR_C_ATOM, store = atom || follow_is_store(i);
    const uint32_t bytes = follow_bytes(i);
    enum exec_fault_kind why;
    uint8_t old[64];
    uint8_t *p = resolve_lane(k->w, (enum ir_space)i->space, follow_address(k->w, i, k->lane), bytes, k->lane,
                              store, &why);
    if (!p || bytes > sizeof old) return false;
    t->local = local_offset(k, p);
    k->reads |= t->local == NOT_LOCAL && (atom || !store) && i->space != IR_SP_PARAM;
    memcpy(old, p, bytes);
    exec_step(k->w, k->pc, 1u << k->lane);
    if (t->local != NOT_LOCAL || !store || !memcmp(old, p, bytes)) return true;
    memcpy(p, old, bytes);
    return false;
}

/* What a thread cannot do without others noticing, or without noticing others. */
static bool meets_others(const struct ir_insn *i) {
    return ir_ops[i->op].cls == IR_C_WARP || ir_ops[i->op].cls == IR_C_BAR || follow_is_untracked(i);
}

static bool livelock_loop_execute(struct exec_looper *k, const struct ir_insn *i, struct turn *t) {
    const uint32_t bit = 1u << k->lane;
    if (follow_is_access(i) || ir_ops[i->op].cls == IR_C_ATOM) return access_step(k, i, t);
    k->reads |= ir_ops[i->op].cls == IR_C_TEX;
    k->ends = follow_ends(k->w, i, k->lane);
    if (k->ends || meets_others(i)) return false;
    k->clock |= follow_is_clock(i);
    k->calls |= i->op == IR_CALL || i->op == IR_CALL_IND || i->op == IR_RET;
    exec_step(k->w, k->pc, bit);
    return true;
}

/* False: it cannot be followed any further. */
static bool livelock_loop_step(struct exec_looper *k) {
    const struct ir_insn *i = &k->g->module->code.v[k->pc];
    const struct exec_out *o = k->w->x.out;
    const uint32_t bit = 1u << k->lane;
    struct turn t = {k->pc, NOT_LOCAL, !i->guard || exec_guard(&k->w->x, i, bit)};
    k->steps++;
    if (t.ran && !livelock_loop_execute(k, i, &t)) return false;
    k->ends = t.ran && o->flow == EXEC_FAULT;
    if (k->ends) return false;
    VEC_PUSH(&k->trace, t);
    k->pc = t.ran ? follow_next(o, k->pc, k->lane) : k->pc + 1;
    return true;
}

/* ---- what matters ---- */

static void set_flag(struct exec_looper *k, bool *flag, bool on) {
    k->marks += (uint64_t)on - *flag;
    *flag = on;
}

static void set_row(struct exec_looper *k, ir_opnd o, bool on) {
    const enum ir_file f = ir_file(o);
    if (ir_is_const(o) || f == IR_FILE_NONE) return;
    uint8_t *m = &k->matters[f][ir_index(o)];
    k->marks += (uint64_t)on - *m;
    *m = on;
}

static void set_bytes(struct exec_looper *k, uint32_t at, uint32_t n, bool on) {
    for (uint8_t *m = &k->byte_matters.v[at], *end = m + n; m < end; m++) {
        k->marks += (uint64_t)on - *m;
        *m = on;
    }
}

static bool bytes_matter(const struct exec_looper *k, uint32_t at, uint32_t n) {
    for (uint32_t b = at; b < at + n; b++)
        if (k->byte_matters.v[b]) return true;
    return false;
}

static bool row_matters(const struct exec_looper *k, ir_opnd o) {
    const enum ir_file f = ir_file(o);
    return !ir_is_const(o) && f != IR_FILE_NONE && k->matters[f][ir_index(o)];
}

static void mark_sources(struct exec_looper *k, const struct ir_insn *i) {
    for (uint32_t n = i->nd; n < (uint32_t)i->nd + i->ns; n++) set_row(k, i->o[n], true);
    if (i->mods & IR_M_CC_IN) set_flag(k, &k->carry_matters, true);
    uint32_t more;
    const uint32_t *o = ir_more(k->g->module, i, &more);
    for (uint32_t n = 0; n < more; n++) set_row(k, o[n], true);
}

/* Before the instruction what it writes did not matter yet. True: it did after it. */
static bool take_results(struct exec_looper *k, const struct ir_insn *i) {
    bool did = false;
    for (uint32_t n = 0; n < i->nd; n++) {
        did |= row_matters(k, i->o[n]);
        set_row(k, i->o[n], false);
    }
    if (i->mods & IR_M_CC_OUT) {
        did |= k->carry_matters;
        set_flag(k, &k->carry_matters, false);
    }
    return did;
}

static void back_over_access(struct exec_looper *k, const struct ir_insn *i, const struct turn *t) {
    const uint32_t bytes = follow_bytes(i);
    if (follow_is_store(i)) {
        if (t->local == NOT_LOCAL || bytes_matter(k, t->local, bytes)) mark_sources(k, i);
        if (t->local != NOT_LOCAL) set_bytes(k, t->local, bytes, false);
    } else if (take_results(k, i) && t->local != NOT_LOCAL) {
        set_bytes(k, t->local, bytes, true);
    }
    set_row(k, i->o[i->nd], true);
}

/* An atomic on local memory, which PTX does not have, reads and writes its bytes. */
static void back_over_atom(struct exec_looper *k, const struct ir_insn *i, const struct turn *t) {
    take_results(k, i);
    mark_sources(k, i);
    if (t->local != NOT_LOCAL) set_bytes(k, t->local, follow_bytes(i), true);
}

static void back_over(struct exec_looper *k, const struct turn *t) {
    const struct ir_insn *i = &k->g->module->code.v[t->pc];
    if (!t->ran) {
        /* nothing but the guard was looked at */
    } else if (ir_ops[i->op].cls == IR_C_ATOM) {
        back_over_atom(k, i, t);
    } else if (follow_is_access(i)) {
        back_over_access(k, i, t);
    } else {
        const bool needed = take_results(k, i);
        if (needed || ir_ops[i->op].cls == IR_C_TEX || ir_ops[i->op].cls == IR_C_BRANCH) mark_sources(k, i);
        k->clock_matters |= needed && follow_is_clock(i);
    }
    if (i->guard & IR_GUARD_INDEX) set_row(k, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX), true);
}

static void nothing_matters(struct exec_looper *k) {
    const size_t room = k->w->local_cap + sizeof(uint64_t);
    VEC_RESERVE(&k->byte_matters, room);
    memset(k->byte_matters.v, 0, room);
    for (int f = 0; f < 3; f++) memset(k->matters[f], 0, k->rows[f]);
    k->carry_matters = k->clock_matters = false;
    k->marks = 0;
}

/* Once round the loop, backwards. */
static void walk_back(struct exec_looper *k) {
    for (size_t n = k->trace.n; n-- > 0;) back_over(k, &k->trace.v[n]);
}

/* ---- has it been here before? ---- */

static bool same_rows(const struct exec_looper *k, bool all) {
    const struct exec_ctx *x = &k->w->x;
    const struct copy *c = &k->anchor;
    const uint32_t l = k->lane;
    for (uint32_t r = 0; r < k->rows[IR_FILE_32]; r++)
        if ((all || k->matters[IR_FILE_32][r]) && c->r32[r] != x->r32[0][(size_t)r * EXEC_LANES + l])
            return false;
    for (uint32_t r = 0; r < k->rows[IR_FILE_64]; r++)
        if ((all || k->matters[IR_FILE_64][r]) && c->r64[r] != x->r64[0][(size_t)r * EXEC_LANES + l])
            return false;
    for (uint32_t r = 0; r < k->rows[IR_FILE_P]; r++)
        if ((all || k->matters[IR_FILE_P][r]) && c->pred[r] != (x->pred[r] >> l & 1)) return false;
    return !(all || k->carry_matters) || c->carry == (k->w->carry >> l & 1);
}

static bool same_local(const struct exec_looper *k, bool all) {
    const struct copy *c = &k->anchor;
    if (!c->sp) return true;
    const uint8_t *now = local_of(k->w, k->lane);
    for (uint32_t b = 0; b < c->sp; b++)
        if ((all || k->byte_matters.v[b]) && c->local.v[b] != now[b]) return false;
    return true;
}

static bool same_stacks(const struct exec_looper *k) {
    const struct exec_stack *s = &k->w->stack[k->lane];
    const struct copy *c = &k->anchor;
    return c->nsaved == s->nsaved &&
           (!c->depth || !memcmp(c->frames.v, s->frame, c->depth * sizeof *s->frame)) &&
           (!c->nsaved || !memcmp(c->saved.v, s->saved, c->nsaved));
}

static bool same_matters(const struct exec_looper *k) {
    return !k->clock_matters && same_rows(k, false) && same_local(k, false);
}

/* With what the first turn itself needs most loops are found to change: only where those are the same is it worth going
 * round until what the turns after it need is known too. Marks only grow from one round to the next. */
static bool same_state(struct exec_looper *k) {
    const uint32_t l = k->lane;
    if (k->w->depth[l] != k->anchor.depth || k->w->frame[l] != k->anchor.frame || k->w->sp[l] != k->anchor.sp)
        return false;
    if (k->calls) return !k->clock && same_rows(k, true) && same_local(k, true) && same_stacks(k);
    if (!k->proofs) {
        nothing_matters(k);
        walk_back(k);
        k->proofs = 1;
    }
    if (!same_matters(k) || k->proofs > MOST_PROOFS) return false;
    k->proofs++;
    nothing_matters(k);
    for (uint64_t before = UINT64_MAX; before != k->marks;) {
        before = k->marks;
        walk_back(k);
    }
    return same_matters(k);
}

static void drop_anchor(struct exec_looper *k) {
    copy_take(k, &k->anchor);
    k->anchor_pc = k->pc;
    k->trace.n = 0;
    k->proofs = 0;
    k->calls = k->reads = k->clock = false;
}

static enum exec_loop livelock_loop_follow(struct exec_looper *k, uint64_t most) {
    uint64_t since = 0, reach = FIRST_ANCHOR;
    k->ends = false;
    drop_anchor(k);
    for (uint64_t n = 0; n < most && livelock_loop_step(k); n++) {
        if (k->pc == k->anchor_pc && same_state(k)) return k->reads ? EXEC_POLLS : EXEC_ENDLESS;
        if (++since < reach) continue;
        since = 0;
        reach *= 2;
        drop_anchor(k);
    }
    return k->ends ? EXEC_LEAVES : EXEC_MEETS;
}

enum exec_loop exec_loops(struct exec_looper *k, struct exec_warp *w, uint32_t lane, uint32_t pc,
                          uint64_t most) {
    struct exec_grid *g = w->block->grid;
    const uint64_t clock = g->clock, barriers = g->barriers, insts = g->insts; /* marks are taken off it */
    const uint32_t run_start = g->run_start;
    const bool spun = w->spun;
    struct exec_deferred *const log = g->deferred;
    g->deferred = NULL;
    k->w = w;
    k->lane = lane;
    k->pc = pc;
    copy_take(k, &k->before);
    const enum exec_loop found = livelock_loop_follow(k, most);
    copy_put_back(k, &k->before);
    w->spun = spun;
    g->clock = clock;
    g->barriers = barriers;
    g->insts = insts;
    g->run_start = run_start;
    g->deferred = log;
    return found;
}
