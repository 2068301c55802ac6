/* A timed launch under way: what gpu.c, watchdog.c, deadlock.c, verdict.c and where.c share. */
#ifndef HEDDLE_SIM_GPU_RUN_H
#define HEDDLE_SIM_GPU_RUN_H

#include "exec/joint.h"
#include "sim/gpu.h"
#include "sim/gpu_wake.h"

struct gpu {
    const struct options *options;
    struct mem *mem;
    struct sm_common *common; /* what the SMs of a launch share */
    uint64_t now;             /* core cycle; goes on from launch to launch */
    bool failed;              /* the last launch: its requests and lines are still in mem */
};

struct gpu_watch { /* watchdog.c */
    struct exec_looper *looper;
    struct exec_joint *joint;
    uint64_t window;  /* shortest time between two looks, cycles; 0: not known yet */
    uint64_t opened;  /* cycle of the last look */
    uint64_t since;   /* cycle of the last look that found progress */
    uint32_t rounds;  /* looks since that found none */
    uint64_t look_at; /* thread instructions before the next look */
    uint64_t follow;  /* how far a thread is followed, instructions */
};

struct gpu_run {
    struct gpu *gpu;
    const struct gpu_launch *launch;
    struct exec_grid grid;
    uint32_t nsms;
    struct sm_branch *branch; /* what they count by PC */
    struct arena tables_mem;
    const void *tables; /* of the mechanism, for all SMs */
    struct sm **sm;
    struct gpu_wake wake; /* of each SM: the next cycle at which it has something to do */
    uint32_t *resident;   /* blocks on each SM */
    bool *filling;        /* one_at_a_time: the SM was empty when this round of blocks began */
    uint32_t turn;        /* the SM that is offered the next block first */
    uint64_t start;       /* cycle at which the launch began */
    uint64_t next_block, done;
    enum sm_limiter limiter; /* of the blocks on an SM */
    uint64_t checked;        /* cycle of the last look at limits and progress */
    uint64_t sampled;        /* cycle at which the last interval of the series ended */
    struct sm_stats last;    /* counters then */
    uint64_t *thread_insts;  /* by thread of the grid; NULL: not wanted */
    struct gpu_watch watch;
};

/* watchdog.c: now and then. False: the launch will never end, as e says. */
bool gpu_watch(struct gpu_run *r, struct err *e);
void gpu_watch_begin(
    struct gpu_run *r); /* what proofs need; gpu_watch does it, unless it never comes to that */
/* What the threads do that run, each followed alone: the first that does not loop says it for all. at: where each stands. */
enum exec_loop gpu_watch_alone(struct gpu_watch *k, struct exec_warp *const *w, const struct exec_stand *at,
                               uint32_t n, uint64_t follow);
/* Do the blocks whose warps these are loop, followed together? at: where each stands. NULL: no warp. */
bool gpu_watch_joint(struct gpu_watch *k, struct exec_warp *const *w, const struct exec_stand *at, uint32_t n,
                     uint64_t follow);
uint64_t gpu_watch_window(const struct gpu_run *r); /* cycles between two looks, at least */

/* verdict.c: what becomes of the resident blocks when every thread gets its turn. */
enum gpu_verdict { GPU_UNKNOWN, GPU_WOULD_END, GPU_WOULD_SPIN, GPU_WOULD_BLOCK };
enum gpu_verdict gpu_judge(struct gpu_run *r);

/* where.c: the report of a launch that the progress callback stopped. Always false. */
bool gpu_stopped(const struct gpu_run *r, struct err *e);

/* Counters of all SMs together. */
void gpu_sum(const struct gpu_run *r, struct sm_stats *s, struct mech_stats *m);

#endif
