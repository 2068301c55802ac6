/* Sets of threads as (warp, mask) pieces: small, sorted, no allocation. */
#ifndef HEDDLE_MECH_SET_H
#define HEDDLE_MECH_SET_H

#include "mech/mech.h"

uint32_t set_count(const struct mech_set *s);
void set_add(struct mech_set *s, uint32_t warp, uint32_t mask);         /* union with a piece */
void set_union(struct mech_set *s, const struct mech_set *t);
void set_remove(struct mech_set *s, const struct mech_set *t);          /* difference */
uint32_t set_mask(const struct mech_set *s, uint32_t warp);             /* its lanes of that warp */
bool set_subset(const struct mech_set *s, const struct mech_set *of);
bool set_empty(const struct mech_set *s);

#endif
