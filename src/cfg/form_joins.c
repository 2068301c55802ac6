/* JOINS (Lorie & Strong, US 4435758, as SL 2.3 describes it): hardware that compares the block numbers of threads needs to be
 * told where that is worth it, which is where threads may stand when others come. Blocks run in the order of their
 * priorities. So that is a block to which there is more than one way; and one that threads leave a loop to, or skip the
 * rest of a round by, when others go round once more before it has its turn.
 *
 * The latter, for a block X behind a branch P: an edge from U back to V closes a cycle around P, V <= P <= U in priority,
 * and comes before X, U < X. Every cycle that passes P while X waits has such an edge: it is the one that gets from behind P
 * to before it. SL says nothing of it; without these marks threads that leave a loop in different rounds would not meet. */
#include "cfg/form_impl.h"

/* Numbers that have got their answer are skipped; slot k is number k - 1, so that there is always an end. */
static uint32_t open_slot(uint32_t *below, uint32_t k) {
    while (below[k] != k) k = below[k] = below[below[k]];
    return k;
}

/* The lowest priority, of those in the function, to which an edge of the block leads back; CFG_NONE: none does. */
static uint32_t leads_back(const struct cfg *c, uint32_t block) {
    const struct cfg_block *b = &c->blocks[block];
    uint32_t low = CFG_NONE;
    for (uint32_t k = 0; k < b->nsucc; k++) {
        const uint32_t to = c->blocks[c->edges[b->succ + k]].priority;
        if (to <= b->priority && to < low) low = to;
    }
    return low;
}

/* By priority: that of the first block with an edge that closes a cycle around it; CFG_NONE: it is in no cycle. */
static uint32_t *find_rounds(const struct cfg *c, const struct cfg_func *f) {
    uint32_t *again = xcalloc(f->nblocks + 1, sizeof *again), *below = xcalloc(f->nblocks + 1, sizeof *below);
    uint32_t *block = xcalloc(f->nblocks + 1, sizeof *block);
    for (uint32_t k = 0; k <= f->nblocks; k++) below[k] = k;
    for (uint32_t k = 0; k < f->nblocks; k++) {
        again[k] = CFG_NONE;
        block[c->blocks[f->block + k].priority] = f->block + k;
    }
    for (uint32_t u = 0; u < f->nblocks; u++) {
        const uint32_t low = c->blocks[block[u]].reachable ? leads_back(c, block[u]) : CFG_NONE;
        for (uint32_t k = open_slot(below, u + 1); low != CFG_NONE && k > low; k = open_slot(below, k)) {
            again[k - 1] = u;
            below[k] = k - 1;
        }
    }
    xfree(below);
    xfree(block);
    return again;
}

/* Threads may stand there while others go round. */
static bool waits_for_rounds(const struct cfg *c, uint32_t block, const uint32_t *again) {
    const struct cfg_block *b = &c->blocks[block];
    for (uint32_t k = 0; k < b->npred; k++) {
        const struct cfg_block *p = &c->blocks[c->edges[b->pred + k]];
        if (p->reachable && p->nsucc > 1 && again[p->priority] < b->priority) return true;
    }
    return false;
}

struct rewrite *form_joins(const struct ir_module *m, const struct cfg *c, struct err *e) {
    form_inserts marks = {0};
    for (uint32_t f = 0; f < m->funcs.n; f++) {
        uint32_t *again = find_rounds(c, &c->funcs[f]);
        for (uint32_t b = c->funcs[f].block; b < c->funcs[f].block + c->funcs[f].nblocks; b++)
            if (c->blocks[b].reachable && (cfg_block_joins(m, c, b) || waits_for_rounds(c, b, again)))
                form_put_sync(&marks, c->blocks[b].first, IR_NOPC);
        xfree(again);
    }
    struct rewrite *r = cfg_rewrite(m, c, marks.v, marks.n, e);
    VEC_FREE(&marks);
    return r;
}
