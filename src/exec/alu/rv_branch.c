/* Branches of RISC-V: which lanes' registers compare as it says, and that those jump. Compiled for every machine and for AVX2,
 * like the comparisons that write predicates. */
#include "exec/alu/row.h"
#include "exec/impl.h"

#define TAKERS(T, cmp)                                     \
    do {                                                   \
        uint32_t taken;                                    \
        ALU_MASK(uint64_t, taken, l, (T)a[l] cmp(T) b[l]); \
        return taken;                                      \
    } while (0)

static uint32_t takers(uint8_t how, const uint64_t *restrict a, const uint64_t *restrict b) {
    switch (how) {
    case IR_EQ: TAKERS(uint64_t, ==);
    case IR_NE: TAKERS(uint64_t, !=);
    case IR_LT: TAKERS(int64_t, <);
    case IR_GE: TAKERS(int64_t, >=);
    case IR_LTU: TAKERS(uint64_t, <);
    default: TAKERS(uint64_t, >=); /* IR_GEU */
    }
}

void ALU_NAME(alu_rv_bra)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    if (i->ns) mask &= takers(i->bop, exec_row64(x, i->o[0]), exec_row64(x, i->o[1]));
    if (mask) out_jump(x->out, mask, i->target);
}
