/* The crossbar (DWF 5.1.2): delays in closed form, the allocator's throughput, credits, order, back-pressure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "mem/options.h"
#include "mem/xbar.h"

/* 32-byte flits and an 8-byte header: 24 bytes make one flit, 24 + 32 k make k + 1. */
static struct opt_noc noc(void) {
    return (struct opt_noc){.flit = 32,
                            .header = 8,
                            .latency = 4,
                            .input_buffer = 32,
                            .output_buffer = 32,
                            .speedup = 1,
                            .iterations = 1};
}
#define ONE_FLIT 24

static struct xbar_stats stats_of(const struct xbar *x) {
    struct xbar_stats s;
    xbar_get_stats(x, &s);
    return s;
}

/* Cycles until something arrives at the output. */
static uint32_t cycles_until(struct xbar *x, uint32_t output) {
    uint32_t message, n = 0;
    for (; !xbar_peek(x, output, &message) && n < 10000; n++) xbar_cycle(x);
    return n;
}

static void a_lone_message_takes_its_flits_plus_the_wire(void **state) {
    (void)state;
    static const struct {
        uint32_t bytes, flits;
    } cases[] = {{0, 1}, {24, 1}, {25, 2}, {56, 2}, {57, 3}, {128, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct opt_noc o = noc();
        struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 4, 3, 1);
        uint32_t message = 0;
        assert_false(xbar_busy(x));
        xbar_push(x, 2, 1, cases[k].bytes, 77);
        assert_true(xbar_busy(x));
        assert_int_equal(cycles_until(x, 1), cases[k].flits + 4);
        assert_false(xbar_busy(x));
        assert_int_equal(stats_of(x).flits[XBAR_TO_MEMORY], cases[k].flits);
        assert_true(xbar_pop(x, 1, &message));
        assert_int_equal(message, 77);
        assert_false(xbar_pop(x, 1, &message));
        xbar_free(x);
    }
}

static void ideal_messages_all_arrive_after_the_latency(void **state) {
    (void)state;
    for (int64_t latency = 0; latency < 8; latency += 7) {
        struct opt_noc o = noc();
        o.ideal = true;
        o.latency = latency;
        struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 16, 2, 1);
        for (uint32_t k = 0; k < 160; k++) {
            /* with no latency the first 32 flits have arrived, and it is the receiver who is late */
            if (!latency && k == 7) break;
            assert_true(xbar_room(x, k % 16, 0, 128));
            xbar_push(x, k % 16, 0, 128, k);
        }
        if (!latency) assert_false(xbar_room(x, 0, 0, 128));
        assert_true(xbar_room(x, 0, 1, 128));
        assert_int_equal(xbar_busy(x), latency > 0);
        assert_int_equal(cycles_until(x, 0), latency);
        assert_false(xbar_busy(x));
        for (uint32_t k = 0, message; k < (latency ? 160 : 7); k++) {
            assert_true(xbar_pop(x, 0, &message));
            assert_int_equal(message, k);
        }
        xbar_free(x);
    }
}

/* Fraction of output-cycles used, all inputs kept full with single-flit messages to random outputs. */
static double saturated(int64_t speedup, int64_t passes) {
    enum { PORTS = 16, CYCLES = 20000, WARM = 2000 };
    struct opt_noc o = noc();
    o.speedup = speedup;
    o.iterations = passes;
    o.input_buffer = 4096;
    struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, PORTS, PORTS, 42);
    struct rng r = {7};
    struct xbar_stats before = {0};
    for (uint32_t c = 0; c < CYCLES + WARM; c++) {
        if (c == WARM) before = stats_of(x);
        for (uint32_t in = 0; in < PORTS; in++)
            for (uint32_t k = 0; k < (c ? 4 : 4096); k++) {
                uint32_t out = (uint32_t)rng_below(&r, PORTS);
                if (xbar_room(x, in, out, ONE_FLIT)) xbar_push(x, in, out, ONE_FLIT, 0);
            }
        xbar_cycle(x);
        for (uint32_t out = 0, message; out < PORTS; out++)
            while (xbar_pop(x, out, &message)) continue;
    }
    double used =
        (double)(stats_of(x).occupied[XBAR_TO_MEMORY] - before.occupied[XBAR_TO_MEMORY]) / CYCLES / PORTS;
    xbar_free(x);
    return used;
}

/* DWF 5.1.2, after Dally and Towles: 64 % for one pass on a 16 by 16 crossbar, 87 % with input speed-up 2. The closed forms
 * are 1 - (15/16)^16 = 0.644 and 1 - (7/8)^16 = 0.882. */
static void one_pass_uses_64_percent_and_with_speedup_two_87(void **state) {
    (void)state;
    double one = saturated(1, 1), two = saturated(2, 1);
    print_message("16 x 16, one pass: %.3f; input speed-up 2: %.3f\n", one, two);
    assert_true(one > 0.62 && one < 0.66);
    assert_true(two > 0.84 && two < 0.90);
}

static void more_passes_approach_full_use(void **state) {
    (void)state;
    double before = saturated(1, 1);
    for (int64_t passes = 2; passes <= 4; passes++) {
        double now = saturated(1, passes);
        assert_true(now > before && now <= 1.0);
        before = now;
    }
    assert_true(before > 0.98);
}

/* All inputs send to output 0: it is never idle. One input sends to all outputs: a flit per buffer and cycle. */
static void a_cycle_moves_one_flit_per_output_and_per_input_buffer(void **state) {
    (void)state;
    for (int64_t speedup = 1; speedup <= 4; speedup *= 2) {
        struct opt_noc o = noc();
        o.speedup = speedup;
        o.iterations = 3;
        o.input_buffer = 64;
        struct xbar *hot = xbar_new(&o, XBAR_TO_MEMORY, 8, 8, 3),
                    *fan = xbar_new(&o, XBAR_TO_MEMORY, 8, 8, 3);
        for (uint32_t k = 0; k < 16; k++) {
            xbar_push(hot, k % 8, 0, ONE_FLIT, k);
            xbar_push(fan, 0, k % 8, ONE_FLIT, k);
        }
        for (uint32_t c = 1; c <= 4; c++) {
            xbar_cycle(hot);
            xbar_cycle(fan);
            assert_int_equal(stats_of(hot).flits[XBAR_TO_MEMORY], c);
            assert_int_equal(stats_of(fan).flits[XBAR_TO_MEMORY], c * speedup);
        }
        xbar_free(hot);
        xbar_free(fan);
    }
}

static uint32_t push_while_room(struct xbar *x, uint32_t input, uint32_t output, uint32_t bytes) {
    uint32_t n = 0;
    for (; n < 10000 && xbar_room(x, input, output, bytes); n++) xbar_push(x, input, output, bytes, n);
    return n;
}

static void an_input_buffer_takes_as_many_flits_as_it_has_credits(void **state) {
    (void)state;
    struct opt_noc o = noc();
    o.speedup = 2;
    o.input_buffer = 10;
    struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 2, 4, 1);
    assert_int_equal(push_while_room(x, 0, 0, 88), 3); /* messages of 3 flits each: one credit is left */
    assert_true(xbar_room(x, 0, 2, ONE_FLIT));         /* this buffer again */
    assert_false(xbar_room(x, 0, 2, ONE_FLIT + 1));
    assert_int_equal(push_while_room(x, 0, 3, ONE_FLIT), 10); /* the odd outputs' */
    assert_int_equal(push_while_room(x, 1, 0, ONE_FLIT), 10); /* another input's */
    xbar_free(x);
}

static void a_full_output_holds_its_senders_back_and_no_others(void **state) {
    (void)state;
    struct opt_noc o = noc();
    o.input_buffer = 6;
    o.output_buffer = 5;
    struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 2, 2, 1);
    uint32_t sent = 0, message;
    for (uint32_t c = 0; c < 100; c++) {
        sent += push_while_room(x, 0, 0, ONE_FLIT);
        if (xbar_room(x, 1, 1, ONE_FLIT)) xbar_push(x, 1, 1, ONE_FLIT, 0);
        xbar_cycle(x);
        xbar_pop(x, 1, &message);
    }
    assert_int_equal(sent, 6 + 5);
    assert_int_equal(stats_of(x).flits[XBAR_TO_MEMORY], 100 + 5);
    assert_int_equal(stats_of(x).stalls[XBAR_TO_MEMORY], 100 - 5);
    assert_true(xbar_pop(x, 0, &message)); /* one credit back, all the way to the sender */
    assert_false(xbar_room(x, 0, 0, ONE_FLIT));
    xbar_cycle(x);
    assert_int_equal(push_while_room(x, 0, 0, ONE_FLIT), 1);
    xbar_free(x);
}

/* Sixteen messages of five flits begin at once at an output with room for six: kept apart they would fill it with parts.
 * The same when a message is larger than either buffer. */
static void parts_of_messages_never_lock_an_output(void **state) {
    (void)state;
    for (int64_t room = 2; room <= 6; room += 4) {
        struct opt_noc o = noc();
        o.input_buffer = o.output_buffer = room;
        struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 16, 1, 9);
        uint32_t sent = 0, got = 0, message;
        for (uint32_t c = 0; c < 2000; c++) {
            for (uint32_t in = 0; c < 1000 && in < 16; in++) sent += push_while_room(x, in, 0, 128);
            xbar_cycle(x);
            while (xbar_pop(x, 0, &message)) got++;
        }
        assert_true(got > 100);
        assert_int_equal(got, sent);
        assert_false(xbar_busy(x));
        uint64_t before =
            stats_of(x).flits[XBAR_TO_MEMORY]; /* and all credits are back, no more and no fewer */
        for (uint32_t in = 0; in < 16; in++) assert_int_equal(push_while_room(x, in, 0, ONE_FLIT), room);
        for (uint32_t c = 0; c < 100; c++) xbar_cycle(x);
        assert_int_equal(stats_of(x).flits[XBAR_TO_MEMORY] - before, room);
        xbar_free(x);
    }
}

/* Seven inputs keep a slow receiver's buffer full with single flits; the eighth has one message of eight flits. */
static void short_messages_do_not_starve_a_long_one(void **state) {
    (void)state;
    struct opt_noc o = noc();
    o.output_buffer = 8;
    struct xbar *x = xbar_new(&o, XBAR_TO_MEMORY, 8, 1, 5);
    bool there = false;
    xbar_push(x, 7, 0, 8 * 32 - 8, 12345);
    for (uint32_t c = 0, message; c < 400 && !there; c++) {
        for (uint32_t in = 0; in < 7; in++) push_while_room(x, in, 0, ONE_FLIT);
        xbar_cycle(x);
        if (c % 2 && xbar_pop(x, 0, &message)) there = message == 12345;
    }
    assert_true(there);
    xbar_free(x);
}

/* Runs a seeded random load and returns a hash of everything that came out and when. A message's number is its input and
 * its place among those from that input to that output. */
static uint64_t random_load(const struct opt_noc *o, uint32_t inputs, uint32_t outputs, uint64_t seed) {
    struct xbar *x = xbar_new(o, XBAR_TO_MEMORY, inputs, outputs, seed);
    struct rng r = {99};
    uint32_t *sent = calloc((size_t)inputs * outputs, sizeof *sent),
             *got = calloc((size_t)inputs * outputs, sizeof *got);
    uint64_t hash = HASH_START, pushed = 0, popped = 0;
    for (uint32_t c = 0; c < 20000 && (c < 1500 || pushed > popped); c++) {
        for (uint32_t in = 0; c < 1500 && in < inputs; in++) {
            uint32_t out = (uint32_t)rng_below(&r, outputs), bytes = (uint32_t)rng_below(&r, 160);
            if (rng_below(&r, 4) || !xbar_room(x, in, out, bytes)) continue;
            xbar_push(x, in, out, bytes, in << 16 | sent[in * outputs + out]++);
            pushed++;
        }
        xbar_cycle(x);
        for (uint32_t out = 0, m; out < outputs; out++)
            if (rng_below(&r, 2) && xbar_pop(x, out, &m)) {
                assert_int_equal(m & 0xffff, got[(m >> 16) * outputs + out]++);
                hash = hash_bytes(hash, (uint32_t[]){c, out, m}, 3 * sizeof(uint32_t));
                popped++;
            }
    }
    assert_true(pushed > 500);
    assert_int_equal(popped, pushed);
    assert_int_equal(stats_of(x).messages[XBAR_TO_MEMORY], pushed);
    assert_int_equal(stats_of(x).occupied[XBAR_TO_MEMORY], stats_of(x).flits[XBAR_TO_MEMORY]);
    assert_false(xbar_busy(x));
    free(sent);
    free(got);
    xbar_free(x);
    return hash;
}

static void under_random_load_all_messages_arrive_in_order(void **state) {
    (void)state;
    static const struct {
        uint32_t inputs, outputs;
        int64_t speedup, passes, in, out, latency;
    } cases[] = {{16, 6, 2, 1, 32, 32, 4}, {6, 16, 2, 1, 32, 32, 4},  {3, 3, 8, 1, 4, 4, 0},
                 {16, 16, 1, 3, 1, 1, 9},  {70, 130, 1, 2, 8, 16, 1}, {30, 200, 3, 1, 64, 8, 20},
                 {5, 1, 1, 16, 7, 9, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct opt_noc o = noc();
        o.speedup = cases[k].speedup;
        o.iterations = cases[k].passes;
        o.input_buffer = cases[k].in;
        o.output_buffer = cases[k].out;
        o.latency = cases[k].latency;
        random_load(&o, cases[k].inputs, cases[k].outputs, k);
    }
}

static void the_seed_decides(void **state) {
    (void)state;
    struct opt_noc o = noc();
    uint64_t first = random_load(&o, 16, 6, 1);
    assert_true(first == random_load(&o, 16, 6, 1));
    assert_true(first != random_load(&o, 16, 6, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_message_takes_its_flits_plus_the_wire),
        cmocka_unit_test(ideal_messages_all_arrive_after_the_latency),
        cmocka_unit_test(one_pass_uses_64_percent_and_with_speedup_two_87),
        cmocka_unit_test(more_passes_approach_full_use),
        cmocka_unit_test(a_cycle_moves_one_flit_per_output_and_per_input_buffer),
        cmocka_unit_test(an_input_buffer_takes_as_many_flits_as_it_has_credits),
        cmocka_unit_test(a_full_output_holds_its_senders_back_and_no_others),
        cmocka_unit_test(parts_of_messages_never_lock_an_output),
        cmocka_unit_test(short_messages_do_not_starve_a_long_one),
        cmocka_unit_test(under_random_load_all_messages_arrive_in_order),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
