/* The timed machine: SMs around one memory system, and a launch on it. */
#ifndef HEDDLE_SIM_GPU_H
#define HEDDLE_SIM_GPU_H

#include "exec/exec.h"
#include "sim/options.h"
#include "sim/series.h"
#include "sim/trace.h"

struct gpu; /* lives over launches: the memory system with its caches, and the clock */
struct gpu *gpu_new(const struct options *o, struct err *e); /* o must outlive it */
void gpu_free(struct gpu *g);

struct gpu_launch {
    const struct exec_launch *exec;
    const struct ir_module *module;
    const struct cfg *cfg;
    uint64_t number;          /* of the device, for the series */
    struct sm_branch *branch; /* by PC, added to */
    uint64_t interval;        /* of the series; 0: none */
    struct series *series;
    struct trace *trace; /* NULL: none */
};

enum gpu_limiter {
    GPU_BY_THREADS,
    GPU_BY_BLOCKS,
    GPU_BY_REGISTERS,
    GPU_BY_SHARED,
    GPU_BY_GRID,
    GPU_LIMITERS
};

/* What a launch leaves behind, SMs summed up. */
struct gpu_stats {
    uint64_t cycles;          /* core cycles until every block had ended and memory was quiet */
    uint64_t started;         /* blocks */
    uint64_t resident;        /* blocks of this launch that fit on one SM */
    enum gpu_limiter limiter; /* of that; BY_GRID: the grid has no more than the SMs could hold */
    struct sm_stats sm;
    struct mech_stats mech;
    struct mem_stats mem; /* of this launch; the *_max fields since the machine was made */
};

/* Runs the whole grid. On a fault, deadlock or limit: false with the report in e; out holds what ran until then. */
bool gpu_run(struct gpu *g, const struct gpu_launch *l, struct gpu_stats *out, struct err *e);

/* deadlock.c: the report when nothing moved for `idle` cycles. Always false. */
struct gpu_run;
bool gpu_deadlock(struct gpu_run *r, uint64_t idle, struct err *e);

#endif
