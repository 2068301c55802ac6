/* Numbered blocks (Lorie & Strong, US 4435758, by SL 2.3): the smallest number runs, and threads that are off are compared
 * only at marks. The example of thread frontiers step by step, loops left in different rounds, barriers, what Table 1 rules
 * out; and on random kernels the schedule of thread frontiers, with the marks added. PCs are those of the form. */
#include "unit/mech/programs.h"
#include "unit/mech/random_kernel.h"

/* In the form with marks, or as it is. */
static void rig_load_any(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads, choose_fn *choose,
                         enum cfg_form form) {
    if (form == CFG_FORM_NONE)
        rig_load(r, m, w, threads, choose);
    else
        rig_load_form(r, m, form, w, threads, choose);
}
static void rig_up(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads, choose_fn *choose,
                   enum cfg_form form) {
    rig_load_any(r, m, w, threads, choose, form);
    fake_start(r->f, "lorie-strong");
}
static void rig_up_marked(struct rig *r, struct ir_module *m, choose_fn *choose) {
    rig_up(r, m, 4, 4, choose, CFG_FORM_JOINS);
}

/* ---- the shape of Figure 1 of Diamos et al. (thread frontiers) ---- */

/* With marks at BB3, BB5 and the exit: 0 BB1  1 BB2  2 SYNC 3 BB3  4 BB4  5 SYNC 6 BB5  7 SYNC 8 exit. */
static void every_block_runs_once_and_three_have_marks(void **state) {
    (void)state;
    static const char *const row[] = {
        "warp 0: depth - pc 0 running, ready w0:0000000f\n",
        "warp 0: depth - pc 1 running, ready w0:0000000e\n"
        "warp 0: depth - pc 2 standing w0:00000001\n",
        "warp 0: depth - pc 2 running, ready w0:0000000d\n" /* the mark has let thread 0 in */
        "warp 0: depth - pc 7 standing w0:00000002\n",
        "warp 0: depth - pc 3 running, ready w0:0000000d\n"
        "warp 0: depth - pc 7 standing w0:00000002\n",
        "warp 0: depth - pc 4 running, ready w0:00000009\n"
        "warp 0: depth - pc 5 standing w0:00000004\n"
        "warp 0: depth - pc 7 standing w0:00000002\n",
        "warp 0: depth - pc 5 running, ready w0:0000000c\n"
        "warp 0: depth - pc 7 standing w0:00000003\n",
        "warp 0: depth - pc 6 running, ready w0:0000000c\n"
        "warp 0: depth - pc 7 standing w0:00000003\n",
        "warp 0: depth - pc 7 running, ready w0:0000000f\n",
        "warp 0: depth - pc 8 running, ready w0:0000000f\n",
    };
    struct rig r;
    rig_up_marked(&r, program_unstructured(), choose_four_paths);
    rig_expect_steps(&r, RIG_ROWS(row)); /* six blocks and three marks */
    assert_int_equal(rig_counter(&r, "comparisons"), 3);
    assert_int_equal(rig_counter(&r, "merges"), 4);
    assert_int_equal(rig_counter(&r, "missed"), 0);
    rig_down(&r);
}

static void it_takes_as_many_issues_in_warps_of_any_width(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct rig r;
        rig_up(&r, program_unstructured(), w, 256, choose_four_paths, CFG_FORM_JOINS);
        for (uint32_t k = 0; k < 256 / w; k++) assert_true(fake_cycle(r.f));
        assert_int_equal(rig_standing(&r), 64); /* a fourth is at BB3 */
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 9 * 256 / w);
        assert_int_equal(rig_counter(&r, "merges"), 4 * 256 / w);
        rig_down(&r);
    }
}

/* ---- marks ---- */

/* The mark comes before D: 5 SYNC 6 D 7 exit. */
static void a_mark_lets_both_sides_of_a_diamond_meet(void **state) {
    (void)state;
    struct rig r;
    rig_up_marked(&r, program_diamond(), choose_upper_half);
    rig_expect_run(&r, "0 1 2 3 4 5 6 7");
    assert_int_equal(rig_counter(&r, "switches"), 1); /* at 3: C comes before D */
    assert_int_equal(rig_counter(&r, "merges"), 1);
    rig_down(&r);
}

/* The comparison is the mark's: C falls into D past those who stand there. */
static void without_marks_nobody_is_let_in(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, program_diamond(), 4, 4, choose_upper_half, CFG_FORM_NONE);
    rig_expect_run(&r, "0 1 2 3 4 5 6 5 6");
    assert_int_equal(rig_counter(&r, "missed"), 1);
    assert_int_equal(rig_counter(&r, "comparisons") + rig_counter(&r, "merges"), 0);
    rig_down(&r);
}

/* Thread k leaves after round k. The exit has one way in, and threads come there in four rounds: it has a mark.
 * 0 SYNC 1 op 2 bra 3 SYNC 4 exit. */
static uint32_t as_many_rounds_as_its_number(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step < 2 * thread;
}
static void threads_that_leave_a_loop_in_different_rounds_meet_behind_it(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    struct rig r;
    rig_up_marked(&r, m, as_many_rounds_as_its_number);
    rig_expect_run(&r, "0 1 2 0 1 2 0 1 2 0 1 2 3 4");
    assert_int_equal(rig_counter(&r, "merges"), 3);
    rig_down(&r);
}

/* Thread 0 skips the rest of its first round and catches up with the others at 3, to which only 2 leads.
 * 0 SYNC 1 op 2 continue 3 SYNC 4 op 5 bra 6 SYNC 7 exit. */
static uint32_t thread_0_continues_once(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return thread == 0 && step == 1;
}
static void who_skips_the_rest_of_a_round_catches_up_at_a_mark(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("continue");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 0); /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "continue");
    struct rig r;
    rig_up_marked(&r, m, thread_0_continues_once);
    rig_expect_run(&r, "0 1 2 0 1 2 3 4 5 6 7");
    assert_int_equal(rig_counter(&r, "merges"), 1);
    rig_down(&r);
}

/* The join lies before its paths and has the highest number all the same: PCs do not count. */
static void a_join_that_lies_before_its_paths_runs_once(void **state) {
    (void)state;
    struct rig r;
    rig_up_marked(&r, program_join_first(), choose_upper_half);
    rig_expect_run(&r, "0 4 5 6 7 1 2 3");
    rig_down(&r);
}

/* ---- barriers, exits ---- */

/* The lower half waits at 1; the upper goes on to its own barrier. */
static void only_who_waits_is_off(void **state) {
    (void)state;
    struct rig r;
    rig_up_marked(&r, program_two_barriers(), choose_upper_half);
    assert_true(fake_cycle(r.f));
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    fake_expect_state(r.f, "warp 0: depth - pc 3 running, ready w0:0000000c\n"
                           "warp 0: depth - pc 2 waiting at a barrier w0:00000003\n");
    assert_int_equal(rig_standing(&r), 0);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 7); /* 0 1 3, then 2, and 4 SYNC, 5, 6 for all */
    assert_int_equal(rig_counter(&r, "merges"), 1);
    rig_down(&r);
}

/* The upper half waits at 1, the lower goes on to 3, in the same block. Released, who is behind runs first, and the others
 * stand where no mark is. */
static void released_threads_run_in_the_order_of_their_places(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("guarded barrier");
    fake_op(m);              /* 0 */
    fake_bar(m, FAKE_MAYBE); /* 1 upper half */
    fake_op(m);              /* 2 */
    fake_bar(m, 0);          /* 3 */
    fake_end(m, IR_EXIT, 0); /* 4 */
    fake_func(m, "guarded");
    struct rig r;
    rig_up_marked(&r, m, choose_upper_half);
    rig_expect_run(&r, "0 1 2 3 2 3 4 4");
    rig_down(&r);
}

static void who_is_released_inside_a_block_stays_off(void **state) {
    (void)state;
    struct rig r;
    rig_up_marked(&r, program_guarded_barrier(), choose_upper_half);
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    release_now(&r, 0xc, 1); /* the others are at 1, which is not issued yet */
    fake_expect_state(r.f, "warp 0: depth - pc 1 running, ready w0:00000003\n"
                           "warp 0: depth - pc 1 standing w0:0000000c\n");
    rig_expect_run(&r, "1 2 1 2");
    rig_down(&r);
}

static void who_exits_is_gone(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exit");
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 0 */
    fake_op(m);                       /* 1 */
    fake_end(m, IR_EXIT, 0);          /* 2 */
    fake_func(m, "exit");
    struct rig r;
    rig_up_marked(&r, m, choose_upper_half);
    assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0: depth - pc 1 running, ready w0:00000003\n");
    rig_expect_run(&r, "1 2");
    rig_down(&r);
}

/* ---- what it cannot run, what it costs ---- */

/* Table 1: "No" for recursion, "No" for indirect branches. */
static void calls_and_indirect_branches_are_refused(void **state) {
    (void)state;
    expect_no_calls_and_no_indirect_branches("lorie-strong");
}

static void storage_is_a_pc_and_a_number_for_each_thread(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_up(&r, program_diamond(), 32, 64, choose_upper_half, CFG_FORM_JOINS);
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "thread_pc 2048\nthread_block_number 1024\n");
    sb_free(&out);
    rig_down(&r);
}

/* ---- random kernels ---- */

enum { KERNELS = 1000 };
enum { COMPARISONS, SWITCHES, MERGES, MISSED }; /* stats.extra */

/* The marks are complete: no thread comes to a block where others stand without one, so that the comparison at marks
 * finds what one at every step would find. */
static void without_barriers_it_is_thread_frontiers_and_marks(void **state) {
    (void)state;
    static const int64_t none[32] = {0};
    struct rng r = {41};
    uint64_t marks = 0, merges = 0;
    for (int n = 0; n < KERNELS; n++) {
        struct ir_module *m = n % 3 == 0   ? direct_forward_program(&r)
                              : n % 3 == 1 ? structured_program(&r)
                                           : direct_program(&r);
        struct kernel k = kernel_of(&r, m, n % 3 == 2 ? 40 : 0);
        const struct ran l = kernel_run(&k, "lorie-strong", none, true), t = kernel_run(&k, "tf", none, true);
        assert_true(l.done);
        assert_int_equal(l.issued - l.stats.extra[COMPARISONS], t.issued);
        assert_int_equal(l.stats.reconvergences, t.stats.reconvergences);
        assert_int_equal(l.stats.extra[MISSED], 0);
        marks += l.stats.extra[COMPARISONS];
        merges += l.stats.extra[MERGES];
        kernel_free(&k);
    }
    assert_true(marks > 10 * KERNELS && merges > KERNELS);
}

/* Latencies, several schedulers, barriers, blocks of several warps; with marks and, every fourth, without. */
static void every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct rng r = {42};
    uint64_t missed = 0;
    for (int n = 0; n < KERNELS; n++) {
        const uint32_t w = 4u << rng_below(&r, rng_below(&r, 4) ? 4 : 7);
        struct random_mix mix = random_mix(&r, true);
        mix.calls = false;
        mix.ways = 0;
        struct rig rig;
        struct ir_module *m = random_program(&r, mix);
        rig_load_any(&rig, m, w, random_threads(&r, w), NULL, n % 4 ? CFG_FORM_JOINS : CFG_FORM_NONE);
        random_machine(rig.f, &r);
        rig.f->slow = rng_below(&r, 3);
        rig.f->per_block = 32 * (uint32_t)rng_below(&r, 4);
        fake_start(rig.f, "lorie-strong");
        assert_true(fake_run(rig.f)); /* no thread holds back those that a barrier waits for */
        missed += rig_counter(&rig, "missed");
        rig_down(&rig);
    }
    assert_true(missed > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once_and_three_have_marks),
        cmocka_unit_test(it_takes_as_many_issues_in_warps_of_any_width),
        cmocka_unit_test(a_mark_lets_both_sides_of_a_diamond_meet),
        cmocka_unit_test(without_marks_nobody_is_let_in),
        cmocka_unit_test(threads_that_leave_a_loop_in_different_rounds_meet_behind_it),
        cmocka_unit_test(who_skips_the_rest_of_a_round_catches_up_at_a_mark),
        cmocka_unit_test(a_join_that_lies_before_its_paths_runs_once),
        cmocka_unit_test(only_who_waits_is_off),
        cmocka_unit_test(released_threads_run_in_the_order_of_their_places),
        cmocka_unit_test(who_is_released_inside_a_block_stays_off),
        cmocka_unit_test(who_exits_is_gone),
        cmocka_unit_test(calls_and_indirect_branches_are_refused),
        cmocka_unit_test(storage_is_a_pc_and_a_number_for_each_thread),
        cmocka_unit_test(without_barriers_it_is_thread_frontiers_and_marks),
        cmocka_unit_test(every_thread_takes_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
