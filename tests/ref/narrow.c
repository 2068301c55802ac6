/* Narrow floats by their tables: every code has a value, and a number becomes the code whose value is nearest, of two as near
 * the even one. */
#include <math.h>
#include <string.h>

#include "ref.h"

static const struct {
    int exponent, mantissa, bias;
    int codes; /* magnitudes that are numbers: 0 to codes - 1 */
    bool nan;  /* there is one, 0x7f */
    int apart; /* bits between the two of a pair */
} formats[] = {{4, 3, 7, 0x7f, true, 8},
               {5, 2, 15, 0x7c, true, 8},
               {2, 1, 1, 8, false, 4},
               {2, 3, 1, 32, false, 8},
               {3, 2, 3, 32, false, 8}};

static int format_of(const struct ref_in *in) {
    return in->i->sub & IR_NARROW_FORMAT;
}
static bool relu(const struct ref_in *in) {
    return in->i->sub & IR_NARROW_RELU;
}

static double value_of(int f, int magnitude) {
    const int m = magnitude & ((1 << formats[f].mantissa) - 1), e = magnitude >> formats[f].mantissa;
    const double part = (double)m / (1 << formats[f].mantissa);
    return e ? ldexp(1 + part, e - formats[f].bias) : ldexp(part, 1 - formats[f].bias);
}

static uint32_t nearest(int f, double v) {
    int best = 0;
    if (v >= value_of(f, formats[f].codes - 1)) return (uint32_t)formats[f].codes - 1; /* saturates */
    for (int k = 1; k < formats[f].codes; k++) {
        const double now = fabs(v - value_of(f, k)), before = fabs(v - value_of(f, best));
        if (now < before || (now == before && !(k & 1))) best = k;
    }
    return (uint32_t)best;
}

static uint32_t code_of(const struct ref_in *in, double v) {
    const int f = format_of(in);
    const uint32_t sign = signbit(v) ? 1u << (formats[f].exponent + formats[f].mantissa) : 0;
    if (isnan(v)) return formats[f].nan ? 0x7f : (uint32_t)formats[f].codes - 1;
    if (relu(in) && sign) return 0;
    if (isinf(v)) return sign | ((uint32_t)formats[f].codes - 1);
    return sign | nearest(f, fabs(v));
}

static double half_of(uint32_t bits, bool bf) {
    const int m = bf ? 7 : 10, e = bf ? 8 : 5, bias = (1 << (e - 1)) - 1;
    const uint32_t mant = bits & ((1u << m) - 1), exp = bits >> m & ((1u << e) - 1);
    const double part = (double)mant / (1 << m), sign = bits >> 15 & 1 ? -1 : 1;
    if (exp == (1u << e) - 1) return mant ? NAN : sign * INFINITY;
    return sign * (exp ? ldexp(1 + part, (int)exp - bias) : ldexp(part, 1 - bias));
}

static double float_of(uint64_t bits) {
    const uint32_t b = (uint32_t)bits;
    float f;
    memcpy(&f, &b, 4);
    return (double)f;
}

void ref_narrow(const struct ref_in *in, struct ref_out *out) {
    const bool pair = in->i->op != IR_CVT_NARROW_F32, bf = in->i->op == IR_CVT_NARROW_BF16X2;
    const double high = pair ? half_of((uint32_t)in->s[0] >> 16, bf) : float_of(in->s[0]);
    const double low = pair ? half_of((uint32_t)in->s[0] & 0xffff, bf) : float_of(in->s[1]);
    ref_put(in, out, 0, code_of(in, high) << formats[format_of(in)].apart | code_of(in, low));
}

/* The half with that value, which there is. */
static uint32_t half_bits(const struct ref_in *in, uint32_t code) {
    const int f = format_of(in), width = formats[f].exponent + formats[f].mantissa;
    const uint32_t magnitude = code & ((1u << width) - 1), sign = code >> width & 1;
    if (formats[f].nan && magnitude >= (uint32_t)formats[f].codes && (f == IR_E4M3 || magnitude > 0x7c))
        return 0x7fff;
    if (relu(in) && sign) return 0;
    if (f == IR_E5M2 && magnitude == 0x7c) return 0x7c00u | sign << 15;
    for (uint32_t h = 0; h < 0x7c00; h++)
        if (half_of(h, false) == value_of(f, (int)magnitude)) return h | sign << 15;
    return 0xdead;
}

void ref_widen(const struct ref_in *in, struct ref_out *out) {
    const int apart = formats[format_of(in)].apart;
    const uint32_t pair = (uint32_t)in->s[0], mask = (1u << apart) - 1;
    ref_put(in, out, 0, half_bits(in, pair >> apart & mask) << 16 | half_bits(in, pair & mask));
}
