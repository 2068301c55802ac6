/* The call graph: rows, recursion, totals, shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/bits.h"
#include "ir/program.h"

static void put(struct ir_module *m, struct ir_insn i) {
    i.line = (uint32_t)m->code.n + 1;
    VEC_PUSH(&m->code, i);
}

/* A coloured function with one instruction that names its last row of each file, under its last predicate;
 * calls follow. Open until the next begins. */
static void begin(struct ir_module *m, const char *name, bool kernel, uint32_t rows) {
    VEC_PUSH(&m->funcs, (struct ir_func){.name = name,
                                         .kernel = kernel,
                                         .defined = true,
                                         .entry = (uint32_t)m->code.n,
                                         .end = (uint32_t)m->code.n + 1,
                                         .nrow = {rows, rows, rows},
                                         .regs = 3 * rows,
                                         .frame_bytes = 16 * rows});
    put(m, (struct ir_insn){.op = IR_MAD_WIDE_U32,
                            .guard = (uint16_t)(IR_GUARD_NEG | rows),
                            .nd = 1,
                            .ns = 3,
                            .o = {ir_reg(IR_FILE_64, rows - 1), ir_reg(IR_FILE_32, rows - 1),
                                  ir_const(IR_FILE_32, 3), ir_reg(IR_FILE_64, rows - 1)}});
}

static void call(struct ir_module *m, uint16_t op, uint32_t callee) {
    struct ir_func *f = &m->funcs.v[m->funcs.n - 1];
    put(m, (struct ir_insn){.op = op, .ext = (uint32_t)m->ext.n});
    for (uint32_t k = 0; k < IR_CALL_COPIES; k++) VEC_PUSH(&m->ext, k ? 0 : callee);
    f->end = (uint32_t)m->code.n;
}

static void link_well(struct ir_module *m) {
    struct err e = {0};
    if (!ir_link(m, &e)) fail_msg("%s", err_text(&e));
}

static uint32_t base(const struct ir_module *m, uint32_t f) {
    return m->funcs.v[f].base[IR_FILE_32];
}

/* k calls a and b, both call c: c lies past the longer of the two; what is not reached does not count. */
static void callees_lie_past_all_their_callers(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    begin(m, "k", true, 4);
    call(m, IR_CALL, 1), call(m, IR_CALL, 2);
    begin(m, "a", false, 2);
    call(m, IR_CALL, 3);
    begin(m, "b", false, 7);
    call(m, IR_CALL, 3);
    begin(m, "c", false, 1);
    begin(m, "other", true, 3);
    call(m, IR_CALL, 1);
    link_well(m);
    assert_int_equal(base(m, 0), 0);
    assert_int_equal(base(m, 1), 4);
    assert_int_equal(base(m, 2), 4);
    assert_int_equal(base(m, 3), 11);
    assert_int_equal(m->funcs.v[0].total_rows[IR_FILE_32], 12);
    assert_int_equal(m->funcs.v[0].total_rows[IR_FILE_P], 13); /* and the row that is always true */
    assert_int_equal(m->funcs.v[0].total_regs, 3 * (4 + 7 + 1));
    assert_int_equal(m->funcs.v[4].total_regs, 3 * (3 + 2 + 1));
    assert_false(m->funcs.v[3].recursive);
    const struct ir_insn *i = &m->code.v[m->funcs.v[2].entry]; /* rows moved, constants and PT not */
    assert_int_equal(i->guard, IR_GUARD_NEG | (7 + 4));
    assert_int_equal(i->o[0], ir_reg(IR_FILE_64, 6 + 4));
    assert_int_equal(i->o[2], ir_const(IR_FILE_32, 3));
    assert_int_equal(m->ext.v[m->code.v[1].ext + IR_CALL_FRAME], 16 * 4);
    ir_module_free(m);
}

static void recursive_functions_lie_side_by_side(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    begin(m, "k", true, 1);
    call(m, IR_CALL, 1);
    begin(m, "even", false, 2);
    call(m, IR_CALL, 2);
    begin(m, "odd", false, 3);
    call(m, IR_CALL, 1), call(m, IR_CALL, 3);
    begin(m, "self", false, 5);
    call(m, IR_CALL, 3), call(m, IR_CALL, 4);
    begin(m, "leaf", false, 1);
    link_well(m);
    const bool recursive[] = {false, true, true, true, false};
    const uint32_t bases[] = {0, 1, 3, 6, 11};
    for (uint32_t f = 0; f < 5; f++) {
        assert_int_equal(m->funcs.v[f].recursive, recursive[f]);
        assert_int_equal(base(m, f), bases[f]);
    }
    assert_int_equal(m->funcs.v[0].total_rows[IR_FILE_64], 12);
    assert_int_equal(m->funcs.v[0].total_regs, 3 * (1 + 2 + 3 + 5 + 1));
    ir_module_free(m);
}

/* An indirect call may reach every function whose address is taken, itself included. */
static void indirect_calls_reach_what_has_an_address(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    begin(m, "k", true, 2);
    call(m, IR_CALL_IND, 0);
    begin(m, "a", false, 3);
    begin(m, "b", false, 4);
    call(m, IR_CALL_IND, 0);
    begin(m, "c", false, 5);
    m->funcs.v[1].address_taken = m->funcs.v[2].address_taken = true;
    link_well(m);
    assert_int_equal(base(m, 2), 2);
    assert_int_equal(base(m, 1), 6);
    assert_int_equal(base(m, 3), 0);
    assert_true(m->funcs.v[2].recursive);
    assert_false(m->funcs.v[1].recursive);
    assert_int_equal(m->funcs.v[0].total_rows[0], 9);
    ir_module_free(m);
}

/* With a list of targets it reaches only those. */
static void listed_targets_are_the_only_ones(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    begin(m, "k", true, 2);
    call(m, IR_CALL_IND, 1);
    VEC_PUSH(&m->ext, 2);
    begin(m, "a", false, 3);
    begin(m, "b", false, 4);
    m->funcs.v[1].address_taken = m->funcs.v[2].address_taken = true;
    link_well(m);
    assert_int_equal(base(m, 1), 0);
    assert_int_equal(base(m, 2), 2);
    ir_module_free(m);
}

static void calling_what_is_not_defined_is_an_error(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("file.ptx");
    struct err e = {0};
    begin(m, "k", true, 1);
    call(m, IR_CALL, 1);
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "missing"});
    assert_false(ir_link(m, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_string_equal(err_text(&e), "file.ptx:2: error: call of function missing, which is not defined");
    err_free(&e);
    ir_module_free(m);
}

static void use_shared(struct ir_module *m, uint32_t func, const uint32_t *vars, uint32_t n) {
    struct ir_func *f = &m->funcs.v[func];
    f->shared_used = ARENA_NEW(&m->mem, uint32_t, n);
    f->nshared_used = n;
    for (uint32_t k = 0; k < n; k++) f->shared_used[k] = vars[k];
}

static void shared_memory_holds_what_a_kernel_reaches(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    begin(m, "k", true, 1);
    call(m, IR_CALL, 1);
    begin(m, "f", false, 1);
    begin(m, "none", true, 1);
    const struct ir_var vars[] = {{.name = "a", .space = IR_SP_SHARED, .bytes = 5, .align = 1},
                                  {.name = "b", .space = IR_SP_SHARED, .bytes = 24, .align = 8},
                                  {.name = "unused", .space = IR_SP_SHARED, .bytes = 100, .align = 4},
                                  {.name = "x", .space = IR_SP_SHARED, .dynamic = true, .align = 4},
                                  {.name = "y", .space = IR_SP_SHARED, .dynamic = true, .align = 8},
                                  {.name = "c", .space = IR_SP_SHARED, .bytes = 4, .align = 4}};
    for (size_t v = 0; v < sizeof vars / sizeof *vars; v++) VEC_PUSH(&m->vars, vars[v]);
    use_shared(m, 0, (uint32_t[]){5, 3}, 2);
    use_shared(m, 1, (uint32_t[]){0, 1, 4}, 3);
    link_well(m);
    const struct ir_func *k = &m->funcs.v[0];
    const uint32_t offsets[] = {0, 8, IR_NOPC, 48, 48, 32};
    for (uint32_t v = 0; v < 6; v++) assert_int_equal(k->shared_offset[v], offsets[v]);
    assert_int_equal(k->shared_bytes, 48);
    assert_int_equal(m->funcs.v[2].shared_bytes, 0);
    for (uint32_t v = 0; v < 6; v++) assert_int_equal(m->funcs.v[2].shared_offset[v], IR_NOPC);
    ir_module_free(m);
}

static void too_much_shared_memory_is_an_error(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("big.ptx");
    struct err e = {0};
    begin(m, "k", true, 1);
    for (int k = 0; k < 2; k++)
        VEC_PUSH(&m->vars,
                 (struct ir_var){.name = "a", .space = IR_SP_SHARED, .bytes = UINT64_MAX / 2, .align = 16});
    use_shared(m, 0, (uint32_t[]){0, 1}, 2);
    assert_false(ir_link(m, &e));
    assert_string_equal(err_text(&e),
                        "big.ptx:0: error: kernel k declares more shared memory than an address can reach");
    err_free(&e);
    ir_module_free(m);
}

/* A function declared first and defined last: code is not in the order of the functions. */
static void functions_are_found_by_pc(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("test");
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "late", .defined = true, .entry = 3, .end = 5});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "declared"});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "first", .defined = true, .entry = 0, .end = 2});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "second", .defined = true, .entry = 2, .end = 3});
    for (int k = 0; k < 5; k++) put(m, (struct ir_insn){.op = IR_RET});
    const char *const holder[] = {"first", "first", "second", "late", "late"};
    for (int linked = 0; linked < 2; linked++) {
        for (uint32_t pc = 0; pc < 5; pc++) assert_string_equal(ir_func_at(m, pc)->name, holder[pc]);
        assert_null(ir_func_at(m, 5));
        link_well(m);
    }
    assert_int_equal(ir_find_func(m, "declared"), 1);
    assert_int_equal(ir_find_func(m, "nowhere"), -1);
    ir_module_free(m);
}

/* Along any chain of calls no row is used twice, whatever the graph. */
static void random_call_graphs_keep_callers_rows(void **state) {
    (void)state;
    struct rng r = {31};
    for (int t = 0; t < 500; t++) {
        struct ir_module *m = ir_module_new("test");
        uint32_t n = 1 + (uint32_t)rng_below(&r, 12);
        bool reach[12][12] = {{false}};
        for (uint32_t f = 0; f < n; f++) {
            begin(m, "f", f == 0, 1 + (uint32_t)rng_below(&r, 4));
            for (uint64_t k = rng_below(&r, 3); k > 0; k--) {
                uint32_t to = (uint32_t)rng_below(&r, n);
                call(m, IR_CALL, to);
                reach[f][to] = true;
            }
        }
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t a = 0; a < n; a++)
                for (uint32_t b = 0; b < n; b++) reach[a][b] |= reach[a][k] && reach[k][b];
        link_well(m);
        for (uint32_t a = 0; a < n; a++) {
            const struct ir_func *x = &m->funcs.v[a];
            assert_int_equal(x->recursive, reach[a][a]);
            for (uint32_t b = 0; b < n; b++) {
                const struct ir_func *y = &m->funcs.v[b];
                if (a == b || !reach[a][b]) continue;
                assert_true(x->base[0] + x->nrow[0] <= y->base[0] || y->base[0] + y->nrow[0] <= x->base[0]);
                assert_true(y->base[0] + y->nrow[0] <= x->total_rows[0]);
            }
        }
        ir_module_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callees_lie_past_all_their_callers),
        cmocka_unit_test(recursive_functions_lie_side_by_side),
        cmocka_unit_test(indirect_calls_reach_what_has_an_address),
        cmocka_unit_test(listed_targets_are_the_only_ones),
        cmocka_unit_test(calling_what_is_not_defined_is_an_error),
        cmocka_unit_test(shared_memory_holds_what_a_kernel_reaches),
        cmocka_unit_test(too_much_shared_memory_is_an_error),
        cmocka_unit_test(functions_are_found_by_pc),
        cmocka_unit_test(random_call_graphs_keep_callers_rows),
    };
    return cmocka_run_group_tests_name("ir/link", tests, NULL, NULL);
}
