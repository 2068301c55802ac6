/* The tables of "Matrix Fragments for mma..." of the PTX manual, and the sums. */
#include "ref/mma.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

unsigned ref_mma_bits(const char *type) {
    static const struct {
        const char *type;
        unsigned bits;
    } known[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64}, {"e4m3", 8}, {"e5m2", 8},
                 {"s8", 8},   {"u8", 8},    {"s4", 4},    {"u4", 4},   {"b1", 1},   {"s32", 32}};
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].type, type)) return known[k].bits;
    return 0;
}

static bool quads(const struct ref_mma *s) {
    return s->m == 8 && s->k == 4 && !strcmp(s->a, "f16");
}

unsigned ref_mma_elements(const struct ref_mma *s, char matrix) {
    if (quads(s)) return matrix == 'c' ? 8 : 4;
    return (matrix == 'a' ? s->m * s->k : matrix == 'b' ? s->k * s->n : s->m * s->n) / 32;
}

/* ---- m8n8k4 on f16: rows and columns of the product of the thread's quad pair ---- */
static void place_quads(const struct ref_mma *s, char matrix, const char *type, unsigned lane, unsigned i,
                        unsigned *row, unsigned *col) {
    const unsigned in = lane % 4, upper = lane < 16 ? 0 : 4;
    if (matrix == 'a' && !s->a_col) *row = in + upper, *col = i;
    if (matrix == 'a' && s->a_col) *row = i % 4 + upper, *col = in;
    if (matrix == 'b' && s->b_row) *row = in, *col = i + upper;
    if (matrix == 'b' && !s->b_row) *row = i, *col = in + upper;
    if (matrix == 'c' && !strcmp(type, "f16")) *row = in + upper, *col = i;
    if (matrix == 'c' && !strcmp(type, "f32")) {
        *row = (lane & 1) + (i & 2) + upper;
        *col = (i & 4) + (lane & 2) + (i & 1);
    }
}

/* ---- the others, by bits of an element ---- */
struct place {
    unsigned row, col;
};

static struct place a_16(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 8) return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
    return (struct place){i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                          i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
}
static struct place b_16(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 8) return (struct place){t * 2 + (i & 1), g};
    return (struct place){i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
}
static struct place a_tf32(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 4) return (struct place){i == 0 ? g : g + 8, t};
    return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
static struct place b_tf32(unsigned k, unsigned g, unsigned t, unsigned i) {
    (void)k;
    return (struct place){i == 0 ? t : t + 4, g};
}
static struct place a_f64(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 4) return (struct place){i == 0 ? g : g + 8, t};
    if (k == 8) return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
    return (struct place){i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
}
static struct place b_f64(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 16) return (struct place){t + i * 4, g};
    return (struct place){i == 0 ? t : t + 4, g};
}
static struct place a_8(unsigned m, unsigned k, unsigned g, unsigned t, unsigned i) {
    if (m == 8) return (struct place){g, t * 4 + i};
    if (k == 16) return (struct place){i < 4 ? g : g + 8, t * 4 + (i & 3)};
    return (struct place){i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                          i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
}
static struct place b_8(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 16) return (struct place){t * 4 + i, g};
    return (struct place){i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
}
static struct place a_4(unsigned m, unsigned k, unsigned g, unsigned t, unsigned i) {
    if (m == 8) return (struct place){g, t * 8 + i};
    if (k == 32) return (struct place){i < 8 ? g : g + 8, t * 8 + (i & 7)};
    return (struct place){i < 8 || (i >= 16 && i < 24) ? g : g + 8,
                          i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
}
static struct place b_4(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 32) return (struct place){t * 8 + i, g};
    return (struct place){i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
}
static struct place a_1(unsigned m, unsigned k, unsigned g, unsigned t, unsigned i) {
    if (m == 8) return (struct place){g, t * 32 + i};
    if (k == 128) return (struct place){i < 32 ? g : g + 8, t * 32 + (i & 31)};
    return (struct place){i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                          i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
}
static struct place b_1(unsigned k, unsigned g, unsigned t, unsigned i) {
    if (k == 128) return (struct place){t * 32 + i, g};
    return (struct place){i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
}
static struct place acc(unsigned g, unsigned t, unsigned i) {
    return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

void ref_mma_place(const struct ref_mma *s, char matrix, const char *type, unsigned lane, unsigned i,
                   unsigned *row, unsigned *col) {
    const unsigned g = lane >> 2, t = lane % 4, bits = ref_mma_bits(type);
    struct place p;
    if (quads(s)) {
        place_quads(s, matrix, type, lane, i, row, col);
        return;
    }
    if (matrix == 'c')
        p = acc(g, t, i);
    else if (bits == 16)
        p = matrix == 'a' ? a_16(s->k, g, t, i) : b_16(s->k, g, t, i);
    else if (bits == 32)
        p = matrix == 'a' ? a_tf32(s->k, g, t, i) : b_tf32(s->k, g, t, i);
    else if (bits == 64)
        p = matrix == 'a' ? a_f64(s->k, g, t, i) : b_f64(s->k, g, t, i);
    else if (bits == 8)
        p = matrix == 'a' ? a_8(s->m, s->k, g, t, i) : b_8(s->k, g, t, i);
    else if (bits == 4)
        p = matrix == 'a' ? a_4(s->m, s->k, g, t, i) : b_4(s->k, g, t, i);
    else
        p = matrix == 'a' ? a_1(s->m, s->k, g, t, i) : b_1(s->k, g, t, i);
    *row = p.row;
    *col = p.col;
}

/* ---- values ---- */

/* A float of that many exponent and fraction bits. e4m3 has no infinity, and one NaN. */
static long double decode(uint64_t v, int exponent, int fraction, bool ieee) {
    const uint64_t e = v >> fraction & ((1u << exponent) - 1), f = v & ((1ull << fraction) - 1);
    const int bias = (1 << (exponent - 1)) - 1;
    const long double sign = v >> (exponent + fraction) & 1 ? -1 : 1;
    const bool top = e == (1ull << exponent) - 1;
    if (top && ieee) return f ? NAN : sign * INFINITY;
    if (top && f == (1u << fraction) - 1) return NAN;
    return sign * ldexpl(e ? f + (1ull << fraction) : f, (int)(e ? e : 1) - bias - fraction);
}

static long double value(const char *type, uint64_t v) {
    if (!strcmp(type, "f16")) return decode(v, 5, 10, true);
    if (!strcmp(type, "bf16")) return decode(v, 8, 7, true);
    if (!strcmp(type, "tf32")) return decode(v >> 13, 8, 10, true);
    if (!strcmp(type, "e4m3")) return decode(v, 4, 3, false);
    if (!strcmp(type, "e5m2")) return decode(v, 5, 2, true);
    if (!strcmp(type, "f32")) return decode(v, 8, 23, true);
    if (!strcmp(type, "s8")) return (int8_t)v;
    if (!strcmp(type, "s4")) return v & 8 ? (int)(v & 15) - 16 : (int)(v & 15);
    if (!strcmp(type, "s32")) return (int32_t)v;
    return v; /* u8, u4, b1 */
}

/* ---- sums ---- */

static int exponent(long double v) {
    int e;
    frexpl(v, &e);
    return e - 1;
}

/* The float next to it towards zero. */
static float towards_zero(long double v) {
    float f = (float)v;
    if (isinf(f)) return f; /* overflow */
    return fabsl((long double)f) > fabsl(v) ? nextafterf(f, 0) : f;
}

/* Five terms cut off 23 bits below the leading bit of the largest. */
static float five(const long double *a, const long double *b, unsigned n, long double c) {
    int top = c != 0 ? exponent(c) : -100000;
    long double sum = 0;
    for (unsigned k = 0; k < n; k++)
        if (a[k] * b[k] != 0 && exponent(a[k]) + exponent(b[k]) > top) top = exponent(a[k]) + exponent(b[k]);
    if (top == -100000) return 0;
    for (unsigned k = 0; k < n; k++) sum += truncl(ldexpl(a[k] * b[k], 23 - top));
    sum += truncl(ldexpl(c, 23 - top));
    sum = ldexpl(sum, top - 23);
    return fabsl(sum) >= 0x1p128L ? (sum < 0 ? -INFINITY : INFINITY) : towards_zero(sum);
}

/* To f16, to nearest even, by the distance to both neighbours. */
static uint64_t to_half(float f) {
    if (isnan(f)) return 0x7fff;
    const uint64_t sign = signbit(f) ? 0x8000 : 0;
    const long double v = fabsl((long double)f);
    if (v >= 65520) return sign | 0x7c00;
    uint64_t low = 0;
    for (uint64_t bit = 0x4000; bit; bit >>= 1)
        if (decode(low | bit, 5, 10, true) <= v) low |= bit; /* 65504 < v < 65520: infinity is never below */
    const long double below = v - decode(low, 5, 10, true),
                      above = ldexpl(1, low >= 0x400 ? (int)(low >> 10) - 25 : -24) - below;
    if (below > above || (below == above && low & 1)) low++;
    return sign | low;
}

static uint64_t finish_float(const struct ref_mma *s, float v) {
    const bool half = !strcmp(s->d, "f16");
    uint32_t bits;
    if (s->sat && isnan(v)) return 0;
    if (s->sat && half && fabsf(v) > 65504) v = v < 0 ? -65504 : 65504;
    if (s->sat && !half && isinf(v)) v = v < 0 ? -0x1.fffffep127f : 0x1.fffffep127f;
    if (half) return to_half(v);
    memcpy(&bits, &v, 4);
    return isnan(v) ? 0x7fffffff : bits;
}

static uint64_t sum_floats(const struct ref_mma *s, const uint64_t *a, const uint64_t *b, unsigned n,
                           uint64_t c) {
    long double x[64], y[64], plain = value(s->c, c);
    float sum = (float)plain;
    for (unsigned k = 0; k < n; k++) {
        x[k] = value(s->a, a[k]);
        y[k] = value(s->b, b[k]);
        plain += x[k] * y[k];
    }
    if (isnan(plain) || isinf(plain)) return finish_float(s, (float)plain);
    for (unsigned k = 0; k < n; k += 4) sum = five(x + k, y + k, n - k < 4 ? n - k : 4, (long double)sum);
    return finish_float(s, sum);
}

static uint64_t sum_ints(const struct ref_mma *s, const uint64_t *a, const uint64_t *b, unsigned n,
                         uint64_t c) {
    long double sum = value("s32", c);
    for (unsigned k = 0; k < n; k++) {
        const bool one = s->bits_and ? a[k] && b[k] : a[k] != b[k];
        sum += !strcmp(s->a, "b1") ? one : value(s->a, a[k]) * value(s->b, b[k]);
    }
    if (s->sat) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(int64_t)sum;
}

static uint64_t sum_doubles(const struct ref_mma *s, const uint64_t *a, const uint64_t *b, unsigned n,
                            uint64_t c) {
    volatile double sum, x, y;
    uint64_t bits;
    memcpy((void *)&sum, &c, 8);
    fesetround(s->round);
    for (unsigned k = 0; k < n; k++) {
        memcpy((void *)&x, &a[k], 8);
        memcpy((void *)&y, &b[k], 8);
        sum = fma(x, y, sum);
    }
    fesetround(FE_TONEAREST);
    if (isnan(sum)) return 0x7ff8000000000000;
    memcpy(&bits, (const void *)&sum, 8);
    return bits;
}

uint64_t ref_mma_sum(const struct ref_mma *s, const uint64_t *a, const uint64_t *b, unsigned n, uint64_t c) {
    if (!strcmp(s->d, "f64")) return sum_doubles(s, a, b, n, c);
    return (!strcmp(s->d, "s32") ? sum_ints : sum_floats)(s, a, b, n, c);
}
