/* Latency of one request alone, in closed form, at each level.
 *
 * With all clocks alike (docs/memory.md), one flit per message and X = noc.latency + 1 cycles in a crossbar:
 *   L1 hit:  l1.latency
 *   L2 hit:  l1.latency + X + l2.latency + X
 *   DRAM:    the same + D, D the cycles a channel takes for the request */
#include "rig.h"

static void l1_hit_takes_the_l1_latency(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 100;
    for (enum mem_path p = 0; p < MEM_NPATHS; p++) rig_latency(m, p, MEM_READ, 0x1000, &now);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0x1000, &now), o.l1d.latency);
    assert_int_equal(rig_latency(m, MEM_L1T, MEM_READ, 0x1000, &now), o.l1t.latency);
    assert_int_equal(rig_latency(m, MEM_L1C, MEM_READ, 0x1000, &now), o.l1c.latency);
    assert_int_equal(rig_latency(m, MEM_L1I, MEM_READ, 0x1000, &now), o.l1i.latency);
    mem_free(m);
}

static void l2_hit_is_the_sum_of_its_terms(void **state) {
    (void)state;
    for (int64_t noc = 0; noc < 20; noc += 3)
        for (int64_t l2 = 1; l2 < 40; l2 += 7) {
            struct mem_options o = rig_plain();
            o.noc.latency = noc;
            o.l2.latency = l2;
            struct mem *m = rig_mem(&o, 1);
            uint64_t now = 1000;
            rig_latency(m, MEM_L1T, MEM_READ, 0x4000, &now); /* brings it to L2 */
            uint64_t want = (uint64_t)(o.l1d.latency + (noc + 1) + l2 + (noc + 1));
            assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0x4000, &now), want);
            assert_int_equal(rig_latency(m, MEM_L1D, MEM_ATOMIC, 0x4000, &now), want);
            mem_free(m);
        }
}

/* A message of n flits takes n - 1 cycles more: 8 + 64 bytes in flits of 8 are 9, a request is 1. */
static void flits_add_their_number(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.noc.flit = 8;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    const uint64_t first = rig_latency(m, MEM_L1T, MEM_READ, 0, &now);
    uint64_t x = (uint64_t)o.noc.latency + 1,
             want = (uint64_t)o.l1d.latency + x + (uint64_t)o.l2.latency + x + 8;
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now), want);
    rig_latency(m, MEM_L1D, MEM_READ, 0, &now); /* a hit waits for no other access */
    struct mem_stats s;
    mem_get_stats(m, &s);
    assert_int_equal(s.load.count, 2);
    assert_int_equal(s.load.latency_sum, first + want);
    assert_int_equal(s.load.latency_max, first > want ? first : want);
    assert_int_equal(s.noc.flits[0], 2 * 1);
    assert_int_equal(s.noc.flits[1], 2 * 9);
    for (int way = 0; way < 2; way++) {
        assert_int_equal(s.noc.messages[way], 2);
        assert_int_equal(s.noc.occupied[way], s.noc.flits[way]); /* each holds its output for a cycle */
        assert_int_equal(s.noc.port_cycles[way], s.noc.cycles);
    }
    mem_free(m);
}

/* Ideal DRAM gives its data after tCL, and the controller's queue costs nothing; D = tCL. */
static void dram_is_l2_and_the_channel(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    uint64_t now = 1, base = (uint64_t)(o.l1d.latency + 2 * (o.noc.latency + 1) + o.l2.latency);
    o.dram.ideal = true;
    struct mem *m = rig_mem(&o, 1);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now), base + (uint64_t)o.dram.tCL);
    mem_free(m);
    /* A row miss: activate in the first cycle, tRCD, read, tCL, two bursts of 4 x 8 bytes. */
    o.dram.ideal = false;
    m = rig_mem(&o, 1);
    uint64_t bursts = (uint64_t)(o.l2.line / (o.dram.bus_bytes * o.dram.burst) * o.dram.burst);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now),
                     base + (uint64_t)(o.dram.tRCD + o.dram.tCL) + bursts);
    /* The row is open: no activate. */
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 64, &now), base + (uint64_t)o.dram.tCL + bursts);
    struct mem_stats s;
    mem_get_stats(m, &s);
    assert_int_equal(s.dram.row_misses, 1);
    assert_int_equal(s.dram.row_hits, 1);
    mem_free(m);
}

/* Other clocks scale their own terms. Core 2000 MHz; everything else 1000, and l1d.latency even, so that the request leaves
 * at a tick of the slow clocks: asked at an even cycle, each slow cycle is two core cycles. */
static void slower_clocks_take_longer(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.clock.core = 2000;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 2;
    rig_latency(m, MEM_L1T, MEM_READ, 0, &now);
    now += now % 2;
    uint64_t slow = (uint64_t)(2 * (o.noc.latency + 1) + o.l2.latency);
    /* The answer lands at a tick of both clocks, after the core's: it is seen one core cycle, not one slow one, later. */
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now), (uint64_t)o.l1d.latency + 2 * slow - 1);
    mem_free(m);
}

static void ideal_parts_take_only_their_latency(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    uint64_t now = 1, when = 0;
    o.l1d.ideal = true;
    struct mem *m = rig_mem(&o, 1);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0x123400, &now), o.l1d.latency);
    mem_free(m);
    o.l1d.ideal = false;
    o.l2.ideal = true;
    m = rig_mem(&o, 1);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0x123400, &now),
                     o.l1d.latency + 2 * (o.noc.latency + 1) + o.l2.latency);
    mem_free(m);
    o.l2.ideal = false;
    o.memory.ideal = true;
    m = rig_mem(&o, 1);
    for (uint32_t i = 0; i < 100; i++) { /* any number in one cycle */
        assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_READ, i * 4096u, 4, i, 5, &when), MEM_HIT);
        assert_int_equal(when, 5 + o.l1d.latency);
        assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_WRITE, i * 4096u, 4, i, 5, &when), MEM_POSTED);
        assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_ATOMIC, i * 4096u, 4, i, 5, &when), MEM_HIT);
    }
    assert_true(mem_idle(m, MEM_NEVER));
    assert_true(mem_next(m) == MEM_NEVER);
    mem_free(m);
}

/* An ideal crossbar of latency n delivers after n cycles whatever the size: X = n (a cycle of its clock where n is 0). */
static void an_ideal_crossbar_takes_its_latency(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.noc.ideal = true;
    o.noc.flit = 1;
    for (o.noc.latency = 0; o.noc.latency < 5; o.noc.latency++) {
        struct mem *m = rig_mem(&o, 1);
        uint64_t now = 1, x = o.noc.latency ? (uint64_t)o.noc.latency : 1;
        rig_latency(m, MEM_L1T, MEM_READ, 0, &now);
        assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now),
                         (uint64_t)(o.l1d.latency + o.l2.latency) + 2 * x);
        mem_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l1_hit_takes_the_l1_latency),
        cmocka_unit_test(l2_hit_is_the_sum_of_its_terms),
        cmocka_unit_test(flits_add_their_number),
        cmocka_unit_test(dram_is_l2_and_the_channel),
        cmocka_unit_test(slower_clocks_take_longer),
        cmocka_unit_test(ideal_parts_take_only_their_latency),
        cmocka_unit_test(an_ideal_crossbar_takes_its_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
