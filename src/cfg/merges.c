/* Barriers where compilers put them: by the structure of the code, not by post-dominators. Mesa's compiler for NVIDIA's
 * hardware (NAK) sets one before each divergent `if` whose two ways go on to the block behind it, and one before each divergent
 * loop; a `break` or `continue` leaves the barriers of the ifs that lie between it and its loop. So threads that stay in a loop
 * meet at the end of an `if` out of which others broke, where the post-dominator is behind the loop.
 *
 * Here there is no syntax to go by, only loops and dominators. A *level* is a loop, or the function. Its graph has the blocks of
 * the level, without edges that leave it (breaks) and edges back to its header. Its *end* is the last block that goes back to
 * the header, or, of those that end the function, the one to which most blocks lead; blocks from which the end is not
 * reached are not part of it. In that graph
 *   - a branch of the level that has two ways left meets at its immediate post-dominator: an if;
 *   - a branch in an inner loop out of which its threads may go apart meets at the first post-dominator outside the inner
 *     loop: the end of that loop. It may be one of several levels: those that leave two loops at once pass by the end of the
 *     inner one.
 * The region of a join is what is reached from its branches in the level's graph before the join. A thread that enters
 * it passes a BSSY; one that leaves it passes the BSYNC or, if it goes anywhere but to the join, a BREAK: on every
 * path it is a member exactly while it is in the region.
 *
 * Regions need not be nested. That no thread waits for ever follows from the order of the joins: one that lies in the
 * region of another has higher priority (order.c: loops whole), so those who wait at a join wait for threads further
 * up only. With irreducible loops there is no such order; such functions, and those whose levels and regions have very
 * many blocks in all, are left to post-dominators. */
#include <stdlib.h>

#include "cfg/barriers.h"
#include "cfg/graph.h"

enum {
    /* MOST_BLOCKS: of all levels and regions of a function. MOST_EXITS: exits looked at. */
    MOST_BLOCKS = 1 << 22,
    MOST_EXITS = 64
};

struct level {
    uint32_t loop;           /* module-wide; CFG_NONE: the function */
    uint32_t n, *block, end; /* local numbers; end: a place in block */
    struct graph back;       /* over places: edges turned round, from the end */
    uint32_t *meet; /* place to that of its immediate post-dominator; CFG_NONE: the end, or not part of it */
    /* Place to the first post-dominator outside the inner loop that it is in, plus one; 0: unknown. */
    uint32_t *out;
};

struct found { /* a branch, and where its threads meet: places */
    uint32_t join, branch;
    uint32_t priority; /* priority of the join */
};

struct finder {
    struct work *w;
    const uint8_t *varies;
    struct barriers *out;
    uint32_t *place;             /* local block to place in the level, or CFG_NONE */
    uint32_t *in_start, *in_end; /* local block: number of the last region that holds its start, its end */
    uint32_t *regs_start, *regs_end; /* local block: registers of regions that hold it */
    uint32_t *regs_join;             /* local block: register of the region that ends there */
    uint32_t regions;                /* regions of this function, from 1 on */
    VEC(uint32_t) region;            /* blocks whose end is in the region that grows */
    VEC(struct found) found;
    size_t blocks;
    struct arena mem; /* memory of the level */
};

/* ---- levels ---- */

static bool in_loop(const struct work *w, uint32_t v, uint32_t loop) {
    if (loop == CFG_NONE) return true;
    const struct cfg_loop *loops = w->c->loops;
    uint32_t l = w->b[v].loop;
    while (l != CFG_NONE && loops[l].depth > loops[loop].depth) l = loops[l].parent;
    return l == loop;
}

/* The outermost loop inside the level that holds the block; CFG_NONE: none does. */
static uint32_t inner_loop(const struct work *w, const struct level *at, uint32_t v) {
    const struct cfg_loop *loops = w->c->loops;
    uint32_t l = w->b[v].loop, inner = CFG_NONE;
    for (; l != at->loop; l = loops[l].parent) inner = l;
    return inner;
}

/* The edge is one of the level's graph. */
static bool merges_keeps(const struct finder *k, const struct level *at, uint32_t to) {
    const struct work *w = k->w;
    return k->place[to] != CFG_NONE &&
           (at->loop == CFG_NONE || w->c->loops[at->loop].header != w->f->block + to);
}

static void add_end(struct finder *k, uint32_t v) {
    if (k->in_end[v] == k->regions) return;
    k->in_end[v] = k->regions;
    VEC_PUSH(&k->region, v);
}

/* How many blocks of the function lead to v. */
static uint32_t count_leading(struct finder *k, uint32_t v) {
    const struct graph *g = &k->w->g;
    k->region.n = 0;
    k->regions++;
    add_end(k, v);
    for (size_t i = 0; i < k->region.n; i++)
        for (uint32_t p = g->pfirst[k->region.v[i]]; p < g->pfirst[k->region.v[i] + 1]; p++)
            add_end(k, g->pred[p]);
    return (uint32_t)k->region.n;
}

/* Finds the block to which most blocks lead, among those that end the function and do nothing else; the last one of
 * several. Where there are very many, the first ones are not looked at. */
static uint32_t find_exit(struct finder *k, const struct level *at) {
    const struct work *w = k->w;
    uint32_t best = CFG_NONE, most = 0, looked = 0;
    for (uint32_t i = at->n; i-- > 0 && looked < MOST_EXITS;) {
        const uint32_t v = at->block[i];
        if (!w->leaves[v] || w->g.sfirst[v] < w->g.sfirst[v + 1]) continue;
        const uint32_t n = count_leading(k, v);
        looked++;
        if (n > most || (n == most && w->b[v].priority > w->b[at->block[best]].priority)) best = i, most = n;
    }
    return best;
}

static uint32_t find_latch(const struct finder *k, const struct level *at) {
    const struct work *w = k->w;
    const uint32_t header = w->c->loops[at->loop].header - w->f->block;
    uint32_t last = CFG_NONE;
    for (uint32_t p = w->g.pfirst[header]; p < w->g.pfirst[header + 1]; p++) {
        const uint32_t i = k->place[w->g.pred[p]];
        if (i == CFG_NONE) continue;
        if (last == CFG_NONE || w->b[at->block[i]].priority > w->b[at->block[last]].priority) last = i;
    }
    return last;
}

static void turn_round(struct finder *k, struct level *at) {
    const struct graph *g = &k->w->g;
    struct graph *b = &at->back;
    uint32_t n = 0;
    *b = (struct graph){.n = at->n, .root = at->end};
    b->sfirst = ARENA_NEW(&k->mem, uint32_t, at->n + 2);
    b->pfirst = ARENA_NEW(&k->mem, uint32_t, at->n + 1);
    for (uint32_t i = 0; i < at->n; i++)
        for (uint32_t s = g->sfirst[at->block[i]]; s < g->sfirst[at->block[i] + 1]; s++)
            if (merges_keeps(k, at, g->succ[s])) n++, b->sfirst[k->place[g->succ[s]] + 2]++;
    b->succ = ARENA_NEW(&k->mem, uint32_t, n);
    b->pred = ARENA_NEW(&k->mem, uint32_t, n);
    for (uint32_t i = 2; i < at->n + 2; i++) b->sfirst[i] += b->sfirst[i - 1];
    n = 0;
    for (uint32_t i = 0; i < at->n; i++) {
        b->pfirst[i] = n;
        for (uint32_t s = g->sfirst[at->block[i]]; s < g->sfirst[at->block[i] + 1]; s++) {
            if (!merges_keeps(k, at, g->succ[s])) continue;
            const uint32_t to = k->place[g->succ[s]];
            b->pred[n++] = to;
            b->succ[b->sfirst[to + 1]++] = i;
        }
    }
    b->pfirst[at->n] = n;
}

/* The end is reached from there. */
static bool merges_counts(const struct level *at, uint32_t place) {
    return place == at->end || at->meet[place] != CFG_NONE;
}

/* ---- joins ---- */

/* Shortens the ways it goes: where the places on them lead to is the same. */
static uint32_t meet_outside(struct finder *k, struct level *at, uint32_t place, uint32_t inner) {
    uint32_t x = place;
    while (x != CFG_NONE && !at->out[x] && in_loop(k->w, at->block[x], inner)) x = at->meet[x];
    const uint32_t to = x == CFG_NONE || !in_loop(k->w, at->block[x], inner) ? x : at->out[x] - 1;
    for (uint32_t y = place; y != x; y = at->meet[y]) at->out[y] = to + 1;
    return to;
}

/* CFG_NONE: nowhere in this level, or further in already. */
static uint32_t find_join(struct finder *k, struct level *at, uint32_t place) {
    const struct work *w = k->w;
    const uint32_t v = at->block[place];
    const struct ir_insn *last = &w->m->code.v[w->b[v].end - 1];
    const uint32_t inner = inner_loop(w, at, v);
    uint32_t ways = 0;
    if (!k->varies[w->b[v].end - 1] || last->op == IR_EXIT || last->op == IR_RET || !merges_counts(at, place))
        return CFG_NONE;
    if (inner != CFG_NONE)
        return w->ipdom[v] < w->n && in_loop(w, w->ipdom[v], inner) ? CFG_NONE
                                                                    : meet_outside(k, at, place, inner);
    for (uint32_t s = at->back.pfirst[place]; s < at->back.pfirst[place + 1]; s++)
        ways += merges_counts(at, at->back.pred[s]);
    return ways > 1 || last->op == IR_CALL || last->op == IR_CALL_IND ? at->meet[place] : CFG_NONE;
}

/* Orders joins so that regions that end last come first: they are around the others. */
static int by_join(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    return x->branch < y->branch ? -1 : x->branch > y->branch;
}

/* ---- regions ---- */

/* From the branches' ends to the join. */
static void merges_grow(struct finder *k, const struct level *at, const struct found *f, size_t n) {
    k->regions++;
    k->region.n = 0;
    for (size_t i = 0; i < n; i++) add_end(k, at->block[f[i].branch]);
    for (size_t i = 0; i < k->region.n; i++) {
        const uint32_t u = k->place[k->region.v[i]];
        for (uint32_t s = at->back.pfirst[u]; s < at->back.pfirst[u + 1]; s++) {
            const uint32_t x = at->back.pred[s], v = at->block[x];
            if (x == f->join || !merges_counts(at, x)) continue;
            k->in_start[v] = k->regions;
            add_end(k, v);
        }
    }
    k->blocks += k->region.n;
}

static bool starts_in(const struct finder *k, uint32_t v) {
    return k->in_start[v] == k->regions;
}

/* The lowest register that no region has in which a thread of this one can be, or of whose end it may come by; nor one that
 * can come by the end of this. */
static uint32_t choose_register(struct finder *k, uint32_t join) {
    uint32_t taken = k->regs_start[join];
    for (size_t i = 0; i < k->region.n; i++) {
        const uint32_t v = k->region.v[i];
        taken |= k->regs_end[v];
        if (starts_in(k, v)) taken |= k->regs_join[v];
    }
    taken = ~taken & ((1u << BARRIER_REGISTERS) - 1);
    if (!taken) return CFG_NONE;
    taken &= -taken;
    for (size_t i = 0; i < k->region.n; i++) {
        k->regs_end[k->region.v[i]] |= taken;
        if (starts_in(k, k->region.v[i])) k->regs_start[k->region.v[i]] |= taken;
    }
    k->regs_join[join] |= taken;
    return (uint32_t)__builtin_ctz(taken);
}

static void put_mark(struct finder *k, uint32_t u, uint32_t v) {
    VEC_PUSH(&k->out->marks, cfg_edge_mark(k->w->m, &k->w->b[u], &k->w->b[v]));
}

static void put_begins(struct finder *k, uint32_t v) {
    const struct work *w = k->w;
    if (!starts_in(k, v)) {
        VEC_PUSH(&k->out->marks, ((struct cfg_mark){w->b[v].end - 1, IR_NOPC}));
        return;
    }
    for (uint32_t p = w->g.pfirst[v]; p < w->g.pfirst[v + 1]; p++)
        if (k->in_end[w->g.pred[p]] != k->regions) put_mark(k, w->g.pred[p], v);
    if (v == 0) VEC_PUSH(&k->out->marks, ((struct cfg_mark){IR_NOPC, w->b[v].first}));
}

static void put_leaves(struct finder *k, uint32_t u, uint32_t join) {
    const struct work *w = k->w;
    const struct ir_insn *last = &w->m->code.v[w->b[u].end - 1];
    if (last->op == IR_RET && !w->fn->kernel)
        VEC_PUSH(&k->out->marks, ((struct cfg_mark){w->b[u].end - 1, IR_NOPC}));
    for (uint32_t s = w->g.sfirst[u]; s < w->g.sfirst[u + 1]; s++)
        if (w->g.succ[s] != join && !starts_in(k, w->g.succ[s])) put_mark(k, u, w->g.succ[s]);
}

static void put_barrier(struct finder *k, uint32_t join) {
    const struct work *w = k->w;
    struct barriers *out = k->out;
    struct barrier b = {.func = w->func, .join = w->b[join].first, .reg = choose_register(k, join)};
    if (b.reg == CFG_NONE) return;
    b.begin = (uint32_t)out->marks.n;
    for (size_t i = 0; i < k->region.n; i++) put_begins(k, k->region.v[i]);
    b.nbegin = (uint32_t)out->marks.n - b.begin;
    b.leave = (uint32_t)out->marks.n;
    for (size_t i = 0; i < k->region.n; i++) put_leaves(k, k->region.v[i], join);
    b.nleave = (uint32_t)out->marks.n - b.leave;
    VEC_PUSH(&out->v, b);
}

/* ---- all of it ---- */

static void find_level(struct finder *k, struct level *at) {
    for (uint32_t i = 0; i < at->n; i++) k->place[at->block[i]] = i;
    at->end = at->loop == CFG_NONE ? find_exit(k, at) : find_latch(k, at);
    if (at->end != CFG_NONE) {
        turn_round(k, at);
        at->meet = ARENA_NEW(&k->mem, uint32_t, at->n);
        at->out = ARENA_NEW(&k->mem, uint32_t, at->n);
        dom_tree(&at->back, at->meet, &k->mem);
        k->found.n = 0;
        for (uint32_t i = 0; i < at->n; i++) {
            const uint32_t join = find_join(k, at, i);
            if (join == CFG_NONE) continue;
            VEC_PUSH(&k->found, ((struct found){join, i, k->w->b[at->block[join]].priority}));
        }
        if (k->found.n > 1) qsort(k->found.v, k->found.n, sizeof *k->found.v, by_join);
        for (size_t i = 0, n; i < k->found.n && k->blocks <= MOST_BLOCKS; i += n) {
            for (n = 1; i + n < k->found.n && k->found.v[i + n].join == k->found.v[i].join;) n++;
            merges_grow(k, at, k->found.v + i, n);
            put_barrier(k, at->block[k->found.v[i].join]);
        }
    }
    for (uint32_t i = 0; i < at->n; i++) k->place[at->block[i]] = CFG_NONE;
    arena_free(&k->mem);
    k->mem = (struct arena){0};
}

/* Level 0 is the function, then come its loops, outer ones first. */
static void find_levels(struct finder *k) {
    struct work *w = k->w;
    const uint32_t levels = w->f->nloops + 1;
    uint32_t *first = ARENA_NEW(&w->mem, uint32_t, levels + 2), *block = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            for (uint32_t l = 1; l < levels + 2; l++) first[l] += first[l - 1];
            block = ARENA_NEW(&w->mem, uint32_t, first[levels + 1]);
        }
        for (uint32_t v = 0; v < w->n; v++)
            for (uint32_t l = w->b[v].loop; w->number[v] != CFG_NONE; l = w->c->loops[l].parent) {
                const uint32_t level = l == CFG_NONE ? 0 : l - w->f->loop + 1;
                if (pass)
                    block[first[level + 1]++] = v;
                else
                    first[level + 2]++;
                if (l == CFG_NONE) break;
            }
    }
    for (uint32_t l = 0; l < levels && k->blocks <= MOST_BLOCKS; l++) {
        struct level at = {.loop = l ? w->f->loop + l - 1 : CFG_NONE,
                           .n = first[l + 1] - first[l],
                           .block = block + first[l]};
        find_level(k, &at);
    }
}

/* Blocks of all levels. */
static size_t count_levels(const struct work *w) {
    size_t n = w->n;
    for (uint32_t v = 0; v < w->n; v++)
        if (w->b[v].loop != CFG_NONE) n += w->c->loops[w->b[v].loop].depth;
    return n;
}

bool barriers_of_merges(const struct ir_module *m, const struct cfg *c, uint32_t func, const uint8_t *varies,
                        struct barriers *out) {
    struct work w;
    struct finder k = {.w = &w, .varies = varies, .out = out};
    const size_t had = out->v.n;
    if (c->funcs[func].structure == CFG_IRREDUCIBLE) return false;
    work_reopen(&w, m, c, func);
    uint32_t **columns[] = {&k.in_start, &k.in_end, &k.regs_start, &k.regs_end, &k.regs_join, &k.place};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = ARENA_NEW(&w.mem, uint32_t, w.n + 1);
    for (uint32_t v = 0; v < w.n; v++) k.place[v] = CFG_NONE;
    k.blocks = count_levels(&w);
    if (w.n && k.blocks <= MOST_BLOCKS) find_levels(&k);
    VEC_FREE(&k.region);
    VEC_FREE(&k.found);
    arena_free(&w.mem);
    if (k.blocks <= MOST_BLOCKS) return true;
    out->v.n = had;
    return false;
}
