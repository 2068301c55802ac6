/* The blocks of reconvergence regions (regions.c says what they are): from the branches whose threads meet at a join R, along
 * the edges that count, to R. Regions are found from the deepest R in the post-dominator tree outwards; a finished
 * one is one step for those around it, so the whole is near-linear. */
#include "cfg/graph.h"

static uint32_t top_of(struct growth *k, uint32_t q) {
    while (k->top.v[q] != q) q = k->top.v[q] = k->top.v[k->top.v[q]];
    return q;
}

/* Makes a finished region part of r, and goes on with what comes after it. */
static void grow_absorb(struct growth *k, uint32_t inner, uint32_t r) {
    inner = top_of(k, inner);
    if (inner == r) return;
    struct grown *q = &k->v.v[inner];
    q->parent = r;
    k->top.v[inner] = r;
    k->v.v[r].nblocks += q->nblocks;
    VEC_PUSH(&k->todo, q->join);
}

static void add_end(struct growth *k, uint32_t v, uint32_t r) {
    const struct graph *g = &k->w->g;
    if (k->of_end[v] != CFG_NONE) {
        grow_absorb(k, k->of_end[v], r);
        return;
    }
    k->of_end[v] = r;
    k->v.v[r].nblocks++;
    for (uint32_t s = g->sfirst[v]; s < g->sfirst[v + 1]; s++)
        if (edge_counts(k->w, v, g->succ[s])) VEC_PUSH(&k->todo, g->succ[s]);
}

static void add_block(struct growth *k, uint32_t v, uint32_t r) {
    if (v == k->v.v[r].join) return;
    if (k->of_start[v] == CFG_NONE) {
        k->of_start[v] = r;
        if (k->at_join[v] != CFG_NONE) grow_absorb(k, k->at_join[v], r);
    }
    add_end(k, v, r);
}

/* Sorts the branches by their joins, the deepest in the post-dominator tree first. */
static uint32_t *sort_branches(struct growth *k, uint32_t *n) {
    struct work *w = k->w;
    uint32_t *depth = ARENA_NEW(&w->mem, uint32_t, w->n + 1), *path = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    uint32_t *order = ARENA_NEW(&w->mem, uint32_t, w->n), *start = ARENA_NEW(&w->mem, uint32_t, w->n + 2);
    *n = 0;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t np = 0, x = v;
        if (w->number[v] == CFG_NONE) continue;
        for (; x < w->n && !depth[x]; x = w->ipdom[x]) path[np++] = x;
        for (uint32_t d = x < w->n ? depth[x] : 0; np;) depth[path[--np]] = ++d;
    }
    for (uint32_t v = 0; v < w->n; v++)
        if (k->branch[v]) start[w->n - depth[w->ipdom[v]] + 1]++, ++*n;
    for (uint32_t d = 0; d <= w->n; d++) start[d + 1] += start[d];
    for (uint32_t v = 0; v < w->n; v++)
        if (k->branch[v]) order[start[w->n - depth[w->ipdom[v]]]++] = v;
    return order;
}

static void cfg_grow(struct growth *k, uint32_t branch) {
    uint32_t join = k->w->ipdom[branch], r = k->at_join[join];
    if (r == CFG_NONE) {
        r = k->at_join[join] = (uint32_t)k->v.n;
        VEC_PUSH(&k->v, (struct grown){.join = join, .parent = CFG_NONE});
        VEC_PUSH(&k->top, r);
    }
    k->todo.n = 0;
    add_end(k, branch, r);
    while (k->todo.n) add_block(k, k->todo.v[--k->todo.n], r);
}

/* Branches whose joins have the same depth may come in any order, since no such join is in the region of another. */
void grow_regions(struct growth *k) {
    struct work *w = k->w;
    uint32_t n;
    const uint32_t *order = sort_branches(k, &n);
    k->of_end = ARENA_NEW(&w->mem, uint32_t, w->n);
    k->of_start = ARENA_NEW(&w->mem, uint32_t, w->n);
    k->at_join = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t v = 0; v < w->n; v++) k->of_end[v] = k->of_start[v] = k->at_join[v] = CFG_NONE;
    for (uint32_t i = 0; i < n; i++) cfg_grow(k, order[i]);
}

void growth_free(struct growth *k) {
    VEC_FREE(&k->v);
    VEC_FREE(&k->top);
    VEC_FREE(&k->todo);
}
