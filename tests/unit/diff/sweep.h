/* The program around a sweep: even seeds give structured kernels, odd ones unstructured. Under the sanitizers, where a run
 * takes many times as long, a fifth of the kernels must do: each variant of each mechanism comes several times. */
#ifndef HEDDLE_TESTS_UNIT_DIFF_SWEEP_H
#define HEDDLE_TESTS_UNIT_DIFF_SWEEP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diff/sweep.h"

#ifdef __SANITIZE_ADDRESS__
enum { SWEEP_KERNELS = 200 };
#else
enum { SWEEP_KERNELS = 1000 };
#endif

/* HEDDLE_DIFF_SEED starts at that seed, its parity whatever the program's. */
static void every_mechanism_leaves_the_same_memory(void **state) {
    const uint64_t *parity = *state;
    struct diff_range range = diff_range(SWEEP_KERNELS);
    struct sb why = {0};
    bool good = diff_sweep(range.first ? range.first : *parity, 2, range.count, &why);
    if (!good) fail_msg("%s", why.text);
    sb_free(&why);
}

static inline int sweep_main(uint64_t parity) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_mechanism_leaves_the_same_memory, &parity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
