/* Asks a mechanism that is made for the purpose: it holds nothing of a program, and storage follows from its parameters and the
 * machine alone. */
#include "sim/device/storage.h"

#include <string.h>

#include "ir/program.h"
#include "mech/mech.h"
#include "sim/options.h"

static void add_parts(struct storage *out) {
    for (uint32_t i = 0; i < out->arrays.n; i++) {
        const struct mech_array *a = &out->arrays.v[i];
        const uint64_t bits = storage_array_bits(a);
        out->bits += bits;
        if (i && !strcmp(a->name, a[-1].name))
            out->parts.v[out->parts.n - 1].bits += bits;
        else
            VEC_PUSH(&out->parts, (struct storage_part){.name = a->name, .bits = bits});
    }
}

bool storage_find(const struct options *o, struct storage *out, struct err *e) {
    const struct opt_sm *sm = &o->machine.sm;
    const uint64_t now = 0;
    struct ir_module *none = ir_module_new("none");
    struct pages pages = {0};
    struct mech_env env = {.pages = &pages,
                           .module = none,
                           .warp_size = (uint32_t)sm->warp_size,
                           .simd_width = (uint32_t)sm->simd_width,
                           .schedulers = (uint32_t)sm->schedulers,
                           .warps = ((uint32_t)sm->threads + 31) / 32,
                           .order_groups = 1,
                           .now = &now};
    const struct mech_ops *ops = options_mech(o, &env.param);
    struct mech *m = mech_new(ops, &env, e);
    *out = (struct storage){0};
    if (m) {
        storage_of(m, &out->arrays);
        add_parts(out);
    }
    pages_free(&pages);
    ir_module_free(none);
    return m != NULL;
}

void storage_free(struct storage *s) {
    VEC_FREE(&s->parts);
}
