/* The schedulers' orders.
 *
 * Per scheduler: splits that wait for a cycle lie in a heap by that cycle; those whose cycle has come are ready, in a
 * bit map by slot (round robin) or a heap by age (oldest, greedy); those that wait for an event are in neither. A ready
 * split is asked once more when it is about to be picked, because a unit may have become busy since.
 *
 * Two-level (002 4, after Narasiman et al. and Gebhart et al.): at most order_groups splits of a scheduler are active and
 * only they are looked at. A split leaves the active set when it issues an access beyond the SM's own memories, or when
 * what it needs depends on an event; otherwise it keeps its place while in flight. Who may go on again queues behind the
 * others. With issue = barrel a split is in flight until its load is back, so that leaving at issue is the only moment at
 * which its place can be given away. */
#include "mech/order.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "mech/heap.h"
#include "mech/split.h"

enum state { IDLE, READY, TIMED, EVENT, PENDING, PICKED };

struct queue {         /* of one scheduler */
    struct heap timed; /* by wake */
    struct heap aged;  /* ready, by age: GTO, OLDEST */
    uint64_t *slots;   /* ready, a bit each: LRR, TWO_LEVEL */
    uint32_t nready;
    uint32_t last; /* slot picked last; cap: none yet */
    uint64_t last_age;
    uint32_t nactive, head, tail; /* two-level: active splits; the pending ones, SPLIT_NONE when empty */
};

struct order {
    struct mech_env env;
    const struct split_pool *pool;
    enum order_policy policy;
    uint32_t cap;
    struct queue *q;
    uint8_t *state; /* enum state, by slot */
    bool *active;
    uint32_t *pos, *next, *prev;
};

struct order *order_new(const struct mech_env *env, const struct split_pool *pool) {
    struct pages *p = env->pages;
    struct order *o = PAGES_NEW(p, struct order, 1);
    o->env = *env;
    o->pool = pool;
    o->policy = (enum order_policy)env->order;
    o->cap = pool->cap;
    o->q = PAGES_NEW(p, struct queue, env->schedulers);
    o->state = PAGES_NEW(p, uint8_t, o->cap);
    o->active = PAGES_NEW(p, bool, o->cap);
    o->pos = pages_raw(p, o->cap * sizeof *o->pos); /* of who is in a heap; the next two: of who is pending */
    o->next = pages_raw(p, o->cap * sizeof *o->next);
    o->prev = pages_raw(p, o->cap * sizeof *o->prev);
    for (uint32_t k = 0; k < env->schedulers; k++) {
        struct queue *q = &o->q[k];
        q->timed = (struct heap){.v = pages_raw(p, o->cap * sizeof(struct heap_item)), .pos = o->pos};
        q->aged = (struct heap){.v = pages_raw(p, o->cap * sizeof(struct heap_item)), .pos = o->pos};
        q->slots = PAGES_NEW(p, uint64_t, (o->cap + 63) / 64);
        q->last = o->cap;
        q->head = q->tail = SPLIT_NONE;
    }
    return o;
}

/* ---- the ready ones ---- */

static bool by_age(const struct order *o) {
    return o->policy == ORDER_GTO || o->policy == ORDER_OLDEST;
}

static void put_ready(struct order *o, struct queue *q, const struct mech_split *s) {
    o->state[s->id] = READY;
    q->nready++;
    if (by_age(o))
        heap_put(&q->aged, s->age, s->id);
    else
        q->slots[s->id / 64] |= UINT64_C(1) << (s->id % 64);
}

static void take_ready(struct order *o, struct queue *q, const struct mech_split *s) {
    q->nready--;
    if (by_age(o))
        heap_take(&q->aged, s->id);
    else
        q->slots[s->id / 64] &= ~(UINT64_C(1) << (s->id % 64));
}

/* First ready slot at or behind `from`, or cap. */
static uint32_t ready_from(const struct order *o, const struct queue *q, uint32_t from) {
    const uint32_t words = (o->pool->high + 63) / 64;
    uint32_t w = from / 64;
    if (w >= words) return o->cap;
    uint64_t bits = q->slots[w] & ~UINT64_C(0) << (from % 64);
    while (!bits && ++w < words) bits = q->slots[w];
    return bits ? w * 64 + (uint32_t)__builtin_ctzll(bits) : o->cap;
}

/* The slot the policy wants; something is ready. */
static uint32_t best(const struct order *o, const struct queue *q) {
    if (!by_age(o)) {
        uint32_t id = ready_from(o, q, q->last + 1);
        return id < o->cap ? id : ready_from(o, q, 0);
    }
    if (o->policy == ORDER_GTO && q->last < o->cap && o->state[q->last] == READY &&
        split_at(o->pool, q->last)->age == q->last_age)
        return q->last;
    return q->aged.v[0].id;
}

/* ---- the active set ---- */

static void place(struct order *o, struct queue *q, const struct mech_split *s) {
    if (s->wake <= *o->env.now) {
        put_ready(o, q, s);
    } else {
        o->state[s->id] = TIMED;
        heap_put(&q->timed, s->wake, s->id);
    }
}

static void unlink_pending(struct order *o, struct queue *q, uint32_t id) {
    uint32_t p = o->prev[id], n = o->next[id];
    *(p == SPLIT_NONE ? &q->head : &o->next[p]) = n;
    *(n == SPLIT_NONE ? &q->tail : &o->prev[n]) = p;
}

static void link_pending(struct order *o, struct queue *q, uint32_t id) {
    o->state[id] = PENDING;
    o->prev[id] = q->tail;
    o->next[id] = SPLIT_NONE;
    *(q->tail == SPLIT_NONE ? &q->head : &o->next[q->tail]) = id;
    q->tail = id;
}

static void promote(struct order *o, struct queue *q) {
    while (q->nactive < o->env.order_groups && q->head != SPLIT_NONE) {
        uint32_t id = q->head;
        unlink_pending(o, q, id);
        o->active[id] = true;
        q->nactive++;
        place(o, q, split_at(o->pool, id));
    }
}

static void deactivate(struct order *o, struct queue *q, uint32_t id) {
    if (!o->active[id]) return;
    o->active[id] = false;
    q->nactive--;
    promote(o, q);
}

/* ---- in and out ---- */

/* s is in no structure; where it belongs follows from its wake. */
static void enqueue(struct order *o, struct queue *q, struct mech_split *s) {
    if (s->wake == MECH_NEVER) {
        o->state[s->id] = EVENT;
        deactivate(o, q, s->id);
    } else if (o->policy == ORDER_TWO_LEVEL && !o->active[s->id]) {
        link_pending(o, q, s->id);
        promote(o, q);
    } else {
        place(o, q, s);
    }
}

static void dequeue(struct order *o, struct queue *q, const struct mech_split *s) {
    switch ((enum state)o->state[s->id]) {
    case READY: take_ready(o, q, s); break;
    case TIMED: heap_take(&q->timed, s->id); break;
    case PENDING: unlink_pending(o, q, s->id); break;
    case IDLE:
    case EVENT:
    case PICKED: break;
    }
    o->state[s->id] = IDLE;
}

void order_add(struct order *o, struct mech_split *s) {
    CHECK(o->state[s->id] == IDLE || o->state[s->id] == PICKED);
    s->in_flight = false;
    s->wake = o->env.when(o->env.sm, s);
    enqueue(o, &o->q[s->sched], s);
}

void order_remove(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    dequeue(o, q, s);
    deactivate(o, q, s->id);
    s->in_flight = false;
}

void order_wake(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    enum state was = (enum state)o->state[s->id];
    if (was == IDLE || was == PICKED || was == READY) return;
    s->wake = o->env.when(o->env.sm, s);
    if (was == PENDING && s->wake != MECH_NEVER) return; /* keeps its place in the queue */
    dequeue(o, q, s);
    enqueue(o, q, s);
}

/* ---- picking ---- */

/* An access that leaves the SM. */
static bool begins_long(const struct order *o, const struct mech_split *s) {
    const struct ir_insn *i = &o->env.module->code.v[s->pc];
    switch (ir_ops[i->op].cls) {
    case IR_C_TEX: return true;
    case IR_C_LDST:
    case IR_C_ATOM: return i->space != IR_SP_SHARED && i->space != IR_SP_PARAM && i->space != IR_SP_CONST;
    default: return false;
    }
}

/* Greedy: the split picked last, if its cycle has come; it need not be put among the ready ones first. */
static struct mech_split *take_last(struct order *o, struct queue *q, uint64_t now) {
    if (o->policy != ORDER_GTO || q->last == o->cap || o->state[q->last] != TIMED) return NULL;
    struct mech_split *s = split_at(o->pool, q->last);
    if (s->wake > now || s->age != q->last_age) return NULL;
    heap_take(&q->timed, s->id);
    return s;
}

static struct mech_split *take_best(struct order *o, struct queue *q) {
    struct mech_split *s = split_at(o->pool, best(o, q));
    take_ready(o, q, s);
    return s;
}

struct mech_split *order_pick(struct order *o, uint32_t sched, uint64_t now) {
    struct queue *q = &o->q[sched];
    struct mech_split *s = take_last(o, q, now);
    while (q->timed.n && q->timed.v[0].key <= now) {
        uint32_t id = q->timed.v[0].id;
        heap_take(&q->timed, id);
        put_ready(o, q, split_at(o->pool, id));
    }
    for (; s || q->nready; s = NULL) {
        if (!s) s = take_best(o, q);
        s->wake = o->env.when(o->env.sm, s);
        if (s->wake > now) {
            o->state[s->id] = IDLE;
            enqueue(o, q, s);
            continue;
        }
        o->state[s->id] = PICKED;
        s->in_flight = true;
        q->last = s->id;
        q->last_age = s->age;
        if (o->policy == ORDER_TWO_LEVEL && begins_long(o, s)) deactivate(o, q, s->id);
        return s;
    }
    return NULL;
}

uint64_t order_next(const struct order *o, uint32_t sched) {
    const struct queue *q = &o->q[sched];
    if (q->nready) return *o->env.now;
    return q->timed.n ? q->timed.v[0].key : MECH_NEVER;
}

void order_describe(const struct order *o, const struct mech_split *s, struct sb *out) {
    static const char *const name[] = {"parked",  "ready",    "wakes at", "waits for an event",
                                       "pending", "in flight"};
    sb_add(out, "%s", name[s->in_flight ? PICKED : o->state[s->id]]);
    if (o->state[s->id] == TIMED) sb_add(out, " %" PRIu64, s->wake);
}
