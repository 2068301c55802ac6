/* Joins, sides and gathers of the stacks: made when first needed, then reused, so that a run settles without allocating. */
#include <string.h>

#include "mech/tbc/tbc.h"

struct tbc_join *tbc_join_new(struct mech *m, struct tbc_block *b) {
    struct tbc *t = m->self;
    struct tbc_join *j = t->free_joins;
    const size_t mask = t->row * sizeof j->mask[0];
    if (j)
        t->free_joins = j->next;
    else
        j = pages_raw(m->env.pages, sizeof *j + mask);
    memset(j, 0, sizeof *j + mask);
    PAGES_GROW(m->env.pages, b->join, b->njoins, b->cap_joins);
    b->join[b->njoins++] = j;
    return j;
}

void tbc_join_free(struct tbc *t, struct tbc_block *b, struct tbc_join *j) {
    uint32_t k = 0;
    while (b->join[k] != j) k++;
    memmove(&b->join[k], &b->join[k + 1], (--b->njoins - k) * sizeof *b->join);
    j->next = t->free_joins;
    t->free_joins = j;
}

struct tbc_side *tbc_side_new(struct mech *m, struct tbc_join *j, uint32_t pc, int32_t depth) {
    struct tbc *t = m->self;
    struct tbc_side *n = t->free_sides;
    const size_t mask = t->row * sizeof n->mask[0];
    if (n)
        t->free_sides = n->below;
    else
        n = pages_raw(m->env.pages, sizeof *n + mask);
    memset(n, 0, sizeof *n + mask);
    n->join = j;
    n->pc = pc;
    n->depth = depth;
    n->rpc = j->rpc;
    n->rdepth = j->rdepth;
    n->lpc = IR_NOPC;
    n->first = SPLIT_NONE;
    return n;
}

void tbc_side_free(struct tbc *t, struct tbc_side *n) {
    n->below = t->free_sides;
    t->free_sides = n;
}

struct tbc_gather *tbc_gather_new(struct mech *m, struct tbc_side *n, const struct mech_outcome *o,
                                  const struct tbc_warp *w) {
    struct tbc *t = m->self;
    struct tbc_gather *g = t->free_gathers;
    if (g)
        t->free_gathers = g->next;
    else
        g = PAGES_NEW(m->env.pages, struct tbc_gather, 1);
    *g = (struct tbc_gather){.pc = o->pc,
                             .rpc = o->insn->rpc,
                             .depth = w->depth,
                             .backs = w->backs,
                             .parked = SPLIT_NONE,
                             .last = SPLIT_NONE,
                             .next = n->gather,
                             .cap = g->cap,
                             .arm = g->arm};
    n->gather = g;
    return g;
}

void tbc_gather_take(struct tbc_side *n, struct tbc_gather *g) {
    struct tbc_gather **at = &n->gather;
    while (*at != g) at = &(*at)->next;
    *at = g->next;
}

void tbc_gather_free(struct tbc *t, struct tbc_gather *g) {
    g->next = t->free_gathers;
    t->free_gathers = g;
}

struct tbc_arm *tbc_arm_of(struct mech *m, struct tbc_gather *g, uint32_t pc, int32_t depth) {
    const struct tbc *t = m->self;
    for (uint32_t k = 0; k < g->narms; k++)
        if (g->arm[k].pc == pc && g->arm[k].depth == depth) return &g->arm[k];
    if (g->narms == g->cap) {
        const uint32_t cap = g->cap ? 2 * g->cap : 2;
        g->arm = pages_more(m->env.pages, g->arm, g->cap * sizeof *g->arm, cap * sizeof *g->arm);
        for (uint32_t k = g->cap; k < cap; k++) g->arm[k].mask = PAGES_NEW(m->env.pages, uint32_t, t->row);
        g->cap = cap;
    }
    struct tbc_arm *a = &g->arm[g->narms++];
    *a = (struct tbc_arm){.pc = pc, .depth = depth, .mask = a->mask};
    memset(a->mask, 0, t->row * sizeof *a->mask);
    return a;
}
