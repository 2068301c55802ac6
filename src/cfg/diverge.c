/* Threads diverge at the end of block b. The *region* is what they reach before the immediate post-dominator R, where a
 * reconvergence stack lets them meet. They differ there in whatever a block of the region writes.
 *
 * Others meet earlier: likely-convergence points (TBC), merges by program structure, equal PCs. For them two more
 * kinds of places count, as in LLVM's analysis (Rosemann, Moll & Hack, "An abstract interpretation for SPMD divergence
 * on reducible control flow graphs", POPL 2021), here for any graph:
 *   - a block J that two ways from b reach without a block in common: then b is J's immediate dominator in the region
 *     seen from b, and two edges into J come from blocks J does not dominate. Threads differ in what is written between
 *     b and J;
 *   - where the cycles through b are left: threads leave in different rounds, and differ in all that is written in them.
 * A thread that ends meets no other, so ends are no ways. */
#include "cfg/diverge.h"

enum { VISITS_PER_BLOCK = 256, VISITS_MIN = 1 << 22 };

static bool diverge_returns(const struct work *w, uint32_t v) {
    return w->m->code.v[w->b[v].end - 1].op == IR_RET && w->number[v] != CFG_NONE;
}

void diverge_init(struct diverge *d, struct work *w) {
    uint32_t n = w->n, nedges = w->g.sfirst[n] + n;
    struct graph *g = &d->g;
    d->w = w;
    d->visits = (uint64_t)VISITS_PER_BLOCK * n + VISITS_MIN;
    *g = (struct graph){.n = n + 1};
    g->sfirst = ARENA_NEW(&w->mem, uint32_t, n + 2);
    g->pfirst = ARENA_NEW(&w->mem, uint32_t, n + 2);
    g->succ = ARENA_NEW(&w->mem, uint32_t, nedges);
    g->pred = ARENA_NEW(&w->mem, uint32_t, nedges);
    uint32_t ns = 0, np = 0;
    for (uint32_t v = 0; v < n; v++) {
        g->sfirst[v] = ns;
        g->pfirst[v] = np;
        for (uint32_t k = w->g.sfirst[v]; k < w->g.sfirst[v + 1]; k++) g->succ[ns++] = w->g.succ[k];
        for (uint32_t k = w->g.pfirst[v]; k < w->g.pfirst[v + 1]; k++) g->pred[np++] = w->g.pred[k];
        if (diverge_returns(w, v)) g->succ[ns++] = n;
    }
    g->sfirst[n] = g->sfirst[n + 1] = ns;
    g->pfirst[n] = np;
    for (uint32_t v = 0; v < n; v++)
        if (diverge_returns(w, v)) g->pred[np++] = v;
    g->pfirst[n + 1] = np;
    d->stamp = ARENA_NEW(&w->mem, uint32_t, n + 1);
    d->avoid = ARENA_NEW(&w->mem, uint32_t, n + 1);
    d->list = ARENA_NEW(&w->mem, uint32_t, 2 * (n + 1));
    d->local = ARENA_NEW(&w->mem, uint32_t, n + 1);
}

uint32_t diverge_ways(const struct diverge *d, uint32_t b) {
    uint16_t op = d->w->m->code.v[d->w->b[b].end - 1].op;
    return d->g.sfirst[b + 1] - d->g.sfirst[b] + (op == IR_EXIT || op == IR_TRAP);
}

/* ---- parts of the region ---- */

/* One branch's region: nodes reached from b's successors before R, b itself if it is on a cycle. */
struct region {
    struct diverge *d;
    uint32_t b, stop; /* stop: R, or w->n for the function's return when R is its end */
    uint32_t *node, n;
    bool cyclic; /* b is reached again */
};

static bool spend(struct diverge *d, uint64_t n) {
    if (d->visits < n) return d->visits = 0, false;
    d->visits -= n;
    return true;
}

/* Nodes reached from the successors of b without passing stop or `without`, into out; or, backwards, those that reach
 * b. Only nodes marked by `within` (0: any) count. Marks them and returns how many. */
static uint32_t diverge_reach(struct diverge *d, const uint32_t *first, const uint32_t *to, uint32_t b,
                              uint32_t stop, uint32_t without, uint32_t within, uint32_t *out) {
    uint32_t mark = ++d->clock, n = 0;
    uint32_t *stamp = within ? d->avoid : d->stamp;
    for (uint32_t at = 0, v = b;; v = out[at++]) {
        for (uint32_t k = first[v]; k < first[v + 1]; k++) {
            uint32_t s = to[k];
            if (s == stop || s == without || stamp[s] == mark || (within && d->stamp[s] != within)) continue;
            stamp[s] = mark;
            out[n++] = s;
        }
        if (at == n) return n;
    }
}

static bool find_region(struct region *r) {
    struct diverge *d = r->d;
    r->stop = d->w->ipdom[r->b];
    r->node = d->list;
    r->n = diverge_reach(d, d->g.sfirst, d->g.succ, r->b, r->stop, CFG_NONE, 0, r->node);
    r->cyclic = d->stamp[r->b] == d->clock;
    return spend(d, r->n);
}

/* ---- joins before R ---- */

/* The region seen from b as a graph of its own: node 0 is b, without the edges back to it. */
static struct graph graph_from(struct region *r, struct arena *mem) {
    struct diverge *d = r->d;
    struct graph g = {.n = r->n + 1 - r->cyclic};
    uint32_t mark = d->clock, ns = 0, np = 0, next = 1;
    d->local[r->b] = 0;
    for (uint32_t k = 0; k < r->n; k++)
        if (r->node[k] != r->b) d->local[r->node[k]] = next++;
    uint32_t *old = ARENA_NEW(mem, uint32_t, g.n), edges = 0;
    old[0] = r->b;
    for (uint32_t k = 0; k < r->n; k++) old[d->local[r->node[k]]] = r->node[k];
    for (uint32_t v = 0; v < g.n; v++) edges += d->g.sfirst[old[v] + 1] - d->g.sfirst[old[v]];
    g.sfirst = ARENA_NEW(mem, uint32_t, g.n + 1);
    g.pfirst = ARENA_NEW(mem, uint32_t, g.n + 1);
    g.succ = ARENA_NEW(mem, uint32_t, edges);
    g.pred = ARENA_NEW(mem, uint32_t, edges);
    for (uint32_t v = 0; v < g.n; v++) {
        g.sfirst[v] = ns;
        g.pfirst[v] = np;
        for (uint32_t k = d->g.sfirst[old[v]]; k < d->g.sfirst[old[v] + 1]; k++)
            if (d->g.succ[k] != r->b && d->stamp[d->g.succ[k]] == mark) g.succ[ns++] = d->local[d->g.succ[k]];
        for (uint32_t k = d->g.pfirst[old[v]]; v && k < d->g.pfirst[old[v] + 1]; k++)
            if (d->g.pred[k] == r->b || d->stamp[d->g.pred[k]] == mark) g.pred[np++] = d->local[d->g.pred[k]];
    }
    g.sfirst[g.n] = ns;
    g.pfirst[g.n] = np;
    return g;
}

/* Node to its ancestor right under the root of the dominator tree; CFG_NONE for the root. */
static uint32_t *tops(const struct graph *g, const uint32_t *idom, struct arena *mem) {
    uint32_t *top = ARENA_NEW(mem, uint32_t, g->n), *path = ARENA_NEW(mem, uint32_t, g->n);
    for (uint32_t v = 0; v < g->n; v++) top[v] = CFG_NONE;
    for (uint32_t v = 1; v < g->n; v++) {
        uint32_t n = 0, x = v;
        for (; top[x] == CFG_NONE && idom[x] != 0; x = idom[x]) path[n++] = x;
        if (top[x] == CFG_NONE) top[x] = x;
        while (n) top[path[--n]] = top[x];
    }
    return top;
}

static bool report_join(struct region *r, uint32_t join, uint32_t mark, diverge_fn *fn, void *user) {
    struct diverge *d = r->d;
    uint32_t *blocks = d->list + d->g.n;
    uint32_t n = diverge_reach(d, d->g.sfirst, d->g.succ, r->b, r->stop, join, mark, blocks);
    fn(user, join, blocks, n);
    return spend(d, n + 1);
}

/* A node whose immediate dominator is the root is its own top; two edges into it from under different tops, or from
 * the root and another top, are two ways that share nothing. */
static bool early_joins(struct region *r, diverge_fn *fn, void *user) {
    struct diverge *d = r->d;
    struct arena mem = {0};
    uint32_t mark = d->clock;
    struct graph g = graph_from(r, &mem);
    uint32_t *idom = ARENA_NEW(&mem, uint32_t, g.n);
    dom_tree(&g, idom, &mem);
    uint32_t *top = tops(&g, idom, &mem);
    bool good = true;
    for (uint32_t k = 0; k < r->n && good; k++) {
        uint32_t v = d->local[r->node[k]], ways = 0;
        if (!v || idom[v] != 0) continue;
        for (uint32_t p = g.pfirst[v]; p < g.pfirst[v + 1]; p++)
            ways += g.pred[p] == 0 || top[g.pred[p]] != v;
        if (ways > 1) good = report_join(r, r->node[k], mark, fn, user);
    }
    uint32_t seen = CFG_NONE;
    bool again = false; /* b is where its own ways meet */
    for (uint32_t p = d->g.pfirst[r->b]; r->cyclic && p < d->g.pfirst[r->b + 1]; p++) {
        uint32_t u = d->g.pred[p];
        if (d->stamp[u] != mark) continue;
        uint32_t t = u == r->b ? 0 : top[d->local[u]];
        again |= seen != CFG_NONE && seen != t;
        seen = t;
    }
    if (good && again) fn(user, r->b, r->node, r->n);
    arena_free(&mem);
    return good;
}

/* ---- rounds ---- */

/* Where the cycles through b are left. */
static bool late_joins(struct region *r, uint32_t mark, diverge_fn *fn, void *user) {
    struct diverge *d = r->d;
    uint32_t *cycle = d->list + d->g.n;
    uint32_t n = diverge_reach(d, d->g.pfirst, d->g.pred, r->b, CFG_NONE, CFG_NONE, mark, cycle),
             inside = d->clock;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t s = d->g.sfirst[cycle[k]]; s < d->g.sfirst[cycle[k] + 1]; s++) {
            uint32_t to = d->g.succ[s];
            if (d->avoid[to] == inside || to == r->stop) continue;
            d->avoid[to] = inside; /* once */
            fn(user, to, cycle, n);
        }
    return spend(d, n);
}

bool diverge_joins(struct diverge *d, uint32_t b, diverge_fn *fn, void *user) {
    struct region r = {.d = d, .b = b};
    if (d->g.sfirst[b + 1] - d->g.sfirst[b] < 2) return true;
    if (!find_region(&r)) return false;
    uint32_t mark = d->clock;
    fn(user, r.stop, r.node, r.n);
    return early_joins(&r, fn, user) && (!r.cyclic || late_joins(&r, mark, fn, user));
}
