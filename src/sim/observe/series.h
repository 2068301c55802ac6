/* Time series: what happened in each interval of a timed launch (DWF Figures 6.4 and 6.5). */
#ifndef HEDDLE_SIM_OBSERVE_SERIES_H
#define HEDDLE_SIM_OBSERVE_SERIES_H

#include "base/alloc.h"
#include "sm/sm.h"

struct series_sample {
    uint64_t launch;     /* of the device, counted from 0 */
    uint64_t cycle;      /* core cycle of the launch at which the interval ended */
    uint64_t cycles;     /* its length; the last of a launch may be shorter */
    uint64_t unfinished; /* threads of the grid that have not exited, at its end */
    struct sm_stats sm;  /* what the SMs counted meanwhile */
};

struct series {
    uint64_t interval; /* core cycles of a sample */
    /* samples; 0: no bound. With one, pairs of them are joined when there are twice as many, and the interval doubles:
     * a sample may then go over the end of a launch, and is of the last. */
    uint32_t most;
    VEC(struct series_sample) samples;
    uint32_t threads; /* counts of each sample */
    VEC(uint64_t)
    counts; /* instructions of thread t since the launch began, in sample k: counts.v[k * threads + t] */
};

void series_free(struct series *s);
/* Adds the interval between two readings of the machine's counters. count: of the first s->threads threads. */
void series_add(struct series *s, struct series_sample at, const struct sm_stats *before,
                const struct sm_stats *after, const uint64_t *count);
/* "launch,cycle,ipc,unfinished,..." and a line per sample; with threads, a column per thread. */
void series_csv(const struct series *s, struct sb *out);

#endif
