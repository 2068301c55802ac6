/* The step, and the table of executors that are not arithmetic. */
#include "exec/impl.h"

exec_fn *const exec_other[IR_NOPS] = {
    [IR_SREG_U32] = sreg_exec,
    [IR_SREG_U64] = sreg_exec,
    [IR_FRAME_U32] = frame_exec,
    [IR_FRAME_U64] = frame_exec,
    [IR_CVTA_U32] = cvta_exec,
    [IR_CVTA_U64] = cvta_exec,
    [IR_ISSPACEP_U32] = isspacep_exec,
    [IR_ISSPACEP_U64] = isspacep_exec,
    [IR_LD_U8] = ld_exec,
    [IR_LD_S8] = ld_exec,
    [IR_LD_U16] = ld_exec,
    [IR_LD_S16] = ld_exec,
    [IR_LD_U32] = ld_exec,
    [IR_LD_S32] = ld_exec,
    [IR_LD_U64] = ld_exec,
    [IR_ST_U8] = st_exec,
    [IR_ST_U16] = st_exec,
    [IR_ST_U32] = st_exec,
    [IR_ST_U64] = st_exec,
    [IR_ATOM_U16] = atom_exec,
    [IR_ATOM_U32] = atom_exec,
    [IR_ATOM_S32] = atom_exec,
    [IR_ATOM_U64] = atom_exec,
    [IR_ATOM_S64] = atom_exec,
    [IR_ATOM_F16] = atom_exec,
    [IR_ATOM_BF16] = atom_exec,
    [IR_ATOM_F16X2] = atom_exec,
    [IR_ATOM_BF16X2] = atom_exec,
    [IR_ATOM_F32] = atom_exec,
    [IR_ATOM_F64] = atom_exec,
    [IR_TEX] = tex_exec,
    [IR_PREFETCH] = nop_exec,
    [IR_MEMBAR] = nop_exec,
    [IR_NOP] = spin_hint_exec,
    [IR_ACTIVEMASK] = activemask_exec,
    [IR_VOTE] = warp_exec,
    [IR_BALLOT] = warp_exec,
    [IR_SHFL_U32] = warp_exec,
    [IR_MATCH_ANY_U32] = warp_exec,
    [IR_MATCH_ANY_U64] = warp_exec,
    [IR_MATCH_ALL_U32] = warp_exec,
    [IR_MATCH_ALL_U64] = warp_exec,
    [IR_REDUX_U32] = warp_exec,
    [IR_REDUX_S32] = warp_exec,
    [IR_ELECT] = warp_exec,
    [IR_WARPSYNC] = warp_exec,
    [IR_BAR_SYNC] = bar_exec,
    [IR_BAR_ARRIVE] = bar_exec,
    [IR_BAR_RED_P] = bar_exec,
    [IR_BAR_RED_U32] = bar_exec,
    [IR_BRA] = bra_exec,
    [IR_BRX] = brx_exec,
    [IR_CALL] = call_exec,
    [IR_CALL_IND] = call_ind_exec,
    [IR_SYS] = sys_exec,
    [IR_RET] = ret_exec,
    [IR_EXIT] = exit_exec,
    [IR_TRAP] = trap_exec,
    [IR_BRKPT] = trap_exec,
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
