/* The analysis as a whole: blocks of the module, then one function after another, each leaving nothing behind
 * but its results, then the link. */
#include "cfg/cfg.h"

#include <stdlib.h>

#include "cfg/graph.h"

/* Machine code has its rows already: the same for all functions. What a thread needs is what the architecture has, without the
 * floating-point registers where a function does not name them. */
static void keep_rows(struct work *w) {
    bool floats = false;
    for (uint32_t pc = w->fn->entry; pc < w->fn->end; pc++) {
        const struct ir_insn *i = &w->m->code.v[pc];
        for (int k = 0; k < i->nd + i->ns; k++)
            floats |= !ir_is_const(i->o[k]) && ir_file(i->o[k]) == IR_FILE_64 && ir_index(i->o[k]) >= IR_RV_F;
    }
    w->fn->nrow[IR_FILE_64] = IR_RV_ROWS;
    w->fn->regs = w->fn->compiled_regs = w->f->max_live = 2 * (floats ? IR_RV_FCSR : IR_RV_F);
}

/* was: NULL, or the analysis before, whose register rows the code already has. */
static bool analyse_function(struct ir_module *m, struct cfg *c, const struct cfg *was, uint32_t func,
                             struct err *e) {
    struct work w = {.m = m, .c = c, .func = func, .fn = &m->funcs.v[func], .f = &c->funcs[func]};
    w.b = c->blocks + w.f->block;
    w.n = w.f->nblocks;
    w.f->loop = c->nloops;
    w.f->why = CFG_NONE;
    w.f->why_text = "";
    if (!w.n) return true;
    blocks_graph(&w);
    for (uint32_t v = 0; v < w.n; v++) w.b[v].reachable = w.number[v] != CFG_NONE;
    dom_analyse(&w);
    pdom_analyse(&w);
    loops_analyse(&w);
    structure_analyse(&w);
    order_analyse(&w);
    if (was) w.f->max_live = was->funcs[func].max_live;
    if (!was && m->binary) keep_rows(&w);
    bool ok = was || m->binary || colour_analyse(&w, e);
    arena_free(&w.mem);
    return ok;
}

void work_reopen(struct work *w, const struct ir_module *m, const struct cfg *c, uint32_t func) {
    /* A work can change its module and its results; after it is reopened they are only read. */
    *w = (struct work){.m = (struct ir_module *)m, .c = (struct cfg *)c, .func = func};
    w->fn = &w->m->funcs.v[func];
    w->f = &w->c->funcs[func];
    w->b = w->c->blocks + w->f->block;
    w->n = w->f->nblocks;
    if (!w->n) return;
    blocks_graph(w);
    w->idom = ARENA_NEW(&w->mem, uint32_t, w->n);
    w->ipdom = ARENA_NEW(&w->mem, uint32_t, w->n);
    for (uint32_t v = 0; v < w->n; v++) {
        w->idom[v] = w->b[v].idom == CFG_NONE ? CFG_NONE : w->b[v].idom - w->f->block;
        w->ipdom[v] = w->b[v].ipdom == CFG_NONE ? w->n : w->b[v].ipdom - w->f->block;
    }
    w->dom = forest_number(w->n, w->idom, w->rpo, w->nrpo, &w->mem);
}

static bool analyse_module(struct ir_module *m, struct cfg *c, const struct cfg *was, struct err *e) {
    c->funcs = ARENA_NEW(&c->mem, struct cfg_func, m->funcs.n);
    if (!blocks_build(m, c, e)) return false;
    c->loops = ARENA_NEW(&c->mem, struct cfg_loop, c->nblocks);
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (!analyse_function(m, c, was, f, e)) return false;
    return was || ir_link(m, e);
}

static struct cfg *analyse(struct ir_module *m, enum cfg_exits exits, const struct cfg *was, struct err *e) {
    struct cfg *c = xcalloc(1, sizeof *c);
    c->exits = exits;
    if (analyse_module(m, c, was, e)) return c;
    cfg_free(c);
    return NULL;
}

struct cfg *cfg_analyse_again(struct ir_module *m, const struct cfg *was, struct err *e) {
    struct cfg *c = analyse(m, was->exits, was, e);
    if (c) c->wide_warps = was->wide_warps;
    return c;
}

struct cfg *cfg_analyse(struct ir_module *m, enum cfg_exits exits, struct err *e) {
    return analyse(m, exits, NULL, e);
}

void cfg_free(struct cfg *c) {
    if (!c) return;
    arena_free(&c->mem);
    xfree(c);
}
