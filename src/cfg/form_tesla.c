/* The program as Tesla's compiler has it: SSY where a reconvergence region begins, the synchronisation flag where it ends
 * (Coon & Lindholm, US 7353369; SL 2.1: "annotations pointing at divergence and reconvergence points"), and for loops PBK and BRK
 * (the same authors, US 8667256) or, with tesla_ssy, SSY again.
 *
 * A region (regions.h) begins at one of its marks on every path, so each thread that comes to its join R has pushed a
 * token for it, and tokens are nested as regions are. Edges that lead to R from outside of the region have an SSY of
 * their own, because R pops in any case. R's first instruction carries the flag, or a JOIN before it does: where it is
 * a branch, call, return, exit or barrier, whose issue changes or holds the threads that run.
 *
 * A loop all of whose exits are branches to one block R is one for PBK, which stands where it is entered: the exits become BRK,
 * whose threads wait until all have left. R needs SSY and flag only for branches outside of such loops. A branch back on whose
 * other side the loop is left, `@p bra L; R:`, becomes `@!p brk R; bra L`: there is no instruction that leaves where it
 * does not jump. The jump is new and costs an issue in every round. A loop at whose header other threads meet has SSY: the token
 * would have to be pushed behind that join, where the loop comes by again.
 *
 * Ours: a region all of whose branches are calls through pointers has no marks, since a return is a join by itself. Branches count
 * that may split the threads of an architectural warp, as a compiler would have it that knows of 32 threads. Warps of a wider
 * machine that part elsewhere meet at the next join around. */
#include "cfg/form_impl.h"
#include "cfg/graph.h"
#include "cfg/regions.h"
#include "cfg/uniform.h"

enum { SEVERAL = CFG_NONE - 1 }; /* places that a loop is left to, or a way out that is no branch */

struct tesla_maker {
    const struct ir_module *m;
    const struct cfg *c;
    const struct cfg_regions *g;
    uint32_t *left_to; /* by loop: the one block that it is left to, CFG_NONE: none, or SEVERAL */
    bool *breaks;      /* by loop: it has PBK and BRK */
    bool *placed;      /* by loop: they are in the list */
    form_inserts inserts;
    VEC(uint32_t) turned; /* branches back that become exits */
};

static const struct ir_insn *end_of(const struct tesla_maker *k, uint32_t block) {
    return &k->m->code.v[k->c->blocks[block].end - 1];
}

static bool in_loop(const struct tesla_maker *k, uint32_t block, uint32_t loop) {
    uint32_t l = k->c->blocks[block].loop;
    while (l != CFG_NONE && l != loop) l = k->c->loops[l].parent;
    return l == loop;
}

/* ---- loops for PBK ---- */

static void form_tesla_leave(struct tesla_maker *k, uint32_t loop, uint32_t from, uint32_t to) {
    const struct ir_insn *last = end_of(k, from);
    uint32_t *left_to = &k->left_to[loop];
    if (last->op != IR_BRA || !insn_conditional(last))
        *left_to = SEVERAL;
    else if (*left_to == CFG_NONE || *left_to == to)
        *left_to = to;
    else
        *left_to = SEVERAL;
}

static void find_exits(struct tesla_maker *k) {
    for (uint32_t l = 0; l < k->c->nloops; l++) k->left_to[l] = CFG_NONE;
    for (uint32_t v = 0; v < k->c->nblocks; v++) {
        const struct cfg_block *b = &k->c->blocks[v];
        for (uint32_t l = b->reachable ? b->loop : CFG_NONE; l != CFG_NONE; l = k->c->loops[l].parent)
            for (uint32_t s = 0; s < b->nsucc; s++)
                if (!in_loop(k, k->c->edges[b->succ + s], l))
                    form_tesla_leave(k, l, v, k->c->edges[b->succ + s]);
    }
}

/* The loop around a branch that is left to where its threads meet, or CFG_NONE: there is one at most, for whatever leaves it
 * is not in a loop around it. */
static uint32_t left_by(const struct tesla_maker *k, uint32_t pc, uint32_t join) {
    uint32_t l = k->c->blocks[k->m->code.v[pc].block].loop;
    while (l != CFG_NONE && k->left_to[l] != join) l = k->c->loops[l].parent;
    return l;
}

/* Threads that meet at the header of a loop on their way into it would have to meet before they push a token there. */
static void keep_headers(struct tesla_maker *k) {
    for (uint32_t n = 0; n < k->g->n; n++) {
        const struct cfg_region *r = &k->g->v[n];
        const uint32_t l = k->c->blocks[r->join].loop;
        if (l == CFG_NONE || k->c->loops[l].header != r->join) continue;
        for (uint32_t i = 0; i < r->nbranches; i++)
            if (!in_loop(k, k->m->code.v[k->g->branches[r->branch + i]].block, l)) k->breaks[l] = false;
    }
}

static void find_breaks(struct tesla_maker *k) {
    for (uint32_t n = 0; n < k->g->n; n++)
        for (uint32_t i = 0; i < k->g->v[n].nbranches; i++) {
            const uint32_t l = left_by(k, k->g->branches[k->g->v[n].branch + i], k->g->v[n].join);
            if (l != CFG_NONE) k->breaks[l] = true;
        }
    keep_headers(k);
}

/* Whether a region has SSY and flag. Threads of a loop with PBK meet by that, and those of an unguarded call at the return. */
static bool has_token(const struct tesla_maker *k, const struct cfg_region *r) {
    for (uint32_t i = 0; i < r->nbranches; i++) {
        const uint32_t pc = k->g->branches[r->branch + i], l = left_by(k, pc, r->join);
        const struct ir_insn *b = &k->m->code.v[pc];
        const bool call = !insn_guarded(b) && (b->op == IR_CALL || b->op == IR_CALL_IND);
        if (!call && (l == CFG_NONE || !k->breaks[l])) return true;
    }
    return false;
}

/* ---- what is inserted ---- */

static void put_mark(struct tesla_maker *k, struct cfg_mark at, enum ir_mark mark, uint32_t target) {
    const bool edge = at.to != IR_NOPC;
    VEC_PUSH(&k->inserts,
             ((struct rewrite_insert){.pc = at.pc,
                                      .to = at.to,
                                      .where = edge ? REWRITE_EDGE : REWRITE_BEFORE,
                                      .targets = target != IR_NOPC,
                                      .insn = {.op = IR_MARK, .sub = (uint8_t)mark, .target = target}}));
}

static void put_ssy(struct tesla_maker *k, const struct cfg_region *r) {
    const uint32_t join = k->c->blocks[r->join].first;
    for (uint32_t i = 0; i < r->nmarks; i++) put_mark(k, k->g->marks[r->mark + i], IR_MK_SSY, join);
    for (uint32_t i = 0; i < r->nbare; i++) put_mark(k, k->g->marks[r->bare + i], IR_MK_SSY, join);
}

static void put_pbk(struct tesla_maker *k, uint32_t loop) {
    const uint32_t h = k->c->loops[loop].header, join = k->c->blocks[k->left_to[loop]].first;
    const struct cfg_block *header = &k->c->blocks[h];
    for (uint32_t p = 0; p < header->npred; p++) {
        const uint32_t from = k->c->edges[header->pred + p];
        if (k->c->blocks[from].reachable && !in_loop(k, from, loop))
            put_mark(k, cfg_edge_mark(k->m, &k->c->blocks[from], header), IR_MK_PBK, join);
    }
    if (header->first == k->m->funcs.v[header->func].entry)
        put_mark(k, (struct cfg_mark){IR_NOPC, header->first}, IR_MK_PBK, join);
}

/* The jump back behind a branch that is to be an exit; form_tesla_turn() aims it. */
static void form_tesla_put_back(struct tesla_maker *k, uint32_t loop) {
    const struct cfg_block *join = &k->c->blocks[k->left_to[loop]];
    for (uint32_t p = 0; p < join->npred; p++) {
        const uint32_t from = k->c->edges[join->pred + p], pc = k->c->blocks[from].end - 1;
        if (!in_loop(k, from, loop) || k->m->code.v[pc].target == join->first) continue;
        CHECK(pc + 1 == join->first);
        VEC_PUSH(&k->inserts,
                 ((struct rewrite_insert){.pc = pc,
                                          .to = pc + 1,
                                          .where = REWRITE_EDGE,
                                          .insn = {.op = IR_BRA, .target = k->m->code.v[pc].target}}));
        VEC_PUSH(&k->turned, pc);
    }
}

/* Loops that end where a region does lie in it: their tokens are pushed behind its own, and before those of regions in it. */
static void put_loops(struct tesla_maker *k, const struct cfg_region *r) {
    for (uint32_t i = 0; i < r->nbranches; i++) {
        const uint32_t l = left_by(k, k->g->branches[r->branch + i], r->join);
        if (l == CFG_NONE || !k->breaks[l] || k->placed[l]) continue;
        k->placed[l] = true;
        put_pbk(k, l);
        form_tesla_put_back(k, l);
    }
}

/* Whether the instruction's issue depends on nothing but the threads that are there, so that it can carry the flag. */
static bool carries_flag(const struct ir_insn *i) {
    return !insn_ends_block(i) && ir_ops[i->op].cls != IR_C_BAR;
}

/* Joins first: where a region ends and another begins at one instruction, the former ends first. */
static void form_tesla_collect(struct tesla_maker *k) {
    for (uint32_t n = 0; n < k->g->n; n++) {
        const uint32_t join = k->c->blocks[k->g->v[n].join].first;
        if (has_token(k, &k->g->v[n]) && !carries_flag(&k->m->code.v[join]))
            put_mark(k, (struct cfg_mark){join, IR_NOPC}, IR_MK_JOIN, IR_NOPC);
    }
    for (uint32_t n = 0; n < k->g->n; n++) {
        if (has_token(k, &k->g->v[n])) put_ssy(k, &k->g->v[n]);
        put_loops(k, &k->g->v[n]);
    }
}

/* ---- what becomes of the program's own instructions ---- */

static void set_flags(const struct tesla_maker *k, struct rewrite *r) {
    for (uint32_t n = 0; n < k->g->n; n++)
        if (has_token(k, &k->g->v[n]))
            r->m->code.v[r->landing[k->c->blocks[k->g->v[n].join].first]].flags |= IR_F_SYNC;
}

static void set_breaks(const struct tesla_maker *k, struct rewrite *r) {
    for (uint32_t l = 0; l < k->c->nloops; l++) {
        if (!k->breaks[l]) continue;
        const struct cfg_block *join = &k->c->blocks[k->left_to[l]];
        for (uint32_t p = 0; p < join->npred; p++) {
            const uint32_t from = k->c->edges[join->pred + p];
            if (in_loop(k, from, l)) r->m->code.v[r->new_pc[k->c->blocks[from].end - 1]].sub = IR_MK_BRK;
        }
    }
}

/* The opposite of the comparison that a branch makes itself. */
static uint8_t form_tesla_opposite(uint8_t cmp) {
    switch (cmp) {
    case IR_EQ: return IR_NE;
    case IR_NE: return IR_EQ;
    case IR_LT: return IR_GE;
    case IR_GE: return IR_LT;
    case IR_LTU: return IR_GEU;
    default: return IR_LTU;
    }
}

static void form_tesla_turn(struct rewrite *r, uint32_t old) {
    struct ir_insn *exit = &r->m->code.v[r->new_pc[old]], *back = exit + 1;
    CHECK(back->op == IR_BRA && back->flags & IR_F_ADDED && r->landing[old + 1] > r->new_pc[old] + 1);
    back->target = exit->target;
    exit->target = r->landing[old + 1];
    if (exit->ns)
        exit->bop = form_tesla_opposite(exit->bop);
    else
        exit->guard ^= IR_GUARD_NEG;
}

static struct rewrite *rewrite(struct tesla_maker *k, struct err *e) {
    struct rewrite *r = cfg_rewrite(k->m, k->c, k->inserts.v, k->inserts.n, e);
    if (!r) return NULL;
    set_flags(k, r);
    set_breaks(k, r);
    for (size_t i = 0; i < k->turned.n; i++) form_tesla_turn(r, k->turned.v[i]);
    if (!k->turned.n || cfg_rewrite_turned(r, k->c, e)) return r;
    cfg_rewrite_free(r);
    return NULL;
}

static struct rewrite *form_tesla_make(const struct ir_module *m, const struct cfg *c, bool breaks,
                                       struct err *e) {
    uint8_t *varies = cfg_uniform(m, c);
    for (size_t pc = 0; pc < m->code.n && !c->wide_warps; pc++) varies[pc] &= CFG_VARIES_WARP;
    struct cfg_regions *g = cfg_regions(m, c, varies, FORM_MOST_MARKS, e);
    struct tesla_maker k = {.m = m,
                            .c = c,
                            .g = g,
                            .left_to = xcalloc(c->nloops, sizeof *k.left_to),
                            .breaks = xcalloc(c->nloops, sizeof *k.breaks),
                            .placed = xcalloc(c->nloops, sizeof *k.placed)};
    struct rewrite *r = NULL;
    if (g) {
        find_exits(&k);
        if (breaks) find_breaks(&k);
        form_tesla_collect(&k);
        r = rewrite(&k, e);
    }
    VEC_FREE(&k.inserts);
    VEC_FREE(&k.turned);
    xfree(k.left_to);
    xfree(k.breaks);
    xfree(k.placed);
    cfg_regions_free(g);
    xfree(varies);
    return r;
}

struct rewrite *form_tesla(const struct ir_module *m, const struct cfg *c, struct err *e) {
    return form_tesla_make(m, c, true, e);
}

struct rewrite *form_tesla_ssy(const struct ir_module *m, const struct cfg *c, struct err *e) {
    return form_tesla_make(m, c, false, e);
}
