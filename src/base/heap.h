/* A binary min-heap of numbered items, in two forms. With positions an item can be taken out of the middle: heap_put,
 * heap_take; equal keys go by number, so that the order never depends on history. Without, only the first leaves:
 * heap_push, heap_pop; equal keys go by a serial number that the caller counts up and that may wrap around. */
#ifndef HEDDLE_BASE_HEAP_H
#define HEDDLE_BASE_HEAP_H

#include <stdint.h>

#include "base/pages.h"

struct heap_item {
    uint64_t key;
    uint32_t serial; /* decides between equal keys */
    uint32_t id;
};
struct heap {
    uint32_t n, cap;
    struct heap_item *v; /* v[0] is the first; grows, and moves, for most heaps never hold all they may */
    uint32_t *pos;       /* position of each item in v; NULL: positions are not kept */
};

/* An empty one. Several heaps over one range of numbers may share `pos` if an item is in at most one of them at a time. */
struct heap heap_new(struct pages *pages, uint32_t *pos);

void heap_put(struct heap *h, uint64_t key, uint32_t id);
void heap_take(struct heap *h, uint32_t id); /* must be in it */

void heap_push(struct heap *h, uint64_t key, uint32_t serial, uint32_t id);
uint32_t heap_pop(struct heap *h); /* must not be empty */

#endif
