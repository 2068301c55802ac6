/* Profile by branch: counters by PC, joined with what the PCs mean. */
#include "sim/profile.h"

#include <stdlib.h>

static int by_cost(const void *a, const void *b) {
    const struct profile_row *x = a, *y = b;
    if (x->count.lanes_lost != y->count.lanes_lost) return x->count.lanes_lost < y->count.lanes_lost ? 1 : -1;
    if (x->count.executions != y->count.executions) return x->count.executions < y->count.executions ? 1 : -1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static struct profile_row row_of(const struct ir_module *m, uint32_t pc) {
    const struct ir_func *f = ir_func_at(m, pc);
    const struct ir_srcloc *src = pc < m->src.n ? &m->src.v[pc] : NULL;
    struct profile_row row = {.pc = pc, .func = f ? f->name : "", .line = m->code.v[pc].line};
    if (src && src->file && src->file < m->files.n) {
        row.file = m->files.v[src->file];
        row.source_line = src->line;
    }
    return row;
}

void profile_make(struct profile *p, const struct ir_module *m, const struct sm_branch *by_pc) {
    *p = (struct profile){0};
    for (uint32_t pc = 0; by_pc && pc < m->code.n; pc++) {
        uint16_t op = m->code.v[pc].op;
        bool branch = (op == IR_BRA && m->code.v[pc].guard) || op == IR_BRX || by_pc[pc].divergences;
        if (!by_pc[pc].executions || !branch) continue;
        struct profile_row row = row_of(m, pc);
        row.count = by_pc[pc];
        VEC_PUSH(&p->rows, row);
    }
    if (p->rows.n) qsort(p->rows.v, p->rows.n, sizeof *p->rows.v, by_cost);
}

void profile_free(struct profile *p) {
    VEC_FREE(&p->rows);
}
