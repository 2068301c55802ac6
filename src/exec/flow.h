/* Dependences between values: a graph whose nodes are values and whose edges lead from a value to those it was computed
 * from. Marking a node marks all nodes that it depends on. */
#ifndef HEDDLE_EXEC_FLOW_H
#define HEDDLE_EXEC_FLOW_H

#include <stdbool.h>

#include "base/alloc.h"

/* From keys other than 0 to numbers. */
struct flow_table {
    uint64_t *key;
    uint32_t *value;
    size_t cap, n; /* cap: a power of two, or 0 */
};
uint32_t *flow_table_at(struct flow_table *t, uint64_t key); /* 0 where the key is new */
void flow_table_clear(struct flow_table *t);
void flow_table_free(struct flow_table *t);

struct flow_edge {
    uint32_t from, next; /* next edge of the same node, plus one; 0: none */
};
struct flow {
    VEC(uint32_t) first; /* of each node: its first edge, plus one */
    VEC(uint8_t) marked;
    VEC(struct flow_edge) edges;
    struct flow_table known; /* edges, so that each is there once */
    VEC(uint32_t) todo;
    size_t marks;
};
void flow_reset(struct flow *f, uint32_t nodes); /* so many nodes without edges */
uint32_t flow_add(struct flow *f);               /* one more */
void flow_depends(struct flow *f, uint32_t node, uint32_t on);
void flow_unmark(struct flow *f);
void flow_mark(struct flow *f, uint32_t node);
static inline bool flow_marked(const struct flow *f, uint32_t node) {
    return f->marked.v[node];
}
void flow_free(struct flow *f);

#endif
