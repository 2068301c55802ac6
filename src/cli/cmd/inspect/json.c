/* The inspection as JSON. Block numbers are those of the text, through the file; loops count within their
 * function. null stands for "none" (the function's exit as a post-dominator, no loop, no source line). */
#include <jansson.h>
#include <stdlib.h>

#include "cli/cmd/inspect/inspect.h"

static void inspect_json_put(json_t *o, const char *key, uint64_t v) {
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *block_number(uint32_t block) {
    return block == CFG_NONE ? json_null() : json_integer(block);
}

static json_t *block_list(const struct inspect *in, uint32_t first, uint32_t n) {
    json_t *a = json_array();
    for (uint32_t i = 0; i < n; i++) json_array_append_new(a, block_number(in->cfg->edges[first + i]));
    return a;
}

/* "line" in the PTX text, "source" where known. */
static void put_place(const struct inspect *in, json_t *o, uint32_t pc) {
    const char *file;
    uint32_t line;
    inspect_json_put(o, "line", in->ir->code.v[pc].line);
    bool known = inspect_source(in, pc, &file, &line);
    json_object_set_new(
        o, "source", known ? json_pack("{s:s, s:I}", "file", file, "line", (json_int_t)line) : json_null());
}

static json_t *inspect_json_parameters(const struct ir_func *f) {
    json_t *a = json_array();
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(p->name ? p->name : "_"));
        json_object_set_new(o, "type", json_string(p->type == IR_T_NONE ? "bytes" : ir_type_name[p->type]));
        json_object_set_new(o, "pointer", json_boolean(p->pointer));
        inspect_json_put(o, "bytes", p->bytes);
        inspect_json_put(o, "align", p->align);
        inspect_json_put(o, "offset", p->offset);
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *inspect_json_block(const struct inspect *in, uint32_t func, uint32_t k) {
    const struct cfg_block *b = &in->cfg->blocks[k];
    json_t *o = json_object();
    json_object_set_new(o, "block", block_number(k));
    inspect_json_put(o, "first", b->first);
    inspect_json_put(o, "end", b->end);
    put_place(in, o, b->first);
    json_object_set_new(o, "successors", block_list(in, b->succ, b->nsucc));
    json_object_set_new(o, "predecessors", block_list(in, b->pred, b->npred));
    json_object_set_new(o, "idom", block_number(b->idom));
    json_object_set_new(o, "ipdom", block_number(b->ipdom));
    json_object_set_new(
        o, "loop", b->loop == CFG_NONE ? json_null() : json_integer(b->loop - in->cfg->funcs[func].loop));
    inspect_json_put(o, "priority", b->priority);
    json_object_set_new(o, "joins", json_boolean(cfg_block_joins(in->ir, in->cfg, k)));
    json_object_set_new(o, "reachable", json_boolean(b->reachable));
    return o;
}

/* Each block, with its thread frontier: null when the frontiers of the function would be too many to list. */
static json_t *inspect_json_blocks(const struct inspect *in, uint32_t func) {
    enum { MOST = 1 << 20 };
    const struct cfg_func *f = &in->cfg->funcs[func];
    struct cfg_frontiers fr = {0};
    struct err refused = {0};
    bool known = cfg_frontiers(in->cfg, func, MOST, &fr, &refused);
    json_t *a = json_array();
    for (uint32_t k = 0; k < f->nblocks; k++) {
        json_t *o = inspect_json_block(in, func, f->block + k),
               *frontier = known ? json_array() : json_null();
        for (uint32_t i = known ? fr.first[k] : 0; known && i < fr.first[k + 1]; i++)
            json_array_append_new(frontier, block_number(fr.block[i]));
        json_object_set_new(o, "frontier", frontier);
        json_array_append_new(a, o);
    }
    if (known) cfg_frontiers_free(&fr);
    err_free(&refused);
    return a;
}

/* The block of a PC; null for IR_NOPC. */
static json_t *inspect_json_block_of(const struct inspect *in, uint32_t pc) {
    return block_number(pc == IR_NOPC ? CFG_NONE : in->ir->code.v[pc].block);
}

static json_t *inspect_json_branches(const struct inspect *in, uint32_t func) {
    json_t *a = json_array();
    struct inspect_branch b;
    uint32_t pc = in->ir->funcs.v[func].entry;
    while (inspect_next_branch(in, func, &pc, &b)) {
        const struct cfg_block *k = &in->cfg->blocks[b.block];
        json_t *o = json_object();
        inspect_json_put(o, "pc", b.pc);
        json_object_set_new(o, "op", json_string(b.kind));
        json_object_set_new(o, "block", block_number(b.block));
        put_place(in, o, b.pc);
        json_object_set_new(o, "targets", block_list(in, k->succ, k->nsucc));
        json_object_set_new(o, "ipdom", inspect_json_block_of(in, in->ir->code.v[b.pc].rpc));
        const char *diverges = inspect_diverges(in, b.pc);
        json_object_set_new(o, "diverges", diverges ? json_string(diverges) : json_null());
        json_object_set_new(o, "likely", inspect_json_block_of(in, in->likely[b.pc]));
        json_array_append_new(a, o);
    }
    return a;
}

/* What a form is made of: name, whether it was added, the block and register it speaks of, Tesla's flag. */
static json_t *form_marks(const struct inspect *in, uint32_t func) {
    json_t *a = json_array();
    uint32_t pc = in->ir->funcs.v[func].entry, at;
    while (inspect_next_mark(in, func, &pc, &at)) {
        const struct ir_insn *i = &in->ir->code.v[at];
        const bool barrier = i->op == IR_MARK && i->sub >= IR_MK_BSSY && i->sub <= IR_MK_BREAK;
        const bool speaks = (i->op == IR_MARK || i->op == IR_BRA) && i->target != IR_NOPC;
        json_t *o = json_object();
        inspect_json_put(o, "pc", at);
        json_object_set_new(o, "op", json_string(ir_insn_name(i)));
        json_object_set_new(o, "block", block_number(i->block));
        put_place(in, o, at);
        json_object_set_new(o, "added", json_boolean(i->flags & IR_F_ADDED));
        json_object_set_new(o, "branch", json_boolean(i->op == IR_BRA));
        json_object_set_new(o, "guarded", json_boolean(i->guard & IR_GUARD_INDEX));
        json_object_set_new(o, "sync_flag", json_boolean(i->flags & IR_F_SYNC));
        json_object_set_new(o, "target", block_number(speaks ? in->ir->code.v[i->target].block : CFG_NONE));
        json_object_set_new(o, "register", barrier ? json_integer(i->reg) : json_null());
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *inspect_json_marks(const struct inspect *in, uint32_t first, uint32_t n) {
    json_t *a = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const struct cfg_mark *m = &in->regions->marks[first + i];
        json_t *o = json_object();
        json_object_set_new(o, "pc", m->pc == IR_NOPC ? json_null() : json_integer(m->pc));
        json_object_set_new(o, "to", m->to == IR_NOPC ? json_null() : json_integer(m->to));
        json_array_append_new(a, o);
    }
    return a;
}

/* parent counts within the function, as loops do. null when the regions of the file have too many marks to list. */
static json_t *inspect_json_regions(const struct inspect *in, uint32_t func) {
    if (!in->regions) return json_null();
    json_t *a = json_array();
    uint32_t first = 0;
    while (first < in->regions->n && in->regions->v[first].func != func) first++;
    for (uint32_t k = first; k < in->regions->n && in->regions->v[k].func == func; k++) {
        const struct cfg_region *r = &in->regions->v[k];
        json_t *o = json_object(), *b = json_array();
        json_object_set_new(o, "join", block_number(r->join));
        json_object_set_new(o, "start", block_number(r->start));
        json_object_set_new(o, "parent",
                            r->parent == CFG_NONE ? json_null() : json_integer(r->parent - first));
        inspect_json_put(o, "depth", r->depth);
        inspect_json_put(o, "blocks", r->nblocks);
        for (uint32_t i = 0; i < r->nbranches; i++)
            json_array_append_new(b, json_integer(in->regions->branches[r->branch + i]));
        json_object_set_new(o, "branches", b);
        json_object_set_new(o, "marks", inspect_json_marks(in, r->mark, r->nmarks));
        json_object_set_new(o, "bare", inspect_json_marks(in, r->bare, r->nbare));
        json_object_set_new(
            o, "loop", r->loop == CFG_NONE ? json_null() : json_integer(r->loop - in->cfg->funcs[func].loop));
        json_object_set_new(o, "widened", json_boolean(r->widened));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *inspect_json_loops(const struct inspect *in, uint32_t func) {
    const struct cfg_func *f = &in->cfg->funcs[func];
    json_t *a = json_array();
    for (uint32_t i = f->loop; i < f->loop + f->nloops; i++) {
        const struct cfg_loop *l = &in->cfg->loops[i];
        json_t *o = json_object();
        json_object_set_new(o, "header", block_number(l->header));
        put_place(in, o, in->cfg->blocks[l->header].first);
        json_object_set_new(o, "parent",
                            l->parent == CFG_NONE ? json_null() : json_integer(l->parent - f->loop));
        inspect_json_put(o, "depth", l->depth);
        inspect_json_put(o, "blocks", l->nblocks);
        inspect_json_put(o, "exits", l->nexits);
        json_object_set_new(o, "breaks", json_boolean(l->breaks));
        json_object_set_new(o, "infinite", json_boolean(l->infinite));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *inspect_json_mix(const struct inspect *in, uint32_t func) {
    uint32_t n[IR_NCLASSES];
    json_t *o = json_object();
    inspect_mix(in, func, n);
    for (int c = 0; c < IR_NCLASSES; c++)
        if (n[c]) inspect_json_put(o, ir_class_name[c], n[c]);
    return o;
}

/* Empty for what can run. */
static json_t *not_supported(const struct inspect *in, uint32_t func) {
    uint32_t n, *list = ir_unsupported(in->ir, func, &n);
    json_t *a = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_func *f = &in->ir->funcs.v[list[i]];
        for (uint32_t r = 0; r < f->nrefused; r++) {
            const struct ir_refused *x = &f->refused[r];
            json_t *o = json_object();
            json_object_set_new(o, "instruction", json_string(x->form));
            json_object_set_new(o, "function", json_string(f->name));
            inspect_json_put(o, "line", x->line);
            inspect_json_put(o, "column", x->col);
            inspect_json_put(o, "count", x->count);
            json_object_set_new(o, "reason", *x->why ? json_string(x->why) : json_null());
            json_array_append_new(a, o);
        }
    }
    free(list);
    return a;
}

static json_t *inspect_json_function(const struct inspect *in, uint32_t func) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    const struct cfg_func *g = &in->cfg->funcs[func];
    struct inspect_needs n = inspect_needs(in, func);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(f->name));
    json_object_set_new(o, "kernel", json_boolean(f->kernel));
    inspect_json_put(o, "line", f->line);
    json_object_set_new(o, "parameters", inspect_json_parameters(f));
    inspect_json_put(o, "registers", n.registers);
    inspect_json_put(o, "compiled_registers", n.compiled);
    inspect_json_put(o, "shared_bytes", n.shared_bytes);
    inspect_json_put(o, "local_bytes", n.local_bytes);
    json_object_set_new(o, "recursive", json_boolean(f->recursive));
    json_object_set_new(o, "unsupported", not_supported(in, func));
    inspect_json_put(o, "instructions", f->end - f->entry);
    if (in->form) inspect_json_put(o, "original_instructions", inspect_original_insts(in, func));
    json_object_set_new(o, "structure", json_string(cfg_structure_name(g->structure)));
    json_object_set_new(o, "why", *g->why_text ? json_string(g->why_text) : json_null());
    json_object_set_new(o, "why_block", block_number(g->why));
    json_object_set_new(o, "priority_is_pc_order", json_boolean(cfg_priority_is_pc_order(in->cfg, func)));
    json_object_set_new(o, "blocks", inspect_json_blocks(in, func));
    json_object_set_new(o, "branches", inspect_json_branches(in, func));
    if (in->form) json_object_set_new(o, "marks", form_marks(in, func));
    json_object_set_new(o, "regions", inspect_json_regions(in, func));
    json_object_set_new(o, "loops", inspect_json_loops(in, func));
    json_object_set_new(o, "mix", inspect_json_mix(in, func));
    return o;
}

static json_t *inspect_json_variables(const struct inspect *in) {
    json_t *a = json_array();
    for (size_t i = 0; i < in->ir->vars.n; i++) {
        const struct ir_var *v = &in->ir->vars.v[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(v->name));
        json_object_set_new(o, "space", json_string(ir_space_name[v->space]));
        json_object_set_new(o, "dynamic", json_boolean(v->dynamic));
        inspect_json_put(o, "bytes", v->bytes);
        inspect_json_put(o, "align", v->align);
        json_array_append_new(a, o);
    }
    return a;
}

bool inspect_json(const struct inspect *in, struct sb *out, struct err *e) {
    const struct ir_module *m = in->ir;
    json_t *root = json_object(), *functions = json_array();
    json_object_set_new(root, "file", json_string(m->name));
    json_object_set_new(root, "ptx",
                        json_pack("[I,I]", (json_int_t)m->version_major, (json_int_t)m->version_minor));
    if (in->form) json_object_set_new(root, "form", json_string(in->form));
    inspect_json_put(root, "sm", m->sm);
    inspect_json_put(root, "address_bits", m->address_bits);
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (inspect_wants(in, f)) json_array_append_new(functions, inspect_json_function(in, f));
    json_object_set_new(root, "functions", functions);
    if (in->only == CFG_NONE) json_object_set_new(root, "variables", inspect_json_variables(in));
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    if (!text) return err_set(e, ERR_MEMORY, "no memory for the JSON text");
    sb_add(out, "%s\n", text);
    free(text);
    return true;
}
