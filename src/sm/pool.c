/* Storage of what is under way: ops, nodes, requests and entries in pools, and the events. Pools are sized here, once;
 * pointers into them stay good. The bounds:
 *   ops       a thread is in one uncommitted op at most; loads that have committed are bounded by holding back issue
 *   nodes     a thread is in two of one uncommitted outcome and one of a release at most; those of requests are bounded by
 *             holding back issue
 *   entries   the queue, and what each scheduler can issue before its first instruction arrives at a full queue
 * The bounds are far above what most launches use: what is never taken is not touched, and costs address space only. */
#include "sm/impl.h"

static uint32_t entry_count(const struct sm *s) {
    const struct opt_sm *o = &s->o->sm;
    return (uint32_t)(o->lsu_queue + o->schedulers * (o->depth + 2));
}

void pool_init(struct sm *s) {
    const uint32_t threads = s->nwarps * SM_LANES;
    const uint32_t ops = threads + SM_REQUESTS + 2 * MECH_WIDEST, requests = SM_REQUESTS + SM_PACKET;
    const uint32_t nodes = 6 * threads + 2 * requests, entries = entry_count(s);
    struct pages *p = s->env.grid->pages;
    POOL_SIZE(&s->ops, pages_sparse(p, ops * sizeof *s->ops.v), ops);
    POOL_SIZE(&s->nodes, pages_sparse(p, (requests + nodes) * sizeof *s->nodes.v), requests + nodes);
    s->nodes.pool.used = requests; /* the first are the requests' own */
    s->nodes.pool.left = nodes;
    POOL_SIZE(&s->requests, pages_sparse(p, requests * sizeof *s->requests.v), requests);
    POOL_SIZE(&s->entries, pages_raw(p, entries * sizeof *s->entries.v), entries);
    s->far = heap_new(p, NULL);
    s->reserve_nodes = 3 * threads + 2 * SM_PACKET;
}

void pool_free(struct sm *s) {
    POOL_FREE(&s->asyncs);
    POOL_FREE(&s->links);
}

void nodes_give(struct sm *s, uint32_t first) {
    for (uint32_t next; first != SM_NONE; first = next) {
        next = s->nodes.v[first].next;
        POOL_GIVE(&s->nodes, first);
    }
}

uint32_t request_take(struct sm *s) {
    const uint32_t r = POOL_TAKE_SIZED(&s->requests);
    s->requests.v[r] = (struct sm_request){.nodes = SM_NONE, .next = SM_NONE};
    return r;
}

/* ---- events ---- */

static __attribute__((noinline)) void push_far(struct sm *s, uint64_t when, uint32_t first) {
    for (; first != SM_NONE; first = *event_link(s, first)) heap_push(&s->far, when, s->far_serial++, first);
}

/* Every event in the wheel lies in [wheel_at, wheel_at + 64): its slot says which cycle it is for. */
void event_push(struct sm *s, uint64_t when, uint32_t first, uint32_t last) {
    *event_link(s, last) = SM_NONE;
    if (when < s->event_at) s->event_at = when;
    if (when - s->wheel_at >= 64) {
        push_far(s, when, first);
        return;
    }
    struct sm_slot *c = &s->wheel[when % 64];
    if (s->wheel_used >> (when % 64) & 1)
        *event_link(s, c->last) = first;
    else
        c->first = first;
    c->last = last;
    s->wheel_used |= UINT64_C(1) << (when % 64);
}

uint32_t event_far(struct sm *s) {
    if (s->far.v[0].key < s->event_at) s->event_at = s->far.v[0].key;
    if (s->event_at > s->now) return SM_NONE;
    const uint32_t what = heap_pop(&s->far);
    *event_link(s, what) = SM_NONE;
    return what;
}
