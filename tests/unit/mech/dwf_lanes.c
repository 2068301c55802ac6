/* Home lanes and register banks of dynamic warp formation (DWF 4.1, Figure 4.2), and their swizzling. */
#include "mech/dwf/dwf.h"
#include "unit/mech/dwf_rig.h"

/* ---- lanes ---- */

static uint32_t even_threads(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 2 == 0;
}
static uint64_t issues(uint32_t w, uint32_t schedulers, const char *const *options) {
    struct rig r;
    rig_make(&r, diamond(), w, 4 * w, even_threads, options);
    r.f->env.schedulers = schedulers;
    fake_start(r.f, "dwf");
    assert_true(fake_run(r.f));
    uint64_t n = r.f->issued;
    rig_down(&r);
    return n;
}
/* DWF 4.1: even threads here, odd ones there can only fill warps if lanes are swapped in every other one. */
static void test_swizzling_helps_odd_and_even_threads(void **state) {
    (void)state;
    /* at D only the last of the half warps from B is still open to those from C */
    assert_int_equal(issues(4, 1, OPTIONS("policy", "dpc", "swizzle", "none")), 4 + 4 + 4 + 4 + 7);
    assert_int_equal(issues(4, 1, OPTIONS("policy", "dpc", "swizzle", "swap")), 4 + 2 + 2 + 2 + 4);
    assert_int_equal(issues(4, 1, OPTIONS("policy", "dpc", "swizzle", "none", "lanes", "free")),
                     4 + 2 + 2 + 2 + 4);
}
/* Warps are dealt out to the schedulers in turn, and only those of one scheduler exchange threads: it is among these that
 * every other one has its lanes swapped. */
static void test_swizzling_alternates_within_a_scheduler(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 64; w *= 2)
        assert_int_equal(issues(w, 2, OPTIONS("policy", "dpc")), 2 * (2 + 1 + 1 + 1 + 2));
}

/* Threads 0, 1 and 4, 6 at C: 4 and 0 share lane 0. The stage stalls for as many cycles as threads read that lane's bank, two
 * (DWF 5.1.1, Register Read). */
static void test_threads_of_one_home_lane_read_registers_in_turn(void **state) {
    (void)state;
    for (int conflict = 0; conflict < 2; conflict++) {
        struct rig r;
        rig_start(&r, diamond(), 4, 8, clash,
                  OPTIONS("policy", "dtime", "swizzle", "none", "lanes", conflict ? "conflict" : "free"));
        for (int k = 0; k < 2; k++) {
            rig_issue(&r);
            assert_int_equal(r.f->packet.register_stall, 0);
        }
        assert_int_equal(rig_issue(&r), C);
        assert_int_equal(r.f->lane_sum, 4 + 4 + 4);
        assert_int_equal(r.f->packet.register_stall, conflict ? 2 : 0);
        assert_int_equal(rig_counter(&r, "bank_stalls"), conflict ? 2 : 0);
        assert_true(fake_run(r.f));
        rig_down(&r);
    }
}

/* ---- banks ---- */

/* Warps of eight on a pipeline of two: banks 0 and 1 with four slots each, x = threads 0-7, y = threads 8-15. */
static void rig_banks(struct rig *r, choose_fn *choose, const char *const *options) {
    rig_make(r, diamond(), 8, 16, choose, options);
    r->f->env.simd_width = 2;
    fake_start(r->f, "dwf");
}
static uint32_t low_halves(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 8 < 4;
}
/* Threads 0 to 3 and 8 to 11 have the same four home lanes, but a bank takes four in a warp. */
static void test_a_bank_has_a_slot_in_every_beat(void **state) {
    (void)state;
    struct rig r;
    rig_banks(&r, low_halves, OPTIONS("policy", "dtime", "swizzle", "none", "lanes", "bank"));
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, "scheduler 0: pool 2 of 128\n"
                           "  lut[4] pc 1 warp 0 banks 4,4\n  lut[12] pc 3 warp 2 banks 4,4\n"
                           "  warp 0 pc 1 ready w0:0000f0f0\n  warp 2 pc 3 ready w0:00000f0f\n");
    assert_int_equal(rig_counter(&r, "lane_conflicts"), 0);
    assert_true(fake_run(r.f));
    rig_down(&r);
    rig_banks(&r, low_halves, OPTIONS("policy", "dtime", "swizzle", "none", "lanes", "aware"));
    fake_cycle(r.f);
    fake_cycle(r.f);
    assert_int_equal(rig_counter(&r, "lane_conflicts"), 2);
    assert_int_equal(rig_counter(&r, "merges"), 0);
    rig_down(&r);
}
/* At C: even threads of x, three, and of y, four, all of bank 0; 8 takes its last slot, 10, 12 and 14 found a warp. */
static uint32_t crowd_bank_0(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 2 == 0 && t != 0;
}
static void test_a_full_bank_starts_a_new_warp(void **state) {
    (void)state;
    struct rig r;
    rig_banks(&r, crowd_bank_0, OPTIONS("policy", "dtime", "swizzle", "none", "lanes", "bank"));
    fake_cycle(r.f);
    fake_cycle(r.f);
    fake_expect_state(r.f, "scheduler 0: pool 4 of 128\n"
                           "  lut[4] pc 1 warp 1 banks 0,4\n  lut[12] pc 3 warp 3 banks 3,0\n"
                           "  warp 0 pc 1 ready w0:000000ab\n  warp 1 pc 1 ready w0:0000aa00\n"
                           "  warp 2 pc 3 ready w0:00000154\n  warp 3 pc 3 ready w0:00005400\n");
    assert_int_equal(rig_counter(&r, "lane_conflicts"), 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}
/* Every fourth thread: swapped they are of banks 0 and 1 by turns, turned by the warp's number of 0, 1, 2, 3. */
static uint32_t every_fourth(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t % 4 == 0;
}
static uint64_t issues_on_banks(const char *swizzle) {
    struct rig r;
    rig_make(&r, diamond(), 16, 8 * 16, every_fourth,
             OPTIONS("policy", "dpc", "lanes", "bank", "swizzle", swizzle));
    r.f->env.simd_width = 4;
    fake_start(r.f, "dwf");
    assert_true(fake_run(r.f));
    uint64_t n = r.f->issued;
    rig_down(&r);
    return n;
}
static void test_rotation_spreads_what_pairs_do_not(void **state) {
    (void)state;
    const uint64_t none = issues_on_banks("none"), swap = issues_on_banks("swap"),
                   rotate = issues_on_banks("rotate");
    assert_int_equal(rotate, 8 + 6 + 6 + 2 + 8); /* as full as warps can be */
    assert_true(rotate < swap && swap < none);
}
/* Homes and threads are each other's inverse, however narrow or wide the machine's warps. */
static void test_rotation_turns_back(void **state) {
    (void)state;
    for (uint32_t w = 4; w <= 64; w *= 2) {
        struct rig r;
        rig_start(&r, diamond(), w, 4 * w, even_threads, OPTIONS("swizzle", "rotate"));
        for (uint32_t slot = 0; slot < 4 * w / 32; slot++)
            for (uint32_t l = 0; l < 32; l++) {
                const uint32_t home = dwf_lanes_of(r.f->mech, slot, 1u << l);
                const uint32_t rank = w < 32 ? (slot * 32 + l) / w : slot * 32 / w, part = w < 32 ? w : 32;
                assert_int_equal(home, 1u << (l / part * part + (l + rank) % part));
                assert_int_equal(dwf_threads_of(r.f->mech, slot, home), 1u << l);
            }
        rig_down(&r);
    }
}
/* Bank 0 is read by seven threads, three of them in beats of their own: the last of the four beats has the other four. */
static void test_threads_beyond_a_banks_slots_read_registers_in_turn(void **state) {
    (void)state;
    struct rig r;
    rig_banks(&r, crowd_bank_0, OPTIONS("policy", "dtime", "swizzle", "none", "lanes", "bank_conflict"));
    fake_cycle(r.f);
    fake_cycle(r.f);
    assert_int_equal(rig_issue(&r), C);
    assert_int_equal(r.f->packet.register_stall, 4);
    assert_int_equal(rig_counter(&r, "bank_stalls"), 4);
    rig_down(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swizzling_helps_odd_and_even_threads),
        cmocka_unit_test(test_swizzling_alternates_within_a_scheduler),
        cmocka_unit_test(test_threads_of_one_home_lane_read_registers_in_turn),
        cmocka_unit_test(test_a_bank_has_a_slot_in_every_beat),
        cmocka_unit_test(test_a_full_bank_starts_a_new_warp),
        cmocka_unit_test(test_rotation_spreads_what_pairs_do_not),
        cmocka_unit_test(test_rotation_turns_back),
        cmocka_unit_test(test_threads_beyond_a_banks_slots_read_registers_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
