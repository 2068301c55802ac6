/* The two lookup tables (HARP 4.2.1), fully associative, searched by PC (and call depth).
 *
 * Ready-Lookup keeps warps of recently diverged threads. A warp that diverges brings each side here: threads whose lanes are
 * free in a warp at the same PC join it, thread by thread; those that are left found a warp of their own, or, with the table
 * full, go to Second-Level. A warp that was joined moves to the end of the FIFO: only so does W3 of Figure 10 leave before
 * the warp at C, which is older but was joined by T7 later.
 *
 * Waiting-Lookup keeps warps whose access to global memory is under way. A warp that issues the same instruction merges
 * with one of them if all of its lanes are free there (a warp, not single threads: nothing would be gained by breaking up
 * the one to fill the other). The merged warp goes on when all accesses are back; until then its parts are in flight one by
 * one, and those whose data is back wait here. */
#include "mech/harp/harp.h"

#include <string.h>

#include "mech/set.h"

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
    q->lookup[q->nlookup - 1] = moved;
}

/* Threads of s join entry k as far as they fit. Returns the rest, NULL: none. */
static struct mech_split *join(struct mech *m, struct harp_sched *q, uint32_t k, struct mech_split *s) {
    struct harp_ready *e = &q->lookup[k];
    struct mech_set part;
    fitting(m->pool, &e->used, e->warp, &s->set, &part);
    if (!part.n) return s;
    struct mech_split *t = set_equal(&part, &s->set) ? s : split_divide(m, s, &part);
    harp_counts(m)->ready_merges++;
    harp_counts(m)->ready_merged += t->threads;
    use_all(m->pool, &e->used, &part);
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
        s = join(m, q, k, s);
        if (w->threads == threads) k++; /* else the next entry has moved up to k */
    }
    if (!s) return;
    if (q->nlookup == h->cap_ready) {
        harp_counts(m)->ready_full++;
        harp_to_second(m, q, s, 0);
        return;
    }
    struct harp_ready *e = &q->lookup[q->nlookup++];
    *e = (struct harp_ready){.warp = s};
    use_all(m->pool, &e->used, &s->set);
    s->own[HARP_WHERE] = HARP_LOOKUP;
}

struct mech_split *harp_lookup_oldest(struct harp_sched *q) {
    struct mech_split *s = q->lookup[0].warp;
    memmove(q->lookup, q->lookup + 1, --q->nlookup * sizeof *q->lookup);
    s->own[HARP_WHERE] = HARP_NOWHERE;
    return s;
}

/* ---- Waiting-Lookup ---- */

/* The entry to merge with, else a free one, else cap_waiting. */
static uint32_t find_waiting(const struct mech *m, const struct harp_sched *q, const struct mech_split *s,
                             bool *merges) {
    const struct harp *h = m->self;
    uint32_t empty = h->cap_waiting;
    *merges = false;
    for (uint32_t k = 0; k < h->cap_waiting; k++) {
        const struct harp_waiting *e = &q->waiting[k];
        if (!e->outstanding) {
            if (empty == h->cap_waiting) empty = k;
            continue;
        }
        struct mech_set part;
        if (e->pc != s->pc || e->depth != s->own[HARP_DEPTH] || e->pieces + s->set.n > MECH_PIECES) continue;
        fitting(m->pool, &e->used, NULL, &s->set, &part);
        *merges = set_equal(&part, &s->set);
        if (*merges) return k;
    }
    return empty;
}

void harp_waiting_enter(struct mech *m, struct harp_sched *q, struct mech_split *s) {
    const struct harp *h = m->self;
    bool merges;
    const uint32_t k = find_waiting(m, q, s, &merges);
    if (k == h->cap_waiting) {
        harp_counts(m)->waiting_full++;
        return;
    }
    struct harp_waiting *e = &q->waiting[k];
    if (merges) {
        harp_counts(m)->waiting_merges++;
        harp_counts(m)->waiting_merged += s->threads;
        mech_event(m, "merge at %u while waiting", s->pc);
    } else {
        *e = (struct harp_waiting){.pc = s->pc, .depth = s->own[HARP_DEPTH]};
        q->nwaiting++;
    }
    e->outstanding++;
    e->pieces += s->set.n;
    use_all(m->pool, &e->used, &s->set);
    s->own[HARP_WAIT] = k + 1;
}

struct mech_split *harp_waiting_back(struct mech *m, struct harp_sched *q, uint32_t id,
                                     struct mech_split *s) {
    struct harp_waiting *e = &q->waiting[id];
    if (e->warp && s)
        split_merge(m, e->warp, s);
    else if (s)
        e->warp = s;
    if (e->warp) e->warp->own[HARP_WHERE] = HARP_WAITING;
    if (--e->outstanding) return NULL;
    q->nwaiting--;
    if (e->warp) e->warp->own[HARP_WHERE] = HARP_NOWHERE;
    return e->warp;
}
