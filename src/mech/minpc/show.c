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

void minpc_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct minpc *f = m->self;
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct minpc_home *h = &f->home[i];
        for (uint32_t k = 0; h->run && k < h->words; k++) FOR_LANES(l, h->standing[k] | h->blocked[k])
        put(user, h->first + k, 1u << l, (uint32_t)f->key[(h->first + k) * MINPC_LANES + l]);
    }
}

/* One line; s NULL: they are in no split. */
static void print_line(const struct mech *m, uint32_t home, uint64_t key, const struct mech_set *set,
                       const char *what, const struct mech_split *s, struct sb *out) {
    const struct minpc *f = m->self;
    sb_add(out, "warp %" PRIu32 ": depth ", home);
    if (f->sp)
        sb_add(out, "%" PRIu32, UINT32_MAX - (uint32_t)(key >> 32));
    else
        sb_add(out, "-");
    sb_add(out, " pc %" PRIu32 " %s", (uint32_t)key, what);
    if (s) {
        sb_add(out, ", ");
        order_describe(s, out);
    }
    sb_add(out, " ");
    set_print(set, out);
    sb_add(out, "\n");
}

/* A line for those of `mask` with one key, lowest first. */
static void print_keys(const struct mech *m, uint32_t home, const uint32_t *mask, const char *what,
                       struct sb *out) {
    const struct minpc *f = m->self;
    struct minpc_home left = f->home[home];
    struct mech_set set;
    memcpy(left.standing, mask, sizeof left.standing);
    left.limit = MINPC_NOBODY; /* nobody has it: finds the lowest */
    minpc_take_lowest(f, &left, &set);
    while (left.limit != MINPC_NOBODY) {
        const uint64_t key = left.limit;
        minpc_take_lowest(f, &left, &set);
        print_line(m, home, key, &set, what, NULL, out);
    }
}

static void print_late(const struct mech *m, uint32_t home, struct sb *out) {
    const struct minpc *f = m->self;
    FOR_SPLITS(s, m->pool) {
        if (s->own[MINPC_HOME] != home || !s->own[MINPC_LATE]) continue;
        const uint64_t key =
            f->key[s->set.p[0].warp * MINPC_LANES + (uint32_t)__builtin_ctz(s->set.p[0].mask)];
        print_line(m, home, minpc_with_pc(key, s->pc), &s->set, "late", s, out);
    }
}

void minpc_state(const struct mech *m, struct sb *out) {
    const struct minpc *f = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        const struct minpc_home *h = &f->home[k];
        if (!h->run) continue;
        if (h->run->threads) print_line(m, k, h->key, &h->run->set, "running", h->run, out);
        print_keys(m, k, h->standing, "standing", out);
        print_keys(m, k, h->blocked, "waiting at a barrier", out);
        if (h->nlate) print_late(m, k, out);
    }
}

void minpc_storage(const struct mech *m, struct sb *out) {
    const struct minpc *f = m->self;
    const uint64_t threads = (uint64_t)m->env.warps * MINPC_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1, key = PC_BITS + (f->sp ? DEPTH_BITS : 0);
    sb_add(out, "thread_pc %" PRIu64 "\n", threads * PC_BITS);
    if (f->sp) sb_add(out, "thread_depth %" PRIu64 "\n", threads * DEPTH_BITS);
    sb_add(out, "common_and_limit %" PRIu64 "\n", homes * 2 * key);
    if (f->memory) sb_add(out, "late_flags %" PRIu64 "\n", threads);
}

/* ---- audit ---- */

/* The schedule is the one that arbitrating now would give, and the limit is exact. */
static void audit_choice(const struct mech *m, const struct minpc_home *h) {
    const struct minpc *f = m->self;
    uint64_t lowest = MINPC_NOBODY;
    for (uint32_t k = 0; k < h->words; k++) FOR_LANES(l, h->standing[k]) {
            const uint64_t key = f->key[(h->first + k) * MINPC_LANES + l];
            CHECK(key == minpc_key_at(m, h->first + k, l, (uint32_t)key));
            if (key < lowest) lowest = key;
        }
    CHECK(h->limit == lowest);
    if (h->run->in_flight) return;
    CHECK(h->run->threads ? h->key < lowest : lowest == MINPC_NOBODY);
    CHECK(!h->run->threads || h->run->pc == (uint32_t)h->key);
    for (uint32_t k = 0; k < h->run->set.n; k++) FOR_LANES(l, h->run->set.p[k].mask)
    CHECK(minpc_key_at(m, h->run->set.p[k].warp, l, h->run->pc) == h->key);
}

/* Marks threads as seen, once. */
static uint32_t see(uint32_t *seen, uint32_t mask) {
    CHECK(!(*seen & mask));
    *seen |= mask;
    return bits_count(mask);
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
        for (uint32_t k = 0; k < s->set.n; k++) see(&seen[s->set.p[k].warp], s->set.p[k].mask);
    }
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct minpc_home *h = &f->home[i];
        uint32_t stand_here = 0, blocked = 0;
        if (!h->run) continue;
        for (uint32_t k = 0; k < h->words; k++) {
            stand_here += see(&seen[h->first + k], h->standing[k]);
            blocked += see(&seen[h->first + k], h->blocked[k]);
        }
        CHECK(stand_here == h->nstanding && blocked == h->nblocked);
        standing += stand_here;
        late -= h->nlate;
        audit_choice(m, h);
    }
    for (uint32_t k = 0; k < pool->slots; k++) CHECK(seen[k] == pool->present[k]);
    CHECK(standing == f->standing && !late);
    xfree(seen);
}
