/* Every row of ops.def is reached from PTX text (tests/golden/ptx/every.ptx), and what is emitted keeps the promises of
 * lower.h: files of operands, operand counts, constants within the tables. */
#include "front.h"

static struct ir_module *load(void) {
    size_t len;
    struct err e = {0};
    char *text = read_text("tests/golden/ptx/every.ptx", &len);
    struct ir_module *m = ptx_load("every.ptx", text, len, &e);
    if (!m) fail_msg("%s", err_text(&e));
    free(text);
    return m;
}

static void every_operation_is_reached(void **state) {
    (void)state;
    struct ir_module *m = load();
    bool seen[IR_NOPS] = {false};
    struct sb missing = {0};
    for (size_t i = 0; i < m->code.n; i++) seen[m->code.v[i].op] = true;
    assert_false(seen[IR_MARK]); /* only a form of a program has marks */
    seen[IR_MARK] = true;
    /* PTX machine code has none either. */
    for (int op = 0; op < IR_NOPS; op++) seen[op] |= !strncmp(ir_ops[op].name, "rv.", 3);
    for (int op = 0; op < IR_NOPS; op++)
        if (!seen[op]) sb_add(&missing, " %s", ir_ops[op].id);
    if (missing.len) fail_msg("never emitted:%s", missing.text);
    ir_module_free(m);
}

static void check_operand(const struct ir_module *m, const struct ir_func *f, size_t pc, ir_opnd o) {
    enum ir_file file = ir_file(o);
    size_t limit = file == IR_FILE_NONE ? 1 : f->nvirt[file];
    if (ir_is_const(o)) limit = file == IR_FILE_64 ? m->k64.n : file == IR_FILE_32 ? m->k32.n : 0;
    if (ir_index(o) >= limit)
        fail_msg("pc %zu (%s): operand %08x out of range", pc, ir_ops[m->code.v[pc].op].id, o);
}

static enum ir_file file_of(unsigned type) {
    return type == IR_T_P ? IR_FILE_P : ir_type_bytes[type] == 8 ? IR_FILE_64 : IR_FILE_32;
}

/* Rows with one meaning say the type of each operand. */
static void check_types(const struct ir_insn *i, size_t pc) {
    const struct ir_op_info *row = &ir_ops[i->op];
    const uint8_t types[4] = {row->dtype, row->type, row->btype, row->ctype};
    unsigned n = row->kind == 'U' ? 2 : row->kind == 'B' ? 3 : row->kind == 'T' ? 4 : 0;
    if (!n) return;
    assert_int_equal(i->nd, 1);
    assert_int_equal(i->ns, n - 1);
    for (unsigned k = 0; k < n; k++)
        if (ir_file(i->o[k]) != file_of(types[k]))
            fail_msg("pc %zu (%s): operand %u is of the wrong file", pc, row->id, k);
    if (i->mods & ~row->mods) fail_msg("pc %zu (%s): modifiers %x not in the row", pc, row->id, i->mods);
}

static void operands_are_of_the_rows_types(void **state) {
    (void)state;
    struct ir_module *m = load();
    assert_int_equal(m->src.n, m->code.n);
    for (size_t k = 0; k < m->funcs.n; k++) {
        const struct ir_func *f = &m->funcs.v[k];
        for (size_t pc = f->entry; pc < f->end; pc++) {
            const struct ir_insn *i = &m->code.v[pc];
            assert_true(i->nd + i->ns <= 8);
            for (int o = 0; o < i->nd + i->ns; o++) check_operand(m, f, pc, i->o[o]);
            check_types(i, pc);
            if (i->op == IR_BRA) assert_in_range(i->target, f->entry, f->end - 1);
            assert_in_range(i->line, 1, 5000);
        }
    }
    ir_module_free(m);
}

static void constants_are_not_repeated(void **state) {
    (void)state;
    struct ir_module *m = load();
    for (size_t i = 0; i < m->k32.n; i++)
        for (size_t j = i + 1; j < m->k32.n; j++)
            if (m->k32.v[i] && m->k32.v[i] == m->k32.v[j]) fail_msg("%08x is there twice", m->k32.v[i]);
    ir_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_reached),
        cmocka_unit_test(operands_are_of_the_rows_types),
        cmocka_unit_test(constants_are_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
