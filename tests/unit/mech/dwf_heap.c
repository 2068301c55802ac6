/* The majority policy's hardware (DWF 4.4) and what the pool and the heap report (6.7). */
#include "unit/mech/dwf_rig.h"

/* ---- the majority entry ---- */

static uint32_t again(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc;
    return t < 4 && step == 0;
}

/* x comes back to 0 while y is still there: 4.4.1 adds it to the majority entry, behind y, and to no entry of the heap. */
static void test_who_arrives_at_the_majoritys_pc_joins_it(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("again");
    fake_bra(m, FAKE_MAYBE, 0); /* 0 */
    fake_end(m, IR_EXIT, 0);    /* 1 */
    fake_func(m, "again");
    struct rig r;
    rig_start(&r, m, 4, 8, again, OPTIONS(NULL));
    fake_cycle(r.f);
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n  lut[0] pc 0 warp 0 occ f\n"
                           "  majority pc 0 threads 8 warps 1 0\n"
                           "  warp 0 pc 0 ready w0:0000000f\n  warp 1 pc 0 ready w0:000000f0\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- the max-heap ---- */

static struct ir_module *fork_8(void) {
    struct ir_module *m = ir_module_new("fork");
    uint32_t to[8];
    for (uint32_t k = 0; k < 8; k++) to[k] = 1 + k;
    fake_brx(m, 8, to);
    for (int k = 0; k < 8; k++) fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "fork");
    return m;
}
static uint32_t scattered(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t * 5 + t / 4;
}
static uint64_t stalls(const char *majority, const char *ports, uint64_t *cycles) {
    struct rig r;
    rig_start(&r, fork_8(), 4, 64, scattered,
              OPTIONS("majority", majority, "heap_ports", ports, "update", "8", "lanes", "free"));
    assert_true(fake_run(r.f));
    uint64_t n = rig_counter(&r, "heap_stalls");
    assert_true(!strcmp(majority, "ideal") ? !rig_counter(&r, "heap_swaps")
                                           : rig_counter(&r, "heap_swaps") > 0);
    *cycles = r.f->now;
    rig_down(&r);
    return n;
}
static void test_nothing_issues_while_the_heap_is_rebalanced(void **state) {
    (void)state;
    uint64_t one, many, ideal;
    assert_true(stalls("heap", "1", &one) > stalls("heap", "64", &many));
    assert_int_equal(stalls("ideal", "1", &ideal), 0);
    assert_true(one > many && many >= ideal);
}

/* Threads of warps 0 to 2 go two by two to 1 .. 6, those of warp 3 together to 7: the seventh entry, of four threads, has two
 * levels to climb. */
static uint32_t by_twos(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 12 ? t / 2 : 6;
}
static void test_a_warp_climbs_the_heap_one_swap_a_cycle(void **state) {
    (void)state;
    const char *const ports[] = {"1", "2", "64"};
    for (int k = 0; k < 3; k++) {
        struct rig r;
        rig_start(&r, fork_8(), 4, 16, by_twos, OPTIONS("heap_ports", ports[k]));
        for (int w = 0; w < 4; w++) {
            assert_true(fake_issue(r.f, 0));
            r.f->now++;
            fake_landings(r.f);
        }
        assert_int_equal(rig_counter(&r, "heap_max"), 7);
        assert_int_equal(rig_counter(&r, "heap_lut_misses"), 8); /* 0 to 7, each once */
        assert_int_equal(rig_counter(&r, "heap_swaps"), 2);
        assert_int_equal(rig_counter(&r, "heap_stalls"), 1); /* the other is hidden in the scheduler cycle */
        assert_false(fake_issue(r.f, 0));
        r.f->now++;
        assert_true(fake_issue(r.f, 0));
        assert_int_equal(r.f->issued_pc, 7);
        rig_down(&r);
    }
}

/* The operation on the last warp's entry is on the way while the root is right already: 4.4's pipelined heap. */
static void test_a_pipelined_heap_hides_the_levels_below_its_root(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, fork_8(), 4, 16, by_twos, OPTIONS("majority", "pipelined"));
    for (int w = 0; w < 4; w++) {
        assert_true(fake_issue(r.f, 0));
        const uint64_t before = rig_counter(&r, "heap_stalls");
        r.f->now += 8; /* the heap has nothing to do when the warp lands */
        fake_landings(r.f);
        /* 0 to 2: two new entries, the second begins a cycle later; 3: one, which climbs two levels */
        assert_int_equal(rig_counter(&r, "heap_stalls") - before, w < 3);
        r.f->now += w < 3;
    }
    assert_int_equal(rig_counter(&r, "heap_swaps"), 2);
    assert_true(fake_issue(r.f, 0));
    assert_int_equal(r.f->issued_pc, 7);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static uint32_t by_ones(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 4;
}
/* Four new entries, none of which moves, begin one a cycle; those that arrive at them in the same cycle are counted with
 * them. A heap that is not pipelined has nothing to swap. */
static void test_a_pipelined_heap_begins_one_operation_a_cycle(void **state) {
    (void)state;
    for (int pipelined = 0; pipelined < 2; pipelined++) {
        struct rig r;
        rig_start(&r, fork_8(), 4, 8, by_ones,
                  OPTIONS("majority", pipelined ? "pipelined" : "heap", "update", "4"));
        assert_true(fake_issue(r.f, 0));
        r.f->now = 8;
        assert_true(fake_issue(r.f, 0));
        const uint64_t before = rig_counter(&r, "heap_stalls");
        r.f->now = 16;
        fake_landings(r.f);
        assert_int_equal(rig_counter(&r, "heap_max"), 4);
        assert_int_equal(rig_counter(&r, "heap_swaps"), 0);
        assert_int_equal(rig_counter(&r, "heap_stalls") - before, pipelined ? 3 : 0);
        assert_int_equal(mech_next(r.f->mech, 0), pipelined ? 19 : 16);
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

static uint32_t in_two(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 4 / 2;
}
/* When two groups are equal, the one that is in the heap stays. */
static void test_a_group_as_large_as_the_smallest_is_spilled_itself(void **state) {
    (void)state;
    struct rig r;
    rig_start(&r, fork_8(), 4, 4, in_two, OPTIONS("heap", "1", "spill_cycles", "3"));
    fake_cycle(r.f);
    fake_expect_state(r.f, "scheduler 0: pool 1 of 128\n  lut[8] pc 2 warp 1 occ c\n"
                           "  majority pc 0 threads 0 warps\n  heap[0] pc 2 threads 2 warps 1\n"
                           "  warp 0 pc 1 spilled w0:00000003\n  warp 1 pc 2 ready w0:0000000c\n");
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* ---- occupancy: Table 6.4, Figure 6.10 ---- */

/* Twenty warps, two instructions and an exit: 20 in the pool at 40 issues, then 20, 19, ... 1. */
static void test_occupancy_is_sampled_at_every_issue(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("straight");
    fake_op(m);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "straight");
    struct rig r;
    rig_start(&r, m, 4, 80, NULL, OPTIONS("policy", "dtime"));
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "pool_samples"), 60);
    assert_int_equal(rig_counter(&r, "pool_sum"), 40 * 20 + 210);
    assert_int_equal(rig_counter(&r, "pool_max"), 20);
    assert_int_equal(rig_counter(&r, "pool_within_16"), 16);
    assert_int_equal(rig_counter(&r, "pool_within_32"), 60);
    assert_int_equal(rig_counter(&r, "pool_within_128"), 60);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_arrives_at_the_majoritys_pc_joins_it),
        cmocka_unit_test(test_nothing_issues_while_the_heap_is_rebalanced),
        cmocka_unit_test(test_a_warp_climbs_the_heap_one_swap_a_cycle),
        cmocka_unit_test(test_a_pipelined_heap_hides_the_levels_below_its_root),
        cmocka_unit_test(test_a_pipelined_heap_begins_one_operation_a_cycle),
        cmocka_unit_test(test_a_group_as_large_as_the_smallest_is_spilled_itself),
        cmocka_unit_test(test_occupancy_is_sampled_at_every_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
