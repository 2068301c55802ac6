/* Floating point of RISC-V against exact arithmetic on integers (soft.h): every operation, format and rounding mode on edge cases
 * and on random operands, results and flags, in both builds. Flags are found by comparing the exact value with the result,
 * and with what it would be if exponents had no bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/host.h"
#include "exec/impl.h"
#include "ref/ref.h"

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };
enum { MODES = 5 };
#define BOX (UINT64_C(0xffffffff) << 32)

/* Our rounding modes by RISC-V's numbers. */
static const enum soft_round mode_of[MODES] = {SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA};

/* ---- the reference ---- */

struct want {
    uint64_t bits; /* as the register holds it */
    unsigned flags;
};

static const struct soft_fmt *fmt_of(bool wide) {
    return wide ? &soft_f64 : &soft_f32;
}
static uint64_t nan_of(bool wide) {
    return wide ? UINT64_C(0x7ff8000000000000) : 0x7fc00000;
}
static uint64_t boxed(uint64_t bits, bool wide) {
    return wide ? bits : BOX | bits;
}
/* What an operation sees of a register. */
static uint64_t seen(uint64_t v, bool wide) {
    return wide ? v : v >= BOX ? v & 0xffffffff : nan_of(false);
}
static bool is_nan(uint64_t v, bool wide) {
    return soft_decode(fmt_of(wide), v).cls == SOFT_NAN;
}
static bool signals(uint64_t v, bool wide) {
    return is_nan(v, wide) && !(v >> (wide ? 51 : 22) & 1);
}

/* Compares two magnitudes that are not 0, whatever the width of their significands: -1, 0, 1. */
static int order(struct soft a, struct soft b) {
    while (!(a.m >> 127)) a.m <<= 1, a.e--;
    while (!(b.m >> 127)) b.m <<= 1, b.e--;
    if (a.e != b.e) return a.e < b.e ? -1 : 1;
    return a.m < b.m ? -1 : a.m > b.m;
}

/* What it is rounded to if exponents have no bounds: at a scale where the format has room. */
static struct soft unbounded(struct soft v, const struct soft_fmt *f, enum soft_round r) {
    const int by = soft_exponent(v);
    v.e -= by;
    struct soft x = soft_decode(f, soft_encode(f, v, r));
    x.e += by;
    return x;
}

static struct want rounded(struct soft v, bool wide, unsigned mode, unsigned flags) {
    const struct soft_fmt *f = fmt_of(wide);
    const enum soft_round r = mode_of[mode];
    if (v.cls == SOFT_NAN) return (struct want){boxed(nan_of(wide), wide), flags};
    const uint64_t bits = soft_encode(f, v, r);
    if (v.cls != SOFT_FINITE) return (struct want){boxed(bits, wide), flags};
    const struct soft back = soft_decode(f, bits), free_of_bounds = unbounded(v, f, r);
    if (back.cls != SOFT_FINITE || order(back, v)) {
        flags |= NX;
        if (order(free_of_bounds, soft_decode(f, soft_max(f, false))) > 0) flags |= OF;
        if (order(free_of_bounds, soft_decode(f, soft_min_normal(f, false))) < 0) flags |= UF;
    }
    return (struct want){boxed(bits, wide), flags};
}

static struct want arithmetic(uint8_t what, bool wide, const uint64_t *s, unsigned mode) {
    const struct soft_fmt *f = fmt_of(wide);
    const enum soft_round r = mode_of[mode];
    uint64_t v[3];
    unsigned flags = 0;
    for (int k = 0; k < 3; k++) v[k] = seen(s[k], wide);
    struct soft a = soft_decode(f, v[0]), b = soft_decode(f, v[1]), c = soft_decode(f, v[2]), x;
    const bool two = what != IR_RVF_SQRT, three = what >= IR_RVF_MADD && what <= IR_RVF_NMADD;
    if (signals(v[0], wide) || (two && signals(v[1], wide)) || (three && signals(v[2], wide))) flags |= NV;
    bool nan = a.cls == SOFT_NAN || (two && b.cls == SOFT_NAN) || (three && c.cls == SOFT_NAN);
    switch (what) {
    case IR_RVF_ADD: x = soft_add(a, b, r); break;
    case IR_RVF_SUB: x = soft_add(a, soft_neg(b), r); break;
    case IR_RVF_MUL: x = soft_mul(a, b); break;
    case IR_RVF_DIV:
        x = soft_div(a, b);
        if (b.cls == SOFT_ZERO && a.cls == SOFT_FINITE) flags |= DZ;
        break;
    case IR_RVF_SQRT: x = soft_sqrt(a); break;
    default: {
        if (what == IR_RVF_NMSUB || what == IR_RVF_NMADD) a = soft_neg(a);
        if (what == IR_RVF_MSUB || what == IR_RVF_NMADD) c = soft_neg(c);
        if ((a.cls == SOFT_INF && b.cls == SOFT_ZERO) || (a.cls == SOFT_ZERO && b.cls == SOFT_INF))
            flags |= NV;
        x = soft_add(soft_mul(a, b), c, r);
    }
    }
    if (x.cls == SOFT_NAN && !nan) flags |= NV;
    if (nan) x.cls = SOFT_NAN;
    return rounded(x, wide, mode, flags);
}

static struct want from_other_float(bool to_wide, uint64_t s, unsigned mode) {
    const uint64_t v = seen(s, !to_wide);
    return rounded(soft_decode(fmt_of(!to_wide), v), to_wide, mode, signals(v, !to_wide) ? NV : 0);
}

static struct want from_integer(uint8_t what, bool wide, uint64_t s, unsigned mode) {
    const i128 v = what == IR_RVF_FROM_W    ? (i128)(int32_t)s
                   : what == IR_RVF_FROM_WU ? (i128)(uint32_t)s
                   : what == IR_RVF_FROM_L  ? (i128)(int64_t)s
                                            : (i128)s;
    return rounded(soft_int(v), wide, mode, 0);
}

/* A finite value that is integral. */
static i128 integer_of(struct soft v) {
    i128 m = 0;
    if (v.cls == SOFT_FINITE) m = v.e >= 0 ? (i128)v.m << v.e : (i128)(v.m >> -v.e);
    return v.neg ? -m : m;
}

static struct want to_integer(uint8_t what, bool wide, uint64_t s, unsigned mode) {
    const bool is_signed = what == IR_RVF_TO_W || what == IR_RVF_TO_L;
    const int bits = what <= IR_RVF_TO_WU ? 32 : 64;
    const i128 low = is_signed ? -((i128)1 << (bits - 1)) : 0,
               high = ((i128)1 << (is_signed ? bits - 1 : bits)) - 1;
    const struct soft v = soft_decode(fmt_of(wide), seen(s, wide));
    const struct soft r = v.cls == SOFT_FINITE ? soft_rint(v, mode_of[mode]) : v;
    const bool huge = v.cls == SOFT_INF || (v.cls == SOFT_FINITE && soft_exponent(v) > 70);
    i128 n = v.cls == SOFT_NAN ? high : huge ? (v.neg ? low : high) : integer_of(r);
    unsigned flags = v.cls == SOFT_FINITE && !huge && soft_compare(v, r) != SOFT_EQUAL ? NX : 0;
    if (v.cls == SOFT_NAN || huge || n < low || n > high) flags = NV;
    n = n < low ? low : n > high ? high : n;
    return (struct want){bits == 32 ? (uint64_t)(int32_t)(uint32_t)n : (uint64_t)n, flags};
}

static uint64_t class_of(uint64_t v, bool wide) {
    const struct soft x = soft_decode(fmt_of(wide), v);
    const int neg[4] = {3, 1, 0, 0}, pos[4] = {4, 6, 7, 0};
    if (x.cls == SOFT_NAN) return signals(v, wide) ? 1 << 8 : 1 << 9;
    if (x.cls == SOFT_FINITE && soft_is_subnormal(fmt_of(wide), v)) return x.neg ? 1 << 2 : 1 << 5;
    return UINT64_C(1) << (x.neg ? neg : pos)[x.cls];
}

static struct want of_bits(uint8_t what, bool wide, const uint64_t *s) {
    const uint64_t a = seen(s[0], wide), b = seen(s[1], wide), sign = UINT64_C(1) << (wide ? 63 : 31);
    const struct soft x = soft_decode(fmt_of(wide), a), y = soft_decode(fmt_of(wide), b);
    const enum soft_order o = soft_compare(x, y);
    const unsigned quiet = signals(a, wide) || signals(b, wide) ? NV : 0, any = o == SOFT_UNORDERED ? NV : 0;
    switch (what) {
    case IR_RVF_SGNJ: return (struct want){boxed((a & ~sign) | (b & sign), wide), 0};
    case IR_RVF_SGNJN: return (struct want){boxed((a & ~sign) | ((b & sign) ^ sign), wide), 0};
    case IR_RVF_SGNJX: return (struct want){boxed(a ^ (b & sign), wide), 0};
    case IR_RVF_EQ: return (struct want){o == SOFT_EQUAL, quiet};
    case IR_RVF_LT: return (struct want){o == SOFT_LESS, any};
    case IR_RVF_LE: return (struct want){o == SOFT_LESS || o == SOFT_EQUAL, any};
    case IR_RVF_CLASS: return (struct want){class_of(a, wide), 0};
    case IR_RVF_MV_X: return (struct want){wide ? s[0] : (uint64_t)(int32_t)s[0], 0};
    case IR_RVF_MV_F: return (struct want){wide ? s[0] : BOX | (uint32_t)s[0], 0};
    default: break;
    }
    const bool max = what == IR_RVF_MAX, zeros = x.cls == SOFT_ZERO && y.cls == SOFT_ZERO;
    uint64_t r = o == SOFT_LESS || (zeros && x.neg) ? (max ? b : a) : max ? a : b;
    if (o == SOFT_UNORDERED) r = !is_nan(a, wide) ? a : !is_nan(b, wide) ? b : nan_of(wide);
    return (struct want){boxed(r, wide), quiet};
}

/* ---- the rig ---- */

static uint64_t rows[IR_RV_ROWS][EXEC_LANES];

static void check(struct ir_insn i, const uint64_t s[][3], uint32_t n, unsigned mode,
                  const struct want *want) {
    struct exec_ctx x = {.r64 = {rows[0], rows[0]}};
    i.nd = 1;
    for (int k = 0; k < 4; k++) i.o[k] = ir_reg(IR_FILE_64, (uint32_t)(k + 1));
    for (int build = 0; build < (host_has_avx2() ? 2 : 1); build++)
        for (int dynamic = 0; dynamic < 2; dynamic++) {
            for (uint32_t l = 0; l < EXEC_LANES; l++) {
                for (int k = 0; k < 3; k++) rows[2 + k][l] = s[l < n ? l : 0][k];
                rows[1][l] = 0x1234;
                rows[IR_RV_FCSR][l] = dynamic ? mode << 5 : 0;
            }
            i.bop = dynamic ? 7 : (uint8_t)mode;
            exec_fn *const *fns = exec_alu_portable;
#if defined(__x86_64__)
            if (build) fns = exec_alu_avx2;
#endif
            fns[i.op](&x, &i, n < 32 ? (1u << n) - 1 : ~0u);
            for (uint32_t l = 0; l < EXEC_LANES; l++) {
                const uint64_t got = rows[1][l], flags = rows[IR_RV_FCSR][l] & 0x1f;
                const struct want w = l < n ? want[l] : (struct want){0x1234, 0};
                if (got == w.bits && flags == w.flags) continue;
                fail_msg("op %s sub %u mode %u build %d: %016llx %016llx %016llx gives %016llx flags %02x, "
                         "not %016llx %02x",
                         ir_ops[i.op].id, i.sub, mode, build, (unsigned long long)s[l][0],
                         (unsigned long long)s[l][1], (unsigned long long)s[l][2], (unsigned long long)got,
                         (unsigned)flags, (unsigned long long)w.bits, w.flags);
            }
        }
}

/* Operands are gathered until a row is full. */
struct batch {
    struct ir_insn i;
    bool wide;
    unsigned mode;
    uint32_t n;
    uint64_t s[EXEC_LANES][3];
    struct want want[EXEC_LANES];
};

static struct want reference(const struct batch *b, const uint64_t *s) {
    const uint8_t what = b->i.sub;
    if (what <= IR_RVF_NMADD) return arithmetic(what, b->wide, s, b->mode);
    if (what == IR_RVF_FROM_D || what == IR_RVF_FROM_S) return from_other_float(b->wide, s[0], b->mode);
    if (what <= IR_RVF_FROM_LU) return from_integer(what, b->wide, s[0], b->mode);
    if (what <= IR_RVF_TO_LU) return to_integer(what, b->wide, s[0], b->mode);
    return of_bits(what, b->wide, s);
}

static void flush(struct batch *b) {
    if (b->n) check(b->i, (const uint64_t(*)[3])b->s, b->n, b->mode, b->want);
    b->n = 0;
}

static void add(struct batch *b, uint64_t x, uint64_t y, uint64_t z) {
    uint64_t *s = b->s[b->n];
    s[0] = x, s[1] = y, s[2] = z;
    b->want[b->n] = reference(b, s);
    if (++b->n == EXEC_LANES) flush(b);
}

/* ---- operands ---- */

struct edges {
    uint64_t v[REF_MAX_EDGES + 8];
    size_t n;
};

/* Floats as registers hold them, and of f32 some that are not boxed. */
static struct edges float_edges(bool wide, size_t most) {
    struct edges e = {.n = 0};
    e.n = ref_edges(wide ? IR_T_F64 : IR_T_F32, e.v, most);
    for (size_t k = 0; k < e.n; k++) e.v[k] = boxed(e.v[k], wide);
    e.v[e.n++] = boxed(wide ? UINT64_C(0x7ff0000000000001) : 0x7f800001, wide); /* a NaN that signals */
    if (!wide) e.v[e.n++] = 0x3f800000;
    return e;
}

/* Close to others, so that sums and products round in every way. */
static uint64_t random_float(struct rng *g, bool wide) {
    const uint64_t bits = rng_next(g);
    const int p = wide ? 52 : 23;
    const uint64_t bias = wide ? 1023 : 127, e = bias + rng_below(g, 8) - 4;
    const uint64_t m =
        bits & ((UINT64_C(1) << p) - 1) & (rng_below(g, 2) ? ~UINT64_C(0) : ~UINT64_C(0) << (p - 6));
    if (rng_below(g, 4) == 0) return boxed(wide ? bits : bits & 0xffffffff, wide);
    return boxed((bits >> 63) << (wide ? 63 : 31) | e << p | m, wide);
}

static struct batch batch_of(uint16_t op32, uint16_t op64, uint8_t what, bool wide, unsigned mode,
                             unsigned ns) {
    return (struct batch){
        .i = {.op = wide ? op64 : op32, .sub = what, .ns = (uint8_t)ns}, .wide = wide, .mode = mode};
}

/* ---- the tests ---- */

static void of_two(uint16_t op32, uint16_t op64, uint8_t what, unsigned modes) {
    struct rng g = {what + 1u};
    for (int wide = 0; wide < 2; wide++) {
        const struct edges e = float_edges(wide, 60);
        for (unsigned mode = 0; mode < modes; mode++) {
            struct batch b = batch_of(op32, op64, what, wide, mode, 2);
            for (size_t x = 0; x < e.n; x++)
                for (size_t y = 0; y < e.n; y++) add(&b, e.v[x], e.v[y], 0);
            for (int k = 0; k < 2000; k++) add(&b, random_float(&g, wide), random_float(&g, wide), 0);
            flush(&b);
        }
    }
}

static void sums_products_and_quotients(void **state) {
    (void)state;
    of_two(IR_RV_FP32, IR_RV_FP64, IR_RVF_ADD, MODES);
    of_two(IR_RV_FP32, IR_RV_FP64, IR_RVF_SUB, MODES);
    of_two(IR_RV_FP32, IR_RV_FP64, IR_RVF_MUL, MODES);
    of_two(IR_RV_FDIV32, IR_RV_FDIV64, IR_RVF_DIV, MODES);
}

static void of_one(uint16_t op32, uint16_t op64, uint8_t what, bool from_wide, bool wide, unsigned modes) {
    struct rng g = {what + 1u};
    const struct edges e = float_edges(from_wide, REF_MAX_EDGES);
    for (unsigned mode = 0; mode < modes; mode++) {
        struct batch b = batch_of(op32, op64, what, wide, mode, 1);
        for (size_t x = 0; x < e.n; x++) add(&b, e.v[x], 0, 0);
        for (int k = 0; k < 4000; k++) add(&b, random_float(&g, from_wide), 0, 0);
        flush(&b);
    }
}

static void roots(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) of_one(IR_RV_FDIV32, IR_RV_FDIV64, IR_RVF_SQRT, wide, wide, MODES);
}

static void fused_operations_round_once(void **state) {
    (void)state;
    struct rng g = {7};
    for (int wide = 0; wide < 2; wide++) {
        const struct edges e = float_edges(wide, 14);
        for (uint8_t what = IR_RVF_MADD; what <= IR_RVF_NMADD; what++)
            for (unsigned mode = 0; mode < MODES; mode++) {
                struct batch b = batch_of(IR_RV_FP32, IR_RV_FP64, what, wide, mode, 3);
                for (size_t x = 0; x < e.n; x++)
                    for (size_t y = 0; y < e.n; y++)
                        for (size_t z = 0; z < e.n; z++) add(&b, e.v[x], e.v[y], e.v[z]);
                for (int k = 0; k < 2000; k++)
                    add(&b, random_float(&g, wide), random_float(&g, wide), random_float(&g, wide));
                flush(&b);
            }
    }
}

/* ---- underflow ---- */

/* How often the result was the smallest normal number and inexact, with and without underflow. */
struct edge {
    unsigned tiny, normal;
};

static double double_of(uint64_t v, bool wide) {
    return wide ? f64_from(v) : (double)f32_from((uint32_t)v);
}
static uint64_t bits_of(double v, bool wide) {
    return wide ? f64_bits(v) : BOX | f32_bits((float)v);
}

static void add_at_edge(struct batch *b, struct edge *e, uint64_t x, uint64_t y, uint64_t z) {
    const uint64_t s[3] = {x, y, z};
    const struct want w = reference(b, s);
    const uint64_t least = b->wide ? UINT64_C(1) << 52 : UINT64_C(1) << 23,
                   all = b->wide ? ~UINT64_C(0) : ~BOX;
    if ((w.bits & all & ~(b->wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31)) == least && w.flags & NX)
        w.flags &UF ? e->tiny++ : e->normal++;
    add(b, x, y, z);
}

/* A factor of about 1, what it makes of the smallest normal number, and neighbours of that: whatever is done to them is just
 * below, at or above the smallest normal number. */
static void add_neighbours(struct batch *b, struct edge *e, struct rng *g, bool fused) {
    const double least = b->wide ? 0x1p-1022 : 0x1p-126;
    const uint64_t factor = bits_of(1 + (double)rng_below(g, 1u << 30) * 0x1p-30, b->wide);
    const bool quotient = b->i.sub == IR_RVF_DIV;
    const double f = double_of(factor, b->wide);
    const uint64_t near = bits_of(quotient ? least * f : least / f, b->wide);
    for (int k = -2; k <= 2; k++) {
        const uint64_t x = near + (uint64_t)(int64_t)k, y = quotient || rng_below(g, 2) ? factor : x;
        const uint64_t sum = bits_of(least * (double)rng_below(g, 3) / 4, b->wide);
        add_at_edge(b, e, y == x ? factor : x, y, fused ? sum : 0);
    }
}

/* RISC-V detects tininess after rounding, whatever the host does: a result that is the smallest normal number has underflowed if,
 * with an exponent without bound, it would have been rounded to something less. */
static void underflow_is_found_after_rounding(void **state) {
    (void)state;
    static const uint8_t whats[] = {IR_RVF_MUL,  IR_RVF_DIV,   IR_RVF_MADD,
                                    IR_RVF_MSUB, IR_RVF_NMSUB, IR_RVF_NMADD};
    struct rng g = {11};
    for (size_t w = 0; w < sizeof whats; w++)
        for (int wide = 0; wide < 2; wide++)
            for (unsigned mode = 0; mode < MODES; mode++) {
                const bool div = whats[w] == IR_RVF_DIV, fused = whats[w] >= IR_RVF_MADD;
                struct batch b = batch_of(div ? IR_RV_FDIV32 : IR_RV_FP32, div ? IR_RV_FDIV64 : IR_RV_FP64,
                                          whats[w], wide, mode, fused ? 3 : 2);
                struct edge e = {0, 0};
                for (int k = 0; k < 2000; k++) add_neighbours(&b, &e, &g, fused);
                flush(&b);
                if (mode == 0 && !div) assert_true(e.tiny && e.normal);
            }
}

/* Halves, quarters and eighths of the last bit below the smallest normal number. */
static void so_it_is_in_conversions(void **state) {
    (void)state;
    for (unsigned mode = 0; mode < MODES; mode++) {
        struct batch b = batch_of(IR_RV_FCVT32, IR_RV_FCVT64, IR_RVF_FROM_D, false, mode, 1);
        struct edge e = {0, 0};
        for (int k = -64; k <= 64; k++)
            for (int sign = -1; sign <= 1; sign += 2)
                add_at_edge(&b, &e, f64_bits(sign * (0x1p-126 + k * 0x1p-154)), 0, 0);
        flush(&b);
        assert_true(mode == 1 ? e.normal
                              : e.tiny && e.normal); /* towards zero, only what is above comes there */
    }
}

static void conversions_between_formats(void **state) {
    (void)state;
    of_one(IR_RV_FCVT32, IR_RV_FCVT64, IR_RVF_FROM_D, true, false, MODES);
    of_one(IR_RV_FCVT32, IR_RV_FCVT64, IR_RVF_FROM_S, false, true, MODES);
}

static void conversions_to_integers_saturate(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (uint8_t what = IR_RVF_TO_W; what <= IR_RVF_TO_LU; what++)
            of_one(IR_RV_FCVT32, IR_RV_FCVT64, what, wide, wide, MODES);
}

static void conversions_from_integers(void **state) {
    (void)state;
    struct rng g = {9};
    uint64_t v[REF_MAX_EDGES];
    const size_t n = ref_edges(IR_T_U64, v, REF_MAX_EDGES);
    for (int wide = 0; wide < 2; wide++)
        for (uint8_t what = IR_RVF_FROM_W; what <= IR_RVF_FROM_LU; what++)
            for (unsigned mode = 0; mode < MODES; mode++) {
                struct batch b = batch_of(IR_RV_FCVT32, IR_RV_FCVT64, what, wide, mode, 1);
                for (size_t k = 0; k < n; k++) add(&b, v[k], 0, 0);
                for (int k = 0; k < 4000; k++) add(&b, rng_next(&g) >> rng_below(&g, 64), 0, 0);
                flush(&b);
            }
}

static void comparisons_signs_and_classes(void **state) {
    (void)state;
    for (uint8_t what = IR_RVF_SGNJ; what <= IR_RVF_LE; what++) of_two(IR_RV_FBITS32, IR_RV_FBITS64, what, 1);
    for (int wide = 0; wide < 2; wide++)
        for (uint8_t what = IR_RVF_CLASS; what <= IR_RVF_MV_F; what++)
            of_one(IR_RV_FBITS32, IR_RV_FBITS64, what, wide, wide, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_products_and_quotients),
        cmocka_unit_test(roots),
        cmocka_unit_test(fused_operations_round_once),
        cmocka_unit_test(conversions_between_formats),
        cmocka_unit_test(conversions_to_integers_saturate),
        cmocka_unit_test(conversions_from_integers),
        cmocka_unit_test(comparisons_signs_and_classes),
        cmocka_unit_test(underflow_is_found_after_rounding),
        cmocka_unit_test(so_it_is_in_conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
