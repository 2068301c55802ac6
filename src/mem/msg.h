/* What travels between caches, crossbars and DRAM: small records in one pool, named by their index, which is also the
 * message number the crossbars and DRAM carry. A record is in exactly one place: a queue, a miss register's list, a
 * crossbar, a DRAM controller or the free list. */
#ifndef HEDDLE_MEM_MSG_H
#define HEDDLE_MEM_MSG_H

#include <stdbool.h>
#include <stdint.h>

#define MSG_NONE UINT32_MAX

struct msg {
    uint64_t addr;
    uint64_t
        when; /* queued: cycle (of the queue's clock) from which it may leave; waiting for an L1 miss: cycle of the ask */
    uint64_t missing; /* waiting at a miss register: grains that have not come yet */
    uint32_t bytes;
    uint32_t next; /* in its queue or list */
    uint32_t
        id; /* a waiter at L1: the SM's tag; anything else: the miss register that waits for the answer */
    uint32_t slice; /* a request of an SM: where it goes */
    uint16_t sm;
    uint8_t path, kind; /* enum mem_path, enum mem_kind */
};

struct msg_pool {
    struct msg *m; /* moves when the pool grows: hold indices across msg_new, not pointers */
    uint32_t cap, free, live;
};

/* Any order of first use is fine: a zeroed pool is empty. The free list grows by doubling, so a run that has seen its
 * worst moment allocates no more. */
uint32_t msg_new(struct msg_pool *p);
void msg_free(struct msg_pool *p, uint32_t i);
void msg_pool_free(struct msg_pool *p);

/* First in, first out, linked through msg.next. */
struct msg_queue {
    uint32_t head, tail, count;
};
#define MSG_QUEUE_EMPTY ((struct msg_queue){MSG_NONE, MSG_NONE, 0})

static inline void msg_put(struct msg_pool *p, struct msg_queue *q, uint32_t i) {
    p->m[i].next = MSG_NONE;
    if (q->count++)
        p->m[q->tail].next = i;
    else
        q->head = i;
    q->tail = i;
}
/* The queue must not be empty. */
static inline uint32_t msg_take(struct msg_pool *p, struct msg_queue *q) {
    uint32_t i = q->head;
    q->head = p->m[i].next;
    if (!--q->count) q->tail = MSG_NONE;
    return i;
}

#endif
