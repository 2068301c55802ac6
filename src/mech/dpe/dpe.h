/* Dual-path execution (dpe.c): the stack of a home warp, whose entries have two paths each.
 *
 * Invariants, checked by dpe_audit: a path's threads are a split's, or those that will run on at a join; the entries that
 * lead to a join are above it, and their paths' threads are disjoint and the join's; what the join has beyond these has
 * arrived. Only paths of the top entry are in the order. The top entry has a path. */
#ifndef HEDDLE_MECH_DPE_DPE_H
#define HEDDLE_MECH_DPE_DPE_H

#include "mech/lib/declare.h"
#include "mech/lib/mask.h"
#include "mech/lib/split.h"

#define DPE_PARAMS(INT, BOOL, ENUM)                                                              \
    INT(entries, 0, 0, MECH_WIDEST,                                                              \
        "Entries of a warp's stack; those below them are kept in memory. 0: as many as needed.") \
    INT(spill_cycles, 100, 0, INT32_MAX,                                                         \
        "Cycles until an entry that was written to memory and is the top of the stack again is back.")
MECH_PARAMS(dpe, DPE_PARAMS)

#define DPE_COUNTERS(SUM, MAX)                                                                              \
    SUM(pushes, "entries", "Entries pushed.")                                                               \
    SUM(both_ready, "issues", "Issues of a path at which the other path of its entry was ready as well.")   \
    SUM(held, "thread-cycles", "Cycles of threads that could run on a path that was not in the top entry.") \
    SUM(spills, "entries", "Entries written to memory because the stack was full.")
MECH_COUNTS(dpe, DPE_COUNTERS)

#define DPE_NONE 0xffffffffu
/* split.own. PATH: twice the entry, plus 1 on the right. JOIN: the PC of its RPC; IR_NOPC where only a return leads
 * there. */
enum { DPE_HOME, DPE_PATH, DPE_DEPTH, DPE_JOIN, DPE_STATUS };
enum dpe_status {
    DPE_RUNS, /* in the order or in flight */
    DPE_HELD, /* not in the top entry, or the other path leaves */
    DPE_WAITS /* at a barrier */
};
enum dpe_kind { DPE_GONE, DPE_SPLIT, DPE_JOINS };

struct dpe_path {
    enum dpe_kind kind;
    uint32_t split;   /* SPLIT: its id */
    struct mask mask; /* SPLIT: its threads at a barrier. JOINS: all that will run on */
    uint32_t pc;      /* JOINS: where; IR_NOPC: not known yet */
    int32_t depth;
    uint32_t entries; /* JOINS: that lead to it, never 0 */
};

struct dpe_entry {
    uint32_t rpc;
    int32_t rdepth; /* its call depth; -1: the end of the thread, never reached */
    uint32_t to;    /* the join that it leads to, as own[PATH]; DPE_NONE: none, it is never complete */
    bool leaves; /* the left path leads to an early exit: the right one is held until it is gone, or waits */
    struct dpe_path path[2];
};

struct dpe_home {
    uint32_t first; /* architectural slot of its first thread */
    uint32_t sched, n, cap;
    uint32_t spilled;  /* entries from the bottom that are in memory */
    uint64_t age, due; /* cycle at which the top is back from memory */
    struct dpe_entry *e;
};

struct dpe {
    uint32_t homes;
    struct dpe_home *home;
    uint64_t alarm;         /* no home's due is earlier */
    uint32_t held, joining; /* threads */
    uint64_t counted;       /* until when dpe.held is */
};

static inline struct dpe_home *dpe_home_of(const struct mech *m, const struct mech_split *s) {
    const struct dpe *d = m->self;
    return &d->home[s->own[DPE_HOME]];
}

static inline struct dpe_path *dpe_path(const struct dpe_home *h, uint32_t path) {
    return &h->e[path / 2].path[path % 2];
}

static inline bool dpe_on_top(const struct dpe_home *h, uint32_t path) {
    return path / 2 + 1 == h->n;
}

/* The path is in the top entry, and the other one is not such that it has to be gone first. */
static inline bool dpe_may_run(const struct mech *m, const struct dpe_home *h, uint32_t path) {
    const struct dpe_entry *e = &h->e[path / 2];
    if (!dpe_on_top(h, path)) return false;
    if (!e->leaves || path % 2 == 0 || e->path[0].kind == DPE_GONE) return true;
    return e->path[0].kind == DPE_SPLIT && split_at(m->pool, e->path[0].split)->own[DPE_STATUS] == DPE_WAITS;
}

static inline bool dpe_at_rpc(const struct dpe_entry *e, const struct mech_split *s) {
    return (int32_t)s->own[DPE_DEPTH] == e->rdepth && (e->rpc == IR_NOPC || e->rpc == s->pc);
}

/* ---- as in struct mech_ops ---- */
void dpe_census(const struct mech *m, struct mech_census *c);
void dpe_places(const struct mech *m, mech_place_fn *put, void *user);
void dpe_state(const struct mech *m, struct sb *out);
void dpe_storage(const struct mech *m, struct mech_storage *out);
void dpe_audit(const struct mech *m);

#endif
