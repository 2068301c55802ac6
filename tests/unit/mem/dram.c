/* A DRAM channel (DWF 5.1.3): scheduling, bandwidth, refresh, the ideal channel. */
#include "dram_rig.h"

/* ---- scheduling ---- */

/* Bank 0: row 1, row 2, row 1 again. Only FR-FCFS takes the third before the second. */
static void FR_FCFS_takes_row_hits_first_and_FCFS_does_not(void **state) {
    (void)state;
    for (int policy = MEM_FCFS; policy <= MEM_FRFCFS; policy++) {
        struct opt_dram o = gddr5();
        o.policy = policy;
        struct rig r = rig_new(&o);
        get(&r, 0, 1, 1);
        get(&r, 0, 2, 2);
        get(&r, 0, 1, 3);
        get(&r, 0, 2, 4);
        run(&r, 400);
        static const uint32_t order[2][4] = {{1, 2, 3, 4}, {1, 3, 2, 4}};
        assert_memory_equal(r.order, order[policy], sizeof order[policy]);
        assert_int_equal(r.s.row_misses, 1);
        assert_int_equal(r.s.row_hits, policy == MEM_FRFCFS ? 2 : 0);
        assert_int_equal(r.s.row_conflicts, policy == MEM_FRFCFS ? 1 : 3);
        dram_free(r.d);
    }
}

/* The second request waits for bank 0, the third for nothing: FCFS keeps it behind the second. */
static void FCFS_blocks_behind_a_busy_bank(void **state) {
    (void)state;
    for (int policy = MEM_FCFS; policy <= MEM_FRFCFS; policy++) {
        struct opt_dram o = gddr5();
        o.policy = policy;
        struct rig r = rig_new(&o);
        get(&r, 0, 1, 1);
        get(&r, 0, 2, 2);
        get(&r, 1, 0, 3);
        run(&r, 200);
        /* the first has its column access at tRCD, and the bank is free from the next cycle on */
        int64_t activate = policy == MEM_FRFCFS ? o.tRRD : o.tRCD + 1;
        assert_int_equal(r.done[3], activate + o.tRCD + o.tCL + o.burst);
        dram_free(r.d);
    }
}

static void the_queue_has_its_length(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.queue = 5;
    struct rig r = rig_new(&o);
    for (uint32_t k = 0; k < 5; k++) get(&r, k, 0, k);
    assert_false(dram_room(r.d));
    for (int c = 0; c < 200; c++) dram_cycle(r.d);
    assert_false(dram_room(r.d)); /* served, but no one took them */
    uint32_t m;
    assert_true(dram_pop(r.d, &m));
    assert_true(dram_room(r.d));
    dram_free(r.d);
}

/* ---- bandwidth ---- */

/* A long stream of hits in one row: the bus is full but for the first access's latency. */
static void a_stream_of_row_hits_fills_the_bus_and_no_more(void **state) {
    (void)state;
    enum { CYCLES = 20000 };
    for (int policy = MEM_FCFS; policy <= MEM_FRFCFS; policy++)
        for (uint32_t bytes = 32; bytes <= 128; bytes *= 2)
            for (int write = 0; write < 2; write++) {
                struct opt_dram o = gddr5();
                o.policy = policy;
                struct dram *d = dram_new(&o);
                for (uint32_t c = 0, m; c < CYCLES; c++) {
                    while (dram_room(d)) dram_push(d, (struct dram_place){.row = 3}, bytes, write, 0);
                    dram_cycle(d);
                    while (dram_pop(d, &m)) continue;
                }
                struct dram_stats s;
                dram_get_stats(d, &s);
                double used = (double)s.bytes / (double)(CYCLES * o.bus_bytes);
                assert_true(used > 0.995 && used <= 1.0);
                assert_true(s.busy_cycles <= s.cycles);
                dram_free(d);
            }
}

/* ---- refresh ---- */

static void refreshes_come_every_tREFI_and_close_the_rows(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.tREFI = 1000;
    struct rig r = rig_new(&o);
    get(&r, 0, 1, 1);
    run(&r, 500);
    get(&r, 0, 1, 2);
    run(&r, 501); /* the cycle 1000 is over: one command has closed the row */
    assert_int_equal(r.s.row_hits, 1);
    assert_int_equal(r.s.precharges, 1);
    assert_int_equal(r.precharge[0], 1000);
    assert_int_equal(r.s.refreshes, 0);
    get(&r, 0, 1, 3);
    run(&r, 499);
    assert_int_equal(r.s.row_misses, 2);
    assert_int_equal(r.done[3], 1000 + o.tRP + o.tRFC + o.tRCD + o.tCL + o.burst);
    run(&r, 8600);
    assert_int_equal(r.s.refreshes, 10);
    dram_free(r.d);
}

static void a_refresh_waits_for_tRAS(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.tREFI = 1000;
    struct rig r = rig_new(&o);
    run(&r, 990);
    get(&r, 5, 1, 1); /* activated at 990, refreshed before its column access: opened again after */
    run(&r, 500);
    assert_int_equal(r.activate[0], 990);
    assert_int_equal(r.precharge[0], 990 + o.tRAS);
    assert_int_equal(r.activate[1], 990 + o.tRAS + o.tRP + o.tRFC);
    assert_int_equal(r.done[1], r.activate[1] + (uint64_t)(o.tRCD + o.tCL + o.burst));
    dram_free(r.d);
}

/* A read that waits for tWTR loses its row; its bank is activated again as soon as the refresh is over, not when the read
 * would have been allowed. */
static void a_refresh_restarts_banks_that_wait(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.tREFI = 1000;
    o.tWTR = 600;
    struct rig r = rig_new(&o);
    run(&r, 950);
    put(&r, 0, 1, 1);
    get(&r, 0, 1, 2);
    run(&r, 1000);
    assert_int_equal(r.activate[1], 1000 + o.tRP + o.tRFC);
    assert_int_equal(r.done[2], 950 + o.tRCD + o.tWTR + o.tCL + o.burst);
    dram_free(r.d);
}

/* ---- ideal ---- */

static void an_ideal_channel_takes_tCL_for_any_number(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.ideal = true;
    struct rig r = rig_new(&o);
    for (uint32_t k = 0; k < 60; k++) push(&r, 0, k, 128, k % 2, k);
    run(&r, 20);
    for (uint32_t k = 0; k < 60; k++) {
        assert_int_equal(r.done[k], o.tCL);
        assert_int_equal(r.order[k], k);
    }
    dram_free(r.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(FR_FCFS_takes_row_hits_first_and_FCFS_does_not),
        cmocka_unit_test(FCFS_blocks_behind_a_busy_bank),
        cmocka_unit_test(the_queue_has_its_length),
        cmocka_unit_test(a_stream_of_row_hits_fills_the_bus_and_no_more),
        cmocka_unit_test(refreshes_come_every_tREFI_and_close_the_rows),
        cmocka_unit_test(a_refresh_waits_for_tRAS),
        cmocka_unit_test(a_refresh_restarts_banks_that_wait),
        cmocka_unit_test(an_ideal_channel_takes_tCL_for_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
