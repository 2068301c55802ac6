/* Likely-convergence points (Fung & Aamodt, "Thread block compaction for efficient SIMT control flow", HPCA 2011, section
 * 4.3). One rare way out of a loop or of the kernel can move the immediate post-dominator of a branch far behind the place
 * where nearly all of its threads meet. The paper finds such places by hand or by profile; here, without one, ways count
 * as unlikely that
 *   - leave a loop from neither its header nor a block that jumps back to it, as a break does, if the loop has another way out
 *     from one of those;
 *   - lead to an exit that does not count (exits.c);
 *   - lead to a block that does nothing but end the thread, if not all threads end there, or end it in place (a guarded
 *     exit, in kernels ret);
 * unless all ways of a block are. The point is the immediate post-dominator in what is left, if the branch has two ways left
 * and the true post-dominator comes after the point on every path. */
#include "cfg/likely.h"

#include <stdlib.h>

#include "cfg/breaks.h"
#include "cfg/graph.h"

struct likely {
    struct work *w;
    bool *plain;        /* loop of the function: left from its header or a latch */
    struct forest tree; /* true post-dominators: who comes after whom on every path; node n is the end */
    struct graph g;
    bool *exits;
};

static struct forest true_tree(struct work *w) {
    uint32_t n = w->n;
    uint32_t *parent = ARENA_NEW(&w->mem, uint32_t, n + 1), *order = ARENA_NEW(&w->mem, uint32_t, n + 1),
             count = 1;
    uint32_t *path = ARENA_NEW(&w->mem, uint32_t, n + 1);
    bool *placed = ARENA_NEW(&w->mem, bool, n + 1);
    parent[n] = CFG_NONE;
    order[0] = n;
    placed[n] = true;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t np = 0;
        parent[v] = w->ipdom[v];
        for (uint32_t x = v; w->number[v] != CFG_NONE && !placed[x]; x = w->ipdom[x]) path[np++] = x;
        while (np) placed[path[--np]] = true, order[count++] = path[np];
    }
    return forest_number(n + 1, parent, order, count, &w->mem);
}

/* The innermost loop that holds both ends of an edge: a loop is entered at its header only, so it is that of the target, or
 * the one around it. CFG_NONE: none does. */
static uint32_t common_loop(const struct work *w, uint32_t u, uint32_t v) {
    const struct cfg_loop *loops = w->c->loops;
    uint32_t l = w->b[u].loop, to = w->b[v].loop;
    if (to == CFG_NONE) return CFG_NONE;
    while (l != CFG_NONE && loops[l].depth > loops[to].depth) l = loops[l].parent;
    return l == to ? to : loops[to].parent;
}

/* The block is the loop's header, or jumps back to it. */
static bool is_turn(const struct work *w, uint32_t loop, uint32_t v) {
    uint32_t h = w->c->loops[loop].header - w->f->block;
    bool back = v == h;
    for (uint32_t s = w->g.sfirst[v]; s < w->g.sfirst[v + 1]; s++) back |= w->g.succ[s] == h;
    return back;
}

static bool leaves_loop(const struct work *w, uint32_t u, uint32_t loop) {
    for (uint32_t s = w->g.sfirst[u]; s < w->g.sfirst[u + 1]; s++) {
        uint32_t common = common_loop(w, u, w->g.succ[s]);
        if (common == CFG_NONE || w->c->loops[common].depth < w->c->loops[loop].depth) return true;
    }
    return false;
}

/* The loops a block turns are those it heads and those it jumps back to the header of. */
static void find_plain(struct likely *k) {
    const struct work *w = k->w;
    k->plain = ARENA_NEW(&k->w->mem, bool, w->f->nloops + 1);
    for (uint32_t u = 0; u < w->n; u++)
        for (uint32_t s = w->g.sfirst[u]; s <= w->g.sfirst[u + 1]; s++) {
            uint32_t h = s < w->g.sfirst[u + 1] ? w->g.succ[s] : u, l = w->b[h].loop;
            bool turns =
                l != CFG_NONE && w->c->loops[l].header == h + w->f->block && common_loop(w, u, h) == l;
            if (turns && leaves_loop(w, u, l)) k->plain[l - w->f->loop] = true;
        }
}

static bool unlikely(const struct likely *k, uint32_t u, uint32_t v) {
    const struct work *w = k->w;
    if (!edge_counts(w, u, v)) return true;
    if (w->fn->kernel && block_only_ends(w, v) && !forest_under(&k->tree, u, v)) return true;
    uint32_t common = common_loop(w, u, v);
    for (uint32_t l = w->b[u].loop; l != common; l = w->c->loops[l].parent)
        if (k->plain[l - w->f->loop] && !is_turn(w, l, u)) return true;
    return false;
}

/* A block that ends the thread though it could go on. */
static bool ends_some(const struct work *w, uint32_t v) {
    uint16_t op = w->m->code.v[w->b[v].end - 1].op;
    return w->g.sfirst[v] < w->g.sfirst[v + 1] && (op != IR_RET || w->fn->kernel);
}

static void thin_out(struct likely *k) {
    struct work *w = k->w;
    const struct graph *g = &w->g;
    struct graph *to = &k->g;
    uint32_t n = 0, edges = g->sfirst[w->n];
    *to = (struct graph){.n = w->n};
    to->sfirst = ARENA_NEW(&w->mem, uint32_t, w->n + 2);
    to->pfirst = ARENA_NEW(&w->mem, uint32_t, w->n + 2);
    to->succ = ARENA_NEW(&w->mem, uint32_t, edges);
    to->pred = ARENA_NEW(&w->mem, uint32_t, edges);
    k->exits = ARENA_NEW(&w->mem, bool, w->n);
    for (uint32_t u = 0; u < w->n; u++) {
        to->sfirst[u] = n;
        for (uint32_t s = g->sfirst[u]; s < g->sfirst[u + 1]; s++)
            if (!unlikely(k, u, g->succ[s])) to->succ[n++] = g->succ[s];
        bool none = n == to->sfirst[u];
        for (uint32_t s = g->sfirst[u]; none && s < g->sfirst[u + 1]; s++) to->succ[n++] = g->succ[s];
        k->exits[u] = w->leaves[u] && w->number[u] != CFG_NONE && !ends_some(w, u);
    }
    to->sfirst[w->n] = n;
    for (uint32_t e = 0; e < n; e++) to->pfirst[to->succ[e] + 2]++;
    for (uint32_t v = 2; v < w->n + 2; v++) to->pfirst[v] += to->pfirst[v - 1];
    for (uint32_t u = 0; u < w->n; u++)
        for (uint32_t s = to->sfirst[u]; s < to->sfirst[u + 1]; s++)
            to->pred[to->pfirst[to->succ[s] + 1]++] = u;
}

static void likely_find_function(struct work *w, uint32_t *out) {
    struct likely k = {.w = w, .tree = true_tree(w)};
    find_plain(&k);
    thin_out(&k);
    uint32_t *point = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    pdom_tree(w, &k.g, k.exits, point);
    for (uint32_t v = 0; v < w->n; v++) {
        if (w->number[v] == CFG_NONE || k.g.sfirst[v + 1] - k.g.sfirst[v] < 2 || point[v] >= w->n) continue;
        if (point[v] != w->ipdom[v] && forest_under(&k.tree, point[v], w->ipdom[v]))
            out[w->b[v].end - 1] = w->b[point[v]].first;
    }
}

uint32_t *cfg_likely(const struct ir_module *m, const struct cfg *c) {
    uint32_t *out = xcalloc(m->code.n + 1, sizeof *out);
    for (size_t pc = 0; pc < m->code.n; pc++) out[pc] = IR_NOPC;
    for (uint32_t f = 0; f < m->funcs.n; f++) {
        struct work w;
        work_reopen(&w, m, c, f);
        if (w.n) likely_find_function(&w, out);
        arena_free(&w.mem);
    }
    return out;
}
