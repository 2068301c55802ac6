/* The engine: divergence, calls, recursion, spinning threads, warps and blocks, limits, statistics. */
#include "rig.h"

static void three_dimensional_ids_and_ragged_warps(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD
        ".visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg .u32 %r<20>;\nld.param.u64 %a0, [p];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, "
        "%ntid.y; mov.u32 %r6, %ntid.z;\n"
        "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %nctaid.x;\n"
        "mad.lo.u32 %r10, %r3, %r5, %r2; mad.lo.u32 %r10, %r10, %r4, %r1;\n"
        "mad.lo.u32 %r11, %r8, %r9, %r7; mul.lo.u32 %r12, %r4, %r5; mul.lo.u32 %r12, %r12, %r6;\n"
        "mad.lo.u32 %r10, %r11, %r12, %r10; mul.wide.u32 %a1, %r10, 4; add.u64 %a1, %a1, %a0;\n"
        "atom.global.add.u32 %r13, [%a1], 1;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 3 * 2 * 105 * 4, "b");
    r.launch =
        (struct exec_launch){.image = r.im, .func = 0, .grid = {3, 2, 1}, .block = {7, 5, 3}, .params = &buf};
    assert_true(exec_run(&r.launch, &r.stats, &r.err));
    for (int k = 0; k < 3 * 2 * 105; k++) assert_int_equal(rig_u32(&r, buf)[k], 1);
    assert_int_equal(r.stats.blocks, 6);
    assert_int_equal(r.stats.warps, 24);
    assert_int_equal(r.stats.threads, 630);
    assert_int_equal(r.stats.atomics, 630);
    rig_free(&r);
}

/* Collatz: every lane leaves the loop at its own time. */
static void divergent_loops_reconverge(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD
        ".visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg .u32 %n, %s, %b, %t; .reg .pred "
        "%p<3>;\nld.param.u64 %a0, [p];\n"
        "mov.u32 %t, %tid.x; add.u32 %n, %t, 1; mov.u32 %s, 0;\n"
        "LOOP: setp.eq.u32 %p1, %n, 1; @%p1 bra DONE;\nand.b32 %b, %n, 1; setp.eq.u32 %p2, %b, 1; @%p2 bra "
        "ODD;\n"
        "shr.u32 %n, %n, 1; bra NEXT;\nODD: mad.lo.u32 %n, %n, 3, 1;\nNEXT: add.u32 %s, %s, 1; bra LOOP;\n"
        "DONE: mul.wide.u32 %a1, %t, 4; add.u64 %a1, %a1, %a0; st.global.u32 [%a1], %s;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 1024, "b");
    rig_ok(&r, "k", 1, 256, &buf);
    uint64_t steps = 0;
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t n = t + 1, s = 0;
        for (; n != 1; s++) n = n & 1 ? 3 * n + 1 : n / 2;
        assert_int_equal(rig_u32(&r, buf)[t], s);
        steps += s;
    }
    assert_int_equal(r.stats.stores, 256);
    assert_true(r.stats.thread_insts > steps * 7);
    assert_true(r.stats.divergent_branches > 0);
    assert_true(r.stats.warp_insts * 32 >= r.stats.thread_insts);
    rig_free(&r);
}

#define FIB                                                                                                \
    ".func (.param .u32 out) fib(.param .u32 n) {\n.reg .u32 %r<9>; .reg .pred %p;\nld.param.u32 %r1, "    \
    "[n];\n"                                                                                               \
    "setp.lt.u32 %p, %r1, 2;\n@%p bra BASE;\nsub.u32 %r2, %r1, 1;\n{ .param .u32 a; .param .u32 b; "       \
    "st.param.u32 [a], %r2; "                                                                              \
    "call (b), fib, (a); ld.param.u32 %r3, [b]; }\nsub.u32 %r4, %r1, 2;\n{ .param .u32 a; .param .u32 b; " \
    "st.param.u32 [a], %r4;"                                                                               \
    " call (b), fib, (a); ld.param.u32 %r5, [b]; }\nadd.u32 %r6, %r3, %r5;\nst.param.u32 [out], "          \
    "%r6;\nret;\n"                                                                                         \
    "BASE: st.param.u32 [out], %r1;\nret;\n}\n"

static void recursion_keeps_each_threads_registers(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD FIB
        ".visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg .u32 %t, %v;\nld.param.u64 %a0, "
        "[p];\nmov.u32 %t, %tid.x;\n"
        "{ .param .u32 a; .param .u32 b; st.param.u32 [a], %t; call (b), fib, (a); ld.param.u32 %v, [b]; }\n"
        "mul.wide.u32 %a1, %t, 4; add.u64 %a1, %a1, %a0; st.global.u32 [%a1], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 128, "b");
    rig_ok(&r, "k", 1, 16, &buf);
    uint32_t f[16] = {0, 1};
    for (int k = 2; k < 16; k++) f[k] = f[k - 1] + f[k - 2];
    assert_memory_equal(rig_u32(&r, buf), f, sizeof f);
    rig_free(&r);
}

#define DOWN                                                                                                 \
    ".func down(.param .u32 n) {\n.reg .u32 %r<3>; .reg .pred %p;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p, " \
    "%r1, 0;\n@%p ret;\n"                                                                                    \
    "sub.u32 %r1, %r1, 1;\n{ .param .u32 a; st.param.u32 [a], %r1;\ncall down, (a); }\nret;\n}\n"            \
    ".visible .entry k(.param .u64 n) {\n.reg .u32 %r;\nld.param.u32 %r, [n];\n{ .param .u32 a; "            \
    "st.param.u32 [a], %r;\ncall down, (a); }\nret;\n}\n"

static void deep_recursion_works_until_the_stack_is_full(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD DOWN);
    rig_ok(&r, "k", 1, 32, &(uint64_t){1000});
    assert_int_equal(r.stats.calls, 1001 * 32);
    r.launch.stack_bytes = 1 << 20;
    rig_ok(&r, "k", 1, 2, &(uint64_t){5000});
    assert_false(rig_run(&r, "k", 1, 32, &(uint64_t){1000000}));
    assert_int_equal(r.err.code, ERR_FAULT);
    const char *full = "the call stack is full: down is called at depth ",
               *at = strstr(err_text(&r.err), full);
    assert_non_null(at);
    const unsigned long depth = strtoul(at + strlen(full), NULL, 10);
    assert_true(depth > 5000 && depth < 1 << 20);
    assert_non_null(
        strstr(at, ", and a thread has 1048576 bytes for frames and saved registers (exec.stack_bytes)"));
    assert_non_null(strstr(err_text(&r.err), "more calls ..."));
    rig_free(&r);
}

static void indirect_calls_and_branches_go_each_their_way(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD ".func (.param .u32 o) f0(.param .u32 i) {\n.reg .u32 %r; ld.param.u32 %r, [i]; add.u32 %r, %r, "
             "100; st.param.u32 [o], %r; ret;\n}\n"
             ".func (.param .u32 o) f1(.param .u32 i) {\n.reg .u32 %r; ld.param.u32 %r, [i]; add.u32 %r, %r, "
             "200; st.param.u32 [o], %r; ret;\n}\n"
             ".global .u64 table[2] = {f0, f1};\n"
             ".visible .entry k(.param .u64 p, .param .u64 over) {\n.reg .u64 %a<6>; .reg .u32 %t, %b, %v; "
             "\nld.param.u64 %a0, [p]; mov.u32 %t, %tid.x; and.b32 %b, %t, 1;\n"
             "mov.u64 %a1, table; mul.wide.u32 %a2, %b, 8; add.u64 %a1, %a1, %a2; ld.global.u64 %a3, [%a1];\n"
             "ld.param.u64 %a4, [over]; add.u64 %a3, %a3, %a4;\n"
             "proto: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
             "{ .param .u32 i; .param .u32 o; st.param.u32 [i], %t; call (o), %a3, (i), proto; ld.param.u32 "
             "%v, [o]; }\n"
             "and.b32 %b, %t, 3;\ntargets: .branchtargets A, B, C;\nbrx.idx %b, targets;\nA: add.u32 %v, %v, "
             "1000; bra E;\nB: add.u32 %v, %v, 2000; bra E;\nC: add.u32 %v, %v, 3000;\n"
             "E: mul.wide.u32 %a2, %t, 4; add.u64 %a2, %a2, %a0; st.global.u32 [%a2], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 128, "b");
    rig_ok(&r, "k", 1, 3, (uint64_t[]){buf, 0});
    const uint32_t want[] = {1100, 2201, 3102};
    assert_memory_equal(rig_u32(&r, buf), want, sizeof want);
    assert_false(rig_run(&r, "k", 1, 4, (uint64_t[]){buf, 0}));
    assert_non_null(strstr(err_text(&r.err), "branch index 3 is outside the table of 3 targets"));
    assert_false(rig_run(&r, "k", 1, 1, (uint64_t[]){buf, 32}));
    assert_non_null(strstr(err_text(&r.err), "which is not a function it may call"));
    assert_false(rig_run(&r, "k", 1, 1, (uint64_t[]){buf, 3}));
    rig_free(&r);
}

/* The classic that deadlocks a reconvergence stack: one lane has the lock, the others spin at a lower PC. */
static void a_spin_lock_within_a_warp_makes_progress(void **state) {
    (void)state;
    struct rig r =
        rig_load(HEAD ".global .u32 lock = 0;\n.visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg "
                      ".u32 %o, %v; .reg .pred %p;\nld.param.u64 %a0, [p]; mov.u64 %a1, lock;\n"
                      "SPIN: atom.global.cas.b32 %o, [%a1], 0, 1;\nsetp.ne.u32 %p, %o, 0;\n@%p bra SPIN;\n"
                      "ld.global.u32 %v, [%a0]; add.u32 %v, %v, 1; st.global.u32 [%a0], "
                      "%v;\natom.global.exch.b32 %o, [%a1], 0;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 4, "b");
    r.launch.max_insts = 200000000;
    rig_ok(&r, "k", 4, 96, &buf);
    assert_int_equal(*rig_u32(&r, buf), 4 * 96);
    assert_true(r.stats.turns > 0);
    rig_free(&r);
}

/* Warp 0 waits for warp 1; both through a plain load the hardware may cache, and a volatile one. */
static void a_warp_may_wait_for_a_later_one(void **state) {
    (void)state;
    static const char *const how[] = {"ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.global.u32"};
    for (int k = 0; k < 3; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %%a; .reg .u32 %%t, %%v; .reg .pred "
                      "%%p;\nld.param.u64 %%a, [p]; mov.u32 %%t, %%tid.x;\n"
                      "setp.ge.u32 %%p, %%t, 32;\n@%%p bra SET;\nW: %s %%v, [%%a];\nsetp.eq.u32 %%p, %%v, "
                      "0;\n@%%p bra W;\nret;\nSET: st.global.u32 [%%a], 1;\nret;\n}\n",
                 how[k]);
        struct rig r = rig_load(text);
        r.launch.max_insts = 100000000;
        uint64_t buf = rig_buf(&r, 4, "b");
        rig_ok(&r, "k", 1, 64, &buf);
        rig_free(&r);
    }
}

/* A barrier of the whole grid, twice: no block may pass before the last has arrived. */
static void a_grid_wide_barrier_by_atomics_completes(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD
        ".visible .entry k(.param .u64 p, .param .u64 n) {\n.reg .u64 %a; .reg .u32 %t, %o, %v, %n, %want; "
        ".reg .pred %p, %q;\nld.param.u64 %a, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;\n"
        "mov.u32 %want, %n;\nROUND: bar.sync 0;\nsetp.ne.u32 %q, %t, 0;\n@%q bra JOIN;\natom.global.add.u32 "
        "%o, [%a], 1;\n"
        "W: ld.volatile.global.u32 %v, [%a];\nsetp.lt.u32 %p, %v, %want;\n@%p bra W;\nJOIN: bar.sync "
        "0;\nadd.u32 %want, %want, %n;\nmul.lo.u32 %o, %n, 2;\nsetp.le.u32 %p, %want, %o;\n@%p bra ROUND;\n"
        "atom.global.add.u32 %o, [%a+4], 1;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 8, "b");
    r.launch.max_insts = 100000000;
    rig_ok(&r, "k", 50, 64, (uint64_t[]){buf, 50});
    assert_int_equal(rig_u32(&r, buf)[0], 100);
    assert_int_equal(rig_u32(&r, buf)[1], 3200);
    rig_free(&r);
}

/* Block i waits for block i + 1; only the last one is free to go. */
static void a_chain_of_blocks_from_the_last_to_the_first(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg .u32 %b, %n, %v; .reg .pred "
             "%p;\nld.param.u64 %a0, [p]; mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; sub.u32 %n, %n, 1;\n"
             "mul.wide.u32 %a1, %b, 4; add.u64 %a1, %a1, %a0; mov.u32 %v, 1000;\nsetp.eq.u32 %p, %b, "
             "%n;\n@%p bra SET;\n"
             "W: ld.volatile.global.u32 %v, [%a1+4];\nsetp.eq.u32 %p, %v, 0;\n@%p bra W;\nSET: add.u32 %v, "
             "%v, 1;\nst.global.u32 [%a1], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 100 * 4, "b");
    r.launch.max_insts = 100000000;
    rig_ok(&r, "k", 100, 1, &buf);
    assert_int_equal(rig_u32(&r, buf)[0], 1100);
    rig_free(&r);
}

static bool stop_at_once(void *user, uint64_t done, uint64_t blocks, uint64_t insts) {
    (void)done, (void)insts;
    (void)blocks;
    ++*(int *)user;
    return false;
}

static void endless_kernels_stop_at_the_limit_or_on_request(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD ".visible .entry k() {\n.reg .u32 %r;\nL: add.u32 %r, %r, 1;\nbra L;\n}\n");
    r.launch.max_insts = 1000;
    rig_fails(&r, "k", 2, 32, NULL,
              "stopped after 1024 thread instructions (the limit is 1000) in kernel k, block (0,0,0), warp "
              "0\n  at t.ptx:7: bra L;"); /* behind the 32nd warp-instruction */
    assert_int_equal(r.err.code, ERR_LIMIT);
    assert_int_equal(r.stats.thread_insts, 1024);
    int calls = 0;
    r.launch = (struct exec_launch){.image = r.im,
                                    .func = 0,
                                    .grid = {2, 1, 1},
                                    .block = {32, 1, 1},
                                    .progress = stop_at_once,
                                    .user = &calls};
    assert_false(exec_run(&r.launch, &r.stats, &r.err));
    assert_int_equal(r.err.code, ERR_LIMIT);
    assert_int_equal(calls, 1);
    rig_free(&r);
}

static void trap_names_the_thread_and_the_source_line(void **state) {
    (void)state;
    struct rig r =
        rig_load(HEAD ".file 1 \"a.cu\"\n.visible .entry k() {\n.reg .u32 %t; .reg .pred %p;\n.loc 1 17 "
                      "3\nmov.u32 %t, %tid.x;\nsetp.eq.u32 %p, %t, 37;\n.loc 1 18 5\n@%p trap;\nret;\n}\n");
    rig_fails(&r, "k", 1, 64, NULL,
              "trap\n  kernel k, block (0,0,0), thread (37,0,0)\n  at t.ptx:11: @%p trap; [a.cu:18]");
    rig_free(&r);
}

static void impossible_launches_are_refused(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD ".visible .entry k() .reqntid 64 {\nret;\n}\n.func f() { ret; }\n");
    rig_fails(&r, "k", 1, 32, NULL, "kernel k requires blocks of 64 x 1 x 1 threads");
    rig_fails(&r, "k", 0, 64, NULL, "kernel k: an empty or enormous grid");
    rig_fails(&r, "f", 1, 64, NULL, "f is not a kernel");
    rig_ok(&r, "k", 3, 64, NULL);
    rig_free(&r);
    r = rig_load(HEAD ".visible .entry k() {\nret;\n}\n");
    rig_fails(&r, "k", 1, 1025, NULL, "kernel k: blocks of more than 1024 threads");
    assert_int_equal(r.err.code, ERR_INPUT);
    r.launch.dynamic_shared = UINT32_MAX;
    assert_false(rig_run(&r, "k", 1, 1, NULL));
    rig_free(&r);
}

/* Ten instructions, two of them guarded: what does not run is not counted. */
static void statistics_count_what_ran(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a; .reg .u32 %t, %v; .reg "
                                 ".pred %p, %q;\nld.param.u64 %a, [p];\nmov.u32 %t, %tid.x;\n"
                                 "setp.lt.u32 %p, %t, 8;\nsetp.gt.u32 %q, %t, 100;\n@%p ld.global.u32 %v, "
                                 "[%a];\n@%q st.global.u32 [%a], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 4, "b");
    rig_ok(&r, "k", 2, 32, &buf);
    assert_int_equal(r.stats.warp_insts, 2 * 6);
    assert_int_equal(r.stats.thread_insts, 2 * (5 * 32 + 8));
    assert_int_equal(r.stats.loads, 2 * (32 + 8));
    assert_int_equal(r.stats.stores, 0);
    assert_int_equal(r.stats.class_insts[IR_C_BRANCH], 64);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_dimensional_ids_and_ragged_warps),
        cmocka_unit_test(divergent_loops_reconverge),
        cmocka_unit_test(recursion_keeps_each_threads_registers),
        cmocka_unit_test(deep_recursion_works_until_the_stack_is_full),
        cmocka_unit_test(indirect_calls_and_branches_go_each_their_way),
        cmocka_unit_test(a_spin_lock_within_a_warp_makes_progress),
        cmocka_unit_test(a_warp_may_wait_for_a_later_one),
        cmocka_unit_test(a_grid_wide_barrier_by_atomics_completes),
        cmocka_unit_test(a_chain_of_blocks_from_the_last_to_the_first),
        cmocka_unit_test(endless_kernels_stop_at_the_limit_or_on_request),
        cmocka_unit_test(trap_names_the_thread_and_the_source_line),
        cmocka_unit_test(impossible_launches_are_refused),
        cmocka_unit_test(statistics_count_what_ran),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
