/* The mechanisms that hold no thread back: nrec, which never merges, and mimd, which fills its packets with any ready
 * threads. */
#include "unit/mech/rig.h"

static void rig_up(struct rig *r, struct ir_module *m, const char *mech, uint32_t w, uint32_t threads,
                   choose_fn *choose) {
    rig_load(r, m, w, threads, choose);
    fake_start(r->f, mech);
}

/* if (odd) op else op; op; exit */
static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_op(m);                 /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "diamond");
    return m;
}
static uint32_t odd(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread & 1;
}

static void test_nrec_parts_for_ever(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "nrec", 8, 8, odd);
    fake_cycle(r.f);
    fake_expect_state(r.f,
                      "split 0 sched 0 pc 1 ready w0:00000055\nsplit 1 sched 0 pc 3 ready w0:000000aa\n");
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 1 + 4 + 3);
    assert_int_equal(r.f->mech->stats.reconvergences, 0);
    assert_int_equal(r.f->mech->stats.splits_max, 2);
    rig_down(&r);
}

/* Once apart, two threads are never in one split again, barriers or not. */
static void test_nrec_splits_only_shrink(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_bra(m, FAKE_MAYBE, 2);
    fake_op(m);
    fake_bar(m, FAKE_MAYBE);
    fake_bra(m, 0, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    struct rig r;
    bool apart[16][16] = {{false}};
    rig_up(&r, m, "nrec", 16, 16, NULL);
    r.f->budget = 60;
    while (!fake_done(r.f)) {
        assert_true(fake_cycle(r.f));
        for (uint32_t a = 0; a < 16; a++)
            for (uint32_t b = 0; b < 16; b++) {
                const struct mech_split *s = split_of(r.f->mech->pool, 0, a),
                                        *t = split_of(r.f->mech->pool, 0, b);
                if (!s || !t) continue;
                assert_false(s == t && apart[a][b]);
                apart[a][b] |= s != t;
            }
    }
    assert_true(apart[0][1] && apart[0][8]);
    rig_down(&r);
}

/* A guarded barrier: those who pass it go on while the others wait, and stay apart. */
static uint32_t waits(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread < 2;
}

static void test_who_does_not_wait_goes_on(void **state) {
    (void)state;
    static const char *const name[] = {"nrec", "mimd"};
    for (uint32_t k = 0; k < 2; k++) {
        struct ir_module *m = ir_module_new("barrier");
        fake_bar(m, FAKE_MAYBE);
        fake_op(m);
        fake_end(m, IR_EXIT, 0);
        fake_func(m, "barrier");
        struct rig r;
        rig_up(&r, m, name[k], 4, 4, waits);
        fake_cycle(r.f);
        fake_expect_state(
            r.f, "split 0 sched 0 pc 1 ready w0:0000000c\nsplit 1 sched 0 pc 1 parked w0:00000003\n");
        fake_cycle(r.f);
        fake_cycle(r.f);
        fake_expect_state(r.f, "split 1 sched 0 pc 1 parked w0:00000003\n");
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* Both arms in one packet: the diamond takes as long as its longer arm. */
static void test_mimd_issues_both_sides_at_once(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "mimd", 8, 8, odd);
    fake_cycle(r.f);
    fake_expect_state(r.f,
                      "split 0 sched 0 pc 1 ready w0:00000055\nsplit 1 sched 0 pc 3 ready w0:000000aa\n");
    fake_cycle(r.f);
    assert_int_equal(r.f->packet.n, 2);
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 5);
    rig_down(&r);
}

/* Threads of different warps fill one packet, and a group is cut where the packet is full. */
static uint32_t two_of_three(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 8 < 5;
}

static void test_mimd_fills_packets_across_warps(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("exit");
    fake_end(m, IR_EXIT, FAKE_MAYBE);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "exit");
    struct rig r;
    rig_up(&r, m, "mimd", 8, 64, two_of_three); /* 3 of each 8 are left: 24 threads, 2 instructions each */
    assert_true(fake_run(r.f));
    assert_int_equal(r.f->issued, 64 / 8 + 2 * 24 / 8);
    assert_int_equal(r.f->lane_sum, 64 + 48);
    rig_down(&r);
}

/* Oldest first: all that came of the first warp's threads are as old as they were, and the second begins
 * where they leave lanes free, at the end. */
static void test_mimd_groups_are_as_old_as_their_warp(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, diamond(), 8, 16, odd);
    r.f->env.order = ORDER_OLDEST;
    fake_start(r.f, "mimd");
    for (uint32_t k = 0; k < 4; k++) {
        assert_true(fake_cycle(r.f));
        for (uint32_t t = 8; t < 16; t++) assert_int_equal(r.f->t[t].steps, 0);
    }
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Some threads of a group have their operands, others wait for an event: the former go on. */
static void test_mimd_lets_woken_threads_go(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "mimd", 8, 8, odd);
    for (uint32_t t = 0; t < 8; t++) {
        r.f->t[t].ready = 1000;
        r.f->t[t].event = true;
    }
    assert_false(fake_issue(r.f, 0));
    assert_true(mech_next(r.f->mech, 0) == MECH_NEVER);
    r.f->t[2].ready = r.f->t[5].ready = 0;
    mech_wake(r.f->mech, 0, 0x24);
    r.f->mech->ops->audit(r.f->mech);
    assert_true(fake_issue(r.f, 0));
    assert_int_equal(r.f->packet.n, 1);
    assert_int_equal(r.f->packet.split[0]->set.p[0].mask, 0x24);
    rig_down(&r);
}

/* A load of which some threads' data is back. */
static void test_mimd_takes_threads_whose_data_is_back(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "mimd", 8, 8, odd);
    fake_cycle(r.f);
    fake_issue(r.f, 0); /* 1 and 3 in flight */
    struct mech_split *s = split_of(r.f->mech->pool, 0, 0);
    struct mech_set ready;
    set_one(&ready, 0, 0x11);
    r.f->t[0].in_flight = r.f->t[4].in_flight = false;
    assert_true(r.f->mech->ops->memory(r.f->mech, s, &ready));
    r.f->mech->ops->audit(r.f->mech);
    assert_int_equal(s->set.p[0].mask, 0x44);
    assert_int_equal(split_of(r.f->mech->pool, 0, 4)->pc, 2);
    assert_false(r.f->mech->ops->memory(r.f->mech, s, &s->set)); /* all of it is a commit */
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* The odd threads wait at the end of the diamond until the even ones are there: they issue as one group. */
static void test_mimd_groups_that_meet_are_one(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "mimd", 8, 8, odd);
    fake_cycle(r.f);
    fake_cycle(r.f);
    for (uint32_t t = 1; t < 8; t += 2) {
        r.f->t[t].ready = 1000;
        r.f->t[t].event = true;
    }
    fake_cycle(r.f);
    fake_expect_state(r.f, "split 0 sched 0 pc 4 waits for an event w0:000000aa\n"
                           "split 1 sched 0 pc 4 ready w0:00000055\n");
    for (uint32_t t = 1; t < 8; t += 2) r.f->t[t].ready = 0;
    fake_cycle(r.f); /* the event wakes them */
    assert_int_equal(r.f->packet.n, 1);
    struct sb out = {0};
    r.f->mech->ops->state(r.f->mech, &out);
    assert_non_null(strstr(out.text, "pc 5 ready w0:000000ff\n"));
    sb_free(&out);
    assert_int_equal(r.f->mech->pool->alive, 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Two units of four threads, packets of four. After 0 the even threads of both are at 1, the odd ones at 3: as long as the
 * even ones are behind they go first, whichever unit the order points at, and all meet at 4. */
static void test_mimd_lets_the_last_of_a_unit_go_first(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, diamond(), "mimd", 4, 8, odd);
    for (uint32_t k = 0; k < 4; k++) fake_cycle(r.f);
    fake_expect_state(r.f,
                      "split 0 sched 0 pc 4 ready w0:00000005\nsplit 1 sched 0 pc 4 ready w0:00000050\n"
                      "split 2 sched 0 pc 3 ready w0:0000000a\nsplit 3 sched 0 pc 3 ready w0:000000a0\n");
    fake_cycle(r.f);
    struct sb out = {0};
    r.f->mech->ops->state(r.f->mech, &out);
    assert_non_null(strstr(out.text, "pc 4 ready w0:0000000f\n"));
    assert_non_null(strstr(out.text, "pc 4 ready w0:000000f0\n"));
    sb_free(&out);
    rig_down(&r);
}

/* A thread that spins at a low PC does not keep the others of its unit from getting on. */
static uint32_t spins(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc;
    return thread == 0 && step < 4000;
}

static void test_mimd_passes_nobody_over_for_ever(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("spin");
    fake_bra(m, FAKE_MAYBE, 0); /* thread 0 stays here */
    for (uint32_t k = 0; k < 8; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "spin");
    struct rig r;
    rig_up(&r, m, "mimd", 4, 8, spins);
    r.f->choose = spins;
    uint64_t cycles = 0;
    for (; r.f->t[1].live || r.f->t[2].live || r.f->t[3].live; cycles++) assert_true(fake_cycle(r.f));
    assert_true(cycles < 1000);
    assert_true(r.f->t[0].live);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nrec_parts_for_ever),
        cmocka_unit_test(test_nrec_splits_only_shrink),
        cmocka_unit_test(test_who_does_not_wait_goes_on),
        cmocka_unit_test(test_mimd_issues_both_sides_at_once),
        cmocka_unit_test(test_mimd_fills_packets_across_warps),
        cmocka_unit_test(test_mimd_groups_are_as_old_as_their_warp),
        cmocka_unit_test(test_mimd_lets_woken_threads_go),
        cmocka_unit_test(test_mimd_takes_threads_whose_data_is_back),
        cmocka_unit_test(test_mimd_groups_that_meet_are_one),
        cmocka_unit_test(test_mimd_lets_the_last_of_a_unit_go_first),
        cmocka_unit_test(test_mimd_passes_nobody_over_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
