/* Dynamic warp formation, step by step: DWF chapter 4's structures one at a time. */
#include "unit/mech/dwf_rig.h"

/* ---- two warps of four, x = threads 0-3 and y = threads 4-7, and a branch ---- */

static uint32_t halves(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 2 || t >= 6;
}

static void expect_states(struct rig *r, const char *const *after, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        assert_true(fake_cycle(r->f));
        fake_expect_state(r->f, after[k]);
    }
}

/* Figure 4.1 in small. x sends threads 0 and 1 to C, y threads 6 and 7: their home lanes are all different. */
static void test_two_warps_diverge_and_merge_lane_aware(void **state) {
    (void)state;
    static const char *const after[] = {
        /* x at A: two warps, two LUT entries with the lanes they hold */
        "scheduler 0: pool 3 of 128\n"
        "  lut[0] pc 0 warp 1 occ f\n  lut[4] pc 1 warp 0 occ c\n  lut[12] pc 3 warp 2 occ 3\n"
        "  warp 0 pc 1 ready w0:0000000c\n  warp 1 pc 0 ready w0:000000f0\n  warp 2 pc 3 ready w0:00000003\n",
        /* y at A: both its halves join, and its own pool entry is free */
        "scheduler 0: pool 2 of 128\n"
        "  lut[4] pc 1 warp 0 occ f\n  lut[12] pc 3 warp 2 occ f\n"
        "  warp 0 pc 1 ready w0:0000003c\n  warp 2 pc 3 ready w0:000000c3\n",
        /* C, then B, with full warps: in order of arrival */
        "scheduler 0: pool 2 of 128\n"
        "  lut[4] pc 1 warp 0 occ f\n  lut[16] pc 4 warp 2 occ f\n"
        "  warp 0 pc 1 ready w0:0000003c\n  warp 2 pc 4 ready w0:000000c3\n",
        "scheduler 0: pool 2 of 128\n"
        "  lut[8] pc 2 warp 0 occ f\n  lut[16] pc 4 warp 2 occ f\n"
        "  warp 0 pc 2 ready w0:0000003c\n  warp 2 pc 4 ready w0:000000c3\n",
        /* D of those from C; 2; D of those from B */
        "scheduler 0: pool 1 of 128\n  lut[8] pc 2 warp 0 occ f\n  warp 0 pc 2 ready w0:0000003c\n",
        "scheduler 0: pool 1 of 128\n  lut[16] pc 4 warp 0 occ f\n  warp 0 pc 4 ready w0:0000003c\n",
        "scheduler 0: pool 0 of 128\n"};
    struct rig r;
    rig_start(&r, diamond(), 4, 8, halves, OPTIONS("policy", "dtime", "swizzle", "none"));
    expect_states(&r, after, 7);
    const struct mech_stats *s = &r.f->mech->stats;
    assert_int_equal(s->divergences, 2);
    assert_int_equal(s->sides, 4);
    assert_int_equal(s->reconvergences, 2);
    assert_int_equal(rig_counter(&r, "merges"), 2);
    assert_int_equal(rig_counter(&r, "merged_threads"), 4);
    assert_int_equal(rig_counter(&r, "lane_conflicts"), 0);
    assert_int_equal(rig_counter(&r, "pool_max"), 3);
    assert_int_equal(rig_counter(&r, "pool_samples"), 7);
    assert_int_equal(rig_counter(&r, "pool_sum"), 2 + 3 + 2 + 2 + 2 + 1 + 1);
    assert_int_equal(rig_counter(&r, "pool_within_16"), 7);
    assert_int_equal(rig_counter(&r, "lut_lookups"), 2 + 2 + 2 + 1 + 1 + 1);
    assert_int_equal(rig_counter(&r, "lut_misses"), 1 + 2 + 0 + 1 + 1 + 1);
    rig_down(&r);
}

/* y sends 4 and 6 to C, where lane 0 is taken: 6 joins warp 2, 4 founds warp 3, and LUT.IDX moves on to it. */
static void test_a_lane_conflict_starts_a_new_warp(void **state) {
    (void)state;
    static const char *const after[] = {
        "scheduler 0: pool 3 of 128\n"
        "  lut[0] pc 0 warp 1 occ f\n  lut[4] pc 1 warp 0 occ c\n  lut[12] pc 3 warp 2 occ 3\n"
        "  warp 0 pc 1 ready w0:0000000c\n  warp 1 pc 0 ready w0:000000f0\n  warp 2 pc 3 ready w0:00000003\n",
        "scheduler 0: pool 4 of 128\n"
        "  lut[4] pc 1 warp 1 occ 8\n  lut[12] pc 3 warp 3 occ 1\n"
        "  warp 0 pc 1 ready w0:0000002c\n  warp 1 pc 1 ready w0:00000080\n"
        "  warp 2 pc 3 ready w0:00000043\n  warp 3 pc 3 ready w0:00000010\n"};
    struct rig r;
    rig_start(&r, diamond(), 4, 8, clash, OPTIONS("policy", "dtime", "swizzle", "none"));
    expect_states(&r, after, 2);
    assert_int_equal(rig_counter(&r, "lane_conflicts"), 2);
    assert_int_equal(rig_counter(&r, "merges"), 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* One LUT entry: each new PC evicts the last, and the threads of y find no warp to join. */
static void test_an_evicted_warp_is_joined_by_nobody(void **state) {
    (void)state;
    static const char *const after[] = {
        "scheduler 0: pool 3 of 128\n  lut[0] pc 1 warp 0 occ c\n"
        "  warp 0 pc 1 ready w0:0000000c\n  warp 1 pc 0 ready w0:000000f0\n  warp 2 pc 3 ready w0:00000003\n",
        "scheduler 0: pool 4 of 128\n  lut[0] pc 1 warp 1 occ 3\n"
        "  warp 0 pc 1 ready w0:0000000c\n  warp 1 pc 1 ready w0:00000030\n"
        "  warp 2 pc 3 ready w0:00000003\n  warp 3 pc 3 ready w0:000000c0\n"};
    struct rig r;
    rig_start(&r, diamond(), 4, 8, halves, OPTIONS("policy", "dtime", "swizzle", "none", "lut_entries", "1"));
    expect_states(&r, after, 2);
    /* C evicts A's entry, B that of C, then C that of B, and B that of C */
    assert_int_equal(rig_counter(&r, "lut_evictions"), 4);
    assert_int_equal(rig_counter(&r, "merges"), 0);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static void test_majority_entry_and_heap_state_by_state(void **state) {
    (void)state;
    static const char *const after[] = {
        /* x done: the majority entry still has y, the heap two PCs */
        "scheduler 0: pool 3 of 128\n"
        "  lut[0] pc 0 warp 1 occ f\n  lut[4] pc 1 warp 0 occ c\n  lut[12] pc 3 warp 2 occ 3\n"
        "  majority pc 0 threads 4 warps 1\n"
        "  heap[0] pc 3 threads 2 warps 2\n  heap[1] pc 1 threads 2 warps 0\n"
        "  warp 0 pc 1 ready w0:0000000c\n  warp 1 pc 0 ready w0:000000f0\n  warp 2 pc 3 ready w0:00000003\n",
        /* y done: its threads count in the same heap entries; the majority entry has run dry */
        "scheduler 0: pool 2 of 128\n"
        "  lut[4] pc 1 warp 0 occ f\n  lut[12] pc 3 warp 2 occ f\n"
        "  majority pc 0 threads 0 warps\n"
        "  heap[0] pc 3 threads 4 warps 2\n  heap[1] pc 1 threads 4 warps 0\n"
        "  warp 0 pc 1 ready w0:0000003c\n  warp 2 pc 3 ready w0:000000c3\n",
        /* the root was popped and has issued */
        "scheduler 0: pool 2 of 128\n"
        "  lut[4] pc 1 warp 0 occ f\n  lut[16] pc 4 warp 2 occ f\n"
        "  majority pc 3 threads 0 warps\n"
        "  heap[0] pc 1 threads 4 warps 0\n  heap[1] pc 4 threads 4 warps 2\n"
        "  warp 0 pc 1 ready w0:0000003c\n  warp 2 pc 4 ready w0:000000c3\n"};
    struct rig r;
    rig_start(&r, diamond(), 4, 8, halves, OPTIONS("swizzle", "none"));
    expect_states(&r, after, 3);
    assert_int_equal(rig_counter(&r, "heap_max"), 2);
    rig_down(&r);
}

/* ---- the five orders ---- */

static struct ir_module *fork_3(void) {
    struct ir_module *m = ir_module_new("fork");
    fake_brx(m, 3, (uint32_t[]){1, 3, 5}); /* 0 */
    for (int k = 0; k < 3; k++) {          /* 1, 3, 5 */
        fake_op(m);
        fake_bra(m, 0, 7);
    }
    fake_end(m, IR_EXIT, 0); /* 7 */
    fake_func(m, "fork");
    return m;
}
/* 0 to 1; 1 to 5 to 3; 6 and 7 to 5 */
static uint32_t one_five_two(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t == 0 ? 0 : t <= 5 ? 1 : 2;
}

static void expect_order(const char *policy, const char *const *more, const char *want) {
    struct rig r;
    struct sb got = {0};
    rig_make(&r, fork_3(), 4, 8, one_five_two, OPTIONS("policy", policy, "lanes", "free", "update", "4"));
    for (; *more; more += 2) rig_set(&r, more[0], more[1]);
    fake_start(r.f, "dwf");
    while (!fake_done(r.f)) sb_add(&got, "%s%u", got.len ? " " : "", rig_issue(&r));
    assert_string_equal(got.text, want);
    sb_free(&got);
    rig_down(&r);
}

/* All warps of the commonest PC before another is chosen: both of 3 (five threads), then both of 4 ... */
static void test_majority_order(void **state) {
    (void)state;
    expect_order("dmaj", OPTIONS("majority", "heap"), "0 0 3 3 4 4 7 7 5 6 7 1 2 7");
    expect_order("dmaj", OPTIONS("majority", "ideal"), "0 0 3 3 4 4 7 7 5 6 7 1 2 7");
}
/* The single thread first, to its end; then x's three at 3 before y's four at 0; then two and two, which meet at 7. */
static void test_minority_order(void **state) {
    (void)state;
    expect_order("dmin", (const char *const[]){NULL}, "0 1 2 7 3 4 7 0 5 3 6 4 7");
}
/* In one commit the higher PC comes first. Thread 5 finds the warp of 3 full and is behind those of 5. */
static void test_time_stamp_order(void **state) {
    (void)state;
    expect_order("dtime", (const char *const[]){NULL}, "0 0 3 1 5 3 4 2 6 4 7 7");
}
/* Who is behind in the program catches up: at 7 they are two full warps. */
static void test_program_counter_order(void **state) {
    (void)state;
    expect_order("dpc", (const char *const[]){NULL}, "0 0 1 2 3 3 4 4 5 6 7 7");
}
/* 0 to 6 have passed none, 7 is where 0 joins: who is there waits, like those of the same rank in order of arrival. */
static void test_post_dominator_order(void **state) {
    (void)state;
    expect_order("dpdpri", (const char *const[]){NULL}, "0 0 3 1 5 3 4 2 6 4 7 7");
}

/* ---- starvation: DWF 6.2, Figures 6.4(d) and 6.5(d) ---- */

enum { ROUNDS = 20, ODD = 5 };

/* A loop with a short block that only thread 5 runs, in its first round. */
static struct ir_module *rare_block(void) {
    struct ir_module *m = ir_module_new("rare");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);                 /* 1 the rare block */
    fake_op(m);                 /* 2 its post-dominator */
    fake_bra(m, FAKE_MAYBE, 0); /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "rare");
    return m;
}
static uint32_t rare(uint32_t t, uint32_t pc, uint32_t step) {
    return pc == 0 ? t != ODD || step > 0 : step < 3 * ROUNDS - 1;
}

struct progress {
    uint32_t odd, others; /* instructions of thread 5 when the first other thread ends; of that thread */
    uint32_t spread;      /* most by which live threads were ever apart */
};

static struct progress watch(const char *policy) {
    struct rig r;
    struct progress p = {0};
    rig_start(&r, rare_block(), 4, 16, rare, OPTIONS("policy", policy));
    const struct fake_thread *t = r.f->t;
    while (!fake_done(r.f)) {
        uint32_t low = UINT32_MAX, high = 0;
        fake_cycle(r.f);
        for (uint32_t k = 0; k < 16; k++) {
            if (!t[k].live && !p.others) p = (struct progress){t[ODD].steps, t[k].steps, p.spread};
            if (!t[k].live) continue;
            if (t[k].steps < low) low = t[k].steps;
            if (t[k].steps > high) high = t[k].steps;
        }
        if (high > low && high - low > p.spread) p.spread = high - low;
    }
    rig_down(&r);
    return p;
}

/* Having taken one step aside it does not take another until the others have finished. */
static void test_majority_starves_a_minority(void **state) {
    (void)state;
    struct progress p = watch("dmaj");
    assert_int_equal(p.odd, 1);
    assert_int_equal(p.others, 3 * ROUNDS + 1);
    assert_true(p.spread >= 3 * ROUNDS - 1);
}
static void test_post_dominator_priority_does_not(void **state) {
    (void)state;
    struct progress p = watch("dpdpri");
    assert_true(p.odd >= p.others - 3);
    assert_true(p.spread <= 3);
}

/* y goes round twice and waits at 4, having passed three; x comes after one round and two. */
static uint32_t once_or_twice(uint32_t t, uint32_t pc, uint32_t step) {
    return pc == 0 || (t >= 4 && step < 3);
}
static void issue_and_wait(struct rig *r, uint32_t from, uint32_t to, uint64_t until) {
    assert_true(fake_issue(r->f, 0));
    for (uint32_t t = from; t < to; t++) {
        r->f->t[t].event = true;
        r->f->t[t].ready = until;
    }
    fake_landings(r->f);
    r->f->now++;
}
static void test_a_warp_ranks_as_its_most_backward_thread(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, rare_block(), 4, 6, once_or_twice, OPTIONS("policy", "dpdpri", "lanes", "free"));
    for (int k = 0; k < 2; k++) fake_cycle(r.f);
    issue_and_wait(&r, 0, 4, 20); /* x is at 3 */
    for (int k = 0; k < 4; k++) fake_cycle(r.f);
    issue_and_wait(&r, 4, 6, 30);
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n  lut[16] pc 4 warp 1\n"
                           "  warp 0 pc 3 waits for an event passed 1 w0:0000000f\n"
                           "  warp 1 pc 4 waits for an event passed 3 w0:00000030\n");
    r.f->now = 20;
    fake_cycle(r.f);
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n  lut[16] pc 4 warp 0\n"
                           "  warp 0 pc 4 ready passed 2 w0:0000000c\n"
                           "  warp 1 pc 4 waits for an event passed 2 w0:00000033\n");
    rig_down(&r);
}

/* ---- costs ---- */

static uint32_t each_its_own(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t;
}
/* Six next PCs through two update registers: two cycles more, in which nothing issues. */
static void test_an_indirect_branch_fills_the_update_registers(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("six ways");
    fake_brx(m, 6, (uint32_t[]){1, 2, 3, 4, 5, 6});
    for (int k = 0; k < 6; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "six");
    struct rig r;
    rig_start(&r, m, 8, 6, each_its_own, OPTIONS("policy", "dpc"));
    assert_true(fake_cycle(r.f));
    assert_int_equal(rig_counter(&r, "update_stalls"), 2);
    assert_int_equal(mech_next(r.f->mech, 0), 2);
    assert_false(fake_issue(r.f, 0)); /* cycle 1 */
    r.f->now = 2;
    assert_true(fake_issue(r.f, 0));
    rig_down(&r);
}

/* ---- overflow ---- */

/* A pool of one: y is in memory while x runs, and is back two times spill_cycles later. */
static void test_a_full_pool_spills(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, diamond(), 4, 8, halves,
              OPTIONS("policy", "dtime", "swizzle", "none", "pool", "1", "spill_cycles", "7"));
    fake_expect_state(r.f, "scheduler 0: pool 1 of 1\n  lut[0] pc 0 warp 0 occ f\n"
                           "  warp 0 pc 0 ready w0:0000000f\n  warp 1 pc 0 spilled w0:000000f0\n");
    struct mech_census c;
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path, 4);
    assert_true(fake_cycle(r.f)); /* x issues, y gets its entry: both sides of x find the pool full */
    fake_expect_state(r.f, "scheduler 0: pool 1 of 1\n  warp 0 pc 1 spilled w0:0000000c\n"
                           "  warp 1 pc 0 back at 14 w0:000000f0\n  warp 2 pc 3 spilled w0:00000003\n");
    r.f->mech->ops->census(r.f->mech, &c);
    assert_int_equal(c.inactive_path, 8);
    assert_int_equal(rig_counter(&r, "pool_spills"), 3);
    assert_int_equal(mech_next(r.f->mech, 0), 14);
    while (r.f->now < 14) assert_false(fake_cycle(r.f));
    assert_true(fake_cycle(r.f));
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A heap of one: the larger group stays, the other's warps go to memory. */
static void test_a_full_heap_spills_the_smallest_group(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, fork_3(), 4, 8, one_five_two,
              OPTIONS("lanes", "free", "update", "4", "heap", "1", "spill_cycles", "3"));
    fake_cycle(r.f); /* x: 3 with three threads came first, 1 with one is no larger */
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n  lut[0] pc 0 warp 1\n  lut[12] pc 3 warp 2\n"
                           "  majority pc 0 threads 4 warps 1\n  heap[0] pc 3 threads 3 warps 2\n"
                           "  warp 0 pc 1 spilled w0:00000001\n  warp 1 pc 0 ready w0:000000f0\n"
                           "  warp 2 pc 3 ready w0:0000000e\n");
    assert_int_equal(rig_counter(&r, "heap_spills"), 1);
    assert_int_equal(rig_counter(&r, "heap_max"), 1);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- post-dominator priority's choices ---- */

/* The warp that 0 and 1 of x join keeps the rank of y's threads; else as in the test before. */
static void test_a_warp_may_rank_as_its_most_forward_thread(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, rare_block(), 4, 6, once_or_twice,
              OPTIONS("policy", "dpdpri", "lanes", "free", "rank", "most"));
    for (int k = 0; k < 2; k++) fake_cycle(r.f);
    issue_and_wait(&r, 0, 4, 20); /* x is at 3 */
    for (int k = 0; k < 4; k++) fake_cycle(r.f);
    issue_and_wait(&r, 4, 6, 30);
    r.f->now = 20;
    fake_cycle(r.f); /* 0 and 1 of x, which passed two, join y's, which passed three */
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n  lut[16] pc 4 warp 0\n"
                           "  warp 0 pc 4 ready passed 2 w0:0000000c\n"
                           "  warp 1 pc 4 waits for an event passed 3 w0:00000033\n");
    rig_down(&r);
}
/* One thread takes 1, five take 3, two take 5, in that order: of those that have passed as many, the most first. */
static void test_ties_may_go_to_the_fuller_warp(void **state) {
    (void)state;
    expect_order("dpdpri", OPTIONS("ties", "arrival"), "0 0 3 1 5 3 4 2 6 4 7 7");
    expect_order("dpdpri", OPTIONS("ties", "fuller"), "0 0 3 4 5 6 1 3 2 4 7 7");
}

/* ---- memory ---- */

/* x loads; the data of 0 and 3 is there before that of 1 and 2: with memory = thread they go on, and meet y's threads. */
static void test_threads_return_singly_from_memory(void **state) {
    (void)state;
    for (int thread = 0; thread < 2; thread++) {
        struct rig r;
        struct ir_module *m = ir_module_new("load");
        fake_op(m);              /* 0 */
        fake_op(m);              /* 1 */
        fake_end(m, IR_EXIT, 0); /* 2 */
        fake_func(m, "load");
        rig_start(&r, m, 4, 6, NULL,
                  OPTIONS("policy", "dtime", "swizzle", "none", "memory", thread ? "thread" : "warp"));
        struct mech_split *x = split_of(r.f->mech->pool, 0, 0);
        struct mech_packet p = {0};
        struct mech_set ready = {.n = 1, .p = {{0, 0x9}}};
        assert_true(r.f->mech->ops->select(r.f->mech, 0, &p) && p.split[0] == x);
        assert_int_equal(r.f->mech->ops->memory(r.f->mech, x, &ready), thread);
        assert_int_equal(x->threads, thread ? 2 : 4);
        if (thread)
            fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n"
                                   "  lut[0] pc 0 warp 1 occ 3\n  lut[4] pc 1 warp 2 occ 9\n"
                                   "  warp 0 pc 0 in flight w0:00000006\n  warp 1 pc 0 ready w0:00000030\n"
                                   "  warp 2 pc 1 ready w0:00000009\n");
        rig_down(&r);
    }
}

/* ---- barriers, storage, options ---- */

static void test_threads_released_from_a_barrier_are_regrouped(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2); /* 0: half of x and the other half of y go to 2 */
    fake_op(m);                 /* 1 */
    fake_bar(m, 0);             /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "barrier");
    struct rig r;
    rig_start(&r, m, 4, 8, halves, OPTIONS("policy", "dtime", "swizzle", "none"));
    while (!r.f->t[0].waits) assert_true(fake_cycle(r.f));
    assert_true(fake_cycle(r.f));
    fake_expect_state(r.f,
                      "scheduler 0: pool 1 of 128\n  lut[8] pc 2 warp 0 occ f\n"
                      "  warp 0 pc 2 ready w0:0000003c\n  warp 2 pc 3 waiting at a barrier w0:000000c3\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* Pieces {0, 1, 6, 7} and {2, 3, 4, 5} wait; the barrier knows threads, and gives back x and y. */
static void test_a_barrier_gives_back_home_warps(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bar(m, 0);             /* 2 */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "barrier");
    struct rig r;
    rig_start(&r, m, 4, 8, halves, OPTIONS("policy", "dtime", "swizzle", "none"));
    do assert_true(fake_cycle(r.f));
    while (!r.f->t[0].waits || !r.f->t[2].waits);
    while (r.f->t[0].waits) assert_true(fake_cycle(r.f));
    fake_expect_state(r.f,
                      "scheduler 0: pool 2 of 128\n  lut[12] pc 3 warp 0 occ f\n  lut[16] pc 4 warp 1 occ f\n"
                      "  warp 0 pc 3 ready w0:000000f0\n  warp 1 pc 4 ready w0:0000000f\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* From the barrier x and y jump back to 1. The lowest PC first lets x end before y jumps; first lets both jump. */
static void test_released_threads_issue_first(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct ir_module *m = ir_module_new("queue");
        fake_bra(m, 0, 2);       /* 0 */
        fake_end(m, IR_EXIT, 0); /* 1 */
        fake_bar(m, 0);          /* 2 */
        fake_bra(m, 0, 1);       /* 3 */
        fake_func(m, "queue");
        struct rig r;
        struct sb got = {0};
        rig_start(&r, m, 4, 8, NULL, OPTIONS("policy", "dpc", "barrier", first ? "first" : "regroup"));
        while (!fake_done(r.f)) sb_add(&got, "%u ", rig_issue(&r));
        assert_string_equal(got.text, first ? "0 0 2 2 3 3 1 1 " : "0 0 2 2 3 1 3 1 ");
        sb_free(&got);
        rig_down(&r);
    }
}

static void expect_storage(uint32_t warps, const char *const *options, const char *want) {
    struct rig r;
    struct sb out = {0};
    rig_make(&r, diamond(), 32, 8, halves, options);
    r.f->env.warps = warps;
    fake_start(r.f, "dwf");
    storage_text(r.f->mech, &out);
    assert_string_equal(out.text, want);
    sb_free(&out);
    rig_down(&r);
}
/* DWF Table 7.1, 768 threads in warps of 32. The MHeap LUT is what its contents add up to. */
static void test_storage_is_that_of_table_7_1(void **state) {
    (void)state;
    expect_storage(24, (const char *const[]){NULL},
                   "warp_update_registers 752\npc_warp_lut 4032\nwarp_pool 44928\nwarp_allocator 896\n"
                   "mheap_lut 3968\nmax_heap 3712\n");
    expect_storage(24, OPTIONS("policy", "dpc", "lut_entries", "8", "pool", "64"),
                   "warp_update_registers 752\npc_warp_lut 496\nwarp_pool 22016\nwarp_allocator 384\n");
    expect_storage(24, OPTIONS("policy", "dpc", "lut_entries", "8", "pool", "64", "pool_layout", "array"),
                   "warp_update_registers 752\npc_warp_lut 496\nwarp_pool 22016\nwarp_allocator 384\n");
}

static void refused(const char *const *options, const char *why) {
    struct rig r;
    struct err e = {0};
    rig_make(&r, diamond(), 4, 8, halves, options);
    assert_null(mech_new(mech_find("dwf"), &r.f->env, &e));
    assert_non_null(strstr(err_text(&e), why));
    err_free(&e);
    rig_down(&r);
}
static void test_ways_must_divide_entries(void **state) {
    (void)state;
    refused(OPTIONS("lut_entries", "10", "lut_ways", "4"), "dwf.lut_entries: 10 entries");
    refused(OPTIONS("heap_lut", "9", "heap_lut_ways", "8"), "dwf.heap_lut: 9 entries");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_warps_diverge_and_merge_lane_aware),
        cmocka_unit_test(test_a_lane_conflict_starts_a_new_warp),
        cmocka_unit_test(test_an_evicted_warp_is_joined_by_nobody),
        cmocka_unit_test(test_majority_entry_and_heap_state_by_state),
        cmocka_unit_test(test_majority_order),
        cmocka_unit_test(test_minority_order),
        cmocka_unit_test(test_time_stamp_order),
        cmocka_unit_test(test_program_counter_order),
        cmocka_unit_test(test_post_dominator_order),
        cmocka_unit_test(test_majority_starves_a_minority),
        cmocka_unit_test(test_post_dominator_priority_does_not),
        cmocka_unit_test(test_a_warp_ranks_as_its_most_backward_thread),
        cmocka_unit_test(test_a_warp_may_rank_as_its_most_forward_thread),
        cmocka_unit_test(test_ties_may_go_to_the_fuller_warp),
        cmocka_unit_test(test_threads_return_singly_from_memory),
        cmocka_unit_test(test_released_threads_issue_first),
        cmocka_unit_test(test_an_indirect_branch_fills_the_update_registers),
        cmocka_unit_test(test_a_full_pool_spills),
        cmocka_unit_test(test_a_full_heap_spills_the_smallest_group),
        cmocka_unit_test(test_threads_released_from_a_barrier_are_regrouped),
        cmocka_unit_test(test_a_barrier_gives_back_home_warps),
        cmocka_unit_test(test_storage_is_that_of_table_7_1),
        cmocka_unit_test(test_ways_must_divide_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
