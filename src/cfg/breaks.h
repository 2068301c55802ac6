/* Finds which edges leave a loop as a break does. Private to cfg/. */
#ifndef HEDDLE_CFG_BREAKS_H
#define HEDDLE_CFG_BREAKS_H

#include "cfg/graph.h"

/* A loop left from several places, and the block its threads meet at. */
struct follow {
    uint32_t block, header, pre; /* pre: the header's number in the dominator tree */
};

struct breaks {
    struct work *w;
    /* Sorted by block, then by pre; the headers of one block's do not dominate each other. */
    struct follow *v;
    uint32_t n;
};

void breaks_find(struct breaks *k); /* w set, the rest zero */
/* The edge leaves a loop by break: the header of one that is followed by `to` dominates `from`. */
bool breaks_has(const struct breaks *k, uint32_t from, uint32_t to);
/* True for a block of one instruction that ends every thread that reaches it. */
bool block_only_ends(const struct work *w, uint32_t v);

#endif
