/* Access times of a DRAM channel (DWF 5.1.3) in closed form, and every constraint of Table 5.1 alone. */
#include "dram_rig.h"

/* ---- access times ---- */

static void an_idle_bank_takes_activate_plus_read(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    struct rig r = rig_new(&o);
    get(&r, 3, 7, 1);
    assert_true(dram_busy(r.d));
    run(&r, 100);
    assert_int_equal(r.done[1], o.tRCD + o.tCL + o.burst);
    assert_int_equal(r.s.row_misses, 1);
    assert_int_equal(r.s.latency_sum, r.done[1]);
    assert_int_equal(r.s.latency[1], 1); /* 26 cycles: 16 to 31 */
    assert_false(dram_busy(r.d));
    dram_free(r.d);
}

static void a_row_hit_takes_the_read_alone(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    struct rig r = rig_new(&o);
    get(&r, 3, 7, 1);
    run(&r, 100);
    get(&r, 3, 7, 2);
    run(&r, 100);
    assert_int_equal(r.done[2], 100 + o.tCL + o.burst);
    put(&r, 3, 7, 3);
    run(&r, 100);
    assert_int_equal(r.done[3], 200 + o.tWL + o.burst);
    assert_int_equal(r.s.row_hits, 2);
    assert_int_equal(r.s.activates, 1);
    dram_free(r.d);
}

/* Long after the activate, and so early after it that the rest of tRAS is to be waited for. */
static void a_row_conflict_takes_precharge_activate_and_read(void **state) {
    (void)state;
    for (uint64_t at = 20; at <= 100; at += 80) {
        struct opt_dram o = gddr5();
        struct rig r = rig_new(&o);
        get(&r, 3, 7, 1);
        run(&r, at);
        get(&r, 3, 8, 2);
        run(&r, 100);
        uint64_t rest = at < (uint64_t)o.tRAS ? (uint64_t)o.tRAS - at : 0;
        assert_int_equal(r.done[2], at + rest + (uint64_t)(o.tRP + o.tRCD + o.tCL + o.burst));
        assert_int_equal(r.s.row_conflicts, 1);
        assert_int_equal(r.s.precharges, 1);
        assert_int_equal(r.s.activates, 2);
        dram_free(r.d);
    }
}

/* 64 bytes are two bursts of 32: back to back on the bus. One byte still takes a burst. */
static void a_request_takes_as_many_bursts_as_it_needs(void **state) {
    (void)state;
    static const uint32_t bytes[] = {1, 32, 33, 64, 128}, bursts[] = {1, 1, 2, 2, 4};
    for (int k = 0; k < 5; k++) {
        struct opt_dram o = gddr5();
        struct rig r = rig_new(&o);
        push(&r, 0, 0, bytes[k], false, 1);
        run(&r, 100);
        assert_int_equal(r.done[1], o.tRCD + o.tCL + o.burst * bursts[k]);
        assert_int_equal(r.s.busy_cycles, o.burst * bursts[k]);
        assert_int_equal(r.s.bytes, bytes[k]);
        dram_free(r.d);
    }
}

/* ---- Table 5.1, one counter at a time, two values each ---- */

struct request {
    uint32_t bank;
    uint64_t row;
    bool write;
};
#define READ(bank, row)  ((struct request){bank, row, false})
#define WRITE(bank, row) ((struct request){bank, row, true})

/* What became of two requests that came at once, first 1, then 2. */
static struct rig both(const struct opt_dram *o, struct request a, struct request b) {
    struct rig r = rig_new(o);
    push(&r, a.bank, a.row, 8, a.write, 1);
    push(&r, b.bank, b.row, 8, b.write, 2);
    run(&r, 100);
    dram_free(r.d);
    return r;
}

enum { NEAR = 9, FAR = 23 };
#define FOR_BOTH(gap) for (int64_t gap = NEAR; gap <= FAR; gap += FAR - NEAR)
#define FOR_BANKS(bank) \
    for (uint32_t bank = 0; bank < 2; bank++) /* banks of the second request: the first's, another */

static void RRD_keeps_activates_of_two_banks_apart(void **state) {
    (void)state;
    FOR_BOTH(gap) {
        struct opt_dram o = unconstrained();
        o.tRRD = gap;
        struct rig r = both(&o, READ(0, 0), READ(1, 0));
        assert_int_equal(r.activate[1] - r.activate[0], gap);
    }
}

static void CCD_keeps_column_accesses_apart(void **state) {
    (void)state;
    FOR_BOTH(gap)
    FOR_BANKS(bank) {
        struct opt_dram o = unconstrained();
        o.tCCD = gap;
        struct rig r = both(&o, READ(0, 0), READ(bank, 0));
        assert_int_equal(r.done[2] - r.done[1], gap);
    }
}

static void WTR_keeps_a_read_from_the_write_before_it(void **state) {
    (void)state;
    FOR_BOTH(gap)
    FOR_BANKS(bank) {
        struct opt_dram o = unconstrained();
        o.tWTR = gap;
        struct rig r = both(&o, WRITE(0, 0), READ(bank, 0));
        assert_int_equal(r.done[2] - r.done[1], gap);
    }
}

static void RTW_keeps_a_write_from_the_read_before_it(void **state) {
    (void)state;
    FOR_BOTH(gap)
    FOR_BANKS(bank) {
        struct opt_dram o = unconstrained();
        o.tRTW = gap;
        struct rig r = both(&o, READ(0, 0), WRITE(bank, 0));
        assert_int_equal(r.done[2] - r.done[1], gap);
    }
}

/* tWTR and tRTW are for a change of direction only. */
static void turnaround_does_not_delay_the_same_direction(void **state) {
    (void)state;
    for (int write = 0; write < 2; write++) {
        struct opt_dram o = unconstrained();
        o.tWTR = o.tRTW = FAR;
        struct rig r = both(&o, (struct request){0, 0, write}, (struct request){0, 0, write});
        assert_int_equal(r.done[2] - r.done[1], 1);
    }
}

static void RCD_keeps_a_column_access_from_the_activate(void **state) {
    (void)state;
    FOR_BOTH(gap)
    for (int write = 0; write < 2; write++) {
        struct opt_dram o = unconstrained();
        o.tRCD = gap;
        struct rig r = rig_new(&o);
        push(&r, 0, 0, 8, write, 1);
        run(&r, 100);
        assert_int_equal(r.done[1] - (uint64_t)(o.tCL + o.burst) - r.activate[0], gap);
        dram_free(r.d);
    }
}

static void RAS_keeps_the_precharge_from_the_activate(void **state) {
    (void)state;
    FOR_BOTH(gap) {
        struct opt_dram o = unconstrained();
        o.tRAS = gap;
        struct rig r = both(&o, READ(0, 0), READ(0, 1));
        assert_int_equal(r.precharge[0] - r.activate[0], gap);
    }
}

static void RP_keeps_the_activate_from_the_precharge(void **state) {
    (void)state;
    FOR_BOTH(gap) {
        struct opt_dram o = unconstrained();
        o.tRP = gap;
        struct rig r = both(&o, READ(0, 0), READ(0, 1));
        assert_int_equal(r.activate[1] - r.precharge[0], gap);
    }
}

/* It holds within one bank: another bank's activate follows at once. */
static void RC_keeps_activates_of_one_bank_apart(void **state) {
    (void)state;
    FOR_BOTH(gap)
    FOR_BANKS(bank) {
        struct opt_dram o = unconstrained();
        o.tRC = gap;
        struct rig r = both(&o, READ(0, 0), READ(bank, 1));
        assert_int_equal(r.activate[1] - r.activate[0], bank ? 1 : gap);
    }
}

static void one_command_a_cycle_round_robin(void **state) {
    (void)state;
    struct opt_dram o = unconstrained();
    struct rig r = rig_new(&o);
    for (uint32_t b = 0; b < 8; b++) get(&r, b, 0, b);
    run(&r, 100);
    for (uint32_t b = 0; b < 8; b++) {
        assert_int_equal(r.activate[b], b);
        assert_int_equal(r.order[b], b);
    }
    dram_free(r.d);
}

/* The data of a write after a read: with tCL > tWL the bus, not tRTW, keeps them apart, and a write that would come out
 * before the read's data waits. */
static void the_data_bus_carries_one_burst_at_a_time(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    struct rig r = rig_new(&o);
    get(&r, 0, 0, 1);
    put(&r, 0, 0, 2);
    get(&r, 0, 0, 3);
    run(&r, 100);
    assert_int_equal(r.done[2] - r.done[1], o.burst);
    uint64_t write_at = r.done[2] - (uint64_t)(o.tWL + o.burst),
             read_at = r.done[3] - (uint64_t)(o.tCL + o.burst);
    assert_int_equal(read_at - write_at, o.tWTR);
    dram_free(r.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_bank_takes_activate_plus_read),
        cmocka_unit_test(a_row_hit_takes_the_read_alone),
        cmocka_unit_test(a_row_conflict_takes_precharge_activate_and_read),
        cmocka_unit_test(a_request_takes_as_many_bursts_as_it_needs),
        cmocka_unit_test(RRD_keeps_activates_of_two_banks_apart),
        cmocka_unit_test(CCD_keeps_column_accesses_apart),
        cmocka_unit_test(WTR_keeps_a_read_from_the_write_before_it),
        cmocka_unit_test(RTW_keeps_a_write_from_the_read_before_it),
        cmocka_unit_test(turnaround_does_not_delay_the_same_direction),
        cmocka_unit_test(RCD_keeps_a_column_access_from_the_activate),
        cmocka_unit_test(RAS_keeps_the_precharge_from_the_activate),
        cmocka_unit_test(RP_keeps_the_activate_from_the_precharge),
        cmocka_unit_test(RC_keeps_activates_of_one_bank_apart),
        cmocka_unit_test(one_command_a_cycle_round_robin),
        cmocka_unit_test(the_data_bus_carries_one_burst_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
