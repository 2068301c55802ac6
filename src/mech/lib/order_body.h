/* The way of an order that every instruction takes: a split is picked out of the short list and comes back to it. It is compiled
 * twice: for mechanisms, which have the SM asked through the functions of their env, and in the SM, which asks itself. What
 * happens less often, and the design, are in order.c. */
#ifndef HEDDLE_MECH_LIB_ORDER_BODY_H
#define HEDDLE_MECH_LIB_ORDER_BODY_H

#include "base/alloc.h"
#include "base/heap.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"

#define ORDER_BODY static inline __attribute__((always_inline))

enum order_state {
    ORDER_IDLE,
    ORDER_READY,
    ORDER_TIMED,
    ORDER_EVENT,
    ORDER_PENDING,
    ORDER_PICKED
}; /* split.order */

enum { ORDER_SHORTLIST = 16 };

/* The splits of one scheduler. The fields that every pick reads are together in a line of the host's cache. */
struct order_queue {
    _Alignas(64) uint64_t *slots; /* ready, a bit each: LRR, TWO_LEVEL */
    uint64_t *wake;               /* its element of order.wake */
    uint32_t nready;
    uint32_t last; /* slot picked last; cap: none yet */
    uint64_t last_age;
    struct heap timed;            /* by wake */
    struct heap aged;             /* ready, by rank: GTO, OLDEST, PC */
    uint32_t nactive, head, tail; /* two-level: active splits; the pending ones, SPLIT_NONE when empty */
    /* The short list of GTO, OLDEST and PC, sorted by rank, then slot. While it holds a split, it holds all that are
     * ready or timed, and none of the structures above holds any. Splits that are picked or wait for an event stay in
     * it while there is room, because most come back. */
    uint32_t nshortlist;
    uint32_t greedy;  /* GTO: where the split is that was picked last; ORDER_SHORTLIST: nowhere */
    uint64_t scanned; /* cycle of the last look at the list: who wakes up to then is ready */
    /* MECH_NEVER: picked, or waits for an event. The element past the last split is always MECH_NEVER. */
    uint64_t shortlist_wake[ORDER_SHORTLIST + 1];
    uint64_t shortlist_age[ORDER_SHORTLIST]; /* its rank when it was put there */
    struct mech_split *shortlist[ORDER_SHORTLIST];
};

struct order {
    _Alignas(64) const struct split_pool *pool;
    struct order_queue *q;
    /* By scheduler: 0 if a split is ready, else the first wake of those that wait for a cycle. */
    uint64_t *wake;
    const uint64_t *now;
    uint64_t (*when)(void *sm, const struct mech_split *s);
    uint64_t (*recheck)(void *sm, const struct mech_split *s);
    void *sm;
    enum order_policy policy;
    bool by_age; /* GTO, OLDEST, PC: by rank, which is the age or begins with the PC */
    bool by_pc;  /* PC */
    bool used;
    bool moved; /* an element of wake may have become another since the SM took note of them */
    uint32_t cap;
    uint32_t groups;  /* two-level: size of the active set */
    uint32_t timeout; /* issues after which an active split makes room; 0: none */
    const struct ir_module *module;
    bool *active;     /* two-level; else NULL, as */
    uint32_t *issues; /* of active splits, since they became so */
    uint32_t *pos;    /* in a heap, or in the short list */
    uint32_t *next, *prev;
};

/* From which cycle on a split may issue; `who` answers. */
typedef uint64_t order_ask_fn(void *who, const struct mech_split *s);

/* ---- order.c ---- */
void order_enter(struct order *o,
                 struct mech_split *s); /* s->wake is known, and s in no structure but the short list */
void order_mature(struct order *o, struct order_queue *q,
                  uint64_t now); /* of many: whose cycle has come is ready */
void order_refuse(struct order *o,
                  struct mech_split *s); /* picked out of the short list; it waits for an event after all */
void order_issued(struct order *o, struct order_queue *q, struct mech_split *s); /* two-level */
struct mech_split *order_take_many(struct order *o, struct order_queue *q,
                                   uint64_t now); /* where the list is empty */

/* ---- coming back ---- */

/* Makes s READY or TIMED. */
static inline void order_expects(struct order *o, const struct order_queue *q, struct mech_split *s) {
    uint64_t *wake = q->wake;
    const uint64_t from = s->wake <= *o->now ? 0 : s->wake;
    s->order = from ? ORDER_TIMED : ORDER_READY;
    o->moved = true;
    if (from < *wake) *wake = from;
}

/* The lowest is picked first: the oldest, or of those at the lowest PC the oldest. */
static inline uint64_t order_rank(const struct order *o, const struct mech_split *s) {
    enum { AGE_BITS = 36 }; /* ages beyond them begin anew, which only ties at one PC can tell */
    if (!o->by_pc) return s->age;
    return (uint64_t)s->pc << AGE_BITS | (s->age & ((UINT64_C(1) << AGE_BITS) - 1));
}

/* order_holds */
static inline bool order_has(const struct mech_split *s) {
    return s->order != ORDER_IDLE && s->order != ORDER_PICKED;
}

/* Whether s is in the short list, in the place where it belongs. */
static inline bool order_listed(const struct order *o, const struct order_queue *q,
                                const struct mech_split *s) {
    const uint32_t k = o->pos[s->id];
    return k < q->nshortlist && q->shortlist[k] == s && q->shortlist_age[k] == order_rank(o, s);
}

/* In round robin: it is ready, or no longer. */
static inline void order_put(struct order_queue *q, const struct mech_split *s) {
    q->nready++;
    bitmap_set(q->slots, s->id);
}
static inline void order_get(struct order_queue *q, uint32_t id) {
    q->nready--;
    bitmap_clear(q->slots, id);
}

/* order_add. By age, a split that was picked finds its place in the short list kept. */
ORDER_BODY void order_return(struct order *o, struct mech_split *s, order_ask_fn *when, void *who) {
    struct order_queue *q = &o->q[s->sched];
    s->in_flight = false;
    o->used = true;
    s->wake = when(who, s);
    if (o->by_age && s->order == ORDER_PICKED && s->wake != MECH_NEVER && order_listed(o, q, s)) {
        order_expects(o, q, s);
        q->shortlist_wake[o->pos[s->id]] = s->wake;
    } else if (o->policy == ORDER_LRR && s->order == ORDER_PICKED && s->wake <= *o->now) {
        order_expects(o, q, s);
        order_put(q, s);
    } else {
        order_enter(o, s);
    }
}

/* ---- picking ---- */

/* Returns the place in the short list of the split to be picked: the first by rank whose cycle has come, unless the
 * greedy one goes on. ORDER_SHORTLIST: there is none. *others: the cycle from which there will be another one, 0 if
 * there is one now. */
ORDER_BODY uint32_t order_first(const struct order_queue *q, uint64_t now, uint64_t *others) {
    uint32_t best = q->shortlist_wake[q->greedy] <= now ? q->greedy : ORDER_SHORTLIST;
    uint64_t next = MECH_NEVER;
    for (uint32_t k = 0; k < q->nshortlist; k++) {
        if (q->shortlist_wake[k] > now) {
            if (q->shortlist_wake[k] < next) next = q->shortlist_wake[k];
        } else if (best == ORDER_SHORTLIST) {
            best = k;
        } else if (k != best) {
            next = 0;
            break;
        }
    }
    *others = next;
    return best;
}

/* Takes the split to issue out of the short list; NULL: none can. */
ORDER_BODY struct mech_split *order_take_shortlist(struct order *o, struct order_queue *q, uint64_t now,
                                                   order_ask_fn *recheck, void *who) {
    q->scanned = now;
    for (;;) {
        const uint32_t k = order_first(q, now, q->wake);
        if (k == ORDER_SHORTLIST) return NULL;
        struct mech_split *s = q->shortlist[k];
        s->wake = recheck(who, s);
        if (s->wake <= now) {
            q->shortlist_wake[k] = MECH_NEVER;
            if (o->policy == ORDER_GTO) q->greedy = k;
            return s;
        }
        q->shortlist_wake[k] = s->wake;
        s->order = ORDER_TIMED;
        if (s->wake == MECH_NEVER) order_refuse(o, s);
    }
}

/* The first ready slot behind the one picked last, or from the front again; something is ready. */
static inline uint32_t order_next_in_turn(const struct order *o, const struct order_queue *q) {
    const uint32_t high = o->pool->high, words = bitmap_words(high),
                   from = q->last + 1 < high ? q->last + 1 : 0;
    uint32_t w = from / 64;
    uint64_t bits = q->slots[w] & ~UINT64_C(0) << (from % 64);
    while (!bits) {
        w = w + 1 < words ? w + 1 : 0;
        bits = q->slots[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Takes the split to issue in round robin; NULL: none can. */
ORDER_BODY struct mech_split *order_take_in_turn(struct order *o, struct order_queue *q, uint64_t now,
                                                 order_ask_fn *recheck, void *who) {
    struct mech_split *s = NULL;
    if (q->timed.n) order_mature(o, q, now);
    while (q->nready) {
        const uint32_t id = order_next_in_turn(o, q);
        s = split_known(o->pool, id);
        order_get(q, id);
        s->wake = recheck(who, s);
        if (s->wake <= now) break;
        order_refuse(o, s);
        s = NULL;
    }
    *q->wake = q->nready ? 0 : q->timed.n ? q->timed.v[0].key : MECH_NEVER;
    return s;
}

/* order_pick, where o->wake of the scheduler is not to come. again: asked once more about the split that would be picked. */
ORDER_BODY struct mech_split *order_choose(struct order *o, uint32_t sched, uint64_t now,
                                           order_ask_fn *recheck, void *who) {
    struct order_queue *q = &o->q[sched];
    struct mech_split *s = !o->by_age      ? order_take_in_turn(o, q, now, recheck, who)
                           : q->nshortlist ? order_take_shortlist(o, q, now, recheck, who)
                                           : order_take_many(o, q, now);
    if (!s) return NULL;
    s->order = ORDER_PICKED;
    s->in_flight = true;
    q->last = s->id;
    q->last_age = s->age;
    if (o->policy == ORDER_TWO_LEVEL) order_issued(o, q, s);
    return s;
}

#endif
