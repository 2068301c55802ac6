/* mma and wmma.mma: D = A B + C of a warp. The fragments of all 32 threads are put together (ir/mma.h says who holds
 * what), each element of D is one sum (mma_math.c), and D goes back into fragments.
 *
 * Integers are added without bounds and wrap at 32 bits, or are clamped there with .satfinite. Products of bits count how
 * often xor, or and, is one. With .satfinite a result in floating point that is infinite is the largest number instead, and
 * a NaN is 0. */
#include <math.h>

#include "exec/half.h"
#include "exec/mma.h"
#include "ir/mma.h"

/* A has at most 16 rows of 64 elements (4 bits each), or 32 of 16; B likewise, by columns; D 16 x 16 or 32 x 8. Bits are
 * taken 32 at a time. */
enum { MOST = 1024, MOST_D = 256, ALL = 32 };

struct product {
    const struct exec_ctx *x;
    const struct ir_insn *i;
    struct ir_mma s;
    const uint32_t *words; /* the registers of a, b, c */
    uint32_t k;            /* elements of a sum */
};

/* ---- fragments of A and B: raw elements, [row of A or column of B][k] ---- */

static void exec_mma_gather(const struct product *p, const struct ir_frag *f, const uint32_t *regs,
                            uint32_t bits, bool transposed, uint32_t *to) {
    const uint32_t mask = bits < 32 ? (1u << bits) - 1 : ~0u;
    for (uint32_t r = 0; r < f->passes * f->groups; r++) {
        const uint32_t pass = r / f->groups, group = r % f->groups;
        const uint32_t *row = exec_row32(p->x, regs[ir_frag_reg(f, pass, group)]);
        for (uint32_t l = 0; l < ALL; l++) {
            const uint32_t outer = pass * f->rows + l / f->threads;
            const uint32_t inner = (group * f->threads + l % f->threads) * f->per;
            for (uint32_t e = 0; e < f->per; e++)
                to[transposed ? (inner + e) * f->outer + outer : outer * f->inner + inner + e] =
                    row[l] >> e * bits & mask;
        }
    }
}

/* What the two factors of every product are. Words of 32 bits stand for bits. */
static void gather_both(struct product *p, uint32_t *a, uint32_t *b) {
    struct ir_mma s = p->s;
    if (s.a == IR_MT_B1) s.k /= 32, s.a = s.b = IR_MT_S32;
    const struct ir_frag fa = ir_frag_a(&s), fb = ir_frag_b(&s);
    p->k = s.k;
    exec_mma_gather(p, &fa, p->words, ir_mma_bits[s.a], s.flags & IR_MMA_A_COL, a);
    exec_mma_gather(p, &fb, p->words + ir_frag_regs(&fa), ir_mma_bits[s.b], s.flags & IR_MMA_B_ROW, b);
}

static const uint32_t *words_of_c(const struct product *p) {
    const struct ir_frag a = ir_frag_a(&p->s), b = ir_frag_b(&p->s);
    return p->words + ir_frag_regs(&a) + ir_frag_regs(&b);
}

/* ---- C and D ---- */

typedef void element_fn(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane,
                        uint32_t index, void *to);

/* Calls for each element that a thread holds: its number in the fragment, and its place in D by rows. */
static void each_element(const struct product *p, const ir_opnd *regs, element_fn *call, void *to) {
    for (uint32_t row = 0; row < p->s.m / 8; row++)
        for (uint32_t col = 0; col < p->s.n / 8; col++)
            for (uint32_t l = 0; l < ALL; l++)
                for (uint32_t e = 0; e < 2; e++)
                    call(p, regs, ir_acc_at(&p->s, row, col) + e, l,
                         (8 * row + l / 4) * p->s.n + 8 * col + 2 * (l % 4) + e, to);
}

static uint32_t half_of(const struct exec_ctx *x, const ir_opnd *regs, uint32_t at, uint32_t lane) {
    return exec_row32(x, regs[at / 2])[lane] >> 16 * (at % 2) & 0xffff;
}

static void put_half(const struct exec_ctx *x, const ir_opnd *regs, uint32_t at, uint32_t lane, uint32_t v) {
    uint32_t *word = &exec_row32(x, regs[at / 2])[lane];
    *word = at % 2 ? (*word & 0xffff) | v << 16 : (*word & 0xffff0000) | v;
}

static void take_float(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane,
                       uint32_t index, void *to) {
    ((float *)to)[index] = p->s.c == IR_MT_F16 ? f16_to_float(half_of(p->x, regs, at, lane))
                                               : f32_from(exec_row32(p->x, regs[at])[lane]);
}

static float saturated(float v, float most) {
    return isnan(v) ? 0 : v > most ? most : v < -most ? -most : v;
}

static void put_float(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane,
                      uint32_t index, void *from) {
    float v = ((const float *)from)[index];
    const bool half = p->s.d == IR_MT_F16;
    if (p->i->mods & IR_M_SAT) v = saturated(v, half ? 65504.0f : 0x1.fffffep127f);
    if (half)
        put_half(p->x, regs, at, lane, f16_from_float(v));
    else
        exec_row32(p->x, regs[at])[lane] = f32_bits(v);
}

static void take_int(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane, uint32_t index,
                     void *to) {
    ((int64_t *)to)[index] = (int32_t)exec_row32(p->x, regs[at])[lane];
}

static void put_int(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane, uint32_t index,
                    void *from) {
    int64_t v = ((const int64_t *)from)[index];
    if (p->i->mods & IR_M_SAT) v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    exec_row32(p->x, regs[at])[lane] = (uint32_t)v;
}

static void take_double(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane,
                        uint32_t index, void *to) {
    ((double *)to)[index] = f64_from(exec_row64(p->x, regs[at])[lane]);
}

static void put_double(const struct product *p, const ir_opnd *regs, uint32_t at, uint32_t lane,
                       uint32_t index, void *from) {
    exec_row64(p->x, regs[at])[lane] = f64_bits(((const double *)from)[index]);
}

/* ---- floats ---- */

/* sign, `exponent` bits with that bias, `fraction` bits; the top exponent is infinity and NaN only if `ieee`. */
static double fp8(uint32_t v, uint32_t fraction, int32_t bias, bool ieee) {
    const uint32_t e = (v & 0x7f) >> fraction, f = v & ((1u << fraction) - 1);
    const double sign = v & 0x80 ? -1 : 1;
    if (ieee && e == 31) return f ? NAN : sign * INFINITY;
    if (!ieee && (v & 0x7f) == 0x7f) return NAN;
    return sign * ldexp(e ? f + (1u << fraction) : f, (int)(e ? e : 1) - bias - (int)fraction);
}

static double float_value(enum ir_mma_type t, uint32_t v) {
    switch (t) {
    case IR_MT_F16: return (double)f16_to_float(v);
    case IR_MT_BF16: return (double)bf16_to_float(v);
    case IR_MT_E4M3: return fp8(v, 3, 7, false);
    case IR_MT_E5M2: return fp8(v, 2, 15, true);
    default: return (double)f32_from(v & 0xffffe000); /* tf32: the lower 13 bits are not looked at */
    }
}

static void factors(enum ir_mma_type t, const uint32_t *raw, uint32_t n, struct mma_factor *to) {
    for (uint32_t j = 0; j < n; j++) {
        to[j].value = float_value(t, raw[j]);
        to[j].exponent = to[j].value == 0 || !isfinite(to[j].value) ? 0 : ilogb(to[j].value);
    }
}

static void multiply_floats(struct product *p) {
    uint32_t raw_a[MOST], raw_b[MOST];
    struct mma_factor a[MOST], b[MOST];
    float d[MOST_D];
    gather_both(p, raw_a, raw_b);
    factors(p->s.a, raw_a, p->s.m * p->k, a);
    factors(p->s.b, raw_b, p->s.n * p->k, b);
    each_element(p, words_of_c(p), take_float, d);
    for (uint32_t row = 0; row < p->s.m; row++)
        for (uint32_t col = 0; col < p->s.n; col++)
            d[row * p->s.n + col] = mma_dot(a + row * p->k, b + col * p->k, p->k, d[row * p->s.n + col]);
    each_element(p, p->i->o, put_float, d);
}

/* ---- integers and bits ---- */

static int32_t int_value(enum ir_mma_type t, uint32_t v) {
    return t == IR_MT_S8 ? (int8_t)v : t == IR_MT_S4 ? (int32_t)(v ^ 8) - 8 : (int32_t)v;
}

static int64_t sum_ints(const struct product *p, const uint32_t *a, const uint32_t *b) {
    int64_t sum = 0;
    for (uint32_t j = 0; j < p->k; j++) sum += int_value(p->s.a, a[j]) * int_value(p->s.b, b[j]);
    return sum;
}

static int64_t sum_bits(const struct product *p, const uint32_t *a, const uint32_t *b) {
    int64_t sum = 0;
    for (uint32_t j = 0; j < p->k; j++)
        sum += bits_count(p->s.flags & IR_MMA_AND ? a[j] & b[j] : a[j] ^ b[j]);
    return sum;
}

static void multiply_ints(struct product *p) {
    uint32_t a[MOST], b[MOST];
    int64_t d[MOST_D];
    gather_both(p, a, b);
    each_element(p, words_of_c(p), take_int, d);
    for (uint32_t row = 0; row < p->s.m; row++)
        for (uint32_t col = 0; col < p->s.n; col++)
            d[row * p->s.n + col] +=
                (p->s.a == IR_MT_B1 ? sum_bits : sum_ints)(p, a + row * p->k, b + col * p->k);
    each_element(p, p->i->o, put_int, d);
}

/* ---- doubles: one to a register ---- */

static void gather_doubles(const struct product *p, const struct ir_frag *f, const uint32_t *regs,
                           bool transposed, double *to) {
    for (uint32_t r = 0; r < f->passes * f->groups; r++) {
        const uint32_t pass = r / f->groups, group = r % f->groups;
        const uint64_t *row = exec_row64(p->x, regs[ir_frag_reg(f, pass, group)]);
        for (uint32_t l = 0; l < ALL; l++) {
            const uint32_t outer = pass * f->rows + l / f->threads,
                           inner = group * f->threads + l % f->threads;
            to[transposed ? inner * f->outer + outer : outer * f->inner + inner] = f64_from(row[l]);
        }
    }
}

static void multiply_doubles(struct product *p) {
    const struct ir_frag fa = ir_frag_a(&p->s), fb = ir_frag_b(&p->s);
    const enum ir_round mode = (enum ir_round)(p->i->mods & IR_M_RND);
    double a[MOST_D], b[MOST_D], d[MOST_D];
    gather_doubles(p, &fa, p->words, p->s.flags & IR_MMA_A_COL, a);
    gather_doubles(p, &fb, p->words + ir_frag_regs(&fa), p->s.flags & IR_MMA_B_ROW, b);
    each_element(p, words_of_c(p), take_double, d);
    for (uint32_t row = 0; row < p->s.m; row++)
        for (uint32_t col = 0; col < p->s.n; col++)
            d[row * p->s.n + col] =
                mma_dot_f64(a + row * p->s.k, b + col * p->s.k, p->s.k, d[row * p->s.n + col], mode);
    each_element(p, p->i->o, put_double, d);
}

/* ---- m8n8k4 on f16: threads 4 q ... 4 q + 3 and those 16 further on multiply 8 x 4 by 4 x 8, for each q below 4 ---- */

struct quad {
    const struct product *p;
    uint32_t first;
};

/* The number in the warp of the quad's thread t of 8. */
static uint32_t quad_lane(const struct quad *q, uint32_t t) {
    return q->first + t % 4 + t / 4 * 16;
}

static void quad_factors(const struct quad *q, const uint32_t *regs, bool along, struct mma_factor to[8][4]) {
    uint32_t raw[8][4];
    for (uint32_t t = 0; t < 8; t++)
        for (uint32_t e = 0; e < 4; e++) {
            const uint32_t v = half_of(q->p->x, regs, e, quad_lane(q, t));
            if (along)
                raw[t][e] = v; /* a thread has a row of A, a column of B, */
            else
                raw[t / 4 * 4 + e][t % 4] = v; /* or half of a column of A, of a row of B */
        }
    for (uint32_t r = 0; r < 8; r++) factors(IR_MT_F16, raw[r], 4, to[r]);
}

/* Where element e of thread t of 8 is. In f16 a thread has a row, in f32 four pieces of two. */
static uint32_t quad_place(enum ir_mma_type type, uint32_t t, uint32_t e) {
    if (type == IR_MT_F16) return t * 8 + e;
    const uint32_t row = (t & 1) + (e & 2) + t / 4 * 4, col = (e & 4) + (t & 2) + (e & 1);
    return row * 8 + col;
}

static void multiply_quad(const struct product *p, uint32_t first, float d[64]) {
    const struct quad q = {p, first};
    struct mma_factor a[8][4], b[8][4];
    quad_factors(&q, p->words, !(p->s.flags & IR_MMA_A_COL), a);
    quad_factors(&q, p->words + 2, !(p->s.flags & IR_MMA_B_ROW), b);
    for (uint32_t t = 0; t < 8; t++)
        for (uint32_t e = 0; e < 8; e++)
            take_float(p, p->words + 4, e, quad_lane(&q, t), quad_place(p->s.c, t, e), d);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t col = 0; col < 8; col++)
            d[row * 8 + col] = mma_dot(a[row], b[col], 4, d[row * 8 + col]);
}

/* All four are computed before any result is written: a register may be both. */
static void multiply_quads(struct product *p) {
    float d[4][64];
    for (uint32_t k = 0; k < 4; k++) multiply_quad(p, 4 * k, d[k]);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t t = 0; t < 8; t++)
            for (uint32_t e = 0; e < 8; e++)
                put_float(p, p->i->o, e, quad_lane(&(struct quad){p, 4 * k}, t), quad_place(p->s.d, t, e),
                          d[k]);
}

void mma_run(struct exec_ctx *x, const struct ir_insn *i) {
    const uint32_t *words = x->warp->block->grid->module->ext.v + i->ext;
    struct product p = {.x = x, .i = i, .s = ir_mma_of(words, i->sub), .words = words + IR_MORE};
    if (p.s.flags & IR_MMA_QUADS)
        multiply_quads(&p);
    else if (i->op == IR_MMA_F64)
        multiply_doubles(&p);
    else if (i->op == IR_MMA_INT)
        multiply_ints(&p);
    else
        multiply_floats(&p);
}
