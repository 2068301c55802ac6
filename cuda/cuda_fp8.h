/* Floats of 8 bits: e4m3 (largest 448, no infinity) and e5m2 (largest 57344), for device and host code, C++. All in software. */
#ifndef HEDDLE_CUDA_FP8_H
#define HEDDLE_CUDA_FP8_H
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace heddle {
struct fp8_format {
    unsigned bias, fraction_bits, largest, infinity; /* infinity: what overflows without saturation */
};
HEDDLE_HD fp8_format fp8(__nv_fp8_interpretation_t kind) {
    const fp8_format e4m3 = {7, 3, 0x7e, 0x7f}, e5m2 = {15, 2, 0x7b, 0x7c};
    return kind == __NV_E4M3 ? e4m3 : e5m2;
}
HEDDLE_HD unsigned char to_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    const fp8_format t = fp8(kind);
    const unsigned u = bits_of(f), sign = u >> 31 << 7, a = u & 0x7fffffff, exponent = a >> 23, drop = 23 - t.fraction_bits;
    unsigned magnitude, rest, half;
    if (a > 0x7f800000) return 0x7f;
    if (exponent > 127 - t.bias) {
        magnitude = (a - ((127 - t.bias) << 23)) >> drop;
        rest = a & ((1u << drop) - 1), half = 1u << (drop - 1);
    } else {
        const unsigned shift = 151 - t.bias - t.fraction_bits - (exponent ? exponent : 1);
        const unsigned fraction = (a & 0x7fffff) | (exponent ? 0x800000 : 0);
        magnitude = shift > 25 ? 0 : fraction >> shift;
        rest = shift > 25 ? fraction != 0 : fraction & ((1u << shift) - 1), half = shift > 25 ? 2 : 1u << (shift - 1);
    }
    magnitude += rest > half || (rest == half && (magnitude & 1));
    if (magnitude > t.largest) magnitude = saturate == __NV_SATFINITE ? t.largest : t.infinity;
    return (unsigned char)(sign | magnitude);
}
HEDDLE_HD float of_fp8(unsigned char x, __nv_fp8_interpretation_t kind) {
    const fp8_format t = fp8(kind);
    const unsigned a = x & 0x7f, sign = (unsigned)(x >> 7) << 31, exponent = a >> t.fraction_bits;
    if (a > t.largest) return float_of(kind == __NV_E5M2 && a == t.infinity ? sign | 0x7f800000 : 0x7fffffff);
    if (exponent) return float_of(sign | ((a << (23 - t.fraction_bits)) + ((127 - t.bias) << 23)));
    const float tiny = (float)a * float_of((128 - t.bias - t.fraction_bits) << 23);
    return sign ? -tiny : tiny;
}
} // namespace heddle

HEDDLE_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    return heddle::to_fp8(x, s, k);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    return heddle::to_fp8(heddle::to_odd(x), s, k);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    return heddle::to_fp8((float)__half(x), s, k);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    return heddle::to_fp8((float)__nv_bfloat16(x), s, k);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    return (__nv_fp8x2_storage_t)(heddle::to_fp8(x.x, s, k) | heddle::to_fp8(x.y, s, k) << 8);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
    const __half2 h(x);
    return __nv_cvt_float2_to_fp8x2(make_float2((float)h.x, (float)h.y), s, k);
}
HEDDLE_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k) {
    return __half(heddle::of_fp8(x, k));
}
HEDDLE_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
    return __half2(__half(heddle::of_fp8((unsigned char)x, k)), __half(heddle::of_fp8((unsigned char)(x >> 8), k)));
}

#define HEDDLE_FP8_FROM(T, from, kind) \
    __host__ __device__ explicit T(from x) : __x(heddle::to_fp8(heddle::to_odd((double)x), __NV_SATFINITE, kind)) {}
#define HEDDLE_FP8_TO(to) __host__ __device__ explicit operator to() const { return (to)(float)*this; }
#define HEDDLE_FP8(T, T2, T4, kind)                                                                             \
    struct T {                                                                                                  \
        __nv_fp8_storage_t __x;                                                                                 \
        T() = default;                                                                                          \
        HEDDLE_FP8_FROM(T, float, kind)                                                                         \
        HEDDLE_FP8_FROM(T, double, kind)                                                                        \
        HEDDLE_FP8_FROM(T, int, kind)                                                                           \
        HEDDLE_FP8_FROM(T, unsigned, kind)                                                                      \
        HEDDLE_FP8_FROM(T, long, kind)                                                                          \
        HEDDLE_FP8_FROM(T, unsigned long, kind)                                                                 \
        HEDDLE_FP8_FROM(T, long long, kind)                                                                     \
        HEDDLE_FP8_FROM(T, unsigned long long, kind)                                                            \
        HEDDLE_FP8_FROM(T, short, kind)                                                                         \
        HEDDLE_FP8_FROM(T, unsigned short, kind)                                                                \
        __host__ __device__ explicit T(__half x) : __x(heddle::to_fp8((float)x, __NV_SATFINITE, kind)) {}       \
        __host__ __device__ explicit T(__nv_bfloat16 x) : __x(heddle::to_fp8((float)x, __NV_SATFINITE, kind)) {} \
        __host__ __device__ explicit operator float() const { return heddle::of_fp8(__x, kind); }               \
        HEDDLE_FP8_TO(double)                                                                                   \
        HEDDLE_FP8_TO(int)                                                                                      \
        HEDDLE_FP8_TO(unsigned)                                                                                 \
        HEDDLE_FP8_TO(short)                                                                                    \
        HEDDLE_FP8_TO(__half)                                                                                   \
        HEDDLE_FP8_TO(__nv_bfloat16)                                                                            \
        __host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }                        \
    };                                                                                                          \
    struct __attribute__((aligned(2))) T2 {                                                                     \
        __nv_fp8x2_storage_t __x;                                                                               \
        T2() = default;                                                                                         \
        __host__ __device__ explicit T2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}   \
        __host__ __device__ explicit T2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
        __host__ __device__ explicit operator float2() const {                                                  \
            return make_float2(heddle::of_fp8((unsigned char)__x, kind), heddle::of_fp8((unsigned char)(__x >> 8), kind)); \
        }                                                                                                       \
        __host__ __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
    };                                                                                                          \
    struct __attribute__((aligned(4))) T4 {                                                                     \
        __nv_fp8x4_storage_t __x;                                                                               \
        T4() = default;                                                                                         \
        __host__ __device__ explicit T4(float4 v)                                                               \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) |                       \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, kind) << 16) {}     \
        __host__ __device__ explicit operator float4() const {                                                  \
            return make_float4(heddle::of_fp8((unsigned char)__x, kind), heddle::of_fp8((unsigned char)(__x >> 8), kind), \
                               heddle::of_fp8((unsigned char)(__x >> 16), kind),                                \
                               heddle::of_fp8((unsigned char)(__x >> 24), kind));                               \
        }                                                                                                       \
    };
HEDDLE_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
HEDDLE_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef HEDDLE_FP8
#undef HEDDLE_FP8_TO
#undef HEDDLE_FP8_FROM

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
