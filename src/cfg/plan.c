/* The plan of structured code (structurise.h). In a reducible function every node but the entry has a place:
 *
 *   - one way in (rounds of its loop aside), from a node of the same loop: inline.
 *   - several: a slot of its immediate dominator, for all ways in come from below that.
 *   - its dominator lies in loops that it is not in: a slot behind the outermost of these.
 *   - code on the way to an early exit (exits.c) from within a loop, if those who stay may come to a barrier, where they would
 *     wait for it: as if it were of that loop.
 *   - the end of a function: the last slot of the entry, so that one return is the function's last instruction.
 *
 * This is how Ramsey ("Beyond Relooper", ICFP 2022) places code for WebAssembly, whose branches leave any number of blocks
 * at once; guards (Ammarguellat, "A control-flow normalization algorithm and its complexity", 1992) do here what these
 * do there. Slots stand in the order of block priorities (order.c), which is topological, so that every way to a slot
 * leads forward. Who goes from a to a slot
 * b runs on: out of the arms around a, past every slot of a node around a that comes after it and before b. Those need a
 * guard. Who leaves loops goes by breaks, past nothing within them, and runs on from behind the outermost; who goes round
 * is past nothing. So with `pre` the place in the layout, and far(a) the last place a's ways lead to, the slot s of q is
 * guarded if some a in the part of q before s has far(a) > pre(s): one walk with a running maximum per open node.
 *
 * An indirect branch is a search tree of tests of its index. Ours: an index beyond the table, a fault in the original, goes
 * to the last target; a trap would be one more way to the function's end, and so move where all others meet. */
#include "cfg/plan.h"

#include <stdlib.h>

typedef VEC(struct plan_node) nodes;

static struct plan_node *add_node(nodes *v, uint32_t loop) {
    VEC_PUSH(v, ((struct plan_node){.control = IR_NOPC,
                                    .loop = loop,
                                    .heads = CFG_NONE,
                                    .slots = {CFG_NONE, CFG_NONE},
                                    .last = {CFG_NONE, CFG_NONE},
                                    .next = CFG_NONE}));
    return &v->v[v->n - 1];
}

/* ---- nodes ---- */

static uint32_t node_at(const struct plan *p, uint32_t pc) {
    return p->w.m->code.v[pc].block - p->w.f->block;
}

/* A run of slots of a brx table that have one target. */
struct run {
    uint32_t first, to;
};

/* The tests that tell run[0 .. n) apart; PLAN_GOES where there is nothing to tell. */
static uint32_t add_tests(nodes *v, const struct run *run, uint32_t n, const struct plan_node *like) {
    const uint32_t at = (uint32_t)v->n, half = n / 2;
    *add_node(v, like->loop) = *like;
    v->v[at].end = PLAN_GOES;
    v->v[at].to[0] = run[0].to;
    if (n == 1) return at;
    struct plan_node inner = *like;
    inner.control = IR_NOPC;
    uint32_t low = run[0].to, high = run[half].to;
    if (half > 1) low = add_tests(v, run, half, &inner);
    if (n - half > 1) high = add_tests(v, run + half, n - half, &inner);
    struct plan_node *x = &v->v[at];
    x->end = PLAN_BRANCHES, x->tests = true, x->bound = run[half].first;
    x->to[0] = low, x->to[1] = high;
    return at;
}

/* The node that tells the targets of the brx at pc apart, or without any ends. */
static uint32_t add_switch(struct plan *p, nodes *v, uint32_t pc, uint32_t loop) {
    const struct ir_insn *i = &p->w.m->code.v[pc];
    uint32_t n, nruns = 0;
    const uint32_t *target = branch_targets(p->w.m, i, &n);
    struct run *run = ARENA_NEW(&p->w.mem, struct run, n);
    for (uint32_t k = 0; k < n; k++)
        if (!k || target[k] != target[k - 1]) run[nruns++] = (struct run){k, node_at(p, target[k])};
    struct plan_node like = *add_node(v, loop);
    v->n--;
    like.first = like.on = like.control = pc;
    like.index = i->o[0];
    if (nruns) return add_tests(v, run, nruns, &like);
    *add_node(v, loop) = like;
    return (uint32_t)v->n - 1;
}

static bool plan_returns(const struct ir_insn *i) {
    return i->op == IR_RET;
}

static void add_control(struct plan *p, nodes *v, uint32_t b, uint32_t pc) {
    const struct ir_insn *i = &p->w.m->code.v[pc];
    const bool ends = (i->op == IR_EXIT || i->op == IR_TRAP) && !i->guard;
    const bool jumps = i->op == IR_BRA || i->op == IR_BRX || plan_returns(i);
    uint32_t to = b + 1;
    if (i->op == IR_BRA) to = node_at(p, i->target);
    if (plan_returns(i)) to = p->end;
    if (i->op == IR_BRX) to = add_switch(p, v, pc, v->v[b].loop);
    struct plan_node *x = &v->v[b];
    x->end = ends ? PLAN_ENDS : jumps && i->guard && to != b + 1 ? PLAN_BRANCHES : PLAN_GOES;
    x->to[0] = to, x->to[1] = b + 1;
    x->guard = i->guard;
    if (jumps) x->control = pc, x->on = pc;
    if (i->op == IR_BRX && !i->guard) x->control = IR_NOPC; /* the first test is the branch */
    if (i->op == IR_BRX && i->guard) v->v[to].control = IR_NOPC;
}

/* The return at the end of the function: its own, if that is the only one and not guarded. One of several cannot stand for
 * the others, which are executed where they are, as jumps to the end. */
static void find_return(struct plan *p) {
    uint32_t returning = 0;
    p->end = CFG_NONE;
    for (uint32_t b = 0; b < p->w.n; b++) {
        const uint32_t pc = p->w.b[b].end - 1;
        const struct ir_insn *i = &p->w.m->code.v[pc];
        if (!p->w.b[b].reachable || !plan_returns(i)) continue;
        p->end = p->w.n;
        p->ret = pc;
        p->ret_new = returning++ || i->guard;
    }
}

static bool cut_off(const struct plan *p, const struct plan_node *x, uint32_t v) {
    return v < p->w.n && edge_hurries(&p->w, node_at(p, x->first), v);
}

/* Puts the way that leads to an early exit into to[1], which is laid out first. */
static void leave_first(const struct plan *p, struct plan_node *x) {
    if (x->end != PLAN_BRANCHES || !cut_off(p, x, x->to[0]) || cut_off(p, x, x->to[1])) return;
    const uint32_t leaves = x->to[0];
    x->to[0] = x->to[1], x->to[1] = leaves;
    x->guard ^= IR_GUARD_NEG;
}

static void make_nodes(struct plan *p) {
    struct work *w = &p->w;
    nodes v = {0};
    find_return(p);
    for (uint32_t b = 0; b < w->n; b++) {
        struct plan_node *x = add_node(&v, p->within[b]);
        x->first = w->b[b].first, x->on = w->b[b].end;
        const uint32_t l = loop_of(w, b);
        if (l != CFG_NONE && p->loop[l].header == b) x->heads = l;
    }
    if (p->end != CFG_NONE) {
        struct plan_node *x = add_node(&v, CFG_NONE);
        x->first = x->on = p->ret;
    }
    for (uint32_t b = 0; b < w->n; b++)
        if (w->b[b].reachable) add_control(p, &v, b, w->b[b].end - 1);
    for (size_t u = 0; u < v.n; u++) leave_first(p, &v.v[u]);
    p->n = (uint32_t)v.n;
    p->v = ARENA_NEW(&w->mem, struct plan_node, p->n);
    for (uint32_t u = 0; u < p->n; u++) p->v[u] = v.v[u];
    VEC_FREE(&v);
}

static bool plan_nested(const uint32_t *parent, uint32_t l, uint32_t outer) {
    while (l != CFG_NONE && l != outer) l = parent[l];
    return l == outer;
}

/* The loop in which block b, cut off from its dominator by an early exit, is laid out: the innermost that all ways to it
 * come from. */
static uint32_t cut_off_in(const struct plan *p, const uint32_t *parent, uint32_t b) {
    const struct work *w = &p->w;
    uint32_t l = p->within[w->idom[b]];
    for (uint32_t k = w->g.pfirst[b]; k < w->g.pfirst[b + 1]; k++) {
        const uint32_t from = w->g.pred[k];
        if (!w->b[from].reachable || block_dominates(w, b, from)) continue;
        while (l != CFG_NONE && !plan_nested(parent, p->within[from], l)) l = parent[l];
    }
    return l;
}

/* Finds for each block the loop around it. What an early exit cuts off is in no loop with the block it is cut off from, so its
 * own loops, if any, are nested in that block's. parent: of loops; those of such code get one. order: loops, each after the
 * one around it. */
static void nest_blocks(struct plan *p, uint32_t *parent, uint32_t *order) {
    struct work *w = &p->w;
    uint32_t *around = ARENA_NEW(&w->mem, uint32_t, w->n); /* the loop that the block's code is cut off in */
    p->within = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t b = 0; b < w->n; b++) around[b] = p->within[b] = CFG_NONE;
    for (uint32_t k = 0; k < w->nrpo; k++) {
        const uint32_t b = w->rpo[k], l = loop_of(w, b), dom = w->idom[b];
        if (dom != CFG_NONE) around[b] = edge_hurries(w, dom, b) ? cut_off_in(p, parent, b) : around[dom];
        p->within[b] = l == CFG_NONE ? around[b] : l;
        if (l == CFG_NONE || p->loop[l].header != b) continue;
        if (parent[l] == CFG_NONE) parent[l] = around[b];
        p->loop[l].parent = parent[l];
        *order++ = l;
    }
}

static void make_loops(struct plan *p) {
    struct work *w = &p->w;
    p->nloops = w->f->nloops;
    p->loop = ARENA_NEW(&w->mem, struct plan_loop, p->nloops);
    uint32_t *parent = ARENA_NEW(&w->mem, uint32_t, p->nloops),
             *order = ARENA_NEW(&w->mem, uint32_t, p->nloops);
    for (uint32_t l = 0; l < p->nloops; l++) {
        const struct cfg_loop *x = loop_at(w, l);
        parent[l] = x->parent == CFG_NONE ? CFG_NONE : x->parent - w->f->loop;
        p->loop[l] = (struct plan_loop){.header = x->header - w->f->block};
    }
    nest_blocks(p, parent, order);
    p->nest = forest_number(p->nloops, parent, order, p->nloops, &w->mem);
}

static uint32_t ways_on(const struct plan_node *x) {
    return x->end == PLAN_ENDS ? 0 : x->end == PLAN_GOES ? 1 : 2;
}

/* Nodes of unreachable blocks are PLAN_ENDS and no node's target. */
static struct graph graph_of(struct plan *p) {
    struct arena *mem = &p->w.mem;
    struct graph g = {.n = p->n};
    g.sfirst = ARENA_NEW(mem, uint32_t, p->n + 1);
    g.pfirst = ARENA_NEW(mem, uint32_t, p->n + 2);
    for (uint32_t u = 0; u < p->n; u++) {
        g.sfirst[u + 1] = g.sfirst[u] + ways_on(&p->v[u]);
        for (uint32_t k = 0; k < ways_on(&p->v[u]); k++) g.pfirst[p->v[u].to[k] + 2]++;
    }
    for (uint32_t v = 2; v < p->n + 2; v++) g.pfirst[v] += g.pfirst[v - 1];
    g.succ = ARENA_NEW(mem, uint32_t, g.sfirst[p->n]);
    g.pred = ARENA_NEW(mem, uint32_t, g.sfirst[p->n]);
    for (uint32_t u = 0; u < p->n; u++)
        for (uint32_t k = 0; k < ways_on(&p->v[u]); k++) {
            g.succ[g.sfirst[u] + k] = p->v[u].to[k];
            g.pred[g.pfirst[p->v[u].to[k] + 1]++] = u;
        }
    return g;
}

/* ---- places ---- */

/* A loop is entered at its header only, so it is v's, or the one around it. */
uint32_t plan_common(const struct plan *p, uint32_t u, uint32_t v) {
    const uint32_t l = p->v[v].loop;
    if (l == CFG_NONE || plan_in_loop(p, p->v[u].loop, l)) return l;
    return p->loop[l].parent;
}

/* The outermost loop around u that does not hold v, or CFG_NONE. */
static uint32_t outermost_left(const struct plan *p, uint32_t u, uint32_t common) {
    uint32_t l = p->v[u].loop;
    if (l == common) return CFG_NONE;
    while (p->loop[l].parent != common) l = p->loop[l].parent;
    return l;
}

static void add_slot(struct plan *p, uint32_t v, uint32_t owner, int kind) {
    struct plan_node *o = &p->v[owner];
    p->v[v].slot = true;
    p->v[v].owner = owner;
    if (o->slots[kind] == CFG_NONE)
        o->slots[kind] = v;
    else
        p->v[o->last[kind]].next = v;
    o->last[kind] = v;
}

static void plan_place(struct plan *p, uint32_t v, uint32_t idom, const struct graph *g) {
    uint32_t ways = 0;
    for (uint32_t k = g->pfirst[v]; k < g->pfirst[v + 1]; k++) ways += !plan_retreats(p, g->pred[k], v);
    const uint32_t left = outermost_left(p, idom, plan_common(p, idom, v));
    if (left != CFG_NONE)
        add_slot(p, v, p->loop[left].header, PLAN_BEHIND);
    else if (ways > 1)
        add_slot(p, v, idom, PLAN_WITHIN);
}

static void place_all(struct plan *p) {
    struct work *w = &p->w;
    const struct graph g = graph_of(p);
    uint32_t *idom = ARENA_NEW(&w->mem, uint32_t, p->n), *order = ARENA_NEW(&w->mem, uint32_t, w->n);
    dom_tree(&g, idom, &w->mem);
    for (uint32_t b = 0; b < w->n; b++) order[w->b[b].priority] = b;
    for (uint32_t k = 0; k < w->n; k++)
        if (order[k] && w->b[order[k]].reachable) plan_place(p, order[k], idom[order[k]], &g);
    if (p->end != CFG_NONE) add_slot(p, p->end, 0, p->v[0].heads == CFG_NONE ? PLAN_WITHIN : PLAN_BEHIND);
}

/* ---- the layout as a sequence ---- */

enum event { ENTER, LOOP_END, LEAVE };
struct step {
    enum event event;
    uint32_t node;
};
typedef VEC(struct step) steps;

static void push_slots(const struct plan *p, steps *todo, uint32_t u, int kind) {
    const size_t from = todo->n;
    for (uint32_t s = p->v[u].slots[kind]; s != CFG_NONE; s = p->v[s].next)
        VEC_PUSH(todo, ((struct step){ENTER, s}));
    for (size_t a = from, b = todo->n; a + 1 < b; a++, b--) { /* the first comes off last */
        const struct step x = todo->v[a];
        todo->v[a] = todo->v[b - 1], todo->v[b - 1] = x;
    }
}

static void plan_walk(const struct plan *p, steps *out) {
    steps todo = {0};
    VEC_PUSH(&todo, ((struct step){ENTER, 0}));
    while (todo.n) {
        const struct step x = todo.v[--todo.n];
        const struct plan_node *u = &p->v[x.node];
        VEC_PUSH(out, x);
        if (x.event != ENTER) continue;
        VEC_PUSH(&todo, ((struct step){LEAVE, x.node}));
        push_slots(p, &todo, x.node, PLAN_BEHIND);
        if (u->heads != CFG_NONE) VEC_PUSH(&todo, ((struct step){LOOP_END, x.node}));
        push_slots(p, &todo, x.node, PLAN_WITHIN);
        for (uint32_t k = 0; k < ways_on(u); k++)
            if (plan_inline(p, x.node, u->to[k])) VEC_PUSH(&todo, ((struct step){ENTER, u->to[k]}));
    }
    VEC_FREE(&todo);
}

/* ---- guards ---- */

static uint32_t max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* One way on: how far who takes it runs on from u itself; who leaves loops runs on from behind them. */
static uint32_t follow_edge(struct plan *p, uint32_t u, uint32_t v) {
    if (plan_inline(p, u, v)) return 0;
    const bool back = plan_retreats(p, u, v);
    const uint32_t common = back ? p->v[v].heads : plan_common(p, u, v);
    const uint32_t left = outermost_left(p, u, common);
    if (left == CFG_NONE) return back ? 0 : p->v[v].pre;
    for (uint32_t l = p->v[u].loop; l != left; l = p->loop[l].parent) p->loop[l].leaves = true;
    struct plan_loop *l = &p->loop[left];
    if (back)
        l->conts = true;
    else
        l->stays = true, l->far = max(l->far, p->v[v].pre);
    return 0;
}

static void find_guards(struct plan *p, const steps *layout) {
    uint32_t *own = ARENA_NEW(&p->w.mem, uint32_t, p->n), *far = ARENA_NEW(&p->w.mem, uint32_t, p->n + 1);
    for (size_t k = 0; k < layout->n; k++)
        if (layout->v[k].event == ENTER) p->v[layout->v[k].node].pre = (uint32_t)k;
    for (size_t k = 0; k < layout->n; k++) {
        if (layout->v[k].event != ENTER) continue;
        const uint32_t u = layout->v[k].node;
        for (uint32_t e = 0; e < ways_on(&p->v[u]); e++)
            own[u] = max(own[u], follow_edge(p, u, p->v[u].to[e]));
    }
    uint32_t depth = 0; /* far[depth]: of the part of the innermost open node that lies behind us */
    for (size_t k = 0; k < layout->n; k++) {
        struct plan_node *x = &p->v[layout->v[k].node];
        switch (layout->v[k].event) {
        case ENTER:
            x->guarded = x->slot && far[depth] > x->pre;
            far[++depth] = own[layout->v[k].node];
            break;
        case LOOP_END: far[depth] = p->loop[x->heads].far; break;
        case LEAVE:
            depth--;
            far[depth] = max(far[depth], far[depth + 1]);
            break;
        }
    }
}

void plan_make(struct plan *p, const struct ir_module *m, const struct cfg *c, uint32_t func) {
    *p = (struct plan){0};
    work_reopen(&p->w, m, c, func);
    CHECK(p->w.n && p->w.f->structure != CFG_IRREDUCIBLE);
    make_loops(p);
    make_nodes(p);
    place_all(p);
    steps layout = {0};
    plan_walk(p, &layout);
    find_guards(p, &layout);
    VEC_FREE(&layout);
}

void plan_free(struct plan *p) {
    arena_free(&p->w.mem);
}
