/* A binary min-heap of numbered items that can also be taken out of the middle. Keys equal: the lower number first, so
 * that the order never depends on history. Several heaps over one range of numbers may share `pos` if an item is in at
 * most one of them at a time. */
#ifndef HEDDLE_MECH_HEAP_H
#define HEDDLE_MECH_HEAP_H

#include <stdint.h>

#include "base/pages.h"

struct heap_item {
    uint64_t key;
    uint32_t id;
};
struct heap {
    uint32_t n;
    struct heap_item *v; /* room for every number */
    uint32_t *pos;       /* of each item in v */
};

/* An empty one for numbers below `room`. */
static inline struct heap heap_new(struct pages *pages, uint32_t room, uint32_t *pos) {
    return (struct heap){.v = (struct heap_item *)pages_raw(pages, room * sizeof(struct heap_item)),
                         .pos = pos};
}
void heap_put(struct heap *h, uint64_t key, uint32_t id);
void heap_take(struct heap *h, uint32_t id); /* must be in it */

#endif
