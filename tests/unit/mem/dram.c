/* A DRAM channel (004 5.1.3): access times and constraints in closed form, scheduling, bandwidth, refresh, skipping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "mem/dram.h"
#include "mem/options.h"

/* 002 Table 3, with bursts of 4 cycles of 8 bytes. */
static struct opt_dram gddr5(void) {
    return (struct opt_dram){.channels = 1,
                             .banks = 8,
                             .row_bytes = 2048,
                             .bus_bytes = 8,
                             .burst = 4,
                             .queue = 32,
                             .policy = MEM_FCFS,
                             .tRRD = 5,
                             .tCCD = 2,
                             .tWTR = 5,
                             .tRTW = 2,
                             .tRCD = 12,
                             .tRAS = 28,
                             .tRP = 12,
                             .tRC = 35,
                             .tCL = 10,
                             .tWL = 4,
                             .tRFC = 160};
}

/* Only the constraints a test sets: every other counter of Table 5.1 is zero. */
static struct opt_dram unconstrained(void) {
    return (struct opt_dram){.channels = 1,
                             .banks = 8,
                             .row_bytes = 2048,
                             .bus_bytes = 8,
                             .burst = 1,
                             .queue = 32,
                             .policy = MEM_FCFS,
                             .tCL = 1,
                             .tWL = 1};
}

/* When everything happened, in cycles from the start; a command's cycle is the one it was issued in. */
struct rig {
    struct dram *d;
    uint64_t now;
    uint64_t done[64];  /* by message number; 0: not yet */
    uint32_t order[64]; /* messages as they came out */
    uint32_t served;
    uint64_t activate[64], precharge[64];
    struct dram_stats s;
};

static struct rig rig_new(const struct opt_dram *o) {
    return (struct rig){.d = dram_new(o)};
}

static void push(struct rig *r, uint32_t bank, uint64_t row, uint32_t bytes, bool write, uint32_t message) {
    assert_true(dram_room(r->d));
    dram_push(r->d, (struct dram_place){.bank = bank, .row = row}, bytes, write, message);
}
static void get(struct rig *r, uint32_t bank, uint64_t row, uint32_t message) {
    push(r, bank, row, 8, false, message);
}
static void put(struct rig *r, uint32_t bank, uint64_t row, uint32_t message) {
    push(r, bank, row, 8, true, message);
}

static void run(struct rig *r, uint64_t cycles) {
    for (uint64_t end = r->now + cycles; r->now < end;) {
        struct dram_stats before = r->s;
        dram_cycle(r->d);
        dram_get_stats(r->d, &r->s);
        if (r->s.activates > before.activates) r->activate[before.activates] = r->now;
        if (r->s.precharges > before.precharges) r->precharge[before.precharges] = r->now;
        r->now++;
        for (uint32_t m; dram_pop(r->d, &m);) {
            r->done[m] = r->now;
            r->order[r->served++] = m;
        }
    }
}

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
    assert_int_equal(r.s.latency_hist[1], 1); /* 26 cycles: 16 to 31 */
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

enum { NEAR = 9, FAR = 23 };
#define FOR_BOTH(gap) for (int64_t gap = NEAR; gap <= FAR; gap += FAR - NEAR)

static void RRD_keeps_activates_of_two_banks_apart(void **state) {
    (void)state;
    FOR_BOTH(gap) {
        struct opt_dram o = unconstrained();
        o.tRRD = gap;
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        get(&r, 1, 0, 2);
        run(&r, 100);
        assert_int_equal(r.activate[1] - r.activate[0], gap);
        dram_free(r.d);
    }
}

/* The same for two accesses of one bank and of two banks. */
static void CCD_keeps_column_accesses_apart(void **state) {
    (void)state;
    FOR_BOTH(gap)
    for (uint32_t bank = 0; bank < 2; bank++) {
        struct opt_dram o = unconstrained();
        o.tCCD = gap;
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        get(&r, bank, 0, 2);
        run(&r, 100);
        assert_int_equal(r.done[2] - r.done[1], gap);
        dram_free(r.d);
    }
}

static void WTR_keeps_a_read_from_the_write_before_it(void **state) {
    (void)state;
    FOR_BOTH(gap)
    for (uint32_t bank = 0; bank < 2; bank++) {
        struct opt_dram o = unconstrained();
        o.tWTR = gap;
        struct rig r = rig_new(&o);
        put(&r, 0, 0, 1);
        get(&r, bank, 0, 2);
        run(&r, 100);
        assert_int_equal(r.done[2] - r.done[1], gap);
        dram_free(r.d);
    }
}

static void RTW_keeps_a_write_from_the_read_before_it(void **state) {
    (void)state;
    FOR_BOTH(gap)
    for (uint32_t bank = 0; bank < 2; bank++) {
        struct opt_dram o = unconstrained();
        o.tRTW = gap;
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        put(&r, bank, 0, 2);
        run(&r, 100);
        assert_int_equal(r.done[2] - r.done[1], gap);
        dram_free(r.d);
    }
}

/* tWTR and tRTW are for a change of direction only. */
static void turnaround_does_not_delay_the_same_direction(void **state) {
    (void)state;
    for (int write = 0; write < 2; write++) {
        struct opt_dram o = unconstrained();
        o.tWTR = o.tRTW = FAR;
        struct rig r = rig_new(&o);
        push(&r, 0, 0, 8, write, 1);
        push(&r, 0, 0, 8, write, 2);
        run(&r, 100);
        assert_int_equal(r.done[2] - r.done[1], 1);
        dram_free(r.d);
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
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        get(&r, 0, 1, 2);
        run(&r, 100);
        assert_int_equal(r.precharge[0] - r.activate[0], gap);
        dram_free(r.d);
    }
}

static void RP_keeps_the_activate_from_the_precharge(void **state) {
    (void)state;
    FOR_BOTH(gap) {
        struct opt_dram o = unconstrained();
        o.tRP = gap;
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        get(&r, 0, 1, 2);
        run(&r, 100);
        assert_int_equal(r.activate[1] - r.precharge[0], gap);
        dram_free(r.d);
    }
}

/* Of one bank: another bank's activate follows at once. */
static void RC_keeps_activates_of_one_bank_apart(void **state) {
    (void)state;
    FOR_BOTH(gap)
    for (uint32_t bank = 0; bank < 2; bank++) {
        struct opt_dram o = unconstrained();
        o.tRC = gap;
        struct rig r = rig_new(&o);
        get(&r, 0, 0, 1);
        get(&r, bank, 1, 2);
        run(&r, 100);
        assert_int_equal(r.activate[1] - r.activate[0], bank ? 1 : gap);
        dram_free(r.d);
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

/* ---- random load ---- */

/* Runs a seeded random load, by ticking or by skipping wherever the channel says nothing happens, and returns a hash of what
 * came out and when. */
static uint64_t random_load(const struct opt_dram *o, uint64_t seed, bool skip, struct dram_stats *s) {
    enum { REQUESTS = 3000 };
    struct dram *d = dram_new(o);
    struct rng r = {seed};
    uint8_t *seen = calloc(REQUESTS, 1);
    uint64_t hash = 14695981039346656037u, now = 0, next = 0;
    uint32_t sent = 0, got = 0;
    while (got < REQUESTS && now < 1000000) {
        if (now >= next) {
            for (uint64_t k = rng_below(&r, 12); k && sent < REQUESTS && dram_room(d); k--) {
                struct dram_place at = {.bank = (uint32_t)rng_below(&r, (uint64_t)o->banks),
                                        .row = rng_below(&r, 3)};
                dram_push(d, at, 32u << rng_below(&r, 3), rng_below(&r, 3) == 0, sent++);
            }
            next = now + 1 + (rng_below(&r, 8) ? rng_below(&r, 30) : rng_below(&r, 900));
        }
        uint64_t quiet = skip ? dram_quiet(d) : 0;
        if (quiet > next - now) quiet = next - now;
        if (quiet)
            dram_skip(d, quiet);
        else
            dram_cycle(d);
        now += quiet ? quiet : 1;
        for (uint32_t m; dram_pop(d, &m); got++) {
            assert_true(m < sent && !seen[m]);
            seen[m] = 1;
            hash = (hash ^ (now << 32 ^ m)) * 1099511628211u;
        }
    }
    assert_int_equal(got, REQUESTS);
    assert_false(dram_busy(d));
    dram_get_stats(d, s);
    assert_int_equal(s->cycles, now);
    dram_free(d);
    free(seen);
    return hash;
}

static struct opt_dram random_options(uint64_t k) {
    struct opt_dram o = gddr5();
    o.policy = k % 2 ? MEM_FRFCFS : MEM_FCFS;
    if (k / 2 % 2) o.tREFI = 700;
    if (k / 4 % 2) o.banks = 3;
    if (k / 8 % 2) o.burst = 1;
    if (k / 16 % 2) o.ideal = true;
    return o;
}

static void all_requests_are_served_once_and_soon(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 16; k++) {
        struct opt_dram o = random_options(k);
        struct dram_stats s;
        random_load(&o, k, false, &s);
        assert_int_equal(s.reads + s.writes, 3000);
        assert_int_equal(s.row_hits + s.row_misses + s.row_conflicts, 3000);
        assert_int_equal(s.latency_count, 3000);
        uint64_t in_hist = 0;
        for (int b = 0; b < 16; b++) in_hist += s.latency_hist[b];
        assert_int_equal(in_hist, 3000);
        /* no one waits longer than a queue full of the dearest accesses, and refreshes in between */
        assert_true(s.latency_max < (uint64_t)(o.queue * (o.tRC + o.tRCD + o.tCL + 4 * 16)) * 2);
    }
}

static void skipping_gives_the_schedule_of_ticking(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 32; k++) {
        struct opt_dram o = random_options(k);
        struct dram_stats ticked, skipped;
        assert_true(random_load(&o, k, false, &ticked) == random_load(&o, k, true, &skipped));
        assert_memory_equal(&ticked, &skipped, sizeof ticked);
    }
}

/* dram_skip may be given any number: here whole idle stretches with many refreshes. */
static void skipping_far_does_what_falls_due_on_the_way(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.tREFI = 1000;
    struct rig r = rig_new(&o), t = rig_new(&o);
    get(&r, 2, 1, 1);
    get(&t, 2, 1, 1);
    dram_skip(r.d, 123456);
    run(&t, 123456);
    dram_get_stats(r.d, &r.s);
    assert_memory_equal(&r.s, &t.s, sizeof r.s);
    assert_int_equal(r.s.refreshes, 123);
    dram_free(r.d);
    dram_free(t.d);
}

static void an_idle_channel_is_quiet_for_ever(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    struct rig r = rig_new(&o);
    assert_true(dram_quiet(r.d) == UINT64_MAX);
    get(&r, 0, 0, 1);
    assert_int_equal(dram_quiet(r.d), 0);
    run(&r, 2); /* the activate, and a look at what comes next */
    assert_int_equal(dram_quiet(r.d), o.tRCD - 2);
    run(&r, 100);
    assert_true(dram_quiet(r.d) == UINT64_MAX);
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
        cmocka_unit_test(FR_FCFS_takes_row_hits_first_and_FCFS_does_not),
        cmocka_unit_test(FCFS_blocks_behind_a_busy_bank),
        cmocka_unit_test(the_queue_has_its_length),
        cmocka_unit_test(a_stream_of_row_hits_fills_the_bus_and_no_more),
        cmocka_unit_test(refreshes_come_every_tREFI_and_close_the_rows),
        cmocka_unit_test(a_refresh_waits_for_tRAS),
        cmocka_unit_test(a_refresh_restarts_banks_that_wait),
        cmocka_unit_test(an_ideal_channel_takes_tCL_for_any_number),
        cmocka_unit_test(all_requests_are_served_once_and_soon),
        cmocka_unit_test(skipping_gives_the_schedule_of_ticking),
        cmocka_unit_test(skipping_far_does_what_falls_due_on_the_way),
        cmocka_unit_test(an_idle_channel_is_quiet_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
