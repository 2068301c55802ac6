/* Runs the SMs of a window on several threads of the host.
 *
 * Within a window an SM touches nothing but what is its own and the tables of the thread that runs it (sm_use), so no
 * result depends on which thread runs an SM, nor on the number of threads. Workers take SMs from
 * both ends of the list: what a thread ran last time it mostly runs again, and finds in its core's caches. */
#include "sim/gpu/run.h"

/* Packs the ends of a list of n for gpu_workers_take(): its first element, and the one past its last << 32. */
static uint64_t gpu_workers_whole(uint32_t n) {
    return (uint64_t)n << 32;
}

static bool gpu_workers_take(struct gpu_run *r, uint32_t worker, uint32_t *k) {
    uint64_t at = __atomic_load_n(&r->taken, __ATOMIC_RELAXED), rest;
    do {
        const uint32_t first = (uint32_t)at, end = (uint32_t)(at >> 32);
        if (first == end) return false;
        *k = worker % 2 ? end - 1 : first;
        rest = worker % 2 ? gpu_workers_whole(end - 1) | first : gpu_workers_whole(end) | (first + 1);
    } while (!__atomic_compare_exchange_n(&r->taken, &at, rest, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* Calls `work` on every worker until all SMs in the window's list are taken. */
static void for_each_listed(struct gpu_run *r, void (*work)(void *, uint32_t)) {
    r->taken = gpu_workers_whole(r->n);
    if (r->nworkers > 1 && r->n > 1)
        workers_run(r->launch->workers, work, r);
    else
        work(r, 0);
}

static void run_listed_sms(void *user, uint32_t worker) {
    struct gpu_run *r = user;
    if (!worker && r->memory_until) mem_run_ahead(r->gpu->mem, r->memory_until - 1);
    for (uint32_t k; gpu_workers_take(r, worker, &k);) gpu_advance_sm(r, worker, r->list[k], r->until);
}

void gpu_workers_run(struct gpu_run *r, uint64_t until, uint64_t memory) {
    r->until = until;
    r->memory_until = memory;
    for_each_listed(r, run_listed_sms);
}

static void sign_listed_logs(void *user, uint32_t worker) {
    struct gpu_run *r = user;
    for (uint32_t k; gpu_workers_take(r, worker, &k);) exec_deferred_sign(r->deferred[k]);
}

static void perform_listed_logs(void *user, uint32_t worker) {
    struct gpu_run *r = user;
    for (uint32_t k; gpu_workers_take(r, worker, &k);) exec_deferred_run(r->deferred[k], UINT64_MAX);
}

/* True if the logs may be run in any order. With one thread they are run in the order of time, which costs no more. */
static bool independent(struct gpu_run *r) {
    bool stores = false;
    for (uint32_t k = 0; k < r->n; k++) stores |= exec_deferred_stores(r->deferred[k]);
    if (!stores || r->nworkers == 1) return !stores;
    for_each_listed(r, sign_listed_logs);
    return !exec_deferred_conflict(r->deferred, r->n);
}

void gpu_workers_flush(struct gpu_run *r, uint32_t bad) {
    if (bad < r->n)
        exec_deferred_run_all(r->deferred, r->n, r->at[r->list[bad]].faulted, bad);
    else if (independent(r))
        for_each_listed(r, perform_listed_logs);
    else
        exec_deferred_run_all(r->deferred, r->n, UINT64_MAX, r->n);
    for (uint32_t k = 0; k < r->n; k++) exec_deferred_reset(r->deferred[k]);
}
