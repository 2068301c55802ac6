/* The warp pool: who has an entry, who is in memory for want of one, and who issues next.
 *
 * A warp of the pool waits for a cycle (in a heap by cycle), for an event, or is ready; only ready ones are in the
 * structure that decides: a heap by time stamp, PC or post-dominators passed, or the groups of group.c. A ready warp is
 * asked once more when its turn has come, because a unit may have become busy since; it then goes back to waiting.
 *
 * Spilling, which the thesis leaves to future work (DWF 4.4.3, 6.7): a warp that finds the pool full is written to memory
 * as it is, dwf.spill_cycles, and no thread joins it. Every entry that becomes free is given to the one that has been
 * there longest, before any newcomer, and it is back another dwf.spill_cycles later. So no warp stays out for ever.
 * "Existing warp pool entries" (6.7, 9.3.2) are spilled with spill = last: of those that are ready and the newcomer the
 * one that the policy would issue last.
 *
 * pool_layout = array is the refinement that 4.2.1 and 9.3.2 name and do not explore: one memory with one read port and one
 * write port, clocked as the SIMD pipeline, which serialises the four updates of a scheduler cycle, a core cycle each. Two
 * sides of a branch, each of which fills up an existing warp and begins a new one, are four; what fits into a scheduler
 * cycle (W / SIMD width core cycles) is hidden. Threads that arrive in one cycle and go to one warp are one update ("every
 * cycle, the incoming threads with the same PC value", 4.2.1). The text does not say what happens where more arrive: its
 * rules for both neighbours of the pool hold issue back (note 12 of the update registers, 4.4.2 of the heap), and so does
 * this. The LUT, with OCC in it, is a memory of its own: lookups and merging go on. */
#include "mech/dwf/dwf.h"

#include <inttypes.h>

#include "base/alloc.h"

/* ---- ready ones ---- */

enum { AGE_BITS = 40, FULL_BITS = 9 };

/* Lowest first. */
static uint64_t priority(const struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    const uint64_t age = s->age & ((UINT64_C(1) << AGE_BITS) - 1), most = (1u << (64 - AGE_BITS)) - 1;
    uint64_t major = d->policy == DWF_DPC ? s->pc : d->policy == DWF_DPDPRI ? d->w[s->id].passed : 0;
    if (major > most) major = most;
    if (d->policy != DWF_DPDPRI || dwf_params(m)->ties == DWF_ARRIVAL) return major << AGE_BITS | age;
    return major << AGE_BITS | (uint64_t)(d->width - s->threads) << (AGE_BITS - FULL_BITS) |
           (age & ((UINT64_C(1) << (AGE_BITS - FULL_BITS)) - 1));
}

static void to_memory(struct mech *m, struct mech_split *s);

static void leave_pool(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    dwf_close(m, s);
    d->q[s->sched].used--;
}

static void put_ready(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    if (d->w[s->id].first) {
        QUEUE_PUT(&q->first, d->w, s->id);
    } else if (!d->grouped) {
        heap_put(&q->ready, priority(m, s), s->id);
    } else if (!dwf_group_put(m, s)) {
        leave_pool(m, s);
        to_memory(m, s);
        dwf_counts(m)->heap_spills++;
        return;
    }
    d->w[s->id].state = DWF_READY;
    q->nready++;
}

/* s has an entry and may issue from `wake` on. */
static void dwf_pool_settle(struct mech *m, struct mech_split *s, uint64_t wake) {
    struct dwf *d = m->self;
    s->wake = wake;
    if (wake <= *m->env.now) {
        put_ready(m, s);
    } else if (wake == MECH_NEVER) {
        d->w[s->id].state = DWF_EVENT;
    } else {
        d->w[s->id].state = DWF_TIMED;
        heap_put(&d->q[s->sched].timed, wake, s->id);
    }
}

/* s keeps its entry, but neither waits nor is ready. */
static void unsettle(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    struct dwf_warp *w = &d->w[s->id];
    if (w->state == DWF_TIMED) heap_take(&q->timed, s->id);
    if (w->state != DWF_READY) return;
    q->nready--;
    if (w->first)
        CHECK(QUEUE_TAKE(&q->first, d->w) == s->id); /* only picking ends here, since no thread joins it */
    else if (d->grouped)
        dwf_group_take(m, s);
    else
        heap_take(&q->ready, s->id);
}

static void still_ready(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct heap *ready = &d->q[s->sched].ready;
    if (d->grouped) {
        dwf_group_grew(m, s);
    } else if (ready->v[d->pos[s->id]].key != priority(m, s)) {
        heap_take(ready, s->id);
        heap_put(ready, priority(m, s), s->id);
    }
}

void dwf_changed(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    if (d->w[s->id].refill) return;
    const uint64_t wake = m->env.when(m->env.sm, s);
    if (d->w[s->id].state == DWF_READY && wake <= *m->env.now) {
        still_ready(m, s);
    } else {
        unsettle(m, s);
        dwf_pool_settle(m, s, wake);
    }
}

/* ---- entries ---- */

/* The write port of an array is taken for a core cycle. */
static void write_entry(struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    const uint64_t now = *m->env.now;
    if (!d->one_port) return;
    d->w[s->id].written = now;
    uint64_t from = dwf_hidden(d, q->written);
    if (from < now) from = now;
    q->written = (q->written < now ? now : q->written) + 1;
    const uint64_t until = dwf_hidden(d, q->written);
    if (until > from) dwf_counts(m)->pool_stalls += until - from;
}

void dwf_update(struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    if (d->one_port && d->w[s->id].written != *m->env.now) write_entry(m, s);
}

/* Chooses the warp that goes to memory when s arrives at a full pool. */
static struct mech_split *victim(const struct mech *m, struct mech_split *s) {
    const struct dwf *d = m->self;
    const struct heap *ready = &d->q[s->sched].ready;
    uint32_t last = 0;
    if (dwf_params(m)->spill == DWF_SPILL_ARRIVING) return s;
    if (d->grouped) return dwf_group_last(m, s);
    if (!ready->n) return s;
    for (uint32_t k = 1; k < ready->n; k++)
        if (ready->v[k].key > ready->v[last].key) last = k;
    s->age = m->pool->stamp; /* it is the youngest */
    return ready->v[last].key > priority(m, s) ? split_at(m->pool, ready->v[last].id) : s;
}

bool dwf_enter(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    if (q->used == d->pool) {
        struct mech_split *out = victim(m, s);
        dwf_counts(m)->pool_spills++;
        if (out == s) {
            to_memory(m, s);
            return false;
        }
        dwf_spill(m, out);
    }
    if (++q->used > dwf_counts(m)->pool_max) dwf_counts(m)->pool_max = q->used;
    write_entry(m, s);
    s->age = m->pool->stamp++;
    dwf_pool_settle(m, s, m->env.when(m->env.sm, s));
    return d->w[s->id].state != DWF_SPILLED;
}

static void to_memory(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    struct dwf_warp *w = &d->w[s->id];
    mech_event(m, "spill warp %" PRIu32, s->id);
    w->state = DWF_SPILLED;
    s->wake = *m->env.now + dwf_params(m)->spill_cycles; /* it is written */
    w->counted = s->threads;
    QUEUE_PUT(&q->spilled, d->w, s->id);
    d->spilled += s->threads;
}

void dwf_spill(struct mech *m, struct mech_split *s) {
    unsettle(m, s);
    leave_pool(m, s);
    to_memory(m, s);
}

static bool dwf_pool_room(const struct dwf *d, const struct dwf_sched *q) {
    return q->used < d->pool && (!d->real_heap || q->n + q->refilling < q->cap);
}

void dwf_bring_back(struct mech *m, uint32_t sched) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[sched];
    const uint64_t cost = dwf_params(m)->spill_cycles;
    while (q->spilled.n && dwf_pool_room(d, q)) {
        struct mech_split *s = split_at(m->pool, QUEUE_TAKE(&q->spilled, d->w));
        struct dwf_warp *w = &d->w[s->id];
        q->used++;
        q->refilling++;
        w->refill = true;
        w->state = DWF_TIMED;
        s->age = m->pool->stamp++;
        s->wake = (s->wake > *m->env.now ? s->wake : *m->env.now) + cost;
        heap_put(&q->timed, s->wake, s->id);
    }
}

/* ---- picking ---- */

/* Handles warps whose cycle has come. */
static void expire(struct mech *m, struct dwf_sched *q) {
    struct dwf *d = m->self;
    while (q->timed.n && q->timed.v[0].key <= *m->env.now) {
        const uint32_t id = q->timed.v[0].id;
        struct mech_split *s = split_at(m->pool, id);
        struct dwf_warp *w = &d->w[id];
        heap_take(&q->timed, id);
        if (w->refill) {
            w->refill = false;
            q->refilling--;
            d->spilled -= w->counted;
            write_entry(m, s);
        }
        dwf_pool_settle(m, s, m->env.when(m->env.sm, s));
    }
}

static void dwf_pool_sample(struct mech *m, uint32_t used) {
    dwf_counts(m)->pool_sum += used;
    dwf_counts(m)->pool_samples++;
    dwf_counts(m)->pool_within_16 += used <= 16;
    dwf_counts(m)->pool_within_32 += used <= 32;
    dwf_counts(m)->pool_within_64 += used <= 64;
    dwf_counts(m)->pool_within_128 += used <= 128;
}

static uint64_t blocked_until(const struct dwf *d, const struct dwf_sched *q) {
    const uint64_t balanced = dwf_balanced(d, q), written = dwf_hidden(d, q->written);
    const uint64_t until = balanced > q->update_until ? balanced : q->update_until;
    return written > until ? written : until;
}

static struct mech_split *first_of(struct mech *m, uint32_t sched) {
    const struct dwf *d = m->self;
    const struct dwf_sched *q = &d->q[sched];
    if (q->first.n) return split_at(m->pool, q->first.head);
    return d->grouped ? dwf_group_first(m, sched) : split_at(m->pool, q->ready.v[0].id);
}

struct mech_split *dwf_pick(struct mech *m, uint32_t sched) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[sched];
    expire(m, q);
    while (q->nready && blocked_until(d, q) <= *m->env.now) {
        struct mech_split *s = first_of(m, sched);
        const uint64_t wake = m->env.when(m->env.sm, s);
        unsettle(m, s);
        if (wake > *m->env.now) {
            dwf_pool_settle(m, s, wake);
            continue;
        }
        dwf_pool_sample(m, q->used);
        leave_pool(m, s);
        d->w[s->id].state = DWF_FLIGHT;
        d->w[s->id].first = false;
        s->in_flight = true;
        dwf_refill(m, sched);
        return s;
    }
    return NULL;
}

uint64_t dwf_next(const struct mech *m, uint32_t sched) {
    const struct dwf *d = m->self;
    const struct dwf_sched *q = &d->q[sched];
    uint64_t at = MECH_NEVER;
    if (q->nready) {
        at = blocked_until(d, q);
        if (at < *m->env.now) at = *m->env.now;
    }
    return q->timed.n && q->timed.v[0].key < at ? q->timed.v[0].key : at;
}
