/* What the files of dynamic warp formation share: dwf.c (forming warps: LUT, commit), home.c (home lanes and register
 * banks: who fits into a warp), pool.c (the warp pool: entries, spilling, readiness, picking), group.c (warps by PC:
 * majority, minority, the max-heap), show.c (state, storage, audit). Every scheduler has structures of its own. */
#ifndef HEDDLE_MECH_DWF_DWF_H
#define HEDDLE_MECH_DWF_DWF_H

#include "base/heap.h"
#include "base/queue.h"
#include "mech/lib/declare.h"
#include "mech/lib/lookup.h"
#include "mech/lib/split.h"

#define DWF_NONE 0xffffffffu
enum { DWF_PORTS = 64 }; /* of the max-heap, at most */

#define DWF_POLICY(CHOICE) \
    CHOICE(dmaj, DWF_DMAJ) \
    CHOICE(dmin, DWF_DMIN) CHOICE(dtime, DWF_DTIME) CHOICE(dpc, DWF_DPC) CHOICE(dpdpri, DWF_DPDPRI)
#define DWF_LANES(CHOICE)    \
    CHOICE(aware, DWF_AWARE) \
    CHOICE(bank, DWF_BANK)   \
    CHOICE(free, DWF_FREE) CHOICE(conflict, DWF_CONFLICT) CHOICE(bank_conflict, DWF_BANK_CONFLICT)
#define DWF_SWIZZLE(CHOICE)  CHOICE(swap, DWF_SWAP) CHOICE(none, DWF_AS_BORN) CHOICE(rotate, DWF_ROTATE)
#define DWF_RANK(CHOICE)     CHOICE(least, DWF_LEAST) CHOICE(most, DWF_MOST)
#define DWF_TIES(CHOICE)     CHOICE(arrival, DWF_ARRIVAL) CHOICE(fuller, DWF_FULLER)
#define DWF_BARRIER(CHOICE)  CHOICE(regroup, DWF_REGROUP) CHOICE(first, DWF_FIRST)
#define DWF_MEMORY(CHOICE)   CHOICE(warp, DWF_BY_WARP) CHOICE(thread, DWF_BY_THREAD)
#define DWF_MAJORITY(CHOICE) CHOICE(heap, DWF_HEAP) CHOICE(ideal, DWF_IDEAL) CHOICE(pipelined, DWF_PIPELINED)
#define DWF_LAYOUT(CHOICE)   CHOICE(banks, DWF_BANKED) CHOICE(ports, DWF_PORTED) CHOICE(array, DWF_ARRAY)
#define DWF_SPILL(CHOICE)    CHOICE(arriving, DWF_SPILL_ARRIVING) CHOICE(last, DWF_SPILL_LAST)
enum dwf_policy { DWF_POLICY(OPTION_ENUMERATOR) };
enum dwf_lanes { DWF_LANES(OPTION_ENUMERATOR) };
enum dwf_swizzle { DWF_SWIZZLE(OPTION_ENUMERATOR) };
enum dwf_rank { DWF_RANK(OPTION_ENUMERATOR) };
enum dwf_ties { DWF_TIES(OPTION_ENUMERATOR) };
enum dwf_barrier { DWF_BARRIER(OPTION_ENUMERATOR) };
enum dwf_memory { DWF_MEMORY(OPTION_ENUMERATOR) };
enum dwf_majority { DWF_MAJORITY(OPTION_ENUMERATOR) };
enum dwf_layout { DWF_LAYOUT(OPTION_ENUMERATOR) };
enum dwf_spill { DWF_SPILL(OPTION_ENUMERATOR) };

#define DWF_PARAMS(INT, BOOL, ENUM)                                                                          \
    ENUM(policy, DWF_POLICY,                                                                                 \
         "Which warp issues first: of the commonest PC, the rarest PC, the earliest, the lowest PC, or the " \
         "one that has passed fewest post-dominators.")                                                      \
    ENUM(lanes, DWF_LANES,                                                                                   \
         "Threads keep their home lane, of which a warp has W; or their home bank, which is a lane of the "  \
         "SIMD pipeline and has a slot in each beat; any lane for free; or any lane, threads that share a "  \
         "home lane, or a bank beyond its slots, reading their registers one after the other.")              \
    ENUM(swizzle, DWF_SWIZZLE,                                                                               \
         "Home lanes: even and odd swapped in every other warp of a scheduler; as threads are numbered; or " \
         "turned by one more from warp to warp.")                                                            \
    INT(update, 2, 1, 256, "Next PCs the warp update registers take in a cycle.")                            \
    INT(lut_entries, 64, 1, 65536, "Entries of the PC-warp LUT of a scheduler.")                             \
    INT(lut_ways, 4, 1, 65536, "Ways of the PC-warp LUT.")                                                   \
    INT(pool, 128, 0, 65536,                                                                                 \
        "Entries of the warp pool of a scheduler; 0: one for every thread. Warps beyond are spilled to "     \
        "memory.")                                                                                           \
    ENUM(pool_layout, DWF_LAYOUT,                                                                            \
         "The warp pool's memory: a bank for each lane; one array with four write ports; or one array with " \
         "one write port, which takes one warp a core cycle.")                                               \
    INT(spill_cycles, 100, 0, 1000000,                                                                       \
        "Cycles to write a spilled warp to memory, and as many to read it back.")                            \
    ENUM(spill, DWF_SPILL,                                                                                   \
         "Where the pool is full the warp that arrives is spilled, or whichever of it and the ready warps "  \
         "the policy would issue last.")                                                                     \
    ENUM(memory, DWF_MEMORY,                                                                                 \
         "Threads of a load go on when all of them have their data, or each when it has.")                   \
    ENUM(rank, DWF_RANK, "dpdpri: a warp ranks as its most backward thread, or as its most forward one.")    \
    ENUM(ties, DWF_TIES, "dpdpri: of equal warps the earlier one issues first, or that with more threads.")  \
    ENUM(barrier, DWF_BARRIER,                                                                               \
         "Threads released from a barrier are regrouped like others; or issue first, as they were created.") \
    ENUM(majority, DWF_MAJORITY,                                                                             \
         "The majority policy with its max-heap and MHeap LUT, or without limits; or with a heap that is "   \
         "pipelined over its levels and begins one operation a core cycle.")                                 \
    INT(heap, 64, 1, 65536, "Entries of the max-heap of a scheduler.")                                       \
    INT(heap_lut, 128, 1, 65536, "Entries of the MHeap LUT of a scheduler.")                                 \
    INT(heap_lut_ways, 8, 1, 65536, "Ways of the MHeap LUT.")                                                \
    INT(heap_ports, 2, 1, DWF_PORTS,                                                                         \
        "Read and write ports of the max-heap and the MHeap LUT: warps it can swap up or down at once, one " \
        "place a cycle. A pipelined heap does without.")
MECH_PARAMS(dwf, DWF_PARAMS)

#define DWF_COUNTERS(SUM, MAX)                                                                            \
    SUM(merges, "merges", "Times threads joined a warp that was being formed.")                           \
    SUM(merged_threads, "threads", "Threads that joined one.")                                            \
    SUM(lane_conflicts, "merges",                                                                         \
        "Times a warp with room could not take all threads of its PC and a new one began.")               \
    SUM(lut_lookups, "lookups", "Lookups in the PC-warp LUT.")                                            \
    SUM(lut_misses, "lookups", "Lookups that found no warp being formed.")                                \
    SUM(lut_evictions, "entries", "LUT entries evicted: warps that no thread can join any more.")         \
    SUM(pool_sum, "warps", "Warps in the pool, summed over the samples.")                                 \
    SUM(pool_samples, "issues", "Samples of the pool: one for every warp issued.")                        \
    MAX(pool_max, "warps", "Most warps in the pool of a scheduler.")                                      \
    SUM(pool_within_16, "issues", "Samples with at most 16 warps in the pool.")                           \
    SUM(pool_within_32, "issues", "Samples with at most 32 warps in the pool.")                           \
    SUM(pool_within_64, "issues", "Samples with at most 64 warps in the pool.")                           \
    SUM(pool_within_128, "issues", "Samples with at most 128 warps in the pool.")                         \
    SUM(pool_spills, "warps", "Warps spilled to memory because the pool was full.")                       \
    SUM(pool_stalls, "cycles", "Cycles without issue while the warp pool's one write port catches up.")   \
    SUM(heap_spills, "warps", "Warps spilled to memory because the max-heap was full.")                   \
    MAX(heap_max, "entries", "Most PCs in the heap of a scheduler.")                                      \
    SUM(heap_lut_misses, "lookups", "Lookups in the MHeap LUT that found no entry.")                      \
    SUM(heap_lut_evictions, "entries", "MHeap LUT entries evicted: heap entries that get no more warps.") \
    SUM(heap_swaps, "swaps", "Swaps of max-heap entries.")                                                \
    SUM(heap_stalls, "cycles", "Cycles without issue while the max-heap is rebalanced.")                  \
    SUM(update_stalls, "cycles",                                                                          \
        "Cycles without issue while a branch with more next PCs than update registers commits.")          \
    SUM(bank_stalls, "cycles", "Cycles of register read lost to threads that share a home lane.")
MECH_COUNTS(dwf, DWF_COUNTERS)

enum dwf_state { /* where a split is */
                 DWF_FLIGHT,
                 DWF_PARKED, /* at a barrier or a .sync instruction */
                 DWF_READY,  /* in the pool and in the scheduler's structures */
                 DWF_TIMED, /* in the pool, may issue from split.wake on (a refill: is back from memory then) */
                 DWF_EVENT,  /* in the pool, waits for an operand or a fetch */
                 DWF_SPILLED /* in memory */
};

struct dwf_warp { /* what a warp pool entry holds besides the split, by split id */
    enum dwf_state state;
    uint32_t lut;        /* PC-warp LUT entry that points here; DWF_NONE: no thread can join any more */
    uint32_t group;      /* READY, by group: the group */
    uint32_t next, prev; /* in the list of its group, or of spilled warps */
    /* READY, by group: threads it stands for in the group's count; SPILLED: in d->spilled. */
    uint32_t counted;
    uint32_t passed;  /* dpdpri: post-dominators passed by its most backward (rank = most: forward) thread */
    uint64_t written; /* pool_layout = array: the cycle of its entry's last update */
    bool first;       /* barrier = first: released and not issued since; no thread joins it */
    bool refill;      /* TIMED: on its way back from memory */
    bool stale;       /* dpdpri: threads came or went, passed is perhaps of one that is not here */
};

struct dwf_group { /* warps of one PC that may issue: a max-heap entry, or the majority entry */
    uint32_t pc, threads;
    uint32_t head, tail; /* WPH, WPT */
    uint32_t at;         /* its place in the heap, or DWF_NONE: majority entry, or free */
    uint32_t lut;        /* LUT#: its MHeap LUT entry, or DWF_NONE */
    uint64_t updated;    /* the cycle after that of its last insertion or update; 0: none */
};

struct dwf_sched {
    struct lookup lut;     /* PC-warp LUT: PC to split id */
    uint32_t used;         /* pool entries */
    uint32_t refilling;    /* of these, on their way back from memory */
    uint64_t written;      /* pool_layout = array: the cycle in which its write port has done all writes */
    struct queue spilled;  /* warps in memory */
    struct queue first;    /* barrier = first: READY ones that were released, in that order */
    uint64_t update_until; /* the warp update registers are full: nothing issues before this cycle */
    struct heap timed;     /* by cycle */
    struct heap ready;     /* dtime, dpc, dpdpri: by priority */
    uint32_t nready;
    /* dmaj, dmin */
    uint32_t majority;        /* group, or DWF_NONE */
    uint32_t n, cap;          /* of heap */
    uint32_t *heap;           /* groups, the root first */
    uint32_t *by_pc;          /* unlimited: group of each PC, or DWF_NONE */
    struct lookup mlut;       /* MHeap LUT: PC to place in the heap */
    uint64_t busy[DWF_PORTS]; /* by port: the cycle in which what it was given is done */
    uint64_t busy_all;        /* and all are */
};

struct dwf {
    enum dwf_policy policy;
    enum dwf_lanes lanes;
    bool grouped, real_heap; /* dmaj or dmin; dmaj with its hardware */
    bool pipelined;          /* majority = pipelined */
    bool one_port;           /* pool_layout = array */
    uint32_t width, words;   /* W; words of OCC */
    uint32_t banks, slots;   /* of registers: lanes of the SIMD pipeline; threads of one bank in a warp */
    uint32_t pool;           /* entries of a scheduler's warp pool */
    uint32_t beats;          /* core cycles of a scheduler cycle */
    uint32_t spilled;        /* threads in spilled warps */
    struct dwf_warp *w;
    uint32_t *pos;      /* of the heaps */
    uint32_t *passed;   /* dpdpri, by thread: post-dominators passed */
    bool *is_pdom;      /* by PC: it is where some branch joins */
    uint16_t *per_lane; /* scratch: threads by home lane or bank */
    uint32_t *swapped;  /* by slot: lanes, in pairs, whose threads are at home in each other's */
    uint8_t *turn;      /* swizzle = rotate: lanes to turn, of every machine warp of a slot; else NULL */
    struct dwf_sched *q;
    struct dwf_group *group;
    uint32_t free_group; /* chained by head */
};

/* ---- the pool (pool.c) ---- */
/* s, in no place, gets a pool entry and is considered for issue; false: s was spilled. Where no entry is free, s or, by
 * option, a ready warp is. */
bool dwf_enter(struct mech *m, struct mech_split *s);
/* s, in the pool, has got more threads, or something it waits for happened. */
void dwf_changed(struct mech *m, struct mech_split *s);
/* Takes s out of the pool to memory. */
void dwf_spill(struct mech *m, struct mech_split *s);
/* Spilled warps come back while there is room. There are some: dwf_refill asks. */
void dwf_bring_back(struct mech *m, uint32_t sched);
static inline void dwf_refill(struct mech *m, uint32_t sched) {
    const struct dwf *d = m->self;
    if (d->q[sched].spilled.n) dwf_bring_back(m, sched);
}
/* The warp that issues now, in flight from here on and out of the pool; NULL: none can. */
struct mech_split *dwf_pick(struct mech *m, uint32_t sched);
uint64_t dwf_next(const struct mech *m, uint32_t sched);
/* Threads have joined s, which is in the pool: an update of its entry, one for all that come in a cycle. */
void dwf_update(struct mech *m, const struct mech_split *s);
/* From now on no thread joins s. */
void dwf_close(struct mech *m, const struct mech_split *s);

/* ---- groups by PC (group.c) ---- */
bool dwf_groups_init(struct mech *m, struct err *e);
/* s may issue. May spill other warps; false: the heap is full of larger groups, s has to be spilled. */
bool dwf_group_put(struct mech *m, struct mech_split *s);
void dwf_group_take(struct mech *m, struct mech_split *s); /* s, wherever it is in its group, leaves */
void dwf_group_grew(struct mech *m, struct mech_split *s); /* s has more threads than it is counted with */
/* The one that issues last among s and the ready warps. s has just arrived, is in no group yet, and comes behind its
 * equals. */
struct mech_split *dwf_group_last(const struct mech *m, struct mech_split *s);
/* The warp whose turn it is, without taking it out. At least one is ready, and the heap is balanced. */
struct mech_split *dwf_group_first(struct mech *m, uint32_t sched);
/* The cycle from which on issue goes on, for work that is done in `done`: a scheduler cycle's is hidden (DWF 4.4.3). */
static inline uint64_t dwf_hidden(const struct dwf *d, uint64_t done) {
    return done <= d->beats ? 0 : done - d->beats;
}
/* From this cycle on the heap is balanced. */
static inline uint64_t dwf_balanced(const struct dwf *d, const struct dwf_sched *q) {
    return dwf_hidden(d, q->busy_all);
}

/* ---- shown (show.c) ---- */
void dwf_state(const struct mech *m, struct sb *out);
void dwf_storage(const struct mech *m, struct mech_storage *out);
void dwf_audit(const struct mech *m);

/* ---- home lanes (home.c) ---- */
/* Home lanes of some threads of a warp slot, as bits of word dwf_word of a machine warp's lanes. In machines with warps
 * narrower than 32 the bits are those of the architectural warp, several to a lane: folded they are those of one warp, and
 * spread those of the warp's in every part. */
static inline uint32_t dwf_word(const struct mech *m, uint32_t warp) {
    const struct dwf *d = m->self;
    return d->words == 1 ? 0 : warp - m->pool->first[warp];
}
static inline uint32_t dwf_swap(uint32_t mask, uint32_t pairs) {
    const uint32_t odd = mask & pairs;
    return (mask & ~odd) | (odd & 0x55555555) << 1 | (odd >> 1 & 0x55555555);
}
uint32_t dwf_turned(const struct dwf *d, uint32_t warp, uint32_t mask, bool back);
static inline uint32_t dwf_lanes_of(const struct mech *m, uint32_t warp, uint32_t mask) {
    const struct dwf *d = m->self;
    return d->turn ? dwf_turned(d, warp, mask, false) : dwf_swap(mask, d->swapped[warp]);
}
/* The inverse: whose home lanes these are. */
static inline uint32_t dwf_threads_of(const struct mech *m, uint32_t warp, uint32_t lanes) {
    const struct dwf *d = m->self;
    return d->turn ? dwf_turned(d, warp, lanes, true) : dwf_swap(lanes, d->swapped[warp]);
}
static inline uint32_t dwf_fold(const struct dwf *d, uint32_t lanes) {
    if (d->width >= 32) return lanes;
    for (uint32_t w = 16; w >= d->width; w /= 2) lanes |= lanes >> w;
    return lanes & ((1u << d->width) - 1);
}
static inline uint32_t dwf_spread(const struct dwf *d, uint32_t occ) {
    for (uint32_t w = d->width; w < 32; w *= 2) occ |= occ << w;
    return occ;
}
void dwf_homes_init(struct mech *m);
/* Threads that are first created get their homes. */
void dwf_homes_give(struct mech *m, const struct mech_set *set, uint32_t home);
/* OCC: the home lanes taken, in d->words words. Hardware keeps this in the PC-warp LUT; here it is computed from the
 * warp's threads, because most warps issue before it is asked for. Only when lane-aware. */
void dwf_occupied(const struct mech *m, const struct mech_split *s, uint32_t *occ);
/* Adds its threads by home lane modulo `lanes`, a power of two. */
void dwf_count_homes(const struct mech *m, const struct mech_set *set, uint32_t lanes, uint16_t *count);
/* Threads of s that `into` has lanes for: in Figure 4.4's words REQ without CNF. */
void dwf_fitting(struct mech *m, const struct mech_split *into, const struct mech_split *s,
                 struct mech_set *fit);
/* Cycles for which register read stalls because threads share a home (Figure 4.2(c), 5.1.1); 0: it does not. */
uint32_t dwf_register_stall(struct mech *m, const struct mech_split *s);

#endif
