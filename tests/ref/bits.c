/* Bit manipulation, one bit at a time. */
#include "ref.h"

static bool bit(uint64_t v, int n) {
    return v >> n & 1;
}
static int width(const struct ref_in *in) {
    return ref_width(in->row->s[0]);
}

void ref_popc(const struct ref_in *in, struct ref_out *out) {
    unsigned n = 0;
    for (int k = 0; k < width(in); k++) n += bit(in->s[0], k);
    ref_put(in, out, 0, n);
}

/* The arrivals that an mbarrier's state waits for: bits 20 to 39. */
void ref_mbar_pending(const struct ref_in *in, struct ref_out *out) {
    unsigned n = 0;
    for (int k = 0; k < 20; k++) n += (unsigned)bit(in->s[0], 20 + k) << k;
    ref_put(in, out, 0, n);
}

void ref_clz(const struct ref_in *in, struct ref_out *out) {
    unsigned n = 0;
    for (int k = width(in) - 1; k >= 0 && !bit(in->s[0], k); k--) n++;
    ref_put(in, out, 0, n);
}

void ref_brev(const struct ref_in *in, struct ref_out *out) {
    uint64_t d = 0;
    for (int k = 0; k < width(in); k++) d |= (uint64_t)bit(in->s[0], k) << (width(in) - 1 - k);
    ref_put(in, out, 0, d);
}

/* Position of the highest bit that is not a copy of the sign; sub 1: the left shift that brings it to the top. */
void ref_bfind(const struct ref_in *in, struct ref_out *out) {
    int top = width(in) - 1;
    bool boring = ir_type_signed(ref_type(in->row->s[0])) && bit(in->s[0], top);
    int k = top;
    while (k >= 0 && bit(in->s[0], k) == boring) k--;
    ref_put(in, out, 0, k < 0 ? 0xffffffffu : (u128)(in->i->sub ? top - k : k));
}

void ref_bfe(const struct ref_in *in, struct ref_out *out) {
    int top = width(in) - 1, pos = (int)(in->s[1] & 0xff), len = (int)(in->s[2] & 0xff);
    bool sign = false;
    if (ir_type_signed(ref_type(in->row->s[0])) && len > 0)
        sign = bit(in->s[0], pos + len - 1 < top ? pos + len - 1 : top);
    uint64_t d = 0;
    for (int k = 0; k <= top; k++)
        d |= (uint64_t)(k < len && pos + k <= top ? bit(in->s[0], pos + k) : sign) << k;
    ref_put(in, out, 0, d);
}

void ref_bfi(const struct ref_in *in, struct ref_out *out) {
    int top = width(in) - 1, pos = (int)(in->s[2] & 0xff), len = (int)(in->s[3] & 0xff);
    uint64_t d = in->s[1];
    for (int k = 0; k < len && pos + k <= top; k++) {
        d &= ~((uint64_t)1 << (pos + k));
        d |= (uint64_t)bit(in->s[0], k) << (pos + k);
    }
    ref_put(in, out, 0, d);
}

/* Ones at [from, from + len). */
static uint32_t ones(uint64_t from, uint64_t len) {
    uint32_t d = 0;
    for (uint64_t k = 0; k < 32; k++)
        if (k >= from && k < from + len) d |= 1u << k;
    return d;
}
void ref_bmsk_clamp(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, ones(in->s[0], in->s[1]));
}
void ref_bmsk_wrap(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, ones(in->s[0] & 31, in->s[1] & 31));
}

/* The low n bits of a, the others copies of the highest of them for .s32, else 0. */
static void extend(const struct ref_in *in, struct ref_out *out, uint64_t n) {
    uint32_t a = (uint32_t)in->s[0], d = a;
    if (n < 32) {
        bool sign = in->row->s[0] == IR_T_S32 && n > 0 && bit(a, (int)n - 1);
        for (uint64_t k = n; k < 32; k++) d = sign ? d | 1u << k : d & ~(1u << k);
    }
    ref_put(in, out, 0, d);
}
void ref_szext_clamp(const struct ref_in *in, struct ref_out *out) {
    extend(in, out, in->s[1]);
}
void ref_szext_wrap(const struct ref_in *in, struct ref_out *out) {
    extend(in, out, in->s[1] & 31);
}

/* The n-th set bit from base, upwards for positive n, downwards for negative, base itself for 0.
 * A base that is no lane is undefined. */
void ref_fns(const struct ref_in *in, struct ref_out *out) {
    uint32_t mask = (uint32_t)in->s[0], base = (uint32_t)in->s[1];
    int64_t offset = (int32_t)(uint32_t)in->s[2], left = offset < 0 ? -offset : offset;
    if (base > 31) {
        out->w[0].kind = REF_ANY;
        return;
    }
    ref_put(in, out, 0, 0xffffffffu);
    if (offset == 0) {
        if (bit(mask, (int)base)) ref_put(in, out, 0, base);
        return;
    }
    for (int pos = (int)base; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
        if (bit(mask, pos) && --left == 0) {
            ref_put(in, out, 0, (u128)pos);
            return;
        }
    }
}

/* d[k] = table bit {a[k], b[k], c[k]} */
static uint64_t logic(const struct ref_in *in, unsigned table) {
    uint64_t d = 0;
    for (int k = 0; k < width(in); k++) {
        int row = bit(in->s[0], k) << 2 | bit(in->s[1], k) << 1 | bit(in->s[2], k);
        d |= (uint64_t)bit(table, row) << k;
    }
    return d;
}
/* Truth tables over a and b alone: both values of c alike. */
void ref_and(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, logic(in, 0xc0));
}
void ref_or(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, logic(in, 0xfc));
}
void ref_xor(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, logic(in, 0x3c));
}
void ref_not(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, logic(in, 0x0f));
}
void ref_cnot(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, in->s[0] == 0);
}
void ref_lop3(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, logic(in, in->i->sub));
}
void ref_lop3_p(const struct ref_in *in, struct ref_out *out) {
    uint64_t d = logic(in, in->i->sub);
    bool q = in->s[3];
    ref_put(in, out, 0, d);
    ref_put(in, out, 1, in->i->bop == IR_BOP_OR ? d != 0 || q : d != 0 && q);
}

void ref_shl(const struct ref_in *in, struct ref_out *out) {
    uint64_t d = in->s[0];
    for (uint64_t k = 0; k < in->s[1] && k < 64; k++) d += d;
    ref_put(in, out, 0, d);
}
void ref_shr(const struct ref_in *in, struct ref_out *out) {
    i128 d = ref_value(in, 0);
    for (uint64_t k = 0; k < in->s[1] && k < 64; k++) d = (d - (d & 1)) / 2;
    ref_put(in, out, 0, (u128)d);
}

/* {b, a} as 64 bits: .l shows the upper word after a left shift, .r the lower word after a right shift. */
static uint64_t pair(const struct ref_in *in) {
    return in->s[1] << 32 | in->s[0];
}
static uint64_t most32(uint64_t n) {
    return n > 32 ? 32 : n;
}
void ref_shf_l_clamp(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, ((u128)pair(in) << most32(in->s[2])) >> 32);
}
void ref_shf_l_wrap(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, ((u128)pair(in) << in->s[2] % 32) >> 32);
}
void ref_shf_r_clamp(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, pair(in) >> most32(in->s[2]));
}
void ref_shf_r_wrap(const struct ref_in *in, struct ref_out *out) {
    ref_put(in, out, 0, pair(in) >> in->s[2] % 32);
}

/* The special modes as in the ISA's table: for each control value the source bytes of d.b3, d.b2, d.b1, d.b0. */
void ref_prmt(const struct ref_in *in, struct ref_out *out) {
    static const char *const table[7][4] = {
        [IR_PRMT_F4E] = {"3210", "4321", "5432", "6543"}, [IR_PRMT_B4E] = {"5670", "6701", "7012", "0123"},
        [IR_PRMT_RC8] = {"0000", "1111", "2222", "3333"}, [IR_PRMT_ECL] = {"3210", "3211", "3222", "3333"},
        [IR_PRMT_ECR] = {"0000", "1110", "2210", "3210"}, [IR_PRMT_RC16] = {"1010", "3232", "1010", "3232"}};
    uint64_t source = pair(in), d = 0;
    for (int n = 0; n < 4; n++) {
        unsigned select = (unsigned)(in->s[2] >> (4 * n)) & 15;
        if (in->i->sub != IR_PRMT_DEFAULT) select = (unsigned)(table[in->i->sub][in->s[2] & 3][3 - n] - '0');
        uint64_t byte = source >> (8 * (select & 7)) & 0xff;
        if (select & 8) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << (8 * n);
    }
    ref_put(in, out, 0, d);
}
