/* Activity as counters: POMP (Keryell & Paris, ICPP 1993, [13] of SL) and Intel's GMA (SL 2.1). Masks on a stack are a
 * histogram: who is inactive at a depth is so at every greater one. So a number for each thread will do: how many levels the
 * warp has to leave before the thread is active again; 0: it is.
 *
 * IF: counters above 0 go up, those of active threads that it turns off become 1. ELSE: 0 and 1 change places. ENDIF:
 * counters above 0 go down. The rest is a reconstruction (SL has the idea only): a loop is two levels, one for those who
 * wait for its next round and one for those who have left it; with k levels open inside of the loop CONT sets k + 1 and
 * BRK k + 2. ENDLOOP turns 1 into 0 before it looks who goes round again, and takes 2 off when none does. A call is an
 * IF whose ENDIF is the return. */
#include "mech/structured/structured.h"

static uint32_t threads(const struct structured_home *h) {
    return h->words * 32;
}

static void structured_counters_start(struct mech *m, struct structured_home *h, uint64_t place) {
    (void)place;
    if (!h->counters.c) h->counters.c = PAGES_NEW(m->env.pages, uint32_t, threads(h));
    memset(h->counters.c, 0, threads(h) * sizeof *h->counters.c);
    h->counters.active = h->live;
}

static void open_level(uint32_t *c, uint32_t n, uint32_t by) {
    for (uint32_t t = 0; t < n; t++) c[t] += c[t] ? by : 0;
}
static void close_level(uint32_t *c, uint32_t n, uint32_t by) {
    for (uint32_t t = 0; t < n; t++) c[t] -= c[t] < by ? c[t] : by;
}

static void structured_counters_put(uint32_t *c, const struct mask *off, uint32_t value) {
    FOR_MASK(t, off) c[t] = value;
}

static void find_active(struct structured_home *h) {
    for (uint32_t k = 0; k < h->words; k++) {
        uint32_t zero = 0;
        for (uint32_t l = 0; l < 32; l++) zero |= (uint32_t)(h->counters.c[k * 32 + l] == 0) << l;
        h->counters.active.w[k] = zero & h->live.w[k];
    }
}

static void structured_counters_change(struct mech *m, struct structured_home *h,
                                       const struct structured_change *e) {
    uint32_t *c = h->counters.c;
    const uint32_t n = threads(h), inside = e->ifs + 2 * e->loops;
    (void)m;
    switch (e->what) {
    case STRUCTURED_OPENS:
        open_level(c, n, 1);
        structured_counters_put(c, &e->off, 1);
        break;
    case STRUCTURED_SWAPS:
        for (uint32_t t = 0; t < n; t++) c[t] ^= c[t] <= 1;
        break;
    case STRUCTURED_CLOSES: close_level(c, n, 1); break;
    case STRUCTURED_LOOPS: open_level(c, n, 2); break;
    case STRUCTURED_BREAKS: structured_counters_put(c, &e->off, inside + 2); break;
    case STRUCTURED_SKIPS:
    case STRUCTURED_RETURNS: structured_counters_put(c, &e->off, inside + 1); break;
    case STRUCTURED_GATHERS:
        for (uint32_t t = 0; t < n; t++) c[t] = c[t] == 1 ? 0 : c[t];
        break;
    case STRUCTURED_REPEATS:
    case STRUCTURED_EXITS: break; /* who is gone is not among the live */
    case STRUCTURED_ENDS: close_level(c, n, 2); break;
    }
    find_active(h);
}

const struct structured_activity structured_by_counters = {structured_counters_start,
                                                           structured_counters_change};
