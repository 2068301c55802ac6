/* Miss registers (DWF 5.1.1, [34]): one for each line that is on its way, with the requests that wait for it in order of
 * arrival. The line's tag knows its register, so nothing is searched. */
#ifndef HEDDLE_MEM_MSHR_H
#define HEDDLE_MEM_MSHR_H

#include "base/err.h"
#include "mem/msg.h"

struct mshr_entry {
    union {
        uint32_t slot; /* place of the line in the cache; MSG_NONE: an access that passes the cache by */
        uint32_t next; /* in the pool */
    };
    struct queue waiting; /* messages */
};
struct mshr {
    POOL(struct mshr_entry);
    uint32_t merges;
};

/* room: for so many; waiting messages are linked through their pool. */
static inline void mshr_init(struct mshr *t, struct mshr_entry *room, uint32_t size, uint32_t merges) {
    *t = (struct mshr){.merges = merges};
    POOL_SIZE(t, room, size);
}
static inline bool mshr_room(const struct mshr *t) {
    return t->pool.left;
}
/* Needs mshr_room. */
static inline uint32_t mshr_take(struct mshr *t, uint32_t slot) {
    const uint32_t i = POOL_TAKE_SIZED(t);
    t->v[i] = (struct mshr_entry){.slot = slot};
    return i;
}
/* Gives back an entry that no message waits at. */
static inline void mshr_give(struct mshr *t, uint32_t entry) {
    CHECK(!t->v[entry].waiting.n);
    POOL_GIVE(t, entry);
}
static inline bool mshr_merges(const struct mshr *t, uint32_t entry) {
    return t->v[entry].waiting.n < t->merges;
}
/* The message waits for these grains of the entry's line. */
static inline void mshr_wait(struct mshr *t, struct msg_pool *p, uint32_t entry, uint32_t message,
                             uint64_t missing) {
    p->v[message].missing = missing;
    QUEUE_PUT(&t->v[entry].waiting, p->v, message);
}
/* These grains have come: adds to out, oldest first, the messages that now miss none. */
static inline void mshr_arrive(struct mshr *t, struct msg_pool *p, uint32_t entry, uint64_t grains,
                               struct queue *out) {
    struct queue *waiting = &t->v[entry].waiting;
    for (uint32_t left = waiting->n; left; left--) {
        const uint32_t i = QUEUE_TAKE(waiting, p->v);
        p->v[i].missing &= ~grains;
        QUEUE_PUT(p->v[i].missing ? waiting : out, p->v, i);
    }
}

#endif
