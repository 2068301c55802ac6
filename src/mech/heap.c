/* Sift up, sift down, and the position of every item kept on the way. */
#include "mech/heap.h"

#include <stdbool.h>

static bool before(struct heap_item a, struct heap_item b) {
    return a.key != b.key ? a.key < b.key : a.id < b.id;
}

static void set(struct heap *h, uint32_t at, struct heap_item it) {
    h->v[at] = it;
    h->pos[it.id] = at;
}

static void up(struct heap *h, uint32_t at, struct heap_item it) {
    for (; at && before(it, h->v[(at - 1) / 2]); at = (at - 1) / 2) set(h, at, h->v[(at - 1) / 2]);
    set(h, at, it);
}

static void down(struct heap *h, uint32_t at, struct heap_item it) {
    for (uint32_t kid; (kid = 2 * at + 1) < h->n; at = kid) {
        if (kid + 1 < h->n && before(h->v[kid + 1], h->v[kid])) kid++;
        if (!before(h->v[kid], it)) break;
        set(h, at, h->v[kid]);
    }
    set(h, at, it);
}

void heap_put(struct heap *h, uint64_t key, uint32_t id) {
    up(h, h->n++, (struct heap_item){key, id});
}

void heap_take(struct heap *h, uint32_t id) {
    uint32_t at = h->pos[id];
    struct heap_item last = h->v[--h->n];
    if (at == h->n) return;
    if (at && before(last, h->v[(at - 1) / 2]))
        up(h, at, last);
    else
        down(h, at, last);
}
