/* Text in, intermediate form out: tests/golden/ptx/ir/NAME.ptx gives exactly NAME.ir. Set UPDATE=1 to write the latter
 * anew, and read what changed. */
#include "front.h"

static void add_operand(struct sb *out, const struct ir_module *m, ir_opnd o) {
    static const char file[] = "rdp";
    if (o == IR_NONE) {
        sb_add(out, " _");
        return;
    }
    if (!ir_is_const(o)) {
        bool pt = o == IR_PT;
        sb_add(out, " %s%c%u", o & IR_O_NEG ? "!" : "", pt ? 'T' : file[ir_file(o)], ir_index(o));
        return;
    }
    bool wide = ir_file(o) == IR_FILE_64;
    for (size_t i = 0; i < m->relocs.n; i++) {
        const struct ir_reloc *r = &m->relocs.v[i];
        if (r->constant != ir_index(o) || (r->bytes == 8) != wide) continue;
        const char *name = r->kind == IR_RELOC_FUNC ? m->funcs.v[r->symbol].name : m->vars.v[r->symbol].name;
        sb_add(out, " &%s%+lld", name, (long long)r->addend);
        return;
    }
    if (wide)
        sb_add(out, " #%llxL", (unsigned long long)m->k64.v[ir_index(o)]);
    else
        sb_add(out, " #%x", m->k32.v[ir_index(o)]);
}

static void add_words(struct sb *out, const struct ir_module *m, const struct ir_insn *i) {
    const uint32_t *x = &m->ext.v[i->ext];
    if (i->op != IR_CALL && i->op != IR_CALL_IND && i->op != IR_SYS) return;
    sb_add(out, " func=%u frame=%u in=", x[IR_CALL_FUNC], x[IR_CALL_FRAME]);
    const uint32_t *c = x + IR_CALL_COPIES;
    for (uint32_t k = 0; k < x[IR_CALL_NARGS]; k++, c += 3) sb_add(out, "(%u>%u:%u)", c[0], c[1], c[2]);
    sb_add(out, " out=");
    for (uint32_t k = 0; k < x[IR_CALL_NRETS]; k++, c += 3) sb_add(out, "(%u>%u:%u)", c[0], c[1], c[2]);
}

static void add_insn(struct sb *out, const struct ir_module *m, uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc];
    bool memory = ir_ops[i->op].cls == IR_C_LDST || ir_ops[i->op].cls == IR_C_ATOM;
    sb_add(out, "%4u:%u ", pc, i->line);
    if (i->guard) sb_add(out, "@%sp%u ", i->guard & IR_GUARD_NEG ? "!" : "", i->guard & IR_GUARD_INDEX);
    sb_add(out, "%s", ir_ops[i->op].id);
    if (i->mods) sb_add(out, " mods=%x", i->mods);
    if (i->sub) sb_add(out, " sub=%u", i->sub);
    if (!memory && i->bop) sb_add(out, " bop=%u", i->bop);
    if (memory && i->order) sb_add(out, " order=%u", i->order);
    if (memory) sb_add(out, " %s v%u cop%u", ir_space_name[i->space], i->vec, i->cop);
    for (int k = 0; k < i->nd + i->ns; k++) {
        if (k == i->nd) sb_add(out, " <-");
        add_operand(out, m, i->o[k]);
    }
    if (i->op == IR_BRA)
        sb_add(out, " to %u", i->target);
    else if (memory || i->op == IR_FRAME_U64)
        sb_add(out, " %+d", i->disp);
    add_words(out, m, i);
    sb_add(out, "\n");
}

static void add_function(struct sb *out, const struct ir_module *m, const struct ir_func *f) {
    sb_add(out, "%s %s frame=%u regs=%u,%u,%u params=%u", f->kernel ? "kernel" : "func", f->name,
           f->frame_bytes, f->nvirt[0], f->nvirt[1], f->nvirt[2], f->param_bytes);
    for (uint32_t k = 0; k < f->nrets; k++)
        sb_add(out, " ->%s@%u:%u", f->rets[k].name, f->rets[k].offset, f->rets[k].bytes);
    for (uint32_t k = 0; k < f->nparams; k++)
        sb_add(out, " %s@%u:%u", f->params[k].name, f->params[k].offset, f->params[k].bytes);
    for (uint32_t k = 0; k < f->nshared_used; k++)
        sb_add(out, " shared:%s", m->vars.v[f->shared_used[k]].name);
    sb_add(out, "%s%s\n", f->address_taken ? " address-taken" : "", f->defined ? "" : " undefined");
    for (uint32_t pc = f->entry; pc < f->end; pc++) add_insn(out, m, pc);
}

static void add_variable(struct sb *out, const struct ir_module *m, size_t k) {
    const struct ir_var *v = &m->vars.v[k];
    sb_add(out, "var %s %s kind%u %s bytes=%llu align=%u%s%s", v->name, ir_space_name[v->space], v->kind,
           ir_type_name[v->type], (unsigned long long)v->bytes, v->align, v->dynamic ? " dynamic" : "",
           v->external ? " external" : "");
    if (v->ninit) sb_add(out, " =");
    for (uint64_t b = 0; b < v->ninit; b++) sb_add(out, " %02x", v->init[b]);
    for (size_t i = 0; i < m->relocs.n; i++) {
        const struct ir_reloc *r = &m->relocs.v[i];
        if (r->constant != IR_NOPC || r->var != k) continue;
        sb_add(out, " [%llu:%u]=%s%s%+lld>>%u", (unsigned long long)r->offset, r->bytes,
               r->generic ? "generic " : "",
               r->kind == IR_RELOC_FUNC ? m->funcs.v[r->symbol].name : m->vars.v[r->symbol].name,
               (long long)r->addend, r->shift);
    }
    sb_add(out, "\n");
}

static void check(const char *name) {
    char path[128];
    size_t len;
    struct err e = {0};
    struct sb out = {0};
    snprintf(path, sizeof path, "tests/golden/ptx/ir/%s.ptx", name);
    char *text = read_text(path, &len);
    struct ir_module *m = ptx_load(path, text, len, &e);
    if (!m) fail_msg("%s", err_text(&e));
    for (size_t k = 0; k < m->vars.n; k++) add_variable(&out, m, k);
    for (size_t k = 0; k < m->funcs.n; k++) add_function(&out, m, &m->funcs.v[k]);
    snprintf(path, sizeof path, "tests/golden/ptx/ir/%s.ir", name);
    if (getenv("UPDATE")) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(out.text, f);
        fclose(f);
    }
    char *want = read_text(path, NULL);
    if (strcmp(out.text, want)) fail_msg("%s differs; found:\n%s", path, out.text);
    free(text);
    free(want);
    sb_free(&out);
    ir_module_free(m);
}

static void scopes_and_labels(void **state) {
    (void)state;
    check("scopes");
}
static void memory_accesses(void **state) {
    (void)state;
    check("memory");
}
static void calls_and_frames(void **state) {
    (void)state;
    check("calls");
}
static void values_and_operands(void **state) {
    (void)state;
    check("values");
}
static void variables_and_initial_bytes(void **state) {
    (void)state;
    check("data");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_and_labels),
        cmocka_unit_test(memory_accesses),
        cmocka_unit_test(calls_and_frames),
        cmocka_unit_test(values_and_operands),
        cmocka_unit_test(variables_and_initial_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
