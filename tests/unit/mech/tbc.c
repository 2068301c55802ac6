/* Thread block compaction: the diamond of HARP Figure 6(a)'s kind state by state, waits at branches, likely-convergence
 * points, calls, exits, barriers, several schedulers; and that with the block as one warp it is pdom. */
#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { SIDE, LIKELY, CYCLES }; /* parameters */

static void rig_up(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads, bool likely,
                   choose_fn *choose) {
    rig_load(r, m, w, threads, choose);
    r->param[SIDE] = 0;
    r->param[LIKELY] = likely;
    r->param[CYCLES] = 1;
    fake_start(r->f, "tbc");
}

/* A; if (p) C else B; D. */
static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                 /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 B */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 C */
    fake_op(m);                 /* 5 D */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "diamond");
    return m;
}
static uint32_t lanes_fit(uint32_t thread, uint32_t pc, uint32_t step) { /* lanes 1 3 0 2 */
    (void)pc, (void)step;
    return thread == 1 || thread == 3 || thread == 4 || thread == 6;
}
static uint32_t one_lane(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4 == 0;
}

#define BLOCK "block at warp 0 sched 0:\n"

static void test_a_diamond_every_state(void **state) {
    (void)state;
    static const char *const after[] = {
        BLOCK "  pc 0 rpc - w0:000000ff runs, 2 warps\n" /* A, twice */
              "    warp 0 pc 1 ready w0:0000000f\n    warp 1 pc 0 ready w0:000000f0\n",
        BLOCK "  pc 0 rpc - w0:000000ff runs, 2 warps\n"
              "    warp 0 pc 1 ready w0:0000000f\n    warp 1 pc 1 ready w0:000000f0\n",
        BLOCK "  pc 0 rpc - w0:000000ff runs, 1 warp\n" /* warp 0 waits: WCnt 1 */
              "    warp 1 pc 1 ready w0:000000f0\n"
              "    counted in at 1: 1 warp, to 2 w0:00000005, to 4 w0:0000000a\n",
        BLOCK "  pc 5 rpc - w0:000000ff join\n  pc 2 rpc 5 w0:000000a5\n" /* all: C is one warp [4 1 6 3] */
              "  pc 4 rpc 5 w0:0000005a runs, 1 warp\n    warp 0 pc 4 ready w0:0000005a\n",
        BLOCK "  pc 5 rpc - w0:000000ff join\n" /* C is done: B is one warp [0 5 2 7] */
              "  pc 2 rpc 5 w0:000000a5 runs, 1 warp\n    warp 0 pc 2 ready w0:000000a5\n",
        BLOCK "  pc 5 rpc - w0:000000ff join\n"
              "  pc 2 rpc 5 w0:000000a5 runs, 1 warp\n    warp 0 pc 3 ready w0:000000a5\n",
        BLOCK "  pc 5 rpc - w0:000000ff runs, 2 warps\n" /* the home warps again, a cycle apart */
              "    warp 0 pc 5 ready w0:0000000f\n    warp 1 pc 5 compacting w0:000000f0\n"};
    static const struct mech_census census[] = {{0, 0}, {0, 0}, {0, 4}, {4, 0}, {0, 4}, {0, 4}, {0, 0}};
    struct rig r;
    rig_up(&r, diamond(), 4, 8, true, lanes_fit);
    for (uint32_t k = 0; k < sizeof after / sizeof *after; k++) {
        struct mech_census c;
        assert_true(fake_cycle(r.f));
        fake_expect_state(r.f, after[k]);
        r.f->mech->ops->census(r.f->mech, &c);
        assert_int_equal(c.inactive_path, census[k].inactive_path);
        assert_int_equal(c.reconvergence, census[k].reconvergence);
    }
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 11); /* A 2, branch 2, C 1, B 1, jump 1, D 2, exit 2; pdom: 14 */
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    assert_int_equal(r.f->mech->stats.divergences, 1);
    assert_int_equal(r.f->mech->stats.stack_max, 3);
    assert_int_equal(rig_counter(&r, "branch_waits"), 1);
    assert_int_equal(rig_counter(&r, "uniform_waits"), 0);
    assert_int_equal(rig_counter(&r, "compactions"), 3);
    assert_int_equal(rig_counter(&r, "warps_before"), 2 + 2 + 2);
    assert_int_equal(rig_counter(&r, "warps_after"), 1 + 1 + 2);
    rig_down(&r);
}

/* Threads 0 and 4 share lane 0: nothing can be compacted, and the wait was for nothing. */
static void test_threads_of_one_lane_stay_in_different_warps(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), 4, 8, true, one_lane);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 14);
    assert_int_equal(rig_counter(&r, "warps_after"), 6);
    rig_down(&r);
}

static uint32_t everybody(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}

/* No warp diverges: the warps wait for each other all the same, and go on as they are. */
static void test_a_branch_that_may_diverge_and_does_not_costs_the_wait(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), 4, 8, true, everybody);
    for (int k = 0; k < 3; k++) fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 0 rpc - w0:000000ff runs, 1 warp\n    warp 1 pc 1 ready w0:000000f0\n"
                                 "    counted in at 1: 1 warp, to 4 w0:0000000f\n");
    fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 0 rpc - w0:000000ff runs, 2 warps\n"
                                 "    warp 0 pc 4 ready w0:0000000f\n    warp 1 pc 4 ready w0:000000f0\n");
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "uniform_waits"), 1);
    assert_int_equal(rig_counter(&r, "compactions"), 0);
    assert_int_equal(r.f->mech->stats.divergences, 0);
    rig_down(&r);
}

/* The condition is the same for the whole block: %ctaid is compared with itself. */
static struct ir_module *uniform_branch(void) {
    struct ir_module *m = ir_module_new("uniform");
    fake_put(
        m, (struct ir_insn){.op = IR_SREG_U32, .sub = IR_SR_CTAID_X, .nd = 1, .o = {ir_reg(IR_FILE_32, 1)}});
    fake_put(m, (struct ir_insn){.op = IR_SETP_U32,
                                 .sub = IR_EQ,
                                 .nd = 1,
                                 .ns = 2,
                                 .o = {ir_reg(IR_FILE_P, 1), ir_reg(IR_FILE_32, 1), ir_reg(IR_FILE_32, 1)}});
    fake_bra(m, FAKE_MAYBE, 4); /* 2 */
    fake_op(m);                 /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "uniform");
    return m;
}

static void test_warps_do_not_wait_at_a_branch_that_cannot_diverge(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, uniform_branch(), 4, 8, true, everybody);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 10);
    assert_int_equal(rig_counter(&r, "branch_waits"), 0);
    rig_down(&r);
}

/* A thread goes where the analysis says it cannot: at the branch it is counted in like any other. */
static uint32_t liar(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread != 2;
}

static void test_a_divergence_that_was_ruled_out_is_survived(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, uniform_branch(), 4, 8, true, liar);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.divergences, 1);
    rig_down(&r);
}

/* ---- compaction ---- */

/* Two warps of 4: lanes 0 and 1 take the branch. */
static uint32_t half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4 < 2;
}

/* Six warps: one becomes schedulable every five cycles, the first at once. */
static void test_compacted_warps_come_one_after_the_other(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, diamond(), 4, 24, half);
    r.param[SIDE] = 0;
    r.param[LIKELY] = 0;
    r.param[CYCLES] = 5;
    fake_start(r.f, "tbc");
    while (!rig_counter(&r, "compactions")) fake_cycle(r.f);
    const uint64_t made = r.f->now - 1;
    assert_true(fake_issue(r.f, 0)); /* the first */
    assert_int_equal(mech_next(r.f->mech, 0), made + 5);
    for (uint32_t issued = 1; issued < 6; r.f->now++) {
        const bool due = r.f->now > made && (r.f->now - made) % 5 == 0;
        assert_int_equal(fake_issue(r.f, 0), due);
        issued += due;
    }
    rig_down(&r);
}

/* ---- likely-convergence points (Fung & Aamodt 2011, section 4.3) ---- */

/* for (;;) { A; if (p) { B; if (q) break; } C; if (!r) break; } D. The break moves the reconvergence point of the first
 * branch behind the loop; nearly all threads meet at C. */
static struct ir_module *loop_break(void) {
    struct ir_module *m = ir_module_new("break");
    fake_op(m);                 /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 B */
    fake_bra(m, FAKE_MAYBE, 6); /* 3 break */
    fake_op(m);                 /* 4 C */
    fake_bra(m, FAKE_MAYBE, 0); /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 D */
    fake_func(m, "break");
    return m;
}
static uint32_t two_rounds(uint32_t thread, uint32_t pc, uint32_t step) {
    if (pc == 1) return thread < 2;
    return pc == 5 && step < 6; /* no thread breaks */
}

static void test_threads_meet_at_the_likely_convergence_point(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, loop_break(), 4, 4, true, two_rounds);
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, BLOCK "  pc 6 rpc - w0:0000000f join\n"
                                 "  pc 4 rpc 6 w0:00000003 collects\n" /* they are there already */
                                 "  pc 2 rpc 6 lpc 4 w0:0000000c runs, 1 warp\n"
                                 "    warp 0 pc 2 ready w0:0000000c\n");
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f,
                      BLOCK "  pc 6 rpc - w0:0000000f join\n"
                            "  pc 4 rpc 6 w0:0000000f runs, 1 warp\n    warp 0 pc 4 ready w0:0000000f\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 2 * 6 + 1);
    assert_int_equal(rig_counter(&r, "lcp_merges"), 4);
    assert_int_equal(r.f->mech->stats.stack_max, 3); /* the second round replaces the first */
    rig_down(&r);
    rig_up(&r, loop_break(), 4, 4, false, two_rounds);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 2 + 6 + 10 + 1); /* each half goes through the loop by itself */
    assert_int_equal(rig_counter(&r, "lcp_merges"), 0);
    rig_down(&r);
}

static uint32_t all_break(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 1 ? thread >= 4 : pc == 3;
}

/* Threads 0 to 3 break; 4 to 7 collect at 4 and run on to 6. */
static void test_who_breaks_out_waits_behind_the_loop(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, loop_break(), 4, 8, true, all_break);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 4 + 2 + 2 + 2);
    rig_down(&r);
}

/* ---- calls ---- */

static uint32_t early(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4 < 2;
}

/* f returns at once for lanes 0 and 1, later for the others: all meet where it returns to. */
static void test_sides_that_meet_at_a_functions_end_meet_at_the_return(void **state) {
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
    rig_up(&r, m, 4, 8, true, early);
    for (int k = 0; k < 4; k++) fake_cycle(r.f);
    fake_expect_state(r.f,
                      BLOCK "  pc 1 rpc - w0:000000ff join\n  pc 4 rpc - depth 1 w0:000000cc runs, 2 warps\n"
                            "    warp 0 pc 4 ready w0:0000000c\n    warp 1 pc 4 compacting w0:000000c0\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

static uint32_t deep(uint32_t thread, uint32_t pc, uint32_t step) {
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
    rig_up(&r, m, 4, 8, true, deep);
    assert_true(fake_run(r.f));
    assert_true(r.f->mech->stats.divergences &&
                r.f->mech->stats.reconvergences == r.f->mech->stats.divergences);
    rig_down(&r);
}

static uint32_t seventh(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 7;
}

/* An indirect branch to seven places: an entry each. 28 threads: every place has one thread of each lane. */
static void test_an_indirect_branch_has_an_entry_for_each_target(void **state) {
    (void)state;
    enum { WAYS = 7, END = 1 + 2 * WAYS };
    uint32_t to[WAYS];
    struct ir_module *m = ir_module_new("brx");
    for (uint32_t k = 0; k < WAYS; k++) to[k] = 1 + 2 * k;
    fake_brx(m, WAYS, to); /* 0 */
    for (uint32_t k = 0; k < WAYS; k++) {
        fake_op(m);
        fake_bra(m, 0, END);
    }
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "brx");
    struct rig r;
    rig_up(&r, m, 4, 28, true, seventh);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.stack_max, 1 + WAYS);
    assert_int_equal(r.f->issued, 7 + 2 * WAYS + 7); /* every side is one full warp */
    rig_down(&r);
}

/* ---- exits, ragged blocks ---- */

static uint32_t even(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 2 == 0;
}

/* Ten threads in warps of four, the last of two. The even ones exit inside the branch. */
static void test_threads_that_exit_leave_every_entry(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exit");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "exit");
    struct rig r;
    rig_up(&r, m, 4, 10, true, even);
    for (int k = 0; k < 6; k++)
        fake_cycle(r.f); /* the branch of three warps, then three of two threads exit */
    fake_expect_state(r.f, BLOCK
                      "  pc 1 rpc - w0:000002aa runs, 3 warps\n    warp 0 pc 1 ready w0:0000000a\n"
                      "    warp 1 pc 1 compacting w0:000000a0\n    warp 2 pc 1 compacting w0:00000200\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- barriers ---- */

static uint32_t some_wait(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 2 || thread >= 4;
}

static void test_a_thread_at_a_barrier_holds_its_warp(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bar(m, FAKE_MAYBE);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    struct rig r;
    rig_up(&r, m, 4, 8, true, some_wait);
    fake_issue(r.f, 0);
    fake_landings(r.f);
    fake_expect_state(r.f, BLOCK "  pc 0 rpc - w0:000000ff runs, 2 warps\n"
                                 "    warp 0 pc 1 waiting at a barrier w0:0000000f\n"
                                 "    warp 1 pc 0 ready w0:000000f0\n");
    struct mech_set set;
    set_one(&set, 0, 1);
    r.f->t[0].waits = false;
    r.f->mech->ops->release(r.f->mech, &set, 1); /* one of two: the warp waits on */
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

/* Both sides of a branch have a barrier: the side on top waits for the other, which never gets its turn. */
static void test_barriers_on_two_sides_wait_for_ever(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("two barriers");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bar(m, 0);             /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_bar(m, 0);             /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "two barriers");
    struct rig r;
    rig_up(&r, m, 4, 8, true, even);
    assert_false(fake_run(r.f));
    fake_expect_state(r.f, BLOCK "  pc 4 rpc - w0:000000ff join\n  pc 1 rpc 4 w0:000000aa\n"
                                 "  pc 3 rpc 4 w0:00000055 runs, 2 warps\n"
                                 "    warp 0 pc 4 waiting at a barrier w0:00000005\n"
                                 "    warp 1 pc 4 waiting at a barrier w0:00000050\n");
    rig_down(&r);
}

/* ---- schedulers ---- */

/* Four warps of a block on two schedulers: two of them share a stack. */
static void test_each_scheduler_of_a_block_has_its_stack(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, diamond(), 4, 16, lanes_fit);
    r.param[LIKELY] = r.param[CYCLES] = 1;
    r.f->env.schedulers = 2;
    fake_start(r.f, "tbc");
    fake_expect_state(r.f, "block at warp 0 sched 0:\n  pc 0 rpc - w0:00000f0f runs, 2 warps\n"
                           "    warp 0 pc 0 ready w0:0000000f\n    warp 1 pc 0 ready w0:00000f00\n"
                           "block at warp 0 sched 1:\n  pc 0 rpc - w0:0000f0f0 runs, 2 warps\n"
                           "    warp 0 pc 0 ready w0:000000f0\n    warp 1 pc 0 ready w0:0000f000\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static void test_storage(void **state) {
    (void)state;
    struct rig r;
    struct sb out = {0};
    rig_up(&r, diamond(), 32, 64, false, even);
    storage_text(r.f->mech, &out);
    /* 128 entries of two PCs, a counter up to 2 and 64 threads; two sides of the branch; the row of each lane's thread */
    assert_string_equal(out.text, "stack 16640\ncompactor 128\nwarps 128\n");
    sb_free(&out);
    rig_down(&r);
}

/* ---- the block as one warp ---- */

struct course {
    uint64_t done, issued, lanes, cycles, divergences, reconvergences, deepest;
};

static struct course course(uint64_t seed, uint32_t w, const char *mech, bool barriers) {
    struct rng r = {seed};
    struct ir_module *m = random_program(&r, random_mix(&r, barriers));
    struct cfg *c = fake_finish(m);
    struct fake *f = fake_new(m, c, w, 1 + (uint32_t)rng_below(&r, 4 * w));
    const int64_t param[3] = {(int64_t)rng_below(&r, 3), 0, 1};
    random_machine(f, &r);
    f->env.param = param;
    f->per_block = w;
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

static void test_with_the_block_as_one_warp_it_is_pdom_to_the_cycle(void **state) {
    (void)state;
    uint32_t diverged = 0, stuck = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        const uint32_t w = 32u << seed % 3;
        struct course a = course(seed, w, "pdom", seed % 4 == 3), b = course(seed, w, "tbc", seed % 4 == 3);
        if (memcmp(&a, &b, sizeof a))
            fail_msg("seed %u: %u and %u issues, %u and %u cycles", (unsigned)seed, (unsigned)a.issued,
                     (unsigned)b.issued, (unsigned)a.cycles, (unsigned)b.cycles);
        diverged += a.divergences != 0;
        stuck += !a.done;
    }
    assert_true(diverged > 1000 && stuck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_diamond_every_state),
        cmocka_unit_test(test_threads_of_one_lane_stay_in_different_warps),
        cmocka_unit_test(test_a_branch_that_may_diverge_and_does_not_costs_the_wait),
        cmocka_unit_test(test_warps_do_not_wait_at_a_branch_that_cannot_diverge),
        cmocka_unit_test(test_a_divergence_that_was_ruled_out_is_survived),
        cmocka_unit_test(test_compacted_warps_come_one_after_the_other),
        cmocka_unit_test(test_threads_meet_at_the_likely_convergence_point),
        cmocka_unit_test(test_who_breaks_out_waits_behind_the_loop),
        cmocka_unit_test(test_sides_that_meet_at_a_functions_end_meet_at_the_return),
        cmocka_unit_test(test_recursion_to_different_depths_rejoins_in_each_activation),
        cmocka_unit_test(test_an_indirect_branch_has_an_entry_for_each_target),
        cmocka_unit_test(test_threads_that_exit_leave_every_entry),
        cmocka_unit_test(test_a_thread_at_a_barrier_holds_its_warp),
        cmocka_unit_test(test_barriers_on_two_sides_wait_for_ever),
        cmocka_unit_test(test_each_scheduler_of_a_block_has_its_stack),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_with_the_block_as_one_warp_it_is_pdom_to_the_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
