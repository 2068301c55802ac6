/* Tasks on threads: each runs once, whatever the number of threads, and the caller is told while it waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <time.h>

#include "base/workers.h"
#include "lab/run/pool.h"

enum { MOST = 1000 };
struct count {
    _Atomic unsigned runs[MOST];
    _Atomic unsigned ticks;
};

static void once(void *user, size_t task) {
    atomic_fetch_add(&((struct count *)user)->runs[task], 1);
}

static void expect_once(size_t n, unsigned jobs) {
    struct count c = {0};
    struct lab_tasks t = {.n = n, .run = once, .user = &c};
    lab_run_tasks(&t, jobs);
    for (size_t i = 0; i < MOST; i++) assert_int_equal(atomic_load(&c.runs[i]), i < n);
}

static void every_task_runs_once(void **state) {
    (void)state;
    expect_once(0, 4);
    expect_once(1, 4);
    expect_once(7, 1);
    expect_once(1000, 3);
    expect_once(5, 100);
    expect_once(100, 0);
}

static void slow(void *user, size_t task) {
    struct timespec t = {.tv_nsec = 250000000};
    once(user, task);
    nanosleep(&t, NULL);
}

static void tick(void *user) {
    atomic_fetch_add(&((struct count *)user)->ticks, 1);
}

static void the_caller_is_told_while_it_waits(void **state) {
    (void)state;
    struct count c = {0};
    struct lab_tasks t = {.n = 1, .run = slow, .tick = tick, .user = &c};
    lab_run_tasks(&t, 1);
    assert_int_equal(atomic_load(&c.runs[0]), 1);
    assert_true(atomic_load(&c.ticks) >= 1);
}

static void the_host_has_a_core(void **state) {
    (void)state;
    assert_true(workers_cores() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(the_caller_is_told_while_it_waits),
        cmocka_unit_test(the_host_has_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
