/* The Re-convergence Barriers table (HARP 4.2.2, Figure 8): set-associative, the set by thread: SIMD-width threads of
 * consecutive numbers share one, modulo the number of sets. Threads of a scheduler are numbered without gaps for this, so
 * that two schedulers use all of their sets.
 *
 * An entry is an RPC, a thread per lane, and a mask of those that have reached it. A diverging warp reserves the RPC for each
 * of its threads: in an entry of that RPC with the thread's lane free, else in a free way of its set, else not at all. A
 * thread that has the RPC already (a loop's back edge) keeps its entry. An entry may so hold threads of several warps; they
 * are revived as one.
 *
 * Which of a thread's barriers is met first follows from the post-dominator tree (an RPC reserved later is passed before
 * those reserved earlier), and is the same for all threads: no two threads can wait for each other in two barriers.
 *
 * Calls, of which the paper does not speak: threads meet at a PC *and* a call depth. Sides that meet only at the function's
 * end meet where it returns to: the key is {IR_NOPC, depth of the caller}, and the first thread that returns shows where.
 * Threads that come back to another place, because they were merged into one warp from several calls, leave the barrier. */
#include "mech/harp/harp.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/set.h"

void harp_barriers_new(const struct mech *m, struct harp_sched *q) {
    const struct harp *h = m->self;
    const size_t n = (size_t)h->sets * h->ways;
    q->key = pages_raw(m->env.pages, n * sizeof *q->key);
    for (size_t k = 0; k < n; k++) q->key[k] = HARP_FREE;
    q->barrier = pages_raw(m->env.pages, n * sizeof *q->barrier); /* written when one is found */
    q->done = pages_raw(m->env.pages, n * sizeof *q->done);
}

/* ---- sets ---- */

/* First way of the set of these threads, which have one home. */
static uint32_t ways_of(const struct mech *m, uint32_t warp, uint32_t part) {
    const struct harp *h = m->self;
    const struct split_pool *p = m->pool;
    const uint32_t home = split_home_of(p, warp, (uint32_t)__builtin_ctz(part));
    return split_rank(p, home) % h->sets * h->ways;
}

/* A barrier of that RPC comes or goes. */
static void live_add(struct harp_sched *q, uint32_t rpc) {
    q->nlive[rpc % HARP_CLASSES]++;
    q->live |= UINT64_C(1) << rpc % HARP_CLASSES;
}
static void live_remove(struct harp_sched *q, uint32_t rpc) {
    if (!--q->nlive[rpc % HARP_CLASSES]) q->live &= ~(UINT64_C(1) << rpc % HARP_CLASSES);
}

/* ---- reserving ---- */

static void harp_barrier_add(const struct mech *m, struct harp_barrier *b, uint32_t warp, uint32_t mask) {
    harp_use_lanes(m->pool, &b->used, warp, mask);
    set_add(&b->all, warp, mask);
    b->nall += bits_count(mask);
}

static void found(struct mech *m, struct harp_sched *q, uint32_t at, uint64_t key) {
    struct harp_barrier *b = &q->barrier[at];
    q->key[at] = key;
    live_add(q, (uint32_t)key);
    q->nbarriers++;
    harp_counts(m)->barriers_reserved++;
    b->at = (uint32_t)key;
    b->nall = b->nreached = b->all.n = b->reached.n = 0;
    b->since = *m->env.now;
    b->used = (struct harp_lanes){0};
}

/* Adds threads of `part` to barriers of this key among the set's entries, and returns those left: first threads that
 * have one already, then those for which one has room. Warps do not share a return, since they may go back to different
 * places. */
static uint32_t harp_barrier_share(struct mech *m, struct harp_sched *q, uint32_t first, uint64_t key,
                                   uint32_t warp, uint32_t part) {
    const struct harp *h = m->self;
    for (uint32_t k = first; part && k < first + h->ways; k++)
        if (q->key[k] == key) part &= ~set_mask(&q->barrier[k].all, warp);
    for (uint32_t k = first; part && (uint32_t)key != IR_NOPC && k < first + h->ways; k++) {
        struct harp_barrier *b = &q->barrier[k];
        if (q->key[k] != key || b->all.n == MECH_PIECES) continue;
        uint32_t fit = harp_free_lanes(m->pool, &b->used, warp, part);
        if (!fit) continue;
        harp_barrier_add(m, b, warp, fit);
        harp_counts(m)->barrier_shared += bits_count(fit);
        part &= ~fit;
    }
    return part;
}

static void reserve_part(struct mech *m, struct harp_sched *q, uint64_t key, uint32_t warp, uint32_t part) {
    const struct harp *h = m->self;
    const uint32_t first = ways_of(m, warp, part);
    part = harp_barrier_share(m, q, first, key, warp, part);
    if (!part) return;
    for (uint32_t k = first; k < first + h->ways; k++) {
        if (q->key[k] != HARP_FREE) continue;
        found(m, q, k, key);
        harp_barrier_add(m, &q->barrier[k], warp, part);
        return;
    }
    harp_counts(m)->barrier_misses += bits_count(part);
    mech_event(m, "no barrier for %d threads", __builtin_popcount(part));
}

void harp_reserve(struct mech *m, struct harp_sched *q, const struct mech_set *set, uint64_t key) {
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t left = set->p[i].mask; left;)
            reserve_part(m, q, key, set->p[i].warp, split_next_part(m->pool, &left));
}

/* ---- leaving ---- */

static void check_done(struct harp_sched *q, uint32_t at) {
    const struct harp_barrier *b = &q->barrier[at];
    if (b->nreached == b->nall) q->done[q->ndone++] = at;
}

static void discard(struct harp_sched *q, uint32_t at) {
    live_remove(q, (uint32_t)q->key[at]);
    q->key[at] = HARP_FREE;
    q->nbarriers--;
}

/* Threads that have not reached it leave a barrier; one without threads disappears. */
static void harp_barrier_drop(const struct mech *m, struct harp_sched *q, uint32_t at, uint32_t warp,
                              uint32_t mask) {
    struct harp_barrier *b = &q->barrier[at];
    struct mech_set gone;
    set_one(&gone, warp, mask);
    set_remove(&b->all, &gone);
    b->nall -= bits_count(mask);
    b->used = (struct harp_lanes){0};
    for (uint32_t k = 0; k < b->all.n; k++)
        harp_use_lanes(m->pool, &b->used, b->all.p[k].warp, b->all.p[k].mask);
    if (b->nall)
        check_done(q, at);
    else
        discard(q, at);
}

static void leave_part(struct mech *m, struct harp_sched *q, uint32_t warp, uint32_t part) {
    const struct harp *h = m->self;
    const uint32_t first = ways_of(m, warp, part);
    for (uint32_t k = first; k < first + h->ways; k++) {
        if (q->key[k] == HARP_FREE) continue;
        uint32_t here = part & set_mask(&q->barrier[k].all, warp);
        if (here) harp_barrier_drop(m, q, k, warp, here);
    }
}

void harp_leave(struct mech *m, struct harp_sched *q, const struct mech_set *gone) {
    for (uint32_t i = 0; q->nbarriers && i < gone->n; i++)
        for (uint32_t left = gone->p[i].mask; left;)
            leave_part(m, q, gone->p[i].warp, split_next_part(m->pool, &left));
}

/* ---- arriving ---- */

/* Threads of one set: those that have reached a barrier of that key are added to `hit`. */
static void arrive_part(struct mech *m, struct harp_sched *q, uint64_t key, uint32_t pc, uint32_t warp,
                        uint32_t part, struct mech_set *hit) {
    struct harp *h = m->self;
    const uint32_t first = ways_of(m, warp, part);
    for (uint32_t k = first; part && k < first + h->ways; k++) {
        struct harp_barrier *b = &q->barrier[k];
        if (q->key[k] != key) continue;
        uint32_t here = part & set_mask(&b->all, warp);
        if (!here) continue;
        part &= ~here;
        if (b->at == IR_NOPC) b->at = pc;
        if (b->at != pc) {
            harp_counts(m)->barrier_parted += bits_count(here);
            harp_barrier_drop(m, q, k, warp, here);
            continue;
        }
        harp_counts(m)->wait_barrier += harp_waited(&b->since, *m->env.now, b->nreached);
        set_add(hit, warp, here);
        set_add(&b->reached, warp, here);
        b->nreached += bits_count(here);
        h->reached += bits_count(here);
        check_done(q, k);
    }
}

static struct mech_split *arrive_at(struct mech *m, struct harp_sched *q, uint64_t key,
                                    struct mech_split *s) {
    struct mech_set hit = {.n = 0};
    for (uint32_t i = 0; i < s->set.n; i++)
        for (uint32_t left = s->set.p[i].mask; left;)
            arrive_part(m, q, key, s->pc, s->set.p[i].warp, split_next_part(m->pool, &left), &hit);
    if (!hit.n) return s;
    bool all = set_equal(&hit, &s->set);
    split_free(m, all ? s : split_divide(m, s, &hit));
    return all ? NULL : s;
}

struct mech_split *harp_arrive(struct mech *m, struct harp_sched *q, struct mech_split *s, bool returned) {
    const uint64_t here = harp_key(s->pc, s->own[HARP_DEPTH]), back = harp_key(IR_NOPC, s->own[HARP_DEPTH]);
    if (returned && harp_live(q, IR_NOPC)) s = arrive_at(m, q, back, s);
    return s && harp_live(q, s->pc) ? arrive_at(m, q, here, s) : s;
}

struct mech_split *harp_revive(struct mech *m, struct harp_sched *q) {
    struct harp *h = m->self;
    if (!q->ndone) return NULL;
    const uint32_t at = q->done[0];
    memmove(q->done, q->done + 1, --q->ndone * sizeof *q->done);
    struct harp_barrier *b = &q->barrier[at];
    harp_counts(m)->wait_barrier += harp_waited(&b->since, *m->env.now, b->nreached);
    struct mech_split *s = split_new(m, (uint32_t)(q - h->q), b->at);
    s->own[HARP_DEPTH] = (uint32_t)(q->key[at] >> 32);
    split_assign(m->pool, s, &b->all);
    h->reached -= b->nall;
    harp_counts(m)->revivals++;
    split_reconverged(m, b->at);
    discard(q, at);
    return s;
}
