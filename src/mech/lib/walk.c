/* The control unit and its threads. A unit whose warp has no thread that could run is parked. Its split stays, since
 * the waiting threads come back to it. */
#include "mech/lib/walk.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"

/* The blocks of a function in the order of their priorities, behind what is placed already. */
static uint32_t place_blocks(const struct cfg *c, uint32_t func, uint32_t at, uint32_t *place,
                             uint32_t *pc_at) {
    const struct cfg_func *f = &c->funcs[func];
    uint32_t *by_priority = xcalloc(f->nblocks, sizeof *by_priority);
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++) by_priority[c->blocks[b].priority] = b;
    for (uint32_t k = 0; k < f->nblocks; k++) {
        const struct cfg_block *b = &c->blocks[by_priority[k]];
        for (uint32_t pc = b->first; pc < b->end; pc++) {
            place[pc] = at;
            pc_at[at++] = pc;
        }
    }
    xfree(by_priority);
    return at;
}

const struct walk_order *walk_by_priority(const struct mech_program *p, struct arena *mem) {
    const uint32_t n = (uint32_t)p->module->code.n;
    struct walk_order *order = ARENA_NEW(mem, struct walk_order, 1);
    uint32_t *place = ARENA_NEW(mem, uint32_t, n), *pc_at = ARENA_NEW(mem, uint32_t, n), at = 0;
    for (uint32_t f = 0; f < p->module->funcs.n; f++) at = place_blocks(p->cfg, f, at, place, pc_at);
    *order = (struct walk_order){place, pc_at};
    return order;
}

void walk_create(const struct mech *m, struct walk *w, const uint32_t *place, const uint32_t *pc_at) {
    sorted_create(m, &w->sorted);
    w->sorted.pc_at = pc_at;
    w->place = place;
    w->home = PAGES_NEW(m->env.pages, struct walk_home, split_homes(&m->env));
}

void walk_start(struct mech *m, struct walk *w, struct mech_split *s, uint32_t home) {
    struct walk_home *h = &w->home[home];
    s->own[WALK_HOME] = home;
    *h = (struct walk_home){.run = s};
    sorted_start(m, &w->sorted, &h->list, home, &s->set);
    h->key = sorted_key(sorted_depth_of(m, &w->sorted, &s->set), walk_place(w, s->pc));
    order_add(m->order, s);
}

uint32_t walk_scatter(struct mech *m, struct walk *w, struct walk_home *h, const struct mech_outcome *o) {
    const uint32_t depth = sorted_depth(h->key);
    struct mech_split *s = h->run;
    uint32_t made = 0;
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (o->nsides > 1) sorted_diverge(m, &w->sorted, o);
    split_unbind(m->pool, &s->set);
    s->set.n = s->threads = 0;
    if (o->waiting.n) sorted_block(&h->list, &o->waiting, sorted_key(depth, walk_place(w, o->pc + 1)));
    for (uint32_t k = 0; k < o->nsides; k++) {
        const struct mech_side *side = &o->side[k];
        const uint32_t now = o->depth_change ? sorted_depth_of(m, &w->sorted, &side->set) : depth;
        made += !sorted_stand(&w->sorted, &h->list, &side->set, sorted_key(now, walk_place(w, side->pc)));
    }
    return made;
}

void walk_stop(struct mech *m, struct walk *w, struct walk_home *h) {
    struct mech_split *s = h->run;
    order_remove(m->order, s);
    if (!s->threads) return;
    split_unbind(m->pool, &s->set);
    sorted_stand(&w->sorted, &h->list, &s->set, h->key);
    s->set.n = s->threads = 0;
}

uint32_t walk_to(struct mech *m, struct walk *w, struct walk_home *h, uint64_t key) {
    struct mech_split *s = h->run;
    uint32_t met = 0;
    h->key = key;
    s->pc = sorted_pc(&w->sorted, key);
    struct mech_set set;
    if (sorted_take_at(&w->sorted, &h->list, key, &set)) {
        split_assign(m->pool, s, &set);
        met = sorted_meet(m, &w->sorted, &set, s->pc);
    } else {
        mech_event(m, "no thread at %" PRIu32, s->pc);
    }
    order_add(m->order, s);
    return met;
}

void walk_rest(struct mech *m, struct walk_home *h) {
    if (h->list.blocked.n) {
        order_remove(m->order, h->run);
        return;
    }
    split_free(m, h->run);
    h->run = NULL;
}

void walk_release(struct mech *m, struct walk *w, const struct mech_set *set, uint32_t pc,
                  void (*arrived)(struct mech *m, struct walk_home *h)) {
    for (int pass = 0; pass < 2; pass++) /* all of a warp stand before its unit looks */
        for (uint32_t k = 0; k < set->n; k++)
            for (uint32_t left = set->p[k].mask; left;) {
                const uint32_t warp = set->p[k].warp, lane = (uint32_t)__builtin_ctz(left);
                const uint32_t here = split_next_part(m->pool, &left);
                struct walk_home *h = &w->home[split_home_of(m->pool, warp, lane)];
                if (pass)
                    arrived(m, h);
                else
                    sorted_unblock(&w->sorted, &h->list, warp, here, walk_place(w, pc));
            }
}

/* ---- for people ---- */

void walk_census(const struct mech *m, struct mech_census *c) {
    const struct walk *w = m->self;
    *c = (struct mech_census){.inactive_path = w->sorted.standing};
}

void walk_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct walk *w = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++)
        if (w->home[k].run) sorted_places(&w->sorted, &w->home[k].list, put, user);
}

void walk_state(const struct mech *m, struct sb *out) {
    const struct walk *w = m->self;
    for (uint32_t k = 0; k < split_homes(&m->env); k++) {
        const struct walk_home *h = &w->home[k];
        if (!h->run) continue;
        if (h->run->threads || !order_parked(h->run))
            sorted_print(&w->sorted, k, h->key, &h->run->set,
                         h->run->threads ? "running" : "passed without threads", h->run, out);
        sorted_state(&w->sorted, &h->list, k, out);
    }
}

static void walk_audit_home(const struct mech *m, const struct walk *w, const struct walk_home *h,
                            bool first) {
    const struct mech_split *run = h->run;
    sorted_audit_depths(m, &w->sorted, &h->list);
    if (run->in_flight) return;
    if (order_parked(run)) {
        CHECK(!run->threads && h->list.limit == SORTED_NONE && h->list.blocked.n);
        return;
    }
    CHECK((h->key < h->list.limit || !first) && run->pc == sorted_pc(&w->sorted, h->key));
    CHECK(run->threads || h->list.limit != SORTED_NONE);
    sorted_audit_depth(m, &w->sorted, &run->set, h->key);
}

void walk_audit(const struct mech *m, const struct walk *w, bool first) {
    const struct split_pool *pool = m->pool;
    uint32_t *seen = xcalloc(pool->slots, sizeof *seen), standing = 0;
    split_audit(m, false);
    FOR_SPLITS(s, pool) {
        CHECK(s == walk_home_of(w, s)->run);
        for (uint32_t k = 0; k < s->set.n; k++) sorted_see(&seen[s->set.p[k].warp], s->set.p[k].mask);
    }
    for (uint32_t i = 0; i < split_homes(&m->env); i++) {
        const struct walk_home *h = &w->home[i];
        if (!h->run) continue;
        standing += sorted_audit(&h->list, seen);
        walk_audit_home(m, w, h, first);
    }
    for (uint32_t k = 0; k < pool->slots; k++) CHECK(seen[k] == pool->present[k]);
    CHECK(standing == w->sorted.standing);
    xfree(seen);
}
