/* The table of miss registers: a pool of fixed size; waiting messages are linked through the message pool. */
#include "mem/mshr.h"

#include <stdlib.h>

#include "base/alloc.h"

bool mshr_init(struct mshr *t, uint32_t size, uint32_t merges, struct err *e) {
    struct mshr_entry *v = try_pages(size * sizeof *v);
    *t = (struct mshr){.merges = merges};
    if (!v) return err_set(e, ERR_MEMORY, "no memory for %u miss registers", size);
    POOL_SIZE(t, v, size);
    return true;
}

void mshr_destroy(struct mshr *t) {
    POOL_FREE(t);
}

uint32_t mshr_take(struct mshr *t, uint32_t slot) {
    const uint32_t i = POOL_TAKE_SIZED(t);
    t->v[i] = (struct mshr_entry){.slot = slot};
    return i;
}

void mshr_give(struct mshr *t, uint32_t entry) {
    CHECK(!t->v[entry].waiting.n);
    POOL_GIVE(t, entry);
}

void mshr_wait(struct mshr *t, struct msg_pool *p, uint32_t entry, uint32_t message, uint64_t missing) {
    p->v[message].missing = missing;
    QUEUE_PUT(&t->v[entry].waiting, p->v, message);
}

void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains, struct queue *out) {
    struct queue *waiting = &t->v[entry].waiting;
    for (uint32_t left = waiting->n; left; left--) {
        const uint32_t i = QUEUE_TAKE(waiting, p->v);
        p->v[i].missing &= ~grains;
        QUEUE_PUT(p->v[i].missing ? waiting : out, p->v, i);
    }
}
