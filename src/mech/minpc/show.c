/* min(SP:PC) for people: where the threads are, as text; what it would cost in bits; whether its books balance. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/minpc/minpc.h"
#include "mech/order.h"
#include "mech/set.h"

enum { PC_BITS = 32, DEPTH_BITS = 16 }; /* of a thread, in hardware */

static void put_list(const struct sorted_home *h, const struct sorted_list *l, mech_place_fn *put,
                     void *user) {
    for (uint32_t k = 0; k < l->n; k++) {
        struct mech_set set;
        sorted_set(h, &l->e[k], &set);
        for (uint32_t i = 0; i < set.n; i++)
            put(user, set.p[i].warp, set.p[i].mask, sorted_place(l->e[k].key));
    }
}

void minpc_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct minpc *f = m->self;
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct minpc_home *h = &f->home[i];
        if (!h->run) continue;
        put_list(&h->list, &h->list.standing, put, user);
        put_list(&h->list, &h->list.blocked, put, user);
    }
}

/* One line; s NULL: they are in no split. */
static void print_line(const struct mech *m, uint32_t home, uint64_t key, const struct mech_set *set,
                       const char *what, const struct mech_split *s, struct sb *out) {
    const struct minpc *f = m->self;
    sb_add(out, "warp %" PRIu32 ": depth ", home);
    if (f->sp)
        sb_add(out, "%" PRIu32, sorted_depth(key));
    else
        sb_add(out, "-");
    sb_add(out, " pc %" PRIu32 " %s", sorted_place(key), what);
    if (s) {
        sb_add(out, ", ");
        order_describe(s, out);
    }
    sb_add(out, " ");
    set_print(set, out);
    sb_add(out, "\n");
}

/* A line for each entry, lowest first. */
static void print_list(const struct mech *m, uint32_t home, const struct sorted_list *l, const char *what,
                       struct sb *out) {
    const struct minpc *f = m->self;
    for (uint32_t k = l->n; k--;) {
        struct mech_set set;
        sorted_set(&f->home[home].list, &l->e[k], &set);
        print_line(m, home, l->e[k].key, &set, what, NULL, out);
    }
}

static void print_late(const struct mech *m, uint32_t home, struct sb *out) {
    FOR_SPLITS(s, m->pool) {
        if (s->own[MINPC_HOME] != home || !s->own[MINPC_LATE]) continue;
        print_line(m, home, sorted_key(s->own[MINPC_DEPTH], s->pc), &s->set, "late", s, out);
    }
}

void minpc_state(const struct mech *m, struct sb *out) {
    const struct minpc *f = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        const struct minpc_home *h = &f->home[k];
        if (!h->run) continue;
        if (h->run->threads) print_line(m, k, h->key, &h->run->set, "running", h->run, out);
        print_list(m, k, &h->list.standing, "standing", out);
        print_list(m, k, &h->list.blocked, "waiting at a barrier", out);
        if (h->nlate) print_late(m, k, out);
    }
}

void minpc_storage(const struct mech *m, struct sb *out) {
    const struct minpc *f = m->self;
    const uint64_t threads = (uint64_t)m->env.warps * SORTED_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1, key = PC_BITS + (f->sp ? DEPTH_BITS : 0);
    sb_add(out, "thread_pc %" PRIu64 "\n", threads * PC_BITS);
    if (f->sp) sb_add(out, "thread_depth %" PRIu64 "\n", threads * DEPTH_BITS);
    sb_add(out, "common_and_limit %" PRIu64 "\n", homes * 2 * key);
    if (f->memory) sb_add(out, "late_flags %" PRIu64 "\n", threads);
}

/* ---- audit ---- */

/* The threads are at the depth that their key says, unless they have left it with an instruction in flight. */
static void audit_depth(const struct mech *m, const struct mech_set *set, uint32_t depth) {
    for (uint32_t k = 0; k < set->n; k++) FOR_LANES(l, set->p[k].mask)
    CHECK(minpc_depth(m, set->p[k].warp, l) == depth);
}

static void audit_depths(const struct mech *m, const struct sorted_home *h, const struct sorted_list *l) {
    for (uint32_t k = 0; k < l->n; k++) {
        struct mech_set set;
        sorted_set(h, &l->e[k], &set);
        audit_depth(m, &set, sorted_depth(l->e[k].key));
    }
}

/* The schedule is the one that arbitrating now would give. */
static void audit_choice(const struct mech *m, const struct minpc_home *h) {
    const struct mech_split *run = h->run;
    audit_depths(m, &h->list, &h->list.standing);
    audit_depths(m, &h->list, &h->list.blocked);
    if (run->in_flight) return;
    CHECK(run->threads ? h->key < h->list.limit : h->list.limit == SORTED_NOBODY);
    CHECK(!run->threads || run->pc == sorted_place(h->key));
    audit_depth(m, &run->set, sorted_depth(h->key));
}

void minpc_audit(const struct mech *m) {
    const struct minpc *f = m->self;
    const struct split_pool *pool = m->pool;
    uint32_t *seen = xcalloc(pool->slots, sizeof *seen);
    uint32_t standing = 0, late = 0;
    split_audit(m, false);
    FOR_SPLITS(s, pool) {
        CHECK(s->own[MINPC_LATE] || s == minpc_home_of(m, s)->run);
        late += s->own[MINPC_LATE] ? s->threads : 0;
        for (uint32_t k = 0; k < s->set.n; k++) sorted_see(&seen[s->set.p[k].warp], s->set.p[k].mask);
    }
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct minpc_home *h = &f->home[i];
        if (!h->run) continue;
        standing += sorted_audit(&h->list, seen);
        late -= h->nlate;
        audit_choice(m, h);
    }
    for (uint32_t k = 0; k < pool->slots; k++) CHECK(seen[k] == pool->present[k]);
    CHECK(standing == f->sorted.standing && !late);
    xfree(seen);
}
