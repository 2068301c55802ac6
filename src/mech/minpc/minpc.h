/* What the files of min(SP:PC) share: minpc.c (the mechanism), port.c (what comes between the order's pick and the issue:
 * speculation, replay) and show.c (state, storage, audit). */
#ifndef HEDDLE_MECH_MINPC_MINPC_H
#define HEDDLE_MECH_MINPC_MINPC_H

#include "mech/lib/declare.h"
#include "mech/lib/sorted.h"

#define MINPC_STACK(CHOICE) CHOICE(div, MINPC_DIV) CHOICE(sync, MINPC_SYNC)
enum minpc_stack { MINPC_STACK(OPTION_ENUMERATOR) };

#define MINPC_PARAMS(INT, BOOL, ENUM)                                                                      \
    BOOL(sp, true, "Whether the deepest call runs before the lowest PC; off: the PC alone decides.")       \
    BOOL(memory, false, "Whether threads that have their data run ahead of those that wait for it.")       \
    ENUM(stack, MINPC_STACK,                                                                               \
         "With sp, who runs at the PC that is chosen: all threads that are there, or those of them in "    \
         "the deepest call.")                                                                              \
    INT(arbitration, 0, 0, 1000, "Cycles of an arbitration, before which what it chooses cannot issue.")   \
    BOOL(speculate, false,                                                                                 \
         "Whether a conditional branch goes on, while that arbitration is under way, at its target if it " \
         "lies before the branch, else at the next instruction.")                                          \
    BOOL(replay, false,                                                                                    \
         "Whether threads that do not get the data cache's port, or their bank of shared memory, "         \
         "repeat the access; off: one issue serves all, one after the other.")
MECH_PARAMS(minpc, MINPC_PARAMS)

#define MINPC_COUNTERS(SUM, MAX)                                                            \
    SUM(arbitrations, "events",                                                             \
        "Arbitrations: at control flow, barriers, exits, returning data and limits.")       \
    SUM(merges, "events", "Groups of threads that met others.")                             \
    SUM(run_ahead, "events", "Splits that went on without their late threads.")             \
    SUM(limit_hits, "events", "Arbitrations because a step reached a standing PC.")         \
    SUM(predicted, "branches", "Branches that went on where the arbitration confirmed it.") \
    SUM(mispredicted, "branches", "Branches that went on where no thread should be.")       \
    SUM(replays, "issues", "Accesses that some threads have to repeat.")                    \
    SUM(replayed, "threads", "How many threads, each time.")
MECH_COUNTS(minpc, MINPC_COUNTERS)

struct minpc_home {
    struct mech_split *run; /* for as long as a thread lives; without threads when none can run */
    uint64_t key;           /* of run: its threads in the deepest call */
    uint32_t shallowest;    /* depth of its threads in the shallowest */
    uint32_t nlate;
    uint64_t from;            /* cycle before which run may not issue */
    struct mech_split *guess; /* without threads: issues where no thread should be; NULL: none is under way */
    struct sorted_home list;
};

struct minpc {
    bool memory, div; /* div: threads of different depths may run together */
    uint32_t arbitration;
    bool speculate;
    struct minpc_home *home;
    struct sorted sorted;
};

/* of split.own[MINPC_LATE] */
enum minpc_kind { MINPC_RUNS, MINPC_IS_LATE, MINPC_GUESSED };
/* split.own; the depths, as keys have them, of a late split's threads are not deeper or shallower than these */
enum { MINPC_HOME, MINPC_LATE, MINPC_DEEPEST, MINPC_SHALLOWEST };

static inline struct minpc_home *minpc_home_of(const struct mech *m, const struct mech_split *s) {
    const struct minpc *f = m->self;
    return &f->home[s->own[MINPC_HOME]];
}

/* ---- minpc.c ---- */
/* s, in flight, is late: `ahead`, in no order and what runs now, goes on without it. */
void minpc_leave(struct mech *m, struct minpc_home *h, struct mech_split *s, struct mech_split *ahead);

/* ---- before the issue (port.c) ---- */
bool minpc_selects(const void *params);
bool minpc_select(struct mech *m, uint32_t sched, struct mech_packet *p);
/* An arbitration has chosen what runs: after the instruction of that outcome, or, NULL, when threads have come. */
void minpc_arbitrated(struct mech *m, struct minpc_home *h, const struct mech_outcome *o);
/* What was guessed before is of no use, if it has not issued. */
void minpc_forget_guess(struct mech *m, struct minpc_home *h);

/* ---- shown (show.c) ---- */
void minpc_places(const struct mech *m, mech_place_fn *put, void *user);
void minpc_state(const struct mech *m, struct sb *out);
void minpc_storage(const struct mech *m, struct mech_storage *out);
void minpc_audit(const struct mech *m);

#endif
