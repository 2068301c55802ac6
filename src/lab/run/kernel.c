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
    sb_free(&where);
    if (found < n) *k = hd_module_kernel_at(mod, found);
    return found < n || (found == n && lab_check(dev, hd_module_kernel(mod, written, k), e));
}
