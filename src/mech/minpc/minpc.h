/* What the files of min(SP:PC) share: minpc.c (the mechanism) and show.c (state, storage, audit). */
#ifndef HEDDLE_MECH_MINPC_MINPC_H
#define HEDDLE_MECH_MINPC_MINPC_H

#include "mech/declare.h"
#include "mech/sorted.h"

#define MINPC_PARAMS(INT, BOOL, ENUM)                                                                \
    BOOL(sp, true, "Whether the deepest call runs before the lowest PC; off: the PC alone decides.") \
    BOOL(memory, false, "Whether threads that have their data run ahead of those that wait for it.")
MECH_PARAMS(minpc, MINPC_PARAMS)

#define MINPC_COUNTERS(SUM, MAX)                                                      \
    SUM(arbitrations, "events",                                                       \
        "Arbitrations: at control flow, barriers, exits, returning data and limits.") \
    SUM(merges, "events", "Groups of threads that met others at one PC and depth.")   \
    SUM(run_ahead, "events", "Splits that went on without their late threads.")       \
    SUM(limit_hits, "events", "Arbitrations because a step reached a standing PC.")
MECH_COUNTS(minpc, MINPC_COUNTERS)

struct minpc_home {
    struct mech_split *run; /* for as long as a thread lives; without threads when none can run */
    uint64_t key;           /* of run */
    uint32_t nlate;
    struct sorted_home list;
};

struct minpc {
    bool memory;
    struct minpc_home *home;
    struct sorted sorted;
};

/* split.own; the depth is that of a late split's threads, as their keys have it */
enum { MINPC_HOME, MINPC_LATE, MINPC_DEPTH };

static inline struct minpc_home *minpc_home_of(const struct mech *m, const struct mech_split *s) {
    const struct minpc *f = m->self;
    return &f->home[s->own[MINPC_HOME]];
}

/* ---- shown (show.c) ---- */
void minpc_places(const struct mech *m, mech_place_fn *put, void *user);
void minpc_state(const struct mech *m, struct sb *out);
void minpc_storage(const struct mech *m, struct sb *out);
void minpc_audit(const struct mech *m);

#endif
