/* Block priorities: the order in which thread frontiers, Lorie-Strong and their kin run blocks that hold
 * threads.
 *
 * It is a topological order of the graph without its retreating edges, built by always taking, among the
 * blocks whose predecessors are all placed,
 *   1. one of the innermost loop entered last: a loop is placed as a whole before anything after it, so
 * threads that have left it wait for those still going round;
 *   2. one where no thread can be made to wait (no bar.sync, bar.red, bar.warp.sync or other operation with a
 * member mask) before one where it can: threads that could still arrive are brought there first. Blocks with a path
 * to the barrier precede it anyway; this settles those that reach it only round a loop;
 *   3. the first in the text.
 * Calls are not looked into: a barrier in a callee does not hold the calling block back.
 *
 * A loop is entered at its header only, so a block's loop (for a header: the loop around its own) is the
 * level its readiness belongs to, and at any moment all ready blocks lie in the loops around the current one:
 * one heap keyed by depth serves all levels. */

#include "cfg/graph.h"

struct heap {
    uint64_t *key;
    uint32_t n;
};

static void heap_push(struct heap *h, uint64_t key) {
    uint32_t k = h->n++;
    for (; k && h->key[(k - 1) / 2] > key; k = (k - 1) / 2) h->key[k] = h->key[(k - 1) / 2];
    h->key[k] = key;
}

static uint64_t heap_pop(struct heap *h) {
    uint64_t top = h->key[0], last = h->key[--h->n];
    uint32_t k = 0;
    for (uint32_t child; (child = 2 * k + 1) < h->n; k = child) {
        if (child + 1 < h->n && h->key[child + 1] < h->key[child]) child++;
        if (h->key[child] >= last) break;
        h->key[k] = h->key[child];
    }
    h->key[k] = last;
    return top;
}

static bool may_wait(const struct work *w, uint32_t v) {
    for (uint32_t pc = w->b[v].first; pc < w->b[v].end; pc++)
        if (insn_waits(&w->m->code.v[pc])) return true;
    return false;
}

static uint64_t key_of(const struct work *w, uint32_t v) {
    uint32_t l = loop_of(w, v), depth = 0;
    if (l != CFG_NONE) depth = loop_at(w, l)->depth - (loop_at(w, l)->header == v + w->f->block);
    return (uint64_t)(w->n - depth) << 33 | (uint64_t)may_wait(w, v) << 32 | v;
}

void order_analyse(struct work *w) {
    const struct graph *g = &w->g;
    uint32_t *waiting = ARENA_NEW(&w->mem, uint32_t, w->n), place = 0;
    struct heap h = {.key = ARENA_NEW(&w->mem, uint64_t, w->n)};
    for (uint32_t v = 0; v < w->n; v++)
        for (uint32_t s = g->sfirst[v]; s < g->sfirst[v + 1]; s++)
            if (!edge_retreats(w, v, g->succ[s])) waiting[g->succ[s]]++;
    heap_push(&h, key_of(w, 0));
    while (h.n) {
        uint32_t v = (uint32_t)heap_pop(&h);
        w->b[v].priority = place++;
        for (uint32_t s = g->sfirst[v]; s < g->sfirst[v + 1]; s++)
            if (!edge_retreats(w, v, g->succ[s]) && !--waiting[g->succ[s]])
                heap_push(&h, key_of(w, g->succ[s]));
    }
    CHECK(place == w->nrpo);
    for (uint32_t v = 0; v < w->n; v++)
        if (!w->b[v].reachable) w->b[v].priority = place++;
}

bool cfg_block_joins(const struct ir_module *m, const struct cfg *c, uint32_t block) {
    const struct cfg_block *b = &c->blocks[block];
    uint32_t ways = block == c->funcs[b->func].block;
    for (uint32_t k = 0; k < b->npred; k++) {
        const struct cfg_block *p = &c->blocks[c->edges[b->pred + k]];
        uint16_t op = m->code.v[p->end - 1].op;
        ways += p->reachable ? (op == IR_CALL || op == IR_CALL_IND ? 2 : 1) : 0;
    }
    return b->reachable && ways > 1;
}

bool cfg_priority_is_pc_order(const struct cfg *c, uint32_t func) {
    const struct cfg_func *f = &c->funcs[func];
    uint32_t place = 0;
    for (uint32_t v = f->block; v < f->block + f->nblocks; v++)
        if (c->blocks[v].reachable && c->blocks[v].priority != place++) return false;
    return true;
}
