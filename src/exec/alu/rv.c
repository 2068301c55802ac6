/* Floating point of RISC-V: five rounding modes, flags that accrue in fcsr, f32 boxed in 64 bits, one NaN.
 *
 * The host computes: its rounding mode is set, a row is computed by a loop that becomes vectors, and its flags are read once.
 * What they tell of is not which lane raised them. If every lane has those flags already, as all do that have once rounded
 * a result, nothing more is to be done; else, or where a result is NaN, lanes are computed again one by one. Lanes that do
 * not run compute with 1, which raises nothing. Hosts set flags for f32 and f64 as RISC-V wants, with two exceptions. The
 * product of infinity and zero in a fused operation is invalid even if a quiet NaN is added. RISC-V detects tininess after
 * rounding, as x86 does; other hosts, aarch64 among them, do so before. The two differ only where the result is the smallest
 * normal number and inexact: there the operation is done again at a scale at which nothing underflows.
 *
 * Rounding to nearest with ties away from zero differs from ties to even only where a result is inexact; then the operation
 * is done again, cut off after the 64 or more bits of a long double, and rounded here. A halfway point has fewer bits, so
 * what was cut off cannot have been one.
 *
 * Conversions from integers and to them, comparisons, minima and signs are integer arithmetic. */
/* Before math.h, whose NAN is a macro. */
#include "exec/alu/rv.h"

#include <float.h>
#include <math.h>

/* ---- loops: all lanes, or one ---- */

/* Operands, and results in d; doubles or floats. */
struct rows {
    _Alignas(64) double a[EXEC_LANES], b[EXEC_LANES], c[EXEC_LANES], d[EXEC_LANES];
};
typedef void loop_fn(struct rows *r);

#define LOOPS(name, D, T, expr)                                                                  \
    static inline __attribute__((always_inline)) void name##_lanes(struct rows *r, uint32_t n) { \
        const T *restrict a = (const T *)r->a, *restrict b = (const T *)r->b;                    \
        const T *restrict c = (const T *)r->c;                                                   \
        D *restrict d = (D *)r->d;                                                               \
        (void)b, (void)c;                                                                        \
        for (uint32_t l = 0; l < n; l++) d[l] = (D)(expr);                                       \
    }                                                                                            \
    static __attribute__((noinline)) void name##_all(struct rows *r) {                           \
        name##_lanes(r, EXEC_LANES);                                                             \
    }                                                                                            \
    static __attribute__((noinline)) void name##_one(struct rows *r) {                           \
        name##_lanes(r, 1);                                                                      \
    }
#define BOTH(name, e32, e64)           \
    LOOPS(name##32, float, float, e32) \
    LOOPS(name##64, double, double, e64)
BOTH(add, a[l] + b[l], a[l] + b[l])
BOTH(sub, a[l] - b[l], a[l] - b[l])
BOTH(mul, a[l] * b[l], a[l] * b[l])
BOTH(div, a[l] / b[l], a[l] / b[l])
BOTH(sqrt, sqrtf(a[l]), sqrt(a[l]))
BOTH(fma, fmaf(a[l], b[l], c[l]), fma(a[l], b[l], c[l]))
LOOPS(narrow, float, double, a[l])
LOOPS(widen, double, float, a[l])

struct loops {
    loop_fn *all[2], *one[2]; /* [0] f32, [1] f64: of the result */
};
#define PAIR(name)                      \
    {                                   \
        {name##32_all, name##64_all}, { \
            name##32_one, name##64_one  \
        }                               \
    }
static const struct loops loops[IR_RVF_FROM_W] = {[IR_RVF_ADD] = PAIR(add),
                                                  [IR_RVF_SUB] = PAIR(sub),
                                                  [IR_RVF_MUL] = PAIR(mul),
                                                  [IR_RVF_DIV] = PAIR(div),
                                                  [IR_RVF_SQRT] = PAIR(sqrt),
                                                  [IR_RVF_MADD] = PAIR(fma),
                                                  [IR_RVF_MSUB] = PAIR(fma),
                                                  [IR_RVF_NMSUB] = PAIR(fma),
                                                  [IR_RVF_NMADD] = PAIR(fma),
                                                  [IR_RVF_FROM_D] = {{narrow_all, NULL}, {narrow_one, NULL}},
                                                  [IR_RVF_FROM_S] = {{NULL, widen_all}, {NULL, widen_one}}};

/* libm's own fma, where the host has no such instruction, asks the other unit of x86 for the mode. */
static unsigned run_loop(loop_fn *loop, struct rows *r, unsigned mode) {
    static const int rounding[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int before = mode ? fegetround() : 0;
    if (mode) fesetround(rounding[mode]);
    const unsigned unit = unit_begin(mode);
    loop(r);
    const unsigned flags = unit_end(unit);
    if (mode) fesetround(before);
    return flags;
}

/* ---- ties away from zero ---- */

struct format {
    int p, emin;
};
static const struct format formats[2] = {{24, -126}, {53, -1022}};

/* w, of which something may have been cut off, is not exact in the format: rounds it. */
static double round_away(long double w, const struct format *f, unsigned *flags) {
    int e;
    const long double scaled = ldexpl(frexpl(fabsl(w), &e), 64);
    const uint64_t m = (uint64_t)scaled; /* |w| is m * 2^(e - 64), and 2^63 <= m */
    const int least = f->emin - f->p + 1, lsb = e - f->p > least ? e - f->p : least, drop = lsb - (e - 64);
    const uint64_t kept = drop < 64 ? m >> drop : 0, half = drop <= 64 ? m >> (drop - 1) & 1 : 0;
    const uint64_t full = (m >> (64 - f->p)) + (m >> (63 - f->p) & 1); /* were the exponent without bound */
    const double r = ldexp((double)(kept + half), lsb), most = f->p == 24 ? FLT_MAX : DBL_MAX;
    *flags |= NX;
    if (e - 1 + (int)(full >> f->p) < f->emin) *flags |= UF;
    if (r > most) *flags |= OF;
    return copysign(r > most ? (double)INFINITY : r, (double)w);
}

static long double exactly(uint8_t what, long double a, long double b, long double c) {
    switch (what) {
    case IR_RVF_ADD: return a + b;
    case IR_RVF_SUB: return a - b;
    case IR_RVF_MUL: return a * b;
    case IR_RVF_DIV: return a / b;
    case IR_RVF_SQRT: return sqrtl(a);
    case IR_RVF_FROM_D: return a;
    default: return fmal(a, b, c);
    }
}

static double away(uint8_t what, bool wide, const struct rows *r, unsigned *flags) {
    const bool from_wide = wide || what == IR_RVF_FROM_D;
    const volatile long double a = from_wide ? r->a[0] : *(const float *)r->a;
    const volatile long double b = from_wide ? r->b[0] : *(const float *)r->b;
    const volatile long double c = from_wide ? r->c[0] : *(const float *)r->c;
    const int before = fegetround();
    fesetround(FE_TOWARDZERO);
    const volatile long double w = exactly(what, a, b, c);
    fesetround(before);
    return round_away(w, &formats[wide], flags);
}

/* ---- a row ---- */

static uint32_t unbox(uint64_t v) {
    return v >= BOX ? (uint32_t)v : NAN32;
}

static uint64_t sign_of(bool wide) {
    return wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
}

static bool source_wide(const struct job *j) {
    return j->wide ? j->i->sub != IR_RVF_FROM_S : j->i->sub == IR_RVF_FROM_D;
}

/* The sign that a fused operation turns in source k. */
static uint64_t turned(const struct job *j, int k) {
    const uint8_t what = j->i->sub;
    const bool turn = (k == 0 && (what == IR_RVF_NMSUB || what == IR_RVF_NMADD)) ||
                      (k == 2 && (what == IR_RVF_MSUB || what == IR_RVF_NMADD));
    return turn ? sign_of(source_wide(j)) : 0;
}

/* Source k of a lane as bits of its own format, with the sign that a fused operation gives it. */
static uint64_t rv_source(const struct job *j, int k, uint32_t lane) {
    const uint64_t v = j->s[k][lane];
    return (source_wide(j) ? v : unbox(v)) ^ turned(j, k);
}

static void put_source(double *row, bool wide, uint32_t at, uint64_t bits) {
    if (wide)
        row[at] = f64_from(bits);
    else
        ((float *)row)[at] = f32_from((uint32_t)bits);
}

/* A row of operands; lanes that do not run get 1. */
static void fetch64(uint64_t *restrict to, const uint64_t *restrict from, uint64_t sign, uint64_t mask) {
    ALU_EACH(l) to[l] = mask & alu_bit64[l] ? from[l] ^ sign : UINT64_C(0x3ff) << 52;
}
static void fetch32(uint32_t *restrict to, const uint64_t *restrict from, uint32_t sign, uint32_t mask) {
    ALU_EACH(l) {
        const uint32_t v = from[l] >> 32 == 0xffffffffu ? (uint32_t)from[l] : NAN32;
        to[l] = mask & alu_bit32[l] ? v ^ sign : 0x3f800000u;
    }
}

static void rv_fetch(const struct job *j, struct rows *r, uint32_t mask) {
    double *const to[3] = {r->a, r->b, r->c};
    const bool wide = source_wide(j);
    for (int k = 0; k < j->i->ns; k++) {
        if (wide)
            fetch64((uint64_t *)to[k], j->s[k], turned(j, k), mask);
        else
            fetch32((uint32_t *)to[k], j->s[k], (uint32_t)turned(j, k), mask);
    }
}

/* Results that are no NaN, to the lanes that run. */
static void leave64(uint64_t *restrict d, const uint64_t *restrict r, uint64_t mask) {
    ALU_EACH(l) d[l] = mask & alu_bit64[l] ? r[l] : d[l];
}
static void leave32(uint64_t *restrict d, const uint32_t *restrict r, uint64_t mask) {
    ALU_EACH(l) d[l] = mask & alu_bit64[l] ? BOX | r[l] : d[l];
}

static bool any_nan64(const uint64_t *restrict r) {
    uint64_t found = 0;
    ALU_EACH(l) found |= (UINT64_C(0x7ff) << 52) - (r[l] & ~(UINT64_C(1) << 63));
    return found >> 63;
}
static bool any_nan32(const uint32_t *restrict r) {
    uint32_t found = 0;
    ALU_EACH(l) found |= 0x7f800000u - (r[l] & 0x7fffffffu);
    return found >> 31;
}

/* Flags that all lanes of mask have. */
static uint64_t common_flags(const uint64_t *restrict fcsr, uint64_t mask) {
    uint64_t missing = 0;
    ALU_EACH(l) missing |= mask & alu_bit64[l] ? ~fcsr[l] : 0;
    return ~missing;
}

static uint64_t result_bits(const struct job *j, const struct rows *r, uint32_t at) {
    if (j->wide) return r->d[at] != r->d[at] ? NAN64 : f64_bits(r->d[at]);
    const float f = ((const float *)r->d)[at];
    return BOX | (f != f ? NAN32 : f32_bits(f));
}

static bool is_nan(const struct job *j, const struct rows *r, uint32_t at) {
    const float f = ((const float *)r->d)[at];
    return j->wide ? r->d[at] != r->d[at] : f != f;
}

/* Infinity times zero, whatever is added. */
static bool invalid_product(const struct job *j, const struct rows *r) {
    if (loops[j->i->sub].one[j->wide] != (j->wide ? fma64_one : fma32_one)) return false;
    const double a = j->wide ? r->a[0] : *(const float *)r->a, b = j->wide ? r->b[0] : *(const float *)r->b;
    return (isinf(a) && b == 0) || (a == 0 && isinf(b));
}

/* ---- underflow ---- */

static double rv_value(const double *row, bool wide) {
    return wide ? row[0] : (double)*(const float *)row;
}

/* Exact for numbers that underflow could come of: they and their sums lie far below 1. */
static void rv_scale(double *row, bool wide) {
    if (wide)
        row[0] *= 0x1p64;
    else
        *(float *)row *= 0x1p64f;
}

static bool is_smallest_normal(const struct job *j, const struct rows *r) {
    return fabs(rv_value(r->d, j->wide)) == (j->wide ? DBL_MIN : (double)FLT_MIN);
}

/* Whether the result would be below the smallest normal number if exponents had no bound. Sums and roots never are inexact there. */
static bool tiny_after_rounding(const struct job *j, const struct rows *r, unsigned mode) {
    const uint8_t what = j->i->sub;
    const bool wide = source_wide(j), fused = what >= IR_RVF_MADD && what <= IR_RVF_NMADD;
    struct rows s;
    s.a[0] = r->a[0], s.b[0] = r->b[0], s.c[0] = r->c[0];
    const bool second =
        (fused || what == IR_RVF_MUL) && fabs(rv_value(s.b, wide)) < fabs(rv_value(s.a, wide));
    rv_scale(second ? s.b : s.a, wide);
    if (fused) rv_scale(s.c, wide);
    run_loop(loops[what].one[j->wide], &s, mode);
    return fabs(rv_value(s.d, j->wide)) < (j->wide ? DBL_MIN : (double)FLT_MIN) * 0x1p64;
}

/* ---- lanes, rows ---- */

static void run_lane(const struct job *j, uint32_t lane, unsigned mode) {
    struct rows r;
    const bool wide = source_wide(j);
    double *const to[3] = {r.a, r.b, r.c};
    for (int k = 0; k < 3; k++) put_source(to[k], wide, 0, k < j->i->ns ? rv_source(j, k, lane) : 0);
    unsigned flags = run_loop(loops[j->i->sub].one[j->wide], &r, mode == RMM ? RNE : mode);
    if (is_nan(j, &r, 0) && invalid_product(j, &r)) flags |= NV;
    if (flags & NX && mode != RMM && is_smallest_normal(j, &r))
        flags = (flags & ~(unsigned)UF) | (tiny_after_rounding(j, &r, mode) ? UF : 0u);
    if (mode == RMM && flags & NX) {
        flags = 0;
        const double v = away(j->i->sub, j->wide, &r, &flags);
        if (j->wide)
            r.d[0] = v;
        else
            *(float *)r.d = (float)v;
    }
    j->d[lane] = result_bits(j, &r, 0);
    j->fcsr[lane] |= flags;
}

static void run_lanes(const struct job *j, uint32_t mask, unsigned mode) {
    FOR_LANES(l, mask) run_lane(j, l, mode);
}

static void run_row(const struct job *j, uint32_t mask, unsigned mode) {
    struct rows r;
    rv_fetch(j, &r, mask);
    const unsigned flags = run_loop(loops[j->i->sub].all[j->wide], &r, mode);
    const bool nan = j->wide ? any_nan64((const uint64_t *)r.d) : any_nan32((const uint32_t *)r.d);
    if (nan || flags & ~common_flags(j->fcsr, mask))
        run_lanes(j, mask, mode);
    else if (j->wide)
        leave64(j->d, (const uint64_t *)r.d, mask);
    else
        leave32(j->d, (const uint32_t *)r.d, mask);
}

/* ---- from and to integers ---- */

static bool rounds_up(unsigned mode, bool negative, bool odd, bool half, bool more) {
    switch (mode) {
    case RNE: return half && (more || odd);
    case RTZ: return false;
    case RDN: return negative && (half || more);
    case RUP: return !negative && (half || more);
    default: return half;
    }
}

/* A magnitude, rounded to the format. */
static uint64_t from_integer(uint64_t m, bool negative, bool wide, unsigned mode, unsigned *flags) {
    const int p = formats[wide].p, bias = wide ? 1023 : 127;
    const uint64_t sign = negative ? sign_of(wide) : 0;
    if (!m) return sign;
    const int top = 63 - __builtin_clzll(m), drop = top - (p - 1);
    uint64_t kept = drop > 0 ? m >> drop : m << -drop;
    if (drop > 0) {
        const uint64_t lost = m << (64 - drop);
        const bool half = lost >> 63, more = lost << 1;
        kept += rounds_up(mode, negative, kept & 1, half, more);
        if (lost) *flags |= NX;
    }
    /* A carry out of the significand adds one to the exponent, as it should. */
    return sign | (((uint64_t)(top + bias) << (p - 1)) + (kept - (UINT64_C(1) << (p - 1))));
}

static uint64_t from_lane(uint8_t what, bool wide, uint64_t v, unsigned mode, unsigned *flags) {
    const int64_t s = what == IR_RVF_FROM_W ? (int32_t)v : (int64_t)v;
    const bool negative = (what == IR_RVF_FROM_W || what == IR_RVF_FROM_L) && s < 0;
    if (what == IR_RVF_FROM_WU) v = (uint32_t)v;
    const uint64_t bits = from_integer(negative                ? 0 - (uint64_t)s
                                       : what == IR_RVF_FROM_W ? (uint64_t)s
                                                               : v,
                                       negative, wide, mode, flags);
    return wide ? bits : BOX | bits;
}

struct limits {
    double low, high; /* what is at or below low - 1, or at or above high, does not fit */
    uint64_t least, most;
};
static const struct limits limits[4] = {{-0x1p31, 0x1p31, (uint64_t)INT32_MIN, INT32_MAX},
                                        {0, 0x1p32, 0, (uint64_t)-1},
                                        {-0x1p63, 0x1p63, (uint64_t)INT64_MIN, INT64_MAX},
                                        {0, 0x1p64, 0, (uint64_t)-1}};

static double integral(double v, unsigned mode) {
    switch (mode) {
    case RNE: return nearbyint(v);
    case RTZ: return trunc(v);
    case RDN: return floor(v);
    case RUP: return ceil(v);
    default: return round(v);
    }
}

static uint64_t to_lane(uint8_t what, double v, unsigned mode, unsigned *flags) {
    const struct limits *k = &limits[what - IR_RVF_TO_W];
    const double r = v != v ? v : integral(v, mode);
    if (!(r >= k->low && r < k->high)) {
        *flags |= NV;
        return r < k->low ? k->least : k->most;
    }
    if (r != v) *flags |= NX;
    switch (what) {
    case IR_RVF_TO_WU: return (uint64_t)(int32_t)(uint32_t)r;
    case IR_RVF_TO_LU: return (uint64_t)r;
    default: return (uint64_t)(int64_t)r;
    }
}

static void rv_convert(const struct job *j, uint32_t mask, unsigned mode) {
    const uint8_t what = j->i->sub;
    FOR_LANES(l, mask) {
        const uint64_t v = j->s[0][l];
        unsigned flags = 0;
        if (what >= IR_RVF_TO_W)
            j->d[l] = to_lane(what, j->wide ? f64_from(v) : (double)f32_from(unbox(v)), mode, &flags);
        else
            j->d[l] = from_lane(what, j->wide, v, mode, &flags);
        j->fcsr[l] |= flags;
    }
}

/* ---- bits, comparisons ---- */

static bool signals(uint64_t v, bool wide) {
    return wide ? (v & NAN64) == UINT64_C(0x7ff) << 52 && v << 12
                : (v & NAN32) == 0x7f800000u && v & 0x3fffff;
}

static uint64_t classify(uint64_t v, bool wide) {
    const int frac = wide ? 52 : 23, ones = wide ? 0x7ff : 0xff;
    const uint64_t low = v & ((UINT64_C(1) << frac) - 1), e = v >> frac & (uint64_t)ones;
    const bool negative = v & sign_of(wide);
    if (e == (uint64_t)ones && low) return signals(v, wide) ? 1 << 8 : 1 << 9;
    const int size = e == (uint64_t)ones ? 3 : e ? 2 : low ? 1 : 0; /* zero, subnormal, normal, infinite */
    return negative ? UINT64_C(8) >> size : UINT64_C(16) << size;
}

/* The lesser, or greater; of two zeros, the negative one is less. */
static uint64_t extreme(uint64_t a, uint64_t b, double x, double y, bool max, bool wide) {
    if (x != x && y != y) return wide ? NAN64 : NAN32;
    if (x != x || y != y) return x != x ? b : a;
    const bool less = x < y || (x == y && a & sign_of(wide));
    return less != max ? a : b;
}

static uint64_t rv_compare(uint8_t what, double x, double y) {
    return what == IR_RVF_EQ ? x == y : what == IR_RVF_LT ? x < y : x <= y;
}

static uint64_t bits_lane(uint8_t what, bool wide, uint64_t a, uint64_t b, unsigned *flags) {
    const double x = wide ? f64_from(a) : (double)f32_from((uint32_t)a);
    const double y = wide ? f64_from(b) : (double)f32_from((uint32_t)b);
    const uint64_t sign = sign_of(wide);
    const bool nan = x != x || y != y;
    switch (what) {
    case IR_RVF_SGNJ: return (a & ~sign) | (b & sign);
    case IR_RVF_SGNJN: return (a & ~sign) | (~b & sign);
    case IR_RVF_SGNJX: return a ^ (b & sign);
    case IR_RVF_CLASS: return classify(a, wide);
    default: break;
    }
    if (signals(a, wide) || signals(b, wide) || (nan && (what == IR_RVF_LT || what == IR_RVF_LE)))
        *flags |= NV;
    if (what == IR_RVF_MIN || what == IR_RVF_MAX) return extreme(a, b, x, y, what == IR_RVF_MAX, wide);
    return rv_compare(what, x, y);
}

static void run_bits(const struct job *j, uint32_t mask) {
    const uint8_t what = j->i->sub;
    const bool boxed = !j->wide && what <= IR_RVF_MAX;
    FOR_LANES(l, mask) {
        const uint64_t a = j->s[0][l], b = j->s[1][l];
        unsigned flags = 0;
        if (what == IR_RVF_MV_X)
            j->d[l] = j->wide ? a : (uint64_t)(int32_t)a;
        else if (what == IR_RVF_MV_F)
            j->d[l] = j->wide ? a : BOX | (uint32_t)a;
        else
            j->d[l] = (boxed ? BOX : 0) |
                      bits_lane(what, j->wide, j->wide ? a : unbox(a), j->wide ? b : unbox(b), &flags);
        j->fcsr[l] |= flags;
    }
}

/* ---- the executor ---- */

static void run_mode(const struct job *j, uint32_t mask, unsigned mode) {
    if (j->i->sub >= IR_RVF_FROM_W)
        rv_convert(j, mask, mode);
    else if (mode == RMM)
        run_lanes(j, mask, mode);
    else
        run_row(j, mask, mode);
}

static uint32_t same_mode(const uint64_t *restrict fcsr, uint64_t mode) {
    uint32_t bits;
    ALU_MASK(uint64_t, bits, l, (fcsr[l] >> 5 & 7) == mode);
    return bits;
}

/* Lanes whose fcsr has the same rounding mode go together. */
static void run_dynamic(struct exec_ctx *x, const struct job *j, uint32_t mask) {
    while (mask) {
        const unsigned mode = j->fcsr[__builtin_ctz(mask)] >> 5 & 7;
        uint32_t same = same_mode(j->fcsr, mode) & mask;
        if (mode > RMM) {
            exec_note(x->warp, j->i, (uint32_t)__builtin_ctz(mask), EXEC_F_TRAP,
                      "illegal instruction: fcsr has no rounding mode %u", mode);
            return;
        }
        run_mode(j, same, mode);
        mask &= ~same;
    }
}

void ALU_NAME(alu_rv_fp)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct job j = {.i = i, .d = exec_row64(x, i->o[0]), .fcsr = x->r64[0] + (size_t)IR_RV_FCSR * EXEC_LANES};
    j.wide = i->op == IR_RV_FP64 || i->op == IR_RV_FDIV64 || i->op == IR_RV_FCVT64 || i->op == IR_RV_FBITS64;
    for (int k = 0; k < 3; k++) j.s[k] = exec_row64(x, i->o[k < i->ns ? 1 + k : 1]);
    if (!(mask = ALU_NAME(alu_rv_row)(&j, mask))) return;
    if (i->op == IR_RV_FBITS32 || i->op == IR_RV_FBITS64)
        run_bits(&j, mask);
    else if (i->bop == DYN)
        run_dynamic(x, &j, mask);
    else
        run_mode(&j, mask, i->bop);
}
