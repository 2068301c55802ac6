/* Modules made from adjacency lists, for the tests of cfg: random graphs of several kinds, random code in the blocks. */
#ifndef TESTS_UNIT_CFG_GRAPHS_H
#define TESTS_UNIT_CFG_GRAPHS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/bits.h"
#include "cfg/cfg.h"

enum { MAX_OUT = 4 };

struct shape {
    uint32_t n;
    struct node {
        uint32_t succ[MAX_OUT], nsucc;
        bool leaves; /* a guarded exit besides its successors, or the only way on */
    } * node;
};

static inline void shape_new(struct shape *s, uint32_t n) {
    s->n = n;
    s->node = xcalloc(n, sizeof *s->node);
}
static inline void shape_free(struct shape *s) {
    free(s->node);
}
static inline void shape_edge(struct shape *s, uint32_t from, uint32_t to) {
    struct node *x = &s->node[from];
    for (uint32_t k = 0; k < x->nsucc; k++)
        if (x->succ[k] == to) return;
    if (x->nsucc < MAX_OUT) x->succ[x->nsucc++] = to;
}
static inline bool shape_has(const struct shape *s, uint32_t from, uint32_t to) {
    for (uint32_t k = 0; k < s->node[from].nsucc; k++)
        if (s->node[from].succ[k] == to) return true;
    return false;
}

/* How the blocks are filled. */
struct filling {
    uint32_t insns;   /* at most, per block */
    uint32_t regs[3]; /* virtual registers to choose from */
};

static inline void put(struct ir_module *m, struct ir_insn i) {
    i.line = (uint32_t)m->code.n + 1;
    VEC_PUSH(&m->code, i);
    VEC_PUSH(&m->src, (struct ir_srcloc){0});
}

static inline ir_opnd any_reg(struct rng *r, const struct filling *f, enum ir_file file) {
    uint32_t low = file == IR_FILE_P;
    return ir_reg(file, low + (uint32_t)rng_below(r, f->regs[file] - low));
}

/* One of several shapes of instruction: element-wise, written-out, several results, guarded. */
static inline struct ir_insn any_insn(struct rng *r, const struct filling *f) {
    ir_opnd a = any_reg(r, f, IR_FILE_32), b = any_reg(r, f, IR_FILE_32), c = any_reg(r, f, IR_FILE_32);
    ir_opnd x = any_reg(r, f, IR_FILE_64), y = any_reg(r, f, IR_FILE_64), p = any_reg(r, f, IR_FILE_P);
    ir_opnd q = any_reg(r, f, IR_FILE_P);
    uint16_t guard = rng_below(r, 6) ? 0 : (uint16_t)ir_index(any_reg(r, f, IR_FILE_P));
    switch (rng_below(r, 8)) {
    case 0: return (struct ir_insn){.op = IR_ADD_U32, .guard = guard, .nd = 1, .ns = 2, .o = {a, b, c}};
    case 1:
        return (struct ir_insn){.op = IR_MAD_WIDE_U32, .guard = guard, .nd = 1, .ns = 3, .o = {x, a, b, y}};
    case 2:
        return (struct ir_insn){
            .op = IR_SETP_S32, .guard = guard, .nd = 2, .ns = 2, .o = {p, q == p ? IR_NONE : q, a, b}};
    case 3: return (struct ir_insn){.op = IR_SELP_U32, .guard = guard, .nd = 1, .ns = 3, .o = {a, b, c, p}};
    case 4:
        return (struct ir_insn){
            .op = IR_LD_U32, .guard = guard, .vec = 2, .nd = 2, .ns = 1, .o = {a, a == b ? IR_NONE : b, x}};
    case 5: return (struct ir_insn){.op = IR_ST_U32, .guard = guard, .vec = 1, .ns = 2, .o = {x, a}};
    case 6:
        return (struct ir_insn){.op = IR_SHFL_U32, .guard = guard, .nd = 2, .ns = 2, .o = {a, IR_NONE, b, c}};
    default: return (struct ir_insn){.op = IR_MOV_U64, .guard = guard, .nd = 1, .ns = 1, .o = {x, y}};
    }
}

/* Targets are written as block numbers and turned into PCs when all blocks have been placed. */
static inline void put_control(struct ir_module *m, const struct shape *s, uint32_t b, uint16_t guard) {
    const struct node *x = &s->node[b];
    bool next = x->nsucc && x->succ[0] == b + 1;
    if (x->leaves && x->nsucc) put(m, (struct ir_insn){.op = IR_EXIT, .guard = guard});
    if (!x->nsucc)
        put(m, (struct ir_insn){.op = IR_RET});
    else if (x->leaves && next && x->nsucc == 1)
        return;
    else if (x->nsucc == 1)
        put(m, (struct ir_insn){.op = IR_BRA, .target = x->succ[0]});
    else if (x->nsucc == 2 && next && !x->leaves)
        put(m, (struct ir_insn){.op = IR_BRA, .guard = guard, .target = x->succ[1]});
    else {
        put(m,
            (struct ir_insn){.op = IR_BRX, .ext = (uint32_t)m->ext.n, .ns = 1, .o = {ir_reg(IR_FILE_32, 0)}});
        VEC_PUSH(&m->ext, x->nsucc);
        for (uint32_t k = 0; k < x->nsucc; k++) VEC_PUSH(&m->ext, x->succ[k]);
    }
}

static inline void fix_targets(struct ir_module *m, const uint32_t *first) {
    for (size_t pc = 0; pc < m->code.n; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (i->op == IR_BRA) i->target = first[i->target];
        for (uint32_t k = 0; i->op == IR_BRX && k < m->ext.v[i->ext]; k++)
            m->ext.v[i->ext + 1 + k] = first[m->ext.v[i->ext + 1 + k]];
    }
}

/* A kernel whose k-th block is node k of the shape. A block that leaves and goes on to anything but the next
 * is made of two blocks in truth, so shapes for exact comparison have `leaves` only with succ = {next} or none. */
static inline struct ir_module *module_of(const struct shape *s, struct rng *r, const struct filling *f) {
    struct ir_module *m = ir_module_new("test");
    uint32_t *first = xcalloc(s->n, sizeof *first);
    for (uint32_t b = 0; b < s->n; b++) {
        first[b] = (uint32_t)m->code.n;
        for (uint64_t k = 1 + rng_below(r, f->insns); k > 0; k--) put(m, any_insn(r, f));
        put_control(m, s, b, (uint16_t)ir_index(any_reg(r, f, IR_FILE_P)));
    }
    fix_targets(m, first);
    free(first);
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "k",
                                         .kernel = true,
                                         .defined = true,
                                         .end = (uint32_t)m->code.n,
                                         .nvirt = {f->regs[0], f->regs[1], f->regs[2]}});
    return m;
}

static inline struct cfg *analysed_with(struct ir_module *m, enum cfg_exits exits) {
    struct err e = {0};
    struct cfg *c = cfg_analyse(m, exits, &e);
    if (!c) fail_msg("%s", err_text(&e));
    return c;
}

static inline struct cfg *analysed(struct ir_module *m) {
    return analysed_with(m, CFG_EXITS_MAIN);
}

/* Turns some of the instructions into barriers, and some of the ends into traps. */
static inline void add_barriers_and_traps(struct ir_module *m, struct rng *r) {
    for (size_t pc = 0; pc < m->code.n; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (i->op == IR_MOV_U64 && !rng_below(r, 3))
            *i = (struct ir_insn){.op = IR_BAR_SYNC, .line = i->line};
        if (i->op == IR_RET && !rng_below(r, 4)) i->op = IR_TRAP;
    }
}

/* ---- random shapes ---- */

/* Any edges at all: unreachable parts, irreducible loops, endless loops, several exits. */
static inline void shape_random(struct shape *s, struct rng *r, uint32_t n) {
    shape_new(s, n);
    uint64_t dense = 1 + rng_below(r, 3);
    for (uint32_t b = 0; b < n; b++) {
        if (b + 1 < n && rng_below(r, 5)) shape_edge(s, b, b + 1);
        for (uint64_t k = rng_below(r, dense + 1); k > 0; k--) {
            uint32_t near = (uint32_t)(b + rng_below(r, 9));
            shape_edge(s, b, rng_below(r, 3) ? (near < 4 ? 0 : near - 4) % n : (uint32_t)rng_below(r, n));
        }
        if (!s->node[b].nsucc) s->node[b].leaves = true;
        if (s->node[b].nsucc == 1 && s->node[b].succ[0] == b + 1 && !rng_below(r, 8))
            s->node[b].leaves = true;
    }
}

/* Nested statements, written into the shape from block `at`; returns the block after them. `out` is where
 * break goes (0: nowhere). Each statement is entered at `at` and falls out into the block it returns. */
static inline uint32_t shape_statement(struct shape *s, struct rng *r, uint32_t at, uint32_t room,
                                       uint32_t depth) {
    uint32_t third = room / 3;
    switch (depth && room > 8 ? rng_below(r, 5) : 0) {
    case 1: { /* if */
        uint32_t end = shape_statement(s, r, at + 1, third, depth - 1);
        shape_edge(s, at, at + 1);
        shape_edge(s, at, end);
        return end;
    }
    case 2: { /* if-else: the first arm ends in a block of its own that jumps over the second */
        uint32_t jump = shape_statement(s, r, at + 1, third, depth - 1);
        uint32_t end = shape_statement(s, r, jump + 1, third, depth - 1);
        shape_edge(s, at, at + 1);
        shape_edge(s, at, jump + 1);
        shape_edge(s, jump, end);
        return end;
    }
    case 3: { /* while */
        uint32_t latch = shape_statement(s, r, at + 1, third, depth - 1);
        shape_edge(s, at, at + 1);
        shape_edge(s, at, latch + 1);
        shape_edge(s, latch, at);
        return latch + 1;
    }
    case 4: { /* do-while, then something */
        uint32_t latch = shape_statement(s, r, at + 1, third, depth - 1);
        shape_edge(s, at, at + 1);
        shape_edge(s, latch, latch + 1);
        shape_edge(s, latch, at);
        return shape_statement(s, r, latch + 1, third, depth - 1);
    }
    default: shape_edge(s, at, at + 1); return at + 1;
    }
}

static inline void shape_structured(struct shape *s, struct rng *r, uint32_t room) {
    shape_new(s, 2 * room + 16);
    uint32_t at = 0;
    while (at < room) at = shape_statement(s, r, at, room - at, 6);
    s->n = at + 1;
}

#endif
