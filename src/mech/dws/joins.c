/* Dynamic warp subdivision: the splits of a warp, what of them is in the warp-split table, and the joins.
 *
 * A warp of which one split runs needs no entry of the table: it is in the scheduler as any warp is. Every further split
 * takes one. Sides that are held are on the warp's stack, and so are threads that have arrived at a join. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/dws/dws.h"
#include "mech/lib/order.h"

/* ---- splits ---- */

static bool on_stack(uint32_t status) {
    return status == DWS_HELD || status == DWS_PARKED;
}

/* One more or one less of the warp's splits is not on its stack. */
static void count_active(struct mech *m, struct dws_home *h, bool more) {
    struct dws *d = m->self;
    const uint32_t before = h->active ? h->active - 1 : 0;
    h->active += more ? 1u : -1u;
    d->wst += (h->active ? h->active - 1 : 0) - before;
}

void dws_set_status(struct mech *m, struct mech_split *s, enum dws_status now) {
    struct dws *d = m->self;
    const uint32_t before = s->own[DWS_STATUS];
    if (before == now) return;
    s->own[DWS_STATUS] = now;
    if (before == DWS_HELD) d->held -= s->threads;
    if (now == DWS_HELD) d->held += s->threads;
    if (on_stack(before) != on_stack(now)) count_active(m, dws_home_of(m, s), on_stack(before));
}

void dws_set_late(struct mech *m, struct mech_split *s, bool late) {
    struct dws *d = m->self;
    if (s->own[DWS_LATE] == late) return;
    s->own[DWS_LATE] = late;
    if (late) {
        bitmap_set(d->late, s->id);
        d->nlate[s->sched]++;
    } else {
        bitmap_clear(d->late, s->id);
        d->nlate[s->sched]--;
    }
}

bool dws_room(struct mech *m, uint32_t more) {
    const struct dws *d = m->self;
    if (d->wst + more <= dws_params(m)->wst) return true;
    dws_counts(m)->wst_full++;
    return false;
}

void dws_taken(struct mech *m, struct mech_split *t) {
    struct dws_home *h = dws_home_of(m, t);
    CHECK(h->splits < m->env.warp_size);
    h->split[h->splits++] = t->id;
    t->age = h->age;
    t->own[DWS_LATE] = false;
    t->own[DWS_STATUS] = DWS_NEW;
    count_active(m, h, true);
}

void dws_enlist(struct mech *m, struct mech_split *s, uint32_t home) {
    s->own[DWS_HOME] = home;
    s->own[DWS_TO] = DWS_NONE;
    dws_taken(m, s);
}

struct mech_split *dws_divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct mech_split *t = split_divide(m, s, part);
    dws_taken(m, t);
    return t;
}

static void delist(struct mech *m, struct mech_split *s) {
    struct dws_home *h = dws_home_of(m, s);
    uint32_t k = 0;
    dws_set_late(m, s, false);
    dws_set_status(m, s, DWS_NEW);
    while (h->split[k] != s->id) k++;
    memmove(&h->split[k], &h->split[k + 1], (--h->splits - k) * sizeof *h->split);
    count_active(m, h, false);
}

void dws_drop(struct mech *m, struct mech_split *s) {
    delist(m, s);
    split_free(m, s);
}

void dws_merge(struct mech *m, struct mech_split *into, struct mech_split *from) {
    delist(m, from);
    split_merge(m, into, from);
}

/* ---- joins ---- */

uint32_t dws_join_add(struct mech *m, struct dws_home *h, struct dws_join j) {
    uint32_t i = 0;
    while (i < h->n && h->join[i].used) i++;
    if (i == h->n) {
        PAGES_GROW(m->env.pages, h->join, h->n, h->cap);
        h->n++;
    }
    j.used = true;
    j.pending = j.mask;
    h->join[i] = j;
    return i;
}

static void join_drop(struct dws_home *h, uint32_t i) {
    h->join[i].used = false;
    while (h->n && !h->join[h->n - 1].used) h->n--;
}

bool dws_at(const struct mech *m, const struct dws_home *h, uint32_t i, const struct mech_split *s) {
    const struct dws_join *j = &h->join[i];
    if (dws_group(j)) return dws_stops(m, s->pc) || (j->to != DWS_NONE && dws_at(m, h, j->to, s));
    return (int32_t)s->own[DWS_DEPTH] == j->depth && (j->open || j->pc == s->pc);
}

bool dws_alone(const struct dws_home *h, uint32_t i, const struct mech_split *s) {
    struct mask left = h->join[i].pending;
    mask_take(&left, h->first, &s->set);
    return !memcmp(&left, &h->join[i].held, sizeof left);
}

/* All threads of the join have arrived: they run on. */
static struct mech_split *dws_joins_fire(struct mech *m, uint32_t home, uint32_t i) {
    struct dws *d = m->self;
    struct dws_home *h = &d->home[home];
    const struct dws_join j = h->join[i];
    struct mech_set set;
    mask_set(&j.mask, h->first, &set);
    join_drop(h, i);
    d->arrived -= mask_count(&j.mask);
    split_reconverged(m, j.pc);
    ++*(dws_group(&j) ? &dws_counts(m)->rejoined_limit : &dws_counts(m)->rejoined_stack);
    struct mech_split *s = split_new(m, h->sched, j.pc);
    split_assign(m->pool, s, &set);
    dws_enlist(m, s, home);
    s->own[DWS_DEPTH] = (uint32_t)j.depth;
    s->own[DWS_TO] = j.to;
    return s;
}

/* The next side to run among those held at join i: a taken one, then the lowest PC. */
static struct mech_split *next_side(const struct mech *m, const struct dws_home *h, uint32_t i) {
    const uint32_t behind = h->join[i].branch + 1;
    struct mech_split *best = NULL;
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *s = split_at(m->pool, h->split[k]);
        if (s->own[DWS_STATUS] != DWS_HELD || s->own[DWS_TO] != i) continue;
        if (!best || dws_comes_first(s, best, behind)) best = s;
    }
    return best;
}

static struct mech_split *take_turn(struct mech *m, struct dws_home *h, uint32_t i) {
    struct mech_split *s = next_side(m, h, i);
    CHECK(s);
    mask_take(&h->join[i].held, h->first, &s->set);
    dws_set_status(m, s, DWS_NEW);
    return s;
}

/* Threads are no longer pending at join i: the join is complete, or the next side has its turn, or neither. */
static struct mech_split *less_pending(struct mech *m, uint32_t home, uint32_t i, struct mech_split **turn) {
    struct dws *d = m->self;
    struct dws_home *h = &d->home[home];
    struct dws_join *j = &h->join[i];
    if (!mask_any(&j->pending)) {
        if (mask_any(&j->mask)) return dws_joins_fire(m, home, i);
        join_drop(h, i);
    } else if (!memcmp(&j->pending, &j->held, sizeof j->held)) {
        CHECK(!*turn);
        *turn = take_turn(m, h, i);
    }
    return NULL;
}

/* ---- sides that others wait for at a barrier ---- */

/* Can a split that leads to join i, or to one before it, run? */
static bool under_way(const struct mech *m, const struct dws_home *h, uint32_t i) {
    for (uint32_t k = 0; k < h->splits; k++) {
        const struct mech_split *s = split_at(m->pool, h->split[k]);
        const uint32_t status = s->own[DWS_STATUS];
        if (status != DWS_WAITS && !on_stack(status) && mask_meets(&h->join[i].pending, h->first, &s->set))
            return true;
    }
    return false;
}

/* Whether one more split of the home may leave the stack. */
static bool has_room(const struct mech *m, const struct dws_home *h) {
    const struct dws *d = m->self;
    return !h->active || d->wst < dws_params(m)->wst;
}

/* One that waits at a barrier goes onto the stack. */
static bool dws_joins_make_room(struct mech *m, const struct dws_home *h) {
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *s = split_at(m->pool, h->split[k]);
        if (s->own[DWS_STATUS] != DWS_WAITS) continue;
        dws_set_status(m, s, DWS_PARKED);
        return true;
    }
    return false;
}

struct mech_split *dws_turn(struct mech *m, uint32_t home) {
    struct dws *d = m->self;
    struct dws_home *h = &d->home[home];
    if (!d->held || !(d->turned || mask_any(&h->waiting))) return NULL;
    for (uint32_t i = 0; i < h->n; i++) {
        if (!h->join[i].used || !mask_any(&h->join[i].held) || under_way(m, h, i)) continue;
        if (!has_room(m, h) && !dws_joins_make_room(m, h)) continue;
        d->turned = true;
        return take_turn(m, h, i);
    }
    return NULL;
}

bool dws_unpark(struct mech *m, struct mech_split *s) {
    struct dws_home *h = dws_home_of(m, s);
    const bool runs = has_room(m, h) || s->own[DWS_TO] == DWS_NONE || dws_at(m, h, s->own[DWS_TO], s);
    dws_set_status(m, s, runs ? DWS_NEW : DWS_HELD);
    if (!runs) mask_put(&h->join[s->own[DWS_TO]].held, h->first, &s->set);
    return runs;
}

/* ---- arriving ---- */

static struct mech_split *dws_joins_arrive(struct mech *m, struct mech_split *s, struct mech_split **turn) {
    struct dws *d = m->self;
    const uint32_t home = s->own[DWS_HOME], i = s->own[DWS_TO];
    struct dws_home *h = &d->home[home];
    struct dws_join *j = &h->join[i];
    CHECK(j->pc == IR_NOPC || j->pc == s->pc);
    CHECK(!dws_group(j) || j->depth == (int32_t)s->own[DWS_DEPTH]);
    j->pc = s->pc;
    mask_take(&j->pending, h->first, &s->set);
    d->arrived += s->threads;
    dws_drop(m, s);
    return less_pending(m, home, i, turn);
}

struct mech_split *dws_settle(struct mech *m, struct mech_split *s, struct mech_split **turn) {
    while (s && s->own[DWS_TO] != DWS_NONE && dws_at(m, dws_home_of(m, s), s->own[DWS_TO], s))
        s = dws_joins_arrive(m, s, turn);
    return s;
}

struct mech_split *dws_forgo(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *gone,
                             struct mech_split **turn) {
    const struct dws *d = m->self;
    struct dws_home *h = &d->home[home];
    mask_take(&h->join[i].mask, h->first, gone);
    mask_take(&h->join[i].pending, h->first, gone);
    return less_pending(m, home, i, turn);
}
