/* What an executor sees: the registers of one warp and the outcome it leaves behind.
 *
 * A warp here is the *architectural* one, 32 consecutive threads of a block, whatever the SIMD width or warp size of
 * the modelled machine: what a kernel can observe (lane numbers, votes, shuffles) must not change with the machine.
 * A scheduler that groups threads otherwise executes its packet as one (warp, mask) piece per architectural warp.
 *
 * Registers lie [row][lane], 32 lanes contiguous, 32- and 64-bit rows in separate files; a predicate row is one bit
 * mask. Constants are rows too, replicated once per module, so that an executor never asks what an operand is. */
#ifndef HEDDLE_EXEC_CTX_H
#define HEDDLE_EXEC_CTX_H

#include "ir/insn.h"

enum { EXEC_LANES = 32 };

struct exec_warp;

struct exec_ctx {
    uint32_t *r32[2]; /* [0] rows of the warp, [1] constants */
    uint64_t *r64[2];
    uint32_t *pred;  /* row 0 is always ~0 */
    uint32_t *carry; /* CC.CF of the warp's lanes, one bit each */
    struct exec_warp *warp;
    struct exec_out *out; /* control flow, faults, addresses: exec/warp.h */
};

/* Executes one instruction for the lanes of mask (guard already applied, never 0). Lanes outside mask keep every
 * register; they may be read. */
typedef void exec_fn(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask);

static inline uint32_t *exec_row32(const struct exec_ctx *x, ir_opnd o) {
    return x->r32[o >> 31] + (size_t)ir_index(o) * EXEC_LANES;
}
static inline uint64_t *exec_row64(const struct exec_ctx *x, ir_opnd o) {
    return x->r64[o >> 31] + (size_t)ir_index(o) * EXEC_LANES;
}
/* A predicate operand as a mask, negation applied. */
static inline uint32_t exec_pred(const struct exec_ctx *x, ir_opnd o) {
    uint32_t v = x->pred[ir_index(o)];
    return o & IR_O_NEG ? ~v : v;
}
/* Writes predicate bits for the lanes of mask; a missing destination is ignored. */
static inline void exec_set_pred(struct exec_ctx *x, ir_opnd o, uint32_t mask, uint32_t bits) {
    if (ir_file(o) == IR_FILE_P) x->pred[ir_index(o)] = (x->pred[ir_index(o)] & ~mask) | (bits & mask);
}

/* The arithmetic of each enum exec_isa (exec.h). */
extern exec_fn *const exec_alu_portable[IR_NOPS]; /* NULL for 'M' rows */
exec_fn alu_rv_bra_portable;                      /* branches of machine code, which are no arithmetic */
#if defined(__x86_64__)
extern exec_fn *const exec_alu_avx2[IR_NOPS];
exec_fn alu_rv_bra_avx2;
#endif

#endif
