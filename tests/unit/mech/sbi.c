/* Simultaneous branch and warp interweaving (Brunie, Collange & Diamos, ISCA 2012; HARP 2.3, Table 2): a diamond packet by
 * packet with and without the constraint, warps that fit and that do not, each lane shuffle, the limited search, the
 * cascade, barriers and calls; sbi_random.c has random programs. The audit after every commit checks that the two lowest contexts of each
 * warp are hot and that what may issue is what the rules say; the fake SM checks that no lane is used twice in a packet. */
#include "unit/mech/rig.h"

enum { CONSTRAINT, ALONE };                               /* parameters of sbi */
enum { WAYS, LANES, CASCADE };                            /* options of swi */
enum { BOTH_WAYS = 2, BOTH_LANES, BOTH_CASCADE };         /* options of sbi+swi, behind those of sbi */
enum { XOR_REV, IDENTITY, MIRROR_ODD, MIRROR_HALF, XOR }; /* lanes */

/* ---- what is issued ---- */

/* The packets of a run, a line each: PC and threads of every split. */
struct record {
    struct rig r;
    const struct mech_ops *real;
    struct sb text;
};
static struct record *record; /* record of the test that runs */

static bool recording_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    if (!record->real->select(m, sched, p)) return false;
    for (uint32_t k = 0; k < p->n; k++) {
        sb_add(&record->text, "%s%u ", k ? " + " : "", p->split[k]->pc);
        set_print(&p->split[k]->set, &record->text);
    }
    sb_add(&record->text, "\n");
    return true;
}

static struct rig *begin(struct record *x, struct ir_module *m, uint32_t w, uint32_t threads,
                         choose_fn *choose) {
    *x = (struct record){0};
    record = x;
    rig_load(&x->r, m, w, threads, choose);
    return &x->r;
}

static void start(struct record *x, const char *mech) {
    fake_start(x->r.f, mech);
    x->real = x->r.f->mech->ops;
    x->r.ops = *x->real;
    x->r.ops.select = recording_select;
    x->r.f->mech->ops = &x->r.ops;
}

static void end(struct record *x) {
    sb_free(&x->text);
    rig_down(&x->r);
}

static void expect_packets(struct record *x, const char *packets) {
    assert_true(fake_run(x->r.f));
    assert_string_equal(x->text.text, packets);
}

/* ---- the diamond (SL Figure 1's shape) ---- */

/* With the mark: where the region that begins at 1 ends. */
static struct ir_module *diamond(bool mark) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                               /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4);               /* 1 */
    fake_op(m);                               /* 2 B */
    fake_bra(m, 0, 5);                        /* 3 */
    fake_op(m);                               /* 4 C */
    if (mark) fake_mark(m, IR_MK_SYNC, 0, 1); /* 5 where the region that begins at 1 ends */
    fake_op(m);                               /* 5 or 6 D */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "diamond");
    return m;
}
static uint32_t upper_half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4 >= 2;
}

static uint32_t reconvergence_waits(const struct fake *f) {
    struct mech_census c;
    f->mech->ops->census(f->mech, &c);
    assert_int_equal(c.inactive_path, 0);
    return c.reconvergence;
}

static void both_sides_of_a_diamond_issue_together_and_meet_at_the_join(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, diamond(true), 4, 4, upper_half);
    r->param[CONSTRAINT] = true;
    start(&x, "sbi");
    fake_expect_state(r->f, "warp 0: depth 0 pc 0 first, ready w0:0000000f\n");
    assert_true(fake_cycle(r->f) && fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 0 pc 2 first, ready w0:00000003\n"
                            "warp 0: depth 0 pc 4 second, parked w0:0000000c\n");
    assert_true(fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 0 pc 3 first, ready w0:00000003\n"
                            "warp 0: depth 0 pc 5 second, waits at a SYNC, parked w0:0000000c\n");
    assert_int_equal(reconvergence_waits(r->f), 2);
    assert_true(fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 0 pc 5 first, ready w0:0000000f\n");
    assert_int_equal(reconvergence_waits(r->f), 0);
    expect_packets(&x, "0 w0:0000000f\n"
                       "1 w0:0000000f\n"
                       "2 w0:00000003 + 4 w0:0000000c\n"
                       "3 w0:00000003\n"
                       "5 w0:0000000f\n" /* the mark */
                       "6 w0:0000000f\n"
                       "7 w0:0000000f\n");
    assert_int_equal(rig_counter(r, "pairs_branch"), 1);
    assert_int_equal(rig_counter(r, "lanes_added"), 2);
    assert_int_equal(rig_counter(r, "blocked_by_sync"), 1);
    assert_int_equal(rig_counter(r, "merges"), 1);
    assert_int_equal(rig_counter(r, "contexts_max"), 2);
    assert_int_equal(r->f->mech->stats.reconvergences, 1);
    end(&x);
}

static void without_the_constraint_the_second_runs_past_the_join(void **state) {
    (void)state;
    for (int mark = 0; mark < 2; mark++) {
        struct record x;
        struct rig *r = begin(&x, diamond(mark), 4, 4, upper_half);
        start(&x, "sbi");
        expect_packets(&x, mark ? "0 w0:0000000f\n"
                                  "1 w0:0000000f\n"
                                  "2 w0:00000003 + 4 w0:0000000c\n"
                                  "3 w0:00000003 + 5 w0:0000000c\n"
                                  "5 w0:00000003 + 6 w0:0000000c\n"
                                  "6 w0:00000003 + 7 w0:0000000c\n"
                                  "7 w0:00000003\n"
                                : "0 w0:0000000f\n"
                                  "1 w0:0000000f\n"
                                  "2 w0:00000003 + 4 w0:0000000c\n"
                                  "3 w0:00000003 + 5 w0:0000000c\n"
                                  "5 w0:00000003 + 6 w0:0000000c\n" /* D a second time */
                                  "6 w0:00000003\n");
        assert_int_equal(r->f->mech->stats.reconvergences, 0);
        assert_int_equal(rig_counter(r, "blocked_by_sync"), 0);
        end(&x);
    }
}

static void a_diamond_takes_as_many_packets_in_warps_of_any_width(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct record x;
        struct rig *r = begin(&x, diamond(true), w, 256, upper_half);
        r->param[CONSTRAINT] = true;
        start(&x, "sbi");
        assert_true(fake_run(r->f));
        assert_int_equal(r->f->issued, 7 * 256 / w);
        assert_int_equal(rig_counter(r, "merges"), 256 / w);
        end(&x);
    }
}

/* "a split at R waits while another has its PC in [D, R)", not while another is anywhere: 3 is at R = 5 when 0 1 2 are
 * already behind it. */
static uint32_t three_late(uint32_t thread, uint32_t pc, uint32_t step) {
    return pc == 0 ? thread == 3 : pc == 2 && thread == 3 && step < 8;
}
static void nobody_waits_for_who_is_outside_of_the_region(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("behind");
    fake_bra(m, FAKE_MAYBE, 2);     /* 0 thread 3 to 2 */
    fake_bra(m, 0, 4);              /* 1 the others to 4, around the region [2, 3) */
    fake_bra(m, FAKE_MAYBE, 2);     /* 2 thread 3 some rounds */
    fake_mark(m, IR_MK_SYNC, 0, 2); /* 3 */
    fake_mark(m, IR_MK_SYNC, 0, 3); /* 4 a region [3, 4): 3 alone can hold the others */
    fake_op(m);                     /* 5 */
    fake_end(m, IR_EXIT, 0);        /* 6 */
    fake_func(m, "behind");
    struct record x;
    struct rig *r = begin(&x, m, 4, 4, three_late);
    r->param[CONSTRAINT] = true;
    start(&x, "sbi");
    expect_packets(&x, "0 w0:0000000f\n"
                       "1 w0:00000007 + 2 w0:00000008\n"
                       "2 w0:00000008 + 4 w0:00000007\n" /* 2 is not in [3, 4) */
                       "2 w0:00000008 + 5 w0:00000007\n"
                       "2 w0:00000008 + 6 w0:00000007\n"
                       "2 w0:00000008\n"
                       "2 w0:00000008\n"
                       "2 w0:00000008\n"
                       "2 w0:00000008\n"
                       "3 w0:00000008\n"
                       "4 w0:00000008\n"
                       "5 w0:00000008\n"
                       "6 w0:00000008\n");
    end(&x);
}

/* ---- three paths: two are hot ---- */

static uint32_t by_thread(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4;
}
static void the_third_path_waits_in_the_cold_table(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("switch");
    fake_brx(m, 4, (const uint32_t[]){1, 3, 5, 5}); /* 0 */
    fake_op(m);                                     /* 1 */
    fake_bra(m, 0, 6);                              /* 2 */
    fake_op(m);                                     /* 3 */
    fake_bra(m, 0, 6);                              /* 4 */
    fake_op(m);                                     /* 5 */
    fake_mark(m, IR_MK_SYNC, 0, 0);                 /* 6 */
    fake_end(m, IR_EXIT, 0);                        /* 7 */
    fake_func(m, "switch");
    struct record x;
    struct rig *r = begin(&x, m, 4, 4, by_thread);
    r->param[CONSTRAINT] = true;
    start(&x, "sbi");
    assert_true(fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 0 pc 1 first, ready w0:00000001\n"
                            "warp 0: depth 0 pc 3 second, parked w0:00000002\n"
                            "warp 0: depth 0 pc 5 cold w0:0000000c\n");
    expect_packets(&x, "0 w0:0000000f\n"
                       "1 w0:00000001 + 3 w0:00000002\n"
                       "2 w0:00000001 + 4 w0:00000002\n"
                       "5 w0:0000000c\n" /* 6 waits */
                       "6 w0:0000000f\n"
                       "7 w0:0000000f\n");
    assert_int_equal(rig_counter(r, "contexts_max"), 3);
    end(&x);
}

/* ---- calls, barriers ---- */

static struct ir_module *call_under_a_branch(void) {
    struct ir_module *m = ir_module_new("call");
    fake_bra(m, FAKE_MAYBE, 2);     /* 0 if (c) */
    fake_call(m, 0, 1);             /* 1   f() */
    fake_mark(m, IR_MK_SYNC, 0, 0); /* 2 */
    fake_end(m, IR_EXIT, 0);        /* 3 */
    fake_func(m, "kernel");
    fake_op(m);             /* 4 f */
    fake_end(m, IR_RET, 0); /* 5 */
    fake_func(m, "f");
    return m;
}

/* f lies behind the join, but its threads are deeper: they come first, and the others wait for their return. */
static void a_call_holds_those_at_the_join(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, call_under_a_branch(), 4, 4, upper_half);
    r->param[CONSTRAINT] = true;
    start(&x, "sbi");
    assert_true(fake_cycle(r->f) && fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 1 pc 4 first, ready w0:00000003\n"
                            "warp 0: depth 0 pc 2 second, waits at a SYNC, parked w0:0000000c\n");
    expect_packets(&x, "0 w0:0000000f\n"
                       "1 w0:00000003\n"
                       "4 w0:00000003\n"
                       "5 w0:00000003\n"
                       "2 w0:0000000f\n"
                       "3 w0:0000000f\n");
    end(&x);
}

static void only_who_waits_is_held_at_a_barrier_and_does_not_hold_others(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2);     /* 0 */
    fake_bar(m, 0);                 /* 1 threads 0, 1 */
    fake_mark(m, IR_MK_SYNC, 0, 0); /* 2 */
    fake_bar(m, 0);                 /* 3 all, in two phases */
    fake_end(m, IR_EXIT, 0);        /* 4 */
    fake_func(m, "barrier");
    struct record x;
    struct rig *r = begin(&x, m, 4, 4, upper_half);
    r->param[CONSTRAINT] = true;
    start(&x, "sbi");
    assert_true(fake_cycle(r->f) && fake_cycle(r->f));
    fake_expect_state(r->f, "warp 0: depth 0 pc 2 first, ready w0:0000000c\n"
                            "warp 0: depth 0 pc 2 waiting at a barrier w0:00000003\n");
    expect_packets(&x, "0 w0:0000000f\n"
                       "1 w0:00000003\n"
                       "2 w0:0000000c\n"
                       "3 w0:0000000c\n" /* released together with 0 and 1 */
                       "2 w0:00000003 + 4 w0:0000000c\n"
                       "3 w0:00000003\n"
                       "4 w0:00000003\n");
    end(&x);
}

/* ---- the second alone ---- */

static uint64_t first_not_ready(void *sm, const struct mech_split *s) {
    (void)sm;
    return s->pc == 2 ? MECH_NEVER : 0;
}
static void the_second_leads_only_if_it_may(void **state) {
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct record x;
        struct rig *r = begin(&x, diamond(true), 4, 4, upper_half);
        r->param[CONSTRAINT] = true;
        r->param[ALONE] = alone;
        r->f->env.when = first_not_ready;
        start(&x, "sbi");
        for (int k = 0; k < 6; k++) fake_cycle(r->f);
        assert_string_equal(x.text.text, alone ? "0 w0:0000000f\n1 w0:0000000f\n4 w0:0000000c\n"
                                               : "0 w0:0000000f\n1 w0:0000000f\n");
        end(&x);
    }
}

/* ---- another warp ---- */

/* Two warps of four. Threads 4 and 5 exit at 0. */
static struct ir_module *after_an_exit(void) {
    struct ir_module *m = ir_module_new("exit");
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 0 */
    fake_bra(m, FAKE_MAYBE, 4);       /* 1 */
    fake_op(m);                       /* 2 */
    fake_end(m, IR_EXIT, 0);          /* 3 */
    fake_op(m);                       /* 4 */
    fake_end(m, IR_EXIT, 0);          /* 5 */
    fake_func(m, "exit");
    return m;
}
static uint32_t lower_of_the_second_exit(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc ? thread % 4 >= 2 : thread == 4 || thread == 5;
}

static void a_warp_whose_lanes_are_free_is_issued_beside_the_first(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, after_an_exit(), 4, 8, lower_of_the_second_exit);
    r->param[LANES] = IDENTITY;
    start(&x, "swi");
    /* Threads 4 to 7 are lanes 0 to 3 of the second warp; the fake has both in one slot. */
    expect_packets(&x, "0 w0:0000000f\n"
                       "0 w0:000000f0\n"
                       "1 w0:0000000f\n"
                       "1 w0:000000c0 + 2 w0:00000003\n"
                       "3 w0:00000003 + 4 w0:000000c0\n"
                       "5 w0:000000c0\n"
                       "4 w0:0000000c\n"
                       "5 w0:0000000c\n");
    assert_int_equal(rig_counter(r, "pairs_warp"), 2);
    assert_int_equal(rig_counter(r, "lanes_added"), 4);
    end(&x);
}

/* Two warps that diverge alike have the same lanes; one of them mirrored, they fit. */
static void warps_that_diverge_alike_fit_when_one_is_mirrored(void **state) {
    (void)state;
    for (int lanes = XOR_REV; lanes <= XOR; lanes++) {
        struct record x;
        struct rig *r = begin(&x, diamond(false), 4, 8, upper_half);
        r->param[LANES] = lanes;
        start(&x, "swi");
        for (int n = 0; n < 4; n++) assert_true(fake_cycle(r->f)); /* 0 and 1, for each warp */
        const size_t before = x.text.len;
        assert_true(fake_cycle(r->f));
        /* xor with 1 exchanges 0 with 1, and 2 with 3; the second warp is not in the upper half */
        assert_string_equal(x.text.text + before, lanes == XOR_REV || lanes == MIRROR_ODD
                                                      ? "2 w0:00000003 + 2 w0:00000030\n"
                                                      : "2 w0:00000003\n");
        assert_true(fake_run(r->f));
        end(&x);
    }
}

/* Lane of thread t of warp w, for a scheduler of four warps of eight. */
static void each_shuffle_lays_the_threads_out_as_its_formula_says(void **state) {
    (void)state;
    static const uint32_t want[][4] = {[XOR_REV] = {0, 4, 2, 6},
                                       [IDENTITY] = {0, 0, 0, 0},
                                       [MIRROR_ODD] = {0, 7, 0, 7},
                                       [MIRROR_HALF] = {0, 0, 7, 7},
                                       [XOR] = {0, 1, 2, 3}};
    for (int lanes = XOR_REV; lanes <= XOR; lanes++) {
        struct record x;
        struct rig *r = begin(&x, diamond(false), 8, 32, upper_half);
        r->param[LANES] = lanes;
        r->f->env.warps = 1;
        start(&x, "swi");
        for (uint32_t w = 0; w < 4; w++) assert_int_equal(r->ops.shuffle(r->f->mech, w), want[lanes][w]);
        assert_true(fake_run(r->f));
        end(&x);
    }
}

/* The warp with most threads is taken among those that fit: four warps of eight lanes, of which 1, 2 and 3 come from 1,
 * 2 and 3 threads that are left, in lanes that the leader leaves free. */
static uint32_t some_are_left(uint32_t thread, uint32_t pc, uint32_t step) {
    const uint32_t warp = thread / 8, lane = thread % 8;
    (void)step;
    if (pc) return 0;
    return warp ? lane < 8 - warp : lane >= 4; /* exits */
}
static struct ir_module *few_left(void) {
    struct ir_module *m = ir_module_new("few");
    fake_end(m, IR_EXIT, FAKE_MAYBE); /* 0 */
    for (int k = 0; k < 4; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0); /* 5 */
    fake_func(m, "few");
    return m;
}
static void the_best_fit_goes_and_the_search_ends_after_so_many_ways(void **state) {
    (void)state;
    static const struct {
        int64_t ways;
        const char *packet;
    } row[] = {
        {0, "1 w0:0000000f + 1 w0:e0000000\n"},
        {1, "1 w0:0000000f + 1 w0:00008000\n"},
        {2, "1 w0:0000000f + 1 w0:00c00000\n"},
        {3, "1 w0:0000000f + 1 w0:e0000000\n"},
    };
    for (uint32_t k = 0; k < sizeof row / sizeof *row; k++) {
        struct record x;
        struct rig *r = begin(&x, few_left(), 8, 32, some_are_left);
        r->param[WAYS] = row[k].ways;
        r->param[LANES] = IDENTITY;
        start(&x, "swi");
        for (int n = 0; n < 4; n++) assert_true(fake_cycle(r->f)); /* 0, for each warp */
        const size_t before = x.text.len;
        assert_true(fake_cycle(r->f));
        assert_string_equal(x.text.text + before, row[k].packet);
        assert_true(fake_run(r->f));
        end(&x);
    }
}

/* ---- the cascade ---- */

static void a_cascaded_leader_is_chosen_a_cycle_before_it_issues(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, diamond(false), 4, 4, upper_half);
    r->param[CASCADE] = true;
    start(&x, "swi");
    for (int k = 0; k < 3; k++) {
        assert_int_equal(mech_next(r->f->mech, 0), r->f->now);
        fake_cycle(r->f);
        assert_int_equal(r->f->issued, (uint64_t)k); /* chosen only */
        if (!k) fake_expect_state(r->f, "warp 0: depth 0 pc 0 first, chosen w0:0000000f\n");
        assert_int_equal(r->f->mech->ops->next(r->f->mech, 0), r->f->now);
        assert_true(fake_cycle(r->f));
        assert_int_equal(r->f->issued, (uint64_t)k + 1);
    }
    assert_true(fake_run(r->f));
    end(&x);
}

/* With enough warps the choice of the next overlaps with the search: nothing is lost but the first cycle. */
static void the_cascade_issues_in_every_cycle_where_others_are_ready(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, diamond(false), 4, 16, upper_half);
    r->param[CASCADE] = true;
    r->param[LANES] = IDENTITY;
    start(&x, "swi");
    assert_true(fake_run(r->f));
    assert_true(r->f->issued > 16 && r->f->now <= r->f->issued + 4); /* at the end one warp is left */
    end(&x);
}

/* ---- both ---- */

static void both_take_the_warps_own_second_split_first(void **state) {
    (void)state;
    struct record x;
    struct rig *r = begin(&x, diamond(true), 4, 8, upper_half);
    r->param[CONSTRAINT] = true;
    r->param[BOTH_LANES] = MIRROR_ODD;
    start(&x, "sbi+swi");
    expect_packets(&x, "0 w0:0000000f\n"
                       "0 w0:000000f0\n"
                       "1 w0:0000000f\n"
                       "1 w0:000000f0\n"
                       "2 w0:00000003 + 4 w0:0000000c\n"
                       "2 w0:00000030 + 4 w0:000000c0\n"
                       "3 w0:00000003 + 3 w0:00000030\n" /* the second splits wait at the mark */
                       "5 w0:000000f0\n"
                       "5 w0:0000000f\n"
                       "6 w0:000000f0\n"
                       "6 w0:0000000f\n"
                       "7 w0:000000f0\n"
                       "7 w0:0000000f\n");
    assert_int_equal(rig_counter(r, "pairs_branch"), 2);
    assert_int_equal(rig_counter(r, "pairs_warp"), 1);
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_a_diamond_issue_together_and_meet_at_the_join),
        cmocka_unit_test(without_the_constraint_the_second_runs_past_the_join),
        cmocka_unit_test(a_diamond_takes_as_many_packets_in_warps_of_any_width),
        cmocka_unit_test(nobody_waits_for_who_is_outside_of_the_region),
        cmocka_unit_test(the_third_path_waits_in_the_cold_table),
        cmocka_unit_test(a_call_holds_those_at_the_join),
        cmocka_unit_test(only_who_waits_is_held_at_a_barrier_and_does_not_hold_others),
        cmocka_unit_test(the_second_leads_only_if_it_may),
        cmocka_unit_test(a_warp_whose_lanes_are_free_is_issued_beside_the_first),
        cmocka_unit_test(warps_that_diverge_alike_fit_when_one_is_mirrored),
        cmocka_unit_test(each_shuffle_lays_the_threads_out_as_its_formula_says),
        cmocka_unit_test(the_best_fit_goes_and_the_search_ends_after_so_many_ways),
        cmocka_unit_test(a_cascaded_leader_is_chosen_a_cycle_before_it_issues),
        cmocka_unit_test(the_cascade_issues_in_every_cycle_where_others_are_ready),
        cmocka_unit_test(both_take_the_warps_own_second_split_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
