/* What those who follow threads step by step (loop.c, joint.c) ask of an instruction. */
#ifndef HEDDLE_EXEC_LIVELOCK_FOLLOW_H
#define HEDDLE_EXEC_LIVELOCK_FOLLOW_H

#include "exec/impl.h"

/* Where a lane's access goes, in the space the instruction says. */
static inline uint64_t follow_address(const struct exec_warp *w, const struct ir_insn *i, uint32_t lane) {
    const ir_opnd base = i->o[i->nd];
    const uint64_t disp = (uint64_t)(int64_t)i->disp;
    uint64_t a = disp;
    if (ir_file(base) == IR_FILE_64) a = opnd_get(&w->x, base, lane) + disp;
    if (ir_file(base) == IR_FILE_32) a = (uint32_t)(opnd_get(&w->x, base, lane) + disp);
    return i->space == IR_SP_FRAME ? a + w->frame[lane] : a;
}

static inline uint32_t follow_bytes(const struct ir_insn *i) {
    return ir_type_bytes[ir_ops[i->op].type] * (i->vec > 1 ? i->vec : 1u);
}

static inline bool follow_is_access(const struct ir_insn *i) {
    return ir_ops[i->op].cls == IR_C_LDST && i->op != IR_PREFETCH && !ir_is_tensor(i);
}

static inline bool follow_is_store(const struct ir_insn *i) {
    return i->op >= IR_ST_U8 && i->op <= IR_ST_U64;
}

/* True if the instruction changes memory or copy groups in ways that are not tracked, or needs a whole warp. */
static inline bool follow_is_untracked(const struct ir_insn *i) {
    return i->op == IR_SUST || i->op == IR_SURED || (i->op >= IR_CP_ASYNC && i->op <= IR_CP_COMMIT) ||
           ir_is_tensor(i);
}

static inline bool follow_is_clock(const struct ir_insn *i) {
    return (i->op == IR_SREG_U32 || i->op == IR_SREG_U64) && i->sub >= IR_SR_CLOCK &&
           i->sub <= IR_SR_GLOBALTIMER_HI;
}

/* After it a thread is gone, has called the system, or has failed. */
static inline bool follow_ends(const struct exec_warp *w, const struct ir_insn *i, uint32_t lane) {
    switch (i->op) {
    case IR_EXIT:
    case IR_TRAP:
    case IR_BRKPT:
    case IR_SYS: return true;
    default: return i->op == IR_RET && !w->depth[lane];
    }
}

/* Where a lane goes on after a step that did not block it. */
static inline uint32_t follow_next(const struct exec_out *o, uint32_t pc, uint32_t lane) {
    const bool taken = o->flow != EXEC_NEXT && o->taken >> lane & 1;
    return !taken ? pc + 1 : o->flow == EXEC_EACH ? o->pc[lane] : o->target;
}

#endif
