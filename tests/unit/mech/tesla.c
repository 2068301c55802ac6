/* Tesla's token stack: issue by issue for the shapes of the papers, state by state for one of them; loops both ways, calls,
 * recursion, indirect branches, exits, barriers, the cache of tokens (SL 2.2) and its size. */
#include "unit/mech/programs.h"

enum { LOOPS, CACHED, SPILL_CYCLES }; /* param */
enum { SSY, BRK };                    /* kinds of LOOPS */

static void load(struct rig *r, struct ir_module *m, int64_t loops, uint32_t threads, choose_fn *choose) {
    rig_load_form(r, m, loops == BRK ? CFG_FORM_TESLA : CFG_FORM_TESLA_SSY, threads < 4 ? 4 : threads,
                  threads, choose);
    memset(r->param, 0, sizeof r->param);
    r->param[LOOPS] = loops;
    r->param[CACHED] = 12;
}

/* All issues; PCs are the form's. */
static void expect(struct ir_module *m, int64_t loops, choose_fn *choose, const char *issues, uint64_t lost,
                   uint64_t tokens) {
    struct rig r;
    load(&r, m, loops, 4, choose);
    fake_start(r.f, "tesla");
    fake_walk(r.f);
    rig_expect_issues(&r, 1000, issues);
    assert_true(fake_run(r.f)); /* each thread has taken its own path */
    assert_int_equal(rig_counter(&r, "join_lost"), lost);
    assert_int_equal(rig_counter(&r, "tokens_max"), tokens);
    rig_down(&r);
}

static uint32_t two_and_three(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}
static uint32_t all(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}

/* ---- if, else ---- */

/* SL Figure 1. In the form: 0 A, 1 ssy 6, 2 @p bra 5, 3 B, 4 bra 6, 5 C, 6 D.s, 7 exit */
static void a_join_is_issued_once_for_each_path_and_the_last_counts(void **state) {
    (void)state;
    expect(program_diamond(), SSY, two_and_three, "0 1 2 5 6* 3 4 6 7", 1, 2);
    expect(program_diamond(), SSY, all, "0 1 2 5 6 7", 0, 1);
}

static void tokens_of_an_if_step_by_step(void **state) {
    (void)state;
    struct rig r;
    load(&r, program_diamond(), SSY, 4, two_and_three);
    fake_start(r.f, "tesla");
    rig_expect_issues(&r, 2, "0 1");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 2 ready w0:0000000f\n  sync pc 6 w0:0000000f\n");
    rig_expect_issues(&r, 1, "2");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 5 ready w0:0000000c\n  sync pc 6 w0:0000000f\n"
                           "  div pc 3 w0:00000003\n");
    struct mech_census c;
    r.f->mech->ops->census(r.f->mech, &c);
    assert_true(c.inactive_path == 2 && c.reconvergence == 0);
    rig_expect_issues(&r, 1, "5");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 6 ready -\n  sync pc 6 w0:0000000f\n"
                           "  div pc 3 w0:00000003\n");
    rig_expect_issues(&r, 1, "6*");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 3 ready w0:00000003\n  sync pc 6 w0:0000000f\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_true(c.inactive_path == 0 && c.reconvergence == 2);
    rig_expect_issues(&r, 2, "3 4");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 6 ready w0:0000000f\n");
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_expect_issues(&r, 9, "6 7");
    rig_down(&r);
}

/* DWF Figure 3.1's shape. In the form: 0 ssy 10, 1 A, 2 ssy 7, 3 B, 4 C, 5 bra 7, 6 D, 7 join.s, 8 E: bra 10, 9 F, 10 join.s, 11 G
 */
static void regions_in_each_other_have_tokens_above_each_other(void **state) {
    (void)state;
    struct ir_module *m = program_nested();
    expect(m, SSY, choose_nested, "0 1 9 10* 2 3 6 7* 4 5 7 8 10 11", 2, 3);
}

/* ---- loops ---- */

/* In the form: 0 ssy 3, 1 L, 2 @p bra 1, 3 op.s, 4 exit; or 0 pbk 4, 1 L, 2 @!p brk 4, 3 bra 1, 4 op, 5 exit */
static struct ir_module *loop(void) {
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    return m;
}
static uint32_t trips(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 < thread;
}

static void with_ssy_every_round_that_loses_threads_costs_a_join(void **state) {
    (void)state;
    expect(loop(), SSY, trips, "0 1 2 1 2 1 2 1 2 3* 3* 3* 3 4", 3, 4);
}

static void with_brk_threads_wait_outside_and_the_join_is_issued_once(void **state) {
    (void)state;
    expect(loop(), BRK, trips, "0 1 2 3 1 2 3 1 2 3 1 2 4 5", 0, 1);
}

/* The branch and the loop behind it meet at the same place: 0 ssy 6, 1 @p bra 6, 2 pbk 6, 3 L, 4 @!p brk 6, 5 bra 3, 6 op.s */
static uint32_t rotated_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 0 ? thread == 0 : step < 4 && thread == 3;
}
static void a_loop_may_end_where_a_branch_does(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("rotated");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 L */
    fake_bra(m, FAKE_MAYBE, 1); /* 2 */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "rotated");
    expect(m, BRK, rotated_ways, "0 1 6* 2 3 4 5 3 4 6 7", 1, 2);
}

/* ---- calls ---- */

/* 0 ssy 2, 1 @p call f, 2 op.s, 3 exit; f: 4 op, 5 ret */
static void a_guarded_call_is_a_branch_around_it(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("call");
    fake_call(m, FAKE_MAYBE, 1);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect(m, SSY, two_and_three, "0 1 4 5 2* 2 3", 1, 3);
}

/* 0 call f, 1 op, 2 exit; f: 3 @p ret, 4 op, 5 ret. The first to return wait for the others. */
static void threads_that_return_early_wait_for_the_others(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("ret");
    fake_call(m, 0, 1);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_end(m, IR_RET, FAKE_MAYBE);
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect(m, SSY, two_and_three, "0 3 4 5 1 2", 0, 1);
}

/* Branches of a function that meet at its end: no SSY, the second path is a DIV above the CALL. 3 @p bra 6, 4 op, 5 ret, 6 ret */
static void paths_that_meet_at_the_return_run_one_after_the_other(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("ends");
    fake_call(m, 0, 1);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_bra(m, FAKE_MAYBE, 6);
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect(m, SSY, two_and_three, "0 3 6 4 5 1 2", 0, 2);
}

/* 0 call f, 1 exit; f: 2 ssy 4, 3 @p call f, 4 op.s, 5 ret. Thread t recurses t times: SL's Sync, only threads of one activation
 * run together. */
static uint32_t recurses(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step <= thread;
}
static void recursion_keeps_call_depths_apart(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("recursion");
    fake_call(m, 0, 1);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1);
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect(m, SSY, recurses, "0 2 3 2 3 2 3 2 3 4 5 4* 4 5 4* 4 5 4* 4 5 1", 3, 11);
}

/* 0 call one of f, g, 1 op, 2 exit; f: 3, 4; g: 5, 6: one CALL token, above it a DIV */
static void callees_of_an_indirect_call_run_one_after_the_other(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("pointers");
    fake_call_ind(m, 2, (const uint32_t[]){1, 2});
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    for (int k = 0; k < 2; k++) {
        fake_op(m);
        fake_end(m, IR_RET, 0);
        fake_func(m, k ? "g" : "f");
    }
    expect(m, SSY, two_and_three, "0 3 4 5 6 1 2", 0, 2);
}

/* ---- indirect branches, exits, barriers ---- */

/* 0 ssy 6, 1 brx 2 3 4 5, 2 bra 6, 3 bra 6, 4 bra 6, 5 op, 6 op.s: the lowest PC first */
static uint32_t by_thread(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread;
}
static struct ir_module *four_ways(void) {
    struct ir_module *m = ir_module_new("brx");
    fake_brx(m, 4, (const uint32_t[]){1, 2, 3, 4});
    for (int k = 0; k < 3; k++) fake_bra(m, 0, 5);
    fake_op(m);
    fake_op(m); /* 5 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "brx");
    return m;
}
static void the_sides_of_an_indirect_branch_run_by_pc(void **state) {
    (void)state;
    expect(four_ways(), SSY, by_thread, "0 1 2 6* 3 6* 4 6* 5 6 7", 3, 4);
}

/* 0 @p bra 3, 1 op, 2 exit, 3 exit: the paths meet nowhere, and there is no SSY. */
static void a_path_whose_threads_all_exit_gives_way_to_the_next(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 3);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "exits");
    expect(m, SSY, two_and_three, "0 3 1 2", 0, 1);
}

/* Threads that end in the middle of a region, as by a fault: the join has who is left. */
static void a_join_has_the_threads_that_are_left(void **state) {
    (void)state;
    struct rig r;
    load(&r, program_diamond(), SSY, 4, two_and_three);
    r.f->budget =
        3; /* the fourth instruction ends a thread: 4 those who did not take the branch, 6 those who did */
    fake_start(r.f, "tesla");
    rig_expect_issues(&r, 1000, "0 1 2 5 6* 3 4 6");
    assert_true(fake_done(r.f));
    rig_down(&r);
}

/* The warp is one stream: who runs beside those who wait waits with them. */
static void a_barrier_holds_the_path_that_runs(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("bar");
    fake_bar(m, FAKE_MAYBE);
    fake_bra(m, FAKE_MAYBE, 3);
    fake_bar(m, 0);
    fake_op(m); /* 3 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "bar");
    struct rig r;
    load(&r, m, SSY, 4, two_and_three);
    fake_start(r.f, "tesla");
    assert_false(fake_run(r.f)); /* 0 and 1 never come to the first barrier: it waits for them */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 parked w0:0000000f\n"
                           "  waiting at a barrier w0:0000000c\n");
    rig_down(&r);
}

/* ---- the cache of tokens ---- */

/* trips of 0 to 9 rounds with ten threads: nine DIVs above the SYNC, in a cache of four. */
static void tokens_beyond_the_cache_cost_cycles_and_nothing_else(void **state) {
    (void)state;
    uint64_t cycles[2];
    for (int64_t cost = 0; cost < 2; cost++) {
        struct rig r;
        load(&r, loop(), SSY, 10, trips);
        r.f->env.warp_size = r.f->env.simd_width = 16;
        r.param[CACHED] = 4;
        r.param[SPILL_CYCLES] = 7 * cost;
        fake_start(r.f, "tesla");
        assert_true(fake_run(r.f));
        assert_int_equal(rig_counter(&r, "tokens_max"), 10);
        assert_int_equal(rig_counter(&r, "spills"), 2); /* at the fifth and the ninth */
        assert_int_equal(rig_counter(&r, "fills"), 2);
        assert_int_equal(r.f->issued, 1 + 20 + 9 + 2);
        cycles[cost] = r.f->now;
        rig_down(&r);
    }
    assert_int_equal(cycles[1] - cycles[0], 4 * (7 - 1)); /* the cycle of the issue is one of them */
}

static void a_cache_of_one_token_works(void **state) {
    (void)state;
    struct rig r;
    load(&r, program_diamond(), SSY, 4, two_and_three);
    r.param[CACHED] = 1;
    r.param[SPILL_CYCLES] = 3;
    fake_start(r.f, "tesla");
    rig_expect_issues(&r, 3, "0 1 2");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 5 parked w0:0000000c\n"
                           "  sync pc 6 w0:0000000f in memory\n  div pc 3 w0:00000003\n");
    assert_int_equal(mech_next(r.f->mech, 0), 2 + 3);
    rig_expect_issues(&r, 1000, "5 6* 3 4 6 7");
    assert_int_equal(rig_counter(&r, "spills"), 1);
    assert_int_equal(rig_counter(&r, "fills"), 1);
    rig_down(&r);
}

/* SL 2.2: three blocks of four entries of 64 bits per warp, 3 KB per SM. */
static void the_cache_of_32_warps_has_3_kilobytes(void **state) {
    (void)state;
    struct rig r;
    load(&r, program_diamond(), SSY, 4, NULL);
    r.f->env.warp_size = r.f->env.simd_width = 32;
    r.f->env.warps = 32;
    fake_start(r.f, "tesla");
    struct sb out = {0};
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "tokens 24576\npc_and_mask 2048\n");
    sb_free(&out);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_is_issued_once_for_each_path_and_the_last_counts),
        cmocka_unit_test(tokens_of_an_if_step_by_step),
        cmocka_unit_test(regions_in_each_other_have_tokens_above_each_other),
        cmocka_unit_test(with_ssy_every_round_that_loses_threads_costs_a_join),
        cmocka_unit_test(with_brk_threads_wait_outside_and_the_join_is_issued_once),
        cmocka_unit_test(a_loop_may_end_where_a_branch_does),
        cmocka_unit_test(a_guarded_call_is_a_branch_around_it),
        cmocka_unit_test(threads_that_return_early_wait_for_the_others),
        cmocka_unit_test(paths_that_meet_at_the_return_run_one_after_the_other),
        cmocka_unit_test(recursion_keeps_call_depths_apart),
        cmocka_unit_test(callees_of_an_indirect_call_run_one_after_the_other),
        cmocka_unit_test(the_sides_of_an_indirect_branch_run_by_pc),
        cmocka_unit_test(a_path_whose_threads_all_exit_gives_way_to_the_next),
        cmocka_unit_test(a_join_has_the_threads_that_are_left),
        cmocka_unit_test(a_barrier_holds_the_path_that_runs),
        cmocka_unit_test(tokens_beyond_the_cache_cost_cycles_and_nothing_else),
        cmocka_unit_test(a_cache_of_one_token_works),
        cmocka_unit_test(the_cache_of_32_warps_has_3_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
