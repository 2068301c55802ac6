/* Blocks: a leader is the first instruction of a function, a branch target, or what follows an instruction
 * that transfers control. Calls end a block (the return lands on the next); barriers and warp-wide operations
 * do not. A guarded branch, return or exit also falls through. A function's code must not run past its end. */
#include <stdlib.h>

#include "cfg/graph.h"

#define MAX_CODE (1u << 29) /* so that liveness can keep a PC and two bits more in a word */

bool insn_guarded(const struct ir_insn *i) {
    return i->guard || i->guard_hi;
}

bool insn_conditional(const struct ir_insn *i) {
    return insn_guarded(i) || ir_is_conditional(i);
}

bool insn_waits(const struct ir_insn *i) {
    return i->op == IR_BAR_SYNC || i->op == IR_CLUSTER_WAIT || i->op == IR_BAR_RED_P ||
           i->op == IR_BAR_RED_U32 || i->op == IR_WARPSYNC || i->mods & IR_M_SYNC || ir_is_tensor(i);
}

bool insn_ends_block(const struct ir_insn *i) {
    switch (i->op) {
    case IR_BRA:
    case IR_BRX:
    case IR_CALL:
    case IR_CALL_IND:
    case IR_RET:
    case IR_EXIT:
    case IR_TRAP: return true;
    default: return false;
    }
}

/* A jump to an address with no target that is known leads out of the function, whatever it is. */
static bool leaves_function(const struct ir_module *m, const struct ir_insn *i) {
    return i->op == IR_RET || i->op == IR_EXIT || i->op == IR_TRAP || (i->op == IR_BRX && !m->ext.v[i->ext]);
}

bool insn_falls_through(const struct ir_insn *i) {
    return insn_conditional(i) || !insn_ends_block(i) || i->op == IR_CALL || i->op == IR_CALL_IND;
}

const uint32_t *branch_targets(const struct ir_module *m, const struct ir_insn *i, uint32_t *n) {
    *n = 0;
    if (i->op == IR_BRA) {
        *n = 1;
        return &i->target;
    }
    if (i->op != IR_BRX) return NULL;
    CHECK(i->ext < m->ext.n && m->ext.v[i->ext] < m->ext.n - i->ext);
    *n = m->ext.v[i->ext];
    return m->ext.v + i->ext + 1;
}

static bool mark_leaders(struct ir_module *m, const struct ir_func *fn, struct err *e) {
    CHECK(fn->entry <= fn->end && fn->end <= m->code.n);
    for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (pc == fn->entry) i->flags |= IR_F_LEADER;
        if (insn_ends_block(i) && pc + 1 < fn->end) m->code.v[pc + 1].flags |= IR_F_LEADER;
        uint32_t n;
        const uint32_t *target = branch_targets(m, i, &n);
        for (uint32_t k = 0; k < n; k++) {
            if (target[k] < fn->entry || target[k] >= fn->end)
                return err_set(e, ERR_INPUT, "%s:%u: error: branch out of function %s", m->name, i->line,
                               fn->name);
            m->code.v[target[k]].flags |= IR_F_LEADER;
        }
    }
    if (fn->entry < fn->end && insn_falls_through(&m->code.v[fn->end - 1]))
        return err_set(e, ERR_INPUT, "%s:%u: error: function %s runs past its end", m->name,
                       m->code.v[fn->end - 1].line, fn->name);
    return true;
}

static void number_blocks(struct ir_module *m, struct cfg *c, uint32_t func) {
    const struct ir_func *fn = &m->funcs.v[func];
    c->funcs[func].block = c->nblocks;
    for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (i->flags & IR_F_LEADER)
            c->blocks[c->nblocks++] = (struct cfg_block){
                .first = pc, .func = func, .idom = CFG_NONE, .ipdom = CFG_NONE, .loop = CFG_NONE};
        i->block = c->nblocks - 1;
        i->rpc = IR_NOPC;
        if (pc + 1 == fn->end || m->code.v[pc + 1].flags & IR_F_LEADER) {
            i->flags |= IR_F_ENDS;
            c->blocks[i->block].end = pc + 1;
        }
    }
    c->funcs[func].nblocks = c->nblocks - c->funcs[func].block;
}

struct edges {
    VEC(uint32_t) to;
    uint32_t *stamp; /* last block (plus one) that has an edge to this one */
};

static void add_edge(struct edges *x, uint32_t from, uint32_t to) {
    if (x->stamp[to] == from + 1) return;
    x->stamp[to] = from + 1;
    VEC_PUSH(&x->to, to);
}

static void add_successors(const struct ir_module *m, struct cfg *c, struct edges *x, uint32_t b) {
    struct cfg_block *blk = &c->blocks[b];
    const struct ir_insn *last = &m->code.v[blk->end - 1];
    blk->succ = (uint32_t)x->to.n;
    if (insn_falls_through(last)) add_edge(x, b, b + 1);
    uint32_t n;
    const uint32_t *target = branch_targets(m, last, &n);
    for (uint32_t k = 0; k < n; k++) add_edge(x, b, m->code.v[target[k]].block);
    blk->nsucc = (uint32_t)x->to.n - blk->succ;
}

/* Predecessors follow the successors in the same array, in the order of their blocks. */
static void add_predecessors(struct cfg *c, uint32_t nsucc) {
    for (uint32_t k = 0; k < nsucc; k++) c->blocks[c->edges[k]].npred++;
    uint32_t at = nsucc;
    for (uint32_t b = 0; b < c->nblocks; b++) {
        c->blocks[b].pred = at;
        at += c->blocks[b].npred;
        c->blocks[b].npred = 0;
    }
    for (uint32_t b = 0; b < c->nblocks; b++)
        for (uint32_t k = 0; k < c->blocks[b].nsucc; k++) {
            struct cfg_block *to = &c->blocks[c->edges[c->blocks[b].succ + k]];
            c->edges[to->pred + to->npred++] = b;
        }
}

bool blocks_build(struct ir_module *m, struct cfg *c, struct err *e) {
    if (m->code.n > MAX_CODE) return err_set(e, ERR_INPUT, "%s: error: too many instructions", m->name);
    for (size_t f = 0; f < m->funcs.n; f++)
        if (!mark_leaders(m, &m->funcs.v[f], e)) return false;
    uint32_t nleaders = 0;
    for (size_t pc = 0; pc < m->code.n; pc++) nleaders += m->code.v[pc].flags & IR_F_LEADER;
    c->blocks = ARENA_NEW(&c->mem, struct cfg_block, nleaders);
    for (uint32_t f = 0; f < m->funcs.n; f++) number_blocks(m, c, f);
    m->nblocks = c->nblocks;

    struct edges x = {.stamp = xcalloc(c->nblocks, sizeof *x.stamp)};
    for (uint32_t b = 0; b < c->nblocks; b++) add_successors(m, c, &x, b);
    c->edges = ARENA_NEW(&c->mem, uint32_t, 2 * x.to.n);
    for (size_t k = 0; k < x.to.n; k++) c->edges[k] = x.to.v[k];
    add_predecessors(c, (uint32_t)x.to.n);
    xfree(x.stamp);
    VEC_FREE(&x.to);
    return true;
}

/* ---- the graph of one function ---- */

/* Depth-first from the entry, last successor first, so that reverse postorder puts a fall-through before a target. */
static void blocks_walk(struct work *w) {
    uint32_t *path = ARENA_NEW(&w->mem, uint32_t, w->n), *cursor = ARENA_NEW(&w->mem, uint32_t, w->n);
    uint32_t depth = 0, clock = 0, post = w->n;
    uint32_t *order = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t v = 0; v < w->n; v++) w->enter[v] = CFG_NONE;
    path[depth++] = 0;
    w->enter[0] = clock++;
    while (depth) {
        uint32_t v = path[depth - 1];
        if (cursor[v] < w->b[v].nsucc) {
            uint32_t s = w->c->edges[w->b[v].succ + w->b[v].nsucc - 1 - cursor[v]++] - w->f->block;
            if (w->enter[s] != CFG_NONE) continue;
            w->enter[s] = clock++;
            path[depth++] = s;
            continue;
        }
        w->last[v] = clock - 1;
        order[--post] = v;
        depth--;
    }
    w->rpo = order + post;
    w->nrpo = w->n - post;
    for (uint32_t v = 0; v < w->n; v++) w->number[v] = CFG_NONE;
    for (uint32_t k = 0; k < w->nrpo; k++) w->number[w->rpo[k]] = k;
}

static bool block_reached(const struct work *w, uint32_t v) {
    return w->number[v] != CFG_NONE;
}

static void copy_edges(struct work *w) {
    struct graph *g = &w->g;
    uint32_t ns = 0, np = 0, total = 0;
    for (uint32_t v = 0; v < w->n; v++) total += block_reached(w, v) ? w->b[v].nsucc : 0;
    *g = (struct graph){.n = w->n};
    g->sfirst = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    g->pfirst = ARENA_NEW(&w->mem, uint32_t, w->n + 1);
    g->succ = ARENA_NEW(&w->mem, uint32_t, total);
    g->pred = ARENA_NEW(&w->mem, uint32_t, total);
    for (uint32_t v = 0; v < w->n; v++) {
        const struct cfg_block *b = &w->b[v];
        g->sfirst[v] = ns;
        g->pfirst[v] = np;
        for (uint32_t k = 0; block_reached(w, v) && k < b->nsucc; k++)
            g->succ[ns++] = w->c->edges[b->succ + k] - w->f->block;
        for (uint32_t k = 0; block_reached(w, v) && k < b->npred; k++)
            if (block_reached(w, w->c->edges[b->pred + k] - w->f->block))
                g->pred[np++] = w->c->edges[b->pred + k] - w->f->block;
    }
    g->sfirst[w->n] = ns;
    g->pfirst[w->n] = np;
}

struct graph graph_part(const struct graph *g, graph_keeps_fn *keeps, const void *user, struct arena *mem) {
    struct graph part = {.n = g->n, .root = g->root};
    uint32_t ns = 0, np = 0;
    part.sfirst = ARENA_NEW(mem, uint32_t, g->n + 1);
    part.pfirst = ARENA_NEW(mem, uint32_t, g->n + 1);
    part.succ = ARENA_NEW(mem, uint32_t, g->sfirst[g->n]);
    part.pred = ARENA_NEW(mem, uint32_t, g->sfirst[g->n]);
    for (uint32_t v = 0; v < g->n; v++) {
        for (uint32_t k = g->sfirst[v]; k < g->sfirst[v + 1]; k++)
            if (keeps(user, v, g->succ[k])) part.succ[ns++] = g->succ[k];
        for (uint32_t k = g->pfirst[v]; k < g->pfirst[v + 1]; k++)
            if (keeps(user, g->pred[k], v)) part.pred[np++] = g->pred[k];
        part.sfirst[v + 1] = ns;
        part.pfirst[v + 1] = np;
    }
    return part;
}

void blocks_graph(struct work *w) {
    w->leaves = ARENA_NEW(&w->mem, bool, w->n);
    w->number = ARENA_NEW(&w->mem, uint32_t, w->n);
    w->enter = ARENA_NEW(&w->mem, uint32_t, w->n);
    w->last = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t v = 0; v < w->n; v++) w->leaves[v] = leaves_function(w->m, &w->m->code.v[w->b[v].end - 1]);
    blocks_walk(w);
    copy_edges(w);
}
