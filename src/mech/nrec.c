/* NREC: no reconvergence (DWF 3.1). When threads of a split go different ways it breaks into one split per next PC, and
 * these are scheduled by themselves for the rest of their lives: threads that were parted never run together again.
 *
 * The side with the lowest PC keeps the split and its age; the others are new. Threads that wait at a barrier are parked as
 * a split of their own; the rest of their split goes on, and after the release both stay apart, as after any divergence.
 * If a release sets free only some of those that wait together, they part too. */
#include <inttypes.h>

#include "mech/order.h"
#include "mech/set.h"
#include "mech/split.h"

static bool create(struct mech *m, struct err *e) {
    (void)m, (void)e;
    return true;
}

static void destroy(struct mech *m) {
    (void)m;
}

static void launch(struct mech *m, const struct mech_block *b) {
    struct split_home home;
    split_launch(m->pool, b);
    for (uint32_t k = 0; split_home_at(m->pool, b, k, &home); k++) {
        struct mech_split *s = split_new(m, home.sched, b->pc);
        split_assign(m->pool, s, &home.set);
        order_add(m->order, s);
    }
}

static bool choose(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    return true;
}

/* New splits for all sides but the first, which is left to s. */
static void diverge(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    m->stats.divergences++;
    m->stats.sides += o->nsides;
    mech_event(m, "diverge %" PRIu32 " ways", o->nsides);
    for (uint32_t k = 1; k < o->nsides; k++) {
        struct mech_split *t = split_divide(m, s, &o->side[k].set);
        t->pc = o->side[k].pc;
        order_add(m->order, t);
    }
}

/* Some exit, wait, or go different ways. Kept apart from what nearly every commit does. */
static __attribute__((noinline)) void part(struct mech *m, struct mech_split *s,
                                           const struct mech_outcome *o) {
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (!s->threads) {
        split_free(m, s);
        return;
    }
    if (!o->nsides) { /* all that are left wait */
        s->pc = o->pc + 1;
        order_remove(m->order, s);
        return;
    }
    if (o->waiting.n) split_divide(m, s, &o->waiting)->pc = o->pc + 1;
    if (o->nsides > 1) diverge(m, s, o);
    s->pc = o->side[0].pc;
    order_add(m->order, s);
}

static void commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n) {
        s->pc = o->side[0].pc;
        order_add(m->order, s);
    } else {
        part(m, s, o);
    }
}

static void release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    set_copy(&left, set);
    for (struct mech_split *s; (s = split_released(m, &left));) {
        s->pc = pc;
        order_add(m->order, s);
    }
}

/* A warp for every thread at the worst: PC, its home warp, and which of that warp's lanes. */
static void storage(const struct mech *m, struct sb *out) {
    uint64_t threads = (uint64_t)m->env.warps * 32, homes = split_homes(&m->env), bits = 0;
    while (homes > UINT64_C(1) << bits) bits++;
    sb_add(out, "warps %" PRIu64 "\n", threads * (32 + bits + m->env.warp_size));
}

static void audit(const struct mech *m) {
    split_audit(m, true);
}

extern const struct mech_ops mech_nrec;
const struct mech_ops mech_nrec = {
    .name = "nrec",
    .title = "No reconvergence",
    .source = "DWF 3.1",
    .caps = MECH_RECURSION | MECH_INDIRECT | MECH_UNSTRUCTURED | MECH_PROGRESS | MECH_AT_HOME,
    .params = (const struct mech_param[]){{0}},
    .counters = (const struct mech_counter[]){{0}},
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .select = choose,
    .commit = commit,
    .release = release,
    .census = split_census,
    .state = split_state,
    .storage = storage,
    .audit = audit,
};
