/* MIMD: any ready threads on any free lanes of the same pipeline, each with its own PC (DWF 2.1.4, 5.1.1). The bound the
 * others are measured against: up to W threads issue together, a new packet every scheduler cycle.
 *
 * Threads would be one split each. To execute them at a fraction of that cost, threads of a *unit* (an architectural warp,
 * or the machine warp if that is narrower, so that a unit has one scheduler) that are at the same PC and ready at the same
 * time are kept in one split, a group. Groups cost no thread a cycle: a packet takes as much of a group as it has lanes
 * free; groups merge only if both can issue from the same cycle on; and a group that has to wait for an event is taken apart, so that
 * threads that need not wait (wake, memory) go on. Threads of a group may be at different call depths: nothing here
 * depends on where they came from.
 *
 * Groups that may be scheduled are listed by unit, where those that arrive look for company. Left alone, groups fall apart:
 * every cut at the end of a packet puts a part of one ahead of the rest. So when the order chooses a group, the group of
 * its unit that is furthest behind (the lowest PC) goes in its place if it is ready too, and catches up with the others.
 * A packet is as full either way; no group is passed over more than PATIENCE times in a row, so that all make progress.
 * For orders by age all groups of a unit are as old as it is. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"

enum { PATIENCE = 32 };

/* The schedulable groups of a unit, in no order. PCs are kept together, for they are searched at every commit; there
 * are rarely more than fit in the first line of the host's cache. */
struct unit {
    _Alignas(64) uint64_t age; /* of all its groups */
    uint32_t n;
    struct listed {
        uint32_t pc, id;
    } v[32];
};

struct mimd {
    struct unit *unit;
};

enum { UNIT, LISTED, PASSED }; /* split.own */

static bool mimd_create(struct mech *m, struct err *e) {
    (void)e;
    struct mimd *d = m->self;
    d->unit = PAGES_NEW(m->env.pages, struct unit, split_homes(&m->env));
    return true;
}

/* ---- groups of a unit ---- */

static struct unit *unit_of(const struct mech *m, const struct mech_split *s) {
    const struct mimd *d = m->self;
    return &d->unit[s->own[UNIT]];
}

static void mimd_list(struct unit *u, struct mech_split *s, uint32_t pc) {
    s->own[LISTED] = true;
    u->v[u->n++] = (struct listed){pc, s->id};
}

/* Where s is listed. Looking for it touches nothing but the unit; a place kept in each split would have to follow. */
static uint32_t mimd_place_of(const struct unit *u, const struct mech_split *s) {
    uint32_t at = 0;
    while (u->v[at].id != s->id) at++;
    return at;
}

static void unlist(struct unit *u, struct mech_split *s, uint32_t at) {
    u->v[at] = u->v[--u->n];
    s->own[LISTED] = false;
}

static struct mech_split *mimd_divide(struct mech *m, struct mech_split *s, uint32_t mask) {
    struct mech_set part;
    set_one(&part, s->set.p[0].warp, mask);
    struct mech_split *t = split_divide(m, s, &part);
    t->age = s->age;
    return t;
}

/* A listed group at the same PC that can issue from the same cycle on as s. */
static struct mech_split *company(struct mech *m, const struct unit *u, const struct mech_split *s) {
    for (uint32_t i = 0; i < u->n; i++) {
        if (u->v[i].pc != s->pc) continue;
        struct mech_split *g = split_known(m->pool, u->v[i].id);
        uint64_t at = m->env.when(m->env.sm, s);
        if (at == g->wake || (at <= *m->env.now && g->wake <= *m->env.now)) return g;
    }
    return NULL;
}

static bool ready(const struct mech *m, const struct mech_split *s) {
    return s->wake <= *m->env.now && m->env.when(m->env.sm, s) <= *m->env.now;
}

/* Merges into s, which is picked and not listed, the groups of its unit that could issue the same instruction now. */
static void mimd_collect(struct mech *m, struct unit *u, struct mech_split *s) {
    for (uint32_t i = u->n; i-- > 0;) {
        if (u->v[i].pc != s->pc) continue;
        struct mech_split *g = split_known(m->pool, u->v[i].id);
        if (!ready(m, g)) continue;
        unlist(u, g, i);
        split_merge(m, s, g);
    }
}

/* s, picked and still listed at `at`, lets the last of its unit go first: they exchange what they are. */
static void give_way(struct mech *m, struct unit *u, struct mech_split *s, uint32_t at) {
    if (s->own[PASSED] >= PATIENCE) return;
    uint32_t last = at;
    for (uint32_t i = 0; i < u->n; i++) last = u->v[i].pc < u->v[last].pc ? i : last;
    if (last == at) return;
    struct mech_split *t = split_known(m->pool, u->v[last].id);
    if (!ready(m, t)) return;
    const uint32_t pc = s->pc, passed = s->own[PASSED] + 1;
    s->pc = t->pc;
    s->own[PASSED] = t->own[PASSED];
    t->pc = u->v[last].pc = pc;
    t->own[PASSED] = passed;
    split_exchange(m->pool, s, t);
}

/* s, picked by the order, is ready for a packet: what is last of its unit, and all of that there is. */
static void mimd_prepare(struct mech *m, struct mech_split *s) {
    struct unit *u = unit_of(m, s);
    const uint32_t at = mimd_place_of(u, s);
    if (u->n > 1) give_way(m, u, s, at);
    unlist(u, s, at);
    if (u->n) mimd_collect(m, u, s);
    s->own[PASSED] = 0;
}

/* s waits for an event. Those of `lanes` whose threads need not wait go on as a group of their own. */
static void set_free(struct mech *m, struct mech_split *s, uint32_t lanes) {
    const uint32_t warp = s->set.p[0].warp, mask = s->set.p[0].mask;
    uint32_t ready = 0;
    struct mech_split one;
    memcpy(&one, s, offsetof(struct mech_split, set));
    one.threads = 1;
    FOR_LANES(l, lanes & mask) {
        set_one(&one.set, warp, 1u << l);
        if (m->env.when(m->env.sm, &one) != MECH_NEVER) ready |= 1u << l;
    }
    if (!ready || ready == mask) return;
    struct mech_split *t = mimd_divide(m, s, ready);
    mimd_list(unit_of(m, t), t, t->pc);
    order_add(m->order, t);
}

/* s, in no list and no order, may be scheduled at that PC. */
static void mimd_go(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct unit *u = unit_of(m, s);
    s->pc = pc;
    s->age = u->age;
    s->in_flight = false;
    struct mech_split *g = u->n ? company(m, u, s) : NULL;
    if (g) {
        split_merge(m, g, s);
        return;
    }
    mimd_list(u, s, pc);
    order_add(m->order, s);
    if (s->wake == MECH_NEVER && s->threads > 1) set_free(m, s, ~0u);
}

/* ---- the interface ---- */

static void launch_unit(struct mech *m, uint32_t pc, uint32_t warp, uint32_t mask, uint32_t unit,
                        uint32_t sched) {
    struct mech_split *s = split_new(m, sched, pc);
    s->own[UNIT] = unit;
    struct mech_set set;
    set_one(&set, warp, mask);
    split_assign(m->pool, s, &set);
    ((struct mimd *)m->self)->unit[unit].age = s->age;
    mimd_go(m, s, pc);
}

static void mimd_launch(struct mech *m, const struct mech_block *b) {
    struct split_home home;
    split_launch(m->pool, b);
    for (uint32_t k = 0; split_home_at(m->pool, b, k, &home); k++)
        for (uint32_t i = 0; i < home.set.n; i++) /* beyond one piece, a home warp's number is a slot's */
            launch_unit(m, b->pc, home.set.p[i].warp, home.set.p[i].mask, home.id + i, home.sched);
}

/* The first n lanes of s in a group of their own, in flight; s is schedulable again. */
static struct mech_split *take_some(struct mech *m, struct mech_split *s, uint32_t n) {
    uint32_t rest = s->set.p[0].mask;
    for (uint32_t k = 0; k < n; k++) rest &= rest - 1;
    struct mech_split *t = mimd_divide(m, s, s->set.p[0].mask & ~rest);
    t->in_flight = true;
    mimd_list(unit_of(m, s), s, s->pc);
    order_add(m->order, s);
    return t;
}

static bool mimd_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    uint32_t room = m->env.warp_size;
    p->n = 0;
    for (struct mech_split *s; room && (s = order_pick(m->order, sched, *m->env.now));) {
        mimd_prepare(m, s);
        if (s->threads > room) s = take_some(m, s, room);
        p->split[p->n++] = s;
        room -= s->threads;
    }
    if (!p->n) return false;
    split_sample(m);
    return true;
}

static bool mimd_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    mimd_go(m, s, to);
    return true;
}

static void mimd_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n)
        mimd_go(m, s, o->side[0].pc);
    else
        split_part(m, s, o, mimd_go);
}

static bool mimd_memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    if (set_empty(ready) || set_equal(ready, &s->set)) return false;
    struct mech_split *t = split_divide(m, s, ready);
    mimd_go(m, t, s->pc + 1);
    return true;
}

static void mimd_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    set_copy(&left, set);
    for (struct mech_split *s; (s = split_released(m, &left));) mimd_go(m, s, pc);
}

static void mimd_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    (void)warp; /* a group has one */
    if (!s->own[LISTED]) return;
    order_wake(m->order, s);
    if (s->wake == MECH_NEVER && s->threads > 1) set_free(m, s, mask);
}

/* A bank of PCs for each lane, which runs a thread of its own. */
static void mimd_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t lanes = m->env.warp_size < 32 ? m->env.warp_size : 32;
    storage_add(out, (struct mech_array){.name = "thread_pc",
                                         .arrays = lanes,
                                         .entries = (uint64_t)m->env.warps * 32 / lanes,
                                         .bits = 32});
    out->lane_decoders = true;
}

static void mimd_audit(const struct mech *m) {
    const struct mimd *d = m->self;
    uint32_t listed = 0;
    split_audit(m, true);
    FOR_SPLITS(s, m->pool) {
        CHECK(s->set.n == 1 && !(s->own[LISTED] && s->in_flight));
        if (!s->own[LISTED]) continue;
        const struct unit *u = unit_of(m, s);
        const uint32_t at = mimd_place_of(u, s);
        CHECK(at < u->n && u->v[at].pc == s->pc);
        listed++;
    }
    for (uint32_t k = 0; k < split_homes(&m->env); k++) listed -= d->unit[k].n;
    CHECK(!listed);
}

extern const struct mech_ops mech_mimd;
const struct mech_ops mech_mimd = {
    .name = "mimd",
    .title = "MIMD",
    .source = "DWF 2.1.4, 5.1.1",
    .caps = MECH_ANY_CODE | MECH_PROGRESS | MECH_AT_HOME,
    .self_bytes = sizeof(struct mimd),
    .create = mimd_create,
    .launch = mimd_launch,
    .select = mimd_select,
    .commit = mimd_commit,
    .advance = mimd_advance,
    .memory = mimd_memory,
    .release = mimd_release,
    .wake = mimd_wake,
    .storage = mimd_storage,
    .audit = mimd_audit,
};
