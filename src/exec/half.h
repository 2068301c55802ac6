/* f16 and bf16 as bits: exact widening to float, and rounding from float in every mode. Branch-free integer
 * code that compilers vectorise; hardware conversions are not used, so that every build gives the same bits.
 * NaN is canonical 0x7fff. A value that was first rounded to odd (float_odd) rounds here as if directly:
 * float has 13 or more bits more than either format, and the odd bit keeps "not exact, not a tie" visible. */
#ifndef HEDDLE_EXEC_HALF_H
#define HEDDLE_EXEC_HALF_H

#include "base/bits.h"
#include "ir/insn.h"

#define HALF_NAN 0x7fffu

static inline float f16_to_float(uint32_t h) {
    uint32_t magnitude = (h & 0x7fff) << 13;
    float scaled = f32_from(magnitude) * 0x1p112f; /* rebiases the exponent, normalises subnormals */
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0;
    return f32_from(f32_bits(scaled) | special | (h & 0x8000) << 16);
}

static inline float bf16_to_float(uint32_t h) {
    return f32_from(h << 16);
}

static inline uint32_t f16_from_float(float f) {
    uint32_t x = f32_bits(f), magnitude = x & 0x7fffffff;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    /* The ulp of 0.5f is the smallest subnormal of f16. */
    uint32_t subnormal = f32_bits(f32_from(magnitude) + 0.5f) - f32_bits(0.5f);
    uint32_t h = magnitude < 0x38800000u ? subnormal : normal;
    h = magnitude >= 0x477ff000u ? 0x7c00 : h;
    return magnitude > 0x7f800000u ? HALF_NAN : h | (x >> 16 & 0x8000);
}

static inline uint32_t bf16_from_float(float f) {
    uint32_t x = f32_bits(f);
    return (x & 0x7fffffff) > 0x7f800000u ? HALF_NAN : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* Does mode move an inexact, truncated magnitude of this sign up? (not RN) */
static inline uint32_t rounds_away(enum ir_round mode, uint32_t negative) {
    return mode == IR_RP ? !negative : mode == IR_RM ? negative : 0;
}

static inline uint32_t f16_from_float_directed(float f, enum ir_round mode) {
    uint32_t x = f32_bits(f), magnitude = x & 0x7fffffff;
    bool tiny = magnitude < 0x38800000u, huge = magnitude >= 0x47800000u;
    float units = f32_from(tiny ? magnitude : 0) * 0x1p24f;
    uint32_t t = tiny ? (uint32_t)(int32_t)units : (magnitude - (112u << 23)) >> 13;
    uint32_t inexact = tiny ? (float)(int32_t)t != units : (magnitude & 0x1fff) != 0;
    t = huge ? 0x7bff : t;
    t += (inexact | huge) & rounds_away(mode, x >> 31);
    t = magnitude == 0x7f800000u ? 0x7c00 : t;
    return magnitude > 0x7f800000u ? HALF_NAN : t | (x >> 16 & 0x8000);
}

static inline uint32_t bf16_from_float_directed(float f, enum ir_round mode) {
    uint32_t x = f32_bits(f);
    uint32_t up = ((x & 0xffff) != 0) & rounds_away(mode, x >> 31);
    return (x & 0x7fffffff) > 0x7f800000u ? HALF_NAN : (x >> 16) + up;
}

/* v if it is a float, else the one of its two neighbours whose last bit is set. */
static inline float float_odd(double v) {
    float f = (float)v;
    uint32_t bits = f32_bits(f);
    double back = (double)f, up = v < 0 ? -1.0 : 1.0;
    uint32_t grow = (v - back) * up > 0 ? 1u : 0u, shrink = (v - back) * up < 0 ? 1u : 0u;
    bool move = !(bits & 1);
    return f32_from(move ? bits + grow - shrink : bits);
}

/* v rounded to float in that mode. */
static inline float float_directed(double v, enum ir_round mode) {
    float f = (float)v;
    uint32_t bits = f32_bits(f), negative = bits >> 31;
    double back = (double)f;
    uint32_t below = back<v, above = back> v; /* where f lies as seen from v */
    uint32_t grow = mode == IR_RP ? below & !negative : mode == IR_RM ? above & negative : 0;
    uint32_t shrink = mode == IR_RP   ? below & negative
                      : mode == IR_RM ? above & !negative
                      : mode == IR_RZ ? (negative ? below : above)
                                      : 0;
    return f32_from(bits + grow - shrink);
}

/* p + q rounded to odd. The error of the sum (Fast2Sum on ordered operands) says where the exact one lies;
 * its sign is right in every rounding mode of the host. */
static inline double sum_odd(double p, double q) {
    double s = p + q;
    bool p_larger = (p < 0 ? -p : p) >= (q < 0 ? -q : q);
    double large = p_larger ? p : q, small = p_larger ? q : p;
    double error = small - (s - large);
    double along = s < 0 ? -error : error; /* NaN when a term is infinite: neither case below */
    uint64_t bits = f64_bits(s), odd = along > 0 ? bits + 1 : along < 0 ? bits - 1 : bits;
    return f64_from(bits & 1 ? bits : odd);
}

/* a * b + c of halves: the product is exact, and the sum, being odd, may still be rounded to f16 or bf16. */
static inline float fma_half(float a, float b, float c) {
    return float_odd(sum_odd((double)a * (double)b, (double)c));
}

#endif
