/* Modules: text to program to analysis to an image on the device, and what can be asked about them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exec/tape/tape.h"
#include "front/ptx/ptx.h"
#include "front/riscv/riscv.h"
#include "front/sass/sass.h"
#include "sim/device/internal.h"
#include "sim/file.h"
#include "sim/observe/sample.h"

/* ---- kernel descriptions, made once at load ---- */

static const hd_param_info *describe_params(hd_module *mod, const struct ir_func *f) {
    hd_param_info *info = ARENA_NEW(&mod->mem, hd_param_info, f->nparams);
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        info[i] = (hd_param_info){.name = p->name,
                                  .bytes = p->bytes,
                                  .align = p->align,
                                  .offset = p->offset,
                                  .type = p->type == IR_T_NONE ? "bytes" : ir_type_name[p->type],
                                  .pointer = p->pointer};
    }
    return info;
}

static void describe_kernel(hd_module *mod, struct hd_kernel *k, uint32_t func, uint64_t local_bytes) {
    const struct ir_func *f = &mod->ir->funcs.v[func];
    k->mod = mod;
    k->func = func;
    k->info = (hd_kernel_info){.name = f->name,
                               .nparams = f->nparams,
                               .params = describe_params(mod, f),
                               .param_bytes = f->param_bytes,
                               .registers = f->total_regs,
                               .shared_bytes = f->shared_bytes,
                               .local_bytes = local_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)local_bytes,
                               .instructions = f->end - f->entry,
                               .blocks = mod->cfg->funcs[func].nblocks};
    memcpy(k->info.max_threads, f->maxntid, sizeof f->maxntid);
    memcpy(k->info.required_threads, f->reqntid, sizeof f->reqntid);
}

static void describe_kernels(hd_module *mod) {
    const struct ir_module *ir = mod->ir;
    uint64_t *local = xcalloc(ir->funcs.n, sizeof *local);
    sim_local_bytes(ir, local);
    mod->kernels = ARENA_NEW(&mod->mem, struct hd_kernel, ir->funcs.n);
    for (uint32_t f = 0; f < ir->funcs.n; f++)
        if (ir->funcs.v[f].kernel && ir->funcs.v[f].defined)
            describe_kernel(mod, &mod->kernels[mod->nkernels++], f, local[f]);
    xfree(local);
}

/* ---- kernels that cannot run ---- */

static bool only_calls(const struct ir_func *f) {
    for (uint32_t r = 0; r < f->nrefused; r++)
        if (!f->refused[r].call) return false;
    return true;
}

static void explain_unsupported(const hd_kernel *k, struct sb *out) {
    const struct ir_module *ir = k->mod->ir;
    uint32_t n, *list = ir_unsupported(ir, k->func, &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_func *f = &ir->funcs.v[list[i]];
        const struct ir_place at = ir_place(ir, ir->funcs.v[k->func].line);
        sb_add(out, "%s:%" PRIu32 ": error: kernel %s cannot run: it ", at.name, at.line, k->info.name);
        if (list[i] != k->func) sb_add(out, "may call %s, which ", f->name);
        sb_add(out, "%s\n",
               only_calls(f) ? "calls functions that are not defined"
                             : "uses instructions that are not supported");
        for (uint32_t r = 0; r < f->nrefused; r++) sb_add(out, "%s", f->refused[r].text);
    }
    xfree(list);
    while (out->len && out->text[out->len - 1] == '\n') out->text[--out->len] = '\0';
}

/* The reason why a kernel cannot run. It is made on demand, since a module may have many such kernels that are never
 * launched. */
static const char *why_unsupported(const hd_kernel *k) {
    if (!k->mod->ir->funcs.v[k->func].unsupported || k->info.unsupported) return k->info.unsupported;
    struct sb text = {0};
    explain_unsupported(k, &text);
    return k->mod->kernels[k - k->mod->kernels].info.unsupported = sb_keep(&text, &k->mod->mem);
}

hd_status sim_supported(const hd_kernel *k) {
    const char *why = why_unsupported(k);
    return why ? sim_refuse(k->mod->dev, "%s", why) : HD_OK;
}

/* ---- the .const window ---- */

static bool const_symbol(const hd_module *mod, uint32_t var, uint64_t *addr, uint64_t *bytes) {
    return mod->ir->vars.v[var].space == IR_SP_CONST && exec_image_symbol(mod->image, var, addr, bytes);
}

/* Gives the module its part of the window: as long as its constant space reaches, with a gap to the next. */
static bool device_place_constants(hd_module *mod, struct err *e) {
    enum { GAP = 4096 };
    uint64_t addr, bytes;
    for (uint32_t v = 0; v < mod->ir->vars.n; v++)
        if (const_symbol(mod, v, &addr, &bytes) && addr + bytes > mod->const_bytes)
            mod->const_bytes = addr + bytes;
    mod->const_base = mod->dev->const_end;
    mod->dev->const_end += mod->const_bytes / GAP * GAP + 2 * (uint64_t)GAP;
    return exec_image_map_constants(mod->image, mod->const_base, e);
}

const struct ir_var *sim_const_find(const hd_device *dev, uint64_t addr, uint64_t *base) {
    const hd_module *mod = dev->modules;
    while (mod && !(addr >= mod->const_base && addr - mod->const_base < mod->const_bytes)) mod = mod->next;
    if (!mod) return NULL;
    uint64_t at = addr - mod->const_base, start, size;
    for (uint32_t v = 0; v < mod->ir->vars.n; v++)
        if (const_symbol(mod, v, &start, &size) && at >= start && at - start < size) {
            *base = mod->const_base + start;
            return &mod->ir->vars.v[v];
        }
    return NULL;
}

/* ---- loading ---- */

static void module_free(hd_module *mod) {
    for (int f = 0; f < CFG_FORMS; f++) cfg_rewrite_free(mod->form[f]);
    for (size_t k = 0; k < mod->nkernels; k++) {
        arena_free(&mod->kernels[k].tables.mem);
        exec_plan_free(mod->kernels[k].plan);
    }
    if (mod->image) exec_image_free(mod->image);
    if (mod->cfg) cfg_free(mod->cfg);
    if (mod->ir) ir_module_free(mod->ir);
    xfree(mod->branch);
    sample_free(mod->samples);
    account_free(mod->account);
    profile_free(&mod->profile);
    arena_free(&mod->mem);
    xfree(mod);
}

static bool device_module_build(hd_module *mod, const char *name, const struct ptx_text *texts, size_t n,
                                struct err *e) {
    const char *text = texts->text;
    const size_t bytes = texts->len;
    mod->ir = n == 1 && riscv_is(text, bytes)  ? riscv_load(name, text, bytes, e)
              : n == 1 && sass_is(text, bytes) ? sass_load(name, text, bytes, e)
                                               : ptx_link(name, texts, n, e);
    if (!mod->ir) return false;
    mod->cfg = cfg_analyse(mod->ir, (enum cfg_exits)mod->dev->options.cfg.exits, e);
    if (mod->cfg) mod->cfg->wide_warps = mod->dev->options.machine.sm.warp_size > EXEC_LANES;
    if (!mod->cfg) return false;
    enum exec_isa isa = (enum exec_isa)mod->dev->options.exec.isa;
    mod->image = exec_image_new(mod->dev->mem, mod->ir, isa, e);
    return mod->image && device_place_constants(mod, e);
}

static void log_warnings(const hd_module *mod) {
    const char *w = mod->ir->warnings;
    size_t n = strlen(w);
    while (n && w[n - 1] == '\n') n--;
    sim_log(mod->dev, HD_LOG_WARNING, "%.*s", (int)n, w);
}

static hd_status load_texts(hd_device *dev, const char *name, const struct ptx_text *texts, size_t n,
                            hd_module **out) {
    hd_module *mod = xcalloc(1, sizeof *mod);
    mod->dev = dev;
    struct err e = {0};
    if (!device_module_build(mod, name ? name : "module", texts, n, &e)) {
        module_free(mod);
        return sim_fail(dev, &e);
    }
    err_free(&e);
    for (size_t i = 0; i < n && dev->journal; i++) sim_journal_input(dev, texts[i].text, texts[i].len);
    if (*mod->ir->warnings) log_warnings(mod);
    describe_kernels(mod);
    mod->next = dev->modules;
    dev->modules = mod;
    *out = mod;
    sim_log(dev, mod->nkernels || mod->ir->binary ? HD_LOG_INFO : HD_LOG_WARNING,
            "%s: %zu kernel%s, %zu instructions", mod->ir->name, mod->nkernels, mod->nkernels == 1 ? "" : "s",
            mod->ir->code.n);
    return HD_OK;
}

static hd_status device_module_load(hd_device *dev, const char *name, const char *text, size_t bytes,
                                    hd_module **out) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!text || !out) return sim_refuse(dev, "hd_module_load: text and mod must not be NULL");
    *out = NULL;
    const struct ptx_text one = {name, text, bytes ? bytes : strlen(text)};
    return load_texts(dev, name, &one, 1, out);
}

hd_status hd_module_load(hd_device *dev, const char *name, const char *text, size_t bytes, hd_module **out) {
    SIM_CALL(dev, device_module_load(dev, name, text, bytes, out));
}

static hd_status link_texts(hd_device *dev, const char *name, const hd_text *texts, size_t n,
                            hd_module **out) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!texts || !n || !out)
        return sim_refuse(dev, "hd_module_link: texts and mod must not be NULL, n not 0");
    *out = NULL;
    struct ptx_text *list = xcalloc(n, sizeof *list);
    for (size_t i = 0; i < n && !s; i++) {
        const hd_text *t = &texts[i];
        if (!t->text)
            s = sim_refuse(dev, "hd_module_link: text %zu is NULL", i);
        else
            list[i] = (struct ptx_text){t->name ? t->name : "module", t->text,
                                        t->bytes ? t->bytes : strlen(t->text)};
    }
    if (!s) s = load_texts(dev, name, list, n, out);
    xfree(list);
    return s;
}

hd_status hd_module_link(hd_device *dev, const char *name, const hd_text *texts, size_t n, hd_module **out) {
    SIM_CALL(dev, link_texts(dev, name, texts, n, out));
}

static hd_status device_module_load_file(hd_device *dev, const char *path, hd_module **out) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!path || !out) return sim_refuse(dev, "hd_module_load_file: path and mod must not be NULL");
    *out = NULL;
    struct sb text = {0};
    struct err e = {0};
    if (file_read(path, &text, &e))
        s = device_module_load(dev, path, text.text, text.len, out);
    else
        s = sim_fail(dev, &e);
    sb_free(&text);
    return s;
}

hd_status hd_module_load_file(hd_device *dev, const char *path, hd_module **out) {
    SIM_CALL(dev, device_module_load_file(dev, path, out));
}

void sim_unload(hd_module *mod) {
    hd_module **at = &mod->dev->modules;
    if (mod->dev->failed && mod->dev->failed->mod == mod) {
        mod->dev->failed = NULL;
        mod->dev->failure.source = mod->dev->failure.file = NULL;
    }
    while (*at != mod) at = &(*at)->next;
    *at = mod->next;
    module_free(mod);
}

void hd_module_unload(hd_module *mod) {
    struct ledger_point p;
    if (!mod || mod->dev->life->lost || !sim_enter(mod->dev, &p)) return;
    if (setjmp(p.at)) {
        sim_lose(mod->dev);
        return;
    }
    if (!sim_ready(mod->dev)) sim_unload(mod);
    ledger_leave(&p);
}

/* ---- questions ---- */

size_t hd_module_kernel_count(const hd_module *mod) {
    return mod ? mod->nkernels : 0;
}

hd_kernel *hd_module_kernel_at(hd_module *mod, size_t index) {
    return mod && index < mod->nkernels ? &mod->kernels[index] : NULL;
}

static hd_status no_such(const hd_module *mod, const char *what, const char *name, const char *const *names) {
    const char *near = nearest_name(name, names);
    if (near)
        return sim_refuse(mod->dev, "%s has no %s \"%s\"; did you mean %s?", mod->ir->name, what, name, near);
    return sim_refuse(mod->dev, "%s has no %s \"%s\"", mod->ir->name, what, name);
}

static hd_status device_module_find_kernel(hd_module *mod, const char *name, hd_kernel **k) {
    if (!mod) return HD_INVALID;
    if (!name || !k) return sim_refuse(mod->dev, "hd_module_kernel: name and k must not be NULL");
    *k = NULL;
    const char **names = xcalloc(mod->nkernels + 1, sizeof *names);
    for (size_t i = 0; i < mod->nkernels; i++) {
        names[i] = mod->kernels[i].info.name;
        if (!strcmp(names[i], name)) *k = &mod->kernels[i];
    }
    hd_status s = *k ? sim_supported(*k) : no_such(mod, "kernel", name, names);
    if (s) *k = NULL;
    xfree(names);
    return s;
}

hd_status hd_module_kernel(hd_module *mod, const char *name, hd_kernel **k) {
    SIM_CALL(mod ? mod->dev : NULL, device_module_find_kernel(mod, name, k));
}

static hd_status no_such_variable(const hd_module *mod, const char *name) {
    const char **names = xcalloc(mod->ir->vars.n + 1, sizeof *names);
    for (size_t i = 0; i < mod->ir->vars.n; i++) names[i] = mod->ir->vars.v[i].name;
    hd_status s = no_such(mod, "variable", name, names);
    xfree(names);
    return s;
}

static hd_status no_address(const hd_module *mod, const struct ir_var *v) {
    if (v->kind != IR_VAR_DATA)
        return sim_refuse(mod->dev, "%s is a texture, sampler or surface reference", v->name);
    if (v->space == IR_SP_SHARED)
        return sim_refuse(mod->dev, "%s is a .shared variable: it has no address outside a launch", v->name);
    return sim_refuse(mod->dev, "%s is declared .extern and defined nowhere", v->name);
}

static hd_status find_symbol(hd_module *mod, const char *name, uint64_t *addr, uint64_t *bytes) {
    if (!mod) return HD_INVALID;
    if (!name || !addr) return sim_refuse(mod->dev, "hd_module_symbol: name and addr must not be NULL");
    int var = ir_find_var(mod->ir, name);
    if (var < 0) return no_such_variable(mod, name);
    const struct ir_var *v = &mod->ir->vars.v[var];
    uint64_t at, size;
    if (v->kind != IR_VAR_DATA || !exec_image_symbol(mod->image, (uint32_t)var, &at, &size))
        return no_address(mod, v);
    *addr = v->space == IR_SP_CONST ? mod->const_base + at : at;
    if (bytes) *bytes = size;
    return HD_OK;
}

hd_status hd_module_symbol(hd_module *mod, const char *name, uint64_t *addr, uint64_t *bytes) {
    SIM_CALL(mod ? mod->dev : NULL, find_symbol(mod, name, addr, bytes));
}

static hd_status place_symbol(hd_module *mod, const char *name, void *host, uint64_t addr) {
    hd_status s = sim_ready(mod ? mod->dev : NULL);
    if (s) return s;
    if (!name) return sim_refuse(mod->dev, "hd_module_place: name must not be NULL");
    int var = ir_find_var(mod->ir, name);
    if (var < 0) return no_such_variable(mod, name);
    if ((s = sim_check_place(mod->dev, mod->ir->vars.v[var].bytes, addr))) return s;
    struct err e = {0};
    return exec_image_move(mod->image, (uint32_t)var, addr, host, &e) ? HD_OK : sim_fail(mod->dev, &e);
}

hd_status hd_module_place(hd_module *mod, const char *name, void *host, uint64_t addr) {
    SIM_CALL(mod ? mod->dev : NULL, place_symbol(mod, name, host, addr));
}

static bool has_address(const hd_module *mod, size_t var) {
    uint64_t addr, bytes;
    return mod->ir->vars.v[var].kind == IR_VAR_DATA &&
           exec_image_symbol(mod->image, (uint32_t)var, &addr, &bytes);
}

size_t hd_module_symbol_count(const hd_module *mod) {
    size_t n = 0;
    for (size_t i = 0; mod && i < mod->ir->vars.n; i++) n += has_address(mod, i);
    return n;
}

static hd_status symbol_at(hd_module *mod, size_t index, hd_symbol_info *info) {
    size_t i = 0, vars = mod ? mod->ir->vars.n : 0;
    if (!mod) return HD_INVALID;
    if (!info) return sim_refuse(mod->dev, "hd_module_symbol_at: info must not be NULL");
    for (; i < vars && (!has_address(mod, i) || index); i++) index -= has_address(mod, i);
    if (i == vars) return sim_refuse(mod->dev, "%s has no more variables", mod->ir->name);
    const struct ir_var *v = &mod->ir->vars.v[i];
    *info = (hd_symbol_info){.name = v->name,
                             .align = v->align,
                             .type = ir_type_name[v->type],
                             .constant = v->space == IR_SP_CONST};
    return find_symbol(mod, v->name, &info->addr, &info->bytes);
}

hd_status hd_module_symbol_at(hd_module *mod, size_t index, hd_symbol_info *info) {
    SIM_CALL(mod ? mod->dev : NULL, symbol_at(mod, index, info));
}

static hd_status get_info(const hd_kernel *k, hd_kernel_info *info) {
    if (!k) return HD_INVALID;
    if (!info) return sim_refuse(k->mod->dev, "hd_kernel_get_info: info must not be NULL");
    why_unsupported(k);
    *info = k->info;
    return HD_OK;
}

hd_status hd_kernel_get_info(const hd_kernel *k, hd_kernel_info *info) {
    SIM_CALL(k ? k->mod->dev : NULL, get_info(k, info));
}

/* ---- for the folders above ---- */

const struct ir_module *sim_module_ir(const hd_module *mod) {
    return mod->ir;
}

/* Whether all that func may get to has the form. */
static bool form_holds(const struct ir_module *m, uint32_t func, const struct rewrite *r, struct err *e) {
    if (!r->refused) return true;
    bool *seen = xcalloc(m->funcs.n, sizeof *seen), holds = true;
    if (func == CFG_NONE)
        memset(seen, true, m->funcs.n * sizeof *seen);
    else
        ir_reach(m, func, seen);
    for (size_t f = 0; holds && f < m->funcs.n; f++)
        if (seen[f] && r->refused[f]) holds = err_set(e, ERR_INPUT, "%s", r->refused[f]);
    xfree(seen);
    return holds;
}

bool sim_form(hd_module *mod, uint32_t func, const struct rewrite **out, struct err *e) {
    const struct options *o = &mod->dev->options;
    const int64_t *param;
    const struct mech_ops *ops = options_mech(o, &param);
    const enum cfg_form form =
        o->run.form == RUN_FORM_AUTO ? mech_form(ops, param) : (enum cfg_form)o->run.form;
    *out = NULL;
    if (form == CFG_FORM_NONE) return true;
    if (!mod->form[form]) mod->form[form] = cfg_make_partial_form(mod->ir, mod->cfg, form, e);
    if (!mod->form[form] || !form_holds(mod->ir, func, mod->form[form], e)) return false;
    *out = mod->form[form];
    return true;
}

const struct cfg *sim_module_cfg(const hd_module *mod) {
    return mod->cfg;
}

uint32_t sim_kernel_func(const hd_kernel *k) {
    return k->func;
}

hd_module *sim_kernel_module(const hd_kernel *k) {
    return k->mod;
}

void sim_profile(const hd_module *mod, struct profile *out) {
    profile_make(out, mod->ir, mod->branch, mod->account);
}
