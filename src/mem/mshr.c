/* The table of miss registers: a fixed array with a free list; waiting messages are linked through the message pool. */
#include "mem/mshr.h"

#include <stdlib.h>

#include "base/alloc.h"

bool mshr_init(struct mshr *t, uint32_t size, uint32_t merges, struct err *e) {
    *t = (struct mshr){.e = try_pages(size * sizeof *t->e), .size = size, .free = MSG_NONE, .merges = merges};
    return t->e || err_set(e, ERR_MEMORY, "no memory for %u miss registers", size);
}

void mshr_destroy(struct mshr *t) {
    free(t->e);
    t->e = NULL;
}

uint32_t mshr_take(struct mshr *t, uint32_t slot) {
    uint32_t i = t->free;
    if (i == MSG_NONE)
        i = t->fresh++;
    else
        t->free = t->e[i].slot;
    CHECK(i < t->size);
    t->used++;
    t->e[i] = (struct mshr_entry){slot, MSG_NONE, MSG_NONE, 0};
    return i;
}

void mshr_give(struct mshr *t, uint32_t entry) {
    CHECK(!t->e[entry].waiting);
    t->e[entry].slot = t->free;
    t->free = entry;
    t->used--;
}

static void append(struct mshr_entry *x, struct msg_pool *p, uint32_t message) {
    p->m[message].next = MSG_NONE;
    if (x->waiting++)
        p->m[x->tail].next = message;
    else
        x->head = message;
    x->tail = message;
}

void mshr_wait(struct mshr *t, struct msg_pool *p, uint32_t entry, uint32_t message, uint64_t missing) {
    p->m[message].missing = missing;
    append(&t->e[entry], p, message);
}

void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains, struct msg_queue *out) {
    struct mshr_entry *x = &t->e[entry];
    uint32_t i = x->head, next;
    x->head = x->tail = MSG_NONE;
    x->waiting = 0;
    for (; i != MSG_NONE; i = next) {
        next = p->m[i].next;
        p->m[i].missing &= ~grains;
        if (p->m[i].missing)
            append(x, p, i);
        else
            msg_put(p, out, i);
    }
}
