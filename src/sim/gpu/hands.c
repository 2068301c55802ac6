/* The SMs of a window by several threads of the host.
 *
 * Within a window an SM touches nothing but what is its own and the tables of the thread that runs it (sm_use), so who runs
 * it makes no difference, and nothing of the result depends on the number of threads. Members of the crew take SMs from
 * both ends of the list: what a thread ran last time it mostly runs again, and finds in its core's caches. */
#include "sim/gpu/run.h"

/* A list of n, from both ends. */
static uint64_t whole(uint32_t n) {
    return (uint64_t)n << 32;
}

static bool take(struct gpu_run *r, uint32_t hand, uint32_t *k) {
    uint64_t at = __atomic_load_n(&r->taken, __ATOMIC_RELAXED), rest;
    do {
        const uint32_t first = (uint32_t)at, end = (uint32_t)(at >> 32);
        if (first == end) return false;
        *k = hand % 2 ? end - 1 : first;
        rest = hand % 2 ? whole(end - 1) | first : whole(end) | (first + 1);
    } while (!__atomic_compare_exchange_n(&r->taken, &at, rest, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* Of the window's list. */
static void each(struct gpu_run *r, void (*work)(void *, uint32_t)) {
    r->taken = whole(r->n);
    if (r->hands > 1 && r->n > 1)
        crew_run(r->launch->crew, work, r);
    else
        work(r, 0);
}

static void run_some(void *user, uint32_t hand) {
    struct gpu_run *r = user;
    if (!hand && r->beside) mem_run_ahead(r->gpu->mem, r->beside - 1);
    for (uint32_t k; take(r, hand, &k);) gpu_run_sm(r, hand, r->list[k], r->until);
}

void gpu_hands_run(struct gpu_run *r, uint64_t until, uint64_t memory) {
    r->until = until;
    r->beside = memory;
    each(r, run_some);
}

static void sign_some(void *user, uint32_t hand) {
    struct gpu_run *r = user;
    for (uint32_t k; take(r, hand, &k);) exec_log_sign(r->logs[k]);
}

static void perform_some(void *user, uint32_t hand) {
    struct gpu_run *r = user;
    for (uint32_t k; take(r, hand, &k);) exec_log_run(r->logs[k], UINT64_MAX);
}

/* May the logs be run in any order? With one thread the order of time is as good. */
static bool independent(struct gpu_run *r) {
    bool stores = false;
    for (uint32_t k = 0; k < r->n; k++) stores |= exec_log_stores(r->logs[k]);
    if (!stores || r->hands == 1) return !stores;
    each(r, sign_some);
    return !exec_logs_conflict(r->logs, r->n);
}

void gpu_hands_logs(struct gpu_run *r, uint32_t bad) {
    if (bad < r->n)
        exec_logs_run(r->logs, r->n, r->at[r->list[bad]].faulted, bad);
    else if (independent(r))
        each(r, perform_some);
    else
        exec_logs_run(r->logs, r->n, UINT64_MAX, r->n);
    for (uint32_t k = 0; k < r->n; k++) exec_log_reset(r->logs[k]);
}
