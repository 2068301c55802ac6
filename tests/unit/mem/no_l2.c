/* A machine without an L2 (DWF Table 5.2): misses go over the crossbar to the memory controllers, in closed form. With all
 * clocks alike, one flit per message, X = noc.latency + 1 cycles in a crossbar and D the channel's cycles:
 *   l1.latency + X + D + X */
#include "rig.h"

static struct mem_options plain(void) {
    struct mem_options o = rig_plain();
    o.l2.present = false;
    return o;
}

static uint64_t way_there_and_back(const struct mem_options *o) {
    return (uint64_t)(o->l1d.latency + 2 * (o->noc.latency + 1));
}

static struct mem_stats settle(struct mem *m, uint64_t *now) {
    struct mem_stats s;
    rig_drain(m, now);
    mem_get_stats(m, &s);
    assert_int_equal(s.l2.accesses + s.l2.busy + s.l2.bank_conflicts, 0);
    return s;
}

static void a_read_takes_the_crossbars_and_the_channel(void **state) {
    (void)state;
    struct mem_options o = plain();
    const uint64_t base = way_there_and_back(&o);
    uint64_t now = 1;
    o.dram.ideal = true;
    struct mem *m = rig_mem(&o, 1);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now), base + (uint64_t)o.dram.tCL);
    mem_free(m);
    o.dram.ideal = false;
    m = rig_mem(&o, 1);
    uint64_t bursts = (uint64_t)(o.l1d.line / o.dram.bus_bytes);
    uint64_t row_miss = base + (uint64_t)(o.dram.tRCD + o.dram.tCL) + bursts,
             row_hit = base + (uint64_t)o.dram.tCL + bursts;
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 0, &now), row_miss);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 64, &now), row_hit);
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 64, &now), o.l1d.latency);
    /* Through another first level: nothing in between has kept the line. */
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_READ, 128, &now), row_hit);
    assert_int_equal(rig_latency(m, MEM_L1T, MEM_READ, 128, &now),
                     row_hit + (uint64_t)(o.l1t.latency - o.l1d.latency));
    assert_int_equal(settle(m, &now).dram.reads, 4);
    mem_free(m);
}

/* Neither while it is on its way nor after does one core's miss help another. */
static void misses_of_two_sms_are_two_reads(void **state) {
    (void)state;
    struct mem_options o = plain();
    struct mem *m = rig_mem(&o, 2);
    uint64_t now = 1, when;
    uint32_t tag;
    for (uint32_t sm = 0; sm < 2; sm++)
        assert_int_equal(mem_ask(m, sm, MEM_L1D, MEM_READ, 0, 64, 10 + sm, now, &when), MEM_WAIT);
    assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_READ, 0, 64, 12, now + 1, &when), MEM_WAIT); /* its own */
    for (uint64_t next; (next = mem_next(m)) != MEM_NEVER;) mem_advance(m, now = next);
    uint32_t came = 0;
    for (uint32_t sm = 0; sm < 2; sm++)
        while (mem_done(m, sm, now, &tag)) came++;
    assert_int_equal(came, 3);
    struct mem_stats s = settle(m, &now);
    assert_int_equal(s.l1d.misses, 2);
    assert_int_equal(s.l1d.pending, 1);
    assert_int_equal(s.dram.reads, 2);
    assert_int_equal(s.dram.bytes, 128);
    mem_free(m);
}

/* The cycle the last of n reads, asked one a cycle, is back. */
static uint64_t reads(const struct mem_options *o, uint32_t n, uint64_t stride) {
    struct mem *m = rig_mem(o, 1);
    uint64_t now = 1, when;
    uint32_t tag, came = 0;
    for (; now <= n; now++) {
        mem_advance(m, now);
        assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_READ, (now - 1) * stride, 4, 1, now, &when), MEM_WAIT);
    }
    for (uint64_t next; (next = mem_next(m)) != MEM_NEVER;) mem_advance(m, now = next);
    while (mem_done(m, 0, now, &tag)) came++;
    assert_int_equal(came, n);
    mem_free(m);
    return now;
}

/* One bank, another row with each read: tRC apart, so a read takes longer than its fellow after it and all n are on their way
 * together. Nothing but the registers of L1 bounds them, and the bank is never idle: the last begins n - 1 times tRC after
 * the first. */
static void reads_keep_the_bank_busy(void **state) {
    (void)state;
    for (int64_t queue = 2; queue <= 64; queue *= 4) {
        struct mem_options o = plain();
        o.dram.banks = 1;
        o.dram.queue = queue;
        o.dram.policy = MEM_FRFCFS;
        uint64_t bursts = (uint64_t)(o.l1d.line / o.dram.bus_bytes), row = o.dram.row_bytes;
        /* activate, tRCD, the bursts of a line, precharge no sooner than tRAS, tRP */
        uint64_t ras = (uint64_t)o.dram.tRAS, ready = (uint64_t)o.dram.tRCD + bursts;
        uint64_t each = (ras > ready ? ras : ready) + (uint64_t)o.dram.tRP;
        if (each < (uint64_t)o.dram.tRC) each = (uint64_t)o.dram.tRC;
        uint64_t one = 1 + way_there_and_back(&o) + (uint64_t)(o.dram.tRCD + o.dram.tCL) + bursts;
        assert_int_equal(reads(&o, 1, row), one);
        assert_int_equal(reads(&o, 20, row), one + 19 * each);
    }
}

/* A channel of long latency: as many reads are in it at once as its controller has places. With tCL far above everything and
 * one open row, batches of `queue` reads follow one another. */
static void only_the_controllers_queue_bounds_reads(void **state) {
    (void)state;
    uint64_t took[3];
    for (uint32_t k = 0; k < 3; k++) {
        struct mem_options o = plain();
        o.dram.tCL = 1000;
        o.dram.queue = (int64_t)16 << k;
        took[k] = reads(&o, 64, 64);
    }
    assert_in_range(took[0], 4 * 1000, 4 * 1000 + 1000); /* 64 reads: four batches of 16 */
    assert_in_range(took[1], 2 * 1000, 2 * 1000 + 1000); /* two of 32 */
    assert_in_range(took[2], 1000, 1999);                /* one of 64 */
}

static void writes_and_atomics_reach_dram(void **state) {
    (void)state;
    struct mem_options o = plain();
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1, when;
    assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_WRITE, 0x40, 16, 1, now, &when), MEM_POSTED);
    struct mem_stats s = settle(m, &now);
    assert_int_equal(s.dram.writes, 1);
    assert_int_equal(s.dram.bytes, 16);
    /* The row is open: an atomic is answered like a read of its bytes, one burst. */
    assert_int_equal(rig_latency(m, MEM_L1D, MEM_ATOMIC, 0x80, &now),
                     way_there_and_back(&o) + (uint64_t)(o.dram.tCL + o.dram.burst));
    s = settle(m, &now);
    assert_int_equal(s.dram.reads, 1);
    assert_int_equal(s.dram.writes, 2); /* its result */
    assert_int_equal(s.dram.bytes, 16 + 4 + 4);
    mem_free(m);
}

/* What is dirty in L1 goes to DRAM when it is emptied. */
static void flushing_writes_to_dram(void **state) {
    (void)state;
    struct mem_options o = plain();
    o.l1d.write = MEM_WRITE_BACK;
    o.l1d.allocate = true;
    o.memory.flush_l2 = true;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1, when;
    assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_WRITE, 0, 64, 1, now, &when), MEM_POSTED);
    assert_true(mem_idle(m, MEM_NEVER));
    mem_advance(m, now);
    mem_flush(m);
    struct mem_stats s = settle(m, &now);
    assert_int_equal(s.dram.writes, 1);
    assert_int_equal(s.dram.bytes, 64);
    mem_free(m);
}

/* A line of 128 bytes is asked for in requests of l2.line, each on one channel. */
static void long_lines_come_in_pieces(void **state) {
    (void)state;
    struct mem_options o = plain();
    o.dram.channels = 2;
    o.dram.interleave = 64;
    o.l1d.line = 128;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    rig_latency(m, MEM_L1D, MEM_READ, 0, &now);
    struct mem_stats s = settle(m, &now);
    assert_int_equal(s.dram.reads, 2);
    assert_int_equal(s.dram.bytes, 128);
    assert_int_equal(s.dram.activates, 2); /* one on each channel */
    mem_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_the_crossbars_and_the_channel),
        cmocka_unit_test(misses_of_two_sms_are_two_reads),
        cmocka_unit_test(reads_keep_the_bank_busy),
        cmocka_unit_test(only_the_controllers_queue_bounds_reads),
        cmocka_unit_test(writes_and_atomics_reach_dram),
        cmocka_unit_test(flushing_writes_to_dram),
        cmocka_unit_test(long_lines_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
