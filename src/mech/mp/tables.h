/* The two tables of multi-path execution (mp.c), splits (ST) and reconvergence (RT), of every home warp of an SM.
 *
 * An ST row is a split of the pool. Its RPC, like that of an RT entry, is kept as the number of the RT entry it leads to, so
 * that the entries form a forest with the splits as leaves. Invariant, checked by mp_audit: an entry's pending mask is the
 * disjoint union of the masks of the splits and entries that lead to it, and is never empty between calls; what its mask
 * has beyond that has arrived. */
#ifndef HEDDLE_MECH_MP_TABLES_H
#define HEDDLE_MECH_MP_TABLES_H

#include "mech/lib/declare.h"
#include "mech/lib/mask.h"

#define MP_BASIC_PARAMS(INT, BOOL, ENUM)                                                                   \
    INT(max_splits, 0, 0, MECH_WIDEST,                                                                     \
        "Rows of a warp's splits table; further splits wait in memory for their turn. 0: as many as "      \
        "needed.")                                                                                         \
    INT(max_rt, 0, 0, MECH_WIDEST,                                                                         \
        "Rows of a warp's reconvergence table; further entries are kept in memory. 0: as many as needed.") \
    INT(patience, 10000, 0, INT32_MAX,                                                                     \
        "Cycles after which threads that wait for others at a reconvergence point go on without them if "  \
        "those poll or stand at a barrier, perhaps for them. 0: never.")                                   \
    INT(spill_cycles, 100, 0, INT32_MAX, "Cycles until a row that was written to memory is back.")
#define MP_PARAMS(INT, BOOL, ENUM)   \
    MP_BASIC_PARAMS(INT, BOOL, ENUM) \
    BOOL(opportunistic, true,        \
         "Splits that meet in a basic block before their reconvergence point go on together.")
MECH_PARAMS(mp, MP_PARAMS) /* of mp-basic without the last */

#define MP_COUNTERS(SUM, MAX)                                                                  \
    SUM(rejoined_ipdom, "times", "Reconvergences at immediate post-dominators.")               \
    SUM(rejoined_early, "times", "Opportunistic reconvergences before them.")                  \
    SUM(let_go, "times", "Threads went on from a reconvergence point after waiting too long.") \
    SUM(rt_sum, "entries", "Reconvergence entries in use, summed over issues.")                \
    SUM(rt_samples, "issues", "Issues at which rt_sum was sampled.")                           \
    MAX(rt_max, "entries", "Largest reconvergence table of a warp.")                           \
    MAX(st_max, "splits", "Most splits of a warp.")                                            \
    SUM(st_spills, "times", "Splits written to memory because the splits table was full.")     \
    SUM(rt_spills, "times", "Entries written to memory because the reconvergence table was full.")
MECH_COUNTS(mp, MP_COUNTERS)

#define MP_NONE 0xffffffffu
enum { MP_HOME, MP_TO, MP_DEPTH, MP_STATUS }; /* split.own; TO: the RT entry it leads to, or MP_NONE */
enum mp_status {
    MP_NEW,   /* being sorted out */
    MP_ROW,   /* in the ST: schedulable or in flight */
    MP_WAITS, /* at a barrier */
    MP_AWAY   /* in memory: no room in the ST, or just read back */
};

struct mp_entry { /* of the RT */
    uint32_t pc;
    int32_t depth; /* of pc */
    uint32_t to;   /* RPC: the entry its threads lead to afterwards, or MP_NONE */
    struct mask mask, pending;
    uint32_t level;  /* call depth of the branch whose threads meet here */
    uint32_t branch; /* IR_NOPC: an early meeting */
    uint64_t age;
    uint64_t first; /* cycle at which the first of those that have arrived did */
    uint64_t alarm; /* threads that have arrived wait until then; MECH_NEVER: none has */
    bool used, open, spilled;
};

struct mp_home {
    uint32_t first; /* architectural slot of its first thread */
    uint32_t sched, n, cap, used;
    struct mp_entry *rt; /* entries keep their number */
    uint32_t splits, rows, away;
    uint32_t *split; /* ids of its splits; room for W */
};

struct mp {
    uint32_t homes;
    struct mp_home *home;
    uint64_t *due;                   /* per split that is MP_AWAY: cycle at which it is back */
    uint64_t alarm;                  /* nothing of due and entry.alarm is earlier */
    bool early;                      /* mp.opportunistic */
    uint32_t entries, arrived, away; /* RT entries; threads in them; threads of splits that are MP_AWAY */
};

struct mp_home *mp_home_of(const struct mech *m, const struct mech_split *s);

/* ---- splits ---- */
/* s, MP_NEW, is of that home and leads nowhere. */
void mp_split_enlist(struct mech *m, struct mech_split *s, uint32_t home);
/* A new one of these threads, MP_NEW, leading nowhere; the caller gives it PC, depth and where it leads. */
struct mech_split *mp_split_add(struct mech *m, uint32_t home, const struct mech_set *set);
/* t has been taken out of s: it is of the same home, and as old. */
void mp_split_join(struct mech *m, struct mech_split *t, const struct mech_split *s);
struct mech_split *mp_split_divide(struct mech *m, struct mech_split *s, const struct mech_set *part);
void mp_split_drop(struct mech *m, struct mech_split *s);
void mp_set_status(struct mech *m, struct mech_split *s, enum mp_status now);
/* Makes s able to run. Without a free row it goes to memory; with a row, it makes room for one that is due. */
void mp_schedule(struct mech *m, struct mech_split *s);
/* Gives free rows to splits that are back from memory. */
void mp_come_back(struct mech *m, struct mp_home *h);

/* ---- entries ---- */
/* A new entry for which all of its mask is pending; its number. */
uint32_t mp_entry_add(struct mech *m, struct mp_home *h, struct mp_entry e);
bool mp_entry_early(const struct mp_home *h, uint32_t i);
/* s is where it was to meet others: it leaves the ST. The split that the entry became, MP_NEW or MP_AWAY, or NULL. */
struct mech_split *mp_arrive(struct mech *m, struct mech_split *s);
/* Repeats mp_arrive as long as s is at such a place. Returns s, or what it has become, once it is not; NULL: nothing is
 * left to run. */
struct mech_split *mp_settle(struct mech *m, struct mech_split *s);
/* Threads that are pending in entry i are no longer, nor part of it; without threads it
 * disappears. As mp_arrive. */
struct mech_split *mp_forgo(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *set);
/* True if the threads pending in entry i may be waiting for those that have arrived: one of them polls or stands at a
 * barrier. The opposite can never be certain, so after a very long time they are taken to wait. */
bool mp_in_vain(const struct mech *m, const struct mp_home *h, uint32_t i);
/* The function `clocked` of struct mech_ops. */
bool mp_clocked(const struct mech *m, uint32_t warp, uint32_t lane);
/* Makes the threads that have arrived at entry i leave it without the others, as a split of their own. */
struct mech_split *mp_let_go(struct mech *m, uint32_t home, uint32_t i);

/* ---- as in struct mech_ops ---- */
void mp_census(const struct mech *m, struct mech_census *c);
void mp_places(const struct mech *m, mech_place_fn *put, void *user);
void mp_state(const struct mech *m, struct sb *out);
void mp_storage(const struct mech *m, struct mech_storage *out);
void mp_audit(const struct mech *m);

#endif
