/* Large warps (Narasiman et al., MICRO 2011; HARP 2.3): a divergent branch step by step with the sub-warps of every issue,
 * the packing rule against a count by columns, one-beat jumps, what waits for the last sub-warp, the two-level order, and
 * that barriers, exits, calls and ragged blocks are pdom's. */
#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

enum { SIZE, JUMP, SYNC, SIDE };              /* parameters */
enum { ONE, ALL_BEATS, BRANCH = 0, ALL = 1 }; /* values of jump and of sync */

static void rig_make(struct rig *r, struct ir_module *m, uint32_t width, uint32_t size, uint32_t threads,
                     choose_fn *choose) {
    rig_load(r, m, width, threads, choose);
    memset(r->param, 0, sizeof r->param);
    r->param[SIZE] = size;
}

static void rig_up(struct rig *r, struct ir_module *m, uint32_t width, uint32_t size, uint32_t threads,
                   choose_fn *choose) {
    rig_make(r, m, width, size, threads, choose);
    fake_start(r->f, "lwm");
}

/* A cycle issues the instruction at pc in so many beats. */
static void issues(struct rig *r, uint32_t pc, uint32_t beats) {
    assert_true(fake_cycle(r->f));
    assert_int_equal(r->f->issued_pc, pc);
    assert_int_equal(r->f->packet.beats, beats);
}

/* The last issue's sub-warp of a beat, as lanes of architectural warp 0. */
static uint32_t subwarp(const struct rig *r, uint32_t beat) {
    assert_true(r->f->packet.beat && beat < r->f->packet.beats);
    return set_mask(&r->f->packet.beat[beat], 0);
}

/* ---- the example ---- */

/* A diamond (SL Figure 1): B and C are the sides, D the join. */
static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                 /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_load(m);               /* 2 B */
    fake_bra(m, 0, 5);          /* 3 */
    fake_load(m);               /* 4 C */
    fake_load(m);               /* 5 D */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "diamond");
    return m;
}

static uint32_t every_lane(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread == 1 || thread == 3 || thread == 4 || thread == 6;
}
static uint32_t one_lane(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread == 0 || thread == 4;
}

/* Rows 0-3 and 4-7 on four lanes. The threads that branch are in lanes 1 3 0 2, so each side is one full sub-warp, where two
 * warps of four would have issued two half empty ones. */
static void sides_that_fill_the_lanes_take_one_beat(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), 4, 8, 8, every_lane);
    issues(&r, 0, 2);
    issues(&r, 1, 2);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 4 ready w0:0000005a\n"
                           "  pc 5 rpc - w0:000000ff\n  pc 2 rpc 5 w0:000000a5\n"
                           "  pc 4 rpc 5 w0:0000005a <- top\n");
    issues(&r, 4, 1);
    assert_int_equal(subwarp(&r, 0), 0x5a); /* 4 1 6 3 */
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 2 ready w0:000000a5\n"
                           "  pc 5 rpc - w0:000000ff\n  pc 2 rpc 5 w0:000000a5 <- top\n");
    struct mech_census c;
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path, 0);
    assert_int_equal(c.reconvergence, 4); /* threads of C wait for those of B */
    issues(&r, 2, 1);
    assert_int_equal(subwarp(&r, 0), 0xa5); /* 0 5 2 7 */
    issues(&r, 3, 1);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 5 ready w0:000000ff\n"
                           "  pc 5 rpc - w0:000000ff <- top\n");
    issues(&r, 5, 2);
    assert_int_equal(subwarp(&r, 0), 0x0f);
    assert_int_equal(subwarp(&r, 1), 0xf0);
    issues(&r, 6, 2);
    fake_expect_state(r.f, "");
    assert_int_equal(rig_counter(&r, "subwarps"), 11); /* pdom with warps of four: 14 */
    assert_int_equal(rig_counter(&r, "full_subwarps"), 11);
    assert_int_equal(rig_counter(&r, "jump_beats_saved"), 0);
    assert_int_equal(r.f->mech->stats.reconvergences, 1);
    rig_down(&r);
}

/* Threads 0 and 4 share lane 0, and threads never change lanes. */
static void threads_of_one_lane_take_a_beat_each(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), 4, 8, 8, one_lane);
    issues(&r, 0, 2);
    issues(&r, 1, 2);
    issues(&r, 4, 2);
    assert_int_equal(subwarp(&r, 0), 0x01);
    assert_int_equal(subwarp(&r, 1), 0x10);
    issues(&r, 2, 2);
    assert_int_equal(subwarp(&r, 0), 0x0e);
    assert_int_equal(subwarp(&r, 1), 0xe0);
    issues(&r, 3, 1);
    assert_int_equal(rig_counter(&r, "jump_beats_saved"), 1);
    issues(&r, 5, 2);
    issues(&r, 6, 2);
    assert_int_equal(rig_counter(&r, "subwarps"), 13);
    assert_int_equal(rig_counter(&r, "full_subwarps"), 2 + 2 + 2 + 2);
    rig_down(&r);
}

/* ---- options ---- */

static void a_jump_takes_all_beats_if_it_is_told_to(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, diamond(), 4, 8, 8, one_lane);
    r.param[JUMP] = ALL_BEATS;
    fake_start(r.f, "lwm");
    while (r.f->issued_pc != 3) assert_true(fake_cycle(r.f));
    assert_int_equal(r.f->packet.beats, 2);
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "jump_beats_saved"), 0);
    rig_down(&r);
}

/* Whether the instruction at each PC of the diamond waits for its last sub-warp. */
static void expect_sync(int64_t sync, const char *pcs) {
    struct rig r;
    rig_make(&r, diamond(), 4, 8, 8, one_lane);
    r.param[SYNC] = sync;
    fake_start(r.f, "lwm");
    while (fake_cycle(r.f)) assert_int_equal(r.f->packet.last_beat, pcs[r.f->issued_pc] == 'y');
    rig_down(&r);
}

static void what_decides_where_threads_go_waits_for_the_last_subwarp(void **state) {
    (void)state;
    expect_sync(BRANCH, "nynnnny"); /* the branch and the exit, not the jump */
    expect_sync(ALL, "yyyyyyy");
}

static void which_side_runs_first_is_a_parameter(void **state) {
    (void)state;
    static const uint32_t first[] = {4, 2, 2}; /* taken, fall-through, most threads */
    for (int64_t side = 0; side < 3; side++) {
        struct rig r;
        rig_make(&r, diamond(), 4, 8, 8, one_lane);
        r.param[SIDE] = side;
        fake_start(r.f, "lwm");
        issues(&r, 0, 2);
        issues(&r, 1, 2);
        issues(&r, first[side], 2);
        rig_down(&r);
    }
}

static uint32_t width_of(int64_t size, uint32_t simd) {
    return mech_width(mech_find("lwm"), (int64_t[]){size, 0, 0, 0}, 32, simd);
}

static void a_large_warp_is_no_narrower_than_the_lanes(void **state) {
    (void)state;
    assert_int_equal(width_of(128, 16), 128);
    assert_int_equal(width_of(256, 32), 256);
    assert_int_equal(width_of(16, 16), 16);
    assert_int_equal(width_of(8, 16), 16);
}

static void a_size_that_is_no_power_of_two_is_refused(void **state) {
    (void)state;
    struct rig r;
    struct err e = {0};
    rig_make(&r, diamond(), 4, 96, 8, one_lane);
    assert_null(mech_new(mech_find("lwm"), &r.f->env, &e));
    assert_string_equal(err_text(&e), "lwm: a warp of 96 threads: it must be a power of two up to 256");
    err_free(&e);
    rig_down(&r);
}

static void expect_storage(int64_t sync, const char *text) {
    struct rig r;
    struct sb out = {0};
    rig_make(&r, diamond(), 32, 128, 256, one_lane);
    r.param[SYNC] = sync;
    fake_start(r.f, "lwm");
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, text);
    sb_free(&out);
    rig_down(&r);
}

/* Two warps: 256 entries of two PCs and a mask each, the threads still to issue, and those under way. */
static void storage_is_a_stack_and_two_masks(void **state) {
    (void)state;
    expect_storage(BRANCH, "stack 98304\nto_issue 256\nunder_way 256\n");
    expect_storage(ALL, "stack 98304\nto_issue 256\n");
}

/* ---- packing ---- */

static struct ir_module *ifs(void) { /* six times: if (maybe) skip a load */
    struct ir_module *m = ir_module_new("ifs");
    for (uint32_t k = 0; k < 6; k++) {
        fake_bra(m, FAKE_MAYBE, 2 * k + 2);
        fake_load(m);
    }
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "ifs");
    return m;
}

/* By counting: the k-th thread of a column is in the k-th beat, the fullest column says how many beats there are, and the
 * emptiest how many sub-warps are full. */
static void check_packet(const struct fake *f, uint64_t full) {
    const struct mech_packet *p = &f->packet;
    const uint32_t width = f->env.simd_width;
    uint32_t n[MECH_WIDEST] = {0}, last[MECH_WIDEST], most = 0, least = MECH_WIDEST;
    for (uint32_t b = 0; b < p->beats; b++)
        for (uint32_t k = 0; k < p->beat[b].n; k++) FOR_LANES(l, p->beat[b].p[k].mask) {
                const uint32_t thread = split_lane_of(f->mech->pool, p->beat[b].p[k].warp, l);
                const uint32_t column = thread % width;
                assert_int_equal(n[column]++, b);
                assert_true(!b || last[column] < thread);
                last[column] = thread;
            }
    for (uint32_t k = 0; k < width; k++) {
        if (n[k] > most) most = n[k];
        if (n[k] < least) least = n[k];
    }
    assert_int_equal(p->beats, most);
    assert_int_equal(full, least);
}

static void each_column_offers_its_topmost_thread(void **state) {
    (void)state;
    struct rng g = {5};
    for (uint32_t size = 4; size <= 256; size *= 2)
        for (uint32_t width = 1; width <= size; width *= 2)
            for (uint32_t n = 0; n < 4; n++) {
                struct rig r;
                rig_make(&r, ifs(), width, size, 1 + (uint32_t)rng_below(&g, 2 * size), NULL);
                r.f->seed = rng_next(&g);
                r.f->per_block = 32 * (uint32_t)rng_below(&g, 6);
                fake_start(r.f, "lwm");
                for (uint64_t full = 0; fake_cycle(r.f); full = rig_counter(&r, "full_subwarps"))
                    if (r.f->packet.beat) check_packet(r.f, rig_counter(&r, "full_subwarps") - full);
                assert_true(fake_done(r.f));
                rig_down(&r);
            }
}

/* ---- what is pdom's ---- */

/* Random programs and machines at every size and width, one-thread lanes included; with barriers some wait for ever, as
 * under any stack. */
static uint32_t random_runs(bool barriers) {
    struct rng g = {barriers ? 4 : 3};
    uint32_t stuck = 0;
    for (uint32_t n = 0; n < 500; n++) {
        struct ir_module *m = random_program(&g, random_mix(&g, barriers));
        const uint32_t size = 4u << rng_below(&g, 7), width = size >> rng_below(&g, 5);
        struct rig r;
        rig_make(&r, m, width ? width : 1, size, 1 + (uint32_t)rng_below(&g, size < 64 ? 128 : 2 * size),
                 NULL);
        random_machine(r.f, &g);
        r.f->env.order_timeout = (uint32_t)rng_below(&g, 3);
        r.f->slow = rng_below(&g, 2);
        r.f->per_block = 32 * (uint32_t)rng_below(&g, 6);
        r.param[JUMP] = (int64_t)rng_below(&g, 2);
        r.param[SYNC] = (int64_t)rng_below(&g, 2);
        r.param[SIDE] = (int64_t)rng_below(&g, 3);
        fake_start(r.f, "lwm");
        stuck += !fake_run(r.f);
        assert_true(r.f->mech->stats.stack_max <= 2 * size);
        rig_down(&r);
    }
    return stuck;
}

static void every_thread_takes_its_own_path(void **state) {
    (void)state;
    assert_int_equal(random_runs(false), 0);
    assert_true(random_runs(true) > 0);
}

/* All of architectural warp 0 waits, and holds warp 1, the other half of the large warp, which does not. */
static uint32_t first_warp(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 32 || thread >= 64;
}

static void a_barrier_holds_the_whole_large_warp(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bar(m, FAKE_MAYBE);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    struct rig r;
    rig_up(&r, m, 32, 64, 128, first_warp);
    assert_true(fake_issue(r.f, 0));
    assert_true(r.f->packet.last_beat);
    fake_landings(r.f);
    fake_expect_state(r.f, "warp 0: split 0 sched 0 pc 1 parked w0:ffffffff w1:ffffffff\n"
                           "  pc 1 rpc - w0:ffffffff w1:ffffffff <- top\n"
                           "  waiting at a barrier w0:ffffffff\n"
                           "warp 2: split 1 sched 0 pc 0 ready w2:ffffffff w3:ffffffff\n"
                           "  pc 0 rpc - w2:ffffffff w3:ffffffff <- top\n");
    struct mech_set set;
    set_one(&set, 0, ~0u);
    for (uint32_t t = 0; t < 32; t++) r.f->t[t].waits = false;
    r.f->mech->ops->release(r.f->mech, &set, 1);
    assert_true(fake_issue(r.f, 0)); /* the other large warp, or this one: both may */
    assert_true(fake_issue(r.f, 0));
    fake_landings(r.f);
    rig_down(&r);
}

/* f calls itself while step < 3 * thread, threads of all rows to different depths. */
static uint32_t deep_choice(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return step < 3 * (thread % 8);
}

static void recursion_rejoins_in_each_activation(void **state) {
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
    rig_up(&r, m, 8, 64, 50, deep_choice);
    issues(&r, 0, 7); /* calls are for every thread: rows of 8, the last of 2 */
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->mech->stats.reconvergences, r.f->mech->stats.divergences);
    rig_down(&r);
}

/* A branch with five targets, each of a fifth of the threads; all meet behind it. */
static uint32_t fifth(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 5;
}

static void an_indirect_branch_has_a_side_for_every_target(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("indirect");
    fake_brx(m, 5, (uint32_t[]){1, 3, 5, 7, 9}); /* 0 */
    for (uint32_t k = 0; k < 5; k++) {           /* 1, 3, 5, 7, 9 */
        fake_load(m);
        fake_bra(m, 0, 11);
    }
    fake_load(m);            /* 11 */
    fake_end(m, IR_EXIT, 0); /* 12 */
    fake_func(m, "indirect");
    struct rig r;
    rig_up(&r, m, 4, 32, 20, fifth);
    issues(&r, 0, 5);
    for (uint32_t k = 1; k <= 5; k++) { /* four threads in four different lanes, for five is odd */
        issues(&r, 1 + 2 * (k % 5), 1); /* the one behind the branch is its fall-through, and last */
        issues(&r, 2 + 2 * (k % 5), 1);
    }
    issues(&r, 11, 5);
    assert_int_equal(rig_counter(&r, "full_subwarps"), rig_counter(&r, "subwarps"));
    rig_down(&r);
}

static uint32_t odd_rows(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread / 4 % 2;
}

static void who_exits_takes_no_more_beats(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exit");
    fake_end(m, IR_EXIT, FAKE_MAYBE);
    fake_load(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "exit");
    struct rig r;
    rig_up(&r, m, 4, 16, 14, odd_rows); /* the last row has two threads */
    issues(&r, 0, 4);
    issues(&r, 1, 2);
    assert_int_equal(subwarp(&r, 0), 0x000f);
    assert_int_equal(subwarp(&r, 1), 0x0f00);
    rig_down(&r);
}

/* ---- the two-level order ---- */

/* With an active set of one the large warp is the paper's fetch group: it runs until it goes to memory. */
static void a_large_warp_is_a_fetch_group(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("groups");
    fake_op(m);
    fake_op(m);
    fake_load(m);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "groups");
    struct rig r;
    rig_make(&r, m, 4, 8, 16, NULL);
    r.f->env.order = ORDER_TWO_LEVEL;
    r.f->env.order_groups = 1;
    fake_start(r.f, "lwm");
    static const char *const turns = "0001110011"; /* home warps */
    for (uint32_t k = 0; turns[k]; k++) {
        assert_true(fake_issue(r.f, 0));
        assert_int_equal(r.f->packet.split[0]->own[0], turns[k] - '0');
        fake_landings(r.f);
        r.f->now++;
    }
    assert_true(fake_done(r.f));
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_that_fill_the_lanes_take_one_beat),
        cmocka_unit_test(threads_of_one_lane_take_a_beat_each),
        cmocka_unit_test(a_jump_takes_all_beats_if_it_is_told_to),
        cmocka_unit_test(what_decides_where_threads_go_waits_for_the_last_subwarp),
        cmocka_unit_test(which_side_runs_first_is_a_parameter),
        cmocka_unit_test(a_large_warp_is_no_narrower_than_the_lanes),
        cmocka_unit_test(a_size_that_is_no_power_of_two_is_refused),
        cmocka_unit_test(storage_is_a_stack_and_two_masks),
        cmocka_unit_test(each_column_offers_its_topmost_thread),
        cmocka_unit_test(every_thread_takes_its_own_path),
        cmocka_unit_test(a_barrier_holds_the_whole_large_warp),
        cmocka_unit_test(recursion_rejoins_in_each_activation),
        cmocka_unit_test(an_indirect_branch_has_a_side_for_every_target),
        cmocka_unit_test(who_exits_takes_no_more_beats),
        cmocka_unit_test(a_large_warp_is_a_fetch_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
