/* Dynamic warp subdivision: a load whose data comes in two parts, with every way to divide its warp and to meet again; a
 * branch subdivided by stack and by PC, or serialised because its post-dominator's block is long or the table full; late
 * revival; exits, calls, barriers, a scoreboard, storage, and random programs with tables down to no entry. */
#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { WST, BRANCH, MAX_BLOCK, MEMORY, LIMIT };
enum { BY_PC, BY_STACK, NO_BRANCH };
enum { REVIVE, LAZY, AGGRESS, NO_MEMORY };

static void rig_up(struct rig *r, struct ir_module *m, uint32_t threads, choose_fn *choose) {
    rig_load(r, m, 4, threads, choose);
    fake_start(r->f, "dws");
}

static void expect(const struct rig *r, const char *text) {
    fake_expect_state(r->f, text);
}

/* Runs a cycle in which a split that may run at pc is issued, even if it is not its turn; it stays in flight. */
static void issue_only(struct rig *r, uint32_t pc) {
    struct mech_split *others[16];
    uint32_t n = 0;
    fake_barrier(r->f);
    FOR_SPLITS(s, r->f->mech->pool)
    if (order_holds(s) && s->pc != pc) others[n++] = s;
    for (uint32_t k = 0; k < n; k++) order_remove(r->f->mech->order, others[k]);
    if (!fake_issue(r->f, 0)) fail_msg("nobody at %u", pc);
    while (n) order_add(r->f->mech->order, others[--n]);
    r->f->now++;
}

/* What was issued k-th of those in flight is done. */
static void commit(struct rig *r, uint32_t k) {
    struct fake_flight *fl = r->f->flight[k];
    memmove(&r->f->flight[k], &r->f->flight[k + 1], (--r->f->nflight - k) * sizeof *r->f->flight);
    fake_commit(r->f, fl);
}

static void issue(struct rig *r, uint32_t pc) {
    issue_only(r, pc);
    commit(r, r->f->nflight - 1);
}

/* These lanes of warp 0 have the data of what is k-th in flight. */
static bool data(struct rig *r, uint32_t k, uint32_t lanes) {
    struct mech_set ready;
    set_one(&ready, 0, lanes);
    return fake_offer(r->f, r->f->flight[k], &ready);
}

/* 0 ld   1 op   2 op   3: @p bra 5   4 op   5 exit */
static struct ir_module *load(void) {
    struct ir_module *m = ir_module_new("load");
    fake_load(m);               /* 0 */
    fake_op(m);                 /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "load");
    return m;
}
static uint32_t none(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 0;
}

/* Threads 0 and 1 hit. They run 1 and 2 and wait in front of the branch for 2 and 3. */
static void test_limited_by_the_next_branch(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [MEMORY] = AGGRESS, [LIMIT] = 1, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 4, none);
    expect(&r, "warp 0\n  split pc 0 rpc - w0:0000000f ready\n");
    issue_only(&r, 0);
    assert_true(data(&r, 0, 3));
    expect(&r, "warp 0\n  split pc 0 rpc - w0:0000000c in flight\n  split pc 1 rpc - w0:00000003 ready\n"
               "  join pc - rpc - w0:0000000f pending w0:0000000f at the next branch\n");
    issue(&r, 1);
    issue(&r, 2);
    expect(&r, "warp 0\n  split pc 0 rpc 3 w0:0000000c in flight\n"
               "  join pc 3 rpc - w0:0000000f pending w0:0000000c at the next branch\n");
    commit(&r, 0);
    issue(&r, 1);
    issue(&r, 2);
    expect(&r, "warp 0\n  split pc 3 rpc - w0:0000000f ready\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 1 + 4 + 3);
    assert_int_equal(rig_counter(&r, "memory_splits"), 1);
    assert_int_equal(rig_counter(&r, "rejoined_limit"), 1);
    assert_int_equal(rig_counter(&r, "revived"), 0);
    assert_int_equal(rig_counter(&r, "wst_max"), 1);
    rig_down(&r);
}

/* They pass the branch, and those behind never catch up with them. */
static void test_bypassing_branches(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [MEMORY] = AGGRESS, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 4, none);
    issue_only(&r, 0);
    assert_true(data(&r, 0, 3));
    for (uint32_t pc = 1; pc < 6; pc++) issue(&r, pc);
    expect(&r, "warp 0\n  split pc 0 rpc - w0:0000000c in flight\n");
    commit(&r, 0);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 1 + 5 + 5);
    assert_int_equal(rig_counter(&r, "rejoined_limit") + rig_counter(&r, "rejoined_pc"), 0);
    rig_down(&r);
}

/* Threads behind come to where those ahead are about to issue: they go on together. */
static void test_splits_meet_at_equal_pcs(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [MEMORY] = AGGRESS, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 4, none);
    issue_only(&r, 0);
    assert_true(data(&r, 0, 3));
    issue(&r, 1);
    commit(&r, 0);
    expect(&r, "warp 0\n  split pc 1 rpc - w0:0000000c ready\n  split pc 2 rpc - w0:00000003 ready\n");
    issue(&r, 1);
    expect(&r, "warp 0\n  split pc 2 rpc - w0:0000000f ready\n");
    assert_int_equal(rig_counter(&r, "rejoined_pc"), 1);
    rig_down(&r);
}

/* Another warp can issue, so no split is divided, and 1 is one issue after the data. */
static void test_lazy_divides_only_when_nothing_else_can_issue(void **state) {
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct rig r = {.param = {[WST] = 16, [MEMORY] = LAZY, [MAX_BLOCK] = 50}};
        rig_up(&r, load(), alone ? 4 : 8, none);
        r.f->slow = false;
        assert_true(fake_issue(r.f, 0)); /* warp 0 */
        r.f->now++;
        assert_int_equal(data(&r, 0, 3), alone);
        commit(&r, 0);
        assert_int_equal(rig_counter(&r, "memory_splits"), alone);
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, alone ? 1 + 5 + 5 - 5 * rig_counter(&r, "rejoined_pc") : 2 * 6);
        rig_down(&r);
    }
}

/* The other warp is in flight too, later: then those that have their data go on after all. */
static void test_revive_divides_when_nothing_can_issue(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [MEMORY] = REVIVE, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 8, none);
    assert_true(fake_issue(r.f, 0)); /* warp 0 */
    r.f->now++;
    assert_false(data(&r, 0, 3));
    assert_true(fake_issue(r.f, 0)); /* warp 1 */
    expect(&r, "warp 0\n  split pc 0 rpc - w0:0000000f in flight\nwarp 1\n  split pc 0 rpc - w0:000000f0 in "
               "flight\n");
    r.f->now++;
    assert_true(mech_next(r.f->mech, 0) <= r.f->now); /* worth a look */
    assert_true(fake_issue(r.f, 0));
    assert_int_equal(r.f->issued_pc, 1);
    assert_int_equal(rig_counter(&r, "revived"), 1);
    assert_int_equal(rig_counter(&r, "memory_splits"), 1);
    expect(&r, "warp 0\n  split pc 0 rpc - w0:0000000c in flight\n  split pc 1 rpc - w0:00000003 in flight\n"
               "warp 1\n  split pc 0 rpc - w0:000000f0 in flight\n");
    assert_true(mech_next(r.f->mech, 0) > r.f->now);
    while (r.f->nflight) commit(&r, 0);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Without an entry of the table no split is divided. */
static void test_a_full_table(void **state) {
    (void)state;
    struct rig r = {.param = {[MEMORY] = AGGRESS, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 4, none);
    issue_only(&r, 0);
    assert_false(data(&r, 0, 3));
    assert_int_equal(rig_counter(&r, "wst_full"), 1);
    commit(&r, 0);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 6);
    rig_down(&r);
}

/* With a scoreboard the split waits where the data is used: those that have theirs go on from there. */
static void test_a_split_that_waits_for_operands_is_divided(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [MEMORY] = AGGRESS, [LIMIT] = 1, [MAX_BLOCK] = 50}};
    rig_up(&r, load(), 4, none);
    issue_only(&r, 0);
    for (uint32_t t = 2; t < 4; t++) r.f->t[t].event = true, r.f->t[t].ready = 100;
    commit(&r, 0);
    expect(&r,
           "warp 0\n  split pc 1 rpc - w0:0000000c waits for an event\n  split pc 1 rpc - w0:00000003 ready\n"
           "  join pc - rpc - w0:0000000f pending w0:0000000f at the next branch\n");
    issue(&r, 1);
    issue(&r, 2);
    for (uint32_t t = 2; t < 4; t++) r.f->t[t].ready = r.f->now;
    fake_events(r.f);
    issue(&r, 1);
    issue(&r, 2);
    expect(&r, "warp 0\n  split pc 3 rpc - w0:0000000f ready\n");
    rig_down(&r);
}

/* ---- branches ---- */

/* 0: @p bra 4   1 op   2 op   3: bra 5   4 op   5 op ... exit */
static struct ir_module *diamond(uint32_t behind) {
    struct ir_module *m = ir_module_new("diamond");
    fake_bra(m, FAKE_MAYBE, 4);                       /* 0 */
    fake_op(m);                                       /* 1 */
    fake_op(m);                                       /* 2 */
    fake_bra(m, 0, 5);                                /* 3 */
    fake_op(m);                                       /* 4 */
    for (uint32_t k = 1; k < behind; k++) fake_op(m); /* 5.. */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "diamond");
    return m;
}
static uint32_t upper(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}

static void test_sides_wait_at_the_post_dominator(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [BRANCH] = BY_STACK, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
    struct mech_census c;
    rig_up(&r, diamond(2), 4, upper);
    issue(&r, 0);
    expect(&r, "warp 0\n  split pc 1 rpc 5 w0:00000003 ready\n  split pc 4 rpc 5 w0:0000000c ready\n"
               "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
    issue(&r, 4);
    expect(&r, "warp 0\n  split pc 1 rpc 5 w0:00000003 ready\n"
               "  join pc 5 rpc - w0:0000000f pending w0:00000003\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.reconvergence, 2);
    assert_int_equal(c.inactive_path, 0);
    for (uint32_t pc = 1; pc < 4; pc++) issue(&r, pc);
    expect(&r, "warp 0\n  split pc 5 rpc - w0:0000000f ready\n");
    assert_int_equal(rig_counter(&r, "branch_splits"), 1);
    assert_int_equal(rig_counter(&r, "rejoined_stack"), 1);
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

/* Threads 0 and 2 run ahead of a load and part at the branch behind it. 1 and 3 come to it while they are on their way: they
 * all have one join. */
static void test_splits_share_the_join_of_a_branch(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("load and diamond");
    fake_load(m);               /* 0 */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 */
    fake_op(m);                 /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "load and diamond");
    struct rig r = {.param = {[WST] = 16, [BRANCH] = BY_STACK, [MEMORY] = AGGRESS, [MAX_BLOCK] = 50}};
    rig_up(&r, m, 4, upper);
    issue_only(&r, 0);
    assert_true(data(&r, 0, 5));
    issue(&r, 1);
    commit(&r, 0);
    expect(&r, "warp 0\n  split pc 1 rpc - w0:0000000a ready\n  split pc 2 rpc 5 w0:00000001 ready\n"
               "  split pc 4 rpc 5 w0:00000004 ready\n  join pc 5 rpc - w0:00000005 pending w0:00000005\n");
    issue(&r, 1); /* and so they also meet at equal PCs */
    expect(&r, "warp 0\n  split pc 2 rpc 5 w0:00000003 ready\n  split pc 4 rpc 5 w0:0000000c ready\n"
               "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
    assert_int_equal(rig_counter(&r, "rejoined_pc"), 2);
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "rejoined_stack"), 1);
    rig_down(&r);
}

/* No split waits; one that is caught up with is joined. */
static void test_sides_pass_the_post_dominator(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16, [BRANCH] = BY_PC, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
    rig_up(&r, diamond(4), 4, upper);
    issue(&r, 0);
    expect(&r, "warp 0\n  split pc 1 rpc - w0:00000003 ready\n  split pc 4 rpc - w0:0000000c ready\n");
    issue(&r, 4);
    issue(&r, 5);
    issue(&r, 1);
    issue(&r, 2);
    issue(&r, 3);
    expect(&r, "warp 0\n  split pc 5 rpc - w0:00000003 ready\n  split pc 6 rpc - w0:0000000c ready\n");
    issue(&r, 5);
    expect(&r, "warp 0\n  split pc 6 rpc - w0:0000000f ready\n");
    assert_int_equal(rig_counter(&r, "rejoined_pc"), 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* The block behind has one instruction more than allowed, or there is no entry: one side after the other, taken first. */
static void test_a_branch_is_serialised(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct rig r = {.param = {[WST] = full ? 0 : 16, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = full ? 50 : 3}};
        struct mech_census c;
        rig_up(&r, diamond(4), 4, upper);
        issue(&r, 0);
        expect(&r, "warp 0\n  split pc 1 rpc 5 w0:00000003 held\n  split pc 4 rpc 5 w0:0000000c ready\n"
                   "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
        r.f->mech->ops->census(r.f->mech, &c);
        assert_int_equal(c.inactive_path, 2);
        issue(&r, 4);
        expect(&r, "warp 0\n  split pc 1 rpc 5 w0:00000003 ready\n"
                   "  join pc 5 rpc - w0:0000000f pending w0:00000003\n");
        assert_true(fake_run(r.f));
        assert_int_equal(r.f->issued, 5 + 4);
        assert_int_equal(rig_counter(&r, "wst_full"), full);
        assert_int_equal(rig_counter(&r, "branch_splits"), 0);
        rig_down(&r);
    }
}

/* A block of exactly as many instructions as allowed is short. */
static void test_fifty_instructions_are_short(void **state) {
    (void)state;
    for (uint32_t behind = 50; behind < 52; behind++) {
        struct rig r = {.param = {[WST] = 16, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
        rig_up(&r, diamond(behind), 4, upper);
        issue(&r, 0);
        assert_int_equal(rig_counter(&r, "branch_splits"), behind == 50);
        rig_down(&r);
    }
}

/* The table is the SM's: what one warp has taken the others lack. */
static void test_warps_share_the_table(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 1, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
    rig_up(&r, diamond(2), 8, upper);
    for (int k = 0; k < 2; k++) assert_true(fake_cycle(r.f));
    assert_int_equal(rig_counter(&r, "branch_splits"), 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- the rest of a warp's life ---- */

/* Thread 3 exits on its side of a branch that is serialised: the held side has its turn, without it they go on. */
static uint32_t last(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread == 3;
}
static void test_who_exits_lets_the_held_side_run(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exits");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_call(m, 0, 1);         /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "kernel");
    fake_end(m, IR_EXIT, 0); /* 5 */
    fake_func(m, "leave");
    struct rig r = {.param = {[MEMORY] = NO_MEMORY}};
    rig_up(&r, m, 4, last);
    issue(&r, 0);
    issue(&r, 3);
    expect(&r, "warp 0\n  split pc 1 rpc 4 w0:00000007 held\n  split pc 5 rpc 4 depth 1 w0:00000008 ready\n"
               "  join pc 4 rpc - w0:0000000f pending w0:0000000f\n");
    issue(&r, 5);
    expect(&r, "warp 0\n  split pc 1 rpc 4 w0:00000007 ready\n"
               "  join pc 4 rpc - w0:00000007 pending w0:00000007\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A function whose sides meet only where it returns to, in every way to subdivide. */
static void test_calls(void **state) {
    (void)state;
    for (int branch = BY_PC; branch <= NO_BRANCH; branch++) {
        struct ir_module *m = ir_module_new("calls");
        fake_call(m, 0, 1);      /* 0 */
        fake_op(m);              /* 1 */
        fake_end(m, IR_EXIT, 0); /* 2 */
        fake_func(m, "kernel");
        fake_end(m, IR_RET, FAKE_MAYBE); /* 3 */
        fake_op(m);                      /* 4 */
        fake_end(m, IR_RET, 0);          /* 5 */
        fake_func(m, "callee");
        struct rig r = {.param = {[WST] = 16, [BRANCH] = branch, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
        rig_up(&r, m, 4, upper);
        issue(&r, 0);
        issue(&r, 3);
        if (branch == BY_PC)
            expect(&r, "warp 0\n  split pc 1 rpc - w0:0000000c ready\n"
                       "  split pc 4 rpc - depth 1 w0:00000003 ready\n");
        else
            expect(&r, "warp 0\n  split pc 4 rpc 1 depth 1 w0:00000003 ready\n"
                       "  join pc 1 rpc - w0:0000000f pending w0:00000003\n");
        issue(&r, 4);
        issue(&r, 5);
        expect(&r, "warp 0\n  split pc 1 rpc - w0:0000000f ready\n");
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* Splits of a warp that come to a barrier one by one are released together, and meet. */
static void test_a_barrier(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bar(m, 0);             /* 2 */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "barrier");
    struct rig r = {.param = {[WST] = 16, [BRANCH] = BY_PC, [MEMORY] = NO_MEMORY, [MAX_BLOCK] = 50}};
    rig_up(&r, m, 4, upper);
    issue(&r, 0);
    issue(&r, 2);
    expect(&r, "warp 0\n  split pc 1 rpc - w0:00000003 ready\n  split pc 3 rpc - w0:0000000c waiting at a "
               "barrier\n");
    issue(&r, 1);
    issue(&r, 2);
    fake_barrier(r.f);
    expect(&r, "warp 0\n  split pc 3 rpc - w0:0000000f ready\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* 0: @p bra 3   1 bar   2: bra 5   3 bar   4 op   5 exit. The side that runs waits at its barrier for the one that is held:
 * that one has its turn. With an entry in the table both are in it; without, the one that waits is on the stack, and when
 * they are released it is held while the other goes on. */
static void test_a_held_side_runs_when_the_others_wait_for_it(void **state) {
    (void)state;
    for (int room = 0; room < 2; room++) {
        struct ir_module *m = ir_module_new("arms");
        fake_bra(m, FAKE_MAYBE, 3); /* 0 */
        fake_bar(m, 0);             /* 1 */
        fake_bra(m, 0, 5);          /* 2 */
        fake_bar(m, 0);             /* 3 */
        fake_op(m);                 /* 4 */
        fake_end(m, IR_EXIT, 0);    /* 5 */
        fake_func(m, "arms");
        struct rig r = {.param = {[WST] = room, [BRANCH] = NO_BRANCH, [MEMORY] = NO_MEMORY, [LIMIT] = 1}};
        rig_up(&r, m, 4, upper);
        issue(&r, 0);
        expect(&r, "warp 0\n  split pc 1 rpc 5 w0:00000003 held\n  split pc 3 rpc 5 w0:0000000c ready\n"
                   "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
        issue(&r, 3);
        expect(&r, room ? "warp 0\n  split pc 1 rpc 5 w0:00000003 ready\n"
                          "  split pc 4 rpc 5 w0:0000000c waiting at a barrier\n"
                          "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n"
                        : "warp 0\n  split pc 1 rpc 5 w0:00000003 ready\n"
                          "  split pc 4 rpc 5 w0:0000000c waiting at a barrier, parked\n"
                          "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
        issue(&r, 1);
        fake_barrier(r.f);
        expect(&r,
               room ? "warp 0\n  split pc 2 rpc 5 w0:00000003 ready\n  split pc 4 rpc 5 w0:0000000c ready\n"
                      "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n"
                    : "warp 0\n  split pc 2 rpc 5 w0:00000003 ready\n  split pc 4 rpc 5 w0:0000000c held\n"
                      "  join pc 5 rpc - w0:0000000f pending w0:0000000f\n");
        issue(&r, 2);
        expect(&r, "warp 0\n  split pc 4 rpc 5 w0:0000000c ready\n"
                   "  join pc 5 rpc - w0:0000000f pending w0:0000000c\n");
        issue(&r, 4);
        expect(&r, "warp 0\n  split pc 5 rpc - w0:0000000f ready\n");
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* harp-fermi's 1024 threads: pdom's stacks, and 16 entries of PC, mask, warp (5), level (6), status (2). */
static void test_storage(void **state) {
    (void)state;
    struct rig r = {.param = {[WST] = 16}};
    struct sb text = {0}, want = {0};
    rig_load(&r, load(), 32, 1024, none);
    fake_start(r.f, "dws");
    storage_text(r.f->mech, &text);
    sb_add(&want, "stack %d\nwarp_splits %d\n", 32 * 64 * 96, 16 * (32 + 32 + 5 + 6 + 2));
    assert_string_equal(text.text, want.text);
    sb_free(&text);
    sb_free(&want);
    rig_down(&r);
}

/* ---- random programs ---- */

/* Against every thread alone, with the audit after every commit and every offer of data; without barriers all ends. */
static void run_random(struct rng *r, uint32_t w, bool barriers, uint64_t *memory, uint64_t *revived) {
    static const int64_t wst[] = {0, 1, 2, 16, 1000};
    struct rig g = {.param = {[WST] = wst[rng_below(r, 5)],
                              [BRANCH] = (int64_t)rng_below(r, 3),
                              [MAX_BLOCK] = (int64_t)rng_below(r, 8),
                              [MEMORY] = (int64_t)rng_below(r, 4),
                              [LIMIT] = (int64_t)rng_below(r, 2)}};
    g.m = random_program(r, random_mix(r, barriers));
    g.c = fake_finish(g.m);
    g.f = fake_new(g.m, g.c, w, random_threads(r, w));
    random_machine(g.f, r);
    g.f->env.param = g.param;
    g.f->slow = rng_below(r, 4);
    g.f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start(g.f, "dws");
    const bool done = fake_run(g.f);
    assert_true(done || barriers);
    if (!done) { /* who waits at a join may be whom others wait for at a barrier; a side that is held runs then */
        struct mech_census c;
        g.f->mech->ops->census(g.f->mech, &c);
        assert_int_equal(c.inactive_path, 0);
    }
    *memory += rig_counter(&g, "memory_splits");
    *revived += rig_counter(&g, "revived");
    rig_down(&g);
}
static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct rng r = {1};
    uint64_t memory = 0, revived = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 600u : 8000u / w); n++)
            run_random(&r, w, n % 2, &memory, &revived);
    assert_true(memory > 1000 && revived > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limited_by_the_next_branch),
        cmocka_unit_test(test_bypassing_branches),
        cmocka_unit_test(test_splits_meet_at_equal_pcs),
        cmocka_unit_test(test_lazy_divides_only_when_nothing_else_can_issue),
        cmocka_unit_test(test_revive_divides_when_nothing_can_issue),
        cmocka_unit_test(test_a_full_table),
        cmocka_unit_test(test_a_split_that_waits_for_operands_is_divided),
        cmocka_unit_test(test_sides_wait_at_the_post_dominator),
        cmocka_unit_test(test_splits_share_the_join_of_a_branch),
        cmocka_unit_test(test_sides_pass_the_post_dominator),
        cmocka_unit_test(test_a_branch_is_serialised),
        cmocka_unit_test(test_fifty_instructions_are_short),
        cmocka_unit_test(test_warps_share_the_table),
        cmocka_unit_test(test_who_exits_lets_the_held_side_run),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_a_barrier),
        cmocka_unit_test(test_a_held_side_runs_when_the_others_wait_for_it),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_every_thread_takes_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
