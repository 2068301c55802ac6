/* What structurise.h guarantees of structured code, read from the code alone. */
#ifndef TESTS_UNIT_CFG_GRAMMAR_H
#define TESTS_UNIT_CFG_GRAMMAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "cfg/rewrite.h"

/* The IFs, ELSEs and LOOPs that are open, as PCs. */
typedef VEC(uint32_t) grammar_stack;

static inline uint32_t grammar_loop(const struct ir_module *m, const grammar_stack *s) {
    for (size_t k = s->n; k-- > 0;)
        if (ir_is_mark(&m->code.v[s->v[k]], IR_MK_LOOP)) return s->v[k];
    fail_msg("a break outside loops");
    return 0;
}

static inline const struct ir_insn *grammar_top(const struct ir_module *m, const grammar_stack *s) {
    assert_true(s->n > 0);
    return &m->code.v[s->v[s->n - 1]];
}

static inline void grammar_branch(const struct ir_module *m, grammar_stack *s, uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc], *top;
    switch (i->sub) {
    case IR_MK_IF:
        assert_true(i->guard);
        VEC_PUSH(s, pc);
        break;
    case IR_MK_ELSE:
        top = grammar_top(m, s);
        assert_true(ir_is_mark(top, IR_MK_IF) && top->target == pc + 1 && !i->guard);
        s->v[s->n - 1] = pc;
        break;
    case IR_MK_BRK: assert_int_equal(i->target, m->code.v[grammar_loop(m, s)].target + 1); break;
    case IR_MK_CONT: assert_int_equal(i->target, m->code.v[grammar_loop(m, s)].target); break;
    case IR_MK_ENDLOOP:
        top = grammar_top(m, s);
        assert_true(ir_is_mark(top, IR_MK_LOOP) && top->target == pc && !i->guard);
        assert_int_equal(i->target, s->v[--s->n] + 1);
        break;
    default: fail_msg("a branch at %u that is no mark", pc);
    }
}

static inline void grammar_mark(const struct ir_module *m, grammar_stack *s, uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc], *top;
    assert_true(!i->guard && i->flags & IR_F_ADDED);
    if (i->sub == IR_MK_LOOP) {
        VEC_PUSH(s, pc);
        return;
    }
    assert_int_equal(i->sub, IR_MK_ENDIF);
    top = grammar_top(m, s);
    assert_true((ir_is_mark(top, IR_MK_IF) || ir_is_mark(top, IR_MK_ELSE)) && top->target == pc);
    s->n--;
}

static inline void grammar_function(const struct ir_module *m, const struct ir_func *f) {
    grammar_stack s = {0};
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        assert_true(i->op != IR_BRX);
        if (i->op == IR_BRA) grammar_branch(m, &s, pc);
        if (i->op == IR_MARK) grammar_mark(m, &s, pc);
        if (i->op == IR_CALL || i->op == IR_CALL_IND) assert_int_equal(i->guard, 0);
        if (i->op == IR_RET) assert_true(!i->guard && pc + 1 == f->end);
    }
    assert_int_equal(s.n, 0);
    VEC_FREE(&s);
}

static inline bool grammar_became(const struct ir_insn *was, const struct ir_insn *is) {
    if (was->op != IR_BRA && was->op != IR_BRX && was->op != IR_RET) return is->op == was->op;
    return is->op == IR_BRA || is->op == IR_NOP || is->op == was->op;
}

/* Every instruction that can be reached is there once; what is not added is one of them. */
static inline void grammar_maps(const struct rewrite *r, const struct ir_module *old, const struct cfg *c) {
    uint32_t kept = 0;
    for (uint32_t pc = 0; pc < old->code.n; pc++) {
        const uint32_t at = r->new_pc[pc];
        assert_int_equal(at != IR_NOPC, c->blocks[old->code.v[pc].block].reachable);
        if (at == IR_NOPC) continue;
        assert_int_equal(r->old_pc[at], pc);
        assert_true(grammar_became(&old->code.v[pc], &r->m->code.v[at]));
        assert_true(r->landing[pc] <= at);
        kept++;
    }
    for (uint32_t pc = 0; pc < r->m->code.n; pc++) {
        const bool added = r->m->code.v[pc].flags & IR_F_ADDED;
        assert_int_equal(r->insert[pc], added ? REWRITE_ADDED : REWRITE_ORIGINAL);
        kept -= !added;
    }
    assert_int_equal(kept, 0);
}

static inline bool grammar_endless(const struct ir_module *m, uint32_t loop, uint32_t end) {
    for (uint32_t pc = loop; pc < end; pc++)
        if (ir_is_mark(&m->code.v[pc], IR_MK_BRK) && m->code.v[pc].target == end + 1) return false;
    return true;
}

static inline bool grammar_within(const struct ir_module *m, const grammar_stack *s) {
    size_t k = s->n;
    while (k && !ir_is_mark(&m->code.v[s->v[k - 1]], IR_MK_LOOP)) k--;
    return k;
}

/* Threads end here, or go round for ever. loop: whose ENDLOOP it may be. */
static inline bool grammar_ends(const struct ir_module *m, uint32_t pc, uint32_t loop) {
    const struct ir_insn *i = &m->code.v[pc];
    return ((i->op == IR_EXIT || i->op == IR_TRAP) && !i->guard) ||
           (ir_is_mark(i, IR_MK_ENDLOOP) && grammar_endless(m, loop, pc));
}

/* Whether structure.c has a class for it whatever lies around: it may miss breaks within ifs, rounds that begin early, and
 * within loops the code before an early exit, which belongs to none. */
static inline bool grammar_classified(const struct ir_module *m, const struct ir_func *f) {
    bool direct = true;
    grammar_stack s = {0};
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        if (ir_is_mark(i, IR_MK_IF) || ir_is_mark(i, IR_MK_LOOP)) VEC_PUSH(&s, pc);
        const bool ends = grammar_ends(m, pc, s.n ? s.v[s.n - 1] : pc);
        if (ir_is_mark(i, IR_MK_ENDIF) || ir_is_mark(i, IR_MK_ENDLOOP)) s.n--;
        if (ends && grammar_within(m, &s)) direct = false;
        if (ir_is_mark(i, IR_MK_CONT)) direct = false;
        if (ir_is_mark(i, IR_MK_BRK) && grammar_loop(m, &s) != s.v[s.n - 1]) direct = false;
    }
    VEC_FREE(&s);
    return direct;
}

/* structure.c sees nested ifs and loops, perhaps with breaks. */
static inline void grammar_class(const struct rewrite *r, uint32_t func) {
    const struct ir_func *f = &r->m->funcs.v[func];
    const struct cfg_func *shape = &r->cfg->funcs[func];
    assert_true(shape->structure != CFG_IRREDUCIBLE);
    if (shape->structure == CFG_UNSTRUCTURED && grammar_classified(r->m, f))
        fail_msg("%s: line %u: %s", f->name, r->m->code.v[r->cfg->blocks[shape->why].first].line,
                 shape->why_text);
}

static inline void grammar_check(const struct rewrite *r, const struct ir_module *old, const struct cfg *c) {
    grammar_maps(r, old, c);
    for (uint32_t f = 0; f < r->m->funcs.n; f++) {
        grammar_function(r->m, &r->m->funcs.v[f]);
        grammar_class(r, f);
    }
}

#endif
