/* First-Level and Second-Level, and the warps that move (HARP 4.2.3).
 *
 * Second-Level holds the warps that can be scheduled, ready or not; First-Level a few ready ones, from which the SM's order
 * issues. Into Second-Level, if it has room, moves one warp a cycle: one revived by its barrier before all others (7.3.2),
 * one back from memory, or, when fewer than `few` warps are ready, the oldest of the lookups (lookup.c). Second-Level to First-Level
 * is FIFO among the ready.
 *
 * Which ready warps those are is a reading (`count`). 4.2.3 names Second-Level, 4.3 "the scheduler", whose two levels its
 * example unites, and both want the departure just in time. An issue moves what is ready in Second-Level to First-Level, so
 * that with First-Level left out hardly ever `few` are counted and warps depart as soon as they have come. So both levels
 * are counted unless `count` = second.
 *
 * Transitions belong to cycles, not to calls: the first access to the tables makes up for the cycles since (nothing
 * else can have changed in them), so that a sleeping SM and a ticking one see the same. In a cycle commits come first,
 * then transitions, then issue.
 *
 * A warp that commits and finds Second-Level full goes to memory (7.3): it is back after `spill` cycles at the earliest, and
 * while one is out those that come after it queue behind it, or it might wait for ever. */
#include "mech/harp/harp.h"
#include "mech/lib/order.h"

#include "base/alloc.h"

/* ---- queues ---- */

static inline void harp_level_push(struct harp_fifo *f, struct mech_split *s, enum harp_where where) {
    s->own[HARP_WHERE] = where;
    if (f->n++)
        f->tail->own[HARP_NEXT] = s->id;
    else
        f->head = s;
    f->tail = s;
}

static inline struct mech_split *harp_level_pop(const struct mech *m, struct harp_fifo *f) {
    struct mech_split *s = f->head;
    if (--f->n) f->head = split_known(m->pool, s->own[HARP_NEXT]);
    s->own[HARP_WHERE] = HARP_NOWHERE;
    return s;
}

/* ---- Second-Level ---- */

/* s has its entry: when may it issue? */
static inline void harp_level_place(struct mech *m, struct harp_sched *q, struct mech_split *s,
                                    uint64_t earliest) {
    uint64_t when = m->env.when(m->env.sm, s);
    if (when < earliest) when = earliest;
    s->wake = when;
    if (when <= *m->env.now) {
        harp_level_push(&q->ready, s, HARP_READY);
    } else if (when == MECH_NEVER) {
        s->own[HARP_WHERE] = HARP_EVENT;
    } else {
        s->own[HARP_WHERE] = HARP_TIMED;
        heap_put(&q->timed, when, s->id);
        q->pending++;
    }
}

void harp_to_second(struct mech *m, struct harp_sched *q, struct mech_split *s, uint64_t earliest) {
    const struct harp *h = m->self;
    if ((q->pending && q->spilled.n) || q->second == h->cap_second) {
        harp_counts(m)->spills++;
        s->wake = *m->env.now + h->spill;
        harp_level_push(&q->spilled, s, HARP_SPILLED);
        q->pending++;
        return;
    }
    q->second++;
    harp_level_place(m, q, s, earliest);
}

void harp_to_revived(struct mech *m, struct harp_sched *q, struct mech_split *s) {
    const struct harp *h = m->self;
    s->wake = *m->env.now + h->latency - 1;
    harp_level_push(&q->revived, s, HARP_REVIVED);
    q->pending++;
}

void harp_woken(struct mech *m, struct harp_sched *q, struct mech_split *s) {
    switch ((enum harp_where)s->own[HARP_WHERE]) {
    case HARP_FIRST: order_wake(m->order, s); break;
    case HARP_EVENT: harp_level_place(m, q, s, 0); break;
    default: break; /* a cycle is known already, or it is asked when it comes to Second-Level */
    }
}

/* ---- transitions ---- */

/* The oldest of a queue may move. */
static bool may_go(const struct harp_fifo *f, uint64_t cycle) {
    return f->n && f->head->wake <= cycle;
}

static uint64_t harp_level_sooner(uint64_t t, const struct harp_fifo *f) {
    return may_go(f, t) ? f->head->wake : t;
}

/* The first cycle after q->at in which one is due. */
static uint64_t harp_level_due(const struct mech *m, const struct harp_sched *q) {
    const struct harp *h = m->self;
    uint64_t t = q->timed.n ? q->timed.v[0].key : MECH_NEVER;
    if (q->second < h->cap_second) {
        if (harp_may_look_up(h, q)) return q->at + 1;
        t = harp_level_sooner(t, &q->revived);
        t = harp_level_sooner(t, &q->spilled);
    }
    return t > q->at ? t : q->at + 1;
}

static struct mech_split *pop_pending(const struct mech *m, struct harp_sched *q, struct harp_fifo *f) {
    q->pending--;
    return harp_level_pop(m, f);
}

static void transit(struct mech *m, struct harp_sched *q, uint64_t cycle) {
    const struct harp *h = m->self;
    while (q->timed.n && q->timed.v[0].key <= cycle) {
        struct mech_split *s = split_known(m->pool, q->timed.v[0].id);
        heap_take(&q->timed, s->id);
        q->pending--;
        harp_level_push(&q->ready, s, HARP_READY);
    }
    if (q->second == h->cap_second) return;
    uint64_t earliest = 0;
    struct mech_split *s = may_go(&q->revived, cycle)   ? pop_pending(m, q, &q->revived)
                           : may_go(&q->spilled, cycle) ? pop_pending(m, q, &q->spilled)
                           : harp_may_look_up(h, q)     ? harp_lookup_oldest(m, q, &earliest)
                                                        : NULL;
    if (!s) return;
    q->second++;
    harp_level_place(m, q, s, earliest);
}

void harp_transitions(struct mech *m, struct harp_sched *q, uint64_t cycle) {
    for (uint64_t t; q->at < cycle && (t = harp_level_due(m, q)) <= cycle;) {
        q->at = t;
        transit(m, q, t);
    }
}

uint64_t harp_next_transition(const struct mech *m, const struct harp_sched *q) {
    const struct harp *h = m->self;
    if (q->ready.n && q->first < h->cap_first) return *m->env.now;
    return harp_level_due(m, q);
}

/* ---- First-Level ---- */

void harp_fill_first(struct mech *m, struct harp_sched *q) {
    const struct harp *h = m->self;
    while (q->ready.n && q->first < h->cap_first) {
        struct mech_split *s = harp_level_pop(m, &q->ready);
        q->second--;
        q->first++;
        s->own[HARP_WHERE] = HARP_FIRST;
        order_add(m->order, s);
    }
}
