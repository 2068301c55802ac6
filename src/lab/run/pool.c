/* A counter of tasks taken, a counter of threads still at work, one lock for both. The calling thread does no
 * task: it waits and ticks, so that a progress line moves while long tasks run. When the host grants no
 * thread at all, the caller runs the tasks itself. */
#include "lab/run/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/ledger.h"
#include "base/workers.h"

enum { TICK_NANOSECONDS = 100000000 };

struct pool {
    const struct lab_tasks *tasks;
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a thread found no more tasks */
    size_t next;
    unsigned working;
    /* Recovery point of the thread that asked for the tasks: its threads fail as it would. */
    struct ledger_point *memory;
};

static bool lab_pool_take(struct pool *p, size_t *task) {
    pthread_mutex_lock(&p->lock);
    *task = p->next;
    bool any = p->next < p->tasks->n;
    if (any) p->next++;
    pthread_mutex_unlock(&p->lock);
    return any;
}

static void *work(void *user) {
    struct pool *p = user;
    ledger_adopt(p->memory);
    for (size_t task; lab_pool_take(p, &task);) p->tasks->run(p->tasks->user, task);
    pthread_mutex_lock(&p->lock);
    p->working--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

double lab_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct timespec soon(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += TICK_NANOSECONDS;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static void wait_for_all(struct pool *p) {
    pthread_mutex_lock(&p->lock);
    while (p->working) {
        struct timespec until = soon();
        pthread_cond_timedwait(&p->ended, &p->lock, &until);
        pthread_mutex_unlock(&p->lock);
        if (p->tasks->tick) p->tasks->tick(p->tasks->user);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

void lab_run_tasks(const struct lab_tasks *t, unsigned jobs) {
    if (!jobs) jobs = workers_cores();
    unsigned want = t->n < jobs ? (unsigned)t->n : jobs, have = 0;
    struct pool p = {.tasks = t, .working = want, .memory = ledger_now()};
    pthread_t *thread = xcalloc(want + 1, sizeof *thread);
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.ended, NULL);
    while (have < want && !pthread_create(&thread[have], NULL, work, &p)) have++;
    pthread_mutex_lock(&p.lock);
    p.working -= want - have;
    pthread_mutex_unlock(&p.lock);
    if (have)
        wait_for_all(&p);
    else
        for (size_t task; lab_pool_take(&p, &task);) t->run(t->user, task);
    for (unsigned i = 0; i < have; i++) pthread_join(thread[i], NULL);
    pthread_cond_destroy(&p.ended);
    pthread_mutex_destroy(&p.lock);
    free(thread);
}
