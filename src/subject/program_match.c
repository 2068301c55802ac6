/* Arguments of a launch against the kernel's parameters, by number and size. A size that does not match is an
 * error; an integer for a parameter declared as a float, or the reverse, which compilers do not write by accident, is a
 * warning. */
#include <string.h>

#include "subject/program.h"
#include "value/demangle.h"

#include "lab/run/kernel.h"
#include "sim/sim.h"

/* An --arg that fits the parameter, for a command line to paste. A 64-bit integer is most likely an address. */
static void program_match_sample(const hd_param_info *p, struct sb *out) {
    if (p->pointer || !strcmp(p->type, "u64"))
        sb_add(out, " --arg 'buf:f32[1024]=iota'");
    else if (!strcmp(p->type, "bytes"))
        sb_add(out, " --arg '{u8[%u]:0}'", p->bytes);
    else
        sb_add(out, " --arg %s:%s", p->type, p->bytes == 1 ? "1" : *p->type == 'f' ? "1.0" : "1024");
}

static void program_match_shape(struct sb *out, const char *option, const uint32_t d[3]) {
    sb_add(out, " %s %u", option, d[0]);
    if (d[1] > 1 || d[2] > 1) sb_add(out, ",%u", d[1]);
    if (d[2] > 1) sb_add(out, ",%u", d[2]);
}

static void template(const struct program *p, size_t kernels, struct sb *out) {
    sb_add(out, "heddle %s ", p->cli->command->name);
    if (p->before) sb_add(out, "%s ", p->before);
    sb_add(out, "%s", p->file);
    if (kernels > 1)
        sb_add(out, strncmp(p->info.name, "_Z", 2) ? " --kernel %s" : " --kernel '%s'", p->info.name);
    program_match_shape(out, "--grid", p->launch.grid);
    program_match_shape(out, "--block", p->launch.block);
    for (size_t i = 0; i < p->info.nparams; i++) {
        if (i < p->args.n)
            sb_add(out, " --arg '%s'", p->args.v[i].text);
        else
            program_match_sample(&p->info.params[i], out);
    }
}

static bool wrong_number(const struct program *p, size_t kernels, struct err *e) {
    struct sb text = {0};
    size_t want = p->info.nparams, have = p->args.n;
    sb_add(&text, "kernel %s takes %zu argument%s, %zu given", p->info.name, want, want == 1 ? "" : "s",
           have);
    if (have < want) sb_add(&text, ": missing");
    for (size_t i = have; i < want; i++)
        sb_add(&text, "%s %zu: %s (%s)", i > have ? "," : "", i, p->info.params[i].name,
               kernel_param_type(&p->info.params[i]));
    sb_add(&text, "\nFor example:\n  ");
    template(p, kernels, &text);
    err_set(e, ERR_INPUT, "%s", text.text);
    sb_free(&text);
    return false;
}

/* An integer for a float, or a float for an integer: the bits are passed as they are, which is seldom meant. */
static void warn_of_type(const struct program *r, size_t i) {
    const struct program_arg *a = &r->args.v[i];
    const hd_param_info *p = &r->info.params[i];
    const bool given = ir_type_float(a->spec.type), wanted = *p->type == 'f';
    struct sb text = {0};
    if (given == wanted || (given && !p->pointer && *p->type != 'u' && *p->type != 's')) return;
    sb_add(&text, "argument %zu (%.60s) is %s, parameter %s is declared %s", i, a->text,
           given ? "a float" : "an integer", p->name, kernel_param_type(p));
    if (given) sb_add(&text, ": it gets the bits of the float");
    term_warning(&r->cli->term, r->cli->command->name, text.text);
    sb_free(&text);
}

static bool match_one(const struct program *r, size_t i, bool bits, struct err *e) {
    const struct program_arg *a = &r->args.v[i];
    const hd_param_info *p = &r->info.params[i];
    /* addresses take what the module's addresses take: 4 bytes in a 32-bit module */
    bool address = a->spec.kind == ARG_BUFFER || a->spec.kind == ARG_SYMBOL || a->spec.kind == ARG_POINTER;
    uint64_t have = address ? 8 : arg_bytes(&a->spec);
    if (have != p->bytes && !(address && p->bytes == 4))
        return err_set(e, ERR_INPUT, "argument %zu (%.60s) has %llu byte%s, parameter %s (%s) takes %u", i,
                       a->text, (unsigned long long)have, have == 1 ? "" : "s", p->name, kernel_param_type(p),
                       p->bytes);
    if (a->spec.kind == ARG_SCALAR && !bits) warn_of_type(r, i);
    return true;
}

bool program_match(const struct program *p, const hd_kernel *k, struct err *e) {
    const hd_module *mod = sim_kernel_module(k);
    const struct ir_func *f = &sim_module_ir(mod)->funcs.v[sim_kernel_func(k)];
    if (p->args.n != p->info.nparams) return wrong_number(p, hd_module_kernel_count(mod), e);
    for (size_t i = 0; i < p->args.n; i++)
        if (!match_one(p, i, f->params[i].bits, e)) return false;
    return true;
}
