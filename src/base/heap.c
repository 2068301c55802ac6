/* Sift up and sift down, compiled once with the position of every item kept on the way and once without. */
#include "base/heap.h"

#include <stdbool.h>
#include <string.h>

enum { FIRST = 15 }; /* items there is room for at first */

/* Lies in front of v, where no put or take looks: otherwise it would use cache lines of code that holds many heaps. */
struct head {
    struct pages *pages;
    uint64_t unused; /* as large as an item */
};
_Static_assert(sizeof(struct head) == sizeof(struct heap_item), "v is aligned as its items are");

static struct heap_item *heap_room(struct pages *pages, uint32_t items) {
    struct head *h = pages_raw(pages, sizeof *h + items * sizeof(struct heap_item));
    *h = (struct head){.pages = pages};
    return (struct heap_item *)(h + 1);
}

struct heap heap_new(struct pages *pages, uint32_t *pos) {
    return (struct heap){.cap = FIRST, .v = heap_room(pages, FIRST), .pos = pos};
}

static __attribute__((noinline)) void heap_grow(struct heap *h) {
    struct heap_item *old = h->v;
    h->cap = 2 * h->cap + 1;
    h->v = heap_room(((struct head *)old - 1)->pages, h->cap);
    memcpy(h->v, old, h->n * sizeof *old);
}

#define BOTH static inline __attribute__((always_inline))

BOTH bool heap_before(struct heap_item a, struct heap_item b) {
    return a.key != b.key ? a.key < b.key : (int32_t)(a.serial - b.serial) < 0;
}

BOTH void heap_set(struct heap *h, uint32_t *pos, uint32_t at, struct heap_item it) {
    h->v[at] = it;
    if (pos) pos[it.id] = at;
}

BOTH void up(struct heap *h, uint32_t *pos, uint32_t at, struct heap_item it) {
    for (; at && heap_before(it, h->v[(at - 1) / 2]); at = (at - 1) / 2)
        heap_set(h, pos, at, h->v[(at - 1) / 2]);
    heap_set(h, pos, at, it);
}

BOTH void heap_down(struct heap *h, uint32_t *pos, uint32_t at, struct heap_item it) {
    for (uint32_t kid; (kid = 2 * at + 1) < h->n; at = kid) {
        if (kid + 1 < h->n && heap_before(h->v[kid + 1], h->v[kid])) kid++;
        if (!heap_before(h->v[kid], it)) break;
        heap_set(h, pos, at, h->v[kid]);
    }
    heap_set(h, pos, at, it);
}

void heap_put(struct heap *h, uint64_t key, uint32_t id) {
    if (h->n == h->cap) heap_grow(h);
    up(h, h->pos, h->n++, (struct heap_item){key, id, id});
}

void heap_take(struct heap *h, uint32_t id) {
    const uint32_t at = h->pos[id];
    const struct heap_item last = h->v[--h->n];
    if (at == h->n) return;
    if (at && heap_before(last, h->v[(at - 1) / 2]))
        up(h, h->pos, at, last);
    else
        heap_down(h, h->pos, at, last);
}

void heap_push(struct heap *h, uint64_t key, uint32_t serial, uint32_t id) {
    if (h->n == h->cap) heap_grow(h);
    up(h, NULL, h->n++, (struct heap_item){key, serial, id});
}

uint32_t heap_pop(struct heap *h) {
    const uint32_t first = h->v[0].id;
    const struct heap_item last = h->v[--h->n];
    if (h->n) heap_down(h, NULL, 0, last);
    return first;
}
