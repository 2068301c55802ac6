/* The second-level constant cache of an SM: latencies in closed form, and what it keeps from the crossbar. */
#include "rig.h"

static struct mem_options plain(void) {
    struct mem_options o = rig_plain();
    o.l15c.present = true;
    o.l1c.sets = o.l1c.ways = 1; /* one line: two lines take turns */
    return o;
}

static struct mem_stats stats(const struct mem *m) {
    struct mem_stats s;
    mem_get_stats(m, &s);
    rig_adds_up(&s.l1c);
    rig_adds_up(&s.l15c);
    return s;
}

/* X = noc.latency + 1 in each crossbar: l1c, l1c + l15c, l1c + l15c + X + l2 + X. */
static void each_level_adds_its_latency(void **state) {
    (void)state;
    struct mem_options o = plain();
    struct mem *m = rig_mem(&o, 1);
    const uint64_t first = (uint64_t)o.l1c.latency, second = first + (uint64_t)o.l15c.latency,
                   third = second + (uint64_t)(2 * (o.noc.latency + 1) + o.l2.latency);
    uint64_t now = 1;
    rig_latency(m, MEM_L1T, MEM_READ, 0, &now); /* into L2: 64 bytes */
    rig_latency(m, MEM_L1T, MEM_READ, 64, &now);
    rig_latency(m, MEM_L1T, MEM_READ, 128, &now);
    rig_latency(m, MEM_L1T, MEM_READ, 192, &now);
    /* Its line is 256 bytes: asked for in four pieces, each a cycle after the one before. */
    assert_int_equal(rig_latency(m, MEM_L1C, MEM_READ, 0, &now), third + 3);
    assert_int_equal(rig_latency(m, MEM_L1C, MEM_READ, 0, &now), first);
    assert_int_equal(rig_latency(m, MEM_L1C, MEM_READ, 192, &now), second); /* came with the line */
    /* The second access threw it out of l1c. */
    assert_int_equal(rig_latency(m, MEM_L1C, MEM_READ, 0, &now), second);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l1c.misses, 3);
    assert_int_equal(s.l15c.misses, 1);
    assert_int_equal(s.l15c.hits, 2);
    assert_int_equal(s.l2.reads, 4 + 4);
    assert_int_equal(s.l2.misses, 4);
    mem_free(m);
}

/* An array larger than l1c and smaller than the second level, walked again and again, is fetched once. */
static void an_array_is_fetched_once(void **state) {
    (void)state;
    for (int present = 0; present < 2; present++) {
        struct mem_options o = plain();
        o.l15c.present = present;
        o.l15c.line = 64;
        o.l15c.sets = 8;
        struct mem *m = rig_mem(&o, 1);
        uint64_t now = 1;
        for (uint32_t i = 0; i < 4 * 64; i++) rig_latency(m, MEM_L1C, MEM_READ, i % 64 * 64u, &now);
        struct mem_stats s = stats(m);
        assert_int_equal(s.l1c.misses, 4 * 64);
        assert_int_equal(s.l15c.accesses, present ? 4 * 64 : 0);
        assert_int_equal(s.l15c.misses, present ? 64 : 0);
        assert_int_equal(s.noc.messages[XBAR_TO_MEMORY], present ? 64 : 4 * 64);
        mem_free(m);
    }
}

/* Each SM has its own, other paths do not pass it, and it is emptied between launches. */
static void it_is_the_constants_of_one_sm(void **state) {
    (void)state;
    struct mem_options o = plain();
    struct mem *m = rig_mem(&o, 2);
    uint64_t now = 1, when;
    uint32_t tag;
    rig_latency(m, MEM_L1C, MEM_READ, 0, &now);
    rig_latency(m, MEM_L1D, MEM_READ, 0, &now);
    rig_latency(m, MEM_L1I, MEM_READ, 0, &now);
    assert_int_equal(mem_ask(m, 1, MEM_L1C, MEM_READ, 0, 4, 9, now, &when), MEM_WAIT);
    rig_drain_done(m, 1, &now, &tag);
    assert_int_equal(tag, 9);
    assert_int_equal(stats(m).l15c.misses, 2);
    mem_flush(m);
    rig_drain(m, &now);
    rig_latency(m, MEM_L1C, MEM_READ, 0, &now);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l15c.accesses, 3);
    assert_int_equal(s.l15c.misses, 3);
    mem_free(m);
}

/* Requests of l1c for one line on its way are one request of the second level. */
static void misses_wait_together(void **state) {
    (void)state;
    struct mem_options o = plain();
    o.l1c.ways = 4; /* 64 bytes each, all in one line of 256 */
    struct mem *m = rig_mem(&o, 1);
    uint64_t now = 1, when;
    uint32_t tag;
    for (; now <= 4; now++) {
        mem_advance(m, now);
        assert_int_equal(mem_ask(m, 0, MEM_L1C, MEM_READ, now * 64 - 64, 4, 1, now, &when), MEM_WAIT);
    }
    for (uint32_t n = 0; n < 4; n++) rig_drain_done(m, 0, &now, &tag);
    struct mem_stats s = stats(m);
    assert_int_equal(s.l1c.misses, 4);
    assert_int_equal(s.l15c.misses, 1);
    assert_int_equal(s.l15c.pending, 3);
    assert_int_equal(s.l2.reads, 4);
    assert_true(mem_idle(m, MEM_NEVER));
    mem_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_adds_its_latency),
        cmocka_unit_test(an_array_is_fetched_once),
        cmocka_unit_test(it_is_the_constants_of_one_sm),
        cmocka_unit_test(misses_wait_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
