/* Generated kernels on the timed machine: a mechanism only schedules, a machine only takes time. Under every mechanism, on
 * every machine the memory left is what the CPU computed, every thread executes as many instructions as it does without
 * time, and the statistics add up. structured.c and unstructured.c run many more kernels, this one few but large ones, and
 * some on all machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "diff/sweep.h"
#include "mech/mech.h"

#ifdef __SANITIZE_ADDRESS__
enum { LARGE = 8, ON_ALL_MACHINES = 1 };
#else
enum { LARGE = 24, ON_ALL_MACHINES = 2 };
#endif

static void large_kernels_leave_the_same_memory(void **state) {
    (void)state;
    struct diff_range range = diff_range(LARGE);
    struct sb why = {0};
    if (!diff_sweep_large(range.first, range.count, &why)) fail_msg("%s", why.text);
}

/* Every mechanism on every machine, for a few kernels (HEDDLE_DIFF_EVERY of them). */
static void machines_leave_the_same_memory(void **state) {
    (void)state;
    const char *every = getenv("HEDDLE_DIFF_EVERY");
    struct diff_range range = diff_range(1);
    range.count = every ? strtoull(every, NULL, 10) : ON_ALL_MACHINES;
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        failed += !diff_begin(&c, range.first + i, &why);
        for (size_t k = 0; k < diff_nmachines() && failed < 5; k++)
            for (size_t m = 0; mech_list[m]; m++) {
                const char *const more[] = {"run.mode", "timed", "run.mech", mech_list[m]->name, NULL};
                failed += !diff_run(&c, &diff_machines[k], more, &why);
            }
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_kernels_leave_the_same_memory),
        cmocka_unit_test(machines_leave_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
