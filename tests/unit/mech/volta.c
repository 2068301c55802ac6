/* Convergence barriers: a diamond and a spin lock issue by issue, breaks, exits, calls, fairness, interleaving; and on random
 * programs that paths meet where those of multi-path execution do. */
#include "cfg/form.h"
#include "mech/lib/stack.h"
#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { PLACE, INTERLEAVE, MERGE, FIRST, FAIR, PATIENCE, YIELD, PARAMS };
enum { OFF, STALL, ANY };

static void mark(struct ir_module *m, enum ir_mark kind, uint32_t reg, uint16_t guard, uint32_t target) {
    fake_put(m,
             (struct ir_insn){
                 .op = IR_MARK, .sub = (uint8_t)kind, .reg = (uint8_t)reg, .guard = guard, .target = target});
}

static void rig_up(struct rig *r, struct ir_module *m, uint32_t threads, choose_fn *choose) {
    rig_load(r, m, 4, threads, choose);
    fake_start(r->f, "volta");
}

/* Issues so many times; the PCs must be these. */
static void expect_issues(struct rig *r, uint32_t n, const uint32_t *pc) {
    for (uint32_t k = 0; k < n; k++) {
        assert_true(fake_cycle(r->f));
        assert_int_equal(r->f->issued_pc, pc[k]);
    }
}
#define ISSUES(r, ...) \
    expect_issues(r, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

/* ---- the worked examples ---- */

/* SL Figure 1's diamond with its barrier. */
static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                          /* 0 A */
    mark(m, IR_MK_BSSY, 0, 0, 6);        /* 1 */
    fake_bra(m, FAKE_MAYBE, 5);          /* 2 */
    fake_op(m);                          /* 3 B */
    fake_bra(m, 0, 6);                   /* 4 */
    fake_op(m);                          /* 5 C */
    mark(m, IR_MK_BSYNC, 0, 0, IR_NOPC); /* 6 */
    fake_op(m);                          /* 7 D */
    fake_end(m, IR_EXIT, 0);             /* 8 */
    fake_func(m, "diamond");
    return m;
}
static uint32_t upper_half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}

static void test_a_diamond_issue_by_issue(void **state) {
    (void)state;
    struct rig r = {.param = {[YIELD] = 1}};
    rig_up(&r, diamond(), 4, upper_half);
    ISSUES(&r, 0, 1);
    fake_expect_state(r.f, "warp 0\n  path pc 2 w0:0000000f ready\n  b0 rpc 6 w0:0000000f\n");
    ISSUES(&r, 2);
    fake_expect_state(r.f, "warp 0\n  path pc 3 w0:00000003 could run\n  path pc 5 w0:0000000c ready\n"
                           "  b0 rpc 6 w0:0000000f\n");
    ISSUES(&r, 5, 6);
    fake_expect_state(r.f, "warp 0\n  path pc 3 w0:00000003 ready\n"
                           "  path pc 7 w0:0000000c blocked by b0 at 6\n  b0 rpc 6 w0:0000000f\n");
    struct mech_census census;
    r.f->mech->ops->census(r.f->mech, &census);
    assert_int_equal(census.reconvergence, 2);
    assert_int_equal(census.inactive_path, 0);
    ISSUES(&r, 3, 4, 6);
    fake_expect_state(r.f, "warp 0\n  path pc 7 w0:0000000f ready\n");
    ISSUES(&r, 7, 8);
    assert_true(fake_done(r.f));
    assert_int_equal(rig_counter(&r, "bssy"), 1);
    assert_int_equal(rig_counter(&r, "bsync_waits"), 1);
    assert_int_equal(rig_counter(&r, "splits"), 2);
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

static void test_first_chooses_the_side_that_runs_first(void **state) {
    (void)state;
    struct rig r = {.param = {[FIRST] = STACK_FALLTHROUGH}};
    rig_up(&r, diamond(), 4, upper_half);
    ISSUES(&r, 0, 1, 2, 3, 4, 6, 5, 6, 7, 8);
    rig_down(&r);
}

/* A lock that is taken in a loop and released behind it. */
static struct ir_module *lock(void) {
    struct ir_module *m = ir_module_new("lock");
    mark(m, IR_MK_BSSY, 0, 0, 4);                 /* 0 */
    fake_op(m);                                   /* 1: take it, if it is free */
    mark(m, IR_MK_YIELD, 0, FAKE_MAYBE, IR_NOPC); /* 2: who has not got it */
    fake_bra(m, FAKE_MAYBE, 1);                   /* 3 */
    mark(m, IR_MK_BSYNC, 0, 0, IR_NOPC);          /* 4 */
    fake_op(m);                                   /* 5: the critical section */
    fake_op(m);                                   /* 6: release it */
    fake_end(m, IR_EXIT, 0);                      /* 7 */
    fake_func(m, "lock");
    m->code.v[1].guard = m->code.v[6].guard = FAKE_MAYBE; /* so that the script below is asked */
    return m;
}
static struct { bool taken, mine[4]; } locked;
static uint32_t spin(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    if (pc == 1 && !locked.taken) locked.taken = locked.mine[thread] = true;
    if (pc == 6) locked.taken = false;
    return !locked.mine[thread];
}

/* US 10067768, claim 1: a barrier is cleared when each of its threads is blocked there or has yielded. */
static void test_a_spin_lock_ends_because_who_yields_holds_nobody(void **state) {
    (void)state;
    struct rig r = {.param = {[YIELD] = 1}};
    memset(&locked, 0, sizeof locked);
    rig_up(&r, lock(), 4, spin);
    ISSUES(&r, 0, 1, 2, 3, 1, 2); /* thread 0 has it; the others try again and yield: now it is its turn */
    fake_expect_state(r.f, "warp 0\n  path pc 3 w0:0000000e could run\n  path pc 4 w0:00000001 ready\n"
                           "  b0 rpc 4 w0:0000000f\n");
    ISSUES(&r, 4, 3, 1);
    fake_expect_state(r.f,
                      "warp 0\n  path pc 2 w0:0000000e ready\n  path pc 5 w0:00000001 blocked by b0 at 4\n"
                      "  b0 rpc 4 w0:0000000f\n");
    ISSUES(&r, 2); /* they yield while it waits for them: it goes on, and the barrier is gone */
    fake_expect_state(r.f, "warp 0\n  path pc 3 w0:0000000e could run\n  path pc 5 w0:00000001 ready\n");
    ISSUES(&r, 5, 6, 7);
    ISSUES(&r, 3, 1, 2, 3, 1, 2, 4, 5, 6, 7); /* thread 1, who passes the BSYNC */
    ISSUES(&r, 3, 1, 2, 3, 1, 2, 4, 5, 6, 7); /* thread 2 */
    ISSUES(&r, 3, 1, 2, 3, 4, 5, 6, 7);
    assert_true(fake_done(r.f));
    assert_int_equal(rig_counter(&r, "released_without_yielded"), 1);
    rig_down(&r);
}

static void test_without_yield_it_does_not_and_the_state_has_both_places(void **state) {
    (void)state;
    struct rig r = {.param = {[YIELD] = 0, [FAIR] = 8}};
    memset(&locked, 0, sizeof locked);
    rig_up(&r, lock(), 4, spin);
    for (int k = 0; k < 1000; k++) assert_true(fake_cycle(r.f));
    while (r.f->issued_pc != 3) fake_cycle(r.f);
    fake_expect_state(r.f,
                      "warp 0\n  path pc 1 w0:0000000e ready\n  path pc 5 w0:00000001 blocked by b0 at 4\n"
                      "  b0 rpc 4 w0:0000000f\n");
    rig_down(&r);
}

/* ---- leaving ---- */

static struct ir_module *arms(bool leave) {
    struct ir_module *m = ir_module_new("arms");
    mark(m, IR_MK_BSSY, 3, 0, 6); /* 0 */
    fake_bra(m, FAKE_MAYBE, 5);   /* 1 */
    if (leave)
        mark(m, IR_MK_BREAK, 3, 0, IR_NOPC); /* 2 */
    else
        fake_op(m);
    fake_op(m);                          /* 3 */
    fake_end(m, IR_EXIT, 0);             /* 4 */
    fake_op(m);                          /* 5 */
    mark(m, IR_MK_BSYNC, 3, 0, IR_NOPC); /* 6 */
    fake_op(m);                          /* 7 */
    fake_end(m, IR_EXIT, 0);             /* 8 */
    fake_func(m, "arms");
    return m;
}

static void test_who_breaks_or_exits_is_not_waited_for(void **state) {
    (void)state;
    struct rig a = {.param = {0}}, b = {.param = {0}};
    rig_up(&a, arms(true), 4, upper_half);
    ISSUES(&a, 0, 1, 5, 6, 2); /* 2 and 3 wait until the others break */
    fake_expect_state(a.f, "warp 0\n  path pc 3 w0:00000003 ready\n  path pc 7 w0:0000000c could run\n");
    ISSUES(&a, 3, 4, 7, 8);
    assert_true(fake_done(a.f));
    assert_int_equal(rig_counter(&a, "breaks"), 1);
    rig_up(&b, arms(false), 4, upper_half);
    ISSUES(&b, 0, 1, 5, 6, 2, 3, 4, 7, 8); /* or end */
    assert_true(fake_done(b.f));
    rig_down(&a);
    rig_down(&b);
}

/* Threads 2 and 3 are at the BSYNC; the others stand at a barrier, which is complete when all do. */
static void test_who_waits_at_a_block_barrier_is_waited_for_only_so_long(void **state) {
    (void)state;
    struct rig never = {.param = {[PATIENCE] = 0}}, some = {.param = {[PATIENCE] = 30}};
    for (int k = 0; k < 2; k++) {
        struct rig *r = k ? &some : &never;
        struct ir_module *m = diamond();
        m->code.v[3] = m->code.v[7] =
            (struct ir_insn){.op = IR_BAR_SYNC, .ns = 1, .o = {ir_reg(IR_FILE_32, 0)}, .line = 4};
        rig_up(r, m, 4, upper_half);
        ISSUES(r, 0, 1, 2, 5, 6, 3);
        for (int idle = 0; idle < 28; idle++) assert_false(fake_cycle(r->f));
    }
    for (int idle = 0; idle < 100; idle++) assert_false(fake_cycle(never.f));
    ISSUES(&some, 7); /* and now the barrier is complete */
    while (!fake_done(some.f)) assert_true(fake_cycle(some.f));
    assert_int_equal(rig_counter(&some, "let_go"), 1);
    rig_down(&never);
    rig_down(&some);
}

/* ---- who runs ---- */

/* Threads 2 and 3 loop at 2 as long as the script says; the others could run at 5. */
static struct ir_module *loop_or_not(void) {
    struct ir_module *m = ir_module_new("loop");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_op(m);                 /* 3 */
    fake_bra(m, FAKE_MAYBE, 3); /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "loop");
    return m;
}
static uint32_t twelve_times(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 0 ? thread >= 2 : step < 24;
}

static void test_a_path_that_could_run_gets_its_turn_after_fair_issues(void **state) {
    (void)state;
    struct rig never = {.param = {[FAIR] = 0}}, soon = {.param = {[FAIR] = 4}};
    rig_up(&never, loop_or_not(), 4, twelve_times);
    for (int k = 0; k < 24; k++) {
        assert_true(fake_cycle(never.f));
        assert_true(never.f->issued_pc == 0 || never.f->issued_pc > 2);
    }
    assert_int_equal(rig_counter(&never, "forced_switches"), 0);
    rig_up(&soon, loop_or_not(), 4, twelve_times);
    ISSUES(&soon, 0, 3, 4, 3, 4, 1, 2, 3, 4);
    assert_int_equal(rig_counter(&soon, "forced_switches"), 1);
    rig_down(&never);
    rig_down(&soon);
}

/* What threads 2 and 3 need for C comes at cycle 20. */
static struct fake *waits_for_data;
static uint32_t upper_half_loads(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    if (thread < 2) return 0;
    if (pc == 2) waits_for_data->t[thread].ready = 20, waits_for_data->t[thread].event = true;
    return 1;
}
static void start_stalled(struct rig *r) {
    rig_up(r, diamond(), 4, upper_half_loads);
    waits_for_data = r->f;
    ISSUES(r, 0, 1, 2);
}

static void test_a_path_that_waits_for_memory_keeps_its_turn_or_makes_room(void **state) {
    (void)state;
    struct rig off = {.param = {[INTERLEAVE] = OFF}}, stall = {.param = {[INTERLEAVE] = STALL}};
    start_stalled(&off);
    assert_false(fake_cycle(off.f)); /* hardware: no other path of the warp runs */
    while (off.f->now < 20) assert_false(fake_cycle(off.f));
    ISSUES(&off, 5, 6, 3, 4, 6, 7, 8);
    start_stalled(&stall);
    fake_expect_state(stall.f, "warp 0\n  path pc 3 w0:00000003 ready\n  path pc 5 w0:0000000c made room\n"
                               "  b0 rpc 6 w0:0000000f\n");
    ISSUES(&stall, 3, 4, 6);
    while (stall.f->now < 20) assert_false(fake_cycle(stall.f));
    ISSUES(&stall, 5, 6, 7, 8);
    assert_int_equal(rig_counter(&stall, "stall_switches"), 1);
    rig_down(&off);
    rig_down(&stall);
}

static void test_any_lets_paths_take_turns(void **state) {
    (void)state;
    struct rig r = {.param = {[INTERLEAVE] = ANY}};
    rig_up(&r, diamond(), 4, upper_half);
    ISSUES(&r, 0, 1, 2, 5, 3, 6, 4, 6, 7, 8); /* round robin */
    rig_down(&r);
}

/* The diamond without its barrier: both run D by themselves, unless equal PCs are enough. */
static void test_paths_meet_at_barriers_only_or_at_equal_pcs(void **state) {
    (void)state;
    struct rig apart = {.param = {[MERGE] = 0}}, together = {.param = {[MERGE] = 1}};
    struct ir_module *a = diamond(), *b = diamond();
    a->code.v[1] = a->code.v[6] = b->code.v[1] = b->code.v[6] = a->code.v[0];
    rig_up(&apart, a, 4, upper_half);
    ISSUES(&apart, 0, 1, 2, 5, 6, 7, 8, 3, 4, 6, 7, 8);
    assert_true(fake_done(apart.f));
    together.param[INTERLEAVE] = ANY;
    rig_up(&together, b, 4, upper_half);
    ISSUES(&together, 0, 1, 2, 5, 3, 6, 4);
    while (!fake_done(together.f)) assert_true(fake_cycle(together.f));
    rig_down(&apart);
    rig_down(&together);
}

/* ---- random programs ---- */

struct formed {
    struct ir_module *m;
    struct cfg *c;
    struct rewrite *r;
};

static void formed_free(struct formed *p) {
    cfg_rewrite_free(p->r);
    cfg_free(p->c);
    ir_module_free(p->m);
}

/* Volatile loads, so that loops yield. */
static struct formed any_program(struct rng *r, struct random_mix mix, enum cfg_form form) {
    struct err e = {0};
    struct formed p = {.m = random_program(r, mix)};
    for (size_t pc = 0; pc < p.m->code.n; pc++)
        if (p.m->code.v[pc].op == IR_LD_U32) p.m->code.v[pc].mods |= IR_M_VOLATILE;
    p.c = fake_finish(p.m);
    p.r = cfg_make_form(p.m, p.c, form, &e);
    if (!p.r) fail_msg("%s", err_text(&e));
    return p;
}

static void test_every_thread_takes_its_own_path_with_every_setting(void **state) {
    (void)state;
    struct rng r = {5};
    uint64_t counted[16] = {0};
    const struct mech_ops *ops = mech_find("volta");
    for (int n = 0; n < 700; n++) {
        const bool barriers = n % 5 == 4;
        struct random_mix mix = random_mix(&r, barriers);
        struct formed p = any_program(&r, mix, n % 2 ? CFG_FORM_VOLTA_MERGE : CFG_FORM_VOLTA);
        const uint32_t w = 4u << rng_below(&r, n % 10 ? 4 : 7);
        struct fake *f = fake_new(p.r->m, p.r->cfg, w, random_threads(&r, w));
        int64_t param[PARAMS] = {n % 2,
                                 (int64_t)rng_below(&r, 3),
                                 (int64_t)rng_below(&r, 2),
                                 (int64_t)rng_below(&r, 3),
                                 (int64_t)rng_below(&r, 4) * 3,
                                 10,
                                 1};
        random_machine(f, &r);
        f->form = p.r;
        f->env.param = param;
        f->slow = rng_below(&r, 2);
        fake_start_ops(f, ops);
        if (!fake_run(f)) fail_msg("program %d sticks", n);
        for (uint32_t k = 0; ops->counters[k].key; k++) counted[k] += f->mech->stats.extra[k];
        fake_free(f);
        formed_free(&p);
    }
    for (uint32_t k = 0; ops->counters[k].key; k++)
        if (!counted[k]) fail_msg("%s is never counted", ops->counters[k].key);
}

/* Issues of the program's own instructions. */
static uint64_t own_issues(const struct ir_module *m, const struct cfg *c, const struct rewrite *form,
                           const char *mech, const int64_t *param, uint64_t seed, uint32_t w) {
    struct fake *f = fake_new(m, c, w, 2 * w);
    uint64_t own = 0, last = 0;
    f->seed = seed;
    f->budget = 60;
    f->form = form;
    f->env.param = param;
    fake_start(f, mech);
    while (!fake_done(f)) {
        fake_cycle(f);
        own += f->issued > last && !(m->code.v[f->issued_pc].flags & IR_F_ADDED);
        last = f->issued;
    }
    fake_free(f);
    return own;
}

/* Where no path yields, paths that can all run part and meet as those of basic multi-path execution do, in code of any
 * shape; and which of them runs first makes no difference to that. */
static void test_paths_meet_where_those_of_multi_path_execution_do(void **state) {
    (void)state;
    static const int64_t none[32];
    struct rng r = {6};
    for (int n = 0; n < 400; n++) {
        struct formed p = any_program(&r, random_mix(&r, false), CFG_FORM_VOLTA);
        const uint64_t seed = rng_next(&r);
        const uint32_t w = 4u << rng_below(&r, 4);
        const uint64_t want = own_issues(p.m, p.c, NULL, "mp-basic", none, seed, w);
        for (int way = 0; way < 3; way++) {
            const int64_t param[PARAMS] = {[INTERLEAVE] = way, [FAIR] = way == ANY ? 0 : n % 7};
            const uint64_t got = own_issues(p.r->m, p.r->cfg, p.r, "volta", param, seed, w);
            if (got != want) fail_msg("program %d, interleave %d: %lu issues, %lu", n, way, got, want);
        }
        formed_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_diamond_issue_by_issue),
        cmocka_unit_test(test_first_chooses_the_side_that_runs_first),
        cmocka_unit_test(test_a_spin_lock_ends_because_who_yields_holds_nobody),
        cmocka_unit_test(test_without_yield_it_does_not_and_the_state_has_both_places),
        cmocka_unit_test(test_who_breaks_or_exits_is_not_waited_for),
        cmocka_unit_test(test_who_waits_at_a_block_barrier_is_waited_for_only_so_long),
        cmocka_unit_test(test_a_path_that_could_run_gets_its_turn_after_fair_issues),
        cmocka_unit_test(test_a_path_that_waits_for_memory_keeps_its_turn_or_makes_room),
        cmocka_unit_test(test_any_lets_paths_take_turns),
        cmocka_unit_test(test_paths_meet_at_barriers_only_or_at_equal_pcs),
        cmocka_unit_test(test_every_thread_takes_its_own_path_with_every_setting),
        cmocka_unit_test(test_paths_meet_where_those_of_multi_path_execution_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
