/* Half precision: __half and __half2 over the compiler's _Float16, which are PTX's f16 instructions; what kernels use most of the
 * CUDA SDK's header of this name. */
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H

#include "heddle/prelude.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define HEDDLE_HALF static __device__ inline

struct __half {
    _Float16 v;
    __half() = default;
    __host__ __device__ __half(float x) : v((_Float16)x) {}
    __host__ __device__ __half(double x) : v((_Float16)x) {}
    __host__ __device__ __half(int x) : v((_Float16)x) {}
    __host__ __device__ __half(_Float16 x) : v(x) {}
    __host__ __device__ operator float() const { return (float)v; }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

HEDDLE_HALF __half __float2half(float x) { return __half((_Float16)x); }
HEDDLE_HALF __half __float2half_rn(float x) { return __half((_Float16)x); }
HEDDLE_HALF __half __double2half(double x) { return __half((_Float16)x); }
HEDDLE_HALF __half __int2half_rn(int x) { return __half((_Float16)x); }
HEDDLE_HALF float __half2float(__half h) { return (float)h.v; }
HEDDLE_HALF int __half2int_rn(__half h) { return __float2int_rn((float)h.v); }
HEDDLE_HALF int __half2int_rz(__half h) { return __float2int_rz((float)h.v); }
HEDDLE_HALF unsigned short __half_as_ushort(__half h) { return __builtin_bit_cast(unsigned short, h.v); }
HEDDLE_HALF __half __ushort_as_half(unsigned short x) { return __half(__builtin_bit_cast(_Float16, x)); }

#define HEDDLE_HALF_OP(name, op)                                                                              \
    HEDDLE_HALF __half __h##name(__half a, __half b) { return __half((_Float16)(a.v op b.v)); }               \
    HEDDLE_HALF __half2 __h##name##2(__half2 a, __half2 b) { return __half2{__h##name(a.x, b.x), __h##name(a.y, b.y)}; } \
    HEDDLE_HALF __half operator op(__half a, __half b) { return __h##name(a, b); }                            \
    HEDDLE_HALF __half2 operator op(__half2 a, __half2 b) { return __h##name##2(a, b); }
HEDDLE_HALF_OP(add, +)
HEDDLE_HALF_OP(sub, -)
HEDDLE_HALF_OP(mul, *)
HEDDLE_HALF_OP(div, /)
#undef HEDDLE_HALF_OP
HEDDLE_HALF __half operator-(__half a) { return __half((_Float16)-a.v); }
HEDDLE_HALF __half &operator+=(__half &a, __half b) { return a = a + b; }
HEDDLE_HALF __half &operator-=(__half &a, __half b) { return a = a - b; }
HEDDLE_HALF __half &operator*=(__half &a, __half b) { return a = a * b; }
HEDDLE_HALF __half __hneg(__half a) { return -a; }
HEDDLE_HALF __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); }
HEDDLE_HALF __half __hfma(__half a, __half b, __half c) { return __half(__builtin_fmaf16(a.v, b.v, c.v)); }
HEDDLE_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define HEDDLE_HALF_COMPARE(name, op)                                                  \
    HEDDLE_HALF bool __h##name(__half a, __half b) { return a.v op b.v; }              \
    HEDDLE_HALF bool operator op(__half a, __half b) { return a.v op b.v; }
HEDDLE_HALF_COMPARE(eq, ==)
HEDDLE_HALF_COMPARE(ne, !=)
HEDDLE_HALF_COMPARE(lt, <)
HEDDLE_HALF_COMPARE(le, <=)
HEDDLE_HALF_COMPARE(gt, >)
HEDDLE_HALF_COMPARE(ge, >=)
#undef HEDDLE_HALF_COMPARE
HEDDLE_HALF bool __hisnan(__half a) { return a.v != a.v; }
HEDDLE_HALF __half __hmax(__half a, __half b) { return a.v > b.v || b.v != b.v ? a : b; }
HEDDLE_HALF __half __hmin(__half a, __half b) { return a.v < b.v || b.v != b.v ? a : b; }

HEDDLE_HALF __half hsqrt(__half a) { return __half(sqrtf((float)a.v)); }
HEDDLE_HALF __half hrsqrt(__half a) { return __half(rsqrtf((float)a.v)); }
HEDDLE_HALF __half hexp(__half a) { return __half(expf((float)a.v)); }
HEDDLE_HALF __half hlog(__half a) { return __half(logf((float)a.v)); }
HEDDLE_HALF __half hsin(__half a) { return __half(sinf((float)a.v)); }
HEDDLE_HALF __half hcos(__half a) { return __half(cosf((float)a.v)); }

HEDDLE_HALF __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
HEDDLE_HALF __half2 __halves2half2(__half x, __half y) { return __half2{x, y}; }
HEDDLE_HALF __half2 __half2half2(__half x) { return __half2{x, x}; }
HEDDLE_HALF __half2 __float2half2_rn(float x) { return __half2{__float2half(x), __float2half(x)}; }
HEDDLE_HALF __half2 __floats2half2_rn(float x, float y) { return __half2{__float2half(x), __float2half(y)}; }
HEDDLE_HALF __half __low2half(__half2 h) { return h.x; }
HEDDLE_HALF __half __high2half(__half2 h) { return h.y; }
HEDDLE_HALF float __low2float(__half2 h) { return (float)h.x.v; }
HEDDLE_HALF float __high2float(__half2 h) { return (float)h.y.v; }
HEDDLE_HALF float2 __half22float2(__half2 h) { return float2{(float)h.x.v, (float)h.y.v}; }
HEDDLE_HALF __half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }

#undef HEDDLE_HALF
#pragma clang attribute pop
#endif
