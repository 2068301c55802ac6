/* CAPRI: the prediction table at work on a diamond in a loop, state by state; warps that do not diverge; barriers; tables of
 * one entry; and that it is thread block compaction when it always waits, pdom when it never does and a block is one warp. */
#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { SIDE, LIKELY, CYCLES, ENTRIES, HISTORY, FIRST, UNIFORM, PREDICT, PARAMS }; /* parameters */
enum { PASS, WAIT };
enum { BY_HISTORY, ADEQUATE, INADEQUATE };

static void rig_up(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads, choose_fn *choose) {
    static const int64_t param[PARAMS] = {0, 1, 1, 32, 1, 1, PASS, BY_HISTORY};
    rig_load(r, m, w, threads, choose);
    memcpy(r->param, param, sizeof param);
}

/* Twice: A; if (p) C else B; D. */
static struct ir_module *diamonds(void) {
    struct ir_module *m = ir_module_new("diamonds");
    fake_op(m);                 /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 B */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 C */
    fake_op(m);                 /* 5 D */
    fake_bra(m, FAKE_MAYBE, 0); /* 6 */
    fake_end(m, IR_EXIT, 0);    /* 7 */
    fake_func(m, "diamonds");
    return m;
}
static uint32_t one_lane(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 6 ? step < 8 : thread % 4 == 0;
}
static uint32_t lanes_fit(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 6 ? step < 8 : thread == 1 || thread == 3 || thread == 4 || thread == 6;
}

#define BLOCK "block at warp 0 sched 0:\n"

/* Threads 0 and 4 share a lane: the first round's wait was for nothing, in the second each warp passes as it comes. */
static void test_a_branch_that_cannot_be_compacted_is_not_waited_at_again(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, one_lane);
    fake_start(r.f, "capri");
    for (int k = 0; k < 3; k++) fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 0 rpc - w0:000000ff runs, 1 warp\n    warp 1 pc 1 ready w0:000000f0\n"
                                 "    counted in at 1: 1 warp, to 2 w0:0000000e, to 4 w0:00000001\n"
                                 "branch 1 adequate\n"); /* not known yet */
    fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 5 rpc - w0:000000ff join\n  pc 2 rpc 5 w0:000000ee\n"
                                 "  pc 4 rpc 5 w0:00000011 runs, 2 warps\n    warp 0 pc 4 ready w0:00000001\n"
                                 "    warp 1 pc 4 compacting w0:00000010\nbranch 1 inadequate\n");
    while (!rig_counter(&r, "bypassed")) fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 5 rpc - w0:000000f0 runs, 1 warp\n    warp 1 pc 1 ready w0:000000f0\n"
                                 "    passed one by one at 1: 1 warp, to 2 w0:0000000e, to 4 w0:00000001\n"
                                 "  pc 5 rpc - w0:0000000f join\n  pc 2 rpc 5 w0:0000000e\n"
                                 "  pc 4 rpc 5 w0:00000001 runs, 1 warp\n    warp 0 pc 4 ready w0:00000001\n"
                                 "branch 1 inadequate\n");
    fake_cycle(r.f); /* the second adds its threads to both entries */
    fake_expect_state(r.f, BLOCK "  pc 5 rpc - w0:000000ff join\n  pc 2 rpc 5 w0:000000ee\n"
                                 "  pc 4 rpc 5 w0:00000011 runs, 2 warps\n    warp 0 pc 4 ready w0:00000001\n"
                                 "    warp 1 pc 4 ready w0:00000010\nbranch 1 inadequate\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 2 * 7 * 2 + 2);
    assert_int_equal(rig_counter(&r, "branch_waits"), 1);
    assert_int_equal(rig_counter(&r, "bypassed"), 2);
    assert_int_equal(rig_counter(&r, "predicted_adequate"), 1);
    assert_int_equal(rig_counter(&r, "right"), 1);
    assert_int_equal(rig_counter(&r, "wrong"), 1);
    assert_int_equal(rig_counter(&r, "missed"), 0);
    rig_down(&r);
}

static void test_a_branch_that_can_be_compacted_is_waited_at(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, lanes_fit);
    fake_start(r.f, "capri");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 2 * (2 + 2 + 1 + 2 + 2 + 2) + 2);
    assert_int_equal(rig_counter(&r, "predicted_adequate"), 2);
    assert_int_equal(rig_counter(&r, "right"), 2);
    assert_int_equal(rig_counter(&r, "bypassed"), 0);
    rig_down(&r);
}

/* Told to pass at first, it learns that waiting would have helped. */
static void test_a_chance_that_was_missed_is_learned(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, lanes_fit);
    r.param[FIRST] = 0;
    fake_start(r.f, "capri");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "bypassed"), 2);
    assert_int_equal(rig_counter(&r, "missed"), 1);
    assert_int_equal(rig_counter(&r, "wrong"), 1);
    assert_int_equal(rig_counter(&r, "predicted_adequate"), 1);
    assert_int_equal(rig_counter(&r, "right"), 1);
    rig_down(&r);
}

/* Two bits: from "weakly adequate" one bad outcome leads to "inadequate", and one good one back. */
static void test_a_longer_history_is_a_saturating_counter(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, one_lane);
    r.param[HISTORY] = 2;
    fake_start(r.f, "capri");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "predicted_adequate"), 1);
    assert_int_equal(rig_counter(&r, "bypassed"), 2);
    rig_down(&r);
}

/* ---- warps that do not diverge ---- */

/* One thread of the second warp takes it, and none of the first. */
static uint32_t second_warp(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 6 ? step < 8 : thread == 5;
}

/* The first warp passes the branch and is out of the loop before the second has been through it once. */
static void test_a_warp_that_does_not_diverge_never_waits(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, second_warp);
    r.f->env.order = ORDER_GTO;
    fake_start(r.f, "capri");
    for (int k = 0; k < 13; k++) fake_cycle(r.f);
    for (uint32_t t = 0; t < 4; t++) assert_false(r.f->t[t].live);
    assert_int_equal(r.f->t[4].steps, 0);
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "branch_waits"), 0);
    rig_down(&r);
}

/* ... unless it is told to: then it waits as under thread block compaction. */
static void test_unless_it_is_told_to(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamonds(), 4, 8, second_warp);
    r.param[UNIFORM] = WAIT;
    fake_start(r.f, "capri");
    for (int k = 0; k < 3; k++) fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 0 rpc - w0:000000ff runs, 1 warp\n    warp 1 pc 1 ready w0:000000f0\n"
                                 "    counted in at 1: 1 warp, to 2 w0:0000000f\nbranch 1 adequate\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* One thread of the second warp, then one of the first. */
static uint32_t one_each(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return thread == (pc ? 1 : 5);
}

/* The first warp is at a barrier when the second diverges and would wait for it; after the barrier the other way round. */
static void test_nobody_waits_for_a_warp_at_a_barrier(void **state) {
    (void)state;
    for (int64_t predict = BY_HISTORY; predict <= INADEQUATE; predict++)
        for (int64_t uniform = PASS; uniform <= WAIT; uniform++) {
            struct ir_module *m = ir_module_new("barrier");
            struct rig r;
            fake_bra(m, FAKE_MAYBE, 2); /* 0 */
            fake_op(m);                 /* 1 */
            fake_bar(m, 0);             /* 2 */
            fake_bra(m, FAKE_MAYBE, 5); /* 3 */
            fake_op(m);                 /* 4 */
            fake_bar(m, 0);             /* 5 */
            fake_end(m, IR_EXIT, 0);    /* 6 */
            fake_func(m, "barrier");
            rig_up(&r, m, 4, 12, one_each);
            r.param[PREDICT] = predict;
            r.param[UNIFORM] = uniform;
            r.f->env.order = ORDER_GTO;
            fake_start(r.f, "capri");
            assert_true(fake_run(r.f));
            rig_down(&r);
        }
}

static uint32_t round_more(uint32_t thread, uint32_t pc, uint32_t step) { /* for the second warp */
    return pc == 1 ? thread >= 4 && step < 2 : thread % 4 == 0;
}

/* The warps pass a branch whose sides never meet again in different rounds. Who stays waits at a barrier for the other warp's;
 * the sides of one must not wait for those of the other. */
static void test_sides_of_different_rounds_do_not_wait_for_each_other(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("rounds");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_bra(m, FAKE_MAYBE, 6); /* 2 */
    fake_op(m);                 /* 3 */
    fake_bar(m, 0);             /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    for (int k = 0; k < 12; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "rounds");
    struct rig r;
    rig_up(&r, m, 4, 8, round_more);
    r.param[PREDICT] = INADEQUATE;
    fake_start(r.f, "capri");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "bypassed"), 2);
    assert_int_equal(rig_counter(&r, "right"), 2); /* each by itself: nothing to compact */
    rig_down(&r);
}

/* ---- entries that come late ---- */

static uint32_t third(uint32_t thread, uint32_t pc, uint32_t step) { /* 0 1 0 1, then 2 0 2 0 */
    (void)pc, (void)step;
    return thread < 4 ? thread % 2 : thread % 2 ? 0 : 2;
}

/* An indirect branch: the second warp brings a target that the first did not have. It waits its turn. */
static void test_a_later_warp_may_bring_a_new_target(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("brx");
    fake_brx(m, 3, (uint32_t[]){1, 3, 5}); /* 0 */
    fake_op(m);                            /* 1 */
    fake_bra(m, 0, 6);                     /* 2 */
    fake_op(m);                            /* 3 */
    fake_bra(m, 0, 6);                     /* 4 */
    fake_op(m);                            /* 5 */
    fake_end(m, IR_EXIT, 0);               /* 6 */
    fake_func(m, "brx");
    struct rig r;
    rig_up(&r, m, 4, 8, third);
    r.param[PREDICT] = INADEQUATE;
    fake_start(r.f, "capri");
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK
                      "  pc 6 rpc - w0:000000ff join\n  pc 1 rpc 6 w0:000000a5\n  pc 5 rpc 6 w0:00000050\n"
                      "  pc 3 rpc 6 w0:0000000a runs, 1 warp\n    warp 0 pc 3 ready w0:0000000a\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- the table ---- */

/* Two branches that cannot be compacted, a table of one entry: neither is remembered. */
static struct ir_module *two_branches(void) {
    struct ir_module *m = ir_module_new("two");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);                 /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3 */
    fake_op(m);                 /* 4 */
    fake_bra(m, FAKE_MAYBE, 0); /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "two");
    return m;
}
static uint32_t rounds(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 5 ? step < 24 : thread % 4 == 0;
}

static uint64_t adequate_with(int64_t entries) {
    struct rig r;
    rig_up(&r, two_branches(), 4, 8, rounds);
    r.param[ENTRIES] = entries;
    fake_start(r.f, "capri");
    assert_true(fake_run(r.f));
    const uint64_t n = rig_counter(&r, "predicted_adequate");
    rig_down(&r);
    return n;
}

static void test_a_branch_that_is_evicted_is_adequate_again(void **state) {
    (void)state;
    const uint64_t one = adequate_with(1), many = adequate_with(32);
    assert_int_equal(many, 3); /* once for each, the loop's branch included */
    assert_true(one > 2 * many);
}

static void test_storage_is_that_of_tbc_and_the_table(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_up(&r, diamonds(), 32, 64, one_lane);
    r.param[LIKELY] = 0;
    fake_start(r.f, "capri");
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, "stack 16640\ncompactor 128\nwarps 128\ncapt 1088\n"); /* 32 x (32 + 2) */
    sb_free(&out);
    rig_down(&r);
}

/* ---- always and never ---- */

struct course {
    uint64_t done, issued, lanes, cycles, divergences, reconvergences, deepest;
};

/* A random program. per_block 0: blocks of a warp. */
static struct course course(uint64_t seed, uint32_t w, const char *mech, uint32_t per_block, int64_t likely,
                            int64_t predict) {
    struct rng r = {seed};
    struct ir_module *m = random_program(&r, random_mix(&r, seed % 4 == 3));
    struct cfg *c = fake_finish(m);
    struct fake *f = fake_new(m, c, w, 1 + (uint32_t)rng_below(&r, 4 * w < 128 ? 128 : 4 * w));
    const int64_t param[PARAMS] = {(int64_t)rng_below(&r, 3), likely, 1, 1, 1, 1, WAIT, predict};
    random_machine(f, &r);
    f->env.param = param;
    f->per_block = per_block ? per_block : w;
    f->slow = rng_below(&r, 2);
    fake_start(f, mech);
    struct course x = {.done = fake_run(f)};
    x.issued = f->issued;
    x.lanes = f->lane_sum;
    x.cycles = f->now;
    x.divergences = f->mech->stats.divergences;
    x.reconvergences = f->mech->stats.reconvergences;
    x.deepest = f->mech->stats.stack_max;
    fake_free(f);
    cfg_free(c);
    ir_module_free(m);
    return x;
}

static void same(uint64_t seed, const struct course *a, const struct course *b) {
    if (memcmp(a, b, sizeof *a))
        fail_msg("seed %u: %u and %u issues, %u and %u cycles", (unsigned)seed, (unsigned)a->issued,
                 (unsigned)b->issued, (unsigned)a->cycles, (unsigned)b->cycles);
}

static void test_when_it_always_waits_it_is_thread_block_compaction_to_the_cycle(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        const uint32_t w = 4u << seed % 5, per = 32 + 32 * (uint32_t)(seed % 3);
        struct course a = course(seed, w, "tbc", per, seed % 2, ADEQUATE),
                      b = course(seed, w, "capri", per, seed % 2, ADEQUATE);
        same(seed, &a, &b);
    }
}

static void test_when_it_never_waits_and_a_block_is_one_warp_it_is_pdom_to_the_cycle(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        const uint32_t w = 32u << seed % 3;
        struct course a = course(seed, w, "pdom", 0, 0, INADEQUATE),
                      b = course(seed, w, "capri", 0, 0, INADEQUATE);
        same(seed, &a, &b);
    }
}

/* Every prediction, tables of one entry to many, any number of warps in a block: each thread takes its own path. */
static void test_random_programs_run_to_the_end(void **state) {
    (void)state;
    uint32_t stuck = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct rng r = {seed + 1000000};
        const uint32_t w = 4u << seed % 6;
        struct ir_module *m = random_program(&r, random_mix(&r, seed % 3 == 0));
        struct cfg *c = fake_finish(m);
        struct fake *f = fake_new(m, c, w, 1 + (uint32_t)rng_below(&r, 160));
        const int64_t param[PARAMS] = {(int64_t)rng_below(&r, 3),     (int64_t)rng_below(&r, 2),
                                       (int64_t)rng_below(&r, 4),     1 + (int64_t)rng_below(&r, 4),
                                       1 + (int64_t)rng_below(&r, 3), (int64_t)rng_below(&r, 2),
                                       (int64_t)rng_below(&r, 2),     (int64_t)rng_below(&r, 3)};
        random_machine(f, &r);
        f->env.param = param;
        f->per_block = 32 * (uint32_t)rng_below(&r, 4);
        f->slow = rng_below(&r, 2);
        fake_start(f, "capri");
        if (!fake_run(f)) {
            assert_int_equal(seed % 3, 0); /* only barriers may stop it */
            stuck++;
        }
        fake_free(f);
        cfg_free(c);
        ir_module_free(m);
    }
    assert_true(stuck < 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_branch_that_cannot_be_compacted_is_not_waited_at_again),
        cmocka_unit_test(test_a_branch_that_can_be_compacted_is_waited_at),
        cmocka_unit_test(test_a_chance_that_was_missed_is_learned),
        cmocka_unit_test(test_a_longer_history_is_a_saturating_counter),
        cmocka_unit_test(test_a_warp_that_does_not_diverge_never_waits),
        cmocka_unit_test(test_unless_it_is_told_to),
        cmocka_unit_test(test_nobody_waits_for_a_warp_at_a_barrier),
        cmocka_unit_test(test_sides_of_different_rounds_do_not_wait_for_each_other),
        cmocka_unit_test(test_a_later_warp_may_bring_a_new_target),
        cmocka_unit_test(test_a_branch_that_is_evicted_is_adequate_again),
        cmocka_unit_test(test_storage_is_that_of_tbc_and_the_table),
        cmocka_unit_test(test_when_it_always_waits_it_is_thread_block_compaction_to_the_cycle),
        cmocka_unit_test(test_when_it_never_waits_and_a_block_is_one_warp_it_is_pdom_to_the_cycle),
        cmocka_unit_test(test_random_programs_run_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
