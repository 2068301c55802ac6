/* Programs with instructions inserted at random: whatever goes from one instruction of the original to the next passes
 * just those that were asked for, every map agrees with the code read by itself, generated kernels leave the memory
 * they left, and nothing inserted means nothing changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "cfg/form.h"
#include "cfg/regions.h"
#include "cfg/rewrite.h"
#include "cfg/uniform.h"
#include "unit/diff/program.h"

static struct rewrite *rewritten(const struct program *p, const struct rewrite_insert *in, size_t n) {
    struct err e = {0};
    struct rewrite *r = cfg_rewrite(p->m, p->c, in, n, &e);
    if (!r) fail_msg("%s", err_text(&e));
    return r;
}

/* ---- the ways on from an instruction, read from the code alone ---- */

enum { MOST_WAYS = 64, NEXT = 0 };

static bool goes_on(const struct ir_insn *i) {
    bool ends = i->op == IR_BRA || i->op == IR_BRX || i->op == IR_RET || i->op == IR_EXIT || i->op == IR_TRAP;
    return !ends || i->guard;
}

/* Way 0 is the next instruction, way k the k-th target. */
static uint32_t ways(const struct ir_module *m, uint32_t pc, uint32_t out[MOST_WAYS]) {
    const struct ir_insn *i = &m->code.v[pc];
    uint32_t n = 1;
    out[NEXT] = goes_on(i) ? pc + 1 : IR_NOPC;
    if (i->op == IR_BRA) out[n++] = i->target;
    for (uint32_t k = 0; i->op == IR_BRX && k < m->ext.v[i->ext]; k++) out[n++] = m->ext.v[i->ext + 1 + k];
    assert_true(n <= MOST_WAYS);
    return n;
}

/* ---- insertions ---- */

typedef VEC(struct rewrite_insert) inserts;

/* Something that changes nothing: a hint, a register moved to itself, the same under a guard. */
static struct ir_insn harmless(struct rng *r, const struct ir_module *m, uint32_t pc) {
    const struct ir_func *f = ir_func_at(m, pc);
    uint16_t guard = rng_below(r, 3) || !f->nrow[IR_FILE_P] ? 0 : (uint16_t)(f->base[IR_FILE_P] + 1);
    if (!f->nrow[IR_FILE_32] || rng_below(r, 2)) return (struct ir_insn){.op = IR_NOP, .guard = guard};
    ir_opnd o = ir_reg(IR_FILE_32, f->base[IR_FILE_32] + (uint32_t)rng_below(r, f->nrow[IR_FILE_32]));
    return (struct ir_insn){.op = IR_MOV_U32, .guard = guard, .nd = 1, .ns = 1, .o = {o, o}};
}

static struct rewrite_insert any_insert(struct rng *r, const struct ir_module *m) {
    uint32_t pc = (uint32_t)rng_below(r, m->code.n), to[MOST_WAYS];
    struct rewrite_insert in = {.pc = pc, .insn = harmless(r, m, pc)};
    if (rng_below(r, 4)) /* most instructions are not at the ends of blocks */
        while (!(m->code.v[pc].flags & IR_F_ENDS)) in.pc = ++pc;
    if (rng_below(r, 3) == 0) return in;
    in.where = REWRITE_EDGE;
    if (!rng_below(r, 10)) {
        in.to = ir_func_at(m, pc)->entry;
        in.pc = IR_NOPC;
        return in;
    }
    uint32_t n = ways(m, pc, to);
    in.to = to[rng_below(r, n)];
    if (in.to == IR_NOPC) in = (struct rewrite_insert){.pc = pc, .insn = in.insn};
    return in;
}

/* ---- what the maps must say ---- */

static bool asked(const struct rewrite_insert *in, uint32_t from, uint32_t to, bool edge) {
    if (in->where == REWRITE_BEFORE) return !edge && in->pc == to;
    return edge && in->pc == from && in->to == to;
}

static uint32_t next_asked(const inserts *in, uint32_t *k, uint32_t from, uint32_t to) {
    for (; *k < 2 * in->n; ++*k) {
        uint32_t x = *k % (uint32_t)in->n;
        if (asked(&in->v[x], from, to, *k < in->n)) return ++*k, x;
    }
    return CFG_NONE;
}

/* From a new PC along inserted instructions to the next original one: those of the edge, then those of the place. */
static void check_way(const struct rewrite *r, const inserts *in, uint32_t at, uint32_t from, uint32_t to) {
    uint32_t k = 0;
    for (; r->insert[at] != REWRITE_ORIGINAL;) {
        const struct ir_insn *i = &r->m->code.v[at];
        if (r->insert[at] == REWRITE_JUMP) {
            assert_int_equal(i->op, IR_BRA);
            at = i->target;
            continue;
        }
        assert_int_equal(r->insert[at], next_asked(in, &k, from, to));
        at++;
    }
    assert_int_equal(next_asked(in, &k, from, to), CFG_NONE);
    assert_int_equal(at, r->new_pc[to]);
}

static void check_edges(const struct program *p, const struct rewrite *r, const inserts *in) {
    for (uint32_t pc = 0; pc < p->m->code.n; pc++) {
        uint32_t was[MOST_WAYS], is[MOST_WAYS], n = ways(p->m, pc, was);
        assert_int_equal(ways(r->m, r->new_pc[pc], is), n);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(was[k] == IR_NOPC, is[k] == IR_NOPC);
            if (was[k] != IR_NOPC) check_way(r, in, is[k], pc, was[k]);
        }
    }
    for (size_t f = 0; f < p->m->funcs.n; f++)
        if (p->m->funcs.v[f].defined)
            check_way(r, in, r->m->funcs.v[f].entry, IR_NOPC, p->m->funcs.v[f].entry);
}

/* Checks that two instructions are equal but for where they are and where they lead. */
static void check_same_insn(const struct ir_insn *a, const struct ir_insn *b) {
    struct ir_insn x = *a, y = *b;
    if (x.op == IR_BRA) x.target = y.target = 0;
    x.block = y.block = x.rpc = y.rpc = x.flags = y.flags = 0;
    assert_memory_equal(&x, &y, sizeof x);
}

static void check_maps(const struct program *p, const struct rewrite *r, const inserts *in) {
    uint32_t originals = 0;
    for (uint32_t pc = 0; pc < r->m->code.n; pc++) {
        uint32_t old = r->old_pc[pc];
        assert_memory_equal(&r->m->src.v[pc], &p->m->src.v[old], sizeof *p->m->src.v);
        if (r->insert[pc] == REWRITE_ORIGINAL) {
            assert_int_equal(r->new_pc[old], pc);
            check_same_insn(&r->m->code.v[pc], &p->m->code.v[old]);
            originals++;
            continue;
        }
        assert_int_equal(r->m->code.v[pc].line, p->m->code.v[old].line);
        if (r->insert[pc] == REWRITE_JUMP) continue;
        const struct rewrite_insert *x = &in->v[r->insert[pc]];
        assert_int_equal(old, x->pc == IR_NOPC ? x->to : x->pc);
        assert_int_equal(r->m->code.v[pc].op, x->insn.op);
    }
    assert_int_equal(originals, p->m->code.n);
    for (uint32_t pc = 0; pc < p->m->code.n; pc++) {
        uint32_t at = r->landing[pc], func = r->cfg->blocks[r->m->code.v[at].block].func;
        assert_ptr_equal(ir_func_at(r->m, at), &r->m->funcs.v[func]);
        assert_ptr_equal(ir_func_at(r->m, r->new_pc[pc]), &r->m->funcs.v[func]);
        assert_ptr_equal(ir_func_at(p->m, pc), &p->m->funcs.v[func]);
        check_way(r, in, at, IR_NOPC - 1, pc);
    }
}

static void check_seed(uint64_t seed, bool run) {
    struct diff_case c;
    struct rng rng = {seed};
    diff_make(&c, seed);
    struct program p = load(c.text.text, c.text.len);
    inserts in = {0};
    for (uint64_t n = 1 + rng_below(&rng, p.m->code.n); n > 0; n--) VEC_PUSH(&in, any_insert(&rng, p.m));
    struct rewrite *r = rewritten(&p, in.v, in.n);
    check_maps(&p, r, &in);
    check_edges(&p, r, &in);
    if (run) run_on(&c, p.m, r->m);
    cfg_rewrite_free(r);
    VEC_FREE(&in);
    unload(&p);
    diff_free(&c);
}

static void random_insertions_keep_every_map_and_the_memory(void **state) {
    (void)state;
    struct diff_range range = diff_range(300);
    for (uint64_t k = 0; k < range.count; k++) check_seed(range.first + k, true);
}

/* ---- nothing inserted ---- */

static void check_same_cfg(const struct cfg *a, const struct cfg *b, size_t nfuncs) {
    assert_int_equal(a->nblocks, b->nblocks);
    assert_int_equal(a->nloops, b->nloops);
    if (a->nloops) assert_memory_equal(a->loops, b->loops, a->nloops * sizeof *a->loops);
    for (uint32_t k = 0; k < a->nblocks; k++) {
        const struct cfg_block *x = &a->blocks[k], *y = &b->blocks[k];
        assert_memory_equal(x, y, sizeof *x);
        assert_memory_equal(a->edges + x->succ, b->edges + y->succ, x->nsucc * sizeof *a->edges);
        assert_memory_equal(a->edges + x->pred, b->edges + y->pred, x->npred * sizeof *a->edges);
    }
    for (size_t f = 0; f < nfuncs; f++) {
        const struct cfg_func *x = &a->funcs[f], *y = &b->funcs[f];
        assert_true(x->block == y->block && x->nblocks == y->nblocks && x->loop == y->loop);
        assert_true(x->structure == y->structure && x->why == y->why && x->max_live == y->max_live);
        assert_string_equal(x->why_text, y->why_text);
    }
}

/* Whatever else a module holds is carried over: the same but for who owns it. */
static void check_same_module(const struct ir_module *a, const struct ir_module *b) {
    struct ir_module x = *a, y = *b;
    assert_string_equal(x.name, y.name);
    assert_memory_equal(x.by_entry, y.by_entry, x.nby_entry * sizeof *x.by_entry);
    x.name = y.name = NULL;
    x.by_entry = y.by_entry = NULL;
    x.mem = y.mem = (struct arena){0};
#define SAME(field)                                                                              \
    do {                                                                                         \
        assert_int_equal(x.field.n, y.field.n);                                                  \
        if (x.field.n) assert_memory_equal(x.field.v, y.field.v, x.field.n * sizeof *x.field.v); \
        memset(&x.field, 0, sizeof x.field);                                                     \
        memset(&y.field, 0, sizeof y.field);                                                     \
    } while (0)
    SAME(code);
    SAME(src);
    SAME(funcs);
    SAME(vars);
    SAME(relocs);
    SAME(k32);
    SAME(k64);
    SAME(ext);
    SAME(files);
    assert_memory_equal(&x, &y, sizeof x);
}

static void nothing_inserted_changes_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct diff_case c;
        diff_make(&c, seed);
        struct program p = load(c.text.text, c.text.len);
        struct rewrite *r = rewritten(&p, NULL, 0);
        check_same_module(r->m, p.m);
        for (uint32_t pc = 0; pc < p.m->code.n; pc++)
            assert_true(r->old_pc[pc] == pc && r->new_pc[pc] == pc && r->landing[pc] == pc);
        check_same_cfg(r->cfg, p.c, p.m->funcs.n);
        cfg_rewrite_free(r);
        unload(&p);
        diff_free(&c);
    }
}

/* ---- marks of regions ---- */

static void add_marks(const struct cfg_regions *g, uint32_t first, uint32_t n, uint32_t target, inserts *in) {
    for (uint32_t k = first; k < first + n; k++) {
        struct rewrite_insert x = {.pc = g->marks[k].pc, .targets = true};
        if (g->marks[k].to != IR_NOPC) x.to = g->marks[k].to, x.where = REWRITE_EDGE;
        x.insn = (struct ir_insn){.op = IR_MARK, .target = target};
        VEC_PUSH(in, x);
    }
}

/* A mark at every begin, on edges to the join from elsewhere, and at the join. */
static void mark_regions(const struct program *p, const struct cfg_regions *g, inserts *in) {
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t end = p->c->blocks[g->v[k].join].first;
        add_marks(g, g->v[k].mark, g->v[k].nmarks, end, in);
        add_marks(g, g->v[k].bare, g->v[k].nbare, end, in);
        VEC_PUSH(in, (struct rewrite_insert){.pc = end, .insn = {.op = IR_MARK, .target = IR_NOPC}});
    }
}

static struct cfg_regions *regions_of(const struct ir_module *m, const struct cfg *c, const uint8_t *varies) {
    struct err e = {0};
    struct cfg_regions *g = cfg_regions(m, c, varies, 1 << 20, &e);
    if (!g) fail_msg("%s", err_text(&e));
    return g;
}

/* Marks do not change which branches diverge, nor the regions. */
static void check_second_look(const struct program *p, const struct rewrite *r, const uint8_t *varies,
                              uint32_t regions) {
    uint8_t *again = cfg_uniform(r->m, r->cfg);
    for (uint32_t pc = 0; pc < p->m->code.n; pc++) assert_int_equal(again[r->new_pc[pc]], varies[pc]);
    struct cfg_regions *g = regions_of(r->m, r->cfg, again);
    assert_int_equal(g->n, regions);
    cfg_regions_free(g);
    free(again);
}

static void check_marks(uint64_t seed) {
    struct diff_case c;
    inserts in = {0};
    diff_make(&c, seed);
    struct program p = load(c.text.text, c.text.len);
    uint8_t *varies = cfg_uniform(p.m, p.c);
    struct cfg_regions *g = regions_of(p.m, p.c, varies);
    mark_regions(&p, g, &in);
    struct rewrite *r = rewritten(&p, in.v, in.n);
    check_maps(&p, r, &in);
    check_edges(&p, r, &in);
    for (uint32_t pc = 0; pc < r->m->code.n; pc++)
        if (r->insert[pc] < REWRITE_JUMP && in.v[r->insert[pc]].targets)
            assert_int_equal(r->m->code.v[pc].target, r->landing[in.v[r->insert[pc]].insn.target]);
    run_on(&c, p.m, r->m);
    check_second_look(&p, r, varies, g->n);
    cfg_rewrite_free(r);
    VEC_FREE(&in);
    cfg_regions_free(g);
    free(varies);
    unload(&p);
    diff_free(&c);
}

/* The way a program form is made: which branches diverge, their regions, the marks. */
static void marks_of_regions_name_their_joins_and_keep_the_memory(void **state) {
    (void)state;
    struct diff_range range = diff_range(300);
    for (uint64_t k = 0; k < range.count; k++) check_marks(range.first + k);
}

/* ---- forms ---- */

/* Marks compute nothing, wherever they stand. */
static void programs_with_convergence_barriers_leave_the_same_memory(void **state) {
    (void)state;
    struct diff_range range = diff_range(100);
    uint64_t marks[CFG_FORMS] = {0};
    for (uint64_t k = 0; k < range.count; k++) {
        struct diff_case c;
        diff_make(&c, range.first + k);
        struct program p = load(c.text.text, c.text.len);
        for (enum cfg_form form = CFG_FORM_VOLTA; form <= CFG_FORM_VOLTA_MERGE; form++) {
            struct err e = {0};
            struct rewrite *r = cfg_make_form(p.m, p.c, form, &e);
            if (!r) fail_msg("%s", err_text(&e));
            run_on(&c, p.m, r->m);
            for (size_t pc = 0; pc < r->m->code.n; pc++) marks[form] += r->m->code.v[pc].op == IR_MARK;
            cfg_rewrite_free(r);
        }
        unload(&p);
        diff_free(&c);
    }
    assert_true(marks[CFG_FORM_VOLTA] > range.count && marks[CFG_FORM_VOLTA_MERGE] > range.count);
}

/* ---- by hand ---- */

static const char loop_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                                ".reg .pred %p<3>;\n.reg .b32 %r<3>;\n"
                                "L: mov.u32 %r1, %tid.x;\n"  /* 0 */
                                "setp.eq.u32 %p1, %r1, 0;\n" /* 1 */
                                "@%p1 bra L;\n"              /* 2 */
                                "@%p1 bra M;\n"              /* 3 */
                                "mov.u32 %r2, 1;\n"          /* 4 */
                                "M: mov.u32 %r2, 2;\n"       /* 5 */
                                "exit;\n}\n";                /* 6 */

static void a_loop_header_that_is_the_entry(void **state) {
    (void)state;
    struct program p = load(loop_text, strlen(loop_text));
    const struct ir_insn nop = {.op = IR_NOP};
    struct rewrite_insert in[] = {
        {.pc = 0, .insn = nop},                                          /* all who come to L */
        {.where = REWRITE_EDGE, .pc = IR_NOPC, .to = 0, .insn = nop},    /* who enter the kernel */
        {.where = REWRITE_EDGE, .pc = 2, .to = 0, .insn = nop},          /* who go round */
        {.where = REWRITE_EDGE, .pc = 3, .to = 5, .insn = nop},          /* who skip 4 */
        {.pc = 5, .insn = nop},                                          /* all who come to M */
        {.pc = 3, .targets = true, .insn = {.op = IR_NOP, .target = 5}}, /* names where M begins */
    };
    struct rewrite *r = rewritten(&p, in, sizeof in / sizeof *in);
    /*  0 enter, 1 before L, 2..4 the loop, 5 named, 6 @p bra, 7 mov, 8 before M, 9 mov, 10 exit, 11 round,
     * 12 bra L, 13 skip, 14 bra M */
    static const uint32_t inserts_at[] = {1,
                                          0,
                                          REWRITE_ORIGINAL,
                                          REWRITE_ORIGINAL,
                                          REWRITE_ORIGINAL,
                                          5,
                                          REWRITE_ORIGINAL,
                                          REWRITE_ORIGINAL,
                                          4,
                                          REWRITE_ORIGINAL,
                                          REWRITE_ORIGINAL,
                                          2,
                                          REWRITE_JUMP,
                                          3,
                                          REWRITE_JUMP};
    assert_int_equal(r->m->code.n, 15);
    assert_memory_equal(r->insert, inserts_at, sizeof inserts_at);
    const struct ir_insn *code = r->m->code.v;
    assert_int_equal(code[4].target, 11);
    assert_int_equal(code[12].target, 1);
    assert_int_equal(code[6].target, 13);
    assert_int_equal(code[14].target, 8);
    assert_int_equal(code[5].target, 8);
    assert_int_equal(r->m->funcs.v[0].entry, 0);
    assert_int_equal(r->m->funcs.v[0].end, 15);
    cfg_rewrite_free(r);
    unload(&p);
}

static void an_inserted_branch_is_part_of_the_new_graph(void **state) {
    (void)state;
    struct program p = load(loop_text, strlen(loop_text));
    struct err e = {0};
    struct rewrite_insert in = {.pc = 5, .insn = {.op = IR_BRA, .target = 0}};
    struct rewrite *r = cfg_rewrite(p.m, p.c, &in, 1, &e);
    assert_non_null(r);
    assert_false(r->cfg->blocks[r->m->code.v[r->new_pc[5]].block].reachable);
    cfg_rewrite_free(r);
    unload(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_header_that_is_the_entry),
        cmocka_unit_test(an_inserted_branch_is_part_of_the_new_graph),
        cmocka_unit_test(nothing_inserted_changes_nothing),
        cmocka_unit_test(random_insertions_keep_every_map_and_the_memory),
        cmocka_unit_test(marks_of_regions_name_their_joins_and_keep_the_memory),
        cmocka_unit_test(programs_with_convergence_barriers_leave_the_same_memory),
    };
    return cmocka_run_group_tests_name("cfg/rewrite", tests, NULL, NULL);
}
