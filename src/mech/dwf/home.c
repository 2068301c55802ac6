/* Where threads are at home, and who fits into a warp that is being formed (DWF 4.1, Figure 4.2).
 *
 * A thread's registers are in one bank of the register file, chosen by its number when it is created. The thesis draws a
 * bank for every lane of the SIMD pipeline (4.1, Figures 4.2 and 4.4: "N is the width of the SIMD pipeline") and simulates
 * warps of 32 on a pipeline 8 wide (Table 5.2), but sizes OCC for 32 lanes (Table 7.1). So there are two readings:
 * lanes = aware gives a warp W lanes with a thread each; lanes = bank as many banks as the pipeline is wide, each read once
 * in every beat, so that a warp may have W / width threads of one bank. Where the pipeline is as wide as a warp they are
 * the same.
 *
 * Swizzling: swap exchanges even and odd homes in every other warp of a scheduler, whose warps alone exchange threads
 * (4.1); rotate, not in the thesis, turns homes by one more from warp to warp, in words of at most 32. */
#include "mech/dwf/dwf.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/set.h"

enum { PARTS = 8 }; /* machine warps of a slot, at most */

void dwf_homes_init(struct mech *m) {
    struct dwf *d = m->self;
    d->per_lane = PAGES_NEW(m->env.pages, uint16_t, d->width);
    d->swapped = PAGES_NEW(m->env.pages, uint32_t, m->env.warps);
    if (dwf_params(m)->swizzle == DWF_ROTATE)
        d->turn = PAGES_NEW(m->env.pages, uint8_t, (size_t)m->env.warps * PARTS);
}

static uint32_t rotated(uint32_t bits, uint32_t width, uint32_t by) {
    const uint32_t all = width == 32 ? UINT32_MAX : (1u << width) - 1;
    return by ? (bits << by | bits >> (width - by)) & all : bits;
}

uint32_t dwf_turned(const struct dwf *d, uint32_t warp, uint32_t mask, bool back) {
    const uint32_t width = d->width < 32 ? d->width : 32, all = width == 32 ? UINT32_MAX : (1u << width) - 1;
    uint32_t lanes = 0;
    for (uint32_t k = 0; k * width < 32; k++) {
        const uint32_t by = d->turn[warp * PARTS + k];
        lanes |= rotated(mask >> k * width & all, width, back ? (width - by) % width : by) << k * width;
    }
    return lanes;
}

void dwf_homes_give(struct mech *m, const struct mech_set *set, uint32_t home) {
    struct dwf *d = m->self;
    const uint32_t rank = split_rank(m->pool, home), width = d->width < 32 ? d->width : 32;
    const bool swaps = dwf_params(m)->swizzle == DWF_SWAP && rank % 2;
    for (uint32_t k = 0; k < set->n; k++) {
        const uint32_t warp = set->p[k].warp, mask = set->p[k].mask;
        /* of a pair both, though one may not exist */
        const uint32_t pairs = mask | (mask & 0x55555555) << 1 | (mask >> 1 & 0x55555555);
        d->swapped[warp] = swaps ? d->swapped[warp] | pairs : d->swapped[warp] & ~pairs;
        if (d->turn) d->turn[warp * PARTS + (uint32_t)__builtin_ctz(mask) / width] = (uint8_t)(rank % width);
    }
}

void dwf_occupied(const struct mech *m, const struct mech_split *s, uint32_t *occ) {
    const struct dwf *d = m->self;
    occ[0] = 0;
    if (d->words > 1) memset(occ, 0, d->words * sizeof *occ);
    for (uint32_t k = 0; k < s->set.n; k++) {
        const struct mech_piece p = s->set.p[k];
        occ[dwf_word(m, p.warp)] |= dwf_fold(d, dwf_lanes_of(m, p.warp, p.mask));
    }
}

void dwf_count_homes(const struct mech *m, const struct mech_set *set, uint32_t lanes, uint16_t *count) {
    for (uint32_t k = 0; k < set->n; k++) {
        const uint32_t warp = set->p[k].warp, base = dwf_word(m, warp) * 32;
        FOR_LANES(l, dwf_lanes_of(m, warp, set->p[k].mask)) count[(base + l) & (lanes - 1)]++;
    }
}

/* ---- who fits ---- */

static void fit_lanes(struct mech *m, const struct mech_split *into, const struct mech_set *set,
                      struct mech_set *fit) {
    uint32_t occ[MECH_WIDEST / 32];
    dwf_occupied(m, into, occ);
    for (uint32_t k = 0; k < set->n; k++) {
        const struct mech_piece p = set->p[k];
        const uint32_t lanes = dwf_lanes_of(m, p.warp, p.mask);
        const uint32_t free = lanes & ~dwf_spread(m->self, occ[dwf_word(m, p.warp)]);
        if (free) fit->p[fit->n++] = (struct mech_piece){p.warp, dwf_threads_of(m, p.warp, free)};
    }
}

/* Keeps, for a bank with fewer slots left than threads, the threads of the lowest home lanes. */
static void fit_banks(struct mech *m, const struct mech_split *into, const struct mech_set *set,
                      struct mech_set *fit) {
    struct dwf *d = m->self;
    uint16_t *taken = d->per_lane;
    memset(taken, 0, d->banks * sizeof *taken);
    dwf_count_homes(m, &into->set, d->banks, taken);
    for (uint32_t k = 0; k < set->n; k++) {
        const struct mech_piece p = set->p[k];
        const uint32_t base = dwf_word(m, p.warp) * 32;
        uint32_t free = 0;
        FOR_LANES(l, dwf_lanes_of(m, p.warp, p.mask)) {
            uint16_t *bank = &taken[(base + l) & (d->banks - 1)];
            if (*bank == d->slots) continue;
            (*bank)++;
            free |= 1u << l;
        }
        if (free) fit->p[fit->n++] = (struct mech_piece){p.warp, dwf_threads_of(m, p.warp, free)};
    }
}

static void fit_room(uint32_t room, const struct mech_set *set, struct mech_set *fit) {
    for (uint32_t k = 0; room && k < set->n; k++) {
        uint32_t mask = set->p[k].mask, over = mask;
        for (; room && over; room--) over &= over - 1;
        fit->p[fit->n++] = (struct mech_piece){set->p[k].warp, mask & ~over};
    }
}

void dwf_fitting(struct mech *m, const struct mech_split *into, const struct mech_split *s,
                 struct mech_set *fit) {
    const struct dwf *d = m->self;
    fit->n = 0;
    if (m->env.warps > MECH_PIECES && into->set.n + s->set.n > MECH_PIECES) return;
    if (d->lanes == DWF_AWARE)
        fit_lanes(m, into, &s->set, fit);
    else if (d->lanes == DWF_BANK)
        fit_banks(m, into, &s->set, fit);
    else
        fit_room(d->width - into->threads, &s->set, fit);
}

/* DWF 5.1.1: register read "stalls when the count for any of the bank exceeds one [...] for a number of cycles equal to the
 * maximum count". A bank with a slot in each beat gives all but its last slot to a thread each: the threads that are left are
 * the count of the last beat. */
uint32_t dwf_register_stall(struct mech *m, const struct mech_split *s) {
    struct dwf *d = m->self;
    const bool banks = d->lanes == DWF_BANK_CONFLICT;
    const uint32_t lanes = banks ? d->banks : d->width, slots = banks ? d->slots : 1;
    uint32_t most = 0;
    memset(d->per_lane, 0, lanes * sizeof *d->per_lane);
    dwf_count_homes(m, &s->set, lanes, d->per_lane);
    for (uint32_t l = 0; l < lanes; l++)
        if (d->per_lane[l] > most) most = d->per_lane[l];
    const uint32_t stall = most > slots ? most - (slots - 1) : 0;
    dwf_counts(m)->bank_stalls += stall;
    return stall;
}
