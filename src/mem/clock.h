/* The clocks of core, DRAM, L2 and crossbar, exactly: cycle k of a clock of frequency f happens at time k / f, compared by
 * cross-multiplication, so that no ratio ever drifts. A clock that has nothing to do sleeps; waking it finds the cycle it
 * would be in.
 *
 * Where several clocks tick at one instant they run in the order of the enum: the crossbar last, so that what is put into
 * it at an instant moves at that instant and what arrives is taken at the next tick of the clock that takes it. */
#ifndef HEDDLE_MEM_CLOCK_H
#define HEDDLE_MEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CLOCK_ASLEEP UINT64_MAX

enum clock_id { CLOCK_CORE, CLOCK_DRAM, CLOCK_L2, CLOCK_NOC, CLOCKS };

struct clocks {
    uint64_t f[CLOCKS];   /* frequencies, as integers without a common factor */
    uint64_t due[CLOCKS]; /* the next cycle that is to run, or CLOCK_ASLEEP */
    uint64_t ran[CLOCKS]; /* the last cycle that ran */
    /* The lengths of a cycle in a unit that all have in common, and the cycle up to which times in it fit 63 bits: 0 where
     * there is no such unit. */
    uint64_t period[CLOCKS], limit;
};

struct opt_clock;
void clock_init(struct clocks *c, const struct opt_clock *o);
/* The clock whose due cycle comes first, if that is not after core cycle `until`; CLOCKS when there is none. By times in the
 * common unit, where they fit; else in clock.c. */
enum clock_id clock_pick_any(const struct clocks *c, uint64_t until);
static inline enum clock_id clock_pick(const struct clocks *c, uint64_t until) {
    if (until >= c->limit) return clock_pick_any(c, until);
    enum clock_id best = CLOCKS;
    uint64_t first = until * c->period[CLOCK_CORE] + 1;
#pragma GCC unroll 4
    for (enum clock_id i = 0; i < CLOCKS; i++) {
        /* A cycle beyond the limit is after `until`, which is not. */
        if (c->due[i] > c->limit || c->due[i] * c->period[i] >= first) continue;
        first = c->due[i] * c->period[i];
        best = i;
    }
    return best;
}
/* The first cycle of a that runs after cycle k of b has. */
uint64_t clock_after(const struct clocks *c, enum clock_id a, enum clock_id b, uint64_t k);
/* Makes a run at cycle k or earlier. */
static inline void clock_at(struct clocks *c, enum clock_id a, uint64_t k) {
    if (k < c->due[a]) c->due[a] = k;
}
/* The first cycle of a that runs after b's current one. */
static inline uint64_t clock_soonest(const struct clocks *c, enum clock_id a, enum clock_id b) {
    return c->due[a] == c->ran[a] + 1 ? c->due[a] : clock_after(c, a, b, c->ran[b]);
}
/* As clock_after; also makes a run then, if it is not to run earlier. */
static inline uint64_t clock_wake(struct clocks *c, enum clock_id a, enum clock_id b) {
    const uint64_t k = clock_soonest(c, a, b);
    clock_at(c, a, k);
    return k;
}
/* Cycles of a that are over by core cycle n. */
uint64_t clock_elapsed(const struct clocks *c, enum clock_id a, uint64_t n);
/* The core cycle by which cycle k of a has happened. */
uint64_t clock_core(const struct clocks *c, enum clock_id a, uint64_t k);
/* The first core cycle by which anything due has happened; CLOCK_ASLEEP: nothing is. */
uint64_t clock_next(const struct clocks *c);

#endif
