/* Multi-path execution: both tables at every step of the slides' loop with a break (MP), divergence inside divergence,
 * exits, calls, barriers, locks, tables of one entry, and random programs. */
#include <stdio.h>

#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { MAX_SPLITS, MAX_RT, PATIENCE, SPILL, EARLY, PARAMS };
enum { IPDOM, OPPORTUNE, LET_GO, RT_SUM, RT_SAMPLES, RT_MAX, ST_MAX, ST_SPILLS, RT_SPILLS };

static void rig_up(struct rig *r, struct ir_module *m, const char *mech, uint32_t w, uint32_t threads,
                   choose_fn *choose) {
    rig_load(r, m, w, threads, choose);
    fake_start(r->f, mech);
}
static uint64_t extra(const struct rig *r, uint32_t k) {
    return r->f->mech->stats.extra[k];
}

/* do { A; if (cond1) { B; break; } else C; } while (cond2); D */
static struct ir_module *slides(void) {
    struct ir_module *m = ir_module_new("loop with break");
    fake_op(m);                             /* 0 A */
    fake_bra(m, FAKE_MAYBE, 5);             /* 1 */
    fake_op(m);                             /* 2 C */
    fake_bra(m, FAKE_MAYBE, 0);             /* 3 */
    fake_bra(m, 0, 11);                     /* 4 */
    for (int k = 0; k < 6; k++) fake_op(m); /* 5..10 B */
    fake_end(m, IR_EXIT, 0);                /* 11 D */
    fake_func(m, "slides");
    return m;
}
/* The slides write thread 0 leftmost: 1010 is threads 0 and 2. The others come to B in the second round. */
static uint32_t slides_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 3 || thread % 2 == 0 || step > 2;
}

struct step {
    uint32_t cycle;
    const char *tables;
};
static void expect_steps(struct rig *r, const struct step *step, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        while (r->f->now < step[k].cycle) assert_true(fake_cycle(r->f));
        fake_expect_state(r->f, step[k].tables);
    }
    assert_true(fake_done(r->f));
}

#define STEPS(r, ...)                                   \
    expect_steps(r, (const struct step[]){__VA_ARGS__}, \
                 sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

/* Round robin lets B 1010 and the loop of 0101 take turns. */
static void test_slides_loop_with_break_both_tables(void **state) {
    (void)state;
    struct rig r = {.param = {[EARLY] = 1}};
    rig_up(&r, slides(), "mp", 4, 4, slides_choice);
    STEPS(&r,
          /* A: two splits, B 1010 and C 0101, and the place D */
          {2, "warp 0\n  st pc 2 rpc 11 w0:0000000a ready\n  st pc 5 rpc 11 w0:00000005 ready\n"
              "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"},
          /* C's branch back to A joins where its split does: no entry; B 1010 is at its third instruction */
          {6, "warp 0\n  st pc 0 rpc 11 w0:0000000a ready\n  st pc 7 rpc 11 w0:00000005 ready\n"
              "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"},
          {9, "warp 0\n  st pc 1 rpc 11 w0:0000000a ready\n  st pc 9 rpc 11 w0:00000005 ready\n"
              "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"},
          /* before 4a: 0101 enters B; B 1010, leading, is at B_R = 9, waits there and has no row any more */
          {10, "warp 0\n  st pc 5 rpc 9 w0:0000000a ready\n"
               "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"
               "  rt pc 9 rpc 11 w0:0000000f pending w0:0000000a early\n"},
          {13, "warp 0\n  st pc 8 rpc 9 w0:0000000a ready\n"
               "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"
               "  rt pc 9 rpc 11 w0:0000000f pending w0:0000000a early\n"},
          /* 4a, 4b: B 0101 is at B_R, no thread is pending, the entry is a row of the ST */
          {14, "warp 0\n  st pc 9 rpc 11 w0:0000000f ready\n"
               "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"},
          /* D */
          {16, "warp 0\n  st pc 11 rpc - w0:0000000f ready\n"}, {17, ""});
    assert_int_equal(extra(&r, IPDOM), 1);
    assert_int_equal(extra(&r, OPPORTUNE), 1);
    assert_int_equal(r.f->mech->stats.reconvergences, 2);
    assert_int_equal(extra(&r, RT_MAX), 2);
    assert_int_equal(extra(&r, ST_MAX), 2);
    assert_int_equal(extra(&r, RT_SAMPLES), 17);
    assert_int_equal(extra(&r, RT_SUM), 8 + 2 * 4 + 2);
    assert_int_equal(r.f->mech->stats.divergences, 1);
    rig_down(&r);
}

/* The loop of the slides without the early meeting: threads meet at D. */
static void test_slides_loop_with_break_basic(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, slides(), "mp-basic", 4, 4, slides_choice);
    STEPS(&r,
          {10, "warp 0\n  st pc 5 rpc 11 w0:0000000a ready\n  st pc 9 rpc 11 w0:00000005 ready\n"
               "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"},
          {13, "warp 0\n  st pc 6 rpc 11 w0:0000000a ready\n"
               "  rt pc 11 rpc - w0:0000000f pending w0:0000000a\n"},
          {18, "warp 0\n  st pc 11 rpc - w0:0000000f ready\n"}, {19, ""});
    assert_int_equal(extra(&r, OPPORTUNE), 0);
    rig_down(&r);
}

/* A leading split that is in flight is met behind what it executes. */
static void test_the_place_is_behind_the_instruction_in_flight(void **state) {
    (void)state;
    struct rig r = {.param = {[EARLY] = 1}};
    rig_up(&r, slides(), "mp", 4, 4, slides_choice);
    while (r.f->now < 9) fake_cycle(r.f);
    struct mech_split *lead = split_of(r.f->mech->pool, 0, 0), *other = split_of(r.f->mech->pool, 0, 1);
    order_remove(r.f->mech->order, other);
    assert_true(fake_issue(r.f, 0) && lead->in_flight); /* at 9 */
    order_add(r.f->mech->order, other);
    assert_true(fake_issue(r.f, 0) && other->in_flight); /* the branch into B */
    fake_commit(r.f, r.f->flight[1]);
    fake_expect_state(r.f,
                      "warp 0\n  st pc 5 rpc 10 w0:0000000a ready\n  st pc 9 rpc 10 w0:00000005 in flight\n"
                      "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n"
                      "  rt pc 10 rpc 11 w0:0000000f pending w0:0000000f early\n");
    r.f->nflight = 1;
    while (!fake_done(r.f)) fake_cycle(r.f);
    assert_int_equal(extra(&r, OPPORTUNE), 1);
    rig_down(&r);
}

/* With the last instruction of the block in flight there is no place left in it. */
static void test_nobody_is_met_behind_the_end_of_the_block(void **state) {
    (void)state;
    struct rig r = {.param = {[EARLY] = 1}};
    rig_up(&r, slides(), "mp", 4, 4, slides_choice);
    while (r.f->now < 9) fake_cycle(r.f);
    struct mech_split *lead = split_of(r.f->mech->pool, 0, 0), *other = split_of(r.f->mech->pool, 0, 1);
    order_remove(r.f->mech->order, other);
    fake_cycle(r.f);
    assert_true(fake_issue(r.f, 0) && lead->in_flight); /* at 10 */
    order_add(r.f->mech->order, other);
    assert_true(fake_issue(r.f, 0) && other->in_flight); /* the branch into B */
    fake_commit(r.f, r.f->flight[1]);
    fake_expect_state(r.f,
                      "warp 0\n  st pc 5 rpc 11 w0:0000000a ready\n  st pc 10 rpc 11 w0:00000005 in flight\n"
                      "  rt pc 11 rpc - w0:0000000f pending w0:0000000f\n");
    r.f->nflight = 1;
    while (!fake_done(r.f)) fake_cycle(r.f);
    assert_int_equal(extra(&r, OPPORTUNE), 0);
    rig_down(&r);
}

/* 0: if (a) { 3: if (b) 6 else 4; 7 } else 1; 8 */
static struct ir_module *nested(void) {
    struct ir_module *m = ir_module_new("nested");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 8);          /* 2 */
    fake_bra(m, FAKE_MAYBE, 6); /* 3 */
    fake_op(m);                 /* 4 */
    fake_bra(m, 0, 7);          /* 5 */
    fake_op(m);                 /* 6 */
    fake_op(m);                 /* 7 */
    fake_end(m, IR_EXIT, 0);    /* 8 */
    fake_func(m, "nested");
    return m;
}
static uint32_t nested_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread < 3 : thread == 0;
}

/* Three sides run side by side; places nest, and the inner one leads to the outer. */
static void test_divergence_inside_divergence(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, nested(), "mp-basic", 4, 4, nested_choice);
    STEPS(&r,
          {1, "warp 0\n  st pc 1 rpc 8 w0:00000008 ready\n  st pc 3 rpc 8 w0:00000007 ready\n"
              "  rt pc 8 rpc - w0:0000000f pending w0:0000000f\n"},
          {2, "warp 0\n  st pc 1 rpc 8 w0:00000008 ready\n  st pc 4 rpc 7 w0:00000006 ready\n"
              "  st pc 6 rpc 7 w0:00000001 ready\n"
              "  rt pc 8 rpc - w0:0000000f pending w0:0000000f\n  rt pc 7 rpc 8 w0:00000007 pending "
              "w0:00000007\n"},
          {3, "warp 0\n  st pc 1 rpc 8 w0:00000008 ready\n  st pc 4 rpc 7 w0:00000006 ready\n"
              "  rt pc 8 rpc - w0:0000000f pending w0:0000000f\n  rt pc 7 rpc 8 w0:00000007 pending "
              "w0:00000006\n"},
          /* thread 3 is at the outer place, which still misses those of the inner one */
          {6, "warp 0\n  st pc 5 rpc 7 w0:00000006 ready\n"
              "  rt pc 8 rpc - w0:0000000f pending w0:00000007\n  rt pc 7 rpc 8 w0:00000007 pending "
              "w0:00000006\n"},
          {7, "warp 0\n  st pc 7 rpc 8 w0:00000007 ready\n"
              "  rt pc 8 rpc - w0:0000000f pending w0:00000007\n"},
          {8, "warp 0\n  st pc 8 rpc - w0:0000000f ready\n"}, {9, ""});
    assert_int_equal(extra(&r, IPDOM), 2);
    assert_int_equal(r.f->mech->stats.sides, 4);
    rig_down(&r);
}

/* if without else: the side that is there already clears its bits at once, and is counted as waiting. */
/* What is old or young is the warp: the second one runs when all splits of the first are done, not between them. */
static void test_splits_are_as_old_as_their_warp(void **state) {
    (void)state;
    struct rig r = {.m = nested()};
    r.c = fake_finish(r.m);
    r.f = fake_new(r.m, r.c, 4, 8);
    r.f->env.param = r.param;
    r.f->env.order = ORDER_OLDEST;
    r.f->choose = nested_choice;
    fake_start(r.f, "mp");
    while (r.f->t[0].live) {
        for (uint32_t t = 4; t < 8; t++) assert_int_equal(r.f->t[t].steps, 0);
        assert_true(fake_cycle(r.f));
    }
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static void test_a_side_at_the_place_only_clears_its_bits(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("if");
    fake_bra(m, FAKE_MAYBE, 2);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "if");
    struct rig r = {.param = {[EARLY] = 1}};
    struct mech_census c;
    rig_up(&r, m, "mp", 4, 4, nested_choice);
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0\n  st pc 1 rpc 2 w0:00000008 ready\n"
                           "  rt pc 2 rpc - w0:0000000f pending w0:00000008\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.reconvergence, 3);
    assert_int_equal(c.inactive_path, 0);
    fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0\n  st pc 2 rpc - w0:0000000f ready\n");
    rig_down(&r);
}

/* Thread 3 exits in a function, on its side of a branch behind which the others wait for it. */
static void test_who_exits_leaves_every_entry(void **state) {
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
    rig_up(&r, m, "mp-basic", 4, 4, nested_choice);
    STEPS(&r,
          {2, "warp 0\n  st pc 4 rpc 2 depth 1 w0:00000008 ready\n"
              "  rt pc 2 rpc - w0:0000000f pending w0:00000008\n"},
          {3, "warp 0\n  st pc 2 rpc - w0:00000007 ready\n"}, {5, ""});
    rig_down(&r);
}

/* All of them: the entry disappears with them. */
static uint32_t none_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 && thread < 2;
}
static void test_an_entry_without_threads_disappears(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_call(m, 0, 1);         /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_call(m, 0, 1);         /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "kernel");
    fake_end(m, IR_EXIT, 0); /* 5 */
    fake_func(m, "leave");
    struct rig r = {0};
    rig_up(&r, m, "mp-basic", 4, 4, none_choice);
    assert_true(fake_run(r.f));
    assert_int_equal(extra(&r, IPDOM), 0);
    assert_int_equal(extra(&r, RT_MAX), 1);
    fake_expect_state(r.f, "");
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
    struct rig r = {.param = {[EARLY] = 1}};
    rig_up(&r, m, "mp", 4, 4, nested_choice);
    STEPS(&r, {1, "warp 0\n  st pc 2 rpc - depth 1 w0:0000000f ready\n"},
          {2, "warp 0\n  st pc 3 rpc 1 depth 1 w0:0000000e ready\n"
              "  rt pc 1 rpc - w0:0000000f pending w0:0000000e\n"},
          {4, "warp 0\n  st pc 1 rpc - w0:0000000f ready\n"}, {5, ""});
    rig_down(&r);
}

/* One row: the others take turns through memory. One entry: the inner place is read back when it is complete. */
static void test_tables_of_one_entry_spill_and_lose_nobody(void **state) {
    (void)state;
    struct rig r = {.param = {[MAX_SPLITS] = 1, [MAX_RT] = 1, [SPILL] = 3}};
    struct mech_census c;
    rig_up(&r, nested(), "mp-basic", 4, 4, nested_choice);
    fake_cycle(r.f);
    fake_expect_state(r.f,
                      "warp 0\n  st pc 1 rpc 8 w0:00000008 ready\n  st pc 3 rpc 8 w0:00000007 in memory\n"
                      "  rt pc 8 rpc - w0:0000000f pending w0:0000000f\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path, 3);
    assert_int_equal(extra(&r, ST_SPILLS), 1);
    assert_true(fake_run(r.f));
    assert_true(extra(&r, ST_SPILLS) > 1);
    assert_int_equal(extra(&r, RT_SPILLS), 1);
    assert_int_equal(extra(&r, RT_MAX), 2);
    assert_int_equal(extra(&r, IPDOM), 2);
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path + c.reconvergence, 0);
    rig_down(&r);
}

/* Rows without limit: only the inner place is in memory, and its threads are back three cycles after the last arrived. */
static void test_an_entry_in_memory_costs_time_when_it_is_complete(void **state) {
    (void)state;
    struct rig r = {.param = {[MAX_RT] = 1, [SPILL] = 3}};
    rig_up(&r, nested(), "mp-basic", 4, 4, nested_choice);
    for (int k = 0; k < 7; k++) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0\n  st pc 7 rpc 8 w0:00000007 in memory\n"
                           "  rt pc 8 rpc - w0:0000000f pending w0:00000007\n");
    while (r.f->now < 9) assert_false(fake_cycle(r.f));
    assert_true(fake_cycle(r.f));
    fake_expect_state(r.f, "warp 0\n  st pc 8 rpc - w0:0000000f ready\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static void test_unbounded_tables_spill_nothing(void **state) {
    (void)state;
    struct rig r = {0};
    rig_up(&r, nested(), "mp-basic", 4, 4, nested_choice);
    assert_true(fake_run(r.f));
    assert_int_equal(extra(&r, ST_SPILLS) + extra(&r, RT_SPILLS), 0);
    rig_down(&r);
}

/* 0: if (a) 1: bar; 2: bar: those at the place are needed at the barrier that those they wait for are at. */
static struct ir_module *barrier_in_if(void) {
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2);
    fake_bar(m, 0);
    fake_bar(m, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    return m;
}
static void test_who_waits_too_long_at_a_place_goes_on(void **state) {
    (void)state;
    struct rig r = {.param = {[PATIENCE] = 20, [EARLY] = 1}};
    rig_up(&r, barrier_in_if(), "mp", 4, 4, nested_choice);
    while (r.f->now < 4) fake_cycle(r.f);
    fake_expect_state(r.f, "warp 0\n  st pc 2 rpc 2 w0:00000008 waiting at a barrier\n"
                           "  rt pc 2 rpc - w0:0000000f pending w0:00000008\n");
    assert_true(fake_run(r.f));
    assert_int_equal(extra(&r, LET_GO), 1);
    rig_down(&r);
}
/* Threads 0 to 2 skip a long way that thread 3 takes. If it polls it may wait for them; if not, it will come. */
static void test_who_waits_for_others_that_work_is_patient(void **state) {
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        struct ir_module *m = ir_module_new("long way");
        struct rig r = {.param = {[PATIENCE] = 10}};
        fake_bra(m, FAKE_MAYBE, 41);
        for (int k = 0; k < 40; k++) fake_op(m);
        fake_end(m, IR_EXIT, 0);
        fake_func(m, "long");
        rig_up(&r, m, "mp-basic", 4, 4, nested_choice);
        r.f->busy = busy;
        assert_true(fake_run(r.f));
        assert_int_equal(extra(&r, LET_GO), !busy);
        assert_int_equal(r.f->issued, busy ? 1 + 40 + 1 : 1 + 40 + 2);
        rig_down(&r);
    }
}
/* Patience ends: it can never be certain that pending threads do not wait for those that have arrived. */
static void test_patience_ends(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("very long way");
    struct rig r = {.param = {[PATIENCE] = 1}};
    fake_bra(m, FAKE_MAYBE, 141);
    for (int k = 0; k < 140; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "long");
    rig_up(&r, m, "mp-basic", 4, 4, nested_choice);
    r.f->busy = true;
    assert_true(fake_run(r.f));
    assert_int_equal(extra(&r, LET_GO), 1);
    rig_down(&r);
}
static void test_without_patience_they_wait_for_ever(void **state) {
    (void)state;
    struct rig r = {.param = {[EARLY] = 1}};
    rig_up(&r, barrier_in_if(), "mp", 4, 4, nested_choice);
    assert_false(fake_run(r.f));
    rig_down(&r);
}

/* ---- random programs ---- */

static void run_random(struct rng *r, const char *mech, uint32_t w, uint64_t *early, uint64_t *spills) {
    struct rig g = {.param = {[MAX_SPLITS] = (int64_t)rng_below(r, 4),
                              [MAX_RT] = (int64_t)rng_below(r, 3),
                              [PATIENCE] = 5 + (int64_t)rng_below(r, 10),
                              [SPILL] = (int64_t)rng_below(r, 10),
                              [EARLY] = 1}};
    g.m = random_program(r, random_mix(r, true));
    g.c = fake_finish(g.m);
    g.f = fake_new(g.m, g.c, w, random_threads(r, w));
    random_machine(g.f, r);
    g.f->env.param = g.param;
    g.f->slow = rng_below(r, 2);
    g.f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start(g.f, mech);
    assert_true(fake_run(g.f));
    *early += extra(&g, OPPORTUNE);
    *spills += extra(&g, ST_SPILLS) + extra(&g, RT_SPILLS);
    rig_down(&g);
}

/* fake_run compares with every thread alone and audits after every commit. No thread gets stuck, with barriers or
 * without. */
static void run_many(const char *mech, uint64_t seed, uint64_t *early) {
    struct rng r = {seed};
    uint64_t spills = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 300u : 4000u / w); n++) run_random(&r, mech, w, early, &spills);
    assert_true(spills > 1000);
}
static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    uint64_t early = 0;
    run_many("mp", 1, &early);
    assert_true(early > 1000);
}
static void test_every_thread_takes_its_own_path_basic(void **state) {
    (void)state;
    uint64_t early = 0;
    run_many("mp-basic", 2, &early);
    assert_int_equal(early, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slides_loop_with_break_both_tables),
        cmocka_unit_test(test_slides_loop_with_break_basic),
        cmocka_unit_test(test_the_place_is_behind_the_instruction_in_flight),
        cmocka_unit_test(test_nobody_is_met_behind_the_end_of_the_block),
        cmocka_unit_test(test_divergence_inside_divergence),
        cmocka_unit_test(test_splits_are_as_old_as_their_warp),
        cmocka_unit_test(test_a_side_at_the_place_only_clears_its_bits),
        cmocka_unit_test(test_who_exits_leaves_every_entry),
        cmocka_unit_test(test_an_entry_without_threads_disappears),
        cmocka_unit_test(test_sides_of_a_function_meet_where_it_returns),
        cmocka_unit_test(test_tables_of_one_entry_spill_and_lose_nobody),
        cmocka_unit_test(test_an_entry_in_memory_costs_time_when_it_is_complete),
        cmocka_unit_test(test_unbounded_tables_spill_nothing),
        cmocka_unit_test(test_who_waits_too_long_at_a_place_goes_on),
        cmocka_unit_test(test_who_waits_for_others_that_work_is_patient),
        cmocka_unit_test(test_patience_ends),
        cmocka_unit_test(test_without_patience_they_wait_for_ever),
        cmocka_unit_test(test_every_thread_takes_its_own_path),
        cmocka_unit_test(test_every_thread_takes_its_own_path_basic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
