/* How long an SM may run alone, and what forbids it. */
#ifndef HEDDLE_SIM_GPU_WINDOW_H
#define HEDDLE_SIM_GPU_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

/* Why a cycle was run in lockstep. */
enum gpu_lockstep {
    GPU_LOCKSTEP_NONE,
    GPU_LOCKSTEP_TRACE,        /* a trace needs events in their order */
    GPU_LOCKSTEP_PROFILE,      /* lines are charged: one account for all SMs */
    GPU_LOCKSTEP_UNDEFERRABLE, /* the kernel's accesses cannot be deferred (exec/deferred/deferred.h) */
    GPU_LOCKSTEP_SPINNING,     /* the mechanism asks which threads spin, and only the executed access tells */
    GPU_LOCKSTEP_CACHE,        /* a first-level cache lets go of a miss in the next cycle */
    GPU_LOCKSTEP_CODE,         /* the instruction cache does so, while code is fetched */
    GPU_LOCKSTEP_LIMIT,        /* the launch's bound on instructions is near */
    GPU_LOCKSTEP_END,          /* blocks have ended, memory is not quiet yet */
    GPU_LOCKSTEPS
};

struct gpu_windows {
    enum gpu_lockstep why;
    bool settled;         /* no SM will fetch code any more */
    uint64_t data, fetch; /* most cycles: with all code there, and without */
    VEC(uint64_t) code;   /* addresses of the kernel's lines */
    uint64_t *fetching;   /* SMs that may have to fetch some of them */
};

struct gpu_run;
void gpu_windows_init(struct gpu_run *r);
void gpu_windows_free(struct gpu_windows *w);
void gpu_windows_begin(struct gpu_run *r, uint32_t sm); /* it gets a block */
/* Cycles that the next window may have at most; 1: *why. */
uint64_t gpu_window(struct gpu_run *r, enum gpu_lockstep *why);

#endif
