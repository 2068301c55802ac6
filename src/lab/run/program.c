/* Programs onto devices. Buffers are made in the order of the arguments and a device hands out addresses in
 * the order it is asked, so a program sees the same addresses on every device: memory that holds pointers can
 * be compared byte for byte. */
#include "lab/run/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ledger.h"
#include "sim/sim.h"

bool lab_check(const hd_device *dev, hd_status s, struct err *e) {
    static const enum err_code codes[] = {
        [HD_OK] = ERR_OK,           [HD_INVALID] = ERR_INPUT,  [HD_FAULT] = ERR_FAULT,
        [HD_MEMORY] = ERR_MEMORY,   [HD_LIMIT] = ERR_LIMIT,    [HD_INTERNAL] = ERR_INPUT,
        [HD_REFUSED] = ERR_REFUSED, [HD_TOO_LARGE] = ERR_INPUT};
    if (!s) return true;
    if (s == HD_MEMORY && dev && sim_lost(dev) && ledger_now()) ledger_fail(0); /* no more for us either */
    return err_set(e, codes[s], "%s", dev ? hd_error(dev) : hd_status_name(s));
}

bool lab_open(const hd_config *config, hd_device **dev, struct err *e) {
    hd_status s = hd_device_open(config, dev);
    return lab_check(*dev, s, e);
}

/* Variables move by way of addresses that are not in use: the place of one may be where another still is. */
static bool place_variables(hd_device *dev, hd_module *mod, const struct lab_program *p, struct err *e) {
    const uint64_t away = UINT64_C(1) << 60, apart = UINT64_C(1) << 40;
    for (size_t i = 0; i < p->nplaces; i++)
        if (!lab_check(dev, hd_module_place(mod, p->places[i].symbol, NULL, away + i * apart), e))
            return false;
    for (size_t i = 0; i < p->nplaces; i++)
        if (!lab_check(dev, hd_module_place(mod, p->places[i].symbol, NULL, p->places[i].addr), e))
            return false;
    return true;
}

bool lab_module(hd_device *dev, const struct lab_program *p, hd_module **mod, struct err *e) {
    const char *name = p->module ? p->module : p->file;
    return lab_check(dev, hd_module_load(dev, name, p->text, p->text_bytes, mod), e) &&
           place_variables(dev, *mod, p, e);
}

bool lab_load(hd_device *dev, const struct lab_program *p, hd_module **mod, hd_kernel **k, struct err *e) {
    return lab_module(dev, p, mod, e) && lab_check(dev, hd_module_kernel(*mod, p->kernel, k), e);
}

static bool make_buffer(hd_device *dev, const struct lab_program *p, size_t number, uint64_t *addr,
                        struct err *e) {
    struct sb label = {0};
    if (number < p->nargs)
        sb_add(&label, "argument %zu", number);
    else
        sb_add(&label, "buffer %.60s", p->args[number].text);
    *addr = p->args[number].addr;
    bool fine = lab_check(dev,
                          *addr ? hd_alloc_at(dev, p->args[number].bytes, NULL, addr)
                                : hd_alloc(dev, p->args[number].bytes, addr),
                          e) &&
                lab_check(dev, hd_label(dev, *addr, label.text), e);
    sb_free(&label);
    return fine;
}

static bool bind_one(hd_device *dev, hd_module *mod, const struct lab_program *p, size_t number, hd_arg *out,
                     struct err *e) {
    const struct lab_arg *a = &p->args[number];
    uint64_t addr = 0;
    *out = a->value;
    if (a->symbol && !lab_check(dev, hd_module_symbol(mod, a->symbol, &addr, NULL), e)) return false;
    if (a->bytes && !make_buffer(dev, p, number, &addr, e)) return false;
    if (a->symbol || a->bytes) *out = hd_arg_ptr(addr);
    return true;
}

static bool link_address(hd_device *dev, hd_module *mod, const struct lab_link *l, const hd_arg *bound,
                         uint64_t *addr, struct err *e) {
    if (l->symbol) return lab_check(dev, hd_module_symbol(mod, l->symbol, addr, NULL), e);
    *addr = bound[l->buffer].v.u;
    return true;
}

/* Little-endian, as everything that is copied to a device. */
static void put_address(uint8_t *at, uint64_t addr) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(addr >> (8 * i));
}

/* Once every buffer has its place. Each run has its own copy of a struct: runs go on at the same time. */
static bool link_one(hd_device *dev, hd_module *mod, const struct lab_arg *a, hd_arg *out, hd_arg *bound,
                     struct err *e) {
    uint8_t *copy = NULL;
    uint64_t addr = 0;
    if (out->type == HD_ARG_BYTES) {
        copy = memcpy(xmalloc(out->bytes), a->value.v.data, out->bytes);
        out->v.data = copy;
    }
    for (size_t i = 0; i < a->nlinks; i++) {
        if (!link_address(dev, mod, &a->links[i], bound, &addr, e)) return false;
        if (copy)
            put_address(copy + a->links[i].offset, addr);
        else
            *out = hd_arg_ptr(addr);
    }
    return true;
}

bool lab_bind(hd_device *dev, hd_module *mod, const struct lab_program *p, hd_arg *out, struct err *e) {
    bool fine = true;
    size_t i = 0;
    for (; i < p->nargs + p->nbuffers && fine; i++) fine = bind_one(dev, mod, p, i, &out[i], e);
    if (fine)
        for (i = 0; i < p->nargs && fine; i++)
            if (p->args[i].nlinks) fine = link_one(dev, mod, &p->args[i], &out[i], out, e);
    if (fine) return true;
    if (--i < p->nargs)
        return err_set(e, e->code, "argument %zu (%.60s): %s", i, p->args[i].text, err_text(e));
    return err_set(e, e->code, "buffer %.60s: %s", p->args[i].text, err_text(e));
}

void lab_unbind(const struct lab_program *p, hd_arg *out) {
    for (size_t i = 0; i < p->nargs; i++)
        if (p->args[i].nlinks && out[i].type == HD_ARG_BYTES && out[i].v.data != p->args[i].value.v.data)
            free((void *)out[i].v.data);
}

static bool fill_variable(hd_device *dev, hd_module *mod, const struct lab_var *v, const hd_arg *bound,
                          struct err *e) {
    uint64_t at, addr = 0;
    uint8_t bytes[8];
    bool fine = lab_check(dev, hd_module_symbol(mod, v->symbol, &at, NULL), e) &&
                lab_check(dev, hd_copy_in(dev, at + v->offset, v->data, v->bytes), e);
    for (size_t i = 0; i < v->nlinks && fine; i++) {
        fine = link_address(dev, mod, &v->links[i], bound, &addr, e);
        put_address(bytes, addr);
        fine = fine && lab_check(dev, hd_copy_in(dev, at + v->offset + v->links[i].offset, bytes, 8), e);
    }
    return fine || err_set(e, e->code, "variable %.60s: %s", v->text, err_text(e));
}

bool lab_fill(hd_device *dev, hd_module *mod, const struct lab_program *p, const hd_arg *bound,
              struct err *e) {
    for (size_t i = 0; i < p->nargs + p->nbuffers; i++) {
        const struct lab_arg *a = &p->args[i];
        if (a->bytes && a->initial && !lab_check(dev, hd_copy_in(dev, bound[i].v.u, a->initial, a->bytes), e))
            return err_set(e, e->code, "%s %zu (%.60s): %s", i < p->nargs ? "argument" : "buffer", i, a->text,
                           err_text(e));
    }
    for (size_t i = 0; i < p->nvars; i++)
        if (!fill_variable(dev, mod, &p->vars[i], bound, e)) return false;
    return true;
}
