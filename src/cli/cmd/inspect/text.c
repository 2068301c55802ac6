/* The inspection for people. Blocks are called B0, B1, ... within their function, in the order of the code. */
#include <stdlib.h>

#include "cli/cmd/inspect/inspect.h"
#include "ir/print.h"
#include "report/table.h"
#include "value/demangle.h"

static void inspect_text_place(const struct inspect *in, uint32_t pc, struct sb *out) {
    const char *file;
    uint32_t line;
    if (inspect_source(in, pc, &file, &line)) sb_add(out, "%s:%u", file, line);
}

static void inspect_text_label(const struct inspect *in, struct sb *out, const char *name) {
    sb_add(out, "  %s%-12s%s", term_on(in->term, TERM_DIM), name, term_on(in->term, TERM_PLAIN));
}

static void inspect_text_add_table(const struct inspect *in, struct sb *out, const char *title,
                                   struct table *t) {
    if (table_rows(t) > 1) {
        sb_add(out, "\n  %s%s%s\n", term_on(in->term, TERM_BOLD), title, term_on(in->term, TERM_PLAIN));
        table_print(t, 4, out);
    }
    table_free(t);
}

/* A cell with the name of a parameter or a function, readable. */
static void name_cell(struct table *t, const char *name) {
    struct sb readable = {0};
    demangle_text(name, &readable);
    table_cell(t, "%s", readable.text);
    sb_free(&readable);
}

/* ---- parts ---- */

static void inspect_text_parameters(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    struct table t;
    table_init(&t, "rllrr");
    TABLE_HEAD(&t, "arg", "name", "type", "bytes", "offset");
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        table_cell(&t, "%u", i);
        name_cell(&t, p->name ? p->name : "_");
        table_cell(&t, "%s", p->type == IR_T_NONE ? "bytes" : p->pointer ? "pointer" : ir_type_name[p->type]);
        table_cell(&t, "%u", p->bytes);
        table_cell(&t, "%u", p->offset);
    }
    inspect_text_add_table(in, out, "Parameters", &t);
}

static void meeting_point(const struct inspect *in, uint32_t branch, struct table *t) {
    struct sb s = {0};
    const uint32_t pc = in->ir->code.v[branch].rpc;
    if (pc == IR_NOPC) {
        table_cell(t, "exit");
    } else {
        table_cell(t, "B%u", in->ir->code.v[pc].block);
        table_cell(t, "%u", in->ir->code.v[pc].line);
        inspect_text_place(in, pc, &s);
        table_cell(t, "%s", s.text ? s.text : "");
    }
    table_end_row(t);
    sb_free(&s);
}

static void branch_targets(const struct inspect *in, const struct inspect_branch *b, struct sb *out) {
    const struct cfg_block *k = &in->cfg->blocks[b->block];
    bool leaves = in->ir->code.v[b->pc].op == IR_RET || in->ir->code.v[b->pc].op == IR_EXIT;
    for (uint32_t i = 0; i < k->nsucc && i < 8; i++)
        sb_add(out, "%sB%u", i ? " " : "", in->cfg->edges[k->succ + i]);
    if (k->nsucc > 8) sb_add(out, " +%u", k->nsucc - 8);
    if (leaves) sb_add(out, "%sexit", k->nsucc ? " " : "");
}

static void inspect_text_branches(const struct inspect *in, uint32_t func, struct sb *out) {
    struct table t;
    struct inspect_branch b;
    uint32_t pc = in->ir->funcs.v[func].entry;
    table_init(&t, "llrllllrl");
    TABLE_HEAD(&t, "block", "branch", "line", "source", "goes to", "diverges", "IPDOM", "line", "source");
    while (inspect_next_branch(in, func, &pc, &b)) {
        struct sb source = {0}, targets = {0};
        inspect_text_place(in, b.pc, &source);
        branch_targets(in, &b, &targets);
        table_cell(&t, "B%u", b.block);
        table_cell(&t, "%s", b.kind);
        table_cell(&t, "%u", in->ir->code.v[b.pc].line);
        table_cell(&t, "%s", source.text ? source.text : "");
        table_cell(&t, "%s", targets.text ? targets.text : "");
        table_cell(&t, "%s", inspect_diverges(in, b.pc) ? inspect_diverges(in, b.pc) : "no");
        meeting_point(in, b.pc, &t);
        sb_free(&source);
        sb_free(&targets);
    }
    inspect_text_add_table(in, out, "Branches", &t);
}

/* Where a region begins: in or behind a block, or on the way from one to another. */
static void inspect_text_begins(const struct inspect *in, const struct cfg_region *r, struct sb *out) {
    for (uint32_t i = 0; i < r->nmarks && i < 4; i++) {
        const struct cfg_mark *m = &in->regions->marks[r->mark + i];
        const struct ir_insn *code = in->ir->code.v;
        sb_add(out, "%s", i ? " " : "");
        if (m->pc == IR_NOPC)
            sb_add(out, "entry");
        else
            sb_add(out, "B%u", code[m->pc].block);
        if (m->to != IR_NOPC) sb_add(out, ">B%u", code[m->to].block);
    }
    if (r->nmarks > 4) sb_add(out, " +%u", r->nmarks - 4);
}

static void inspect_text_regions(const struct inspect *in, uint32_t func, struct sb *out) {
    struct table t;
    table_init(&t, "lllrrrl");
    TABLE_HEAD(&t, "region", "ends at", "begins at", "depth", "blocks", "branches", "");
    for (uint32_t k = 0, n = 0; in->regions && k < in->regions->n; k++) {
        const struct cfg_region *r = &in->regions->v[k];
        if (r->func != func) continue;
        struct sb marks = {0};
        inspect_text_begins(in, r, &marks);
        table_cell(&t, "R%u", n++);
        table_cell(&t, "B%u", r->join);
        table_cell(&t, "%s", marks.text);
        table_cell(&t, "%u", r->depth);
        table_cell(&t, "%u", r->nblocks);
        table_cell(&t, "%u", r->nbranches);
        table_cell(&t, "%s%s", r->loop != CFG_NONE ? "loop" : "", r->widened ? " widened" : "");
        sb_free(&marks);
    }
    inspect_text_add_table(in, out, "Reconvergence regions", &t);
}

static void inspect_text_loops(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct cfg_func *f = &in->cfg->funcs[func];
    struct table t;
    table_init(&t, "lrlrrrl");
    TABLE_HEAD(&t, "header", "line", "source", "depth", "blocks", "exits", "");
    for (uint32_t i = f->loop; i < f->loop + f->nloops; i++) {
        const struct cfg_loop *l = &in->cfg->loops[i];
        uint32_t pc = in->cfg->blocks[l->header].first;
        struct sb source = {0};
        inspect_text_place(in, pc, &source);
        table_cell(&t, "B%u", l->header);
        table_cell(&t, "%u", in->ir->code.v[pc].line);
        table_cell(&t, "%s", source.text ? source.text : "");
        table_cell(&t, "%u", l->depth);
        table_cell(&t, "%u", l->nblocks);
        table_cell(&t, "%u", l->nexits);
        table_cell(&t, "%s", l->infinite ? "no way out" : l->breaks ? "breaks" : "");
        sb_free(&source);
    }
    inspect_text_add_table(in, out, "Loops", &t);
}

static void structure(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct cfg_func *f = &in->cfg->funcs[func];
    inspect_text_label(in, out, "structured");
    if (f->structure == CFG_STRUCTURED)
        sb_add(out, "yes");
    else
        sb_add(out, "no, %s: %s", cfg_structure_name(f->structure), f->why_text);
    if (f->why != CFG_NONE) sb_add(out, " (line %u)", in->ir->code.v[in->cfg->blocks[f->why].first].line);
    sb_add(out, "\n");
}

static void inspect_text_mix(const struct inspect *in, uint32_t func, struct sb *out) {
    uint32_t n[IR_NCLASSES], all = in->ir->funcs.v[func].end - in->ir->funcs.v[func].entry;
    struct table t;
    inspect_mix(in, func, n);
    table_init(&t, "lrr");
    TABLE_HEAD(&t, "class", "count", "share");
    for (int c = 0; c < IR_NCLASSES; c++) {
        if (!n[c]) continue;
        table_cell(&t, "%s", ir_class_name[c]);
        table_cell(&t, "%u", n[c]);
        table_cell(&t, "%.1f %%", 100.0 * n[c] / all);
    }
    inspect_text_add_table(in, out, "Instruction mix", &t);
}

/* Who it calls, each name once. */
static void calls(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    uint8_t *seen = xcalloc(in->ir->funcs.n + 1, 1);
    bool indirect = false;
    struct sb names = {0};
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = &in->ir->code.v[pc];
        uint32_t callee = i->op == IR_CALL ? in->ir->ext.v[i->ext + IR_CALL_FUNC] : IR_NOPC;
        indirect |= i->op == IR_CALL_IND;
        if (callee >= in->ir->funcs.n || seen[callee]++) continue;
        sb_add(&names, "%s", names.len ? ", " : "");
        demangle_name(in->ir->funcs.v[callee].name, &names);
    }
    if (indirect) sb_add(&names, "%sindirectly", names.len ? ", and " : "");
    if (names.len) {
        inspect_text_label(in, out, "calls");
        sb_add(out, "%s%s\n", names.text, f->recursive ? " (recursive)" : "");
    }
    sb_free(&names);
    free(seen);
}

/* Lists jumps of machine code by registers whose table was not found, which are taken to leave the function. */
static void unknown_jumps(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    struct sb list = {0};
    for (uint32_t pc = f->entry; in->ir->binary && pc < f->end; pc++) {
        const struct ir_insn *i = &in->ir->code.v[pc];
        if (i->op != IR_BRX || in->ir->ext.v[i->ext] || ir_is_const(i->o[0])) continue;
        sb_add(&list, "%s%llx", list.len ? ", " : "", (unsigned long long)in->ir->binary->addr[pc]);
    }
    if (list.len) {
        inspect_text_label(in, out, "jumps");
        sb_add(out, "to places that are not known, taken to leave the function: at %s\n", list.text);
    }
    sb_free(&list);
}

static void not_supported(const struct inspect *in, uint32_t func, struct sb *out) {
    uint32_t n, *list = ir_unsupported(in->ir, func, &n);
    struct table t;
    table_init(&t, "llrrl");
    TABLE_HEAD(&t, "instruction", "function", "line", "times", "reason");
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_func *f = &in->ir->funcs.v[list[i]];
        for (uint32_t r = 0; r < f->nrefused; r++) {
            table_cell(&t, "%s", f->refused[r].form);
            name_cell(&t, f->name);
            table_cell(&t, "%u", f->refused[r].line);
            table_cell(&t, "%u", f->refused[r].count);
            table_cell(&t, "%s", f->refused[r].why);
        }
    }
    free(list);
    inspect_text_add_table(in, out, "Instructions that are not supported", &t);
}

static uint32_t count_added(const struct inspect *in, uint32_t func) {
    uint32_t n = 0;
    for (uint32_t pc = in->ir->funcs.v[func].entry; pc < in->ir->funcs.v[func].end; pc++)
        n += (in->ir->code.v[pc].flags & IR_F_ADDED) != 0;
    return n;
}

/* How much longer the code is than the program's own. */
static void expansion(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct ir_func *is = &in->ir->funcs.v[func];
    const uint32_t was = inspect_original_insts(in, func);
    sb_add(out, ", %u of them added by the form %s", count_added(in, func), in->form);
    if (was) sb_add(out, ": %.2f times the %u of the original", (double)(is->end - is->entry) / was, was);
}

/* What the form is made of, instruction by instruction. */
static void inspect_text_marks(const struct inspect *in, uint32_t func, struct sb *out) {
    struct table t;
    struct ir_names names;
    uint32_t pc = in->ir->funcs.v[func].entry, at;
    ir_names_init(&names, in->ir);
    table_init(&t, "lrllrl");
    TABLE_HEAD(&t, "block", "pc", "instruction", "added", "line", "source");
    while (inspect_next_mark(in, func, &pc, &at)) {
        const struct ir_insn *i = &in->ir->code.v[at];
        struct sb text = {0}, source = {0};
        ir_print_named(&text, in->ir, &names, at);
        inspect_text_place(in, at, &source);
        table_cell(&t, "B%u", i->block);
        table_cell(&t, "%u", at);
        table_cell(&t, "%s", text.text);
        table_cell(&t, "%s", i->flags & IR_F_ADDED ? "yes" : "no");
        table_cell(&t, "%u", i->line);
        table_cell(&t, "%s", source.text ? source.text : "");
        sb_free(&text);
        sb_free(&source);
    }
    inspect_text_add_table(in, out, "Marks", &t);
    ir_names_free(&names);
}

static void inspect_text_function(const struct inspect *in, uint32_t func, struct sb *out) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    struct inspect_needs n = inspect_needs(in, func);
    sb_add(out, "\n%s %s", f->kernel ? "kernel" : "function", term_on(in->term, TERM_BOLD));
    if (!demangle_signature(f->name, out)) sb_add(out, "%s", f->name);
    sb_add(out, "%s  (line %u)\n", term_on(in->term, TERM_PLAIN), f->line);
    if (f->unsupported) {
        inspect_text_label(in, out, "cannot run");
        sb_add(out, "it may get to instructions that are not supported\n");
    }
    inspect_text_label(in, out, "registers");
    sb_add(out, "%u of 32 bits for each thread, about %u in compiled code\n", n.registers, n.compiled);
    inspect_text_label(in, out, "memory");
    if (f->kernel) sb_add(out, "shared %u bytes, ", n.shared_bytes);
    sb_add(out, "local %u bytes", n.local_bytes);
    if (f->kernel) sb_add(out, ", parameters %u bytes", f->param_bytes);
    sb_add(out, "\n");
    inspect_text_label(in, out, "code");
    uint32_t blocks = in->cfg->funcs[func].nblocks;
    sb_add(out, "%u instructions in %u block%s", f->end - f->entry, blocks, blocks == 1 ? "" : "s");
    if (in->form) expansion(in, func, out);
    sb_add(out, "\n");
    structure(in, func, out);
    calls(in, func, out);
    unknown_jumps(in, func, out);
    if (f->unsupported) not_supported(in, func, out);
    inspect_text_parameters(in, func, out);
    inspect_text_branches(in, func, out);
    if (in->form) inspect_text_marks(in, func, out);
    inspect_text_regions(in, func, out);
    inspect_text_loops(in, func, out);
    inspect_text_mix(in, func, out);
}

static void inspect_text_variables(const struct inspect *in, struct sb *out) {
    struct table t;
    table_init(&t, "llrr");
    TABLE_HEAD(&t, "name", "space", "bytes", "align");
    for (size_t i = 0; i < in->ir->vars.n; i++) {
        const struct ir_var *v = &in->ir->vars.v[i];
        name_cell(&t, v->name);
        table_cell(&t, "%s",
                   v->kind == IR_VAR_DATA     ? ir_space_name[v->space]
                   : v->kind == IR_VAR_TEXREF ? "texture"
                                              : "other");
        if (v->dynamic)
            table_cell(&t, "dynamic");
        else
            table_cell(&t, "%llu", (unsigned long long)v->bytes);
        table_cell(&t, "%u", v->align);
    }
    if (table_rows(&t) > 1) {
        sb_add(out, "\n%svariables%s\n", term_on(in->term, TERM_BOLD), term_on(in->term, TERM_PLAIN));
        table_print(&t, 4, out);
    }
    table_free(&t);
}

void inspect_text(const struct inspect *in, struct sb *out) {
    const struct ir_module *m = in->ir;
    if (m->binary && m->binary->entry)
        sb_add(out, "%s  RISC-V (RV64GC), from 0x%llx\n", m->name, (unsigned long long)m->binary->entry);
    else if (m->binary)
        sb_add(out, "%s  RISC-V (RV64GC), kernels without a main\n", m->name);
    else
        sb_add(out, "%s  PTX %u.%u, sm_%u, %u-bit addresses\n", m->name, m->version_major, m->version_minor,
               m->sm, m->address_bits);
    for (int kernels = 1; kernels >= 0; kernels--)
        for (uint32_t f = 0; f < m->funcs.n; f++)
            if (inspect_wants(in, f) && m->funcs.v[f].kernel == kernels) inspect_text_function(in, f, out);
    if (in->only == CFG_NONE) inspect_text_variables(in, out);
}
