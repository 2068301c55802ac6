/* The structured form, shape by shape, as a line of words: a number is a block's work, a branch that is a mark has its
 * guard (the threads that take it), g1, g2 ... are the guards that the form adds. Every form is also held against the
 * grammar of structurise.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/form.h"
#include "front/ptx/ptx.h"
#include "unit/cfg/grammar.h"
#include "unit/cfg/graphs.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define PREDICATES                                                                             \
    ".reg .pred %p<4>;\n.reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1001;\n" \
    "setp.gt.u32 %p2, %r1, 1002;\nsetp.gt.u32 %p3, %r1, 1003;\n"
#define KERNEL(body) HEAD ".visible .entry k()\n{\n" PREDICATES body "}\n"
#define FUNCTION(body)                                                                              \
    HEAD ".visible .func f()\n{\n" PREDICATES body "}\n.visible .entry k()\n{\n{\ncall.uni f;\n}\n" \
         "exit;\n}\n"
/* A block's work. */
#define DO(n) "mov.u32 %r2, " #n ";\n"

/* ---- words ---- */

static void say_predicate(struct sb *out, const struct ir_func *f, const struct ir_func *was, uint32_t row,
                          bool negated) {
    if (!row) {
        sb_add(out, "%d", !negated);
        return;
    }
    const uint32_t own = row - f->base[IR_FILE_P];
    sb_add(out, "%s%s%u", negated ? "!" : "", own > was->nrow[IR_FILE_P] ? "g" : "p",
           own > was->nrow[IR_FILE_P] ? own - was->nrow[IR_FILE_P] : own);
}

static void say(struct sb *out, const struct ir_module *m, const struct ir_func *f, const struct ir_func *was,
                uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc];
    if (i->guard) {
        sb_add(out, "@");
        say_predicate(out, f, was, i->guard & IR_GUARD_INDEX, i->guard & IR_GUARD_NEG);
        sb_add(out, " ");
    }
    if (i->op == IR_MOV_U32) {
        sb_add(out, "%u", m->k32.v[ir_index(i->o[1])]);
    } else if (i->op == IR_MOV_P) {
        say_predicate(out, f, was, ir_index(i->o[0]), false);
        sb_add(out, "=");
        say_predicate(out, f, was, ir_index(i->o[1]), i->o[1] & IR_O_NEG);
    } else {
        sb_add(out, "%s", ir_insn_name(i));
    }
}

/* Lists the words of a function, less what the macros put before its body. */
static void words(struct sb *out, const struct ir_module *m, const struct ir_func *was, const char *name) {
    const struct ir_func *f = &m->funcs.v[ir_find_func(m, name)];
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        if ((i->op == IR_SETP_U32 && !(i->flags & IR_F_ADDED)) || i->op == IR_SREG_U32) continue;
        if (out->len) sb_add(out, " ");
        say(out, m, f, was, pc);
    }
}

/* ---- a program ---- */

struct program {
    struct ir_module *m;
    struct cfg *c;
    struct err e;
};

static void open_program(struct program *p, const char *text) {
    *p = (struct program){.m = NULL};
    p->m = ptx_load("t.ptx", text, strlen(text), &p->e);
    p->c = p->m ? cfg_analyse(p->m, CFG_EXITS_MAIN, &p->e) : NULL;
    if (!p->c) fail_msg("%s", err_text(&p->e));
}
static void close_program(struct program *p) {
    err_free(&p->e);
    cfg_free(p->c);
    ir_module_free(p->m);
}

static void expect(const char *text, const char *func, const char *want) {
    struct program p;
    struct sb got = {0};
    open_program(&p, text);
    struct rewrite *r = cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e);
    if (!r) fail_msg("%s", err_text(&p.e));
    grammar_check(r, p.m, p.c);
    words(&got, r->m, &p.m->funcs.v[ir_find_func(p.m, func)], func);
    assert_string_equal(got.text, want);
    sb_free(&got);
    cfg_rewrite_free(r);
    close_program(&p);
}

static void kernel(const char *text, const char *want) {
    expect(text, "k", want);
}

/* ---- ifs ---- */

static void if_and_else_need_nothing_but_marks(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra J;\n" DO(1) "J: " DO(2) "exit;\n"), "@p1 if 1 endif 2 exit");
    kernel(KERNEL("@%p1 bra E;\n" DO(1) "bra J;\nE: " DO(2) "J: " DO(3) "exit;\n"),
           "@p1 if 1 else 2 endif 3 exit");
}
static void a_part_laid_out_elsewhere_comes_to_its_place(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra T;\nJ: " DO(2) "exit;\nT: " DO(1) "bra J;\n"), "@!p1 if 1 nop endif 2 exit");
    kernel(KERNEL("bra C;\nA: " DO(3) "exit;\nB: " DO(2) "bra A;\nC: " DO(1) "bra B;\n"),
           "nop 1 nop 2 nop 3 exit");
}
/* if (!p1 && !p2) 1 else 2; and if (p1 || !p2) 1 else 2. */
static void short_circuits_get_a_guard(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra F;\n@%p2 bra F;\n" DO(1) "bra J;\nF: " DO(2) "J: " DO(3) "exit;\n"),
           "g1=p1 @p1 if @p2 g1=1 @p2 if 1 nop endif endif @!g1 if 2 endif 3 exit");
    kernel(KERNEL("@%p1 bra T;\n@%p2 bra F;\nT: " DO(1) "bra J;\nF: " DO(2) "J: " DO(3) "exit;\n"),
           "g1=p1 @p1 if @!p2 g1=1 @!p2 if 2 endif endif @!g1 if 1 nop endif 3 exit");
}
/* The shape of Figure 1 of Diamos et al. (thread frontiers, MICRO 2011). */
static void unstructured_code_is_linearised_with_guards(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra C;\n" DO(2) "@%p2 bra X;\nC: " DO(3) "@%p3 bra E;\n" DO(4) "@%p2 bra X;\nE: " DO(
               5) "X: " DO(6) "exit;\n"),
           "g1=p1 @p1 if 2 @!p2 g1=1 nop endif @!g1 if 3 g2=p3 @p3 if 4 @!p2 g2=1 nop endif @!g2 if 5 endif "
           "endif 6 exit");
}
static void a_branch_to_what_follows_it_is_no_if(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra A;\nA: " DO(1) "exit;\n"), "nop 1 exit");
}
/* ---- loops ---- */
static void loops_with_the_test_at_either_end(void **state) {
    (void)state;
    kernel(KERNEL("L: " DO(1) "@%p1 bra X;\n" DO(2) "bra L;\nX: " DO(3) "exit;\n"),
           "loop 1 @p1 brk 2 endloop 3 exit");
    kernel(KERNEL("L: " DO(1) "@%p1 bra L;\n" DO(2) "exit;\n"), "loop 1 @!p1 brk endloop 2 exit");
}
static void break_and_continue(void **state) {
    (void)state;
    kernel(KERNEL("L: " DO(1) "@%p1 bra X;\n@%p2 bra L;\n" DO(2) "@%p3 bra L;\nX: " DO(3) "exit;\n"),
           "loop 1 @p1 brk @p2 if 2 @!p3 brk endif endloop 3 exit");
    kernel(KERNEL("L: " DO(1) "@%p1 bra B;\n" DO(2) "@%p2 bra L;\n" DO(3) "B: " DO(4) "@%p3 bra L;\n" DO(
               5) "exit;\n"),
           "loop 1 @p1 if 2 @p2 cont 3 endif 4 @!p3 brk endloop 5 exit");
}
/* Breaks for all; guards behind the loop choose the place. */
static void a_loop_left_to_two_places(void **state) {
    (void)state;
    kernel(KERNEL("L: " DO(1) "@%p1 bra X;\n" DO(2) "@%p2 bra L;\n" DO(3) "bra J;\nX: " DO(4) "J: " DO(
               5) "exit;\n"),
           "g1=0 g2=0 loop 1 @p1 g2=1 @p1 brk 2 @!p2 g1=1 @!p2 brk endloop @!g1 if 3 nop endif @!g2 if 4 "
           "endif 5 exit");
}
/* Out of both loops; to the next round of the outer one; out of three. */
static void breaks_of_several_levels(void **state) {
    (void)state;
    kernel(
        KERNEL("L: " DO(1) "M: " DO(2) "@%p1 bra X;\n@%p2 bra M;\n" DO(3) "@%p3 bra L;\nX: " DO(4) "exit;\n"),
        "loop 1 g1=0 loop 2 @p1 g1=1 @p1 brk @!p2 brk endloop @g1 brk 3 @!p3 brk endloop 4 exit");
    kernel(KERNEL("L: " DO(1) "M: " DO(2) "@%p1 bra L;\n@%p2 bra M;\n" DO(3) "@%p3 bra L;\n" DO(4) "exit;\n"),
           "loop 1 g1=0 loop 2 @p1 g1=1 @p1 brk @!p2 brk endloop @g1 cont 3 @!p3 brk endloop 4 exit");
    kernel(KERNEL("L: " DO(1) "M: " DO(2) "N: " DO(
               3) "@%p1 bra X;\n@%p2 bra N;\n@%p3 bra M;\n@%p2 bra L;\nX: " DO(4) "exit;\n"),
           "loop 1 g1=0 loop 2 g2=0 loop 3 @p1 g2=1 @p1 g1=1 @p1 brk @!p2 brk endloop @g2 brk @!p3 brk "
           "endloop @g1 brk @!p2 brk endloop 4 exit");
}
/* Who leaves the inner loop runs on to the ENDLOOP, or all of them have to pass something. */
static void the_next_round_of_an_outer_loop_without_notes(void **state) {
    (void)state;
    kernel(KERNEL("L: " DO(1) "@%p3 bra X;\nM: " DO(2) "@%p1 bra M;\nbra L;\nX: " DO(4) "exit;\n"),
           "loop 1 @p2 brk loop 2 @!p1 brk endloop endloop 4 exit");
    kernel(
        KERNEL("L: " DO(1) "@%p3 bra B;\nM: " DO(2) "@%p1 bra M;\nbra L;\nB: " DO(4) "@%p2 bra L;\nexit;\n"),
        "loop 1 @p3 if loop 2 @!p1 brk endloop else 4 @!p2 brk endif endloop exit");
    kernel(KERNEL("L: " DO(1) "@%p3 bra B;\n@%p2 bra A;\nM: " DO(2) "@%p1 bra M;\nbra L;\nA: " DO(3) "B: " DO(
               4) "@%p2 bra L;\nexit;\n"),
           "loop 1 @p3 if @p2 if loop 2 @!p1 brk endloop cont else 3 endif endif 4 @!p2 brk endloop exit");
}
static void a_header_where_paths_meet(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra E;\n" DO(1) "bra L;\nE: " DO(2) "L: " DO(3) "@%p2 bra L;\nexit;\n"),
           "@p1 if 1 else 2 endif loop 3 @!p2 brk endloop exit");
    kernel(KERNEL("@%p1 bra X;\n@%p3 bra L;\n" DO(2) "L: " DO(3) "@%p2 bra L;\n"
                                                                 "X: " DO(4) "exit;\n"),
           "@p1 if @p3 if 2 endif loop 3 @!p2 brk endloop endif 4 exit");
}
static void an_endless_loop(void **state) {
    (void)state;
    kernel(KERNEL("L: " DO(1) "bra L;\n"), "loop 1 endloop");
    kernel(KERNEL("@%p1 bra E;\nL: " DO(1) "bra L;\nE: " DO(2) "exit;\n"),
           "@p1 if loop 1 endloop else 2 exit endif exit");
}
/* ---- ends ---- */
static void exits_stay(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 exit;\n" DO(1) "exit;\n"), "@p1 exit 1 exit");
    kernel(KERNEL("@%p1 bra E;\n" DO(1) "exit;\nE: " DO(2) "trap;\n"),
           "@p1 if 1 exit else 2 trap endif exit");
    kernel(KERNEL("L: " DO(1) "@%p1 exit;\n" DO(2) "bra L;\n"), "loop 1 @p1 exit 2 endloop");
}
/* Others may wait for those who leave: in the loop, and behind the if. */
static void code_before_an_early_exit_comes_first_and_within_its_loop(void **state) {
    (void)state;
    kernel(KERNEL("@%p1 bra E;\nbar.sync 0;\n" DO(1) "exit;\nE: " DO(2) "exit;\n"),
           "@!p1 if 2 exit else bar.sync 1 exit endif exit");
    kernel(KERNEL("L: " DO(1) "@%p1 bra E;\nbar.sync 0;\n@%p2 bra L;\n" DO(
               2) "exit;\n"
                  "E: " DO(3) "M: " DO(4) "@%p3 bra M;\n" DO(5) "exit;\n"),
           "loop 1 @!p1 if 3 loop 4 @!p3 brk endloop 5 exit else bar.sync @!p2 brk endif endloop 2 exit");
    /* Who has left the loop comes to the same exit. */
    kernel(KERNEL("L: " DO(1) "@%p1 bra E;\nbar.sync 0;\n@%p2 bra L;\n@%p3 bra E;\nbar.sync 0;\nexit;\n"
                              "E: " DO(3) "exit;\n"),
           "g1=0 loop 1 @p1 brk bar.sync @!p2 g1=1 @!p2 brk endloop @!g1 if @p3 if bar.sync exit endif endif "
           "3 exit");
}
static void one_return_at_the_end(void **state) {
    (void)state;
    expect(FUNCTION(DO(1) "ret;\n"), "f", "1 ret");
    expect(FUNCTION("@%p1 ret;\n" DO(1) "ret;\n"), "f", "@p1 nop @p1 if 1 nop endif ret");
    expect(FUNCTION("@%p1 bra E;\n" DO(1) "ret;\nE: " DO(2) "ret;\n"), "f", "@p1 if 1 else 2 nop endif ret");
    expect(FUNCTION("L: " DO(1) "@%p1 ret;\n" DO(2) "@%p2 bra L;\n" DO(3) "ret;\n"), "f",
           "g1=0 loop 1 @p1 nop @p1 brk 2 @!p2 g1=1 @!p2 brk endloop @!g1 if 3 nop endif ret");
    expect(FUNCTION("L: " DO(1) "M: " DO(2) "@%p1 ret;\n@%p2 bra M;\n@%p3 bra L;\n" DO(3) "ret;\n"), "f",
           "g1=0 loop 1 g2=0 loop 2 @p1 nop @p1 g2=1 @p1 brk @!p2 brk endloop @g2 brk @!p3 g1=1 @!p3 brk "
           "endloop @!g1 if 3 nop endif ret");
    expect(FUNCTION("L: " DO(1) "bra L;\n"), "f", "loop 1 endloop");
}
static void code_that_nobody_reaches_is_left_out(void **state) {
    (void)state;
    kernel(KERNEL(DO(1) "bra X;\n" DO(2) "X: " DO(3) "exit;\n" DO(4) "exit;\n"), "1 nop 3 exit");
}
static void a_function_without_code(void **state) {
    (void)state;
    expect(HEAD ".extern .func g();\n.visible .entry k()\n{\nexit;\n}\n", "k", "exit");
    expect(HEAD ".visible .entry k()\n{\n}\n", "k", "exit");
}
static void a_guarded_call_is_an_if(void **state) {
    (void)state;
    expect(HEAD ".visible .func f()\n{\nret;\n}\n.visible .entry k()\n{\n" PREDICATES
                "@%p1 call f;\n" DO(1) "exit;\n}\n",
           "k", "@!p1 if call endif 1 exit");
}
/* ---- indirect branches ---- */

/* Slots of the table with one target need no test between them. */
static void an_indirect_branch_is_a_tree_of_tests(void **state) {
    (void)state;
    kernel(KERNEL("T: .branchtargets A, B, C, B;\nbrx.idx %r1, T;\nA: " DO(1) "B: " DO(2) "bra X;\nC: " DO(
               3) "X: " DO(4) "exit;\n"),
           "g1=0 setp @g2 if setp @!g2 g1=1 @!g2 if 3 endif else setp @!g2 g1=1 @!g2 if 1 g1=1 endif endif "
           "@!g1 if 2 nop endif 4 exit");
    kernel(KERNEL("T: .branchtargets A, A;\nbrx.idx %r1, T;\nA: " DO(1) "exit;\n"), "nop 1 exit");
    kernel(KERNEL("L: " DO(1) "T: .branchtargets L, X, N;\n@%p1 brx.idx %r1, T;\nN: " DO(2) "bra L;\nX: " DO(
               4) "exit;\n"),
           "loop 1 @!p1 if setp @g1 cont setp @g1 brk endif 2 nop endloop 4 exit");
}

/* ---- what else is promised ---- */

static void irreducible_loops_are_refused_with_their_blocks_and_line(void **state) {
    (void)state;
    struct program p;
    open_program(&p, KERNEL("@%p1 bra B;\nA: " DO(1) "B: " DO(2) "@%p2 bra A;\nexit;\n"));
    assert_null(cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e));
    assert_string_equal(err_text(&p.e), "t.ptx:14: error: k has no structured form: the loop closed by the "
                                        "jump from B1 to B2 is also entered past B2");
    close_program(&p);
}

/* The other functions have the form; the irreducible one keeps its code, wherever that comes to lie. */
static void an_irreducible_function_stays_as_it_is_in_a_partial_form(void **state) {
    (void)state;
    struct program p;
    open_program(&p, HEAD ".visible .entry k()\n{\n" PREDICATES "@%p1 bra J;\n" DO(1) "J: " DO(
                         2) "exit;\n}\n"
                            ".visible .entry b()\n{\n" PREDICATES "T: .branchtargets A, B;\nbrx.idx %r1, T;\n"
                            "A: " DO(1) "B: " DO(2) "@%p2 bra A;\nexit;\n}\n");
    struct rewrite *r = cfg_make_partial_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e);
    assert_non_null(r);
    const int k = ir_find_func(p.m, "k"), b = ir_find_func(p.m, "b");
    assert_true(!r->refused[k] && strstr(r->refused[b], "t.ptx:") &&
                strstr(r->refused[b], "also entered past"));
    grammar_function(r->m, &r->m->funcs.v[k]);
    const struct ir_func *was = &p.m->funcs.v[b], *is = &r->m->funcs.v[b];
    const uint32_t moved = is->entry - was->entry;
    assert_true(moved > 0 && is->end - is->entry == was->end - was->entry);
    for (uint32_t pc = was->entry; pc < was->end; pc++) {
        const struct ir_insn *x = &p.m->code.v[pc], *y = &r->m->code.v[pc + moved];
        assert_true(x->op == y->op && r->new_pc[pc] == pc + moved && !(y->flags & IR_F_ADDED));
        if (x->op == IR_BRA) assert_int_equal(y->target, x->target + moved);
        for (uint32_t t = 1; x->op == IR_BRX && t <= 2; t++)
            assert_int_equal(r->m->ext.v[y->ext + t], p.m->ext.v[x->ext + t] + moved);
    }
    cfg_rewrite_free(r);
    close_program(&p);
}

/* A guard is a row of the function's own: saved when it calls itself, out of the way of what it calls. */
static void guards_are_rows_between_a_functions_own_and_its_callees(void **state) {
    (void)state;
    struct program p;
    open_program(&p, HEAD ".visible .func g()\n{\n" PREDICATES
                          "@%p1 bra X;\n" DO(1) "X: ret;\n}\n.visible .entry k()\n{\n" PREDICATES
                                                "@%p1 bra F;\n@%p2 bra F;\n{\ncall.uni g;\n}\nbra J;\nF: " DO(
                                                    2) "J: " DO(3) "exit;\n}\n");
    struct rewrite *r = cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e);
    assert_non_null(r);
    const struct ir_func *k = &r->m->funcs.v[ir_find_func(r->m, "k")],
                         *g = &r->m->funcs.v[ir_find_func(r->m, "g")];
    const struct ir_func *was = &p.m->funcs.v[ir_find_func(p.m, "k")];
    assert_int_equal(k->nrow[IR_FILE_P], was->nrow[IR_FILE_P] + 1);
    assert_int_equal(k->total_rows[IR_FILE_P], was->total_rows[IR_FILE_P] + 1);
    assert_int_equal(g->base[IR_FILE_P], k->nrow[IR_FILE_P]);
    uint32_t named = 0;
    for (uint32_t pc = g->entry; pc < g->end; pc++) {
        const uint32_t row = r->m->code.v[pc].guard & IR_GUARD_INDEX;
        if (row) assert_true(row > g->base[IR_FILE_P] && row <= g->base[IR_FILE_P] + g->nrow[IR_FILE_P]);
        named += row > 0;
    }
    assert_int_equal(named, 1);
    cfg_rewrite_free(r);
    close_program(&p);
}

/* 0 tid, 1-3 setp, 4 bra F, 5 bra F, 6 do, 7 bra J, 8 F: do, 9 J: do, 10 exit */
static void an_added_instruction_has_the_place_it_speaks_of(void **state) {
    (void)state;
    struct program p;
    struct sb got = {0};
    open_program(&p, KERNEL("@%p1 bra F;\n@%p2 bra F;\n" DO(1) "bra J;\nF: " DO(2) "J: " DO(3) "exit;\n"));
    struct rewrite *r = cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e);
    assert_non_null(r);
    for (uint32_t pc = r->new_pc[3] + 1; pc < r->m->code.n; pc++) {
        sb_add(&got, "%s", got.len ? ", " : "");
        cfg_rewrite_print_pc(r, pc, &got);
        assert_int_equal(r->m->code.v[pc].line, p.m->code.v[r->old_pc[pc]].line);
    }
    assert_string_equal(got.text, "4 mov, 4, 5 mov, 5, 6, 7, 5 endif, 4 endif, 8 if, 8, 8 endif, 9, 10");
    assert_int_equal(r->landing[8], r->new_pc[8] - 1);
    sb_free(&got);
    cfg_rewrite_free(r);
    close_program(&p);
}

/* Nesting as deep as memory allows: nothing here is recursive. */
static void ten_thousand_nested_ifs(void **state) {
    (void)state;
    enum { DEPTH = 10000 };
    struct program p;
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k()\n{\n" PREDICATES);
    for (int k = 0; k < DEPTH; k++) sb_add(&text, "@%%p1 bra J%d;\nmov.u32 %%r2, 1;\n", k);
    for (int k = DEPTH; k-- > 0;) sb_add(&text, "J%d: mov.u32 %%r2, 2;\n", k);
    sb_add(&text, "exit;\n}\n");
    open_program(&p, text.text);
    struct rewrite *r = cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e);
    assert_non_null(r);
    grammar_check(r, p.m, p.c);
    assert_int_equal(r->m->code.n, p.m->code.n + DEPTH);
    cfg_rewrite_free(r);
    close_program(&p);
    sb_free(&text);
}

/* Loops nested so deep, the innermost left altogether by so many branches. */
static void refused_nest(int depth, int ways, const char *why) {
    struct program p;
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k()\n{\n" PREDICATES);
    for (int k = 0; k < depth; k++) sb_add(&text, "L%d: mov.u32 %%r2, 1;\n", k);
    for (int k = 0; k < ways; k++) sb_add(&text, "@%%p1 bra X;\n");
    for (int k = depth; k-- > 0;) sb_add(&text, "@%%p2 bra L%d;\n", k);
    sb_add(&text, "X: mov.u32 %%r2, 1;\nexit;\n}\n");
    open_program(&p, text.text);
    assert_null(cfg_make_form(p.m, p.c, CFG_FORM_STRUCTURED, &p.e));
    assert_string_equal(err_text(&p.e), why);
    close_program(&p);
    sb_free(&text);
}

static void code_that_would_grow_out_of_all_proportion_is_refused(void **state) {
    (void)state;
    refused_nest(600, 600, "t.ptx:4: error: k has no structured form: it would be many times as long");
    refused_nest(33000, 1, "t.ptx:4: error: k has no structured form: it needs too many guards");
}

/* ---- random graphs ---- */

static bool check_shape(const struct shape *s, struct rng *rng, uint32_t *guards) {
    const struct filling f = {.insns = 2, .regs = {4, 4, 4}};
    struct err e = {0};
    struct ir_module *m = module_of(s, rng, &f);
    struct cfg *c = analysed(m);
    struct rewrite *r = cfg_make_form(m, c, CFG_FORM_STRUCTURED, &e);
    assert_int_equal(r == NULL, c->funcs[0].structure == CFG_IRREDUCIBLE);
    if (r) grammar_check(r, m, c);
    if (guards && r) *guards = r->m->funcs.v[0].nrow[IR_FILE_P] - m->funcs.v[0].nrow[IR_FILE_P];
    const bool has = r != NULL;
    err_free(&e);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
    return has;
}

/* Endless loops, parts that no thread reaches, several ways out, indirect branches anywhere. */
static void any_graph_has_the_form_or_is_irreducible(void **state) {
    (void)state;
    struct rng rng = {7};
    uint32_t have = 0;
    for (int n = 0; n < 3000; n++) {
        struct shape s;
        shape_random(&s, &rng, 2 + (uint32_t)rng_below(&rng, 24));
        have += check_shape(&s, &rng, NULL);
        shape_free(&s);
    }
    assert_true(have > 1000 && have < 3000);
}

static void nested_statements_need_no_guard(void **state) {
    (void)state;
    struct rng rng = {8};
    for (int n = 0; n < 300; n++) {
        struct shape s;
        shape_structured(&s, &rng, 60);
        uint32_t guards;
        assert_true(check_shape(&s, &rng, &guards));
        assert_int_equal(guards, 0);
        shape_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_and_else_need_nothing_but_marks),
        cmocka_unit_test(a_part_laid_out_elsewhere_comes_to_its_place),
        cmocka_unit_test(short_circuits_get_a_guard),
        cmocka_unit_test(unstructured_code_is_linearised_with_guards),
        cmocka_unit_test(a_branch_to_what_follows_it_is_no_if),
        cmocka_unit_test(loops_with_the_test_at_either_end),
        cmocka_unit_test(break_and_continue),
        cmocka_unit_test(a_loop_left_to_two_places),
        cmocka_unit_test(breaks_of_several_levels),
        cmocka_unit_test(the_next_round_of_an_outer_loop_without_notes),
        cmocka_unit_test(a_header_where_paths_meet),
        cmocka_unit_test(an_endless_loop),
        cmocka_unit_test(exits_stay),
        cmocka_unit_test(code_before_an_early_exit_comes_first_and_within_its_loop),
        cmocka_unit_test(one_return_at_the_end),
        cmocka_unit_test(code_that_nobody_reaches_is_left_out),
        cmocka_unit_test(a_function_without_code),
        cmocka_unit_test(a_guarded_call_is_an_if),
        cmocka_unit_test(an_indirect_branch_is_a_tree_of_tests),
        cmocka_unit_test(irreducible_loops_are_refused_with_their_blocks_and_line),
        cmocka_unit_test(an_irreducible_function_stays_as_it_is_in_a_partial_form),
        cmocka_unit_test(guards_are_rows_between_a_functions_own_and_its_callees),
        cmocka_unit_test(an_added_instruction_has_the_place_it_speaks_of),
        cmocka_unit_test(ten_thousand_nested_ifs),
        cmocka_unit_test(code_that_would_grow_out_of_all_proportion_is_refused),
        cmocka_unit_test(any_graph_has_the_form_or_is_irreducible),
        cmocka_unit_test(nested_statements_need_no_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
