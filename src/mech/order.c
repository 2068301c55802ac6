/* The schedulers' orders.
 *
 * Per scheduler: splits that wait for a cycle are timed; those whose cycle has come are ready; those that wait for an event
 * are in no structure. As long as there are few, timed and ready ones lie in one short list in no order: looking through
 * it once per pick costs less than keeping anything sorted. Once there are more, timed ones lie in a heap by cycle, ready
 * ones in a bit map by slot (round robin) or a heap by age (oldest, greedy), until these are empty again.
 *
 * The SM is asked once more about a ready split that is about to be picked, because a unit may have become busy since; only
 * about that, if splits stay as they are until they are picked (MECH_STEADY). The cycle before
 * which a scheduler's pick finds nobody is kept beside them, so that whoever calls every cycle need not.
 *
 * Two-level (HARP 4, after Narasiman et al. and Gebhart et al.): at most order_groups splits of a scheduler are active and
 * only they are looked at. A split leaves the active set when it issues an access beyond the SM's own memories, or when
 * what it needs depends on an event; otherwise it keeps its place while in flight. Who may go on again queues behind the
 * others. With issue = barrel a split is in flight until its load is back, so that leaving at issue is the only moment at
 * which its place can be given away. A split that has issued order_timeout instructions since it became active makes room
 * for one that waits, if there is one: where a large warp is the whole active set, one that never goes to memory would keep
 * the others out until it ends. */
#include "mech/order.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bitmap.h"
#include "base/heap.h"
#include "mech/split.h"

#define RARE __attribute__((noinline)) /* kept out of what runs for every split */

enum state { IDLE, READY, TIMED, EVENT, PENDING, PICKED }; /* split.order */

/* A split in the short list: ready, timed, or picked, for then it will be back soon. */
struct brief {
    uint64_t wake, age; /* wake: MECH_NEVER while it is picked */
    struct mech_split *split;
    uint32_t id;
    bool ready;
};
enum { FEW = 16 };

/* Of one scheduler. What every pick looks at is one line of the host's cache, here and below. */
struct queue {
    _Alignas(64) uint64_t *slots; /* ready, a bit each: LRR, TWO_LEVEL */
    uint64_t *wake;               /* its element of order.wake */
    uint32_t nready;
    uint32_t last; /* slot picked last; cap: none yet */
    uint64_t last_age;
    struct heap timed;            /* by wake */
    struct heap aged;             /* ready, by age: GTO, OLDEST */
    uint32_t nactive, head, tail; /* two-level: active splits; the pending ones, SPLIT_NONE when empty */
    uint32_t nfew; /* if not 0, all that are ready or timed are here, and in none of the above */
    struct brief few[FEW];
};

struct order {
    _Alignas(64) const struct split_pool *pool;
    struct queue *q;
    uint64_t
        *wake; /* by scheduler: 0 if somebody is ready, else the first wake of those that wait for a cycle */
    const uint64_t *now;
    uint64_t (*when)(void *sm, const struct mech_split *s);
    uint64_t (*again)(void *sm, const struct mech_split *s);
    void *sm;
    enum order_policy policy;
    bool by_age; /* GTO, OLDEST */
    bool used;
    uint32_t cap;
    uint32_t groups;  /* two-level: size of the active set */
    uint32_t timeout; /* issues after which an active split makes room; 0: none */
    const struct ir_module *module;
    bool *active;
    uint32_t *issues; /* of active splits, since they became so */
    uint32_t *pos;    /* in a heap, or in the short list */
    uint32_t *next, *prev;
};

struct order *order_new(const struct mech_env *env, const struct split_pool *pool) {
    struct pages *p = env->pages;
    struct order *o = PAGES_NEW(p, struct order, 1);
    *o = (struct order){.pool = pool,
                        .now = env->now,
                        .when = env->when,
                        .again = env->again,
                        .sm = env->sm,
                        .policy = (enum order_policy)env->order,
                        .by_age = env->order == ORDER_GTO || env->order == ORDER_OLDEST,
                        .cap = pool->cap,
                        .groups = env->order_groups,
                        .timeout = env->order_timeout,
                        .module = env->module};
    o->q = PAGES_NEW(p, struct queue, env->schedulers);
    o->wake = PAGES_NEW(p, uint64_t, env->schedulers);
    o->active = PAGES_NEW(p, bool, o->cap);
    o->issues = PAGES_NEW(p, uint32_t, o->cap);
    o->pos = pages_raw(p, o->cap * sizeof *o->pos); /* of who is in a heap; the next two: of who is pending */
    o->next = pages_raw(p, o->cap * sizeof *o->next);
    o->prev = pages_raw(p, o->cap * sizeof *o->prev);
    for (uint32_t k = 0; k < env->schedulers; k++) {
        struct queue *q = &o->q[k];
        q->timed = heap_new(p, o->pos);
        q->aged = heap_new(p, o->pos);
        q->slots = PAGES_NEW(p, uint64_t, bitmap_words(o->cap));
        q->last = o->cap;
        q->wake = &o->wake[k];
        *q->wake = MECH_NEVER;
        q->head = q->tail = SPLIT_NONE;
    }
    return o;
}

/* ---- few ---- */

static void add_few(struct order *o, struct queue *q, struct mech_split *s) {
    q->few[q->nfew] = (struct brief){s->wake, s->age, s, s->id, s->order == READY};
    o->pos[s->id] = q->nfew++;
}

static void drop_few(struct order *o, struct queue *q, struct brief *b) {
    *b = q->few[--q->nfew];
    o->pos[b->id] = (uint32_t)(b - q->few);
}

/* Where s, which is or was in the list, is; NULL: in it no more. */
static inline struct brief *find_few(const struct order *o, struct queue *q, const struct mech_split *s) {
    const uint32_t k = o->pos[s->id];
    return k < q->nfew && q->few[k].split == s ? &q->few[k] : NULL;
}

/* Who is picked of those that are ready: the lowest, of equal ones that of the lowest slot. greedy: the split that goes on
 * as long as it can, if it is the one it was. */
static inline uint64_t rank(const struct order *o, const struct queue *q, const struct brief *b,
                            uint32_t greedy, const bool by_age) {
    if (!by_age) return b->id > q->last ? b->id : (uint64_t)b->id + o->cap; /* q->last is the last one */
    return b->id == greedy && b->age == q->last_age ? 0 : b->age + 1;
}

/* The ready one to be picked, NULL if none is. Those whose cycle has come are ready from now on. *others: when there will be
 * another, 0 if there is. Compiled twice: by_age is a constant. */
static inline __attribute__((always_inline)) struct brief *
best_few(const struct order *o, struct queue *q, uint64_t now, uint64_t *others, const bool by_age) {
    const uint32_t greedy = o->policy == ORDER_GTO ? q->last : SPLIT_NONE;
    uint64_t least = UINT64_MAX, next = MECH_NEVER;
    struct brief *best = NULL, *const end = q->few + q->nfew;
    for (struct brief *b = q->few; b < end; b++) {
        if (b->wake > now) {
            if (b->wake < next) next = b->wake;
            continue;
        }
        if (!b->ready) b->split->order = READY;
        b->ready = true;
        const uint64_t r = rank(o, q, b, greedy, by_age);
        if (best) next = 0;
        if (r > least || (r == least && b->id > best->id)) continue;
        least = r;
        best = b;
    }
    *others = next;
    return best;
}

/* Somebody has come or gone. */
static void note_wake(const struct queue *q) {
    uint64_t *wake = q->wake;
    *wake = q->nready ? 0 : q->timed.n ? q->timed.v[0].key : MECH_NEVER;
    for (uint32_t k = 0; k < q->nfew; k++) {
        const uint64_t t = q->few[k].ready ? 0 : q->few[k].wake;
        if (t < *wake) *wake = t;
    }
}

/* ---- the ready ones of many ---- */

static inline void put_ready(struct order *o, struct queue *q, struct mech_split *s) {
    s->order = READY;
    q->nready++;
    if (o->by_age)
        heap_put(&q->aged, s->age, s->id);
    else
        bitmap_set(q->slots, s->id);
}

static inline void take_ready(struct order *o, struct queue *q, const struct mech_split *s) {
    q->nready--;
    if (o->by_age)
        heap_take(&q->aged, s->id);
    else
        bitmap_clear(q->slots, s->id);
}

/* The first ready slot behind the one picked last, or from the front again; something is ready. */
static inline uint32_t next_in_turn(const struct order *o, const struct queue *q) {
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

/* The split that wants to be next by age; something is ready. */
static RARE struct mech_split *take_aged(struct order *o, struct queue *q) {
    struct mech_split *s = split_known(o->pool, q->aged.v[0].id);
    if (o->policy == ORDER_GTO && q->last < o->cap) {
        struct mech_split *same = split_at(o->pool, q->last);
        if (same && same->order == READY && same->age == q->last_age) s = same;
    }
    take_ready(o, q, s);
    return s;
}

/* The split the policy wants; something is ready. */
static inline struct mech_split *take_best(struct order *o, struct queue *q) {
    if (o->by_age) return take_aged(o, q);
    const uint32_t id = next_in_turn(o, q);
    q->nready--;
    bitmap_clear(q->slots, id);
    return split_known(o->pool, id);
}

/* ---- the active set ---- */

/* s is READY or TIMED. */
static inline void place_many(struct order *o, struct queue *q, struct mech_split *s) {
    if (s->order == READY)
        put_ready(o, q, s);
    else
        heap_put(&q->timed, s->wake, s->id);
}

/* The short list is too short. */
static RARE void spill(struct order *o, struct queue *q) {
    while (q->nfew--) {
        struct mech_split *s = q->few[q->nfew].split;
        if (s->order != PICKED) place_many(o, q, s);
    }
    q->nfew = 0;
}

/* It is READY or TIMED from now on. */
static inline void expect(struct order *o, struct queue *q, struct mech_split *s) {
    uint64_t *wake = q->wake;
    const uint64_t from = s->wake <= *o->now ? 0 : s->wake;
    s->order = from ? TIMED : READY;
    if (from < *wake) *wake = from;
}

static inline void place(struct order *o, struct queue *q, struct mech_split *s) {
    expect(o, q, s);
    if (q->nfew == FEW) spill(o, q);
    if (q->nready | q->timed.n)
        place_many(o, q, s);
    else
        add_few(o, q, s);
}

static void unlink_pending(struct order *o, struct queue *q, uint32_t id) {
    uint32_t p = o->prev[id], n = o->next[id];
    *(p == SPLIT_NONE ? &q->head : &o->next[p]) = n;
    *(n == SPLIT_NONE ? &q->tail : &o->prev[n]) = p;
}

static void link_pending(struct order *o, struct queue *q, uint32_t id) {
    o->prev[id] = q->tail;
    o->next[id] = SPLIT_NONE;
    *(q->tail == SPLIT_NONE ? &q->head : &o->next[q->tail]) = id;
    q->tail = id;
}

static void promote(struct order *o, struct queue *q) {
    while (q->nactive < o->groups && q->head != SPLIT_NONE) {
        uint32_t id = q->head;
        unlink_pending(o, q, id);
        o->active[id] = true;
        o->issues[id] = 0;
        q->nactive++;
        place(o, q, split_known(o->pool, id));
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
static inline void enqueue(struct order *o, struct queue *q, struct mech_split *s) {
    if (s->wake == MECH_NEVER) {
        s->order = EVENT;
        deactivate(o, q, s->id);
    } else if (o->policy == ORDER_TWO_LEVEL && !o->active[s->id]) {
        s->order = PENDING;
        link_pending(o, q, s->id);
        promote(o, q);
    } else {
        place(o, q, s);
    }
}

/* s is READY or TIMED. */
static void displace(struct order *o, struct queue *q, const struct mech_split *s) {
    if (q->nfew)
        drop_few(o, q, &q->few[o->pos[s->id]]);
    else if (s->order == READY)
        take_ready(o, q, s);
    else
        heap_take(&q->timed, s->id);
    note_wake(q);
}

static void dequeue(struct order *o, struct queue *q, struct mech_split *s) {
    switch ((enum state)s->order) {
    case READY:
    case TIMED: displace(o, q, s); break;
    case PENDING: unlink_pending(o, q, s->id); break;
    case IDLE:
    case EVENT:
    case PICKED: break;
    }
    s->order = IDLE;
}

/* A split that was picked is back. True: its place in the short list was kept. */
static inline bool came_back(struct order *o, struct queue *q, struct mech_split *s) {
    struct brief *b = find_few(o, q, s);
    if (!b) return false;
    if (s->wake == MECH_NEVER || o->policy == ORDER_TWO_LEVEL) {
        drop_few(o, q, b);
        return false;
    }
    expect(o, q, s);
    b->wake = s->wake;
    b->age = s->age;
    b->ready = s->order == READY;
    return true;
}

void order_add(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    CHECK(s->order == IDLE || s->order == PICKED);
    s->in_flight = false;
    o->used = true;
    s->wake = o->when(o->sm, s);
    if (s->order == IDLE || !came_back(o, q, s)) enqueue(o, q, s);
}

void order_remove(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    struct brief *b = s->order == PICKED ? find_few(o, q, s) : NULL;
    if (b) drop_few(o, q, b);
    if (s->order != PICKED) dequeue(o, q, s);
    s->order = IDLE;
    if (o->policy == ORDER_TWO_LEVEL) deactivate(o, q, s->id);
    s->in_flight = false;
}

bool order_holds(const struct mech_split *s) {
    return s->order != IDLE && s->order != PICKED;
}

void order_wake(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    const enum state was = (enum state)s->order;
    if (was == IDLE || was == PICKED || was == READY) return;
    s->wake = o->when(o->sm, s);
    if (was == PENDING && s->wake != MECH_NEVER) return; /* keeps its place in the queue */
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

/* It has been active long enough, and another waits for its place. */
static RARE bool makes_room(struct order *o, const struct queue *q, const struct mech_split *s) {
    return o->timeout && ++o->issues[s->id] >= o->timeout && q->head != SPLIT_NONE;
}

/* Greedy: the split picked last, if its cycle has come; it need not be put among the ready ones first. */
static RARE struct mech_split *take_last(const struct order *o, struct queue *q, uint64_t now) {
    struct mech_split *s = q->last < o->cap ? split_at(o->pool, q->last) : NULL;
    if (!s || s->order != TIMED || s->wake > now || s->age != q->last_age) return NULL;
    heap_take(&q->timed, s->id);
    return s;
}

/* Those whose cycle has come are ready. */
static RARE void mature(struct order *o, struct queue *q, uint64_t now) {
    while (q->timed.n && q->timed.v[0].key <= now) {
        const uint32_t id = q->timed.v[0].id;
        heap_take(&q->timed, id);
        put_ready(o, q, split_known(o->pool, id));
    }
}

/* It cannot issue before its wake after all. */
static RARE void put_back(struct order *o, struct queue *q, struct mech_split *s) {
    s->order = IDLE;
    enqueue(o, q, s);
}

/* When s, which is ready, may issue after all. */
static inline uint64_t ask_again(const struct order *o, const struct mech_split *s) {
    return o->again && s->set.n == 1 ? o->again(o->sm, s) : o->when(o->sm, s);
}

/* Takes the split to issue out of the short list; NULL: none can. */
static struct mech_split *take_few(struct order *o, struct queue *q, uint64_t now) {
    uint64_t *wake = q->wake;
    for (struct brief *b;;) {
        b = o->by_age ? best_few(o, q, now, wake, true) : best_few(o, q, now, wake, false);
        if (!b) return NULL;
        struct mech_split *s = b->split;
        s->wake = ask_again(o, s);
        b->ready = false;
        b->wake = s->wake > now ? s->wake : MECH_NEVER;
        if (s->wake <= now) return s;
        s->order = TIMED;
        if (s->wake != MECH_NEVER) continue;
        drop_few(o, q, b);
        put_back(o, q, s);
    }
}

/* The same of many. */
static RARE struct mech_split *take_next(struct order *o, struct queue *q, uint64_t now) {
    struct mech_split *s = o->policy == ORDER_GTO ? take_last(o, q, now) : NULL;
    if (q->timed.n) mature(o, q, now);
    for (; s || q->nready; s = NULL) {
        if (!s) s = take_best(o, q);
        s->wake = o->when(o->sm, s);
        if (s->wake <= now) break;
        put_back(o, q, s);
    }
    note_wake(q);
    return s;
}

struct mech_split *order_pick(struct order *o, uint32_t sched, uint64_t now) {
    struct queue *q = &o->q[sched];
    if (*q->wake > now) return NULL;
    struct mech_split *s = q->nfew ? take_few(o, q, now) : take_next(o, q, now);
    if (!s) return NULL;
    s->order = PICKED;
    s->in_flight = true;
    q->last = s->id;
    q->last_age = s->age;
    if (o->policy == ORDER_TWO_LEVEL && (begins_long(o, s) || makes_room(o, q, s))) deactivate(o, q, s->id);
    return s;
}

bool order_ready(const struct order *o, const struct mech_split *s) {
    const bool due = s->order == READY || (s->order == TIMED && s->wake <= *o->now);
    return due && o->when(o->sm, s) <= *o->now;
}

void order_take(struct order *o, struct mech_split *s) {
    struct queue *q = &o->q[s->sched];
    dequeue(o, q, s);
    s->order = PICKED;
    s->in_flight = true;
    if (o->policy == ORDER_TWO_LEVEL && begins_long(o, s)) deactivate(o, q, s->id);
}

void order_expect(const struct order *o, uint32_t sched) {
    const struct queue *q = &o->q[sched];
    if (q->nready && !o->by_age) __builtin_prefetch(split_known(o->pool, next_in_turn(o, q)));
}

uint64_t order_next(const struct order *o, uint32_t sched) {
    return o->wake[sched] ? o->wake[sched] : *o->now;
}

const uint64_t *order_wakes(const struct order *o) {
    return o->wake;
}

bool order_used(const struct order *o) {
    return o->used;
}

bool order_parked(const struct mech_split *s) {
    return s->order == IDLE && !s->in_flight;
}

void order_describe(const struct mech_split *s, struct sb *out) {
    static const char *const name[] = {"parked",  "ready",    "wakes at", "waits for an event",
                                       "pending", "in flight"};
    sb_add(out, "%s", name[s->in_flight ? PICKED : s->order]);
    if (s->order == TIMED) sb_add(out, " %" PRIu64, s->wake);
}
