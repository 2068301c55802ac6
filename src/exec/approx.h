/* The .approx functions of PTX, in double arithmetic and plain C: additions, multiplications, divisions, bit
 * moves, no branches, no libm. They vectorise, and every build gives the same bits. All results are within an
 * ulp or so of the true value, far inside what the PTX ISA allows, except tanh (2^-11 relative is allowed;
 * about 2^-23 here).
 *
 * Deviation: sin and cos are accurate up to |x| < 2^29; beyond, where hardware has no fraction of a turn left
 * either, they return those of a zero angle. */
#ifndef HEDDLE_EXEC_APPROX_H
#define HEDDLE_EXEC_APPROX_H

#include "base/bits.h"

/* Adding and subtracting 1.5 * 2^52 rounds to an integer, which is then also in the low bits of the sum. */
#define APPROX_ROUND 0x1.8p52

static inline double approx_quiet_nan(void) {
    return f64_from(0x7ff8000000000000u);
}

/* sin (quadrant 0) and cos (quadrant 1): the Taylor series on [-pi/4, pi/4], error below 2^-29. */
static inline float sincos_approx(float a, uint64_t quadrant) {
    double x = (double)a;
    x = x < 0x1p29 && x > -0x1p29 ? x : 0;
    double turns = x * 0x1.45f306dc9c883p-1 + APPROX_ROUND, n = turns - APPROX_ROUND;
    /* pi/2 in parts of 24, 24 and 53 bits: the first two products are exact */
    double r = ((x - n * 0x1.921fb4p+0) - n * 0x1.4442dp-24) - n * 0x1.8469898cc5170p-48;
    double r2 = r * r;
    double sine = r * (1 + r2 * (-1.0 / 6 + r2 * (1.0 / 120 + r2 * (-1.0 / 5040 + r2 * (1.0 / 362880)))));
    double cosine =
        1 + r2 * (-1.0 / 2 + r2 * (1.0 / 24 + r2 * (-1.0 / 720 + r2 * (1.0 / 40320 - r2 * (1.0 / 3628800)))));
    uint64_t q = f64_bits(turns) + quadrant;
    double v = q & 1 ? cosine : sine;
    v = f64_from(f64_bits(v) ^ (q & 2) << 62);
    double zero = (double)a - (double)a; /* NaN for infinities and NaN */
    return (float)(zero == 0 ? v : approx_quiet_nan());
}
static inline float sin_approx(float a) {
    return sincos_approx(a, 0);
}
static inline float cos_approx(float a) {
    return sincos_approx(a, 1);
}

/* log2 of 2^e * m, m in [sqrt 1/2, sqrt 2): e + 2/ln 2 * atanh((m-1)/(m+1)). */
static inline float lg2_approx(float a) {
    double x = (double)a;
    uint64_t shifted = f64_bits(x) - 0x3fe6a09e667f3bcdu; /* sqrt(1/2): e is then the exponent field */
    double e = f64_from((((shifted >> 52) + 0x800) & 0xfff) | 0x4330000000000000u) - (0x1p52 + 2048);
    double m = f64_from((shifted & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double s = (m - 1) / (m + 1), s2 = s * s;
    double series = 1 + s2 * (1.0 / 3 + s2 * (1.0 / 5 + s2 * (1.0 / 7 + s2 * (1.0 / 9 + s2 * (1.0 / 11)))));
    double v = e + 0x1.71547652b82fep+1 * s * series;
    v = x == 0 ? -__builtin_inf() : v;
    v = x > 0x1.fffffep127 ? x : v;
    return (float)(x >= 0 ? v : approx_quiet_nan());
}

/* 2^x for |x| <= 1000: 2^n * e^(f ln 2), |f| <= 1/2, relative error below 2^-32. */
static inline double approx_exp2(double x) {
    double shifted = x + APPROX_ROUND, t = (x - (shifted - APPROX_ROUND)) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 720 + t * (1.0 / 5040 + t * (1.0 / 40320));
    p = 1 + t * (1 + t * (1.0 / 2 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * p)))));
    return p * f64_from((f64_bits(shifted) + 1023) << 52);
}
static inline float ex2_approx(float a) {
    double x = (double)a, v = approx_exp2(x > 200 ? 200 : x > -200 ? x : -200);
    return (float)(x == x ? v : approx_quiet_nan());
}

static inline float tanh_approx(float a) {
    double x = (double)a, x2 = x * x;
    double near = x * (1 - x2 * (1.0 / 3 - x2 * (2.0 / 15)));
    double clamped = x > 20 ? 20 : x > -20 ? x : -20;
    double e = approx_exp2(clamped * 0x1.71547652b82fep+1);
    double far = (e - 1) / (e + 1);
    double v = x2 < 0x1p-12 ? near : far;
    return (float)(x == x ? v : approx_quiet_nan());
}

static inline float rsqrt_approx_f32(float a) {
    return (float)(1 / __builtin_sqrt((double)a));
}

/* a times an approximate 1/b, which is zero where b > 2^126. */
static inline float div_approx(float a, float b) {
    float size = f32_from(f32_bits(b) & 0x7fffffff);
    bool large = size > 0x1p126f && size <= 0x1.fffffep127f;
    float zero = f32_from(f32_bits(b) & 0x80000000u);
    return large ? a * zero : a / b;
}

/* rcp and rsqrt.approx.ftz.f64 see and make only the upper word; subnormals are zero, NaN is all ones in that
 * word. */
static inline double approx_seen(double a) {
    uint64_t bits = f64_bits(a) & 0xffffffff00000000u;
    uint64_t flushed = bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u;
    return a == a ? f64_from(flushed) : a;
}
static inline uint64_t approx_made(double v) {
    return v == v ? f64_bits(approx_seen(v)) : 0x7fffffff00000000u;
}
static inline uint64_t rcp_approx_f64(double a) {
    return approx_made(1 / approx_seen(a));
}
/* Without .ftz it is a function of full precision. */
static inline uint64_t rsqrt_approx_f64(double a, bool ftz) {
    double full = 1 / __builtin_sqrt(a);
    uint64_t bits = full == full ? f64_bits(full) : 0x7ff8000000000000u;
    return ftz ? approx_made(1 / __builtin_sqrt(approx_seen(a))) : bits;
}

#endif
