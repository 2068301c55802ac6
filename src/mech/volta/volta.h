/* Convergence barriers: the splits of a warp and the barriers they have set (volta.c says what holds). */
#ifndef HEDDLE_MECH_VOLTA_VOLTA_H
#define HEDDLE_MECH_VOLTA_VOLTA_H

#include "mech/lib/declare.h"
#include "mech/lib/mask.h"
#include "mech/lib/split.h"
#include "mech/lib/stack.h"

enum { VOLTA_REGISTERS = 16 };

#define VOLTA_PLACE(CHOICE) CHOICE(ipdom, VOLTA_IPDOM) CHOICE(merge, VOLTA_MERGE)
enum volta_place { VOLTA_PLACE(OPTION_ENUMERATOR) };
#define VOLTA_INTERLEAVE(CHOICE) \
    CHOICE(off, VOLTA_OFF)       \
    CHOICE(stall, VOLTA_STALL) CHOICE(any, VOLTA_ANY)
enum volta_interleave { VOLTA_INTERLEAVE(OPTION_ENUMERATOR) };
#define VOLTA_MEET(CHOICE) CHOICE(barrier, VOLTA_AT_BARRIER) CHOICE(pc, VOLTA_AT_PC)
enum volta_meet { VOLTA_MEET(OPTION_ENUMERATOR) };

#define VOLTA_PARAMS(INT, BOOL, ENUM)                                                                        \
    ENUM(place, VOLTA_PLACE,                                                                                 \
         "Where the program has barriers: at immediate post-dominators, or at the ends of ifs and loops as " \
         "compilers place them.")                                                                            \
    ENUM(interleave, VOLTA_INTERLEAVE,                                                                       \
         "When another path of a warp runs: once the one that runs waits, ends or yields (hardware), also "  \
         "when it waits for memory (subwarp interleaving), or whenever it could.")                           \
    ENUM(merge, VOLTA_MEET, "Where paths become one: at barriers only, or wherever they have the same PC.")  \
    ENUM(first, STACK_SIDE, "Which side of a branch runs first.")                                            \
    INT(fair, 1024, 0, INT32_MAX,                                                                            \
        "Issues of its warp after which a path that could run gets its turn. 0: never.")                     \
    INT(patience, 10000, 0, INT32_MAX,                                                                       \
        "Cycles after which threads that wait at a barrier go on if all others of it stand at a block "      \
        "barrier or .sync instruction, perhaps for them. 0: never.")                                         \
    BOOL(yield, true, "Whether YIELD does anything; if not, threads that wait for a lock hold up its owner.")
MECH_PARAMS(volta, VOLTA_PARAMS)

#define VOLTA_COUNTERS(SUM, MAX)                                                                           \
    SUM(bssy, "times", "Barriers set.")                                                                    \
    SUM(bsync_waits, "times", "Paths that waited at a barrier.")                                           \
    SUM(breaks, "times", "Paths that left a barrier by BREAK.")                                            \
    SUM(yields, "times", "Paths that yielded.")                                                            \
    SUM(released_without_yielded, "times", "Barriers that let threads go while others of it had yielded.") \
    SUM(let_go, "times", "Barriers that let threads go after waiting too long.")                           \
    SUM(forced_switches, "times", "Paths that had to make room for one that could run for long.")          \
    SUM(stall_switches, "times", "Paths that made room for another while they waited for memory.")         \
    SUM(met_at_pc, "times", "Paths that became one because they had the same PC.")                         \
    SUM(bmov, "times", "Barrier registers that functions saved or put back.")                              \
    MAX(splits, "splits", "Most paths of a warp.")                                                         \
    MAX(barriers, "barriers", "Most barriers that the paths of a warp had set.")
MECH_COUNTS(volta, VOLTA_COUNTERS)

enum { VOLTA_HOME, VOLTA_DEPTH, VOLTA_STATUS, VOLTA_STAMP, VOLTA_BARRIER }; /* split.own */
enum volta_status {
    VOLTA_RUNS,    /* in the order, or in flight */
    VOLTA_READY,   /* could run, but another of its warp does */
    VOLTA_STALLED, /* made room for another: waits for memory, in no order, perhaps in flight */
    VOLTA_BLOCKED, /* at a BSYNC: own[VOLTA_BARRIER] has it */
    VOLTA_WAITS    /* at a block barrier or a .sync instruction */
};

/* One that some path has set. */
struct volta_barrier {
    bool used;
    uint32_t reg, depth; /* depth: of the call that set it */
    uint32_t join;       /* PC of its BSYNC */
    uint32_t blocked;    /* the split of its threads that have come there, or SPLIT_NONE */
    uint32_t paths;      /* that these came in */
    uint32_t branch;     /* that first parted its threads, IR_NOPC: none has */
    uint64_t alarm;      /* blocked threads wait until then; MECH_NEVER: none is blocked */
    struct mask members;
    struct mask yielded; /* of the members, since some were blocked */
};

struct volta_home {
    uint32_t first;                /* architectural slot */
    uint32_t splits;               /* of this warp */
    uint32_t current;              /* the split that runs, or SPLIT_NONE; with `any` always so */
    bool fresh;                    /* it could issue when it became so, and has not yet */
    bool pending;                  /* it has issued what may take long: volta.pending has the warp */
    uint64_t issued;               /* cycle of that */
    uint64_t issues, due;          /* issues of the warp; when a split that is ready has waited too long */
    uint32_t n, cap;               /* barriers: room used, and there */
    struct volta_barrier *barrier; /* keep their numbers */
    uint32_t nlist;
    uint32_t *list; /* splits that are READY, the next to run first, or STALLED; with `any` those that RUN */
};

struct volta {
    uint32_t homes;
    struct volta_home *home;
    enum volta_interleave interleave;
    bool at_pc;
    uint32_t standing, blocked; /* threads that are READY or STALLED; BLOCKED */
    uint32_t npending, *pending;
    uint64_t look; /* cycle from which the pending ones are looked at */
    uint64_t ring; /* no barrier's alarm is earlier */
};

static inline struct volta_home *volta_home_of(const struct mech *m, const struct mech_split *s) {
    const struct volta *v = (const struct volta *)m->self;
    return &v->home[s->own[VOLTA_HOME]];
}

/* ---- paths.c: which path of a warp runs ---- */
/* Gives s that status. It is in no order, unless it runs. */
void volta_set_status(struct mech *m, struct mech_split *s, enum volta_status now);
/* s, which is in no order, could run: after all others that could, or before them. */
void volta_ready(struct mech *m, struct mech_split *s, bool last);
/* s, which runs and has been committed, goes on. */
void volta_go_on(struct mech *m, struct mech_split *s);
/* Lets the next path that could run do so if none of the warp runs. */
void volta_settle(struct mech *m, struct volta_home *h);
/* Moves the threads of `from` into `into`; both are of one warp, PC and depth. */
void volta_join(struct mech *m, struct mech_split *into, struct mech_split *from);
bool volta_select(struct mech *m, uint32_t sched, struct mech_packet *p);
void volta_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask);
uint64_t volta_next(const struct mech *m, uint32_t sched);

/* ---- barriers.c ---- */
void volta_bssy(struct mech *m, const struct mech_split *s, uint32_t reg, uint32_t join);
/* The members of barrier reg among the threads of s, which has just executed the BSYNC at pc, wait or go on with the others. Who
 * is left of s: NULL, or s, which is no member. */
struct mech_split *volta_bsync(struct mech *m, struct mech_split *s, uint32_t reg, uint32_t pc);
void volta_break(struct mech *m, const struct mech_split *s, uint32_t reg, const struct mech_set *set);
void volta_yield(struct mech *m, const struct mech_split *s, const struct mech_set *set);
/* Called when these threads have left calls deeper than `depth`, and with them their barriers; depth -1: they ended. */
void volta_leave(struct mech *m, struct volta_home *h, const struct mech_set *set, int32_t depth);
/* The clock: some have waited for long. */
void volta_ring(struct mech *m);
/* The function `clocked` of struct mech_ops. */
bool volta_clocked(const struct mech *m, uint32_t warp, uint32_t lane);
/* A branch has parted these threads. */
void volta_note(const struct volta_home *h, const struct mech_set *set, uint32_t branch);
/* Barriers that were set by the same BSSY, or by others for the same end, are one where threads of both run together. */
void volta_unify(struct mech *m, struct volta_home *h, const struct mech_set *set);

/* ---- show.c: as in struct mech_ops ---- */
void volta_census(const struct mech *m, struct mech_census *c);
void volta_state(const struct mech *m, struct sb *out);
void volta_storage(const struct mech *m, struct mech_storage *out);
void volta_audit(const struct mech *m);

#endif
