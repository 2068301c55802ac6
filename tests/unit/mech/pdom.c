/* The post-dominator stack: every state of DWF Figure 3.1, the rules of Table 3.1 one by one, loops, calls, exits,
 * barriers. */
#include <stdio.h>

#include "unit/mech/rig.h"

/* Figure 3.1(a). A: threads 0-2 take the branch to B, 3 falls through to F. B: 0 takes the branch to C, 1 and 2 fall
 * through to D. The figure writes thread 0 leftmost: its 1110 is lanes 7 here. */
enum { A = 0, F = 1, B = 3, D = 4, C = 6, E = 7, G = 8 };

static struct ir_module *figure(void) {
    struct ir_module *m = ir_module_new("figure 3.1");
    fake_bra(m, FAKE_MAYBE, B); /* 0 A */
    fake_op(m);                 /* 1 F */
    fake_bra(m, 0, G);          /* 2 */
    fake_bra(m, FAKE_MAYBE, C); /* 3 B */
    fake_op(m);                 /* 4 D */
    fake_bra(m, 0, E);          /* 5 */
    fake_op(m);                 /* 6 C */
    fake_op(m);                 /* 7 E */
    fake_end(m, IR_EXIT, 0);    /* 8 G */
    fake_func(m, "figure");
    return m;
}

static uint32_t figure_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == A ? thread < 3 : thread == 0;
}

static void rig_up(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads, int64_t side,
                   choose_fn *choose) {
    rig_load(r, m, w, threads, choose);
    r->param[0] = side;
    fake_start(r->f, "pdom");
}

static void test_figure_3_1_every_stack_state(void **state) {
    (void)state;
    static const char *const after[] = {
        /* A executed */
        "warp 0: split 0 sched 0 pc 3 ready w0:00000007\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008\n  pc 3 rpc 8 w0:00000007 <- top\n",
        /* B: Figure 3.1(d), (i) E, (ii) D, (iii) C on top */
        "warp 0: split 0 sched 0 pc 6 ready w0:00000001\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008\n  pc 7 rpc 8 w0:00000007\n"
        "  pc 4 rpc 7 w0:00000006\n  pc 6 rpc 7 w0:00000001 <- top\n",
        /* C done: popped */
        "warp 0: split 0 sched 0 pc 4 ready w0:00000006\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008\n  pc 7 rpc 8 w0:00000007\n"
        "  pc 4 rpc 7 w0:00000006 <- top\n",
        /* D, its first instruction */
        "warp 0: split 0 sched 0 pc 5 ready w0:00000006\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008\n  pc 7 rpc 8 w0:00000007\n"
        "  pc 5 rpc 7 w0:00000006 <- top\n",
        /* D done: Figure 3.1(e), all three at E */
        "warp 0: split 0 sched 0 pc 7 ready w0:00000007\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008\n  pc 7 rpc 8 w0:00000007 <- top\n",
        /* E done */
        "warp 0: split 0 sched 0 pc 1 ready w0:00000008\n"
        "  pc 8 rpc - w0:0000000f\n  pc 1 rpc 8 w0:00000008 <- top\n",
        /* F */
        "warp 0: split 0 sched 0 pc 2 ready w0:00000008\n"
        "  pc 8 rpc - w0:0000000f\n  pc 2 rpc 8 w0:00000008 <- top\n",
        /* F done: all threads at G */
        "warp 0: split 0 sched 0 pc 8 ready w0:0000000f\n"
        "  pc 8 rpc - w0:0000000f <- top\n",
        /* G: the warp is gone */
        ""};
    static const struct mech_census census[] = {{1, 0}, {3, 0}, {1, 1}, {1, 1}, {1, 0},
                                                {0, 3}, {0, 3}, {0, 0}, {0, 0}};
    struct rig r;
    rig_up(&r, figure(), 4, 4, 0, figure_choice);
    for (uint32_t k = 0; k < sizeof after / sizeof after[0]; k++) {
        struct mech_census c;
        assert_true(fake_cycle(r.f));
        fake_expect_state(r.f, after[k]);
        r.f->mech->ops->census(r.f->mech, &c);
        assert_int_equal(c.inactive_path, census[k].inactive_path);
        assert_int_equal(c.reconvergence, census[k].reconvergence);
        assert_int_equal(r.f->mech->stats.reconvergences, k < 4 ? 0 : k < 7 ? 1 : 2);
    }
    const struct mech_stats *s = &r.f->mech->stats;
    assert_int_equal(s->divergences, 2);
    assert_int_equal(s->sides, 4);
    assert_int_equal(s->reconvergences, 2);
    assert_int_equal(s->stack_max, 5);
    rig_down(&r);
}

/* The PC of the side of B that is run first. */
static uint32_t first_of_b(int64_t side) {
    struct rig r;
    rig_up(&r, figure(), 4, 4, side, figure_choice);
    while (r.f->mech->stats.divergences < 2) assert_true(fake_cycle(r.f));
    uint32_t pc = split_at(r.f->mech->pool, 0)->pc;
    rig_down(&r);
    return pc;
}

static void test_the_side_that_runs_first_is_a_parameter(void **state) {
    (void)state;
    assert_int_equal(first_of_b(0), C); /* taken */
    assert_int_equal(first_of_b(1), D); /* fall-through */
    assert_int_equal(first_of_b(2), D); /* most threads */
}

/* Table 3.1, first row. */
static void test_one_next_pc_updates_the_top(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, figure(), 4, 2, 0, figure_choice); /* both go to B */
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 3 ready w0:00000003\n"
                           "  pc 3 rpc - w0:00000003 <- top\n");
    assert_int_equal(r.f->mech->stats.divergences, 0);
    rig_down(&r);
}

/* if without else: the side that is at the join already gets no entry. */
static void test_threads_at_the_reconvergence_point_are_not_pushed(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("if");
    fake_bra(m, FAKE_MAYBE, 2);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "if");
    struct rig r;
    rig_up(&r, m, 4, 4, 0, figure_choice); /* 0 to 2 jump over the op */
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 ready w0:00000008\n"
                           "  pc 2 rpc - w0:0000000f\n  pc 1 rpc 2 w0:00000008 <- top\n");
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 2 ready w0:0000000f\n"
                           "  pc 2 rpc - w0:0000000f <- top\n");
    rig_down(&r);
}

/* do { op } while (step < thread): every round one thread leaves. The entry of those in the loop is replaced. */
static uint32_t loop_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step / 2 < thread;
}

static void test_a_loop_back_edge_replaces_the_top(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    struct rig r;
    rig_up(&r, m, 32, 32, 0, loop_choice);
    for (uint32_t round = 0; round < 31; round++) {
        char text[256];
        fake_cycle(r.f);
        fake_cycle(r.f);
        uint32_t in = ~0u << (round + 1);
        snprintf(text, sizeof text,
                 "warp 0: split 0 sched 0 pc 0 ready w0:%08x\n"
                 "  pc 2 rpc - w0:ffffffff\n  pc 0 rpc 2 w0:%08x <- top\n",
                 in, in);
        fake_expect_state(r.f, text);
    }
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.stack_max, 2);
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

/* if-else nested W - 1 deep, at level k thread k alone goes to the taken arm: with the fall-through first, every thread
 * but the last waits in an arm, and every level has its join. */
static uint32_t tree_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return thread == pc; /* the branch of level k is at PC k */
}

static void test_full_divergence_needs_2w_minus_1_entries(void **state) {
    (void)state;
    enum { W = 32 };
    struct ir_module *m = ir_module_new("nest");
    for (uint32_t k = 0; k < W - 1; k++) fake_bra(m, FAKE_MAYBE, W + 3 * (W - 2 - k) + 1);
    fake_op(m);
    for (uint32_t k = W - 1; k-- > 0;) {
        fake_bra(m, 0, (uint32_t)m->code.n + 2);
        fake_op(m); /* the arm of level k */
        fake_op(m); /* its join */
    }
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "nest");
    struct rig r;
    rig_up(&r, m, W, W, 1, tree_choice);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.stack_max, 2 * W - 1);
    assert_int_equal(r.f->mech->stats.reconvergences, W - 1);
    rig_down(&r);
}

/* ---- calls ---- */

/* kernel: call f; op; exit.  f: threads 0, 1 return early, the others after an op. They meet at the return. */
static uint32_t early_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 2;
}

static void test_divergence_to_a_functions_end_joins_at_the_return(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("early return");
    fake_call(m, 0, 1);      /* 0 */
    fake_op(m);              /* 1 */
    fake_end(m, IR_EXIT, 0); /* 2 */
    fake_func(m, "kernel");
    fake_end(m, IR_RET, FAKE_MAYBE); /* 3 */
    fake_op(m);                      /* 4 */
    fake_end(m, IR_RET, 0);          /* 5 */
    fake_func(m, "f");
    struct rig r;
    rig_up(&r, m, 4, 4, 0, early_choice);
    fake_cycle(r.f); /* the call pushes nothing */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 3 ready w0:0000000f\n"
                           "  pc 3 rpc - depth 1 w0:0000000f <- top\n");
    fake_cycle(r.f); /* 0 and 1 are back already: they give the join its PC */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 4 ready w0:0000000c\n"
                           "  pc 1 rpc - w0:0000000f\n  pc 4 rpc - depth 1 w0:0000000c <- top\n");
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 ready w0:0000000f\n"
                           "  pc 1 rpc - w0:0000000f <- top\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

/* f calls itself while step < 3 * thread: threads are at the same PCs in different activations, and must not join there. */
static uint32_t deep_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step < 3 * thread;
}

static void test_recursion_to_different_depths_rejoins_in_each_activation(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("recursion");
    fake_call(m, 0, 1);      /* 0 */
    fake_op(m);              /* 1 */
    fake_end(m, IR_EXIT, 0); /* 2 */
    fake_func(m, "kernel");
    fake_op(m);                  /* 3 */
    fake_call(m, FAKE_MAYBE, 1); /* 4 */
    fake_op(m);                  /* 5 */
    fake_end(m, IR_RET, 0);      /* 6 */
    fake_func(m, "f");
    struct rig r;
    rig_up(&r, m, 8, 8, 0, deep_choice);
    assert_true(fake_run(r.f));
    /* All eight together at 0, 3, 4 (first), 5, 6 (last), 1, 2: joined again after every call. */
    assert_true(r.f->mech->stats.reconvergences == r.f->mech->stats.divergences);
    assert_true(r.f->mech->stats.stack_max <= 16);
    assert_int_equal(r.f->t[7].steps, r.f->alone[7].steps);
    rig_down(&r);
}

/* An indirect call to three functions; all meet behind it. */
static uint32_t third_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 3;
}

static void test_an_indirect_call_with_three_targets_joins_behind_it(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("indirect");
    fake_call_ind(m, 3, (uint32_t[]){1, 2, 3}); /* 0 */
    fake_op(m);                                 /* 1 */
    fake_end(m, IR_EXIT, 0);                    /* 2 */
    fake_func(m, "kernel");
    for (uint32_t k = 0; k < 3; k++) { /* 3, 5, 7 */
        fake_op(m);
        fake_end(m, IR_RET, 0);
        fake_func(m, "f");
    }
    struct rig r;
    rig_up(&r, m, 4, 4, 0, third_choice);
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 3 ready w0:00000009\n"
                           "  pc 1 rpc - w0:0000000f\n  pc 7 rpc 1 depth 1 w0:00000004\n"
                           "  pc 5 rpc 1 depth 1 w0:00000002\n  pc 3 rpc 1 depth 1 w0:00000009 <- top\n");
    for (uint32_t k = 0; k < 6; k++) fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 ready w0:0000000f\n"
                           "  pc 1 rpc - w0:0000000f <- top\n");
    rig_down(&r);
}

/* ---- exits ---- */

static void test_a_side_that_exits_leaves_every_entry(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exit");
    fake_bra(m, FAKE_MAYBE, 3);       /* 0 */
    fake_op(m);                       /* 1 */
    fake_bra(m, 0, 5);                /* 2 */
    fake_op(m);                       /* 3 */
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 4: thread 0 to 2 exit */
    fake_op(m);                       /* 5 */
    fake_end(m, IR_EXIT, 0);          /* 6 */
    fake_func(m, "exit");
    struct rig r;
    rig_up(&r, m, 4, 4, 0, early_choice); /* 0, 1 to 3 and exit there */
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 ready w0:0000000c\n"
                           "  pc 5 rpc - w0:0000000c\n  pc 1 rpc 5 w0:0000000c <- top\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- barriers ---- */

/* A guarded barrier: 0 and 1 wait, and hold 2 and 3 of their warp, until the second warp has arrived. */
static uint32_t guard_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 2 || thread >= 4;
}

static void test_a_partial_barrier_holds_the_rest_until_release(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bar(m, FAKE_MAYBE);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    struct rig r;
    rig_up(&r, m, 4, 8, 0, guard_choice);
    fake_issue(r.f, 0);
    fake_landings(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 parked w0:0000000f\n"
                           "  pc 1 rpc - w0:0000000f <- top\n  waiting at a barrier w0:00000003\n"
                           "warp 1: split 1 sched 0 pc 0 ready w0:000000f0\n"
                           "  pc 0 rpc - w0:000000f0 <- top\n");
    assert_int_equal(mech_next(r.f->mech, 0), r.f->now);
    struct mech_set set = {0};
    set_add(&set, 0, 1);
    r.f->t[0].waits = false;
    r.f->mech->ops->release(r.f->mech, &set, 1); /* one of them alone: the warp still waits */
    r.f->mech->ops->audit(r.f->mech);
    fake_issue(r.f, 0); /* the other warp */
    assert_false(fake_issue(r.f, 0));
    set_one(&set, 0, 2);
    r.f->t[1].waits = false;
    r.f->mech->ops->release(r.f->mech, &set, 1);
    assert_true(fake_issue(r.f, 0));
    assert_int_equal(r.f->packet.split[0]->set.p[0].mask, 0xf);
    rig_down(&r);
}

static void test_storage_is_2w_entries_of_two_pcs_and_a_mask(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_up(&r, figure(), 32, 64, 0, figure_choice);
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "stack 12288\n"); /* 2 warps x 64 x 96 */
    sb_free(&out);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_3_1_every_stack_state),
        cmocka_unit_test(test_the_side_that_runs_first_is_a_parameter),
        cmocka_unit_test(test_one_next_pc_updates_the_top),
        cmocka_unit_test(test_threads_at_the_reconvergence_point_are_not_pushed),
        cmocka_unit_test(test_a_loop_back_edge_replaces_the_top),
        cmocka_unit_test(test_full_divergence_needs_2w_minus_1_entries),
        cmocka_unit_test(test_divergence_to_a_functions_end_joins_at_the_return),
        cmocka_unit_test(test_recursion_to_different_depths_rejoins_in_each_activation),
        cmocka_unit_test(test_an_indirect_call_with_three_targets_joins_behind_it),
        cmocka_unit_test(test_a_side_that_exits_leaves_every_entry),
        cmocka_unit_test(test_a_partial_barrier_holds_the_rest_until_release),
        cmocka_unit_test(test_storage_is_2w_entries_of_two_pcs_and_a_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
