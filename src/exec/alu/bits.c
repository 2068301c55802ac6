/* Operations written out because they need more than three sources, a carry, a truth table, several
 * destinations or the sign bit alone. */
#include "exec/alu/fn.h"
#include "exec/alu/row.h"

/* ---- extended precision: CC.CF holds a carry after an addition, a borrow after a subtraction ---- */

/* d = first + second + carry, or first - second - borrow, as carry chains do; first may be any expression
 * over the rows a and b, addend is the row added to it. */
#define CHAIN(id, t, first, second, SUM, CARRY)                                            \
    void ALU_NAME(alu_##id)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) REG_##t aside[EXEC_LANES], out[EXEC_LANES];                           \
        const REG_##t *a = ROW_##t(x, i->o[1]), *b = ROW_##t(x, i->o[2]),                  \
                      *c = ROW_##t(x, i->o[i->ns > 2 ? 3 : 2]);                            \
        REG_##t in = i->mods & IR_M_CC_IN ? *x->carry : 0;                                 \
        (void)c;                                                                           \
        ALU_EACH(l) {                                                                      \
            REG_##t p = first, q = second, bit = in & BIT_##t[l] ? 1 : 0, r = SUM;         \
            aside[l] = r;                                                                  \
            out[l] = (CARRY) ? 1 : 0;                                                      \
        }                                                                                  \
        ALU_MERGE(ROW_##t(x, i->o[0]), aside, mask);                                       \
        if (i->mods & IR_M_CC_OUT) {                                                       \
            uint32_t bits;                                                                 \
            ALU_MASK(REG_##t, bits, l, out[l] != 0);                                       \
            *x->carry = (*x->carry & ~mask) | (bits & mask);                               \
        }                                                                                  \
    }
#define BIT_u32 alu_bit32
#define BIT_u64 alu_bit64
#define CARRIES (r < p || (bit && r == p)) /* p + q + bit overflows */
#define BORROWS (p < q || (bit && p == q))
CHAIN(ADDC_U32, u32, a[l], b[l], p + q + bit, CARRIES)
CHAIN(ADDC_U64, u64, a[l], b[l], p + q + bit, CARRIES)
CHAIN(SUBC_U32, u32, a[l], b[l], p - q - bit, BORROWS)
CHAIN(SUBC_U64, u64, a[l], b[l], p - q - bit, BORROWS)
CHAIN(MADC_LO_U32, u32, a[l] * b[l], c[l], p + q + bit, CARRIES)
CHAIN(MADC_LO_U64, u64, a[l] * b[l], c[l], p + q + bit, CARRIES)
CHAIN(MADC_HI_U32, u32, (uint32_t)((uint64_t)a[l] * b[l] >> 32), c[l], p + q + bit, CARRIES)
CHAIN(MADC_HI_S32, u32, (uint32_t)((int64_t)(int32_t)a[l] * (int32_t)b[l] >> 32), c[l], p + q + bit, CARRIES)
CHAIN(MADC_HI_U64, u64, mulhi_u64(a[l], b[l]), c[l], p + q + bit, CARRIES)
CHAIN(MADC_HI_S64, u64, (uint64_t)mulhi_s64((int64_t)a[l], (int64_t)b[l]), c[l], p + q + bit, CARRIES)

/* ---- bfi: position and length are the low 8 bits of c and o[4]; what would lie beyond the register is
 * dropped ---- */
#define BFI(N, t, WIDTH)                                                                                 \
    void ALU_NAME(alu_BFI_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {            \
        _Alignas(32) REG_##t aside[EXEC_LANES];                                                          \
        const REG_##t *a = ROW_##t(x, i->o[1]), *b = ROW_##t(x, i->o[2]);                                \
        const uint32_t *pos = exec_row32(x, i->o[3]), *len = exec_row32(x, i->o[4]);                     \
        ALU_EACH(l) {                                                                                    \
            uint32_t at = pos[l] & 0xff;                                                                 \
            REG_##t field = at > (WIDTH)-1 ? 0 : (REG_##t)low_bits(len[l] & 0xff) << (at & ((WIDTH)-1)); \
            aside[l] = (b[l] & ~field) | (a[l] << (at & ((WIDTH)-1)) & field);                           \
        }                                                                                                \
        ALU_MERGE(ROW_##t(x, i->o[0]), aside, mask);                                                     \
    }
BFI(U32, u32, 32)
BFI(U64, u64, 64)

/* ---- lop3: bit a*4 + b*2 + c of the table is the result ---- */

/* A tree of selections, c at the leaves: with the table's bits as whole words the loop has no branch and 17
 * steps. */
static void lop3(uint32_t table, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c) {
    uint32_t base[4], turn[4];
    for (uint32_t k = 0; k < 4; k++) {
        base[k] = table >> 2 * k & 1 ? ~0u : 0;
        turn[k] = base[k] ^ (table >> (2 * k + 1) & 1 ? ~0u : 0);
    }
    ALU_EACH(l) {
        uint32_t ab00 = base[0] ^ (turn[0] & c[l]), ab01 = base[1] ^ (turn[1] & c[l]);
        uint32_t ab10 = base[2] ^ (turn[2] & c[l]), ab11 = base[3] ^ (turn[3] & c[l]);
        uint32_t a0 = ab00 ^ ((ab00 ^ ab01) & b[l]), a1 = ab10 ^ ((ab10 ^ ab11) & b[l]);
        d[l] = a0 ^ ((a0 ^ a1) & a[l]);
    }
}

void ALU_NAME(alu_LOP3_U32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    _Alignas(32) uint32_t d[EXEC_LANES];
    lop3(i->sub, d, exec_row32(x, i->o[1]), exec_row32(x, i->o[2]), exec_row32(x, i->o[3]));
    alu_merge32(exec_row32(x, i->o[0]), d, mask);
}

/* d|p, a, b, c, q: p = (d != 0) bop q. d may be missing. */
void ALU_NAME(alu_LOP3_P_U32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    _Alignas(32) uint32_t d[EXEC_LANES];
    uint32_t bits, q = exec_pred(x, i->o[5]);
    lop3(i->sub, d, exec_row32(x, i->o[2]), exec_row32(x, i->o[3]), exec_row32(x, i->o[4]));
    ALU_MASK(uint32_t, bits, l, d[l] != 0);
    if (ir_file(i->o[0]) == IR_FILE_32) alu_merge32(exec_row32(x, i->o[0]), d, mask);
    exec_set_pred(x, i->o[1], mask, i->bop == IR_BOP_OR ? bits | q : bits & q);
}

/* ---- abs, neg of floats: the sign bit alone, after flushing where .ftz asks ---- */
#define SIGN_BIT(id, T, t, meaning)                                                        \
    void ALU_NAME(alu_##id)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) REG_##t d[EXEC_LANES];                                                \
        ALU_NAME(alu_before)(T, i->mods & FTZ, d, ROW_##t(x, i->o[1]));                    \
        ALU_EACH(l) d[l] = d[l] meaning;                                                   \
        ALU_MERGE(ROW_##t(x, i->o[0]), d, mask);                                           \
    }
#define ABS_NEG(N, t, SIGN)                  \
    SIGN_BIT(ABS_##N, IR_T_##N, t, &~(SIGN)) \
    SIGN_BIT(NEG_##N, IR_T_##N, t, ^(SIGN))
ABS_NEG(F32, f32, 0x80000000u)
ABS_NEG(F64, f64, 0x8000000000000000u)
ABS_NEG(F16, f16, 0x8000u)
ABS_NEG(BF16, bf16, 0x8000u)
ABS_NEG(F16X2, f16x2, 0x80008000u)
ABS_NEG(BF16X2, bf16x2, 0x80008000u)

/* ---- pack and unpack: parts from the lowest up; a destination may be missing ---- */
#define PACK_4(N, t, tpart, BITS)                                                                         \
    void ALU_NAME(alu_PACK_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {            \
        _Alignas(32) REG_##t d[EXEC_LANES];                                                               \
        const uint32_t *a = exec_row32(x, i->o[1]), *b = exec_row32(x, i->o[2]),                          \
                       *c = exec_row32(x, i->o[3]), *e = exec_row32(x, i->o[4]);                          \
        ALU_EACH(l)                                                                                       \
        d[l] = (REG_##t)GET_##tpart(a[l], 0) | (REG_##t)GET_##tpart(b[l], 0) << (BITS) |                  \
               (REG_##t)GET_##tpart(c[l], 0) << 2 * (BITS) | (REG_##t)GET_##tpart(e[l], 0) << 3 * (BITS); \
        ALU_MERGE(ROW_##t(x, i->o[0]), d, mask);                                                          \
    }
PACK_4(4X8, u32, u8, 8)
PACK_4(4X16, u64, u16, 16)

#define UNPACK(N, t, tpart, PARTS, BITS)                                                            \
    void ALU_NAME(alu_UNPACK_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {    \
        _Alignas(32) uint32_t d[EXEC_LANES];                                                        \
        _Alignas(32) REG_##t a[EXEC_LANES]; /* a copy: the first part may go where the whole was */ \
        memcpy(a, ROW_##t(x, i->o[PARTS]), sizeof a);                                               \
        for (uint32_t k = 0; k < (PARTS); k++) {                                                    \
            if (ir_file(i->o[k]) != IR_FILE_32) continue;                                           \
            ALU_EACH(l) d[l] = GET_##tpart((uint32_t)(a[l] >> (BITS)*k), 0);                        \
            alu_merge32(exec_row32(x, i->o[k]), d, mask);                                           \
        }                                                                                           \
    }
UNPACK(2X16, u32, u16, 2, 16)
UNPACK(2X32, u64, u32, 2, 32)
UNPACK(4X8, u32, u8, 4, 8)
UNPACK(4X16, u64, u16, 4, 16)
