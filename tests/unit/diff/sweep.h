/* The program around a sweep: even seeds give structured kernels, odd ones unstructured. A part of the kernels must do but in
 * .ci/run and make test-long, as each runs under every mechanism, and fewer under the sanitizers, where a run takes many times as long:
 * each variant of each mechanism still comes several times. */
#ifndef HEDDLE_TESTS_UNIT_DIFF_SWEEP_H
#define HEDDLE_TESTS_UNIT_DIFF_SWEEP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diff/sweep.h"

#ifdef __SANITIZE_ADDRESS__
enum { SOME_KERNELS = 64 };
#else
enum { SOME_KERNELS = 150 };
#endif
enum { ALL_KERNELS = 1000 };

/* HEDDLE_DIFF_SEED starts at that seed, its parity whatever the program's. */
static void every_mechanism_leaves_the_same_memory(void **state) {
    const uint64_t *parity = *state;
    struct diff_range range = diff_long_range(SOME_KERNELS, ALL_KERNELS);
    struct sb why = {0};
    uint64_t runs;
    bool good = diff_sweep(range.first ? range.first : *parity, 2, range.count, &runs, &why);
    print_message("%llu kernels, %llu runs\n", (unsigned long long)range.count, (unsigned long long)runs);
    if (!good) { /* in full: cmocka cuts off messages */
        fputs(why.text, stderr);
        fail();
    }
    sb_free(&why);
}

static inline int sweep_main(uint64_t parity) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_mechanism_leaves_the_same_memory, &parity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
