// Software exp, log and sqrt in single precision, subroutines as a C library has them where the machine lacks the functions:
// special cases first, reduction of the range by cases, a polynomial, the scale put back (DWF 6.2). Floating-point constants
// come from memory, as the compilers of such machines have it: an instruction has no room for one.
#include "cuda.h"

#define LITERAL(name, value) __device__ float name = value
LITERAL(LN2_HIGH, 0x1.62e3p-1f);
LITERAL(LN2_LOW, 0x1.2fefa2p-17f);
LITERAL(PER_LN2, 0x1.715476p+0f);
LITERAL(HALF, 0.5f);
LITERAL(ONE, 1.0f);
LITERAL(EXP_MOST, 88.0f);
LITERAL(EXP_LEAST, -103.0f);
LITERAL(EXP_FLAT, 0x1p-14f);
LITERAL(EXP_3, 1.0f / 6);
LITERAL(EXP_4, 1.0f / 24);
LITERAL(EXP_5, 1.0f / 120);
LITERAL(EXP_6, 1.0f / 720);
LITERAL(LEAST_NORMAL, 0x1p-126f);
LITERAL(INFINITE, __builtin_inff());
LITERAL(TWO, 2.0f);
LITERAL(ROOT_TWO, 0x1.6a09e6p+0f);
LITERAL(LOG_FLAT, 0x1p-12f);
LITERAL(LOG_3, 2.0f / 3);
LITERAL(LOG_5, 2.0f / 5);
LITERAL(LOG_7, 2.0f / 7);
LITERAL(LOG_9, 2.0f / 9);
LITERAL(GUESS_0, 0.59f);
LITERAL(GUESS_1, 0.417f);
LITERAL(SQRT_NEAR, 0x1p-22f);

DEVICE float from_bits(uint b) {
    return __builtin_bit_cast(float, b);
}
DEVICE uint to_bits(float x) {
    return __builtin_bit_cast(uint, x);
}
DEVICE float power_of_two(int k) {
    return from_bits((uint)(k + 127) << 23);
}

// Arguments whose exponential is not a number like any other.
DEVICE float exp_extreme(float x) {
    if (x != x) return x;
    return x > 0 ? __builtin_inff() : 0.0f;
}

// x = k ln 2 + rest, |rest| <= ln 2 / 2.
DEVICE int reduce(float x, float size, float &rest) {
    if (size <= HALF * (LN2_HIGH + LN2_LOW)) {
        BRANCH;
        rest = x;
        return 0;
    }
    const int k = (int)(x * PER_LN2 + (x > 0 ? HALF : -HALF));
    rest = (x - (float)k * LN2_HIGH) - (float)k * LN2_LOW;
    return k;
}

__device__ __noinline float soft_exp(float x) {
    const float size = abs_f(x);
    if (!(size < EXP_MOST)) {
        if (!(x < 0) || x < EXP_LEAST) return exp_extreme(x);
    } else if (size < EXP_FLAT) {
        return ONE + x;
    }
    float r;
    const int k = reduce(x, size, r);
    const float tail = r * (EXP_3 + r * (EXP_4 + r * (EXP_5 + r * EXP_6)));
    const float y = ONE + (r + r * r * (HALF + tail));
    if (k == 0) return y;
    if (k >= -125) return y * power_of_two(k);
    return y * power_of_two(k + 64) * 0x1p-64f; // a subnormal, or nearly
}

__device__ __noinline float soft_log(float x) {
    int k = 0;
    if (!(x >= LEAST_NORMAL)) {
        if (x == 0) return -__builtin_inff();
        if (!(x > 0)) return __builtin_nanf("");
        x *= 0x1p24f; // a subnormal
        k = -24;
    }
    if (x == INFINITE) return x;
    k += (int)(to_bits(x) >> 23) - 127;
    float m = from_bits((to_bits(x) & 0x7fffffu) | 0x3f800000u);
    if (m > ROOT_TWO) {
        BRANCH;
        m *= HALF;
        k++;
    }
    const float f = m - ONE, high = (float)k * LN2_HIGH, low = (float)k * LN2_LOW;
    if (abs_f(f) < LOG_FLAT) {
        if (f == 0) return high + low;
        return high + (f - (HALF * f * f - low));
    }
    const float s = f / (TWO + f), z = s * s; // log m = 2 artanh s
    const float odd = z * (LOG_3 + z * (LOG_5 + z * (LOG_7 + z * LOG_9)));
    return high + (s * (TWO + odd) + low);
}

__device__ __noinline float soft_sqrt(float x) {
    int e = 0;
    if (!(x >= LEAST_NORMAL)) {
        if (x == 0) return x;
        if (!(x > 0)) return __builtin_nanf("");
        x *= 0x1p24f;
        e = -24;
    }
    if (x == INFINITE) return x;
    e += (int)(to_bits(x) >> 23) - 127;
    float m = from_bits((to_bits(x) & 0x7fffffu) | 0x3f800000u);
    if (e & 1) {
        BRANCH;
        m *= TWO;
        e--;
    }
    float y = GUESS_0 + GUESS_1 * m;
    y = HALF * (y + m / y);
    y = HALF * (y + m / y);
    if (abs_f(y * y - m) > SQRT_NEAR * m) { // a guess at the edge of its range: once more
        BRANCH;
        y = HALF * (y + m / y);
    }
    return y * power_of_two(e / 2);
}
