/* A launch of a script: arguments against the kernel's parameters, before anything runs and again with their values. */
#include <stdlib.h>
#include <string.h>

#include "lab/run/kernel.h"
#include "script/state.h"

/* ---- what is known without a run ---- */

static bool match_arg(const struct script *s, const struct script_arg *a, const hd_param_info *p,
                      struct err *e) {
    enum ir_type type;
    uint64_t bytes = a->kind == SARG_STRUCT    ? a->bytes
                     : a->kind == SARG_POINTER ? p->bytes == 4 ? 4 : 8
                                               : ir_type_bytes[a->value.type];
    if (a->kind == SARG_EXPR) {
        if (arg_type_by_name(p->type, strlen(p->type), &type)) return true;
        return script_error(s, a->at, e, "parameter %s is a struct of %u bytes: give its fields in braces",
                            p->name, p->bytes);
    }
    return bytes == p->bytes || script_error(s, a->at, e, "%llu byte%s for parameter %s (%s), which takes %u",
                                             (unsigned long long)bytes, bytes == 1 ? "" : "s", p->name,
                                             p->pointer ? "pointer" : p->type, p->bytes);
}

static bool wrong_number(const struct script *s, const struct script_statement *l, const hd_kernel_info *info,
                         struct err *e) {
    struct sb text = {0};
    kernel_signature(info, &text);
    script_error(s, l->at, e, "%zu argument%s for %s", l->args.v.n, l->args.v.n == 1 ? "" : "s", text.text);
    sb_free(&text);
    return false;
}

bool launch_match(const struct script *s, const struct script_statement *l, hd_device *dev, hd_module *mod,
                  hd_kernel **k, hd_kernel_info *info, struct err *e) {
    struct err reason = {0};
    bool fine = kernel_by_name("the file", l->text, dev, mod, k, &reason) &&
                lab_check(dev, hd_kernel_get_info(*k, info), &reason);
    if (fine && info->unsupported) fine = err_set(&reason, ERR_INPUT, "%s", info->unsupported);
    if (!fine) script_error(s, l->at, e, "%s", err_text(&reason));
    err_free(&reason);
    if (!fine) return false;
    if (info->nparams != l->args.v.n) return wrong_number(s, l, info, e);
    if (!l->block.v.n && !info->required_threads[0])
        return script_error(s, l->at, e, "'block' is missing: kernel %s does not say how many threads it has",
                            info->name);
    for (size_t i = 0; i < l->args.v.n; i++)
        if (!match_arg(s, &l->args.v.v[i], &info->params[i], e)) return false;
    return true;
}

/* ---- with values ---- */

static bool script_launch_address(struct script_state *st, const struct script_field *f, struct script_at at,
                                  uint64_t *out) {
    const struct script_memory *m = &st->buffers[f->buffer];
    int64_t i = 0;
    if (m->constant)
        return script_error(st->s, at, st->e, "%s is a .const variable, whose address a kernel cannot take",
                            st->s->buffers.v[f->buffer].name);
    if (f->element && !eval_int(st, f->element, "index", 0, (int64_t)m->count - 1, &i)) return false;
    *out = m->addr + (uint64_t)i * ir_type_bytes[m->type];
    return true;
}

static bool field_bits(struct script_state *st, const struct script_field *f, struct script_at at,
                       uint64_t *out) {
    return f->expr ? eval_bits(st, f->expr, f->type, out) : script_launch_address(st, f, at, out);
}

static bool make_struct(struct script_state *st, const struct script_arg *a, hd_arg *out) {
    uint8_t *data = xcalloc(a->bytes + 1, 1);
    *out = hd_arg_bytes(data, (uint32_t)a->bytes); /* freed by run_launch */
    for (size_t i = 0; i < a->fields.n; i++) {
        const struct script_field *f = &a->fields.v[i];
        uint64_t bits;
        if (!field_bits(st, f, a->at, &bits)) return false;
        array_set(data + f->offset, 0, f->expr ? ir_type_bytes[f->type] : 8, bits);
    }
    return true;
}

static hd_arg script_launch_scalar(enum ir_type type, uint64_t bits) {
    static const hd_arg_type types[] = {
        [1] = HD_ARG_U8, [2] = HD_ARG_U16, [4] = HD_ARG_U32, [8] = HD_ARG_U64};
    return (hd_arg){.type = types[ir_type_bytes[type]], .v = {.u = bits}};
}

static bool make_arg(struct script_state *st, const struct script_arg *a, const hd_param_info *p,
                     hd_arg *out) {
    enum ir_type type = a->value.type;
    uint64_t bits = 0;
    if (a->kind == SARG_STRUCT) return make_struct(st, a, out);
    if (a->kind == SARG_POINTER) {
        bool fine = script_launch_address(st, &a->value, a->at, &bits);
        return *out = hd_arg_ptr(bits), fine;
    }
    if (a->kind == SARG_EXPR) CHECK(arg_type_by_name(p->type, strlen(p->type), &type));
    bool fine = eval_bits(st, a->value.expr, type, &bits);
    return *out = script_launch_scalar(type, bits), fine;
}

static bool script_launch_dimensions(struct script_state *st, const struct script_exprs *x, const char *what,
                                     uint32_t out[3]) {
    for (size_t i = 0; i < 3; i++) {
        int64_t v = 1;
        if (i < x->v.n && !eval_int(st, x->v.v[i], what, 1, UINT32_MAX, &v)) return false;
        out[i] = (uint32_t)v;
    }
    return true;
}

static bool script_launch_shape(struct script_state *st, const struct script_statement *s,
                                const hd_kernel_info *info, hd_launch *l) {
    int64_t shared = 0;
    if (!script_launch_dimensions(st, &s->grid, "grid", l->grid) ||
        !script_launch_dimensions(st, &s->block, "block", l->block))
        return false;
    for (int i = 0; i < 3 && !s->block.v.n; i++)
        l->block[i] = info->required_threads[i] ? info->required_threads[i] : 1;
    if (s->shared && !eval_int(st, s->shared, "shared", 0, UINT32_MAX, &shared)) return false;
    l->shared_bytes = (uint32_t)shared;
    return true;
}

bool run_launch(struct script_state *st, const struct script_statement *s) {
    hd_kernel *k;
    hd_kernel_info info;
    hd_launch l = {0};
    const size_t n = s->args.v.n;
    hd_arg *args = xcalloc(n + 1, sizeof *args);
    struct err e = {0};
    bool fine = launch_match(st->s, s, st->stage->dev, st->stage->mod, &k, &info, st->e) &&
                script_launch_shape(st, s, &info, &l);
    for (size_t i = 0; i < n && fine; i++) fine = make_arg(st, &s->args.v.v[i], &info.params[i], &args[i]);
    if (fine && !(fine = lab_stage_launch(st->stage, k, &l, args, n, &e))) {
        script_error(st->s, s->at, st->e, "%s", err_text(&e));
        st->e->code = e.code;
    }
    for (size_t i = 0; i < n; i++)
        if (args[i].type == HD_ARG_BYTES) free((void *)args[i].v.data);
    free(args);
    err_free(&e);
    return fine;
}
