/* Programs onto devices. Buffers are made in the order of the arguments and a device hands out addresses in
 * the order it is asked, so a program sees the same addresses on every device: memory that holds pointers can
 * be compared byte for byte. */
#include "lab/program.h"

#include "base/ledger.h"
#include "sim/sim.h"

bool lab_check(const hd_device *dev, hd_status s, struct err *e) {
    static const enum err_code codes[] = {
        [HD_OK] = ERR_OK,          [HD_INVALID] = ERR_INPUT, [HD_FAULT] = ERR_FAULT,
        [HD_MEMORY] = ERR_MEMORY,  [HD_LIMIT] = ERR_LIMIT,   [HD_INTERNAL] = ERR_INPUT,
        [HD_REFUSED] = ERR_REFUSED};
    if (!s) return true;
    if (s == HD_MEMORY && dev && sim_lost(dev) && ledger_now()) ledger_fail(0); /* no more for us either */
    return err_set(e, codes[s], "%s", dev ? hd_error(dev) : hd_status_name(s));
}

bool lab_open(const hd_config *config, hd_device **dev, struct err *e) {
    hd_status s = hd_device_open(config, dev);
    return lab_check(*dev, s, e);
}

bool lab_load(hd_device *dev, const struct lab_program *p, hd_module **mod, hd_kernel **k, struct err *e) {
    return lab_check(dev, hd_module_load(dev, p->file, p->text, p->text_bytes, mod), e) &&
           lab_check(dev, hd_module_kernel(*mod, p->kernel, k), e);
}

static bool bind_one(hd_device *dev, hd_module *mod, const struct lab_arg *a, size_t number, hd_arg *out,
                     struct err *e) {
    uint64_t addr = 0;
    *out = a->value;
    if (a->symbol && !lab_check(dev, hd_module_symbol(mod, a->symbol, &addr, NULL), e)) return false;
    if (a->bytes) {
        struct sb label = {0};
        sb_add(&label, "argument %zu", number);
        bool fine = lab_check(dev, hd_alloc(dev, a->bytes, &addr), e) &&
                    lab_check(dev, hd_label(dev, addr, label.text), e);
        sb_free(&label);
        if (!fine) return false;
    }
    if (a->symbol || a->bytes) *out = hd_arg_ptr(addr);
    return true;
}

bool lab_bind(hd_device *dev, hd_module *mod, const struct lab_arg *args, size_t nargs, hd_arg *out,
              struct err *e) {
    for (size_t i = 0; i < nargs; i++)
        if (!bind_one(dev, mod, &args[i], i, &out[i], e))
            return err_set(e, e->code, "argument %zu (%.60s): %s", i, args[i].text, err_text(e));
    return true;
}

bool lab_fill(hd_device *dev, const struct lab_arg *args, size_t nargs, const hd_arg *bound, struct err *e) {
    for (size_t i = 0; i < nargs; i++)
        if (args[i].bytes && args[i].initial &&
            !lab_check(dev, hd_copy_in(dev, bound[i].v.u, args[i].initial, args[i].bytes), e))
            return err_set(e, e->code, "argument %zu (%.60s): %s", i, args[i].text, err_text(e));
    return true;
}
