/* heddle inspect: what is known of a PTX file or a workload before it runs. Here: loading, choosing, and the questions that
 * the text (text.c) and the JSON (json.c) both ask. */
#include "cli/cmd/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "cfg/likely.h"
#include "subject/subject.h"
#include "value/demangle.h"

bool inspect_wants(const struct inspect *in, uint32_t func) {
    return in->ir->funcs.v[func].defined && (in->only == CFG_NONE || in->only == func);
}

static bool kernel_info(const struct inspect *in, uint32_t func, hd_kernel_info *info) {
    for (size_t i = 0; i < hd_module_kernel_count(in->mod); i++) {
        hd_kernel *k = hd_module_kernel_at(in->mod, i);
        if (sim_kernel_func(k) == func) return !hd_kernel_get_info(k, info);
    }
    return false;
}

struct inspect_needs inspect_needs(const struct inspect *in, uint32_t func) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    hd_kernel_info k;
    if (f->kernel && kernel_info(in, func, &k))
        return (struct inspect_needs){k.registers, f->total_compiled, k.shared_bytes, k.local_bytes};
    return (struct inspect_needs){f->total_regs, f->total_compiled, 0, f->frame_bytes};
}

bool inspect_next_branch(const struct inspect *in, uint32_t func, uint32_t *pc, struct inspect_branch *b) {
    while (*pc < in->ir->funcs.v[func].end) {
        const struct ir_insn *i = &in->ir->code.v[(*pc)++];
        bool guarded = i->guard & IR_GUARD_INDEX || (i->op == IR_BRA && i->ns);
        bool parts = i->op == IR_BRX || (guarded && (i->op == IR_BRA || i->op == IR_RET || i->op == IR_EXIT));
        if (!parts) continue;
        *b = (struct inspect_branch){*pc - 1, i->block, ir_ops[i->op].name};
        return true;
    }
    return false;
}

bool inspect_next_mark(const struct inspect *in, uint32_t func, uint32_t *pc, uint32_t *at) {
    while (*pc < in->ir->funcs.v[func].end) {
        const struct ir_insn *i = &in->ir->code.v[ *at = (*pc)++];
        if (i->op == IR_MARK || i->flags & (IR_F_ADDED | IR_F_SYNC) || (i->op == IR_BRA && i->sub))
            return true;
    }
    return false;
}

void inspect_mix(const struct inspect *in, uint32_t func, uint32_t mix[IR_NCLASSES]) {
    const struct ir_func *f = &in->ir->funcs.v[func];
    memset(mix, 0, IR_NCLASSES * sizeof *mix);
    for (uint32_t pc = f->entry; pc < f->end; pc++) mix[ir_ops[in->ir->code.v[pc].op].cls]++;
}

bool inspect_source(const struct inspect *in, uint32_t pc, const char **file, uint32_t *line) {
    const struct ir_srcloc *s = pc < in->ir->src.n ? &in->ir->src.v[pc] : NULL;
    if (!s || !s->file || !s->line || s->file >= in->ir->files.n || !in->ir->files.v[s->file]) return false;
    const char *path = in->ir->files.v[s->file], *slash = strrchr(path, '/');
    *file = slash ? slash + 1 : path;
    *line = s->line;
    return true;
}

const char *inspect_diverges(const struct inspect *in, uint32_t pc) {
    if (in->varies[pc] & CFG_VARIES_WARP) return "warp";
    return in->varies[pc] & CFG_VARIES_BLOCK ? "block" : NULL;
}

uint32_t inspect_original_insts(const struct inspect *in, uint32_t func) {
    const struct ir_func *f = &sim_module_ir(in->mod)->funcs.v[func];
    return f->end - f->entry;
}

/* ---- the command ---- */

/* What is known of branches, for the text and the JSON. */
static void inspect_analyse(struct inspect *in) {
    enum { MOST_MARKS = 1 << 20 };
    struct err refused = {0};
    uint8_t *warp = xcalloc(in->ir->code.n + 1, 1);
    in->varies = cfg_uniform(in->ir, in->cfg);
    in->likely = cfg_likely(in->ir, in->cfg);
    for (size_t pc = 0; pc < in->ir->code.n; pc++) warp[pc] = in->varies[pc] & CFG_VARIES_WARP;
    in->regions = cfg_regions(in->ir, in->cfg, warp, MOST_MARKS, &refused);
    err_free(&refused);
    free(warp);
}

static bool load_workload(struct inspect *in, const struct workload *w, struct err *e) {
    struct sb name = {0};
    sb_add(&name, "@%s", w->name);
    const hd_status s = hd_module_load(in->dev, name.text, w->code, w->code_bytes, &in->mod);
    sb_free(&name);
    return lab_check(in->dev, s, e);
}

static bool load_module(struct inspect *in, const struct cli *c, const struct opts *o, struct err *e) {
    const char *operand = o->operands.v[0];
    const struct workload *w = subject_workload(operand, o, e);
    if (w) return load_workload(in, w, e);
    if (subject_named(operand)) return false;
    struct program p;
    program_file(&p, c, operand, o);
    const bool fine =
        (!opts_has(o, "isa") || err_set(e, ERR_INPUT, "--isa is for workloads (@NAME), not for files")) &&
        program_read(&p, e) &&
        lab_check(in->dev, hd_module_load(in->dev, p.file, p.text.text, p.text.len, &in->mod), e);
    program_free(&p);
    return fine;
}

static bool inspect_load(struct inspect *in, const struct cli *c, const struct opts *o, struct err *e) {
    const char *form = in->form;
    hd_option chosen = {"run.form", form};
    const hd_config config = {.options = &chosen, .noptions = 1};
    const struct rewrite *runs = NULL;
    if (!subject_open(c, form ? &config : NULL, &in->dev, e) || !load_module(in, c, o, e)) return false;
    if (form && !sim_form(in->mod, CFG_NONE, &runs, e)) return false;
    in->ir = runs ? runs->m : sim_module_ir(in->mod);
    in->cfg = runs ? runs->cfg : sim_module_cfg(in->mod);
    return true;
}

static bool inspect_unknown_name(const struct inspect *in, const char *name, const char *near,
                                 struct err *e) {
    if (near)
        return err_set(e, ERR_INPUT, "%s has no kernel or function %.60s (did you mean %s?)", in->ir->name,
                       name, near);
    return err_set(e, ERR_INPUT, "%s has no kernel or function %.60s", in->ir->name, name);
}

static bool inspect_choose(struct inspect *in, const char *name, struct err *e) {
    VEC(const char *) names = {0};
    struct sb where = {0};
    in->only = CFG_NONE;
    if (!name) return true;
    sb_add(&where, "%s has", in->ir->name);
    for (size_t i = 0; i < in->ir->funcs.n; i++)
        if (in->ir->funcs.v[i].defined) VEC_PUSH(&names, in->ir->funcs.v[i].name);
    const size_t n = names.n, found = demangle_find(name, names.v, n, where.text, e);
    VEC_PUSH(&names, NULL);
    if (found < n) in->only = (uint32_t)ir_find_func(in->ir, names.v[found]);
    const bool fine =
        found < n || (found == n && inspect_unknown_name(in, name, nearest_name(name, names.v), e));
    VEC_FREE(&names);
    sb_free(&where);
    return fine;
}

/* --dot draws one graph: the function that was named, or the only kernel. */
static bool inspect_draw(const struct inspect *in, struct sb *out, struct err *e) {
    uint32_t func = in->only, kernels = 0;
    for (uint32_t f = 0; f < in->ir->funcs.n && in->only == CFG_NONE; f++)
        if (in->ir->funcs.v[f].kernel) func = f, kernels++;
    if (kernels > 1)
        return err_set(e, ERR_INPUT, "%s has %u kernels; --dot draws one: --kernel NAME", in->ir->name,
                       kernels);
    if (func == CFG_NONE) return err_set(e, ERR_INPUT, "%s has no kernel to draw", in->ir->name);
    cfg_dot(out, in->ir, in->cfg, func, in->code);
    return true;
}

static void list_code(const struct inspect *in, struct sb *out) {
    struct sb code = {0};
    bool first = true;
    for (uint32_t f = 0; f < in->ir->funcs.n; f++) {
        if (!inspect_wants(in, f)) continue;
        if (!first) sb_add(&code, "\n");
        cfg_print(&code, in->ir, in->cfg, f);
        first = false;
    }
    demangle_text(code.text ? code.text : "", out);
    sb_free(&code);
}

static bool inspect_show(struct inspect *in, const struct opts *o, struct sb *out, struct err *e) {
    if (opts_has(o, "dot")) return inspect_draw(in, out, e);
    if (opts_has(o, "json")) return inspect_analyse(in), inspect_json(in, out, e);
    if (in->code) return list_code(in, out), true;
    inspect_analyse(in);
    inspect_text(in, out);
    return true;
}

enum cli_exit inspect_main(struct cli *c, const struct opts *o) {
    struct inspect in = {.term = &c->term, .form = opts_value(o, "form"), .code = opts_has(o, "code")};
    struct err e = {0};
    struct sb out = {0};
    enum cli_exit status = CLI_OK;
    if (opts_has(o, "json") && (opts_has(o, "dot") || in.code)) {
        err_set(&e, ERR_INPUT, "--json stands alone: it holds everything that --dot draws");
        status = cli_usage(c, &e);
    } else if (inspect_load(&in, c, o, &e) && inspect_choose(&in, opts_value(o, "kernel"), &e) &&
               inspect_show(&in, o, &out, &e)) {
        term_print(&c->term, &out);
    } else {
        status = cli_fail(c, &e);
    }
    cfg_regions_free(in.regions);
    free(in.likely);
    free(in.varies);
    hd_device_close(in.dev);
    sb_free(&out);
    err_free(&e);
    return status;
}
