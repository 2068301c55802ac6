/* Arguments of a launch: matched with the kernel's parameters by number and size, then made: buffers filled
 * and copied to the device, symbols looked up. A size that does not match is an error; an integer for a
 * parameter declared as a float, which compilers do not write by accident, is a warning. */
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"

static const char *param_type(const hd_param_info *p) {
    return p->pointer ? "pointer" : p->type;
}

void run_signature(const hd_kernel_info *k, struct sb *out) {
    sb_add(out, "%s(", k->name);
    for (size_t i = 0; i < k->nparams; i++) {
        const hd_param_info *p = &k->params[i];
        sb_add(out, "%s%s", i ? ", " : "", param_type(p));
        if (!strcmp(p->type, "bytes")) sb_add(out, "[%u]", p->bytes);
    }
    sb_add(out, ")");
}

/* An --arg that fits the parameter, for a command line to paste. A 64-bit integer is most likely an address.
 */
static void sample(const hd_param_info *p, struct sb *out) {
    if (p->pointer || !strcmp(p->type, "u64"))
        sb_add(out, " --arg 'buf:f32[1024]=iota'");
    else if (!strcmp(p->type, "bytes")) {
        sb_add(out, " --arg bytes:");
        for (uint32_t i = 0; i < p->bytes; i++) sb_add(out, "00");
    } else
        sb_add(out, " --arg %s:%s", p->type, p->bytes == 1 ? "1" : *p->type == 'f' ? "1.0" : "1024");
}

static void shape(struct sb *out, const char *option, const uint32_t d[3]) {
    sb_add(out, " %s %u", option, d[0]);
    if (d[1] > 1 || d[2] > 1) sb_add(out, ",%u", d[1]);
    if (d[2] > 1) sb_add(out, ",%u", d[2]);
}

static void template(const struct run *r, struct sb *out) {
    sb_add(out, "heddle run %s", r->file);
    if (hd_module_kernel_count(r->mod) > 1) sb_add(out, " --kernel %s", r->info.name);
    shape(out, "--grid", r->launch.grid);
    shape(out, "--block", r->launch.block);
    for (size_t i = 0; i < r->info.nparams; i++) {
        if (i < r->args.n)
            sb_add(out, " --arg '%s'", r->args.v[i].text);
        else
            sample(&r->info.params[i], out);
    }
}

static bool wrong_number(const struct run *r, struct err *e) {
    struct sb text = {0};
    size_t want = r->info.nparams, have = r->args.n;
    sb_add(&text, "kernel %s takes %zu argument%s, %zu given", r->info.name, want, want == 1 ? "" : "s",
           have);
    if (have < want) sb_add(&text, ": missing");
    for (size_t i = have; i < want; i++)
        sb_add(&text, "%s %zu: %s (%s)", i > have ? "," : "", i, r->info.params[i].name,
               param_type(&r->info.params[i]));
    sb_add(&text, "\nFor example:\n  ");
    template(r, &text);
    err_set(e, ERR_INPUT, "%s", text.text);
    sb_free(&text);
    return false;
}

static bool match_one(const struct run *r, size_t i, struct err *e) {
    const struct run_arg *a = &r->args.v[i];
    const hd_param_info *p = &r->info.params[i];
    /* addresses take what the module's addresses take: 4 bytes in a 32-bit module */
    bool address = a->spec.kind == ARG_BUFFER || a->spec.kind == ARG_SYMBOL;
    uint64_t have = address ? 8 : arg_bytes(&a->spec);
    if (have != p->bytes && !(address && p->bytes == 4))
        return err_set(e, ERR_INPUT, "argument %zu (%.60s) has %llu byte%s, parameter %s (%s) takes %u", i,
                       a->text, (unsigned long long)have, have == 1 ? "" : "s", p->name, param_type(p),
                       p->bytes);
    bool integer = a->spec.kind == ARG_SCALAR && !ir_type_float(a->spec.type);
    if (*p->type == 'f' && integer) {
        struct sb text = {0};
        sb_add(&text, "argument %zu (%.60s) is an integer, parameter %s is declared %s", i, a->text, p->name,
               p->type);
        term_warning(&r->cli->term, "run", text.text);
        sb_free(&text);
    }
    return true;
}

bool run_match_args(struct run *r, struct err *e) {
    if (r->args.n != r->info.nparams) return wrong_number(r, e);
    for (size_t i = 0; i < r->args.n; i++)
        if (!match_one(r, i, e)) return false;
    return true;
}

/* ---- on the device ---- */

static bool contents(struct arg_spec *s, uint8_t **data, struct err *e) {
    if (s->fill == ARG_FILE) return arg_read_file(s, data, e);
    uint64_t bytes = s->count * arg_bytes(s);
    if (!(*data = try_pages(bytes)))
        return err_set(e, ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    arg_fill(s, s->count, *data);
    return true;
}

static bool place_buffer(struct run *r, struct run_arg *a, size_t number, struct err *e) {
    struct sb label = {0};
    uint8_t *data = NULL;
    bool fine = true;
    /* the device is asked first: it refuses what is too large before the host tries to fill it; zeros need no
     * copy */
    if (a->spec.fill == ARG_FILE) fine = contents(&a->spec, &data, e);
    fine = fine && run_check(r, hd_alloc(r->dev, a->spec.count * arg_bytes(&a->spec), &a->addr), e);
    if (fine && !data && a->spec.fill != ARG_ZERO) fine = contents(&a->spec, &data, e);
    if (fine && data)
        fine = run_check(r, hd_copy_in(r->dev, a->addr, data, a->spec.count * arg_bytes(&a->spec)), e);
    sb_add(&label, "argument %zu", number);
    fine = fine && run_check(r, hd_label(r->dev, a->addr, label.text), e);
    sb_free(&label);
    free(data);
    return fine;
}

static bool place_one(struct run *r, struct run_arg *a, size_t number, struct err *e) {
    uint64_t bytes;
    switch (a->spec.kind) {
    case ARG_SCALAR: return true;
    case ARG_BUFFER: return place_buffer(r, a, number, e);
    case ARG_SYMBOL: return run_check(r, hd_module_symbol(r->mod, a->spec.text, &a->addr, &bytes), e);
    case ARG_BYTES:
        a->bytes = arena_alloc(&r->mem, arg_bytes(&a->spec));
        arg_decode(&a->spec, a->bytes);
        return true;
    }
    return true;
}

bool run_place_args(struct run *r, struct err *e) {
    for (size_t i = 0; i < r->args.n; i++)
        if (!place_one(r, &r->args.v[i], i, e))
            return err_set(e, e->code, "argument %zu (%.60s): %s", i, r->args.v[i].text, err_text(e));
    return true;
}

static hd_arg scalar(const struct arg_spec *s) {
    switch (ir_type_bytes[s->type]) {
    case 1: return (hd_arg){.type = HD_ARG_U8, .v = {.u = s->value}};
    case 2: return (hd_arg){.type = HD_ARG_U16, .v = {.u = s->value}};
    case 4: return (hd_arg){.type = HD_ARG_U32, .v = {.u = s->value}};
    default: return (hd_arg){.type = HD_ARG_U64, .v = {.u = s->value}};
    }
}

/* Scalars go as the bits they are, whatever their type. */
void run_pack_args(const struct run *r, hd_arg *out) {
    for (size_t i = 0; i < r->args.n; i++) {
        const struct run_arg *a = &r->args.v[i];
        if (a->spec.kind == ARG_SCALAR)
            out[i] = scalar(&a->spec);
        else if (a->spec.kind == ARG_BYTES)
            out[i] = hd_arg_bytes(a->bytes, (uint32_t)arg_bytes(&a->spec));
        else
            out[i] = hd_arg_ptr(a->addr);
    }
}
