/* Sets of threads: sorted arrays of (warp, mask). Nearly every set has one piece, so that each function is a short
 * walk. */
#include "mech/lib/set.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

uint32_t set_count(const struct mech_set *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) n += bits_count(s->p[i].mask);
    return n;
}

void set_one(struct mech_set *s, uint32_t warp, uint32_t mask) {
    s->n = mask != 0;
    s->p[0] = (struct mech_piece){warp, mask};
}

bool set_empty(const struct mech_set *s) {
    return s->n == 0;
}

/* First piece whose warp is not below `warp`. */
static uint32_t mech_set_place(const struct mech_set *s, uint32_t warp) {
    uint32_t i = 0;
    while (i < s->n && s->p[i].warp < warp) i++;
    return i;
}

void set_add(struct mech_set *s, uint32_t warp, uint32_t mask) {
    if (!mask) return;
    uint32_t i = mech_set_place(s, warp);
    if (i < s->n && s->p[i].warp == warp) {
        s->p[i].mask |= mask;
        return;
    }
    CHECK(s->n < MECH_PIECES);
    memmove(&s->p[i + 1], &s->p[i], (s->n - i) * sizeof s->p[0]);
    s->p[i] = (struct mech_piece){warp, mask};
    s->n++;
}

/* What sets are that are parted or joined most: lanes of one warp. */
static bool same_piece(const struct mech_set *s, const struct mech_set *t) {
    return s->n == 1 && t->n == 1 && s->p[0].warp == t->p[0].warp;
}

/* From the back, so that every piece is moved once: first how many warps there are, then each to its place. */
void set_union(struct mech_set *s, const struct mech_set *t) {
    uint32_t i = 0, common = 0;
    if (same_piece(s, t)) {
        s->p[0].mask |= t->p[0].mask;
        return;
    }
    for (uint32_t k = 0; k < t->n; k++) {
        while (i < s->n && s->p[i].warp < t->p[k].warp) i++;
        common += i < s->n && s->p[i].warp == t->p[k].warp;
    }
    uint32_t at = s->n + t->n - common, k = t->n;
    CHECK(at <= MECH_PIECES);
    for (i = s->n, s->n = at; k;) {
        struct mech_piece p = t->p[k - 1];
        if (i && s->p[i - 1].warp >= p.warp) {
            const bool same = s->p[--i].warp == p.warp;
            p = (struct mech_piece){s->p[i].warp, s->p[i].mask | (same ? p.mask : 0)};
            k -= same;
        } else {
            k--;
        }
        s->p[--at] = p;
    }
}

/* Keeps of each piece of s the lanes that t has (flip 0) or has not (flip all ones). */
static void restrict_to(struct mech_set *s, const struct mech_set *t, uint32_t flip) {
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        struct mech_piece p = s->p[i];
        while (k < t->n && t->p[k].warp < p.warp) k++;
        p.mask &= (k < t->n && t->p[k].warp == p.warp ? t->p[k].mask : 0) ^ flip;
        if (p.mask) s->p[n++] = p;
    }
    s->n = n;
}

void set_remove(struct mech_set *s, const struct mech_set *t) {
    if (s == t)
        s->n = 0;
    else if (same_piece(s, t))
        s->n = (s->p[0].mask &= ~t->p[0].mask) != 0;
    else if (t->n)
        restrict_to(s, t, ~0u);
}

void set_and(struct mech_set *s, const struct mech_set *t) {
    if (s != t) restrict_to(s, t, 0);
}

uint32_t set_mask(const struct mech_set *s, uint32_t warp) {
    uint32_t i = mech_set_place(s, warp);
    return i < s->n && s->p[i].warp == warp ? s->p[i].mask : 0;
}

bool set_subset(const struct mech_set *s, const struct mech_set *whole) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->p[i].mask & ~set_mask(whole, s->p[i].warp)) return false;
    return true;
}

bool set_equal(const struct mech_set *s, const struct mech_set *t) {
    return s->n == t->n && !memcmp(s->p, t->p, s->n * sizeof s->p[0]);
}

void set_print(const struct mech_set *s, struct sb *out) {
    if (!s->n) sb_add(out, "-");
    for (uint32_t i = 0; i < s->n; i++)
        sb_add(out, "%sw%" PRIu32 ":%08" PRIx32, i ? " " : "", s->p[i].warp, s->p[i].mask);
}
