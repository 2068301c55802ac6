/* Is the graph nested if, if-else, switch, while, do-while? Decided by reduction: a structured graph, and no
 * other, shrinks to a single node under sequence   u -> v, u's only way on and v's only way in: u and v
 * become one node arm        p -> x -> s, x with one edge in and one out: becomes the edge p -> s parallel
 * two edges p -> s become one (the arms of an if or switch have met) loop       an edge from a node to itself
 * disappears (its body has become the header) ending     a node with one edge in and none out disappears (an
 * arm that returns, exits, traps or loops for ever) A block that does nothing but end the thread counts as
 * part of each jump to it: it is how compilers write an early return. Every rule removes an edge, each is
 * found from the nodes last changed, and merging two nodes moves no edges: a node owns a list of edges in,
 * and by number a list of edges out that the merged node takes over. So it is linear, but for hashing
 * parallel edges.
 *
 * Loops left from several places: the same on the graph in which each such loop is left from its header
 * only (breaks.c).
 *
 * Irreducible is decided first: a retreating edge whose target does not dominate its source. */

#include "cfg/breaks.h"
#include "cfg/graph.h"
#include "cfg/reduce.h"

const char *cfg_structure_name(enum cfg_structure s) {
    static const char *const names[] = {"structured", "breaks", "unstructured", "irreducible"};
    return names[s];
}

static void __attribute__((format(printf, 4, 5)))
structure_decide(struct work *w, enum cfg_structure s, uint32_t block, const char *fmt, ...) {
    struct sb text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    w->f->structure = s;
    w->f->why = block + w->f->block;
    w->f->why_text = sb_keep(&text, &w->c->mem);
}

static bool find_irreducible(struct work *w) {
    uint32_t base = w->f->block;
    for (uint32_t u = 0; u < w->n; u++)
        for (uint32_t s = w->g.sfirst[u]; s < w->g.sfirst[u + 1]; s++) {
            uint32_t v = w->g.succ[s];
            if (!edge_retreats(w, u, v) || block_dominates(w, v, u)) continue;
            structure_decide(w, CFG_IRREDUCIBLE, v,
                             "the loop closed by the jump from B%u to B%u is also entered past B%u", u + base,
                             v + base, v + base);
            return true;
        }
    return false;
}

/* ---- reduction ---- */

static void add_edges(struct work *w, struct reduce *r, const struct breaks *k) {
    for (uint32_t u = 0; u < w->n; u++)
        for (uint32_t s = w->g.sfirst[u]; s < w->g.sfirst[u + 1]; s++) {
            uint32_t v = w->g.succ[s];
            if (block_only_ends(w, v) || breaks_has(k, u, v)) continue;
            reduce_edge(r, u, v);
        }
    for (uint32_t j = 0; j < k->n; j++) reduce_edge(r, k->v[j].header, k->v[j].block);
}

static uint32_t forward_ways_in(const struct work *w, uint32_t v) {
    uint32_t n = 0;
    for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++) n += !block_dominates(w, v, w->g.pred[p]);
    return n;
}

/* Whether the graph, less the breaks, shrinks to one node; if not, *left is a block at which it got stuck,
 * rather one that joins some of the ways from its dominator but not all. */
static bool shrinks(struct work *w, const struct breaks *k, uint32_t *left) {
    struct reduce r;
    reduce_init(&r, w->n, w->g.sfirst[w->n] + k->n, &w->mem);
    for (uint32_t v = 0; v < w->n;
         v++) /* an ending block has lost its edges; one nothing leads to has none */
        if (v && (!w->b[v].reachable || block_only_ends(w, v))) reduce_drop(&r, v);
    add_edges(w, &r, k);
    if (reduce_run(&r)) return true;
    *left = CFG_NONE;
    for (uint32_t v = 0; v < w->n; v++) {
        if (r.dead[v] || r.nin[v] < 2) continue;
        if (*left == CFG_NONE) *left = v;
        if (w->idom[v] == CFG_NONE || w->ipdom[w->idom[v]] == v || forward_ways_in(w, v) < 2) continue;
        *left = v;
        break;
    }
    CHECK(*left != CFG_NONE);
    return false;
}

/* Names two of the ways into a block that no join of an if or a loop explains. */
static void explain_unstructured(struct work *w, uint32_t v) {
    const struct graph *g = &w->g;
    uint32_t base = w->f->block, from[2], n = 0;
    for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1] && n < 2; p++)
        if (!block_dominates(w, v, g->pred[p])) from[n++] = g->pred[p];
    if (n < 2 || w->idom[v] == CFG_NONE)
        structure_decide(w, CFG_UNSTRUCTURED, v, "the ways through B%u do not nest with those around it",
                         v + base);
    else
        structure_decide(
            w, CFG_UNSTRUCTURED, v,
            "B%u is entered from B%u and from B%u, but does not join all arms of the branch in B%u", v + base,
            from[0] + base, from[1] + base, w->idom[v] + base);
}

static void explain_breaks(struct work *w, uint32_t loop) {
    const struct loop_exits *x = &w->exits[loop];
    uint32_t h = loop_at(w, loop)->header, base = w->f->block;
    if (x->from[0] != x->from[1])
        structure_decide(w, CFG_BREAKS, h - base, "the loop at B%u is left from B%u and from B%u", h,
                         x->from[0] + base, x->from[1] + base);
    else if (x->to[1] == w->n)
        structure_decide(w, CFG_BREAKS, h - base, "the loop at B%u is left to B%u and by ending the thread",
                         h, x->to[0] + base);
    else
        structure_decide(w, CFG_BREAKS, h - base, "the loop at B%u is left to B%u and to B%u", h,
                         x->to[0] + base, x->to[1] + base);
}

void structure_analyse(struct work *w) {
    w->f->structure = CFG_STRUCTURED;
    w->f->why = CFG_NONE;
    w->f->why_text = "";
    if (find_irreducible(w)) return;
    uint32_t with_breaks = CFG_NONE, left;
    for (uint32_t l = w->f->nloops; l-- > 0;)
        if (loop_at(w, l)->breaks) with_breaks = l;
    struct breaks k = {.w = w};
    if (with_breaks != CFG_NONE) breaks_find(&k);
    if (!shrinks(w, &k, &left))
        explain_unstructured(w, left);
    else if (with_breaks != CFG_NONE)
        explain_breaks(w, with_breaks);
}
