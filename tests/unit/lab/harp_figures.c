/* What HARP's Figures 13 and 14 show of large warps, on the programs of types A and B, program by program, on the machine of
 * HARP's claims: the lanes are the fullest of SBR (pdom), HARP and LWM, and more threads are stalled by divergence than under
 * SBR, whichever ready warp goes first. Lanes are those of HARP's equation 2, which counts cycles of the SIMD group, so that
 * warps of 16, 32 and 128 threads compare. By it nw, whose blocks have 16 threads, and bkp are level under all three. Programs
 * are at size tiny but for mu: its few reads there leave a large warp a tenth of a point to a point behind HARP. The means are
 * claims (harp.figure13, harp.figure14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/run/subject.h"

static const struct program {
    const char *name;
    enum work_size size;
    bool level; /* lanes as full under pdom */
} programs[] = {
    {"mp", WORK_TINY, false},  {"mu", WORK_SMALL, false},  {"nqu", WORK_TINY, false},
    {"nw", WORK_TINY, true},   {"pf", WORK_TINY, false},   {"bfs", WORK_TINY, false},
    {"bkp", WORK_TINY, true},  {"hspt", WORK_TINY, false}, {"lps", WORK_TINY, false},
    {"ray", WORK_TINY, false},
};
static const char *const orders[] = {"lrr", "gto"};
enum { PROGRAMS = sizeof programs / sizeof *programs, ORDERS = sizeof orders / sizeof *orders };

struct figures {
    double lanes, stalled; /* shares */
};

static struct figures measure(const struct program *program, const char *mech, const char *order) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", mech}, {"sm.order", order}};
    const struct lab_subject s = {.workload = workload_find(program->name), .size = program->size};
    struct lab_outcome out;
    assert_non_null(s.workload);
    lab_run(&s, &(hd_config){.options = options, .noptions = 3, .file = "harp-gpgpusim2"}, NULL, &out);
    if (out.err.code) fail_msg("%s under %s: %s", program->name, mech, err_text(&out.err));
    const struct stats *t = &out.total;
    const double held = (double)(t->idle.inactive_path + t->idle.reconvergence),
                 all = held + (double)(t->idle.dependency + t->idle.barrier);
    const struct figures f = {(double)t->sm.thread_insts / (double)(t->sm.lane_slots - t->sm.vacant_slots),
                              held / all};
    lab_outcome_free(&out);
    return f;
}

static void large_warps_have_the_fullest_lanes(void **state) {
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int p = 0; p < PROGRAMS; p++) {
            const double lwm = measure(&programs[p], "lwm", orders[o]).lanes,
                         harp = measure(&programs[p], "harp", orders[o]).lanes,
                         pdom = measure(&programs[p], "pdom", orders[o]).lanes;
            if (!(lwm >= harp && (programs[p].level ? lwm == pdom : lwm > pdom)))
                fail_msg("%s, %s: lane activity %g under lwm, %g under harp, %g under pdom", programs[p].name,
                         orders[o], lwm, harp, pdom);
        }
}

static void large_warps_stall_more_threads_than_a_stack_for_each_warp(void **state) {
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int p = 0; p < PROGRAMS; p++) {
            const double lwm = measure(&programs[p], "lwm", orders[o]).stalled,
                         pdom = measure(&programs[p], "pdom", orders[o]).stalled;
            if (!(lwm > pdom))
                fail_msg("%s, %s: %g of the threads stalled under lwm, %g under pdom", programs[p].name,
                         orders[o], lwm, pdom);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_warps_have_the_fullest_lanes),
        cmocka_unit_test(large_warps_stall_more_threads_than_a_stack_for_each_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
