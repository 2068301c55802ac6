/* Comparison into predicates and registers, selection, moves between registers of different widths. */
#include "ref.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* Which outcomes of a comparison make each operator true. */
static const uint8_t truth[] = {[IR_EQ] = EQUAL,
                                [IR_NE] = LESS | GREATER,
                                [IR_LT] = LESS,
                                [IR_LE] = LESS | EQUAL,
                                [IR_GT] = GREATER,
                                [IR_GE] = GREATER | EQUAL,
                                [IR_EQU] = EQUAL | UNORDERED,
                                [IR_NEU] = LESS | GREATER | UNORDERED,
                                [IR_LTU] = LESS | UNORDERED,
                                [IR_LEU] = LESS | EQUAL | UNORDERED,
                                [IR_GTU] = GREATER | UNORDERED,
                                [IR_GEU] = GREATER | EQUAL | UNORDERED,
                                [IR_NUM] = LESS | EQUAL | GREATER,
                                [IR_NAN] = UNORDERED};

static bool compare(const struct ref_in *in, int half) {
    int outcome = 0;
    if (ref_fmt(in->row->s[0])) {
        static const uint8_t of[] = {LESS, EQUAL, GREATER, UNORDERED};
        outcome = of[soft_compare(ref_float(in, 0, half), ref_float(in, 1, half)) + 1];
    } else {
        i128 a = ref_value(in, 0), b = ref_value(in, 1);
        outcome = a < b ? LESS : a > b ? GREATER : EQUAL;
    }
    return truth[in->i->sub] & outcome;
}

static bool combine(const struct ref_in *in, bool t) {
    bool c = in->s[2];
    switch (in->i->bop) {
    case IR_BOP_OR: return t || c;
    case IR_BOP_AND: return t && c;
    case IR_BOP_XOR: return t != c;
    default: return t;
    }
}

/* p|q: the comparison and its complement; for two halves the comparison of each. */
void ref_setp(const struct ref_in *in, struct ref_out *out) {
    bool t = compare(in, 0), u = ref_two_parts(in->row->s[0]) ? compare(in, 1) : !t;
    out->w[0] = ref_bits(combine(in, t));
    out->w[1] = ref_bits(combine(in, u));
}

static uint64_t true_value(enum ir_type dtype, bool of_half) {
    const struct soft_fmt *f = ref_fmt((uint8_t)dtype);
    if (f) return soft_encode(f, soft_int(1), SOFT_RN);
    return of_half || ir_type_bytes[dtype] == 2 ? 0xffff : 0xffffffffu;
}

void ref_set(const struct ref_in *in, struct ref_out *out) {
    bool halves = ref_two_parts(in->row->s[0]);
    uint64_t yes = true_value((enum ir_type)in->i->dtype, halves);
    uint64_t d = combine(in, compare(in, 0)) ? yes : 0;
    if (halves && combine(in, compare(in, 1))) d |= yes << 16;
    out->w[0] = ref_bits(d);
}

void ref_selp(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = ref_bits(in->s[2] ? in->s[0] : in->s[1]);
}

/* c >= 0 takes a: -0 is 0, a NaN is not, and with .ftz a negative subnormal is -0. */
void ref_slct(const struct ref_in *in, struct ref_out *out) {
    bool take_a = false;
    if (ref_fmt(in->row->s[2])) {
        enum soft_order o = soft_compare(ref_float(in, 2, 0), soft_int(0));
        take_a = o == SOFT_EQUAL || o == SOFT_GREATER;
    } else {
        take_a = ref_value(in, 2) >= 0;
    }
    out->w[0] = ref_bits(in->s[take_a ? 0 : 1]);
}

void ref_mov(const struct ref_in *in, struct ref_out *out) {
    out->w[0] = ref_bits(in->s[0]);
}

/* The first source is the least significant. */
void ref_pack(const struct ref_in *in, struct ref_out *out) {
    int bits = ref_width(in->row->s[0]);
    uint64_t d = 0;
    for (int k = ref_count(in->row->s) - 1; k >= 0; k--) d = d << bits | in->s[k];
    out->w[0] = ref_bits(d);
}
void ref_unpack(const struct ref_in *in, struct ref_out *out) {
    int bits = ref_width(in->row->d[0]);
    for (int k = 0; k < ref_count(in->row->d); k++) ref_put(in, out, k, in->s[0] >> (bits * k));
}
