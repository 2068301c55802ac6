/* A timed launch under way: what gpu*.c, watchdog.c, deadlock.c, verdict.c and where.c share. */
#ifndef HEDDLE_SIM_GPU_RUN_H
#define HEDDLE_SIM_GPU_RUN_H

#include "exec/deferred/deferred.h"
#include "exec/livelock/joint.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/wake.h"
#include "sim/gpu/window.h"

struct gpu {
    const struct options *options;
    struct mem *mem;
    struct sm_common *
        *common;       /* of each thread of the host: what the SMs that it runs share; NULL: not made yet */
    uint32_t nworkers; /* threads it is made for */
    uint64_t now;      /* core cycle; goes on from launch to launch */
    bool failed;       /* the last launch: its requests and lines are still in mem */
};

struct gpu_watchdog { /* watchdog.c */
    struct exec_looper *looper;
    struct exec_joint *joint;
    uint64_t window;  /* shortest time between two looks, cycles; 0: not known yet */
    uint64_t opened;  /* cycle of the last look */
    uint64_t since;   /* cycle of the last look that found progress */
    uint32_t rounds;  /* looks since that found none */
    uint64_t exited;  /* threads, at the last look */
    uint64_t look_at; /* thread instructions before the next look */
    uint64_t follow;  /* how far a thread is followed, instructions */
};

/* An SM in the loop (gpu_loop.c). */
struct gpu_at {
    _Alignas(64) uint64_t next; /* cycle in which it has something to do by itself */
    uint64_t stopped;           /* in this window, after that cycle; SM_NEVER: it has not */
    uint64_t ticked, answered;  /* the last cycle in which it was, and in which memory told it something */
    uint64_t counted;           /* of grid.insts, in the launch's */
    uint64_t faulted;           /* cycle; see fault */
    uint32_t resident;          /* blocks */
    uint32_t ended;             /* blocks, in this window */
    bool busy;                  /* has blocks, or what they have left under way */
    bool last;                  /* stopped for having run its last block; */
    bool early;                 /* before the cycle, for data that it asked for in this window has come */
    uint64_t takes;             /* blocks that it may yet be given in this round */
    struct err fault;
    struct exec_failure failure;    /* the same for a program to read */
    uint64_t code_misses;           /* of the instruction cache, when that was looked at */
    size_t code;                    /* lines of code that the SM has been found to have (gpu_window.c) */
    struct exec_deferred *deferred; /* accesses that this window puts off; NULL until there is one */
    struct exec_grid grid; /* the launch's, for itself: what an instruction leaves behind is not shared */
};

/* A thread of the host in the loop. */
struct gpu_worker {
    struct sm_common *common;
    struct sm_branch *branch; /* what the SMs have counted while it ran them */
};

struct gpu_run {
    struct gpu *gpu;
    const struct gpu_launch *launch;
    struct exec_grid grid;
    uint32_t nsms;
    struct sm **sm;
    struct gpu_wake wake; /* of each SM: the next cycle at which it has something to do */
    struct gpu_at *at;    /* of each SM */
    uint32_t nbusy;       /* SMs */
    struct gpu_windows windows;
    struct gpu_worker *worker;
    uint32_t nworkers;     /* threads that work on this launch */
    uint32_t *list, n;     /* SMs of a window, in order, */
    uint64_t until;        /* where it ends, */
    uint64_t half, ahead;  /* its middle, and how far memory may run in the second half; 0: not halved */
    uint64_t memory_next;  /* when memory next had something to do, before it ran ahead of the window */
    uint64_t memory_until; /* how far memory runs while the list is run; 0: it does not */
    uint64_t taken;        /* and which SMs are still to be run: first, and behind the last << 32 */
    struct exec_deferred **deferred; /* of each of the list, where accesses are put off */
    uint64_t most_insts;             /* that all SMs may execute in a window */
    bool limited;                    /* that might be too many */
    uint64_t
        lockstep[GPU_LOCKSTEPS]; /* cycles in which something happened, run in lockstep; [0]: in windows */
    uint32_t turn;               /* the SM that is offered the next block first */
    uint64_t start;              /* cycle at which the launch began */
    uint64_t next_block, done;
    enum sm_limiter limiter; /* of the blocks on an SM */
    uint64_t checked;        /* cycle of the last look at limits and progress */
    uint64_t sampled;        /* cycle at which the last interval of the series ended */
    struct sm_stats last;    /* counters then */
    uint64_t *thread_insts;  /* by thread of the grid; NULL: not wanted */
    struct gpu_watchdog watchdog;
};

/* watchdog.c: now and then. False: the launch will never end, as e says. */
bool gpu_watchdog(struct gpu_run *r, struct err *e);
void gpu_watchdog_begin(
    struct gpu_run *r); /* what proofs need; gpu_watchdog does it, unless it never comes to that */
/* What the threads do that run, each followed alone: the first that does not loop says it for all. at: where each stands. */
enum exec_loop gpu_watchdog_alone(struct gpu_watchdog *k, struct exec_warp *const *w,
                                  const struct exec_stand *at, uint32_t n, uint64_t follow);
/* Do the blocks whose warps these are loop, followed together? at: where each stands. NULL: no warp. */
bool gpu_watchdog_joint(struct gpu_watchdog *k, struct exec_warp *const *w, const struct exec_stand *at,
                        uint32_t n, uint64_t follow);
uint64_t gpu_watchdog_window(const struct gpu_run *r); /* cycles between two looks, at least */

/* verdict.c: what becomes of the resident blocks when every thread gets its turn. */
enum gpu_verdict { GPU_UNKNOWN, GPU_WOULD_END, GPU_WOULD_SPIN, GPU_WOULD_BLOCK };
enum gpu_verdict gpu_judge(struct gpu_run *r);

/* where.c: the report of a launch that the progress callback stopped. Always false. */
bool gpu_stopped(const struct gpu_run *r, struct err *e);

/* gpu_loop.c: from the first block to the last answer. */
bool gpu_loop(struct gpu_run *r, struct err *e);
void gpu_at_init(struct gpu_run *r, uint32_t sm);
void gpu_sample(struct gpu_run *r); /* ends an interval of the time series */

void gpu_advance_sm(struct gpu_run *r, uint32_t worker, uint32_t sm,
                    uint64_t until); /* all cycles before, or until it stops */

/* gpu_hands.c: the SMs of r->list up to a cycle, and memory beside them up to another, if not 0; and r->logs, all of them, or in the order of time up to the fault of the
 * bad-th SM of the list (r->n: there is none). */
void gpu_workers_run(struct gpu_run *r, uint64_t until, uint64_t memory);
void gpu_workers_flush(struct gpu_run *r, uint32_t bad);

uint64_t gpu_exited(const struct gpu_run *r); /* threads that have */
/* Counters of all SMs together. */
void gpu_sum(const struct gpu_run *r, struct sm_stats *s, struct mech_stats *m);

#endif
