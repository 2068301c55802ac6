/* Where threads that diverge at a branch can meet again, and what was written meanwhile. Private to cfg/. */
#ifndef HEDDLE_CFG_DIVERGE_H
#define HEDDLE_CFG_DIVERGE_H

#include "cfg/graph.h"

/* A function's graph with one node more, w->n: the return, to which every block that ends in RET leads. Blocks that
 * end the thread lead nowhere. */
struct diverge {
    struct work *w;
    struct graph g;
    uint64_t visits; /* blocks that may still be looked at */
    uint32_t *stamp, *avoid, *list, *local, clock;
};

void diverge_init(struct diverge *d, struct work *w); /* memory of the work */
/* How many ways lead on from a block, the end of the thread included. */
uint32_t diverge_ways(const struct diverge *d, uint32_t b);

/* At `join` whatever the blocks write may differ between threads that diverged at the branch. */
typedef void diverge_fn(void *user, uint32_t join, const uint32_t *blocks, uint32_t n);
/* Calls fn for every place where those who diverge at the end of block b may meet. False: the visits are spent. */
bool diverge_joins(struct diverge *d, uint32_t b, diverge_fn *fn, void *user);

#endif
