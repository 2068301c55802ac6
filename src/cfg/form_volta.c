/* The form for convergence barriers (Volta and later: US 10067768; Shoushtary et al., 2024): marks BSSY, BSYNC, BREAK, YIELD
 * and BMOV on sixteen barrier registers.
 *
 *   BSSY b,R   where a region begins: the threads that run are the members of barrier b
 *   BSYNC b    first in the block R where it ends; a thread that comes there and is no member passes
 *   BREAK b    where a member leaves the region to another place than R
 *   YIELD      where a loop that may be waiting for another thread goes round
 *   BMOV b     at the entry of a function, and before it returns: the caller's barrier b is saved, and put back
 *
 * Where the barriers are is asked for by the form. `volta`: at the immediate post-dominators of branches that may diverge, so
 * that threads meet where they do under pdom; the regions are those of regions.c. A BREAK stands only where threads that will
 * exit leave them for code that has regions too: those may have the same registers. `volta_merge`: as compilers place them
 * (merges.c).
 *
 * Ours, where the sources are silent:
 *   - a call whose callee may return its threads apart (a branch in it that joins nowhere but at its end) is a branch that
 *     meets behind the call;
 *   - a loop may wait if it, or what it calls, has an atomic whose result is used, a load that is volatile or ordered, or
 *     nanosleep. A YIELD before a two-way branch has the guard of the way back, so that those who leave do not yield;
 *   - two regions share a register if no thread can be in both, nor come to the BSYNC of one while in the other. A region for
 *     which none of the sixteen is left has no barrier: its threads meet at the end of the region around it;
 *   - branches count that may diverge within a block: the machine's warp may be wider than the 32 threads of a compiler's. */
#include "base/bits.h"
#include "cfg/barriers.h"
#include "cfg/form_impl.h"
#include "cfg/graph.h"
#include "cfg/regions.h"
#include "cfg/uniform.h"

struct maker {
    const struct ir_module *m;
    const struct cfg *c;
    form_inserts out;
};

static struct ir_insn form_volta_mark(enum ir_mark sub, uint32_t reg, uint32_t target) {
    return (struct ir_insn){.op = IR_MARK, .sub = (uint8_t)sub, .reg = (uint8_t)reg, .target = target};
}

static void form_volta_put(struct maker *k, struct cfg_mark at, struct ir_insn i) {
    VEC_PUSH(&k->out, ((struct rewrite_insert){.pc = at.pc,
                                               .to = at.to,
                                               .where = at.to == IR_NOPC ? REWRITE_BEFORE : REWRITE_EDGE,
                                               .targets = i.target != IR_NOPC,
                                               .insn = i}));
}

/* ---- which branches part threads ---- */

/* Threads may come back from the function one by one. */
static bool *find_returning_apart(const struct ir_module *m, const struct cfg *c, const uint8_t *varies) {
    bool *apart = xcalloc(m->funcs.n + 1, sizeof *apart);
    for (uint32_t f = 0; f < m->funcs.n; f++)
        for (uint32_t pc = m->funcs.v[f].entry; pc < m->funcs.v[f].end && !m->funcs.v[f].kernel; pc++)
            apart[f] |= varies[pc] && m->code.v[pc].rpc == IR_NOPC && m->code.v[pc].op != IR_EXIT &&
                        c->blocks[m->code.v[pc].block].ways > 1;
    return apart;
}

static bool calls_apart(const struct ir_module *m, const struct ir_insn *i, const bool *apart) {
    if (i->op == IR_CALL) return apart[m->ext.v[i->ext + IR_CALL_FUNC]];
    for (uint32_t f = 0; i->op == IR_CALL_IND && f < m->funcs.n; f++)
        if (apart[f] && m->funcs.v[f].address_taken) return true;
    return false;
}

static uint8_t *find_varying(const struct ir_module *m, const struct cfg *c) {
    uint8_t *varies = cfg_uniform(m, c);
    bool *apart = find_returning_apart(m, c, varies);
    for (uint32_t pc = 0; pc < m->code.n; pc++)
        if (calls_apart(m, &m->code.v[pc], apart)) varies[pc] |= CFG_VARIES_WARP | CFG_VARIES_BLOCK;
    xfree(apart);
    return varies;
}

/* ---- registers of regions ---- */

/* Where the mark's threads arrive next, if that is the start of a block. */
static uint32_t mark_leads(const struct ir_module *m, const struct cfg_mark *at) {
    if (at->to != IR_NOPC) return at->to;
    const struct ir_insn *i = &m->code.v[at->pc];
    return i->op == IR_BRA && !insn_conditional(i) ? i->target : IR_NOPC;
}

/* A region's register differs from those around it, and from that of a region whose BSYNC comes after its BSSY: where it
 * begins on an edge to the other's end. */
static void colour(struct maker *k, const struct cfg_regions *g, struct barrier *out) {
    uint32_t *used = xcalloc(g->n + 1, sizeof *used), *ends = xcalloc(k->m->code.n + 1, sizeof *ends);
    for (uint32_t r = 0; r < g->n; r++) {
        const struct cfg_region *q = &g->v[r];
        uint32_t taken = 0;
        if (q->parent != CFG_NONE) {
            used[r] = used[q->parent];
            if (out[q->parent].reg != CFG_NONE) used[r] |= 1u << out[q->parent].reg;
        }
        taken = used[r];
        for (uint32_t i = 0; i < q->nmarks; i++) {
            const uint32_t to = mark_leads(k->m, &g->marks[q->mark + i]);
            if (to != IR_NOPC) taken |= ends[to];
        }
        taken = ~taken & ((1u << BARRIER_REGISTERS) - 1);
        out[r].reg = taken ? (uint32_t)__builtin_ctz(taken) : CFG_NONE;
        if (taken) ends[k->c->blocks[q->join].first] = taken & -taken;
    }
    xfree(used);
    xfree(ends);
}

/* Finds the exits (cfg_block.exit) whose threads meet in regions before they leave; the result is indexed by block. */
static bool *find_busy_exits(const struct maker *k, const struct cfg_regions *g) {
    bool *busy = xcalloc(k->c->nblocks + 1, sizeof *busy);
    for (uint32_t r = 0; r < g->n; r++) {
        const uint32_t exit = k->c->blocks[g->v[r].join].exit;
        if (exit != CFG_NONE) busy[exit] = true;
    }
    return busy;
}

/* Lets threads that take an edge to another exit leave all barriers they are members of. False if that takes too many marks. */
static bool put_leaves(struct maker *k, const struct cfg_regions *g, const struct barrier *all,
                       const bool *done, const bool *busy) {
    const struct cfg_block *b = k->c->blocks;
    const size_t limit = k->out.n + FORM_MOST_MARKS;
    for (uint32_t u = 0; u < k->c->nblocks; u++)
        for (uint32_t s = 0; b[u].reachable && !done[b[u].func] && s < b[u].nsucc; s++) {
            const uint32_t v = k->c->edges[b[u].succ + s];
            if (b[u].exit == b[v].exit || !busy[b[v].exit]) continue;
            for (uint32_t r = g->of_block[u]; r != CFG_NONE && k->out.n < limit; r = g->v[r].parent)
                if (all[r].reg != CFG_NONE)
                    form_volta_put(k, cfg_edge_mark(k->m, &b[u], &b[v]),
                                   form_volta_mark(IR_MK_BREAK, all[r].reg, IR_NOPC));
        }
    return k->out.n < limit;
}

/* Places the barriers of functions that have none yet, by their regions. */
static bool barriers_of_regions(struct maker *k, const uint8_t *varies, const bool *done, struct barriers *b,
                                struct err *e) {
    struct cfg_regions *g = cfg_regions(k->m, k->c, varies, FORM_MOST_MARKS, e);
    if (!g) return false;
    struct barrier *all = xcalloc(g->n + 1, sizeof *all);
    colour(k, g, all);
    for (uint32_t r = 0; r < g->n; r++) {
        const struct cfg_region *q = &g->v[r];
        if (done[q->func]) continue;
        struct barrier x = {.func = q->func,
                            .join = k->c->blocks[q->join].first,
                            .reg = all[r].reg,
                            .begin = (uint32_t)b->marks.n,
                            .nbegin = q->nmarks};
        for (uint32_t i = 0; i < q->nmarks; i++) VEC_PUSH(&b->marks, g->marks[q->mark + i]);
        VEC_PUSH(&b->v, x);
    }
    bool *busy = find_busy_exits(k, g);
    bool good = put_leaves(k, g, all, done, busy) ||
                err_set(e, ERR_INPUT, "%s: error: too many ways to exits within regions", k->m->name);
    xfree(busy);
    xfree(all);
    cfg_regions_free(g);
    return good;
}

static bool find_barriers(struct maker *k, bool merge, struct barriers *b, struct err *e) {
    uint8_t *varies = find_varying(k->m, k->c);
    bool *done = xcalloc(k->m->funcs.n + 1, sizeof *done), good;
    for (uint32_t f = 0; merge && f < k->m->funcs.n; f++)
        done[f] = barriers_of_merges(k->m, k->c, f, varies, b);
    good = barriers_of_regions(k, varies, done, b, e);
    xfree(varies);
    xfree(done);
    return good;
}

/* ---- barriers ---- */

static void put_syncs(struct maker *k, const struct barriers *b) {
    for (size_t r = 0; r < b->v.n; r++)
        if (b->v.v[r].reg != CFG_NONE)
            form_volta_put(k, (struct cfg_mark){b->v.v[r].join, IR_NOPC},
                           form_volta_mark(IR_MK_BSYNC, b->v.v[r].reg, IR_NOPC));
}

static void put_breaks(struct maker *k, const struct barriers *b) {
    for (size_t r = 0; r < b->v.n; r++) {
        const struct barrier *x = &b->v.v[r];
        for (uint32_t i = 0; x->reg != CFG_NONE && i < x->nleave; i++) {
            const struct cfg_mark at = b->marks.v[x->leave + i];
            struct ir_insn insn = form_volta_mark(IR_MK_BREAK, x->reg, IR_NOPC);
            if (k->m->code.v[at.pc].op == IR_RET) insn.guard = k->m->code.v[at.pc].guard;
            form_volta_put(k, at, insn);
        }
    }
}

static void put_begins(struct maker *k, const struct barriers *b) {
    for (size_t r = 0; r < b->v.n; r++)
        for (uint32_t i = 0; b->v.v[r].reg != CFG_NONE && i < b->v.v[r].nbegin; i++)
            form_volta_put(k, b->marks.v[b->v.v[r].begin + i],
                           form_volta_mark(IR_MK_BSSY, b->v.v[r].reg, b->v.v[r].join));
}

/* ---- saving ---- */

/* At the entries of functions, or before they return, whatever registers they use. */
static void put_saves(struct maker *k, const struct barriers *b, bool entry) {
    uint32_t *used = xcalloc(k->m->funcs.n + 1, sizeof *used);
    for (size_t r = 0; r < b->v.n; r++)
        if (b->v.v[r].reg != CFG_NONE) used[b->v.v[r].func] |= 1u << b->v.v[r].reg;
    for (uint32_t f = 0; f < k->m->funcs.n; f++) {
        const struct ir_func *fn = &k->m->funcs.v[f];
        if (fn->kernel) continue;
        FOR_LANES(reg, used[f]) {
            struct ir_insn i = form_volta_mark(IR_MK_BMOV, reg, IR_NOPC);
            if (entry) form_volta_put(k, (struct cfg_mark){IR_NOPC, fn->entry}, i);
            for (uint32_t pc = fn->entry; pc < fn->end && !entry; pc++) {
                i.guard = k->m->code.v[pc].guard;
                if (k->m->code.v[pc].op == IR_RET) form_volta_put(k, (struct cfg_mark){pc, IR_NOPC}, i);
            }
        }
    }
    xfree(used);
}

/* ---- yielding ---- */

static bool insn_polls(const struct ir_insn *i) {
    switch (ir_ops[i->op].cls) {
    case IR_C_ATOM: return i->nd && ir_file(i->o[0]) != IR_FILE_NONE;
    case IR_C_LDST:
        return i->nd && (i->mods & IR_M_VOLATILE || i->cop == IR_COP_CV || i->cop == IR_COP_ORDERED);
    default: return i->op == IR_NOP && i->sub == IR_NOP_NANOSLEEP;
    }
}

static bool polls(const struct ir_module *m, const struct ir_insn *i, const bool *func, bool indirect) {
    if (i->op == IR_CALL) return func[m->ext.v[i->ext + IR_CALL_FUNC]];
    return i->op == IR_CALL_IND ? indirect : insn_polls(i);
}

/* Finds the functions that poll, or call one that does. */
static bool *find_polling(const struct ir_module *m, bool *indirect) {
    bool *func = xcalloc(m->funcs.n + 1, sizeof *func);
    *indirect = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t f = 0; f < m->funcs.n; f++)
            for (uint32_t pc = m->funcs.v[f].entry; pc < m->funcs.v[f].end && !func[f]; pc++)
                if (polls(m, &m->code.v[pc], func, *indirect)) {
                    more = func[f] = true;
                    *indirect |= m->funcs.v[f].address_taken;
                }
    }
    return func;
}

/* The block jumps, or falls, back to a loop that may wait. */
static void put_yield(struct maker *k, uint32_t from, uint32_t header) {
    const struct cfg_block *b = &k->c->blocks[from];
    const struct ir_insn *last = &k->m->code.v[b->end - 1];
    const uint32_t to = k->c->blocks[header].first;
    struct cfg_mark at = cfg_edge_mark(k->m, b, &k->c->blocks[header]);
    struct ir_insn yield = form_volta_mark(IR_MK_YIELD, 0, IR_NOPC);
    if (last->op == IR_BRA && insn_guarded(last) && b->nsucc > 1) {
        at = (struct cfg_mark){b->end - 1, IR_NOPC};
        yield.guard = last->target == to ? last->guard : last->guard ^ IR_GUARD_NEG;
    }
    form_volta_put(k, at, yield);
}

static bool loop_holds(const struct cfg *c, uint32_t loop, uint32_t block) {
    uint32_t l = c->blocks[block].loop;
    while (l != CFG_NONE && c->loops[l].depth > c->loops[loop].depth) l = c->loops[l].parent;
    return l == loop;
}

static void put_yields(struct maker *k) {
    const struct cfg *c = k->c;
    bool indirect, *func = find_polling(k->m, &indirect), *waits = xcalloc(c->nloops + 1, sizeof *waits);
    for (uint32_t v = 0; v < c->nblocks; v++) {
        bool here = false;
        for (uint32_t pc = c->blocks[v].first; c->blocks[v].loop != CFG_NONE && pc < c->blocks[v].end; pc++)
            here |= polls(k->m, &k->m->code.v[pc], func, indirect);
        for (uint32_t l = c->blocks[v].loop; here && l != CFG_NONE && !waits[l]; l = c->loops[l].parent)
            waits[l] = true;
    }
    for (uint32_t l = 0; l < c->nloops; l++) {
        const struct cfg_block *h = &c->blocks[c->loops[l].header];
        for (uint32_t p = 0; waits[l] && p < h->npred; p++)
            if (loop_holds(c, l, c->edges[h->pred + p]))
                put_yield(k, c->edges[h->pred + p], c->loops[l].header);
    }
    xfree(func);
    xfree(waits);
}

/* ---- all of it ---- */

static struct rewrite *form_volta_make(const struct ir_module *m, const struct cfg *c, bool merge,
                                       struct err *e) {
    struct maker k = {.m = m, .c = c};
    struct barriers b = {0};
    struct rewrite *r = NULL;
    if (find_barriers(&k, merge, &b, e)) { /* in the order in which they stand at one place */
        put_syncs(&k, &b);
        put_saves(&k, &b, true);
        put_breaks(&k, &b);
        put_begins(&k, &b);
        put_saves(&k, &b, false);
        put_yields(&k);
        r = cfg_rewrite(m, c, k.out.v, k.out.n, e);
    }
    VEC_FREE(&b.v);
    VEC_FREE(&b.marks);
    VEC_FREE(&k.out);
    return r;
}

struct rewrite *form_volta(const struct ir_module *m, const struct cfg *c, struct err *e) {
    return form_volta_make(m, c, false, e);
}

struct rewrite *form_volta_merge(const struct ir_module *m, const struct cfg *c, struct err *e) {
    return form_volta_make(m, c, true, e);
}
