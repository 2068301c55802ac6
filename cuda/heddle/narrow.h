/* Floats of 16 bits, half (5 bits of exponent, 10 of fraction) and bfloat16 (8 and 7): conversions, and everything that both have
 * under the same names. In host code all of it is in software. On the device half is PTX's f16 and f16x2; bfloat16 is computed as
 * float and rounded, which gives the same bits for one operation, since a float has more than twice the digits and two. */
#ifndef HEDDLE_CUDA_NARROW_H
#define HEDDLE_CUDA_NARROW_H

#include <math.h>
#include <string.h>

#include "../cuda_runtime.h"

#define HEDDLE_HD static inline __host__ __device__

namespace heddle {
enum rounding { to_nearest, to_zero, down, up };

HEDDLE_HD unsigned bits_of(float f) {
    unsigned u;
    memcpy(&u, &f, sizeof u);
    return u;
}
HEDDLE_HD float float_of(unsigned u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* magnitude: the result cut off; rest: what was cut off, in units where half is one of the result's last places. */
HEDDLE_HD unsigned short rounded(unsigned sign, unsigned magnitude, unsigned rest, unsigned half, rounding how) {
    const bool away = how == to_nearest ? rest > half || (rest == half && (magnitude & 1))
                                        : rest && (how == up ? !sign : how == down && sign);
    return (unsigned short)(sign << 15 | (magnitude + away));
}

HEDDLE_HD unsigned short to_half(float f, rounding how) {
    const unsigned u = bits_of(f), sign = u >> 31, a = u & 0x7fffffff, exponent = a >> 23;
    if (a > 0x7f800000) return 0x7fff;
    if (a == 0x7f800000) return (unsigned short)(sign << 15 | 0x7c00);
    if (exponent >= 143) { /* 65536 and more */
        const bool infinite = how == to_nearest || (how == up && !sign) || (how == down && sign);
        return (unsigned short)(sign << 15 | (infinite ? 0x7c00 : 0x7bff));
    }
    if (exponent >= 113) return rounded(sign, (a - (112u << 23)) >> 13, a & 0x1fff, 0x1000, how);
    const unsigned fraction = exponent ? (a & 0x7fffff) | 0x800000 : a & 0x7fffff, shift = exponent ? 126 - exponent : 125;
    if (shift > 25) return rounded(sign, 0, fraction != 0, 2, how);
    return rounded(sign, fraction >> shift, fraction & ((1u << shift) - 1), 1u << (shift - 1), how);
}
HEDDLE_HD unsigned short to_bfloat(float f, rounding how) {
    const unsigned u = bits_of(f), a = u & 0x7fffffff;
    if (a > 0x7f800000) return 0x7fff;
    return rounded(u >> 31, a >> 16, a & 0xffff, 0x8000, how);
}
HEDDLE_HD float of_half(unsigned short h) {
    const unsigned sign = (unsigned)(h >> 15) << 31, exponent = (h >> 10) & 31, fraction = h & 0x3ff;
    if (exponent == 31) return float_of(fraction ? 0x7fffffff : sign | 0x7f800000);
    if (exponent) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    const float tiny = (float)fraction * 5.9604644775390625e-8f; /* 2 to the -24 */
    return sign ? -tiny : tiny;
}
HEDDLE_HD float of_bfloat(unsigned short b) { return float_of((unsigned)b << 16); }
/* A double is first rounded so that the second rounding does not see a tie that was none: to odd. */
HEDDLE_HD float to_odd(double d) {
    float f = (float)d;
    if ((double)f == d || d != d) return f;
    unsigned u = bits_of(f);
    if (!(u & 1)) u += ((double)f < d) == (d > 0) ? 1u : ~0u;
    return float_of(u);
}
} // namespace heddle

/* ---- the types ---- */
#define HEDDLE_FROM(T, from, narrow)                                                                     \
    __host__ __device__ T(from x) : __x(narrow) {}                                                       \
    __host__ __device__ T &operator=(from x) { __x = (narrow); return *this; }
#define HEDDLE_TO(to) __host__ __device__ operator to() const { return (to)(float)*this; }
#define HEDDLE_NARROW(T, T2, to_bits, of_bits)                                                           \
    struct T##_raw { unsigned short x; };                                                                \
    struct __attribute__((aligned(4))) T2##_raw { unsigned short x, y; };                                \
    struct __attribute__((aligned(2))) T {                                                               \
        unsigned short __x;                                                                              \
        T() = default;                                                                                   \
        __host__ __device__ T(T##_raw r) : __x(r.x) {}                                                   \
        HEDDLE_FROM(T, float, heddle::to_bits(x, heddle::to_nearest))                                    \
        HEDDLE_FROM(T, double, heddle::to_bits(heddle::to_odd(x), heddle::to_nearest))                   \
        HEDDLE_FROM(T, short, heddle::to_bits((float)x, heddle::to_nearest))                             \
        HEDDLE_FROM(T, unsigned short, heddle::to_bits((float)x, heddle::to_nearest))                    \
        HEDDLE_FROM(T, int, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest))              \
        HEDDLE_FROM(T, unsigned, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest))         \
        HEDDLE_FROM(T, long, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest))             \
        HEDDLE_FROM(T, unsigned long, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest))    \
        HEDDLE_FROM(T, long long, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest))        \
        HEDDLE_FROM(T, unsigned long long, heddle::to_bits(heddle::to_odd((double)x), heddle::to_nearest)) \
        __host__ __device__ operator T##_raw() const { T##_raw r = {__x}; return r; }                    \
        __host__ __device__ operator float() const { return heddle::of_bits(__x); }                      \
        __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }                        \
        HEDDLE_TO(signed char)                                                                           \
        HEDDLE_TO(unsigned char)                                                                         \
        HEDDLE_TO(char)                                                                                  \
        HEDDLE_TO(short)                                                                                 \
        HEDDLE_TO(unsigned short)                                                                        \
        HEDDLE_TO(int)                                                                                   \
        HEDDLE_TO(unsigned)                                                                              \
        HEDDLE_TO(long)                                                                                  \
        HEDDLE_TO(unsigned long)                                                                         \
        HEDDLE_TO(long long)                                                                             \
        HEDDLE_TO(unsigned long long)                                                                    \
    };                                                                                                   \
    struct __attribute__((aligned(4))) T2 {                                                              \
        T x, y;                                                                                          \
        T2() = default;                                                                                  \
        __host__ __device__ T2(T a, T b) : x(a), y(b) {}                                                 \
        __host__ __device__ T2(T2##_raw r) { x.__x = r.x, y.__x = r.y; }                                 \
        __host__ __device__ operator T2##_raw() const { T2##_raw r = {x.__x, y.__x}; return r; }         \
    };                                                                                                   \
    HEDDLE_HD T heddle_bits_as(T, unsigned short bits) { T r; r.__x = bits; return r; }

/* ---- arithmetic of one and of two ---- */
#define HEDDLE_NARROW_BINARY(T, T2, name, name2, op)                                                     \
    HEDDLE_HD T __h##name(T a, T b) { return T((float)a op(float) b); }                                  \
    HEDDLE_HD T2 name2(T2 a, T2 b) { return T2(__h##name(a.x, b.x), __h##name(a.y, b.y)); }              \
    HEDDLE_NARROW_OPERATOR(T, T2, name, name2, op)
#define HEDDLE_NARROW_OPERATOR(T, T2, name, name2, op)                                                   \
    HEDDLE_HD T __h##name##_rn(T a, T b) { return __h##name(a, b); }                                     \
    HEDDLE_HD T operator op(const T &a, const T &b) { return __h##name(a, b); }                          \
    HEDDLE_HD T2 operator op(const T2 &a, const T2 &b) { return name2(a, b); }                           \
    HEDDLE_HD T &operator op##=(T &a, const T &b) { return a = __h##name(a, b); }                        \
    HEDDLE_HD T2 &operator op##=(T2 &a, const T2 &b) { return a = name2(a, b); }
#define HEDDLE_NARROW_COMPARE(T, T2, name, op)                                                           \
    HEDDLE_HD bool __h##name(T a, T b) { return (float)a op(float) b; }                                  \
    HEDDLE_HD bool __h##name##u(T a, T b) { return (float)a op(float) b || __hisnan(a) || __hisnan(b); } \
    HEDDLE_HD bool operator op(const T &a, const T &b) { return (float)a op(float) b; }                  \
    HEDDLE_HD T2 __h##name##2(T2 a, T2 b) {                                                              \
        return T2(T(__h##name(a.x, b.x) ? 1.0f : 0.0f), T(__h##name(a.y, b.y) ? 1.0f : 0.0f));           \
    }                                                                                                    \
    HEDDLE_HD bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }      \
    HEDDLE_HD bool operator op(const T2 &a, const T2 &b) { return __hb##name##2(a, b); }                 \
    HEDDLE_HD unsigned __h##name##2_mask(T2 a, T2 b) {                                                   \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);            \
    }
#define HEDDLE_NARROW_UNARY(T, T2, name, ...)                                                            \
    static inline __device__ T h##name(T a) { const float x = (float)a; return T(__VA_ARGS__); }         \
    static inline __device__ T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }
#define HEDDLE_NARROW_SHUFFLE(T, T2, name, second)                                                       \
    static inline __device__ T name(unsigned mask, T v, second n, int width = warpSize) {                \
        return heddle_bits_as(v, (unsigned short)name(mask, (int)v.__x, n, width));                      \
    }                                                                                                    \
    static inline __device__ T2 name(unsigned mask, T2 v, second n, int width = warpSize) {              \
        const int moved = name(mask, __builtin_bit_cast(int, v), n, width);                              \
        return __builtin_bit_cast(T2, moved);                                                            \
    }

#define HEDDLE_NARROW_FUNCTIONS(T, T2)                                                                   \
    HEDDLE_HD bool __hisnan(T a) { return (float)a != (float)a; }                                        \
    HEDDLE_HD T2 __hisnan2(T2 a) { return T2(T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f)); } \
    HEDDLE_HD T __hneg(T a) { return heddle_bits_as(a, (unsigned short)(a.__x ^ 0x8000)); }              \
    HEDDLE_HD T __habs(T a) { return heddle_bits_as(a, a.__x & 0x7fff); }                                \
    HEDDLE_HD T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }                                  \
    HEDDLE_HD T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                                  \
    HEDDLE_HD T operator+(const T &a) { return a; }                                                      \
    HEDDLE_HD T operator-(const T &a) { return __hneg(a); }                                              \
    HEDDLE_HD T2 operator-(const T2 &a) { return __hneg2(a); }                                           \
    HEDDLE_NARROW_COMPARE(T, T2, eq, ==)                                                                 \
    HEDDLE_NARROW_COMPARE(T, T2, ne, !=)                                                                 \
    HEDDLE_NARROW_COMPARE(T, T2, lt, <)                                                                  \
    HEDDLE_NARROW_COMPARE(T, T2, le, <=)                                                                 \
    HEDDLE_NARROW_COMPARE(T, T2, gt, >)                                                                  \
    HEDDLE_NARROW_COMPARE(T, T2, ge, >=)                                                                 \
    HEDDLE_HD T &operator++(T &a) { return a = a + T(1.0f); }                                            \
    HEDDLE_HD T &operator--(T &a) { return a = a - T(1.0f); }                                            \
    HEDDLE_HD T operator++(T &a, int) { T was = a; ++a; return was; }                                    \
    HEDDLE_HD T operator--(T &a, int) { T was = a; --a; return was; }                                    \
    HEDDLE_HD T __hmax(T a, T b) { return __hisnan(b) || a > b ? a : __hisnan(a) || b > a ? b : a.__x & 0x8000 ? b : a; } \
    HEDDLE_HD T __hmin(T a, T b) { return __hisnan(b) || a < b ? a : __hisnan(a) || b < a ? b : a.__x & 0x8000 ? a : b; } \
    HEDDLE_HD T __hmax_nan(T a, T b) { return __hisnan(a) || __hisnan(b) ? heddle_bits_as(a, 0x7fff) : __hmax(a, b); }    \
    HEDDLE_HD T __hmin_nan(T a, T b) { return __hisnan(a) || __hisnan(b) ? heddle_bits_as(a, 0x7fff) : __hmin(a, b); }    \
    HEDDLE_HD T2 __hmax2(T2 a, T2 b) { return T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                  \
    HEDDLE_HD T2 __hmin2(T2 a, T2 b) { return T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                  \
    HEDDLE_HD T2 __hmax2_nan(T2 a, T2 b) { return T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }      \
    HEDDLE_HD T2 __hmin2_nan(T2 a, T2 b) { return T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }      \
    HEDDLE_HD T heddle_saturate(T a) { return __hmin(__hmax(a, T(0.0f)), T(1.0f)); }                     \
    HEDDLE_HD T __hadd_sat(T a, T b) { return heddle_saturate(__hadd(a, b)); }                           \
    HEDDLE_HD T __hsub_sat(T a, T b) { return heddle_saturate(__hsub(a, b)); }                           \
    HEDDLE_HD T __hmul_sat(T a, T b) { return heddle_saturate(__hmul(a, b)); }                           \
    HEDDLE_HD T __hfma_sat(T a, T b, T c) { return heddle_saturate(__hfma(a, b, c)); }                   \
    HEDDLE_HD T __hfma_relu(T a, T b, T c) { return __hmax(__hfma(a, b, c), T(0.0f)); }                  \
    HEDDLE_HD T2 __hadd2_sat(T2 a, T2 b) { return T2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }      \
    HEDDLE_HD T2 __hsub2_sat(T2 a, T2 b) { return T2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }      \
    HEDDLE_HD T2 __hmul2_sat(T2 a, T2 b) { return T2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }      \
    HEDDLE_HD T2 __hfma2_sat(T2 a, T2 b, T2 c) { return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }    \
    HEDDLE_HD T2 __hfma2_relu(T2 a, T2 b, T2 c) { return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
    HEDDLE_HD T2 __hcmadd(T2 a, T2 b, T2 c) {                                                            \
        return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
    }

#ifdef __CUDA__
#define HEDDLE_NARROW_DEVICE(T, T2)                                                                      \
    HEDDLE_NARROW_UNARY(T, T2, sqrt, sqrtf(x))                                                           \
    HEDDLE_NARROW_UNARY(T, T2, rsqrt, rsqrtf(x))                                                         \
    HEDDLE_NARROW_UNARY(T, T2, rcp, 1.0f / x)                                                            \
    HEDDLE_NARROW_UNARY(T, T2, exp, expf(x))                                                             \
    HEDDLE_NARROW_UNARY(T, T2, exp2, exp2f(x))                                                           \
    HEDDLE_NARROW_UNARY(T, T2, exp10, exp10f(x))                                                         \
    HEDDLE_NARROW_UNARY(T, T2, log, logf(x))                                                             \
    HEDDLE_NARROW_UNARY(T, T2, log2, log2f(x))                                                           \
    HEDDLE_NARROW_UNARY(T, T2, log10, log10f(x))                                                         \
    HEDDLE_NARROW_UNARY(T, T2, sin, sinf(x))                                                             \
    HEDDLE_NARROW_UNARY(T, T2, cos, cosf(x))                                                             \
    HEDDLE_NARROW_UNARY(T, T2, tanh, tanhf(x))                                                           \
    HEDDLE_NARROW_UNARY(T, T2, tanh_approx, tanhf(x))                                                    \
    HEDDLE_NARROW_UNARY(T, T2, floor, floorf(x))                                                         \
    HEDDLE_NARROW_UNARY(T, T2, ceil, ceilf(x))                                                           \
    HEDDLE_NARROW_UNARY(T, T2, trunc, truncf(x))                                                         \
    HEDDLE_NARROW_UNARY(T, T2, rint, rintf(x))                                                           \
    HEDDLE_NARROW_SHUFFLE(T, T2, __shfl_sync, int)                                                       \
    HEDDLE_NARROW_SHUFFLE(T, T2, __shfl_up_sync, unsigned)                                               \
    HEDDLE_NARROW_SHUFFLE(T, T2, __shfl_down_sync, unsigned)                                             \
    HEDDLE_NARROW_SHUFFLE(T, T2, __shfl_xor_sync, int)                                                   \
    static inline __device__ T __ldg(const T *p) { return heddle_bits_as(*p, __ldg(&p->__x)); }          \
    static inline __device__ T2 __ldg(const T2 *p) {                                                     \
        const unsigned bits = __ldg((const unsigned *)(const void *)p);                                  \
        return __builtin_bit_cast(T2, bits);                                                             \
    }                                                                                                    \
    /* The word around it, as hardware without the instruction does. */                                  \
    static inline __device__ T atomicAdd(T *p, T v) {                                                    \
        unsigned short *at = &p->__x, old = *(volatile unsigned short *)at, seen;                        \
        do seen = old, old = atomicCAS(at, seen, (heddle_bits_as(v, seen) + v).__x);                     \
        while (old != seen);                                                                             \
        return heddle_bits_as(v, old);                                                                   \
    }                                                                                                    \
    static inline __device__ T2 atomicAdd(T2 *p, T2 v) {                                                 \
        unsigned *at = (unsigned *)(void *)p, old = *(volatile unsigned *)at, seen;                      \
        do seen = old, old = atomicCAS(at, seen, __builtin_bit_cast(unsigned, __builtin_bit_cast(T2, seen) + v)); \
        while (old != seen);                                                                             \
        return __builtin_bit_cast(T2, old);                                                              \
    }
#else
#define HEDDLE_NARROW_DEVICE(T, T2)
#endif

/* ---- conversions, whose names have the type's: half and Half of __half2float ... ---- */
#define HEDDLE_NARROW_DIRECTED(T, name, to_bits, suffix, how, fsuffix)                                   \
    HEDDLE_HD T __float2##name##suffix(float x) { return heddle_bits_as(T(), heddle::to_bits(x, heddle::how)); } \
    HEDDLE_HD T __int2##name##suffix(int x) { return heddle_bits_as(T(), heddle::to_bits(heddle::to_odd(x), heddle::how)); } \
    HEDDLE_HD T __uint2##name##suffix(unsigned x) { return heddle_bits_as(T(), heddle::to_bits(heddle::to_odd(x), heddle::how)); } \
    HEDDLE_HD T __short2##name##suffix(short x) { return __int2##name##suffix(x); }                      \
    HEDDLE_HD T __ushort2##name##suffix(unsigned short x) { return __int2##name##suffix(x); }            \
    HEDDLE_HD T __ll2##name##suffix(long long x) { return heddle_bits_as(T(), heddle::to_bits(heddle::to_odd((double)x), heddle::how)); } \
    HEDDLE_HD T __ull2##name##suffix(unsigned long long x) { return heddle_bits_as(T(), heddle::to_bits(heddle::to_odd((double)x), heddle::how)); } \
    HEDDLE_HD int __##name##2int##suffix(T x) { return (int)fsuffix((float)x); }                         \
    HEDDLE_HD unsigned __##name##2uint##suffix(T x) { return (unsigned)fsuffix((float)x); }              \
    HEDDLE_HD short __##name##2short##suffix(T x) { return (short)fsuffix((float)x); }                   \
    HEDDLE_HD unsigned short __##name##2ushort##suffix(T x) { return (unsigned short)fsuffix((float)x); } \
    HEDDLE_HD long long __##name##2ll##suffix(T x) { return (long long)fsuffix((float)x); }              \
    HEDDLE_HD unsigned long long __##name##2ull##suffix(T x) { return (unsigned long long)fsuffix((float)x); }
#define HEDDLE_NARROW_CONVERSIONS(T, T2, name, to_bits)                                                  \
    HEDDLE_NARROW_DIRECTED(T, name, to_bits, _rn, to_nearest, rintf)                                     \
    HEDDLE_NARROW_DIRECTED(T, name, to_bits, _rz, to_zero, truncf)                                       \
    HEDDLE_NARROW_DIRECTED(T, name, to_bits, _rd, down, floorf)                                          \
    HEDDLE_NARROW_DIRECTED(T, name, to_bits, _ru, up, ceilf)                                             \
    HEDDLE_HD T __float2##name(float x) { return T(x); }                                                 \
    HEDDLE_HD T __double2##name(double x) { return T(x); }                                               \
    HEDDLE_HD float __##name##2float(T x) { return (float)x; }                                           \
    HEDDLE_HD short __##name##_as_short(T x) { return (short)x.__x; }                                    \
    HEDDLE_HD unsigned short __##name##_as_ushort(T x) { return x.__x; }                                 \
    HEDDLE_HD T __short_as_##name(short x) { return heddle_bits_as(T(), (unsigned short)x); }            \
    HEDDLE_HD T __ushort_as_##name(unsigned short x) { return heddle_bits_as(T(), x); }                  \
    HEDDLE_HD T2 __##name##2##name##2(T x) { return T2(x, x); }                                          \
    HEDDLE_HD T2 __halves2##name##2(T x, T y) { return T2(x, y); }                                       \
    HEDDLE_HD T2 __float2##name##2_rn(float x) { return T2(T(x), T(x)); }                                \
    HEDDLE_HD T2 __floats2##name##2_rn(float x, float y) { return T2(T(x), T(y)); }                      \
    HEDDLE_HD T2 __float22##name##2_rn(float2 f) { return T2(T(f.x), T(f.y)); }                          \
    HEDDLE_HD float2 __##name##22float2(T2 h) { return make_float2((float)h.x, (float)h.y); }            \
    HEDDLE_HD T __low2##name(T2 h) { return h.x; }                                                       \
    HEDDLE_HD T __high2##name(T2 h) { return h.y; }                                                      \
    HEDDLE_HD T2 __low2##name##2(T2 h) { return T2(h.x, h.x); }                                          \
    HEDDLE_HD T2 __high2##name##2(T2 h) { return T2(h.y, h.y); }                                         \
    HEDDLE_HD T2 __lows2##name##2(T2 a, T2 b) { return T2(a.x, b.x); }                                   \
    HEDDLE_HD T2 __highs2##name##2(T2 a, T2 b) { return T2(a.y, b.y); }                                  \
    HEDDLE_HD T2 __lowhigh2highlow(T2 h) { return T2(h.y, h.x); }                                        \
    HEDDLE_HD float __low2float(T2 h) { return (float)h.x; }                                             \
    HEDDLE_HD float __high2float(T2 h) { return (float)h.y; }

#endif
