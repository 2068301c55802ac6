/* The builds of workloads for RISC-V: each ends in its own check against the CPU under mechanisms of every kind, with the same
 * bytes under all of them, which are those of the PTX. */
#include "verify.h"

static const char *const mechs[] = {"pdom", "dwf", "harp", "tbc", "volta", "minpc", "mimd"};
enum { MECHS = sizeof mechs / sizeof *mechs };

static void run_functional(const struct workload *w, struct lab_outcome *out) {
    const struct verify_case c = {.workload = w};
    verify_run(&c, NULL, out);
    verify_fine(&c, NULL, out);
}

static void a_build_ends_with_the_right_bytes(void **state) {
    const struct workload *w = *state;
    struct lab_outcome functional;
    run_functional(w, &functional);
    for (size_t m = 0; m < MECHS; m++) verify_timed(&(struct verify_case){w, mechs[m]}, &functional);
    lab_outcome_free(&functional);
}

/* Integers, or floating point in the order of the source: nothing is contracted, and no library is asked. */
static void results_are_those_of_the_ptx(void **state) {
    (void)state;
    for (const struct workload *w = workload_builds; w->name; w++) {
        struct lab_outcome ours, ptx;
        run_functional(w, &ours);
        run_functional(workload_build(w, WORK_PTX), &ptx);
        if (ours.digest != ptx.digest) fail_msg("@%s computes other bytes than the PTX", w->name);
        lab_outcome_free(&ours);
        lab_outcome_free(&ptx);
    }
}

static void builds_are_found_by_name_and_in_no_list(void **state) {
    (void)state;
    const struct workload *hmmer = workload_find("hmmer"), *built = workload_find("hmmer:riscv-O1");
    assert_ptr_equal(workload_build(hmmer, WORK_RISCV_O1), built);
    assert_ptr_equal(workload_build(built, WORK_PTX), hmmer);
    assert_ptr_equal(workload_build(built, WORK_RISCV), workload_find("hmmer:riscv"));
    assert_null(workload_build(workload_find("mp"), WORK_RISCV));
    assert_null(workload_find("hmmer:arm"));
    for (const struct workload *w = workload_list; w->name; w++) assert_null(strchr(w->name, ':'));
}

/* The thesis's seven, each twice. */
int main(void) {
    VEC(struct CMUnitTest) tests = {0};
    for (const struct workload *w = workload_builds; w->name; w++)
        VEC_PUSH(&tests,
                 ((struct CMUnitTest){w->name, a_build_ends_with_the_right_bytes, NULL, NULL, (void *)w}));
    int failed = tests.n != 14;
    VEC_PUSH(&tests, ((struct CMUnitTest)cmocka_unit_test(results_are_those_of_the_ptx)));
    VEC_PUSH(&tests, ((struct CMUnitTest)cmocka_unit_test(builds_are_found_by_name_and_in_no_list)));
    failed += _cmocka_run_group_tests("riscv", tests.v, tests.n, NULL, NULL);
    VEC_FREE(&tests);
    return failed;
}
