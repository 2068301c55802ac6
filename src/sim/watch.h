/* What a timed launch records beside its statistics, for those who ask: a time series, a profile by branch, a trace, a
 * timeline. Nothing here costs anything when it is not asked for. */
#ifndef HEDDLE_SIM_WATCH_H
#define HEDDLE_SIM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where text goes; write NULL: it is not wanted. */
struct watch_sink {
    void (*write)(void *user, const char *text, size_t n);
    void *user;
};

struct sm_commit; /* sm/sm.h */

struct watch {
    uint64_t interval;          /* core cycles of a sample of the time series; 0: none */
    uint32_t threads;           /* instruction counts of the first so many threads of a grid in each sample */
    struct watch_sink trace;    /* one line per issue (trace.h) */
    struct watch_sink timeline; /* Chrome trace JSON (trace.h) */
    void (*commit)(void *user, const struct sm_commit *c); /* hears every commit; NULL: nobody */
    void *commit_user;
};

#endif
