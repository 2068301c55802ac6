/* How a pool grows: rarely, and so out of the way of those who take. */
#include "base/queue.h"

void pool_grow(struct pool *p, size_t size) {
    CHECK(p->cap < QUEUE_NONE / 2);
    const uint32_t more = p->cap ? p->cap : 256;
    p->v = xrealloc(p->v, (p->cap + more) * size);
    p->cap += more;
    p->left = more;
}
