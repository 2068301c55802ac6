/* Shrinking a flow graph by the rules of structure.c. Node 0 is the entry. */
#ifndef HEDDLE_CFG_REDUCE_H
#define HEDDLE_CFG_REDUCE_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>

struct reduce_edge;
struct reduce {
    uint32_t n, alive;
    /* node: its edges in, as a list; for the entry nin counts the way in from outside too. */
    uint32_t *in, *nin;
    uint32_t *out, *nout;   /* list number: edges out */
    uint32_t *list, *owner; /* node to the list of its edges out, and back */
    bool *dead;
    struct reduce_edge *edge;
    uint32_t nedges;
    uint32_t *table, mask; /* hash of edges by ends: edge plus one, possibly of an edge gone since */
    uint32_t *todo, ntodo;
    bool *queued;
};

/* At most nedges edges will be added. */
void reduce_init(struct reduce *r, uint32_t n, uint32_t nedges, struct arena *mem);
void reduce_drop(struct reduce *r, uint32_t v); /* a node to leave out; it must get no edges */
void reduce_edge(struct reduce *r, uint32_t from, uint32_t to);
/* True when one node is left. Those left (not dead) with several edges in are where it got stuck. */
bool reduce_run(struct reduce *r);

#endif
