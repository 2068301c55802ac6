/* For the tests of the memory system: its options with the defaults of the table, and runs of requests through it. */
#ifndef HEDDLE_TESTS_MEM_RIG_H
#define HEDDLE_TESTS_MEM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/mem.h"
#include "unit/defaults.h"

static inline struct mem_options rig_defaults(void) {
    struct mem_options o = {0};
#define BEGIN(section, title)
#define OPT(section, name, kind, initial, limits, unit, help)                                         \
    default_set(&(struct option_row)OPTION_ROW(struct mem_options, section.name, section, name, kind, \
                                               initial, unit, help, limits),                          \
                &o);
#define END(section)
#include "mem/options.def"
#undef BEGIN
#undef OPT
#undef END
    return o;
}

/* All four clocks alike, one channel, one SM to a port, one flit carries anything: times can be counted by hand. */
static inline struct mem_options rig_plain(void) {
    struct mem_options o = rig_defaults();
    o.clock.core = o.clock.noc = o.clock.l2 = o.clock.dram = 1000;
    o.dram.channels = 1;
    o.noc.flit = 1024;
    o.noc.sms_per_port = 1;
    return o;
}

static inline struct mem *rig_mem(const struct mem_options *o, uint32_t sms) {
    struct err e = {0};
    struct mem *m = mem_new(o, sms, &e);
    if (!m) fail_msg("%s", err_text(&e));
    return m;
}

/* Asks at *now, waits for the answer, leaves *now at the cycle the data is there. Nothing else may be under way. */
static inline uint64_t rig_latency(struct mem *m, enum mem_path path, enum mem_kind kind, uint64_t addr,
                                   uint64_t *now) {
    uint64_t when = 0, asked = *now;
    uint32_t tag;
    mem_advance(m, *now);
    switch (mem_ask(m, 0, path, kind, addr, 4, 77, *now, &when)) {
    case MEM_HIT: *now = when; return when - asked;
    case MEM_WAIT: break;
    default: fail_msg("neither hit nor miss");
    }
    while (!mem_done(m, 0, *now, &tag)) {
        uint64_t next = mem_next(m);
        assert_true(next != MEM_NEVER && next > *now);
        mem_advance(m, *now = next);
    }
    assert_int_equal(tag, 77);
    assert_false(mem_done(m, 0, *now, &tag));
    return *now - asked;
}

/* Runs until an SM gets a tag back. */
static inline void rig_drain_done(struct mem *m, uint32_t sm, uint64_t *now, uint32_t *tag) {
    while (!mem_done(m, sm, *now, tag)) {
        assert_true(mem_next(m) != MEM_NEVER);
        mem_advance(m, *now = mem_next(m));
    }
}

/* Runs until nothing is left to do. */
static inline void rig_drain(struct mem *m, uint64_t *now) {
    for (uint64_t next; (next = mem_next(m)) != MEM_NEVER;) {
        assert_true(next > *now);
        mem_advance(m, *now = next);
    }
    assert_true(mem_idle(m, MEM_NEVER));
}

static inline void rig_adds_up(const struct mem_cache_stats *s) {
    assert_int_equal(s->hits + s->pending + s->misses, s->accesses);
    assert_int_equal(s->reads + s->writes + s->atomics, s->accesses);
    assert_int_equal(s->sector_hits + s->sector_pending + s->sector_misses, s->sectors);
    assert_true(s->sectors >= s->accesses && s->sector_misses >= s->misses);
}

#endif
