/* Floating point that PTX defines to the bit: exact values from soft.c, rounded once by ref_finish. */
#include "ref.h"

static enum soft_round rounding(const struct ref_in *in) {
    return (enum soft_round)(in->i->mods & IR_M_RND);
}

typedef struct soft exact_fn(const struct soft *v, enum soft_round r);

/* Applies op to the number, or to both halves. */
static void arithmetic(const struct ref_in *in, struct ref_out *out, exact_fn *op) {
    out->split = ref_two_parts(in->row->d[0]);
    for (int half = 0; half <= (int)out->split; half++) {
        struct soft v[3] = {0};
        for (int k = 0; k < ref_count(in->row->s); k++) v[k] = ref_float(in, k, half);
        out->w[half] = ref_finish(in, ref_fmt(in->row->d[0]), op(v, rounding(in)));
    }
}

static struct soft exact_add(const struct soft *v, enum soft_round r) {
    return soft_add(v[0], v[1], r);
}
static struct soft exact_sub(const struct soft *v, enum soft_round r) {
    return soft_add(v[0], soft_neg(v[1]), r);
}
static struct soft exact_mul(const struct soft *v, enum soft_round r) {
    (void)r;
    return soft_mul(v[0], v[1]);
}
static struct soft exact_fma(const struct soft *v, enum soft_round r) {
    return soft_add(soft_mul(v[0], v[1]), v[2], r);
}
static struct soft exact_div(const struct soft *v, enum soft_round r) {
    (void)r;
    return soft_div(v[0], v[1]);
}
static struct soft exact_rcp(const struct soft *v, enum soft_round r) {
    (void)r;
    return soft_div(soft_int(1), v[0]);
}
static struct soft exact_sqrt(const struct soft *v, enum soft_round r) {
    (void)r;
    return soft_sqrt(v[0]);
}

void ref_fadd(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_add);
}
void ref_fsub(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_sub);
}
void ref_fmul(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_mul);
}
void ref_fma(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_fma);
}
void ref_fdiv(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_div);
}
void ref_frcp(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_rcp);
}
void ref_fsqrt(const struct ref_in *in, struct ref_out *out) {
    arithmetic(in, out, exact_sqrt);
}

/* ---- sign operations: only the sign bit changes, of a NaN too; .ftz flushes ---- */
static void change_sign(const struct ref_in *in, struct ref_out *out, bool negate) {
    const struct soft_fmt *f = ref_fmt(in->row->s[0]);
    uint64_t sign = soft_zero(f, true), all = sign | soft_nan(f);
    out->split = ref_two_parts(in->row->s[0]);
    for (int half = 0; half <= (int)out->split; half++) {
        uint64_t bits = in->s[0] >> (16 * half) & all;
        if (in->i->mods & IR_M_FTZ && soft_is_subnormal(f, bits)) bits &= sign;
        out->w[half] = ref_bits(negate ? bits ^ sign : bits & ~sign);
    }
}
void ref_fabs(const struct ref_in *in, struct ref_out *out) {
    change_sign(in, out, false);
}
void ref_fneg(const struct ref_in *in, struct ref_out *out) {
    change_sign(in, out, true);
}
/* PTX: the sign of a, the magnitude of b. */
void ref_copysign(const struct ref_in *in, struct ref_out *out) {
    int top = ref_width(in->row->s[0]) - 1;
    uint64_t d = in->s[1];
    d &= ~((uint64_t)1 << top);
    d |= (in->s[0] >> top & 1) << top;
    out->w[0] = ref_bits(d);
}

/* ---- minimum and maximum: a number wins over a NaN unless .NaN; -0 is below +0 ---- */
static bool below(struct soft a, struct soft b) {
    if (a.cls == SOFT_ZERO && b.cls == SOFT_ZERO) return a.neg && !b.neg;
    return soft_compare(a, b) == SOFT_LESS;
}
static struct soft pick(struct soft a, struct soft b, bool want_max) {
    if (a.cls == SOFT_NAN) return b;
    if (b.cls == SOFT_NAN) return a;
    return below(a, b) != want_max ? a : b;
}
static void extreme(const struct ref_in *in, struct ref_out *out, bool want_max) {
    unsigned mods = in->i->mods;
    out->split = ref_two_parts(in->row->d[0]);
    for (int half = 0; half <= (int)out->split; half++) {
        struct soft best = {SOFT_NAN, false, 0, 0};
        bool sign = false, any_nan = false;
        for (int k = 0; k < ref_count(in->row->s); k++) {
            struct soft v = ref_float(in, k, half);
            sign ^= v.neg;
            any_nan |= v.cls == SOFT_NAN;
            if (mods & IR_M_XSGN) v.neg = false;
            best = pick(best, v, want_max);
        }
        if (mods & IR_M_NAN && any_nan) best.cls = SOFT_NAN;
        if (mods & IR_M_XSGN) best.neg = sign;
        out->w[half] = ref_finish(in, ref_fmt(in->row->d[0]), best);
    }
}
void ref_fmin(const struct ref_in *in, struct ref_out *out) {
    extreme(in, out, false);
}
void ref_fmax(const struct ref_in *in, struct ref_out *out) {
    extreme(in, out, true);
}

/* Zero counts as normal. */
void ref_testp(const struct ref_in *in, struct ref_out *out) {
    enum soft_class c = ref_float(in, 0, 0).cls;
    bool subnormal = soft_is_subnormal(ref_fmt(in->row->s[0]), in->s[0]),
         finite = c == SOFT_FINITE || c == SOFT_ZERO;
    bool answer = false;
    switch (in->i->sub) {
    case IR_TP_FINITE: answer = finite; break;
    case IR_TP_INFINITE: answer = c == SOFT_INF; break;
    case IR_TP_NUMBER: answer = c != SOFT_NAN; break;
    case IR_TP_NOTANUMBER: answer = c == SOFT_NAN; break;
    case IR_TP_NORMAL: answer = finite && !subnormal; break;
    case IR_TP_SUBNORMAL: answer = subnormal; break;
    }
    out->w[0] = ref_bits(answer);
}
