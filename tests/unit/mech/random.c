/* Random programs with random outcomes through every mechanism of the list, as it is by default, at every warp size: each
 * thread executes exactly its own path, none is lost, the mechanism's books balance after every commit, and a stack stays
 * within 2W entries. Mechanisms with tables have tests of their own that cut these down to an entry. */
#include "unit/mech/random_run.h"

static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (random_run(*m, false)) fail_msg("%s does not end", (*m)->name);
}

/* Who holds threads back that others wait for at a barrier may stick, but only there. */
static void test_with_barriers_only_those_without_progress_stick(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        const uint32_t stuck = random_run(*m, true);
        if (stuck && (*m)->caps & MECH_PROGRESS) fail_msg("%s sticks %u times", (*m)->name, stuck);
        if (!strcmp((*m)->name, "pdom")) assert_true(stuck);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_thread_takes_its_own_path),
        cmocka_unit_test(test_with_barriers_only_those_without_progress_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
