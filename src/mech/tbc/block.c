/* Blocks and their warps: what a commit, a barrier and an exit mean to the warp they happen to. What they mean to the stack is
 * in branch.c.
 *
 * A warp goes on by itself until it comes to its side's reconvergence point, to its likely-convergence point, or to a branch
 * at which threads of a block may diverge (cfg/uniform.h). A thread that waits at a barrier or .sync holds the others of its
 * warp, as in pdom: the warp is one instruction stream. The members of a .sync may be in several warps of a side, or of
 * several schedulers; each holds its warp until all are there. Members on different sides of a branch wait for ever.
 *
 * Where a block is spread over schedulers, each has a stack for its part of it, because lanes belong to one SIMD group: our
 * choice, the paper's SMs have one. */
#include <string.h>

#include "base/alloc.h"
#include "cfg/likely.h"
#include "cfg/uniform.h"
#include "mech/tbc/tbc.h"

/* ---- making ---- */

const void *tbc_prepare(const struct mech_program *p, struct arena *mem, struct err *e) {
    (void)e;
    const size_t n = p->module->code.n + 1;
    struct tbc_tables *t = ARENA_NEW(mem, struct tbc_tables, 1);
    uint8_t *varies = cfg_uniform(p->module, p->cfg), *kept = ARENA_NEW(mem, uint8_t, n);
    uint32_t *likely = cfg_likely(p->module, p->cfg), *points = ARENA_NEW(mem, uint32_t, n);
    for (size_t pc = 0; pc < n; pc++) {
        kept[pc] = pc + 1 < n && varies[pc] & CFG_VARIES_BLOCK;
        points[pc] = likely[pc];
    }
    xfree(varies);
    xfree(likely);
    *t = (struct tbc_tables){kept, points};
    return t;
}

bool tbc_create(struct mech *m, struct err *e) {
    (void)e;
    struct tbc *t = m->self;
    struct pages *pages = m->env.pages;
    const uint32_t cap = m->pool->cap;
    t->code = m->env.tables;
    t->row = m->env.warps < STACK_WORDS ? m->env.warps : STACK_WORDS;
    t->block = PAGES_NEW(pages, struct tbc_block, (size_t)m->env.warps * m->env.schedulers);
    t->w = PAGES_NEW(pages, struct tbc_warp, cap);
    t->pos = PAGES_NEW(pages, uint32_t, cap);
    t->later = PAGES_NEW(pages, struct heap, m->env.schedulers);
    for (uint32_t k = 0; k < m->env.schedulers; k++) t->later[k] = heap_new(pages, t->pos);
    t->way = PAGES_NEW(pages, struct tbc_way, MECH_SIDES);
    t->way_set = PAGES_NEW(pages, struct mech_set, MECH_SIDES);
    return true;
}

/* ---- blocks ---- */

static struct tbc_block *block_open(struct mech *m, const struct mech_block *from, uint32_t sched) {
    struct tbc *t = m->self;
    struct tbc_block *b = &t->block[(size_t)from->first * m->env.schedulers + sched];
    if (b->njoins) return b;
    CHECK(from->warps <= t->row);
    b->first = from->first;
    b->words = from->warps;
    b->sched = sched;
    memset(b->all, 0, sizeof b->all);
    struct tbc_join *bottom = tbc_join_new(m, b);
    bottom->side = NULL;
    bottom->pc = bottom->rpc = IR_NOPC;
    bottom->rdepth = -1;
    bottom->top = tbc_side_new(m, bottom, from->pc, 0);
    bottom->top->live = true;
    return b;
}

void tbc_launch(struct mech *m, const struct mech_block *from) {
    struct split_home home;
    split_launch(m->pool, from);
    for (uint32_t k = 0; split_home_at(m->pool, from, k, &home); k++) {
        struct tbc_block *b = block_open(m, from, home.sched);
        struct tbc_side *n = b->join[0]->top;
        struct mech_split *s = tbc_warp_new(m, b, n, &home.set, from->pc, 0, 0);
        tbc_put(n->mask, b->first, &home.set);
        tbc_put(b->all, b->first, &home.set);
        n->threads += s->threads;
        order_add(m->order, s);
    }
}

/* ---- commit ---- */

/* Where the threads of s go; after a call or return those of one PC are told apart by depth. */
static uint32_t find_ways(struct mech *m, const struct mech_split *s, const struct mech_outcome *o) {
    struct tbc *t = m->self;
    uint32_t n = 0;
    for (uint32_t k = 0; k < o->nsides; k++) {
        const struct mech_set *set = &o->side[k].set;
        const uint32_t from = n;
        if (!o->depth_change) {
            t->way[n++] = (struct tbc_way){o->side[k].pc, t->w[s->id].depth, set};
            continue;
        }
        for (uint32_t p = 0; p < set->n; p++) FOR_LANES(l, set->p[p].mask) {
                const int32_t depth = (int32_t)m->env.depth(m->env.sm, set->p[p].warp, l);
                uint32_t i = from;
                while (i < n && t->way[i].depth != depth) i++;
                CHECK(i < MECH_SIDES);
                if (i == n) {
                    t->way_set[n].n = 0;
                    t->way[n] = (struct tbc_way){o->side[k].pc, depth, &t->way_set[n]};
                    n++;
                }
                set_add(&t->way_set[i], set->p[p].warp, 1u << l);
            }
    }
    return n;
}

/* Threads that exited are gone from their side, and from every join below it. */
static void tbc_block_leave(struct mech *m, struct tbc_block *b, struct mech_split *s,
                            const struct mech_set *gone) {
    const struct tbc *t = m->self;
    struct tbc_side *n = t->w[s->id].side;
    n->threads -= set_count(gone);
    tbc_take(n->mask, b->first, gone);
    for (struct tbc_join *j = n->join; j->side; j = j->side->join) tbc_take(j->mask, b->first, gone);
    split_exit(m->pool, s, gone);
}

/* The warp waits: those of it that do, and the others with them. */
static void block_warp(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct tbc *t = m->self;
    CHECK(!o->exited.n && o->nsides <= 1 && (!o->nsides || o->side[0].pc == o->pc + 1));
    t->w[s->id].waits = set_count(&o->waiting);
    t->w[s->id].side->blocked++;
    s->pc = o->pc + 1;
    order_remove(m->order, s);
}

void tbc_go(struct mech *m, struct tbc_block *b, struct mech_split *s, uint32_t pc, int32_t depth) {
    struct tbc *t = m->self;
    struct tbc_side *n = t->w[s->id].side;
    uint32_t mask[STACK_WORDS] = {0};
    tbc_put(mask, b->first, &s->set);
    struct tbc_side *to = tbc_place(m, n, mask, s->threads, pc, depth);
    s->pc = pc;
    t->w[s->id].depth = depth;
    if (to != n) tbc_warp_leave(m, s);
    if (!to) {
        tbc_warp_retire(m, b, s);
        return;
    }
    if (to != n) tbc_warp_enter(m, s, to);
    order_add(m->order, s);
}

/* Nothing changes for the stack as long as other warps of the side run, unless one waits at a branch for this one. */
static void tbc_block_after(struct mech *m, struct tbc_block *b, const struct tbc_side *n) {
    const struct tbc *t = m->self;
    if (!n->warps || (n->gather && (n->blocked || t->by_place))) tbc_turn(m, b);
}

static void step_on(struct mech *m, struct tbc_block *b, struct mech_split *s, uint32_t pc, int32_t depth) {
    struct tbc *t = m->self;
    t->w[s->id].backs += pc <= s->pc;
    tbc_go(m, b, s, pc, depth);
}

static void tbc_block_commit_slow(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct tbc *t = m->self;
    struct tbc_block *b = t->w[s->id].block;
    struct tbc_side *n = t->w[s->id].side;
    if (o->exited.n) tbc_block_leave(m, b, s, &o->exited);
    if (o->waiting.n) {
        block_warp(m, s, o);
    } else if (!s->threads) {
        tbc_warp_leave(m, s);
        tbc_warp_retire(m, b, s);
    } else {
        const uint32_t ways = find_ways(m, s, o);
        if (ways > 1 || t->code->varies[o->pc])
            tbc_branch(m, b, s, o, ways);
        else
            step_on(m, b, s, t->way[0].pc, t->way[0].depth);
    }
    tbc_block_after(m, b, n);
    if (s->in_flight) order_remove(m->order, s); /* its slot has no warp now */
}

void tbc_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct tbc *t = m->self;
    struct tbc_warp *w = &t->w[s->id];
    const struct tbc_side *n = w->side;
    const uint32_t pc = o->nsides ? o->side[0].pc : 0, backs = w->backs;
    if (o->nsides != 1 || o->exited.n || o->waiting.n || o->depth_change || t->code->varies[o->pc] ||
        pc == n->rpc || pc == n->lpc) {
        tbc_block_commit_slow(m, s, o);
        return;
    }
    s->pc = pc;
    w->backs += pc <= o->pc;
    order_add(m->order, s);
    if (t->by_place && n->gather && tbc_passed(m, s, o->pc, backs)) tbc_turn(m, w->block);
}

void tbc_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct tbc *t = m->self;
    struct mech_set left, part;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_first_of(m->pool, &left, &part);
        struct tbc_warp *w = &t->w[s->id];
        struct tbc_side *n = w->side;
        CHECK(s->pc == pc && w->waits >= set_count(&part));
        w->waits -= set_count(&part);
        if (w->waits) continue;
        n->blocked--;
        tbc_go(m, w->block, s, pc, w->depth);
        tbc_block_after(m, w->block, n);
    }
}
