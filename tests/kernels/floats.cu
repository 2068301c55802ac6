/* f16 and f64: half precision through inline PTX, doubles with division and square roots, conversions. */
#include "cuda.h"

DEVICE ushort to_half(float f) {
    ushort h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}
DEVICE float from_half(ushort h) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}
DEVICE ushort half_fma(ushort a, ushort b, ushort c) {
    ushort d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    return d;
}

/* Horner in half precision: one rounding per step */
KERNEL half_poly(ushort *out, const float *in, uint n) {
    uint i = global_id();
    if (i >= n) return;
    ushort x = to_half(in[i]), s = to_half(0.5f);
    s = half_fma(s, x, to_half(-1.25f));
    s = half_fma(s, x, to_half(3.0f));
    out[i] = s;
    out[i + n] = to_half(from_half(s) * from_half(x));
}

/* Roots of a x^2 + b x + c in double precision: every operation is IEEE, so the bits are known. */
KERNEL quadratic(double *out, const double *abc, uint n) {
    uint i = global_id();
    if (i >= n) return;
    double a = abc[3 * i], b = abc[3 * i + 1], c = abc[3 * i + 2];
    double disc = b * b - 4 * a * c;
    if (disc < 0) {
        out[2 * i] = -b / (2 * a);
        out[2 * i + 1] = sqrt_rn(-disc) / (2 * a);
    } else {
        double q = -0.5 * (b + __builtin_copysign(sqrt_rn(disc), b));
        out[2 * i] = q / a;
        out[2 * i + 1] = c / q;
    }
}

/* Newton's reciprocal root, residual by fma */
KERNEL newton(double *out, const double *in, uint n) {
    uint i = global_id();
    if (i >= n) return;
    double v = in[i], y = 1.0 / v;
    for (int k = 0; k < 40; k++) {
        double r = __builtin_fma(-v * y, y, 1.0);
        y = __builtin_fma(0.5 * y, r, y);
    }
    out[i] = y;
}

KERNEL conversions(s64 *out, const double *in, uint n) {
    uint i = global_id();
    if (i >= n) return;
    double d = in[i];
    float f = (float)d;
    out[6 * i] = (s64)d;
    out[6 * i + 1] = (int)f;
    out[6 * i + 2] = (s64)(u64)(d < 0 ? -d : d);
    out[6 * i + 3] = (s64)__builtin_floor(d) - (s64)__builtin_ceil(d);
    out[6 * i + 4] = (s64)__builtin_rint(d);
    out[6 * i + 5] = (s64)((double)(s64)d - (double)(float)(s64)d);
}
