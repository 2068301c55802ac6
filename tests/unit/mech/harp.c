/* HARP: the paper's Figure 10 state by state as section 4.3 tells it, then every table by itself: reservation misses, sharing,
 * latency, Waiting-Lookup, transitions, overflow, exits, calls, two schedulers. */
#include "unit/mech/rig.h"

enum { FIRST, SECOND, READY, WAITING, BARRIERS, WAYS, LATENCY, FEW, SPILL, PARAMS };

static void rig_make(struct rig *r, struct ir_module *m, uint32_t width, uint32_t threads,
                     choose_fn *choose) {
    static const int64_t paper[PARAMS] = {2, 512, 8, 8, 128, 16, 1, 2, 400};
    rig_load(r, m, 32, threads, choose);
    r->f->env.simd_width = width;
    memcpy(r->param, paper, sizeof paper);
}

static uint32_t waiting_to_reconverge(const struct rig *r) {
    struct mech_census c;
    r->f->mech->ops->census(r->f->mech, &c);
    assert_int_equal(c.inactive_path, 0);
    return c.reconvergence;
}

/* Issue and commit by hand, for several warps in flight. */
static void issue(struct rig *r) {
    assert_true(fake_issue(r->f, 0));
}
static void nothing_issues(struct rig *r) {
    assert_false(fake_issue(r->f, 0));
}
static void commit_at(struct rig *r, uint32_t k) { /* of those in flight, oldest first */
    struct fake_flight *it = r->f->flight[k];
    memmove(r->f->flight + k, r->f->flight + k + 1, (--r->f->nflight - k) * sizeof it);
    fake_commit(r->f, it);
}
static void commit(struct rig *r) {
    commit_at(r, 0);
}
static void next_cycle(struct rig *r) {
    r->f->now++;
}

/* ---- Figure 10 ---- */

/* 10(a). Four lanes: W0 is T0-T3, W1 is T4-T7. B and C have a load each; C also has to jump to D. */
enum { A = 0, B = 1, D = 2, C = 4 };
static struct ir_module *figure(void) {
    struct ir_module *m = ir_module_new("figure 10");
    fake_bra(m, FAKE_MAYBE, C); /* 0 A */
    fake_load(m);               /* 1 B */
    fake_op(m);                 /* 2 D */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_load(m);               /* 4 C */
    fake_bra(m, 0, D);          /* 5 */
    fake_func(m, "figure");
    return m;
}
static uint32_t figure_choice(uint32_t thread, uint32_t pc, uint32_t step) { /* 10(b): who goes to C */
    (void)pc, (void)step;
    return thread == 0 || thread == 2 || thread == 7;
}

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
    assert_int_equal(r.f->reconverged, 2);
    assert_int_equal(r.f->last_branch, A);
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
    r.param[READY] = 0; /* or they would be one warp already */
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

/* ---- lookups and levels ---- */

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

/* In the cycle in which W1 diverges W0 is revived: it goes first (7.3.2), though Lookup has a warp and nobody is ready. */
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

/* The same, but both sides merge at the load of f: one warp, one barrier, and it is where T3 returns to first. */
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
        cmocka_unit_test(test_threads_without_a_barrier_go_on_unmerged),
        cmocka_unit_test(test_a_thread_reserves_an_rpc_once),
        cmocka_unit_test(test_an_entry_with_free_lanes_takes_another_warps_threads),
        cmocka_unit_test(test_the_latency_of_the_barrier_table_delays_whoever_commits),
        cmocka_unit_test(test_a_revived_warp_waits_for_the_table_too),
        cmocka_unit_test(test_exited_threads_leave_their_barrier),
        cmocka_unit_test(test_warps_at_the_same_load_merge_while_they_wait),
        cmocka_unit_test(test_a_load_from_shared_memory_does_not_wait_for_others),
        cmocka_unit_test(test_a_full_waiting_lookup_is_passed_by),
        cmocka_unit_test(test_lookup_sends_a_warp_only_when_few_are_ready),
        cmocka_unit_test(test_a_revived_warp_comes_before_those_of_lookup),
        cmocka_unit_test(test_a_full_second_level_sends_warps_away_and_gets_them_back),
        cmocka_unit_test(test_threads_meet_again_where_their_function_returns_to),
        cmocka_unit_test(test_threads_that_return_elsewhere_leave_the_barrier),
        cmocka_unit_test(test_each_scheduler_has_its_own_tables),
        cmocka_unit_test(test_barriers_must_be_a_multiple_of_ways),
        cmocka_unit_test(test_storage_is_table_7_with_valid_bits_and_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
