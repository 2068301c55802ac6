/* Breaks. A loop left from several places has a follow, the block where its threads meet when they have left
 * it; the edges into that from wherever in the loop, or in code on the way out, are its breaks.
 *
 * The follow is the first block outside the loop that post-dominates the header, in a graph without what
 * would hide it: ways that end the thread (a return in a loop passes by its follow), and edges that leave
 * several loops at once (they are breaks of an outer one). */
#include "cfg/breaks.h"

#include <stdlib.h>

bool block_only_ends(const struct work *w, uint32_t v) {
    return w->leaves[v] && w->b[v].end - w->b[v].first == 1 && w->g.sfirst[v] == w->g.sfirst[v + 1];
}

/* ---- the graph to look for follows in ---- */

/* Blocks from which a thread can only go to its end, entered one way or doing nothing else. */
static bool *find_endings(struct work *w) {
    const struct graph *g = &w->g;
    bool *ends = ARENA_NEW(&w->mem, bool, w->n);
    uint32_t *left = ARENA_NEW(&w->mem, uint32_t, w->n), *todo = ARENA_NEW(&w->mem, uint32_t, w->n), n = 0;
    for (uint32_t v = 0; v < w->n; v++) {
        left[v] = g->sfirst[v + 1] - g->sfirst[v];
        bool one_way = g->pfirst[v + 1] - g->pfirst[v] == 1;
        if (v && w->b[v].reachable && !left[v] && (one_way || block_only_ends(w, v))) todo[n++] = v;
    }
    while (n) {
        uint32_t v = todo[--n];
        ends[v] = true;
        for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++) {
            uint32_t u = g->pred[p];
            if (!--left[u] && u && g->pfirst[u + 1] - g->pfirst[u] == 1) todo[n++] = u;
        }
    }
    return ends;
}

/* How many loops the edge leaves. */
static uint32_t loops_left(const struct work *w, uint32_t u, uint32_t v) {
    uint32_t from = loop_of(w, u), to = loop_of(w, v);
    if (from == CFG_NONE) return 0;
    uint32_t depth = loop_at(w, from)->depth, kept = 0;
    if (to != CFG_NONE) kept = loop_at(w, to)->depth - !forest_under(&w->nest, from, to);
    return depth - kept;
}

struct kept {
    const struct work *w;
    const bool *ends;
};

static bool breaks_keeps(const void *user, uint32_t u, uint32_t v) {
    const struct kept *k = user;
    return !k->ends[u] && !k->ends[v] && loops_left(k->w, u, v) < 2;
}

/* ---- follows ---- */

/* path holds the post-dominators of the header, farthest first. Those inside the loop are the nearest ones:
 * were one outside nearer than one inside, it would have to post-dominate the header it leads to. */
static void add_follow(struct breaks *k, uint32_t loop, const uint32_t *path, uint32_t depth) {
    struct work *w = k->w;
    uint32_t lo = 0, hi = depth; /* path[lo - 1] is outside, path[hi] inside */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2, l = path[mid] == w->n ? CFG_NONE : loop_of(w, path[mid]);
        if (l != CFG_NONE && forest_under(&w->nest, l, loop))
            hi = mid;
        else
            lo = mid + 1;
    }
    uint32_t h = loop_at(w, loop)->header - w->f->block;
    if (lo && path[lo - 1] != w->n) k->v[k->n++] = (struct follow){path[lo - 1], h, w->dom.pre[h]};
}

/* The children of each node of the post-dominator tree: child[first[v] .. first[v + 1]). */
static void list_children(struct work *w, const uint32_t *ipdom, uint32_t **first, uint32_t **child) {
    uint32_t *at = ARENA_NEW(&w->mem, uint32_t, w->n + 3);
    *child = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t v = 0; v < w->n; v++)
        if (ipdom[v] != CFG_NONE) at[ipdom[v] + 2]++;
    for (uint32_t v = 2; v < w->n + 3; v++) at[v] += at[v - 1];
    for (uint32_t v = 0; v < w->n; v++)
        if (ipdom[v] != CFG_NONE) (*child)[at[ipdom[v] + 1]++] = v;
    *first = at;
}

/* Walks the post-dominator tree so that the path above each header is at hand. */
static void find_follows(struct breaks *k, const uint32_t *ipdom) {
    struct work *w = k->w;
    uint32_t *first, *child;
    list_children(w, ipdom, &first, &child);
    uint32_t *path = ARENA_NEW(&w->mem, uint32_t, w->n + 1), depth = 0;
    uint32_t *cursor = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    for (uint32_t v = 0; v <= w->n; v++) cursor[v] = first[v];
    path[depth++] = w->n;
    while (depth) {
        uint32_t v = path[depth - 1];
        if (cursor[v] == first[v + 1]) {
            depth--;
            continue;
        }
        uint32_t x = child[cursor[v]++], l = loop_of(w, x);
        path[depth++] = x;
        bool header = l != CFG_NONE && loop_at(w, l)->header == x + w->f->block;
        if (header && loop_at(w, l)->breaks) add_follow(k, l, path, depth);
    }
}

static int by_block_and_header(const void *a, const void *b) {
    const struct follow *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->pre > y->pre) - (x->pre < y->pre);
}

/* Keeps, of nested loops with one follow, only the outermost one, which is left from its header. */
static void keep_outermost(struct breaks *k) {
    if (k->n) qsort(k->v, k->n, sizeof *k->v, by_block_and_header);
    uint32_t n = 0;
    for (uint32_t j = 0; j < k->n; j++)
        if (!n || k->v[n - 1].block != k->v[j].block ||
            !block_dominates(k->w, k->v[n - 1].header, k->v[j].header))
            k->v[n++] = k->v[j];
    k->n = n;
}

void breaks_find(struct breaks *k) {
    struct work *w = k->w;
    bool *exits = ARENA_NEW(&w->mem, bool, w->n);
    uint32_t *ipdom = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    const bool *ends = find_endings(w);
    struct graph part = graph_part(&w->g, breaks_keeps, &(struct kept){w, ends}, &w->mem);
    for (uint32_t v = 0; v < w->n; v++)
        exits[v] = w->b[v].reachable && !ends[v] && w->g.sfirst[v] == w->g.sfirst[v + 1];
    pdom_tree(w, &part, exits, ipdom);
    k->v = ARENA_NEW(&w->mem, struct follow, w->f->nloops);
    find_follows(k, ipdom);
    keep_outermost(k);
}

bool breaks_has(const struct breaks *k, uint32_t from, uint32_t to) {
    const struct work *w = k->w;
    uint32_t lo = 0, hi = k->n; /* the last of to's whose pre is not above that of from is at lo - 1 */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (k->v[mid].block < to || (k->v[mid].block == to && k->v[mid].pre <= w->dom.pre[from]))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo || k->v[lo - 1].block != to) return false;
    return block_dominates(w, k->v[lo - 1].header, from) && !block_dominates(w, to, from);
}
