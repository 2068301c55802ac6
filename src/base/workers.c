/* One atomic word holds the number of the call, whether more workers may join it, and how many are at work. A thread that has
 * no core when it is called does not hold up the others: by the time it wakes, they have done the work and closed the call.
 * A thread that waits for a call reads the word for a while and then sleeps. */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ledger.h"

enum { LOOKS = 2000 }; /* reads of the word before a thread sleeps: some tens of microseconds */

/* The parts of the word. */
#define CALL_OPEN  UINT64_C(1)
#define ONE_WORKER UINT64_C(2) /* one worker at work besides the caller */
#define CALL       (UINT64_C(1) << 16)
#define BUSY       (CALL - ONE_WORKER)
#define CALLS      (~(CALL - 1))

struct worker {
    struct workers *workers;
    uint32_t number;
    pthread_t thread;
};

struct workers {
    void (*work)(void *user, uint32_t worker);
    void *user;
    struct ledger *ledger; /* the caller's */
    uint32_t size;         /* workers, the caller included */
    bool over;
    _Alignas(64) uint64_t word;
    _Alignas(64) uint32_t asleep; /* workers */
    uint32_t failed;              /* a worker ran out of memory */
    pthread_mutex_t lock;
    pthread_cond_t called;
    struct worker *worker;
};

static void pause_host(uint32_t looks) {
#if defined(__x86_64__)
    if (looks < LOOKS) {
        __builtin_ia32_pause();
        return;
    }
#endif
    (void)looks;
    sched_yield();
}

static uint64_t workers_word(const struct workers *pool) {
    return __atomic_load_n(&pool->word, __ATOMIC_SEQ_CST);
}

/* Waits until the word names another call than `last`. */
static uint64_t await_call(struct workers *pool, uint64_t last) {
    uint64_t w;
    for (uint32_t n = 0; n < LOOKS; n++) {
        if (((w = workers_word(pool)) & CALLS) != last) return w;
        pause_host(n);
    }
    pthread_mutex_lock(&pool->lock);
    __atomic_add_fetch(&pool->asleep, 1, __ATOMIC_SEQ_CST);
    while (((w = workers_word(pool)) & CALLS) == last) pthread_cond_wait(&pool->called, &pool->lock);
    __atomic_sub_fetch(&pool->asleep, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool->lock);
    return w;
}

/* Does one worker's part. Running out of memory ends that part only. */
static void take_part(struct workers *pool, uint32_t number) {
    struct ledger_point p = {0};
    if (ledger_enter(&p, pool->ledger), setjmp(p.at)) {
        __atomic_store_n(&pool->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    pool->work(pool->user, number);
    ledger_leave(&p);
}

static bool join_call(struct workers *pool, uint64_t w) {
    while (w & CALL_OPEN)
        if (__atomic_compare_exchange_n(&pool->word, &w, w + ONE_WORKER, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return true;
    return false;
}

static void *workers_serve(void *user) {
    const struct worker *self = user;
    struct workers *pool = self->workers;
    for (uint64_t last = 0;;) {
        const uint64_t w = await_call(pool, last);
        last = w & CALLS;
        if (!join_call(pool, w)) continue;
        const bool over = pool->over;
        if (!over) take_part(pool, self->number);
        __atomic_sub_fetch(&pool->word, ONE_WORKER, __ATOMIC_SEQ_CST);
        if (over) return NULL;
    }
}

struct workers *workers_new(uint32_t n) {
    struct workers *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    struct worker *worker = calloc(n, sizeof *worker);
    if (!pool || !worker) {
        free(pool);
        free(worker);
        return NULL;
    }
    memset(pool, 0, sizeof *pool);
    pool->worker = worker;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->called, NULL);
    for (pool->size = 1; pool->size < n; pool->size++) {
        struct worker *self = &pool->worker[pool->size];
        *self = (struct worker){.workers = pool, .number = pool->size};
        if (pthread_create(&self->thread, NULL, workers_serve, self)) break;
    }
    return pool;
}

/* Opens a call to all workers. What they are to do has been written before. */
static void workers_call(struct workers *pool) {
    __atomic_store_n(&pool->word, (workers_word(pool) & CALLS) + CALL + CALL_OPEN, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&pool->asleep, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->lock);
}

void workers_free(struct workers *pool) {
    if (!pool) return;
    pool->over = true;
    workers_call(pool);
    for (uint32_t k = 1; k < pool->size; k++) pthread_join(pool->worker[k].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->called);
    free(pool->worker);
    free(pool);
}

uint32_t workers_size(const struct workers *pool) {
    return pool ? pool->size : 1;
}

void workers_run(struct workers *pool, void (*work)(void *user, uint32_t worker), void *user) {
    const struct ledger_point *point = ledger_now();
    pool->work = work;
    pool->user = user;
    pool->ledger = point ? point->ledger : NULL;
    workers_call(pool);
    take_part(pool, 0);
    __atomic_and_fetch(&pool->word, ~CALL_OPEN, __ATOMIC_SEQ_CST);
    for (uint32_t n = 0; workers_word(pool) & BUSY; n++) pause_host(n);
    if (!__atomic_exchange_n(&pool->failed, 0, __ATOMIC_RELAXED)) return;
    ledger_fail(1);
}

uint32_t workers_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (uint32_t)n : 1;
}
