/* The program in a trace of warps.
 *
 * The trace has no predicates and no targets: only which lanes executed what. So a lane's way is followed from one
 * instruction that it executed to the next. After anything but a jump control falls through; what lies between has been
 * passed over by that lane, because its guard did not hold: it is guarded. After a jump the next instruction is where it led.
 * A direct jump has one target, the lowest that was seen, and what lies between that and another one is guarded too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "lab/run/accel_impl.h"

enum { NEAR = 8, LOCAL_MOST = 200 << 10, SHARED_WINDOW = 1 << 24, HEAP = 1 << 28 };

/* ---- sets of numbers ---- */

/* A set of keys other than 0, with a number each. */
struct set {
    uint64_t *key;
    uint32_t *value;
    size_t cap, n;
};

static uint32_t *set_at(struct set *s, uint64_t key) {
    if (s->n * 2 >= s->cap) {
        struct set bigger = {.cap = s->cap ? s->cap * 2 : 1024, .n = s->n};
        bigger.key = xcalloc(bigger.cap, sizeof *bigger.key);
        bigger.value = xcalloc(bigger.cap, sizeof *bigger.value);
        for (size_t k = 0; k < s->cap; k++) {
            if (!s->key[k]) continue;
            size_t at = (size_t)(s->key[k] * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (bigger.cap - 1);
            while (bigger.key[at]) at = (at + 1) & (bigger.cap - 1);
            bigger.key[at] = s->key[k];
            bigger.value[at] = s->value[k];
        }
        free(s->key);
        free(s->value);
        *s = bigger;
    }
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->cap - 1);
    while (s->key[at] && s->key[at] != key) at = (at + 1) & (s->cap - 1);
    if (!s->key[at]) s->n++;
    s->key[at] = key;
    return &s->value[at];
}

static void set_free(struct set *s) {
    free(s->key);
    free(s->value);
}

/* ---- reading ---- */

struct move {
    uint32_t from, to; /* from UINT32_MAX: the thread began there */
};

struct scan {
    struct accel_kernel *a;
    struct traceg *t;
    struct set pcs, known; /* PC + 1: number + 1 of the instruction as found; moves that are known */
    VEC(struct move) moves;
    struct move before; /* the one that was added last, known or not */
    uint32_t last[32];  /* by lane of the warp: what it executed last */
    uint32_t warp;      /* the warp that is being read */
    uint64_t local_high;
};

static bool accel_scan_add_insn(struct scan *s, uint32_t *number, struct err *e) {
    const struct traceg_insn *i = &s->t->insn;
    struct sass_program *p = &s->a->program;
    uint32_t *at = set_at(&s->pcs, i->pc + 1);
    if (*at) {
        *number = *at - 1;
        return !strcmp(p->code.v[*number].opcode, i->opcode) ||
               traceg_fail(s->t, e, "%s at PC %04" PRIx64 ", where %s was before", i->opcode, i->pc,
                           p->code.v[*number].opcode);
    }
    if (p->code.n == SASS_MOST) return traceg_fail(s->t, e, "more than %d instructions", SASS_MOST);
    const struct sass_row *row = sass_find(i->opcode);
    if (row && row->kind == SASS_BARRIER && strstr(i->opcode, ".ARV"))
        return traceg_fail(s->t, e, "%s: the trace does not say at which barrier", i->opcode);
    struct sass_insn x = {.pc = i->pc,
                          .opcode = arena_strdup(&p->mem, i->opcode),
                          .row = row ? row : sass_find("MOV"),
                          .known = row,
                          .nd = i->nd,
                          .ns = i->ns};
    memcpy(x.dest, i->dest, sizeof x.dest);
    memcpy(x.source, i->source, sizeof x.source);
    VEC_PUSH(&p->code, x);
    *at = (uint32_t)p->code.n;
    *number = *at - 1;
    return true;
}

/* Neighbours mostly come from the same place. */
static void add_move(struct scan *s, uint32_t from, uint32_t to) {
    if (s->moves.n && s->before.from == from && s->before.to == to) return;
    s->before = (struct move){from, to};
    const uint64_t key = ((uint64_t)from << 32 | to) + 1;
    uint32_t *known = set_at(&s->known, key);
    if (*known) return;
    *known = 1;
    VEC_PUSH(&s->moves, (struct move){from, to});
}

static bool in_window(uint64_t addr, uint64_t base, uint64_t size) {
    return base && addr >= base && addr - base < size;
}

static bool is_local(const struct traceg_kernel *k, const struct sass_insn *i, uint64_t addr) {
    return i->row->space == IR_SP_LOCAL ||
           (i->row->space == IR_SP_GENERIC && in_window(addr, k->local_base, SHARED_WINDOW));
}

static bool is_shared(const struct traceg_kernel *k, const struct sass_insn *i, uint64_t addr) {
    return i->row->space == IR_SP_SHARED ||
           (i->row->space == IR_SP_GENERIC && in_window(addr, k->shared_base, SHARED_WINDOW));
}

static uint64_t offset(uint64_t addr, uint64_t base) {
    return base && addr >= base ? addr - base : addr;
}

static bool note_address(struct scan *s, const struct sass_insn *i, uint64_t addr, struct err *e) {
    const struct traceg_kernel *k = &s->t->kernel;
    struct accel_kernel *a = s->a;
    if (addr & (i->bytes - 1))
        return traceg_fail(s->t, e, "address 0x%" PRIx64 " is not a multiple of %" PRIu32 " bytes", addr,
                           i->bytes);
    if (is_shared(k, i, addr)) {
        const uint64_t end = offset(addr, k->shared_base) + i->bytes;
        if (end > SHARED_WINDOW)
            return traceg_fail(s->t, e, "0x%" PRIx64 " is no address of shared memory", addr);
        if (end > a->shared) a->shared = (uint32_t)end;
    } else if (is_local(k, i, addr)) {
        const uint64_t at = offset(addr, k->local_base);
        if (at < a->local_low) a->local_low = at & ~UINT64_C(63);
        if (at > s->local_high) s->local_high = at;
        if (s->local_high - a->local_low > LOCAL_MOST)
            return traceg_fail(s->t, e, "local addresses are more than %d bytes apart", LOCAL_MOST);
    } else if (addr >> 62) {
        return traceg_fail(s->t, e, "0x%" PRIx64 " is no address of global memory", addr);
    }
    return true;
}

static bool note_insn(struct scan *s, struct err *e) {
    const struct traceg_insn *x = &s->t->insn;
    const struct traceg_kernel *k = &s->t->kernel;
    const uint32_t threads = k->block[0] * k->block[1] * k->block[2], left = threads - s->warp * 32;
    uint32_t n = 0;
    if (left < 32 && x->mask >> left)
        return traceg_fail(s->t, e, "the mask has lanes that the block has not");
    if (!accel_scan_add_insn(s, &n, e)) return false;
    struct sass_insn *i = &s->a->program.code.v[n];
    if (x->bytes && i->row->kind >= SASS_LOAD && i->row->kind <= SASS_ATOM) i->bytes = x->bytes;
    for (uint32_t l = 0; l < 32; l++) {
        if (!(x->mask >> l & 1)) continue;
        if (sass_accesses(i) && x->bytes && !note_address(s, i, x->addr[l], e)) return false;
        add_move(s, s->last[l], n);
        s->last[l] = n;
        s->a->insts++;
    }
    return true;
}

/* Every thread of the warp has run, and to its end. */
static bool check_warp(const struct scan *s, struct err *e) {
    const struct traceg_kernel *k = &s->t->kernel;
    const uint32_t threads = k->block[0] * k->block[1] * k->block[2], left = threads - s->warp * 32;
    for (uint32_t l = 0; l < 32 && l < left; l++) {
        if (s->last[l] == UINT32_MAX)
            return traceg_fail(s->t, e, "lane %" PRIu32 " of warp %" PRIu32 " executes nothing", l, s->warp);
        if (s->a->program.code.v[s->last[l]].row->kind != SASS_EXIT)
            return traceg_fail(s->t, e, "lane %" PRIu32 " of warp %" PRIu32 " does not end in EXIT", l,
                               s->warp);
    }
    return true;
}

static bool accel_scan_read_all(struct scan *s, struct err *e) {
    bool open = false;
    for (;;) {
        const enum traceg_event what = traceg_next(s->t, e);
        if (what == TRACEG_BAD || (what == TRACEG_INSN && !note_insn(s, e))) return false;
        if (what == TRACEG_INSN) continue;
        if (open && !check_warp(s, e)) return false;
        open = what == TRACEG_WARP;
        s->warp = s->t->warp;
        memset(s->last, 0xff, sizeof s->last);
        if (what == TRACEG_END) return s->a->program.code.n || traceg_fail(s->t, e, "no thread block ran");
    }
}

/* ---- the program ---- */

static int by_pc(const void *a, const void *b) {
    const struct sass_insn *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

uint32_t accel_find(const struct sass_program *p, uint64_t pc) {
    size_t at;
    BOUND(at, 0, p->code.n, p->code.v[at].pc < pc);
    CHECK(at < p->code.n && p->code.v[at].pc == pc);
    return (uint32_t)at;
}

/* In the order of PCs, moves too. */
static void sort_program(struct scan *s) {
    struct sass_program *p = &s->a->program;
    uint64_t *pc = xcalloc(p->code.n, sizeof *pc);
    for (size_t k = 0; k < p->code.n; k++) pc[k] = p->code.v[k].pc;
    qsort(p->code.v, p->code.n, sizeof *p->code.v, by_pc);
    for (size_t k = 0; k < s->moves.n; k++) {
        struct move *m = &s->moves.v[k];
        if (m->from != UINT32_MAX) m->from = accel_find(p, pc[m->from]);
        m->to = accel_find(p, pc[m->to]);
    }
    free(pc);
}

static void pass_over(struct sass_program *p, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) p->code.v[k].guarded = true;
}

static void add_target(struct sass_insn *i, uint32_t to) {
    for (size_t k = 0; k < i->targets.n; k++)
        if (i->targets.v[k] == to) return;
    VEC_PUSH(&i->targets, to);
}

static bool use_move(struct scan *s, const struct move *m, struct err *e) {
    struct sass_program *p = &s->a->program;
    struct sass_insn *from = m->from == UINT32_MAX ? NULL : &p->code.v[m->from];
    const uint64_t to = p->code.v[m->to].pc;
    if (!from) return pass_over(p, 0, m->to), true;
    if (from->row->kind == SASS_EXIT)
        return err_set(e, ERR_INPUT, "%s: a thread goes on at PC %04" PRIx64 " after EXIT", s->t->name, to);
    if (from->row->kind >= SASS_JUMP) return add_target(from, m->to), true;
    if (m->to <= m->from)
        return err_set(e, ERR_INPUT,
                       "%s: a thread goes from %s at PC %04" PRIx64 " back to %04" PRIx64
                       ", and that is no jump",
                       s->t->name, from->opcode, from->pc, to);
    return pass_over(p, m->from + 1, m->to), true;
}

static int accel_scan_by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* A direct jump has one target; if there are several far apart, it was none. */
static void finish_jump(struct sass_program *p, uint32_t at) {
    struct sass_insn *i = &p->code.v[at];
    if (i->row->kind != SASS_JUMP && i->row->kind != SASS_INDIRECT) return;
    if (!i->targets.n) add_target(i, at + 1 < p->code.n ? at + 1 : at);
    qsort(i->targets.v, i->targets.n, sizeof *i->targets.v, accel_scan_by_number);
    if (i->row->kind != SASS_JUMP || i->targets.n < 2) return;
    const uint32_t low = i->targets.v[0], high = i->targets.v[i->targets.n - 1];
    if (high - low > NEAR) {
        i->row = sass_find("BRX");
        return;
    }
    pass_over(p, low, high);
    i->targets.n = 1;
}

static bool make_program(struct scan *s, struct err *e) {
    struct sass_program *p = &s->a->program;
    sort_program(s);
    for (size_t k = 0; k < s->moves.n; k++)
        if (!use_move(s, &s->moves.v[k], e)) return false;
    for (uint32_t k = 0; k < p->code.n; k++) finish_jump(p, k);
    sass_connect(p);
    sass_print(p, &s->a->listing);
    return true;
}

bool accel_scan(struct accel_kernel *a, struct traceg *t, struct err *e) {
    struct scan s = {.a = a, .t = t};
    *a = (struct accel_kernel){.shared = t->kernel.shared, .local_low = UINT64_MAX};
    a->program.version = t->kernel.version;
    a->program.registers = t->kernel.registers < 256 ? t->kernel.registers : 255;
    a->program.kernel = arena_strdup(&a->program.mem, t->kernel.name);
    const bool good = accel_scan_read_all(&s, e) && make_program(&s, e);
    set_free(&s.pcs);
    set_free(&s.known);
    VEC_FREE(&s.moves);
    return good;
}

void accel_free(struct accel_kernel *a) {
    sass_free(&a->program);
    sb_free(&a->listing);
}

void accel_place(const struct accel_kernel *a, const struct traceg_kernel *k, const struct sass_insn *i,
                 uint64_t *addr) {
    const bool generic = i->row->space == IR_SP_GENERIC;
    if (is_shared(k, i, *addr)) {
        *addr = offset(*addr, k->shared_base) + (generic ? sim_window(IR_SP_SHARED) : 0);
    } else if (is_local(k, i, *addr)) {
        *addr = offset(*addr, k->local_base) - a->local_low + (generic ? sim_window(IR_SP_LOCAL) : 0);
    } else if (generic && *addr < HEAP) {
        *addr += UINT64_C(1) << 32; /* below lie the simulator's windows */
    }
}
