/* Rejoin: as nrec, but splits of one home warp that come to the same PC go on as one.
 *
 * A split that goes on looks for another of its warp that may be scheduled at that PC, and joins it. No thread waits
 * for another, so whether threads that were parted run together again is luck.
 *
 * Choices: threads at different call depths may share a split; they part where they return to different places. Threads
 * that a barrier releases join no one until they have executed an instruction. */
#include <inttypes.h>

#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"

#define PARAMS(INT, BOOL, ENUM) BOOL(merge, true, "Whether splits that meet go on as one; off: nrec.")
MECH_PARAMS(rejoin, PARAMS)
#define COUNTERS(SUM, MAX) SUM(merges, "times", "Splits that found another of their warp at the same PC.")
MECH_COUNTS(rejoin, COUNTERS)

enum { HOME }; /* split.own; split_divide hands it on */

static void start(struct mech *m, struct mech_split *s, uint32_t home) {
    s->own[HOME] = home;
    order_add(m->order, s);
}

static void go(struct mech *m, struct mech_split *s, uint32_t pc) {
    FOR_SPLITS(t, m->pool) {
        if (!rejoin_params(m)->merge || t->pc != pc || t->own[HOME] != s->own[HOME] || !order_holds(t))
            continue;
        rejoin_counts(m)->merges++;
        split_reconverged(m, pc);
        split_merge(m, t, s);
        return;
    }
    s->pc = pc;
    order_add(m->order, s);
}

static void commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    split_part(m, s, o, go);
}

/* A warp for every thread at the worst: PC, its home warp, and which of that warp's lanes. */
static void storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t threads = (uint64_t)m->env.warps * 32, home = bits_for(split_homes(&m->env));
    storage_add(
        out, (struct mech_array){.name = "warps", .entries = threads, .bits = 32 + home + m->env.warp_size});
}

extern const struct mech_ops mech_rejoin;
const struct mech_ops mech_rejoin = {
    .name = "rejoin",
    .title = "Rejoin at equal PCs",
    .source = "docs/mechanisms.md",
    .caps = MECH_ANY_CODE | MECH_PROGRESS | MECH_AT_HOME,
    .params = MECH_PARAM_ROWS(PARAMS),
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .start = start,
    .commit = commit,
    .storage = storage,
};
