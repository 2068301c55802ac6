/* What the files of simultaneous branch and warp interweaving share: splits.c (which threads of a warp run together), sbi.c
 * (what goes into a packet, and the three mechanisms) and show.c (state, storage, audit). */
#ifndef HEDDLE_MECH_SBI_SBI_H
#define HEDDLE_MECH_SBI_SBI_H

#include "mech/lib/declare.h"
#include "mech/lib/sorted.h"

/* ---- parameters and counters ---- */

/* The lane of thread t of warp w: t, or with its bits turned over where w is odd or in the upper half of the warps, or
 * with w's bits on top of them, as they are or in reverse. */
#define SBI_LANES(CHOICE)              \
    CHOICE(xor_rev, SBI_XOR_REV)       \
    CHOICE(identity, SBI_IDENTITY)     \
    CHOICE(mirror_odd, SBI_MIRROR_ODD) \
    CHOICE(mirror_half, SBI_MIRROR_HALF) CHOICE(xor, SBI_XOR)
enum sbi_lanes { SBI_LANES(OPTION_ENUMERATOR) };

#define SBI_PARAMS(INT, BOOL, ENUM)                                                                         \
    BOOL(constraint, true,                                                                                  \
         "Whether a split waits at the SYNC mark of a reconvergence point while another is in its region.") \
    BOOL(alone, false,                                                                                      \
         "Whether the second split of a warp may issue while the first cannot; off: only beside "           \
         "it.")
#define SWI_PARAMS(INT, BOOL, ENUM)                                                            \
    INT(ways, 0, 0, 1024,                                                                      \
        "Warps that are searched for one whose lanes fit, those behind the first in turn. 0: " \
        "all of the scheduler.")                                                               \
    ENUM(lanes, SBI_LANES,                                                                     \
         "How the threads of a warp are laid out on the lanes, by the number of the warp.")    \
    BOOL(cascade, true, "Whether what leads a packet is chosen a cycle before what is issued beside it.")
#define SBI_SWI_PARAMS(INT, BOOL, ENUM) SBI_PARAMS(INT, BOOL, ENUM) SWI_PARAMS(INT, BOOL, ENUM)

#define SBI_COUNTERS_OF_ALL(SUM, MAX)                                                    \
    SUM(lanes_added, "threads", "Threads that were issued beside the split that leads.") \
    SUM(merges, "events", "Groups of threads that met others at one PC and depth.")      \
    MAX(contexts_max, "splits", "Most splits of a warp: hot, and in the cold table.")
#define SBI_COUNTERS(SUM, MAX)                                         \
    SBI_COUNTERS_OF_ALL(SUM, MAX)                                      \
    SUM(pairs_branch, "packets", "Packets of two splits of one warp.") \
    SUM(blocked_by_sync, "packets", "Packets whose warp had a second split that waited at a SYNC mark.")
#define SWI_COUNTERS(SUM, MAX)                                    \
    SBI_COUNTERS_OF_ALL(SUM, MAX)                                 \
    SUM(pairs_warp, "packets", "Packets of splits of two warps.") \
    SUM(searches, "packets", "Packets with free lanes for which another warp was looked for.")
#define SBI_SWI_COUNTERS(SUM, MAX)                                \
    SBI_COUNTERS(SUM, MAX)                                        \
    SUM(pairs_warp, "packets", "Packets of splits of two warps.") \
    SUM(searches, "packets", "Packets with free lanes for which another warp was looked for.")

MECH_PARAMS(sbi, SBI_PARAMS)
MECH_PARAMS(swi, SWI_PARAMS)
MECH_PARAMS(sbi_swi, SBI_SWI_PARAMS)
MECH_COUNTS(sbi, SBI_COUNTERS) /* what all have comes first in each */
MECH_COUNTS(swi, SWI_COUNTERS)
MECH_COUNTS(sbi_swi, SBI_SWI_COUNTERS)

/* ---- tables ---- */

enum { SBI_HOT = 2, SBI_WORDS = MECH_WIDEST / 64 };
enum { SBI_HOME, SBI_SLOT, SBI_CHOSEN }; /* split.own: home warp, its place in `hot`, whether it is latched */

struct sbi_lane_set {
    uint64_t w[SBI_WORDS];
};

/* A home warp. Its threads are in the hot splits, which have no key below that of any other thread that could run unless
 * they are busy; stand in the cold table (sorted.h); or are blocked. */
struct sbi_home {
    struct mech_split *hot[SBI_HOT];    /* NULL: none */
    struct sbi_lane_set lanes[SBI_HOT]; /* on which they are; with `others` only */
    uint64_t key[SBI_HOT];
    struct sorted_home cold;
    uint64_t age;           /* of all its splits */
    uint32_t sched, member; /* its place in the scheduler's list */
    uint32_t shuffle;
    uint8_t first;           /* of `hot`, the one with the lower key */
    bool held;               /* the other waits at a SYNC mark */
    uint32_t passive, waits; /* threads of the other: that could run, that wait at a SYNC mark */
};

/* State of one scheduler. */
struct sbi_sched {
    struct mech_split *chosen; /* cascade: leads the next packet; NULL: none */
    uint64_t since;            /* the cycle in which it was chosen */
    uint32_t n, *home;         /* the home warps that are there, in order */
};

struct sbi {
    bool branches, others; /* two hot splits of a warp; packets of two warps */
    bool constraint, alone, cascade;
    uint32_t ways, lanes; /* enum sbi_lanes */
    uint32_t words;       /* of an sbi_lane_set in use */
    uint32_t half;        /* warps of a scheduler, halved */
    struct sorted sorted;
    struct sbi_home *home;
    struct sbi_sched *sched;
    uint32_t passive, waits;                                          /* over all homes */
    uint64_t *pairs_branch, *blocked_by_sync, *pairs_warp, *searches; /* counters, where it has them */
};

static inline struct sbi_home *sbi_home_of(const struct mech *m, const struct mech_split *s) {
    const struct sbi *f = m->self;
    return &f->home[s->own[SBI_HOME]];
}
/* True if the split is under way, or about to be: its threads do not change. */
static inline bool sbi_busy(const struct mech_split *s) {
    return s->in_flight || s->own[SBI_CHOSEN];
}
/* The hot split with the lowest key of its warp; NULL: no thread can run. */
static inline struct mech_split *sbi_first(const struct sbi_home *h) {
    return h->hot[h->first];
}
static inline struct mech_split *sbi_second(const struct sbi_home *h) {
    return h->hot[!h->first];
}

/* ---- splits.c ---- */
void sbi_start(struct mech *m, struct mech_split *s, uint32_t home);
void sbi_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o);
void sbi_release(struct mech *m, const struct mech_set *set, uint32_t pc);
/* A split that was to lead cannot: while it was latched, others of its warp may have come to its PC, or behind it. */
void sbi_unchoose(struct mech *m, struct mech_split *s);
uint32_t sbi_shuffle(const struct mech *m, uint32_t home);
/* The lanes on which these threads of a home warp are. */
void sbi_lanes_of(const struct mech *m, const struct sbi_home *h, const struct mech_set *set,
                  struct sbi_lane_set *out);
/* What the second split's threads are to the census: on a path that waits its turn, or at a SYNC mark. */
void sbi_note_second(struct mech *m, struct sbi_home *h, uint32_t passive, uint32_t waits);
/* Whether a split with this key waits at a SYNC mark for one with the other, lower, key. */
bool sbi_held(const struct mech *m, uint64_t key, uint64_t lower);

/* ---- show.c ---- */
void sbi_census(const struct mech *m, struct mech_census *c);
void sbi_places(const struct mech *m, mech_place_fn *put, void *user);
void sbi_state(const struct mech *m, struct sb *out);
void sbi_storage(const struct mech *m, struct mech_storage *out);
void sbi_audit(const struct mech *m);

#endif
