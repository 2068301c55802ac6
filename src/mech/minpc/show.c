/* min(SP:PC) for people: where the threads are, as text; what it would cost in bits; whether its books balance. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/minpc/minpc.h"

enum { PC_BITS = 32, DEPTH_BITS = 16 }; /* of a thread, in hardware */

void minpc_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct minpc *f = m->self;
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct minpc_home *h = &f->home[i];
        if (h->run) sorted_places(&f->sorted, &h->list, put, user);
    }
}

/* A line for a split, which may have threads of several depths. */
static void minpc_print_split(const struct mech *m, const struct mech_split *s, uint64_t key,
                              uint32_t shallowest, const char *what, struct sb *out) {
    const struct minpc *f = m->self;
    struct sb text = {0};
    sb_add(&text, "%s", what);
    if (shallowest != sorted_depth(key)) sb_add(&text, " down to depth %" PRIu32, shallowest);
    sorted_print(&f->sorted, s->own[MINPC_HOME], key, &s->set, text.text, s, out);
    sb_free(&text);
}

/* The depths of these threads. */
static void minpc_span(const struct mech *m, const struct mech_set *set, uint32_t *deepest,
                       uint32_t *shallowest) {
    const struct minpc *f = m->self;
    struct mech_set left, here;
    *deepest = 0;
    *shallowest = UINT32_MAX;
    for (set_copy(&left, set); left.n;) {
        const uint32_t depth = sorted_take_depth(m, &f->sorted, &left, &here);
        if (depth > *deepest) *deepest = depth;
        if (depth < *shallowest) *shallowest = depth;
    }
}

static void print_late(const struct mech *m, uint32_t home, struct sb *out) {
    FOR_SPLITS(s, m->pool) {
        if (s->own[MINPC_HOME] != home || s->own[MINPC_LATE] != MINPC_IS_LATE) continue;
        uint32_t deepest, shallowest;
        minpc_span(m, &s->set, &deepest, &shallowest);
        minpc_print_split(m, s, sorted_key(deepest, s->pc), shallowest, "late", out);
    }
}

void minpc_state(const struct mech *m, struct sb *out) {
    const struct minpc *f = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        const struct minpc_home *h = &f->home[k];
        if (!h->run) continue;
        if (h->run->threads) minpc_print_split(m, h->run, h->key, h->shallowest, "running", out);
        sorted_state(&f->sorted, &h->list, k, out);
        if (h->nlate) print_late(m, k, out);
    }
}

/* All of a warp's PCs are compared at once: they are one row. */
void minpc_storage(const struct mech *m, struct mech_storage *out) {
    const struct minpc *f = m->self;
    const uint64_t threads = (uint64_t)m->env.warps * SORTED_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1, of_home = threads / homes;
    const uint64_t key = PC_BITS + (!f->sorted.flat ? DEPTH_BITS : 0);
    storage_add(out, (struct mech_array){.name = "thread_pc", .entries = homes, .bits = of_home * PC_BITS});
    if (!f->sorted.flat)
        storage_add(
            out, (struct mech_array){.name = "thread_depth", .entries = homes, .bits = of_home * DEPTH_BITS});
    storage_add(out, (struct mech_array){.name = "common_and_limit", .entries = homes, .bits = 2 * key});
    if (f->memory || minpc_params(m)->replay)
        storage_add(out, (struct mech_array){.name = "late_flags", .entries = homes, .bits = of_home});
}

/* ---- audit ---- */

/* The schedule is the one that arbitrating now would give. */
static void audit_choice(const struct mech *m, const struct minpc_home *h) {
    const struct minpc *f = m->self;
    const struct mech_split *run = h->run;
    sorted_audit_depths(m, &f->sorted, &h->list);
    if (run->in_flight) return;
    CHECK(run->threads ? h->key < h->list.limit : h->list.limit == SORTED_NONE);
    if (!run->threads) return;
    CHECK(run->pc == sorted_place(h->key));
    for (uint32_t k = 0; f->div && k < h->list.standing.n; k++)
        CHECK(sorted_place(h->list.standing.e[k].key) != run->pc);
    uint32_t deepest, shallowest;
    minpc_span(m, &run->set, &deepest, &shallowest);
    CHECK(deepest == sorted_depth(h->key) && shallowest == h->shallowest);
    CHECK(f->div || deepest == shallowest);
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
