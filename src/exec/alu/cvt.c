/* Conversions between any two types. Plain ones (no rounding mode, clamp or flush) have a loop of their own;
 * the others are chained passes over rows of doubles:
 *
 *   float to int     widen (exact), round to an integer, clamp and convert
 *   int to float     to double, exactly or rounded to odd, then narrow in the wanted mode
 *   float to float   widen (exact), perhaps round to an integer, narrow in the wanted mode, then .ftz .sat
 * .relu
 *
 * Rounding to odd keeps 64-bit integers and doubles safe from being rounded twice on the way to 16 bits. .ftz
 * concerns f32 only, as source or as result. NaN becomes, as PTX defines, 0, or 1 << (bits - 1) where the
 * source is f64 or the destination has 64 bits; every other float clamps to the destination's range, .sat or
 * not. */
#include "exec/alu/row.h"
#include "exec/narrow.h"

/* ---- int to int ---- */

/* v (sign-extended where signed) clamped to an integer of so many bits. */
static inline uint64_t clamp_int(uint64_t v, bool v_signed, uint32_t bits, bool to_signed) {
    uint64_t max = ~(uint64_t)0 >> (64 - bits + to_signed), min = to_signed ? ~max : 0;
    if (v_signed && (int64_t)v < 0) return !to_signed ? 0 : (int64_t)v < (int64_t)min ? min : v;
    return v > max ? max : v;
}

#define SIGNED(t)    ((VAL_##t) - 1 < (VAL_##t)1)
#define BITS(t)      ((uint32_t)sizeof(VAL_##t) * 8)
#define EXTEND(t, v) (SIGNED(t) ? (uint64_t)(int64_t)(v) : (uint64_t)(v))

#define INT_TO_INT(D, d, S, s)                                                                      \
    void ALU_NAME(alu_CVT_##D##_##S)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) REG_##d aside[EXEC_LANES];                                                     \
        const REG_##s *a = ROW_##s(x, i->o[1]);                                                     \
        REG_##d *row = ROW_##d(x, i->o[0]), *out = ALU_DEST(row, aside, mask);                      \
        if (i->mods & SAT) ALU_EACH(l) {                                                            \
                uint64_t v = clamp_int(EXTEND(s, GET_##s(a[l], 0)), SIGNED(s), BITS(d), SIGNED(d)); \
                out[l] = PUT_##d((VAL_##d)v, 0);                                                    \
            }                                                                                       \
        else                                                                                        \
            ALU_EACH(l) out[l] = PUT_##d((VAL_##d)GET_##s(a[l], 0), 0);                             \
        ALU_MERGE(row, out, mask);                                                                  \
    }

/* ---- widening ---- */
#define WIDEN(t)                                       \
    static void widen_##t(double *d, const void *vs) { \
        const REG_##t *s = vs;                         \
        ALU_EACH(l) d[l] = (double)GET_##t(s[l], 0);   \
    }
WIDEN(f16)
WIDEN(bf16)
WIDEN(f32)
WIDEN(f64)
WIDEN(u8)
WIDEN(s8)
WIDEN(u16)
WIDEN(s16)
WIDEN(u32)
WIDEN(s32)

/* Rounding to odd, on the way to something narrower than double. */
#define TO_ODD IR_RNA

static double double_from(uint64_t size, bool negative, enum ir_round mode) {
    uint32_t drop = size >> 53 ? 11 - (uint32_t)__builtin_clzll(size) : 0;
    uint64_t kept = size >> drop << drop, unit = (uint64_t)1 << drop;
    bool up = kept != size && (mode == TO_ODD ? !(kept & unit) : rounds_away(mode, negative));
    double v = (double)kept + (up ? (double)unit : 0);
    return negative ? -v : v;
}
static void widen_u64_mode(double *d, const void *vs, enum ir_round mode) {
    const uint64_t *s = vs;
    for (uint32_t l = 0; l < EXEC_LANES; l++)
        d[l] = mode == IR_RN ? (double)s[l] : double_from(s[l], false, mode);
}
static void widen_s64_mode(double *d, const void *vs, enum ir_round mode) {
    const uint64_t *s = vs;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        bool negative = s[l] >> 63;
        d[l] =
            mode == IR_RN ? (double)(int64_t)s[l] : double_from(negative ? 0 - s[l] : s[l], negative, mode);
    }
}

/* Row s of type t as doubles. mode matters for 64-bit integers only. */
static void cvt_widen(enum ir_type t, double *d, const void *s, enum ir_round mode) {
    switch (t) {
    case IR_T_U8: widen_u8(d, s); break;
    case IR_T_S8: widen_s8(d, s); break;
    case IR_T_U16: widen_u16(d, s); break;
    case IR_T_S16: widen_s16(d, s); break;
    case IR_T_U32: widen_u32(d, s); break;
    case IR_T_S32: widen_s32(d, s); break;
    case IR_T_U64: widen_u64_mode(d, s, mode); break;
    case IR_T_S64: widen_s64_mode(d, s, mode); break;
    case IR_T_F16: widen_f16(d, s); break;
    case IR_T_BF16: widen_bf16(d, s); break;
    case IR_T_F32: widen_f32(d, s); break;
    default: widen_f64(d, s); break;
    }
}

/* ---- rounding to integers ---- */

/* To nearest even: adding 2^52 leaves no fraction. The sign goes back on, for -0 and for what rounds to it.
 */
static inline double cvt_nearest(double v) {
    uint64_t sign = f64_bits(v) & 0x8000000000000000u;
    double size = f64_from(f64_bits(v) ^ sign), r = (size + 0x1p52) - 0x1p52;
    r = size < 0x1p52 ? r : size;
    return f64_from(f64_bits(r) | sign);
}
/* r is cvt_nearest(v): one off where it lies on the wrong side; the sign of v stays on a zero. */
static inline double down_from(double r, double v) {
    double fixed = r > v ? r - 1 : r;
    return f64_from(f64_bits(fixed) | (f64_bits(v) & 0x8000000000000000u));
}
static inline double cvt_down(double v) {
    return down_from(cvt_nearest(v), v);
}
static inline double truncated(double v) {
    uint64_t sign = f64_bits(v) & 0x8000000000000000u;
    return f64_from(f64_bits(cvt_down(f64_from(f64_bits(v) ^ sign))) | sign);
}

static void round_row(enum ir_round mode, double *d) {
    switch (mode) {
    case IR_RZ: ALU_EACH(l) d[l] = truncated(d[l]); break;
    case IR_RM: ALU_EACH(l) d[l] = cvt_down(d[l]); break;
    case IR_RP: ALU_EACH(l) d[l] = -cvt_down(-d[l]); break;
    default: ALU_EACH(l) d[l] = cvt_nearest(d[l]); break;
    }
}

/* ---- doubles to integers, toward zero ---- */

/* Up to 32 bits, clamped and through an int32_t, which is all that converts in a vector. nan is the value of
 * NaN. */
static inline uint32_t int_from(double v, double min, double max, double nan) {
    v = v != v ? nan : v < min ? min : v > max ? max : v;
    double low = max > 0x1p31 && v >= 0x1p31 ? v - 0x1p31 : v;
    return (uint32_t)(int32_t)low | (max > 0x1p31 && v >= 0x1p31 ? 0x80000000u : 0);
}
#define TO_INT(t, min, max)                                           \
    static void to_##t(void *vd, const double *s, double nan) {       \
        uint32_t *d = vd;                                             \
        ALU_EACH(l) d[l] = PUT_##t(int_from(s[l], min, max, nan), 0); \
    }
TO_INT(u8, 0, UINT8_MAX)
TO_INT(s8, INT8_MIN, INT8_MAX)
TO_INT(u16, 0, UINT16_MAX)
TO_INT(s16, INT16_MIN, INT16_MAX)
TO_INT(u32, 0, UINT32_MAX)
TO_INT(s32, INT32_MIN, INT32_MAX)
static void to_u64(void *vd, const double *s, double nan) {
    uint64_t *d = vd;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        double v = s[l] != s[l] ? nan : s[l];
        d[l] = v <= 0 ? 0 : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
    }
}
static void to_s64(void *vd, const double *s, double nan) {
    uint64_t *d = vd;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        double v = s[l] != s[l] ? nan : s[l];
        d[l] = (uint64_t)(v <= -0x1p63 ? INT64_MIN : v >= 0x1p63 ? INT64_MAX : (int64_t)v);
    }
}

/* Source rows as doubles with .ftz and, where integral, rounding to integers as i says. */
static void cvt_load(enum ir_type t, double *d, const void *s, const struct ir_insn *i, bool integral,
                     enum ir_round mode) {
    _Alignas(32) uint32_t flushed[EXEC_LANES];
    if (i->mods & FTZ && t == IR_T_F32) {
        ALU_NAME(alu_before)(IR_T_F32, FTZ, flushed, s);
        s = flushed;
    }
    cvt_widen(t, d, s, mode);
    if (integral) round_row((enum ir_round)(i->mods & IR_M_RND), d);
}

#define FLOAT_TO_INT(D, d, S, s)                                                                    \
    void ALU_NAME(alu_CVT_##D##_##S)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) double v[EXEC_LANES];                                                          \
        _Alignas(32) REG_##d out[EXEC_LANES];                                                       \
        bool high = BITS(d) == 64 || IR_T_##S == IR_T_F64;                                          \
        double top = (double)((uint64_t)1 << (BITS(d) - 1));                                        \
        cvt_load(IR_T_##S, v, ROW_##s(x, i->o[1]), i, (i->mods & IR_M_RND) != IR_RZ, IR_RN);        \
        to_##d(out, v, !high ? 0 : SIGNED(d) ? -top : top);                                         \
        ALU_MERGE(ROW_##d(x, i->o[0]), out, mask);                                                  \
    }

/* ---- doubles to floats ---- */
static void narrow_f16(uint32_t *d, const double *s, enum ir_round mode) {
    if (mode == IR_RN)
        ALU_EACH(l) d[l] = f16_from_float(float_odd(s[l]));
    else
        ALU_EACH(l) d[l] = f16_from_float_directed(float_odd(s[l]), mode);
}
static void narrow_bf16(uint32_t *d, const double *s, enum ir_round mode) {
    if (mode == IR_RN)
        ALU_EACH(l) d[l] = bf16_from_float(float_odd(s[l]));
    else
        ALU_EACH(l) d[l] = bf16_from_float_directed(float_odd(s[l]), mode);
}
static void narrow_f32(uint32_t *d, const double *s, enum ir_round mode) {
    if (mode == IR_RN)
        ALU_EACH(l) d[l] = alu_put_f32((float)s[l]);
    else
        ALU_EACH(l) d[l] = alu_put_f32(float_directed(s[l], mode));
}
static void narrow_f64(uint64_t *d, const double *s, enum ir_round mode) {
    (void)mode;
    ALU_EACH(l) d[l] = alu_put_f64(s[l]);
}

/* A value of type s as that type's nearest float or double, safe to round to a half. */
#define CONVERT(d, s, v) \
    (sizeof(VAL_##d) == 4 && IS_HALF_##d && sizeof(v) == 8 ? float_odd((double)(v)) : (v))
#define IS_HALF_f16  1
#define IS_HALF_bf16 1
#define IS_HALF_f32  0
#define IS_HALF_f64  0

#define FLOAT_TO_FLOAT(D, d, S, s)                                                                  \
    void ALU_NAME(alu_CVT_##D##_##S)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) double v[EXEC_LANES];                                                          \
        _Alignas(32) REG_##d out[EXEC_LANES];                                                       \
        const REG_##s *a = ROW_##s(x, i->o[1]);                                                     \
        enum ir_round mode = (enum ir_round)(i->mods & IR_M_RND);                                   \
        unsigned after = i->mods & (SAT | RELU | (IR_T_##D == IR_T_F32 ? FTZ : 0));                 \
        if (i->mods & (RND | RINT | SAT | FTZ | RELU)) {                                            \
            cvt_load(IR_T_##S, v, a, i, i->mods &RINT, IR_RN);                                      \
            narrow_##d(out, v, mode);                                                               \
            ALU_NAME(alu_after)(IR_T_##D, after, out, NULL, 0);                                     \
        } else {                                                                                    \
            ALU_EACH(l) out[l] = PUT_##d((VAL_##d)CONVERT(d, s, GET_##s(a[l], 0)), 0);              \
        }                                                                                           \
        ALU_MERGE(ROW_##d(x, i->o[0]), out, mask);                                                  \
    }

/* int to f32 and f64 rounds once in C; to a half it takes the way through odd doubles. */
#define INT_TO_FLOAT(D, d, S, s)                                                                    \
    void ALU_NAME(alu_CVT_##D##_##S)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) double v[EXEC_LANES];                                                          \
        _Alignas(32) REG_##d out[EXEC_LANES];                                                       \
        const REG_##s *a = ROW_##s(x, i->o[1]);                                                     \
        enum ir_round mode = (enum ir_round)(i->mods & IR_M_RND);                                   \
        if (IS_HALF_##d || i->mods & (RND | SAT)) {                                                 \
            cvt_load(IR_T_##S, v, a, i, false, IR_T_##D == IR_T_F64 ? mode : TO_ODD);               \
            narrow_##d(out, v, mode);                                                               \
            ALU_NAME(alu_after)(IR_T_##D, i->mods & SAT, out, NULL, 0);                             \
        } else {                                                                                    \
            ALU_EACH(l) out[l] = PUT_##d((VAL_##d)GET_##s(a[l], 0), 0);                             \
        }                                                                                           \
        ALU_MERGE(ROW_##d(x, i->o[0]), out, mask);                                                  \
    }

/* clang-format off */
#define INTS(ROW, D, d) ROW(D, d, U8, u8) ROW(D, d, S8, s8) ROW(D, d, U16, u16) ROW(D, d, S16, s16) \
    ROW(D, d, U32, u32) ROW(D, d, S32, s32) ROW(D, d, U64, u64) ROW(D, d, S64, s64)
#define FLOATS(ROW, D, d) ROW(D, d, F16, f16) ROW(D, d, BF16, bf16) ROW(D, d, F32, f32) ROW(D, d, F64, f64)
#define TO_AN_INT(D, d)  INTS(INT_TO_INT, D, d) FLOATS(FLOAT_TO_INT, D, d)
#define TO_A_FLOAT(D, d) INTS(INT_TO_FLOAT, D, d) FLOATS(FLOAT_TO_FLOAT, D, d)
TO_AN_INT(U8, u8) TO_AN_INT(S8, s8) TO_AN_INT(U16, u16) TO_AN_INT(S16, s16)
TO_AN_INT(U32, u32) TO_AN_INT(S32, s32) TO_AN_INT(U64, u64) TO_AN_INT(S64, s64)
TO_A_FLOAT(F16, f16) TO_A_FLOAT(BF16, bf16) TO_A_FLOAT(F32, f32) TO_A_FLOAT(F64, f64)
/* clang-format on */

/* ---- two f32 to a pair of halves: a above, b below ---- */
#define TO_PAIR(D, narrow)                                                                          \
    void ALU_NAME(alu_CVT_##D##_F32)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) double v[EXEC_LANES];                                                          \
        _Alignas(32) uint32_t high[EXEC_LANES], low[EXEC_LANES];                                    \
        enum ir_round mode = (enum ir_round)(i->mods & IR_M_RND);                                   \
        widen_f32(v, exec_row32(x, i->o[1]));                                                       \
        narrow(high, v, mode);                                                                      \
        widen_f32(v, exec_row32(x, i->o[2]));                                                       \
        narrow(low, v, mode);                                                                       \
        ALU_EACH(l) low[l] |= high[l] << 16;                                                        \
        ALU_NAME(alu_after)(IR_T_##D, i->mods & RELU, low, NULL, 0);                                \
        alu_merge32(exec_row32(x, i->o[0]), low, mask);                                             \
    }
            TO_PAIR(F16X2, narrow_f16) TO_PAIR(BF16X2, narrow_bf16)

    /* tf32 is a float without its low 13 bits. */
    void ALU_NAME(alu_CVT_TF32_F32)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    _Alignas(32) uint32_t d[EXEC_LANES];
    const uint32_t *a = exec_row32(x, i->o[1]);
    enum ir_round mode = (enum ir_round)(i->mods & IR_M_RND);
    uint32_t half = mode == IR_RZ ? 0 : mode == IR_RNA ? 0x1000 : 0xfff, even = mode == IR_RN;
    ALU_EACH(l) {
        uint32_t rounded = (a[l] + half + (a[l] >> 13 & even)) & ~0x1fffu;
        d[l] = (a[l] & 0x7fffffff) > 0x7f800000u ? 0x7fffffff : rounded;
    }
    ALU_NAME(alu_after)(IR_T_F32, i->mods & RELU, d, NULL, 0);
    alu_merge32(exec_row32(x, i->o[0]), d, mask);
}

/* cvt.pack: a above b, each clamped to dtype, and c above both where there is one. */
void ALU_NAME(alu_CVT_PACK)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    _Alignas(32) uint32_t d[EXEC_LANES];
    const uint32_t *a = exec_row32(x, i->o[1]), *b = exec_row32(x, i->o[2]);
    uint32_t bits = ir_type_bytes[i->dtype] * 8u, part = (uint32_t)(((uint64_t)1 << bits) - 1);
    bool to_signed = ir_type_signed((enum ir_type)i->dtype);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        uint64_t high = clamp_int(EXTEND(s32, (int32_t)a[l]), true, bits, to_signed) & part;
        uint64_t low = clamp_int(EXTEND(s32, (int32_t)b[l]), true, bits, to_signed) & part;
        uint64_t above = i->ns > 2 ? exec_row32(x, i->o[3])[l] : 0;
        d[l] = (uint32_t)(above << 2 * bits | high << bits | low);
    }
    alu_merge32(exec_row32(x, i->o[0]), d, mask);
}

/* ---- pairs of narrow floats ---- */
#define NARROW(id, value)                                                                        \
    void ALU_NAME(alu_##id)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) {       \
        _Alignas(32) uint32_t d[EXEC_LANES];                                                     \
        const uint32_t *a = exec_row32(x, i->o[1]), *b = i->ns > 1 ? exec_row32(x, i->o[2]) : a; \
        (void)b;                                                                                 \
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = value;                                  \
        alu_merge32(exec_row32(x, i->o[0]), d, mask);                                            \
    }
NARROW(CVT_NARROW_F32, narrow_pair(f32_from(a[l]), f32_from(b[l]), i->sub))
NARROW(CVT_NARROW_F16X2, narrow_pair(f16_to_float(a[l] >> 16), f16_to_float(a[l] & 0xffff), i->sub))
NARROW(CVT_NARROW_BF16X2, narrow_pair(bf16_to_float(a[l] >> 16), bf16_to_float(a[l] & 0xffff), i->sub))
NARROW(CVT_F16X2_NARROW, narrow_widen(a[l], i->sub))
