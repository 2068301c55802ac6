/* What the files of min(SP:PC) share: minpc.c (the mechanism) and show.c (state, storage, audit). */
#ifndef HEDDLE_MECH_MINPC_MINPC_H
#define HEDDLE_MECH_MINPC_MINPC_H

#include "mech/declare.h"
#include "mech/split.h"

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

#define MINPC_NOBODY UINT64_MAX
enum { MINPC_LANES = 32, MINPC_WORDS = MECH_WIDEST / MINPC_LANES };

/* Threads with the same group have not been parted by a divergence since they last ran together. */
struct minpc_mark {
    uint64_t group, since;
    uint32_t branch; /* IR_NOPC: none, they parted over memory */
};

struct minpc_home {
    struct mech_split *run; /* for as long as a thread lives; without threads when none can run */
    uint64_t key;           /* of run */
    uint64_t limit;         /* lowest key that stands */
    uint32_t first, words;  /* architectural warp slots */
    uint32_t nstanding, nblocked, nlate;
    uint32_t standing[MINPC_WORDS], blocked[MINPC_WORDS];
};

struct minpc {
    bool sp, memory;
    struct minpc_home *home;
    uint64_t *key; /* by thread, slot * 32 + lane */
    struct minpc_mark *mark;
    uint64_t groups;
    uint32_t standing; /* over all homes */
};

enum { MINPC_HOME, MINPC_LATE }; /* split.own */

static inline struct minpc_home *minpc_home_of(const struct mech *m, const struct mech_split *s) {
    const struct minpc *f = m->self;
    return &f->home[s->own[MINPC_HOME]];
}

/* The key of a thread: the lowest is the deepest call, then the lowest PC. */
uint64_t minpc_key_at(const struct mech *m, uint32_t warp, uint32_t lane, uint32_t pc);
static inline uint64_t minpc_with_pc(uint64_t key, uint32_t pc) {
    return (key & UINT64_C(0xffffffff00000000)) | pc;
}

/* Takes those at the limit, which is the minimum, out of the standing; the next lowest key is the new limit. */
void minpc_take_lowest(const struct minpc *f, struct minpc_home *h, struct mech_set *out);

/* ---- shown (show.c) ---- */
void minpc_places(const struct mech *m, mech_place_fn *put, void *user);
void minpc_state(const struct mech *m, struct sb *out);
void minpc_storage(const struct mech *m, struct sb *out);
void minpc_audit(const struct mech *m);

#endif
