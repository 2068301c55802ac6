/* Walkers of structured code (SL 2.1, 2.3): who is active as masks (chap, amd), counters (pomp, gma) and PCs (sandybridge),
 * state by state; parts without threads, walked and jumped over; breaks, continues, exits, barriers, calls. */
#include <stdio.h>

#include "unit/mech/structured_rig.h"

/* What an instruction begins with: its PC, who is active, and what is stored, in each way. */
struct row {
    uint32_t pc, active;
    const char *stored[3];
};

static void expect_rows(struct rig *r, int k, const struct row *row, uint32_t n) {
    char text[400], set[32];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(set, sizeof set, "w0:%08x", row[i].active);
        snprintf(text, sizeof text, "warp 0: split 0 sched 0 pc %u ready %s\n%s", row[i].pc,
                 row[i].active ? set : "-", row[i].stored[way_of(k)]);
        fake_expect_state(r->f, text);
        assert_true(fake_cycle(r->f));
        assert_int_equal(r->f->issued_pc, row[i].pc);
    }
    assert_true(fake_run(r->f));
    assert_int_equal(r->f->issued, n);
}

static struct mech_census census(const struct rig *r) {
    struct mech_census c;
    r->f->mech->ops->census(r->f->mech, &c);
    return c;
}

static uint32_t everybody(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}
static uint32_t upper_half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}

/* ---- SL Figure 1: if and else ---- */

static void both_sides_of_figure_1_state_by_state(void **state) {
    (void)state;
    static const struct row row[] = {
        {0, 15, {"", "  counters 0 0 0 0\n", ""}},
        {1, 15, {"", "  counters 0 0 0 0\n", ""}},
        {2, 3, {"  if at 1: w0:0000000f\n", "  counters 0 0 1 1\n", "  pc 4 w0:0000000c\n"}},
        {3, 3, {"  if at 1: w0:0000000f\n", "  counters 0 0 1 1\n", "  pc 4 w0:0000000c\n"}},
        {4, 12, {"  if at 1: w0:0000000f\n", "  counters 1 1 0 0\n", "  pc 5 w0:00000003\n"}},
        {5, 15, {"", "  counters 0 0 0 0\n", ""}},
        {6, 15, {"", "  counters 0 0 0 0\n", ""}},
        {7, 15, {"", "  counters 0 0 0 0\n", ""}},
    };
    for (int k = 0; k < SCHEMES; k++)
        for (int skip = 0; skip < 2; skip++) {
            struct rig r = {0};
            rig_load(&r, figure_1(), 4, 4, upper_half);
            rig_start(&r, k, skip);
            expect_rows(&r, k, RIG_ROWS(row));
            assert_int_equal(rig_counter(&r, "marks"), 3);
            assert_int_equal(rig_counter(&r, "empty_issues"), 0);
            assert_int_equal(rig_counter(&r, "skipped_parts"), 0);
            assert_int_equal(rig_counter(&r, "depth_max"), 1);
            assert_int_equal(r.f->mech->stats.divergences, 1);
            assert_int_equal(r.f->mech->stats.reconvergences, 1);
            rig_down(&r);
        }
}

/* HARP Figure 5: on the other side of a branch, and at a join. */
static void who_is_off_waits_for_its_side_or_at_the_join(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        rig_load(&r, figure_1(), 4, 4, upper_half);
        rig_start(&r, k, true);
        for (int i = 0; i < 2; i++) assert_true(fake_cycle(r.f));
        assert_int_equal(census(&r).inactive_path, 2);
        assert_int_equal(census(&r).reconvergence, 0);
        for (int i = 0; i < 2; i++) assert_true(fake_cycle(r.f));
        assert_int_equal(census(&r).inactive_path, 0);
        assert_int_equal(census(&r).reconvergence, 2);
        assert_true(fake_cycle(r.f));
        assert_int_equal(census(&r).reconvergence, 0);
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

static void a_part_that_nobody_executes_is_walked_or_jumped_over(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++)
        for (int skip = 0; skip < 2; skip++) {
            struct rig r = {0};
            rig_load(&r, figure_1(), 4, 4, nobody); /* no thread skips the then-part */
            rig_start(&r, k, skip);
            if (skip)
                rig_expect_run(&r, "0 1 2 3 5 6 7");
            else
                rig_expect_run(&r, "0 1 2 3 4* 5 6 7");
            assert_int_equal(rig_counter(&r, "skipped_parts"), skip);
            assert_int_equal(rig_counter(&r, "empty_issues"), !skip);
            assert_int_equal(r.f->mech->stats.divergences, 0);
            rig_down(&r);
            rig_load(&r, figure_1(), 4, 4, everybody); /* the ELSE is executed to change sides */
            rig_start(&r, k, skip);
            if (skip)
                rig_expect_run(&r, "0 1 3* 4 5 6 7");
            else
                rig_expect_run(&r, "0 1 2* 3* 4 5 6 7");
            assert_int_equal(rig_counter(&r, "skipped_parts"), skip);
            assert_int_equal(rig_counter(&r, "empty_issues"), 2 - skip);
            assert_int_equal(r.f->mech->stats.reconvergences, 0);
            rig_down(&r);
        }
}

static void who_jumps_over_parts_by_default(void **state) {
    (void)state;
    static const bool skip[SCHEMES] = {[AMD] = true, [GMA] = true, [SANDYBRIDGE] = true};
    for (int k = 0; k < SCHEMES; k++) {
        assert_string_equal(scheme(k)->params[SKIP].key, "skip");
        assert_int_equal(scheme(k)->params[SKIP].def, skip[k]);
    }
}

/* In all warps but the first all threads skip the then-part. */
static void warps_of_any_width_walk_figure_1_by_themselves(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++)
        for (uint32_t w = 4; w <= 256; w *= 2) {
            struct rig r = {0};
            rig_load(&r, figure_1(), w, 256, upper_half);
            r.f->env.schedulers = 2;
            rig_start(&r, k, true);
            assert_true(fake_run(r.f));
            assert_int_equal(r.f->issued, 8 + 7 * (256 / w - 1));
            assert_int_equal(rig_counter(&r, "skipped_parts"), 256 / w - 1);
            rig_down(&r);
        }
}

/* ---- a loop with a break in an if ---- */

/* 0 and 2 break in the first round, 1 and 3 in the second. */
static uint32_t odd_stay_once(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 2 && thread % 2 && step < 4;
}

#define IN_LOOP(continued) "  loop at 0: w0:0000000f continued " continued "\n"

static void a_loop_that_threads_break_out_of_state_by_state(void **state) {
    (void)state;
    static const struct row row[] = {
        {0, 15, {"", "  counters 0 0 0 0\n", ""}},
        {1, 15, {IN_LOOP("-"), "  counters 0 0 0 0\n", ""}},
        {2, 15, {IN_LOOP("-"), "  counters 0 0 0 0\n", ""}},
        {3, 5, {IN_LOOP("-") "  if at 2: w0:0000000f\n", "  counters 0 1 0 1\n", "  pc 5 w0:0000000a\n"}},
        /* BRK with one level open inside of the loop: 3 */
        {4,
         0,
         {IN_LOOP("-") "  if at 2: w0:0000000a\n", "  counters 3 1 3 1\n",
          "  pc 8 w0:00000005\n  pc 5 w0:0000000a\n"}},
        {5, 10, {IN_LOOP("-"), "  counters 2 0 2 0\n", "  pc 8 w0:00000005\n"}},
        {6, 10, {IN_LOOP("-"), "  counters 2 0 2 0\n", "  pc 8 w0:00000005\n"}},
        {7, 10, {IN_LOOP("-"), "  counters 2 0 2 0\n", "  pc 8 w0:00000005\n"}},
        {1, 10, {IN_LOOP("-"), "  counters 2 0 2 0\n", "  pc 8 w0:00000005\n"}},
        {2, 10, {IN_LOOP("-"), "  counters 2 0 2 0\n", "  pc 8 w0:00000005\n"}},
        {3, 10, {IN_LOOP("-") "  if at 2: w0:0000000a\n", "  counters 3 0 3 0\n", "  pc 8 w0:00000005\n"}},
        {4, 0, {IN_LOOP("-") "  if at 2: -\n", "  counters 3 3 3 3\n", "  pc 8 w0:0000000f\n"}},
        {5, 0, {IN_LOOP("-"), "  counters 2 2 2 2\n", "  pc 8 w0:0000000f\n"}},
        {6, 0, {IN_LOOP("-"), "  counters 2 2 2 2\n", "  pc 8 w0:0000000f\n"}},
        {7, 0, {IN_LOOP("-"), "  counters 2 2 2 2\n", "  pc 8 w0:0000000f\n"}},
        {8, 15, {"", "  counters 0 0 0 0\n", ""}},
        {9, 15, {"", "  counters 0 0 0 0\n", ""}},
    };
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        rig_load(&r, breaks(), 4, 4, odd_stay_once);
        rig_start(&r, k, false);
        expect_rows(&r, k, RIG_ROWS(row));
        assert_int_equal(rig_counter(&r, "depth_max"), 3);
        assert_int_equal(rig_counter(&r, "empty_issues"), 5);
        assert_int_equal(r.f->mech->stats.divergences, 1);
        assert_int_equal(r.f->mech->stats.reconvergences,
                         1); /* behind the loop: at 5 only 1 and 3 are left */
        rig_down(&r);
    }
}

/* From BRK to the ENDIF, from the ENDIF to the ENDLOOP: these are executed. */
static void a_loop_that_nobody_is_left_in_is_jumped_out_of_mark_by_mark(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        rig_load(&r, breaks(), 4, 4, odd_stay_once);
        rig_start(&r, k, true);
        rig_expect_run(&r, "0 1 2 3 5 6 7 1 2 3 5* 7* 8 9");
        assert_int_equal(rig_counter(&r, "skipped_parts"), 3);
        rig_down(&r);
    }
}

/* ---- continue, and loops in loops ---- */

/* cont inside of two ifs: 3; it is taken back at the ENDLOOP. */
static struct ir_module *continues(void) {
    struct ir_module *m = ir_module_new("continues");
    put_mark(m, IR_MK_LOOP, 9);               /* 0 */
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 7);   /* 1 */
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 6);   /* 2 */
    put_branch(m, IR_MK_CONT, 0, 9);          /* 3 */
    fake_op(m);                               /* 4: no thread comes here */
    put_branch(m, IR_MK_ELSE, 0, 6);          /* 5; the else-part is empty */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);        /* 6 */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);        /* 7 */
    put_branch(m, IR_MK_BRK, FAKE_MAYBE, 10); /* 8 */
    put_branch(m, IR_MK_ENDLOOP, 0, 1);       /* 9 */
    fake_end(m, IR_EXIT, 0);                  /* 10 */
    fake_func(m, "continues");
    return m;
}

/* Round 1: 3 skips both parts and breaks, 2 skips the inner one, 0 and 1 continue; then all skip and break. */
static uint32_t two_continue(uint32_t thread, uint32_t pc, uint32_t step) {
    if (pc == 8) return thread == 3 || step > 5;
    if (step > 3) return 1;
    return thread == 3 || (thread == 2 && pc == 2);
}

static void threads_that_continue_come_back_at_the_endloop(void **state) {
    (void)state;
    static const struct row row[] = {
        {0, 15, {"", "  counters 0 0 0 0\n", ""}},
        {1, 15, {IN_LOOP("-"), "  counters 0 0 0 0\n", ""}},
        {2, 7, {IN_LOOP("-") "  if at 1: w0:0000000f\n", "  counters 0 0 0 1\n", "  pc 7 w0:00000008\n"}},
        {3,
         3,
         {IN_LOOP("-") "  if at 1: w0:0000000f\n  if at 2: w0:00000007\n", "  counters 0 0 1 2\n",
          "  pc 6 w0:00000004\n  pc 7 w0:00000008\n"}},
        {5,
         0,
         {IN_LOOP("w0:00000003") "  if at 1: w0:0000000c\n  if at 2: w0:00000004\n", "  counters 3 3 1 2\n",
          "  pc 9 w0:00000003\n  pc 6 w0:00000004\n  pc 7 w0:00000008\n"}},
        {6,
         4,
         {IN_LOOP("w0:00000003") "  if at 1: w0:0000000c\n", "  counters 2 2 0 1\n",
          "  pc 9 w0:00000003\n  pc 7 w0:00000008\n"}},
        {7, 12, {IN_LOOP("w0:00000003"), "  counters 1 1 0 0\n", "  pc 9 w0:00000003\n"}},
        {8, 12, {IN_LOOP("w0:00000003"), "  counters 1 1 0 0\n", "  pc 9 w0:00000003\n"}},
        {9, 7, {IN_LOOP("-"), "  counters 0 0 0 2\n", "  pc 10 w0:00000008\n"}},
        {1, 7, {IN_LOOP("-"), "  counters 0 0 0 2\n", "  pc 10 w0:00000008\n"}},
        {7, 7, {IN_LOOP("-"), "  counters 0 0 0 2\n", "  pc 10 w0:00000008\n"}},
        {8, 7, {IN_LOOP("-"), "  counters 0 0 0 2\n", "  pc 10 w0:00000008\n"}},
        {9, 0, {IN_LOOP("-"), "  counters 2 2 2 2\n", "  pc 10 w0:0000000f\n"}},
        {10, 15, {"", "  counters 0 0 0 0\n", ""}},
    };
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        rig_load(&r, continues(), 4, 4, two_continue);
        rig_start(&r, k, true);
        expect_rows(&r, k, RIG_ROWS(row));
        assert_int_equal(rig_counter(&r, "depth_max"), 4);
        assert_int_equal(r.f->mech->stats.divergences, 3);
        assert_int_equal(r.f->mech->stats.reconvergences, 3); /* at 7, at 9 and behind the loop */
        rig_down(&r);
    }
}

/* What follows the inner loop is the ENDLOOP of the outer one, where others wait that have continued. */
static struct ir_module *nested(void) {
    struct ir_module *m = ir_module_new("nested");
    put_mark(m, IR_MK_LOOP, 5);               /* 0 */
    put_branch(m, IR_MK_CONT, FAKE_MAYBE, 5); /* 1 */
    put_mark(m, IR_MK_LOOP, 4);               /* 2 */
    put_branch(m, IR_MK_BRK, FAKE_MAYBE, 5);  /* 3 */
    put_branch(m, IR_MK_ENDLOOP, 0, 3);       /* 4 */
    put_branch(m, IR_MK_ENDLOOP, 0, 1);       /* 5 */
    fake_end(m, IR_EXIT, 0);                  /* 6 */
    fake_func(m, "nested");
    return m;
}

static uint32_t first_continues(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 1 ? thread == 0 : step >= 3 + thread; /* threads leave one after the other */
}

static void who_waits_at_one_pc_for_different_loops_goes_on_together(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++)
        for (int skip = 0; skip < 2; skip++) {
            struct rig r = {0};
            rig_load(&r, nested(), 4, 4, first_continues);
            r.f->budget = 12; /* the outer loop has no end */
            rig_start(&r, k, skip);
            for (uint32_t i = 0; i < 3; i++) assert_true(fake_cycle(r.f));
            while (r.f->issued_pc != 4 || r.f->packet.split[0]->pc != 5) assert_true(fake_cycle(r.f));
            assert_int_equal(r.f->packet.split[0]->threads, 4);
            assert_true(fake_run(r.f));
            rig_down(&r);
        }
}

/* ---- exits and barriers ---- */

static void threads_that_exit_in_a_part_leave_the_others_theirs(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++)
        for (int skip = 0; skip < 2; skip++) {
            struct ir_module *m = ir_module_new("exits");
            put_branch(m, IR_MK_IF, FAKE_MAYBE, 4); /* 0 */
            fake_end(m, IR_EXIT, 0);                /* 1 */
            fake_op(m);                             /* 2 */
            put_branch(m, IR_MK_ELSE, 0, 5);        /* 3 */
            fake_op(m);                             /* 4 */
            put_mark(m, IR_MK_ENDIF, IR_NOPC);      /* 5 */
            fake_end(m, IR_EXIT, 0);                /* 6 */
            fake_func(m, "exits");
            struct rig r = {0};
            rig_load(&r, m, 4, 4, upper_half);
            rig_start(&r, k, skip);
            if (skip)
                rig_expect_run(&r, "0 1 3* 4 5 6");
            else
                rig_expect_run(&r, "0 1 2* 3* 4 5 6");
            assert_int_equal(r.f->mech->stats.reconvergences, 0);
            rig_down(&r);
        }
}

static struct ir_module *barrier_in_an_if(void) {
    struct ir_module *m = ir_module_new("barrier");
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 2); /* 0 */
    fake_bar(m, 0);                         /* 1 */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);      /* 2 */
    fake_end(m, IR_EXIT, 0);                /* 3 */
    fake_func(m, "barrier");
    return m;
}

static uint32_t second_warp(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 4;
}

static void a_barrier_that_a_whole_warp_comes_to_lets_it_pass(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        rig_load(&r, barrier_in_an_if(), 4, 8, second_warp); /* which does not come, and ends */
        rig_start(&r, k, true);
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 7);
        rig_down(&r);
    }
}

static void a_barrier_in_a_part_that_some_skip_is_never_passed(void **state) {
    (void)state;
    static const char *const stored[] = {"  if at 0: w0:0000000f\n", "  counters 0 0 1 1\n",
                                         "  pc 2 w0:0000000c\n"};
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        char text[200];
        rig_load(&r, barrier_in_an_if(), 4, 4, upper_half);
        rig_start(&r, k, true);
        assert_false(fake_run(r.f));
        snprintf(text, sizeof text,
                 "warp 0: split 0 sched 0 pc 2 parked w0:00000003, waiting at a barrier w0:00000003\n%s",
                 stored[way_of(k)]);
        fake_expect_state(r.f, text);
        rig_down(&r);
    }
}

/* ---- calls ---- */

/* 3 does not call; 0 calls twice; 1 returns early. */
static uint32_t some_recurse(uint32_t thread, uint32_t pc, uint32_t step) {
    if (pc == 0) return thread != 3;
    if (pc == 2) return thread != 0 || step > 1;
    return thread == 1;
}

static void calls_and_returns_keep_the_threads_of_a_level_together(void **state) {
    (void)state;
    static const struct row row[] = {
        {0, 15, {"", "  counters 0 0 0 0\n"}},
        {2, 7, {"  call at 0: w0:0000000f\n", "  counters 0 0 0 1\n"}},
        {3, 1, {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n", "  counters 0 1 1 2\n"}},
        {2,
         1,
         {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n  call at 3: w0:00000001\n",
          "  counters 0 2 2 3\n"}},
        {4,
         1,
         {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n  call at 3: w0:00000001\n",
          "  counters 0 2 2 3\n"}},
        {5,
         1,
         {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n  call at 3: w0:00000001\n",
          "  counters 0 2 2 3\n"}},
        {6,
         1,
         {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n  call at 3: w0:00000001\n",
          "  counters 0 2 2 3\n"}},
        {7,
         1,
         {"  call at 0: w0:0000000f\n  if at 2: w0:00000007\n  call at 3: w0:00000001\n",
          "  counters 0 2 2 3\n"}},
        {4, 7, {"  call at 0: w0:0000000f\n", "  counters 0 0 0 1\n"}}, /* 0 is back */
        {5, 7, {"  call at 0: w0:0000000f\n", "  counters 0 0 0 1\n"}},
        {6, 5, {"  call at 0: w0:0000000f\n", "  counters 0 1 0 1\n"}}, /* 1 has returned */
        {7, 5, {"  call at 0: w0:0000000f\n", "  counters 0 1 0 1\n"}},
        {1, 15, {"", "  counters 0 0 0 0\n"}},
    };
    for (int k = AMD; k <= POMP; k++) {
        struct rig r = {0};
        rig_load(&r, recursion(), 4, 4, some_recurse);
        rig_start(&r, k, true);
        expect_rows(&r, k, RIG_ROWS(row));
        assert_int_equal(rig_counter(&r, "depth_max"), 4);    /* call, if, call, if */
        assert_int_equal(rig_counter(&r, "kernel_depth"), 3); /* f once: call, if, call */
        rig_down(&r);
    }
}

/* A function that its last thread leaves by an exit is left by the warp; one that is not called is passed. */
static void a_function_without_threads_is_left(void **state) {
    (void)state;
    for (int k = AMD; k <= POMP; k++)
        for (int skip = 0; skip < 2; skip++) {
            struct ir_module *m = ir_module_new("left");
            fake_call(m, FAKE_MAYBE, 1); /* 0 */
            fake_call(m, FAKE_MAYBE, 1); /* 1 */
            fake_end(m, IR_EXIT, 0);     /* 2 */
            fake_func(m, "kernel");
            fake_end(m, IR_EXIT, FAKE_MAYBE); /* 3 */
            fake_op(m);                       /* 4 */
            fake_end(m, IR_RET, 0);           /* 5 */
            fake_func(m, "f");
            struct rig r = {0};
            rig_load(&r, m, 4, 4, upper_half);
            rig_start(&r, k, skip);
            if (skip)
                rig_expect_run(&r, "0 3 1 2");
            else
                rig_expect_run(&r, "0 3 4* 5* 1 2");
            rig_down(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_figure_1_state_by_state),
        cmocka_unit_test(who_is_off_waits_for_its_side_or_at_the_join),
        cmocka_unit_test(a_part_that_nobody_executes_is_walked_or_jumped_over),
        cmocka_unit_test(who_jumps_over_parts_by_default),
        cmocka_unit_test(warps_of_any_width_walk_figure_1_by_themselves),
        cmocka_unit_test(a_loop_that_threads_break_out_of_state_by_state),
        cmocka_unit_test(a_loop_that_nobody_is_left_in_is_jumped_out_of_mark_by_mark),
        cmocka_unit_test(threads_that_continue_come_back_at_the_endloop),
        cmocka_unit_test(who_waits_at_one_pc_for_different_loops_goes_on_together),
        cmocka_unit_test(threads_that_exit_in_a_part_leave_the_others_theirs),
        cmocka_unit_test(a_barrier_that_a_whole_warp_comes_to_lets_it_pass),
        cmocka_unit_test(a_barrier_in_a_part_that_some_skip_is_never_passed),
        cmocka_unit_test(calls_and_returns_keep_the_threads_of_a_level_together),
        cmocka_unit_test(a_function_without_threads_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
