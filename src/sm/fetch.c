/* Instructions through the instruction cache. A split has one line of code at hand; asking when it may issue asks for the
 * line it needs next. A line that arrives wakes every warp: by then the split may be another one, and misses are few. */
#include "sm/impl.h"

uint64_t fetch_ask(struct sm *s, const struct mech_split *split, uint32_t line) {
    struct sm_fetched *f = &s->fetched[split->id];
    uint64_t when = 0;
    if (s->requests.pool.left <= SM_PACKET) return s->now + 1; /* the rest is for the packet being selected */
    const uint32_t r = request_take(s);
    const enum mem_answer a = mem_ask(s->env.mem, s->env.index, MEM_L1I, MEM_READ,
                                      (uint64_t)line * s->line[MEM_L1I], s->line[MEM_L1I], r, s->now, &when);
    if (a == MEM_WAIT) {
        s->requests.v[r] = (struct sm_request){
            .nodes = SM_NONE, .next = SM_NONE, .fetch = {split->id, line}, .path = SM_FETCH};
        *f = (struct sm_fetched){line, SM_NEVER};
        s->stats.sm.fetch_stalls++;
        return SM_NEVER;
    }
    request_give(s, r);
    if (a == MEM_BUSY) return s->now + 1;
    *f = (struct sm_fetched){line, when};
    return when;
}

void fetch_init(struct sm *s) {
    const size_t splits = (size_t)s->nwarps * SM_LANES; /* a mechanism has no more than threads */
    s->fetched = pages_raw(s->env.grid->pages, splits * sizeof *s->fetched);
    for (size_t k = 0; k < splits; k++) s->fetched[k] = (struct sm_fetched){.line = SM_NONE};
}

void fetch_arrived(struct sm *s, const struct sm_request *r) {
    struct sm_fetched *f = &s->fetched[r->fetch.split];
    if (f->line == r->fetch.line) f->ready = s->now;
    for (uint32_t warp = 0; warp < s->nwarps; warp++)
        if (s->warps[warp].w) mech_wake(s->mech, warp, ~0u);
    mech_wake_empty(s->mech, r->fetch.split);
}
