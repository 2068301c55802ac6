/* What a timed launch records beside its statistics, for those who ask: a time series, a profile by branch, lanes over
 * time, a trace, a timeline. Nothing here costs anything when it is not asked for. */
#ifndef HEDDLE_SIM_GPU_WATCH_H
#define HEDDLE_SIM_GPU_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/observe/density.h"

/* Where text goes; write NULL: it is not wanted. */
struct watch_sink {
    void (*write)(void *user, const char *text, size_t n);
    void *user;
};

struct sm_commit; /* sm/sm.h */

/* Instructions thread by thread: each committed instruction of each thread once, in the order of its own. */
struct watch_step {
    uint64_t issue; /* threads that ran it together share this number */
    uint64_t block; /* of the grid */
    uint32_t first; /* thread of the block that bit 0 of the mask is */
    uint32_t mask, pc;
};
struct watch_steps {
    void (*step)(void *user, const struct watch_step *s); /* NULL: not wanted */
    void (*block)(void *user, uint64_t block, bool begins);
    void *user;
};

struct watch {
    uint64_t interval; /* core cycles of a sample of the time series; 0: none */
    uint32_t samples;  /* at most so many (series.h); 0: as many as there are */
    uint32_t threads;  /* instruction counts of the first so many threads of a grid in each sample */
    bool profile;      /* charges lane slots and waits to lines (profile.h) */
    struct density_options density;                        /* lanes over time (density.h) */
    struct watch_sink trace;                               /* one line per issue (trace.h) */
    struct watch_sink timeline;                            /* Chrome trace JSON (trace.h) */
    void (*commit)(void *user, const struct sm_commit *c); /* called at every commit; NULL: not wanted */
    void *commit_user;
    struct watch_steps steps;
};

#endif
