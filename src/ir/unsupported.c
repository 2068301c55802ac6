/* Why a kernel cannot run: a search through the calls, over unsupported functions only. The search is made on demand,
 * once per kernel that is refused, so that loading pays nothing for it. */
#include <stdlib.h>

#include "ir/program.h"

struct search {
    const struct ir_module *m;
    bool *seen;
};

static bool ir_unsupported_visit(void *user, uint32_t func) {
    struct search *s = user;
    return s->seen[func] = s->m->funcs.v[func].unsupported;
}

uint32_t *ir_unsupported(const struct ir_module *m, uint32_t func, uint32_t *n) {
    struct search s = {.m = m, .seen = xcalloc(m->funcs.n, sizeof *s.seen)};
    uint32_t *found = xcalloc(m->funcs.n, sizeof *found);
    ir_follow(m, func, ir_unsupported_visit, &s);
    *n = 0;
    if (m->funcs.v[func].nrefused) found[(*n)++] = func;
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (f != func && s.seen[f] && m->funcs.v[f].nrefused) found[(*n)++] = f;
    xfree(s.seen);
    return found;
}
