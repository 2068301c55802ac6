/* The two lookup tables (HARP 4.2.1), fully associative, searched by PC (and call depth).
 *
 * Ready-Lookup keeps warps of recently diverged threads. A warp that diverges brings each side here: threads whose lanes are
 * free in a warp at the same PC join it, thread by thread; those that are left found a warp of their own, or, with the table
 * full, go to Second-Level. A warp that was joined moves to the end of the FIFO: only so does W3 of Figure 10 leave before
 * the warp at C, which is older but was joined by T7 later.
 *
 * Waiting-Lookup keeps warps whose access to global memory is under way. A warp that issues the same instruction merges
 * with one of them if all of its lanes are free there: 4.2.1 says that "other warps" can merge, where it spoke of diverged
 * threads before. With `waiting` = thread its threads do one by one, each under the conditions of Ready-Lookup; those that
 * are left take an entry of their own, or wait unseen. The merged warp goes on when all accesses are back that its threads
 * are part of; until then the warps that issued them are in flight as they were, and threads whose data is back wait here.
 * A warp's access is one, whatever entries its threads are in: they are back together, and part then.
 *
 * When it goes on is a reading (`depart`). 4.2.1 has warps depart "when the pending memory access completes"; 4.2.3 gives one
 * rule for departure from "Lookup tables", in the plural: once few warps are ready, first in, first out. With `depart` = few a
 * warp whose data is back has committed, so that threads with a barrier at its PC are marked there; the rest stays, can be
 * merged with, and then waits for the new access too. The first of both tables is the one that came, was joined or had its
 * data back longest ago. */
#include "mech/harp/harp.h"

#include <string.h>

#include "mech/lib/set.h"

/* ---- lanes ---- */

static uint32_t word_of(const struct split_pool *p, uint32_t warp) {
    return p->warp_size > 32 ? warp - p->first[warp] : 0;
}

void harp_use_lanes(const struct split_pool *p, struct harp_lanes *used, uint32_t warp, uint32_t mask) {
    for (uint32_t by = p->warp_size; by < 32; by *= 2) mask |= mask << by | mask >> (32 - by);
    used->word[word_of(p, warp)] |= mask;
}

uint32_t harp_free_lanes(const struct split_pool *p, const struct harp_lanes *used, uint32_t warp,
                         uint32_t mask) {
    return mask & ~used->word[word_of(p, warp)];
}

static void use_all(const struct split_pool *p, struct harp_lanes *used, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) harp_use_lanes(p, used, set->p[k].warp, set->p[k].mask);
}

/* Threads of the set whose lanes are free; none if a split could not hold the pieces. */
static void fitting(const struct split_pool *p, const struct harp_lanes *used, const struct mech_split *into,
                    const struct mech_set *set, struct mech_set *out) {
    out->n = 0;
    if (into && into->set.n + set->n > MECH_PIECES) return;
    for (uint32_t k = 0; k < set->n; k++)
        set_add(out, set->p[k].warp, harp_free_lanes(p, used, set->p[k].warp, set->p[k].mask));
}

/* ---- Ready-Lookup ---- */

static void to_end(struct harp_sched *q, uint32_t k) {
    struct harp_ready moved = q->lookup[k];
    memmove(&q->lookup[k], &q->lookup[k + 1], (q->nlookup - 1 - k) * sizeof moved);
    moved.stamp = q->stamp++;
    q->lookup[q->nlookup - 1] = moved;
}

/* Threads of s join entry k as far as they fit. Returns the rest, NULL: none. */
static struct mech_split *harp_lookup_join(struct mech *m, struct harp_sched *q, uint32_t k,
                                           struct mech_split *s) {
    struct harp_ready *e = &q->lookup[k];
    struct mech_set part;
    fitting(m->pool, &e->used, e->warp, &s->set, &part);
    if (!part.n) return s;
    struct mech_split *t = set_equal(&part, &s->set) ? s : split_divide(m, s, &part);
    harp_counts(m)->ready_merges++;
    harp_counts(m)->ready_merged += t->threads;
    use_all(m->pool, &e->used, &part);
    harp_counts(m)->wait_few += harp_waited(&e->since, *m->env.now, e->warp->threads);
    struct mech_split *rest = t == s ? NULL : s;
    split_merge(m, e->warp, t);
    to_end(q, k);
    return rest;
}

void harp_lookup_put(struct mech *m, struct harp_sched *q, struct mech_split *s) {
    const struct harp *h = m->self;
    for (uint32_t left = q->nlookup, k = 0; s && left; left--) {
        const struct mech_split *w = q->lookup[k].warp;
        if (w->pc != s->pc || w->own[HARP_DEPTH] != s->own[HARP_DEPTH]) {
            k++;
            continue;
        }
        const uint32_t threads = w->threads;
        s = harp_lookup_join(m, q, k, s);
        if (w->threads == threads) k++; /* else the next entry has moved up to k */
    }
    if (!s) return;
    if (q->nlookup == h->cap_ready) {
        harp_counts(m)->ready_full++;
        harp_to_second(m, q, s, 0);
        return;
    }
    struct harp_ready *e = &q->lookup[q->nlookup++];
    *e = (struct harp_ready){.warp = s, .stamp = q->stamp++, .since = *m->env.now};
    use_all(m->pool, &e->used, &s->set);
    s->own[HARP_WHERE] = HARP_LOOKUP;
}

static struct mech_split *take_ready(struct mech *m, struct harp_sched *q) {
    struct mech_split *s = q->lookup[0].warp;
    harp_counts(m)->wait_few += harp_waited(&q->lookup[0].since, q->at, s->threads);
    memmove(q->lookup, q->lookup + 1, --q->nlookup * sizeof *q->lookup);
    s->own[HARP_WHERE] = HARP_NOWHERE;
    return s;
}

/* ---- Waiting-Lookup ---- */

static void put_in(struct mech *m, struct harp_sched *q, struct harp_waiting *e,
                   const struct mech_set *part) {
    if (!e->outstanding++ && e->warp) { /* it was complete */
        q->nback--;
        harp_counts(m)->wait_few += harp_waited(&e->since, *m->env.now, e->warp->threads);
    }
    set_union(&e->all, part);
    use_all(m->pool, &e->used, part);
}

/* Threads of s that are in no entry yet, `left`, join entry k if it is of their instruction: those whose lanes are free, or
 * all or none. */
static void merge_waiting(struct mech *m, struct harp_sched *q, uint32_t k, struct mech_split *s,
                          struct mech_set *left) {
    const struct harp *h = m->self;
    struct harp_waiting *e = &q->waiting[k];
    struct mech_set part;
    if (e->pc != s->pc || e->depth != s->own[HARP_DEPTH] || e->all.n + left->n > MECH_PIECES) return;
    fitting(m->pool, &e->used, NULL, left, &part);
    if (!part.n || (h->whole && !set_equal(&part, left))) return;
    put_in(m, q, e, &part);
    set_remove(left, &part);
    if (!s->own[HARP_WAIT]) s->own[HARP_WAIT] = k + 1;
    harp_counts(m)->waiting_merges++;
    harp_counts(m)->waiting_merged += set_count(&part);
    mech_event(m, "merge at %u while waiting", s->pc);
}

static void found_waiting(struct mech *m, struct harp_sched *q, uint32_t k, struct mech_split *s,
                          const struct mech_set *left) {
    struct harp_waiting *e = &q->waiting[k];
    e->pc = s->pc;
    e->depth = s->own[HARP_DEPTH];
    e->warp = NULL;
    e->used = (struct harp_lanes){0};
    e->all.n = 0;
    put_in(m, q, e, left);
    q->nwaiting++;
    if (!s->own[HARP_WAIT] || k + 1 < s->own[HARP_WAIT]) s->own[HARP_WAIT] = k + 1;
}

void harp_waiting_enter(struct mech *m, struct harp_sched *q, struct mech_split *s) {
    const struct harp *h = m->self;
    uint32_t empty = h->cap_waiting;
    struct mech_set left;
    set_copy(&left, &s->set);
    for (uint32_t k = 0; left.n && k < h->cap_waiting; k++) {
        if (harp_waiting_used(&q->waiting[k]))
            merge_waiting(m, q, k, s, &left);
        else if (empty == h->cap_waiting)
            empty = k;
    }
    if (!left.n) return;
    if (empty == h->cap_waiting)
        harp_counts(m)->waiting_full++;
    else
        found_waiting(m, q, empty, s, &left);
}

/* Threads of s whose access is back wait in entry e; returns the rest, NULL: none. */
static struct mech_split *stay_in(struct mech *m, struct harp_waiting *e, struct mech_split *s,
                                  const struct mech_set *part) {
    struct mech_split *t = set_equal(part, &s->set) ? s : split_divide(m, s, part);
    struct mech_split *rest = t == s ? NULL : s;
    if (e->warp)
        split_merge(m, e->warp, t);
    else
        e->warp = t;
    e->warp->own[HARP_WHERE] = HARP_WAITING;
    return rest;
}

/* Threads of the entry that are of this set; false: none. */
static bool part_of_entry(const struct harp_waiting *e, const struct mech_set *set, struct mech_set *part) {
    set_copy(part, set);
    set_and(part, &e->all);
    return part->n;
}

static void harp_lookup_forget(const struct mech *m, struct harp_waiting *e, const struct mech_set *gone) {
    set_remove(&e->all, gone);
    e->used = (struct harp_lanes){0};
    use_all(m->pool, &e->used, &e->all);
}

static struct mech_split *take_waiting(struct harp_waiting *e) {
    struct mech_split *s = e->warp;
    e->warp = NULL;
    s->own[HARP_WHERE] = HARP_NOWHERE;
    return s;
}

struct mech_split *harp_waiting_back(struct mech *m, struct harp_sched *q, struct harp_back *b) {
    const struct harp *h = m->self;
    while ((b->s || b->exited->n) && b->entry < h->cap_waiting) {
        struct harp_waiting *e = &q->waiting[b->entry++];
        struct mech_set part, gone;
        if (!e->outstanding || e->pc != b->pc || e->depth != b->depth) continue;
        const bool some = b->s && part_of_entry(e, &b->s->set, &part),
                   less = part_of_entry(e, b->exited, &gone);
        if (!some && !less) continue;
        harp_counts(m)->wait_slowest += harp_waited(&e->since, *m->env.now, e->warp ? e->warp->threads : 0);
        if (less) harp_lookup_forget(m, e, &gone);
        if (some) b->s = stay_in(m, e, b->s, &part);
        if (--e->outstanding) continue;
        q->nwaiting--;
        if (e->warp) return take_waiting(e);
    }
    return NULL;
}

void harp_waiting_keep(struct mech *m, struct harp_sched *q, uint32_t entry, struct mech_split *s) {
    const struct harp *h = m->self;
    struct harp_waiting *e = &q->waiting[entry];
    e->warp = s;
    set_copy(&e->all, &s->set);
    e->used = (struct harp_lanes){0};
    use_all(m->pool, &e->used, &e->all);
    e->stamp = q->stamp++;
    e->earliest = *m->env.now + h->latency - 1;
    e->since = *m->env.now;
    s->own[HARP_WHERE] = HARP_WAITING;
    q->nwaiting++;
    q->nback++;
}

/* ---- departure ---- */

/* The entry that has been complete for longest. There is at least one. */
static struct harp_waiting *oldest_complete(const struct harp_sched *q) {
    struct harp_waiting *oldest = NULL;
    uint32_t left = q->nback;
    for (struct harp_waiting *e = q->waiting; left; e++) {
        if (!e->warp || e->outstanding) continue;
        if (!oldest || e->stamp < oldest->stamp) oldest = e;
        left--;
    }
    return oldest;
}

struct mech_split *harp_lookup_oldest(struct mech *m, struct harp_sched *q, uint64_t *earliest) {
    struct harp_waiting *e = oldest_complete(q);
    if (e && (!q->nlookup || e->stamp < q->lookup[0].stamp)) {
        *earliest = e->earliest;
        harp_counts(m)->wait_few += harp_waited(&e->since, q->at, e->warp->threads);
        q->nwaiting--;
        q->nback--;
        return take_waiting(e);
    }
    *earliest = 0;
    return take_ready(m, q);
}
