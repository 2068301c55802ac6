/* Tesla: a stack of tokens and annotations in the program (Coon & Lindholm, US 7353369, 7543136 and 8667256; SL 2.1, 2.2).
 *
 * A warp has a PC, a mask of active threads, and a stack of tokens {kind, PC, mask}. The form `tesla` (cfg/form_tesla.c) says
 * where tokens are pushed, and which instructions have the synchronisation flag:
 *   SSY R, PBK R  push SYNC or BRK with R and the active threads
 *   a divergent branch  pushes DIV with those who do not take it; who does runs first, but who leaves (stack.h) before all
 *   call  pushes CALL with the return address and who calls
 *   flag  pops before it executes. DIV: its threads run where it says, and the instruction is *not* executed: its issue is lost.
 *         SYNC: its threads run, and the instruction is executed for all of them. So a join is issued once for every path.
 *   BRK, a return  its threads are switched off; when none is left, tokens are popped: a DIV is another path, which runs first;
 *         the BRK or CALL below has them all
 * That a flag pops before it executes, and what it costs, is as in Barra, the simulator of SL's measurements.
 *
 * The issue that is lost is a split without threads at the join; the warp goes on when it has left the pipeline. SL 2.2: of a
 * warp's tokens three blocks of four are in a cache, the others in memory. A push into a full cache writes its lowest block, a pop
 * from an empty one reads a block back; the warp waits for either.
 *
 * The rest is ours:
 * - Exit: the threads leave every token, and tokens without threads are gone, with the lost issue they would have cost.
 *   When no thread is left active, the warp pops as behind a BRK; where a SYNC comes up then, its threads run at the
 *   join.
 * - Divergent returns: the patents let none happen. Here they are like breaks.
 * - A guarded call is a branch around it: who does not call is a DIV behind it. Several callees: one CALL for all of them.
 * - Indirect branches: a DIV for each side but that of the lowest PC, which runs first; the highest PC deepest.
 * - BRK without a BRK token (the form of another mechanism): a branch.
 * - A block of the cache has four tokens, or all of them where it has fewer; how long one takes is not published. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/single.h"
#include "mech/lib/stack.h"

enum tesla_loops { TESLA_SSY, TESLA_BRK };
#define LOOPS(CHOICE) CHOICE(ssy, TESLA_SSY) CHOICE(brk, TESLA_BRK)
#define PARAMS(INT, BOOL, ENUM)                                                                            \
    ENUM(loops, LOOPS,                                                                                     \
         "How threads that leave a loop meet: by SSY, as any others, with a join that is issued once for " \
         "every round that loses threads; or by PBK and BRK, which take an instruction more where a loop " \
         "is left at its end.")                                                                            \
    INT(cached, 12, 1, 1 << 20, "Tokens of a warp in the cache; more are in memory.")                      \
    INT(spill_cycles, 100, 0, INT32_MAX, "Cycles to write a block of four tokens to memory, and to read one.")
MECH_PARAMS(tesla, PARAMS)

#define COUNTERS(SUM, MAX)                                                                  \
    MAX(tokens_max, "tokens", "Most tokens of a warp.")                                     \
    SUM(ssy_issues, "issues", "SSY and PBK: tokens that wait for threads to meet.")         \
    SUM(join_lost, "issues", "Issues of a join that only switched to the next path.")       \
    SUM(breaks, "events", "BRK at which threads were switched off.")                        \
    SUM(spills, "blocks", "Blocks of tokens written to memory because the cache was full.") \
    SUM(fills, "blocks", "Blocks of tokens read from memory.")
MECH_COUNTS(tesla, COUNTERS)

enum { BLOCK = 4 }; /* tokens */
enum kind { SYNC, DIV, BRK, CALL };

struct token {
    enum kind kind;
    uint32_t pc;
    struct mask mask;
    uint32_t branch; /* not DIV: the first at which threads of it parted, or IR_NOPC */
};

struct home {
    struct single base;
    struct token *v;
    uint32_t n, cap;
    uint32_t spilled; /* tokens from the bottom that are in memory */
    uint64_t due;     /* cycle from which the warp may go on: the cache is busy; 0: it is not held */
};

struct tesla {
    struct home *home;
    uint32_t homes;
    struct single_sums sums;
    uint64_t alarm; /* the next cycle at which a warp may go on, or earlier */
};

static struct home *tesla_home_of(const struct mech *m, const struct mech_split *s) {
    return &((const struct tesla *)m->self)->home[s->own[SINGLE_HOME]];
}

static struct single *base_of(struct mech *m, const struct mech_split *s) {
    return &tesla_home_of(m, s)->base;
}

/* ---- the stack ---- */

static uint32_t tesla_block_of(const struct mech *m) {
    return tesla_params(m)->cached < BLOCK ? tesla_params(m)->cached : BLOCK;
}

static void move_block(struct mech *m, struct home *h) {
    const uint64_t from = h->due > *m->env.now ? h->due : *m->env.now;
    h->due = from + tesla_params(m)->spill_cycles;
}

static struct token *tesla_push(struct mech *m, struct home *h, enum kind kind, uint32_t pc) {
    if (h->n - h->spilled == tesla_params(m)->cached) {
        h->spilled += tesla_block_of(m);
        tesla_counts(m)->spills++;
        move_block(m, h);
    }
    PAGES_GROW(m->env.pages, h->v, h->n, h->cap);
    h->v[h->n] = (struct token){.kind = kind, .pc = pc, .branch = IR_NOPC};
    if (++h->n > tesla_counts(m)->tokens_max) tesla_counts(m)->tokens_max = h->n;
    return &h->v[h->n - 1];
}

static void push_set(struct mech *m, struct home *h, enum kind kind, uint32_t pc,
                     const struct mech_set *set) {
    struct token *t = tesla_push(m, h, kind, pc);
    mask_put(&t->mask, h->base.first, set);
    if (kind == DIV) h->base.inactive += set_count(set);
}

/* The top's threads run. */
static void tesla_pop(struct mech *m, struct home *h, struct mech_split *s) {
    if (h->n == h->spilled) {
        h->spilled -= h->spilled < tesla_block_of(m) ? h->spilled : tesla_block_of(m);
        tesla_counts(m)->fills++;
        move_block(m, h);
    }
    const struct token *t = &h->v[--h->n];
    single_run(&h->base, s, &t->mask);
    if (t->kind == DIV) h->base.inactive -= s->threads;
    if (t->kind != DIV && t->branch != IR_NOPC) split_reconverged(m, t->pc);
}

/* The token, if any, where the active threads will meet others. */
static struct token *tesla_meeting(const struct home *h) {
    uint32_t i = h->n;
    while (i && h->v[i - 1].kind == DIV) i--;
    return i ? &h->v[i - 1] : NULL;
}

/* Threads are gone, and tokens without threads with them. */
static void tesla_leave(struct home *h, const struct mech_set *gone) {
    uint32_t n = 0, spilled = 0;
    h->base.inactive = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        struct token t = h->v[i];
        mask_take(&t.mask, h->base.first, gone);
        if (!mask_any(&t.mask)) continue;
        if (t.kind == DIV) h->base.inactive += mask_count(&t.mask);
        spilled += i < h->spilled;
        h->v[n++] = t;
    }
    h->n = n;
    h->spilled = spilled;
}

/* ---- where the warp goes ---- */

static void tesla_go(struct mech *m, struct home *h, struct mech_split *s) {
    struct tesla *t = m->self;
    if (h->due <= *m->env.now) {
        h->due = 0;
        order_add(m->order, s);
        return;
    }
    order_remove(m->order, s);
    if (h->due < t->alarm) t->alarm = h->due;
}

/* The active threads come to pc; there are none if all are switched off. */
static void tesla_arrive(struct mech *m, struct home *h, struct mech_split *s, uint32_t pc) {
    s->pc = pc;
    if (m->env.module->code.v[pc].flags & IR_F_SYNC) {
        CHECK(h->n &&
              (h->v[h->n - 1].kind == DIV || (h->v[h->n - 1].kind == SYNC && h->v[h->n - 1].pc == pc)));
        if (h->v[h->n - 1].kind == DIV) {
            mech_event(m, "join at %" PRIu32 " lost", pc);
            single_run(&h->base, s, &(struct mask){0});
        } else {
            tesla_pop(m, h, s);
        }
    }
    tesla_go(m, h, s);
}

/* Continues when no thread is active: with the next path, or with all threads that meet. */
static void tesla_resume(struct mech *m, struct home *h, struct mech_split *s) {
    if (!h->n) {
        split_free(m, s);
        return;
    }
    const struct token t = h->v[h->n - 1];
    tesla_pop(m, h, s);
    if (t.kind != SYNC) {
        tesla_arrive(m, h, s, t.pc);
        return;
    }
    s->pc = t.pc; /* the flag would pop what is popped */
    tesla_go(m, h, s);
}

/* ---- commit ---- */

static void diverged(struct mech *m, const struct home *h, const struct mech_outcome *o, uint32_t sides) {
    struct token *t = tesla_meeting(h);
    split_diverged(m, sides);
    if (!t || t->branch != IR_NOPC) return;
    t->branch = o->pc;
}

/* Does side a run before side b? One that leaves does; else that of the branch's target, or of the lower PC. */
static bool runs_before(const struct mech *m, const struct mech_outcome *o, uint32_t a, uint32_t b) {
    const bool leaves = stack_leaves(m, o->pc, o->side[a].pc);
    if (leaves != stack_leaves(m, o->pc, o->side[b].pc)) return leaves;
    const uint32_t taken = o->insn->op == IR_BRA ? o->insn->target : IR_NOPC;
    if (o->side[a].pc == taken || o->side[b].pc == taken) return o->side[a].pc == taken;
    return a < b;
}

/* One side runs, the others become DIV tokens, those that run last first. skip: a side that does neither, or nsides. */
static void tesla_branch(struct mech *m, struct home *h, struct mech_split *s, const struct mech_outcome *o,
                         uint32_t skip) {
    uint32_t order[MECH_SIDES], n = 0;
    for (uint32_t k = 0; k < o->nsides; k++) {
        uint32_t at = n;
        if (k == skip) continue;
        for (n++; at && runs_before(m, o, k, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = k;
    }
    CHECK(n);
    const uint32_t first = order[0];
    while (n-- > 1) push_set(m, h, DIV, o->side[order[n]].pc, &o->side[order[n]].set);
    set_copy(&s->set, &o->side[first].set);
    s->threads = set_count(&s->set);
    tesla_arrive(m, h, s, o->side[first].pc);
}

/* Makes these threads, a side of the outcome, wait for others in a token; the rest goes on. */
static void switch_off(struct mech *m, struct home *h, struct mech_split *s, const struct mech_outcome *o,
                       uint32_t side) {
    if (o->nsides == 1) {
        tesla_resume(m, h, s);
        return;
    }
    set_copy(&s->set, &o->side[!side].set);
    s->threads = set_count(&s->set);
    tesla_arrive(m, h, s, o->side[!side].pc);
}

/* The side at pc, or nsides. */
static uint32_t tesla_side_at(const struct mech_outcome *o, uint32_t pc) {
    uint32_t k = 0;
    while (k < o->nsides && o->side[k].pc != pc) k++;
    return k;
}

static void tesla_call(struct mech *m, struct home *h, struct mech_split *s, const struct mech_outcome *o) {
    const uint32_t back = o->pc + 1, stays = tesla_side_at(o, back);
    if (stays < o->nsides) push_set(m, h, DIV, back, &o->side[stays].set);
    struct token *t = tesla_push(m, h, CALL, back);
    for (uint32_t k = 0; k < o->nsides; k++)
        if (k != stays) mask_put(&t->mask, h->base.first, &o->side[k].set);
    tesla_branch(m, h, s, o, stays);
}

static void tesla_commit_sides(struct mech *m, struct home *h, struct mech_split *s,
                               const struct mech_outcome *o) {
    const uint32_t stays = tesla_side_at(o, o->pc + 1), returns = !stays;
    const struct token *t = tesla_meeting(h);
    if (o->nsides > 1) diverged(m, h, o, o->nsides);
    if (ir_is_mark(o->insn, IR_MK_BRK) && t && t->kind == BRK && t->pc == o->insn->target &&
        tesla_side_at(o, t->pc) < o->nsides) {
        tesla_counts(m)->breaks++;
        switch_off(m, h, s, o, tesla_side_at(o, t->pc));
    } else if (o->depth_change == 2 && returns < o->nsides) {
        switch_off(m, h, s, o, returns);
    } else if (o->depth_change == 1 && (stays == o->nsides || o->nsides > 1)) {
        tesla_call(m, h, s, o);
    } else {
        tesla_branch(m, h, s, o, o->nsides);
    }
}

static void tesla_commit_slow(struct mech *m, struct home *h, struct mech_split *s,
                              const struct mech_outcome *o) {
    struct tesla *t = m->self;
    const bool lost = !s->threads;
    single_uncount(&t->sums, &h->base, s);
    if (o->exited.n) {
        single_exit(m, &h->base, s, &o->exited);
        tesla_leave(h, &o->exited);
    }
    if (o->insn->op == IR_MARK && (o->insn->sub == IR_MK_SSY || o->insn->sub == IR_MK_PBK) && s->threads) {
        push_set(m, h, o->insn->sub == IR_MK_SSY ? SYNC : BRK, o->insn->target, &s->set);
        tesla_counts(m)->ssy_issues++;
    }
    if (lost) {
        tesla_counts(m)->join_lost++;
        tesla_resume(m, h, s);
    } else if (o->waiting.n) {
        single_wait(m, &h->base, s, o);
    } else if (!o->nsides) {
        tesla_resume(m, h, s);
    } else {
        tesla_commit_sides(m, h, s, o);
    }
    if (h->base.threads) single_count(&t->sums, &h->base, s);
}

static bool tesla_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    const struct ir_insn *code = m->env.module->code.v;
    if (ir_is_mark(&code[s->pc], IR_MK_BRK) || code[to].flags & IR_F_SYNC) return false;
    s->pc = to;
    order_add(m->order, s);
    return true;
}

static void tesla_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change;
    if (together && o->insn->op != IR_MARK && tesla_advance(m, s, o->side[0].pc)) return;
    tesla_commit_slow(m, tesla_home_of(m, s), s, o);
}

/* ---- launch, issue, release ---- */

static bool tesla_create(struct mech *m, struct err *e) {
    (void)e;
    struct tesla *t = m->self;
    t->homes = split_homes(&m->env);
    t->home = PAGES_NEW(m->env.pages, struct home, t->homes);
    t->alarm = MECH_NEVER;
    return true;
}

static void tesla_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct home *h = &((struct tesla *)m->self)->home[home];
    CHECK(!h->n);
    single_start(&h->base, s, home);
    h->spilled = 0;
    h->due = 0;
    tesla_arrive(m, h, s, s->pc);
}

/* Warps whose tokens are where they should be. */
static void tesla_ring(struct mech *m) {
    struct tesla *t = m->self;
    t->alarm = MECH_NEVER;
    FOR_SPLITS(s, m->pool) {
        struct home *h = tesla_home_of(m, s);
        if (h->due && order_parked(s) && !mask_any(&h->base.waiting)) tesla_go(m, h, s);
    }
}

static bool tesla_select(struct mech *m, uint32_t sched, struct mech_packet *out) {
    const struct tesla *t = m->self;
    if (*m->env.now >= t->alarm) tesla_ring(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, out, s);
    return true;
}

static uint64_t tesla_next(const struct mech *m, uint32_t sched) {
    (void)sched;
    return ((const struct tesla *)m->self)->alarm;
}

static void tesla_released(struct mech *m, struct mech_split *s) {
    struct tesla *t = m->self;
    struct home *h = tesla_home_of(m, s);
    single_uncount(&t->sums, &h->base, s);
    tesla_arrive(m, h, s, s->pc);
    single_count(&t->sums, &h->base, s);
}

static void tesla_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    single_release(m, set, pc, base_of, tesla_released);
}

/* ---- for people ---- */

static void tesla_census(const struct mech *m, struct mech_census *c) {
    const struct tesla *t = m->self;
    *c = (struct mech_census){.inactive_path = t->sums.inactive, .reconvergence = t->sums.joining};
}

static void tesla_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct tesla *t = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct home *h = &t->home[s->own[SINGLE_HOME]];
        for (uint32_t i = 0; i < h->n; i++) single_places(&h->base, &h->v[i].mask, h->v[i].pc, put, user);
    }
}

static void tesla_state(const struct mech *m, struct sb *out) {
    static const char *const name[] = {"sync", "div", "brk", "call"};
    const struct tesla *t = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct home *h = &t->home[s->own[SINGLE_HOME]];
        single_print(&h->base, s, out);
        for (uint32_t i = 0; i < h->n; i++) {
            sb_add(out, "  %s pc %" PRIu32 " ", name[h->v[i].kind], h->v[i].pc);
            single_print_mask(&h->base, &h->v[i].mask, out);
            sb_add(out, i < h->spilled ? " in memory\n" : "\n");
        }
    }
}

static void tesla_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    storage_add(out, (struct mech_array){.name = "tokens",
                                         .entries = warps * (uint64_t)tesla_params(m)->cached,
                                         .bits = 32 + w});
    storage_add(out, (struct mech_array){.name = "pc_and_mask", .entries = warps, .bits = 32 + w});
}

/* A token's threads are all of the next one around it where threads meet; those of DIVs are nowhere else but there, and do not
 * run. */
static void tesla_audit_home(const struct mech *m, const struct home *h, const struct mech_split *s) {
    struct mask away = {0}, all = {0}, around = {0};
    uint32_t inactive = 0;
    bool inside = false;
    mask_put(&away, h->base.first, &s->set);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct token *t = &h->v[i];
        CHECK(mask_any(&t->mask));
        inactive += t->kind == DIV ? mask_count(&t->mask) : 0;
        for (uint32_t k = 0; k < MASK_WORDS; k++) {
            const uint32_t w = t->mask.w[k];
            CHECK(!inside || !(w & ~around.w[k]));
            CHECK(!(away.w[k] & w) || t->kind != DIV);
            if (t->kind == DIV) away.w[k] |= w;
            all.w[k] |= w;
        }
        if (t->kind != DIV) around = t->mask, inside = true;
    }
    CHECK(h->n >= h->spilled && h->n - h->spilled <= tesla_params(m)->cached);
    CHECK(inactive == h->base.inactive);
    single_audit(m, &h->base, s, &all);
}

static void tesla_audit(const struct mech *m) {
    const struct tesla *t = m->self;
    struct single_sums sums = {0};
    split_audit(m, false);
    FOR_SPLITS(s, m->pool) {
        tesla_audit_home(m, &t->home[s->own[SINGLE_HOME]], s);
        single_count(&sums, &t->home[s->own[SINGLE_HOME]].base, s);
    }
    CHECK(sums.inactive == t->sums.inactive && sums.joining == t->sums.joining);
}

static enum cfg_form form_by(const void *params) {
    const struct tesla_params *p = params;
    return p->loops == TESLA_BRK ? CFG_FORM_TESLA : CFG_FORM_TESLA_SSY;
}

/* Tokens of its warp's stack are on the way to memory or back. */
static bool tesla_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct mech_split *s = split_of(m->pool, warp, lane);
    return s && tesla_home_of(m, s)->due > *m->env.now;
}

extern const struct mech_ops mech_tesla;
const struct mech_ops mech_tesla = {
    .name = "tesla",
    .title = "Tesla's token stack",
    .source = "Coon & Lindholm, US 7353369; SL 2.1",
    .caps = MECH_ANY_CODE | MECH_AT_HOME | MECH_STEADY,
    .form_by = form_by,
    .params = MECH_PARAM_ROWS(PARAMS),
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct tesla),
    .create = tesla_create,
    .start = tesla_start,
    .select = tesla_select,
    .commit = tesla_commit,
    .advance = tesla_advance,
    .release = tesla_release,
    .next = tesla_next,
    .clocked = tesla_clocked,
    .census = tesla_census,
    .places = tesla_places,
    .state = tesla_state,
    .storage = tesla_storage,
    .audit = tesla_audit,
};
