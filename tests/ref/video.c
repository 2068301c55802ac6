/* Video instructions, following the pseudo-code of the ISA: select a part, compute exactly, saturate, then
 * the secondary operation or the merge. The field layout is that of ir/insn.h.
 *
 * PTX calls intermediate results signed 34-bit (17-, 9-bit for the two- and four-part forms): min, max and
 * the accumulation see them untruncated, which is what exact arithmetic gives. */
#include "ref.h"

static unsigned field(const struct ir_insn *i, int at, int bits) {
    return i->imm >> at & ((1u << bits) - 1);
}

static int64_t extend(uint64_t v, int bits, bool is_signed) {
    v &= ((uint64_t)1 << bits) - 1;
    return is_signed && v >> (bits - 1) ? (int64_t)v - ((int64_t)1 << bits) : (int64_t)v;
}

/* 0-3 a byte, 4-5 a half, 6 the word: first bit and width. */
static int part_bits(unsigned sel) {
    return sel < 4 ? 8 : sel < 6 ? 16 : 32;
}
static int part_at(unsigned sel) {
    return sel < 4 ? 8 * (int)sel : sel == 5 ? 16 : 0;
}
static int64_t select_part(uint64_t v, unsigned sel, bool is_signed) {
    return extend(v >> part_at(sel), part_bits(sel), is_signed);
}

static i128 saturate(i128 v, int bits, bool is_signed) {
    i128 hi = is_signed ? ((i128)1 << (bits - 1)) - 1 : ((i128)1 << bits) - 1;
    i128 lo = is_signed ? -((i128)1 << (bits - 1)) : 0;
    return v < lo ? lo : v > hi ? hi : v;
}

static bool holds(unsigned cmp, int64_t a, int64_t b) {
    switch (cmp) {
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_LT: return a < b;
    case IR_LE: return a <= b;
    case IR_GT: return a > b;
    default: return a >= b;
    }
}

/* The two arguments' operation, exact; cmp is the comparison of vset. */
static i128 operate(unsigned op, int64_t a, int64_t b, unsigned cmp) {
    i128 sum = (i128)a + b;
    switch (op) {
    case IR_V_ADD: return sum;
    case IR_V_SUB: return (i128)a - b;
    case IR_V_ABSDIFF: return a > b ? (i128)a - b : (i128)b - a;
    case IR_V_MIN: return a < b ? a : b;
    case IR_V_MAX: return a > b ? a : b;
    case IR_V_AVRG: return (sum + (sum >= 0 ? 1 : 0)) >> 1;
    default: return holds(cmp, a, b);
    }
}

static i128 shifted(const struct ir_insn *i, int64_t a, int64_t b) {
    bool wrap = field(i, 20, 1);
    int n = wrap ? (int)(b & 31) : b > 32 ? 32 : (int)b;
    return i->sub == IR_V_SHL ? (i128)a * ((i128)1 << n) : (i128)a >> n;
}

static uint32_t merge(uint64_t c, unsigned sel, i128 v) {
    uint64_t mask = (((uint64_t)1 << part_bits(sel)) - 1) << part_at(sel);
    return (uint32_t)((c & ~mask) | ((uint64_t)v << part_at(sel) & mask));
}

static uint32_t secondary(const struct ir_insn *i, i128 v, uint64_t c) {
    i128 third = extend(c, 32, i->cop & IR_V_D_SIGNED);
    switch (i->bop) {
    case IR_VC_ADD: return (uint32_t)(v + third);
    case IR_VC_MIN: return (uint32_t)(v < third ? v : third);
    case IR_VC_MAX: return (uint32_t)(v > third ? v : third);
    case IR_VC_MERGE: return merge(c, field(i, 6, 3), v);
    default: return (uint32_t)v;
    }
}

/* vmad: (a*b) + c with at most one of: negated product, negated c, plus one; then scaled and clamped. */
static uint32_t multiply_add(const struct ir_insn *i, int64_t a, int64_t b, uint64_t c) {
    bool neg_product = field(i, 17, 1), neg_c = field(i, 18, 1), plus_one = field(i, 19, 1);
    bool is_signed = i->cop & (IR_V_A_SIGNED | IR_V_B_SIGNED) || neg_product || neg_c;
    i128 product = (i128)a * b, third = extend(c, 32, is_signed);
    i128 v = (neg_product ? -product : product) + (neg_c ? -third : third) + plus_one;
    v >>= field(i, 13, 4);
    return (uint32_t)(i->mods & IR_M_SAT ? saturate(v, 32, is_signed) : v);
}

void ref_video(const struct ref_in *in, struct ref_out *out) {
    const struct ir_insn *i = in->i;
    bool shift = i->sub == IR_V_SHL || i->sub == IR_V_SHR;
    int64_t a = select_part(in->s[0], field(i, 0, 3), i->cop & IR_V_A_SIGNED);
    int64_t b = select_part(in->s[1], field(i, 3, 3), !shift && i->cop & IR_V_B_SIGNED);
    if (i->sub == IR_V_MAD) {
        out->w[0] = ref_bits(multiply_add(i, a, b, in->s[2]));
        return;
    }
    i128 v = shift ? shifted(i, a, b) : operate(i->sub, a, b, field(i, 9, 4));
    if (i->mods & IR_M_SAT) v = saturate(v, part_bits(field(i, 6, 3)), i->cop & IR_V_D_SIGNED);
    out->w[0] = ref_bits(secondary(i, v, in->s[2]));
}

static void parts(const struct ref_in *in, struct ref_out *out, int n) {
    const struct ir_insn *i = in->i;
    int bits = 32 / n;
    uint64_t both = in->s[1] << 32 | in->s[0], d = i->bop == IR_VC_ADD ? in->s[2] : 0;
    for (int k = 0; k < n; k++) {
        int64_t a = extend(both >> (bits * (int)field(i, 3 * k, 3)), bits, i->cop & IR_V_A_SIGNED);
        int64_t b = extend(both >> (bits * (int)field(i, 12 + 3 * k, 3)), bits, i->cop & IR_V_B_SIGNED);
        uint64_t keep = (((uint64_t)1 << bits) - 1) << (bits * k);
        bool written = field(i, 24 + k, 1);
        i128 v = operate(i->sub, a, b, field(i, 28, 4));
        if (i->mods & IR_M_SAT) v = saturate(v, bits, i->cop & IR_V_D_SIGNED);
        if (i->bop == IR_VC_ADD)
            d += written ? (uint64_t)v : 0;
        else
            d |= (written ? (uint64_t)v << (bits * k) : in->s[2]) & keep;
    }
    out->w[0] = ref_bits((uint32_t)d);
}
void ref_video2(const struct ref_in *in, struct ref_out *out) {
    parts(in, out, 2);
}
void ref_video4(const struct ref_in *in, struct ref_out *out) {
    parts(in, out, 4);
}
