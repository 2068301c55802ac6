/* Dominators by Lengauer and Tarjan's algorithm with path compression, O(m log n) whatever the graph; the
 * simpler iterative methods are quadratic on graphs a fuzzer finds. Everything is in depth-first numbers and iterative. */
#include <stdlib.h>

#include "cfg/graph.h"

struct lt {
    const struct graph *g;
    uint32_t *number, *vertex; /* node to depth-first number and back */
    uint32_t *parent, *semi, *label, *ancestor, *dom;
    uint32_t *bucket, *next; /* nodes whose semidominator this is, as a list */
    uint32_t *stack;
    uint32_t n;
};

static uint32_t *dom_column(const struct graph *g, struct arena *mem) {
    uint32_t *a = ARENA_NEW(mem, uint32_t, g->n);
    for (uint32_t v = 0; v < g->n; v++) a[v] = CFG_NONE;
    return a;
}

static void discover(struct lt *t, uint32_t v, uint32_t parent) {
    uint32_t k = t->n++;
    t->number[v] = k;
    t->vertex[k] = v;
    t->parent[k] = parent;
    t->semi[k] = t->label[k] = k;
}

static void number_nodes(struct lt *t, uint32_t *cursor) {
    const struct graph *g = t->g;
    discover(t, g->root, CFG_NONE);
    uint32_t depth = 0;
    t->stack[depth++] = g->root;
    cursor[g->root] = g->sfirst[g->root];
    while (depth) {
        uint32_t v = t->stack[depth - 1];
        if (cursor[v] == g->sfirst[v + 1]) {
            depth--;
            continue;
        }
        uint32_t s = g->succ[cursor[v]++];
        if (t->number[s] != CFG_NONE) continue;
        discover(t, s, t->number[v]);
        cursor[s] = g->sfirst[s];
        t->stack[depth++] = s;
    }
}

/* The node of least semidominator on the linked path above v; the path is shortened on the way. */
static uint32_t dom_eval(struct lt *t, uint32_t v) {
    if (t->ancestor[v] == CFG_NONE) return v;
    uint32_t depth = 0;
    for (uint32_t u = v; t->ancestor[t->ancestor[u]] != CFG_NONE; u = t->ancestor[u]) t->stack[depth++] = u;
    while (depth) {
        uint32_t u = t->stack[--depth], a = t->ancestor[u];
        if (t->semi[t->label[a]] < t->semi[t->label[u]]) t->label[u] = t->label[a];
        t->ancestor[u] = t->ancestor[a];
    }
    return t->label[v];
}

static void settle_bucket(struct lt *t, uint32_t p) {
    for (uint32_t v = t->bucket[p]; v != CFG_NONE; v = t->next[v]) {
        uint32_t u = dom_eval(t, v);
        t->dom[v] = t->semi[u] < t->semi[v] ? u : p;
    }
    t->bucket[p] = CFG_NONE;
}

static void find_dominators(struct lt *t) {
    const struct graph *g = t->g;
    for (uint32_t k = t->n; k-- > 1;) {
        uint32_t v = t->vertex[k];
        for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++) {
            uint32_t from = t->number[g->pred[p]];
            if (from == CFG_NONE) continue;
            uint32_t u = dom_eval(t, from);
            if (t->semi[u] < t->semi[k]) t->semi[k] = t->semi[u];
        }
        t->next[k] = t->bucket[t->semi[k]];
        t->bucket[t->semi[k]] = k;
        t->ancestor[k] = t->parent[k];
        settle_bucket(t, t->parent[k]);
    }
    for (uint32_t k = 1; k < t->n; k++)
        if (t->dom[k] != t->semi[k]) t->dom[k] = t->dom[t->dom[k]];
}

void dom_tree(const struct graph *g, uint32_t *idom, struct arena *mem) {
    struct lt t = {.g = g};
    uint32_t **columns[] = {&t.number,   &t.vertex, &t.parent, &t.semi, &t.label,
                            &t.ancestor, &t.dom,    &t.bucket, &t.next, &t.stack};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) *columns[k] = dom_column(g, mem);
    number_nodes(&t, dom_column(g, mem));
    find_dominators(&t);
    for (uint32_t v = 0; v < g->n; v++) idom[v] = CFG_NONE;
    for (uint32_t k = 1; k < t.n; k++) idom[t.vertex[k]] = t.vertex[t.dom[k]];
}

struct forest forest_number(uint32_t n, const uint32_t *parent, const uint32_t *order, uint32_t norder,
                            struct arena *mem) {
    struct forest f = {ARENA_NEW(mem, uint32_t, n), ARENA_NEW(mem, uint32_t, n)};
    uint32_t *free_number = ARENA_NEW(mem, uint32_t, n), roots = 0;
    for (uint32_t k = norder; k-- > 0;) {
        uint32_t v = order[k];
        f.size[v]++;
        if (parent[v] != CFG_NONE) f.size[parent[v]] += f.size[v];
    }
    for (uint32_t k = 0; k < norder; k++) {
        uint32_t v = order[k], *next = parent[v] == CFG_NONE ? &roots : &free_number[parent[v]];
        f.pre[v] = *next;
        *next += f.size[v];
        free_number[v] = f.pre[v] + 1;
    }
    return f;
}

void dom_analyse(struct work *w) {
    w->idom = ARENA_NEW(&w->mem, uint32_t, w->n);
    dom_tree(&w->g, w->idom, &w->mem);
    w->dom = forest_number(w->n, w->idom, w->rpo, w->nrpo, &w->mem);
    for (uint32_t v = 0; v < w->n; v++)
        w->b[v].idom = w->idom[v] == CFG_NONE ? CFG_NONE : w->idom[v] + w->f->block;
}
