/* The tables of multi-path execution: rows that fit and rows in memory, entries from the divergence to the moment at
 * which no thread is pending, both as text, and the audit.
 *
 * A split that finds no free row is kept in memory. It is back after `spill_cycles` and then takes the first row that is
 * free, or that of the next split of its warp to commit, which goes to memory in its place: every one has its turn. Who waits
 * at a barrier has no row. An entry that finds none is only read when it is complete, so that is when it costs time. */
#include "mech/mp/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"

static struct mask arrived_of(const struct mp_entry *e) {
    struct mask mask;
    for (uint32_t k = 0; k < MASK_WORDS; k++) mask.w[k] = e->mask.w[k] & ~e->pending.w[k];
    return mask;
}

/* ---- the splits table ---- */

struct mp_home *mp_home_of(const struct mech *m, const struct mech_split *s) {
    const struct mp *p = m->self;
    return &p->home[s->own[MP_HOME]];
}

void mp_set_status(struct mech *m, struct mech_split *s, enum mp_status now) {
    struct mp *p = m->self;
    struct mp_home *h = mp_home_of(m, s);
    h->rows -= s->own[MP_STATUS] == MP_ROW;
    h->rows += now == MP_ROW;
    if (s->own[MP_STATUS] == MP_AWAY) h->away--, p->away -= s->threads;
    if (now == MP_AWAY) h->away++, p->away += s->threads;
    s->own[MP_STATUS] = now;
}

static void enlist(struct mech *m, const struct mech_split *s) {
    struct mp_home *h = mp_home_of(m, s);
    CHECK(h->splits < m->env.warp_size);
    h->split[h->splits++] = s->id;
    if (h->splits > mp_counts(m)->st_max) mp_counts(m)->st_max = h->splits;
}

void mp_split_enlist(struct mech *m, struct mech_split *s, uint32_t home) {
    s->own[MP_HOME] = home;
    s->own[MP_TO] = MP_NONE;
    enlist(m, s);
}

struct mech_split *mp_split_add(struct mech *m, uint32_t home, const struct mech_set *set) {
    const struct mp *p = m->self;
    struct mech_split *s = split_new(m, p->home[home].sched, 0);
    split_assign(m->pool, s, set);
    mp_split_enlist(m, s, home);
    return s;
}

void mp_split_join(struct mech *m, struct mech_split *t, const struct mech_split *s) {
    t->age = s->age;
    enlist(m, t);
}

struct mech_split *mp_split_divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct mech_split *t = split_divide(m, s, part);
    mp_split_join(m, t, s);
    return t;
}

void mp_split_drop(struct mech *m, struct mech_split *s) {
    struct mp_home *h = mp_home_of(m, s);
    uint32_t k = 0;
    mp_set_status(m, s, MP_NEW);
    while (h->split[k] != s->id) k++;
    memmove(&h->split[k], &h->split[k + 1], (--h->splits - k) * sizeof *h->split);
    split_free(m, s);
}

/* ---- rows in memory ---- */

static void send_away(struct mech *m, struct mech_split *s) {
    struct mp *p = m->self;
    order_remove(m->order, s);
    mp_set_status(m, s, MP_AWAY);
    p->due[s->id] = *m->env.now + mp_params(m)->spill_cycles;
    if (p->due[s->id] < p->alarm) p->alarm = p->due[s->id];
}

static bool full(const struct mech *m, const struct mp_home *h) {
    const uint32_t most = mp_params(m)->max_splits;
    return most && h->rows >= most;
}

/* The split that has been back from memory for longest; NULL: none. */
static struct mech_split *first_due(const struct mech *m, const struct mp_home *h) {
    const struct mp *p = m->self;
    struct mech_split *best = NULL;
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *s = split_at(m->pool, h->split[k]);
        if (s->own[MP_STATUS] != MP_AWAY || p->due[s->id] > *m->env.now) continue;
        if (!best || p->due[s->id] < p->due[best->id]) best = s;
    }
    return best;
}

void mp_come_back(struct mech *m, struct mp_home *h) {
    while (h->away && !full(m, h)) {
        struct mech_split *s = first_due(m, h);
        if (!s) return;
        mp_set_status(m, s, MP_ROW);
        order_add(m->order, s);
    }
}

/* A split that may run goes to memory if no row is free. With a row, it makes room for one that is due. */
void mp_schedule(struct mech *m, struct mech_split *s) {
    struct mp_home *h = mp_home_of(m, s);
    if (s->own[MP_STATUS] == MP_AWAY) return;
    struct mech_split *turn = s->own[MP_STATUS] == MP_ROW && h->away && full(m, h) ? first_due(m, h) : NULL;
    if (turn || (s->own[MP_STATUS] != MP_ROW && full(m, h))) {
        mp_counts(m)->st_spills++;
        send_away(m, s);
        s = turn;
    }
    if (!s) return;
    if (s->own[MP_STATUS] != MP_ROW) mp_set_status(m, s, MP_ROW);
    order_add(m->order, s);
}

/* ---- the reconvergence table ---- */

uint32_t mp_entry_add(struct mech *m, struct mp_home *h, struct mp_entry e) {
    struct mp *p = m->self;
    uint32_t i = 0;
    while (i < h->n && h->rt[i].used) i++;
    if (i == h->n) {
        PAGES_GROW(m->env.pages, h->rt, h->n, h->cap);
        h->n++;
    }
    e.used = true;
    e.alarm = MECH_NEVER;
    e.spilled = mp_params(m)->max_rt && h->used >= mp_params(m)->max_rt;
    e.pending = e.mask;
    h->rt[i] = e;
    h->used++;
    p->entries++;
    mp_counts(m)->rt_spills += e.spilled;
    if (h->used > mp_counts(m)->rt_max) mp_counts(m)->rt_max = h->used;
    return i;
}

static void entry_drop(struct mech *m, struct mp_home *h, uint32_t i) {
    struct mp *p = m->self;
    h->rt[i].used = false;
    h->used--;
    p->entries--;
    while (h->n && !h->rt[h->n - 1].used) h->n--;
}

/* All threads of the entry have arrived: they become a split. */
static struct mech_split *mp_tables_fire(struct mech *m, uint32_t home, uint32_t i) {
    struct mp *p = m->self;
    struct mp_home *h = &p->home[home];
    const struct mp_entry e = h->rt[i];
    struct mech_set set;
    mask_set(&e.mask, h->first, &set);
    entry_drop(m, h, i);
    p->arrived -= mask_count(&e.mask);
    split_reconverged(m, e.pc);
    ++*(e.branch == IR_NOPC ? &mp_counts(m)->rejoined_early : &mp_counts(m)->rejoined_ipdom);
    struct mech_split *s = mp_split_add(m, home, &set);
    s->pc = e.pc;
    s->own[MP_DEPTH] = (uint32_t)e.depth;
    s->own[MP_TO] = e.to;
    s->age = e.age;
    if (e.spilled) send_away(m, s);
    return s;
}

static bool at_place(const struct mp_entry *e, const struct mech_split *s) {
    return (int32_t)s->own[MP_DEPTH] == e->depth && (e->open || e->pc == s->pc);
}

/* The split is where it was to meet others: it leaves the ST. The one that all of them become, or NULL. */
struct mech_split *mp_arrive(struct mech *m, struct mech_split *s) {
    struct mp *p = m->self;
    const uint32_t home = s->own[MP_HOME], i = s->own[MP_TO];
    struct mp_home *h = &p->home[home];
    struct mp_entry *e = &h->rt[i];
    CHECK(e->pc == IR_NOPC || e->pc == s->pc);
    e->pc = s->pc;
    mask_take(&e->pending, h->first, &s->set);
    p->arrived += s->threads;
    mp_split_drop(m, s);
    if (!mask_any(&e->pending)) return mp_tables_fire(m, home, i);
    if (mp_params(m)->patience && e->alarm == MECH_NEVER) {
        e->first = *m->env.now;
        e->alarm = e->first + mp_params(m)->patience;
        if (e->alarm < p->alarm) p->alarm = e->alarm;
    }
    return NULL;
}

struct mech_split *mp_settle(struct mech *m, struct mech_split *s) {
    while (s && s->own[MP_TO] != MP_NONE && at_place(&mp_home_of(m, s)->rt[s->own[MP_TO]], s))
        s = mp_arrive(m, s);
    return s;
}

bool mp_entry_early(const struct mp_home *h, uint32_t i) {
    return i != MP_NONE && h->rt[i].branch == IR_NOPC;
}

struct mech_split *mp_forgo(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *set) {
    const struct mp *p = m->self;
    struct mp_home *h = &p->home[home];
    struct mp_entry *e = &h->rt[i];
    mask_take(&e->mask, h->first, set);
    mask_take(&e->pending, h->first, set);
    if (mask_any(&e->pending)) return NULL;
    if (mask_any(&e->mask)) return mp_tables_fire(m, home, i);
    entry_drop(m, h, i);
    return NULL;
}

/* The cycle by which those that have arrived go on in any case. */
static uint64_t longest_wait(const struct mech *m, const struct mp_entry *e) {
    enum { VERY_LONG = 100 }; /* times the patience */
    return e->first + (uint64_t)mp_params(m)->patience * VERY_LONG;
}

bool mp_in_vain(const struct mech *m, const struct mp_home *h, uint32_t i) {
    const struct mp_entry *e = &h->rt[i];
    if (*m->env.now >= longest_wait(m, e)) return true;
    for (uint32_t k = 0; k < MASK_WORDS; k++)
        if (e->pending.w[k] && e->pending.w[k] & m->env.spinning(m->env.sm, h->first + k)) return true;
    for (uint32_t k = 0; k < h->splits; k++) {
        const struct mech_split *s = split_at(m->pool, h->split[k]);
        for (uint32_t n = 0; s->own[MP_STATUS] == MP_WAITS && n < s->set.n; n++)
            if (e->pending.w[s->set.p[n].warp - h->first] & s->set.p[n].mask) return true;
    }
    return false;
}

struct mech_split *mp_let_go(struct mech *m, uint32_t home, uint32_t i) {
    struct mp *p = m->self;
    struct mp_home *h = &p->home[home];
    struct mp_entry *e = &h->rt[i];
    const struct mask arrived = arrived_of(e);
    struct mech_set set;
    mask_set(&arrived, h->first, &set);
    e->mask = e->pending;
    e->alarm = MECH_NEVER;
    struct mech_split *s = mp_split_add(m, home, &set);
    s->pc = e->pc;
    s->own[MP_DEPTH] = (uint32_t)e->depth;
    s->own[MP_TO] = e->to;
    s->age = e->age;
    p->arrived -= s->threads;
    mp_counts(m)->let_go++;
    mech_event(m, "%" PRIu32 " go on from %" PRIu32 " without the others", s->threads, s->pc);
    return s;
}

static bool has_arrived(const struct mp_home *h, const struct mp_entry *e, uint32_t warp, uint32_t lane) {
    const struct mask arrived = arrived_of(e);
    return e->used && arrived.w[warp - h->first] >> lane & 1;
}

bool mp_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct mp *p = m->self;
    const struct mech_split *s = split_of(m->pool, warp, lane);
    if (s) return s->own[MP_STATUS] == MP_AWAY && p->due[s->id] > *m->env.now;
    const struct mp_home *h = &p->home[split_home_of(m->pool, warp, lane)];
    for (uint32_t i = 0; mp_params(m)->patience && i < h->n; i++)
        if (has_arrived(h, &h->rt[i], warp, lane)) return longest_wait(m, &h->rt[i]) > *m->env.now;
    return false;
}

/* ---- for people ---- */

void mp_census(const struct mech *m, struct mech_census *c) {
    const struct mp *p = m->self;
    *c = (struct mech_census){.inactive_path = p->away, .reconvergence = p->arrived};
}

void mp_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct mp *p = m->self;
    for (const struct mp_home *h = p->home; h < p->home + p->homes; h++)
        for (uint32_t i = 0; i < h->n; i++) {
            const struct mp_entry *e = &h->rt[i];
            const struct mask arrived = arrived_of(e);
            for (uint32_t k = 0; e->used && k < MASK_WORDS; k++)
                if (arrived.w[k]) put(user, h->first + k, arrived.w[k], e->pc);
        }
}

static void mp_tables_print_split(const struct mp_home *h, const struct mech_split *s, struct sb *out) {
    const uint32_t to = s->own[MP_TO];
    split_print_pc(out, "  st pc", s->pc);
    split_print_pc(out, "rpc", to == MP_NONE ? IR_NOPC : h->rt[to].pc);
    if (s->own[MP_DEPTH]) sb_add(out, "depth %" PRIu32 " ", s->own[MP_DEPTH]);
    set_print(&s->set, out);
    sb_add(out, " ");
    if (s->own[MP_STATUS] == MP_WAITS)
        sb_add(out, "waiting at a barrier");
    else if (s->own[MP_STATUS] == MP_AWAY)
        sb_add(out, "in memory");
    else
        order_describe(s, out);
    sb_add(out, "\n");
}

static void print_entry(const struct mp_home *h, const struct mp_entry *e, struct sb *out) {
    struct mech_set set;
    split_print_pc(out, "  rt pc", e->pc);
    split_print_pc(out, "rpc", e->to == MP_NONE ? IR_NOPC : h->rt[e->to].pc);
    if (e->depth > 0) sb_add(out, "depth %" PRId32 " ", e->depth);
    mask_set(&e->mask, h->first, &set);
    set_print(&set, out);
    sb_add(out, " pending ");
    mask_set(&e->pending, h->first, &set);
    set_print(&set, out);
    sb_add(out, e->branch == IR_NOPC ? " early" : "");
    sb_add(out, e->spilled ? " in memory\n" : "\n");
}

void mp_state(const struct mech *m, struct sb *out) {
    const struct mp *p = m->self;
    for (uint32_t k = 0; k < p->homes; k++) {
        const struct mp_home *h = &p->home[k];
        if (!h->splits) continue;
        sb_add(out, "warp %" PRIu32 "\n", k);
        for (uint32_t i = 0; i < h->splits; i++)
            mp_tables_print_split(h, split_at(m->pool, h->split[i]), out);
        for (uint32_t i = 0; i < h->n; i++)
            if (h->rt[i].used) print_entry(h, &h->rt[i], out);
    }
}

/* Unbounded tables are counted with a row per thread. Who merges wherever PCs are equal searches the splits by PC. */
void mp_storage(const struct mech *m, struct mech_storage *out) {
    const struct mp_params *p = mp_params(m);
    const struct mp *mp = m->self;
    uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    storage_add(out, (struct mech_array){.name = "splits",
                                         .cell = mp->early ? MECH_CAM : MECH_SRAM,
                                         .entries = warps * (p->max_splits ? (uint64_t)p->max_splits : w),
                                         .bits = 32 + 32 + w,
                                         .tag = mp->early ? 32 : 0});
    storage_add(out, (struct mech_array){.name = "reconvergence",
                                         .entries = warps * (p->max_rt ? (uint64_t)p->max_rt : w),
                                         .bits = 32 + 32 + 2 * w});
}

/* ---- audit ---- */

/* Checks that these threads lead to entry `to` alone, and that together they are exactly those it expects. */
static void mp_tables_expect(const struct mp_home *h, uint32_t to, const struct mask *mask,
                             struct mask *seen) {
    if (to == MP_NONE) return;
    CHECK(to < h->n && h->rt[to].used);
    for (uint32_t k = 0; k < MASK_WORDS; k++) {
        CHECK(!(seen[to].w[k] & mask->w[k]));
        seen[to].w[k] |= mask->w[k];
    }
}

static uint32_t audit_rt(const struct split_pool *pool, const struct mp_home *h, const struct mask *seen) {
    uint32_t n = 0, waiting = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct mp_entry *e = &h->rt[i];
        if (!e->used) continue;
        n++;
        CHECK(mask_any(&e->pending) && !memcmp(&seen[i], &e->pending, sizeof e->pending));
        for (uint32_t k = 0; k < MASK_WORDS; k++) {
            const uint32_t slot = h->first + k;
            CHECK(!(e->pending.w[k] & ~e->mask.w[k]));
            CHECK(!(e->mask.w[k] & ~(slot < pool->slots ? pool->present[slot] : 0)));
        }
        waiting += mask_count(&e->mask) - mask_count(&e->pending);
    }
    CHECK(n == h->used);
    return waiting;
}

/* Returns the threads that have arrived in its RT. */
static uint32_t mp_tables_audit_home(const struct mech *m, uint32_t home) {
    const struct mp *p = m->self;
    const struct mp_home *h = &p->home[home];
    struct mask *seen = xcalloc(h->n + 1, sizeof *seen);
    uint32_t rows = 0, away = 0;
    for (uint32_t i = 0; i < h->splits; i++) {
        const struct mech_split *s = split_at(m->pool, h->split[i]);
        struct mask mask = {0};
        CHECK(s && s->own[MP_HOME] == home && s->threads && s->own[MP_STATUS] != MP_NEW);
        CHECK(s->own[MP_TO] == MP_NONE || s->in_flight || !at_place(&h->rt[s->own[MP_TO]], s) ||
              s->own[MP_STATUS] == MP_WAITS);
        rows += s->own[MP_STATUS] == MP_ROW;
        away += s->own[MP_STATUS] == MP_AWAY;
        mask_put(&mask, h->first, &s->set);
        mp_tables_expect(h, s->own[MP_TO], &mask, seen);
    }
    for (uint32_t i = 0; i < h->n; i++)
        if (h->rt[i].used) mp_tables_expect(h, h->rt[i].to, &h->rt[i].mask, seen);
    const uint32_t most = mp_params(m)->max_splits;
    CHECK(rows == h->rows && away == h->away && (!most || rows <= most));
    uint32_t waiting = audit_rt(m->pool, h, seen);
    xfree(seen);
    return waiting;
}

/* With the splits' sets disjoint, and each entry's pending mask that of its splits, a thread that is nowhere or in two places
 * shows in the sum. */
void mp_audit(const struct mech *m) {
    const struct mp *p = m->self;
    uint32_t splits = 0, waiting = 0, threads = 0, present = 0, entries = 0;
    split_audit(m, false);
    for (uint32_t k = 0; k < p->homes; k++) {
        waiting += mp_tables_audit_home(m, k);
        splits += p->home[k].splits;
        entries += p->home[k].used;
    }
    FOR_SPLITS(s, m->pool) threads += s->threads;
    for (uint32_t k = 0; k < m->pool->slots; k++) present += bits_count(m->pool->present[k]);
    CHECK(splits == m->pool->alive && waiting == p->arrived && entries == p->entries);
    CHECK(threads + waiting == present);
}
