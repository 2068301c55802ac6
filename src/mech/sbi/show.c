/* Branch and warp interweaving for people: the contexts of each warp, as text; what they would cost in bits; whether the
 * books balance. */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/sbi/sbi.h"

enum { PC_BITS = 32, DEPTH_BITS = 16 };

void sbi_census(const struct mech *m, struct mech_census *c) {
    const struct sbi *f = m->self;
    *c = (struct mech_census){.inactive_path = f->sorted.standing + f->passive, .reconvergence = f->waits};
}

/* Whether any thread of the home warp lives. */
static bool present(const struct sbi_home *h) {
    return h->hot[0] || h->hot[1] || h->cold.standing.n || h->cold.blocked.n;
}

static void put_list(const struct sbi_home *h, const struct sorted_list *l, mech_place_fn *put, void *user) {
    for (uint32_t k = 0; k < l->n; k++)
        for (uint32_t w = 0; w < h->cold.words; w++)
            if (l->e[k].mask[w]) put(user, h->cold.first + w, l->e[k].mask[w], sorted_place(l->e[k].key));
}

void sbi_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct sbi *f = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        put_list(&f->home[k], &f->home[k].cold.standing, put, user);
        put_list(&f->home[k], &f->home[k].cold.blocked, put, user);
    }
}

/* ---- as text ---- */

static void print_context(uint32_t home, uint64_t key, const char *what, const struct mech_split *s,
                          const struct mech_set *set, struct sb *out) {
    sb_add(out, "warp %" PRIu32 ": depth %" PRIu32 " pc %" PRIu32 " %s", home, sorted_depth(key),
           sorted_place(key), what);
    if (s) {
        sb_add(out, ", ");
        if (s->own[SBI_CHOSEN])
            sb_add(out, "chosen");
        else
            order_describe(s, out);
    }
    sb_add(out, " ");
    set_print(set, out);
    sb_add(out, "\n");
}

static void sbi_print_list(uint32_t home, const struct sbi_home *h, const struct sorted_list *l,
                           const char *what, struct sb *out) {
    struct mech_set set;
    for (uint32_t k = l->n; k-- > 0;) {
        sorted_set(&h->cold, &l->e[k], &set);
        print_context(home, l->e[k].key, what, NULL, &set, out);
    }
}

void sbi_state(const struct mech *m, struct sb *out) {
    const struct sbi *f = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        const struct sbi_home *h = &f->home[k];
        const struct mech_split *first = sbi_first(h), *second = sbi_second(h);
        if (!present(h)) continue;
        if (first) print_context(k, h->key[h->first], "first", first, &first->set, out);
        if (second)
            print_context(k, h->key[!h->first], h->held ? "second, waits at a SYNC" : "second", second,
                          &second->set, out);
        sbi_print_list(k, h, &h->cold.standing, "cold", out);
        sbi_print_list(k, h, &h->cold.blocked, "waiting at a barrier", out);
    }
}

/* ---- in bits ---- */

/* The hot contexts of a warp are read together. A lane takes its operands' rows from the one or the other of two instructions:
 * a decoder for each. */
void sbi_storage(const struct mech *m, struct mech_storage *out) {
    const struct sbi *f = m->self;
    const uint64_t w = m->env.warp_size, threads = (uint64_t)m->env.warps * 32;
    const uint64_t homes = threads / w ? threads / w : 1, hot = f->branches ? SBI_HOT : 1;
    const uint64_t context = PC_BITS + DEPTH_BITS + w;
    storage_add(out, (struct mech_array){.name = "hot_contexts", .entries = homes, .bits = hot * context});
    storage_add(out,
                (struct mech_array){.name = "cold_contexts", .entries = homes * (w - hot), .bits = context});
    if (f->cascade)
        storage_add(out, (struct mech_array){.name = "chosen",
                                             .cell = MECH_REGISTERS,
                                             .arrays = m->env.schedulers,
                                             .entries = 1,
                                             .bits = bits_for(homes) + w});
    out->lane_decoders = true;
}

/* ---- audit ---- */

static void audit_hot(const struct mech *m, const struct sbi_home *h, uint32_t k, uint32_t *seen) {
    const struct mech_split *s = h->hot[k];
    CHECK(s->threads && s->own[SBI_SLOT] == k && sbi_home_of(m, s) == h && s->sched == h->sched);
    CHECK(s->pc == sorted_place(h->key[k]));
    for (uint32_t p = 0; p < s->set.n; p++) {
        const struct mech_piece at = s->set.p[p];
        sorted_see(&seen[at.warp], at.mask);
        FOR_LANES(l, s->in_flight ? 0 : at.mask)
        CHECK(m->env.depth(m->env.sm, at.warp, l) == sorted_depth(h->key[k]));
    }
    CHECK(sbi_busy(s) || h->key[k] < h->cold.limit); /* else others would be hot, or one with it */
}

/* What may issue is what the rules say. */
static void audit_schedule(const struct mech *m, const struct sbi_home *h) {
    const struct sbi *f = m->self;
    const struct mech_split *first = sbi_first(h), *second = sbi_second(h);
    uint32_t passive = 0, waits = 0;
    CHECK(first || (!second && !h->cold.standing.n));
    CHECK(!first || sbi_busy(first) || order_holds(first));
    if (second) {
        const uint64_t low = h->key[h->first], high = h->key[!h->first];
        CHECK(low < high || (low == high && (sbi_busy(first) || sbi_busy(second))));
        CHECK(h->held == sbi_held(m, high, low));
        CHECK(sbi_busy(second) || order_holds(second) == (f->alone && !h->held));
        if (!sbi_busy(second)) *(h->held ? &waits : &passive) = h->held || !f->alone ? second->threads : 0;
    }
    CHECK(passive == h->passive && waits == h->waits);
}

static void sbi_audit_lanes(const struct mech *m, const struct sbi_home *h) {
    const struct sbi *f = m->self;
    for (uint32_t k = 0; f->others && k < SBI_HOT; k++) {
        struct sbi_lane_set lanes;
        uint32_t n = 0;
        if (!h->hot[k]) continue;
        sbi_lanes_of(m, h, &h->hot[k]->set, &lanes);
        for (uint32_t w = 0; w < f->words; w++) {
            CHECK(lanes.w[w] == h->lanes[k].w[w]);
            n += (uint32_t)__builtin_popcountll(lanes.w[w]);
        }
        CHECK(n == h->hot[k]->threads);
    }
}

void sbi_audit(const struct mech *m) {
    const struct sbi *f = m->self;
    const struct split_pool *pool = m->pool;
    uint32_t *seen = xcalloc(pool->slots, sizeof *seen);
    uint32_t standing = 0, passive = 0, waits = 0, hot = 0, listed = 0;
    split_audit(m, false);
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct sbi_home *h = &f->home[i];
        if (!present(h)) continue;
        for (uint32_t k = 0; k < SBI_HOT; k++) {
            if (!h->hot[k]) continue;
            audit_hot(m, h, k, seen);
            hot++;
        }
        standing += sorted_audit(&h->cold, seen);
        audit_schedule(m, h);
        sbi_audit_lanes(m, h);
        CHECK(f->sched[h->sched].home[h->member] == i);
        passive += h->passive;
        waits += h->waits;
        listed++;
    }
    for (uint32_t k = 0; k < m->env.schedulers; k++) listed -= f->sched[k].n;
    for (uint32_t k = 0; k < pool->slots; k++) CHECK(seen[k] == pool->present[k]);
    CHECK(hot == pool->alive && standing == f->sorted.standing && !listed);
    CHECK(passive == f->passive && waits == f->waits);
    xfree(seen);
}
