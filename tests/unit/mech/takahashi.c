/* A control unit with an activity bit (Takahashi, HPC Asia 1997, by SL 2.4): else-parts that are always walked, the empty
 * round of a loop, branches issued twice, threads that are left behind, barriers, and what Table 1 rules out. Issues without
 * threads have a star. */
#include "unit/mech/programs.h"
#include "unit/mech/random_kernel.h"

static void rig_start(struct rig *r, bool dup) {
    r->param[0] = dup;
    fake_start(r->f, "takahashi");
}

static void expect(struct ir_module *m, choose_fn *choose, bool dup, const char *issues) {
    struct rig r;
    rig_load(&r, m, 4, 4, choose);
    rig_start(&r, dup);
    rig_expect_run(&r, issues);
    uint32_t stars = 0;
    for (const char *c = issues; *c; c++) stars += *c == '*';
    assert_int_equal(rig_counter(&r, "empty_issues") + rig_counter(&r, "duplicates"), stars);
    rig_down(&r);
}

static uint32_t everybody(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}

/* ---- else-parts ---- */

static void both_parts_of_a_diamond_are_walked_whoever_takes_them(void **state) {
    (void)state;
    expect(program_diamond(), choose_upper_half, false, "0 1 2 3 4 5 6");
    expect(program_diamond(), choose_nothing, false, "0 1 2 3 4* 5 6");
    expect(program_diamond(), everybody, false, "0 1 2* 3* 4 5 6");
}

static void a_branch_issued_twice_leads_to_where_threads_are(void **state) {
    (void)state;
    expect(program_diamond(), choose_upper_half, true, "0 1 1* 2 3 3* 4 5 6");
    expect(program_diamond(), choose_nothing, true, "0 1 1* 2 3 3* 5 6");
    expect(program_diamond(), everybody, true, "0 1 1* 4 5 6");
}

static void a_diamond_step_by_step(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth - pc 0 running, ready w0:0000000f\n",
        "warp 0: depth - pc 1 running, ready w0:0000000f\n",
        "warp 0: depth - pc 2 passed without threads, ready -\nwarp 0: depth - pc 4 standing w0:0000000f\n",
        "warp 0: depth - pc 3 passed without threads, ready -\nwarp 0: depth - pc 4 standing w0:0000000f\n",
        "warp 0: depth - pc 4 running, ready w0:0000000f\n",
        "warp 0: depth - pc 5 running, ready w0:0000000f\n",
        "warp 0: depth - pc 6 running, ready w0:0000000f\n",
    };
    struct rig r;
    rig_load(&r, program_diamond(), 4, 4, everybody);
    rig_start(&r, false);
    rig_expect_steps(&r, RIG_ROWS(row));
    assert_int_equal(rig_counter(&r, "empty_issues"), 2);
    assert_int_equal(rig_counter(&r, "merges") + rig_counter(&r, "rewinds"), 0);
    rig_down(&r);
}

/* At 3 and 5 the threads jump forward and the unit does not: who waits at 4 and 6 would be passed. Where all go to 6 the
 * branch at 1 is passed without threads, and of its targets the higher comes next. */
static void who_waits_in_an_else_part_is_not_passed(void **state) {
    (void)state;
    expect(program_nested(), choose_nested, false, "0 1 2 3 4 5 6 7");
    expect(program_nested(), choose_nested, true, "0 0* 1 1* 2 3 3* 4 5 5* 6 7");
    expect(program_nested(), choose_nothing, false, "0 1 2 3 4* 5 6* 7");
    expect(program_nested(), choose_nothing, true, "0 0* 1 1* 2 3 3* 5 5* 7");
    expect(program_nested(), everybody, false, "0 1* 4* 5* 6 7");
    expect(program_nested(), everybody, true, "0 0* 6 7");
}

static void a_diamond_takes_as_many_issues_in_warps_of_any_width(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct rig r;
        rig_load(&r, program_diamond(), w, 256, choose_upper_half);
        rig_start(&r, false);
        for (uint32_t k = 0; k < 2 * 256 / w; k++) assert_true(fake_cycle(r.f));
        assert_int_equal(rig_standing(&r), 128);
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 7 * 256 / w);
        assert_int_equal(rig_counter(&r, "merges"), 256 / w);
        rig_down(&r);
    }
}

/* ---- loops ---- */

static struct ir_module *do_while(void) {
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_func(m, "loop");
    return m;
}
static uint32_t two_rounds(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc;
    return step == 1;
}
static uint32_t as_many_rounds_as_its_number(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step < 2 * thread;
}

static void a_loop_runs_one_round_more_than_its_threads(void **state) {
    (void)state;
    for (int dup = 0; dup < 2; dup++) {
        struct rig r;
        rig_load(&r, do_while(), 4, 4, two_rounds);
        rig_start(&r, dup);
        rig_expect_run(&r, dup ? "0 1 1* 0 1 1* 2" : "0 1 0 1 0* 1* 2");
        assert_int_equal(rig_counter(&r, "empty_issues"), dup ? 0 : 2);
        assert_int_equal(rig_counter(&r, "empty_iterations"), !dup);
        assert_int_equal(rig_counter(&r, "duplicates"), dup ? 2 : 0);
        rig_down(&r);
    }
    /* However many rounds the threads take: who has left waits at 2. */
    expect(do_while(), as_many_rounds_as_its_number, false, "0 1 0 1 0 1 0 1 0* 1* 2");
    expect(do_while(), as_many_rounds_as_its_number, true, "0 1 1* 0 1 1* 0 1 1* 0 1 1* 2");
}

/* With the condition first the unit follows the jump at 2 back when a thread came to it. */
static struct ir_module *while_do(void) {
    struct ir_module *m = ir_module_new("while");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 leaves */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 0);          /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "while");
    return m;
}
static uint32_t leaves_after_a_round(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc;
    return step > 0;
}
static void a_loop_with_its_condition_first_has_the_empty_round_too(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, while_do(), 4, 4, leaves_after_a_round);
    rig_start(&r, false);
    rig_expect_run(&r, "0 1 2 0 1* 2* 3");
    assert_int_equal(rig_counter(&r, "empty_iterations"), 1);
    rig_down(&r);
    expect(while_do(), leaves_after_a_round, true, "0 0* 1 2 2* 0 0* 3");
    expect(while_do(), everybody, false, "0 1* 2* 3");
}

/* ---- layouts against the rule ---- */

/* The join lies before its paths: it is walked before any thread is there, and by each half. */
static void a_join_before_its_paths_is_run_by_each_of_them(void **state) {
    (void)state;
    expect(program_join_first(), choose_upper_half, false, "0 1* 2* 3 4 5 1 2 3* 6 1 2");
}

/* The branch at 2 is passed by choose_nothing, so that the unit goes to its higher target, over thread 3's head. */
static struct ir_module *passed_over(void) {
    struct ir_module *m = ir_module_new("passed over");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bra(m, 0, 5);          /* 1 */
    fake_bra(m, FAKE_MAYBE, 4); /* 2 */
    fake_op(m);                 /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "passed_over");
    return m;
}
static uint32_t thread_3(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread == 3;
}
static void who_is_left_behind_runs_when_the_code_has_ended(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, passed_over(), 4, 4, thread_3);
    rig_start(&r, false);
    rig_expect_run(&r, "0 1 2* 4* 5 3 4 5");
    assert_int_equal(rig_counter(&r, "rewinds"), 1);
    rig_down(&r);
    expect(passed_over(), thread_3, true, "0 0* 1 1* 5 3 4 5");
}

/* All at 1 exit; the unit walks on to who is behind, and not beyond the end. */
static void an_exit_does_not_end_the_walk(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_end(m, IR_EXIT, 0);    /* 1 */
    fake_op(m);                 /* 2 nothing leads here */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "exits");
    fake_end(m, IR_RET, 0); /* 5: another function, which the unit does not come to */
    fake_func(m, "other");
    expect(m, choose_upper_half, false, "0 1 2* 3 4");
}

/* ---- barriers ---- */

/* The lower half waits at 1, the upper at 3. */
static void the_unit_walks_on_from_a_barrier_and_starts_again_at_the_lowest(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_two_barriers(), 4, 4, choose_upper_half);
    rig_start(&r, false);
    assert_true(fake_cycle(r.f));
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    fake_expect_state(r.f, "warp 0: depth - pc 2 passed without threads, ready -\n"
                           "warp 0: depth - pc 3 standing w0:0000000c\n"
                           "warp 0: depth - pc 2 waiting at a barrier w0:00000003\n");
    assert_true(fake_cycle(r.f)); /* 2* */
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    fake_expect_state(r.f, "warp 0: depth - pc 2 waiting at a barrier w0:00000003\n"
                           "warp 0: depth - pc 4 waiting at a barrier w0:0000000c\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 8); /* ... 2 3* 4 5 */
    assert_int_equal(rig_counter(&r, "rewinds"), 1);
    assert_int_equal(rig_counter(&r, "empty_issues"), 2);
    rig_down(&r);
}

static void a_barrier_of_all_costs_nothing(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bar(m, 0);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    struct rig r;
    rig_load(&r, m, 4, 8, choose_nothing); /* two warps: one comes first */
    rig_start(&r, false);
    rig_expect_run(&r, "0 0 1 1 2 2");
    assert_int_equal(rig_counter(&r, "rewinds"), 0);
    rig_down(&r);
}

static void who_is_released_where_the_unit_is_becomes_active(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_guarded_barrier(), 4, 4, choose_upper_half);
    rig_start(&r, false);
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    release_now(&r, 0xc, 1); /* the others are at 1, which is not issued yet */
    fake_expect_state(r.f, "warp 0: depth - pc 1 running, ready w0:0000000f\n");
    rig_expect_run(&r, "1 2");
    rig_down(&r);
}

/* ---- what it cannot run, what it costs ---- */

/* Table 1: "No" for recursion, "No" for indirect branches. */
static void calls_and_indirect_branches_are_refused(void **state) {
    (void)state;
    expect_no_calls_and_no_indirect_branches("takahashi");
}

static void storage_is_a_pc_for_each_thread_and_a_pc_and_a_bit_for_the_unit(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_load(&r, program_diamond(), 32, 64, choose_nothing);
    rig_start(&r, false);
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "thread_pc 2048\nunit_pc_and_activity 66\n");
    sb_free(&out);
    rig_down(&r);
}

/* ---- random kernels ---- */

enum { KERNELS = 1000 };
enum { EMPTY, ITERATIONS, REWINDS, DUPLICATES, MERGES }; /* stats.extra */
static const int64_t plain[32] = {0}, twice[32] = {1}, minpc[32] = {1, 0, 0};

/* Where all joins lie behind their paths the unit finds threads in the order of min(SP:PC). */
static void on_structured_code_what_has_threads_is_what_minpc_issues(void **state) {
    (void)state;
    struct rng r = {31};
    uint64_t empty = 0;
    for (int n = 0; n < KERNELS; n++) {
        struct kernel k = kernel_of(&r, structured_program(&r), 0);
        const struct ran p = kernel_run(&k, "takahashi", plain, true);
        const struct ran t = kernel_run(&k, "takahashi", twice, true),
                         q = kernel_run(&k, "minpc", minpc, true);
        assert_int_equal(p.issued - p.stats.extra[EMPTY], q.issued);
        assert_int_equal(p.stats.reconvergences, q.stats.reconvergences);
        assert_int_equal(p.stats.extra[REWINDS] + p.stats.extra[DUPLICATES], 0);
        assert_int_equal(t.issued - t.stats.extra[DUPLICATES], q.issued);
        assert_int_equal(t.stats.extra[EMPTY] + t.stats.extra[REWINDS], 0);
        empty += p.stats.extra[EMPTY];
        kernel_free(&k);
    }
    assert_true(empty > 10 * KERNELS);
}

/* Latencies, several schedulers, barriers, blocks of several warps, jumps that leave threads behind. */
static void every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct rng r = {32};
    uint64_t rewinds = 0, empty = 0, duplicates = 0, iterations = 0;
    for (int n = 0; n < KERNELS; n++) {
        const uint32_t w = 4u << rng_below(&r, rng_below(&r, 4) ? 4 : 7);
        struct random_mix mix = random_mix(&r, true);
        mix.calls = false;
        mix.ways = 0;
        struct rig rig;
        rig_load(&rig, random_program(&r, mix), w, random_threads(&r, w), NULL);
        random_machine(rig.f, &r);
        rig.f->slow = rng_below(&r, 3);
        rig.f->per_block = 32 * (uint32_t)rng_below(&r, 4);
        rig_start(&rig, n % 2);
        assert_true(fake_run(rig.f)); /* no thread holds back those that a barrier waits for */
        rewinds += rig_counter(&rig, "rewinds");
        empty += rig_counter(&rig, "empty_issues");
        iterations += rig_counter(&rig, "empty_iterations");
        duplicates += rig_counter(&rig, "duplicates");
        rig_down(&rig);
    }
    assert_true(rewinds > 1000 && empty > 10000 && duplicates > 1000 && iterations > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_parts_of_a_diamond_are_walked_whoever_takes_them),
        cmocka_unit_test(a_branch_issued_twice_leads_to_where_threads_are),
        cmocka_unit_test(a_diamond_step_by_step),
        cmocka_unit_test(who_waits_in_an_else_part_is_not_passed),
        cmocka_unit_test(a_diamond_takes_as_many_issues_in_warps_of_any_width),
        cmocka_unit_test(a_loop_runs_one_round_more_than_its_threads),
        cmocka_unit_test(a_loop_with_its_condition_first_has_the_empty_round_too),
        cmocka_unit_test(a_join_before_its_paths_is_run_by_each_of_them),
        cmocka_unit_test(who_is_left_behind_runs_when_the_code_has_ended),
        cmocka_unit_test(an_exit_does_not_end_the_walk),
        cmocka_unit_test(the_unit_walks_on_from_a_barrier_and_starts_again_at_the_lowest),
        cmocka_unit_test(a_barrier_of_all_costs_nothing),
        cmocka_unit_test(who_is_released_where_the_unit_is_becomes_active),
        cmocka_unit_test(calls_and_indirect_branches_are_refused),
        cmocka_unit_test(storage_is_a_pc_for_each_thread_and_a_pc_and_a_bit_for_the_unit),
        cmocka_unit_test(on_structured_code_what_has_threads_is_what_minpc_issues),
        cmocka_unit_test(every_thread_takes_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
