/* The memory system as a whole: what is counted where, what travels, what is refused. */
#include "rig.h"

static enum mem_answer ask(struct mem *m, enum mem_path path, enum mem_kind kind, uint64_t addr,
                           uint32_t bytes, uint64_t now) {
    uint64_t when;
    mem_advance(m, now);
    return mem_ask(m, 0, path, kind, addr, bytes, 1, now, &when);
}

static struct mem_stats stats(const struct mem *m) {
    struct mem_stats s;
    mem_get_stats(m, &s);
    return s;
}

/* Runs until all is quiet; how many tags came back. */
static uint32_t settle(struct mem *m, uint64_t *now, uint32_t sms) {
    uint32_t tag, n = 0;
    for (uint64_t next; (next = mem_next(m)) != MEM_NEVER;) mem_advance(m, *now = next);
    for (uint32_t s = 0; s < sms; s++)
        while (mem_done(m, s, *now, &tag)) n++;
    assert_true(mem_idle(m, MEM_NEVER));
    return n;
}

/* DWF note 21: an access that merges with a request on its way is a pending hit; the request goes out once. */
static void pending_hits_are_counted_apart(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l1d.merges = 3;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    for (; now <= 3; now++) assert_int_equal(ask(m, MEM_L1D, MEM_READ, 0x40 + now * 4, 4, now), MEM_WAIT);
    assert_int_equal(ask(m, MEM_L1D, MEM_READ, 0x40, 4, now), MEM_BUSY);
    assert_int_equal(settle(m, &now, 1), 3);
    assert_int_equal(ask(m, MEM_L1D, MEM_READ, 0x40, 4, now), MEM_HIT);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l1d.accesses, 4);
    assert_int_equal(s.l1d.misses, 1);
    assert_int_equal(s.l1d.pending, 2);
    assert_int_equal(s.l1d.hits, 1);
    assert_int_equal(s.l1d.busy, 1);
    assert_int_equal(s.l2.accesses, 1);
    assert_int_equal(s.dram.reads, 1);
    assert_int_equal(s.load.count, 3);
    mem_free(m);
}

/* As many lines are on their way at once as there are miss registers, and no fewer. */
static void misses_take_a_register_each(void **state) {
    (void)state;
    for (int64_t most = 1; most <= 5; most++) {
        struct mem_options o = rig_plain();
        o.l1d.mshrs = most;
        struct mem *m = rig_mem(&o, 1);
        uint64_t now = 1;
        for (; now <= (uint64_t)most; now++)
            assert_int_equal(ask(m, MEM_L1D, MEM_READ, now * 64, 4, now), MEM_WAIT);
        assert_int_equal(ask(m, MEM_L1D, MEM_READ, now * 64, 4, now), MEM_BUSY);
        assert_int_equal(ask(m, MEM_L1D, MEM_READ, 64, 4, now), MEM_WAIT); /* on its way: needs none */
        assert_int_equal(settle(m, &now, 1), (uint32_t)most + 1);
        assert_int_equal(ask(m, MEM_L1D, MEM_READ, 64 * 64, 4, now), MEM_WAIT);
        mem_free(m);
    }
}

/* An SM that is refused may ask in every cycle, or when it is called: the request is taken in the same cycle and the same is
 * counted. One miss register, four misses; returns the cycle the last one is taken in. */
static uint64_t four_misses(bool patient, struct mem_stats *s) {
    struct mem_options o = rig_plain();
    o.l1d.mshrs = 1;
    struct mem *m = rig_mem(&o, 2);
    uint64_t now = 1, last = 0, asked = 0;
    uint32_t tag, taken = 0;
    for (; taken < 4 || !mem_idle(m, MEM_NEVER); now++) {
        mem_advance(m, now);
        bool called = mem_sm_called(m, 1);
        while (mem_done(m, 1, now, &tag)) assert_true(called);
        assert_false(mem_sm_called(m, 1));
        uint64_t when, slept = now - asked - 1;
        if (taken == 4 || (patient && mem_stuck(m, 1, MEM_L1D) && !called)) continue;
        if (patient && taken) mem_skipped(m, 1, MEM_L1D, slept);
        enum mem_answer a = mem_ask(m, 1, MEM_L1D, MEM_READ, 0x1000 * taken, 4, 1, now, &when);
        assert_int_equal(mem_stuck(m, 1, MEM_L1D), a == MEM_BUSY);
        asked = now;
        if (a == MEM_WAIT) taken++, last = now;
    }
    *s = stats(m);
    mem_free(m);
    return last;
}

static void refused_sms_are_called(void **state) {
    (void)state;
    struct mem_stats every, patient;
    assert_int_equal(four_misses(false, &every), four_misses(true, &patient));
    assert_true(every.l1d.busy > 100);
    assert_memory_equal(&every, &patient, sizeof every);
}

/* Two SMs miss on one line: two L1 misses, one L2 miss, one L2 pending hit, one DRAM read. */
static void l2_merges_the_misses_of_sms(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    struct mem *m = rig_mem(&o, 2);
    uint64_t now = 1, when;
    assert_int_equal(mem_ask(m, 0, MEM_L1D, MEM_READ, 0, 64, 10, now, &when), MEM_WAIT);
    assert_int_equal(mem_ask(m, 1, MEM_L1C, MEM_READ, 0, 64, 11, now, &when), MEM_WAIT);
    assert_int_equal(settle(m, &now, 2), 2);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l2.misses, 1);
    assert_int_equal(s.l2.pending, 1);
    assert_int_equal(s.dram.reads, 1);
    mem_free(m);
}

/* Writing through posts the bytes to L2: header and data in the crossbar. L2 writes back: only an eviction reaches DRAM. */
static void writes_go_through_to_l2_and_back_from_it(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.noc.flit = 8;
    o.l2.sets = o.l2.ways = 1;
    o.l2.allocate = true;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0, 64, now), MEM_POSTED);
    settle(m, &now, 1);
    struct mem_stats s = stats(m);
    assert_int_equal(s.noc.flits[0], 9);
    assert_int_equal(s.noc.flits[1], 0);
    assert_int_equal(s.dram.bytes, 0); /* the whole line was written: nothing to fetch */
    assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0x1000, 16, now), MEM_POSTED);
    settle(m, &now, 1);
    s = stats(m);
    assert_int_equal(s.dram.writes, 1);
    assert_int_equal(s.dram.reads, 1); /* part of a line: the rest is fetched */
    assert_int_equal(s.dram.bytes, 128);
    assert_int_equal(s.l2.writebacks, 1);
    mem_free(m);
}

/* An L1 that writes back keeps the write until the line must go. */
static void l1_may_write_back(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l1d.write = MEM_WRITE_BACK;
    o.l1d.allocate = true;
    o.l1d.sets = o.l1d.ways = 1;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0, 64, now), MEM_POSTED);
    assert_true(mem_idle(m, MEM_NEVER));
    assert_int_equal(ask(m, MEM_L1D, MEM_READ, 0x1000, 4, ++now), MEM_WAIT);
    settle(m, &now, 1);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l1d.writebacks, 1);
    assert_int_equal(s.l2.writes, 1);
    assert_int_equal(s.l2.reads, 1);
    mem_free(m);
}

/* With memory.stores = wait a store that brings its line in is answered with it, and so is one that finds it on its way; one
 * that covers the line, or hits, is posted as ever. */
static void stores_may_wait_for_their_line(void **state) {
    (void)state;
    for (int stores = MEM_STORES_POSTED; stores <= MEM_STORES_WAIT; stores++) {
        struct mem_options o = rig_plain();
        o.l1d.write = MEM_WRITE_BACK;
        o.l1d.allocate = true;
        o.memory.stores = stores;
        struct mem *m = rig_mem(&o, 1);
        const enum mem_answer misses = stores == MEM_STORES_WAIT ? MEM_WAIT : MEM_POSTED;
        uint64_t now = 1;
        assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0, 4, now), misses);
        assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 8, 4, ++now), misses);
        assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0x1000, 64, ++now), MEM_POSTED);
        assert_int_equal(ask(m, MEM_L1D, MEM_READ, 16, 4, ++now), MEM_WAIT);
        assert_int_equal(settle(m, &now, 1), stores == MEM_STORES_WAIT ? 3 : 1);
        assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0, 4, ++now), MEM_POSTED);
        struct mem_stats s = stats(m);
        assert_int_equal(s.l1d.misses, 2);
        assert_int_equal(s.l1d.pending, 2);
        assert_int_equal(s.l2.reads, 1);
        mem_free(m);
    }
}

/* An atomic drops the L1 line, is performed in L2 and leaves the line dirty there. */
static void atomics_are_performed_at_l2(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l2.sets = o.l2.ways = 1;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    rig_latency(m, MEM_L1D, MEM_READ, 0, &now);
    assert_int_equal(ask(m, MEM_L1D, MEM_ATOMIC, 0, 4, now), MEM_WAIT);
    assert_int_equal(settle(m, &now, 1), 1);
    assert_int_equal(ask(m, MEM_L1D, MEM_READ, 0, 4, now), MEM_WAIT); /* gone from L1 */
    settle(m, &now, 1);
    rig_latency(m, MEM_L1D, MEM_READ, 0x10000, &now); /* throws it out of L2: it was dirty */
    struct mem_stats s = stats(m);
    assert_int_equal(s.l2.atomics, 1);
    assert_int_equal(s.dram.writes, 1);
    assert_int_equal(s.l1d.atomics, 1);
    rig_adds_up(&s.l1d);
    mem_free(m);
}

/* An L1 line of 256 over L2 lines of 64: an atomic on all of it is four at L2 and answered once. */
static void a_wide_atomic_is_answered_once(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.l1d.line = 256;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1;
    assert_int_equal(ask(m, MEM_L1D, MEM_ATOMIC, 0x10, 232, now), MEM_WAIT);
    assert_int_equal(settle(m, &now, 1), 1);
    assert_int_equal(stats(m).l2.atomics, 4);
    mem_free(m);
}

/* Between launches L1 is emptied, L2 only if asked to; what is dirty is written. */
static void flushing_empties_and_writes(void **state) {
    (void)state;
    for (int flush = 0; flush < 2; flush++) {
        struct mem_options o = rig_plain();
        o.memory.flush_l2 = flush;
        o.l1d.write = MEM_WRITE_BACK;
        o.l1d.allocate = o.l2.allocate = true;
        struct mem *m = rig_mem(&o, 1);
        uint64_t now = 1;
        rig_latency(m, MEM_L1D, MEM_READ, 0x2000, &now);
        assert_int_equal(ask(m, MEM_L1D, MEM_WRITE, 0, 64, ++now), MEM_POSTED);
        mem_flush(m); /* L1: the dirty line goes to L2 */
        settle(m, &now, 1);
        assert_int_equal(stats(m).l2.writes, 1);
        mem_flush_l2(m);
        settle(m, &now, 1);
        assert_int_equal(stats(m).dram.writes, flush);
        assert_int_equal(stats(m).l1d.evictions + stats(m).l2.evictions, 0); /* nothing had to make room */
        uint64_t hit = (uint64_t)(o.l1d.latency + 2 * (o.noc.latency + 1) + o.l2.latency);
        uint64_t took = rig_latency(m, MEM_L1D, MEM_READ, 0x2000, &now);
        if (flush)
            assert_true(took > hit);
        else
            assert_int_equal(took, hit);
        mem_free(m);
    }
}

/* As many lines as all slices hold, one after the other in memory, all stay: no set is used twice before each was once. */
static void a_slice_uses_all_its_sets(void **state) {
    (void)state;
    for (int masks = 0; masks < 2; masks++) {
        struct mem_options o = rig_plain();
        o.dram.channels = masks ? 8 : 6;
        if (masks) { /* DWF 5.1.3: chip bits 9, 11, 12 */
            o.dram.mask_chip = "1a00";
            o.dram.mask_row = "fff0000";
            o.dram.mask_column = "e0ff";
            o.dram.mask_bank = "500";
        }
        o.l2.sets = 16;
        o.l2.ways = 2;
        struct mem *m = rig_mem(&o, 1);
        uint32_t lines = (uint32_t)o.dram.channels * 32;
        uint64_t now = 1;
        for (uint32_t i = 0; i < lines; i++) rig_latency(m, MEM_L1T, MEM_READ, i * 64u, &now);
        struct mem_stats s = stats(m);
        assert_int_equal(s.l2.misses, lines);
        assert_int_equal(s.l2.evictions, 0);
        mem_free(m);
    }
}

/* Refresh goes on while nothing else does, without waking a clock. */
static void refresh_costs_no_event(void **state) {
    (void)state;
    struct mem_options o = rig_plain();
    o.dram.tREFI = 1000;
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1000000;
    mem_advance(m, now);
    assert_true(mem_next(m) == MEM_NEVER);
    rig_latency(m, MEM_L1D, MEM_READ, 0, &now);
    assert_true(mem_next(m) == MEM_NEVER);
    assert_in_range(stats(m).dram.refreshes, 999, 1001);
    mem_free(m);
}

static void refuses(struct mem_options *o, uint32_t sms, const char *text) {
    struct err e = {0};
    assert_null(mem_new(o, sms, &e));
    assert_string_equal(err_text(&e), text);
    err_free(&e);
    *o = rig_defaults();
}

static void options_that_do_not_fit_are_refused(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    refuses(&o, 0, "a machine has 1 to 1024 SMs, not 0");
    o.l2.line = 48;
    refuses(&o, 1, "l2.line is 48: it must be a power of two");
    o.l1t.sector = 512;
    refuses(&o, 1, "l1t.sector is 512: it must be 0 or a power of two up to l1t.line (64)");
    o.dram.interleave = 32;
    refuses(&o, 1, "dram.interleave = 32 is not a multiple of l2.line = 64");
    o.dram.channels = 8;
    o.dram.mask_chip = "70";
    o.dram.mask_row = "f0000";
    o.dram.mask_column = "0f";
    o.dram.mask_bank = "700";
    refuses(&o, 1, "dram.mask_chip chooses between channels inside an L2 line of 64 bytes");
    o.dram.mask_chip = "zz";
    struct err e = {0};
    assert_null(mem_new(&o, 1, &e));
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pending_hits_are_counted_apart),
        cmocka_unit_test(misses_take_a_register_each),
        cmocka_unit_test(refused_sms_are_called),
        cmocka_unit_test(l2_merges_the_misses_of_sms),
        cmocka_unit_test(writes_go_through_to_l2_and_back_from_it),
        cmocka_unit_test(l1_may_write_back),
        cmocka_unit_test(stores_may_wait_for_their_line),
        cmocka_unit_test(atomics_are_performed_at_l2),
        cmocka_unit_test(a_wide_atomic_is_answered_once),
        cmocka_unit_test(flushing_empties_and_writes),
        cmocka_unit_test(a_slice_uses_all_its_sets),
        cmocka_unit_test(refresh_costs_no_event),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
