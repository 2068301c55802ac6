/* bfloat16: __nv_bfloat16 and __nv_bfloat162, for device and host code, C++. */
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#define __CUDA_BF16_H__

#include "heddle/narrow.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

HEDDLE_NARROW(__nv_bfloat16, __nv_bfloat162, to_bfloat, of_bfloat)

HEDDLE_NARROW_BINARY(__nv_bfloat16, __nv_bfloat162, add, __hadd2, +)
HEDDLE_NARROW_BINARY(__nv_bfloat16, __nv_bfloat162, sub, __hsub2, -)
HEDDLE_NARROW_BINARY(__nv_bfloat16, __nv_bfloat162, mul, __hmul2, *)
HEDDLE_NARROW_BINARY(__nv_bfloat16, __nv_bfloat162, div, __h2div, /)
/* The product is exact in a double; the sum is rounded there once more, which only a tie of 37 digits would show. */
HEDDLE_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
}
HEDDLE_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
HEDDLE_NARROW_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
HEDDLE_NARROW_DEVICE(__nv_bfloat16, __nv_bfloat162)
HEDDLE_NARROW_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, to_bfloat)
HEDDLE_HD int __hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80 ? 1 : a.__x == 0xff80 ? -1 : 0; }
HEDDLE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define CUDART_INF_BF16  __ushort_as_bfloat16((unsigned short)0x7F80u)
#define CUDART_NAN_BF16  __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16  __ushort_as_bfloat16((unsigned short)0x3F80u)

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
