/* Comparison and selection: setp, set, testp, selp, slct with a float, and predicate logic.
 *
 * A comparison of two rows is a mask of 32 bits. Five relations give all fourteen comparisons, with operands
 * swapped or the answer inverted: an unordered comparison is the inverse of the opposite ordered one. */
#include "exec/alu/row.h"

enum relation { REL_EQ, REL_LT, REL_LE, REL_LG /* less or greater */, REL_UN /* a NaN among them */ };

static const struct {
    uint8_t rel;
    bool swap, invert;
} plans[] = {
    [IR_EQ] = {REL_EQ, false, false}, [IR_NE] = {REL_LG, false, false},  [IR_LT] = {REL_LT, false, false},
    [IR_LE] = {REL_LE, false, false}, [IR_GT] = {REL_LT, true, false},   [IR_GE] = {REL_LE, true, false},
    [IR_EQU] = {REL_LG, false, true}, [IR_NEU] = {REL_EQ, false, true},  [IR_LTU] = {REL_LE, true, true},
    [IR_LEU] = {REL_LT, true, true},  [IR_GTU] = {REL_LE, false, true},  [IR_GEU] = {REL_LT, false, true},
    [IR_NUM] = {REL_UN, false, true}, [IR_NAN] = {REL_UN, false, false},
};

/* compare_NAME(rel, a, b): the mask, for type t; k is the half of a pair. */
#define COMPARE(NAME, t, k)                                                                               \
    static uint32_t compare_##NAME(enum relation rel, const void *va, const void *vb) {                   \
        const REG_##t *a = va, *b = vb;                                                                   \
        uint32_t bits = 0;                                                                                \
        switch (rel) {                                                                                    \
        case REL_EQ: ALU_MASK(REG_##t, bits, l, GET_##t(a[l], k) == GET_##t(b[l], k)); break;             \
        case REL_LT: ALU_MASK(REG_##t, bits, l, GET_##t(a[l], k) < GET_##t(b[l], k)); break;              \
        case REL_LE: ALU_MASK(REG_##t, bits, l, GET_##t(a[l], k) <= GET_##t(b[l], k)); break;             \
        case REL_LG:                                                                                      \
            ALU_MASK(REG_##t, bits, l, LESS_OR_GREATER(t, GET_##t(a[l], k), GET_##t(b[l], k)));           \
            break;                                                                                        \
        case REL_UN: ALU_MASK(REG_##t, bits, l, UNORDERED(t, GET_##t(a[l], k), GET_##t(b[l], k))); break; \
        }                                                                                                 \
        return bits;                                                                                      \
    }
#define LESS_OR_GREATER(t, a, b) ((a) < (b) || (a) > (b))
#define UNORDERED(t, a, b)       (IS_NAN(t, a) || IS_NAN(t, b))
#define IS_NAN(t, v)             ((VAL_##t)0.5 != 0 && (v) != (v)) /* integers have none */

COMPARE(U16, u16, 0)
COMPARE(S16, s16, 0)
COMPARE(U32, u32, 0)
COMPARE(S32, s32, 0)
COMPARE(U64, u64, 0)
COMPARE(S64, s64, 0)
COMPARE(F16, f16, 0)
COMPARE(BF16, bf16, 0)
COMPARE(F16X2, f16x2, 0)
COMPARE(F16X2_HI, f16x2, 1)
COMPARE(BF16X2, bf16x2, 0)
COMPARE(BF16X2_HI, bf16x2, 1)
COMPARE(F32, f32, 0)
COMPARE(F64, f64, 0)

typedef uint32_t compare_fn(enum relation rel, const void *a, const void *b);

/* Runs low, and high where there is one, as i says; a and b are rows of type t. */
static void cmp_compare(enum ir_type t, compare_fn *low, compare_fn *high, const struct ir_insn *i,
                        const void *a, const void *b, uint32_t result[2]) {
    _Alignas(32) uint64_t flushed[2][EXEC_LANES];
    if (i->mods & FTZ && ir_type_float(t)) {
        ALU_NAME(alu_before)(t, FTZ, flushed[0], a);
        ALU_NAME(alu_before)(t, FTZ, flushed[1], b);
        a = flushed[0];
        b = flushed[1];
    }
    enum relation rel = plans[i->sub].rel;
    const void *first = plans[i->sub].swap ? b : a, *second = plans[i->sub].swap ? a : b;
    uint32_t invert = plans[i->sub].invert ? ~0u : 0;
    result[0] = low(rel, first, second) ^ invert;
    result[1] = high ? high(rel, first, second) ^ invert : ~result[0];
}

static uint32_t cmp_combine(const struct exec_ctx *x, const struct ir_insn *i, uint32_t bits) {
    switch (i->bop) {
    case IR_BOP_OR: return bits | exec_pred(x, i->o[i->nd + 2]);
    case IR_BOP_AND: return bits & exec_pred(x, i->o[i->nd + 2]);
    case IR_BOP_XOR: return bits ^ exec_pred(x, i->o[i->nd + 2]);
    default: return bits;
    }
}

/* p = (a cmp b) bop c, q = !(a cmp b) bop c; for pairs p is the low half's result and q the high half's. */
static inline void setp(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask,
                        const uint32_t result[2]) {
    uint32_t p = cmp_combine(x, i, result[0]), q = i->nd > 1 ? cmp_combine(x, i, result[1]) : 0;
    exec_set_pred(x, i->o[0], mask, p);
    if (i->nd > 1) exec_set_pred(x, i->o[1], mask, q);
}

/* What set writes for true; for pairs, in each half. */
static uint32_t true_value(enum ir_type dtype, bool pair) {
    switch (dtype) {
    case IR_T_F32: return 0x3f800000u;
    case IR_T_F16:
    case IR_T_F16X2: return 0x3c00;
    case IR_T_BF16:
    case IR_T_BF16X2: return 0x3f80;
    case IR_T_U16:
    case IR_T_S16: return 0xffff;
    default: return pair ? 0xffff : ~0u;
    }
}

static void cmp_set(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, const uint32_t result[2],
                    bool pair) {
    _Alignas(32) uint32_t d[EXEC_LANES];
    uint32_t yes = true_value((enum ir_type)i->dtype, pair);
    uint32_t low = cmp_combine(x, i, result[0]), high = pair ? cmp_combine(x, i, result[1]) : 0;
    ALU_EACH(l) d[l] = (low & alu_bit32[l] ? yes : 0) | (high & alu_bit32[l] ? yes << 16 : 0);
    alu_merge32(exec_row32(x, i->o[0]), d, mask);
}

#define SET_PAIR(N, t, high, is_pair)                                                                     \
    void ALU_NAME(alu_SETP_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {            \
        uint32_t result[2];                                                                               \
        cmp_compare(IR_T_##N, compare_##N, high, i, ROW_##t(x, i->o[i->nd]), ROW_##t(x, i->o[i->nd + 1]), \
                    result);                                                                              \
        setp(x, i, mask, result);                                                                         \
    }                                                                                                     \
    void ALU_NAME(alu_SET_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {             \
        uint32_t result[2];                                                                               \
        cmp_compare(IR_T_##N, compare_##N, high, i, ROW_##t(x, i->o[i->nd]), ROW_##t(x, i->o[i->nd + 1]), \
                    result);                                                                              \
        cmp_set(x, i, mask, result, is_pair);                                                             \
    }
SET_PAIR(U16, u16, NULL, false)
SET_PAIR(S16, s16, NULL, false)
SET_PAIR(U32, u32, NULL, false)
SET_PAIR(S32, s32, NULL, false)
SET_PAIR(U64, u64, NULL, false)
SET_PAIR(S64, s64, NULL, false)
SET_PAIR(F16, f16, NULL, false)
SET_PAIR(BF16, bf16, NULL, false)
SET_PAIR(F16X2, f16x2, compare_F16X2_HI, true)
SET_PAIR(BF16X2, bf16x2, compare_BF16X2_HI, true)
SET_PAIR(F32, f32, NULL, false)
SET_PAIR(F64, f64, NULL, false)

/* ---- testp: magnitudes compared as integers; zeros count as normal, as PTX says ---- */
#define TESTP(N, t, SIGN, INF, NORMAL)                                                               \
    void ALU_NAME(alu_TESTP_##N)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {      \
        const REG_##t *a = ROW_##t(x, i->o[i->nd]);                                                  \
        REG_##t size[EXEC_LANES];                                                                    \
        uint32_t bits = 0;                                                                           \
        ALU_EACH(l) size[l] = a[l] & ~(SIGN);                                                        \
        switch (i->sub) {                                                                            \
        case IR_TP_FINITE: ALU_MASK(REG_##t, bits, l, size[l] < (INF)); break;                       \
        case IR_TP_INFINITE: ALU_MASK(REG_##t, bits, l, size[l] == (INF)); break;                    \
        case IR_TP_NUMBER: ALU_MASK(REG_##t, bits, l, size[l] <= (INF)); break;                      \
        case IR_TP_NOTANUMBER: ALU_MASK(REG_##t, bits, l, size[l] > (INF)); break;                   \
        case IR_TP_NORMAL:                                                                           \
            ALU_MASK(REG_##t, bits, l, size[l] == 0 || (size[l] >= (NORMAL) && size[l] < (INF)));    \
            break;                                                                                   \
        case IR_TP_SUBNORMAL: ALU_MASK(REG_##t, bits, l, size[l] != 0 && size[l] < (NORMAL)); break; \
        }                                                                                            \
        exec_set_pred(x, i->o[0], mask, bits);                                                       \
    }
TESTP(F32, f32, 0x80000000u, 0x7f800000u, 0x00800000u)
TESTP(F64, f64, 0x8000000000000000u, 0x7ff0000000000000u, 0x0010000000000000u)

/* ---- selection ---- */
static void select32(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, uint32_t first) {
    _Alignas(32) uint32_t aside[EXEC_LANES];
    const uint32_t *a = exec_row32(x, i->o[1]), *b = exec_row32(x, i->o[2]);
    uint32_t *row = exec_row32(x, i->o[0]), *d = ALU_DEST(row, aside, mask);
    ALU_EACH(l) {
        uint32_t from_a = first & alu_bit32[l] ? ~0u : 0;
        d[l] = (a[l] & from_a) | (b[l] & ~from_a);
    }
    ALU_MERGE(row, d, mask);
}

static void select64(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, uint32_t first) {
    _Alignas(32) uint64_t aside[EXEC_LANES];
    const uint64_t *a = exec_row64(x, i->o[1]), *b = exec_row64(x, i->o[2]);
    uint64_t *row = exec_row64(x, i->o[0]), *d = ALU_DEST(row, aside, mask);
    uint64_t wide = first;
    ALU_EACH(l) {
        uint64_t from_a = wide & alu_bit64[l] ? ~(uint64_t)0 : 0;
        d[l] = (a[l] & from_a) | (b[l] & ~from_a);
    }
    ALU_MERGE(row, d, mask);
}

/* Lanes whose c is >= 0: -0 is, NaN is not; a flushed negative subnormal is. */
static uint32_t not_negative(const struct exec_ctx *x, const struct ir_insn *i) {
    const uint32_t *c = exec_row32(x, i->o[3]);
    float least = i->mods & FTZ ? -0x1.fffffcp-127f : 0;
    uint32_t bits;
    ALU_MASK(uint32_t, bits, l, f32_from(c[l]) >= least);
    return bits;
}

void ALU_NAME(alu_SELP_U32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    select32(x, i, mask, exec_pred(x, i->o[3]));
}
void ALU_NAME(alu_SELP_U64)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    select64(x, i, mask, exec_pred(x, i->o[3]));
}
void ALU_NAME(alu_SLCT_U32_F32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    select32(x, i, mask, not_negative(x, i));
}
void ALU_NAME(alu_SLCT_U64_F32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    select64(x, i, mask, not_negative(x, i));
}

/* ---- predicates ---- */
#define PREDICATE(N, meaning)                                                                 \
    void ALU_NAME(alu_##N##_P)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        exec_set_pred(x, i->o[0], mask, meaning);                                             \
    }
PREDICATE(MOV, exec_pred(x, i->o[1]))
PREDICATE(NOT, ~exec_pred(x, i->o[1]))
PREDICATE(AND, exec_pred(x, i->o[1]) & exec_pred(x, i->o[2]))
PREDICATE(OR, exec_pred(x, i->o[1]) | exec_pred(x, i->o[2]))
PREDICATE(XOR, exec_pred(x, i->o[1]) ^ exec_pred(x, i->o[2]))
