/* Elements of an array that come, go, and stand in queues. An element is named by its number and has a field `next`: it is
 * in one queue, or free, at a time, so that queues cost no memory of their own. */
#ifndef HEDDLE_BASE_QUEUE_H
#define HEDDLE_BASE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

#define QUEUE_NONE UINT32_MAX

/* First in, first out. Zeroed: empty. The last element's next is QUEUE_NONE. */
struct queue {
    uint32_t n;
    uint32_t head, tail; /* mean nothing when n is 0 */
};

static inline uint32_t *queue_next(void *v, size_t size, size_t next, uint32_t i) {
    return (uint32_t *)(void *)((unsigned char *)v + i * size + next);
}
static inline void queue_put(struct queue *q, void *v, size_t size, size_t next, uint32_t i) {
    *queue_next(v, size, next, i) = QUEUE_NONE;
    *(q->n++ ? queue_next(v, size, next, q->tail) : &q->head) = i;
    q->tail = i;
}
static inline uint32_t queue_take(struct queue *q, void *v, size_t size, size_t next) {
    const uint32_t i = q->head;
    q->head = *queue_next(v, size, next, i);
    q->n--;
    return i;
}
#define QUEUE_NEXT(v) offsetof(__typeof__(*(v)), next)
/* Element i of the array v goes to the end; the first is taken out, of which there must be one. */
#define QUEUE_PUT(q, v, i) queue_put((q), (v), sizeof *(v), QUEUE_NEXT(v), (i))
#define QUEUE_TAKE(q, v)   queue_take((q), (v), sizeof *(v), QUEUE_NEXT(v))

/* Elements of an array that are taken and given back: POOL(T) has T *v. What was given back last is taken first, so that the
 * host finds it in its caches, and what was never taken is not touched. Zeroed: an empty array, which grows (and moves) as
 * elements are taken; one that the caller sized never moves. */
struct pool {
    void *v;
    uint32_t cap, used; /* elements from used on have never been taken */
    uint32_t free;      /* number + 1 of the first that was given back; 0: none */
    uint32_t left;      /* elements that can be taken without growing */
};
#define POOL(T)           \
    union {               \
        struct pool pool; \
        T *v;             \
    }

/* To twice its size; queue.c. */
void pool_grow(struct pool *p, size_t size);
/* There is one. */
static inline uint32_t pool_next(struct pool *p, size_t size, size_t next) {
    p->left--;
    if (!p->free) return p->used++;
    const uint32_t i = p->free - 1;
    p->free = *queue_next(p->v, size, next, i);
    return i;
}
static inline uint32_t pool_take(struct pool *p, size_t size, size_t next) {
    if (!p->left) pool_grow(p, size);
    return pool_next(p, size, next);
}
static inline uint32_t pool_take_sized(struct pool *p, size_t size, size_t next) {
    CHECK(p->left);
    return pool_next(p, size, next);
}
static inline void pool_give(struct pool *p, size_t size, size_t next, uint32_t i) {
    *queue_next(p->v, size, next, i) = p->free;
    p->free = i + 1;
    p->left++;
}
/* The number of an element that is now the caller's to fill; gives it back. */
#define POOL_TAKE(p)    pool_take(&(p)->pool, sizeof *(p)->v, QUEUE_NEXT((p)->v))
#define POOL_GIVE(p, i) pool_give(&(p)->pool, sizeof *(p)->v, QUEUE_NEXT((p)->v), (i))
#define POOL_TAKEN(p)   ((p)->pool.cap - (p)->pool.left) /* how many are */
#define POOL_FREE(p)    (xfree((p)->v), (p)->pool = (struct pool){0})
/* Sets up a pool over an array of n elements that the caller owns. Taking an element requires that one is left. */
#define POOL_SIZE(p, array, n) ((p)->pool = (struct pool){.v = (array), .cap = (n), .left = (n)})
#define POOL_TAKE_SIZED(p)     pool_take_sized(&(p)->pool, sizeof *(p)->v, QUEUE_NEXT((p)->v))

#endif
