/* Lists are arrays from the highest key to the lowest, so that the next to run is taken from the end. They are short: most
 * warps are in one, two or three places, and a walk from the end finds those that matter first. */
#include "mech/lib/sorted.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"

void sorted_create(const struct mech *m, struct sorted *q) {
    const uint32_t threads = m->env.warps * SORTED_LANES;
    q->entry = PAGES_NEW(m->env.pages, struct sorted_entry, 2 * (size_t)threads);
    q->group = PAGES_NEW(m->env.pages, struct sorted_group, threads);
}

void sorted_start(struct mech *m, struct sorted *q, struct sorted_home *h, uint32_t home,
                  const struct mech_set *set) {
    /* Homes are numbered by their first place in units of this many threads. */
    const uint32_t unit = m->env.warp_size < SORTED_LANES ? m->env.warp_size : SORTED_LANES;
    struct sorted_entry *e = q->entry + 2 * (size_t)home * unit;
    *h = (struct sorted_home){.limit = SORTED_NONE, .first = set->p[0].warp, .words = set->n};
    h->standing.e = e;
    h->blocked.e = e + (size_t)unit * h->words;
    sorted_part(m, q, set);
}

/* ---- lists ---- */

/* Makes room for an entry at k. */
static struct sorted_entry *open_entry(struct sorted_list *l, uint32_t k, uint64_t key) {
    memmove(&l->e[k + 1], &l->e[k], (l->n - k) * sizeof *l->e);
    l->n++;
    l->e[k] = (struct sorted_entry){.key = key};
    return &l->e[k];
}

static void close_entry(struct sorted_list *l, uint32_t k) {
    l->n--;
    memmove(&l->e[k], &l->e[k + 1], (l->n - k) * sizeof *l->e);
}

/* True: there was an entry. */
static bool sorted_add(struct sorted_list *l, const struct sorted_home *h, const struct mech_set *set,
                       uint64_t key) {
    uint32_t k = l->n;
    while (k && l->e[k - 1].key < key) k--;
    const bool known = k && l->e[k - 1].key == key;
    struct sorted_entry *e = known ? &l->e[k - 1] : open_entry(l, k, key);
    for (uint32_t i = 0; i < set->n; i++) e->mask[set->p[i].warp - h->first] |= set->p[i].mask;
    l->threads += set_count(set);
    return known;
}

bool sorted_stand(struct sorted *q, struct sorted_home *h, const struct mech_set *set, uint64_t key) {
    if (key < h->limit) h->limit = key;
    q->standing += set_count(set);
    return sorted_add(&h->standing, h, set, key);
}

void sorted_block(struct sorted_home *h, const struct mech_set *set, uint64_t key) {
    if (set->n) sorted_add(&h->blocked, h, set, key);
}

void sorted_set(const struct sorted_home *h, const struct sorted_entry *e, struct mech_set *out) {
    out->n = 0;
    for (uint32_t k = 0; k < h->words; k++)
        if (e->mask[k]) out->p[out->n++] = (struct mech_piece){h->first + k, e->mask[k]};
}

/* Moves the threads of entry k from the standing list to `out`. */
static void sorted_take_entry(struct sorted *q, struct sorted_home *h, uint32_t k, struct mech_set *out) {
    struct sorted_list *l = &h->standing;
    sorted_set(h, &l->e[k], out);
    close_entry(l, k);
    const uint32_t n = set_count(out);
    l->threads -= n;
    q->standing -= n;
    h->limit = l->n ? l->e[l->n - 1].key : SORTED_NONE;
}

void sorted_take(struct sorted *q, struct sorted_home *h, struct mech_set *out) {
    CHECK(h->standing.n);
    sorted_take_entry(q, h, h->standing.n - 1, out);
}

bool sorted_take_at(struct sorted *q, struct sorted_home *h, uint64_t key, struct mech_set *out) {
    if (!sorted_holds(h, key)) return false;
    uint32_t k = h->standing.n - 1;
    while (h->standing.e[k].key != key) k--;
    sorted_take_entry(q, h, k, out);
    return true;
}

uint32_t sorted_take_above(struct sorted *q, struct sorted_home *h, uint64_t key, struct mech_set *out) {
    uint32_t depth = sorted_depth(key);
    for (uint32_t k = h->standing.n; k--;) {
        const uint64_t here = h->standing.e[k].key;
        struct mech_set set;
        if (sorted_place(here) != sorted_place(key)) continue;
        depth = sorted_depth(here);
        sorted_take_entry(q, h, k, &set);
        set_union(out, &set);
    }
    return depth;
}

uint32_t sorted_take_depth(const struct mech *m, const struct sorted *q, struct mech_set *left,
                           struct mech_set *out) {
    const uint32_t depth = sorted_depth_of(m, q, left);
    out->n = 0;
    for (uint32_t k = 0; k < left->n; k++) FOR_LANES(l, left->p[k].mask) {
            struct mech_set one;
            set_one(&one, left->p[k].warp, 1u << l);
            if (sorted_depth_of(m, q, &one) == depth) set_union(out, &one);
        }
    set_remove(left, out);
    return depth;
}

void sorted_unblock(struct sorted *q, struct sorted_home *h, uint32_t warp, uint32_t mask, uint32_t place) {
    struct sorted_list *l = &h->blocked;
    for (uint32_t k = l->n; k-- && mask;) {
        struct sorted_entry *e = &l->e[k];
        struct mech_set set;
        set_one(&set, warp, e->mask[warp - h->first] & mask);
        if (!set.n) continue;
        mask &= ~set.p[0].mask;
        e->mask[warp - h->first] &= ~set.p[0].mask;
        l->threads -= set_count(&set);
        sorted_stand(q, h, &set, sorted_move(e->key, place));
        sorted_set(h, e, &set);
        if (!set.n) close_entry(l, k);
    }
    CHECK(!mask);
}

/* ---- groups ---- */

static struct sorted_group *groups_of(const struct sorted *q, struct mech_piece p) {
    return q->group + (size_t)p.warp * SORTED_LANES;
}

static void put_group(struct sorted *q, const struct mech_set *set, const struct sorted_group *g) {
    for (uint32_t k = 0; k < set->n; k++) FOR_LANES(l, set->p[k].mask) groups_of(q, set->p[k])[l] = *g;
}

void sorted_part(struct mech *m, struct sorted *q, const struct mech_set *set) {
    const struct sorted_group g = {.number = ++q->groups, .since = *m->env.now};
    put_group(q, set, &g);
}

/* Takes the threads of one group out of `left`. */
static struct sorted_group take_group(const struct sorted *q, struct mech_set *left) {
    const struct sorted_group g = groups_of(q, left->p[0])[__builtin_ctz(left->p[0].mask)];
    uint32_t n = 0;
    for (uint32_t k = 0; k < left->n; k++) {
        struct mech_piece p = left->p[k];
        FOR_LANES(l, p.mask) if (groups_of(q, p)[l].number == g.number) p.mask &= ~(1u << l);
        if (p.mask) left->p[n++] = p;
    }
    left->n = n;
    return g;
}

uint32_t sorted_meet(struct mech *m, struct sorted *q, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    uint32_t ended = 0;
    set_copy(&left, set);
    struct sorted_group newest = take_group(q, &left);
    if (!left.n) return 0;
    for (; left.n; ended++) {
        const struct sorted_group g = take_group(q, &left);
        if (g.since >= newest.since) newest = g;
        m->stats.reconvergences++;
    }
    mech_event(m, "reconverge at %" PRIu32, pc);
    put_group(q, set, &newest);
    return ended;
}

void sorted_diverge(struct mech *m, struct sorted *q, const struct mech_outcome *o) {
    split_diverged(m, o->nsides);
    for (uint32_t k = 0; k < o->nsides; k++) sorted_part(m, q, &o->side[k].set);
}

/* ---- for people ---- */

static void put_list(const struct sorted *q, const struct sorted_home *h, const struct sorted_list *l,
                     mech_place_fn *put, void *user) {
    for (uint32_t k = 0; k < l->n; k++) {
        struct mech_set set;
        sorted_set(h, &l->e[k], &set);
        for (uint32_t i = 0; i < set.n; i++)
            put(user, set.p[i].warp, set.p[i].mask, sorted_pc(q, l->e[k].key));
    }
}

void sorted_places(const struct sorted *q, const struct sorted_home *h, mech_place_fn *put, void *user) {
    put_list(q, h, &h->standing, put, user);
    put_list(q, h, &h->blocked, put, user);
}

void sorted_print(const struct sorted *q, uint32_t home, uint64_t key, const struct mech_set *set,
                  const char *what, const struct mech_split *s, struct sb *out) {
    sb_add(out, "warp %" PRIu32 ": depth ", home);
    if (q->flat)
        sb_add(out, "-");
    else
        sb_add(out, "%" PRIu32, sorted_depth(key));
    sb_add(out, " pc %" PRIu32 " %s", sorted_pc(q, key), what);
    if (s) {
        sb_add(out, ", ");
        order_describe(s, out);
    }
    sb_add(out, " ");
    set_print(set, out);
    sb_add(out, "\n");
}

static void sorted_print_list(const struct sorted *q, const struct sorted_home *h,
                              const struct sorted_list *l, uint32_t home, const char *what, struct sb *out) {
    for (uint32_t k = l->n; k--;) {
        struct mech_set set;
        sorted_set(h, &l->e[k], &set);
        sorted_print(q, home, l->e[k].key, &set, what, NULL, out);
    }
}

void sorted_state(const struct sorted *q, const struct sorted_home *h, uint32_t home, struct sb *out) {
    sorted_print_list(q, h, &h->standing, home, "standing", out);
    sorted_print_list(q, h, &h->blocked, home, "waiting at a barrier", out);
}

/* ---- audit ---- */

void sorted_see(uint32_t *seen, uint32_t mask) {
    CHECK(!(*seen & mask));
    *seen |= mask;
}

void sorted_audit_depth(const struct mech *m, const struct sorted *q, const struct mech_set *set,
                        uint64_t key) {
    for (uint32_t k = 0; k < set->n; k++) FOR_LANES(l, set->p[k].mask) {
            struct mech_set one;
            set_one(&one, set->p[k].warp, 1u << l);
            CHECK(sorted_depth_of(m, q, &one) == sorted_depth(key));
        }
}

static void audit_depths(const struct mech *m, const struct sorted *q, const struct sorted_home *h,
                         const struct sorted_list *l) {
    for (uint32_t k = 0; k < l->n; k++) {
        struct mech_set set;
        sorted_set(h, &l->e[k], &set);
        sorted_audit_depth(m, q, &set, l->e[k].key);
    }
}

void sorted_audit_depths(const struct mech *m, const struct sorted *q, const struct sorted_home *h) {
    audit_depths(m, q, h, &h->standing);
    audit_depths(m, q, h, &h->blocked);
}

static void audit_list(const struct sorted_list *l, const struct sorted_home *h, uint32_t *seen) {
    struct mech_set set;
    uint32_t threads = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        CHECK(!k || l->e[k].key < l->e[k - 1].key);
        sorted_set(h, &l->e[k], &set);
        CHECK(set.n);
        for (uint32_t i = 0; i < set.n; i++) sorted_see(&seen[set.p[i].warp], set.p[i].mask);
        threads += set_count(&set);
    }
    CHECK(threads == l->threads);
}

uint32_t sorted_audit(const struct sorted_home *h, uint32_t *seen) {
    audit_list(&h->standing, h, seen);
    audit_list(&h->blocked, h, seen);
    CHECK(h->limit == (h->standing.n ? h->standing.e[h->standing.n - 1].key : SORTED_NONE));
    return h->standing.threads;
}
