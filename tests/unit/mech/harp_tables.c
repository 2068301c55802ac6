/* HARP's lookups and levels: who merges in Waiting-Lookup under either reading, when Ready-Lookup sends a warp, the order of
 * transitions, overflow of Second-Level, when warps leave Waiting-Lookup under either reading. */
#include "unit/mech/harp_rig.h"

/* Both warps go to one load with lanes that do not meet: they are one warp from then on. */
static uint32_t halves(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 && (thread < 2 || thread > 5); /* W0 keeps lanes 2 and 3 at the load, W1 0 and 1 */
}
static struct ir_module *one_load(void) {
    struct ir_module *m = ir_module_new("load");
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 0 */
    fake_load(m);                     /* 1 */
    fake_op(m);                       /* 2 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "load");
    return m;
}
static void test_warps_at_the_same_load_merge_while_they_wait(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, one_load(), 4, 8, halves);
    fake_start(r.f, "harp");
    for (int k = 0; k < 2; k++) issue(&r); /* both warps' exits */
    for (int k = 0; k < 2; k++) commit(&r);
    for (int k = 0; k < 2; k++) issue(&r); /* and their loads */
    fake_expect_state(r.f, "waiting-lookup pc 1 w0:0000000c\nwaiting-lookup pc 1 w0:00000030\n");
    commit(&r); /* the first is back, and waits for the other */
    fake_expect_state(r.f, "waiting-lookup pc 1 w0:00000030\nwaiting-lookup back pc 2 w0:0000000c\n");
    nothing_issues(&r);
    commit(&r);
    fake_expect_state(r.f, "second pc 2 w0:0000003c\n");
    assert_int_equal(rig_counter(&r, "waiting_merges"), 1);
    assert_int_equal(rig_counter(&r, "waiting_merged"), 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}
/* Lanes 1 to 3 of W0 and 0 and 1 of W1 come to the load: lane 1 twice. If 4.2.1's conditions are each thread's, T4
 * joins W0's threads and T5, whose lane is taken, has an entry of its own. */
static uint32_t overlapping(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 && (thread == 0 || thread > 5);
}
static void load_both(struct rig *r, int64_t entries, int64_t merge) {
    rig_make(r, one_load(), 4, 8, overlapping);
    r->param[WAITING] = entries;
    r->param[MERGE] = merge;
    fake_start(r->f, "harp");
    for (int k = 0; k < 2; k++) issue(r);
    for (int k = 0; k < 2; k++) commit(r);
    for (int k = 0; k < 2; k++) issue(r);
}
static void test_threads_whose_lanes_are_free_merge_while_they_wait(void **state) {
    (void)state;
    struct rig r;
    load_both(&r, 8, MERGE_THREADS);
    fake_expect_state(r.f, "waiting-lookup pc 1 w0:0000000e\nwaiting-lookup pc 1 w0:00000010\n"
                           "waiting-lookup pc 1 w0:00000020\n");
    assert_int_equal(rig_counter(&r, "waiting_merges"), 1);
    assert_int_equal(rig_counter(&r, "waiting_merged"), 1);
    commit_at(&r, 1); /* W1's access is back: T5 goes on, T4 waits for W0's */
    fake_expect_state(r.f, "second pc 2 w0:00000020\n"
                           "waiting-lookup pc 1 w0:0000000e\nwaiting-lookup back pc 2 w0:00000010\n");
    commit(&r);
    fake_expect_state(r.f, "second pc 2 w0:00000020\nsecond pc 2 w0:0000001e\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}
static void test_the_merged_warp_waits_for_every_access_its_threads_are_part_of(void **state) {
    (void)state;
    struct rig r;
    load_both(&r, 8, MERGE_THREADS);
    commit(&r); /* W0's access is back first: no thread may go on, for T4 has merged with them */
    fake_expect_state(r.f, "waiting-lookup pc 1 w0:00000010\nwaiting-lookup back pc 2 w0:0000000e\n"
                           "waiting-lookup pc 1 w0:00000020\n");
    nothing_issues(&r);
    commit(&r);
    fake_expect_state(r.f, "second pc 2 w0:0000001e\nsecond pc 2 w0:00000020\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}
static void test_threads_that_find_no_entry_wait_unseen_and_go_on_alone(void **state) {
    (void)state;
    struct rig r;
    load_both(&r, 1, MERGE_THREADS);
    assert_int_equal(rig_counter(&r, "waiting_full"), 1);
    commit_at(&r, 1);
    fake_expect_state(r.f, "second pc 2 w0:00000020\n"
                           "waiting-lookup pc 1 w0:0000000e\nwaiting-lookup back pc 2 w0:00000010\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}
/* "Other warps ... can merge with this warp" (4.2.1): all of it or nothing. */
static void test_whole_warps_that_have_a_lane_in_common_stay_apart(void **state) {
    (void)state;
    struct rig r;
    load_both(&r, 8, MERGE_WARPS);
    fake_expect_state(r.f, "waiting-lookup pc 1 w0:0000000e\nwaiting-lookup pc 1 w0:00000030\n");
    assert_int_equal(rig_counter(&r, "waiting_merges"), 0);
    commit(&r);
    fake_expect_state(r.f, "second pc 2 w0:0000000e\nwaiting-lookup pc 1 w0:00000030\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}
static void test_whole_warps_merge_where_no_lane_is_taken(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, one_load(), 4, 8, halves);
    r.param[MERGE] = MERGE_WARPS;
    fake_start(r.f, "harp");
    for (int k = 0; k < 2; k++) issue(&r);
    for (int k = 0; k < 2; k++) commit(&r);
    for (int k = 0; k < 2; k++) issue(&r);
    for (int k = 0; k < 2; k++) commit(&r);
    fake_expect_state(r.f, "second pc 2 w0:0000003c\n");
    rig_down(&r);
}
/* 4.2.1 speaks of global memory: what is on chip is not worth the wait. */
static void test_a_load_from_shared_memory_does_not_wait_for_others(void **state) {
    (void)state;
    struct rig r;
    struct ir_module *m = one_load();
    m->code.v[1].space = IR_SP_SHARED;
    rig_make(&r, m, 4, 8, halves);
    fake_start(r.f, "harp");
    for (int k = 0; k < 2; k++) issue(&r);
    for (int k = 0; k < 2; k++) commit(&r);
    for (int k = 0; k < 2; k++) issue(&r);
    fake_expect_state(r.f, "in flight pc 1 w0:0000000c\nin flight pc 1 w0:00000030\n");
    rig_down(&r);
}
static void test_a_full_waiting_lookup_is_passed_by(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, one_load(), 4, 8, halves);
    r.param[WAITING] = 0;
    fake_start(r.f, "harp");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "waiting_full"), 2);
    assert_int_equal(rig_counter(&r, "waiting_merges"), 0);
    rig_down(&r);
}

/* Lookup holds its warps back while two of Second-Level are ready. */
static void test_lookup_sends_a_warp_only_when_few_are_ready(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 24, figure_choice); /* W0 and W1 diverge, W2 to W5 do not */
    r.param[FIRST] = 1;
    fake_start(r.f, "harp");
    issue(&r);
    commit(&r);
    for (uint32_t left = 5; left > 2; left--) { /* one goes to First-Level and issues, left - 1 stay */
        next_cycle(&r);
        issue(&r);
        assert_int_equal(r.f->flight[5 - left]->s->pc, A);
    }
    struct sb out = {0};
    next_cycle(&r);
    issue(&r); /* two were ready: none came */
    r.f->mech->ops->state(r.f->mech, &out);
    assert_non_null(strstr(out.text, "ready-lookup pc 1 w0:0000000a\nready-lookup pc 4 w0:00000005\n"));
    sb_free(&out);
    next_cycle(&r);
    issue(&r); /* one was: the oldest came behind it */
    r.f->mech->ops->state(r.f->mech, &out);
    assert_non_null(strstr(out.text, "second pc 1 w0:0000000a\nready-lookup pc 4 w0:00000005\n"));
    sb_free(&out);
    rig_down(&r);
}

/* What counts is the scheduler as a whole (4.3: "every time the scheduler starts to run out of warps"): the five warps that
 * have not issued hold Lookup back though all of them are in First-Level. Counting Second-Level alone, which First-Level
 * empties at every issue, a warp departs in every cycle. */
static void test_lookup_counts_the_ready_warps_of_both_levels(void **state) {
    (void)state;
    for (int64_t count = COUNT_BOTH; count <= COUNT_SECOND; count++) {
        struct rig r;
        struct sb out = {0};
        rig_make(&r, figure(), 4, 24, figure_choice);
        r.param[FIRST] = 8;
        r.param[COUNT] = count;
        fake_start(r.f, "harp");
        issue(&r);
        commit(&r);
        for (uint32_t left = 5; left > 2; left--) {
            next_cycle(&r);
            issue(&r);
        }
        r.f->mech->ops->state(r.f->mech, &out);
        const bool there = strstr(out.text, "ready-lookup pc 1 w0:0000000a\nready-lookup pc 4 w0:00000005\n");
        assert_int_equal(there, count == COUNT_BOTH);
        assert_int_equal(strstr(out.text, "ready-lookup") != NULL, count == COUNT_BOTH);
        sb_free(&out);
        if (count == COUNT_BOTH) { /* two are left to issue; behind the next of them the first departs */
            next_cycle(&r);
            issue(&r);
            assert_int_equal(rig_counter(&r, "ready_sum"), 0 + 2 + 2 + 2 + 2);
            next_cycle(&r);
            issue(&r);
            assert_int_equal(rig_counter(&r, "ready_sum"), 0 + 2 + 2 + 2 + 2 + 1);
        }
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* In the cycle in which W1 diverges W0 is revived: it goes first (7.3.2), though Lookup has a warp and none is ready. */
static void test_a_revived_warp_comes_before_those_of_lookup(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    fake_start(r.f, "harp");
    for (int k = 0; k < 2; k++) { /* W0 and W1 */
        issue(&r);
        next_cycle(&r);
    }
    commit(&r);
    for (int k = 0; k < 2; k++) { /* the sides of W0: T1, T3 at B, T0, T2 at C */
        issue(&r);
        next_cycle(&r);
    }
    commit_at(&r, 1);
    commit_at(&r, 1);
    issue(&r); /* from C to D */
    next_cycle(&r);
    commit(&r);
    commit(&r);
    fake_expect_state(
        r.f, "ready-lookup pc 1 w0:00000070\nready-lookup pc 4 w0:00000080\nrevived pc 2 w0:0000000f\n"
             "barrier 1.0 rpc 2 w0:000000f0 reached -\n");
    issue(&r);
    assert_int_equal(r.f->flight[0]->s->pc, D);
    next_cycle(&r);
    issue(&r);
    assert_int_equal(r.f->flight[1]->s->pc, B);
    /* in the order of the seven issues */
    assert_int_equal(rig_counter(&r, "samples"), 7);
    assert_int_equal(rig_counter(&r, "first_sum"), 2 + 1 + 1 + 1 + 1 + 1 + 1);
    assert_int_equal(rig_counter(&r, "ready_sum"), 0 + 0 + 1 + 0 + 0 + 2 + 1);
    assert_int_equal(rig_counter(&r, "waiting_sum"), 0 + 0 + 0 + 1 + 0 + 0 + 0);
    assert_int_equal(rig_counter(&r, "barriers_sum"), 0 + 0 + 1 + 1 + 1 + 1 + 1);
    assert_int_equal(rig_counter(&r, "first_max"), 2);
    assert_int_equal(rig_counter(&r, "second_max"), 0);
    assert_int_equal(rig_counter(&r, "ready_max"), 2);
    assert_int_equal(rig_counter(&r, "waiting_max"), 1);
    assert_int_equal(rig_counter(&r, "barriers_max"), 1);
    rig_down(&r);
}

/* A Second-Level of one entry: the second warp is away for `spill` cycles. */
static void test_a_full_second_level_sends_warps_away_and_gets_them_back(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 8, figure_choice);
    r.param[SECOND] = 1;
    r.param[SPILL] = 7;
    fake_start(r.f, "harp");
    fake_expect_state(r.f, "second pc 0 w0:0000000f\nspilled pc 0 w0:000000f0\n");
    issue(&r);
    next_cycle(&r);
    nothing_issues(&r);
    assert_int_equal(mech_next(r.f->mech, 0), 7);
    r.f->now = 7;
    issue(&r);
    assert_int_equal(r.f->flight[1]->s->set.p[0].mask, 0xf0);
    assert_int_equal(rig_counter(&r, "spills"), 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- when a warp leaves Waiting-Lookup ---- */

/* W0 (T2, T3 are left of it) has loaded, W1 (T4, T5) is about to load and W2 and W3, whole, are at an exit that none of
 * their threads takes. First-Level has one entry. */
static uint32_t two_halves(uint32_t thread, uint32_t pc, uint32_t step) {
    return thread < 8 && halves(thread, pc, step);
}
static void load_first(struct rig *r, int64_t depart) {
    rig_make(r, one_load(), 4, 16, two_halves);
    r->param[FIRST] = 1;
    r->param[DEPART] = depart;
    fake_start(r->f, "harp");
    issue(r); /* the exit of W0 */
    commit(r);
    for (int k = 0; k < 3; k++) { /* exits of W1 to W3 */
        next_cycle(r);
        issue(r);
    }
    next_cycle(r);
    issue(r); /* the load of W0 */
    for (int k = 0; k < 3; k++) commit(r);
    fake_expect_state(r->f, "second pc 1 w0:00000030\nsecond pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\n"
                            "waiting-lookup pc 1 w0:0000000c\n");
    next_cycle(r);
    commit(r); /* its data is back while three warps are ready */
}

/* 4.2.1: the warps "depart back to Second-Level eventually, when the pending memory access completes". */
static void test_with_depart_back_a_warp_leaves_waiting_lookup_with_its_data(void **state) {
    (void)state;
    struct rig r;
    load_first(&r, DEPART_BACK);
    fake_expect_state(r.f, "second pc 1 w0:00000030\nsecond pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\n"
                           "second pc 2 w0:0000000c\n");
    issue(&r); /* W1 loads: W0, whose lanes would be free, is gone */
    fake_expect_state(r.f, "second pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\nsecond pc 2 w0:0000000c\n"
                           "waiting-lookup pc 1 w0:00000030\n");
    assert_int_equal(rig_counter(&r, "waiting_merges"), 0);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* 4.2.3's rule for "Lookup tables": the warp stays while two are ready, W1 merges with it, and as one warp they leave when
 * the data of W1 is back too and only one warp is ready. */
static void test_with_depart_few_a_warp_stays_in_waiting_lookup_while_others_are_ready(void **state) {
    (void)state;
    struct rig r;
    load_first(&r, DEPART_FEW);
    fake_expect_state(r.f, "second pc 1 w0:00000030\nsecond pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\n"
                           "waiting-lookup back pc 2 w0:0000000c\n");
    issue(&r); /* W1 loads and merges; it is not complete any more */
    fake_expect_state(r.f, "second pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\n"
                           "waiting-lookup pc 1 w0:00000030\nwaiting-lookup back pc 2 w0:0000000c\n");
    assert_int_equal(rig_counter(&r, "waiting_merges"), 1);
    commit(&r); /* W1's data is back; two are ready */
    next_cycle(&r);
    fake_expect_state(r.f, "second pc 1 w0:00000f00\nsecond pc 1 w0:0000f000\n"
                           "waiting-lookup back pc 2 w0:0000003c\n");
    issue(&r); /* issues W2: one is ready */
    fake_expect_state(r.f, "second pc 1 w0:0000f000\nwaiting-lookup back pc 2 w0:0000003c\n"
                           "waiting-lookup pc 1 w0:00000f00\n");
    next_cycle(&r);
    issue(&r); /* issues W3, which takes the entry of the merged warp: that has departed before */
    assert_int_equal(rig_counter(&r, "wait_few"), 4 * 2);
    fake_expect_state(r.f, "second pc 2 w0:0000003c\n"
                           "waiting-lookup pc 1 w0:0000f000\nwaiting-lookup pc 1 w0:00000f00\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A commit searches the barriers (7.3.2), whatever the rule of departure: T1 and T3 are marked at D when their load is back,
 * though W1 to W5 are ready. */
static void test_with_depart_few_threads_reach_their_barrier_with_their_data(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 24, figure_choice);
    r.param[FIRST] = 1;
    r.param[DEPART] = DEPART_FEW;
    r.param[READY] = 0; /* diverged warps are ready at once */
    fake_start(r.f, "harp");
    issue(&r);
    commit(&r); /* W0 diverges behind five ready warps */
    for (int k = 0; k < 6; k++) {
        next_cycle(&r);
        issue(&r);
    }
    for (int k = 0; k < 5; k++) commit_at(&r, 0); /* W1 to W5 are at their loads */
    assert_int_equal(waiting_to_reconverge(&r), 0);
    commit(&r); /* T1 and T3 */
    assert_int_equal(waiting_to_reconverge(&r), 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* One order for both tables: what has its data back before the others diverge departs before them, and what diverges before
 * departs first. */
static void test_with_depart_few_the_first_of_both_tables_departs(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct rig r;
        rig_make(&r, figure(), 4, 12, figure_choice); /* W2 goes to B as a whole */
        r.param[DEPART] = DEPART_FEW;
        r.param[FIRST] = 1;
        fake_start(r.f, "harp");
        for (int k = 0; k < 3; k++) issue(&r);
        commit_at(&r, 2);
        issue(&r); /* W2's load; in flight are W0 and W1 at A, and it */
        commit_at(&r, first ? 0 : 2);
        commit_at(&r, first ? 1 : 0);
        next_cycle(&r);
        issue(&r);
        assert_int_equal(r.f->flight[1]->s->set.p[0].mask, first ? 0xa : 0xf00);
        rig_down(&r);
    }
}

/* ---- who waits for whom ---- */

/* W0's two threads are back in cycle 3 and W1's in cycle 10: 2 * 7 thread cycles for the slowest access. Alone they
 * wait for no other thread. */
static void test_merged_threads_wait_for_the_slowest_access(void **state) {
    (void)state;
    for (int64_t entries = 0; entries < 2; entries++) {
        struct rig r;
        rig_make(&r, one_load(), 4, 8, halves);
        r.param[WAITING] = entries;
        fake_start(r.f, "harp");
        for (int k = 0; k < 2; k++) issue(&r);
        for (int k = 0; k < 2; k++) commit(&r);
        for (int k = 0; k < 2; k++) issue(&r);
        r.f->now = 3;
        commit(&r);
        r.f->now = 10;
        commit(&r);
        assert_int_equal(rig_counter(&r, "wait_slowest"), entries ? 2 * 7 : 0);
        assert_int_equal(rig_counter(&r, "wait_few"), 0);
        rig_down(&r);
    }
}

/* W0 diverges in cycle 0: T1, T3 and T0, T2 leave Ready-Lookup, one warp a cycle, in cycles 4 and 5, the first in which
 * a scheduler asks that has none ready; T1 and T3 are at D in cycle 20, T0 and T2 in cycle 50: 2 * 30 thread cycles. */
static void test_threads_wait_in_ready_lookup_and_at_barriers(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, figure(), 4, 20, figure_choice); /* W2 to W4 go to B as they are */
    fake_start(r.f, "harp");
    issue(&r);
    commit(&r);
    for (int k = 0; k < 6; k++) {
        next_cycle(&r);
        issue(&r);
    }
    assert_int_equal(r.f->now, 6);
    assert_int_equal(r.f->flight[4]->s->pc, B);
    assert_int_equal(r.f->flight[5]->s->pc, C);
    assert_int_equal(rig_counter(&r, "wait_few"), 2 * 4 + 2 * 5);
    assert_int_equal(rig_counter(&r, "wait_barrier"), 0);
    r.f->now = 20;
    commit_at(&r, 4);
    r.f->now = 40;
    commit_at(&r, 4);
    issue(&r); /* from C to D */
    r.f->now = 50;
    commit_at(&r, 4);
    assert_int_equal(rig_counter(&r, "wait_barrier"), 2 * 30);
    assert_int_equal(rig_counter(&r, "wait_slowest"), 0);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warps_at_the_same_load_merge_while_they_wait),
        cmocka_unit_test(test_threads_whose_lanes_are_free_merge_while_they_wait),
        cmocka_unit_test(test_the_merged_warp_waits_for_every_access_its_threads_are_part_of),
        cmocka_unit_test(test_threads_that_find_no_entry_wait_unseen_and_go_on_alone),
        cmocka_unit_test(test_whole_warps_that_have_a_lane_in_common_stay_apart),
        cmocka_unit_test(test_whole_warps_merge_where_no_lane_is_taken),
        cmocka_unit_test(test_a_load_from_shared_memory_does_not_wait_for_others),
        cmocka_unit_test(test_a_full_waiting_lookup_is_passed_by),
        cmocka_unit_test(test_lookup_sends_a_warp_only_when_few_are_ready),
        cmocka_unit_test(test_lookup_counts_the_ready_warps_of_both_levels),
        cmocka_unit_test(test_a_revived_warp_comes_before_those_of_lookup),
        cmocka_unit_test(test_a_full_second_level_sends_warps_away_and_gets_them_back),
        cmocka_unit_test(test_with_depart_back_a_warp_leaves_waiting_lookup_with_its_data),
        cmocka_unit_test(test_with_depart_few_a_warp_stays_in_waiting_lookup_while_others_are_ready),
        cmocka_unit_test(test_with_depart_few_threads_reach_their_barrier_with_their_data),
        cmocka_unit_test(test_with_depart_few_the_first_of_both_tables_departs),
        cmocka_unit_test(test_merged_threads_wait_for_the_slowest_access),
        cmocka_unit_test(test_threads_wait_in_ready_lookup_and_at_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
