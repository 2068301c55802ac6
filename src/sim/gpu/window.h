/* Chooses how long SMs may run alone, and says why not longer. */
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
    /* the mechanism asks which threads spin, which only an executed access can tell */
    GPU_LOCKSTEP_SPINNING,
    GPU_LOCKSTEP_CACHE, /* a first-level cache lets go of a miss in the next cycle */
    GPU_LOCKSTEP_CODE,  /* the instruction cache does so, while code is fetched */
    GPU_LOCKSTEP_LIMIT, /* the launch's bound on instructions is near */
    GPU_LOCKSTEP_END,   /* all blocks have ended, but memory is not quiet yet */
    GPU_LOCKSTEPS
};

struct gpu_windows {
    enum gpu_lockstep why;
    bool settled;         /* no SM will fetch code any more */
    uint64_t data, fetch; /* longest window when all code is in the SMs' caches, and when some is not */
    VEC(uint64_t) code;   /* addresses of the kernel's lines */
    uint64_t *fetching;   /* SMs that may have to fetch some of them */
};

struct gpu_run;
void gpu_windows_init(struct gpu_run *r);
void gpu_windows_free(struct gpu_windows *w);
void gpu_windows_begin(struct gpu_run *r, uint32_t sm); /* it gets a block */
/* The most cycles that the next window may have. If it is 1, *why is the reason. */
uint64_t gpu_window(struct gpu_run *r, enum gpu_lockstep *why);

#endif
