/* Independent tasks on several host threads. What a task computes must depend on its number alone; then the
 * results are the same bytes whatever the number of threads. */
#ifndef HEDDLE_LAB_RUN_POOL_H
#define HEDDLE_LAB_RUN_POOL_H

#include <stddef.h>

struct lab_tasks {
    size_t n;
    void (*run)(void *user, size_t task);
    /* Called by the thread that waits, about ten times a second; may be NULL. */
    void (*tick)(void *user);
    void *user;
};

/* Runs every task once, in ascending order as threads become free, on at most `jobs` threads (0: as many as
 * the host has cores). Returns when all have ended. */
void lab_run_tasks(const struct lab_tasks *t, unsigned jobs);

/* Seconds of a clock that never goes back. */
double lab_seconds(void);

#endif
