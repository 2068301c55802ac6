/* Regions. For a block R that is the immediate post-dominator of branches that may split threads up, the region S(R) is those
 * branches' blocks and all that is reached from them before R. Every way out of S(R) leads to R, since R post-dominates
 * all of it. Marks stand where S(R) is entered, and the following hold on every path:
 *   - a branch of the region is reached over a mark, and over one only: it is not passed again before R. So marks of loops
 *     that do not contain R stand before the loop: in a loop they would be executed again by those who stay, and forget
 *     those who left;
 *   - from a mark every path that goes on leads to R;
 *   - regions are nested or apart, and the join of an inner one lies in the outer: those open at a place are the same on
 *     every path to it, a stack. At one place outer marks come first.
 *
 * The last needs care: the start of a join R2 may lie in S(R1) while S(R2) begins outside. S(R1) then takes S(R2) in whole and
 * begins with it (`widened`); R1 post-dominates S(R2), so the rest stays true.
 *
 * A branch from which a region begins has the mark before its last instruction, after all that computes its condition: only
 * the end of its block is in the region. Other blocks are entered over edges (a loop's header), and the mark stands
 * there. Where a uniform branch or straight code
 * leads to R from outside (`bare` edges), no mark has been passed: a mechanism whose join takes something off a stack
 * in any case, as Tesla's does, needs a mark there too.
 *
 * Instead of one mark at the branches' common dominator, which need not be post-dominated by R, there may be several, of
 * which every path meets one. The dominator is `start`.
 *
 * Threads may also leave by an exit other than that of R's (exits.c): on such an edge they leave all regions for good. */
#include "cfg/regions.h"

#include <stdlib.h>
#include <string.h>

#include "cfg/graph.h"

struct finder {
    struct cfg_regions *out;
    const uint8_t *varies;
    struct work *w;
    bool *branch;                /* by local number of a function's blocks: ends in a branch with a region */
    uint32_t *of_end, *of_start; /* local block to region, as in struct growth */
    VEC(struct cfg_region) regions;
    struct forest nest; /* nesting of this function's regions from `low` on */
    uint32_t low;
    VEC(uint32_t) branches;
    VEC(struct cfg_mark) marks;
    size_t limit;
};

/* A mark as it is found. */
struct found {
    uint32_t region;
    struct cfg_mark at;
};

static bool diverges(const struct finder *k, uint32_t v) {
    const struct work *w = k->w;
    const uint16_t op = w->m->code.v[w->b[v].end - 1].op;
    const bool splits = w->b[v].ways > 1 || op == IR_CALL || op == IR_CALL_IND;
    return w->number[v] != CFG_NONE && w->ipdom[v] < w->n && splits && k->varies[w->b[v].end - 1];
}

/* ---- numbering: parents first ---- */

static void number_regions(struct finder *k, const struct growth *from, uint32_t *number) {
    struct work *w = k->w;
    for (uint32_t q = (uint32_t)from->v.n; q-- > 0;) {
        const struct grown *g = &from->v.v[q];
        number[q] = (uint32_t)k->regions.n;
        CHECK(g->parent == CFG_NONE || g->parent > q);
        VEC_PUSH(&k->regions,
                 (struct cfg_region){.func = w->func,
                                     .join = g->join + w->f->block,
                                     .parent = g->parent == CFG_NONE ? CFG_NONE : number[g->parent],
                                     .nblocks = g->nblocks,
                                     .loop = CFG_NONE});
        struct cfg_region *r = &k->regions.v[number[q]];
        r->depth = r->parent == CFG_NONE ? 1 : k->regions.v[r->parent].depth + 1;
    }
    for (uint32_t v = 0; v < w->n; v++) {
        if (k->of_end[v] != CFG_NONE) k->of_end[v] = number[k->of_end[v]];
        if (k->of_start[v] != CFG_NONE) k->of_start[v] = number[k->of_start[v]];
        k->out->of_block[v + w->f->block] = k->of_end[v];
    }
}

static void list_branches(struct finder *k, const struct growth *from, const uint32_t *number) {
    struct work *w = k->w;
    uint32_t first = (uint32_t)k->branches.n;
    for (uint32_t v = 0; v < w->n; v++)
        if (k->branch[v]) k->regions.v[number[from->at_join[w->ipdom[v]]]].nbranches++;
    for (uint32_t r = k->low; r < k->regions.n; r++) {
        k->regions.v[r].branch = first;
        first += k->regions.v[r].nbranches;
        k->regions.v[r].nbranches = 0;
    }
    VEC_RESERVE(&k->branches, first);
    k->branches.n = first;
    for (uint32_t v = 0; v < w->n; v++) {
        if (!k->branch[v]) continue;
        struct cfg_region *r = &k->regions.v[number[from->at_join[w->ipdom[v]]]];
        k->branches.v[r->branch + r->nbranches++] = w->b[v].end - 1;
    }
}

/* ---- marks ---- */

static bool regions_holds(const struct finder *k, uint32_t region, uint32_t of) {
    return of != CFG_NONE && forest_under(&k->nest, of - k->low, region - k->low);
}

struct cfg_mark cfg_edge_mark(const struct ir_module *m, const struct cfg_block *from,
                              const struct cfg_block *to) {
    const struct ir_insn *last = &m->code.v[from->end - 1];
    if (last->op == IR_BRA && !insn_conditional(last)) return (struct cfg_mark){from->end - 1, IR_NOPC};
    return (struct cfg_mark){from->end - 1, to->first};
}

static struct cfg_mark edge_mark(const struct work *w, uint32_t u, uint32_t v) {
    return cfg_edge_mark(w->m, &w->b[u], &w->b[v]);
}

typedef VEC(struct found) founds;

/* Who goes from a place in region `from` to one in `to` enters the regions of the latter that do not hold the former. The
 * largest of them is entered from inside the next one. */
static void regions_enter(struct finder *k, uint32_t from, uint32_t to, struct cfg_mark at, bool *entered,
                          founds *out) {
    uint32_t last = CFG_NONE, r = to;
    for (; r != CFG_NONE && !regions_holds(k, r, from); r = k->regions.v[r].parent) {
        VEC_PUSH(out, (struct found){r, at});
        last = r;
    }
    if (r != CFG_NONE && last != CFG_NONE) entered[last - k->low] = true;
}

static bool mark_block(struct finder *k, uint32_t v, bool *entered, founds *out) {
    const struct work *w = k->w;
    const struct graph *g = &w->g;
    for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++)
        regions_enter(k, k->of_end[g->pred[p]], k->of_start[v], edge_mark(w, g->pred[p], v), entered, out);
    if (v == 0)
        regions_enter(k, CFG_NONE, k->of_start[v], (struct cfg_mark){IR_NOPC, w->b[v].first}, entered, out);
    regions_enter(k, k->of_start[v], k->of_end[v], (struct cfg_mark){w->b[v].end - 1, IR_NOPC}, entered, out);
    return k->marks.n + out->n <= k->limit;
}

static void mark_bare(struct finder *k, uint32_t r, founds *out) {
    struct work *w = k->w;
    uint32_t v = k->regions.v[r].join - w->f->block;
    for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++)
        if (!regions_holds(k, r, k->of_end[w->g.pred[p]]))
            VEC_PUSH(out, (struct found){r, edge_mark(w, w->g.pred[p], v)});
    if (v == 0) VEC_PUSH(out, (struct found){r, {IR_NOPC, w->b[0].first}});
}

static int by_region(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    const uint32_t p[] = {x->region, x->at.pc, x->at.to}, q[] = {y->region, y->at.pc, y->at.to};
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* The found marks, each once, as those of their regions. */
static void keep_marks(struct finder *k, founds *in, bool bare) {
    if (in->n > 1) qsort(in->v, in->n, sizeof *in->v, by_region);
    for (size_t i = 0; i < in->n; i++) {
        struct cfg_region *r = &k->regions.v[in->v[i].region];
        uint32_t *first = bare ? &r->bare : &r->mark, *n = bare ? &r->nbare : &r->nmarks;
        if (i && !by_region(&in->v[i], &in->v[i - 1])) continue;
        if (!*n) *first = (uint32_t)k->marks.n;
        ++*n;
        VEC_PUSH(&k->marks, in->v[i].at);
    }
    in->n = 0;
}

static void number_nest(struct finder *k) {
    uint32_t n = (uint32_t)k->regions.n - k->low;
    uint32_t *parent = ARENA_NEW(&k->w->mem, uint32_t, n), *order = ARENA_NEW(&k->w->mem, uint32_t, n);
    for (uint32_t r = 0; r < n; r++) {
        const struct cfg_region *q = &k->regions.v[k->low + r];
        order[r] = r;
        parent[r] = q->parent == CFG_NONE ? CFG_NONE : q->parent - k->low;
    }
    k->nest = forest_number(n, parent, order, n, &k->w->mem);
}

static bool place_marks(struct finder *k) {
    struct work *w = k->w;
    bool *entered = ARENA_NEW(&w->mem, bool, k->regions.n - k->low), good = true;
    founds found = {0};
    for (uint32_t v = 0; v < w->n && good; v++)
        if (w->number[v] != CFG_NONE) good = mark_block(k, v, entered, &found);
    if (good) keep_marks(k, &found, false);
    for (uint32_t r = k->low; r < k->regions.n && good; r++) {
        uint32_t parent = k->regions.v[r].parent;
        mark_bare(k, r, &found);
        if (parent != CFG_NONE && !entered[r - k->low]) k->regions.v[parent].widened = true;
    }
    if (good) keep_marks(k, &found, true);
    VEC_FREE(&found);
    return good;
}

/* ---- what the marks have in common ---- */

static uint32_t common_dominator(const struct work *w, uint32_t a, uint32_t b) {
    while (!block_dominates(w, a, b)) a = w->idom[a];
    return a;
}

static void find_start(struct finder *k, struct cfg_region *r) {
    const struct work *w = k->w;
    uint32_t at = CFG_NONE;
    for (uint32_t i = 0; i < r->nmarks; i++) {
        uint32_t pc = k->marks.v[r->mark + i].pc,
                 v = pc == IR_NOPC ? 0 : w->m->code.v[pc].block - w->f->block;
        at = at == CFG_NONE ? v : common_dominator(w, at, v);
    }
    r->start = at + w->f->block;
}

/* A loop around a branch that does not hold the join lies in the region; the region is the loop when it has no more blocks,
 * and then whatever leaves the loop goes to the join. Its own branches must all be exits. */
static void find_loop(struct finder *k, struct cfg_region *r) {
    const struct work *w = k->w;
    const struct cfg *c = w->c;
    uint32_t l = c->blocks[w->m->code.v[k->branches.v[r->branch]].block].loop;
    while (l != CFG_NONE && c->loops[l].nblocks < r->nblocks) l = c->loops[l].parent;
    if (l == CFG_NONE || c->loops[l].nblocks != r->nblocks) return;
    uint32_t around = c->blocks[r->join].loop;
    while (around != CFG_NONE && c->loops[around].depth > c->loops[l].depth) around = c->loops[around].parent;
    if (around == l) return;
    for (uint32_t i = 0; i < r->nbranches; i++) {
        const struct cfg_block *b = &c->blocks[w->m->code.v[k->branches.v[r->branch + i]].block];
        bool leaves = false;
        for (uint32_t s = 0; s < b->nsucc; s++) leaves |= c->edges[b->succ + s] == r->join;
        if (!leaves) return;
    }
    r->loop = l;
}

/* ---- all of it ---- */

/* Finds the regions of the function and the blocks of each. */
static void find_regions(struct finder *k) {
    struct work *w = k->w;
    k->branch = ARENA_NEW(&w->mem, bool, w->n);
    for (uint32_t v = 0; v < w->n; v++) k->branch[v] = diverges(k, v);
    struct growth from = {.w = w, .branch = k->branch};
    grow_regions(&from);
    k->of_end = from.of_end;
    k->of_start = from.of_start;
    uint32_t *number = ARENA_NEW(&w->mem, uint32_t, from.v.n);
    number_regions(k, &from, number);
    list_branches(k, &from, number);
    growth_free(&from);
}

static bool regions_find_function(struct finder *k) {
    k->low = (uint32_t)k->regions.n;
    find_regions(k);
    number_nest(k);
    if (!place_marks(k)) return false;
    for (uint32_t r = k->low; r < k->regions.n; r++) {
        find_start(k, &k->regions.v[r]);
        find_loop(k, &k->regions.v[r]);
    }
    return true;
}

static void *regions_keep(struct arena *mem, const void *v, size_t bytes) {
    void *to = arena_alloc(mem, bytes);
    if (bytes) memcpy(to, v, bytes);
    return to;
}

struct cfg_regions *cfg_regions(const struct ir_module *m, const struct cfg *c, const uint8_t *varies,
                                size_t limit, struct err *e) {
    struct cfg_regions *out = xcalloc(1, sizeof *out);
    struct finder k = {.out = out, .varies = varies, .limit = limit};
    out->of_block = ARENA_NEW(&out->mem, uint32_t, c->nblocks);
    for (uint32_t v = 0; v < c->nblocks; v++) out->of_block[v] = CFG_NONE;
    bool good = true;
    for (uint32_t f = 0; f < m->funcs.n && good; f++) {
        struct work w;
        work_reopen(&w, m, c, f);
        k.w = &w;
        if (w.n) good = regions_find_function(&k);
        if (!good)
            err_set(e, ERR_INPUT, "%s:%u: error: %s needs more than %zu marks of reconvergence", m->name,
                    m->funcs.v[f].line, m->funcs.v[f].name, limit);
        arena_free(&w.mem);
    }
    out->n = (uint32_t)k.regions.n;
    out->v = regions_keep(&out->mem, k.regions.v, k.regions.n * sizeof *k.regions.v);
    out->branches = regions_keep(&out->mem, k.branches.v, k.branches.n * sizeof *k.branches.v);
    out->marks = regions_keep(&out->mem, k.marks.v, k.marks.n * sizeof *k.marks.v);
    VEC_FREE(&k.regions);
    VEC_FREE(&k.branches);
    VEC_FREE(&k.marks);
    if (good) return out;
    cfg_regions_free(out);
    return NULL;
}

void cfg_regions_free(struct cfg_regions *r) {
    if (!r) return;
    arena_free(&r->mem);
    xfree(r);
}
