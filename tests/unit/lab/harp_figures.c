/* What HARP's Figures 13 and 14 show of large warps, on the programs of types A and B at size tiny, program by program: the
 * lanes are the fullest of SBR (pdom), HARP and LWM, and more threads are stalled by divergence than under SBR, whichever
 * ready warp goes first. Two exceptions: mu, whose unstructured loops meet so late that HARP's regrouping has fuller lanes than a
 * large warp; and at size small one program in Figure 14 (docs/mechanisms/lwm.md). The means are claims (harp.figure13,
 * harp.figure14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/subject.h"

static const char *const programs[] = {"mp", "mu", "nqu", "nw", "pf", "bfs", "bkp", "hspt", "lps", "ray"};
static const char *const orders[] = {"lrr", "gto"};
enum { PROGRAMS = sizeof programs / sizeof *programs, ORDERS = sizeof orders / sizeof *orders };

struct figures {
    double lanes, stalled; /* shares */
};

static struct figures measure(const char *program, const char *mech, const char *order) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", mech}, {"sm.order", order}};
    const struct lab_subject s = {.workload = workload_find(program), .size = WORK_TINY};
    struct lab_outcome out;
    assert_non_null(s.workload);
    lab_run(&s, &(hd_config){.options = options, .noptions = 3, .file = "harp-fermi"}, NULL, &out);
    if (out.err.code) fail_msg("%s under %s: %s", program, mech, err_text(&out.err));
    const struct stats *t = &out.total;
    const double held = (double)(t->idle.inactive_path + t->idle.reconvergence),
                 all = held + (double)(t->idle.dependency + t->idle.barrier);
    const struct figures f = {(double)t->sm.thread_insts / (double)t->sm.lane_slots, held / all};
    lab_outcome_free(&out);
    return f;
}

static void large_warps_have_the_fullest_lanes(void **state) {
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int p = 0; p < PROGRAMS; p++) {
            const double lwm = measure(programs[p], "lwm", orders[o]).lanes,
                         harp = measure(programs[p], "harp", orders[o]).lanes,
                         pdom = measure(programs[p], "pdom", orders[o]).lanes;
            if (!((lwm >= harp || !strcmp(programs[p], "mu")) && lwm > pdom))
                fail_msg("%s, %s: lane activity %g under lwm, %g under harp, %g under pdom", programs[p],
                         orders[o], lwm, harp, pdom);
        }
}

static void large_warps_stall_more_threads_than_a_stack_for_each_warp(void **state) {
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int p = 0; p < PROGRAMS; p++) {
            const double lwm = measure(programs[p], "lwm", orders[o]).stalled,
                         pdom = measure(programs[p], "pdom", orders[o]).stalled;
            if (!(lwm > pdom))
                fail_msg("%s, %s: %g of the threads stalled under lwm, %g under pdom", programs[p], orders[o],
                         lwm, pdom);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_warps_have_the_fullest_lanes),
        cmocka_unit_test(large_warps_stall_more_threads_than_a_stack_for_each_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
