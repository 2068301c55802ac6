/* Modifiers of floating-point operations, applied to whole rows of bits before and after the plain loop, so
 * that no operation has to know them: flushing, clamping and NaN rules are integer work on the encoding,
 * whatever the format.
 *
 * .ftz flushes subnormal inputs, and results that are subnormal after rounding. .sat and .relu turn -0 into
 * +0; NaN saturates to +0 and stays (canonical) under .relu. */
#include "exec/alu/row.h"
#include "exec/round.h"

/* Passes for a format: T is an unsigned integer that holds one element, N how many there are in a row (pairs
 * are 64 elements of 16 bits), SIGN its sign bit, INF the encoding of infinity, ONE of 1.0. */
#define MODS(t, T, N, SIGN, INF, ONE, QNAN)                                                          \
    static inline T flush_##t(T v) {                                                                 \
        return (T)(v & (INF) ? v : v & (SIGN));                                                      \
    }                                                                                                \
    static inline bool nan_##t(T v) {                                                                \
        return (T)(v & ~(T)(SIGN)) > (INF);                                                          \
    }                                                                                                \
    static void before_##t(unsigned mods, T *d, const T *s) {                                        \
        if (mods & FTZ)                                                                              \
            ALU_LANES(l, N) d[l] = flush_##t(s[l]);                                                  \
        else                                                                                         \
            ALU_LANES(l, N) d[l] = s[l];                                                             \
        if (mods & XSGN) ALU_LANES(l, N) d[l] = (T)(d[l] & ~(T)(SIGN));                              \
    }                                                                                                \
    static void propagate_##t(T *d, const T *s) {                                                    \
        ALU_LANES(l, N) d[l] = nan_##t(s[l]) ? (QNAN) : d[l];                                        \
    }                                                                                                \
    static void after_##t(unsigned mods, T *d, const void *const s[3], unsigned ns) {                \
        if (mods & NAN)                                                                              \
            for (unsigned k = 0; k < ns; k++) propagate_##t(d, s[k]);                                \
        if (mods & XSGN) {                                                                           \
            const T *a = s[0], *b = s[1];                                                            \
            ALU_LANES(l, N) d[l] = (T)(nan_##t(d[l]) ? d[l] : d[l] | ((a[l] ^ b[l]) & (SIGN)));      \
        }                                                                                            \
        if (mods & FTZ) ALU_LANES(l, N) d[l] = flush_##t(d[l]);                                      \
        if (mods & SAT)                                                                              \
            ALU_LANES(l, N) d[l] = nan_##t(d[l]) || d[l] & (SIGN) ? 0 : d[l] > (ONE) ? (ONE) : d[l]; \
        if (mods & RELU) ALU_LANES(l, N) d[l] = !nan_##t(d[l]) && d[l] & (SIGN) ? 0 : d[l];          \
    }

/* clang-format off */
MODS(f16,    uint32_t, 32, 0x8000u, 0x7c00u, 0x3c00u, 0x7fffu)
MODS(bf16,   uint32_t, 32, 0x8000u, 0x7f80u, 0x3f80u, 0x7fffu)
MODS(f16x2,  uint16_t, 64, 0x8000u, 0x7c00u, 0x3c00u, 0x7fffu)
MODS(bf16x2, uint16_t, 64, 0x8000u, 0x7f80u, 0x3f80u, 0x7fffu)
MODS(s16x2,  uint16_t, 64, 0x8000u, 0x7fffu, 0x7fffu, 0x7fffu) /* only RELU: no integer is above "infinity" */
MODS(f32,    uint32_t, 32, 0x80000000u, 0x7f800000u, 0x3f800000u, 0x7fffffffu)
MODS(f64,    uint64_t, 32, 0x8000000000000000u, 0x7ff0000000000000u, 0x3ff0000000000000u, 0x7ff8000000000000u)
/* clang-format on */

void ALU_NAME(alu_before)(enum ir_type t, unsigned mods, void *d, const void *s) {
    switch (t) {
    case IR_T_F16: before_f16(mods, d, s); break;
    case IR_T_BF16: before_bf16(mods, d, s); break;
    case IR_T_F16X2: before_f16x2(mods, d, s); break;
    case IR_T_BF16X2: before_bf16x2(mods, d, s); break;
    case IR_T_S16X2: before_s16x2(mods, d, s); break;
    case IR_T_F32: before_f32(mods, d, s); break;
    default: before_f64(mods, d, s); break;
    }
}

void ALU_NAME(alu_after)(enum ir_type t, unsigned mods, void *d, const void *const s[3], unsigned ns) {
    switch (t) {
    case IR_T_F16: after_f16(mods, d, s, ns); break;
    case IR_T_BF16: after_bf16(mods, d, s, ns); break;
    case IR_T_F16X2: after_f16x2(mods, d, s, ns); break;
    case IR_T_BF16X2: after_bf16x2(mods, d, s, ns); break;
    case IR_T_S16X2: after_s16x2(mods, d, s, ns); break;
    case IR_T_F32: after_f32(mods, d, s, ns); break;
    default: after_f64(mods, d, s, ns); break;
    }
}

void ALU_NAME(alu_modified)(enum ir_type t, unsigned allowed, alu_loop *loop, void *d, const void *const s[3],
                            unsigned ns, const struct ir_insn *i, uint32_t mask) {
    _Alignas(32) uint64_t changed[3][EXEC_LANES];
    unsigned mods = i->mods & allowed;
    enum ir_round mode = (enum ir_round)(mods & IR_M_RND);
    const void *in[3] = {s[0], s[1], s[2]};
    for (unsigned k = 0; k < ns && mods & (FTZ | XSGN); k++) {
        ALU_NAME(alu_before)(t, mods, changed[k], s[k]);
        in[k] = changed[k];
    }
    if (mode == IR_RN) {
        loop(d, in, i, mask);
    } else {
        ROUND_PIN(d);
        round_set(mode, changed);
        loop(d, in, i, mask);
        ROUND_PIN(d);
        round_set(IR_RN, changed);
    }
    if (mods & ~(unsigned)IR_M_RND) ALU_NAME(alu_after)(t, mods, d, s, ns);
}
