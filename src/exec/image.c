/* A module placed on a device: its variables get addresses, its constants become rows, every operation gets
 * the executor of this machine. .shared addresses are known only at a launch, because each kernel lays out
 * its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/host.h"
#include "exec/impl.h"

static bool choose_executors(struct exec_image *im, enum exec_isa isa, struct err *e) {
    exec_fn *const *alu = exec_alu_portable;
    exec_fn *bra = alu_rv_bra_portable;
    im->access = &exec_access_portable;
    if (isa == EXEC_ISA_AVX2 && !host_has_avx2()) return err_set(e, ERR_INPUT, "this machine has no AVX2");
#if defined(__x86_64__)
    if (isa != EXEC_ISA_PORTABLE && host_has_avx2()) {
        alu = exec_alu_avx2;
        bra = alu_rv_bra_avx2;
        im->access = &exec_access_avx2;
    }
#endif
    for (int op = 0; op < IR_NOPS; op++) im->fn[op] = ir_ops[op].kind == 'M' ? exec_other[op] : alu[op];
    for (int op = IR_LD_U8; op <= IR_LD_U64; op++) im->fn[op] = im->access->ld;
    for (int op = IR_ST_U8; op <= IR_ST_U64; op++) im->fn[op] = im->access->st;
    for (int op = IR_RV_FP32; op <= IR_RV_FBITS64; op++) im->fn[op] = alu[op];
    if (im->m->binary) machine_executors(im->fn, bra);
    return true;
}

static bool has_bytes(const struct ir_var *v) {
    return v->kind == IR_VAR_DATA && (v->space == IR_SP_GLOBAL || v->space == IR_SP_CONST);
}

/* Constants first, to know the size of their bank. */
static bool exec_image_place_constants(struct exec_image *im, struct err *e) {
    uint64_t end = 0;
    for (size_t k = 0; k < im->m->vars.n; k++) {
        const struct ir_var *v = &im->m->vars.v[k];
        if (!has_bytes(v) || v->space != IR_SP_CONST) continue;
        uint64_t align = v->align ? v->align : 1;
        if (v->bytes > EXEC_MAX_CONST ||
            (end = (end + align - 1) / align * align) + v->bytes > EXEC_MAX_CONST)
            return err_set(e, ERR_INPUT, "%s: constant memory is full at %s (%d bytes in all)", im->m->name,
                           v->name, EXEC_MAX_CONST);
        im->addr[k] = end;
        end += v->bytes;
    }
    im->bank_bytes = end;
    im->bank = try_alloc((size_t)end + 1);
    return im->bank ||
           err_set(e, ERR_MEMORY, "%s: no memory for %" PRIu64 " bytes of constants", im->m->name, end);
}

static bool place_variable(struct exec_image *im, uint32_t var, uint64_t fixed, void *host, uint64_t *addr,
                           struct err *e) {
    const struct ir_var *v = &im->m->vars.v[var];
    struct sb label = {0};
    sb_add(&label, "symbol %s", v->name);
    const struct exec_place p = {.bytes = v->bytes,
                                 .align = v->align,
                                 .kind = EXEC_MEM_VARIABLE,
                                 .fixed = fixed,
                                 .host = host,
                                 .label = label.text};
    const bool placed = exec_mem_place(im->mem, &p, addr, e);
    sb_free(&label);
    return placed;
}

static bool place_globals(struct exec_image *im, struct err *e) {
    for (size_t k = 0; k < im->m->vars.n; k++) {
        const struct ir_var *v = &im->m->vars.v[k];
        if (!has_bytes(v) || v->space != IR_SP_GLOBAL || v->external) continue;
        if (!place_variable(im, (uint32_t)k, v->fixed, NULL, &im->addr[k], e)) return false;
    }
    return true;
}

static void copy_initial(struct exec_image *im) {
    for (size_t k = 0; k < im->m->vars.n; k++) {
        const struct ir_var *v = &im->m->vars.v[k];
        uint64_t bytes;
        uint8_t *to = exec_image_bytes(im, (uint32_t)k, &bytes);
        if (to && v->init && v->ninit) memcpy(to, v->init, (size_t)(v->ninit < bytes ? v->ninit : bytes));
    }
}

static bool replicate(struct exec_image *im, struct err *e) {
    const struct ir_module *m = im->m;
    im->k32 = try_alloc(m->k32.n * EXEC_LANES * 4);
    im->k64 = try_alloc(m->k64.n * EXEC_LANES * 8);
    if (!im->k32 || !im->k64) return err_set(e, ERR_MEMORY, "%s: no memory for its constants", m->name);
    for (size_t k = 0; k < m->k32.n * EXEC_LANES; k++) im->k32[k] = m->k32.v[k / EXEC_LANES];
    for (size_t k = 0; k < m->k64.n * EXEC_LANES; k++) im->k64[k] = m->k64.v[k / EXEC_LANES];
    return true;
}

/* The value of a relocation that does not depend on the launch. */
static bool reloc_value(struct exec_image *im, const struct ir_reloc *r, uint64_t *value, struct err *e) {
    const struct ir_module *m = im->m;
    if (r->kind == IR_RELOC_FUNC) {
        *value = EXEC_WIN_FUNC + (uint64_t)r->symbol * 16;
        return true;
    }
    const struct ir_var *v = &m->vars.v[r->symbol];
    if (v->kind != IR_VAR_DATA)
        *value = TEXREF_HANDLE + r->symbol;
    else if (v->external && !v->dynamic)
        return err_set(e, ERR_INPUT, "%s: variable %s is declared .extern and defined nowhere", m->name,
                       v->name);
    else
        *value = im->addr[r->symbol] + (v->space == IR_SP_CONST && r->generic ? EXEC_WIN_CONST : 0);
    *value += (uint64_t)r->addend;
    return true;
}

void entered_clear(struct exec_image *im) {
    while (im->entered.n) im->entered.seen[im->entered.v[--im->entered.n]] = false;
}

void constant_fill(uint32_t *k32, uint64_t *k64, const struct ir_reloc *r, uint64_t value) {
    const size_t at = (size_t)r->constant * EXEC_LANES;
    for (size_t l = at; l < at + EXEC_LANES; l++) {
        if (r->bytes == 8)
            k64[l] = value;
        else
            k32[l] = (uint32_t)value;
    }
}

static bool is_shared(const struct ir_module *m, const struct ir_reloc *r) {
    return r->kind == IR_RELOC_VAR && m->vars.v[r->symbol].space == IR_SP_SHARED;
}

static bool fill_in(struct exec_image *im, const struct ir_reloc *r, struct err *e) {
    uint64_t value = 0, bytes;
    if (!reloc_value(im, r, &value, e)) return false;
    if (r->constant != IR_NOPC) {
        if (r->bytes == 4 && value > UINT32_MAX)
            return err_set(e, ERR_MEMORY, "%s: no room left below 4 GiB for its variables", im->m->name);
        constant_fill(im->k32, im->k64, r, value);
        return true;
    }
    uint8_t *to = exec_image_bytes(im, r->var, &bytes);
    value = r->shift < 64 ? value >> r->shift : 0;
    if (to && r->bytes <= bytes && r->offset <= bytes - r->bytes) memcpy(to + r->offset, &value, r->bytes);
    return true;
}

static bool relocate(struct exec_image *im, struct err *e) {
    const struct ir_module *m = im->m;
    im->shared_relocs = xcalloc(m->relocs.n, sizeof *im->shared_relocs);
    for (size_t k = 0; k < m->relocs.n; k++) {
        const struct ir_reloc *r = &m->relocs.v[k];
        if (is_shared(m, r) && r->constant != IR_NOPC)
            im->shared_relocs[im->nshared_relocs++] = (uint32_t)k;
        else if (is_shared(m, r))
            return err_set(
                e, ERR_INPUT,
                "%s: %s is initialised with the address of .shared %s, which it has only in a kernel",
                m->name, m->vars.v[r->var].name, m->vars.v[r->symbol].name);
        else if (!fill_in(im, r, e))
            return false;
    }
    return true;
}

static bool exec_image_names(const struct ir_reloc *r, uint32_t var) {
    return r->kind == IR_RELOC_VAR && r->symbol == var;
}

static bool may_move(const struct exec_image *im, uint32_t var, uint64_t fixed, struct err *e) {
    const struct ir_module *m = im->m;
    const struct ir_var *v = &m->vars.v[var];
    if (!has_bytes(v) || v->space != IR_SP_GLOBAL || v->external)
        return err_set(e, ERR_INPUT, "%s: %s is not a .global variable that is defined here", m->name,
                       v->name);
    for (size_t k = 0; k < m->relocs.n; k++)
        if (exec_image_names(&m->relocs.v[k], var) && m->relocs.v[k].bytes == 4 &&
            fixed > UINT32_MAX - v->bytes)
            return err_set(e, ERR_INPUT, "%s: a 32-bit module has no variables at 0x%" PRIx64, m->name,
                           fixed);
    return true;
}

bool exec_image_move(struct exec_image *im, uint32_t var, uint64_t fixed, void *host, struct err *e) {
    const struct ir_module *m = im->m;
    uint64_t to, bytes;
    if (!may_move(im, var, fixed, e) || !place_variable(im, var, fixed, host, &to, e)) return false;
    bytes = m->vars.v[var].bytes;
    memcpy(exec_mem_at(im->mem, to, bytes), exec_mem_at(im->mem, im->addr[var], bytes), bytes);
    bool good = exec_mem_release(im->mem, im->addr[var], e);
    im->addr[var] = to;
    for (size_t k = 0; good && k < m->relocs.n; k++)
        if (exec_image_names(&m->relocs.v[k], var)) good = fill_in(im, &m->relocs.v[k], e);
    return good;
}

bool exec_image_map_constants(struct exec_image *im, uint64_t addr, struct err *e) {
    if (!im->bank_bytes) return true;
    struct sb label = {0};
    sb_add(&label, "constants of %s", im->m->name);
    const struct exec_place p = {.bytes = im->bank_bytes,
                                 .kind = EXEC_MEM_VARIABLE,
                                 .fixed = addr,
                                 .host = im->bank,
                                 .label = label.text};
    const bool placed = exec_mem_place(im->mem, &p, &im->bank_at, e);
    sb_free(&label);
    return placed;
}

/* Whatever a front end hands over, execution must not run off the end of a function into another one's
 * registers. */
static bool check_ends(const struct exec_image *im, struct err *e) {
    const struct ir_module *m = im->m;
    if (m->funcs.n > EXEC_MAX_FUNCS)
        return err_set(e, ERR_INPUT, "%s: more than %d functions", m->name, EXEC_MAX_FUNCS);
    for (size_t k = 0; k < m->funcs.n; k++) {
        const struct ir_func *f = &m->funcs.v[k];
        if (!f->defined) continue;
        const struct ir_insn *last = f->end > f->entry ? &m->code.v[f->end - 1] : NULL;
        bool ends = last && !last->guard &&
                    (last->op == IR_RET || last->op == IR_EXIT || last->op == IR_TRAP || last->op == IR_BRA ||
                     last->op == IR_BRX);
        if (!ends)
            return err_set(e, ERR_INPUT, "%s:%" PRIu32 ": %s does not end in ret, exit or a branch", m->name,
                           f->line, f->name);
    }
    for (size_t k = 0; k < m->code.n; k++)
        if (!im->fn[m->code.v[k].op])
            return err_set(e, ERR_INPUT, "%s:%" PRIu32 ": %s cannot be executed", m->name, m->code.v[k].line,
                           ir_ops[m->code.v[k].op].name);
    return true;
}

struct exec_image *exec_image_new(struct exec_mem *mem, const struct ir_module *m, enum exec_isa isa,
                                  struct err *e) {
    struct exec_image *im = xcalloc(1, sizeof *im);
    im->mem = mem;
    im->m = m;
    im->addr = xcalloc(m->vars.n, sizeof *im->addr);
    im->texref = xcalloc(m->vars.n, sizeof *im->texref);
    im->shared_for = IR_NOPC;
    im->entered.v = xcalloc(m->funcs.n, sizeof *im->entered.v);
    im->entered.seen = xcalloc(m->funcs.n, sizeof *im->entered.seen);
    if (choose_executors(im, isa, e) && check_ends(im, e) && exec_image_place_constants(im, e) &&
        place_globals(im, e) && replicate(im, e)) {
        copy_initial(im);
        if (relocate(im, e)) return im;
    }
    exec_image_free(im);
    return NULL;
}

uint64_t exec_constant_bytes(void) {
    return EXEC_MAX_CONST;
}

void exec_image_free(struct exec_image *im) {
    if (!im) return;
    struct err e = {0};
    for (size_t k = 0; k < im->m->vars.n; k++)
        if (has_bytes(&im->m->vars.v[k]) && im->m->vars.v[k].space == IR_SP_GLOBAL && im->addr[k])
            exec_mem_release(im->mem, im->addr[k], &e);
    if (im->bank_at) exec_mem_release(im->mem, im->bank_at, &e);
    err_free(&e);
    xfree(im->bank);
    xfree(im->k32);
    xfree(im->k64);
    xfree(im->addr);
    xfree(im->texref);
    xfree(im->shared_relocs);
    xfree(im->tally);
    xfree(im->entered.v);
    xfree(im->entered.seen);
    pages_free(&im->pages);
    xfree(im);
}

bool exec_image_symbol(const struct exec_image *im, uint32_t var, uint64_t *addr, uint64_t *bytes) {
    const struct ir_var *v = &im->m->vars.v[var];
    if (!has_bytes(v) || (v->external && v->space == IR_SP_GLOBAL)) return false;
    *addr = im->addr[var];
    *bytes = v->bytes;
    return true;
}

void *exec_image_bytes(struct exec_image *im, uint32_t var, uint64_t *bytes) {
    uint64_t addr;
    if (!exec_image_symbol(im, var, &addr, bytes)) return NULL;
    if (im->m->vars.v[var].space == IR_SP_CONST) return im->bank + addr;
    return exec_mem_at(im->mem, addr, *bytes);
}

bool exec_image_bind(struct exec_image *im, uint32_t var, uint64_t handle, struct err *e) {
    const struct ir_var *v = &im->m->vars.v[var];
    const bool surface = v->kind == IR_VAR_SURFREF;
    const char *what = surface ? "surface" : "texture";
    if (!surface && v->kind != IR_VAR_TEXREF)
        return err_set(e, ERR_INPUT, "%s is not a texture or surface reference", v->name);
    const struct exec_texture *t = tex_get(im->mem, handle);
    if (handle && (!t || t->surface != surface))
        return err_set(e, ERR_INPUT, "0x%" PRIx64 " is not a %s handle", handle, what);
    im->texref[var] = handle;
    return true;
}
