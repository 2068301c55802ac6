/* SL's Figure 5 on its thirteen programs at size tiny, program by program: min(SP:PC) has never fewer active threads to an issue
 * than the two stacks, issues without threads counted and marks left out; and what sets them apart is these issues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/run/subject.h"

static const char *const programs[] = {"stockham",  "fwal",     "blackscholes", "transpose", "quasirandom",
                                       "sortnet",   "binomial", "convsep",      "fd3d",      "montecarlo",
                                       "reduction", "dwt",      "mtm"};
enum { PROGRAMS = sizeof programs / sizeof *programs };

struct figures {
    bool refused;
    uint64_t threads, issues, marks; /* threads; issues; issues of marks */
};

static struct figures measure(const char *program, const char *mech) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", mech}};
    const struct lab_subject s = {.workload = workload_find(program), .size = WORK_TINY};
    struct lab_outcome out;
    assert_non_null(s.workload);
    lab_run(&s, &(hd_config){.options = options, .noptions = 2, .file = "sl-tesla"}, NULL, &out);
    const bool refused = out.err.code == ERR_REFUSED;
    if (out.err.code && !refused) fail_msg("%s under %s: %s", program, mech, err_text(&out.err));
    const struct figures f = {refused, out.total.sm.thread_insts, out.total.sm.issues,
                              out.total.sm.overhead_insts};
    lab_outcome_free(&out);
    return f;
}

/* Active threads of an issue. */
static double active(const struct figures *f) {
    return (double)f->threads / (double)(f->issues - f->marks);
}

/* The best ratio. */
static double never_below(const char *mech, const char *refused) {
    double best = 0;
    for (int p = 0; p < PROGRAMS; p++) {
        const struct figures a = measure(programs[p], "minpc"), b = measure(programs[p], mech);
        assert_int_equal(b.refused, refused && strcmp(programs[p], refused) == 0);
        if (b.refused) continue;
        const double ratio = active(&a) / active(&b);
        if (ratio < 1)
            fail_msg("%s: %g active threads, under %s %g", programs[p], active(&a), mech, active(&b));
        assert_int_equal(a.threads, b.threads);
        best = ratio > best ? ratio : best;
    }
    return best;
}

static void min_pc_is_never_below_the_tesla_stack(void **state) {
    (void)state;
    assert_true(never_below("tesla", NULL) > 1.02);
}

/* SL 5.2: its FFT has calls, which the implicit stack does not run. */
static void min_pc_is_never_below_the_implicit_stack(void **state) {
    (void)state;
    assert_true(never_below("sympa13", "stockham") > 1.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(min_pc_is_never_below_the_tesla_stack),
        cmocka_unit_test(min_pc_is_never_below_the_implicit_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
