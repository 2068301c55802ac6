/* Video instructions: bytes, halves or words selected from the sources, one operation on them, saturation,
 * then what happens with c. They are rare, so one lane at a time. Fields of imm: see IR_V_* in ir/insn.h. */
#include "exec/alu/row.h"

/* 128 bits hold every intermediate: a word shifted left by 32, the product of two words plus a third. */
typedef __int128 wide;

static uint32_t video_field(const struct ir_insn *i, unsigned at, unsigned bits) {
    return i->imm >> at & ((1u << bits) - 1);
}

/* The part of v that starts at bit at, extended. */
static int64_t video_extract(uint64_t v, unsigned at, unsigned bits, bool is_signed) {
    uint64_t part = v >> at << (64 - bits);
    return is_signed ? (int64_t)part >> (64 - bits) : (int64_t)(part >> (64 - bits));
}

/* Selectors of VIDEO: 0-3 a byte, 4 and 5 a half, 6 the word. */
static unsigned select_bits(uint32_t sel) {
    return sel < 4 ? 8 : sel < 6 ? 16 : 32;
}
static unsigned select_at(uint32_t sel) {
    return sel < 4 ? 8 * sel : sel < 6 ? 16 * (sel - 4) : 0;
}

static wide clamp_to(wide v, unsigned bits, bool is_signed) {
    wide max = ((wide)1 << (bits - is_signed)) - 1, min = is_signed ? -max - 1 : 0;
    return v < min ? min : v > max ? max : v;
}

static bool video_compare(uint32_t cmp, int64_t a, int64_t b) {
    switch (cmp) {
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_LT: return a < b;
    case IR_LE: return a <= b;
    case IR_GT: return a > b;
    default: return a >= b;
    }
}

/* The operations that single and SIMD forms share. */
static int64_t operate(const struct ir_insn *i, int64_t a, int64_t b, uint32_t cmp) {
    int64_t sum = a + b;
    switch (i->sub) {
    case IR_V_ADD: return sum;
    case IR_V_SUB: return a - b;
    case IR_V_ABSDIFF: return a < b ? b - a : a - b;
    case IR_V_MIN: return a < b ? a : b;
    case IR_V_MAX: return a > b ? a : b;
    case IR_V_AVRG: return (sum + (sum >= 0)) >> 1;
    default: return video_compare(cmp, a, b);
    }
}

/* ---- one value ---- */

static wide video_shift(const struct ir_insn *i, int64_t a, uint32_t n) {
    n = video_field(i, 20, 1) ? n & 31 : n > 32 ? 32 : n;
    return i->sub == IR_V_SHL ? (wide)a * ((wide)1 << n) : (wide)(a >> n);
}

/* (+-a * b) +- c, +1 with .po, shifted right; negation is the complement plus one, which .po's one replaces.
 */
static uint32_t multiply_add(const struct ir_insn *i, int64_t a, int64_t b, uint32_t c) {
    bool minus_product = video_field(i, 17, 1), minus_c = video_field(i, 18, 1),
         plus_one = video_field(i, 19, 1);
    bool is_signed = i->cop & (IR_V_A_SIGNED | IR_V_B_SIGNED) || minus_product || minus_c;
    wide product = (wide)a * b;
    uint32_t addend = minus_c && !minus_product && !plus_one ? ~c : c;
    if (minus_product && !plus_one) product = ~product;
    wide sum =
        product + (is_signed ? (wide)(int32_t)addend : (wide)addend) + (minus_product | minus_c | plus_one);
    sum >>= video_field(i, 13, 4);
    return (uint32_t)(i->mods & SAT ? clamp_to(sum, 32, is_signed) : sum);
}

/* min and max compare the whole intermediate, not its low word. */
static uint32_t with_c(const struct ir_insn *i, wide v, uint32_t c, uint32_t dsel) {
    wide third = i->cop & IR_V_D_SIGNED ? (wide)(int32_t)c : (wide)c;
    uint32_t part = (uint32_t)(((uint64_t)1 << select_bits(dsel)) - 1) << select_at(dsel);
    switch (i->bop) {
    case IR_VC_ADD: return (uint32_t)v + c;
    case IR_VC_MIN: return (uint32_t)(v < third ? v : third);
    case IR_VC_MAX: return (uint32_t)(v > third ? v : third);
    case IR_VC_MERGE: return ((uint32_t)v << select_at(dsel) & part) | (c & ~part);
    default: return (uint32_t)v;
    }
}

static uint32_t video(const struct ir_insn *i, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t asel = video_field(i, 0, 3), bsel = video_field(i, 3, 3), dsel = video_field(i, 6, 3);
    bool shifts = i->sub == IR_V_SHL || i->sub == IR_V_SHR;
    int64_t va = video_extract(a, select_at(asel), select_bits(asel), i->cop & IR_V_A_SIGNED);
    int64_t vb = video_extract(b, select_at(bsel), select_bits(bsel), i->cop & IR_V_B_SIGNED && !shifts);
    if (i->sub == IR_V_MAD) return multiply_add(i, va, vb, c);
    wide v = shifts ? video_shift(i, va, (uint32_t)vb) : (wide)operate(i, va, vb, video_field(i, 9, 4));
    unsigned bits = i->bop == IR_VC_MERGE ? select_bits(dsel) : 32;
    if (i->mods & SAT && i->sub != IR_V_SET) v = clamp_to(v, bits, i->cop & IR_V_D_SIGNED);
    return with_c(i, v, c, dsel);
}

/* ---- two halves, four bytes ---- */

/* Places outside the write mask take c's part; accumulating, they add nothing to c. */
static uint32_t video_simd(const struct ir_insn *i, uint32_t a, uint32_t b, uint32_t c, unsigned bits) {
    uint64_t parts = (uint64_t)b << 32 | a;
    uint32_t part = (1u << bits) - 1, d = c;
    bool to_signed = i->cop & IR_V_D_SIGNED && i->sub != IR_V_SET;
    for (unsigned k = 0; k < 32 / bits; k++) {
        if (!video_field(i, 24 + k, 1)) continue;
        int64_t va = video_extract(parts, video_field(i, 3 * k, 3) * bits % 64, bits, i->cop & IR_V_A_SIGNED);
        int64_t vb =
            video_extract(parts, video_field(i, 12 + 3 * k, 3) * bits % 64, bits, i->cop & IR_V_B_SIGNED);
        int64_t v = operate(i, va, vb, video_field(i, 28, 4));
        if (i->mods & SAT) v = (int64_t)clamp_to(v, bits, to_signed);
        if (i->bop == IR_VC_ADD)
            d += (uint32_t)v;
        else
            d = (d & ~(part << bits * k)) | ((uint32_t)v & part) << bits * k;
    }
    return d;
}

static uint32_t video2(const struct ir_insn *i, uint32_t a, uint32_t b, uint32_t c) {
    return video_simd(i, a, b, c, 16);
}
static uint32_t video4(const struct ir_insn *i, uint32_t a, uint32_t b, uint32_t c) {
    return video_simd(i, a, b, c, 8);
}

#define VIDEO(id, meaning)                                                                 \
    void ALU_NAME(alu_##id)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        const uint32_t *a = exec_row32(x, i->o[1]), *b = exec_row32(x, i->o[2]);           \
        const uint32_t *c = i->ns > 2 ? exec_row32(x, i->o[3]) : NULL;                     \
        uint32_t *d = exec_row32(x, i->o[0]);                                              \
        FOR_LANES(l, mask) d[l] = meaning(i, a[l], b[l], c ? c[l] : 0);                    \
    }
VIDEO(VIDEO, video)
VIDEO(VIDEO2, video2)
VIDEO(VIDEO4, video4)
