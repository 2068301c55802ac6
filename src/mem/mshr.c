/* The table of miss registers: a pool of fixed size; waiting messages are linked through the message pool. */
#include "mem/mshr.h"

void mshr_init(struct mshr *t, struct mshr_entry *room, uint32_t size, uint32_t merges) {
    *t = (struct mshr){.merges = merges};
    POOL_SIZE(t, room, size);
}

void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains, struct queue *out) {
    struct queue *waiting = &t->v[entry].waiting;
    for (uint32_t left = waiting->n; left; left--) {
        const uint32_t i = QUEUE_TAKE(waiting, p->v);
        p->v[i].missing &= ~grains;
        QUEUE_PUT(p->v[i].missing ? waiting : out, p->v, i);
    }
}
