/* Thread frontiers (Diamos et al., MICRO 2011; HARP 2): where threads may wait while a block runs.
 *
 * Threads do not influence each other's paths, and leaving threads out of an execution leaves the order of
 * the others as it was. So x is in the frontier of b exactly when two threads alone can come to stand in b
 * and x with b to run next. The pairs are enumerated from the divergences: a pair (b, x), b of higher
 * priority, steps to (s, x) for every successor s of b, in whichever order s and x stand, or merges when s is
 * x. That is linear in the size of the result (times successors per block), needs no special case for back
 * edges, and on graphs without loops gives what the one-pass algorithm of the paper gives. */
#include <stdlib.h>

#include "cfg/cfg.h"

struct pairs {
    const struct cfg *c;
    const struct cfg_block *b;
    uint32_t base;
    uint32_t *at;  /* priority to local block */
    uint64_t *set; /* open addressing: running priority << 32 | waiting priority, plus one; 0 empty */
    size_t mask, used, limit;
    VEC(uint64_t) todo;
};

static size_t frontier_slot_of(const struct pairs *p, uint64_t key) {
    size_t k = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & p->mask;
    while (p->set[k] && p->set[k] != key) k = (k + 1) & p->mask;
    return k;
}

static void frontier_grow(struct pairs *p) {
    uint64_t *old = p->set;
    size_t n = p->mask + 1;
    p->mask = 2 * n - 1;
    p->set = xcalloc(2 * n, sizeof *p->set);
    for (size_t k = 0; k < n; k++)
        if (old[k]) p->set[frontier_slot_of(p, old[k])] = old[k];
    xfree(old);
}

static void add_pair(struct pairs *p, uint32_t x, uint32_t y) {
    if (x == y) return;
    uint64_t key = (x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x) + 1;
    size_t k = frontier_slot_of(p, key);
    if (p->set[k]) return;
    p->set[k] = key;
    if (++p->used * 2 > p->mask) frontier_grow(p);
    VEC_PUSH(&p->todo, key - 1);
}

static uint32_t successor(const struct pairs *p, const struct cfg_block *b, uint32_t k) {
    return p->c->blocks[p->c->edges[b->succ + k]].priority;
}

/* False when the limit is passed. Every block may diverge over any two of its successors. */
static bool add_divergences(struct pairs *p, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) {
        const struct cfg_block *b = &p->b[v];
        for (uint32_t k = 0; b->reachable && k < b->nsucc; k++)
            for (uint32_t j = 0; j < k; j++) {
                add_pair(p, successor(p, b, j), successor(p, b, k));
                if (p->used > p->limit) return false;
            }
    }
    return true;
}

static bool close_pairs(struct pairs *p) {
    while (p->todo.n) {
        uint64_t key = p->todo.v[--p->todo.n];
        const struct cfg_block *b = &p->b[p->at[key >> 32]];
        for (uint32_t k = 0; k < b->nsucc; k++) add_pair(p, successor(p, b, k), (uint32_t)key);
        if (p->used > p->limit) return false;
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted pairs list the frontiers by priority of the running block; they are dealt out in the order of the blocks. */
static void write_out(struct pairs *p, uint32_t n, struct cfg_frontiers *out) {
    VEC_RESERVE(&p->todo, p->used);
    for (size_t k = 0; k <= p->mask; k++)
        if (p->set[k]) p->todo.v[p->todo.n++] = p->set[k] - 1;
    if (p->todo.n) qsort(p->todo.v, p->todo.n, sizeof *p->todo.v, by_value);
    out->first = xcalloc((size_t)n + 1, sizeof *out->first);
    out->block = xcalloc(p->todo.n, sizeof *out->block);
    for (size_t k = 0; k < p->todo.n; k++) out->first[p->at[p->todo.v[k] >> 32] + 1]++;
    for (uint32_t v = 0; v < n; v++) out->first[v + 1] += out->first[v];
    uint32_t fill = 0, running = CFG_NONE;
    for (size_t k = 0; k < p->todo.n; k++) {
        uint32_t v = p->at[p->todo.v[k] >> 32];
        if (v != running) fill = out->first[v];
        running = v;
        out->block[fill++] = p->base + p->at[(uint32_t)p->todo.v[k]];
    }
}

bool cfg_frontiers(const struct cfg *c, uint32_t func, size_t limit, struct cfg_frontiers *out,
                   struct err *e) {
    const struct cfg_func *f = &c->funcs[func];
    struct pairs p = {.c = c, .b = c->blocks + f->block, .base = f->block, .mask = 63, .limit = limit};
    if (p.limit > INT32_MAX) p.limit = INT32_MAX;
    p.set = xcalloc(p.mask + 1, sizeof *p.set);
    p.at = xcalloc(f->nblocks, sizeof *p.at);
    for (uint32_t v = 0; v < f->nblocks; v++) p.at[p.b[v].priority] = v;
    bool ok = add_divergences(&p, f->nblocks) && close_pairs(&p);
    if (ok)
        write_out(&p, f->nblocks, out);
    else
        err_set(e, ERR_LIMIT, "the thread frontiers have more than %zu entries", p.limit);
    xfree(p.set);
    xfree(p.at);
    VEC_FREE(&p.todo);
    return ok;
}

void cfg_frontiers_free(struct cfg_frontiers *f) {
    xfree(f->first);
    xfree(f->block);
    *f = (struct cfg_frontiers){0};
}
