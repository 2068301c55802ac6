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
 * leads to R from outside (`bare` edges), nobody has passed a mark: a mechanism whose join takes something off a stack in any
 * case, as Tesla's does, needs a mark there too.
 *
 * Instead of one mark at the branches' common dominator, which need not be post-dominated by R, there may be several, of
 * which every path meets one. The dominator is `start`.
 *
 * Regions are found from the deepest R in the post-dominator tree outwards; a finished one is one step for those around it,
 * so the whole is near-linear. */
#include "cfg/regions.h"

#include <stdlib.h>
#include <string.h>

#include "cfg/graph.h"

struct grown {
    uint32_t join, parent; /* local block; region or CFG_NONE */
    uint32_t nblocks;      /* inner regions included */
};

struct finder {
    struct cfg_regions *out;
    const uint8_t *varies;
    struct work *w;
    VEC(struct grown) grown; /* of one function, inner ones first */
    /* Local block to the smallest region that holds its end, and its start: a branch from which a region begins is in it
     * only with its end. Numbers as in grown, then as in regions. CFG_NONE: none. */
    uint32_t *of_end, *of_start;
    uint32_t *at_join; /* local block to the region it ends, or CFG_NONE */
    VEC(uint32_t) top; /* region towards the largest finished one around it: union-find */
    VEC(uint32_t) todo;
    VEC(struct cfg_region) regions;
    struct forest nest; /* of this function's regions, those from `low` on */
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

static uint32_t top_of(struct finder *k, uint32_t q) {
    while (k->top.v[q] != q) q = k->top.v[q] = k->top.v[k->top.v[q]];
    return q;
}

/* ---- the blocks of each region ---- */

/* A finished region becomes part of r, and so does what comes after it. */
static void absorb(struct finder *k, uint32_t inner, uint32_t r) {
    inner = top_of(k, inner);
    if (inner == r) return;
    struct grown *q = &k->grown.v[inner];
    q->parent = r;
    k->top.v[inner] = r;
    k->grown.v[r].nblocks += q->nblocks;
    VEC_PUSH(&k->todo, q->join);
}

static void add_end(struct finder *k, uint32_t v, uint32_t r) {
    if (k->of_end[v] != CFG_NONE) {
        absorb(k, k->of_end[v], r);
        return;
    }
    k->of_end[v] = r;
    k->grown.v[r].nblocks++;
    for (uint32_t s = k->w->g.sfirst[v]; s < k->w->g.sfirst[v + 1]; s++) VEC_PUSH(&k->todo, k->w->g.succ[s]);
}

static void add_block(struct finder *k, uint32_t v, uint32_t r) {
    if (v == k->grown.v[r].join) return;
    if (k->of_start[v] == CFG_NONE) {
        k->of_start[v] = r;
        if (k->at_join[v] != CFG_NONE) absorb(k, k->at_join[v], r);
    }
    add_end(k, v, r);
}

static bool diverges(const struct finder *k, uint32_t v) {
    const struct work *w = k->w;
    return w->number[v] != CFG_NONE && w->ipdom[v] < w->n && k->varies[w->b[v].end - 1];
}

/* Blocks that end in such a branch, in the order of their joins, deepest in the post-dominator tree first. */
static uint32_t *sort_branches(struct finder *k, uint32_t *n) {
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
        if (diverges(k, v)) start[w->n - depth[w->ipdom[v]] + 1]++, ++*n;
    for (uint32_t d = 0; d <= w->n; d++) start[d + 1] += start[d];
    for (uint32_t v = 0; v < w->n; v++)
        if (diverges(k, v)) order[start[w->n - depth[w->ipdom[v]]]++] = v;
    return order;
}

static void grow(struct finder *k, uint32_t branch) {
    uint32_t join = k->w->ipdom[branch], r = k->at_join[join];
    if (r == CFG_NONE) {
        r = k->at_join[join] = (uint32_t)k->grown.n;
        VEC_PUSH(&k->grown, (struct grown){.join = join, .parent = CFG_NONE});
        VEC_PUSH(&k->top, r);
    }
    k->todo.n = 0;
    add_end(k, branch, r);
    while (k->todo.n) add_block(k, k->todo.v[--k->todo.n], r);
}

/* Joins of one depth may take turns: none is in another's region. */
static void grow_all(struct finder *k) {
    uint32_t n;
    const uint32_t *order = sort_branches(k, &n);
    for (uint32_t v = 0; v < k->w->n; v++) k->of_end[v] = k->of_start[v] = k->at_join[v] = CFG_NONE;
    for (uint32_t i = 0; i < n; i++) grow(k, order[i]);
}

/* ---- numbering: parents first ---- */

static void number_regions(struct finder *k, uint32_t *number) {
    struct work *w = k->w;
    for (uint32_t q = (uint32_t)k->grown.n; q-- > 0;) {
        const struct grown *g = &k->grown.v[q];
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

static void list_branches(struct finder *k, const uint32_t *number) {
    struct work *w = k->w;
    uint32_t first = (uint32_t)k->branches.n;
    for (uint32_t v = 0; v < w->n; v++)
        if (diverges(k, v)) k->regions.v[number[k->at_join[w->ipdom[v]]]].nbranches++;
    for (uint32_t r = k->low; r < k->regions.n; r++) {
        k->regions.v[r].branch = first;
        first += k->regions.v[r].nbranches;
        k->regions.v[r].nbranches = 0;
    }
    VEC_RESERVE(&k->branches, first);
    k->branches.n = first;
    for (uint32_t v = 0; v < w->n; v++) {
        if (!diverges(k, v)) continue;
        struct cfg_region *r = &k->regions.v[number[k->at_join[w->ipdom[v]]]];
        k->branches.v[r->branch + r->nbranches++] = w->b[v].end - 1;
    }
}

/* ---- marks ---- */

static bool holds(const struct finder *k, uint32_t region, uint32_t of) {
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
static void enter(struct finder *k, uint32_t from, uint32_t to, struct cfg_mark at, bool *entered,
                  founds *out) {
    uint32_t last = CFG_NONE, r = to;
    for (; r != CFG_NONE && !holds(k, r, from); r = k->regions.v[r].parent) {
        VEC_PUSH(out, (struct found){r, at});
        last = r;
    }
    if (r != CFG_NONE && last != CFG_NONE) entered[last - k->low] = true;
}

static bool mark_block(struct finder *k, uint32_t v, bool *entered, founds *out) {
    const struct work *w = k->w;
    const struct graph *g = &w->g;
    for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++)
        enter(k, k->of_end[g->pred[p]], k->of_start[v], edge_mark(w, g->pred[p], v), entered, out);
    if (v == 0) enter(k, CFG_NONE, k->of_start[v], (struct cfg_mark){IR_NOPC, w->b[v].first}, entered, out);
    enter(k, k->of_start[v], k->of_end[v], (struct cfg_mark){w->b[v].end - 1, IR_NOPC}, entered, out);
    return k->marks.n + out->n <= k->limit;
}

static void mark_bare(struct finder *k, uint32_t r, founds *out) {
    struct work *w = k->w;
    uint32_t v = k->regions.v[r].join - w->f->block;
    for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++)
        if (!holds(k, r, k->of_end[w->g.pred[p]]))
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
    for (uint32_t around = c->blocks[r->join].loop; around != CFG_NONE; around = c->loops[around].parent)
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

static bool find_function(struct finder *k) {
    struct work *w = k->w;
    k->of_end = ARENA_NEW(&w->mem, uint32_t, w->n);
    k->of_start = ARENA_NEW(&w->mem, uint32_t, w->n);
    k->at_join = ARENA_NEW(&w->mem, uint32_t, w->n);
    k->grown.n = k->top.n = 0;
    k->low = (uint32_t)k->regions.n;
    grow_all(k);
    uint32_t *number = ARENA_NEW(&w->mem, uint32_t, k->grown.n);
    number_regions(k, number);
    list_branches(k, number);
    number_nest(k);
    if (!place_marks(k)) return false;
    for (uint32_t r = k->low; r < k->regions.n; r++) {
        find_start(k, &k->regions.v[r]);
        find_loop(k, &k->regions.v[r]);
    }
    return true;
}

static void *keep(struct arena *mem, const void *v, size_t bytes) {
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
        if (w.n) good = find_function(&k);
        if (!good)
            err_set(e, ERR_INPUT, "%s:%u: error: %s needs more than %zu marks of reconvergence", m->name,
                    m->funcs.v[f].line, m->funcs.v[f].name, limit);
        arena_free(&w.mem);
    }
    out->n = (uint32_t)k.regions.n;
    out->v = keep(&out->mem, k.regions.v, k.regions.n * sizeof *k.regions.v);
    out->branches = keep(&out->mem, k.branches.v, k.branches.n * sizeof *k.branches.v);
    out->marks = keep(&out->mem, k.marks.v, k.marks.n * sizeof *k.marks.v);
    VEC_FREE(&k.grown);
    VEC_FREE(&k.top);
    VEC_FREE(&k.todo);
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
