/* MIMD: any ready threads on any free lanes of the same pipeline, each with its own PC (004 2.1.4, 5.1.1). The bound the
 * others are measured against: up to W threads issue together, a new packet every scheduler cycle.
 *
 * Threads would be one split each. To execute them at a fraction of that cost, threads of a *unit* (an architectural warp,
 * or the machine warp if that is narrower, so that a unit has one scheduler) that are at the same PC and ready at the same
 * time are kept in one split, a group. Groups cost no thread a cycle: a packet takes as much of a group as it has lanes
 * free; groups merge only if both could issue now; and a group that has to wait for an event is taken apart, so that
 * threads that need not wait (wake, memory) go on. Threads of a group may be at different call depths: nothing here
 * depends on where they came from.
 *
 * Groups that may be scheduled are in a list per unit, where those that arrive look for company. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/order.h"
#include "mech/set.h"
#include "mech/split.h"

struct mimd {
    uint32_t *head; /* by unit: its first schedulable group, or SPLIT_NONE */
};

enum { UNIT, NEXT, PREV, LISTED }; /* split.own */

static bool create(struct mech *m, struct err *e) {
    (void)e;
    struct mimd *d = m->self = xcalloc(1, sizeof *d);
    uint32_t units = split_homes(&m->env);
    d->head = xmalloc(units * sizeof *d->head);
    for (uint32_t u = 0; u < units; u++) d->head[u] = SPLIT_NONE;
    return true;
}

static void destroy(struct mech *m) {
    struct mimd *d = m->self;
    free(d->head);
    free(d);
}

/* ---- groups of a unit ---- */

static void list(struct mech *m, struct mech_split *s) {
    struct mimd *d = m->self;
    uint32_t *head = &d->head[s->own[UNIT]];
    if (*head != SPLIT_NONE) split_at(m->pool, *head)->own[PREV] = s->id;
    s->own[NEXT] = *head;
    s->own[PREV] = SPLIT_NONE;
    s->own[LISTED] = true;
    *head = s->id;
}

static void unlist(struct mech *m, struct mech_split *s) {
    struct mimd *d = m->self;
    uint32_t prev = s->own[PREV], next = s->own[NEXT];
    *(prev == SPLIT_NONE ? &d->head[s->own[UNIT]] : &split_at(m->pool, prev)->own[NEXT]) = next;
    if (next != SPLIT_NONE) split_at(m->pool, next)->own[PREV] = prev;
    s->own[LISTED] = false;
}

static struct mech_split *divide(struct mech *m, struct mech_split *s, uint32_t mask) {
    struct mech_set part;
    set_one(&part, s->set.p[0].warp, mask);
    return split_divide(m, s, &part);
}

/* A group at the same PC that could issue now, if s could too. */
static struct mech_split *company(struct mech *m, const struct mech_split *s) {
    const struct mimd *d = m->self;
    for (uint32_t id = d->head[s->own[UNIT]]; id != SPLIT_NONE;) {
        struct mech_split *g = split_at(m->pool, id);
        if (g->pc == s->pc && g->wake <= *m->env.now)
            return m->env.when(m->env.sm, s) <= *m->env.now ? g : NULL;
        id = g->own[NEXT];
    }
    return NULL;
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
    struct mech_split *t = divide(m, s, ready);
    list(m, t);
    order_add(m->order, t);
}

/* s, in no list and no order, may be scheduled at its PC. */
static void go(struct mech *m, struct mech_split *s) {
    s->in_flight = false;
    struct mech_split *g = company(m, s);
    if (g) {
        split_merge(m, g, s);
        return;
    }
    list(m, s);
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
    go(m, s);
}

static void launch(struct mech *m, const struct mech_block *b) {
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
    struct mech_split *t = divide(m, s, s->set.p[0].mask & ~rest);
    t->in_flight = true;
    list(m, s);
    order_add(m->order, s);
    return t;
}

static bool choose(struct mech *m, uint32_t sched, struct mech_packet *p) {
    uint32_t room = m->env.warp_size;
    p->n = p->charge = p->register_stall = 0;
    for (struct mech_split *s; room && (s = order_pick(m->order, sched, *m->env.now));) {
        unlist(m, s);
        if (s->threads > room) s = take_some(m, s, room);
        p->split[p->n++] = s;
        room -= s->threads;
    }
    if (!p->n) return false;
    p->pc = p->split[0]->pc;
    split_sample(m);
    return true;
}

static void commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (!s->threads) {
        split_free(m, s);
        return;
    }
    if (!o->nsides) { /* all that are left wait: parked */
        s->pc = o->pc + 1;
        order_remove(m->order, s);
        return;
    }
    if (o->waiting.n) split_divide(m, s, &o->waiting)->pc = o->pc + 1;
    if (o->nsides > 1) {
        m->stats.divergences++;
        m->stats.sides += o->nsides;
    }
    for (uint32_t k = 1; k < o->nsides; k++) {
        struct mech_split *t = split_divide(m, s, &o->side[k].set);
        t->pc = o->side[k].pc;
        go(m, t);
    }
    s->pc = o->side[0].pc;
    go(m, s);
}

static bool memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    if (set_empty(ready) || set_equal(ready, &s->set)) return false;
    struct mech_split *t = split_divide(m, s, ready);
    t->pc = s->pc + 1;
    go(m, t);
    return true;
}

static void release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    set_copy(&left, set);
    for (struct mech_split *s; (s = split_released(m, &left));) {
        s->pc = pc;
        go(m, s);
    }
}

static void wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    (void)warp; /* a group has one */
    if (!s->own[LISTED]) return;
    order_wake(m->order, s);
    if (s->wake == MECH_NEVER && s->threads > 1) set_free(m, s, mask);
}

static void census(const struct mech *m, struct mech_census *c) {
    (void)m;
    *c = (struct mech_census){0};
}

static void state(const struct mech *m, struct sb *out) {
    FOR_SPLITS(s, m->pool) {
        split_print(m, s, out);
        sb_add(out, "\n");
    }
}

static void storage(const struct mech *m, struct sb *out) {
    sb_add(out, "thread_pc %" PRIu64 "\n", (uint64_t)m->env.warps * 32 * 32);
}

static void audit(const struct mech *m) {
    const struct mimd *d = m->self;
    split_audit(m, true);
    for (uint32_t u = 0; u < split_homes(&m->env); u++)
        for (uint32_t id = d->head[u]; id != SPLIT_NONE; id = split_at(m->pool, id)->own[NEXT])
            CHECK(split_at(m->pool, id) && split_at(m->pool, id)->own[UNIT] == u);
    FOR_SPLITS(s, m->pool) {
        CHECK(s->set.n == 1);
        CHECK(!(s->own[LISTED] && s->in_flight));
    }
}

extern const struct mech_ops mech_mimd;
const struct mech_ops mech_mimd = {
    .name = "mimd",
    .title = "MIMD",
    .source = "DWF 2.1.4, 5.1.1",
    .caps = MECH_RECURSION | MECH_INDIRECT | MECH_UNSTRUCTURED | MECH_PROGRESS,
    .params = (const struct mech_param[]){{0}},
    .counters = (const struct mech_counter[]){{0}},
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .select = choose,
    .commit = commit,
    .memory = memory,
    .release = release,
    .wake = wake,
    .census = census,
    .state = state,
    .storage = storage,
    .audit = audit,
};
