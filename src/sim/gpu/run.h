/* A timed launch under way, as the files of this folder share it. */
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
    /* What the SMs share that one host thread runs, by thread. NULL: not made yet. */
    struct sm_common **common;
    uint32_t nworkers; /* elements of common */
    uint64_t now;      /* core cycle; it goes on from launch to launch */
    bool failed;       /* the last launch failed: its requests and lines are still in mem */
};

struct gpu_watchdog { /* the state of watchdog.c */
    struct exec_looper *looper;
    struct exec_joint *joint;
    uint64_t window;  /* shortest time between two looks, in cycles; 0: not known yet */
    uint64_t opened;  /* cycle of the last look */
    uint64_t since;   /* cycle of the last look that found progress */
    uint32_t rounds;  /* looks without progress since then */
    uint64_t exited;  /* threads that had exited at the last look */
    uint64_t look_at; /* thread instructions to be executed before the next look */
    uint64_t follow;  /* instructions for which a thread is followed */
};

/* An SM as the loop sees it (loop.c). */
struct gpu_at {
    _Alignas(64) uint64_t next; /* cycle in which the SM has something to do by itself */
    uint64_t stopped;           /* cycle at which it stopped in this window; SM_NEVER: it has not */
    /* Last cycles in which it was ticked, and in which memory had something for it. */
    uint64_t ticked, answered;
    uint64_t counted;  /* instructions of grid.insts that are in the launch's count */
    uint64_t faulted;  /* cycle of the fault, if there is one */
    uint32_t resident; /* resident blocks */
    uint32_t ended;    /* blocks that ended in this window */
    bool busy;         /* the SM has blocks, or requests of ended blocks under way */
    bool last;         /* it stopped because it has run its last block */
    bool early;        /* it stopped before the cycle, because data that it asked for in this window came */
    uint64_t takes;    /* blocks that it may still take in this round */
    struct err fault;
    struct exec_failure failure;    /* the fault in a form that a program can read */
    uint64_t code_misses;           /* misses of the instruction cache when they were last looked at */
    size_t code;                    /* lines of code that the SM is known to have (window.c) */
    struct exec_deferred *deferred; /* accesses that this window defers; NULL until there is one */
    struct exec_grid grid; /* a copy of the launch's grid, so that results of a step are not shared */
};

/* A host thread in the loop. */
struct gpu_worker {
    struct sm_common *common;
    struct sm_branch *branch; /* counters of the SMs while this thread runs them */
};

struct gpu_run {
    struct gpu *gpu;
    const struct gpu_launch *launch;
    struct exec_grid grid;
    uint32_t nsms;
    struct sm **sm;
    struct gpu_wake wake; /* for each SM the next cycle in which it has something to do */
    struct gpu_at *at;    /* by SM */
    uint32_t nbusy;       /* SMs that are busy */
    struct gpu_windows windows;
    struct gpu_worker *worker;
    uint32_t nworkers; /* host threads that work on this launch */
    uint32_t *list, n; /* the SMs that a window runs, in ascending order, and their number */
    uint64_t until;    /* the cycle at which the list's run ends */
    /* Middle of the window, and how far memory may run in its second half; 0: not halved. */
    uint64_t half, ahead;
    uint64_t memory_next;  /* next cycle of memory's before it ran ahead of the window */
    uint64_t memory_until; /* how far memory runs while the list is run; 0: not at all */
    /* SMs of the list still to be run: index of the first, and of the one past the last << 32 */
    uint64_t taken;
    struct exec_deferred **deferred; /* by place in the list: the log of deferred accesses */
    uint64_t most_insts;             /* most instructions that all SMs together can execute in a window */
    bool limited;                    /* most_insts may exceed the launch's bound */
    /* Cycles run in lockstep in which something happened, by reason; [0]: windows. */
    uint64_t lockstep[GPU_LOCKSTEPS];
    uint32_t turn;  /* the SM that is offered the next block first */
    uint64_t start; /* cycle at which the launch began */
    uint64_t next_block, done;
    enum sm_limiter limiter; /* what limits the blocks on an SM */
    uint64_t checked;        /* cycle of the last look at limits and progress */
    uint64_t sampled;        /* cycle at which the last interval of the series ended */
    struct sm_stats last;    /* counters at that time */
    uint64_t *thread_insts;  /* by thread of the grid; NULL: not wanted */
    struct gpu_watchdog watchdog;
};

/* watchdog.c: looks for progress now and then. False: the launch will never end; e has the report. */
bool gpu_watchdog(struct gpu_run *r, struct err *e);
void gpu_watchdog_begin(struct gpu_run *r); /* makes what proofs need; gpu_watchdog calls it */
/* Follows each running thread alone. Returns what the first thread does that is in no loop, else that all loop. at:
 * where each thread stands. */
enum exec_loop gpu_watchdog_alone(struct gpu_watchdog *k, struct exec_warp *const *w,
                                  const struct exec_stand *at, uint32_t n, uint64_t follow);
/* True if the blocks of these warps loop when their threads are followed together. at: where each thread stands. w[k]
 * NULL: no warp in that slot. */
bool gpu_watchdog_joint(struct gpu_watchdog *k, struct exec_warp *const *w, const struct exec_stand *at,
                        uint32_t n, uint64_t follow);
uint64_t gpu_watchdog_window(const struct gpu_run *r); /* least cycles between two looks */

/* verdict.c: finds what would become of the resident blocks if every thread got its turn. */
enum gpu_verdict { GPU_UNKNOWN, GPU_WOULD_END, GPU_WOULD_SPIN, GPU_WOULD_BLOCK };
enum gpu_verdict gpu_judge(struct gpu_run *r);

/* where.c: reports a launch that the progress callback stopped. Always false. */
bool gpu_stopped(const struct gpu_run *r, struct err *e);

/* loop.c: runs the launch from its first block to the last answer of memory. */
bool gpu_loop(struct gpu_run *r, struct err *e);
void gpu_at_init(struct gpu_run *r, uint32_t sm);
void gpu_sample(struct gpu_run *r); /* ends an interval of the time series */

/* Runs the SM in all cycles before `until`, or up to one at which it stops. */
void gpu_advance_sm(struct gpu_run *r, uint32_t worker, uint32_t sm, uint64_t until);

/* workers.c: runs the SMs of r->list up to cycle `until`, while memory runs up to cycle `memory` if that is not 0.
 * flush runs the deferred accesses of the list: all of them, or in the order of time up to the fault of the bad-th SM
 * of the list (r->n: there is none). */
void gpu_workers_run(struct gpu_run *r, uint64_t until, uint64_t memory);
void gpu_workers_flush(struct gpu_run *r, uint32_t bad);

uint64_t gpu_exited(const struct gpu_run *r); /* threads that have exited */
/* Counters of all SMs together. */
void gpu_sum(const struct gpu_run *r, struct sm_stats *s, struct mech_stats *m);

#endif
