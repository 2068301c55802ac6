/* Warps that are one stream; see the header. */
#include "mech/lib/single.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/order.h"

void single_start(struct single *h, struct mech_split *s, uint32_t home) {
    *h = (struct single){.first = s->set.p[0].warp, .threads = s->threads};
    s->own[SINGLE_HOME] = home;
}

void single_run(const struct single *h, struct mech_split *s, const struct mask *mask) {
    mask_set(mask, h->first, &s->set);
    s->threads = set_count(&s->set);
}

void single_exit(struct mech *m, struct single *h, struct mech_split *s, const struct mech_set *gone) {
    split_exit(m->pool, NULL, gone);
    set_remove(&s->set, gone);
    s->threads = set_count(&s->set);
    h->threads -= set_count(gone);
}

void single_wait(struct mech *m, struct single *h, struct mech_split *s, const struct mech_outcome *o) {
    CHECK(!o->exited.n && o->nsides <= 1 && (!o->nsides || o->side[0].pc == o->pc + 1));
    mask_put(&h->waiting, h->first, &o->waiting);
    s->pc = o->pc + 1;
    order_remove(m->order, s);
}

void single_release(struct mech *m, const struct mech_set *set, uint32_t pc,
                    struct single *(*home_of)(struct mech *m, const struct mech_split *s),
                    void (*go)(struct mech *m, struct mech_split *s)) {
    struct mech_set left, part;
    for (set_copy(&left, set); left.n;) {
        struct mech_split *s = split_first_of(m->pool, &left, &part);
        struct single *h = home_of(m, s);
        CHECK(s->pc == pc);
        mask_take(&h->waiting, h->first, &part);
        if (!mask_any(&h->waiting)) go(m, s);
    }
}

/* Counts threads that have arrived at a join: they neither run nor are on another path. */
static uint32_t joining(const struct single *h, const struct mech_split *s) {
    return h->threads - s->threads - h->inactive - h->barred;
}

void single_uncount(struct single_sums *t, const struct single *h, const struct mech_split *s) {
    t->inactive -= h->inactive;
    t->joining -= joining(h, s);
}

void single_count(struct single_sums *t, const struct single *h, const struct mech_split *s) {
    t->inactive += h->inactive;
    t->joining += joining(h, s);
}

/* ---- for people ---- */

void single_places(const struct single *h, const struct mask *mask, uint32_t pc, mech_place_fn *put,
                   void *user) {
    for (uint32_t k = 0; k < MASK_WORDS; k++)
        if (mask->w[k]) put(user, h->first + k, mask->w[k], pc);
}

void single_print_mask(const struct single *h, const struct mask *mask, struct sb *out) {
    struct mech_set set;
    mask_set(mask, h->first, &set);
    set_print(&set, out);
}

void single_print(const struct single *h, const struct mech_split *s, struct sb *out) {
    sb_add(out, "warp %" PRIu32 ": ", s->own[SINGLE_HOME]);
    split_print(s, out);
    sb_add(out, "\n");
    if (!mask_any(&h->waiting)) return;
    sb_add(out, "  waiting at a barrier ");
    single_print_mask(h, &h->waiting, out);
    sb_add(out, "\n");
}

void single_audit(const struct mech *m, const struct single *h, const struct mech_split *s,
                  const struct mask *held) {
    const struct split_pool *pool = m->pool;
    struct mask run = {0}, waits = h->waiting;
    mask_put(&run, h->first, &s->set);
    for (uint32_t k = 0; k < MASK_WORDS; k++) {
        uint32_t present = 0;
        if (h->first + k < pool->slots) FOR_LANES(l, pool->present[h->first + k])
        present |= (uint32_t)(split_home_of(pool, h->first + k, l) == s->own[SINGLE_HOME]) << l;
        CHECK((run.w[k] | held->w[k]) == present && !(waits.w[k] & ~present));
    }
    CHECK(h->barred || !mask_any(&waits) || order_parked(s));
}
