/* For the tests of a DRAM channel: its options, requests, and when what became of them. */
#ifndef HEDDLE_TESTS_MEM_DRAM_RIG_H
#define HEDDLE_TESTS_MEM_DRAM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/dram.h"
#include "mem/options.h"

/* HARP Table 3, with bursts of 4 cycles of 8 bytes. */
static inline struct opt_dram gddr5(void) {
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
static inline struct opt_dram unconstrained(void) {
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

static inline struct rig rig_new(const struct opt_dram *o) {
    return (struct rig){.d = dram_new(o)};
}

static inline void push(struct rig *r, uint32_t bank, uint64_t row, uint32_t bytes, bool write,
                        uint32_t message) {
    assert_true(dram_room(r->d));
    dram_push(r->d, (struct dram_place){.bank = bank, .row = row}, bytes, write, message);
}
static inline void get(struct rig *r, uint32_t bank, uint64_t row, uint32_t message) {
    push(r, bank, row, 8, false, message);
}
static inline void put(struct rig *r, uint32_t bank, uint64_t row, uint32_t message) {
    push(r, bank, row, 8, true, message);
}

static inline void run(struct rig *r, uint64_t cycles) {
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

#endif
