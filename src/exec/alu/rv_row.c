/* Floating point of RISC-V, a row at a time: what nearly every instruction is. Its operands are boxed, no NaN is among them or
 * becomes of them, and it rounds to nearest, or towards zero to become an integer.
 *
 * The host computes, in vectors. Its flags do not tell which lane raised them: lanes that have all of them already, as all do
 * that have once rounded a result, are done, and the others are left to alu_rv.c, which also has everything rare. Lanes that do
 * not run compute with 1, which raises nothing that counts.
 *
 * Compiled for every machine and for AVX2, like all arithmetic. */
/* Before math.h, whose NAN is a macro. */
#include "exec/alu/rv.h"

#include <math.h>

/* ---- operands ---- */

#define LANE32(mask, l) (-(uint32_t)(((mask)&alu_bit32[l]) != 0))
#define LANE64(mask, l) (-(uint64_t)(((mask)&alu_bit64[l]) != 0))

/* Operands of one type, results of another. */
struct rows {
    _Alignas(64) double a[EXEC_LANES], b[EXEC_LANES], c[EXEC_LANES], d[EXEC_LANES];
};

/* False: some operand is not boxed. */
static bool take_f32(float *to, const uint64_t *from, uint32_t mask) {
    const uint32_t *restrict halves = (const uint32_t *)from;
    uint32_t *restrict v = (uint32_t *)to;
    uint32_t bare = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint32_t runs = LANE32(mask, l);
        bare |= ~halves[2 * l + 1] & runs;
        v[l] = (halves[2 * l] & runs) | (0x3f800000u & ~runs);
    }
    return !bare;
}

static bool take_f64(double *to, const uint64_t *restrict from, uint64_t mask) {
    uint64_t *restrict v = (uint64_t *)to;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint64_t runs = LANE64(mask, l);
        v[l] = (from[l] & runs) | (UINT64_C(0x3ff) << 52 & ~runs);
    }
    return true;
}

static bool rv_row_take_word(int32_t *restrict to, const uint64_t *restrict from, uint32_t mask) {
    for (uint32_t l = 0; l < EXEC_LANES; l++) to[l] = mask & alu_bit32[l] ? (int32_t)(uint32_t)from[l] : 1;
    return true;
}

static bool take_long(int64_t *restrict to, const uint64_t *restrict from, uint64_t mask) {
    for (uint32_t l = 0; l < EXEC_LANES; l++) to[l] = mask & alu_bit64[l] ? (int64_t)from[l] : 1;
    return true;
}

static bool nan_f32(const float *v) {
    const uint32_t *restrict bits = (const uint32_t *)v;
    uint32_t found = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) found |= 0x7f800000u - (bits[l] & 0x7fffffffu);
    return found >> 31;
}
static bool nan_f64(const double *v) {
    const uint64_t *restrict bits = (const uint64_t *)v;
    uint64_t found = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++)
        found |= (UINT64_C(0x7ff) << 52) - (bits[l] & ~(UINT64_C(1) << 63));
    return found >> 63;
}

/* ---- results ---- */

static void give_f32(uint64_t *restrict d, const float *r, uint64_t mask) {
    const uint32_t *restrict v = (const uint32_t *)r;
    if (mask == 0xffffffffu)
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = BOX | v[l];
    else
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = mask & alu_bit64[l] ? BOX | v[l] : d[l];
}
static void give_row(uint64_t *restrict d, const uint64_t *restrict v, uint64_t mask) {
    if (mask == 0xffffffffu)
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = v[l];
    else
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = mask & alu_bit64[l] ? v[l] : d[l];
}
static void give_f64(uint64_t *d, const double *r, uint64_t mask) {
    give_row(d, (const uint64_t *)r, mask);
}
static void give_word(uint64_t *restrict d, const int32_t *restrict r, uint64_t mask) {
    for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = mask & alu_bit64[l] ? (uint64_t)(int64_t)r[l] : d[l];
}

/* Lanes that have these flags already. */
static uint32_t having(const uint64_t *restrict fcsr, uint64_t flags) {
    uint32_t bits;
    ALU_MASK(uint64_t, bits, l, (fcsr[l] & flags) == flags);
    return bits;
}

static bool modes_are_nearest(const uint64_t *restrict fcsr, uint64_t mask) {
    uint64_t modes = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) modes |= fcsr[l] & LANE64(mask, l);
    return !(modes & 0xe0);
}

/* ---- arithmetic ---- */

/* What one lane computes, apart: the compiler must not move it over the reading of the flags. */
typedef void loop_fn(struct rows *r);
#define LOOP(name, D, T, expr)                                                \
    static __attribute__((noinline)) void name(struct rows *r) {              \
        const T *restrict a = (const T *)r->a, *restrict b = (const T *)r->b; \
        const T *restrict c = (const T *)r->c;                                \
        D *restrict d = (D *)r->d;                                            \
        (void)b, (void)c;                                                     \
        for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = (D)(expr);           \
    }
#define LOOPS(name, e32, e64)           \
    LOOP(name##_f32, float, float, e32) \
    LOOP(name##_f64, double, double, e64)
LOOPS(add, a[l] + b[l], a[l] + b[l])
LOOPS(sub, a[l] - b[l], a[l] - b[l])
LOOPS(mul, a[l] * b[l], a[l] * b[l])
LOOPS(div, a[l] / b[l], a[l] / b[l])
LOOPS(root, sqrtf(a[l]), sqrt(a[l]))
LOOPS(madd, fmaf(a[l], b[l], c[l]), fma(a[l], b[l], c[l]))
LOOPS(msub, fmaf(a[l], b[l], -c[l]), fma(a[l], b[l], -c[l]))
LOOPS(nmsub, fmaf(-a[l], b[l], c[l]), fma(-a[l], b[l], c[l]))
LOOPS(nmadd, fmaf(-a[l], b[l], -c[l]), fma(-a[l], b[l], -c[l]))
LOOP(rv_row_narrow, float, double, a[l])
LOOP(rv_row_widen, double, float, a[l])
LOOP(word_f32, float, int32_t, a[l])
LOOP(word_f64, double, int32_t, a[l])
/* A word without sign, exactly. */
#define UNSIGNED(v) ((double)(int32_t)((uint32_t)(v) ^ 0x80000000u) + 0x1p31)
LOOP(uword_f32, float, int32_t, UNSIGNED(a[l]))
LOOP(uword_f64, double, int32_t, UNSIGNED(a[l]))
LOOP(long_f32, float, int64_t, a[l])
LOOP(long_f64, double, int64_t, a[l])
LOOP(f32_word, int32_t, float, a[l])
LOOP(f64_word, int32_t, double, a[l])
LOOP(f32_long, int64_t, float, a[l])
LOOP(f64_long, int64_t, double, a[l])

enum form { F32, F64, WORD, LONG };
/* By [what][wide]: the loop, and the forms of its operands and result. NULL: none that is worthwhile. */
struct way {
    loop_fn *loop;
    uint8_t from, to;
};
#define SAME(name)                \
    {                             \
        {name##_f32, F32, F32}, { \
            name##_f64, F64, F64  \
        }                         \
    }
static const struct way ways[IR_RVF_TO_LU + 1][2] = {
    [IR_RVF_ADD] = SAME(add),
    [IR_RVF_SUB] = SAME(sub),
    [IR_RVF_MUL] = SAME(mul),
    [IR_RVF_DIV] = SAME(div),
    [IR_RVF_SQRT] = SAME(root),
    [IR_RVF_MADD] = SAME(madd),
    [IR_RVF_MSUB] = SAME(msub),
    [IR_RVF_NMSUB] = SAME(nmsub),
    [IR_RVF_NMADD] = SAME(nmadd),
    [IR_RVF_FROM_D] = {{rv_row_narrow, F64, F32}},
    [IR_RVF_FROM_S] = {{NULL, 0, 0}, {rv_row_widen, F32, F64}},
    [IR_RVF_FROM_W] = {{word_f32, WORD, F32}, {word_f64, WORD, F64}},
    [IR_RVF_FROM_WU] = {{uword_f32, WORD, F32}, {uword_f64, WORD, F64}},
    [IR_RVF_FROM_L] = {{long_f32, LONG, F32}, {long_f64, LONG, F64}},
    [IR_RVF_TO_W] = {{f32_word, F32, WORD}, {f64_word, F64, WORD}},
    [IR_RVF_TO_L] = {{f32_long, F32, LONG}, {f64_long, F64, LONG}},
};

static bool rv_row_take(enum form form, double *to, const uint64_t *from, uint32_t mask) {
    switch (form) {
    case F32: return take_f32((float *)to, from, mask);
    case F64: return take_f64(to, from, mask);
    case WORD: return rv_row_take_word((int32_t *)to, from, mask);
    default: return take_long((int64_t *)to, from, mask);
    }
}

static bool take_all(const struct job *j, enum form form, struct rows *r, uint32_t mask) {
    double *const to[3] = {r->a, r->b, r->c};
    bool fine = true;
    for (int k = 0; k < j->i->ns; k++) fine &= rv_row_take(form, to[k], j->s[k], mask);
    return fine;
}

static void rv_row_give(enum form form, uint64_t *d, const double *r, uint32_t mask) {
    switch (form) {
    case F32: give_f32(d, (const float *)r, mask); break;
    case F64: give_f64(d, r, mask); break;
    case WORD: give_word(d, (const int32_t *)r, mask); break;
    default: give_row(d, (const uint64_t *)r, mask);
    }
}

/* Whether the result is no number, or does not fit. */
static bool is_odd(enum form form, const double *r, unsigned flags) {
    return form == F32 ? nan_f32((const float *)r) : form == F64 ? nan_f64(r) : flags & NV;
}

static uint32_t rv_row_compute(const struct job *j, uint32_t mask) {
    const struct way *way = &ways[j->i->sub][j->wide];
    const bool cut = way->to >= WORD;
    const unsigned mode = j->i->bop;
    struct rows r;
    if (!way->loop || (mode != DYN && mode != (cut ? RTZ : RNE))) return mask;
    if (mode == DYN && (cut || !modes_are_nearest(j->fcsr, mask))) return mask;
    if (!take_all(j, way->from, &r, mask)) return mask;
    const unsigned before = unit_begin(RNE);
    way->loop(&r);
    const unsigned flags = unit_end(before);
    if (is_odd(way->to, r.d, flags)) return mask;
    const uint32_t done = flags ? mask & having(j->fcsr, flags) : mask;
    if (done) rv_row_give(way->to, j->d, r.d, done);
    return mask & ~done;
}

/* ---- bits ---- */

static inline uint64_t open32(uint64_t v) {
    return v >> 32 == 0xffffffffu ? v & 0xffffffffu : NAN32;
}

#define BITS(name, expr)                                                                 \
    static void name(uint64_t *d, const uint64_t *a, const uint64_t *b, uint64_t mask) { \
        (void)b;                                                                         \
        ALU_EACH(l) d[l] = mask & alu_bit64[l] ? (expr) : d[l];                          \
    }
#define SIGN32 (UINT64_C(1) << 31)
#define SIGN64 (UINT64_C(1) << 63)
BITS(sgnj_f32, BOX | (open32(a[l]) & ~SIGN32) | (open32(b[l]) & SIGN32))
BITS(sgnj_f64, (a[l] & ~SIGN64) | (b[l] & SIGN64))
BITS(sgnjn_f32, BOX | (open32(a[l]) & ~SIGN32) | (~open32(b[l]) & SIGN32))
BITS(sgnjn_f64, (a[l] & ~SIGN64) | (~b[l] & SIGN64))
BITS(sgnjx_f32, BOX | (open32(a[l]) ^ (open32(b[l]) & SIGN32)))
BITS(sgnjx_f64, a[l] ^ (b[l] & SIGN64))
BITS(mv_x_f32, (uint64_t)(int32_t)a[l])
BITS(mv_x_f64, a[l])
BITS(mv_f_f32, BOX | a[l])
BITS(mv_f_f64, a[l])

typedef void bits_fn(uint64_t *d, const uint64_t *a, const uint64_t *b, uint64_t mask);
static bits_fn *const bits[][2] = {
    [IR_RVF_SGNJ] = {sgnj_f32, sgnj_f64},    [IR_RVF_SGNJN] = {sgnjn_f32, sgnjn_f64},
    [IR_RVF_SGNJX] = {sgnjx_f32, sgnjx_f64}, [IR_RVF_MV_X] = {mv_x_f32, mv_x_f64},
    [IR_RVF_MV_F] = {mv_f_f32, mv_f_f64},
};

/* ---- comparisons: of numbers, which raise nothing ---- */

LOOP(eq_f32, int32_t, float, a[l] == b[l])
LOOP(eq_f64, int64_t, double, a[l] == b[l])
LOOP(lt_f32, int32_t, float, a[l] < b[l])
LOOP(lt_f64, int64_t, double, a[l] < b[l])
LOOP(le_f32, int32_t, float, a[l] <= b[l])
LOOP(le_f64, int64_t, double, a[l] <= b[l])

static loop_fn *const compares[3][2] = {{eq_f32, eq_f64}, {lt_f32, lt_f64}, {le_f32, le_f64}};

static uint32_t rv_row_compare(const struct job *j, uint32_t mask) {
    struct rows r;
    if (!take_all(j, j->wide ? F64 : F32, &r, mask)) return mask;
    if (j->wide ? nan_f64(r.a) || nan_f64(r.b) : nan_f32((float *)r.a) || nan_f32((float *)r.b)) return mask;
    compares[j->i->sub - IR_RVF_EQ][j->wide](&r);
    rv_row_give(j->wide ? LONG : WORD, j->d, r.d, mask);
    return 0;
}

uint32_t ALU_NAME(alu_rv_row)(const struct job *j, uint32_t mask) {
    const uint8_t what = j->i->sub;
    if (what <= IR_RVF_TO_LU) return rv_row_compute(j, mask);
    if (what >= IR_RVF_EQ && what <= IR_RVF_LE) return rv_row_compare(j, mask);
    if (!bits[what][j->wide]) return mask;
    bits[what][j->wide](j->d, j->s[0], j->s[1], mask);
    return 0;
}
