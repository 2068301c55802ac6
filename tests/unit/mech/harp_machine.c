/* HARP on the whole machine: kernels that diverge, recurse and synchronise leave the functional engine's memory, with the
 * paper's tables and with one entry in each; its warps are as wide as the SIMD group. */
#include "unit/mech/machines.h"

enum { N = MACHINES_WORDS, BLOCK = 64 };

static const struct machines_subject subjects[] = {
    {"diverge.ptx", "collatz", BLOCK, N, N},          {"diverge.ptx", "nested", BLOCK, N, 24},
    {"diverge.ptx", "odd_even", BLOCK, N, 24},        {"recursion.ptx", "fibonacci", 40, 80, 0},
    {"recursion.ptx", "ackermann_kernel", 24, 24, 0}, {"recursion.ptx", "mutual", 64, 64, 0},
};

#define ONE_ENTRY                                                                                \
    "harp.first", "1", "harp.second", "1", "harp.ready_lookup", "1", "harp.waiting_lookup", "1", \
        "harp.barriers", "1", "harp.spill", "20"
static const struct timed_machine machines[] = {
    {"harp-fermi", "harp", {"gpu.sms", "1"}},
    {"harp-fermi", "harp", {"gpu.sms", "2", ONE_ENTRY}},
    {"harp-fermi", "harp", {"sm.schedulers", "1", "harp.barrier_latency", "4", "harp.waiting_lookup", "0"}},
    {"harp-fermi", "harp", {"sm.issue", "scoreboard", "sm.simd_width", "32", "harp.ready_lookup", "0"}},
    {"harp-fermi", "harp", {"gpu.sms", "1", "harp.depart", "few", "harp.barrier_latency", "2"}},
    {"tiny", "harp", {"sm.issue", "scoreboard", "harp.depart", "few"}},
    {"tiny", "harp", {"sm.issue", "scoreboard", "sm.ideal_fetch", "false", ONE_ENTRY}},
};

static void memory_is_that_of_the_functional_engine(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        machines_same(&subjects[k], machines, sizeof machines / sizeof *machines, NULL);
}

/* Without divergence a warp of 32 in two beats and two warps of 16 in one beat each are the same work. */
static void without_divergence_narrow_warps_cost_nothing(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "harp"};
    double ipc[2];
    for (int k = 0; k < 2; k++) {
        struct rig r;
        struct timed_machine m = {"harp-fermi", mechs[k], {"gpu.sms", "1", "memory.ideal", "true"}};
        timed_open(&r, &m, "diverge.ptx");
        uint64_t d = rig_zero(&r, 4 * N);
        RUN(&r, "uniform", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(d), hd_arg_u32(200));
        near_value("lane activity", rig_stat(&r, "sm.lane_activity"), 1, 0);
        ipc[k] = rig_stat(&r, "gpu.ipc");
        rig_close(&r);
    }
    near_value("IPC", ipc[1], ipc[0], 0.03 * ipc[0]);
}

/* HARP 7.3: what the tables are for shows when they are taken away. */
static void lookups_and_barriers_raise_lane_activity(void **state) {
    (void)state;
    const struct timed_machine with = {"harp-fermi", "harp", {"gpu.sms", "1"}},
                               without = {"harp-fermi",
                                          "harp",
                                          {"gpu.sms", "1", "harp.ready_lookup", "0", "harp.waiting_lookup",
                                           "0"}},
                               missing = {"harp-fermi", "harp", {"gpu.sms", "1", "harp.barriers", "1"}};
    const struct timed_machine *const m[] = {&with, &without, &missing};
    double width[3];
    for (int k = 0; k < 3; k++) {
        struct rig r;
        uint32_t got[N];
        timed_open(&r, m[k], "diverge.ptx");
        machines_run(&r, &subjects[1], got);
        width[k] = rig_stat(&r, "sm.lane_activity");
        if ((rig_stat(&r, "harp.ready_merges") > 0) != (k != 1) ||
            (rig_stat(&r, "harp.barrier_misses") > 0) != (k == 2))
            fail_msg("machine %d: merges %g, misses %g", k, rig_stat(&r, "harp.ready_merges"),
                     rig_stat(&r, "harp.barrier_misses"));
        rig_close(&r);
    }
    if (!(width[1] < width[0] && width[2] < width[0]))
        fail_msg("lane activity %g, without lookups %g, with one barrier %g", width[0], width[1], width[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_that_of_the_functional_engine),
        cmocka_unit_test(without_divergence_narrow_warps_cost_nothing),
        cmocka_unit_test(lookups_and_barriers_raise_lane_activity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
