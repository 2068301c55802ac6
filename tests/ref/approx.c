/* .approx functions: double-precision libm, with the largest error the PTX ISA allows as tolerance, and its
 * tables of special values. Errors in ulp are of the result's format, subnormals having the ulp of the
 * smallest normal. Where the ISA gives a relative error and the result is subnormal, one subnormal ulp is
 * allowed too: nothing finer exists. */
#include "ref.h"

#include <math.h>

static double ulp(const struct soft_fmt *f, double v) {
    int e = v == 0 ? soft_emin(f) : ilogb(v);
    return ldexp(1, (e < soft_emin(f) ? soft_emin(f) : e) - (f->p - 1));
}

/* A result near v, at most tol away; non-finite v and results beyond the format are exact. */
static struct ref_want near(const struct ref_in *in, const struct soft_fmt *f, double v, double tol) {
    if (isnan(v)) return f == &soft_f64 ? ref_any_nan(f) : ref_bits(soft_nan(f));
    if (isinf(v)) return ref_bits(soft_inf(f, v < 0));
    if (v == 0) return ref_bits(soft_zero(f, signbit(v)));
    struct ref_want w = {.kind = REF_NEAR, .fmt = f, .value = v, .tol = tol};
    double smallest = ldexp(1, soft_emin(f));
    uint64_t f64 = 0;
    __builtin_memcpy(&f64, &v, sizeof f64);
    w.bits = w.alt = soft_encode(f, soft_decode(&soft_f64, f64), SOFT_RN);
    /* Past the largest number plus half an ulp a result is infinite; the approximation may cross that line early. */
    double largest = soft_double(soft_decode(f, soft_max(f, false))), line = largest + ulp(f, largest) / 2;
    if (fabs(v) - tol > line) return ref_bits(soft_inf(f, v < 0));
    if (fabs(v) + tol > line) w.alt = soft_inf(f, v < 0);
    if (in->i->mods & IR_M_FTZ && fabs(v) - tol < smallest) {
        /* Wholly below the normal range: zero. Across its border: either. */
        w.alt = soft_zero(f, v < 0);
        if (fabs(v) + tol < smallest) return ref_bits(w.alt);
    }
    return w;
}
static struct ref_want near_ulps(const struct ref_in *in, double v, double ulps) {
    const struct soft_fmt *f = ref_fmt(in->row->d[0]);
    return near(in, f, v, isfinite(v) ? ulps * ulp(f, v) : 0);
}
static struct ref_want near_relative(const struct ref_in *in, double v, double error) {
    const struct soft_fmt *f = ref_fmt(in->row->d[0]);
    if (!isfinite(v)) return near(in, f, v, 0);
    return near(in, f, v, fmax(fabs(v) * error, fabs(v) < ldexp(1, soft_emin(f)) ? ulp(f, 0) : 0));
}

static double source(const struct ref_in *in, int k) {
    return soft_double(ref_float(in, k, 0));
}

void ref_div_full(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = near_ulps(in, source(in, 0) / source(in, 1), 2);
}

/* a * (1/b): 2 ulp while 1/b is normal; for |b| above 2^126 that factor is 0. Below 2^-126 (no .ftz) 1/b may
 * already be infinite, which the ISA leaves open. */
void ref_div_approx(const struct ref_in *in, struct ref_out *out) {
    double a = source(in, 0), b = source(in, 1);
    out->w[0] = near_ulps(in, a / b, 2);
    if (isfinite(b) && fabs(b) > 0x1p126) {
        out->w[0] = ref_either(soft_zero(&soft_f32, false), soft_zero(&soft_f32, true));
        if (isinf(a) || isnan(a)) out->w[0] = ref_bits(soft_nan(&soft_f32));
    } else if (b != 0 && fabs(b) < 0x1p-126) {
        bool negative = !!signbit(a) != !!signbit(b);
        out->w[0].alt = a == 0     ? soft_nan(&soft_f32)
                        : isnan(a) ? out->w[0].alt
                                   : soft_inf(&soft_f32, negative);
    }
}

void ref_rcp_approx(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = near_ulps(in, 1 / source(in, 0), 1);
}
/* "Gross": 20 bits of mantissa, the lower word of the result zero, one NaN. */
static struct ref_want gross(const struct ref_in *in, double v) {
    struct ref_want w = near_relative(in, v, 0x1p-20);
    w.zeros = 0xffffffffu;
    if (w.kind == REF_NAN) w = ref_bits(0x7fffffff00000000u);
    return w;
}
void ref_rcp_approx_f64(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = gross(in, 1 / source(in, 0));
}
void ref_sqrt_approx(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = near_relative(in, sqrt(source(in, 0)), 0x1p-23);
}
void ref_rsqrt_approx(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = near_relative(in, 1 / sqrt(source(in, 0)), 0x1p-22 * 0.5359); /* 2^-22.9 */
}
void ref_rsqrt_approx_f64(const struct ref_in *in, struct ref_out *out) {
    double v = 1 / sqrt(source(in, 0)); /* two roundings: within 1.5 ulp itself */
    out->w[0] = in->i->mods & IR_M_FTZ ? gross(in, v) : near_ulps(in, v, 3);
}

/* 2^-20.5 within [-2pi, 2pi], 2^-14.7 within [-100pi, 100pi]; beyond, only that it is a sine. */
static struct ref_want trig(const struct ref_in *in, double x, double v) {
    double tol = fabs(x) <= 2 * M_PI ? 0x1p-20 * 0.70710678 : fabs(x) <= 100 * M_PI ? 0x1p-14 * 0.61557 : 0;
    if (!isfinite(x)) return near(in, &soft_f32, (double)NAN, 0);
    if (tol == 0) return (struct ref_want){.kind = REF_NEAR, .fmt = &soft_f32, .tol = 1, .bound = true};
    return near(in, &soft_f32, v, tol);
}
void ref_sin(const struct ref_in *in, struct ref_out *out) {
    double x = source(in, 0);
    out->w[0] = trig(in, x, sin(x));
}
void ref_cos(const struct ref_in *in, struct ref_out *out) {
    double x = source(in, 0);
    out->w[0] = trig(in, x, cos(x));
    if (fabs(x) < 0x1p-126) out->w[0] = ref_bits(soft_encode(&soft_f32, soft_int(1), SOFT_RN));
}

/* 2^-22 absolute in (0.5, 2), relative elsewhere. */
void ref_lg2(const struct ref_in *in, struct ref_out *out) {
    double x = source(in, 0), v = log2(x);
    bool near_one = x > 0.5 && x < 2;
    out->w[0] = near_one && v != 0 ? near(in, &soft_f32, v, 0x1p-22) : near_relative(in, v, 0x1p-22);
}

typedef struct ref_want approx_fn(const struct ref_in *in, double x);
static void each_half(const struct ref_in *in, struct ref_out *out, approx_fn *fn) {
    out->split = ref_two_parts(in->row->d[0]);
    for (int half = 0; half <= (int)out->split; half++)
        out->w[half] = fn(in, soft_double(ref_float(in, 0, half)));
}

static struct ref_want exp2_near(const struct ref_in *in, double x) {
    const struct soft_fmt *f = ref_fmt(in->row->d[0]);
    double v = exp2(x);
    double error = f == &soft_f16 ? 0x1p-9 * 0.5359 : 0x1p-7; /* f16: 2^-9.9 */
    struct ref_want w = f == &soft_f32 ? near_ulps(in, v, 2) : near_relative(in, v, error);
    if (fabs(x) < 0x1p-126) return ref_bits(soft_encode(f, soft_int(1), SOFT_RN));
    if (w.kind != REF_NEAR) return w;
    /* ex2.approx of bf16 exists in PTX only with .ftz, which the row does not spell out: its results may flush. */
    if (f == &soft_bf16 && v < 0x1p-126) w.alt = 0;
    if (v < ulp(f, 0)) w.alt = 0;
    return w;
}
void ref_ex2(const struct ref_in *in, struct ref_out *out) {
    each_half(in, out, exp2_near);
}

/* Relative 2^-11 for f32; absolute 2^-10.987 for f16, 2^-8 for bf16; a subnormal is its own tanh. */
static struct ref_want tanh_near(const struct ref_in *in, double x) {
    const struct soft_fmt *f = ref_fmt(in->row->d[0]);
    double v = tanh(x);
    if (isinf(x)) return ref_bits(soft_encode(f, soft_int(x < 0 ? -1 : 1), SOFT_RN));
    if (f == &soft_f32) return near_relative(in, v, 0x1p-11);
    return near(in, f, v, f == &soft_f16 ? 0x1p-11 * 1.00905 : 0x1p-8);
}
void ref_tanh(const struct ref_in *in, struct ref_out *out) {
    each_half(in, out, tanh_near);
}
