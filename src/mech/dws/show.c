/* Dynamic warp subdivision: its splits and joins as text, what they cost, and the audit. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/dws/dws.h"
#include "mech/lib/order.h"

void dws_census(const struct mech *m, struct mech_census *c) {
    const struct dws *d = m->self;
    *c = (struct mech_census){.inactive_path = d->held, .reconvergence = d->arrived};
}

static struct mask arrived_of(const struct dws_join *j) {
    struct mask arrived;
    for (uint32_t k = 0; k < MASK_WORDS; k++) arrived.w[k] = j->mask.w[k] & ~j->pending.w[k];
    return arrived;
}

void dws_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct dws *d = m->self;
    for (const struct dws_home *h = d->home; h < d->home + d->homes; h++)
        for (uint32_t i = 0; i < h->n; i++) {
            if (!h->join[i].used) continue;
            const struct mask arrived = arrived_of(&h->join[i]);
            for (uint32_t k = 0; k < MASK_WORDS; k++)
                if (arrived.w[k]) put(user, h->first + k, arrived.w[k], h->join[i].pc);
        }
}

static void dws_print_split(const struct dws_home *h, const struct mech_split *s, struct sb *out) {
    const uint32_t to = s->own[DWS_TO];
    split_print_pc(out, "  split pc", s->pc);
    split_print_pc(out, "rpc", to == DWS_NONE ? IR_NOPC : h->join[to].pc);
    if (s->own[DWS_DEPTH]) sb_add(out, "depth %" PRIu32 " ", s->own[DWS_DEPTH]);
    set_print(&s->set, out);
    sb_add(out, " ");
    if (s->own[DWS_STATUS] == DWS_WAITS || s->own[DWS_STATUS] == DWS_PARKED)
        sb_add(out,
               s->own[DWS_STATUS] == DWS_WAITS ? "waiting at a barrier" : "waiting at a barrier, parked");
    else if (s->own[DWS_STATUS] == DWS_HELD)
        sb_add(out, "held");
    else
        order_describe(s, out);
    sb_add(out, "\n");
}

static void print_join(const struct dws_home *h, const struct dws_join *j, struct sb *out) {
    struct mech_set set;
    split_print_pc(out, "  join pc", j->pc);
    split_print_pc(out, "rpc", j->to == DWS_NONE ? IR_NOPC : h->join[j->to].pc);
    if (j->depth > 0) sb_add(out, "depth %" PRId32 " ", j->depth);
    mask_set(&j->mask, h->first, &set);
    set_print(&set, out);
    sb_add(out, " pending ");
    mask_set(&j->pending, h->first, &set);
    set_print(&set, out);
    sb_add(out, dws_group(j) ? " at the next branch\n" : "\n");
}

void dws_state(const struct mech *m, struct sb *out) {
    const struct dws *d = m->self;
    for (uint32_t k = 0; k < d->homes; k++) {
        const struct dws_home *h = &d->home[k];
        if (!h->splits) continue;
        sb_add(out, "warp %" PRIu32 "\n", k);
        for (uint32_t i = 0; i < h->splits; i++) dws_print_split(h, split_at(m->pool, h->split[i]), out);
        for (uint32_t i = 0; i < h->n; i++)
            if (h->join[i].used) print_join(h, &h->join[i], out);
    }
}

/* A stack as pdom's for every warp; in the table a PC, a mask, the warp, the level of its stack and two bits of status.
 * It is searched for a warp's splits at a PC. */
void dws_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    storage_add(out, (struct mech_array){.name = "stack", .entries = warps * 2 * w, .bits = 32 + 32 + w});
    storage_add(out, (struct mech_array){.name = "warp_splits",
                                         .cell = MECH_CAM,
                                         .arrays = 1,
                                         .entries = (uint64_t)dws_params(m)->wst,
                                         .bits = 32 + w + bits_for(warps) + bits_for(2 * w) + 2,
                                         .tag = 32 + bits_for(warps)});
}

/* ---- audit ---- */

/* Checks that these threads lead to join `to` alone, and that together they are those it expects. */
static void dws_expect(const struct dws_home *h, uint32_t to, const struct mask *mask, struct mask *seen) {
    if (to == DWS_NONE) return;
    CHECK(to < h->n && h->join[to].used);
    for (uint32_t k = 0; k < MASK_WORDS; k++) {
        CHECK(!(seen[to].w[k] & mask->w[k]));
        seen[to].w[k] |= mask->w[k];
    }
}

static void audit_split(const struct mech *m, const struct dws_home *h, const struct mech_split *s,
                        struct mask *seen, struct mask *held) {
    const uint32_t to = s->own[DWS_TO], status = s->own[DWS_STATUS];
    const bool waits = status == DWS_WAITS || status == DWS_PARKED;
    struct mask mask = {0};
    CHECK(s->threads && dws_home_of(m, s) == h && s->age == h->age && status != DWS_NEW);
    CHECK((status == DWS_RUNS) == (s->in_flight || order_holds(s)));
    CHECK(to == DWS_NONE || s->in_flight || waits || !dws_at(m, h, to, s));
    mask_put(&mask, h->first, &s->set);
    dws_expect(h, to, &mask, seen);
    for (uint32_t k = 0; k < MASK_WORDS; k++) CHECK(!(h->waiting.w[k] & mask.w[k]) || waits);
    if (status != DWS_HELD) return;
    CHECK(to != DWS_NONE);
    mask_put(&held[to], h->first, &s->set);
}

/* Returns the threads that have arrived at its joins. */
static uint32_t dws_audit_home(const struct mech *m, const struct dws_home *h) {
    const struct dws *d = m->self;
    struct mask *seen = xcalloc(2 * (h->n + 1), sizeof *seen), *held = seen + h->n + 1;
    uint32_t active = 0, arrived = 0;
    bool parked = false;
    for (uint32_t i = 0; i < h->splits; i++) {
        const struct mech_split *s = split_at(m->pool, h->split[i]);
        CHECK(s);
        audit_split(m, h, s, seen, held);
        active += s->own[DWS_STATUS] != DWS_HELD && s->own[DWS_STATUS] != DWS_PARKED;
        parked |= s->own[DWS_STATUS] == DWS_PARKED;
    }
    CHECK(active == h->active && (!h->splits || active || parked));
    for (uint32_t i = 0; i < h->n; i++)
        if (h->join[i].used) dws_expect(h, h->join[i].to, &h->join[i].mask, seen);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct dws_join *j = &h->join[i];
        if (!j->used) continue;
        CHECK(mask_any(&j->pending) && !memcmp(&seen[i], &j->pending, sizeof j->pending));
        CHECK(!memcmp(&held[i], &j->held, sizeof j->held));
        CHECK(memcmp(&j->pending, &j->held, sizeof j->held) || (d->turned && active));
        arrived += mask_count(&j->mask) - mask_count(&j->pending);
    }
    xfree(seen);
    return arrived;
}

void dws_audit(const struct mech *m) {
    const struct dws *d = m->self;
    uint32_t wst = 0, arrived = 0, held = 0, late = 0, marked = 0, threads = 0, present = 0, splits = 0;
    split_audit(m, false);
    for (const struct dws_home *h = d->home; h < d->home + d->homes; h++) {
        arrived += dws_audit_home(m, h);
        wst += h->active ? h->active - 1 : 0;
        splits += h->splits;
    }
    FOR_SPLITS(s, m->pool) {
        threads += s->threads;
        if (s->own[DWS_STATUS] == DWS_HELD) held += s->threads;
        late += s->own[DWS_LATE];
        CHECK(s->own[DWS_LATE] == bitmap_has(d->late, s->id));
    }
    for (uint32_t k = 0; k < m->env.schedulers; k++) marked += d->nlate[k];
    for (uint32_t k = 0; k < m->pool->slots; k++) present += bits_count(m->pool->present[k]);
    CHECK(splits == m->pool->alive && wst == d->wst && late == marked);
    /* What comes back from the stack and cannot be held, at its join or with none before it, goes on without an entry. */
    CHECK(wst <= dws_params(m)->wst || d->turned);
    CHECK(arrived == d->arrived && held == d->held && threads + arrived == present);
}
