/* What the arithmetic executors share: how a value of each type lies in a register row, loops over the lanes,
 * and stores under a mask.
 *
 * The files alu*.c are compiled twice, ALU_ISA being portable and avx2; ALU_NAME gives an exported name its
 * suffix. For each type t of ir/types.h in lower case there are VAL_t  the C type of a value          REG_t
 * the element of a row that holds it        ROW_t(x, o)  the row of o GET_t(r, k)   the value in element r; k
 * selects the half of a pair (..x2), else it does not matter PUT_t(v, w)   the element that holds v (the pair
 * v, w). Narrow results are zero-extended; NaN is canonical: PTX says so for f32 (0x7fffffff), f16 and bf16
 * (0x7fff). For f64 it leaves the payload open, and which operand's x86 keeps depends on the compiler, so f64
 * NaN is always 0x7ff8000000000000. */
#ifndef HEDDLE_EXEC_ALU_ROW_H
#define HEDDLE_EXEC_ALU_ROW_H

#include "base/bits.h"
#include "exec/ctx.h"
#include "exec/half.h"

#define ALU_PASTE2(a, b) a##_##b
#define ALU_PASTE(a, b)  ALU_PASTE2(a, b)
#define ALU_NAME(name)   ALU_PASTE(name, ALU_ISA)

typedef uint8_t VAL_u8;
typedef int8_t VAL_s8;
typedef uint16_t VAL_u16, VAL_u16x2;
typedef int16_t VAL_s16, VAL_s16x2;
typedef uint32_t VAL_u32;
typedef int32_t VAL_s32;
typedef uint64_t VAL_u64;
typedef int64_t VAL_s64;
typedef float VAL_f16, VAL_bf16, VAL_f16x2, VAL_bf16x2, VAL_f32;
typedef double VAL_f64;

typedef uint32_t REG_u8, REG_s8, REG_u16, REG_s16, REG_u32, REG_s32, REG_u16x2, REG_s16x2;
typedef uint32_t REG_f16, REG_bf16, REG_f16x2, REG_bf16x2, REG_f32;
typedef uint64_t REG_u64, REG_s64, REG_f64;

#define ROW_u8     exec_row32
#define ROW_s8     exec_row32
#define ROW_u16    exec_row32
#define ROW_s16    exec_row32
#define ROW_u32    exec_row32
#define ROW_s32    exec_row32
#define ROW_u16x2  exec_row32
#define ROW_s16x2  exec_row32
#define ROW_f16    exec_row32
#define ROW_bf16   exec_row32
#define ROW_f16x2  exec_row32
#define ROW_bf16x2 exec_row32
#define ROW_f32    exec_row32
#define ROW_u64    exec_row64
#define ROW_s64    exec_row64
#define ROW_f64    exec_row64

#define GET_u8(r, k)     ((uint8_t)(r))
#define GET_s8(r, k)     ((int8_t)(r))
#define GET_u16(r, k)    ((uint16_t)(r))
#define GET_s16(r, k)    ((int16_t)(r))
#define GET_u32(r, k)    (r)
#define GET_s32(r, k)    ((int32_t)(r))
#define GET_u64(r, k)    (r)
#define GET_s64(r, k)    ((int64_t)(r))
#define GET_u16x2(r, k)  ((uint16_t)((r) >> 16 * (k)))
#define GET_s16x2(r, k)  ((int16_t)((r) >> 16 * (k)))
#define GET_f16(r, k)    f16_to_float((r)&0xffff)
#define GET_bf16(r, k)   bf16_to_float((r)&0xffff)
#define GET_f16x2(r, k)  f16_to_float((r) >> 16 * (k)&0xffff)
#define GET_bf16x2(r, k) bf16_to_float((r) >> 16 * (k)&0xffff)
#define GET_f32(r, k)    f32_from(r)
#define GET_f64(r, k)    f64_from(r)

#define PUT_u8(v, w)     ((uint32_t)(uint8_t)(v))
#define PUT_s8(v, w)     ((uint32_t)(uint8_t)(v))
#define PUT_u16(v, w)    ((uint32_t)(uint16_t)(v))
#define PUT_s16(v, w)    ((uint32_t)(uint16_t)(v))
#define PUT_u32(v, w)    ((uint32_t)(v))
#define PUT_s32(v, w)    ((uint32_t)(v))
#define PUT_u64(v, w)    ((uint64_t)(v))
#define PUT_s64(v, w)    ((uint64_t)(v))
#define PUT_u16x2(v, w)  ((uint32_t)(uint16_t)(v) | (uint32_t)(uint16_t)(w) << 16)
#define PUT_s16x2(v, w)  ((uint32_t)(uint16_t)(v) | (uint32_t)(uint16_t)(w) << 16)
#define PUT_f16(v, w)    f16_from_float(v)
#define PUT_bf16(v, w)   bf16_from_float(v)
#define PUT_f16x2(v, w)  (f16_from_float(v) | f16_from_float(w) << 16)
#define PUT_bf16x2(v, w) (bf16_from_float(v) | bf16_from_float(w) << 16)
#define PUT_f32(v, w)    alu_put_f32(v)
#define PUT_f64(v, w)    alu_put_f64(v)

static inline uint32_t alu_put_f32(float v) {
    return v != v ? 0x7fffffffu : f32_bits(v);
}
static inline uint64_t alu_put_f64(double v) {
    return v != v ? 0x7ff8000000000000u : f64_bits(v);
}

/* A loop over n lanes (a constant) whose iterations touch only their own lane: a destination row may be a
 * source row. It becomes vectors. */
#if defined(__clang__)
#define ALU_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#define ALU_ROLLED
#else
#define ALU_VECTOR _Pragma("GCC ivdep")
#define ALU_ROLLED \
    _Pragma("GCC unroll 1") /* a short loop would be unrolled first, and then not vectorise \
                             */
#endif
#define ALU_LANES(l, n) ALU_VECTOR for (uint32_t l = 0; l < (n); l++)
#define ALU_EACH(l)     ALU_LANES(l, EXEC_LANES)
/* A loop over groups of n lanes that leaves out groups with no lane in mask. It pays for operations that cost more than
 * the branch. */
#define ALU_GROUPS(l, n, mask)                                    \
    for (uint32_t l##_at = 0; l##_at < EXEC_LANES; l##_at += (n)) \
        if ((mask) >> l##_at & (~0u >> (EXEC_LANES - (n))))       \
    ALU_VECTOR ALU_ROLLED for (uint32_t l = l##_at; l < l##_at + (n); l++)

/* The bit of each lane. Tables, because shifts by the lane number do not vectorise everywhere. */
#define ALU_BITS4(T, n)  (T)1 << (n), (T)2 << (n), (T)4 << (n), (T)8 << (n)
#define ALU_BITS16(T, n) ALU_BITS4(T, n), ALU_BITS4(T, n + 4), ALU_BITS4(T, n + 8), ALU_BITS4(T, n + 12)
static const uint32_t alu_bit32[EXEC_LANES] = {ALU_BITS16(uint32_t, 0), ALU_BITS16(uint32_t, 16)};
static const uint64_t alu_bit64[EXEC_LANES] = {ALU_BITS16(uint64_t, 0), ALU_BITS16(uint64_t, 16)};

/* Where to compute a row: in place when every lane is wanted, else aside, to be merged by ALU_MERGE. */
static inline uint32_t *alu_dest32(uint32_t *row, uint32_t *aside, uint32_t mask) {
    return mask == ~0u ? row : aside;
}
static inline uint64_t *alu_dest64(uint64_t *row, uint64_t *aside, uint32_t mask) {
    return mask == ~0u ? row : aside;
}
static inline void alu_merge32(uint32_t *row, const uint32_t *from, uint32_t mask) {
    if (row == from) return;
    ALU_EACH(l) {
        uint32_t keep = mask & alu_bit32[l] ? 0 : ~0u;
        row[l] = (row[l] & keep) | (from[l] & ~keep);
    }
}
static inline void alu_merge64(uint64_t *row, const uint64_t *from, uint32_t mask) {
    if (row == from) return;
    uint64_t wide = mask;
    ALU_EACH(l) {
        uint64_t keep = wide & alu_bit64[l] ? 0 : ~(uint64_t)0;
        row[l] = (row[l] & keep) | (from[l] & ~keep);
    }
}
#define ALU_DEST(row, aside, mask) \
    _Generic((row), uint32_t * : alu_dest32, uint64_t * : alu_dest64)(row, aside, mask)
#define ALU_MERGE(row, from, mask) \
    _Generic((row), uint32_t * : alu_merge32, uint64_t * : alu_merge64)(row, from, mask)

/* One mask bit per lane for which cond holds; vectorises to compare, select, or. acc is the accumulator's
 * type, as wide as what cond compares. */
#define ALU_MASK(acc, bits, l, cond)                                                             \
    do {                                                                                         \
        acc bits##_acc = 0;                                                                      \
        for (uint32_t l = 0; l < EXEC_LANES; l++)                                                \
            bits##_acc |= (cond) ? sizeof(acc) == 8 ? (acc)alu_bit64[l] : (acc)alu_bit32[l] : 0; \
        bits = (uint32_t)bits##_acc;                                                             \
    } while (0)

/* The loop of one operation: computes 32 elements at d from the rows at s; lanes outside mask are anything.
 */
typedef void alu_loop(void *d, const void *const s[3], const struct ir_insn *i, uint32_t mask);

/* ---- modifiers (alu_mods.c): rows of type t as bits, all lanes; d may be s ---- */

/* FTZ: subnormals become zero. XSGN: the sign is dropped. Other bits of mods are ignored. */
void ALU_NAME(alu_before)(enum ir_type t, unsigned mods, void *d, const void *s);
/* NAN, XSGN (both look at the ns sources), FTZ, SAT, RELU, in this order, on the result at d. */
void ALU_NAME(alu_after)(enum ir_type t, unsigned mods, void *d, const void *const s[3], unsigned ns);
/* loop with the modifiers of i among allowed; all operands are of type t. d is not a source row. */
void ALU_NAME(alu_modified)(enum ir_type t, unsigned allowed, alu_loop *loop, void *d, const void *const s[3],
                            unsigned ns, const struct ir_insn *i, uint32_t mask);

/* Every executor, by the name of its row. */
#define U(id, ...) exec_fn ALU_NAME(alu_##id);
#define B(id, ...) exec_fn ALU_NAME(alu_##id);
#define T(id, ...) exec_fn ALU_NAME(alu_##id);
#define A(id, ...) exec_fn ALU_NAME(alu_##id);
#define M(id, ...)
#include "ir/ops.def"

/* Floats of RISC-V (alu_rv.c). */
exec_fn ALU_NAME(alu_rv_fp);

/* ops.def writes modifiers without prefix. */
enum {
    RND = IR_M_RND,
    FTZ = IR_M_FTZ,
    SAT = IR_M_SAT,
    RELU = IR_M_RELU,
    NAN = IR_M_NAN,
    XSGN = IR_M_XSGN,
    CC = IR_M_CC,
    RINT = IR_M_RINT
};

#endif
