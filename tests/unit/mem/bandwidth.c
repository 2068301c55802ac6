/* A stream of misses reaches the peak of whatever is its bottleneck, to the margin each test states, and never exceeds it;
 * clocks keep their ratio. */
#include "rig.h"

struct stream {
    uint64_t first, last, bytes; /* core cycles of the first ask and the last answer */
};

/* Every SM reads consecutive lines of its own stretch as fast as they are taken, `lines` each. */
static struct stream read_stream(struct mem *m, uint32_t sms, uint32_t lines, uint32_t line, uint64_t start,
                                 uint64_t stretch) {
    uint32_t asked[64] = {0}, left = sms * lines, tag;
    struct stream s = {.first = start, .bytes = (uint64_t)sms * lines * line};
    for (uint64_t now = start; left; now++) {
        mem_advance(m, now);
        for (uint32_t i = 0; i < sms; i++) {
            while (mem_done(m, i, now, &tag)) left--;
            uint64_t when, addr = i * stretch + (uint64_t)asked[i] * line;
            if (asked[i] == lines) continue;
            enum mem_answer got = mem_ask(m, i, MEM_L1D, MEM_READ, addr, line, asked[i], now, &when);
            assert_true(got == MEM_WAIT || got == MEM_BUSY);
            asked[i] += got == MEM_WAIT;
        }
        s.last = now;
        assert_true(now < start + 10000000);
    }
    assert_true(mem_idle(m, MEM_NEVER));
    return s;
}

static void reaches(struct stream s, double peak_per_cycle, double margin) {
    double rate = (double)s.bytes / (double)(s.last - s.first);
    if (rate > peak_per_cycle || rate < margin * peak_per_cycle)
        fail_msg("%.3f bytes a core cycle, the peak is %.3f", rate, peak_per_cycle);
}

/* Two channels of 8 bytes a DRAM cycle at 500 MHz, core at 1000: 8 bytes a core cycle. First ready, whole rows in turn. */
static void dram_bus(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.dram.channels = 2;
    o.dram.policy = MEM_FRFCFS;
    o.clock.dram = 500;
    struct mem *m = rig_mem(&o, 4);
    reaches(read_stream(m, 4, 2000, 64, 1, 1 << 20), 8, 0.90);
    struct mem_stats s;
    mem_get_stats(m, &s);
    assert_int_equal(s.dram.bytes, 4 * 2000 * 64);
    assert_true((double)s.dram.busy_cycles >= 0.90 * (double)s.dram.cycles);
    mem_free(m);
}

/* Everything hits in L2; an answer of 8 + 64 bytes is 9 flits of 8 through the one port of an SM: 64 bytes in 9 cycles. */
static void crossbar_flits(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l2.ideal = true;
    o.noc.flit = 8;
    struct mem *m = rig_mem(&o, 1);
    reaches(read_stream(m, 1, 2000, 64, 1, 0), 64.0 / 9, 0.95);
    mem_free(m);
}

/* Wide crossbar at twice the clock, 4 SMs on one slice of one port: a line in each cycle of an L2 of 500 MHz. */
static void l2_port(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l2.ideal = true;
    o.clock.l2 = 500;
    o.clock.noc = 2000;
    struct mem *m = rig_mem(&o, 4);
    reaches(read_stream(m, 4, 1000, 64, 1, 1 << 20), 32, 0.95);
    mem_free(m);
}

/* One port takes one message a core cycle however many SMs share it: 4 SMs on a port get what 1 SM gets. */
static void a_shared_port_is_shared_evenly(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l2.ideal = true;
    o.noc.flit = 8;
    o.noc.sms_per_port = 4;
    struct mem *m = rig_mem(&o, 4);
    uint32_t asked[4] = {0}, done[4] = {0}, tag;
    for (uint64_t now = 1; now <= 9000; now++) {
        mem_advance(m, now);
        for (uint32_t i = 0; i < 4; i++) {
            uint64_t when, addr = ((uint64_t)i << 20) + asked[i] * 64u;
            while (mem_done(m, i, now, &tag)) done[i]++;
            asked[i] += mem_ask(m, i, MEM_L1D, MEM_READ, addr, 64, 0, now, &when) == MEM_WAIT;
        }
    }
    uint32_t all = done[0] + done[1] + done[2] + done[3];
    assert_true(all <= 1000 && all >= 950);
    for (uint32_t i = 0; i < 4; i++) assert_in_range(done[i], all / 4 - 2, all / 4 + 2);
    mem_free(m);
}

/* The slice serves one request a cycle and port; with more ports, one a bank. Atomics to one line take turns at its bank. */
static void atomics_to_one_line_take_turns(void **state) {
    (void)state;
    for (uint32_t spread = 0; spread < 2; spread++) {
        struct mem_options o = rig_plain();
        o.l2.ports = o.l2.banks = 4;
        o.clock.noc = 8000;
        struct mem *m = rig_mem(&o, 8);
        uint32_t done = 0, tag;
        for (uint64_t now = 1; now <= 2000; now++) {
            mem_advance(m, now);
            for (uint32_t i = 0; i < 8; i++) {
                uint64_t when;
                while (mem_done(m, i, now, &tag)) done++;
                mem_ask(m, i, MEM_L1D, MEM_ATOMIC, 0x40 * (spread * i), 4, 0, now, &when);
            }
        }
        struct mem_stats s;
        mem_get_stats(m, &s);
        if (spread)
            assert_true(done > 4000);
        else
            assert_in_range(done, 1900, 2000);
        assert_true(spread || s.l2.bank_conflicts > 1000);
        mem_free(m);
    }
}

/* A day at 1150 MHz in DRAM cycles of 1500.3: to the last cycle. And a long run keeps the ratio of all clocks. */
static void clocks_keep_their_ratio(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    o.clock.core = 1150;
    o.clock.noc = 650.7;
    o.clock.dram = 1500.3;
    struct mem *m = rig_mem(&o, 1);
    const uint64_t day = 86400ull * 1150000000ull;
    struct mem_stats s;
    mem_advance(m, day);
    mem_get_stats(m, &s);
    assert_int_equal(s.noc.cycles, 86400ull * 650700000ull);
    assert_int_equal(s.dram.cycles, 86400ull * 1500300000ull * 6);
    uint64_t now = day + 1;
    for (uint32_t i = 0; i < 20000; i++) rig_latency(m, MEM_L1D, MEM_READ, i * 64u, &now);
    mem_get_stats(m, &s);
    assert_true((double)(now - day) > 1e6);
    double dram = (double)(s.dram.cycles / 6) / (double)now, noc = (double)s.noc.cycles / (double)now;
    assert_true(dram / (1500.3 / 1150) - 1 < 1e-9 && dram / (1500.3 / 1150) - 1 > -1e-9);
    assert_true(noc / (650.7 / 1150) - 1 < 1e-9 && noc / (650.7 / 1150) - 1 > -1e-9);
    mem_free(m);
}

/* Twice the DRAM clock halves the time of a stream that DRAM bounds, for any of its ratios to the core. */
static void bandwidth_follows_the_clock(void **state) {
    (void)state;
    for (uint32_t mhz = 137; mhz < 1100; mhz *= 2) {
        struct mem_options o = rig_plain();
        o.dram.policy = MEM_FRFCFS;
        o.clock.dram = mhz;
        struct mem *m = rig_mem(&o, 2);
        reaches(read_stream(m, 2, 1000, 64, 1, 1 << 20), 8 * mhz / 1000.0, 0.88);
        mem_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dram_bus),
        cmocka_unit_test(crossbar_flits),
        cmocka_unit_test(l2_port),
        cmocka_unit_test(a_shared_port_is_shared_evenly),
        cmocka_unit_test(atomics_to_one_line_take_turns),
        cmocka_unit_test(clocks_keep_their_ratio),
        cmocka_unit_test(bandwidth_follows_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
