/* Post-dominators: dominators of the reversed graph from a virtual exit that every RET, EXIT and TRAP leads
 * to.
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

static void set_rpc(struct work *w) {
    for (uint32_t v = 0; v < w->n; v++) {
        struct ir_insn *last = &w->m->code.v[w->b[v].end - 1];
        if (insn_ends_block(last) && w->b[v].ipdom != CFG_NONE) last->rpc = w->c->blocks[w->b[v].ipdom].first;
    }
}

void pdom_tree(struct work *w, const struct graph *g, bool *exits, uint32_t *ipdom) {
    connect_endless(w, g, exits, &w->mem);
    struct graph r = reverse(g, exits, &w->mem);
    dom_tree(&r, ipdom, &w->mem);
}

void pdom_analyse(struct work *w) {
    bool *exits = ARENA_NEW(&w->mem, bool, w->n);
    uint32_t *ipdom = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    for (uint32_t v = 0; v < w->n; v++) exits[v] = w->leaves[v] && w->b[v].reachable;
    pdom_tree(w, &w->g, exits, ipdom);
    w->ipdom = ipdom;
    for (uint32_t v = 0; v < w->n; v++) w->b[v].ipdom = ipdom[v] >= w->n ? CFG_NONE : ipdom[v] + w->f->block;
    set_rpc(w);
}
