/* Decides which schedulable split issues next: loose round robin, greedy then oldest, oldest first, two-level, lowest
 * PC first, each for every scheduler by itself.
 *
 * A split is handed over with order_add when it may be scheduled, and leaves by being picked (it is in flight then, and
 * comes back with order_add) or by order_remove (it waits, merged, died). The order asks the SM (env.when) from which
 * cycle it may issue and does not ask again until that cycle, or until order_wake: the cost follows what is ready. */
#ifndef HEDDLE_MECH_LIB_ORDER_H
#define HEDDLE_MECH_LIB_ORDER_H

#include "base/option.h"
#include "mech/mech.h"

/* lrr: the next slot behind the last one picked. gto: the same split as long as it can issue, then the oldest.
 * two_level: round robin in an active set; a split leaves it, first in first out, when it begins or awaits a long
 * event, or has been in it for long. pc: the split that is furthest behind in the code, then the oldest. */
#define ORDER_POLICY(CHOICE) \
    CHOICE(lrr, ORDER_LRR)   \
    CHOICE(gto, ORDER_GTO)   \
    CHOICE(oldest, ORDER_OLDEST) CHOICE(two_level, ORDER_TWO_LEVEL) CHOICE(pc, ORDER_PC)
enum order_policy { ORDER_POLICY(OPTION_ENUMERATOR) };

struct order;
/* Lives as long as env->pages. */
struct order *order_new(const struct mech_env *env, const struct split_pool *pool);
/* Schedulable from now on. */
void order_add(struct order *o, struct mech_split *s);
/* Makes s schedulable, but not before cycle `from`. order_wake may set an earlier cycle, so a mechanism with such
 * splits calls it later. */
void order_add_at(struct order *o, struct mech_split *s, uint64_t from);
/* Not schedulable any more, or, if it was picked, not coming back. Harmless for a split that is in no order. */
void order_remove(struct order *o, struct mech_split *s);
/* Whether it is schedulable: handed over, and neither picked nor removed since. */
bool order_holds(const struct mech_split *s);
/* Something it may have waited for has happened. */
void order_wake(struct order *o, struct mech_split *s);
/* The split of that scheduler to issue at `now`, in flight from here on; NULL: none can. */
struct mech_split *order_pick(struct order *o, uint32_t sched, uint64_t now);
/* Whether order_pick could give s, which is schedulable, now. */
bool order_ready(const struct order *o, const struct mech_split *s);
/* Picks s out of turn: in flight from here on. It may be in no order. */
void order_take(struct order *o, struct mech_split *s);
/* Has the host fetch what order_pick will look at: for a mechanism that has something else to do before it picks. */
void order_expect(const struct order *o, uint32_t sched);
/* Earliest cycle at which order_pick might find one; MECH_NEVER: not before order_add or order_wake. */
uint64_t order_next(const struct order *o, uint32_t sched);
/* By scheduler: order_pick finds no split before that cycle; 0: one was ready when it was last asked. */
const uint64_t *order_wakes(const struct order *o);
/* Whether anything was ever handed over: a mechanism with a queue of its own never does. */
bool order_used(const struct order *o);
/* In no order and not in flight. */
bool order_parked(const struct mech_split *s);
/* To be called before splits are described: who is ready may not have been noted with each of them. */
void order_settle(struct order *o, uint32_t schedulers);
/* "ready", "wakes at 17", "waits for an event", "pending", "in flight", "parked" */
void order_describe(const struct mech_split *s, struct sb *out);

#endif
