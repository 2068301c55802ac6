/* Thread block compaction and CAPRI: the threads of a block that one scheduler has share a reconvergence stack. tbc.c says
 * what the two mechanisms are, block.c how the stack works, compact.c how warps are made.
 *
 * The stack is kept as what it consists of. A *side* is an entry whose threads run: warps of them, each at its own pace.
 * A *join* is an entry that waits: the sides above it go to its PC, and its threads are those of the side below it that
 * left it by the branch. Sides of one join follow each other, the one that runs first on top. Under TBC a side has either
 * warps or a join above it; under CAPRI it may have both, because warps leave it one at a time. */
#ifndef HEDDLE_MECH_TBC_TBC_H
#define HEDDLE_MECH_TBC_TBC_H

#include "base/heap.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "mech/lib/stack.h"

/* Parameters and counters of TBC and CAPRI, in front of CAPRI's own. */
#define TBC_PARAMS(INT, BOOL, ENUM)                                                                       \
    ENUM(side, STACK_SIDE,                                                                                \
         "Which side of a divergent branch runs first: the taken one, the fall-through, or the one with " \
         "most threads.")                                                                                 \
    BOOL(likely, true,                                                                                    \
         "Whether threads also meet at likely-convergence points, before the reconvergence point.")       \
    INT(compact_cycles, 1, 0, 1000, "Cycles from one compacted warp to the next; the first is there at once.")
#define TBC_COUNTERS(SUM, MAX)                                                                               \
    SUM(branch_waits, "warps", "Warps that waited at a branch for others of their entry.")                   \
    SUM(uniform_waits, "warps", "Of these, those that waited for nothing: no thread of the entry diverged.") \
    SUM(compactions, "times", "Entries whose threads were compacted into warps.")                            \
    SUM(warps_before, "warps", "Warps that brought threads to these entries.")                               \
    SUM(warps_after, "warps", "Warps these threads were compacted into.")                                    \
    SUM(lcp_merges, "warps", "Warps that came to a likely-convergence point and left their entry there.")
MECH_PARAMS(tbc, TBC_PARAMS)
MECH_COUNTS(tbc, TBC_COUNTERS)

struct tbc_side {
    struct tbc_join *join;
    struct tbc_side *below;        /* the next of its join; of a free one: the next free */
    uint32_t pc, rpc, lpc;         /* where it starts, its join's, its likely-convergence point or IR_NOPC */
    int32_t depth, rdepth, ldepth; /* call depths of these */
    struct tbc_side *likely;       /* LPos: the side that collects who comes to lpc */
    struct tbc_gather *gather;     /* branches at which warps of it are counted in */
    struct tbc_gather *fed;        /* the open one that may bring more threads; NULL: these are all */
    uint32_t warps, blocked;       /* WCnt: warps that run, and how many of them wait at a barrier */
    uint32_t brought;              /* warps its threads came in */
    uint32_t threads;              /* of mask */
    uint32_t joins;                /* directly above it */
    uint32_t first;                /* of its warps, SPLIT_NONE: none */
    bool live;                     /* its threads run; if not, they wait for their turn */
    bool collects;                 /* it is the `likely` of another side */
    uint32_t mask[]; /* its threads: of warps, counted in at a branch, or waiting for their turn */
};

struct tbc_join {
    struct tbc_side *side; /* below it, in which its threads go on; NULL: the bottom */
    struct tbc_side *top;  /* of the sides above it */
    uint32_t pc, rpc;      /* pc IR_NOPC: where a function returns to, known when the first thread returns */
    int32_t rdepth;
    uint32_t backs;
    uint32_t arrived, brought; /* threads that are there, warps they came in */
    struct tbc_join *next;     /* of free ones */
    uint32_t mask[];           /* threads that will go on; none for the bottom */
};

/* Warps at a branch, and where their threads go. */
struct tbc_arm {
    uint32_t pc;
    int32_t depth;
    uint32_t warps, threads;
    struct tbc_side *side; /* open: its entry; NULL: it is at the join */
    uint32_t *mask;
};
struct tbc_gather {
    struct tbc_gather *next;
    uint32_t pc, rpc, backs;
    int32_t depth;
    bool open;             /* CAPRI: the entries are there already, and warps join them one by one */
    struct tbc_join *join; /* open */
    struct tbc_side *live; /* open: the entry of it that runs */
    uint32_t lpc;          /* open: of its entries, with the side that collects there */
    int32_t ldepth;
    struct tbc_side *likely;
    uint32_t warps, threads;
    uint32_t parked, last; /* of these warps, those that did not diverge: first and last split */
    uint32_t narms, cap;
    struct tbc_arm *arm;
};

/* A split's, by its id. */
struct tbc_warp {
    struct tbc_block *block;
    struct tbc_side *side; /* NULL: counted in at a branch, or without threads */
    uint32_t next, prev;   /* of its side, or parked */
    int32_t depth;
    uint32_t backs; /* jumps back since its side began */
    uint32_t waits; /* threads at a barrier */
    uint32_t slot;
    bool delayed; /* in tbc.later */
};

struct tbc_block {
    uint32_t first, words, sched; /* architectural warps of the block */
    uint32_t all[STACK_WORDS];    /* threads it was launched with */
    uint32_t nslots, cap_slots;
    uint32_t *slot; /* splits: a warp has one while it has threads, the lowest that is free */
    bool *busy;     /* by slot */
    uint32_t njoins, cap_joins;
    struct tbc_join **join; /* oldest first; join[0] is the bottom */
};

/* Where the threads of a warp go, told apart by PC and call depth. */
struct tbc_way {
    uint32_t pc;
    int32_t depth;
    const struct mech_set *set;
};

/* About the kernel. */
struct tbc_tables {
    const uint8_t *varies;  /* by PC: threads of a block may diverge */
    const uint32_t *likely; /* by PC: likely-convergence point */
};

struct tbc {
    const struct tbc_tables *code;
    uint32_t row;            /* words of a mask */
    struct tbc_block *block; /* by first architectural warp and scheduler */
    struct tbc_warp *w;      /* by split */
    uint32_t *pos;
    struct heap *later; /* by scheduler: compacted warps whose cycle is to come */
    struct tbc_way *way;
    struct mech_set *way_set;
    uint32_t inactive,
        joining; /* threads: of sides whose turn is to come; at a join, a branch or a likely point */
    struct tbc_side *free_sides;
    struct tbc_join *free_joins;
    struct tbc_gather *free_gathers;
    /* CAPRI; left out: TBC. What is predicted of the branch at pc; all have passed it; warps that passed without waiting. */
    bool (*is_adequate)(struct mech *m, uint32_t pc);
    void (*learn)(struct mech *m, const struct tbc_block *b, const struct tbc_gather *g);
    uint64_t *bypassed;
    bool free_uniform; /* warps that do not diverge do not wait */
    bool by_place;     /* so some may have passed a branch that others wait at: it is told by place who has */
};

/* ---- block.c ---- */
bool tbc_create(struct mech *m, struct err *e);
const void *tbc_prepare(const struct mech_program *p, struct arena *mem, struct err *e);
void tbc_launch(struct mech *m, const struct mech_block *b);
void tbc_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o);
void tbc_release(struct mech *m, const struct mech_set *set, uint32_t pc);
/* A warp goes on at pc, all of it, unless that is where its side ends. */
void tbc_go(struct mech *m, struct tbc_block *b, struct mech_split *s, uint32_t pc, int32_t depth);

/* ---- entries.c ---- */
/* The newest of the block. */
struct tbc_join *tbc_join_new(struct mech *m, struct tbc_block *b);
void tbc_join_free(struct tbc *t, struct tbc_block *b, struct tbc_join *j);
/* Without threads, not live, in no list. */
struct tbc_side *tbc_side_new(struct mech *m, struct tbc_join *j, uint32_t pc, int32_t depth);
void tbc_side_free(struct tbc *t, struct tbc_side *n);
/* At the branch that warp w of side n has committed; in the side's list. */
struct tbc_gather *tbc_gather_new(struct mech *m, struct tbc_side *n, const struct mech_outcome *o,
                                  const struct tbc_warp *w);
/* Out of the side's list, to be freed. */
void tbc_gather_take(struct tbc_side *n, struct tbc_gather *g);
void tbc_gather_free(struct tbc *t, struct tbc_gather *g);
/* The arm of the branch that leads there, perhaps a new one. Pointers to other arms may become invalid. */
struct tbc_arm *tbc_arm_of(struct mech *m, struct tbc_gather *g, uint32_t pc, int32_t depth);

/* ---- branch.c ---- */
/* Threads of side n go on at pc: the side they run in, which is n unless they returned to another place than those they
 * were with. NULL: they are at the side's end, or at its likely-convergence point, and wait. */
struct tbc_side *tbc_place(struct mech *m, struct tbc_side *n, const uint32_t *mask, uint32_t threads,
                           uint32_t pc, int32_t depth);
void tbc_branch(struct mech *m, struct tbc_block *b, struct mech_split *s, const struct mech_outcome *o,
                uint32_t ways);
/* Whatever can happen now that something has: entries pop, sides begin, branches are passed. */
void tbc_turn(struct mech *m, struct tbc_block *b);
/* Has warp s, which was at PC `before` after `backs` jumps back, passed a branch that others of its side wait at? */
bool tbc_passed(const struct mech *m, const struct mech_split *s, uint32_t before, uint32_t backs);

/* ---- compact.c ---- */
void tbc_compact(struct mech *m, struct tbc_block *b, struct tbc_side *n, const uint32_t *mask,
                 uint32_t brought, uint32_t pc, int32_t depth, uint32_t backs);
/* How many warps these threads fit into, lane by lane. */
uint32_t tbc_compacted(const struct mech *m, const struct tbc_block *b, const uint32_t *mask);
struct mech_split *tbc_warp_new(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                                const struct mech_set *set, uint32_t pc, int32_t depth, uint32_t backs);
/* s, in no order or in flight, is no warp of its side any more. */
void tbc_warp_leave(struct mech *m, struct mech_split *s);
/* And has no threads: its slot is free. */
void tbc_warp_retire(struct mech *m, struct tbc_block *b, struct mech_split *s);
void tbc_warp_enter(struct mech *m, struct mech_split *s, struct tbc_side *n);
bool tbc_select(struct mech *m, uint32_t sched, struct mech_packet *p);
uint64_t tbc_next(const struct mech *m, uint32_t sched);
bool tbc_clocked(const struct mech *m, uint32_t warp, uint32_t lane);
/* Splits of a block whose threads have all exited are gone. */
void tbc_block_end(struct mech *m, struct tbc_block *b);

/* ---- show.c ---- */
void tbc_census(const struct mech *m, struct mech_census *c);
void tbc_places(const struct mech *m, mech_place_fn *put, void *user);
void tbc_state(const struct mech *m, struct sb *out);
void tbc_storage(const struct mech *m, struct mech_storage *out);
void tbc_audit(const struct mech *m);

/* ---- masks: words of a block ---- */
static inline void tbc_put(uint32_t *mask, uint32_t first, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) mask[set->p[k].warp - first] |= set->p[k].mask;
}
static inline void tbc_take(uint32_t *mask, uint32_t first, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) mask[set->p[k].warp - first] &= ~set->p[k].mask;
}
static inline void tbc_or(uint32_t *to, const uint32_t *from, uint32_t words) {
    for (uint32_t k = 0; k < words; k++) to[k] |= from[k];
}
static inline void tbc_without(uint32_t *to, const uint32_t *gone, uint32_t words) {
    for (uint32_t k = 0; k < words; k++) to[k] &= ~gone[k];
}

#endif
