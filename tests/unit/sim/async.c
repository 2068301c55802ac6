/* Asynchronous copies in time: a wait lasts until the data is there, work in between is hidden, and memory is the same
 * whatever mechanism runs. Closed forms on `tiny` (timed.h); values alone are in tests/unit/exec/async.c. */
#include "kernels/timed.h"
#include "mech/mech.h"

enum { DEPTH = 4 }; /* depth of the machine tiny */
#define TINY(...)                                         \
    {                                                     \
        .config = "tiny", .option = { __VA_ARGS__, NULL } \
    }
#define COPY "cp.async.ca.shared.global [words], [%a], 4;\n\t"

static const char *const issue[] = {"barrel", "scoreboard"};

/* The load that a copy is: it reaches the memory stage depth - 1 cycles after issue, and a hit takes the cache's latency. What
 * waits goes on then: two instructions later than the copy issued, it would be there anyway only if latency were that short. */
static void a_wait_lasts_until_the_data_is_there(void **state) {
    (void)state;
    static const char *const latency[] = {"20", "50", "200"};
    for (int k = 0; k < 6; k++) {
        struct timed_case c = {TINY("l1d.latency", latency[k / 2], "sm.issue", issue[k % 2]), .block = 8,
                               .bytes = 64, .line = COPY "cp.async.commit_group;\n\tcp.async.wait_group 0;"};
        near_value(issue[k % 2], timed_slope(&c, 30), DEPTH - 1 + atoi(latency[k / 2]), 0);
        c.line = COPY "cp.async.wait_all;"; /* what was not committed too */
        near_value("all", timed_slope(&c, 30), DEPTH - 1 + atoi(latency[k / 2]), 0);
        c.line =
            "ld.global.f32 %x, [%a];\n\tadd.f32 %x, %x, %y;"; /* a load and its use, one instruction more */
        near_value("load", timed_slope(&c, 30), DEPTH - 1 + atoi(latency[k / 2]) + DEPTH, 0);
    }
}

/* A copy that no thread waits for costs an issue. */
static void copies_alone_do_not_hold_their_threads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct timed_case c = {TINY("l1d.latency", "100", "sm.issue", issue[k]), .block = 8, .bytes = 64,
                               .line = COPY};
        near_value(issue[k], timed_slope(&c, 100), k ? 1 : DEPTH, 0.5);
    }
}

/* wait_group n leaves the last n groups under way: with n of them always ahead, the latency of each is shared by n + 1. */
static void groups_overlap(void **state) {
    (void)state;
    const char *line[] = {COPY "cp.async.commit_group;\n\tcp.async.wait_group 0;",
                          COPY "cp.async.commit_group;\n\tcp.async.wait_group 1;",
                          COPY "cp.async.commit_group;\n\tcp.async.wait_group 3;"};
    for (int k = 0; k < 2; k++) {
        struct timed_case c = {TINY("l1d.latency", "300", "sm.issue", issue[k]), .block = 8, .bytes = 64};
        const double all = DEPTH - 1 + 300;
        for (int n = 0; n < 3; n++) {
            c.line = line[n];
            near_value(line[n], timed_slope(&c, 64), all / (n == 2 ? 4 : n + 1),
                       0.06 * all / (n == 2 ? 4 : n + 1));
        }
    }
}

/* A thread that waits for the phase of its copies waits as long as for their group. */
static void mbarriers_wait_for_the_copies_they_count(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool bulk = k > 1;
        struct timed_case c = {
            TINY("l1d.latency", "300", "sm.issue", issue[k % 2]), .block = 1, .bytes = 64,
            .before = ".reg .b64 %s;\n.reg .pred %p;\nmbarrier.init.shared.b64 [words+64], 1;",
            .line = bulk ? "mbarrier.arrive.expect_tx.shared.b64 %s, [words+64], 16;\n\t"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                           "[words], [%a], 16, [words+64];\n\t"
                           "mbarrier.test_wait.shared.b64 %p, [words+64], %s;"
                         : COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [words+64];\n\t"
                                "mbarrier.test_wait.parity.shared.b64 %p, [words+64], 0;\n\t" COPY
                                "cp.async.mbarrier.arrive.noinc.shared.b64 [words+64];\n\t"
                                "mbarrier.test_wait.parity.shared.b64 %p, [words+64], 1;"};
        const double each = timed_slope(&c, 30) / (bulk ? 1 : 2);
        if (each < 300 || each > 300 + 4 * DEPTH) fail_msg("%s %d: %g", issue[k % 2], bulk, each);
    }
}

/* The load/store unit sends a bulk copy line by line: each costs a cycle more. */
static void bulk_copies_take_a_cycle_a_line(void **state) {
    (void)state;
    double slope[2];
    for (int k = 0; k < 2; k++) {
        struct timed_case c = {TINY("l1d.latency", "100", "l1d.line", "64"), .block = 1, .bytes = 8192,
                               .line =
                                   k ? "cp.async.bulk.global.shared::cta.bulk_group [%a], [words], 4096;\n\t"
                                       "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;"
                                     : "cp.async.bulk.global.shared::cta.bulk_group [%a], [words], 64;\n\t"
                                       "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;"};
        slope[k] = timed_slope(&c, 10);
    }
    if (slope[1] < slope[0] + 63) fail_msg("64 lines take %g, one %g", slope[1], slope[0]);
}

/* A tile is loaded and worked on, round after round. With the next one under way meanwhile, a round takes the longer of the
 * two instead of both. */
#define WORK                                                                                                \
    "fma.rn.f32 %x, %x, %y, %y;\n\tfma.rn.f32 %x, %x, %y, %y;\n\tfma.rn.f32 %x, %x, %y, %y;\n\tfma.rn.f32 " \
    "%x, %x, "                                                                                              \
    "%y, %y;\n\tfma.rn.f32 %x, %x, %y, %y;\n\tfma.rn.f32 %x, %x, %y, %y;\n\tfma.rn.f32 %x, %x, %y, %y;\n\t" \
    "fma.rn.f32 %x, %x, %y, %y;\n\t"
static void double_buffering_hides_the_latency(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct timed_case c = {TINY("l1d.latency", "128", "latency.fp32", "13", "sm.issue", issue[k]),
                               .block = 8,
                               .bytes = 64}; /* eight dependent instructions of 16 cycles: 128 of work */
        c.line = "ld.global.f32 %z0, [%a];\n\tst.shared.f32 [words], %z0;\n\tbar.sync 0;\n\t" WORK;
        const double together = timed_slope(&c, 30);
        c.line = COPY "cp.async.commit_group;\n\tcp.async.wait_group 1;\n\tbar.sync 0;\n\t" WORK;
        const double ahead = timed_slope(&c, 30);
        if (together / ahead < 1.7) fail_msg("%s: %g and %g cycles a round", issue[k], together, ahead);
    }
}

/* ---- every mechanism ---- */

static const char pipeline[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.shared .align 128 "
    ".b8 "
    "sh[4096];\n.reg .b64 %a, %d<9>; .reg .b32 %r<9>; .reg .pred %p<4>;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0;\n"
    "@%p0 bra ready; mbarrier.init.shared.b64 [sh], 32; mbarrier.init.shared.b64 [sh+8], 96;\nready: "
    "bar.sync 0;\n"
    "mov.u32 %r7, 0; setp.ge.u32 %p0, %r0, 32; @%p0 bra consumer;\n"
    "producer: mov.u32 %r4, sh; mad.lo.u32 %r1, %r0, 16, %r4; add.u32 %r6, %r7, 1; and.b32 %r6, %r6, 1;\n"
    "empty: mbarrier.try_wait.parity.shared.b64 %p1, [sh+8], %r6; @!%p1 bra empty;\n"
    "mul.lo.u32 %r2, %r7, 512; mad.lo.u32 %r2, %r0, 16, %r2; cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %a;\n"
    "cp.async.cg.shared.global [%r1+64], [%d1], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [sh];\n"
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra producer; bra done;\n"
    "consumer: and.b32 %r6, %r7, 1;\n"
    "full: mbarrier.try_wait.parity.shared.b64 %p1, [sh], %r6; @!%p1 bra full;\n"
    "and.b32 %r2, %r0, 31; mov.u32 %r4, sh; mad.lo.u32 %r1, %r2, 16, %r4; ld.shared.u32 %r3, [%r1+64];\n"
    "mad.lo.u32 %r2, %r7, 128, %r0; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %a; st.global.u32 "
    "[%d1+4096], %r3;\n"
    "mbarrier.arrive.shared.b64 %d2, [sh+8]; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra "
    "consumer;\n"
    "done: ret;\n}\n";

static void run_pipeline(const struct timed_machine *m, double *insts, double *cycles) {
    struct rig r;
    uint32_t v[2048];
    timed_device(&r, m);
    MUST(&r, hd_module_load(r.dev, "pipeline.ptx", pipeline, 0, &r.mod));
    for (uint32_t k = 0; k < 2048; k++) v[k] = k * 2654435761u;
    const uint64_t a = rig_in(&r, v, sizeof v);
    RUN(&r, "k", LAUNCH(.block = {128}), PTR(a));
    rig_out(&r, a, v, sizeof v);
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t t = 32; t < 128; t++)
            if (v[1024 + round * 128 + t] != v[round * 128 + t % 32 * 4])
                fail_msg("%s: thread %u round %u", m->mech, t, round);
    *insts = rig_stat(&r, "sm.warp_insts");
    *cycles = rig_stat(&r, "gpu.cycles");
    rig_close(&r);
}

/* Producers and consumers of one block, handing one buffer over by two mbarriers. A mechanism whose warps have threads of both
 * (large warps; compaction of whole blocks) may be unable to: who spins holds up those it waits for, which is its answer. */
static void every_mechanism_runs_producers_and_consumers(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        const char *name = (*m)->name;
        double insts, cycles;
        if (!strcmp(name, "lwm") || !strcmp(name, "tbc") || !strcmp(name, "capri")) continue;
        for (int k = 0; k < 2; k++)
            run_pipeline(&(struct timed_machine){.config = "turing-rtx2060",
                                                 .mech = name,
                                                 .option = {"sm.issue", issue[k]}},
                         &insts, &cycles);
    }
}

/* A failing try_wait suspends its thread: it does not spin, and wakes when the phase is over. */
static void suspended_threads_do_not_spin(void **state) {
    (void)state;
    double insts[2], cycles[2];
    const char *const limit[] = {"1", "1000"};
    for (int k = 0; k < 2; k++)
        run_pipeline(&(struct timed_machine){.config = "turing-rtx2060", .option = {"sm.try_wait", limit[k]}},
                     &insts[k], &cycles[k]);
    if (insts[1] >= 0.9 * insts[0]) fail_msg("%g and %g instructions", insts[0], insts[1]);
    if (cycles[1] > cycles[0]) fail_msg("%g and %g cycles", cycles[0], cycles[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_lasts_until_the_data_is_there),
        cmocka_unit_test(copies_alone_do_not_hold_their_threads),
        cmocka_unit_test(groups_overlap),
        cmocka_unit_test(mbarriers_wait_for_the_copies_they_count),
        cmocka_unit_test(bulk_copies_take_a_cycle_a_line),
        cmocka_unit_test(double_buffering_hides_the_latency),
        cmocka_unit_test(every_mechanism_runs_producers_and_consumers),
        cmocka_unit_test(suspended_threads_do_not_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
