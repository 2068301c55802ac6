/* The ledger of allocations and the recovery points that jump when there is no memory. */
#include "base/ledger.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/pages.h"
#include "kernels/harness.h"

/* Pieces come, grow and go in random order; what is left is written down, and goes with the ledger. */
static void what_is_left_goes_with_the_ledger(void **state) {
    (void)state;
    enum { PIECES = 500, STEPS = 20000 };
    struct ledger l = {0};
    struct ledger_point p;
    struct rng r = {7};
    void *piece[PIECES] = {0};
    size_t there = 0;
    ledger_enter(&p, &l);
    for (int i = 0; i < STEPS; i++) {
        const size_t k = (size_t)rng_below(&r, PIECES), n = (size_t)rng_below(&r, 300);
        there += !piece[k];
        if (rng_below(&r, 3)) {
            piece[k] = xrealloc(piece[k], n);
            continue;
        }
        xfree(piece[k]);
        piece[k] = NULL;
        there--;
    }
    ledger_leave(&p);
    assert_int_equal(l.n, there);
    ledger_free(&l);
    assert_int_equal(l.n, 0);
}

static void pages_are_written_down_too(void **state) {
    (void)state;
    struct ledger l = {0};
    struct ledger_point p;
    struct pages some = {0};
    ledger_enter(&p, &l);
    memset(pages_get(&some, 5 << 20), 1, 5 << 20);
    assert_in_range(l.n, 1, 2);
    ledger_leave(&p);
    ledger_free(&l); /* sanitizers tell if it does not */
}

static void what_others_allocated_is_not_ours(void **state) {
    (void)state;
    struct ledger l = {0};
    struct ledger_point p;
    void *theirs = xmalloc(10);
    ledger_enter(&p, &l);
    struct ledger_point *inside = ledger_step_out();
    void *callback = xmalloc(10);
    ledger_adopt(inside);
    theirs = xrealloc(theirs, 1000);
    assert_int_equal(l.n, 0);
    ledger_leave(&p);
    xfree(callback);
    xfree(theirs);
    ledger_free(&l);
}

/* The failure goes to the innermost point, which may pass it on. */
static void a_failure_goes_from_point_to_point(void **state) {
    (void)state;
    struct ledger l = {.fail_at = 3};
    struct ledger_point outer, inner;
    static int tidied; /* survives the jump */
    tidied = 0;
    ledger_enter(&outer, &l);
    if (setjmp(outer.at)) {
        assert_int_equal(tidied, 1);
        assert_null(ledger_now());
        assert_int_equal(l.n, 2);
        ledger_free(&l);
        return;
    }
    xmalloc(1);
    ledger_nest(&inner);
    if (setjmp(inner.at)) {
        tidied++;
        ledger_fail(1);
    }
    xmalloc(1);
    xmalloc(1);
    fail_msg("the third allocation succeeded");
}

static void attempts_that_may_fail_say_so(void **state) {
    (void)state;
    struct ledger l = {.fail_at = 1};
    struct ledger_point p;
    struct pages some = {0};
    ledger_enter(&p, &l);
    assert_null(try_alloc(64));
    assert_null(try_pages(64));
    assert_null(pages_try(&some, 64));
    ledger_leave(&p);
    assert_int_equal(l.n, 0);
    ledger_free(&l);
}

enum { WORKERS = 4, ROUNDS = 2000, KEPT = 8 };

static void *work(void *ledger) {
    struct ledger_point p;
    void *kept[KEPT] = {0};
    ledger_enter(&p, ledger);
    for (int n = 0; n < ROUNDS; n++) {
        xfree(kept[n % KEPT]);
        kept[n % KEPT] = xrealloc(xmalloc(16), 64 + (size_t)n % 512);
    }
    ledger_leave(&p);
    return NULL;
}

static void threads_of_one_call_share_its_ledger(void **state) {
    (void)state;
    struct ledger l = {0};
    pthread_t worker[WORKERS];
    for (int k = 0; k < WORKERS; k++) assert_int_equal(pthread_create(&worker[k], NULL, work, &l), 0);
    for (int k = 0; k < WORKERS; k++) pthread_join(worker[k], NULL);
    assert_int_equal(l.n, WORKERS * KEPT);
    ledger_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_goes_with_the_ledger),
        cmocka_unit_test(pages_are_written_down_too),
        cmocka_unit_test(what_others_allocated_is_not_ours),
        cmocka_unit_test(a_failure_goes_from_point_to_point),
        cmocka_unit_test(attempts_that_may_fail_say_so),
        cmocka_unit_test(threads_of_one_call_share_its_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
