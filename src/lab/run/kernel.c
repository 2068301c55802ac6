/* See kernel.h. */
#include "lab/run/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lab/run/program.h"
#include "value/demangle.h"

const char *kernel_param_type(const hd_param_info *p) {
    return p->pointer ? "pointer" : p->type;
}

void kernel_signature(const hd_kernel_info *k, struct sb *out) {
    if (demangle_signature(k->name, out)) return;
    sb_add(out, "%s(", k->name);
    for (size_t i = 0; i < k->nparams; i++) {
        const hd_param_info *p = &k->params[i];
        sb_add(out, "%s%s", i ? ", " : "", kernel_param_type(p));
        if (!strcmp(p->type, "bytes")) sb_add(out, "[%u]", p->bytes);
    }
    sb_add(out, ")");
}

/* Kernels whose readable name begins as what was written. */
static bool none_but(const char *where, const char *written, hd_module *mod, struct err *e) {
    struct sb list = {0};
    for (size_t i = 0; *written && i < hd_module_kernel_count(mod); i++) {
        hd_kernel_info info;
        struct sb name = {0};
        if (hd_kernel_get_info(hd_module_kernel_at(mod, i), &info)) continue;
        demangle_name(info.name, &name);
        if (!strncmp(name.text, written, strlen(written))) {
            sb_add(&list, "\n  ");
            kernel_signature(&info, &list);
        }
        sb_free(&name);
    }
    const bool some = list.len > 0;
    if (some) err_set(e, ERR_INPUT, "%s no kernel \"%.60s\"; these begin so:%s", where, written, list.text);
    sb_free(&list);
    return some;
}

bool kernel_by_name(const char *file, const char *written, hd_device *dev, hd_module *mod, hd_kernel **k,
                    struct err *e) {
    const size_t n = hd_module_kernel_count(mod);
    const char **names = xcalloc(n + 1, sizeof *names);
    struct sb where = {0};
    sb_add(&where, "%s has", file);
    for (size_t i = 0; i < n; i++) {
        hd_kernel_info info;
        names[i] = hd_kernel_get_info(hd_module_kernel_at(mod, i), &info) ? "" : info.name;
    }
    const size_t found = demangle_find(written, names, n, where.text, e);
    free(names);
    const bool listed = found == n && none_but(where.text, written, mod, e);
    sb_free(&where);
    if (found < n) *k = hd_module_kernel_at(mod, found);
    return found < n || (found == n && !listed && lab_check(dev, hd_module_kernel(mod, written, k), e));
}
