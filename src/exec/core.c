/* The scalar core is a grid of one thread whose scheduler is a loop. It has memory of its own for its registers, so that
 * launches can run while it stands still. */
#include "exec/core.h"

#include "base/alloc.h"
#include "exec/impl.h"

struct exec_core {
    struct exec_launch launch;
    struct pages pages;
    struct exec_grid grid;
    struct exec_block block;
    bool made;
    uint32_t pc, stopped;   /* stopped: the instruction it stopped behind */
    exec_core_fn *observer; /* NULL: instructions are not observed */
    void *observer_user;
};

struct exec_core *exec_core_new(struct exec_image *im, struct err *e) {
    struct exec_core *c = xcalloc(1, sizeof *c);
    const struct ir_module *m = im->m;
    c->pc = ir_binary_pc(m->binary, m->binary->entry);
    const struct ir_func *f = c->pc == IR_NOPC ? NULL : ir_func_at(m, c->pc);
    if (!f) {
        err_set(e, ERR_INPUT, "%s: error: there is no instruction at its entry", m->name);
        xfree(c);
        return NULL;
    }
    c->launch = (struct exec_launch){.image = im,
                                     .func = (uint32_t)(f - m->funcs.v),
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .core = true,
                                     .pages = &c->pages};
    c->made = exec_grid_init(&c->grid, &c->launch, e);
    if (c->made && exec_block_alloc(&c->block, &c->grid, e)) {
        exec_block_start(&c->block, 0);
        return c;
    }
    exec_core_free(c);
    return NULL;
}

void exec_core_free(struct exec_core *c) {
    if (!c) return;
    exec_block_free(&c->block);
    if (c->made) exec_grid_free(&c->grid);
    pages_free(&c->pages);
    xfree(c);
}

uint64_t *exec_core_register(struct exec_core *c, uint32_t row) {
    return &c->block.warps[0].x.r64[0][(size_t)row * EXEC_LANES];
}

uint64_t exec_core_insts(const struct exec_core *c) {
    return c->grid.clock;
}

void exec_core_observe(struct exec_core *c, exec_core_fn *fn, void *user) {
    c->observer = fn;
    c->observer_user = user;
}

/* Where the thread goes from pc; IR_NOPC: it has ended. */
static uint32_t exec_core_next(const struct exec_out *o, uint32_t pc) {
    if (o->flow == EXEC_NEXT) return pc + 1;
    if (o->exited) return IR_NOPC;
    return !o->taken ? pc + 1 : o->flow == EXEC_EACH ? o->pc[0] : o->target;
}

static enum exec_core_stop stop_at(struct exec_core *c, uint32_t pc, enum exec_core_stop why) {
    c->stopped = pc;
    c->pc = pc + 1;
    return why;
}

/* All lanes compute what only the first needs, where that costs less than leaving them as they are. */
static uint32_t exec_core_lanes_of(const struct ir_insn *i) {
    const uint8_t cls = ir_ops[i->op].cls;
    return (cls == IR_C_ALU || cls == IR_C_IMUL) && ir_ops[i->op].kind != 'M' ? ~0u : 1;
}

static void notify_observer(const struct exec_core *c, uint32_t pc, uint32_t next_pc) {
    const struct exec_out *o = &c->grid.out;
    const struct exec_core_step s = {pc, next_pc, o->access.mask & 1 ? o->access.bytes : 0,
                                     o->access.addr[0]};
    c->observer(c->observer_user, &s);
}

enum exec_core_stop exec_core_run(struct exec_core *c, uint64_t most, struct err *e) {
    struct exec_grid *g = &c->grid;
    struct exec_warp *w = &c->block.warps[0];
    const struct ir_insn *code = g->module->code.v;
    uint32_t pc = c->pc;
    while (g->clock < most) {
        const struct ir_insn *i = &code[pc];
        if (i->op == IR_RV_ECALL) return stop_at(c, pc, EXEC_CORE_CALL);
        if (i->op == IR_RV_LAUNCH) return stop_at(c, pc, EXEC_CORE_LAUNCH);
        g->out.flow = EXEC_NEXT;
        g->out.access.mask = 0;
        g->run_start = pc;
        g->clock++;
        g->fn[i->op](&w->x, i, exec_core_lanes_of(i));
        if (g->out.flow == EXEC_FAULT) {
            exec_fault_error(w, e);
            return EXEC_CORE_FAILED;
        }
        const uint32_t to = exec_core_next(&g->out, pc);
        if (c->observer) notify_observer(c, pc, to);
        if ((pc = to) == IR_NOPC) return EXEC_CORE_ENDED;
    }
    c->pc = pc;
    exec_limit_error(w, pc, e);
    return EXEC_CORE_FAILED;
}

uint64_t exec_core_launch(struct exec_core *c, uint64_t **result) {
    const struct ir_insn *i = &c->grid.module->code.v[c->stopped];
    *result = exec_row64(&c->block.warps[0].x, i->o[0]);
    return opnd_get(&c->block.warps[0].x, i->o[1], 0);
}

bool exec_core_fail(struct exec_core *c, struct err *e, const char *what) {
    struct exec_warp *w = &c->block.warps[0];
    exec_note(w, &c->grid.module->code.v[c->stopped], 0, EXEC_F_TRAP, "%s", what);
    return exec_fault_error(w, e);
}
