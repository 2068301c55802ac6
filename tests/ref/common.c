/* What the references share: operand types, reading sources, stating what a destination must hold. */
#include "ref.h"

enum ir_type ref_type(uint8_t operand) {
    return operand < IR_NTYPES ? (enum ir_type)operand : IR_T_U32;
}

bool ref_two_parts(uint8_t operand) {
    return operand == IR_T_F16X2 || operand == IR_T_BF16X2 || operand == IR_T_U16X2 || operand == IR_T_S16X2;
}

int ref_width(uint8_t operand) {
    if (operand == IR_T_P) return 1;
    return ref_two_parts(operand) ? 16 : 8 * ir_type_bytes[ref_type(operand)];
}

const struct soft_fmt *ref_fmt(uint8_t operand) {
    switch (operand) {
    case IR_T_F16:
    case IR_T_F16X2: return &soft_f16;
    case IR_T_BF16:
    case IR_T_BF16X2: return &soft_bf16;
    case IR_T_F32: return &soft_f32;
    case IR_T_F64: return &soft_f64;
    default: return NULL;
    }
}

int ref_count(const uint8_t *operands) {
    int n = 0;
    while (n < 4 && operands[n] != IR_T_NONE) n++;
    return n;
}

static u128 low_bits(u128 v, int width) {
    return v & (((u128)1 << width) - 1);
}

i128 ref_value(const struct ref_in *in, int k) {
    uint8_t t = in->row->s[k];
    int width = ref_width(t);
    i128 v = (i128)low_bits(in->s[k], width);
    bool negative = v >> (width - 1) & 1;
    return ir_type_signed(ref_type(t)) && negative ? v - ((i128)1 << width) : v;
}

struct ref_want ref_bits(uint64_t bits) {
    return (struct ref_want){.kind = REF_BITS, .bits = bits, .alt = bits};
}
struct ref_want ref_either(uint64_t bits, uint64_t alt) {
    return (struct ref_want){.kind = REF_BITS, .bits = bits, .alt = alt};
}
struct ref_want ref_any_nan(const struct soft_fmt *f) {
    return (struct ref_want){.kind = REF_NAN, .bits = soft_nan(f), .fmt = f};
}

void ref_put(const struct ref_in *in, struct ref_out *out, int k, u128 v) {
    out->w[k] = ref_bits((uint64_t)low_bits(v, ref_width(in->row->d[k])));
}

struct soft ref_float(const struct ref_in *in, int k, int half) {
    const struct soft_fmt *f = ref_fmt(in->row->s[k]);
    uint64_t bits = (uint64_t)low_bits(in->s[k] >> (16 * half), soft_bits(f));
    struct soft v = soft_decode(f, bits);
    if (in->i->mods & IR_M_FTZ && soft_is_subnormal(f, bits)) v.cls = SOFT_ZERO;
    return v;
}

/* [0, 1]; NaN becomes +0. PTX does not say which zero -0 becomes. */
static struct ref_want saturate(const struct soft_fmt *f, uint64_t bits) {
    struct soft v = soft_decode(f, bits), one = soft_int(1);
    if (v.cls == SOFT_ZERO) return ref_either(0, bits);
    if (v.cls == SOFT_NAN || v.neg) return ref_bits(0);
    return ref_bits(soft_compare(v, one) == SOFT_GREATER ? soft_encode(f, one, SOFT_RN) : bits);
}

/* Negative becomes 0, NaN the canonical NaN; -0 may be either zero. */
static struct ref_want relu(const struct soft_fmt *f, uint64_t bits) {
    struct soft v = soft_decode(f, bits);
    if (v.cls == SOFT_ZERO) return ref_either(0, bits);
    return ref_bits(v.cls != SOFT_NAN && v.neg ? 0 : bits);
}

struct ref_want ref_finish(const struct ref_in *in, const struct soft_fmt *f, struct soft v) {
    unsigned mods = in->i->mods;
    if (v.cls == SOFT_NAN && f == &soft_f64 && !(mods & IR_M_SAT)) return ref_any_nan(f);
    uint64_t bits = soft_encode(f, v, (enum soft_round)(mods & IR_M_RND)), alt = bits;
    if (mods & IR_M_FTZ) {
        /* Below the normal range before rounding, the smallest normal after: hardware may flush it or not. */
        bool was_tiny = v.cls == SOFT_FINITE && soft_exponent(v) < soft_emin(f);
        if (soft_is_subnormal(f, bits))
            bits = alt = soft_zero(f, v.neg);
        else if (was_tiny)
            alt = soft_zero(f, v.neg);
    }
    if (mods & IR_M_SAT) {
        struct ref_want w = saturate(f, bits);
        if (alt != bits) w.alt = saturate(f, alt).bits;
        return w;
    }
    if (mods & IR_M_RELU) return relu(f, bits);
    return ref_either(bits, alt);
}
