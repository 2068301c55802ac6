/* Every workload in lockstep, on warps of 32 and of whole blocks: a branch at which threads diverged was never called uniform;
 * and how many were, so that an analysis that calls everything varying is found out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/uniform.h"
#include "lab/run/subject.h"

struct look {
    struct uniform_count n;
    struct sb why;
};

static void closing(void *user, hd_device *dev) {
    struct look *l = user;
    uniform_check(dev, &l->n, &l->why);
}

static void run_all(const char *width, const char *simd, struct look *l) {
    for (const struct workload *w = workload_list; w->name; w++) {
        const hd_option o[] = {
            {"run.mode", "timed"}, {"run.mech", "pdom"}, {"sm.warp_size", width}, {"sm.simd_width", simd}};
        const hd_config machine = {.options = o, .noptions = 4};
        const struct lab_hooks hooks = {.closing = closing, .user = l};
        const struct lab_subject s = {.workload = w, .size = WORK_TINY};
        struct lab_outcome out;
        size_t before = l->why.len;
        lab_run(&s, &machine, &hooks, &out);
        if (l->why.len > before) sb_add(&l->why, "  @%s\n", w->name);
        lab_outcome_free(&out); /* spin-lock deadlocks, as it must */
    }
    print_message("warps of %s: %u branches, %u diverged, %u called uniform\n", width, l->n.branches,
                  l->n.diverged, l->n.uniform);
    if (l->why.len) fail_msg("%s", l->why.text);
    sb_free(&l->why);
}

/* All workloads execute 505 conditional branches at size tiny, of which 267 split a warp; 152 of the others are called
 * uniform, the rest depend on loaded data. */
static void no_branch_that_split_a_warp_is_called_uniform(void **state) {
    (void)state;
    struct look l = {0};
    run_all("32", "32", &l);
    assert_true(l.n.uniform * 2 >= l.n.branches - l.n.diverged);
}

static void nor_that_split_a_block(void **state) {
    (void)state;
    struct look l = {0};
    run_all("256", "32", &l);
    assert_true(l.n.uniform * 2 >= l.n.branches - l.n.diverged);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_branch_that_split_a_warp_is_called_uniform),
        cmocka_unit_test(nor_that_split_a_block),
    };
    return cmocka_run_group_tests_name("cfg/uniform on workloads", tests, NULL, NULL);
}
