/* Block barriers: whole blocks, counts, arrivals, reductions, exited threads, misuse. */
#include "rig.h"

/* %t: thread; %v is stored at p[thread]. */
#define KERNEL(body)                                                                               \
    HEAD ".visible .entry k(.param .u64 p) {\n.shared .align 4 .b8 s[4096];\n"                     \
         ".reg .u64 %rd<9>; .reg .u32 %t, %v, %r<9>; .reg .pred %p<9>;\nld.param.u64 %rd0, [p];\n" \
         "mov.u32 %t, %tid.x;\nmov.u32 %v, 0;\n" body                                              \
         "\nmul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %rd1, %rd0;\nst.global.u32 [%rd1], %v;\nret;\n}\n"

static uint32_t *run(struct rig *r, const char *text, uint32_t threads) {
    *r = rig_load(text);
    uint64_t buf = rig_buf(r, 4096, "out");
    rig_ok(r, "k", 1, threads, &buf);
    return rig_u32(r, buf);
}

/* Every thread reads what a thread of another warp wrote before the barrier, many times over. */
static void a_barrier_separates_writes_from_reads(void **state) {
    (void)state;
    struct rig r;
    uint32_t *out =
        run(&r,
            KERNEL("mov.u32 %r1, 0;\nL: shl.b32 %r2, %t, 2;\nmov.u32 %r4, s;\nadd.u32 %r2, %r2, %r4;\n"
                   "add.u32 %r3, %t, %r1;\nst.shared.u32 [%r2], %r3;\nbar.sync 0;\n"
                   "sub.u32 %r5, 199, %t;\nshl.b32 %r5, %r5, 2;\nadd.u32 %r5, %r5, %r4;\n"
                   "ld.shared.u32 %r6, [%r5];\nadd.u32 %v, %v, %r6;\nbar.sync 0;\n"
                   "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra L;"),
            200);
    for (uint32_t t = 0; t < 200; t++) assert_int_equal(out[t], (199 - t) * 10 + 45);
    assert_int_equal(r.stats.barriers, 20);
    rig_free(&r);
}

static void exited_threads_do_not_hold_a_barrier_up(void **state) {
    (void)state;
    struct rig r;
    uint32_t *out =
        run(&r,
            KERNEL("setp.ge.u32 %p1, %t, 70;\n@%p1 exit;\nbar.sync 0;\nsetp.eq.u32 %p2, %t, 3;\n@%p2 exit;\n"
                   "bar.sync 0;\nmov.u32 %v, 1;"),
            128);
    for (uint32_t t = 0; t < 128; t++) assert_int_equal(out[t], t < 70 && t != 3);
    rig_free(&r);
}

/* The last thread of the block to arrive does so by leaving. */
static void an_exit_completes_the_barrier_of_the_others(void **state) {
    (void)state;
    struct rig r;
    uint32_t *out = run(
        &r, KERNEL("setp.lt.u32 %p1, %t, 64;\n@%p1 bra WAIT;\nexit;\nWAIT: bar.sync 0;\nmov.u32 %v, 1;"), 96);
    assert_int_equal(out[63], 1);
    rig_free(&r);
}

static void reductions_reach_every_waiter(void **state) {
    (void)state;
    struct rig r;
    uint32_t *out = run(&r,
                        KERNEL("setp.lt.u32 %p1, %t, 50;\nbar.red.popc.u32 %v, 0, %p1;\n"
                               "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
                               "@%p2 add.u32 %v, %v, 1000;\n@%p3 add.u32 %v, %v, 10000;\n"
                               "bar.red.and.pred %p4, 0, !%p4;\n@%p4 add.u32 %v, %v, 100000;"),
                        96);
    for (uint32_t t = 0; t < 96; t++) assert_int_equal(out[t], 110050);
    rig_free(&r);
}

/* Producers (warps 0, 1) arrive and go on; consumers (warps 2, 3) wait for them. Warps 0 and 1 run first
 * here, so the other order is tested by consumers being the lower warps in the second kernel. */
#define PRODUCERS(who)                                                                                   \
    KERNEL("setp." who                                                                                   \
           ".u32 %p1, %t, 64;\n@%p1 bra PRODUCE;\nbar.sync 1, 128;\nld.shared.u32 %v, [s];\nbra DONE;\n" \
           "PRODUCE: mov.u32 %r1, 42;\nst.shared.u32 [s], %r1;\nbar.arrive 1, 128;\nDONE:")

static void producers_arrive_and_consumers_wait(void **state) {
    (void)state;
    static const char *const text[] = {PRODUCERS("lt"), PRODUCERS("ge")};
    for (int k = 0; k < 2; k++) {
        struct rig r;
        uint32_t *out = run(&r, text[k], 128);
        for (uint32_t t = 0; t < 128; t++) assert_int_equal(out[t], (t < 64) == (k == 0) ? 0 : 42);
        rig_free(&r);
    }
}

/* A producer that exits after bar.arrive has arrived once: the first of two consumers must not go on without the second,
 * which is late. With a count of the whole block and of three of its four warps. */
#define LEAVES(count)                                                                                \
    KERNEL("setp.ge.u32 %p1, %t, 96;\n@%p1 bra DONE;\nsetp.ge.u32 %p1, %t, 32;\n@%p1 bra CONSUME;\n" \
           "bar.arrive 1, " count ";\nexit;\nCONSUME: setp.lt.u32 %p2, %t, 64;\n@%p2 bra MEET;\n"    \
           "mov.u32 %r1, 42;\nst.shared.u32 [s], %r1;\nMEET: bar.sync 1, " count                     \
           ";\nld.shared.u32 %v, [s];\nDONE:")

static void a_thread_that_exits_after_arriving_counts_once(void **state) {
    (void)state;
    for (uint32_t threads = 96; threads <= 128; threads += 32) {
        struct rig r;
        const uint32_t *out = run(&r, LEAVES("96"), threads);
        for (uint32_t t = 32; t < 96; t++) assert_int_equal(out[t], 42);
        rig_free(&r);
    }
}

/* Two pairs of warps, each with a barrier of its own. A count includes the exited lanes of the warps that
 * take part. */
static void named_barriers_with_counts_are_independent(void **state) {
    (void)state;
    struct rig r;
    uint32_t *out = run(&r,
                        KERNEL("and.b32 %r5, %t, 31;\nsetp.eq.u32 %p2, %r5, 7;\n@%p2 exit;\nshr.u32 %r1, %t, "
                               "6;\nadd.u32 %r1, %r1, 1;\n"
                               "bar.sync %r1, 64;\nmov.u32 %v, %r1;"),
                        128);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[127], 2);
    assert_int_equal(out[39], 0);
    rig_free(&r);
}

static void misuse_is_reported(void **state) {
    (void)state;
    struct rig r = rig_load(KERNEL("add.u32 %r1, %v, 16;\nbar.sync %r1;"));
    rig_fails(&r, "k", 1, 32, (uint64_t[]){rig_buf(&r, 4096, "b")},
              "barrier 16 does not exist: there are 16\n  kernel k, block (0,0,0), thread (0,0,0)\n  at "
              "t.ptx:11: bar.sync %r1;");
    rig_free(&r);
    r = rig_load(KERNEL("add.u32 %r1, %v, 33;\nbar.sync 1, %r1;"));
    rig_fails(&r, "k", 1, 64, (uint64_t[]){rig_buf(&r, 4096, "b")},
              "barrier 1 for 33 threads: a count is a multiple of 32 and at most the block's 64\n"
              "  kernel k, block (0,0,0), thread (0,0,0)\n  at t.ptx:11: bar.sync 1, %r1;");
    rig_free(&r);
}

static void a_barrier_that_cannot_complete_names_who_waits(void **state) {
    (void)state;
    struct rig r = rig_load(KERNEL("setp.eq.u32 %p1, %t, 40;\n@%p1 exit;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 bra "
                                   "A;\nbar.sync 2;\nbra DONE;\nA: bar.sync 1;\nDONE:"));
    rig_fails(&r, "k", 1, 64, (uint64_t[]){rig_buf(&r, 4096, "b")},
              "deadlock: no thread of the block can go on\n"
              "  kernel k, block (0,0,0): 63 threads wait, 1 have exited\n"
              "  warp 0, 32 threads from (0,0,0) on, lanes 0xffffffff: wait in barrier 1 at t.ptx:16: A: "
              "bar.sync 1;\n"
              "  warp 1, 31 threads from (32,0,0) on, lanes 0xfffffeff: wait in barrier 2 at t.ptx:14: "
              "bar.sync 2;");
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_separates_writes_from_reads),
        cmocka_unit_test(exited_threads_do_not_hold_a_barrier_up),
        cmocka_unit_test(an_exit_completes_the_barrier_of_the_others),
        cmocka_unit_test(reductions_reach_every_waiter),
        cmocka_unit_test(producers_arrive_and_consumers_wait),
        cmocka_unit_test(a_thread_that_exits_after_arriving_counts_once),
        cmocka_unit_test(named_barriers_with_counts_are_independent),
        cmocka_unit_test(misuse_is_reported),
        cmocka_unit_test(a_barrier_that_cannot_complete_names_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
