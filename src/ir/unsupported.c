/* Why a kernel cannot run: a search through the calls, over unsupported functions only. Done when somebody asks, which is
 * once per kernel that is refused, so that loading pays nothing for it. */
#include <stdlib.h>

#include "ir/program.h"

struct search {
    const struct ir_module *m;
    uint32_t *stack, n;
    bool *seen;
    bool any; /* every function whose address is taken was added */
};

static void add(struct search *s, uint32_t func) {
    if (s->seen[func] || !s->m->funcs.v[func].unsupported) return;
    s->seen[func] = true;
    s->stack[s->n++] = func;
}

static void add_addressed(struct search *s) {
    if (s->any) return;
    s->any = true;
    for (uint32_t f = 0; f < s->m->funcs.n; f++)
        if (s->m->funcs.v[f].address_taken) add(s, f);
}

static void add_callees(struct search *s, const struct ir_insn *i) {
    if (i->op != IR_CALL && i->op != IR_CALL_IND) return;
    const uint32_t *w = s->m->ext.v + i->ext;
    if (i->op == IR_CALL)
        add(s, w[IR_CALL_FUNC]);
    else if (!w[IR_CALL_FUNC])
        add_addressed(s);
    else
        for (uint32_t t = 0; t < w[IR_CALL_FUNC]; t++)
            add(s, w[IR_CALL_COPIES + 3 * ((size_t)w[IR_CALL_NARGS] + w[IR_CALL_NRETS]) + t]);
}

uint32_t *ir_unsupported(const struct ir_module *m, uint32_t func, uint32_t *n) {
    struct search s = {
        .m = m, .stack = xcalloc(m->funcs.n, sizeof *s.stack), .seen = xcalloc(m->funcs.n, sizeof *s.seen)};
    add(&s, func);
    while (s.n) {
        const struct ir_func *f = &m->funcs.v[s.stack[--s.n]];
        for (uint32_t pc = f->entry; pc < f->end; pc++) add_callees(&s, &m->code.v[pc]);
    }
    *n = 0;
    if (m->funcs.v[func].nrefused) s.stack[(*n)++] = func;
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (f != func && s.seen[f] && m->funcs.v[f].nrefused) s.stack[(*n)++] = f;
    xfree(s.seen);
    return s.stack;
}
