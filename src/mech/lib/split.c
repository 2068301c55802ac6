/* The pool of splits, the map from threads to splits, and homes.
 *
 * Splits are made in chunks as they are first needed and then reused, so that a run settles without allocating, a
 * mechanism with one split per warp stays small, and a split's address never changes. The map costs a write per thread
 * when threads change splits, nothing when a whole split goes on. */
#include "mech/lib/split.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"

enum { LANES = 32 };

struct split_pool *split_pool_new(const struct mech_env *env, uint32_t pieces) {
    struct split_pool *p = PAGES_NEW(env->pages, struct split_pool, 1);
    p->pages = env->pages;
    p->cap = env->warps * LANES; /* a thread each, at the worst */
    p->slots = env->warps;
    p->warp_size = env->warp_size;
    p->schedulers = env->schedulers;
    p->whole_blocks = env->whole_blocks;
    p->pieces = pieces;
    p->stride = (uint32_t)((offsetof(struct mech_split, set.p) + pieces * sizeof(struct mech_piece) +
                            _Alignof(struct mech_split) - 1) &
                           ~(_Alignof(struct mech_split) - 1));
    p->chunk = PAGES_NEW(p->pages, unsigned char *, p->cap / SPLIT_CHUNK);
    p->used = PAGES_NEW(p->pages, uint64_t, bitmap_words(p->cap));
    p->holder = pages_raw(p->pages, p->cap * sizeof *p->holder);
    const uint32_t threads = p->cap;
    uint32_t *holder = p->holder;
#pragma GCC unroll 8
    for (uint32_t t = 0; t < threads; t++) holder[t] = SPLIT_NONE;
    p->present = PAGES_NEW(p->pages, uint32_t, p->slots);
    p->first = PAGES_NEW(p->pages, uint32_t, p->slots);
    return p;
}

/* ---- splits ---- */

static uint32_t lowest_free(struct split_pool *p) {
    CHECK(p->alive < p->cap);
    uint32_t w = p->first_free / 64;
    while (!~p->used[w]) w++;
    return w * 64 + (uint32_t)__builtin_ctzll(~p->used[w]);
}

struct mech_split *split_new(struct mech *m, uint32_t sched, uint32_t pc) {
    struct split_pool *p = m->pool;
    uint32_t id = lowest_free(p);
    if (!p->chunk[id / SPLIT_CHUNK])
        p->chunk[id / SPLIT_CHUNK] = pages_get(p->pages, SPLIT_CHUNK * (size_t)p->stride);
    bitmap_set(p->used, id);
    p->first_free = id + 1;
    if (id >= p->high) p->high = id + 1;
    if (++p->alive > m->stats.splits_max) m->stats.splits_max = p->alive;
    struct mech_split *s = split_at(p, id);
    s->id = id;
    s->pc = pc;
    s->sched = (uint16_t)sched;
    s->threads = 0;
    s->set.n = 0;
    s->age = p->stamp++;
    s->wake = 0;
    s->in_flight = false;
    memset(s->own, 0, sizeof s->own);
    return s;
}

/* Frees a split whose threads, if any, are bound elsewhere. */
static void split_drop(struct mech *m, struct mech_split *s) {
    struct split_pool *p = m->pool;
    order_remove(m->order, s);
    bitmap_clear(p->used, s->id);
    if (s->id < p->first_free) p->first_free = s->id;
    p->alive--;
}

void split_free(struct mech *m, struct mech_split *s) {
    for (uint32_t k = 0; k < s->set.n; k++) {
        uint32_t *holder = m->pool->holder + s->set.p[k].warp * LANES;
        FOR_LANES(l, s->set.p[k].mask) if (holder[l] == s->id) holder[l] = SPLIT_NONE;
    }
    split_drop(m, s);
}

/* Four lanes at a time, all of a warp, because no host predicts how many there are. */
typedef uint32_t quad __attribute__((vector_size(16), aligned(4), may_alias));
#define QUAD(l) \
    { 1u << (l), 2u << (l), 4u << (l), 8u << (l) }

static void bind_lanes(uint32_t *holder, uint32_t mask, uint32_t id) {
    static const quad bit[] = {QUAD(0), QUAD(4), QUAD(8), QUAD(12), QUAD(16), QUAD(20), QUAD(24), QUAD(28)};
    const quad lanes = {mask, mask, mask, mask}, to = {id, id, id, id};
#pragma GCC unroll 8
    for (uint32_t k = 0; k < LANES / 4; k++) {
        quad *at = (quad *)(holder + 4 * k);
        const quad theirs = (quad)((bit[k] & lanes) == 0);
        *at = (*at & theirs) | (to & ~theirs);
    }
}

void split_bind(struct split_pool *p, const struct mech_split *s, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++)
        bind_lanes(p->holder + set->p[k].warp * LANES, set->p[k].mask, s->id);
}

void split_unbind(struct split_pool *p, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++)
        bind_lanes(p->holder + set->p[k].warp * LANES, set->p[k].mask, SPLIT_NONE);
}

void split_assign(struct split_pool *p, struct mech_split *s, const struct mech_set *set) {
    CHECK(set->n <= p->pieces);
    set_copy(&s->set, set);
    s->threads = set_count(set);
    split_bind(p, s, set);
}

void split_exchange(struct split_pool *p, struct mech_split *s, struct mech_split *t) {
    struct mech_set set;
    const uint32_t threads = s->threads;
    set_copy(&set, &s->set);
    set_copy(&s->set, &t->set);
    set_copy(&t->set, &set);
    s->threads = t->threads;
    t->threads = threads;
    split_bind(p, s, &s->set);
    split_bind(p, t, &t->set);
}

struct mech_split *split_divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct mech_split *t = split_new(m, s->sched, s->pc);
    memcpy(t->own, s->own, sizeof t->own);
    split_assign(m->pool, t, part);
    set_remove(&s->set, part);
    s->threads -= t->threads;
    if (m->env.divided) m->env.divided(m->env.sm, s, t);
    return t;
}

void split_merge(struct mech *m, struct mech_split *into, struct mech_split *from) {
    split_bind(m->pool, into, &from->set);
    set_union(&into->set, &from->set);
    into->threads += from->threads;
    split_drop(m, from);
}

struct mech_split *split_first_of(const struct split_pool *p, struct mech_set *left, struct mech_set *part) {
    struct mech_split *s = split_of(p, left->p[0].warp, (uint32_t)__builtin_ctz(left->p[0].mask));
    CHECK(s);
    set_copy(part, left);
    set_and(part, &s->set);
    set_remove(left, part);
    return s;
}

struct mech_split *split_released(struct mech *m, struct mech_set *left) {
    struct mech_set part;
    if (!left->n) return NULL;
    struct mech_split *s = split_first_of(m->pool, left, &part);
    CHECK(!s->in_flight);
    return set_equal(&part, &s->set) ? s : split_divide(m, s, &part);
}

void split_exit(struct split_pool *p, struct mech_split *s, const struct mech_set *gone) {
    for (uint32_t k = 0; k < gone->n; k++) p->present[gone->p[k].warp] &= ~gone->p[k].mask;
    split_unbind(p, gone);
    if (!s || !gone->n) return;
    set_remove(&s->set, gone);
    s->threads = set_count(&s->set);
}

/* ---- homes ---- */

static uint32_t parts(const struct split_pool *p) { /* machine warps in an architectural one, at least 1 */
    return p->warp_size < LANES ? LANES / p->warp_size : 1;
}
/* architectural warps in a machine one, at least 1 */
static uint32_t split_span(const struct split_pool *p) {
    return p->warp_size > LANES ? p->warp_size / LANES : 1;
}

uint32_t split_homes(const struct mech_env *env) {
    return env->warp_size < LANES ? env->warps * (LANES / env->warp_size) : env->warps;
}

static uint32_t existing(const struct mech_block *b, uint32_t k) { /* lanes of its k-th architectural warp */
    uint32_t n = b->threads - k * LANES;
    return n >= LANES ? ~0u : (1u << n) - 1;
}

bool split_home_at(const struct split_pool *p, const struct mech_block *b, uint32_t k,
                   struct split_home *out) {
    const uint32_t w = p->warp_size;
    if ((uint64_t)k * w >= b->threads) return false;
    out->set.n = 0;
    if (w < LANES) {
        uint32_t warp = k * w / LANES, lane = k * w % LANES;
        out->id = b->first * parts(p) + k;
        out->sched = (p->whole_blocks ? b->slot : out->id) % p->schedulers;
        set_add(&out->set, b->first + warp, existing(b, warp) & ((1u << w) - 1) << lane);
    } else {
        uint32_t warp = k * split_span(p);
        out->id = b->first + warp;
        out->sched = (p->whole_blocks ? b->slot : b->first / split_span(p) + k) % p->schedulers;
        for (uint32_t i = warp; i < warp + split_span(p) && i < b->warps; i++)
            set_add(&out->set, b->first + i, existing(b, i));
    }
    return true;
}

uint32_t split_home_of(const struct split_pool *p, uint32_t warp, uint32_t lane) {
    return p->warp_size < LANES ? warp * parts(p) + lane / p->warp_size : p->first[warp];
}

uint32_t split_rank(const struct split_pool *p, uint32_t home) {
    return home / split_span(p) / (p->whole_blocks ? 1 : p->schedulers);
}

uint32_t split_lane_of(const struct split_pool *p, uint32_t warp, uint32_t lane) {
    return ((warp - p->first[warp]) * LANES + lane) % p->warp_size;
}

void split_launch(struct split_pool *p, const struct mech_block *b) {
    CHECK((b->first + b->warps) <= p->slots && b->threads <= b->warps * LANES);
    for (uint32_t k = 0; k < b->warps; k++) {
        uint32_t slot = b->first + k;
        CHECK(!p->present[slot]);
        p->first[slot] = slot - k % split_span(p);
        p->present[slot] = existing(b, k);
        for (uint32_t l = 0; l < LANES; l++) p->holder[slot * LANES + l] = SPLIT_NONE;
    }
}

/* ---- shared by mechanisms ---- */

void split_issue(struct mech *m, struct mech_packet *p, struct mech_split *s) {
    p->n = 1;
    p->split[0] = s;
    split_sample(m);
}

void split_part(struct mech *m, struct mech_split *s, const struct mech_outcome *o, split_go_fn *go) {
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (!s->threads) {
        split_free(m, s);
        return;
    }
    if (!o->nsides) { /* all that are left wait */
        s->pc = o->pc + 1;
        order_remove(m->order, s);
        return;
    }
    if (o->waiting.n) split_divide(m, s, &o->waiting)->pc = o->pc + 1;
    if (o->nsides > 1) split_diverged(m, o->nsides);
    for (uint32_t k = 1; k < o->nsides; k++) go(m, split_divide(m, s, &o->side[k].set), o->side[k].pc);
    go(m, s, o->side[0].pc);
}

/* Gives the threads of `left` at the call depth of its first thread, which it returns. */
static uint32_t same_depth(const struct mech *m, const struct mech_set *left, struct mech_set *out) {
    const struct mech_piece *p = left->p;
    uint32_t depth = m->env.depth(m->env.sm, p[0].warp, (uint32_t)__builtin_ctz(p[0].mask));
    out->n = 0;
    for (uint32_t k = 0; k < left->n; k++) {
        uint32_t mask = 0;
        FOR_LANES(l, p[k].mask)
        mask |= (uint32_t)(m->env.depth(m->env.sm, p[k].warp, l) == depth) << l;
        if (mask) set_add(out, p[k].warp, mask);
    }
    return depth;
}

uint32_t split_sides(struct mech *m, struct mech_split *s, const struct mech_outcome *o, uint32_t depth,
                     struct mech_split **out) {
    uint32_t n = 0, at = s->own[depth];
    for (uint32_t k = o->nsides; k-- > 0;) {
        struct mech_set left, some;
        set_copy(&left, &o->side[k].set);
        while (left.n) {
            if (o->depth_change)
                at = same_depth(m, &left, &some);
            else
                set_copy(&some, &left);
            set_remove(&left, &some);
            CHECK(n < MECH_SIDES);
            out[n] = set_equal(&some, &s->set) ? s : split_divide(m, s, &some);
            out[n]->pc = o->side[k].pc;
            out[n++]->own[depth] = at;
        }
    }
    return n;
}

void split_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    set_copy(&left, set);
    for (struct mech_split *s; (s = split_released(m, &left));) {
        s->pc = pc;
        order_add(m->order, s);
    }
}

struct mech_split *split_gather_home(struct mech *m, struct mech_set *left) {
    const struct split_pool *p = m->pool;
    const uint32_t first = p->first[left->p[0].warp],
                   part = lanes_beside((uint32_t)__builtin_ctz(left->p[0].mask), p->warp_size);
    struct mech_set home = {0};
    for (uint32_t k = 0; k < left->n && p->first[left->p[k].warp] == first; k++)
        set_add(&home, left->p[k].warp, left->p[k].mask & part);
    set_remove(left, &home);
    struct mech_split *whole = split_released(m, &home);
    for (struct mech_split *s; (s = split_released(m, &home));) split_merge(m, whole, s);
    return whole;
}

void split_diverged(struct mech *m, uint32_t sides) {
    m->stats.divergences++;
    m->stats.sides += sides;
    mech_event(m, "diverge %" PRIu32 " ways", sides);
}

void split_reconverged(struct mech *m, uint32_t pc) {
    m->stats.reconvergences++;
    mech_event(m, "reconverge at %" PRIu32, pc);
}

static void audit_slot(const struct mech *m, uint32_t slot, uint32_t held, bool whole) {
    const struct split_pool *p = m->pool;
    uint32_t live = m->env.live(m->env.sm, slot), here = p->present[slot];
    if (whole ? held != here : held & ~here)
        PANIC("slot %" PRIu32 ": splits hold %08" PRIx32 " of threads %08" PRIx32, slot, held, here);
    if (here && live & ~here)
        PANIC("slot %" PRIu32 ": live %08" PRIx32 ", known %08" PRIx32, slot, live, here);
    FOR_LANES(l, here & ~live) {
        const struct mech_split *s = split_of(p, slot, l);
        if (!s || !s->in_flight) PANIC("slot %" PRIu32 " lane %" PRIu32 " exited and is still kept", slot, l);
    }
}

void split_audit(const struct mech *m, bool whole) {
    const struct split_pool *p = m->pool;
    uint32_t *held = xcalloc(p->slots, sizeof *held), alive = 0;
    FOR_SPLITS(s, p) {
        alive++;
        CHECK(s->threads == set_count(&s->set));
        for (uint32_t k = 0; k < s->set.n; k++) {
            struct mech_piece at = s->set.p[k];
            CHECK(at.mask && !(held[at.warp] & at.mask));
            held[at.warp] |= at.mask;
            FOR_LANES(l, at.mask) CHECK(p->holder[at.warp * LANES + l] == s->id);
        }
    }
    CHECK(alive == p->alive);
    for (uint32_t slot = 0; slot < p->slots; slot++) audit_slot(m, slot, held[slot], whole);
    xfree(held);
}

void split_print(const struct mech_split *s, struct sb *out) {
    sb_add(out, "split %" PRIu32 " sched %" PRIu32 " pc %" PRIu32 " ", s->id, s->sched, s->pc);
    order_describe(s, out);
    sb_add(out, " ");
    set_print(&s->set, out);
}

void split_print_pc(struct sb *out, const char *name, uint32_t pc) {
    if (pc == IR_NOPC)
        sb_add(out, "%s - ", name);
    else
        sb_add(out, "%s %" PRIu32 " ", name, pc);
}

void split_state(const struct mech *m, struct sb *out) {
    FOR_SPLITS(s, m->pool) {
        split_print(s, out);
        sb_add(out, "\n");
    }
}
