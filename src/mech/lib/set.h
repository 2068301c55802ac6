/* Sets of threads as (warp, mask) pieces: small, sorted, no allocation. */
#ifndef HEDDLE_MECH_LIB_SET_H
#define HEDDLE_MECH_LIB_SET_H

#include "mech/mech.h"

/* Every function keeps the pieces sorted by warp, no warp twice, no mask 0. */
void set_one(struct mech_set *s, uint32_t warp, uint32_t mask); /* just these lanes */
uint32_t set_count(const struct mech_set *s);
void set_add(struct mech_set *s, uint32_t warp, uint32_t mask); /* union with a piece */
void set_union(struct mech_set *s, const struct mech_set *t);
void set_remove(struct mech_set *s, const struct mech_set *t); /* difference */
uint32_t set_mask(const struct mech_set *s, uint32_t warp);    /* its lanes of that warp */
bool set_subset(const struct mech_set *s, const struct mech_set *whole);
bool set_empty(const struct mech_set *s);
/* Only the pieces there are; nearly always one. */
static inline void set_copy(struct mech_set *to, const struct mech_set *from) {
    to->n = from->n;
    if (from->n) to->p[0] = from->p[0];
    for (uint32_t k = 1; k < from->n; k++) to->p[k] = from->p[k];
}
bool set_equal(const struct mech_set *s, const struct mech_set *t);
void set_and(struct mech_set *s, const struct mech_set *t); /* intersection */
void set_print(const struct mech_set *s, struct sb *out);   /* "w0:0000000f w3:00000001", "-" when empty */

#endif
