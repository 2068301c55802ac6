/* Frequencies are kept in thousandths of a hertz, divided by their common factor: less than 2^47, so that a product with
 * any cycle number fits 128 bits. A quotient is taken only when a clock wakes or the machine asks for the next event, in
 * 64 bits while the product fits. Which clock comes first is asked for every cycle of any: by times in a common unit, where
 * there is one in which they fit. */
#include "mem/clock.h"

#include <math.h>

#include "mem/options.h"

typedef unsigned __int128 wide;

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* The unit is the frequencies' least common multiple to a second. */
static void find_periods(struct clocks *c) {
    wide all = 1;
    uint64_t longest = 0;
    for (int i = 0; i < CLOCKS; i++) {
        all *= c->f[i] / gcd(c->f[i], (uint64_t)(all % c->f[i]));
        if (all >> 62) return;
    }
    for (int i = 0; i < CLOCKS; i++) {
        c->period[i] = (uint64_t)all / c->f[i];
        if (c->period[i] > longest) longest = c->period[i];
    }
    c->limit = (UINT64_C(1) << 63) / longest;
}

void clock_init(struct clocks *c, const struct opt_clock *o) {
    const double mhz[CLOCKS] = {
        [CLOCK_CORE] = o->core, [CLOCK_DRAM] = o->dram, [CLOCK_L2] = o->l2, [CLOCK_NOC] = o->noc};
    uint64_t common = 0;
    for (int i = 0; i < CLOCKS; i++) {
        c->f[i] = (uint64_t)llround(mhz[i] * 1e9);
        common = gcd(c->f[i], common);
    }
    for (int i = 0; i < CLOCKS; i++) {
        c->f[i] /= common;
        c->due[i] = CLOCK_ASLEEP;
        c->ran[i] = 0;
    }
    c->limit = 0;
    find_periods(c);
}

/* Cycle ka of a is earlier than cycle kb of b. */
static bool mem_clock_earlier(const struct clocks *c, enum clock_id a, uint64_t ka, enum clock_id b,
                              uint64_t kb) {
    return (wide)ka * c->f[b] < (wide)kb * c->f[a];
}

enum clock_id clock_pick_any(const struct clocks *c, uint64_t until) {
    enum clock_id best = CLOCKS;
    for (enum clock_id i = 0; i < CLOCKS; i++)
        if (c->due[i] != CLOCK_ASLEEP &&
            (best == CLOCKS || mem_clock_earlier(c, i, c->due[i], best, c->due[best])))
            best = i;
    return best == CLOCKS || mem_clock_earlier(c, CLOCK_CORE, until, best, c->due[best]) ? CLOCKS : best;
}

/* floor(k * f / g) and whether there is a remainder */
static uint64_t mem_clock_scale(uint64_t k, uint64_t f, uint64_t g, bool *rest) {
    wide product = (wide)k * f;
    if (!(product >> 64)) {
        uint64_t p = (uint64_t)product;
        *rest = p % g;
        return p / g;
    }
    *rest = product % g != 0;
    return (uint64_t)(product / g);
}

uint64_t clock_after(const struct clocks *c, enum clock_id a, enum clock_id b, uint64_t k) {
    bool rest;
    uint64_t n = mem_clock_scale(k, c->f[a], c->f[b], &rest);
    return rest || a < b ? n + 1 : n; /* a tick at the very instant is over when a runs before b */
}

uint64_t clock_elapsed(const struct clocks *c, enum clock_id a, uint64_t n) {
    bool rest;
    return mem_clock_scale(n, c->f[a], c->f[CLOCK_CORE], &rest);
}

uint64_t clock_core(const struct clocks *c, enum clock_id a, uint64_t k) {
    if (a == CLOCK_CORE) return k;
    bool rest;
    const uint64_t n = mem_clock_scale(k, c->f[CLOCK_CORE], c->f[a], &rest);
    return n + rest;
}

uint64_t clock_next(const struct clocks *c) {
    uint64_t next = c->due[CLOCK_CORE];
    for (enum clock_id i = CLOCK_CORE + 1; i < CLOCKS; i++) {
        if (c->due[i] == CLOCK_ASLEEP) continue;
        const uint64_t n = clock_core(c, i, c->due[i]);
        if (n < next) next = n;
    }
    return next;
}
