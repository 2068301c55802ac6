/* The message pool: a growing array with a free list through msg.next. */
#include "mem/msg.h"

#include <stdlib.h>

#include "base/alloc.h"

static void grow(struct msg_pool *p) {
    uint32_t cap = p->cap ? p->cap * 2 : 256;
    CHECK(cap > p->cap);
    p->m = xrealloc(p->m, sizeof *p->m * cap);
    for (uint32_t i = p->cap; i < cap; i++) p->m[i].next = i + 1 < cap ? i + 1 : MSG_NONE;
    p->free = p->cap;
    p->cap = cap;
}

uint32_t msg_new(struct msg_pool *p) {
    if (p->live == p->cap) grow(p);
    uint32_t i = p->free;
    p->free = p->m[i].next;
    p->m[i] = (struct msg){.next = MSG_NONE};
    p->live++;
    return i;
}

void msg_free(struct msg_pool *p, uint32_t i) {
    p->m[i].next = p->free;
    p->free = i;
    p->live--;
}

void msg_pool_free(struct msg_pool *p) {
    free(p->m);
    *p = (struct msg_pool){0};
}
