/* The sums of matrix multiplication in floating point.
 *
 * NVIDIA does not say how its tensor cores add. This follows what Fasi, Higham, Mikaitis and Pranesh measured ("Numerical
 * behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330, 2021, doi 10.7717/peerj-cs.330) of the V100:
 *  - products are exact, and subnormal numbers are neither flushed as factors nor as results;
 *  - four products and the accumulator are added at once: all are aligned to the largest exponent among them and cut off
 *    (not rounded) below the 24th bit of it, and the sum of what is left is exact;
 *  - the sum is cut off to f32; further products of the same instruction are added to that, four at a time, in the order
 *    of k;
 *  - a result in f16 is rounded to nearest even, once, at the end.
 * The exponent of a product is the sum of those of its factors: products are not normalised first. The T4 and the A100
 * keep at least one bit more, and the A100 adds eight products of halves at once: results of heddle do not depend on
 * the machine. Sums of bf16, tf32 and fp8 are done the same way. Of what was not measured: a sum of exactly zero is +0,
 * one beyond f32 is infinite, a NaN is the canonical one.
 *
 * In f64 the result is a chain of fused multiply-adds in the order of k, as on the A100. */
#include <math.h>

#include "exec/half.h"
#include "exec/mma.h"
#include "exec/round.h"

enum { TOGETHER = 4, FRACTION = 23, NOTHING = INT32_MIN };

static double power(int32_t e) { /* of two, within the range of normal doubles */
    return f64_from((uint64_t)(1023 + e) << 52);
}

static int32_t exponent_of(float c) {
    const uint32_t bits = f32_bits(c) & 0x7fffffff;
    if (!bits) return NOTHING;
    return bits >> FRACTION ? (int32_t)(bits >> FRACTION) - 127 : (int32_t)(31 - __builtin_clz(bits)) - 149;
}

/* Cut off to f32. */
static float mma_math_cut(double v) {
    return v >= 0x1p128 ? INFINITY : v <= -0x1p128 ? -INFINITY : float_directed(v, IR_RZ);
}

static float add_four(const struct mma_factor *a, const struct mma_factor *b, uint32_t n, float c) {
    int32_t top = exponent_of(c);
    double product[TOGETHER];
    for (uint32_t j = 0; j < n; j++) {
        const int32_t e = a[j].exponent + b[j].exponent;
        product[j] = a[j].value * b[j].value;
        if (product[j] != 0 && e > top) top = e;
    }
    if (top == NOTHING) return 0;
    const double up = power(FRACTION - top), down = power(top - FRACTION);
    int64_t sum = (int64_t)((double)c * up);
    for (uint32_t j = 0; j < n; j++) sum += (int64_t)(product[j] * up);
    return mma_math_cut((double)sum * down);
}

/* A term that is not finite decides alone; every other sum of such terms is finite in double. */
static bool not_finite(const struct mma_factor *a, const struct mma_factor *b, uint32_t k, float c,
                       float *result) {
    double sum = (double)c;
    for (uint32_t j = 0; j < k; j++) sum += a[j].value * b[j].value;
    if (isfinite(sum)) return false;
    *result = isnan(sum) ? f32_from(0x7fffffff) : (float)sum;
    return true;
}

float mma_dot(const struct mma_factor *a, const struct mma_factor *b, uint32_t k, float c) {
    float result;
    if (not_finite(a, b, k, c, &result)) return result;
    for (uint32_t j = 0; j < k; j += TOGETHER)
        c = add_four(a + j, b + j, k - j < TOGETHER ? k - j : TOGETHER, c);
    return c;
}

double mma_dot_f64(const double *a, const double *b, uint32_t k, double c, enum ir_round mode) {
    volatile double sum = c; /* in memory: the rounding mode counts (round.h) */
    if (mode != IR_RN) round_set(mode, a);
    for (uint32_t j = 0; j < k; j++) sum = fma(a[j], b[j], sum);
    if (mode != IR_RN) round_set(IR_RN, b);
    return isnan(sum) ? f64_from(0x7ff8000000000000u) : sum;
}
