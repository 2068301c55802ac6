/* Post-dominators: dominators of the reversed graph from a virtual exit, to which the exits lead that count (exits.c), by the
 * edges that count; with cfg.exits = edges all of them. And where the threads of each branch meet, which mechanisms read.
 *
 * Where threads can only go round for ever, no path leads to that exit and nothing would post-dominate
 * anything. So each strongly connected component that nothing leaves is given one edge to the exit: from its
 * block that comes last in reverse postorder. That block closes the loop, so the branches inside still meet
 * at or before it, as they would if the loop had an ordinary condition at its end. */
#include "cfg/graph.h"
#include "ir/scc.h"

/* Sets exits for the last block, in reverse postorder, of every component that nothing leaves. */
static void connect_endless(const struct work *w, const struct graph *g, bool *exits, struct arena *mem) {
    uint32_t *comp = ARENA_NEW(mem, uint32_t, w->n);
    uint32_t ncomp = ir_scc(g->n, g->sfirst, g->succ, comp);
    uint32_t *last = ARENA_NEW(mem, uint32_t, ncomp);
    bool *open = ARENA_NEW(mem, bool, ncomp);
    for (uint32_t k = 0; k < w->nrpo; k++) {
        uint32_t v = w->rpo[k];
        last[comp[v]] = v;
        if (exits[v]) open[comp[v]] = true;
        for (uint32_t s = g->sfirst[v]; s < g->sfirst[v + 1]; s++)
            if (comp[g->succ[s]] != comp[v]) open[comp[v]] = true;
    }
    for (uint32_t k = 0; k < w->nrpo; k++) {
        uint32_t v = w->rpo[k];
        if (!open[comp[v]] && last[comp[v]] == v) exits[v] = true;
    }
}

/* The reversed graph; node n is the exit. */
static struct graph reverse(const struct graph *g, const bool *exits, struct arena *mem) {
    uint32_t n = g->n, nedges = g->sfirst[n] + n, ns = 0, np = 0;
    struct graph r = {.n = n + 1, .root = n};
    r.sfirst = ARENA_NEW(mem, uint32_t, n + 2);
    r.pfirst = ARENA_NEW(mem, uint32_t, n + 2);
    r.succ = ARENA_NEW(mem, uint32_t, nedges);
    r.pred = ARENA_NEW(mem, uint32_t, nedges);
    for (uint32_t v = 0; v < n; v++) {
        r.sfirst[v] = ns;
        r.pfirst[v] = np;
        for (uint32_t k = g->pfirst[v]; k < g->pfirst[v + 1]; k++) r.succ[ns++] = g->pred[k];
        for (uint32_t k = g->sfirst[v]; k < g->sfirst[v + 1]; k++) r.pred[np++] = g->succ[k];
        if (exits[v]) r.pred[np++] = n;
    }
    r.sfirst[n] = ns;
    r.pfirst[n] = np;
    for (uint32_t v = 0; v < n; v++)
        if (exits[v]) r.succ[ns++] = v;
    r.sfirst[n + 1] = ns;
    r.pfirst[n + 1] = np;
    return r;
}

void pdom_tree(struct work *w, const struct graph *g, bool *exits, uint32_t *ipdom) {
    connect_endless(w, g, exits, &w->mem);
    struct graph r = reverse(g, exits, &w->mem);
    dom_tree(&r, ipdom, &w->mem);
}

static bool cfg_pdom_counts(const void *user, uint32_t u, uint32_t v) {
    return edge_counts(user, u, v);
}

/* ---- where threads meet ---- */

/* The threads that do not end all leave the block one way. */
static bool only_ends_some(const struct work *w, uint32_t v) {
    return w->b[v].ways < 2 && w->g.sfirst[v + 1] - w->g.sfirst[v] + w->leaves[v] > w->b[v].ways;
}

/* Sets the meeting points of branches that only end some threads. The others need not wait for those: they meet again at the
 * end of the region that the branch is in. */
static void set_rpc_around(struct work *w) {
    bool *branch = ARENA_NEW(&w->mem, bool, w->n);
    for (uint32_t v = 0; v < w->n; v++)
        branch[v] = w->number[v] != CFG_NONE && w->b[v].ways > 1 && w->ipdom[v] < w->n;
    struct growth k = {.w = w, .branch = branch};
    grow_regions(&k);
    for (uint32_t v = 0; v < w->n; v++) {
        if (w->number[v] == CFG_NONE || !only_ends_some(w, v)) continue;
        const uint32_t r = k.of_end[v];
        w->m->code.v[w->b[v].end - 1].rpc = r == CFG_NONE ? IR_NOPC : w->b[k.v.v[r].join].first;
    }
    growth_free(&k);
}

static void set_rpc(struct work *w) {
    for (uint32_t v = 0; v < w->n; v++) {
        struct ir_insn *last = &w->m->code.v[w->b[v].end - 1];
        if (insn_ends_block(last) && w->b[v].ipdom != CFG_NONE) last->rpc = w->c->blocks[w->b[v].ipdom].first;
    }
}

void pdom_analyse(struct work *w) {
    bool *exits = ARENA_NEW(&w->mem, bool, w->n);
    uint32_t *ipdom = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    for (uint32_t v = 0; v < w->n; v++) exits[v] = w->leaves[v] && w->b[v].reachable;
    connect_endless(w, &w->g, exits, &w->mem);
    const bool less = exits_analyse(w, exits);
    struct graph part = less ? graph_part(&w->g, cfg_pdom_counts, w, &w->mem) : w->g;
    pdom_tree(w, &part, exits, ipdom);
    w->ipdom = ipdom;
    for (uint32_t v = 0; v < w->n; v++) w->b[v].ipdom = ipdom[v] >= w->n ? CFG_NONE : ipdom[v] + w->f->block;
    set_rpc(w);
    if (less) set_rpc_around(w);
}
