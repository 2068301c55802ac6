/* Conversions: decode exactly, round once, clamp. */
#include "ref.h"

static i128 least_of(uint8_t t) {
    return ir_type_signed(ref_type(t)) ? -((i128)1 << (ref_width(t) - 1)) : 0;
}
static i128 most_of(uint8_t t) {
    return ((i128)1 << (ref_width(t) - (ir_type_signed(ref_type(t)) ? 1 : 0))) - 1;
}
static i128 clamp(i128 v, uint8_t t) {
    return v < least_of(t) ? least_of(t) : v > most_of(t) ? most_of(t) : v;
}

static void int_to_int(const struct ref_in *in, struct ref_out *out) {
    i128 v = ref_value(in, 0);
    ref_put(in, out, 0, (u128)(in->i->mods & IR_M_SAT ? clamp(v, in->row->d[0]) : v));
}

/* .ftz is about f32 alone, whichever side it is on: the copy of the instruction the generic code sees says so. */
static struct ref_in without_ftz(const struct ref_in *in, struct ir_insn *copy) {
    struct ref_in r = *in;
    *copy = *in->i;
    copy->mods &= (uint16_t)~IR_M_FTZ;
    r.i = copy;
    return r;
}
static struct soft source(const struct ref_in *in, int k) {
    struct ir_insn copy;
    struct ref_in plain = without_ftz(in, &copy);
    return ref_float(in->row->s[k] == IR_T_F32 ? in : &plain, k, 0);
}
static struct ref_want finish(const struct ref_in *in, struct soft v) {
    struct ir_insn copy;
    struct ref_in plain = without_ftz(in, &copy);
    return ref_finish(in->row->d[0] == IR_T_F32 ? in : &plain, ref_fmt(in->row->d[0]), v);
}

/* Clamps to the destination. A NaN is 0, but the top bit alone where a 64-bit type is on either side. */
static void float_to_int(const struct ref_in *in, struct ref_out *out) {
    uint8_t d = in->row->d[0];
    struct soft v = soft_rint(source(in, 0), (enum soft_round)(in->i->mods & IR_M_RND));
    if (v.cls == SOFT_NAN) {
        bool wide = in->row->s[0] == IR_T_F64 || ref_width(d) == 64;
        out->w[0] = ref_bits(wide ? (uint64_t)1 << (ref_width(d) - 1) : 0);
    } else if (v.cls == SOFT_INF || (v.cls == SOFT_FINITE && soft_exponent(v) > 64)) {
        ref_put(in, out, 0, (u128)(v.neg ? least_of(d) : most_of(d)));
    } else {
        i128 n = v.cls == SOFT_ZERO ? 0 : (i128)(v.m << v.e);
        ref_put(in, out, 0, (u128)clamp(v.neg ? -n : n, d));
    }
}

static void float_to_float(const struct ref_in *in, struct ref_out *out) {
    struct soft v = source(in, 0);
    bool same = in->row->d[0] == in->row->s[0];
    if (in->i->mods & IR_M_RINT) v = soft_rint(v, (enum soft_round)(in->i->mods & IR_M_RND));
    out->w[0] = finish(in, v);
    /* A conversion to the same type that changes nothing may pass a NaN through. */
    if (v.cls == SOFT_NAN && same && !(in->i->mods & (IR_M_RINT | IR_M_SAT)))
        out->w[0] = ref_any_nan(ref_fmt(in->row->d[0]));
}

void ref_cvt(const struct ref_in *in, struct ref_out *out) {
    bool from = ref_fmt(in->row->s[0]), to = ref_fmt(in->row->d[0]);
    if (!from && !to)
        int_to_int(in, out);
    else if (!to)
        float_to_int(in, out);
    else if (from)
        float_to_float(in, out);
    else
        out->w[0] = finish(in, soft_int(ref_value(in, 0)));
}

/* a becomes the upper half, b the lower. */
void ref_cvt_x2(const struct ref_in *in, struct ref_out *out) {
    out->split = true;
    for (int half = 0; half < 2; half++) out->w[half] = finish(in, source(in, half ? 0 : 1));
}

/* tf32 is f32 with 13 bits fewer; what a NaN looks like is not said. */
void ref_cvt_tf32(const struct ref_in *in, struct ref_out *out) {
    struct soft v = source(in, 0);
    out->w[0] = ref_finish(in, &soft_tf32, v);
    out->w[0].bits <<= 13;
    out->w[0].alt <<= 13;
    if (v.cls == SOFT_NAN) out->w[0] = ref_any_nan(&soft_f32);
}

/* Two saturated numbers, a above b; narrow ones push c up. */
void ref_cvt_pack(const struct ref_in *in, struct ref_out *out) {
    uint8_t t = in->i->dtype;
    int bits = ref_width(t);
    uint64_t part = ((uint64_t)1 << bits) - 1;
    uint64_t d =
        ((uint64_t)clamp(ref_value(in, 0), t) & part) << bits | ((uint64_t)clamp(ref_value(in, 1), t) & part);
    if (bits < 16) d |= in->s[2] << (2 * bits);
    ref_put(in, out, 0, d);
}
