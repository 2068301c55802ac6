/* What travels between caches, crossbars and DRAM: small records in one pool, named by their index, which is also the
 * message number the crossbars and DRAM carry. A record is in exactly one place: a queue, a miss register's list, a
 * crossbar, a DRAM controller or the free list. */
#ifndef HEDDLE_MEM_MSG_H
#define HEDDLE_MEM_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/queue.h"

#define MSG_NONE QUEUE_NONE

struct msg {
    uint64_t addr;
    /* queued: cycle (of the queue's clock) from which it may leave; waiting for an L1 miss: cycle of the ask. */
    uint64_t when;
    uint64_t missing; /* waiting at a miss register: grains that have not come yet */
    uint32_t bytes;
    uint32_t next; /* in its queue or list */
    /* A waiter at L1: the SM's tag; anything else: the miss register that waits for the answer. */
    uint32_t id;
    uint32_t slice; /* a request of an SM: where it goes */
    uint16_t sm;
    uint8_t path, kind; /* enum mem_path, enum mem_kind */
};

struct msg_pool { /* hold indices across msg_new, not pointers */
    POOL(struct msg);
};

/* The free list grows by doubling, so a run that has seen its worst moment allocates no more. */
static inline uint32_t msg_new(struct msg_pool *p) { /* the caller fills it in */
    return POOL_TAKE(p);
}
static inline void msg_free(struct msg_pool *p, uint32_t i) {
    POOL_GIVE(p, i);
}

#endif
