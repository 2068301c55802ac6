/* Thread frontiers (Diamos et al., MICRO 2011), as a sorted list and as Sandy Bridge would have them: the paper's example
 * step by step, blocks that are walked without threads, calls, barriers, exits, and what the tables refuse. */
#include "unit/mech/programs.h"

enum { STACK, SANDYBRIDGE };

static void rig_start(struct rig *r, int kind, bool skip, bool together) {
    r->param[0] = kind;
    r->param[1] = skip;
    r->param[2] = together;
    fake_start(r->f, "tf");
}

/* ---- the shape of the paper's Figure 1 ---- */

static uint32_t all_leave_at_bb2(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)step;
    return pc == 1;
}

static const char *const figure_1_rows[] = {
    "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
    "warp 0: depth 0 pc 1 running, ready w0:0000000e\n"
    "warp 0: depth 0 pc 2 standing w0:00000001\n",
    "warp 0: depth 0 pc 2 running, ready w0:0000000d\n"
    "warp 0: depth 0 pc 5 standing w0:00000002\n",
    "warp 0: depth 0 pc 3 running, ready w0:00000009\n"
    "warp 0: depth 0 pc 4 standing w0:00000004\n"
    "warp 0: depth 0 pc 5 standing w0:00000002\n",
    "warp 0: depth 0 pc 4 running, ready w0:0000000c\n"
    "warp 0: depth 0 pc 5 standing w0:00000003\n",
    "warp 0: depth 0 pc 5 running, ready w0:0000000f\n",
};

static void the_list_runs_every_block_of_figure_1_once(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_unstructured(), 4, 4, choose_four_paths);
    rig_start(&r, STACK, false, false);
    rig_expect_steps(&r, RIG_ROWS(figure_1_rows));
    assert_int_equal(rig_counter(&r, "inserts"), 5); /* 1 and 2; 5; 3 and 4: later sides find an entry */
    assert_int_equal(rig_counter(&r, "merges"), 4);  /* at 2, 4 and 5, where three have come */
    assert_int_equal(rig_counter(&r, "list_max"), 3);
    assert_int_equal(rig_counter(&r, "empty_issues"), 0);
    rig_down(&r);
}

static void pdom_needs_nine_issues_for_figure_1(void **state) {
    (void)state;
    struct rig r = {0};
    rig_load(&r, program_unstructured(), 4, 4, choose_four_paths);
    fake_start(r.f, "pdom");
    rig_expect_run(&r, "0 2 3 1 2 4 3 4 5");
    rig_down(&r);
}

/* With threads in every block the walk finds no block empty. */
static void sandy_bridge_walks_figure_1_like_the_list(void **state) {
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        struct rig r;
        rig_load(&r, program_unstructured(), 4, 4, choose_four_paths);
        rig_start(&r, SANDYBRIDGE, skip, false);
        rig_expect_steps(&r, RIG_ROWS(figure_1_rows));
        assert_int_equal(rig_counter(&r, "empty_blocks"), 0);
        assert_int_equal(rig_counter(&r, "searches"), 0);
        rig_down(&r);
    }
}

/* The frontier of BB2 is BB3: the warp goes there though all have left. The frontier of BB3 is the exit. */
static void sandy_bridge_visits_the_frontier_where_nobody_is(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 2 passed without threads, ready -\n"
        "warp 0: depth 0 pc 5 standing w0:0000000f\n",
        "warp 0: depth 0 pc 5 running, ready w0:0000000f\n",
    };
    struct rig r;
    rig_load(&r, program_unstructured(), 4, 4, all_leave_at_bb2);
    rig_start(&r, SANDYBRIDGE, false, false);
    rig_expect_steps(&r, RIG_ROWS(row));
    assert_int_equal(rig_counter(&r, "empty_blocks"), 1);
    assert_int_equal(rig_counter(&r, "empty_issues"), 1);
    assert_int_equal(rig_counter(&r, "searches"), 0);
    rig_down(&r);
}

/* Both options spare that visit; the list never makes it. */
static void nobody_is_visited_with_skip_or_together(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct rig r;
        rig_load(&r, program_unstructured(), 4, 4, all_leave_at_bb2);
        rig_start(&r, k ? SANDYBRIDGE : STACK, k == 1, k == 2);
        rig_expect_run(&r, "0 1 5");
        assert_int_equal(rig_counter(&r, "empty_issues"), 0);
        rig_down(&r);
    }
}

/* Thread 3 stands at 2, so the warp is not together at 1. */
static uint32_t three_leave_one_jumps(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return thread == 3 ? pc == 0 || pc == 2 : pc == 1;
}
static void a_part_of_a_warp_is_not_together(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_unstructured(), 4, 4, three_leave_one_jumps);
    rig_start(&r, SANDYBRIDGE, false, true);
    rig_expect_run(&r, "0 1 2 4 5");
    rig_down(&r);
}

static void figure_1_takes_as_many_issues_in_warps_of_any_width(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (int kind = 0; kind < 2; kind++) {
            struct rig r;
            rig_load(&r, program_unstructured(), w, 256, choose_four_paths);
            rig_start(&r, kind, false, false);
            for (uint32_t k = 0; k < 256 / w; k++) assert_true(fake_cycle(r.f));
            assert_int_equal(rig_standing(&r), 64); /* BB1 has run: a fourth is at BB3 */
            assert_true(fake_run(r.f));
            assert_int_equal(r.f->issued, 6 * 256 / w);
            assert_int_equal(rig_counter(&r, "merges"), 4 * 256 / w);
            rig_down(&r);
        }
}

/* A block of three is issued three times; the threads behind it get their turn after it. */
static void an_empty_block_is_walked_instruction_by_instruction(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("long");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_bra(m, FAKE_MAYBE, 5); /* 1 */
    fake_op(m);                 /* 2 */
    fake_op(m);                 /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "long");
    struct rig r;
    rig_load(&r, m, 4, 4, all_leave_at_bb2);
    rig_start(&r, SANDYBRIDGE, false, false);
    rig_expect_run(&r, "0 1 2* 3* 4* 5");
    assert_int_equal(rig_counter(&r, "empty_blocks"), 1);
    assert_int_equal(rig_counter(&r, "empty_issues"), 3);
    rig_down(&r);
}

/* ---- order ---- */

/* There min(SP:PC) runs ahead: priorities are not the order of the text. */
static void a_join_that_lies_before_its_paths_runs_once(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, program_join_first(), 4, 4, choose_upper_half);
        rig_start(&r, kind, false, false);
        rig_expect_run(&r, "0 3 4 5 6 1 2");
        rig_down(&r);
    }
    struct rig r = {.param = {1}};
    rig_load(&r, program_join_first(), 4, 4, choose_upper_half);
    fake_start(r.f, "minpc");
    rig_expect_run(&r, "0 3 4 5 1 2 6 1 2");
    rig_down(&r);
}

/* A block with a barrier comes after one that has none and is as near: 3 runs before 1. */
static struct ir_module *barrier_on_a_side(void) {
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bar(m, 0);             /* 1 lower half */
    fake_bra(m, 0, 4);          /* 2 */
    fake_op(m);                 /* 3 upper half */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "barrier");
    return m;
}

static void blocks_with_barriers_come_last(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, barrier_on_a_side(), 4, 4, choose_upper_half);
        rig_start(&r, kind, false, false);
        assert_true(fake_cycle(r.f));
        fake_expect_state(r.f, "warp 0: depth 0 pc 3 running, ready w0:0000000c\n"
                               "warp 0: depth 0 pc 1 standing w0:00000003\n");
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* Only who waits is inactive: the other half comes to its own barrier. With all waiting the unit rests; released, it goes
 * to the first of them, which no frontier could tell. */
static void a_warp_that_waits_as_a_whole_goes_on_at_its_first_place(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, program_two_barriers(), 4, 4, choose_upper_half);
        rig_start(&r, kind, kind == SANDYBRIDGE, false);
        assert_true(fake_cycle(r.f));
        assert_true(fake_issue(r.f, 0));
        fake_landings(r.f);
        fake_expect_state(r.f, "warp 0: depth 0 pc 3 running, ready w0:0000000c\n"
                               "warp 0: depth 0 pc 2 waiting at a barrier w0:00000003\n");
        assert_int_equal(rig_standing(&r), 0);
        assert_true(fake_run(r.f));
        assert_int_equal(rig_counter(&r, "merges"), 1);
        assert_int_equal(r.f->issued, 6);
        rig_down(&r);
    }
}

/* The walk does not end where its threads wait: what is left of their block, and the frontier, may hold others. The
 * frontier of 1 and 2 is 3. */
static void the_unit_walks_on_from_a_barrier(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, program_two_barriers(), 4, 4, choose_upper_half);
    rig_start(&r, SANDYBRIDGE, false, false);
    rig_expect_run(&r, "0 1 2* 3 2 3* 4 5");
    assert_int_equal(rig_counter(&r, "empty_issues"), 2); /* 2 with its threads at 1, and 3 */
    assert_int_equal(rig_counter(&r, "empty_blocks"), 1);
    assert_int_equal(rig_counter(&r, "searches"), 1);
    rig_down(&r);
}

/* ---- calls ---- */

static struct ir_module *recursive(void) {
    struct ir_module *m = ir_module_new("recursive");
    fake_call(m, 0, 1);      /* 0 */
    fake_end(m, IR_EXIT, 0); /* 1 */
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1); /* 2 f calls itself once for threads 0 and 1 */
    fake_end(m, IR_RET, 0);      /* 3 */
    fake_func(m, "f");
    return m;
}
static uint32_t recurses_once(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 2 && step == 1 && thread < 2;
}

static void deeper_calls_run_first_and_meet_nobody_above(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth 0 pc 0 running, ready w0:0000000f\n",
        "warp 0: depth 1 pc 2 running, ready w0:0000000f\n",
        "warp 0: depth 2 pc 2 running, ready w0:00000003\n"
        "warp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 2 pc 3 running, ready w0:00000003\n"
        "warp 0: depth 1 pc 3 standing w0:0000000c\n",
        "warp 0: depth 1 pc 3 running, ready w0:0000000f\n",
        "warp 0: depth 0 pc 1 running, ready w0:0000000f\n",
    };
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, recursive(), 4, 4, recurses_once);
        rig_start(&r, kind, false, false);
        rig_expect_steps(&r, RIG_ROWS(row));
        rig_down(&r);
    }
}

/* No block calls from before the first instruction of the code. */
static struct ir_module *kernel_that_calls_itself(void) {
    struct ir_module *m = ir_module_new("itself");
    fake_call(m, FAKE_MAYBE, 0); /* 0 */
    fake_end(m, IR_RET, 0);      /* 1 */
    fake_func(m, "itself");
    return m;
}
static uint32_t half_once(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return thread < 2 && !step;
}
static void a_function_may_begin_at_the_first_instruction(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, kernel_that_calls_itself(), 4, 4, half_once);
        rig_start(&r, kind, false, false);
        rig_expect_run(&r, "0 0 1 1");
        rig_down(&r);
    }
}

/* All call from 1. While they are away a thread might stand at 3, which comes before the return to 2: the frontier of
 * the block that called is visited when they come back. */
static void who_returns_goes_on_as_if_the_calling_block_had_ended(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("call");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_call(m, 0, 1);         /* 1 */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_op(m);                 /* 3 */
    fake_bra(m, 0, 2);          /* 4 */
    fake_func(m, "kernel");
    fake_op(m);             /* 5 f */
    fake_end(m, IR_RET, 0); /* 6 */
    fake_func(m, "f");
    struct rig r;
    rig_load(&r, m, 4, 4, choose_nothing);
    rig_start(&r, SANDYBRIDGE, false, false);
    rig_expect_run(&r, "0 1 5 6 3* 4* 2");
    assert_int_equal(rig_counter(&r, "empty_blocks"), 1);
    assert_int_equal(rig_counter(&r, "empty_issues"), 2);
    assert_int_equal(rig_counter(&r, "searches"), 0);
    rig_down(&r);
}

/* f and g are called from one place; g's threads stand deeper than where f's return to. */
static uint32_t f_or_g(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}
static struct ir_module *indirect_call(void) {
    static const uint32_t funcs[2] = {1, 2};
    struct ir_module *m = ir_module_new("indirect");
    fake_call_ind(m, 2, funcs); /* 0 */
    fake_end(m, IR_EXIT, 0);    /* 1 */
    fake_func(m, "kernel");
    fake_op(m);             /* 2 f */
    fake_end(m, IR_RET, 0); /* 3 */
    fake_func(m, "f");
    fake_op(m);             /* 4 g */
    fake_end(m, IR_RET, 0); /* 5 */
    fake_func(m, "g");
    return m;
}
static void both_functions_of_an_indirect_call_run_before_the_return(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, indirect_call(), 4, 4, f_or_g);
        rig_start(&r, kind, false, false);
        rig_expect_run(&r, "0 2 3 4 5 1");
        assert_int_equal(rig_counter(&r, "searches"), kind == SANDYBRIDGE ? 1 : 0); /* from f to g */
        rig_down(&r);
    }
}

/* ---- indirect branches, exits, ragged warps ---- */

static uint32_t each_its_own(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread;
}

/* Thread 2 exits on its way; a block of five threads has a warp of one. */
static struct ir_module *four_ways(void) {
    static const uint32_t to[4] = {7, 5, 3, 1};
    struct ir_module *m = ir_module_new("four ways");
    fake_brx(m, 4, to);      /* 0 */
    fake_op(m);              /* 1 */
    fake_bra(m, 0, 7);       /* 2 */
    fake_op(m);              /* 3 thread 2 */
    fake_end(m, IR_EXIT, 0); /* 4 */
    fake_op(m);              /* 5 */
    fake_op(m);              /* 6 */
    fake_end(m, IR_EXIT, 0); /* 7 */
    fake_func(m, "four_ways");
    return m;
}

static void an_indirect_branch_inserts_all_its_targets(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        rig_load(&r, four_ways(), 4, 5, each_its_own);
        rig_start(&r, kind, true, false);
        assert_true(fake_cycle(r.f));
        fake_expect_state(r.f, "warp 0: depth 0 pc 1 running, ready w0:00000008\n"
                               "warp 0: depth 0 pc 3 standing w0:00000004\n"
                               "warp 0: depth 0 pc 5 standing w0:00000002\n"
                               "warp 0: depth 0 pc 7 standing w0:00000001\n"
                               "warp 1: depth 0 pc 0 running, ready w0:00000010\n");
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 8 + 2); /* thread 4 goes from 0 to 7 */
        assert_int_equal(rig_counter(&r, "list_max"), 4);
        rig_down(&r);
    }
}

/* ---- cost ---- */

static void storage_is_a_list_or_a_pc_per_thread(void **state) {
    (void)state;
    static const char *const text[2] = {
        "sorted_list 4096\nlist_depths 1024\n",                       /* 2 warps x 32 x (32 + 32) */
        "thread_pc 2048\nthread_depth 1024\nwarp_pc_and_depth 96\n"}; /* 64 x 32 */
    for (int kind = 0; kind < 2; kind++) {
        struct rig r;
        struct sb out = {0};
        rig_load(&r, program_unstructured(), 32, 64, choose_four_paths);
        rig_start(&r, kind, false, false);
        storage_text(r.f->mech, &out);
        assert_string_equal(out.text, text[kind]);
        sb_free(&out);
        rig_down(&r);
    }
}

/* 3000 blocks, each of which may leave threads in one of 3000 others. */
static struct ir_module *crossing(uint32_t n) {
    struct ir_module *m = ir_module_new("crossing");
    for (uint32_t k = 0; k < n; k++) fake_bra(m, FAKE_MAYBE, 2 * n - 1 - k);
    for (uint32_t k = 0; k < n; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "crossing");
    return m;
}

static const void *tables_of(struct ir_module *m, const int64_t *param, struct arena *mem, struct err *e) {
    const void *tables = NULL;
    struct cfg *c = fake_finish(m);
    struct mech_program p = {.module = m, .cfg = c, .warp_size = 32, .simd_width = 32};
    mech_prepare(mech_find("tf"), param, p, mem, &tables, e);
    cfg_free(c);
    ir_module_free(m);
    return tables;
}

static void frontiers_too_large_for_a_table_are_refused_with_the_way_out(void **state) {
    (void)state;
    struct err e = {0};
    struct arena mem = {0};
    assert_null(tables_of(crossing(3000), (const int64_t[]){SANDYBRIDGE, 0, 0}, &mem, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(
        strstr(err_text(&e), "crossing:1: mechanism tf with tf.kind = sandybridge cannot run crossing"));
    assert_non_null(tables_of(crossing(3000), (const int64_t[]){SANDYBRIDGE, 1, 0}, &mem, &e));
    assert_non_null(tables_of(crossing(3000), (const int64_t[]){STACK, 0, 0}, &mem, &e));
    assert_non_null(tables_of(crossing(1000), (const int64_t[]){SANDYBRIDGE, 0, 0}, &mem, &e));
    arena_free(&mem);
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_runs_every_block_of_figure_1_once),
        cmocka_unit_test(pdom_needs_nine_issues_for_figure_1),
        cmocka_unit_test(sandy_bridge_walks_figure_1_like_the_list),
        cmocka_unit_test(sandy_bridge_visits_the_frontier_where_nobody_is),
        cmocka_unit_test(nobody_is_visited_with_skip_or_together),
        cmocka_unit_test(a_part_of_a_warp_is_not_together),
        cmocka_unit_test(figure_1_takes_as_many_issues_in_warps_of_any_width),
        cmocka_unit_test(an_empty_block_is_walked_instruction_by_instruction),
        cmocka_unit_test(a_join_that_lies_before_its_paths_runs_once),
        cmocka_unit_test(blocks_with_barriers_come_last),
        cmocka_unit_test(a_warp_that_waits_as_a_whole_goes_on_at_its_first_place),
        cmocka_unit_test(the_unit_walks_on_from_a_barrier),
        cmocka_unit_test(deeper_calls_run_first_and_meet_nobody_above),
        cmocka_unit_test(a_function_may_begin_at_the_first_instruction),
        cmocka_unit_test(who_returns_goes_on_as_if_the_calling_block_had_ended),
        cmocka_unit_test(both_functions_of_an_indirect_call_run_before_the_return),
        cmocka_unit_test(an_indirect_branch_inserts_all_its_targets),
        cmocka_unit_test(storage_is_a_list_or_a_pc_per_thread),
        cmocka_unit_test(frontiers_too_large_for_a_table_are_refused_with_the_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
