/* The step, and the table of executors that are not arithmetic. */
#include "exec/impl.h"

exec_fn *const exec_other[IR_NOPS] = {
#define U(id, ...)
#define B(id, ...)
#define T(id, ...)
#define A(id, ...)
#define M(id, name, d, t, cls, mods, executor) [IR_##id] = executor##_exec,
#include "ir/ops.def"
};

void exec_step(struct exec_warp *w, uint32_t pc, uint32_t mask) {
    struct exec_grid *g = w->block->grid;
    const struct ir_insn *i = &g->module->code.v[pc];
    g->out.flow = EXEC_NEXT;
    g->out.access.mask = 0;
    g->run_start = pc;
    if (i->guard) mask = exec_guard(&w->x, i, mask);
    if (mask) g->image->fn[i->op](&w->x, i, mask);
}
