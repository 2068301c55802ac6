/* Dual-path execution: the stack at every step of a branch inside a branch (the shape of DWF Figure 3.1), loops, branches
 * with many targets, paths in flight when the other one diverges, exits, calls, recursion, barriers, stacks of one entry,
 * orders, and random programs. */
#include "unit/mech/programs.h"
#include "unit/mech/random_program.h"

enum { ENTRIES, SPILL };

static void rig_up(struct rig *r, struct ir_module *m, choose_fn *choose) {
    rig_load(r, m, 4, 4, choose);
    fake_start(r->f, "dpe");
}

/* Runs a cycle in which a split that may run at pc is issued, even if it is not its turn. */
static void issue_at(struct rig *r, uint32_t pc) {
    struct mech_split *others[8];
    uint32_t n = 0;
    fake_barrier(r->f);
    FOR_SPLITS(s, r->f->mech->pool)
    if (order_holds(s) && s->pc != pc) others[n++] = s;
    for (uint32_t k = 0; k < n; k++) order_remove(r->f->mech->order, others[k]);
    if (!fake_issue(r->f, 0)) fail_msg("nobody at %u", pc);
    while (n) order_add(r->f->mech->order, others[--n]);
    fake_landings(r->f);
    r->f->now++;
}

struct step { /* what is issued, and the stack then */
    uint32_t pc;
    const char *stack;
};
static void expect_steps(struct rig *r, const struct step *step, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        issue_at(r, step[k].pc);
        if (step[k].stack) fake_expect_state(r->f, step[k].stack);
    }
}
#define STEPS(r, ...)                                   \
    expect_steps(r, (const struct step[]){__VA_ARGS__}, \
                 sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

#define OUTER "warp 0\n  rpc - | left pc 7 w0:0000000f join\n"

/* The inner branch stops F, which mp-basic would run beside C and D, and pdom before or after both. */
static void test_only_the_sides_of_the_newest_branch_are_interleaved(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, program_nested(), choose_nested);
    fake_expect_state(r.f, "warp 0\n  rpc - | left pc 0 w0:0000000f ready <- top\n");
    STEPS(&r,
          /* A: F and B */
          {0, OUTER "  rpc 7 | left pc 6 w0:00000008 ready | right pc 1 w0:00000007 ready <- top\n"},
          /* B: F is held, D and C run */
          {1, OUTER "  rpc 7 | left pc 6 w0:00000008 held | right pc 5 w0:00000007 join\n"
                    "  rpc 5 | left pc 4 w0:00000004 ready | right pc 2 w0:00000003 ready <- top\n"},
          /* D: at E, gone from the left */
          {4, OUTER "  rpc 7 | left pc 6 w0:00000008 held | right pc 5 w0:00000007 join\n"
                    "  rpc 5 | right pc 2 w0:00000003 ready <- top\n"},
          {2, OUTER "  rpc 7 | left pc 6 w0:00000008 held | right pc 5 w0:00000007 join\n"
                    "  rpc 5 | right pc 3 w0:00000003 ready <- top\n"},
          /* C: popped; F and E run */
          {3, OUTER "  rpc 7 | left pc 6 w0:00000008 ready | right pc 5 w0:00000007 ready <- top\n"},
          {5, OUTER "  rpc 7 | left pc 6 w0:00000008 ready <- top\n"},
          /* E and F: popped, all at G */
          {6, "warp 0\n  rpc - | left pc 7 w0:0000000f ready <- top\n"}, {7, ""});
    assert_true(fake_done(r.f));
    assert_int_equal(rig_counter(&r, "pushes"), 2);
    assert_int_equal(rig_counter(&r, "held"), 3); /* thread 3, while D and C run */
    assert_int_equal(rig_counter(&r, "spills"), 0);
    assert_int_equal(r.f->mech->stats.stack_max, 3);
    assert_int_equal(r.f->mech->stats.divergences, 2);
    assert_int_equal(r.f->mech->stats.sides, 4);
    assert_int_equal(r.f->mech->stats.reconvergences, 2);
    rig_down(&r);
}

/* Round robin runs F before B: then it is out of the way. Both are ready at F, at C, and nowhere else. */
static void test_issues_at_which_both_paths_are_ready(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, program_nested(), choose_nested);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 8);
    assert_int_equal(rig_counter(&r, "both_ready"), 2);
    assert_int_equal(rig_counter(&r, "held"), 0);
    rig_down(&r);
}

/* HARP Figure 5: who is held is on an inactive path, who has arrived waits for reconvergence. */
static void test_census(void **state) {
    (void)state;
    struct rig r = {0};
    struct mech_census c;
    rig_up(&r, program_nested(), choose_nested);
    STEPS(&r, {0, NULL}, {1, NULL}, {4, NULL});
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path, 1);
    assert_int_equal(c.reconvergence, 1);
    rig_down(&r);
}

/* mp-basic schedules three rows where dpe schedules two paths and pdom one. */
static void test_schedulable_paths_of_three_mechanisms(void **state) {
    (void)state;
    static const struct {
        const char *mech;
        uint32_t schedulable;
    } want[] = {{"pdom", 1}, {"dpe", 2}, {"mp-basic", 3}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct rig r = {0};
        uint32_t schedulable = 0;
        rig_load(&r, program_nested(), 4, 4, choose_nested);
        fake_start(r.f, want[k].mech);
        issue_at(&r, 0);
        if (k) issue_at(&r, 1);
        FOR_SPLITS(s, r.f->mech->pool) schedulable += order_holds(s);
        assert_int_equal(schedulable, want[k].schedulable);
        rig_down(&r);
    }
}

/* 0 L: op   1: @p bra 0   2: exit. Threads leave the loop one by one: the stack does not grow. */
static uint32_t loop_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 < thread;
}
static void test_a_loop_takes_the_places_of_its_entry(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    struct rig r = {0};
    rig_up(&r, m, loop_choice);
    STEPS(&r, {0, NULL},
          {1, "warp 0\n  rpc - | left pc 2 w0:0000000f join\n  rpc 2 | left pc 0 w0:0000000e ready <- top\n"},
          {0, NULL},
          {1, "warp 0\n  rpc - | left pc 2 w0:0000000f join\n  rpc 2 | left pc 0 w0:0000000c ready <- top\n"},
          {0, NULL}, {1, NULL}, {0, NULL}, {1, "warp 0\n  rpc - | left pc 2 w0:0000000f ready <- top\n"},
          {2, ""});
    assert_int_equal(rig_counter(&r, "pushes"), 1);
    rig_down(&r);
}

/* The slides' loop with a break: cond2 is asked while B still runs. Its sides join where both paths do, but the places of
 * the entry are not free. */
static struct ir_module *two_ways_out(void) {
    struct ir_module *m = ir_module_new("two ways out");
    fake_bra(m, FAKE_MAYBE, 4);             /* 0 */
    fake_bra(m, FAKE_MAYBE, 8);             /* 1 */
    fake_op(m);                             /* 2 */
    fake_bra(m, 0, 8);                      /* 3 */
    for (int k = 0; k < 4; k++) fake_op(m); /* 4..7 */
    fake_end(m, IR_EXIT, 0);                /* 8 */
    fake_func(m, "two ways out");
    return m;
}
static uint32_t out_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread == 3 : thread == 0;
}
static void test_a_branch_to_the_same_join_is_pushed_while_the_other_path_lives(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, two_ways_out(), out_choice);
    STEPS(&r, {0, NULL},
          {1, "warp 0\n  rpc - | left pc 8 w0:0000000f join\n"
              "  rpc 8 | left pc 4 w0:00000008 held | right pc 8 w0:00000007 join\n"
              "  rpc 8 | left pc 2 w0:00000006 ready <- top\n"},
          {2, NULL},
          /* the join is at its own RPC as soon as it is complete */
          {3, "warp 0\n  rpc - | left pc 8 w0:0000000f join\n  rpc 8 | left pc 4 w0:00000008 ready <- top\n"},
          {4, NULL}, {5, NULL}, {6, NULL}, {7, "warp 0\n  rpc - | left pc 8 w0:0000000f ready <- top\n"},
          {8, ""});
    rig_down(&r);
}

/* Five ways: pairs, those with most threads on top; each pair runs when what is above is gone. */
static uint32_t five_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 5 ? thread : thread == 5 ? 2 : 4;
}
static void test_many_sides_are_two_to_an_entry(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("five ways");
    const uint32_t to[] = {1, 3, 5, 7, 9};
    fake_brx(m, 5, to); /* 0 */
    for (uint32_t k = 0; k < 5; k++) {
        fake_op(m);
        fake_bra(m, 0, 11);
    }
    fake_end(m, IR_EXIT, 0); /* 11 */
    fake_func(m, "five ways");
    struct rig r = {0};
    rig_load(&r, m, 8, 8, five_choice);
    fake_start(r.f, "dpe");
    STEPS(
        &r,
        {0, "warp 0\n  rpc - | left pc 11 w0:000000ff join\n  rpc 11 | left pc 1 w0:00000001 held\n"
            "  rpc 11 | left pc 3 w0:00000002 held | right pc 7 w0:00000008 held\n"
            "  rpc 11 | left pc 9 w0:000000d0 ready | right pc 5 w0:00000024 ready <- top\n"},
        {5, NULL}, {6, NULL}, {9, NULL},
        {10, "warp 0\n  rpc - | left pc 11 w0:000000ff join\n  rpc 11 | left pc 1 w0:00000001 held\n"
             "  rpc 11 | left pc 3 w0:00000002 ready | right pc 7 w0:00000008 ready <- top\n"},
        {3, NULL}, {7, NULL}, {4, NULL},
        {8, "warp 0\n  rpc - | left pc 11 w0:000000ff join\n  rpc 11 | left pc 1 w0:00000001 ready <- top\n"},
        {1, NULL}, {2, "warp 0\n  rpc - | left pc 11 w0:000000ff ready <- top\n"}, {11, ""});
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

static uint32_t each_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread / 2 : thread % 2;
}

/* Both paths are in flight and both diverge: the sides of the later one are on top, and each finds its own join. */
static void test_a_path_in_flight_may_diverge_below_the_top(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("both diverge");
    fake_bra(m, FAKE_MAYBE, 4); /* 0 */
    fake_bra(m, FAKE_MAYBE, 3); /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, 0, 6);          /* 3 */
    fake_bra(m, FAKE_MAYBE, 6); /* 4 */
    fake_op(m);                 /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "both diverge");
    struct rig r = {0};
    rig_up(&r, m, each_choice);
    issue_at(&r, 0);
    assert_true(fake_issue(r.f, 0) && fake_issue(r.f, 0));
    const uint32_t last = r.f->issued_pc == 1;
    fake_commit(r.f, r.f->flight[last]); /* 1 */
    fake_expect_state(r.f, "warp 0\n  rpc - | left pc 6 w0:0000000f join\n"
                           "  rpc 6 | left pc 4 w0:0000000c in flight | right pc 3 w0:00000003 join\n"
                           "  rpc 3 | left pc 2 w0:00000001 ready <- top\n");
    fake_commit(r.f, r.f->flight[!last]); /* 4 */
    r.f->nflight = 0;
    fake_expect_state(r.f, "warp 0\n  rpc - | left pc 6 w0:0000000f join\n"
                           "  rpc 6 | left pc 6 w0:0000000c join | right pc 3 w0:00000003 join\n"
                           "  rpc 3 | left pc 2 w0:00000001 held\n"
                           "  rpc 6 | left pc 5 w0:00000004 ready <- top\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.reconvergences, 3);
    rig_down(&r);
}

/* Thread 0 exits in a function, on its side of a branch behind which the others wait for it. */
static void test_who_exits_leaves_every_join(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_call(m, 0, 1);         /* 1 */
    fake_op(m);                 /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "kernel");
    fake_end(m, IR_EXIT, 0); /* 4 */
    fake_func(m, "leave");
    struct rig r = {0};
    rig_up(&r, m, loop_choice); /* at the first step all but thread 0 skip the call */
    STEPS(&r, {0, NULL},
          {1, "warp 0\n  rpc - | left pc 2 w0:0000000f join\n"
              "  rpc 2 | left pc 4 depth 1 w0:00000001 ready <- top\n"},
          {4, "warp 0\n  rpc - | left pc 2 w0:0000000e ready <- top\n"}, {2, NULL}, {3, ""});
    rig_down(&r);
}

/* A function whose sides meet only where it returns to. */
static void test_sides_of_a_function_meet_where_it_returns(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("calls");
    fake_call(m, 0, 1);      /* 0 */
    fake_end(m, IR_EXIT, 0); /* 1 */
    fake_func(m, "kernel");
    fake_end(m, IR_RET, FAKE_MAYBE); /* 2 */
    fake_op(m);                      /* 3 */
    fake_end(m, IR_RET, 0);          /* 4 */
    fake_func(m, "callee");
    struct rig r = {0};
    rig_up(&r, m, choose_nested);
    STEPS(&r, {0, "warp 0\n  rpc - | left pc 2 depth 1 w0:0000000f ready <- top\n"},
          {2, "warp 0\n  rpc - | left pc 1 w0:0000000f join\n"
              "  rpc - | left pc 3 depth 1 w0:0000000b ready <- top\n"},
          {3, NULL}, {4, "warp 0\n  rpc - | left pc 1 w0:0000000f ready <- top\n"}, {1, ""});
    rig_down(&r);
}

/* Threads recurse to different depths: those at one PC of different activations are not together. */
static void test_recursion_joins_by_depth(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("recursion");
    fake_call(m, 0, 1);      /* 0 */
    fake_end(m, IR_EXIT, 0); /* 1 */
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1); /* 2 */
    fake_op(m);                  /* 3 */
    fake_end(m, IR_RET, 0);      /* 4 */
    fake_func(m, "again");
    struct rig r = {0};
    rig_up(&r, m, choose_nested); /* at 2 thread 2 goes on calling */
    r.f->budget = 12;
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A path that waits holds back only itself. */
static void test_a_barrier_holds_one_path(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bar(m, 0);             /* 1 */
    fake_bra(m, 0, 5);          /* 2 */
    fake_op(m);                 /* 3 */
    fake_bar(m, 0);             /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "barrier");
    struct rig r = {0};
    rig_up(&r, m, choose_nested);
    STEPS(&r, {0, NULL},
          {1, "warp 0\n  rpc - | left pc 5 w0:0000000f join\n"
              "  rpc 5 | left pc 3 w0:00000008 ready | right pc 2 w0:00000007 waiting at a barrier <- top\n"},
          {3, NULL},
          {4, "warp 0\n  rpc - | left pc 5 w0:0000000f join\n  rpc 5 "
              "| left pc 5 w0:00000008 waiting at a barrier | right pc 2 w0:00000007 waiting at a barrier <- "
              "top\n"},
          /* all have come: the left path is at its join */
          {2, "warp 0\n  rpc - | left pc 5 w0:0000000f ready <- top\n"}, {5, ""});
    rig_down(&r);
}

/* Who could come to the barrier is held by the branch inside the other path: such a stack waits for ever. */
static void test_a_barrier_waits_for_ever_for_a_path_below_the_top(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("stuck");
    fake_bra(m, FAKE_MAYBE, 5); /* 0 */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 */
    fake_bar(m, 0);             /* 3 */
    fake_bra(m, 0, 6);          /* 4 */
    fake_bar(m, 0);             /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "stuck");
    struct rig r = {0};
    rig_up(&r, m, choose_nested);
    STEPS(&r, {0, NULL}, {1, NULL});
    assert_false(fake_run(r.f));
    fake_expect_state(r.f, "warp 0\n  rpc - | left pc 6 w0:0000000f join\n"
                           "  rpc 6 | left pc 5 w0:00000008 held | right pc 4 w0:00000007 join\n"
                           "  rpc 4 | left pc 4 w0:00000003 waiting at a barrier <- top\n");
    assert_false(mech_find("dpe")->caps & MECH_PROGRESS);
    rig_down(&r);
}

/* One entry: what is below the top is in memory, and back three cycles after it has become the top. */
static void test_a_stack_of_one_entry(void **state) {
    (void)state;
    struct rig r = {.param = {[ENTRIES] = 1, [SPILL] = 3}};
    rig_up(&r, program_nested(), choose_nested);
    STEPS(&r, {0, NULL}, {1, NULL}, {4, NULL}, {2, NULL},
          {3, "warp 0\n  rpc - | left pc 7 w0:0000000f join in memory\n"
              "  rpc 7 | left pc 6 w0:00000008 held | right pc 5 w0:00000007 held <- top\n"});
    while (r.f->now < 4 + 3) assert_false(fake_cycle(r.f));
    assert_true(fake_cycle(r.f));
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "spills"), 2);
    assert_int_equal(r.f->issued, 8);
    rig_down(&r);
}

/* What is old or young is the warp: the second one runs when the first is done. */
static void test_paths_are_as_old_as_their_warp(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, program_nested(), 4, 8, choose_nested);
    r.f->env.order = ORDER_OLDEST;
    fake_start(r.f, "dpe");
    while (r.f->t[0].live) {
        for (uint32_t t = 4; t < 8; t++) assert_int_equal(r.f->t[t].steps, 0);
        assert_true(fake_cycle(r.f));
    }
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* harp-fermi's 1024 threads: 32 warps; entries of 32 + 2 * (32 + 32) bits, a thread each unless there are fewer. */
static void test_storage(void **state) {
    (void)state;
    for (int64_t entries = 0; entries < 8; entries += 7) {
        struct rig r = {.param = {[ENTRIES] = entries}};
        struct sb text = {0}, want = {0};
        rig_load(&r, program_nested(), 32, 1024, choose_nested);
        fake_start(r.f, "dpe");
        storage_text(r.f->mech, &text);
        sb_add(&want, "stack %d\n", 32 * (entries ? (int)entries : 32) * (32 + 2 * 64));
        assert_string_equal(text.text, want.text);
        sb_free(&text);
        sb_free(&want);
        rig_down(&r);
    }
}

/* ---- random programs ---- */

/* Against every thread alone, with the audit after every commit, which also says that no more than two paths of a warp can
 * be scheduled; without barriers everything ends. */
static void run_random(struct rng *r, uint32_t w, bool barriers, uint64_t *spills) {
    struct rig g = {.param = {[ENTRIES] = (int64_t)rng_below(r, 4), [SPILL] = (int64_t)rng_below(r, 10)}};
    g.m = random_program(r, random_mix(r, barriers));
    g.c = fake_finish(g.m);
    g.f = fake_new(g.m, g.c, w, random_threads(r, w));
    random_machine(g.f, r);
    g.f->env.param = g.param;
    g.f->slow = rng_below(r, 2);
    g.f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start(g.f, "dpe");
    const bool done = fake_run(g.f);
    assert_true(done || barriers);
    assert_true(g.f->mech->stats.stack_max <= w);
    *spills += rig_counter(&g, "spills");
    rig_down(&g);
}
static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct rng r = {1};
    uint64_t spills = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 300u : 4000u / w); n++) run_random(&r, w, n % 2, &spills);
    assert_true(spills > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_sides_of_the_newest_branch_are_interleaved),
        cmocka_unit_test(test_issues_at_which_both_paths_are_ready),
        cmocka_unit_test(test_census),
        cmocka_unit_test(test_schedulable_paths_of_three_mechanisms),
        cmocka_unit_test(test_a_loop_takes_the_places_of_its_entry),
        cmocka_unit_test(test_a_branch_to_the_same_join_is_pushed_while_the_other_path_lives),
        cmocka_unit_test(test_many_sides_are_two_to_an_entry),
        cmocka_unit_test(test_a_path_in_flight_may_diverge_below_the_top),
        cmocka_unit_test(test_who_exits_leaves_every_join),
        cmocka_unit_test(test_sides_of_a_function_meet_where_it_returns),
        cmocka_unit_test(test_recursion_joins_by_depth),
        cmocka_unit_test(test_a_barrier_holds_one_path),
        cmocka_unit_test(test_a_barrier_waits_for_ever_for_a_path_below_the_top),
        cmocka_unit_test(test_a_stack_of_one_entry),
        cmocka_unit_test(test_paths_are_as_old_as_their_warp),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_every_thread_takes_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
