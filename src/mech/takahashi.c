/* A control unit that walks the code (Y. Takahashi, "A mechanism for SIMD execution of SPMD programs", HPC Asia 1997, as SL
 * section 2.4 describes it; the paper itself was not at hand).
 *
 * Every thread has a PC, and so has the warp's control unit. The unit broadcasts its PC with the instruction; a thread is
 * active if the two are equal. What comes back is one bit: whether any thread was active. At a conditional branch the unit
 * goes to the target of the lower address if that bit is set, and to the other if not. The bit is a cycle late: it tells who
 * came to the branch, not who goes where. So the unit goes to the lower target though perhaps no thread does, "*else*
 * blocks are always run regardless of divergence, and loops always run one extra iteration". Instructions at which no
 * thread is are issued all the same.
 *
 * Of unconditional jumps SL says nothing. Ours: the unit walks on behind one that leads forward, since those who wait in the
 * else-part lie between it and its target; it follows one that leads back if a thread came to it. Both are what the
 * rule for conditional branches gives if a jump counts as a branch to two places.
 *
 * takahashi.dup: "the authors propose that branch instructions be duplicated by the compiler". Ours: every branch is issued
 * a second time, without threads, and then the bit for the lower target is there: the unit goes to it if some thread is
 * there, and else to the other. Where no thread came to a jump that leads forward it walks on, as without dup.
 *
 * Choices where SL is silent. Code that is laid out against the assumption leaves threads behind the unit. At the end of the
 * kernel it starts again at the lowest PC where a thread could run (`rewinds`); it never runs past the end, which SL notes
 * the paper does not rule out. Who waits at a barrier or a .sync instruction is inactive, and the unit walks on while
 * another thread could run. When none can it rests, and starts again at the lowest PC of those released first. An exit
 * or trap that no thread executes is issued like any other instruction. Table 1: no recursion and no indirect branches;
 * a return is one, so no calls. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/walk.h"

#define PARAMS(INT, BOOL, ENUM)                                                                        \
    BOOL(dup, false,                                                                                   \
         "Whether branches are issued twice, so that the unit knows where threads are before it goes " \
         "on: the authors' remedy.")
MECH_PARAMS(takahashi, PARAMS)

#define COUNTERS(SUM, MAX)                                                                                  \
    SUM(empty_issues, "issues",                                                                             \
        "Instructions issued where no thread was, duplicates of branches not counted.")                     \
    SUM(empty_iterations, "rounds",                                                                         \
        "Rounds of loops that ended without threads: branches that lead back, issued where no thread was.") \
    SUM(rewinds, "times", "Times the unit started again at a lower PC: threads had been left behind.")      \
    SUM(duplicates, "issues", "dup: branches issued a second time.")                                        \
    SUM(merges, "events", "Groups of threads that met others.")
MECH_COUNTS(takahashi, COUNTERS)

/* split.own, behind the walk's: a branch has been issued once, and these came to it. */
enum { SECOND = WALK_HOME + 1 };
enum { FIRST_ISSUE, AFTER_NONE_ACTIVE, AFTER_SOME_ACTIVE };

struct takahashi {
    struct walk walk;
    uint32_t end; /* of the kernel */
    bool dup;
};

static const void *takahashi_prepare(const struct mech_program *p, struct arena *mem, struct err *e) {
    (void)e;
    uint32_t *end = ARENA_NEW(mem, uint32_t, 1);
    *end = p->module->funcs.v[p->func].end;
    return end;
}

static bool takahashi_create(struct mech *m, struct err *e) {
    (void)e;
    struct takahashi *t = m->self;
    walk_create(m, &t->walk, NULL, NULL);
    t->walk.sorted.flat = true;
    t->dup = takahashi_params(m)->dup;
    t->end = m->env.tables ? *(const uint32_t *)m->env.tables : 0;
    return true;
}

static void takahashi_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct takahashi *t = m->self;
    s->own[SECOND] = FIRST_ISSUE;
    walk_start(m, &t->walk, s, home);
}

/* ---- where the unit goes ---- */

static bool leads_on(const struct ir_insn *i, uint32_t pc) {
    return !ir_is_conditional(i) && i->target > pc;
}

/* By who came to the instruction. */
static uint32_t by_arrivals(const struct ir_insn *i, uint32_t pc, bool any_active) {
    const uint32_t next = pc + 1;
    if (i->op != IR_BRA || leads_on(i, pc)) return next;
    const uint32_t low = i->target < next ? i->target : next, high = i->target < next ? next : i->target;
    return any_active ? low : high;
}

/* By who is at the branch's targets. */
static uint32_t by_presence(const struct walk_home *h, const struct ir_insn *i, uint32_t pc,
                            bool any_active) {
    const uint32_t next = pc + 1;
    const uint32_t low = i->target < next ? i->target : next, high = i->target < next ? next : i->target;
    if (sorted_holds(&h->list, sorted_key(0, low))) return low;
    return leads_on(i, pc) && !any_active ? next : high;
}

/* All threads stand or wait. */
static void takahashi_go(struct mech *m, struct walk_home *h, uint32_t next) {
    struct takahashi *t = m->self;
    struct takahashi_counts *n = takahashi_counts(m);
    if (h->list.limit == SORTED_NONE) {
        h->key = sorted_key(0, next);
        walk_rest(m, h);
        return;
    }
    if (next >= t->end) {
        next = sorted_place(h->list.limit);
        n->rewinds++;
    }
    n->merges += walk_to(m, &t->walk, h, sorted_key(0, next));
}

/* Issues the branch once more without threads, since its threads have gone. */
static void issue_again(struct mech *m, struct mech_split *s, bool any_active) {
    s->own[SECOND] = any_active ? AFTER_SOME_ACTIVE : AFTER_NONE_ACTIVE;
    takahashi_counts(m)->duplicates++;
    mech_event(m, "once more at %" PRIu32, s->pc);
    order_add(m->order, s);
}

/* ---- the interface ---- */

/* True if all threads at a plain instruction go on to an instruction where no thread waits. */
static bool steps(const struct walk_home *h, const struct mech_outcome *o) {
    return o->nsides == 1 && !o->exited.n && !o->waiting.n && o->insn->op != IR_BRA &&
           !sorted_holds(&h->list, sorted_key(0, o->pc + 1));
}

static void takahashi_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct takahashi *t = m->self;
    struct walk_home *h = walk_home_of(&t->walk, s);
    const uint32_t second = s->own[SECOND];
    if (steps(h, o)) {
        h->key = sorted_key(0, o->pc + 1);
        s->pc = o->pc + 1;
        order_add(m->order, s);
        return;
    }
    if (second) {
        s->own[SECOND] = FIRST_ISSUE;
        takahashi_go(m, h, by_presence(h, o->insn, o->pc, second == AFTER_SOME_ACTIVE));
        return;
    }
    const bool any_active = s->threads;
    takahashi_counts(m)->empty_issues += !any_active;
    takahashi_counts(m)->empty_iterations += !any_active && o->insn->op == IR_BRA && o->insn->target <= o->pc;
    walk_scatter(m, &t->walk, h, o);
    if (t->dup && o->insn->op == IR_BRA && h->list.limit != SORTED_NONE)
        issue_again(m, s, any_active);
    else
        takahashi_go(m, h, by_arrivals(o->insn, o->pc, any_active));
}

/* Released threads stand. A unit that rests goes to the lowest. One that walks comes to them, and they are active if it is
 * there already and has not issued. */
static void takahashi_arrived(struct mech *m, struct walk_home *h) {
    struct takahashi *t = m->self;
    if (order_parked(h->run)) {
        takahashi_counts(m)->rewinds += h->list.limit < h->key;
        takahashi_counts(m)->merges += walk_to(m, &t->walk, h, h->list.limit);
    } else if (!h->run->in_flight && !h->run->own[SECOND] && sorted_holds(&h->list, h->key)) {
        walk_stop(m, &t->walk, h);
        takahashi_counts(m)->merges += walk_to(m, &t->walk, h, h->key);
    }
}

static void takahashi_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct takahashi *t = m->self;
    walk_release(m, &t->walk, set, pc, takahashi_arrived);
}

/* ---- for people ---- */

enum { PC_BITS = 32 };

static void takahashi_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t threads = (uint64_t)m->env.warps * SORTED_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1;
    storage_add(
        out, (struct mech_array){.name = "thread_pc", .entries = homes, .bits = threads / homes * PC_BITS});
    storage_add(out,
                (struct mech_array){.name = "unit_pc_and_activity", .entries = homes, .bits = PC_BITS + 1});
}

/* Checks that no thread waits where the unit is, unless this is a branch's second issue. */
static void takahashi_audit(const struct mech *m) {
    const struct takahashi *t = m->self;
    walk_audit(m, &t->walk, false);
    FOR_SPLITS(s, m->pool) {
        const struct walk_home *h = walk_home_of(&t->walk, s);
        CHECK(!s->own[SECOND] || !s->threads);
        CHECK(s->in_flight || order_parked(s) || s->own[SECOND] || !sorted_holds(&h->list, h->key));
    }
}

extern const struct mech_ops mech_takahashi;
const struct mech_ops mech_takahashi = {
    .name = "takahashi",
    .title = "Control unit with an activity bit",
    .source = "Takahashi, HPC Asia 1997; SL 2.4",
    .caps = MECH_UNSTRUCTURED | MECH_IRREDUCIBLE | MECH_AT_HOME | MECH_STEADY,
    .params = MECH_PARAM_ROWS(PARAMS),
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct takahashi),
    .prepare = takahashi_prepare,
    .create = takahashi_create,
    .start = takahashi_start,
    .commit = takahashi_commit,
    .release = takahashi_release,
    .census = walk_census,
    .places = walk_places,
    .state = walk_state,
    .storage = takahashi_storage,
    .audit = takahashi_audit,
};
