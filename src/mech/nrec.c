/* NREC: no reconvergence (DWF 3.1). When threads of a split go different ways it breaks into one split per next PC, and
 * these are scheduled by themselves for the rest of their lives: threads that were parted never run together again.
 *
 * The side with the lowest PC keeps the split and its age; the others are new. Threads that wait at a barrier are parked as
 * a split of their own; the rest of their split goes on, and after the release both stay apart, as after any divergence.
 * If a release sets free only some of those that wait together, they part too. */
#include <inttypes.h>

#include "mech/lib/order.h"
#include "mech/lib/split.h"

static void nrec_go(struct mech *m, struct mech_split *s, uint32_t pc) {
    s->pc = pc;
    order_add(m->order, s);
}

static bool nrec_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    nrec_go(m, s, to);
    return true;
}

static void nrec_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n)
        nrec_go(m, s, o->side[0].pc);
    else
        split_part(m, s, o, nrec_go);
}

/* A warp for every thread at the worst: PC, its home warp, and which of that warp's lanes. */
static void nrec_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t threads = (uint64_t)m->env.warps * 32, home = bits_for(split_homes(&m->env));
    storage_add(
        out, (struct mech_array){.name = "warps", .entries = threads, .bits = 32 + home + m->env.warp_size});
}

extern const struct mech_ops mech_nrec;
const struct mech_ops mech_nrec = {
    .name = "nrec",
    .title = "No reconvergence",
    .source = "DWF 3.1",
    .caps = MECH_ANY_CODE | MECH_PROGRESS | MECH_AT_HOME | MECH_STEADY,
    .commit = nrec_commit,
    .advance = nrec_advance,
    .storage = nrec_storage,
};
