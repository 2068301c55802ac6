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

void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains, struct queue *out) {
    struct queue *waiting = &t->v[entry].waiting;
    for (uint32_t left = waiting->n; left; left--) {
        const uint32_t i = QUEUE_TAKE(waiting, p->v);
        p->v[i].missing &= ~grains;
        QUEUE_PUT(p->v[i].missing ? waiting : out, p->v, i);
    }
}
