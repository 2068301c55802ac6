/* The implicit stacks of SympA'13: issue by issue for the shapes of the papers, state by state for one, loops, exits, barriers, what
 * is refused; and beside min(SP:PC), whose policy it has (SL 5.1), on random structured programs. An issue without threads, with a
 * star, is a merge. */
#include "unit/mech/programs.h"
#include "unit/mech/random_shapes.h"

static void expect(struct ir_module *m, choose_fn *choose, const char *issues, uint64_t merges,
                   uint64_t jumps_over, uint64_t loops) {
    struct rig r;
    rig_load(&r, m, 4, 4, choose);
    fake_start(r.f, "sympa13");
    rig_expect_issues(&r, 1000, issues);
    assert_true(fake_run(r.f)); /* each thread has taken its own path */
    assert_int_equal(rig_counter(&r, "merges"), merges);
    assert_int_equal(rig_counter(&r, "jumps_over"), jumps_over);
    assert_int_equal(rig_counter(&r, "loops"), loops);
    assert_int_equal(r.f->empty, merges);
    rig_down(&r);
}

static uint32_t two_and_three(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}

/* Who has jumped over the join waits where it came to, and that is the join then. */
static void an_if_step_by_step(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_diamond(), 4, 4, two_and_three);
    fake_start(r.f, "sympa13");
    rig_expect_issues(&r, 2, "0 1");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 2 ready w0:00000003\n  join pc 4 w0:0000000f\n");
    struct mech_census c;
    r.f->mech->ops->census(r.f->mech, &c);
    assert_true(c.inactive_path == 2 && c.reconvergence == 0);
    rig_expect_issues(&r, 2, "2 3");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 4 ready w0:0000000c\n  join pc 5 w0:0000000f\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_true(c.inactive_path == 0 && c.reconvergence == 2);
    rig_expect_issues(&r, 1, "4");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 5 ready -\n  join pc 5 w0:0000000f\n");
    rig_expect_issues(&r, 1, "5*");
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 5 ready w0:0000000f\n");
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_expect_issues(&r, 9, "5 6");
    rig_down(&r);
}

/* DWF Figure 3.1's shape. */
static void every_merge_of_a_forward_branch_costs_an_issue(void **state) {
    (void)state;
    expect(program_diamond(), two_and_three, "0 1 2 3 4 5* 5 6", 1, 1, 0);
    struct ir_module *m = program_nested();
    expect(m, choose_nested, "0 1 2 3 4 5* 5 6 7* 7", 2, 2, 0);
}

/* Unstructured, the shape of Figure 1 of Diamos et al. (thread frontiers). Paths 0235, 015, 01245, 012345: blocks 2 and 3 run
 * twice, since thread 0 waits at 2 for the join of the first branch while others come by. */
static uint32_t frontier_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    static const uint32_t taken[4] = {0x9, 0x2, 0x4,
                                      0}; /* by thread: a bit for each PC at which it branches */
    (void)step;
    return taken[thread] >> pc & 1;
}
static void threads_meet_only_where_the_stack_says(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("p4");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 BB1 */
    fake_bra(m, FAKE_MAYBE, 5); /* 1 BB2 */
    fake_bra(m, FAKE_MAYBE, 4); /* 2 BB3 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3 BB4 */
    fake_op(m);                 /* 4 BB5 */
    fake_end(m, IR_EXIT, 0);    /* 5 X */
    fake_func(m, "p4");
    expect(m, frontier_ways, "0 1 2 3 4* 4 5* 2 3 5* 5", 3, 1, 0);
}

/* ---- loops ---- */

static uint32_t trips(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 < thread;
}
static void threads_that_leave_a_loop_at_its_end_meet_at_no_cost(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("do");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "do");
    expect(m, trips, "0 1 0 1 0 1 0 1 2", 0, 0, 1);
}

/* `while`, left at its head, by a forward branch: a merge for each round that loses threads. */
static uint32_t while_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 >= thread;
}
static void threads_that_leave_a_loop_at_its_head_merge_one_by_one(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("while");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_bra(m, 0, 0);          /* 1 */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_func(m, "while");
    expect(m, while_ways, "0 1 0 1 0 1 0 2* 2* 2* 2", 3, 0, 0);
}

/* A break past the end of the loop: 0 op, 1 @p bra 4, 2 @q bra 0, 3 op, 4 exit. Thread 0 breaks at once, 1 falls out in the first
 * round, 2 breaks in the second, 3 falls out in the second. */
static uint32_t break_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    const uint32_t round = step / 3;
    return pc == 1 ? (thread == 0 && round == 0) || (thread == 2 && round == 1) : thread >= 2 && round == 0;
}
static void a_break_lies_between_the_loops_masks(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("break");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 break */
    fake_bra(m, FAKE_MAYBE, 0); /* 2 */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "break");
    /* masks at the last 2: join 4 {0-3}, loop 3 {1-3}, join 4 {2, 3}. So 3 runs for thread 3, who leaves last, and then for 1. */
    expect(m, break_ways, "0 1 2 0 1 2 3 4* 3 4* 4* 4", 3, 1, 1);
}

/* ---- exits, barriers ---- */

static uint32_t exit_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread >= 2 : thread == 0;
}
static void when_all_who_run_exit_those_who_wait_go_on(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_end(m, IR_EXIT, 0);    /* 1 */
    fake_op(m);                 /* 2 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "exits");
    expect(m, exit_ways, "0 1 2 3", 0, 0, 0);
}

/* A loop in which the paths of a branch meet at the header, before them. Threads 0 and 1 come round to the barrier first, and 2 and 3 run meanwhile, to the same barrier: all go on. */
static uint32_t round_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 1 ? thread >= 2 && step < 4 : step < 4;
}
static void who_waits_at_a_barrier_lets_the_others_come(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("rounds");
    fake_bar(m, 0);             /* 0 */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_bra(m, FAKE_MAYBE, 0); /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_bra(m, 0, 0);          /* 4 */
    fake_func(m, "rounds");
    struct rig r;
    rig_load(&r, m, 4, 4, round_ways);
    fake_start(r.f, "sympa13");
    rig_expect_issues(&r, 4, "0 1 2 0"); /* 0 and 1 are at the barrier again */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 4 ready w0:0000000c\n"
                           "  waiting at a barrier w0:00000003\n  join pc 1 w0:0000000f barred\n");
    struct mech_census c;
    r.f->mech->ops->census(r.f->mech, &c);
    assert_true(!c.inactive_path && !c.reconvergence); /* it is the barrier that they wait for */
    rig_expect_issues(&r, 2, "4 0");
    rig_expect_issues(&r, 9, "1 2 3");
    assert_true(fake_done(r.f));
    rig_down(&r);
}

static uint32_t bar_ways(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread >= 2 : thread % 2 == 0;
}
/* At different barriers no thread can run, if both wait for all. */
static void a_warp_that_waits_at_two_barriers_stands(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("bar");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bar(m, FAKE_MAYBE);    /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_bar(m, FAKE_MAYBE);    /* 3 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "bar");
    struct rig r;
    rig_load(&r, m, 4, 4, bar_ways);
    fake_start(r.f, "sympa13");
    assert_false(fake_run(r.f)); /* 0 and 2 hold 1 and 3, for which the barriers wait */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 4 parked w0:0000000c\n"
                           "  waiting at a barrier w0:00000005\n  join pc 2 w0:0000000f barred\n");
    rig_down(&r);
}

/* ---- what is refused ---- */

static void expect_refused(struct ir_module *m, const char *why) {
    struct err e = {0};
    struct cfg *c = fake_finish(m);
    assert_false(mech_can_run(mech_find("sympa13"), m, c, 0, &e));
    if (!strstr(err_text(&e), why)) fail_msg("%s", err_text(&e));
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}
/* SL 5.2: FFT fails because it has calls. Table 1: no recursion, no indirect branches. */
static void calls_and_indirect_branches_are_refused(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("call");
    fake_call(m, 0, 1);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect_refused(m, "call");
    m = ir_module_new("brx");
    fake_brx(m, 2, (const uint32_t[]){1, 2});
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    expect_refused(m, "indirect");
}

/* ---- beside min(SP:PC) ---- */

struct ran {
    uint64_t issued, lanes, empty;
};
static struct ran run(struct ir_module *m, const char *mech, uint32_t w, uint64_t seed, uint32_t budget) {
    struct rig r = {0};
    rig_load(&r, m, w, w, NULL);
    if (!strcmp(mech, "minpc")) r.param[0] = 1; /* sp */
    r.f->seed = seed;
    r.f->budget = budget;
    fake_start(r.f, mech);
    assert_true(fake_run(r.f));
    const struct ran out = {r.f->issued, r.f->lane_sum, r.f->empty};
    if (strcmp(mech, "minpc")) assert_int_equal(out.empty, rig_counter(&r, "merges"));
    rig_down(&r);
    return out;
}

static void on_structured_code_it_is_minpc_and_an_issue_for_each_merge(void **state) {
    (void)state;
    uint64_t merges = 0;
    for (uint64_t n = 0; n < 2000; n++) {
        struct rng r = {n * 0x9e3779b97f4a7c15u + 3};
        const uint32_t w = 4u << rng_below(&r, rng_below(&r, 6) ? 4 : 7);
        const uint64_t seed = rng_next(&r);
        struct rng copy = r;
        const struct ran p = run(structured_program(&r), "minpc", w, seed, 0);
        const struct ran t = run(structured_program(&copy), "sympa13", w, seed, 0);
        assert_int_equal(t.issued, p.issued + t.empty);
        assert_int_equal(t.lanes, p.lanes);
        merges += t.empty;
    }
    assert_true(merges > 5000);
}

/* With any jumps, min(SP:PC) meets at more places (SL 5.1): never more issues where code does not repeat. */
static struct ir_module *jumps_forward(struct rng *r) {
    const uint32_t len = 4 + (uint32_t)rng_below(r, 40);
    struct ir_module *m = ir_module_new("jumps");
    for (uint32_t pc = 0; pc + 1 < len; pc++) {
        const uint64_t what = rng_below(r, 10);
        if (what < 6)
            fake_bra(m, what < 5 ? FAKE_MAYBE : 0, pc + 1 + (uint32_t)rng_below(r, len - pc - 1));
        else
            fake_op(m);
    }
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "jumps");
    return m;
}
static void without_loops_minpc_never_issues_more(void **state) {
    (void)state;
    uint64_t more = 0;
    for (uint64_t n = 0; n < 2000; n++) {
        struct rng r = {n * 0x9e3779b97f4a7c15u + 5};
        const uint32_t w = 4u << rng_below(&r, 4);
        const uint64_t seed = rng_next(&r);
        struct rng copy = r;
        const struct ran p = run(jumps_forward(&r), "minpc", w, seed, 0);
        const struct ran t = run(jumps_forward(&copy), "sympa13", w, seed, 0);
        assert_true(t.issued - t.empty >= p.issued);
        assert_int_equal(t.lanes, p.lanes);
        more += t.issued - t.empty > p.issued;
    }
    assert_true(more > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_step_by_step),
        cmocka_unit_test(every_merge_of_a_forward_branch_costs_an_issue),
        cmocka_unit_test(threads_meet_only_where_the_stack_says),
        cmocka_unit_test(threads_that_leave_a_loop_at_its_end_meet_at_no_cost),
        cmocka_unit_test(threads_that_leave_a_loop_at_its_head_merge_one_by_one),
        cmocka_unit_test(a_break_lies_between_the_loops_masks),
        cmocka_unit_test(when_all_who_run_exit_those_who_wait_go_on),
        cmocka_unit_test(who_waits_at_a_barrier_lets_the_others_come),
        cmocka_unit_test(a_warp_that_waits_at_two_barriers_stands),
        cmocka_unit_test(calls_and_indirect_branches_are_refused),
        cmocka_unit_test(on_structured_code_it_is_minpc_and_an_issue_for_each_merge),
        cmocka_unit_test(without_loops_minpc_never_issues_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
