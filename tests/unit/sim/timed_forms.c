/* Closed forms through the whole machine: what a single thing costs must be what the options say it costs.
 *
 * An instruction of latency L takes depth + L - 1 cycles from issue to write-back, a load that hits depth - 1 + the cache's
 * latency. All are measured as slopes (timed.h) on `tiny`, whose clocks are all the same. */
#include <inttypes.h>

#include "kernels/timed.h"

enum { DEPTH = 4 }; /* depth of the machine tiny */
#define TINY(...)                                         \
    {                                                     \
        .config = "tiny", .option = { __VA_ARGS__, NULL } \
    }

/* ---- one warp, arithmetic ---- */

static void a_dependent_chain_has_the_configured_latency(void **state) {
    (void)state;
    static const char *const latency[] = {"1", "5", "12"}, *const issue[] = {"barrel", "scoreboard"};
    for (int k = 0; k < 6; k++) {
        struct timed_case c = {TINY("latency.fp32", latency[k / 2], "sm.issue", issue[k % 2]), .block = 8,
                               .line = "fma.rn.f32 %x, %x, %y, %y;"};
        near_value(issue[k % 2], timed_slope(&c, 50), DEPTH + atoi(latency[k / 2]) - 1, 0);
    }
}

/* Eight sums that do not need each other. */
#define SUMS(op)                                                                                       \
    op " %z0, %z0, %y;\n\t" op " %z1, %z1, %y;\n\t" op " %z2, %z2, %y;\n\t" op " %z3, %z3, %y;\n\t" op \
       " %z4, %z4, %y;\n\t" op " %z5, %z5, %y;\n\t" op " %z6, %z6, %y;\n\t" op " %z7, %z7, %y;"

/* Independent instructions of one warp: every depth cycles under barrel, every cycle under scoreboard. */
static void one_warp_issues_every_depth_cycles_under_barrel(void **state) {
    (void)state;
    struct timed_case c = {TINY("sm.issue", "barrel"), .block = 8, .line = SUMS("add.f32")};
    near_value("barrel", timed_slope(&c, 20), 8 * DEPTH, 0);
    c.machine.option[1] = "scoreboard";
    near_value("scoreboard", timed_slope(&c, 20), 8, 0);
}

/* A warp of 32 on 8 lanes needs 4 beats; the class's initiation interval multiplies them. */
static void issue_takes_beats_times_the_interval(void **state) {
    (void)state;
    struct timed_case c = {TINY("sm.issue", "scoreboard", "sm.warp_size", "32"), .block = 32,
                           .line = SUMS("add.f32")};
    near_value("beats", timed_slope(&c, 20), 8 * 4, 0);
    c.machine = (struct timed_machine)TINY("sm.issue", "scoreboard", "interval.fp32", "3");
    c.block = 8;
    near_value("interval", timed_slope(&c, 20), 8 * 3, 0);
    c.machine =
        (struct timed_machine)TINY("sm.issue", "scoreboard", "interval.fp32", "3", "sm.warp_size", "32");
    c.block = 32;
    near_value("both", timed_slope(&c, 20), 8 * 12, 0);
}

static void enough_warps_reach_peak_ipc(void **state) {
    (void)state;
    static const char *const issue[] = {"barrel", "scoreboard"};
    for (int k = 0; k < 2; k++) {
        struct timed_case c = {TINY("sm.issue", issue[k]), .block = 128,
                               .line = "fma.rn.f32 %x, %x, %y, %y;"};
        /* 16 warps of 8 on 8 lanes: a round of all of them is a slot each */
        near_value(issue[k], timed_slope(&c, 50), 16, 0);
    }
}

/* ---- shared memory ---- */

/* Words `stride` apart on 8 banks: the conflict degree is the stride, as long as it is a power of two up to 8. */
static void a_bank_conflict_of_degree_k_costs_k(void **state) {
    (void)state;
    static const unsigned stride[] = {1, 2, 4, 8};
    for (int k = 0; k < 4; k++) {
        char before[256];
        snprintf(before, sizeof before,
                 "\tmul.lo.u32 %%t, %%t, %u;\n\tmov.u32 %%i, words;\n\tadd.u32 %%t, %%t, %%i;",
                 4 * stride[k]);
        struct timed_case c = {TINY("sm.issue", "barrel", "sm.shared_latency", "2"), .block = 8,
                               .before = before, .line = "ld.shared.u32 %i, [%t];"};
        near_value("conflict", timed_slope(&c, 40), DEPTH - 1 + 2 + stride[k] - 1, 0);
    }
}

static void a_broadcast_is_no_conflict(void **state) {
    (void)state;
    struct timed_case c = {TINY("sm.shared_latency", "2"), .block = 8, .line = "ld.shared.u32 %i, [words];"};
    near_value("broadcast", timed_slope(&c, 40), DEPTH - 1 + 2, 0);
}

/* ---- pointer chases: one thread, each load needs the one before ---- */

#define CHASE "ld.global.u64 %a, [%a];"

static void fill_self(struct rig *r, uint64_t addr, size_t bytes) {
    (void)bytes;
    MUST(r, hd_copy_in(r->dev, addr, &addr, sizeof addr));
}

/* A ring of cells `stride` bytes apart. */
static void fill_ring(struct rig *r, uint64_t addr, size_t bytes, size_t stride) {
    uint8_t *data = calloc(1, bytes);
    assert_non_null(data);
    for (size_t at = 0; at < bytes; at += stride) {
        uint64_t next = addr + (at + stride) % bytes;
        memcpy(data + at, &next, sizeof next);
    }
    MUST(r, hd_copy_in(r->dev, addr, data, bytes));
    free(data);
}
static void fill_lines(struct rig *r, uint64_t addr, size_t bytes) {
    fill_ring(r, addr, bytes, 32);
}
static void fill_rows(struct rig *r, uint64_t addr, size_t bytes) {
    fill_ring(r, addr, bytes, 1024); /* rows of 512 bytes on 2 banks: the next row of the same bank */
}

static void a_chase_in_the_first_level_takes_its_hit_latency(void **state) {
    (void)state;
    static const char *const latency[] = {"1", "2", "17"}, *const issue[] = {"barrel", "scoreboard"};
    for (int k = 0; k < 6; k++) {
        struct timed_case c = {TINY("l1d.latency", latency[k / 2], "sm.issue", issue[k % 2]), .line = CHASE,
                               .bytes = 64, .fill = fill_self};
        near_value("L1", timed_slope(&c, 40), DEPTH - 1 + atoi(latency[k / 2]), 0);
    }
}

/* Two lines that push each other out of a first level of one line: each load goes to L2. */
static double second_level(const char *l2, const char *noc, const char *ideal) {
    struct timed_case c = {
        TINY("l1d.sets", "1", "l1d.ways", "1", "l2.latency", l2, "noc.latency", noc, "noc.ideal", ideal),
        .line = CHASE, .bytes = 64, .fill = fill_lines};
    return timed_slope(&c, 40);
}
static void a_chase_in_the_second_level_adds_its_latency_and_two_crossings(void **state) {
    (void)state;
    double base = second_level("8", "2", "true");
    near_value("L2 latency", second_level("29", "2", "true") - base, 21, 0);
    near_value("crossbar latency", second_level("8", "12", "true") - base, 20, 0);
    near_value("L2 latency, real crossbar",
               second_level("29", "2", "false") - second_level("8", "2", "false"), 21, 0);
    /* nothing else is on the way but the pipeline and a few hand-overs from clock to clock */
    double sum = DEPTH - 1 + 8 + 2 * 2;
    if (base < sum || base > sum + 8) fail_msg("L2: %g cycles, the parts are %g", base, sum);
}

static double from_dram(const char *key, const char *value, void (*fill)(struct rig *, uint64_t, size_t)) {
    struct timed_case c = {TINY("l1d.sets", "1", "l1d.ways", "1", "l2.sets", "1", "l2.ways", "1", "noc.ideal",
                                "true", "dram.row_bytes", "512", key, value),
                           .line = CHASE, .bytes = 16384, .fill = fill};
    return timed_slope(&c, 100);
}
static void a_chase_in_dram_adds_its_constraints(void **state) {
    (void)state;
    double hit = from_dram("dram.tCL", "4", fill_lines), conflict = from_dram("dram.tCL", "4", fill_rows);
    near_value("row hit, tCL", from_dram("dram.tCL", "15", fill_lines) - hit, 11, 0.5);
    near_value("row conflict, tCL", from_dram("dram.tCL", "15", fill_rows) - conflict, 11, 0.5);
    near_value("row conflict, tRCD", from_dram("dram.tRCD", "14", fill_rows) - conflict, 10, 0.5);
    near_value("row conflict, tRP", from_dram("dram.tRP", "14", fill_rows) - conflict, 10, 0.5);
    /* tiny: tRP + tRCD = 8; a chase along a row opens a new one every 16 lines */
    near_value("conflict over hit", conflict - hit, 8, 1);
}

/* ---- streams ---- */

static void fill_nothing(struct rig *r, uint64_t addr, size_t bytes) {
    (void)r, (void)addr, (void)bytes;
}

/* 128 threads read 16 bytes each, line after line; bytes a cycle. Rows are long, so that opening them hardly shows. */
static double stream_rate(const char *channels, const char *flit) {
    enum { LINES = 60 };
    struct timed_case c = {TINY("dram.channels", channels, "dram.row_bytes", "16K", "sm.lsu_queue", "64",
                                "l1d.mshrs", "256", "l2.mshrs", "64", "sm.issue", "scoreboard", "noc.flit",
                                flit),
                           .block = 128, .bytes = (3 * LINES + 1) * 2048, .fill = fill_nothing};
    c.before = "\t.reg .b32 %q<4>;\n\t.reg .b64 %o;\n\tmul.wide.u32 %o, %t, 16;\n\tadd.u64 %a, %a, %o;";
    c.line = "ld.global.v4.u32 {%q0, %q1, %q2, %q3}, [%a];\n\tadd.u64 %a, %a, 2048;";
    return 2048 / timed_slope(&c, LINES);
}
static void within(const char *what, double rate, double peak) {
    if (rate > peak * 1.0001 || rate < 0.9 * peak) fail_msg("%s: %g bytes a cycle of %g", what, rate, peak);
}

/* Within 10 % of the peak of what is narrowest, and never above: a channel's 8 bytes a cycle; two channels' 16; or the one
 * port of the SM, where a line of 32 bytes and its header of 4 need three flits of 16. */
static void a_stream_reaches_peak_bandwidth(void **state) {
    (void)state;
    within("one channel", stream_rate("1", "64"), 8);
    within("two channels", stream_rate("2", "64"), 16);
    within("crossbar", stream_rate("4", "16"), 32.0 / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dependent_chain_has_the_configured_latency),
        cmocka_unit_test(one_warp_issues_every_depth_cycles_under_barrel),
        cmocka_unit_test(issue_takes_beats_times_the_interval),
        cmocka_unit_test(enough_warps_reach_peak_ipc),
        cmocka_unit_test(a_bank_conflict_of_degree_k_costs_k),
        cmocka_unit_test(a_broadcast_is_no_conflict),
        cmocka_unit_test(a_chase_in_the_first_level_takes_its_hit_latency),
        cmocka_unit_test(a_chase_in_the_second_level_adds_its_latency_and_two_crossings),
        cmocka_unit_test(a_chase_in_dram_adds_its_constraints),
        cmocka_unit_test(a_stream_reaches_peak_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
