/* HARP: the paper's Figure 10 state by state as section 4.3 tells it, then the barriers: reservation
 * misses, sharing, latency, exits, calls; two schedulers. */
#include "unit/mech/harp_rig.h"

/* ---- Figure 10 ---- */

static void test_figure_10_state_by_state(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.param[FIRST] = 1;
    r.param[FEW] = 1; /* the figure moves a warp whenever its one scheduler table is empty */
    fake_start(r.f, "harp");
    fake_expect_state(r.f, "second pc 0 w0:0000000f\nsecond pc 0 w0:000000f0\n");
    issue(&r); /* W0 */
    next_cycle(&r);
    issue(&r); /* W1 */
    fake_expect_state(r.f, "in flight pc 0 w0:0000000f\nin flight pc 0 w0:000000f0\n");
    /* W0 diverges: it is gone, a barrier at D, two warps in Lookup. */
    next_cycle(&r);
    commit(&r);
    fake_expect_state(r.f, "in flight pc 0 w0:000000f0\n"
                           "ready-lookup pc 1 w0:0000000a\nready-lookup pc 4 w0:00000005\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached -\n");
    /* One of them departs, W2 = {T1, T3}; then W1 diverges: {T4, T5, T6} is new, T7 joins {T0, T2}. */
    next_cycle(&r);
    commit(&r);
    fake_expect_state(r.f,
                      "second pc 1 w0:0000000a\n"
                      "ready-lookup pc 1 w0:00000070\nready-lookup pc 4 w0:00000085\n"
                      "barrier 0.0 rpc 2 w0:0000000f reached -\nbarrier 1.0 rpc 2 w0:000000f0 reached -\n");
    assert_int_equal(rig_counter(&r, "ready_merges"), 1);
    assert_int_equal(rig_counter(&r, "ready_merged"), 1);
    /* W2 issues: its load is under way. W3 = {T4, T5, T6} departs. */
    issue(&r);
    fake_expect_state(r.f,
                      "ready-lookup pc 1 w0:00000070\nready-lookup pc 4 w0:00000085\n"
                      "waiting-lookup pc 1 w0:0000000a\n"
                      "barrier 0.0 rpc 2 w0:0000000f reached -\nbarrier 1.0 rpc 2 w0:000000f0 reached -\n");
    next_cycle(&r);
    next_cycle(&r);
    /* W2 is at D: T1 and T3 wait for T0 and T2. */
    commit(&r);
    fake_expect_state(r.f, "second pc 1 w0:00000070\nready-lookup pc 4 w0:00000085\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached w0:0000000a\n"
                           "barrier 1.0 rpc 2 w0:000000f0 reached -\n");
    assert_int_equal(waiting_to_reconverge(&r), 2);
    /* W3 issues, W4 = {T0, T2, T7} departs, W3 is at D: its threads wait for T7. */
    issue(&r);
    next_cycle(&r);
    next_cycle(&r);
    commit(&r);
    fake_expect_state(r.f, "second pc 4 w0:00000085\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached w0:0000000a\n"
                           "barrier 1.0 rpc 2 w0:000000f0 reached w0:00000070\n");
    assert_int_equal(waiting_to_reconverge(&r), 5);
    /* W4: the load and the jump of C. */
    issue(&r);
    next_cycle(&r);
    commit(&r);
    issue(&r);
    next_cycle(&r);
    /* W4 is at D: both warps are revived. */
    commit(&r);
    fake_expect_state(r.f, "revived pc 2 w0:0000000f\nrevived pc 2 w0:000000f0\n");
    assert_int_equal(rig_counter(&r, "revivals"), 2);
    assert_int_equal(r.f->mech->stats.reconvergences, 2);
    assert_int_equal(waiting_to_reconverge(&r), 0);
    next_cycle(&r);
    issue(&r);
    assert_int_equal(r.f->flight[0]->s->set.p[0].mask, 0x0f);
    next_cycle(&r);
    issue(&r);
    assert_int_equal(r.f->flight[1]->s->set.p[0].mask, 0xf0);
    assert_int_equal(rig_counter(&r, "barrier_misses"), 0);
    assert_int_equal(r.f->mech->stats.divergences, 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Figure 10 with the defaults: First-Level of 8 and `few` = 2, so that a warp departs while one is still ready. Warps
 * form, depart in the figure's order and are revived as in the test before. */
static void test_figure_10_with_the_defaults(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.param[FIRST] = 8;
    fake_start(r.f, "harp");
    issue(&r); /* W0 */
    fake_expect_state(r.f, "in flight pc 0 w0:0000000f\nfirst pc 0 w0:000000f0\n");
    next_cycle(&r);
    issue(&r); /* W1 */
    next_cycle(&r);
    commit(&r);
    fake_expect_state(r.f, "in flight pc 0 w0:000000f0\n"
                           "ready-lookup pc 1 w0:0000000a\nready-lookup pc 4 w0:00000005\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached -\n");
    next_cycle(&r); /* W2 = {T1, T3} departs, W1 diverges */
    commit(&r);
    fake_expect_state(r.f,
                      "second pc 1 w0:0000000a\n"
                      "ready-lookup pc 1 w0:00000070\nready-lookup pc 4 w0:00000085\n"
                      "barrier 0.0 rpc 2 w0:0000000f reached -\nbarrier 1.0 rpc 2 w0:000000f0 reached -\n");
    issue(&r); /* W3 = {T4, T5, T6} departs, W2 issues */
    fake_expect_state(r.f,
                      "first pc 1 w0:00000070\nready-lookup pc 4 w0:00000085\n"
                      "waiting-lookup pc 1 w0:0000000a\n"
                      "barrier 0.0 rpc 2 w0:0000000f reached -\nbarrier 1.0 rpc 2 w0:000000f0 reached -\n");
    next_cycle(&r);
    next_cycle(&r); /* W4 = {T0, T2, T7} departs, W2 is at D */
    commit(&r);
    fake_expect_state(r.f, "first pc 1 w0:00000070\nsecond pc 4 w0:00000085\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached w0:0000000a\n"
                           "barrier 1.0 rpc 2 w0:000000f0 reached -\n");
    issue(&r); /* W3 */
    next_cycle(&r);
    issue(&r); /* W4: the load, then the jump */
    commit(&r);
    commit(&r);
    fake_expect_state(r.f, "second pc 5 w0:00000085\n"
                           "barrier 0.0 rpc 2 w0:0000000f reached w0:0000000a\n"
                           "barrier 1.0 rpc 2 w0:000000f0 reached w0:00000070\n");
    issue(&r);
    next_cycle(&r);
    commit(&r);
    fake_expect_state(r.f, "revived pc 2 w0:0000000f\nrevived pc 2 w0:000000f0\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- barriers ---- */

/* One entry: W0 gets it, W1's threads go on past D by themselves and are never together again. */
static void test_threads_without_a_barrier_go_on_unmerged(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.param[BARRIERS] = r.param[WAYS] = 1;
    r.param[READY] = 0;
    fake_start(r.f, "harp");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "barrier_misses"), 4);
    assert_int_equal(rig_counter(&r, "barriers_reserved"), 1);
    assert_int_equal(rig_counter(&r, "revivals"), 1);
    assert_int_equal(rig_counter(&r, "ready_full"), 4);
    rig_down(&r);
}

/* Two branches that join at the same place, one inside the other. */
static uint32_t twice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    if (pc == 0) return thread < 2 || thread > 5;
    return thread % 2;
}
static void test_a_thread_reserves_an_rpc_once(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("twice");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 5);          /* 2 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3: ends at 5, as the outer one does */
    fake_op(m);                 /* 4 */
    fake_op(m);                 /* 5 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "twice");
    struct rig r;
    rig_make(&r, m, 4, 8, twice);
    r.param[BARRIERS] = r.param[WAYS] = 4; /* one set */
    fake_start(r.f, "harp");
    issue(&r);
    commit(&r);
    fake_expect_state(r.f, "first pc 0 w0:000000f0\n"
                           "ready-lookup pc 1 w0:0000000c\nready-lookup pc 3 w0:00000003\n"
                           "barrier 0.0 rpc 5 w0:0000000f reached -\n");
    issue(&r);
    commit(
        &r); /* W1's lanes are taken in the first entry, so it gets another; its sides merge with those of W0 */
    fake_expect_state(r.f,
                      "ready-lookup pc 1 w0:0000003c\nready-lookup pc 3 w0:000000c3\n"
                      "barrier 0.0 rpc 5 w0:0000000f reached -\nbarrier 0.1 rpc 5 w0:000000f0 reached -\n");
    /* The inner branch joins at 5 too: its threads have that barrier, nothing is reserved again. */
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "barriers_reserved"), 2);
    assert_int_equal(rig_counter(&r, "barrier_shared"), 0);
    assert_int_equal(rig_counter(&r, "revivals"), 2);
    rig_down(&r);
}

/* W0's lanes 0 and 1 branch by themselves, then W1's lanes 2 and 3: one entry for the four. */
static uint32_t lower_then_upper(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    if (pc == 0) return !(thread < 2 || thread > 5);
    return thread % 2;
}
static void test_an_entry_with_free_lanes_takes_another_warps_threads(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("inner");
    fake_bra(m, FAKE_MAYBE, 4); /* 0: others to the end */
    fake_bra(m, FAKE_MAYBE, 3); /* 1: the inner if */
    fake_op(m);                 /* 2 */
    fake_op(m);                 /* 3: its join */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "inner");
    struct rig r;
    rig_make(&r, m, 4, 8, lower_then_upper);
    r.param[BARRIERS] = r.param[WAYS] = 4;
    r.param[READY] = 0; /* W4 would be one warp already otherwise */
    fake_start(r.f, "harp");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "barriers_reserved"), 3);
    assert_int_equal(rig_counter(&r, "barrier_shared"), 2);
    rig_down(&r);
}

/* The warp that waits for the table is ready latency - 1 cycles later. */
static void test_the_latency_of_the_barrier_table_delays_whoever_commits(void **state) {
    (void)state;
    for (int64_t latency = 1; latency <= 4; latency *= 2) {
        struct ir_module *m = ir_module_new("line");
        fake_op(m);
        fake_end(m, IR_EXIT, 0);
        fake_func(m, "line");
        struct rig r;
        rig_make(&r, m, 16, 16, figure_choice);
        r.param[LATENCY] = latency;
        fake_start(r.f, "harp");
        issue(&r);
        commit(&r);
        for (int64_t k = 1; k < latency; k++) {
            assert_int_equal(mech_next(r.f->mech, 0), latency - 1);
            nothing_issues(&r);
            next_cycle(&r);
        }
        issue(&r);
        rig_down(&r);
    }
}

static void test_a_revived_warp_waits_for_the_table_too(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 4, figure_choice);
    r.param[LATENCY] = 4;
    fake_start(r.f, "harp");
    while (!rig_counter(&r, "revivals")) fake_cycle(r.f);
    uint64_t revived = r.f->now - 1; /* fake_cycle has moved on */
    while (!fake_issue(r.f, 0)) next_cycle(&r);
    assert_int_equal(r.f->now - revived, 3);
    assert_int_equal(r.f->flight[0]->s->threads, 4);
    rig_down(&r);
}

/* The last side's threads exit on their way: the others need not wait for them. */
static uint32_t one_side_exits(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread < 2 : 1;
}
static void test_exited_threads_leave_their_barrier(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 3);       /* 0 */
    fake_op(m);                       /* 1 */
    fake_bra(m, 0, 5);                /* 2 */
    fake_op(m);                       /* 3 */
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 4 */
    fake_op(m);                       /* 5 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "exits");
    struct rig r;
    rig_make(&r, m, 4, 4, one_side_exits);
    fake_start(r.f, "harp");
    assert_true(fake_run(r.f));
    fake_expect_state(r.f, "");
    rig_down(&r);
}

/* ---- calls ---- */

/* Threads call f from two places; half of each return early. Where they return to is not the same, and one of the two is also
 * where the branch of the caller ends. */
static uint32_t from_two_places(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread < 2 : pc == 7 ? thread % 2 : 1;
}
static struct ir_module *calls(void) {
    struct ir_module *m = ir_module_new("calls");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_call(m, 0, 1);         /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_call(m, 0, 1);         /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "kernel");
    fake_load(m);                    /* 6 f */
    fake_end(m, IR_RET, FAKE_MAYBE); /* 7: half return here */
    fake_op(m);                      /* 8 */
    fake_end(m, IR_RET, 0);          /* 9 */
    fake_func(m, "f");
    return m;
}
static void test_threads_meet_again_where_their_function_returns_to(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, calls(), 4, 4, from_two_places);
    r.param[WAITING] = 0;
    fake_start(r.f, "harp");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "barriers_reserved"), 3); /* the branch, and the return of each side */
    assert_int_equal(rig_counter(&r, "revivals"), 3);
    assert_int_equal(rig_counter(&r, "barrier_parted"), 0);
    rig_down(&r);
}

/* Both sides merge at the load of f: one warp, one barrier, and it is where T3 returns to first. */
static void test_threads_that_return_elsewhere_leave_the_barrier(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, calls(), 4, 4, from_two_places);
    fake_start(r.f, "harp");
    issue(&r); /* the branch */
    commit(&r);
    next_cycle(&r);
    issue(&r); /* the calls */
    next_cycle(&r);
    issue(&r);
    commit(&r);
    commit(&r);
    issue(&r); /* the loads */
    issue(&r);
    commit(&r);
    commit(&r);
    issue(&r); /* T1 and T3 return, to 4 and 2; 4 is where T1's outer barrier is */
    commit(&r);
    fake_expect_state(r.f, "ready-lookup pc 8 depth 1 w0:00000005\n"
                           "barrier 0.0 rpc 4 w0:0000000f reached w0:00000002\n"
                           "barrier 0.1 return w0:0000000d reached w0:00000008\n");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "barrier_parted"), 2); /* T1 and T0 */
    assert_int_equal(rig_counter(&r, "revivals"), 2);
    rig_down(&r);
}

/* ---- schedulers, sizes ---- */

static void test_each_scheduler_has_its_own_tables(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.f->env.schedulers = 2;
    fake_start(r.f, "harp");
    fake_expect_state(r.f, "sched 0 second pc 0 w0:0000000f\nsched 1 second pc 0 w0:000000f0\n");
    fake_cycle(r.f);
    fake_expect_state(r.f, "sched 0 ready-lookup pc 1 w0:0000000a\nsched 0 ready-lookup pc 4 w0:00000005\n"
                           "sched 0 barrier 0.0 rpc 2 w0:0000000f reached -\n"
                           "sched 1 ready-lookup pc 1 w0:00000070\nsched 1 ready-lookup pc 4 w0:00000080\n"
                           "sched 1 barrier 0.0 rpc 2 w0:000000f0 reached -\n");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "revivals"), 2);
    rig_down(&r);
}

static void test_barriers_must_be_a_multiple_of_ways(void **state) {
    (void)state;
    struct rig r;
    struct err e = {0};
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.param[BARRIERS] = 24;
    assert_null(mech_new(mech_find("harp"), &r.f->env, &e));
    assert_string_equal(err_text(&e), "harp.barriers is 24: it must be a multiple of harp.barrier_ways, 16");
    err_free(&e);
    rig_down(&r);
}

/* Table 7: 6 bits name one of 64 threads of a lane; 9 x 16 bits and the RPC are a warp. */
static void test_storage_is_table_7_with_valid_bits_and_depths(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_make(&r, figure(), 16, 1024, figure_choice);
    fake_start(r.f, "harp");
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "first_level 304\nsecond_level 78848\nready_lookup 1216\n"
                                  "waiting_lookup 1216\nbarriers 21632\n");
    sb_free(&out);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_10_state_by_state),
        cmocka_unit_test(test_figure_10_with_the_defaults),
        cmocka_unit_test(test_threads_without_a_barrier_go_on_unmerged),
        cmocka_unit_test(test_a_thread_reserves_an_rpc_once),
        cmocka_unit_test(test_an_entry_with_free_lanes_takes_another_warps_threads),
        cmocka_unit_test(test_the_latency_of_the_barrier_table_delays_whoever_commits),
        cmocka_unit_test(test_a_revived_warp_waits_for_the_table_too),
        cmocka_unit_test(test_exited_threads_leave_their_barrier),
        cmocka_unit_test(test_threads_meet_again_where_their_function_returns_to),
        cmocka_unit_test(test_threads_that_return_elsewhere_leave_the_barrier),
        cmocka_unit_test(test_each_scheduler_has_its_own_tables),
        cmocka_unit_test(test_barriers_must_be_a_multiple_of_ways),
        cmocka_unit_test(test_storage_is_table_7_with_valid_bits_and_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
