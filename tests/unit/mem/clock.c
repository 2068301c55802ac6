/* The clocks: order of cycles, waking from sleep, against fractions worked out the long way. */
#include "rig.h"

#include "mem/clock.h"

static struct clocks make(double core, double dram, double l2, double noc) {
    struct clocks c;
    clock_init(&c, &(struct opt_clock){.core = core, .dram = dram, .l2 = l2, .noc = noc});
    return c;
}

/* All clocks awake: their cycles come in order of time, at one instant in the order of the enum, none left out. */
static void cycles_come_in_order(void **state) {
    (void)state;
    const double mhz[CLOCKS] = {1150, 1500.5, 650, 649.9};
    struct clocks c = make(mhz[CLOCK_CORE], mhz[CLOCK_DRAM], mhz[CLOCK_L2], mhz[CLOCK_NOC]);
    for (int i = 0; i < CLOCKS; i++) c.due[i] = 1;
    double last = 0;
    uint64_t total = 0;
    for (enum clock_id id, before = CLOCKS; (id = clock_pick(&c, 11500)) != CLOCKS; total++, before = id) {
        double at = (double)c.due[id] / mhz[id];
        if (at - last < 1e-12) assert_true(at - last > -1e-12 && (before == CLOCKS || before < id));
        assert_true(at > last - 1e-12);
        last = at;
        c.ran[id] = c.due[id]++;
    }
    assert_int_equal(c.ran[CLOCK_CORE], 11500);
    assert_int_equal(c.ran[CLOCK_DRAM], 15005);
    assert_int_equal(c.ran[CLOCK_L2], 6500);
    assert_int_equal(c.ran[CLOCK_NOC], 6499);
    assert_int_equal(total, 11500 + 15005 + 6500 + 6499);
}

/* 3 MHz and 2 MHz: cycle 3 of one and 2 of the other are one instant, where the earlier of the enum runs first. */
static void waking_finds_the_next_cycle(void **state) {
    (void)state;
    struct clocks c = make(2, 3, 3, 3);
    assert_int_equal(clock_after(&c, CLOCK_DRAM, CLOCK_CORE, 1),
                     2); /* 1/2: cycle 1 was at 1/3, 2 is at 2/3 */
    assert_int_equal(clock_after(&c, CLOCK_DRAM, CLOCK_CORE, 2), 3); /* at once: core runs first */
    assert_int_equal(clock_after(&c, CLOCK_CORE, CLOCK_DRAM, 3), 3); /* over: the next is at 3/2 */
    assert_int_equal(clock_after(&c, CLOCK_CORE, CLOCK_DRAM, 2), 2); /* 2/3 */
    assert_int_equal(clock_after(&c, CLOCK_NOC, CLOCK_DRAM, 5), 5);  /* same clock, later in the order */
    assert_int_equal(clock_after(&c, CLOCK_DRAM, CLOCK_NOC, 5), 6);
    c.ran[CLOCK_CORE] = 2;
    assert_int_equal(clock_wake(&c, CLOCK_NOC, CLOCK_CORE), 3);
    assert_int_equal(c.due[CLOCK_NOC], 3);
    assert_int_equal(clock_next(&c), 2);
    c.due[CLOCK_NOC] = 4; /* 4/3: seen at core cycle 3 */
    assert_int_equal(clock_next(&c), 3);
}

/* Numbers beyond 64 bits of product: a year at 100 GHz against 1 MHz and a bit. */
static void long_times_stay_exact(void **state) {
    (void)state;
    struct clocks c = make(100000, 1.000001, 99999.999999, 1);
    uint64_t year = 365ull * 86400 * 100000000000ull;
    assert_int_equal(clock_elapsed(&c, CLOCK_NOC, year), 365ull * 86400 * 1000000);
    assert_int_equal(clock_elapsed(&c, CLOCK_DRAM, year), 365ull * 86400 * 1000001);
    assert_int_equal(clock_elapsed(&c, CLOCK_L2, year), 365ull * 86400 * 99999999999ull);
    assert_int_equal(clock_after(&c, CLOCK_CORE, CLOCK_NOC, 365ull * 86400 * 1000000), year + 1);
}

static void sleepers_do_not_run(void **state) {
    (void)state;
    struct clocks c = make(1, 1, 1, 1);
    assert_int_equal(clock_pick(&c, UINT64_MAX - 1), CLOCKS);
    assert_true(clock_next(&c) == CLOCK_ASLEEP);
    clock_at(&c, CLOCK_L2, 7);
    assert_int_equal(clock_pick(&c, 6), CLOCKS);
    assert_int_equal(clock_pick(&c, 7), CLOCK_L2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_come_in_order),
        cmocka_unit_test(waking_finds_the_next_cycle),
        cmocka_unit_test(long_times_stay_exact),
        cmocka_unit_test(sleepers_do_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
