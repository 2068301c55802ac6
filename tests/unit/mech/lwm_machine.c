/* Large warps on the whole machine: kernels that diverge, recurse and synchronise leave the functional engine's memory at
 * every size; sub-warps, jumps and accesses cost what they should; and warps of 32 that part around a barrier are held
 * together, which only a smaller size lets go. */
#include "unit/mech/machines.h"

enum { N = MACHINES_WORDS, BLOCK = 64 };

static const struct machines_subject subjects[] = {
    {"diverge.ptx", "collatz", 160, 480, N},          {"diverge.ptx", "nested", 256, N, 24},
    {"diverge.ptx", "odd_even", BLOCK, N, 24},        {"recursion.ptx", "fibonacci", 40, 80, 0},
    {"recursion.ptx", "ackermann_kernel", 24, 24, 0}, {"recursion.ptx", "mutual", 64, 64, 0},
};

static const struct timed_machine machines[] = {
    {"harp-fermi", "lwm", {"gpu.sms", "1"}},
    {"harp-fermi", "lwm", {"gpu.sms", "2", "lwm.size", "256", "sm.schedulers", "1"}},
    {"harp-fermi", "lwm", {"sm.issue", "scoreboard", "sm.simd_width", "32", "lwm.sync", "all"}},
    {"harp-fermi",
     "lwm",
     {"sm.order", "two_level", "sm.order_active", "1", "sm.order_timeout", "32", "lwm.size", "64"}},
    {"tiny", "lwm", {"sm.issue", "scoreboard", "sm.ideal_fetch", "false", "lwm.size", "16"}},
    {"turing-rtx2060", "lwm", {"gpu.sms", "2", "lwm.jump", "all"}},
};

/* Full sub-warps are among all sub-warps. */
static void subwarps_add_up(struct rig *r) {
    assert_true(rig_stat(r, "lwm.subwarps") >= rig_stat(r, "lwm.full_subwarps"));
}

static void memory_is_that_of_the_functional_engine(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        machines_same(&subjects[k], machines, sizeof machines / sizeof *machines, subwarps_add_up);
}

/* ---- what an issue costs ---- */

/* One block of 128 threads on 16 lanes is a large warp alone; a line of code more costs so many cycles. */
static double cycles_of(const char *before, const char *line, const char *key, const char *value) {
    const struct timed_case c = {
        .machine = {"harp-fermi",
                    "lwm",
                    {"gpu.sms", "1", "memory.ideal", "true", "sm.depth", "4", key, value}},
        .before = before,
        .line = line,
        .grid = 1,
        .block = 128,
        .bytes = 4096};
    return timed_slope(&c, 10);
}

static void an_instruction_takes_the_beats_of_its_fullest_lane(void **state) {
    (void)state; /* a pipeline of 4, so that beats are what counts */
    const char *const add = "add.u32 %i, %i, 1;";
    near_value("all threads", cycles_of("", add, NULL, NULL), 8, 0);
    near_value("and their last sub-warp", cycles_of("", add, "lwm.sync", "all"), 8 + 3, 0);
    near_value(
        "lanes 0 to 7 of each row",
        cycles_of(".reg .pred %p; and.b32 %t, %t, 8; setp.ne.u32 %p, %t, 0; @%p exit;", add, NULL, NULL), 8,
        0);
    near_value(
        "every other row",
        cycles_of(".reg .pred %p; and.b32 %t, %t, 16; setp.ne.u32 %p, %t, 0; @%p exit;", add, NULL, NULL), 4,
        0);
}

static void shared_memory_takes_a_cycle_for_each_subwarp(void **state) {
    (void)
        state; /* 16 words side by side each: 8 sub-warps, the last 4 + 1 cycles after it reached its banks */
    const char *const before = ".reg .b32 %s, %w; shl.b32 %w, %t, 2; mov.u32 %s, words; add.u32 %s, %s, %w;";
    const double load = cycles_of(before, "ld.shared.u32 %i, [%s];", "sm.shared_latency", "1");
    near_value("a load", load, 3 + 8, 0);
}

/* ---- warps of 32 inside a large one ---- */

static hd_status leave(const char *size, struct sb *text) {
    struct rig r;
    int32_t sums[3] = {0}, want[3] = {15, 15, 15};
    const struct timed_machine m = {"harp-fermi", "lwm", {"gpu.sms", "1", "lwm.size", size}};
    timed_open(&r, &m, "shapes.ptx");
    uint64_t d = rig_zero(&r, sizeof sums);
    hd_status st = rig_launch(&r, "warps_leave", LAUNCH(.grid = {3}, .block = {160}), ARGS(PTR(d)));
    if (st) {
        sb_add(text, "%s", hd_error(r.dev));
    } else {
        rig_out(&r, d, sums, sizeof sums);
        same_u32("sum", sums, want, 3);
    }
    rig_close(&r);
    return st;
}

/* Each round one warp more leaves a loop that has a barrier in it. In one large warp those that left wait at the loop's end
 * for those at the barrier, who wait for them. CUDA leaves undefined what a barrier in such a loop does. */
static void warps_that_part_around_a_barrier_hold_each_other(void **state) {
    (void)state;
    struct sb text = {0};
    assert_int_equal(leave("32", &text), HD_OK);
    assert_int_equal(leave("128", &text), HD_FAULT);
    if (!strstr(text.text, "SIMT-induced deadlock") || !strstr(text.text, "lwm"))
        fail_msg("the report is %s", text.text);
    sb_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_that_of_the_functional_engine),
        cmocka_unit_test(an_instruction_takes_the_beats_of_its_fullest_lane),
        cmocka_unit_test(shared_memory_takes_a_cycle_for_each_subwarp),
        cmocka_unit_test(warps_that_part_around_a_barrier_hold_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
