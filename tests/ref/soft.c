/* The arithmetic is that of the schoolbook: align, add; multiply; long division; digit-by-digit root. Room in
 * a 128-bit significand: a product of two doubles has 106 bits; sums are aligned at bit 124, so that a bit
 * shifted out is at least 18 places below the product's last one and can only matter as "not exactly zero". */
#include "soft.h"

#include <math.h>

const struct soft_fmt soft_f16 = {11, 5}, soft_bf16 = {8, 8}, soft_f32 = {24, 8}, soft_f64 = {53, 11},
                      soft_tf32 = {11, 8};

enum { TOP = 124 }; /* where sums are aligned */

static int bias(const struct soft_fmt *f) {
    return (1 << (f->ebits - 1)) - 1;
}
int soft_emin(const struct soft_fmt *f) {
    return 1 - bias(f);
}
int soft_bits(const struct soft_fmt *f) {
    return f->p + f->ebits;
}
static uint64_t low(int n) {
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}
static uint64_t with_sign(const struct soft_fmt *f, bool neg, uint64_t magnitude) {
    return neg ? magnitude | (uint64_t)1 << (soft_bits(f) - 1) : magnitude;
}
uint64_t soft_zero(const struct soft_fmt *f, bool neg) {
    return with_sign(f, neg, 0);
}
uint64_t soft_inf(const struct soft_fmt *f, bool neg) {
    return with_sign(f, neg, low(f->ebits) << (f->p - 1));
}
uint64_t soft_max(const struct soft_fmt *f, bool neg) {
    return soft_inf(f, neg) - 1;
}
uint64_t soft_min_normal(const struct soft_fmt *f, bool neg) {
    return with_sign(f, neg, (uint64_t)1 << (f->p - 1));
}
uint64_t soft_nan(const struct soft_fmt *f) {
    return low(soft_bits(f) - 1);
}
bool soft_is_subnormal(const struct soft_fmt *f, uint64_t bits) {
    uint64_t magnitude = bits & low(soft_bits(f) - 1);
    return magnitude != 0 && magnitude < soft_min_normal(f, false);
}

static int msb(u128 m) {
    int n = -1;
    for (; m >> 16; m >>= 16) n += 16;
    for (; m; m >>= 1) n++;
    return n;
}

struct soft soft_decode(const struct soft_fmt *f, uint64_t bits) {
    bool neg = bits >> (soft_bits(f) - 1) & 1;
    uint64_t exponent = bits >> (f->p - 1) & low(f->ebits), fraction = bits & low(f->p - 1);
    if (exponent == low(f->ebits)) return (struct soft){fraction ? SOFT_NAN : SOFT_INF, neg, 0, 0};
    if (exponent == 0 && fraction == 0) return (struct soft){SOFT_ZERO, neg, 0, 0};
    if (exponent == 0) return (struct soft){SOFT_FINITE, neg, soft_emin(f) - (f->p - 1), fraction};
    int e = (int)exponent - bias(f) - (f->p - 1);
    return (struct soft){SOFT_FINITE, neg, e, fraction | (uint64_t)1 << (f->p - 1)};
}

struct soft soft_int(i128 v) {
    if (v == 0) return (struct soft){SOFT_ZERO, false, 0, 0};
    return (struct soft){SOFT_FINITE, v < 0, 0, v < 0 ? -(u128)v : (u128)v};
}

int soft_exponent(struct soft a) {
    return a.e + msb(a.m);
}

/* m / 2^drop as an integer, rounded; m is not 0. */
static u128 round_at(u128 m, int drop, bool neg, enum soft_round r) {
    if (drop <= 0) return m << -drop;
    if (drop > 126) m = 1, drop = 126; /* far below one half, but not nothing */
    u128 q = m >> drop, rest = m & (((u128)1 << drop) - 1), half = (u128)1 << (drop - 1);
    bool up = false;
    switch (r) {
    case SOFT_RN: up = rest > half || (rest == half && (q & 1)); break;
    case SOFT_RZ: up = false; break;
    case SOFT_RM: up = neg && rest; break;
    case SOFT_RP: up = !neg && rest; break;
    case SOFT_RNA: up = rest >= half; break;
    }
    return q + up;
}

static uint64_t overflow(const struct soft_fmt *f, bool neg, enum soft_round r) {
    bool to_inf = r == SOFT_RN || r == SOFT_RNA || (r == SOFT_RM && neg) || (r == SOFT_RP && !neg);
    return to_inf ? soft_inf(f, neg) : soft_max(f, neg);
}

uint64_t soft_encode(const struct soft_fmt *f, struct soft v, enum soft_round r) {
    if (v.cls == SOFT_NAN) return soft_nan(f);
    if (v.cls == SOFT_INF) return soft_inf(f, v.neg);
    if (v.cls == SOFT_ZERO) return soft_zero(f, v.neg);
    int exponent = soft_exponent(v);
    if (exponent < soft_emin(f)) exponent = soft_emin(f);
    int last = exponent - (f->p - 1); /* weight of the last place */
    u128 q = round_at(v.m, last - v.e, v.neg, r);
    if (q >> f->p) q >>= 1, exponent++;
    if (exponent > bias(f)) return overflow(f, v.neg, r);
    if (!(q >> (f->p - 1))) return with_sign(f, v.neg, (uint64_t)q);
    uint64_t fraction = (uint64_t)q & low(f->p - 1);
    return with_sign(f, v.neg, (uint64_t)(exponent + bias(f)) << (f->p - 1) | fraction);
}

static const struct soft not_a_number = {SOFT_NAN, false, 0, 0};

struct soft soft_neg(struct soft a) {
    a.neg = !a.neg;
    return a;
}

static u128 shift_right_sticky(u128 m, int n) {
    if (n == 0) return m;
    if (n > 127) return 1;
    return m >> n | ((m & (((u128)1 << n) - 1)) != 0);
}

/* a and b finite: aligned so that the larger exponent's top bit is TOP, then added as signed numbers. */
static struct soft add_finite(struct soft a, struct soft b, enum soft_round r) {
    if (soft_exponent(a) < soft_exponent(b)) {
        struct soft t = a;
        a = b;
        b = t;
    }
    int distance = soft_exponent(a) - soft_exponent(b), shift = TOP - msb(a.m);
    i128 big = (i128)(a.m << shift);
    i128 small = (i128)shift_right_sticky(b.m << (TOP - msb(b.m)), distance);
    i128 sum = (a.neg ? -big : big) + (b.neg ? -small : small);
    if (sum == 0) return (struct soft){SOFT_ZERO, r == SOFT_RM, 0, 0};
    return (struct soft){SOFT_FINITE, sum < 0, a.e - shift, (u128)(sum < 0 ? -sum : sum)};
}

struct soft soft_add(struct soft a, struct soft b, enum soft_round r) {
    if (a.cls == SOFT_NAN || b.cls == SOFT_NAN) return not_a_number;
    if (a.cls == SOFT_INF && b.cls == SOFT_INF) return a.neg == b.neg ? a : not_a_number;
    if (a.cls == SOFT_INF) return a;
    if (b.cls == SOFT_INF) return b;
    if (a.cls == SOFT_ZERO && b.cls == SOFT_ZERO) {
        a.neg = a.neg == b.neg ? a.neg : r == SOFT_RM;
        return a;
    }
    if (a.cls == SOFT_ZERO) return b;
    if (b.cls == SOFT_ZERO) return a;
    return add_finite(a, b, r);
}

struct soft soft_mul(struct soft a, struct soft b) {
    bool neg = a.neg != b.neg;
    if (a.cls == SOFT_NAN || b.cls == SOFT_NAN) return not_a_number;
    if (a.cls == SOFT_INF || b.cls == SOFT_INF)
        return a.cls == SOFT_ZERO || b.cls == SOFT_ZERO ? not_a_number : (struct soft){SOFT_INF, neg, 0, 0};
    if (a.cls == SOFT_ZERO || b.cls == SOFT_ZERO) return (struct soft){SOFT_ZERO, neg, 0, 0};
    return (struct soft){SOFT_FINITE, neg, a.e + b.e, a.m * b.m};
}

struct soft soft_div(struct soft a, struct soft b) {
    bool neg = a.neg != b.neg;
    if (a.cls == SOFT_NAN || b.cls == SOFT_NAN) return not_a_number;
    if (a.cls == b.cls && a.cls != SOFT_FINITE) return not_a_number; /* 0/0, inf/inf */
    if (a.cls == SOFT_INF || b.cls == SOFT_ZERO) return (struct soft){SOFT_INF, neg, 0, 0};
    if (a.cls == SOFT_ZERO || b.cls == SOFT_INF) return (struct soft){SOFT_ZERO, neg, 0, 0};
    int shift = TOP - msb(a.m);
    u128 n = a.m << shift;
    return (struct soft){SOFT_FINITE, neg, a.e - shift - b.e, n / b.m | (n % b.m != 0)};
}

struct soft soft_sqrt(struct soft a) {
    if (a.cls == SOFT_ZERO || a.cls == SOFT_NAN) return a;
    if (a.neg) return not_a_number;
    if (a.cls == SOFT_INF) return a;
    int shift = TOP - msb(a.m);
    if ((a.e - shift) & 1) shift--;
    u128 rest = a.m << shift, root = 0;
    for (u128 bit = (u128)1 << 124; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    /* One more place holds the sticky bit: the root itself has only 63. */
    return (struct soft){SOFT_FINITE, false, (a.e - shift) / 2 - 1, root << 1 | (rest != 0)};
}

struct soft soft_rint(struct soft a, enum soft_round r) {
    if (a.cls != SOFT_FINITE || a.e >= 0) return a;
    u128 q = round_at(a.m, -a.e, a.neg, r);
    return q ? (struct soft){SOFT_FINITE, a.neg, 0, q} : (struct soft){SOFT_ZERO, a.neg, 0, 0};
}

static enum soft_order compare_magnitude(struct soft a, struct soft b) {
    if (soft_exponent(a) != soft_exponent(b))
        return soft_exponent(a) < soft_exponent(b) ? SOFT_LESS : SOFT_GREATER;
    u128 x = a.m << (TOP - msb(a.m)), y = b.m << (TOP - msb(b.m));
    return x < y ? SOFT_LESS : x > y ? SOFT_GREATER : SOFT_EQUAL;
}

enum soft_order soft_compare(struct soft a, struct soft b) {
    if (a.cls == SOFT_NAN || b.cls == SOFT_NAN) return SOFT_UNORDERED;
    if (a.cls == SOFT_ZERO && b.cls == SOFT_ZERO) return SOFT_EQUAL;
    if (a.cls == SOFT_ZERO) return b.neg ? SOFT_GREATER : SOFT_LESS;
    if (b.cls == SOFT_ZERO) return a.neg ? SOFT_LESS : SOFT_GREATER;
    if (a.neg != b.neg) return a.neg ? SOFT_LESS : SOFT_GREATER;
    enum soft_order magnitude = SOFT_EQUAL;
    if (a.cls == SOFT_INF || b.cls == SOFT_INF)
        magnitude = a.cls == b.cls ? SOFT_EQUAL : a.cls == SOFT_INF ? SOFT_GREATER : SOFT_LESS;
    else
        magnitude = compare_magnitude(a, b);
    return a.neg ? (enum soft_order) - (int)magnitude : magnitude;
}

double soft_double(struct soft a) {
    double magnitude = 0;
    switch (a.cls) {
    case SOFT_ZERO: magnitude = 0; break;
    case SOFT_FINITE: magnitude = ldexp((double)a.m, a.e); break;
    case SOFT_INF: magnitude = INFINITY; break;
    case SOFT_NAN: magnitude = (double)NAN; break;
    }
    return a.neg ? -magnitude : magnitude;
}
