/* The functions that the "meaning" column of ir/ops.def calls, one lane at a time: pure, free of undefined
 * behaviour for every input (lanes outside the mask are computed too, on whatever they hold), and written so
 * that a loop over the lanes vectorises wherever the machine allows it. */
#ifndef HEDDLE_EXEC_ALU_FN_H
#define HEDDLE_EXEC_ALU_FN_H

#include "base/bits.h"
#include "exec/half.h"

/* ---- integer arithmetic ---- */

/* 1u keeps a 16-bit product out of signed int. */
#define mullo(a, b) ((a)*1u * (b))
#define negate(a) \
    _Generic((a), int64_t : (int64_t)(0u - (uint64_t)(a)), default : (int32_t)(0u - (uint32_t)(a)))

static inline int32_t sat_s32(int64_t v) {
    return (int32_t)(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}
static inline uint32_t u24(uint32_t a) {
    return a & 0xffffff;
}
static inline int32_t s24(int32_t a) {
    return (int32_t)((uint32_t)a << 8) >> 8;
}
static inline uint64_t mulhi_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline int64_t mulhi_s64(int64_t a, int64_t b) {
    return (int64_t)((__int128)a * b >> 64);
}
static inline int64_t mulhi_s64u64(int64_t a, uint64_t b) {
    return (int64_t)((__int128)a * (__int128)b >> 64);
}

/* Quotients of up to 32 bits are taken in floating point, which vectorises: a correctly rounded quotient of
 * integers of n bits cannot reach the next integer when the format has more than 2n+1 bits (float for 16,
 * double for 32). */
static inline uint32_t quotient_u32(uint32_t a, uint32_t b) {
    double x = (double)(int32_t)(a ^ 0x80000000u) + 0x1p31, y = (double)(int32_t)(b ^ 0x80000000u) + 0x1p31;
    double q = x / y;
    double low = q >= 0x1p31 ? q - 0x1p31 : q; /* int32_t is all that converts in a vector */
    return (uint32_t)(int32_t)low | (q >= 0x1p31 ? 0x80000000u : 0);
}
static inline int32_t quotient_s32(int32_t a, int32_t b) {
    return (int32_t)((double)a / (double)b);
}
static inline uint16_t div_u16(uint16_t a, uint16_t b) {
    int32_t q = (int32_t)((float)a / (float)(b ? b : 1));
    return (uint16_t)(b ? q : 0xffff);
}
static inline int16_t div_s16(int16_t a, int16_t b) {
    int32_t q = (int32_t)((float)a / (float)(b ? b : 1));
    return (int16_t)(b ? q : -1);
}
static inline uint32_t div_u32(uint32_t a, uint32_t b) {
    return b ? quotient_u32(a, b ? b : 1) : ~0u;
}
static inline int32_t div_s32(int32_t a, int32_t b) {
    bool wraps = a == INT32_MIN && b == -1;
    return b ? quotient_s32(a, wraps || !b ? 1 : b) : -1;
}
static inline uint64_t div_u64(uint64_t a, uint64_t b) {
    return b ? a / b : ~(uint64_t)0;
}
static inline int64_t div_s64(int64_t a, int64_t b) {
    if (b == -1) return negate(a);
    return b ? a / b : -1;
}
static inline uint16_t rem_u16(uint16_t a, uint16_t b) {
    return (uint16_t)(a - (b ? div_u16(a, b) * 1u * b : 0));
}
static inline int16_t rem_s16(int16_t a, int16_t b) {
    return (int16_t)(a - (b ? div_s16(a, b) * b : 0));
}
static inline uint32_t rem_u32(uint32_t a, uint32_t b) {
    return a - div_u32(a, b) * b;
}
static inline int32_t rem_s32(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)div_s32(a, b) * (uint32_t)b);
}
static inline uint64_t rem_u64(uint64_t a, uint64_t b) {
    return b ? a % b : a;
}
static inline int64_t rem_s64(int64_t a, int64_t b) {
    return b == -1 ? 0 : b ? a % b : a;
}

/* ---- bits ---- */

static inline uint32_t popc32(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return v * 0x01010101u >> 24;
}
static inline uint32_t popc64(uint64_t v) {
    return popc32((uint32_t)v) + popc32((uint32_t)(v >> 32));
}
static inline uint32_t clz32(uint32_t v) {
    return v ? (uint32_t)__builtin_clz(v) : 32;
}
static inline uint32_t clz64(uint64_t v) {
    return v ? (uint32_t)__builtin_clzll(v) : 64;
}
static inline uint32_t brev32(uint32_t v) {
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
}
static inline uint64_t brev64(uint64_t v) {
    return (uint64_t)brev32((uint32_t)v) << 32 | brev32((uint32_t)(v >> 32));
}
/* Bit number of the highest set bit, or with shiftamt how far left it could go; all ones when there is none.
 */
static inline uint32_t bfind(uint64_t v, uint32_t width, bool shiftamt) {
    uint32_t top = 63 - clz64(v); /* all ones for 0 */
    return v && shiftamt ? width - 1 - top : top;
}

/* Fields: position and length are the low 8 bits of b and c; what lies beyond the register is sign or zero.
 */
static inline uint64_t low_bits(uint32_t n) {
    return n > 63 ? ~(uint64_t)0 : ((uint64_t)1 << (n & 63)) - 1;
}
static inline uint64_t bfe_u64(uint64_t a, uint32_t b, uint32_t c) {
    uint32_t pos = b & 0xff, len = c & 0xff;
    return (pos > 63 ? 0 : a >> (pos & 63)) & low_bits(len);
}
static inline uint32_t bfe_u32(uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)bfe_u64(a, b, c);
}
static inline uint64_t bfe_s64(int64_t a, uint32_t b, uint32_t c) {
    uint32_t pos = b & 0xff, len = c & 0xff, last = pos + len - 1;
    if (!len) return 0;
    uint64_t sign = last > 63 ? (uint64_t)a >> 63 : (uint64_t)a >> (last & 63) & 1;
    uint64_t field = (uint64_t)(a >> (pos > 63 ? 63 : pos));
    return (field & low_bits(len)) | (sign ? ~low_bits(len) : 0);
}
static inline uint32_t bfe_s32(int32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)bfe_s64(a, b, c);
}
static inline uint32_t bmsk_clamp(uint32_t a, uint32_t b) {
    uint32_t pos = a > 32 ? 32 : a, len = b > 32 ? 32 : b;
    return (uint32_t)(low_bits(len) << pos);
}
static inline uint32_t bmsk_wrap(uint32_t a, uint32_t b) {
    return (uint32_t)(low_bits(b & 31) << (a & 31));
}
/* The low b bits of a, extended. No bit at all is zero. */
static inline uint32_t zext_clamp(uint32_t a, uint32_t b) {
    return a & (b > 31 ? ~0u : (1u << (b & 31)) - 1);
}
static inline uint32_t sext_clamp(int32_t a, uint32_t b) {
    uint32_t drop = b > 31 ? 0 : 32 - b;
    return b ? (uint32_t)((int32_t)((uint32_t)a << (drop & 31)) >> (drop & 31)) : 0;
}
/* Find the n-th set bit of mask at or above (n > 0), at or below (n < 0) or at (n = 0) bit base. */
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t n) {
    int64_t step = n < 0 ? -1 : 1, left = n ? n * step : 1, last = n ? (n < 0 ? -1 : 32) : (int64_t)base + 1;
    if (base > 31) return ~0u;
    for (int64_t at = base; at != last; at += step)
        if (mask >> at & 1 && !--left) return (uint32_t)at;
    return ~0u;
}

static inline uint32_t part8(uint32_t v, uint32_t k, bool is_signed) {
    uint32_t byte = v >> 8 * k & 0xff;
    return is_signed ? (uint32_t)(int8_t)byte : byte;
}
static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
    for (uint32_t k = 0; k < 4; k++) c += part8(a, k, a_signed) * part8(b, k, b_signed);
    return c;
}
static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed, uint32_t high) {
    uint32_t a0 = a_signed ? (uint32_t)(int16_t)a : a & 0xffff,
             a1 = a_signed ? (uint32_t)((int32_t)a >> 16) : a >> 16;
    uint32_t from = high ? 16 : 0;
    return c + a0 * part8(b >> from, 0, b_signed) + a1 * part8(b >> from, 1, b_signed);
}

/* n <= 32 */
static inline uint32_t shf_l(uint32_t lo, uint32_t hi, uint32_t n) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) << n >> 32);
}
static inline uint32_t shf_r(uint32_t lo, uint32_t hi, uint32_t n) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) >> n);
}

/* The selectors of prmt, 4 bits for each byte of the result; every mode but the default makes them from a
 * number 0..3. */
static inline uint32_t prmt_selector(uint32_t c, uint32_t mode) {
    uint32_t n = c & 3;
    switch (mode) {
    case IR_PRMT_F4E: return 0x3210 + 0x1111 * n;
    case IR_PRMT_B4E: return (0x5670 + 0x1111 * n) & 0x7777;
    case IR_PRMT_RC8: return 0x1111 * n;
    case IR_PRMT_ECL: return n == 0 ? 0x3210 : n == 1 ? 0x3211 : n == 2 ? 0x3222 : 0x3333;
    case IR_PRMT_ECR: return n == 0 ? 0 : n == 1 ? 0x1110 : n == 2 ? 0x2210 : 0x3210;
    case IR_PRMT_RC16: return n & 1 ? 0x3232 : 0x1010;
    default: return c;
    }
}
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t select = prmt_selector(c, mode), d = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t s = select >> 4 * k, byte = (uint32_t)(bytes >> 8 * (s & 7)) & 0xff;
        d |= (s & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * k;
    }
    return d;
}

/* ---- floating point ---- */

static inline float sqrt_f32(float a) {
    return __builtin_sqrtf(a);
}
static inline double sqrt_f64(double a) {
    return __builtin_sqrt(a);
}
static inline double fma_f64(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
static inline float fma_f32(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
#else
/* The product is exact in double; the sum rounded to odd, then once to float: the same bits as the
 * instruction, in every rounding mode, and it vectorises where a call to fmaf does not. */
static inline float fma_f32(float a, float b, float c) {
    return (float)sum_odd((double)a * (double)b, (double)c);
}
#endif

/* The number wins over NaN; -0 is less than +0. */
static inline float fmin_ptx(float a, float b) {
    float r = a < b ? a : b;
    r = a == b ? f32_from(f32_bits(a) | f32_bits(b)) : r;
    return b != b ? a : r;
}
static inline float fmax_ptx(float a, float b) {
    float r = a > b ? a : b;
    r = a == b ? f32_from(f32_bits(a) & f32_bits(b)) : r;
    return b != b ? a : r;
}
static inline double fmin_ptx64(double a, double b) {
    double r = a < b ? a : b;
    r = a == b ? f64_from(f64_bits(a) | f64_bits(b)) : r;
    return b != b ? a : r;
}
static inline double fmax_ptx64(double a, double b) {
    double r = a > b ? a : b;
    r = a == b ? f64_from(f64_bits(a) & f64_bits(b)) : r;
    return b != b ? a : r;
}

#endif
