/* Masks of threads of a home warp: a bit for each, in as many words as it has architectural warps, the first of them in
 * slot `first`. They are for tables that keep a mask per entry, where a set would be too large. */
#ifndef HEDDLE_MECH_LIB_MASK_H
#define HEDDLE_MECH_LIB_MASK_H

#include "base/bits.h"
#include "mech/lib/set.h"

enum { MASK_WORDS = MECH_WIDEST / 32 };
struct mask {
    uint32_t w[MASK_WORDS];
};

static inline bool mask_any(const struct mask *m) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < MASK_WORDS; k++) bits |= m->w[k];
    return bits;
}

static inline uint32_t mask_count(const struct mask *m) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < MASK_WORDS; k++) n += bits_count(m->w[k]);
    return n;
}

/* Adds these threads. */
static inline void mask_put(struct mask *m, uint32_t first, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) m->w[set->p[k].warp - first] |= set->p[k].mask;
}

/* Without these. */
static inline void mask_take(struct mask *m, uint32_t first, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) m->w[set->p[k].warp - first] &= ~set->p[k].mask;
}

static inline bool mask_meets(const struct mask *m, uint32_t first, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++)
        if (m->w[set->p[k].warp - first] & set->p[k].mask) return true;
    return false;
}

static inline void mask_plus(struct mask *m, const struct mask *more) {
    for (uint32_t k = 0; k < MASK_WORDS; k++) m->w[k] |= more->w[k];
}

static inline void mask_minus(struct mask *m, const struct mask *less) {
    for (uint32_t k = 0; k < MASK_WORDS; k++) m->w[k] &= ~less->w[k];
}

static inline bool mask_equal(const struct mask *a, const struct mask *b) {
    uint32_t differ = 0;
    for (uint32_t k = 0; k < MASK_WORDS; k++) differ |= a->w[k] ^ b->w[k];
    return !differ;
}

/* For each thread t of it, counted from the first slot's lane 0. */
#define FOR_MASK(t, m)                                    \
    for (uint32_t t##_k = 0; t##_k < MASK_WORDS; t##_k++) \
        for (uint32_t t##_left = (m)->w[t##_k], t;        \
             t##_left && (t = t##_k * 32 + (uint32_t)__builtin_ctz(t##_left), 1); t##_left &= t##_left - 1)

static inline void mask_set(const struct mask *m, uint32_t first, struct mech_set *out) {
    out->n = 0;
    for (uint32_t k = 0; k < MASK_WORDS; k++)
        if (m->w[k]) set_add(out, first + k, m->w[k]);
}

#endif
