/* Integer instructions of RISC-V that no row of PTX is, from the ISA manual's words: operations on 64 bits, and those on the low
 * 32 bits whose result is sign-extended. Division by zero gives all ones and leaves the dividend; the quotient of the least
 * number and -1 is that number, with remainder 0. */
#include "ref.h"

#define A   ref_value(in, 0)
#define B   ref_value(in, 1)
#define IMM ((i128)in->i->disp)
#define REF(name, expr)                                                \
    void ref_rv_##name(const struct ref_in *in, struct ref_out *out) { \
        ref_put(in, out, 0, (u128)(expr));                             \
    }

static i128 power(i128 n) {
    return (i128)1 << n;
}
/* v modulo 2^32, from -2^31 on. */
static i128 word(i128 v) {
    v &= 0xffffffff;
    return v >> 31 ? v - power(32) : v;
}
static i128 unsigned_word(i128 v) {
    return v & 0xffffffff;
}
/* Rounds down, as a shift does. */
static i128 shift_right(i128 v, i128 n) {
    const i128 q = v / power(n);
    return v < 0 && q * power(n) != v ? q - 1 : q;
}
static bool is_signed(const struct ref_in *in) {
    return in->row->s[0] == IR_T_S64;
}
/* An immediate is extended by its sign, and then compared as the operand is. */
static i128 immediate(const struct ref_in *in) {
    return is_signed(in) || IMM >= 0 ? IMM : IMM + power(64);
}
static i128 quotient(i128 a, i128 b) {
    return b ? a / b : -1;
}
static i128 remainder_of(i128 a, i128 b) {
    return b ? a % b : a;
}

REF(addi, A + IMM)
REF(slti, A < immediate(in))
REF(xori, (u128)A ^ (u128)IMM)
REF(ori, (u128)A | (u128)IMM)
REF(andi, (u128)A &(u128)IMM)
REF(slli, A *power(IMM & 63))
REF(srli, shift_right(A, IMM & 63))
REF(addiw, word(A + IMM))
REF(slliw, word(A *power(IMM & 31)))
REF(srliw, word(shift_right(unsigned_word(A), IMM & 31)))
REF(sraiw, word(shift_right(word(A), IMM & 31)))
REF(sll, (u128)A *(u128)power(B & 63))
REF(srl, shift_right(A, B & 63))
REF(slt, A < B)
REF(addw, word(A + B))
REF(subw, word(A - B))
REF(sllw, word(unsigned_word(A) * power(B & 31)))
REF(srlw, word(shift_right(unsigned_word(A), B & 31)))
REF(sraw, word(shift_right(word(A), B & 31)))
/* The product of 64 and 64 bits fits, whatever the sign of the first. */
REF(mulhsu, shift_right((A >> 32) * B + shift_right((A & 0xffffffff) * B, 32), 32))
REF(mulw, word(word(A) * word(B)))
REF(divw, word(quotient(word(A), word(B))))
REF(divuw, word(quotient(unsigned_word(A), unsigned_word(B))))
REF(remw, word(remainder_of(word(A), word(B))))
REF(remuw, word(remainder_of(unsigned_word(A), unsigned_word(B))))
