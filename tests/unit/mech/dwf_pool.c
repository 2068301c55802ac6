/* The warp pool's memory: one array whose single write port takes the updates one after the other (DWF 4.2.1, 9.3.2), and
 * which warp leaves it when it is full (6.7, 9.3.2). */
#include <stdio.h>

#include "unit/mech/dwf_rig.h"

/* ---- one array ---- */

enum { AT_X = 10, AT_Y = 20 }; /* far enough from each other that the write port is idle in between */

static void start(struct rig *r, choose_fn *choose, uint32_t beats, const char *layout) {
    rig_make(r, diamond(), 4, 8, choose,
             OPTIONS("policy", "dtime", "swizzle", "none", "pool_layout", layout));
    r->f->env.simd_width = 4 / beats;
    fake_start(r->f, "dwf");
}

static void issue_at(struct rig *r, uint64_t cycle) {
    r->f->now = cycle;
    assert_true(fake_issue(r->f, 0));
}
static void land(struct rig *r) {
    r->f->now++;
    fake_landings(r->f);
}

/* Cycles for which issue is held when y has landed, x having done so long before. */
static uint64_t held_by_y(choose_fn *choose, uint32_t beats, const char *layout) {
    struct rig r;
    start(&r, choose, beats, layout);
    issue_at(&r, AT_X);
    land(&r);
    issue_at(&r, AT_Y);
    const uint64_t before = rig_counter(&r, "pool_stalls");
    land(&r);
    const uint64_t held = rig_counter(&r, "pool_stalls") - before;
    assert_int_equal(mech_next(r.f->mech, 0), r.f->now + held);
    if (held) assert_false(fake_issue(r.f, 0));
    issue_at(&r, r.f->now + held);
    fake_landings(r.f);
    assert_true(fake_run(r.f));
    rig_down(&r);
    return held;
}

/* Both sides of y fill up the warp of x that is there and begin a new one: 4.2.1's worst case. A scheduler cycle of four core
 * cycles hides it ("perform the four warp updates over four cycles"), a shorter one hides as many updates as it has. */
static void test_four_updates_take_four_cycles(void **state) {
    (void)state;
    assert_int_equal(held_by_y(clash, 4, "array"), 0);
    assert_int_equal(held_by_y(clash, 2, "array"), 2);
    assert_int_equal(held_by_y(clash, 1, "array"), 3);
    assert_int_equal(held_by_y(clash, 1, "banks"), 0);
    assert_int_equal(held_by_y(clash, 1, "ports"), 0);
}

static uint32_t outer(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 2 || t >= 6;
}
/* Both sides of y fit: two updates. */
static void test_a_warp_that_fits_is_one_update(void **state) {
    (void)state;
    assert_int_equal(held_by_y(outer, 2, "array"), 0);
    assert_int_equal(held_by_y(outer, 1, "array"), 1);
}

/* "Every cycle, the incoming threads with the same PC value" (4.2.1): x and y land in one cycle, and their threads of one PC
 * are one update. */
static void test_threads_of_one_cycle_are_one_update(void **state) {
    (void)state;
    struct rig r;
    start(&r, outer, 1, "array");
    issue_at(&r, AT_X);
    issue_at(&r, AT_X);
    const uint64_t before = rig_counter(&r, "pool_stalls");
    land(&r);
    assert_int_equal(rig_counter(&r, "pool_stalls") - before, 1);
    assert_int_equal(rig_counter(&r, "merges"), 2);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

/* A warp that comes back from memory is written to its entry. */
static void test_a_warp_back_from_memory_is_an_update(void **state) {
    (void)state;
    struct rig r;
    rig_make(&r, diamond(), 4, 8, outer,
             OPTIONS("policy", "dtime", "pool_layout", "array", "pool", "1", "spill_cycles", "7"));
    r.f->env.simd_width = 4;
    fake_start(r.f, "dwf");
    assert_true(fake_cycle(r.f)); /* x; y is in memory, and is back at 14 */
    assert_int_equal(mech_next(r.f->mech, 0), 14);
    r.f->now = 14;
    assert_true(fake_issue(r.f, 0)); /* its write is hidden in the scheduler cycle */
    assert_int_equal(rig_counter(&r, "pool_stalls"), 0);
    rig_down(&r);
}

/* ---- a full pool ---- */

static uint32_t three_take(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 3;
}
static uint32_t one_takes(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 1;
}

/* A pool of two has y and, once x has issued, room for one side of x. C is higher and arrives first. */
static void expect_spilled(choose_fn *choose, const char *policy, const char *spill, uint32_t pc) {
    struct rig r;
    struct sb got = {0};
    char want[64];
    rig_start(&r, diamond(), 4, 8, choose,
              OPTIONS("policy", policy, "swizzle", "none", "pool", "2", "spill", spill, "spill_cycles", "3"));
    assert_true(fake_cycle(r.f));
    assert_int_equal(rig_counter(&r, "pool_spills"), 1);
    r.f->mech->ops->state(r.f->mech, &got);
    snprintf(want, sizeof want, "pc %u spilled", pc);
    if (!strstr(got.text, want)) fail_msg("%s %s: not %s:\n%s", policy, spill, want, got.text);
    sb_free(&got);
    assert_true(fake_run(r.f));
    rig_down(&r);
}

static void test_who_arrives_is_spilled(void **state) {
    (void)state;
    static const char *const policies[] = {"dmaj", "dmin", "dtime", "dpc", "dpdpri"};
    for (int k = 0; k < 5; k++) expect_spilled(one_takes, policies[k], "arriving", B);
}

/* Under the policy: the side with fewer threads, and of equal ones that which arrives; y, with the most threads; that which
 * arrives; the higher PC; that which arrives, being of equal rank. */
static void test_or_whose_turn_is_last(void **state) {
    (void)state;
    expect_spilled(one_takes, "dmaj", "last", C);
    expect_spilled(three_take, "dmaj", "last", B);
    expect_spilled(outer, "dmaj", "last", B);
    expect_spilled(three_take, "dmin", "last", A);
    expect_spilled(one_takes, "dtime", "last", B);
    expect_spilled(one_takes, "dpc", "last", C);
    expect_spilled(three_take, "dpdpri", "last", B);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_updates_take_four_cycles),
        cmocka_unit_test(test_a_warp_that_fits_is_one_update),
        cmocka_unit_test(test_threads_of_one_cycle_are_one_update),
        cmocka_unit_test(test_a_warp_back_from_memory_is_an_update),
        cmocka_unit_test(test_who_arrives_is_spilled),
        cmocka_unit_test(test_or_whose_turn_is_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
