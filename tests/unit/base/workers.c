/* A pool of workers does all work exactly once, call after call, however many of them come. A worker that runs out of memory
 * ends the caller's call. */
#include "base/workers.h"

#include <time.h>

#include "base/alloc.h"
#include "base/ledger.h"
#include "kernels/harness.h"

enum { WORK = 1000 };

struct job {
    uint32_t next, done[WORK];
    uint32_t came; /* workers, a bit each */
};

static void work(void *user, uint32_t worker) {
    struct job *j = user;
    __atomic_or_fetch(&j->came, 1u << worker, __ATOMIC_RELAXED);
    for (uint32_t k; (k = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < WORK;) j->done[k]++;
}

static void all_work_is_done_once_in_every_call(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 4; n++) {
        struct workers *pool = workers_new(n);
        assert_true(workers_size(pool) >= 1 && workers_size(pool) <= n);
        for (uint32_t call = 0; call < 200; call++) {
            struct job j = {0};
            workers_run(pool, work, &j);
            for (uint32_t k = 0; k < WORK; k++) assert_int_equal(j.done[k], 1);
            assert_true(j.came & 1);
            assert_int_equal(j.came >> n, 0);
        }
        workers_free(pool);
    }
    assert_int_equal(workers_size(NULL), 1);
    workers_free(NULL);
}

/* Two workers wait for each other: the second worker must come. */
static void meet(void *user, uint32_t worker) {
    uint32_t *here = user;
    __atomic_or_fetch(here, 1u << worker, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(here, __ATOMIC_SEQ_CST) != 3) {
    }
}

static void a_thread_that_sleeps_is_woken(void **state) {
    (void)state;
    struct workers *pool = workers_new(2);
    for (int call = 0; call < 3 && workers_size(pool) == 2; call++) {
        struct timespec t = {0, 20000000}; /* longer than it stays awake */
        uint32_t here = 0;
        nanosleep(&t, NULL);
        workers_run(pool, meet, &here);
        assert_int_equal(here, 3);
    }
    workers_free(pool);
}

static void fail_as(void *user, uint32_t worker) {
    uint32_t *here = user;
    meet(user, worker);
    if (worker == here[1]) ledger_fail(16);
}

static void out_of_memory_of_any_worker_is_the_callers(void **state) {
    (void)state;
    struct workers *pool = workers_new(2);
    for (uint32_t who = 0; who < 2 && workers_size(pool) == 2; who++) {
        struct ledger_point p = {0};
        volatile bool failed = true;
        uint32_t here[2] = {0, who};
        if (ledger_enter(&p, NULL), !setjmp(p.at)) {
            workers_run(pool, fail_as, here);
            failed = false;
            ledger_leave(&p);
        }
        assert_true(failed);
    }
    workers_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_work_is_done_once_in_every_call),
                                       cmocka_unit_test(a_thread_that_sleeps_is_woken),
                                       cmocka_unit_test(out_of_memory_of_any_worker_is_the_callers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
