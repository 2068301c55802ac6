/* What the files of min(SP:PC) share: minpc.c (the mechanism) and show.c (state, storage, audit). */
#ifndef HEDDLE_MECH_MINPC_MINPC_H
#define HEDDLE_MECH_MINPC_MINPC_H

#include "mech/declare.h"
#include "mech/sorted.h"

#define MINPC_STACK(CHOICE) CHOICE(div, MINPC_DIV) CHOICE(sync, MINPC_SYNC)
enum minpc_stack { MINPC_STACK(OPTION_ENUMERATOR) };

#define MINPC_PARAMS(INT, BOOL, ENUM)                                                                   \
    BOOL(sp, true, "Whether the deepest call runs before the lowest PC; off: the PC alone decides.")    \
    BOOL(memory, false, "Whether threads that have their data run ahead of those that wait for it.")    \
    ENUM(stack, MINPC_STACK,                                                                            \
         "With sp, who runs at the PC that is chosen: all threads that are there, or those of them in " \
         "the deepest call.")
MECH_PARAMS(minpc, MINPC_PARAMS)

#define MINPC_COUNTERS(SUM, MAX)                                                      \
    SUM(arbitrations, "events",                                                       \
        "Arbitrations: at control flow, barriers, exits, returning data and limits.") \
    SUM(merges, "events", "Groups of threads that met others.")                       \
    SUM(run_ahead, "events", "Splits that went on without their late threads.")       \
    SUM(limit_hits, "events", "Arbitrations because a step reached a standing PC.")
MECH_COUNTS(minpc, MINPC_COUNTERS)

struct minpc_home {
    struct mech_split *run; /* for as long as a thread lives; without threads when none can run */
    uint64_t key;           /* of run: its threads in the deepest call */
    uint32_t shallowest;    /* depth of its threads in the shallowest */
    uint32_t nlate;
    struct sorted_home list;
};

struct minpc {
    bool memory, div; /* div: threads of different depths may run together */
    struct minpc_home *home;
    struct sorted sorted;
};

/* split.own; the depths, as keys have them, of a late split's threads are not deeper or shallower than these */
enum { MINPC_HOME, MINPC_LATE, MINPC_DEEPEST, MINPC_SHALLOWEST };

static inline struct minpc_home *minpc_home_of(const struct mech *m, const struct mech_split *s) {
    const struct minpc *f = m->self;
    return &f->home[s->own[MINPC_HOME]];
}

/* ---- shown (show.c) ---- */
void minpc_places(const struct mech *m, mech_place_fn *put, void *user);
void minpc_state(const struct mech *m, struct sb *out);
void minpc_storage(const struct mech *m, struct mech_storage *out);
void minpc_audit(const struct mech *m);

#endif
