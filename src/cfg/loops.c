/* Natural loops: the blocks that reach a back edge u -> h, h dominating u, without passing h; loops of one
 * header are one loop. Headers are taken from the last in reverse postorder to the first, so inner loops come
 * before outer ones, and a finished loop collapses into its header: every edge is looked at once, in time
 * linear but for union-find. This stays exact in a graph with irreducible parts: whatever reaches u without
 * passing h is dominated by h.
 *
 * An edge that leaves k loops at once is an exit of each. Counts are summed over the nest from differences;
 * the lowest and highest source and target are painted in sorted order on the loops an edge leaves, each loop
 * once per pass. */
#include "cfg/graph.h"

struct exit_edge {
    uint32_t from, to;   /* to == n: the end of the function */
    uint32_t loop, stop; /* leaves the loops from loop up to, but not including, stop (nloops: none) */
};

struct nest {
    struct work *w;
    uint32_t n;          /* loops */
    uint32_t *of_header; /* block to the loop it heads, or CFG_NONE */
    uint32_t *into;      /* block to the header it collapsed into: union-find */
    uint32_t *parent;    /* loop to loop, or CFG_NONE */
    uint32_t *stack;
    struct exit_edge *exits;
    uint32_t nexits;
};

static uint32_t loops_find(uint32_t *into, uint32_t v) {
    while (into[v] != v) v = into[v] = into[into[v]];
    return v;
}

static void loops_find_headers(struct nest *t) {
    struct work *w = t->w;
    for (uint32_t v = 0; v < w->n; v++) t->of_header[v] = CFG_NONE;
    w->f->loop = w->c->nloops;
    for (uint32_t k = 0; k < w->nrpo; k++) {
        uint32_t v = w->rpo[k];
        for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++) {
            if (!block_dominates(w, v, w->g.pred[p])) continue;
            t->of_header[v] = t->n++;
            w->c->loops[w->c->nloops++] =
                (struct cfg_loop){.func = w->func, .header = v + w->f->block, .parent = CFG_NONE};
            break;
        }
    }
    w->f->nloops = t->n;
}

/* Takes what v collapsed into, unless already inside, into the loop of h. */
static uint32_t loops_absorb(struct nest *t, uint32_t v, uint32_t h, uint32_t depth) {
    uint32_t x = loops_find(t->into, v);
    if (x == h) return depth;
    t->into[x] = h;
    if (t->of_header[x] != CFG_NONE)
        t->parent[t->of_header[x]] = t->of_header[h];
    else
        t->w->b[x].loop = t->w->f->loop + t->of_header[h];
    t->stack[depth++] = x;
    return depth;
}

static void grow_loop(struct nest *t, uint32_t h) {
    const struct graph *g = &t->w->g;
    uint32_t depth = 0;
    t->w->b[h].loop = t->w->f->loop + t->of_header[h];
    for (uint32_t p = g->pfirst[h]; p < g->pfirst[h + 1]; p++)
        if (block_dominates(t->w, h, g->pred[p])) depth = loops_absorb(t, g->pred[p], h, depth);
    while (depth) {
        uint32_t v = t->stack[--depth];
        for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++)
            depth = loops_absorb(t, g->pred[p], h, depth);
    }
}

static void build_nest(struct nest *t) {
    struct work *w = t->w;
    for (uint32_t v = 0; v < w->n; v++) t->into[v] = v;
    t->parent = ARENA_NEW(&w->mem, uint32_t, t->n);
    for (uint32_t l = 0; l < t->n; l++) t->parent[l] = CFG_NONE;
    for (uint32_t k = w->nrpo; k-- > 0;)
        if (t->of_header[w->rpo[k]] != CFG_NONE) grow_loop(t, w->rpo[k]);
    uint32_t *order = ARENA_NEW(&w->mem, uint32_t, t->n);
    for (uint32_t l = 0; l < t->n; l++) {
        struct cfg_loop *loop = loop_at(w, l);
        order[l] = l;
        loop->parent = t->parent[l] == CFG_NONE ? CFG_NONE : t->parent[l] + w->f->loop;
        loop->depth = t->parent[l] == CFG_NONE ? 1 : loop_at(w, t->parent[l])->depth + 1;
    }
    w->nest = forest_number(t->n, t->parent, order, t->n, &w->mem);
}

/* The innermost loop that holds both ends of an edge. A loop is entered at its header only, so it is that of
 * the target, or the one around it. */
static uint32_t common_loop(const struct nest *t, uint32_t from, uint32_t to) {
    uint32_t l = loop_of(t->w, to);
    if (l == CFG_NONE || forest_under(&t->w->nest, loop_of(t->w, from), l)) return l;
    return t->parent[l];
}

static void add_exit(struct nest *t, uint32_t from, uint32_t to, uint32_t common) {
    uint32_t l = loop_of(t->w, from);
    if (l != common)
        t->exits[t->nexits++] = (struct exit_edge){from, to, l, common == CFG_NONE ? t->n : common};
}

static void collect_exits(struct nest *t) {
    struct work *w = t->w;
    t->exits = ARENA_NEW(&w->mem, struct exit_edge, w->g.sfirst[w->n] + w->n);
    for (uint32_t v = 0; v < w->n; v++) {
        if (loop_of(w, v) == CFG_NONE) continue;
        for (uint32_t s = w->g.sfirst[v]; s < w->g.sfirst[v + 1]; s++)
            add_exit(t, v, w->g.succ[s], common_loop(t, v, w->g.succ[s]));
        if (w->leaves[v]) add_exit(t, v, w->n, CFG_NONE);
    }
}

/* Differences where a path of exits begins and ends, then sums from the inner loops outwards. */
static void loops_count(struct nest *t) {
    struct work *w = t->w;
    uint32_t *sum = ARENA_NEW(&w->mem, uint32_t, t->n + 1);
    for (uint32_t k = 0; k < t->nexits; k++) {
        sum[t->exits[k].loop]++;
        sum[t->exits[k].stop]--; /* wraps below zero until the sum is complete */
    }
    for (uint32_t v = 0; v < w->n; v++)
        if (loop_of(w, v) != CFG_NONE) loop_at(w, loop_of(w, v))->nblocks++;
    for (uint32_t l = t->n; l-- > 0;) {
        loop_at(w, l)->nexits = sum[l];
        loop_at(w, l)->infinite = !sum[l];
        if (t->parent[l] == CFG_NONE) continue;
        sum[t->parent[l]] += sum[l];
        loop_at(w, t->parent[l])->nblocks += loop_at(w, l)->nblocks;
    }
}

/* Paints the loops that each edge leaves with its source or target, the first edge to reach a loop winning. */
static void paint(struct nest *t, const uint32_t *order, bool backwards, bool targets, uint32_t *skip) {
    struct work *w = t->w;
    for (uint32_t l = 0; l <= t->n; l++) skip[l] = l;
    for (uint32_t k = 0; k < t->nexits; k++) {
        const struct exit_edge *x = &t->exits[order[backwards ? t->nexits - 1 - k : k]];
        uint32_t floor = x->stop == t->n ? 0 : loop_at(w, x->stop)->depth;
        for (uint32_t l = loops_find(skip, x->loop); l != t->n && loop_at(w, l)->depth > floor;
             l = loops_find(skip, l)) {
            if (targets)
                w->exits[l].to[backwards] = x->to;
            else
                w->exits[l].from[backwards] = x->from;
            skip[l] = t->parent[l] == CFG_NONE ? t->n : t->parent[l];
        }
    }
}

/* The exits in the order of their targets; they are found in the order of their sources. */
static uint32_t *by_target(const struct nest *t) {
    struct work *w = t->w;
    uint32_t *start = ARENA_NEW(&w->mem, uint32_t, w->n + 2),
             *order = ARENA_NEW(&w->mem, uint32_t, t->nexits);
    for (uint32_t k = 0; k < t->nexits; k++) start[t->exits[k].to + 1]++;
    for (uint32_t v = 0; v < w->n + 1; v++) start[v + 1] += start[v];
    for (uint32_t k = 0; k < t->nexits; k++) order[start[t->exits[k].to]++] = k;
    return order;
}

static void find_breaks(struct nest *t) {
    struct work *w = t->w;
    uint32_t *skip = ARENA_NEW(&w->mem, uint32_t, t->n + 1), *found = ARENA_NEW(&w->mem, uint32_t, t->nexits);
    const uint32_t *sorted = by_target(t);
    for (uint32_t k = 0; k < t->nexits; k++) found[k] = k;
    w->exits = ARENA_NEW(&w->mem, struct loop_exits, t->n);
    paint(t, found, false, false, skip);
    paint(t, found, true, false, skip);
    paint(t, sorted, false, true, skip);
    paint(t, sorted, true, true, skip);
    for (uint32_t l = 0; l < t->n; l++) {
        const struct loop_exits *x = &w->exits[l];
        loop_at(w, l)->breaks = x->from[0] != x->from[1] || x->to[0] != x->to[1];
    }
}

void loops_analyse(struct work *w) {
    struct nest t = {.w = w};
    t.of_header = ARENA_NEW(&w->mem, uint32_t, w->n);
    t.into = ARENA_NEW(&w->mem, uint32_t, w->n);
    t.stack = ARENA_NEW(&w->mem, uint32_t, w->n);
    loops_find_headers(&t);
    if (!t.n) return;
    build_nest(&t);
    collect_exits(&t);
    loops_count(&t);
    find_breaks(&t);
}
