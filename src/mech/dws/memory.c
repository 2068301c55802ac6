/* Dynamic warp subdivision at loads: threads that have their data run ahead of those of their split that have not.
 *
 * With `issue = barrel` a split is in flight until its load is back, and the SM says whose data came early (`memory`); those
 * go on behind the load. With `issue = scoreboard` a split goes on at once and meets the missing data where it is used: it
 * waits in the order for an event, and those of its threads that do not need it are asked for one by one; they go on at the
 * instruction at which the others wait.
 *
 * aggress divides whenever there is something to divide; lazy only if at that moment no other split of the scheduler can
 * issue. revive does as lazy does, and where it refrained keeps the split in mind: in a cycle in which nothing can issue,
 * the threads that have their data by then go on. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/dws/dws.h"
#include "mech/lib/order.h"

bool dws_stops(const struct mech *m, uint32_t pc) {
    const struct ir_insn *i = &m->env.module->code.v[pc];
    return ir_ops[i->op].cls == IR_C_BRANCH && !(i->op == IR_BRA && !ir_is_conditional(i));
}

static bool proper(const struct mech_set *some, const struct mech_split *s) {
    return some->n && !set_equal(some, &s->set);
}

/* Where those that run ahead of s go on. */
static uint32_t ahead_of(const struct mech_split *s) {
    return s->pc + s->in_flight;
}

/* There is no use in going on to where one stops. */
static bool worth(const struct mech *m, const struct mech_split *s) {
    return s->threads > 1 && !(dws_params(m)->limit && dws_stops(m, ahead_of(s)));
}

/* Both lead to the next branch, where they meet. */
static void dws_memory_group(struct mech *m, struct mech_split *s, struct mech_split *t) {
    struct dws_home *h = dws_home_of(m, s);
    const uint32_t to = s->own[DWS_TO];
    if (to != DWS_NONE && dws_group(&h->join[to])) return;
    struct dws_join j = {.pc = IR_NOPC,
                         .depth = (int32_t)s->own[DWS_DEPTH],
                         .to = to,
                         .level = s->own[DWS_DEPTH],
                         .branch = IR_NOPC};
    mask_put(&j.mask, h->first, &s->set);
    mask_put(&j.mask, h->first, &t->set);
    s->own[DWS_TO] = t->own[DWS_TO] = dws_join_add(m, h, j);
}

/* There is room. */
static void run_ahead(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    const uint32_t pc = ahead_of(s);
    dws_set_late(m, s, false);
    struct mech_split *t = dws_divide(m, s, ready);
    t->pc = pc;
    if (dws_params(m)->limit) dws_memory_group(m, s, t);
    dws_counts(m)->memory_splits++;
    mech_event(m, "%" PRIu32 " run ahead from %" PRIu32, t->threads, pc);
    dws_go(m, t);
}

/* Something else of its scheduler can issue. */
static bool busy(const struct mech *m, const struct mech_split *s) {
    return order_next(m->order, s->sched) <= *m->env.now;
}

bool dws_memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    const enum dws_memory when = (enum dws_memory)dws_params(m)->memory;
    if (when == DWS_MEMORY_OFF || !proper(ready, s) || !worth(m, s)) return false;
    if ((when == DWS_AGGRESS || !busy(m, s)) && dws_room(m, 1)) {
        run_ahead(m, s, ready);
        return true;
    }
    dws_set_late(m, s, when == DWS_REVIVE);
    return false;
}

/* Threads of s, in the order, that wait for no event. */
static void dws_memory_able(struct mech *m, const struct mech_split *s, struct mech_set *out) {
    struct mech_split one;
    memcpy(&one, s, offsetof(struct mech_split, set));
    one.threads = 1;
    out->n = 0;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            set_one(&one.set, s->set.p[k].warp, 1u << l);
            if (m->env.when(m->env.sm, &one) != MECH_NEVER) set_add(out, s->set.p[k].warp, 1u << l);
        }
}

void dws_consider(struct mech *m, struct mech_split *s) {
    const enum dws_memory when = (enum dws_memory)dws_params(m)->memory;
    struct mech_set ready;
    if (when == DWS_MEMORY_OFF || !worth(m, s)) return;
    if (when == DWS_REVIVE) dws_set_late(m, s, true);
    if (when != DWS_AGGRESS && busy(m, s)) return;
    dws_memory_able(m, s, &ready);
    if (!proper(&ready, s))
        dws_set_late(m, s, false);
    else if (dws_room(m, 1))
        run_ahead(m, s, &ready);
}

/* Finds the threads of s that can go on now. A split that no thread can leave is not considered again, unless its data
 * is on the way through the pipeline. */
static bool divisible(struct mech *m, struct mech_split *s, struct mech_set *ready) {
    if (s->in_flight)
        m->env.ready(m->env.sm, s, ready);
    else
        dws_memory_able(m, s, ready);
    if (proper(ready, s)) return true;
    if (!s->in_flight) dws_set_late(m, s, false);
    return false;
}

bool dws_revive(struct mech *m, uint32_t sched) {
    const struct dws *d = m->self;
    struct mech_split *best = NULL;
    struct mech_set ready, some;
    if (d->wst >= dws_params(m)->wst) return false;
    for (uint32_t w = 0; w < bitmap_words(m->pool->high); w++)
        for (uint64_t left = d->late[w]; left; left &= left - 1) {
            struct mech_split *s = split_known(m->pool, w * 64 + (uint32_t)__builtin_ctzll(left));
            if (s->sched != sched || (best && best->age <= s->age) || !divisible(m, s, &some)) continue;
            best = s;
            set_copy(&ready, &some);
        }
    if (!best) return false;
    dws_counts(m)->revived++;
    run_ahead(m, best, &ready);
    return true;
}
