/* Private to HARP: the tables shared by harp.c (the mechanism), level.c (First-Level, Second-Level, moves between
 * tables), lookup.c (Ready- and Waiting-Lookup), barrier.c (Re-convergence Barriers) and show.c (printing and checks). */
#ifndef HEDDLE_MECH_HARP_HARP_H
#define HEDDLE_MECH_HARP_HARP_H

#include "base/heap.h"
#include "mech/lib/declare.h"
#include "mech/lib/split.h"

/* What runs out before Ready-Lookup sends a warp: the scheduler as a whole (4.3), or Second-Level alone (4.2.3). */
#define HARP_COUNT(CHOICE) CHOICE(both, HARP_COUNT_BOTH) CHOICE(second, HARP_COUNT_SECOND)
enum harp_count { HARP_COUNT(OPTION_ENUMERATOR) };
/* What merges in Waiting-Lookup: "other warps" (4.2.1), or, as in Ready-Lookup, each thread by itself. */
#define HARP_MERGE(CHOICE) CHOICE(warp, HARP_MERGE_WARP) CHOICE(thread, HARP_MERGE_THREAD)
enum harp_merge { HARP_MERGE(OPTION_ENUMERATOR) };
/* When a warp leaves Waiting-Lookup: when its accesses are back (4.2.1), or, from then on, by the rule that 4.2.3 gives for
 * "Lookup tables": when few warps are ready. */
#define HARP_DEPART(CHOICE) CHOICE(back, HARP_DEPART_BACK) CHOICE(few, HARP_DEPART_FEW)
enum harp_depart { HARP_DEPART(OPTION_ENUMERATOR) };

#define HARP_PARAMS(INT, BOOL, ENUM)                                                                 \
    INT(first, 8, 1, 1024, "Ready warps in First-Level, from which a scheduler issues.")             \
    INT(second, 512, 1, 65536, "Entries of Second-Level per scheduler.")                             \
    INT(ready_lookup, 8, 0, 1024, "Entries of Ready-Lookup per scheduler.")                          \
    INT(waiting_lookup, 8, 0, 1024, "Entries of Waiting-Lookup per scheduler.")                      \
    INT(barriers, 128, 1, 65536, "Entries of Re-convergence Barriers per scheduler.")                \
    INT(barrier_ways, 16, 1, 65536, "Ways of Re-convergence Barriers; as many as entries: one set.") \
    INT(barrier_latency, 1, 1, 64, "Cycles to search Re-convergence Barriers, pipelined.")           \
    INT(few, 2, 1, 65536, "Ready-Lookup sends a warp when fewer are ready in what harp.count says.") \
    INT(spill, 400, 1, 1000000, "Cycles a warp is away that finds Second-Level full.")               \
    ENUM(count, HARP_COUNT,                                                                          \
         "Ready warps that keep Ready-Lookup waiting: of both levels, or of Second-Level.")          \
    ENUM(waiting, HARP_MERGE,                                                                        \
         "What merges in Waiting-Lookup: warps all of whose lanes are free, or single threads.")     \
    ENUM(depart, HARP_DEPART,                                                                        \
         "When a warp leaves Waiting-Lookup: with its data back, or once few warps are ready then.")
MECH_PARAMS(harp, HARP_PARAMS)

#define HARP_COUNTERS(SUM, MAX)                                                                           \
    SUM(barriers_reserved, "barriers", "Entries of Re-convergence Barriers taken.")                       \
    SUM(barrier_shared, "threads", "Threads that got a lane of an entry already there.")                  \
    SUM(barrier_misses, "threads", "Threads that found no entry and miss a reconvergence.")               \
    SUM(barrier_parted, "threads", "Threads that returned elsewhere than their barrier.")                 \
    SUM(revivals, "warps", "Warps revived by a complete barrier.")                                        \
    SUM(ready_merges, "merges", "Diverged threads that joined a warp of Ready-Lookup.")                   \
    SUM(ready_merged, "threads", "How many threads did.")                                                 \
    SUM(waiting_merges, "merges", "Warps, or parts of one, that merged in Waiting-Lookup.")               \
    SUM(waiting_merged, "threads", "How many threads they had.")                                          \
    SUM(ready_full, "warps", "Diverged warps that found Ready-Lookup full.")                              \
    SUM(waiting_full, "warps", "Warps, or their rest, that found Waiting-Lookup full.")                   \
    SUM(spills, "warps", "Warps that found Second-Level full.")                                           \
    SUM(wait_slowest, "thread cycles", "Waited, own data back, for the slowest access of a merged warp.") \
    SUM(wait_few, "thread cycles", "Waited in a lookup, able to run, until few warps were ready.")        \
    SUM(wait_barrier, "thread cycles", "Waited in Re-convergence Barriers for the others.")               \
    SUM(samples, "issues", "Times the occupancies were looked at.")                                       \
    SUM(first_sum, "warps", "Warps in First-Level, summed over samples.")                                 \
    SUM(second_sum, "warps", "Warps in Second-Level, summed over samples.")                               \
    SUM(ready_sum, "warps", "Warps in Ready-Lookup, summed over samples.")                                \
    SUM(waiting_sum, "entries", "Entries of Waiting-Lookup in use, summed.")                              \
    SUM(barriers_sum, "barriers", "Barriers in use, summed over samples.")                                \
    MAX(first_max, "warps", "Most warps in a First-Level.")                                               \
    MAX(second_max, "warps", "Most warps in a Second-Level.")                                             \
    MAX(ready_max, "warps", "Most warps in a Ready-Lookup.")                                              \
    MAX(waiting_max, "entries", "Most entries of a Waiting-Lookup in use.")                               \
    MAX(barriers_max, "barriers", "Most barriers of a scheduler in use.")
MECH_COUNTS(harp, HARP_COUNTERS)

/* split.own: where a warp is, its threads' call depth, the next of its queue, its first Waiting-Lookup entry + 1 or 0. */
enum { HARP_WHERE, HARP_DEPTH, HARP_NEXT, HARP_WAIT };
enum harp_where {
    HARP_NOWHERE, /* in flight, or being handled */
    HARP_FIRST,
    HARP_READY,  /* Second-Level: may go to First-Level; FIFO */
    HARP_TIMED,  /* Second-Level: ready at cycle split.wake */
    HARP_EVENT,  /* Second-Level: ready after something happened */
    HARP_PARKED, /* at a block barrier or .sync instruction */
    HARP_SPILLED,
    HARP_LOOKUP,  /* Ready-Lookup */
    HARP_WAITING, /* Waiting-Lookup: its own access is back; that of a warp it merged with is not, or
                     `depart` = few keeps it until few are ready */
    HARP_REVIVED  /* complete, on its way from the barrier to Second-Level */
};

/* Lanes in use. Bit l of word k: lane k * 32 + l; with fewer than 32 lanes they repeat over the word, so that the lanes of
 * an architectural warp's mask are tested as they are. */
struct harp_lanes {
    uint32_t word[MECH_WIDEST / 32];
};

struct harp_fifo { /* of splits, by HARP_NEXT */
    struct mech_split *head, *tail;
    uint32_t n;
};

struct harp_ready { /* an entry of Ready-Lookup */
    struct mech_split *warp;
    struct harp_lanes used;
    uint64_t stamp; /* of when it came or was joined last */
    uint64_t since; /* the cycle up to which its threads' wait is counted */
};

/* An entry of Waiting-Lookup: free if no access is under way and it holds no warp; complete if it holds a warp and no access
 * is under way, which lasts for longer than a commit only with `depart` = few. */
struct harp_waiting {
    uint32_t pc, depth;
    uint32_t outstanding;    /* warps with threads in it whose access is under way */
    struct mech_split *warp; /* threads whose access is back, in one warp; NULL: none */
    struct harp_lanes used;
    struct mech_set all; /* its threads */
    uint64_t stamp;      /* when it became complete */
    uint64_t earliest;   /* the cycle in which the warp of a complete one may issue */
    uint64_t since;      /* the cycle up to which the wait of the warp's threads is counted */
};
static inline bool harp_waiting_used(const struct harp_waiting *e) {
    return e->outstanding || e->warp;
}

struct harp_barrier {
    uint32_t at; /* where its threads go on; IR_NOPC: at the return that the first to arrive will show */
    uint32_t nall, nreached;
    uint64_t since; /* the cycle up to which the wait of those that have reached it is counted */
    struct harp_lanes used;
    struct mech_set all, reached;
};

/* An entry's key: its RPC and the call depth at which that is reached. An RPC of IR_NOPC is the return to that depth. */
#define HARP_FREE UINT64_MAX
static inline uint64_t harp_key(uint32_t rpc, uint32_t depth) {
    return (uint64_t)depth << 32 | rpc;
}

/* The tables of one scheduler. What every issue and commit looks at comes first, in one line of the host's cache. */
enum { HARP_CLASSES = 64 }; /* of RPCs, by their low bits */
struct harp_sched {
    _Alignas(64) uint64_t at; /* transitions of this cycle are done */
    uint32_t first, second;
    uint16_t nlookup, nback;      /* warps that Ready-Lookup holds, and complete ones of Waiting-Lookup */
    uint32_t nwaiting, nbarriers; /* used entries */
    uint32_t pending; /* of timed, spilled and revived together: mostly there is none to look for */
    uint64_t live;    /* a bit per class that has barriers: most commits look no further */
    struct harp_fifo ready;

    struct harp_fifo spilled, revived;
    struct heap timed;
    uint64_t stamp;            /* of the next warp that may depart from a lookup */
    struct harp_ready *lookup; /* oldest first */
    struct harp_waiting *waiting;
    uint64_t *key; /* by set * ways + way */
    struct harp_barrier *barrier;
    uint32_t ndone, *done; /* barriers whose threads are all there */
    uint32_t nlive[HARP_CLASSES];
};
_Static_assert(offsetof(struct harp_sched, spilled) == 64, "what is always looked at is a cache line");

struct harp {
    _Alignas(64) struct harp_sched *q;
    uint64_t latency, spill;
    uint32_t cap_first, cap_second, cap_ready, cap_waiting, few, sets, ways;
    uint32_t first_counts; /* a mask: all ones, warps of First-Level are counted against few, or 0 */
    bool whole;            /* only whole warps merge in Waiting-Lookup */
    bool keep;             /* complete warps stay in Waiting-Lookup until few are ready */
    uint32_t reached;      /* threads that wait in a barrier */
};

/* Thread cycles that `threads` have waited from *since to `now`, from where the next ones count. */
static inline uint64_t harp_waited(uint64_t *since, uint64_t now, uint32_t threads) {
    const uint64_t cycles = now - *since;
    *since = now;
    return cycles * threads;
}

/* ---- lanes (lookup.c) ---- */
void harp_use_lanes(const struct split_pool *p, struct harp_lanes *used, uint32_t warp, uint32_t mask);
/* Returns those of the lanes whose place is not in use. */
uint32_t harp_free_lanes(const struct split_pool *p, const struct harp_lanes *used, uint32_t warp,
                         uint32_t mask);

/* ---- level.c ---- */
/* Makes the transitions that are due in each cycle up to and including `cycle`. */
void harp_transitions(struct mech *m, struct harp_sched *q, uint64_t cycle);
static inline bool harp_may_look_up(const struct harp *h, const struct harp_sched *q) {
    return (q->nlookup | q->nback) && q->ready.n + (q->first & h->first_counts) < h->few;
}
/* Makes up for the transitions of each cycle up to and including `cycle`. Mostly there are none. */
static inline void harp_advance(struct mech *m, struct harp_sched *q, uint64_t cycle) {
    if (q->at >= cycle) return;
    if (q->pending || harp_may_look_up(m->self, q)) harp_transitions(m, q, cycle);
    q->at = cycle;
}
/* The next cycle in which a transition, or an issue after one, is possible. */
uint64_t harp_next_transition(const struct mech *m, const struct harp_sched *q);
void harp_to_second(struct mech *m, struct harp_sched *q, struct mech_split *s, uint64_t earliest);
void harp_to_revived(struct mech *m, struct harp_sched *q, struct mech_split *s);
void harp_fill_first(struct mech *m, struct harp_sched *q);
void harp_woken(struct mech *m, struct harp_sched *q, struct mech_split *s);

/* ---- lookup.c ---- */
/* A warp of diverged threads: merges with what is there, the rest is put there. */
void harp_lookup_put(struct mech *m, struct harp_sched *q, struct mech_split *s);
/* Takes out the warp of both lookups that is the first to depart; it may issue in cycle *earliest. */
struct mech_split *harp_lookup_oldest(struct mech *m, struct harp_sched *q, uint64_t *earliest);
/* s issues an access to global memory. */
void harp_waiting_enter(struct mech *m, struct harp_sched *q, struct mech_split *s);
/* The access of s, made at pc, is back: its threads stay in the entries they are in. Each call returns the warp of the
 * next entry that waits for no thread any more; NULL: there is none. Threads that found no room in the table are left
 * in s; NULL: none. */
struct harp_back {
    struct mech_split *s;          /* those that go on; NULL: none do */
    const struct mech_set *exited; /* threads of the access that do not */
    uint32_t pc, depth, entry;     /* entry: before the first call, that of s->own[HARP_WAIT] */
};
struct mech_split *harp_waiting_back(struct mech *m, struct harp_sched *q, struct harp_back *b);
/* The warp that harp_waiting_back has just taken out of that entry, or what is left of it, stays there, complete: others can
 * merge with it until it departs. */
void harp_waiting_keep(struct mech *m, struct harp_sched *q, uint32_t entry, struct mech_split *s);

/* ---- barrier.c ---- */
void harp_barriers_new(const struct mech *m, struct harp_sched *q);
/* Reserves {rpc, depth} for every thread of the set that has not got it yet. */
void harp_reserve(struct mech *m, struct harp_sched *q, const struct mech_set *set, uint64_t key);
/* There may be a barrier of that RPC. */
static inline bool harp_live(const struct harp_sched *q, uint32_t rpc) {
    return q->live >> rpc % HARP_CLASSES & 1;
}
/* Threads of s whose barrier is at s's PC and depth stay there. Returns what is left of s, NULL: nothing. `returned`: they
 * have just come back to that depth. */
struct mech_split *harp_arrive(struct mech *m, struct harp_sched *q, struct mech_split *s, bool returned);
void harp_leave(struct mech *m, struct harp_sched *q, const struct mech_set *gone); /* they exited */
/* The next pre-divergence warp whose threads are all there, its barrier freed; NULL: none. */
struct mech_split *harp_revive(struct mech *m, struct harp_sched *q);

/* ---- report.c ---- */
void harp_places(const struct mech *m, mech_place_fn *put, void *user);
void harp_state(const struct mech *m, struct sb *out);
void harp_storage(const struct mech *m, struct mech_storage *out);
void harp_audit(const struct mech *m);

#endif
