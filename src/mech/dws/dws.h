/* Dynamic warp subdivision (dws.c): the splits of every home warp, and the joins they lead to.
 *
 * The joins of a warp are its reconvergence stack, seen as a tree: each has the threads that will run on from it, those
 * that are pending, and the join that it leads to itself. A split leads to a join or to none. Invariants, checked by
 * dws_audit: a join's pending threads are the disjoint union of those of the splits and joins that lead to it; what it has
 * beyond these has arrived; its held threads, sides of a branch that wait for their turn, are all of some parked splits;
 * and unless all pending threads are held, in which case the next side runs, a thread is under way to it. One who is
 * under way may wait at a barrier for the very threads that are held: dws_turn lets those run. Who was parked meanwhile
 * and finds the table full is held too: then all pending threads may be, as long as another split of the warp runs. */
#ifndef HEDDLE_MECH_DWS_DWS_H
#define HEDDLE_MECH_DWS_DWS_H

#include "mech/lib/declare.h"
#include "mech/lib/mask.h"
#include "mech/lib/split.h"
#include "mech/lib/stack.h"

#define DWS_BRANCH(CHOICE) \
    CHOICE(pc, DWS_BRANCH_PC) CHOICE(stack, DWS_BRANCH_STACK) CHOICE(off, DWS_BRANCH_OFF)
enum dws_branch { DWS_BRANCH(OPTION_ENUMERATOR) };
#define DWS_MEMORY(CHOICE)     \
    CHOICE(revive, DWS_REVIVE) \
    CHOICE(lazy, DWS_LAZY) CHOICE(aggress, DWS_AGGRESS) CHOICE(off, DWS_MEMORY_OFF)
enum dws_memory { DWS_MEMORY(OPTION_ENUMERATOR) };

#define DWS_PARAMS(INT, BOOL, ENUM)                                                                          \
    INT(wst, 16, 0, 4096, "Entries of the SM's warp-split table: splits beyond the first of each warp.")     \
    ENUM(branch, DWS_BRANCH,                                                                                 \
         "Subdivision at branches: sides run past the post-dominator and meet at equal PCs, or wait there, " \
         "or are never subdivided.")                                                                         \
    INT(max_block, 50, 0, INT32_MAX,                                                                         \
        "A branch is subdivided only if the block at its post-dominator has at most so many instructions.")  \
    ENUM(                                                                                                    \
        memory, DWS_MEMORY,                                                                                  \
        "When threads that have their data leave those of their split that have not: when nothing else can " \
        "issue, then or later; only then; always; never.")                                                   \
    BOOL(limit, false,                                                                                       \
         "Threads that have run ahead stop at the next branch until the others are there (BranchLimited); "  \
         "off: "                                                                                             \
         "they go on and meet them at equal PCs (BranchBypass).")
MECH_PARAMS(dws, DWS_PARAMS)

#define DWS_COUNTERS(SUM, MAX)                                                                              \
    SUM(branch_splits, "times", "Branches whose sides became splits.")                                      \
    SUM(memory_splits, "times", "Times threads that had their data left those that had not.")               \
    SUM(revived, "times", "Those of them that came later than the data, when nothing could issue.")         \
    SUM(rejoined_stack, "times", "Reconvergences at post-dominators.")                                      \
    SUM(rejoined_limit, "times", "Times those that had run ahead and those behind met at the next branch.") \
    SUM(rejoined_pc, "times", "Splits that met at equal PCs.")                                              \
    SUM(wst_full, "times", "Subdivisions that found no room in the warp-split table.")                      \
    MAX(wst_max, "entries", "Most entries of the warp-split table in use.")
MECH_COUNTS(dws, DWS_COUNTERS)

#define DWS_NONE 0xffffffffu
/* split.own. TO: the join it leads to, or DWS_NONE. LATE: some of its threads can go on without the others. */
enum { DWS_HOME, DWS_TO, DWS_DEPTH, DWS_STATUS, DWS_LATE };
enum dws_status {
    DWS_NEW,   /* being sorted out */
    DWS_RUNS,  /* in the order or in flight */
    DWS_HELD,  /* a side whose turn has not come */
    DWS_WAITS, /* it waits at a barrier */
    DWS_PARKED /* it waits at a barrier and is on the stack meanwhile, so that a held side can run */
};

struct dws_join {
    uint32_t pc;   /* IR_NOPC: known when the first thread arrives */
    int32_t depth; /* of pc; -1: the end of the thread, never reached */
    uint32_t to;
    uint32_t level;  /* call depth of the branch or load whose threads meet here */
    uint32_t branch; /* IR_NOPC: they parted at a load, and meet at the next branch */
    struct mask mask, pending, held;
    bool used, open; /* open: anywhere at that depth */
};

struct dws_home {
    uint32_t first; /* architectural slot of its first thread */
    uint32_t sched, n, cap;
    struct dws_join *join; /* they keep their number */
    uint64_t age;
    struct mask waiting;     /* threads at a barrier */
    uint32_t splits, active; /* active: neither held nor parked */
    uint32_t *split;         /* ids; room for W */
};

struct dws {
    uint32_t homes;
    struct dws_home *home;
    bool by_pc;             /* splits that meet at equal PCs go on together */
    uint32_t wst;           /* entries of the table in use */
    uint32_t held, arrived; /* threads */
    uint64_t *late;         /* splits that are LATE, a bit each */
    uint32_t *nlate;        /* by scheduler */
    bool turned;            /* dws_turn has let a side run: entries may be in use beyond the table's */
};

static inline struct dws_home *dws_home_of(const struct mech *m, const struct mech_split *s) {
    const struct dws *d = m->self;
    return &d->home[s->own[DWS_HOME]];
}
static inline bool dws_group(const struct dws_join *j) { /* at a load */
    return j->branch == IR_NOPC;
}

/* ---- splits (joins.c) ---- */
/* s, DWS_NEW, is of that home and leads nowhere. */
void dws_enlist(struct mech *m, struct mech_split *s, uint32_t home);
/* t has been taken out of s. */
void dws_taken(struct mech *m, struct mech_split *t);
struct mech_split *dws_divide(struct mech *m, struct mech_split *s, const struct mech_set *part);
void dws_drop(struct mech *m, struct mech_split *s);
void dws_merge(struct mech *m, struct mech_split *into, struct mech_split *from);
void dws_set_status(struct mech *m, struct mech_split *s, enum dws_status now);
void dws_set_late(struct mech *m, struct mech_split *s, bool late);
/* Whether the table has room for so many splits more; if not, that is counted. */
bool dws_room(struct mech *m, uint32_t more);

/* True if side a runs before side b: a taken side first, then the lower PC. next: where the branch falls through to. */
static inline bool dws_comes_first(const struct mech_split *a, const struct mech_split *b, uint32_t next) {
    return stack_runs_first((struct stack_way){.pc = a->pc}, (struct stack_way){.pc = b->pc}, STACK_TAKEN,
                            next);
}

/* ---- joins (joins.c) ---- */
/* A new join for which all of its mask is pending; its number. */
uint32_t dws_join_add(struct mech *m, struct dws_home *h, struct dws_join j);
/* Whether s is where join i is. */
bool dws_at(const struct mech *m, const struct dws_home *h, uint32_t i, const struct mech_split *s);
/* True if no split but s is under way to join i. */
bool dws_alone(const struct dws_home *h, uint32_t i, const struct mech_split *s);
/* Lets s arrive at its join, and at the joins behind that, as long as it is where they are. Returns the split that is
 * to run: s, or what it has become; NULL: none. *turn is a side whose turn has come. */
struct mech_split *dws_settle(struct mech *m, struct mech_split *s, struct mech_split **turn);
/* A split of the home has stopped running. If all who are under way to a join wait at barriers, a side that is held there runs
 * next: it may be whom they wait for. Where the table is full one of those who wait makes room. NULL: there is no such. */
struct mech_split *dws_turn(struct mech *m, uint32_t home);
/* s, parked, waits at no barrier any more. False: the table has no room for it, and it is held until its turn comes. */
bool dws_unpark(struct mech *m, struct mech_split *s);
/* Threads that exited leave join i. What is to run now, or NULL. */
struct mech_split *dws_forgo(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *gone,
                             struct mech_split **turn);

/* ---- going on (dws.c) ---- */
/* s, in no order, goes on at its PC. */
void dws_go(struct mech *m, struct mech_split *s);

/* ---- memory (memory.c) ---- */
/* Threads that have run ahead stop in front of it. */
bool dws_stops(const struct mech *m, uint32_t pc);
/* s is in the order and waits for an event, which not all of its threads may need. */
void dws_consider(struct mech *m, struct mech_split *s);
/* Nothing of that scheduler can issue: the oldest split of which some can go on is divided. False: there is none. */
bool dws_revive(struct mech *m, uint32_t sched);
bool dws_memory(struct mech *m, struct mech_split *s, const struct mech_set *ready);

/* ---- as in struct mech_ops (show.c) ---- */
void dws_census(const struct mech *m, struct mech_census *c);
void dws_places(const struct mech *m, mech_place_fn *put, void *user);
void dws_state(const struct mech *m, struct sb *out);
void dws_storage(const struct mech *m, struct mech_storage *out);
void dws_audit(const struct mech *m);

#endif
