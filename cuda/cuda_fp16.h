/* Half precision: __half and __half2, for device and host code, C++. */
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#define __CUDA_FP16_H__

#include "heddle/narrow.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

namespace heddle {
HEDDLE_HD unsigned short half_bits(float f, rounding how) {
#ifdef __CUDA_ARCH__
    if (how == to_nearest) return __builtin_bit_cast(unsigned short, (_Float16)f);
#endif
    return to_half(f, how);
}
HEDDLE_HD float half_value(unsigned short h) {
#ifdef __CUDA_ARCH__
    return (float)__builtin_bit_cast(_Float16, h);
#else
    return of_half(h);
#endif
}
} // namespace heddle

HEDDLE_NARROW(__half, __half2, half_bits, half_value)

/* ---- arithmetic: one instruction on the device ---- */
#ifdef __CUDA_ARCH__
namespace heddle {
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
}
#define HEDDLE_HALF_BINARY(name, name2, op)                                                                     \
    HEDDLE_HD __half __h##name(__half a, __half b) {                                                            \
        const _Float16 r = __builtin_bit_cast(_Float16, a) op __builtin_bit_cast(_Float16, b);                  \
        return __builtin_bit_cast(__half, r);                                                                   \
    }                                                                                                           \
    HEDDLE_HD __half2 name2(__half2 a, __half2 b) {                                                             \
        const heddle::f16x2 r = __builtin_bit_cast(heddle::f16x2, a) op __builtin_bit_cast(heddle::f16x2, b);   \
        return __builtin_bit_cast(__half2, r);                                                                  \
    }                                                                                                           \
    HEDDLE_NARROW_OPERATOR(__half, __half2, name, name2, op)
HEDDLE_HD __half __hfma(__half a, __half b, __half c) {
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
}
HEDDLE_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));
    return __builtin_bit_cast(__half2, r);
}
#else
#define HEDDLE_HALF_BINARY(name, name2, op) HEDDLE_NARROW_BINARY(__half, __half2, name, name2, op)
HEDDLE_HD __half __hfma(__half a, __half b, __half c) {
    return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
HEDDLE_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif
HEDDLE_HALF_BINARY(add, __hadd2, +)
HEDDLE_HALF_BINARY(sub, __hsub2, -)
HEDDLE_HALF_BINARY(mul, __hmul2, *)
HEDDLE_NARROW_BINARY(__half, __half2, div, __h2div, /)
#undef HEDDLE_HALF_BINARY
HEDDLE_NARROW_FUNCTIONS(__half, __half2)
HEDDLE_NARROW_DEVICE(__half, __half2)
HEDDLE_NARROW_CONVERSIONS(__half, __half2, half, half_bits)
HEDDLE_HD int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0; }
HEDDLE_HD __half2 make_half2(__half x, __half y) { return __half2(x, y); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#define CUDART_INF_FP16     __ushort_as_half((unsigned short)0x7C00u)
#define CUDART_NAN_FP16     __ushort_as_half((unsigned short)0x7FFFu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16    __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16     __ushort_as_half((unsigned short)0x3C00u)

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
