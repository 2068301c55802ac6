/* Dominators, post-dominators, loops, reducibility, priorities and frontiers against definitions applied by
 * brute force, on thousands of seeded random graphs. */
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>

enum { MAX_N = 64 };
typedef uint64_t set;
#define BIT(v) ((set)1 << (v))

/* A graph as bit sets; unreachable nodes have no edges. Node n is the exit in the reversed one. */
struct bits {
    uint32_t n, root;
    set succ[MAX_N + 1], pred[MAX_N + 1];
};

/* Nodes reachable from v over edges that avoid `without` (MAX_N + 1: none). v itself is included. */
static set reach(const struct bits *g, const set *edges, uint32_t v, uint32_t without) {
    set seen = BIT(v), todo = seen;
    if (v == without) return 0;
    while (todo) {
        uint32_t x = (uint32_t)__builtin_ctzll(todo);
        todo &= todo - 1;
        set fresh = edges[x] & ~seen;
        if (without <= g->n) fresh &= ~BIT(without);
        seen |= fresh;
        todo |= fresh;
    }
    return seen;
}

static void connect(struct bits *g, uint32_t from, uint32_t to) {
    g->succ[from] |= BIT(to);
    g->pred[to] |= BIT(from);
}

static struct bits bits_of(const struct shape *s) {
    struct bits all = {.n = s->n}, g = {.n = s->n};
    for (uint32_t v = 0; v < s->n; v++)
        for (uint32_t k = 0; k < s->node[v].nsucc; k++) connect(&all, v, s->node[v].succ[k]);
    set live = reach(&all, all.succ, 0, MAX_N + 1);
    for (uint32_t v = 0; v < s->n; v++)
        for (uint32_t k = 0; live & BIT(v) && k < s->node[v].nsucc; k++) connect(&g, v, s->node[v].succ[k]);
    return g;
}

/* dom[v]: who must be passed on every way from the root to v. 0 when unreachable. */
static void naive_dom(const struct bits *g, set *dom) {
    set live = reach(g, g->succ, g->root, MAX_N + 1);
    for (uint32_t v = 0; v < g->n; v++) dom[v] = 0;
    for (uint32_t d = 0; d < g->n; d++) {
        if (!(live & BIT(d))) continue;
        set without = reach(g, g->succ, g->root, d);
        for (uint32_t v = 0; v < g->n; v++)
            if (live & BIT(v) && !(without & BIT(v))) dom[v] |= BIT(d);
    }
}

/* The strict dominator that all other strict dominators dominate. */
static uint32_t naive_idom(const set *dom, uint32_t v) {
    set strict = dom[v] & ~BIT(v);
    for (uint32_t d = 0; d < MAX_N; d++)
        if (strict & BIT(d) && dom[d] == strict) return d;
    return CFG_NONE;
}

/* Reverse postorder as pdom.c states it: depth first, last successor first. */
static void postorder(const struct shape *s, uint32_t v, set *seen, uint32_t *out, uint32_t *n) {
    *seen |= BIT(v);
    for (uint32_t k = s->node[v].nsucc; k-- > 0;)
        if (!(*seen & BIT(s->node[v].succ[k]))) postorder(s, s->node[v].succ[k], seen, out, n);
    out[(*n)++] = v;
}

/* The edges and exits that count for post-dominators, by definition: all of them, or those of the exits in `main`. */
struct counted {
    struct bits g;
    set exits;
    uint32_t exit[MAX_N]; /* CFG_NONE where all count */
};

/* Blocks that leave, and in each part that nothing leaves the first in postorder, which is the last in its reverse. */
static set naive_exits(const struct shape *s, const struct bits *g, set live) {
    uint32_t post[MAX_N], npost = 0;
    set seen = 0, exits = 0;
    postorder(s, 0, &seen, post, &npost);
    assert_true(seen == live);
    for (uint32_t k = 0; k < npost; k++) {
        uint32_t v = post[k];
        set below = reach(g, g->succ, v, MAX_N + 1), component = 0;
        bool leaves = false, first = true;
        for (uint32_t w = 0; w < g->n; w++) {
            if (!(below & BIT(w))) continue;
            leaves |= s->node[w].leaves;
            if (reach(g, g->succ, w, MAX_N + 1) & BIT(v)) component |= BIT(w);
        }
        for (uint32_t j = 0; j < k; j++) first &= !(component & BIT(post[j]));
        if (s->node[v].leaves || (component == below && !leaves && first)) exits |= BIT(v);
    }
    return exits;
}

/* ---- main exits: those a block reaches, ranked by the heaviest way to them ---- */

enum { WEIGHTS = 5 };
struct ways {
    const struct shape *s;
    const struct ir_module *m;
    const struct cfg *c;
    const struct bits *g;
    set live, component[MAX_N];
    struct weight {
        /* barriers, loops with barriers left where they turn, instructions passed there, loops left where they turn, instructions */
        uint32_t v[WEIGHTS];
    } weight[MAX_N];
    bool known[MAX_N];
};

static bool heavier(struct weight a, struct weight b) {
    for (int k = 0; k < WEIGHTS; k++)
        if (a.v[k] != b.v[k]) return a.v[k] > b.v[k];
    return false;
}

static bool heads(const struct ways *x, uint32_t v) {
    return v == 0 || x->g->pred[v] & ~x->component[v];
}

/* One way leads on from the block and from those that follow, back to a header. */
static bool only_turns(const struct ways *x, uint32_t v) {
    for (uint32_t k = 0; k < x->g->n; k++) {
        const set to = x->g->succ[v];
        if (!to || to & (to - 1)) return false;
        v = (uint32_t)__builtin_ctzll(to);
        if (heads(x, v)) return true;
    }
    return false;
}

/* The block is on a cycle, and is its header or jumps back to one, itself or by blocks that do nothing else. */
static bool loop_turns(const struct ways *x, uint32_t v) {
    const set inside = x->g->succ[v] & x->component[v];
    bool back = inside && heads(x, v);
    for (uint32_t w = 0; w < x->g->n; w++) back |= inside & BIT(w) && (heads(x, w) || only_turns(x, w));
    return back;
}

static uint32_t barriers_in(const struct ways *x, set blocks) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < x->g->n; w++)
        for (uint32_t pc = x->c->blocks[w].first; blocks & BIT(w) && pc < x->c->blocks[w].end; pc++)
            n += x->m->code.v[pc].op == IR_BAR_SYNC;
    return n;
}

static uint32_t insns_in(const struct ways *x, set blocks) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < x->g->n; w++)
        if (blocks & BIT(w)) n += x->c->blocks[w].end - x->c->blocks[w].first;
    return n;
}

/* The way leaves the component of u, from u. */
static void weigh_leaving(const struct ways *x, uint32_t u, struct weight *way) {
    set dom[MAX_N];
    if (!loop_turns(x, u)) return;
    naive_dom(x->g, dom);
    way->v[3]++;
    if (!barriers_in(x, x->component[u])) return;
    way->v[1]++;
    way->v[2] += insns_in(x, x->component[u] & dom[u]);
}

static struct weight weigh(struct ways *x, uint32_t v) {
    struct weight best = {{0}};
    if (x->known[v]) return x->weight[v];
    for (uint32_t w = 0; w < x->g->n; w++)
        for (uint32_t u = 0; x->component[v] & BIT(w) && u < x->g->n; u++) {
            if (!(x->g->pred[w] & BIT(u)) || x->component[v] & BIT(u)) continue;
            struct weight way = weigh(x, u);
            weigh_leaving(x, u, &way);
            if (heavier(way, best)) best = way;
        }
    best.v[4] += insns_in(x, x->component[v]);
    best.v[0] += barriers_in(x, x->component[v]);
    x->known[v] = true;
    return x->weight[v] = best;
}

static int kind_of(const struct ways *x, uint32_t v) {
    if (!x->s->node[v].leaves) return 1;
    return x->m->code.v[x->c->blocks[v].end - 1].op == IR_TRAP ? 0 : 2;
}

static bool ranks_before(struct ways *x, uint32_t a, uint32_t b, const uint32_t *post) {
    if (kind_of(x, a) != kind_of(x, b)) return kind_of(x, a) > kind_of(x, b);
    struct weight p = weigh(x, a), q = weigh(x, b);
    return heavier(p, q) || (!heavier(q, p) && post[a] < post[b]);
}

static void naive_main(struct ways *x, struct counted *out) {
    uint32_t post[MAX_N], place[MAX_N] = {0}, npost = 0;
    set seen = 0;
    postorder(x->s, 0, &seen, post, &npost);
    for (uint32_t k = 0; k < npost; k++) place[post[k]] = k;
    for (uint32_t v = 0; v < x->g->n; v++)
        for (uint32_t w = 0; w < x->g->n; w++)
            if (reach(x->g, x->g->succ, v, MAX_N + 1) & BIT(w) &&
                reach(x->g, x->g->succ, w, MAX_N + 1) & BIT(v))
                x->component[v] |= BIT(w);
    for (uint32_t v = 0; v < x->g->n; v++) {
        const set below = reach(x->g, x->g->succ, v, MAX_N + 1) & out->exits;
        out->exit[v] = CFG_NONE;
        for (uint32_t e = 0; x->live & BIT(v) && e < x->g->n; e++)
            if (below & BIT(e) && (out->exit[v] == CFG_NONE || ranks_before(x, e, out->exit[v], place)))
                out->exit[v] = e;
    }
}

static struct counted naive_counted(const struct shape *s, const struct ir_module *m, const struct cfg *c,
                                    const struct bits *g, set live) {
    struct counted out = {.g = {.n = g->n}, .exits = naive_exits(s, g, live)};
    struct ways x = {.s = s, .m = m, .c = c, .g = g, .live = live};
    for (uint32_t v = 0; v < g->n; v++) out.exit[v] = CFG_NONE;
    if (c->exits == CFG_EXITS_MAIN) naive_main(&x, &out);
    for (uint32_t v = 0; v < g->n; v++) {
        if (c->exits == CFG_EXITS_MAIN && out.exit[v] != v) out.exits &= ~BIT(v);
        for (uint32_t w = 0; w < g->n; w++)
            if (g->succ[v] & BIT(w) && out.exit[v] == out.exit[w]) connect(&out.g, v, w);
    }
    return out;
}

static struct bits naive_reversed(const struct counted *k) {
    struct bits r = {.n = k->g.n + 1, .root = k->g.n};
    for (uint32_t v = 0; v < k->g.n; v++) {
        for (uint32_t w = 0; w < k->g.n; w++)
            if (k->g.succ[v] & BIT(w)) connect(&r, w, v);
        if (k->exits & BIT(v)) connect(&r, k->g.n, v);
    }
    return r;
}

static uint32_t ways_of(const struct shape *s, const struct counted *k, uint32_t v) {
    return (uint32_t)__builtin_popcountll(k->g.succ[v]) + (s->node[v].leaves && k->exits & BIT(v));
}

/* Where the threads meet that a block sends on: at its post-dominator; but if all but one way end, with those of the nearest
 * branch around: at the first post-dominator that a branch which meets there leads past this block to. */
static uint32_t naive_meeting(const struct shape *s, const struct counted *k, const set *pdom, uint32_t v) {
    uint32_t r = naive_idom(pdom, v);
    if (ways_of(s, k, v) > 1 || s->node[v].nsucc + s->node[v].leaves == ways_of(s, k, v)) return r;
    for (; r < s->n; r = naive_idom(pdom, r))
        for (uint32_t b = 0; b < s->n; b++)
            if (ways_of(s, k, b) > 1 && naive_idom(pdom, b) == r && reach(&k->g, k->g.succ, b, r) & BIT(v))
                return r;
    return s->n;
}

static void check_trees(const struct shape *s, const struct ir_module *m, const struct cfg *c,
                        const struct bits *g, const set *dom) {
    set live = reach(g, g->succ, 0, MAX_N + 1), pdom[MAX_N + 1];
    const struct counted k = naive_counted(s, m, c, g, live);
    struct bits r = naive_reversed(&k);
    naive_dom(&r, pdom);
    for (uint32_t v = 0; v < s->n; v++) {
        const struct cfg_block *b = &c->blocks[v];
        assert_int_equal(b->reachable, (live >> v) & 1);
        assert_int_equal(b->idom, naive_idom(dom, v));
        if (!(live & BIT(v))) continue;
        uint32_t ipdom = naive_idom(pdom, v), meeting = naive_meeting(s, &k, pdom, v);
        assert_int_equal(b->exit, k.exit[v]);
        assert_int_equal(b->ways, ways_of(s, &k, v));
        assert_int_equal(b->ipdom, ipdom == s->n ? CFG_NONE : ipdom);
        const struct ir_insn *last = &m->code.v[b->end - 1];
        if (last->op == IR_BRA || last->op == IR_BRX || last->op == IR_EXIT || last->op == IR_RET)
            assert_int_equal(last->rpc, meeting == s->n ? IR_NOPC : c->blocks[meeting].first);
    }
}

static set naive_loop(const struct bits *g, const set *dom, uint32_t h) {
    set body = 0;
    for (uint32_t u = 0; u < g->n; u++)
        if (g->succ[u] & BIT(h) && dom[u] & BIT(h)) body |= BIT(h) | (u == h ? 0 : reach(g, g->pred, u, h));
    return body;
}

static void check_loop(const struct shape *s, const struct cfg *c, const struct bits *g, uint32_t h,
                       const set *body) {
    const struct cfg_loop *l = NULL;
    for (uint32_t k = 0; k < c->nloops; k++)
        if (c->loops[k].header == h) l = &c->loops[k];
    assert_non_null(l);
    uint32_t depth = 0, nexits = 0, from[2] = {CFG_NONE, 0}, to[2] = {CFG_NONE, 0};
    for (uint32_t k = 0; k < g->n; k++) depth += (uint32_t)(body[k] >> h & 1);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t v = 0; v <= g->n; v++) {
            bool edge = v < g->n ? (g->succ[u] >> v) & 1 : s->node[u].leaves;
            if (!edge || !(body[h] & BIT(u)) || (v < g->n && body[h] & BIT(v))) continue;
            nexits++;
            from[0] = u < from[0] ? u : from[0], from[1] = u > from[1] ? u : from[1];
            to[0] = v < to[0] ? v : to[0], to[1] = v > to[1] ? v : to[1];
        }
    assert_int_equal(l->depth, depth);
    assert_int_equal(l->nblocks, __builtin_popcountll(body[h]));
    assert_int_equal(l->nexits, nexits);
    assert_int_equal(l->infinite, !nexits);
    assert_int_equal(l->breaks, nexits && (from[0] != from[1] || to[0] != to[1]));
}

static void check_loops(const struct shape *s, const struct cfg *c, const struct bits *g, const set *dom,
                        set *body) {
    uint32_t n = 0;
    for (uint32_t h = 0; h < g->n; h++) {
        body[h] = naive_loop(g, dom, h);
        n += body[h] != 0;
    }
    assert_int_equal(c->nloops, n);
    for (uint32_t h = 0; h < g->n; h++)
        if (body[h]) check_loop(s, c, g, h, body);
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t inner = CFG_NONE;
        for (uint32_t h = 0; h < g->n; h++)
            if (body[h] & BIT(v) && (inner == CFG_NONE || (body[inner] & body[h]) == body[h])) inner = h;
        assert_int_equal(c->blocks[v].loop == CFG_NONE ? CFG_NONE : c->loops[c->blocks[v].loop].header,
                         inner);
    }
}

/* Reducible: what remains without edges into dominators has no cycle. */
static bool naive_reducible(const struct bits *g, const set *dom) {
    struct bits f = {.n = g->n};
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t v = 0; v < g->n; v++)
            if (g->succ[u] & BIT(v) && !(dom[u] & BIT(v))) connect(&f, u, v);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t v = 0; v < g->n; v++)
            if (f.succ[u] & BIT(v) && reach(&f, f.succ, v, MAX_N + 1) & BIT(u)) return false;
    return true;
}

static void check_priorities(const struct cfg *c, const struct bits *g, const set *dom, const set *body,
                             bool reducible) {
    set seen = 0;
    for (uint32_t v = 0; v < g->n; v++) seen |= BIT(c->blocks[v].priority);
    assert_true(seen == (g->n == 64 ? ~(set)0 : BIT(g->n) - 1));
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t v = 0; v < g->n; v++) {
            if (!(g->succ[u] & BIT(v)) || c->blocks[u].priority < c->blocks[v].priority) continue;
            if (reducible)
                assert_true(dom[u] & BIT(v));
            else
                assert_true(reach(g, g->succ, v, MAX_N + 1) & BIT(u));
        }
    for (uint32_t h = 0; h < g->n; h++) {
        uint32_t lo = CFG_NONE, hi = 0;
        for (uint32_t v = 0; v < g->n; v++) {
            if (!(body[h] & BIT(v))) continue;
            lo = c->blocks[v].priority < lo ? c->blocks[v].priority : lo;
            hi = c->blocks[v].priority > hi ? c->blocks[v].priority : hi;
        }
        if (body[h]) assert_int_equal(hi - lo + 1, __builtin_popcountll(body[h]));
    }
}

/* ---- frontiers: three threads, every choice at every branch, the block of highest priority runs ---- */

enum { THREADS = 3, SMALL = 9 };

struct walkers {
    const struct shape *s;
    const struct cfg *c;
    set frontier[SMALL];
    bool seen[(SMALL + 1) * (SMALL + 1) * (SMALL + 1)];
};

static void step_threads(struct walkers *k, const uint32_t *at);

/* Moves the threads that stand in `running`, one after another, each to every successor or out (n). */
static void move_threads(struct walkers *k, uint32_t running, uint32_t t, uint32_t *at, const uint32_t *was) {
    if (t == THREADS) {
        step_threads(k, at);
        return;
    }
    at[t] = was[t];
    if (was[t] != running) {
        move_threads(k, running, t + 1, at, was);
        return;
    }
    for (uint32_t j = 0; j < k->s->node[running].nsucc; j++) {
        at[t] = k->s->node[running].succ[j];
        move_threads(k, running, t + 1, at, was);
    }
    at[t] = k->s->n;
    if (k->s->node[running].leaves) move_threads(k, running, t + 1, at, was);
}

static void step_threads(struct walkers *k, const uint32_t *at) {
    uint32_t n = k->s->n, key = 0, running = n;
    for (uint32_t t = 0; t < THREADS; t++) key = key * (n + 1) + at[t];
    if (k->seen[key]) return;
    k->seen[key] = true;
    for (uint32_t t = 0; t < THREADS; t++)
        if (at[t] != n && (running == n || k->c->blocks[at[t]].priority < k->c->blocks[running].priority))
            running = at[t];
    if (running == n) return;
    for (uint32_t t = 0; t < THREADS; t++)
        if (at[t] != n && at[t] != running) k->frontier[running] |= BIT(at[t]);
    uint32_t next[THREADS];
    move_threads(k, running, 0, next, at);
}

static void check_frontiers(const struct shape *s, const struct cfg *c) {
    struct walkers *k = xcalloc(1, sizeof *k);
    struct cfg_frontiers f;
    struct err e = {0};
    k->s = s, k->c = c;
    step_threads(k, (uint32_t[THREADS]){0});
    assert_true(cfg_frontiers(c, 0, 10000, &f, &e));
    for (uint32_t v = 0; v < s->n; v++) {
        set got = 0;
        for (uint32_t j = f.first[v]; j < f.first[v + 1]; j++) {
            got |= BIT(f.block[j]);
            if (j > f.first[v])
                assert_true(c->blocks[f.block[j - 1]].priority < c->blocks[f.block[j]].priority);
        }
        assert_true(got == k->frontier[v]);
    }
    cfg_frontiers_free(&f);
    free(k);
}

/* ---- tests ---- */

static void check_shape(const struct shape *s, struct rng *r, enum cfg_exits exits) {
    struct filling fill = {2, {4, 4, 4}};
    struct ir_module *m = module_of(s, r, &fill);
    add_barriers_and_traps(m, r);
    struct cfg *c = analysed_with(m, exits);
    assert_int_equal(c->nblocks, s->n);
    struct bits g = bits_of(s);
    set dom[MAX_N], body[MAX_N];
    naive_dom(&g, dom);
    bool reducible = naive_reducible(&g, dom);
    check_trees(s, m, c, &g, dom);
    check_loops(s, c, &g, dom, body);
    assert_int_equal(c->funcs[0].structure == CFG_IRREDUCIBLE, !reducible);
    check_priorities(c, &g, dom, body, reducible);
    if (s->n <= SMALL) check_frontiers(s, c);
    cfg_free(c);
    ir_module_free(m);
}

static void random_graphs_match_brute_force(void **state) {
    (void)state;
    struct rng r = {1};
    for (int k = 0; k < 4000; k++) {
        struct shape s;
        shape_random(&s, &r, 1 + (uint32_t)rng_below(&r, k % 2 ? SMALL : 60));
        check_shape(&s, &r, k % 4 < 2 ? CFG_EXITS_MAIN : CFG_EXITS_EDGES);
        shape_free(&s);
    }
}

static void structured_graphs_match_brute_force(void **state) {
    (void)state;
    struct rng r = {2};
    for (int k = 0; k < 1500; k++) {
        struct shape s;
        shape_structured(&s, &r, 1 + (uint32_t)rng_below(&r, 40));
        if (s.n <= MAX_N - 1) {
            s.node[s.n - 1].leaves = true;
            check_shape(&s, &r, k % 4 ? CFG_EXITS_MAIN : CFG_EXITS_EDGES);
        }
        shape_free(&s);
    }
}

/* ---- large graphs, where sets of bits are too slow: the textbook iteration over reverse postorder ---- */

struct large {
    const struct shape *s;
    uint32_t *number, *order, n; /* block to place in reverse postorder, and back */
    uint32_t *idom;              /* by place */
};

static void large_order(struct large *g) {
    const struct shape *s = g->s;
    uint32_t *stack = xcalloc(s->n, sizeof *stack), *cursor = xcalloc(s->n, sizeof *cursor), depth = 1,
             post = s->n;
    bool *seen = xcalloc(s->n, sizeof *seen);
    seen[0] = true;
    while (depth) {
        uint32_t v = stack[depth - 1];
        if (cursor[v] == s->node[v].nsucc) {
            g->order[--post] = v;
            depth--;
            continue;
        }
        uint32_t w = s->node[v].succ[cursor[v]++];
        if (!seen[w]) stack[depth++] = w;
        seen[w] = true;
    }
    g->n = s->n - post;
    for (uint32_t k = 0; k < g->n; k++) g->order[k] = g->order[k + post];
    for (uint32_t v = 0; v < s->n; v++) g->number[v] = CFG_NONE;
    for (uint32_t k = 0; k < g->n; k++) g->number[g->order[k]] = k;
    free(stack), free(cursor), free(seen);
}

/* Edges are followed forwards: each pass narrows the targets of every block. */
static bool large_pass(struct large *g, uint32_t *next) {
    bool changed = false;
    for (uint32_t k = 0; k < g->n; k++) next[k] = k ? CFG_NONE : 0;
    for (uint32_t k = 0; k < g->n; k++) {
        if (g->idom[k] == CFG_NONE) continue;
        const struct node *x = &g->s->node[g->order[k]];
        for (uint32_t e = 0; e < x->nsucc; e++) {
            uint32_t a = k, t = g->number[x->succ[e]], b = next[t];
            if (!t) continue;
            while (b != CFG_NONE && a != b) *(a > b ? &a : &b) = g->idom[a > b ? a : b];
            next[t] = a;
            if (g->idom[t] == CFG_NONE) g->idom[t] = a;
        }
    }
    for (uint32_t k = 1; k < g->n; k++) changed |= g->idom[k] != next[k], g->idom[k] = next[k];
    return changed;
}

static void large_graphs_match_the_textbook(void **state) {
    (void)state;
    struct rng r = {4};
    for (int k = 0; k < 8; k++) {
        struct shape s;
        struct filling fill = {2, {4, 4, 4}};
        if (k % 2)
            shape_structured(&s, &r, 3000);
        else
            shape_random(&s, &r, 3000);
        uint32_t *mem = xcalloc((size_t)s.n * 4, sizeof *mem);
        struct large g = {.s = &s, .number = mem, .order = mem + s.n, .idom = mem + 2 * (size_t)s.n};
        large_order(&g);
        for (uint32_t v = 1; v < s.n; v++) g.idom[v] = CFG_NONE;
        while (large_pass(&g, mem + 3 * (size_t)s.n)) continue;
        struct ir_module *m = module_of(&s, &r, &fill);
        struct cfg *c = analysed(m);
        for (uint32_t v = 0; v < s.n; v++) {
            assert_int_equal(c->blocks[v].reachable, g.number[v] != CFG_NONE);
            bool has = v && g.number[v] != CFG_NONE;
            assert_int_equal(c->blocks[v].idom, has ? g.order[g.idom[g.number[v]]] : CFG_NONE);
        }
        cfg_free(c);
        ir_module_free(m);
        free(mem);
        shape_free(&s);
    }
}

static struct cfg *analyse_edges(struct ir_module **m, uint32_t n, const char *edges) {
    struct shape s;
    struct rng r = {3};
    struct filling fill = {1, {2, 2, 2}};
    shape_new(&s, n);
    for (const char *x = edges; *x; x += x[2] ? 3 : 2)
        shape_edge(&s, (uint32_t)(x[0] - 'a'), (uint32_t)(x[1] - 'a'));
    *m = module_of(&s, &r, &fill);
    shape_free(&s);
    return analysed(*m);
}

/* The loop body c lies after the exit b in the text, but threads that have left wait for those still inside. */
static void a_loop_comes_before_what_follows_it(void **state) {
    (void)state;
    struct ir_module *m;
    struct cfg *c = analyse_edges(&m, 4, "ab ac bd ca");
    assert_int_equal(c->blocks[0].priority, 0);
    assert_int_equal(c->blocks[2].priority, 1);
    assert_int_equal(c->blocks[1].priority, 2);
    cfg_free(c);
    ir_module_free(m);
}

/* In the loop a, b holds a barrier and c reaches it only by going round: c runs first although b stands
 * before it. */
static void a_barrier_waits_for_those_who_come_round(void **state) {
    (void)state;
    struct shape s;
    struct rng r = {3};
    struct filling fill = {1, {2, 2, 2}};
    shape_new(&s, 5);
    shape_edge(&s, 0, 1), shape_edge(&s, 0, 2), shape_edge(&s, 1, 3), shape_edge(&s, 2, 3);
    shape_edge(&s, 3, 4), shape_edge(&s, 3, 0);
    for (int barrier = 0; barrier < 2; barrier++) {
        struct ir_module *m = module_of(&s, &r, &fill);
        for (size_t pc = 0; pc < m->code.n; pc++) m->code.v[pc].mods = 0;
        if (barrier) m->code.v[2] = (struct ir_insn){.op = IR_BAR_SYNC};
        struct cfg *c = analysed(m);
        assert_int_equal(m->code.v[2].block, 1);
        assert_int_equal(c->blocks[1].priority, barrier ? 2 : 1);
        assert_int_equal(c->blocks[2].priority, barrier ? 1 : 2);
        cfg_free(c);
        ir_module_free(m);
    }
    shape_free(&s);
}

/* while (1) { if (x) b else c; d }: the branch in a still meets in d. */
static void branches_in_an_endless_loop_reconverge(void **state) {
    (void)state;
    struct ir_module *m;
    struct cfg *c = analyse_edges(&m, 4, "ab ac bd cd da");
    assert_int_equal(c->blocks[0].ipdom, 3);
    assert_int_equal(c->blocks[3].ipdom, CFG_NONE);
    assert_true(c->loops[0].infinite);
    cfg_free(c);
    ir_module_free(m);
}

/* A switch of n arms: arm k waits for those after it, n * (n - 1) / 2 entries and the join; refused beyond a limit. */
static void frontiers_beyond_the_limit_are_refused(void **state) {
    (void)state;
    struct ir_module *m;
    struct cfg *c = analyse_edges(&m, 6, "ab ac ad ae bf cf df ef");
    struct cfg_frontiers f;
    struct err e = {0};
    assert_true(cfg_frontiers(c, 0, 9, &f, &e));
    assert_int_equal(f.first[6], 9);
    cfg_frontiers_free(&f);
    assert_false(cfg_frontiers(c, 0, 8, &f, &e));
    assert_string_equal(err_text(&e), "the thread frontiers have more than 8 entries");
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}

static void bad_code_is_an_error_not_a_crash(void **state) {
    (void)state;
    struct err e = {0};
    for (int k = 0; k < 2; k++) {
        struct ir_module *m = ir_module_new("bad.ptx");
        if (k) put(m, (struct ir_insn){.op = IR_BRA, .target = 7});
        put(m, (struct ir_insn){.op = k ? IR_RET : IR_MEMBAR});
        VEC_PUSH(
            &m->funcs,
            (struct ir_func){.name = "f", .defined = true, .end = (uint32_t)m->code.n, .nvirt = {0, 0, 1}});
        assert_null(cfg_analyse(m, CFG_EXITS_MAIN, &e));
        assert_string_equal(err_text(&e), k ? "bad.ptx:1: error: branch out of function f"
                                            : "bad.ptx:1: error: function f runs past its end");
        err_free(&e);
        ir_module_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_match_brute_force),
        cmocka_unit_test(structured_graphs_match_brute_force),
        cmocka_unit_test(large_graphs_match_the_textbook),
        cmocka_unit_test(a_loop_comes_before_what_follows_it),
        cmocka_unit_test(a_barrier_waits_for_those_who_come_round),
        cmocka_unit_test(branches_in_an_endless_loop_reconverge),
        cmocka_unit_test(frontiers_beyond_the_limit_are_refused),
        cmocka_unit_test(bad_code_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests_name("cfg/graph", tests, NULL, NULL);
}
