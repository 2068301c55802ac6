// Software exp, log and sqrt in single precision, subroutines as a C library has them where the machine lacks the functions:
// special cases first, reduction of the range by cases, a polynomial, the scale put back (DWF 6.2).
#include "cuda.h"

constexpr float LN2_HIGH = 0x1.62e3p-1f, LN2_LOW = 0x1.2fefa2p-17f, PER_LN2 = 0x1.715476p+0f;

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
    if (size <= 0.5f * (LN2_HIGH + LN2_LOW)) {
        BRANCH;
        rest = x;
        return 0;
    }
    const int k = (int)(x * PER_LN2 + (x > 0 ? 0.5f : -0.5f));
    rest = (x - (float)k * LN2_HIGH) - (float)k * LN2_LOW;
    return k;
}

__device__ __noinline float soft_exp(float x) {
    const float size = abs_f(x);
    if (!(size < 88.0f)) {
        if (!(x < 0) || x < -103.0f) return exp_extreme(x);
    } else if (size < 0x1p-14f) {
        return 1.0f + x;
    }
    float r;
    const int k = reduce(x, size, r);
    const float tail = r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))));
    const float y = 1.0f + (r + r * r * (0.5f + tail));
    if (k == 0) return y;
    if (k >= -125) return y * power_of_two(k);
    return y * power_of_two(k + 64) * 0x1p-64f; // a subnormal, or nearly
}

__device__ __noinline float soft_log(float x) {
    int k = 0;
    if (!(x >= 0x1p-126f)) {
        if (x == 0) return -__builtin_inff();
        if (!(x > 0)) return __builtin_nanf("");
        x *= 0x1p24f; // a subnormal
        k = -24;
    }
    if (x == __builtin_inff()) return x;
    k += (int)(to_bits(x) >> 23) - 127;
    float m = from_bits((to_bits(x) & 0x7fffffu) | 0x3f800000u);
    if (m > 0x1.6a09e6p+0f) {
        BRANCH;
        m *= 0.5f;
        k++;
    }
    const float f = m - 1.0f, high = (float)k * LN2_HIGH, low = (float)k * LN2_LOW;
    if (abs_f(f) < 0x1p-12f) {
        if (f == 0) return high + low;
        return high + (f - (0.5f * f * f - low));
    }
    const float s = f / (2.0f + f), z = s * s; // log m = 2 artanh s
    const float odd = z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
    return high + (s * (2.0f + odd) + low);
}

__device__ __noinline float soft_sqrt(float x) {
    int e = 0;
    if (!(x >= 0x1p-126f)) {
        if (x == 0) return x;
        if (!(x > 0)) return __builtin_nanf("");
        x *= 0x1p24f;
        e = -24;
    }
    if (x == __builtin_inff()) return x;
    e += (int)(to_bits(x) >> 23) - 127;
    float m = from_bits((to_bits(x) & 0x7fffffu) | 0x3f800000u);
    if (e & 1) {
        BRANCH;
        m *= 2.0f;
        e--;
    }
    float y = 0.59f + 0.417f * m;
    y = 0.5f * (y + m / y);
    y = 0.5f * (y + m / y);
    if (abs_f(y * y - m) > 0x1p-22f * m) { // a guess at the edge of its range: once more
        BRANCH;
        y = 0.5f * (y + m / y);
    }
    return y * power_of_two(e / 2);
}
