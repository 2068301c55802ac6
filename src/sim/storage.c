/* Asks a mechanism that is made for the purpose: it holds nothing of a program, and storage follows from its parameters and the
 * machine alone. */
#include "sim/storage.h"

#include <stdlib.h>
#include <string.h>

#include "ir/program.h"
#include "mech/mech.h"
#include "sim/options.h"

/* From lines "structure bits". */
static void read_parts(char *lines, struct storage *out) {
    for (char *rest = NULL, *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct storage_part p = {0};
        const size_t name = strcspn(line, " ");
        CHECK(name < sizeof p.name && line[name] == ' ');
        memcpy(p.name, line, name);
        p.bits = strtoull(line + name, NULL, 10);
        out->bits += p.bits;
        VEC_PUSH(&out->parts, p);
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
    struct sb lines = {0};
    *out = (struct storage){0};
    if (m) {
        ops->storage(m, &lines);
        read_parts(lines.text, out);
    }
    pages_free(&pages);
    sb_free(&lines);
    ir_module_free(none);
    return m != NULL;
}

void storage_free(struct storage *s) {
    VEC_FREE(&s->parts);
}
