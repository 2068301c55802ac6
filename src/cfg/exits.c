/* Main exits: which exit counts when post-dominators are computed (docs/reconvergence.md).
 *
 * With an edge from every exit to the end of the kernel, one early return or failed assertion moves the post-dominator of all
 * branches around it to the end. But a thread that exits waits for no other and no other waits for it: it leaves every
 * reconvergence stack, and compilers for hardware place joins as if it had never come that way (ptxas of CUDA 13 for sm_75
 * does). So each block is given one exit, the main one of those it leads to, and an edge counts only between blocks of the
 * same exit. What an early exit cuts off is a small graph of its own, with joins of its own.
 *
 * Any exit but TRAP is preferred to an endless loop, and that to TRAP. Among equals the main exit is at the end of the heaviest
 * way from the entry, all blocks of a cycle counted once. Ways are compared by
 *   - barriers, of blocks and warps, .sync included: threads that are not together there may never meet;
 *   - loops with barriers that are left where loops usually are, from the header or a block that jumps back to it
 *     (itself, or by blocks without another test);
 *   - instructions that all have passed who leave such a loop there: compilers put the test of a loop at the end of a round, so
 *     that what leaves from the header is an early return;
 *   - loops of any kind that are left where they usually are;
 *   - instructions;
 * and then by reverse postorder, the last first.
 *
 * In functions all RET together are one exit, preferred to any other: those threads go on. In kernels of machine code, where
 * an exit has no guard and compilers let all returns share one, a block that does nothing but end the thread is an exit of
 * each block that leads to it. (The PTX front end makes a branch to such a block an exit under the branch's guard.)
 *
 * Linear, but for sorting the exits. */
#include <stdlib.h>

#include "cfg/breaks.h"
#include "cfg/graph.h"
#include "ir/scc.h"

struct way { /* the weight of the heaviest way from the entry to the end of a component */
    uint32_t barriers, waiting_loops, passed, loops, insns;
};

enum kind { TRAPS, ENDLESS, LEAVES };

struct candidate {
    uint32_t block;
    enum kind kind;
    struct way way;
    uint32_t number; /* in reverse postorder */
};

/* ---- the heaviest way to each component ---- */

static int exits_compare(const uint32_t *a, const uint32_t *b, int n) {
    for (int k = 0; k < n; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_ways(const struct way *a, const struct way *b) {
    const uint32_t x[] = {a->barriers, a->waiting_loops, a->passed, a->loops, a->insns},
                   y[] = {b->barriers, b->waiting_loops, b->passed, b->loops, b->insns};
    return exits_compare(x, y, 5);
}

static uint32_t count_waits(const struct work *w, uint32_t v) {
    uint32_t n = 0;
    for (uint32_t pc = w->b[v].first; pc < w->b[v].end; pc++) n += insn_waits(&w->m->code.v[pc]);
    return n;
}

/* Finds the instructions of its component that a thread has passed at the end of each block: those of the blocks that
 * dominate it. */
static uint32_t *find_passed(struct work *w, const uint32_t *comp) {
    uint32_t *passed = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t k = 0; k < w->nrpo; k++) {
        const uint32_t v = w->rpo[k], dom = w->idom[v];
        passed[v] = w->b[v].end - w->b[v].first;
        if (dom != CFG_NONE && comp[dom] == comp[v]) passed[v] += passed[dom];
    }
    return passed;
}

/* Lists the reachable blocks by component, each component before those it leads to. Returns how many there are. */
static uint32_t order_blocks(struct work *w, const uint32_t *comp, uint32_t ncomp, uint32_t *order) {
    uint32_t *first = ARENA_NEW(&w->mem, uint32_t, ncomp + 1), n = 0;
    for (uint32_t k = 0; k < w->nrpo; k++) first[ncomp - comp[w->rpo[k]]]++;
    for (uint32_t c = 1; c <= ncomp; c++) first[c] += first[c - 1];
    for (uint32_t k = 0; k < w->nrpo; k++, n++) order[first[ncomp - 1 - comp[w->rpo[k]]]++] = w->rpo[k];
    return n;
}

/* Finds the blocks at which a component is entered. */
static bool *exits_find_headers(struct work *w, const uint32_t *comp) {
    bool *header = ARENA_NEW(&w->mem, bool, w->n);
    header[0] = true;
    for (uint32_t v = 0; v < w->n; v++)
        for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++)
            header[v] |= comp[w->g.pred[p]] != comp[v];
    return header;
}

/* The only successor of the block, or CFG_NONE. */
static uint32_t only_way(const struct work *w, uint32_t v) {
    return w->g.sfirst[v + 1] - w->g.sfirst[v] == 1 ? w->g.succ[w->g.sfirst[v]] : CFG_NONE;
}

/* Finds the blocks from which all go back to a header, without another test. */
static bool *find_turning(struct work *w, const bool *header) {
    bool *turning = ARENA_NEW(&w->mem, bool, w->n), *known = ARENA_NEW(&w->mem, bool, w->n);
    uint32_t *chain = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t k = 0; k < w->nrpo; k++) {
        uint32_t v = w->rpo[k], n = 0;
        while (!known[v]) {
            const uint32_t to = only_way(w, v);
            known[v] = true;
            turning[v] = to != CFG_NONE && header[to];
            if (to == CFG_NONE || header[to]) break;
            chain[n++] = v;
            v = to;
        }
        while (n) turning[chain[--n]] = turning[v];
    }
    return turning;
}

/* The block heads its cycle or jumps back to a block that does, itself or by blocks that do nothing else; false outside of
 * cycles. */
static bool turns(const struct work *w, const uint32_t *comp, const bool *header, const bool *turning,
                  uint32_t v) {
    bool cyclic = false, back = header[v];
    for (uint32_t s = w->g.sfirst[v]; s < w->g.sfirst[v + 1]; s++) {
        const uint32_t to = w->g.succ[s];
        cyclic |= comp[to] == comp[v];
        back |= comp[to] == comp[v] && (header[to] || turning[to]);
    }
    return cyclic && back;
}

/* Finds the heaviest way to the end of each component; the result is indexed by component. */
static struct way *find_ways(struct work *w, uint32_t *comp) {
    const uint32_t ncomp = ir_scc(w->n, w->g.sfirst, w->g.succ, comp);
    struct way *way = ARENA_NEW(&w->mem, struct way, ncomp);
    uint32_t *order = ARENA_NEW(&w->mem, uint32_t, w->n);
    const uint32_t n = order_blocks(w, comp, ncomp, order);
    const bool *header = exits_find_headers(w, comp), *turning = find_turning(w, header);
    const uint32_t *passed = find_passed(w, comp);
    for (uint32_t i = 0, next; i < n; i = next) {
        const uint32_t c = comp[order[i]];
        uint32_t waits = 0;
        for (next = i; next < n && comp[order[next]] == c; next++) {
            waits += count_waits(w, order[next]);
            way[c].insns += w->b[order[next]].end - w->b[order[next]].first;
        }
        way[c].barriers += waits;
        for (uint32_t k = i; k < next; k++) {
            const bool usual = turns(w, comp, header, turning, order[k]);
            struct way left = way[c];
            left.loops += usual;
            left.waiting_loops += usual && waits;
            left.passed += usual && waits ? passed[order[k]] : 0;
            for (uint32_t s = w->g.sfirst[order[k]]; s < w->g.sfirst[order[k] + 1]; s++) {
                struct way *to = &way[comp[w->g.succ[s]]];
                if (to != &way[c] && compare_ways(to, &left) < 0) *to = left;
            }
        }
    }
    return way;
}

/* ---- the exits and their ranks ---- */

static enum kind exits_kind_of(const struct work *w, uint32_t v) {
    return !w->leaves[v] ? ENDLESS : w->m->code.v[w->b[v].end - 1].op == IR_TRAP ? TRAPS : LEAVES;
}

/* The block does nothing but end the thread, and in machine code several blocks of a kernel may share it. */
static bool shared_end(const struct work *w, uint32_t v) {
    return w->m->binary && w->fn->kernel && v && block_only_ends(w, v);
}

/* Threads return from this block to the caller. */
static bool exits_returns(const struct work *w, uint32_t v) {
    return !w->fn->kernel && w->leaves[v] && exits_kind_of(w, v) == LEAVES &&
           w->m->code.v[w->b[v].end - 1].op != IR_EXIT;
}

static bool find_candidate(const struct work *w, const bool *exits, uint32_t v, struct candidate *out) {
    bool any = exits[v];
    enum kind kind = any ? exits_kind_of(w, v) : TRAPS;
    for (uint32_t s = w->g.sfirst[v]; s < w->g.sfirst[v + 1]; s++) {
        const uint32_t to = w->g.succ[s];
        if (!shared_end(w, to)) continue;
        any = true;
        if (exits_kind_of(w, to) > kind) kind = exits_kind_of(w, to);
    }
    *out = (struct candidate){.block = v, .kind = kind, .number = w->number[v]};
    return any;
}

/* Orders candidates so that the main exit comes first. */
static int by_rank(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? 1 : -1;
    const int ways = compare_ways(&x->way, &y->way);
    return ways ? -ways : exits_compare(&y->number, &x->number, 1);
}

static uint32_t list_candidates(struct work *w, const bool *exits, struct candidate *out) {
    uint32_t *comp = ARENA_NEW(&w->mem, uint32_t, w->n), n = 0;
    const struct way *way = find_ways(w, comp);
    for (uint32_t k = 0; k < w->nrpo; k++) {
        const uint32_t v = w->rpo[k];
        if (shared_end(w, v) || exits_returns(w, v) || !find_candidate(w, exits, v, &out[n])) continue;
        out[n++].way = way[comp[v]];
    }
    qsort(out, n, sizeof *out, by_rank);
    return n;
}

/* ---- who leaves by which ---- */

struct taker {
    struct work *w;
    bool *taken;
    uint32_t *todo, n;
};

static void exits_take(struct taker *t, uint32_t v, uint32_t exit) {
    if (t->taken[v]) return;
    t->taken[v] = true;
    t->w->b[v].exit = exit;
    t->todo[t->n++] = v;
}

/* Gives the exit to all blocks that lead to those just taken and have no exit yet. */
static void take_leading(struct taker *t, uint32_t exit) {
    const struct graph *g = &t->w->g;
    while (t->n) {
        const uint32_t v = t->todo[--t->n];
        for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++) exits_take(t, g->pred[p], exit);
    }
}

static void exits_assign(struct work *w, const bool *exits) {
    struct taker t = {w, ARENA_NEW(&w->mem, bool, w->n), ARENA_NEW(&w->mem, uint32_t, w->n), 0};
    struct candidate *c = ARENA_NEW(&w->mem, struct candidate, w->n);
    const uint32_t n = list_candidates(w, exits, c);
    for (uint32_t v = 0; v < w->n; v++)
        if (shared_end(w, v)) t.taken[v] = true, w->b[v].exit = v + w->f->block;
    for (uint32_t v = 0; v < w->n; v++)
        if (w->b[v].reachable && exits_returns(w, v)) exits_take(&t, v, CFG_NONE);
    take_leading(&t, CFG_NONE);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t exit = c[k].block + w->f->block;
        exits_take(&t, c[k].block, exit);
        take_leading(&t, exit);
    }
}

/* The block is the main exit of the threads that come to it. */
static bool exits_counts(const struct work *w, uint32_t v) {
    return exits_returns(w, v) || w->b[v].exit == v + w->f->block;
}

static bool count_ways(struct work *w, bool *exits) {
    bool all = true;
    for (uint32_t k = 0; k < w->nrpo; k++) {
        const uint32_t v = w->rpo[k];
        bool ends = w->leaves[v];
        uint32_t n = 0;
        for (uint32_t s = w->g.sfirst[v]; s < w->g.sfirst[v + 1]; s++) {
            n += edge_counts(w, v, w->g.succ[s]);
            ends |= shared_end(w, w->g.succ[s]);
        }
        all &= n == w->g.sfirst[v + 1] - w->g.sfirst[v] && exits[v] == exits_counts(w, v);
        exits[v] = exits_counts(w, v);
        w->b[v].ways = n + (ends && exits[v]);
    }
    return !all;
}

static bool may_wait(const struct work *w, uint32_t v) {
    bool found = !w->fn->kernel;
    for (uint32_t pc = w->b[v].first; pc < w->b[v].end; pc++) {
        const struct ir_insn *i = &w->m->code.v[pc];
        found |= insn_waits(i) || i->op == IR_CALL || i->op == IR_CALL_IND;
    }
    return found;
}

/* Finds the blocks from which barriers may be reached, along edges that count. */
static void find_waits(struct work *w) {
    uint32_t *todo = ARENA_NEW(&w->mem, uint32_t, w->n), n = 0;
    for (uint32_t v = 0; v < w->n; v++) {
        w->b[v].waits = may_wait(w, v);
        if (w->b[v].waits) todo[n++] = v;
    }
    while (n) {
        const uint32_t v = todo[--n];
        for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++) {
            const uint32_t from = w->g.pred[p];
            if (w->b[from].waits || !edge_counts(w, from, v)) continue;
            w->b[from].waits = true;
            todo[n++] = from;
        }
    }
}

bool exits_analyse(struct work *w, bool *exits) {
    for (uint32_t v = 0; v < w->n; v++) {
        w->b[v].exit = CFG_NONE;
        w->b[v].ways = w->g.sfirst[v + 1] - w->g.sfirst[v] + w->leaves[v];
    }
    if (w->c->exits != CFG_EXITS_EDGES) exits_assign(w, exits);
    find_waits(w);
    return w->c->exits != CFG_EXITS_EDGES && count_ways(w, exits);
}
