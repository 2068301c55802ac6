/* Stack-less min(SP:PC) (SL): Table 2 line by line, Listing 1 with and without SP, recursion with stacks that diverge and
 * stacks in step (Table 1), run-ahead, barriers, spinning, and random programs. The audit after every commit checks that arbitrating then would choose what runs. */
#include "unit/mech/programs.h"
#include "unit/mech/random_program.h"

enum { ARBITRATIONS, MERGES, AHEAD, LIMIT }; /* stats.extra */
enum { DIV, SYNC };
enum { ARBITRATION = 3, SPECULATE, REPLAY }; /* parameters */

/* The fake insists that an offer of early data is taken: without run-ahead there must be none. */
static void rig_start(struct rig *r, bool sp, bool memory, int stack) {
    r->param[0] = sp;
    r->param[1] = memory;
    r->param[2] = stack;
    fake_start(r->f, "minpc");
    r->ops = *r->f->mech->ops;
    r->ops.memory = NULL;
    if (!memory) r->f->mech->ops = &r->ops;
}

/* ---- Table 2 ---- */

/* The table counts from 1. */
static struct ir_module *table_2(void) {
    struct ir_module *m = ir_module_new("table 2");
    fake_op(m);
    fake_op(m);                 /* 1 A */
    fake_bra(m, FAKE_MAYBE, 5); /* 2 if (!c) br 5 */
    fake_op(m);                 /* 3 B */
    fake_bra(m, 0, 6);          /* 4 br 6 */
    fake_op(m);                 /* 5 C */
    fake_op(m);                 /* 6 D */
    fake_end(m, IR_EXIT, 0);    /* 7 */
    fake_func(m, "table_2");
    return m;
}
static void test_table_2_line_by_line(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n", /* 1 1 1 1 */
        "warp 0: depth 0 pc 2 running, ready w0:0000000f\n", /* 2 2 2 2 */
        "warp 0: depth 0 pc 3 running, ready w0:00000003\n"  /* 3 3 5 5 */
        "warp 0: depth 0 pc 5 standing w0:0000000c\n",
        "warp 0: depth 0 pc 4 running, ready w0:00000003\n" /* 4 4 5 5 */
        "warp 0: depth 0 pc 5 standing w0:0000000c\n",
        "warp 0: depth 0 pc 5 running, ready w0:0000000c\n" /* 6 6 5 5 */
        "warp 0: depth 0 pc 6 standing w0:00000003\n",
        "warp 0: depth 0 pc 6 running, ready w0:0000000f\n", /* 6 6 6 6 */
        "warp 0: depth 0 pc 7 running, ready w0:0000000f\n", /* 7 7 7 7 */
    };
    struct rig r = {0};
    rig_load(&r, table_2(), 4, 4, choose_upper_half);
    rig_start(&r, true, false, DIV);
    rig_expect_steps(&r, RIG_ROWS(row));
    const struct mech_stats *s = &r.f->mech->stats;
    assert_int_equal(s->divergences, 1);
    assert_int_equal(s->sides, 2);
    assert_int_equal(s->reconvergences, 1);
    assert_int_equal(s->splits_max, 1);
    assert_int_equal(s->extra[ARBITRATIONS], 4); /* 2, 4, the exit, and where C steps into D */
    assert_int_equal(s->extra[LIMIT], 1);
    assert_int_equal(s->extra[MERGES], 1);
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

static void test_table_2_takes_as_many_issues_in_warps_of_any_width(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct rig r = {0};
        rig_load(&r, table_2(), w, 256, choose_upper_half);
        rig_start(&r, true, false, DIV);
        for (uint32_t k = 0; k < 3 * 256 / w; k++) assert_true(fake_cycle(r.f));
        assert_int_equal(rig_standing(&r), 128);
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 8 * 256 / w);
        assert_int_equal(r.f->mech->stats.extra[MERGES], 256 / w);
        assert_int_equal(rig_standing(&r), 0);
        rig_down(&r);
    }
}

/* ---- Listing 1 ---- */

static struct ir_module *listing_1(void) {
    struct ir_module *m = ir_module_new("listing 1");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 if (c) */
    fake_call(m, 0, 1);         /* 1   f() */
    fake_op(m);                 /* 2 behind the conditional */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "kernel");
    fake_op(m);             /* 4 f */
    fake_end(m, IR_RET, 0); /* 5 */
    fake_func(m, "f");
    return m;
}

static void test_listing_1_runs_the_call_first_with_sp(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:00000003\nwarp 0: depth 0 pc 2 standing w0:0000000c\n",
        "warp 0: depth 1 pc 4 running, ready w0:00000003\nwarp 0: depth 0 pc 2 standing w0:0000000c\n",
        "warp 0: depth 1 pc 5 running, ready w0:00000003\nwarp 0: depth 0 pc 2 standing w0:0000000c\n",
        "warp 0: depth 0 pc 2 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 3 running, ready w0:0000000f\n",
    };
    for (int stack = DIV; stack <= SYNC; stack++) {
        struct rig r = {0};
        rig_load(&r, listing_1(), 4, 4, choose_upper_half);
        rig_start(&r, true, false, stack);
        rig_expect_steps(&r, RIG_ROWS(row));
        assert_int_equal(r.f->mech->stats.reconvergences, 1);
        rig_down(&r);
    }
}

/* "the policy is inefficient, as it will execute first the code that resides after the end of the conditional block" */
static void test_listing_1_fails_to_reconverge_without_sp(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth - pc 0 running, ready w0:0000000f\n",
        "warp 0: depth - pc 1 running, ready w0:00000003\nwarp 0: depth - pc 2 standing w0:0000000c\n",
        "warp 0: depth - pc 2 running, ready w0:0000000c\nwarp 0: depth - pc 4 standing w0:00000003\n",
        "warp 0: depth - pc 3 running, ready w0:0000000c\nwarp 0: depth - pc 4 standing w0:00000003\n",
        "warp 0: depth - pc 4 running, ready w0:00000003\n",
        "warp 0: depth - pc 5 running, ready w0:00000003\n",
        "warp 0: depth - pc 2 running, ready w0:00000003\n",
        "warp 0: depth - pc 3 running, ready w0:00000003\n",
    };
    struct rig r = {0};
    rig_load(&r, listing_1(), 4, 4, choose_upper_half);
    rig_start(&r, false, false, DIV);
    rig_expect_steps(&r, RIG_ROWS(row));
    assert_int_equal(r.f->mech->stats.reconvergences, 0);
    rig_down(&r);
}

/* ---- recursion ---- */

/* f calls itself once for threads 0 and 1: one PC at two depths. */
static struct ir_module *recursive(void (*then)(struct ir_module *m)) {
    struct ir_module *m = ir_module_new("recursive");
    fake_call(m, 0, 1);      /* 0 */
    fake_end(m, IR_EXIT, 0); /* 1 */
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1); /* 2 f */
    then(m);                     /* 3 */
    fake_end(m, IR_RET, 0);      /* 4 */
    fake_func(m, "f");
    return m;
}
static void a_barrier(struct ir_module *m) {
    fake_bar(m, 0);
}
static uint32_t recurses_once(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 2 && step == 1 && thread < 2;
}

/* Table 1, "Sync": who is deeper goes first and alone, although the others are at the same PC. */
static void test_stacks_in_step_let_nobody_meet_at_different_depths(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 1 pc 2 running, ready w0:0000000f\n",
        "warp 0: depth 2 pc 2 running, ready w0:00000003\nwarp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 2 pc 3 running, ready w0:00000003\nwarp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 2 pc 4 running, ready w0:00000003\nwarp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 1 pc 3 running, ready w0:0000000f\n",
        "warp 0: depth 1 pc 4 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n",
    };
    struct rig r = {0};
    rig_load(&r, recursive(fake_op), 4, 4, recurses_once);
    rig_start(&r, true, false, SYNC);
    rig_expect_steps(&r, RIG_ROWS(row));
    assert_int_equal(r.f->mech->stats.extra[MERGES], 1);
    rig_down(&r);
}

/* Table 1, "Div": the PC alone says who is active. Threads 0 and 1 step onto 3, where the others stand one call above; all
 * run there and return, each to where its own stack says. */
static void test_threads_at_one_pc_run_together_whatever_their_depth(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 1 pc 2 running, ready w0:0000000f\n",
        "warp 0: depth 2 pc 2 running, ready w0:00000003\nwarp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 2 pc 3 running down to depth 1, ready w0:0000000f\n",
        "warp 0: depth 2 pc 4 running down to depth 1, ready w0:0000000f\n",
        "warp 0: depth 1 pc 3 running, ready w0:00000003\nwarp 0: depth 0 pc 1 standing w0:0000000c\n",
        "warp 0: depth 1 pc 4 running, ready w0:00000003\nwarp 0: depth 0 pc 1 standing w0:0000000c\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n",
    };
    struct rig r = {0};
    rig_load(&r, recursive(fake_op), 4, 4, recurses_once);
    rig_start(&r, true, false, DIV);
    rig_expect_steps(&r, RIG_ROWS(row));
    const struct mech_stats *s = &r.f->mech->stats;
    assert_int_equal(s->divergences, 2); /* the call, and the return to two places */
    assert_int_equal(s->extra[MERGES], 2);
    rig_down(&r);
}

/* The limit is two tests: 5 is below the lowest key that stands, {1, 5}, but a thread stands there. */
static uint32_t upper_half_skips(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 3 ? thread >= 2 : recurses_once(thread, pc, step);
}
static void test_a_step_onto_a_pc_where_a_shallower_thread_stands_is_a_limit(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("step");
    fake_call(m, 0, 1);      /* 0 */
    fake_end(m, IR_EXIT, 0); /* 1 */
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1); /* 2 f */
    fake_bra(m, FAKE_MAYBE, 5);  /* 3 */
    fake_op(m);                  /* 4 */
    fake_end(m, IR_RET, 0);      /* 5 */
    fake_func(m, "f");
    struct rig r = {0};
    rig_load(&r, m, 4, 4, upper_half_skips);
    rig_start(&r, true, false, DIV);
    for (int k = 0; k < 4; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 2 pc 4 running, ready w0:00000003\n"
                           "warp 0: depth 1 pc 5 standing w0:0000000c\n");
    assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 2 pc 5 running down to depth 1, ready w0:0000000f\n");
    assert_int_equal(r.f->mech->stats.extra[LIMIT], 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Without SP no depth is compared, so that minpc.stack changes nothing. */
static void test_without_sp_the_stack_does_not_matter(void **state) {
    (void)state;
    for (int stack = DIV; stack <= SYNC; stack++) {
        struct rig r = {0};
        rig_load(&r, recursive(fake_op), 4, 4, recurses_once);
        rig_start(&r, false, false, stack);
        for (int k = 0; k < 3; k++) assert_true(fake_cycle(r.f)); /* 0, 2, 2 again */
        fake_expect_state(r.f, "warp 0: depth - pc 3 running, ready w0:0000000f\n");
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* The arbiter takes the deepest call first: the upper half stands at the lowest PC, 2, until both calls are over. */
static struct ir_module *two_calls(void) {
    struct ir_module *m = ir_module_new("two calls");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 upper half */
    fake_call(m, 0, 2);         /* 1 */
    fake_op(m);                 /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "kernel");
    fake_op(m);             /* 4 leaf */
    fake_end(m, IR_RET, 0); /* 5 */
    fake_func(m, "leaf");
    fake_call(m, 0, 1);     /* 6 middle */
    fake_end(m, IR_RET, 0); /* 7 */
    fake_func(m, "middle");
    return m;
}

static void test_the_deepest_call_chooses_the_pc_with_either_stack(void **state) {
    (void)state;
    for (int stack = DIV; stack <= SYNC; stack++) {
        struct rig r = {0};
        rig_load(&r, two_calls(), 4, 4, choose_upper_half);
        rig_start(&r, true, false, stack);
        rig_expect_run(&r, "0 1 6 4 5 7 2 3");
        rig_down(&r);
    }
}

/* All four wait at 3, two of them a call deeper, and are released together. */
static void test_threads_of_several_depths_wait_at_one_barrier(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, recursive(a_barrier), 4, 4, recurses_once);
    rig_start(&r, true, false, DIV);
    for (int k = 0; k < 4; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 2 pc 4 waiting at a barrier w0:00000003\n"
                           "warp 0: depth 1 pc 4 waiting at a barrier w0:0000000c\n");
    assert_true(fake_barrier(r.f));
    fake_expect_state(r.f, "warp 0: depth 2 pc 4 running down to depth 1, ready w0:0000000f\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- barriers, spinning ---- */

static void test_who_does_not_wait_goes_on(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_bar(m, 0);             /* 1 lower half */
    fake_op(m);                 /* 2 */
    fake_bar(m, 0);             /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "barrier");
    struct rig r = {0};
    rig_load(&r, m, 4, 4, choose_upper_half);
    rig_start(&r, true, false, DIV);
    for (int k = 0; k < 2; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 0 pc 2 running, ready w0:0000000c\n"
                           "warp 0: depth 0 pc 2 waiting at a barrier w0:00000003\n");
    assert_int_equal(rig_standing(&r), 0);
    for (int k = 0; k < 2; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 0 pc 2 waiting at a barrier w0:00000003\n"
                           "warp 0: depth 0 pc 4 waiting at a barrier w0:0000000c\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A loop at a low PC keeps all threads behind it from running: the lock's owner may be among them. */
static uint32_t thread_1_spins(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread == 1;
}

static void test_a_spinning_thread_keeps_the_others_standing(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("spin");
    fake_bra(m, FAKE_MAYBE, 0);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "spin");
    struct rig r = {0};
    rig_load(&r, m, 4, 4, thread_1_spins);
    rig_start(&r, true, false, DIV);
    for (int k = 0; k < 500; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth 0 pc 0 running, ready w0:00000002\n"
                           "warp 0: depth 0 pc 1 standing w0:0000000d\n");
    assert_int_equal(r.f->t[0].steps, 1);
    assert_false(r.f->mech->ops->caps & MECH_PROGRESS);
    rig_down(&r);
}

/* ---- arbitration that takes time, and speculation (6) ---- */

/* Runs to the end: "0@0 1@1 3*@2", PC and cycle of each issue, those without threads with a star. */
static void expect_cycles(struct rig *r, const char *want) {
    struct fake *f = r->f;
    struct sb out = {0};
    while (!fake_done(f)) {
        const uint64_t issued = f->issued, empty = f->empty, now = f->now;
        assert_true(fake_cycle(f) || mech_next(f->mech, 0) != MECH_NEVER);
        if (f->issued > issued)
            sb_add(&out, "%s%u%s@%u", out.len ? " " : "", f->issued_pc, f->empty > empty ? "*" : "",
                   (unsigned)now);
    }
    assert_string_equal(out.text, want);
    sb_free(&out);
}

static void rig_with_arbitration(struct rig *r, struct ir_module *m, choose_fn *choose, bool speculate) {
    rig_load(r, m, 4, 4, choose);
    r->param[ARBITRATION] = 4;
    r->param[SPECULATE] = speculate;
    rig_start(r, true, false, DIV);
}

/* Table 2: behind both jumps the warp waits for the arbiter, but not where C steps onto D, nor behind A or B. */
static void test_an_arbitration_keeps_what_it_chooses_waiting(void **state) {
    (void)state;
    struct rig r = {0};
    rig_with_arbitration(&r, table_2(), choose_upper_half, false);
    expect_cycles(&r, "0@0 1@1 2@2 3@6 4@7 5@11 6@12 7@13");
    rig_down(&r);
}

/* Where threads part the predictor is right: B issues at once. What is no conditional branch is not predicted. */
static void test_speculation_hides_the_arbitration_of_a_divergent_branch(void **state) {
    (void)state;
    struct rig r = {0};
    rig_with_arbitration(&r, table_2(), choose_upper_half, true);
    expect_cycles(&r, "0@0 1@1 2@2 3@3 4@4 5@8 6@9 7@10");
    assert_int_equal(rig_counter(&r, "predicted"), 1);
    assert_int_equal(rig_counter(&r, "mispredicted"), 0);
    rig_down(&r);
}

/* All go to C: no thread is at B, whose issue commits nothing, and C waits as long as without. */
static uint32_t all_branch(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}
static void test_a_wrong_guess_issues_without_threads(void **state) {
    (void)state;
    struct rig r = {0};
    rig_with_arbitration(&r, table_2(), all_branch, true);
    expect_cycles(&r, "0@0 1@1 2@2 3*@3 5@6 6@7 7@8");
    assert_int_equal(rig_counter(&r, "predicted"), 0);
    assert_int_equal(rig_counter(&r, "mispredicted"), 1);
    rig_down(&r);
}

/* A loop: thread k leaves after k + 1 rounds. The guess to go back is right as long as a thread does, and wrong once,
 * in the end. */
static uint32_t leaves_in_turn(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 < thread;
}
static void test_a_branch_back_is_guessed_to_be_taken(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_op(m);                 /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "loop");
    struct rig r = {0};
    rig_with_arbitration(&r, m, leaves_in_turn, true);
    expect_cycles(&r, "0@0 1@1 0@2 1@3 0@4 1@5 0@6 1@7 0*@8 2@11 3@12");
    assert_int_equal(rig_counter(&r, "predicted"), 3);
    assert_int_equal(rig_counter(&r, "mispredicted"), 1);
    rig_down(&r);
}

/* Another warp issues in the only slots there were: a guess that has not issued by the end of its arbitration never does. */
static void test_a_guess_ends_with_its_arbitration(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, table_2(), 4, 4, all_branch);
    r.param[ARBITRATION] = 4;
    r.param[SPECULATE] = true;
    rig_start(&r, true, false, DIV);
    for (int k = 0; k < 3; k++) assert_true(fake_cycle(r.f));
    r.f->now += 3; /* the port was taken */
    rig_expect_run(&r, "5 6 7");
    assert_int_equal(r.f->empty, 0);
    rig_down(&r);
}

/* ---- replay (4.2) ---- */

static struct ir_module *a_load(void) {
    struct ir_module *m = ir_module_new("load");
    fake_op(m);              /* 0 */
    fake_load(m);            /* 1 */
    fake_op(m);              /* 2 */
    fake_end(m, IR_EXIT, 0); /* 3 */
    fake_func(m, "load");
    return m;
}
/* Threads 0 and 2 want one line, 1 another, 3 a third. */
static uint32_t three_lines(uint32_t thread, uint32_t step) {
    static const uint32_t line[4] = {7, 3, 7, 5};
    return step == 1 ? line[thread] : 0;
}
static uint32_t one_line(uint32_t thread, uint32_t step) {
    (void)thread, (void)step;
    return 7;
}
static void rig_with_replay(struct rig *r, uint32_t (*line)(uint32_t, uint32_t), bool replay) {
    rig_load(r, a_load(), 4, 4, NULL);
    r->f->line = line;
    r->param[REPLAY] = replay;
    rig_start(r, true, false, DIV);
}

/* "Threads which encounter a port conflict keep the same PC": the lowest lane's line first, and who lost runs next. */
static void test_threads_that_lose_the_port_repeat_the_load(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, wakes at 2 w0:0000000a\nwarp 0: depth 0 pc 2 standing w0:00000005\n",
        "warp 0: depth 0 pc 1 running, wakes at 3 w0:00000008\nwarp 0: depth 0 pc 2 standing w0:00000007\n",
        "warp 0: depth 0 pc 2 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 3 running, ready w0:0000000f\n",
    };
    struct rig r = {0};
    rig_with_replay(&r, three_lines, true);
    for (uint32_t k = 0; k < 6; k++) {
        if (k == 2 || k == 3)
            r.f->now--; /* as it was at the commit: the order says when, not that it is due */
        fake_expect_state(r.f, row[k]);
        if (k == 2 || k == 3) r.f->now++;
        assert_true(fake_cycle(r.f));
    }
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 6);
    assert_int_equal(rig_counter(&r, "replays"), 2);
    assert_int_equal(rig_counter(&r, "replayed"), 3);
    rig_down(&r);
}

static void test_one_line_is_one_issue_with_and_without_replay(void **state) {
    (void)state;
    for (int replay = 0; replay < 2; replay++) {
        struct rig r = {0};
        rig_with_replay(&r, replay ? one_line : three_lines, replay);
        rig_expect_run(&r, "0 1 2 3");
        assert_int_equal(rig_counter(&r, "replays"), 0);
        rig_down(&r);
    }
}

/* The first line misses: those who lost repeat the load, get their data and run ahead; the others catch up. */
static void test_those_who_lost_do_not_wait_for_who_got_the_port_and_missed(void **state) {
    (void)state;
    struct rig r = {0};
    rig_with_replay(&r, three_lines, true);
    struct fake *f = r.f;
    assert_true(fake_cycle(f));
    assert_true(fake_issue(f, 0)); /* 1 for threads 0 and 2 */
    struct fake_flight *miss = f->flight[--f->nflight];
    f->now++;
    rig_expect_issues(&r, 3, "1 1 2");
    fake_expect_state(f, "warp 0: depth 0 pc 3 running, ready w0:0000000a\n"
                         "warp 0: depth 0 pc 1 late, in flight w0:00000005\n");
    fake_commit(f, miss);
    rig_expect_run(&r, "2 3");
    rig_down(&r);
}

/* ---- run-ahead (4.2) ---- */

static struct ir_module *straight(void) {
    struct ir_module *m = ir_module_new("straight");
    for (int k = 0; k < 5; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "straight");
    return m;
}

/* Data of threads 0 and 1 is there at 1, that of 2 later, that of 3 last: the SM still has the load in flight. */
static void test_threads_that_hit_run_ahead_of_a_load_in_flight(void **state) {
    (void)state;
    struct rig r = {0};
    struct mech_set ready;
    rig_load(&r, straight(), 4, 4, NULL);
    rig_start(&r, true, true, DIV);
    struct fake *f = r.f;
    assert_true(fake_issue(f, 0));
    struct fake_flight *load = f->flight[--f->nflight];
    set_one(&ready, 0, 3);
    f->t[0].in_flight = f->t[1].in_flight = false;
    assert_true(f->mech->ops->memory(f->mech, load->s, &ready));
    f->mech->ops->audit(f->mech);
    assert_true(fake_cycle(f));
    assert_true(fake_cycle(f));
    fake_expect_state(f, "warp 0: depth 0 pc 3 running, ready w0:00000003\n"
                         "warp 0: depth 0 pc 0 late, in flight w0:0000000c\n");
    set_one(&ready, 0, 4);
    f->t[2].in_flight = false;
    assert_true(f->mech->ops->memory(f->mech, load->s, &ready));
    fake_expect_state(f, "warp 0: depth 0 pc 1 running, ready w0:00000004\n"
                         "warp 0: depth 0 pc 3 standing w0:00000003\n"
                         "warp 0: depth 0 pc 0 late, in flight w0:00000008\n");
    fake_commit(f, load);
    fake_expect_state(f, "warp 0: depth 0 pc 1 running, ready w0:0000000c\n"
                         "warp 0: depth 0 pc 3 standing w0:00000003\n");
    assert_true(fake_run(f));
    assert_int_equal(f->issued, 8); /* 0; 1, 2 ahead; 1, 2 to catch up; 3, 4, 5 */
    assert_int_equal(f->mech->stats.extra[AHEAD], 1);
    assert_int_equal(f->mech->stats.extra[MERGES], 2);
    rig_down(&r);
}

/* Thread 2 misses an operand of 1 until cycle 3; the offer comes from the scoreboard. */
static void test_threads_that_hit_run_ahead_of_one_that_waits_for_operands(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, straight(), 4, 4, NULL);
    rig_start(&r, true, true, DIV);
    struct fake *f = r.f;
    assert_true(fake_issue(f, 0));
    f->t[2].event = true;
    f->t[2].ready = 3;
    fake_landings(f);
    f->now = 1;
    fake_expect_state(f, "warp 0: depth 0 pc 1 running, ready w0:0000000b\n"
                         "warp 0: depth 0 pc 1 late, parked w0:00000004\n");
    assert_true(fake_cycle(f));
    assert_true(fake_cycle(f));
    assert_true(fake_cycle(f)); /* woken before the issue: 1 for thread 2 alone */
    fake_expect_state(f, "warp 0: depth 0 pc 2 running, ready w0:00000004\n"
                         "warp 0: depth 0 pc 3 standing w0:0000000b\n");
    assert_true(fake_run(f));
    assert_int_equal(f->issued, 8);
    rig_down(&r);
}

/* Threads 0 and 1 are at 3 in a deeper call than 2 and 3. The data of 0 and 2 is there first. */
static void test_threads_of_several_depths_run_ahead_and_are_late(void **state) {
    (void)state;
    struct rig r = {0};
    struct mech_set ready;
    rig_load(&r, recursive(fake_op), 4, 4, recurses_once);
    rig_start(&r, true, true, DIV);
    struct fake *f = r.f;
    for (int k = 0; k < 3; k++) assert_true(fake_cycle(f));
    assert_true(fake_issue(f, 0));
    struct fake_flight *load = f->flight[--f->nflight];
    set_one(&ready, 0, 5);
    f->t[0].in_flight = f->t[2].in_flight = false;
    assert_true(f->mech->ops->memory(f->mech, load->s, &ready));
    f->mech->ops->audit(f->mech);
    fake_expect_state(f, "warp 0: depth 2 pc 4 running down to depth 1, ready w0:00000005\n"
                         "warp 0: depth 2 pc 3 late down to depth 1, in flight w0:0000000a\n");
    fake_commit(f, load);
    fake_expect_state(f, "warp 0: depth 2 pc 4 running down to depth 1, ready w0:0000000f\n");
    assert_true(fake_run(f));
    rig_down(&r);
}

/* Only those of the deeper call miss an operand of 4: who runs ahead is not as deep as the split was. */
static void test_without_its_late_threads_a_split_may_be_shallower(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, recursive(fake_op), 4, 4, recurses_once);
    rig_start(&r, true, true, DIV);
    struct fake *f = r.f;
    for (int k = 0; k < 3; k++) assert_true(fake_cycle(f));
    assert_true(fake_issue(f, 0));
    for (uint32_t t = 0; t < 2; t++) {
        f->t[t].event = true;
        f->t[t].ready = f->now + 3;
    }
    fake_landings(f);
    fake_expect_state(f, "warp 0: depth 1 pc 4 running, ready w0:0000000c\n"
                         "warp 0: depth 2 pc 4 late, parked w0:00000003\n");
    assert_true(fake_run(f));
    rig_down(&r);
}

/* Only who ran with a late thread runs ahead of it, not who stands: it may be the code that is not there. */
static void test_a_split_that_misses_as_a_whole_keeps_its_turn(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, table_2(), 4, 4, choose_upper_half);
    rig_start(&r, true, true, DIV);
    struct fake *f = r.f;
    for (int k = 0; k < 2; k++) assert_true(fake_cycle(f));
    assert_true(fake_issue(f, 0));
    for (uint32_t t = 0; t < 2; t++) {
        f->t[t].event = true;
        f->t[t].ready = 4;
    }
    fake_landings(f);
    f->now++;
    fake_expect_state(f, "warp 0: depth 0 pc 3 running, waits for an event w0:00000003\n"
                         "warp 0: depth 0 pc 5 standing w0:0000000c\n");
    assert_true(fake_run(f));
    assert_int_equal(f->mech->stats.extra[AHEAD], 0);
    rig_down(&r);
}

static void test_nobody_runs_ahead_unless_asked_to(void **state) {
    (void)state;
    struct rig r = {0};
    struct mech_set ready;
    rig_load(&r, straight(), 4, 4, NULL);
    rig_start(&r, true, false, DIV);
    assert_true(fake_issue(r.f, 0));
    set_one(&ready, 0, 3);
    assert_false(mech_find("minpc")->memory(r.f->mech, r.f->flight[0]->s, &ready));
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 6);
    rig_down(&r);
}

/* ---- cost ---- */

static void test_storage_is_constant_per_thread(void **state) {
    (void)state;
    static const char *const text[2][2] = {
        {"thread_pc 2048\ncommon_and_limit 128\n", "thread_pc 2048\ncommon_and_limit 128\nlate_flags 64\n"},
        {"thread_pc 2048\nthread_depth 1024\ncommon_and_limit 192\n",
         "thread_pc 2048\nthread_depth 1024\ncommon_and_limit 192\nlate_flags 64\n"}};
    for (int k = 0; k < 4; k++) {
        struct rig r = {0};
        struct sb out = {0};
        rig_load(&r, straight(), 32, 64, NULL);
        rig_start(&r, k & 1, k >> 1, DIV);
        storage_text(r.f->mech, &out);
        assert_string_equal(out.text, text[k & 1][k >> 1]);
        sb_free(&out);
        rig_down(&r);
    }
}

/* ---- random programs ---- */

struct tally {
    uint64_t merges, ahead, limits, deep, predicted, mispredicted, replays;
};

static uint32_t some_lines(uint32_t thread, uint32_t step) {
    return (thread * 7 + step) % 5 / 2;
}

/* Several depths run together. */
static bool runs_deep(const struct fake *f) {
    struct sb out = {0};
    f->mech->ops->state(f->mech, &out);
    const bool deep = out.text && strstr(out.text, "running down to depth");
    sb_free(&out);
    return deep;
}

static void run_one(struct rng *rng, uint32_t w, struct tally *sum) {
    struct rig r = {0};
    rig_load(&r, random_program(rng, random_mix(rng, true)), w, random_threads(rng, w), NULL);
    struct fake *f = r.f;
    random_machine(f, rng);
    f->slow = rng_below(rng, 3);
    f->per_block = 32 * (uint32_t)rng_below(rng, 4);
    f->line = some_lines;
    r.param[ARBITRATION] = rng_below(rng, 2) ? (int64_t)rng_below(rng, 6) : 0;
    r.param[SPECULATE] = (int64_t)rng_below(rng, 2);
    r.param[REPLAY] = (int64_t)rng_below(rng, 3) / 2;
    const int stack = (int)rng_below(rng, 3) / 2;
    rig_start(&r, rng_below(rng, 4), rng_below(rng, 2), stack);
    for (int k = 0; k < 100; k++) {
        if (!fake_done(f)) fake_cycle(f);
        const bool deep = runs_deep(f);
        assert_true(stack == DIV || !deep);
        sum->deep += deep;
    }
    assert_true(fake_run(f)); /* no thread holds back those that a barrier waits for */
    assert_int_equal(rig_standing(&r), 0);
    sum->merges += f->mech->stats.extra[MERGES];
    sum->ahead += f->mech->stats.extra[AHEAD];
    sum->limits += f->mech->stats.extra[LIMIT];
    sum->predicted += rig_counter(&r, "predicted");
    sum->mispredicted += rig_counter(&r, "mispredicted");
    sum->replays += rig_counter(&r, "replays");
    rig_down(&r);
}

static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct rng r = {11};
    struct tally sum = {0};
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 300u : 6000u / w); n++) run_one(&r, w, &sum);
    assert_true(sum.merges > 1000 && sum.ahead > 1000 && sum.limits > 1000 && sum.deep > 1000);
    assert_true(sum.predicted > 1000 && sum.mispredicted > 1000 && sum.replays > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_2_line_by_line),
        cmocka_unit_test(test_table_2_takes_as_many_issues_in_warps_of_any_width),
        cmocka_unit_test(test_listing_1_runs_the_call_first_with_sp),
        cmocka_unit_test(test_listing_1_fails_to_reconverge_without_sp),
        cmocka_unit_test(test_stacks_in_step_let_nobody_meet_at_different_depths),
        cmocka_unit_test(test_threads_at_one_pc_run_together_whatever_their_depth),
        cmocka_unit_test(test_a_step_onto_a_pc_where_a_shallower_thread_stands_is_a_limit),
        cmocka_unit_test(test_without_sp_the_stack_does_not_matter),
        cmocka_unit_test(test_the_deepest_call_chooses_the_pc_with_either_stack),
        cmocka_unit_test(test_threads_of_several_depths_wait_at_one_barrier),
        cmocka_unit_test(test_who_does_not_wait_goes_on),
        cmocka_unit_test(test_a_spinning_thread_keeps_the_others_standing),
        cmocka_unit_test(test_an_arbitration_keeps_what_it_chooses_waiting),
        cmocka_unit_test(test_speculation_hides_the_arbitration_of_a_divergent_branch),
        cmocka_unit_test(test_a_wrong_guess_issues_without_threads),
        cmocka_unit_test(test_a_branch_back_is_guessed_to_be_taken),
        cmocka_unit_test(test_a_guess_ends_with_its_arbitration),
        cmocka_unit_test(test_threads_that_lose_the_port_repeat_the_load),
        cmocka_unit_test(test_one_line_is_one_issue_with_and_without_replay),
        cmocka_unit_test(test_those_who_lost_do_not_wait_for_who_got_the_port_and_missed),
        cmocka_unit_test(test_threads_that_hit_run_ahead_of_a_load_in_flight),
        cmocka_unit_test(test_threads_that_hit_run_ahead_of_one_that_waits_for_operands),
        cmocka_unit_test(test_threads_of_several_depths_run_ahead_and_are_late),
        cmocka_unit_test(test_without_its_late_threads_a_split_may_be_shallower),
        cmocka_unit_test(test_a_split_that_misses_as_a_whole_keeps_its_turn),
        cmocka_unit_test(test_nobody_runs_ahead_unless_asked_to),
        cmocka_unit_test(test_storage_is_constant_per_thread),
        cmocka_unit_test(test_every_thread_takes_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
