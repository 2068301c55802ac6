/* The schedulers' orders.
 *
 * Per scheduler: splits that wait for a cycle are timed; those whose cycle has come are ready; those that wait for an event
 * need not be in any structure. Timed ones lie in a heap by cycle, ready ones in a bit map by slot (round robin) or a heap by
 * rank (oldest, greedy, pc). By rank, which is mostly the age, they lie in one short list instead, as long as there are few
 * (order_body.h): most come back to where they were, and looking through it ends with the second that is ready.
 *
 * The SM is asked once more about a ready split that is about to be picked, because a unit may have become busy since; only
 * about that, if splits stay as they are until they are picked (MECH_STEADY). The cycle before which a scheduler's pick
 * finds no split is kept beside them, so that a caller need not ask in every cycle.
 *
 * Two-level (HARP 4, after Narasiman et al. and Gebhart et al.): at most order_groups splits of a scheduler are active and
 * only they are looked at. A split leaves the active set when it issues an access beyond the SM's own memories, or when
 * what it needs depends on an event; otherwise it keeps its place while in flight. Who may go on again queues behind the
 * others. With issue = barrel a split is in flight until its load is back, so that leaving at issue is the only moment at
 * which its place can be given away. A split that has issued order_timeout instructions since it became active makes room
 * for one that waits, if there is one: where a large warp is the whole active set, one that never goes to memory would keep
 * the others out until it ends.
 *
 * Lowest PC first is the rule of a priority scheduler that keeps threads at the same pace (HARP 7.4, which does not say which
 * ones it tried; DPC of DWF 4.3): the threads that are behind go first, so that those ahead wait and can be caught up
 * with. A split has another PC whenever it comes back, so that its place in the short list is seldom kept. */
#include "mech/lib/order.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bitmap.h"
#include "base/heap.h"
#include "mech/lib/order_body.h"
#include "mech/lib/split.h"

#define RARE __attribute__((noinline)) /* kept out of what runs for every split */

struct order *order_new(const struct mech_env *env, const struct split_pool *pool) {
    struct pages *p = env->pages;
    struct order *o = PAGES_NEW(p, struct order, 1);
    *o = (struct order){.pool = pool,
                        .now = env->now,
                        .when = env->when,
                        .recheck = env->recheck,
                        .sm = env->sm,
                        .policy = (enum order_policy)env->order,
                        .by_age =
                            env->order == ORDER_GTO || env->order == ORDER_OLDEST || env->order == ORDER_PC,
                        .by_pc = env->order == ORDER_PC,
                        .cap = pool->cap,
                        .groups = env->order_groups,
                        .timeout = env->order_timeout,
                        .module = env->module};
    o->q = PAGES_NEW(p, struct order_queue, env->schedulers);
    o->wake = PAGES_NEW(p, uint64_t, env->schedulers);
    if (o->policy == ORDER_TWO_LEVEL) {
        o->active = PAGES_NEW(p, bool, o->cap);
        o->issues = PAGES_NEW(p, uint32_t, o->cap);
    }
    o->pos = pages_raw(p, o->cap * sizeof *o->pos); /* who is nowhere is not found, whatever it says */
    /* Lists of pending splits. */
    o->next = pages_raw(p, o->cap * sizeof *o->next);
    o->prev = pages_raw(p, o->cap * sizeof *o->prev);
    for (uint32_t k = 0; k < env->schedulers; k++) {
        struct order_queue *q = &o->q[k];
        q->timed = heap_new(p, o->pos);
        q->aged = heap_new(p, o->pos);
        q->slots = PAGES_NEW(p, uint64_t, bitmap_words(o->cap));
        q->last = o->cap;
        q->wake = &o->wake[k];
        *q->wake = MECH_NEVER;
        q->head = q->tail = SPLIT_NONE;
        q->greedy = ORDER_SHORTLIST;
        q->shortlist_wake[ORDER_SHORTLIST] = MECH_NEVER;
    }
    return o;
}

/* ---- few ---- */

/* Places have changed: that of the split picked last, if it is the one it was. */
static void find_greedy(const struct order *o, struct order_queue *q) {
    q->greedy = ORDER_SHORTLIST;
    if (o->policy != ORDER_GTO || q->last >= o->cap) return;
    const uint32_t k = o->pos[q->last];
    if (k < q->nshortlist && q->shortlist[k]->id == q->last && q->shortlist_age[k] == q->last_age)
        q->greedy = k;
}

static void shortlist_put(struct order *o, struct order_queue *q, uint32_t k, struct mech_split *s,
                          uint64_t age, uint64_t wake) {
    q->shortlist[k] = s;
    q->shortlist_age[k] = age;
    q->shortlist_wake[k] = wake;
    o->pos[s->id] = k;
}

static void shortlist_add(struct order *o, struct order_queue *q, struct mech_split *s) {
    const uint64_t age = order_rank(o, s);
    uint32_t k = q->nshortlist++;
    for (; k && (q->shortlist_age[k - 1] > age ||
                 (q->shortlist_age[k - 1] == age && q->shortlist[k - 1]->id > s->id));
         k--)
        shortlist_put(o, q, k, q->shortlist[k - 1], q->shortlist_age[k - 1], q->shortlist_wake[k - 1]);
    shortlist_put(o, q, k, s, age, s->wake);
    find_greedy(o, q);
}

static void shortlist_drop(struct order *o, struct order_queue *q, uint32_t k) {
    q->nshortlist--;
    for (; k < q->nshortlist; k++)
        shortlist_put(o, q, k, q->shortlist[k + 1], q->shortlist_age[k + 1], q->shortlist_wake[k + 1]);
    find_greedy(o, q);
}

/* s is no longer in the list, if it was. */
static void shortlist_leave(struct order *o, struct order_queue *q, const struct mech_split *s) {
    const uint32_t k = o->pos[s->id];
    if (k < q->nshortlist && q->shortlist[k] == s) shortlist_drop(o, q, k);
}

/* Drops splits that wait for an event from the list. */
static void drop_waiting(struct order *o, struct order_queue *q) {
    for (uint32_t k = q->nshortlist; k-- > 0;)
        if (q->shortlist[k]->order == ORDER_EVENT) shortlist_drop(o, q, k);
}

/* True if s is ready. A timed split is ready once the list has been looked through at or after its cycle. */
static bool is_ready(const struct order_queue *q, const struct mech_split *s) {
    return s->order == ORDER_READY || (s->order == ORDER_TIMED && s->wake <= q->scanned);
}

static bool many(const struct order_queue *q) {
    return q->nready | q->timed.n;
}

/* Updates the scheduler's next wake after a split has come or gone. */
static void note_wake(struct order *o, const struct order_queue *q) {
    o->moved = true;
    uint64_t *wake = q->wake;
    *wake = q->nready ? 0 : q->timed.n ? q->timed.v[0].key : MECH_NEVER;
    for (uint32_t k = 0; k < q->nshortlist; k++)
        if (q->shortlist_wake[k] < *wake) *wake = q->shortlist_wake[k];
}

/* ---- the ready ones of many ---- */

static inline void put_ready(struct order *o, struct order_queue *q, struct mech_split *s) {
    s->order = ORDER_READY;
    if (!o->by_age) {
        order_put(q, s);
        return;
    }
    q->nready++;
    heap_put(&q->aged, order_rank(o, s), s->id);
}

static inline void take_ready(struct order *o, struct order_queue *q, const struct mech_split *s) {
    if (!o->by_age) {
        order_get(q, s->id);
        return;
    }
    q->nready--;
    heap_take(&q->aged, s->id);
}

/* The split that wants to be next by age; something is ready. */
static RARE struct mech_split *take_aged(struct order *o, struct order_queue *q) {
    struct mech_split *s = split_known(o->pool, q->aged.v[0].id);
    if (o->policy == ORDER_GTO && q->last < o->cap) {
        struct mech_split *same = split_at(o->pool, q->last);
        if (same && same->order == ORDER_READY && same->age == q->last_age) s = same;
    }
    take_ready(o, q, s);
    return s;
}

/* ---- the active set ---- */

/* s is READY or TIMED. */
static inline void place_many(struct order *o, struct order_queue *q, struct mech_split *s) {
    if (s->order == ORDER_READY)
        put_ready(o, q, s);
    else
        heap_put(&q->timed, s->wake, s->id);
}

/* The short list is too short. */
static RARE void spill(struct order *o, struct order_queue *q) {
    const uint32_t n = q->nshortlist;
    q->nshortlist = 0;
    q->greedy = ORDER_SHORTLIST;
    for (uint32_t k = 0; k < n; k++) {
        struct mech_split *s = q->shortlist[k];
        if (is_ready(q, s)) s->order = ORDER_READY;
        if (s->order == ORDER_READY || s->order == ORDER_TIMED) place_many(o, q, s);
    }
}

static void order_place(struct order *o, struct order_queue *q, struct mech_split *s) {
    const bool listed = order_listed(o, q, s);
    order_expects(o, q, s);
    if (listed) {
        q->shortlist_wake[o->pos[s->id]] = s->wake;
        return;
    }
    shortlist_leave(o, q, s);
    if (q->nshortlist == ORDER_SHORTLIST) drop_waiting(o, q);
    if (q->nshortlist == ORDER_SHORTLIST) spill(o, q);
    if (many(q) || !o->by_age)
        place_many(o, q, s);
    else
        shortlist_add(o, q, s);
}

static void unlink_pending(struct order *o, struct order_queue *q, uint32_t id) {
    uint32_t p = o->prev[id], n = o->next[id];
    *(p == SPLIT_NONE ? &q->head : &o->next[p]) = n;
    *(n == SPLIT_NONE ? &q->tail : &o->prev[n]) = p;
}

static void link_pending(struct order *o, struct order_queue *q, uint32_t id) {
    o->prev[id] = q->tail;
    o->next[id] = SPLIT_NONE;
    *(q->tail == SPLIT_NONE ? &q->head : &o->next[q->tail]) = id;
    q->tail = id;
}

static void promote(struct order *o, struct order_queue *q) {
    while (q->nactive < o->groups && q->head != SPLIT_NONE) {
        uint32_t id = q->head;
        unlink_pending(o, q, id);
        o->active[id] = true;
        o->issues[id] = 0;
        q->nactive++;
        order_place(o, q, split_known(o->pool, id));
    }
}

static void deactivate(struct order *o, struct order_queue *q, uint32_t id) {
    if (!o->active || !o->active[id]) return;
    o->active[id] = false;
    q->nactive--;
    promote(o, q);
}

/* ---- in and out ---- */

/* s is in no structure; where it belongs follows from its wake. */
static inline void enqueue(struct order *o, struct order_queue *q, struct mech_split *s) {
    if (s->wake == MECH_NEVER) {
        s->order = ORDER_EVENT;
        deactivate(o, q, s->id);
    } else if (o->policy == ORDER_TWO_LEVEL && !o->active[s->id]) {
        s->order = ORDER_PENDING;
        link_pending(o, q, s->id);
        promote(o, q);
    } else {
        order_place(o, q, s);
    }
}

/* s is READY or TIMED. */
static void displace(struct order *o, struct order_queue *q, const struct mech_split *s) {
    if (o->by_age && !many(q))
        q->shortlist_wake[o->pos[s->id]] = MECH_NEVER; /* its place is kept */
    else if (s->order == ORDER_READY)
        take_ready(o, q, s);
    else
        heap_take(&q->timed, s->id);
    note_wake(o, q);
}

static void dequeue(struct order *o, struct order_queue *q, struct mech_split *s) {
    switch ((enum order_state)s->order) {
    case ORDER_READY:
    case ORDER_TIMED: displace(o, q, s); break;
    case ORDER_PENDING: unlink_pending(o, q, s->id); break;
    case ORDER_IDLE:
    case ORDER_EVENT:
    case ORDER_PICKED: break;
    }
    s->order = ORDER_IDLE;
}

void order_enter(struct order *o, struct mech_split *s) {
    struct order_queue *q = &o->q[s->sched];
    CHECK(s->order == ORDER_IDLE || s->order == ORDER_PICKED);
    enqueue(o, q, s);
}

void order_add(struct order *o, struct mech_split *s) {
    order_return(o, s, o->when, o->sm);
}

void order_add_at(struct order *o, struct mech_split *s, uint64_t from) {
    s->in_flight = false;
    o->used = true;
    s->wake = o->when(o->sm, s);
    if (s->wake < from) s->wake = from;
    order_enter(o, s);
}

void order_remove(struct order *o, struct mech_split *s) {
    struct order_queue *q = &o->q[s->sched];
    dequeue(o, q, s);
    shortlist_leave(o, q, s);
    if (o->policy == ORDER_TWO_LEVEL) deactivate(o, q, s->id);
    s->in_flight = false;
}

bool order_holds(const struct mech_split *s) {
    return order_has(s);
}

void order_wake(struct order *o, struct mech_split *s) {
    struct order_queue *q = &o->q[s->sched];
    const enum order_state was = (enum order_state)s->order;
    if (was == ORDER_IDLE || was == ORDER_PICKED || is_ready(q, s)) return;
    s->wake = o->when(o->sm, s);
    if (was == ORDER_PENDING && s->wake != MECH_NEVER) return; /* keeps its place in the queue */
    dequeue(o, q, s);
    enqueue(o, q, s);
}

/* ---- picking ---- */

/* An access that leaves the SM. */
static RARE bool begins_long(const struct order *o, const struct mech_split *s) {
    const struct ir_insn *i = &o->module->code.v[s->pc];
    if (!s->threads) return false;
    switch (ir_ops[i->op].cls) {
    case IR_C_TEX: return true;
    case IR_C_ASYNC: return i->op == IR_CP_WAIT;
    case IR_C_LDST:
    case IR_C_ATOM: return i->space != IR_SP_SHARED && i->space != IR_SP_PARAM && i->space != IR_SP_CONST;
    default: return false;
    }
}

/* True if s has been active long enough and another split waits for its place. */
static RARE bool makes_room(struct order *o, const struct order_queue *q, const struct mech_split *s) {
    return o->timeout && ++o->issues[s->id] >= o->timeout && q->head != SPLIT_NONE;
}

/* Greedy: the split picked last, if its cycle has come; it need not be put among the ready ones first. */
static RARE struct mech_split *take_last(const struct order *o, struct order_queue *q, uint64_t now) {
    struct mech_split *s = q->last < o->cap ? split_at(o->pool, q->last) : NULL;
    if (!s || s->order != ORDER_TIMED || s->wake > now || s->age != q->last_age) return NULL;
    heap_take(&q->timed, s->id);
    return s;
}

/* Makes splits ready whose cycle has come. */
void order_mature(struct order *o, struct order_queue *q, uint64_t now) {
    while (q->timed.n && q->timed.v[0].key <= now) {
        const uint32_t id = q->timed.v[0].id;
        heap_take(&q->timed, id);
        put_ready(o, q, split_known(o->pool, id));
    }
}

/* Puts back a split that cannot issue before its wake after all. */
static RARE void order_put_back(struct order *o, struct order_queue *q, struct mech_split *s) {
    s->order = ORDER_IDLE;
    enqueue(o, q, s);
}

void order_refuse(struct order *o, struct mech_split *s) {
    order_put_back(o, &o->q[s->sched], s);
}

/* When s, which is ready, may issue after all. */
static uint64_t ready_at(void *order, const struct mech_split *s) {
    const struct order *o = order;
    return o->recheck && s->set.n == 1 ? o->recheck(o->sm, s) : o->when(o->sm, s);
}

struct mech_split *order_take_many(struct order *o, struct order_queue *q, uint64_t now) {
    struct mech_split *s = o->policy == ORDER_GTO ? take_last(o, q, now) : NULL;
    if (q->timed.n) order_mature(o, q, now);
    for (; s || q->nready; s = NULL) {
        if (!s) s = take_aged(o, q);
        s->wake = o->when(o->sm, s);
        if (s->wake <= now) break;
        order_put_back(o, q, s);
    }
    note_wake(o, q);
    return s;
}

void order_issued(struct order *o, struct order_queue *q, struct mech_split *s) {
    if (begins_long(o, s) || makes_room(o, q, s)) deactivate(o, q, s->id);
}

struct mech_split *order_pick(struct order *o, uint32_t sched, uint64_t now) {
    return o->wake[sched] <= now ? order_choose(o, sched, now, ready_at, o) : NULL;
}

bool order_ready(const struct order *o, const struct mech_split *s) {
    const bool due = s->order == ORDER_READY || (s->order == ORDER_TIMED && s->wake <= *o->now);
    return due && o->when(o->sm, s) <= *o->now;
}

void order_take(struct order *o, struct mech_split *s) {
    struct order_queue *q = &o->q[s->sched];
    dequeue(o, q, s);
    s->order = ORDER_PICKED;
    s->in_flight = true;
    if (o->policy == ORDER_TWO_LEVEL && begins_long(o, s)) deactivate(o, q, s->id);
}

void order_expect(const struct order *o, uint32_t sched) {
    const struct order_queue *q = &o->q[sched];
    if (q->nready && !o->by_age) __builtin_prefetch(split_known(o->pool, order_next_in_turn(o, q)));
}

uint64_t order_next(const struct order *o, uint32_t sched) {
    return o->wake[sched] ? o->wake[sched] : *o->now;
}

const uint64_t *order_wakes(const struct order *o) {
    return o->wake;
}

void order_settle(struct order *o, uint32_t schedulers) {
    for (struct order_queue *q = o->q; q < o->q + schedulers; q++)
        for (uint32_t k = 0; k < q->nshortlist; k++)
            if (is_ready(q, q->shortlist[k])) q->shortlist[k]->order = ORDER_READY;
}

bool order_used(const struct order *o) {
    return o->used;
}

bool order_parked(const struct mech_split *s) {
    return s->order == ORDER_IDLE && !s->in_flight;
}

void order_describe(const struct mech_split *s, struct sb *out) {
    static const char *const name[] = {"parked",  "ready",    "wakes at", "waits for an event",
                                       "pending", "in flight"};
    sb_add(out, "%s", name[s->in_flight ? ORDER_PICKED : s->order]);
    if (s->order == ORDER_TIMED) sb_add(out, " %" PRIu64, s->wake);
}
