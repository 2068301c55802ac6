/* Activity as PCs: Intel's Sandy Bridge (SL 2.3). Each thread has a PC of its own. Marks write it: IF that of the else-part
 * or the ENDIF to those it turns off, ELSE the ENDIF, BRK what follows the loop, CONT the ENDLOOP. Who is active is found by
 * comparing with the warp's PC, at marks and nowhere else; between them the PCs of active threads are not kept.
 *
 * Sandy Bridge runs no calls. Where the audit lets this watch a scheme that does, a place is a PC and a call depth: in
 * recursion a PC alone would name threads of several levels. */
#include "mech/structured/structured.h"

static void structured_pcs_start(struct mech *m, struct structured_home *h, uint64_t place) {
    const uint32_t n = h->words * 32;
    if (!h->pcs.at) h->pcs.at = PAGES_NEW(m->env.pages, uint64_t, n);
    for (uint32_t t = 0; t < n; t++) h->pcs.at[t] = place;
    h->pcs.active = h->live;
}

static void structured_pcs_put(uint64_t *at, const struct mask *who, uint64_t place) {
    FOR_MASK(t, who) at[t] = place;
}

static void structured_pcs_compare(struct structured_home *h, uint64_t place) {
    for (uint32_t k = 0; k < h->words; k++) {
        uint32_t here = 0;
        for (uint32_t l = 0; l < 32; l++) here |= (uint32_t)(h->pcs.at[k * 32 + l] == place) << l;
        h->pcs.active.w[k] = here & h->live.w[k];
    }
}

static void structured_pcs_change(struct mech *m, struct structured_home *h,
                                  const struct structured_change *c) {
    uint64_t *at = h->pcs.at;
    (void)m;
    switch (c->what) {
    case STRUCTURED_OPENS:
    case STRUCTURED_BREAKS:
    case STRUCTURED_SKIPS:
    case STRUCTURED_RETURNS:
        structured_pcs_put(at, &h->pcs.active, c->next);
        structured_pcs_put(at, &c->off, c->at);
        break;
    case STRUCTURED_SWAPS: structured_pcs_put(at, &h->pcs.active, c->at); break;
    case STRUCTURED_CLOSES:
    case STRUCTURED_LOOPS:
    case STRUCTURED_GATHERS:
    case STRUCTURED_REPEATS:
    case STRUCTURED_ENDS: structured_pcs_put(at, &h->pcs.active, c->next); break;
    case STRUCTURED_EXITS: mask_minus(&h->pcs.active, &c->off); return;
    }
    structured_pcs_compare(h, c->next);
}

const struct structured_activity structured_by_pcs = {structured_pcs_start, structured_pcs_change};
