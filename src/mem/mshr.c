/* The table of miss registers: a fixed array with a free list; waiting messages are linked through the message pool. */
#include "mem/mshr.h"

#include <stdlib.h>

#include "base/alloc.h"

bool mshr_init(struct mshr *t, uint32_t size, uint32_t merges, struct err *e) {
    *t = (struct mshr){.e = try_pages(size * sizeof *t->e), .size = size, .free = MSG_NONE, .merges = merges};
    return t->e || err_set(e, ERR_MEMORY, "no memory for %u miss registers", size);
}

void mshr_destroy(struct mshr *t) {
    xfree(t->e);
    t->e = NULL;
}

uint32_t mshr_take(struct mshr *t, uint32_t slot) {
    uint32_t i = t->free;
    if (i == MSG_NONE)
        i = t->never_used++;
    else
        t->free = t->e[i].slot;
    CHECK(i < t->size);
    t->used++;
    t->e[i] = (struct mshr_entry){.slot = slot};
    return i;
}

void mshr_give(struct mshr *t, uint32_t entry) {
    CHECK(!t->e[entry].waiting.n);
    t->e[entry].slot = t->free;
    t->free = entry;
    t->used--;
}

void mshr_wait(struct mshr *t, struct msg_pool *p, uint32_t entry, uint32_t message, uint64_t missing) {
    p->v[message].missing = missing;
    QUEUE_PUT(&t->e[entry].waiting, p->v, message);
}

void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains, struct queue *out) {
    struct queue *waiting = &t->e[entry].waiting;
    for (uint32_t left = waiting->n; left; left--) {
        const uint32_t i = QUEUE_TAKE(waiting, p->v);
        p->v[i].missing &= ~grains;
        QUEUE_PUT(p->v[i].missing ? waiting : out, p->v, i);
    }
}
