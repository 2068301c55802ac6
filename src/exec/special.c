/* Special registers, frame addresses, generic addressing, and the operations that do nothing here. */
#include "exec/impl.h"

/* One warp instruction is one tick of every clock: all a functional run can honestly say, and the same every
 * time. */
static uint64_t special_now(const struct exec_warp *w, const struct ir_insn *i) {
    const struct exec_grid *g = w->block->grid;
    return g->clock + (insn_pc(w, i) - g->run_start);
}

static uint64_t lanemask(uint8_t which, uint32_t lane) {
    uint32_t eq = 1u << lane, lt = eq - 1;
    switch (which) {
    case IR_SR_LANEMASK_EQ: return eq;
    case IR_SR_LANEMASK_LE: return eq | lt;
    case IR_SR_LANEMASK_LT: return lt;
    case IR_SR_LANEMASK_GE: return ~lt;
    default: return ~(eq | lt);
    }
}

/* Special registers that are the same for every lane. */
static uint64_t warp_value(const struct exec_warp *w, const struct ir_insn *i) {
    const struct exec_block *b = w->block;
    const struct exec_grid *g = b->grid;
    const struct exec_launch *l = g->launch;
    switch (i->sub) {
    case IR_SR_NTID_X:
    case IR_SR_NTID_Y:
    case IR_SR_NTID_Z: return l->block[i->sub - IR_SR_NTID_X];
    case IR_SR_CTAID_X:
    case IR_SR_CTAID_Y:
    case IR_SR_CTAID_Z: return b->ctaid[i->sub - IR_SR_CTAID_X];
    case IR_SR_NCTAID_X:
    case IR_SR_NCTAID_Y:
    case IR_SR_NCTAID_Z: return l->grid[i->sub - IR_SR_NCTAID_X];
    case IR_SR_WARPID: return w->index;
    case IR_SR_NWARPID: return EXEC_MAX_THREADS / EXEC_LANES;
    case IR_SR_SMID: return b->sm;
    case IR_SR_NSMID: return l->sms ? l->sms : 1;
    case IR_SR_ONE: return 1;
    case IR_SR_GRIDID: return l->grid_id;
    case IR_SR_CLOCK:
    case IR_SR_CLOCK64:
    case IR_SR_GLOBALTIMER:
    case IR_SR_GLOBALTIMER_LO: return special_now(w, i);
    case IR_SR_CLOCK_HI:
    case IR_SR_GLOBALTIMER_HI: return special_now(w, i) >> 32;
    case IR_SR_TOTAL_SMEM:
    case IR_SR_AGGR_SMEM: return g->shared_bytes;
    case IR_SR_DYNAMIC_SMEM: return l->dynamic_shared;
    case IR_SR_ENVREG1: return l->workspace >> 32;
    case IR_SR_ENVREG2: return (uint32_t)l->workspace;
    default: return 0; /* RESERVED_SMEM, ZERO: nothing reserved */
    }
}

/* One value for all lanes of mask. */
static void put_all(const struct exec_ctx *x, ir_opnd d, uint32_t mask, uint64_t v) {
    if (mask == ~0u && ir_file(d) == IR_FILE_32) {
        uint32_t *row = exec_row32(x, d);
        for (uint32_t l = 0; l < EXEC_LANES; l++) row[l] = (uint32_t)v;
    } else {
        FOR_LANES(l, mask) opnd_put(x, d, l, v);
    }
}

/* A value of each lane. */
static void put_each(const struct exec_ctx *x, ir_opnd d, uint32_t mask, const uint32_t *v) {
    if (mask == ~0u && ir_file(d) == IR_FILE_32) {
        memcpy(exec_row32(x, d), v, EXEC_LANES * sizeof *v);
    } else {
        FOR_LANES(l, mask) opnd_put(x, d, l, v[l]);
    }
}

void sreg_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const struct exec_warp *w = x->warp;
    const ir_opnd d = i->o[0];
    switch (i->sub) {
    case IR_SR_TID_X:
    case IR_SR_TID_Y:
    case IR_SR_TID_Z: put_each(x, d, mask, w->tid[i->sub - IR_SR_TID_X]); break;
    case IR_SR_LANEID: {
        FOR_LANES(l, mask) opnd_put(x, d, l, l);
        break;
    }
    case IR_SR_LANEMASK_EQ:
    case IR_SR_LANEMASK_LE:
    case IR_SR_LANEMASK_LT:
    case IR_SR_LANEMASK_GE:
    case IR_SR_LANEMASK_GT: {
        FOR_LANES(l, mask) opnd_put(x, d, l, lanemask(i->sub, l));
        break;
    }
    default: {
        uint64_t v = warp_value(w, i);
        if (i->sub >= IR_SR_CLOCK && i->sub <= IR_SR_GLOBALTIMER_HI) x->warp->spun = true;
        put_all(x, d, mask, v);
    }
    }
}

void frame_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t *frame = x->warp->frame;
    FOR_LANES(l, mask) opnd_put(x, i->o[0], l, (uint64_t)frame[l] + (uint64_t)(int64_t)i->disp);
}

/* A constant address that is a buffer's is a generic one too. */
void cvta_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint64_t window = exec_window(i->space), base = i->sub ? 0 - window : window;
    if (mask == ~0u && i->space != IR_SP_CONST && ir_file(i->o[0]) == IR_FILE_64 &&
        ir_file(i->o[1]) == IR_FILE_64) {
        uint64_t sum[EXEC_LANES];
        memcpy(sum, exec_row64(x, i->o[1]), sizeof sum);
        for (uint32_t l = 0; base && l < EXEC_LANES; l++) sum[l] += base;
        memcpy(exec_row64(x, i->o[0]), sum, sizeof sum);
        return;
    }
    FOR_LANES(l, mask) {
        const uint64_t a = opnd_get(x, i->o[1], l);
        const bool buffer = i->space == IR_SP_CONST && a >= EXEC_WIN_HEAP;
        opnd_put(x, i->o[0], l, buffer ? a : a + base);
    }
}

void isspacep_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    uint32_t bits = 0;
    FOR_LANES(l, mask) {
        uint64_t a = opnd_get(x, i->o[1], l);
        bits |= (uint32_t)(exec_decode(IR_SP_GENERIC, &a) == i->space) << l;
    }
    exec_set_pred(x, i->o[0], mask, bits);
}

/* Memory is sequentially consistent here: a step finishes before the next begins. */
void nop_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    (void)x, (void)i, (void)mask;
}

/* Nothing happens, to the lanes whose guard holds: they "jump" to the next PC, so that a scheduler learns which they are.
 * It is no instruction of the program: what its lanes will add to the count is taken off beforehand. */
void mark_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_grid *g = x->warp->block->grid;
    g->insts -= bits_count(mask);
    out_jump(x->out, mask, (uint32_t)(i - g->module->code.v) + 1);
}

/* Notes that a thread is waiting: nanosleep is used in loops that wait for another thread. */
void spin_hint_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    (void)mask;
    if (i->sub == IR_NOP_NANOSLEEP) x->warp->spun = true;
}
