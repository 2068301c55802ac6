/* Integer arithmetic. Operands are extended to 128 bits, results cut to the destination: no overflow to think of. */
#include "ref.h"

#define A ref_value(in, 0)
#define B ref_value(in, 1)
#define C ref_value(in, 2)
#define REF(name, expr)                                             \
    void ref_##name(const struct ref_in *in, struct ref_out *out) { \
        ref_put(in, out, 0, (u128)(expr));                          \
    }

static i128 clamp(i128 v, i128 lo, i128 hi) {
    return v < lo ? lo : v > hi ? hi : v;
}
static i128 clamp32(i128 v) {
    return clamp(v, INT32_MIN, INT32_MAX);
}
static i128 least(i128 a, i128 b) {
    return a < b ? a : b;
}
static i128 most(i128 a, i128 b) {
    return a > b ? a : b;
}
/* Bits from, from+1 ... of the product; all 128 bits are right whatever the signs. */
static u128 product_from(i128 a, i128 b, int from) {
    return (u128)a * (u128)b >> from;
}
static i128 low24(i128 v, bool is_signed) {
    v &= 0xffffff;
    return is_signed && v >> 23 ? v - 0x1000000 : v;
}
/* The 48-bit product of mul24; .hi is its bits 47..16. */
static i128 product24(const struct ref_in *in) {
    bool is_signed = in->row->s[0] == IR_T_S32;
    return low24(A, is_signed) * low24(B, is_signed);
}
static int width(const struct ref_in *in) {
    return ref_width(in->row->s[0]);
}

REF(add, A + B)
REF(sub, A - B)
REF(add_sat, clamp32(A + B))
REF(sub_sat, clamp32(A - B))
REF(mul_lo, product_from(A, B, 0))
REF(mul_hi, product_from(A, B, width(in)))
REF(mul_wide, product_from(A, B, 0))
REF(mad_lo, product_from(A, B, 0) + (u128)C)
REF(mad_hi, product_from(A, B, width(in)) + (u128)C)
REF(mad_hi_sat, clamp32((A * B >> 32) + C))
REF(mad_wide, product_from(A, B, 0) + (u128)C)
REF(mul24_lo, product24(in))
REF(mul24_hi, product24(in) >> 16)
REF(mad24_lo, product24(in) + C)
REF(mad24_hi, (product24(in) >> 16) + C)
REF(mad24_hi_sat, clamp32((product24(in) >> 16) + C))
REF(sad, C + (A < B ? B - A : A - B))
/* PTX leaves a zero divisor open; the project's choice is stated in ops.def. */
REF(div, B == 0 ? (i128)-1 : A / B)
REF(rem, B == 0 ? A : A % B)
REF(abs, A < 0 ? -A : A)
REF(neg, -A)
REF(min, least(A, B))
REF(max, most(A, B))
REF(min_relu, most(0, least(A, B)))
REF(max_relu, most(0, most(A, B)))

static i128 half_value(const struct ref_in *in, int k, int half) {
    uint32_t v = (uint32_t)(in->s[k] >> (16 * half)) & 0xffff;
    return in->row->s[k] == IR_T_S16X2 && v & 0x8000 ? (i128)v - 0x10000 : (i128)v;
}
static void each_half(const struct ref_in *in, struct ref_out *out, i128 (*fn)(i128, i128)) {
    uint32_t d = 0;
    for (int half = 0; half < 2; half++) {
        i128 v = fn(half_value(in, 0, half), half_value(in, 1, half));
        if (in->i->mods & IR_M_RELU) v = most(v, 0);
        d |= ((uint32_t)v & 0xffff) << (16 * half);
    }
    out->w[0] = ref_bits(d);
}
static i128 plus(i128 a, i128 b) {
    return a + b;
}
void ref_add_2(const struct ref_in *in, struct ref_out *out) {
    each_half(in, out, plus);
}
void ref_min_2(const struct ref_in *in, struct ref_out *out) {
    each_half(in, out, least);
}
void ref_max_2(const struct ref_in *in, struct ref_out *out) {
    each_half(in, out, most);
}

/* ---- extended precision: CC.CF is the carry of an addition, the borrow of a subtraction ---- */
static u128 cut(const struct ref_in *in, u128 v) {
    return v & (((u128)1 << width(in)) - 1);
}
static void add_with_carry(const struct ref_in *in, struct ref_out *out, u128 x, u128 y) {
    u128 sum = cut(in, x) + cut(in, y) + (in->i->mods & IR_M_CC_IN && in->cf);
    ref_put(in, out, 0, sum);
    out->cf = in->i->mods & IR_M_CC_OUT ? sum >> width(in) & 1 : in->cf;
}
void ref_addc(const struct ref_in *in, struct ref_out *out) {
    add_with_carry(in, out, (u128)A, (u128)B);
}
void ref_subc(const struct ref_in *in, struct ref_out *out) {
    i128 difference = A - (B + (in->i->mods & IR_M_CC_IN && in->cf));
    ref_put(in, out, 0, (u128)difference);
    out->cf = in->i->mods & IR_M_CC_OUT ? difference < 0 : in->cf;
}
void ref_madc_lo(const struct ref_in *in, struct ref_out *out) {
    add_with_carry(in, out, product_from(A, B, 0), (u128)C);
}
void ref_madc_hi(const struct ref_in *in, struct ref_out *out) {
    add_with_carry(in, out, product_from(A, B, width(in)), (u128)C);
}

/* ---- dot products ---- */
static i128 part(const struct ref_in *in, int k, int index, int bits) {
    uint32_t v = (uint32_t)(in->s[k] >> (bits * index)) & ((1u << bits) - 1);
    bool negative = in->row->s[k] == IR_T_S32 && v >> (bits - 1);
    return negative ? (i128)v - (1 << bits) : (i128)v;
}
void ref_dp4a(const struct ref_in *in, struct ref_out *out) {
    i128 sum = C;
    for (int n = 0; n < 4; n++) sum += part(in, 0, n, 8) * part(in, 1, n, 8);
    ref_put(in, out, 0, (u128)sum);
}
/* Two halves of a by two bytes of b: the lower pair, or with .hi (sub 1) the upper. */
void ref_dp2a(const struct ref_in *in, struct ref_out *out) {
    i128 sum = C;
    for (int n = 0; n < 2; n++) sum += part(in, 0, n, 16) * part(in, 1, n + 2 * in->i->sub, 8);
    ref_put(in, out, 0, (u128)sum);
}
