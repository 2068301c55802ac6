/* Compressed instructions: each of the C extension for RV64 stands for one instruction of 32 bits. Encodings that are
 * reserved, and those that the standard leaves to the future, stand for none. Hints do nothing and become what they say. */
#include "front/riscv/decode.h"

/* Bits [lo, lo + n) of the halfword, moved to bit `to`. */
#define BITS(lo, n, to) ((c >> (lo) & ((1u << (n)) - 1)) << (to))

enum { OP_IMM = 0x13, OP_IMM_32 = 0x1b, OP = 0x33, OP_32 = 0x3b, LUI = 0x37, LOAD = 0x03, STORE = 0x23 };
enum { LOAD_FP = 0x07, STORE_FP = 0x27, BRANCH = 0x63, JAL = 0x6f, JALR = 0x67, SP = 2 };

static uint32_t i_type(uint32_t op, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t imm) {
    return (imm & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
static uint32_t s_type(uint32_t op, uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t imm) {
    return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 0x1f) << 7 | op;
}
static uint32_t r_type(uint32_t op, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1, uint32_t rs2) {
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
static uint32_t b_type(uint32_t f3, uint32_t rs1, uint32_t imm) {
    return (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3f) << 25 | rs1 << 15 | f3 << 12 | (imm >> 1 & 0xf) << 8 |
           (imm >> 11 & 1) << 7 | BRANCH;
}
static uint32_t j_type(uint32_t rd, uint32_t imm) {
    return (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 | (imm >> 11 & 1) << 20 |
           (imm >> 12 & 0xff) << 12 | rd << 7 | JAL;
}
static uint32_t extend(uint32_t v, int bits) {
    return (v ^ 1u << (bits - 1)) - (1u << (bits - 1));
}

/* Quadrant 0: loads and stores of the eight registers from x8 on, and addi4spn. */
static uint32_t expand0(uint32_t c) {
    const uint32_t rd = 8 + BITS(2, 3, 0), rs1 = 8 + BITS(7, 3, 0);
    const uint32_t word = BITS(10, 3, 3) | BITS(6, 1, 2) | BITS(5, 1, 6),
                   wide = BITS(10, 3, 3) | BITS(5, 2, 6);
    const uint32_t spn = BITS(11, 2, 4) | BITS(7, 4, 6) | BITS(6, 1, 2) | BITS(5, 1, 3);
    switch (c >> 13) {
    case 0: return spn ? i_type(OP_IMM, 0, rd, SP, spn) : 0;
    case 1: return i_type(LOAD_FP, 3, rd, rs1, wide);
    case 2: return i_type(LOAD, 2, rd, rs1, word);
    case 3: return i_type(LOAD, 3, rd, rs1, wide);
    case 5: return s_type(STORE_FP, 3, rs1, rd, wide);
    case 6: return s_type(STORE, 2, rs1, rd, word);
    case 7: return s_type(STORE, 3, rs1, rd, wide);
    default: return 0;
    }
}

/* c.srli, c.srai, c.andi and the operations of two of the eight registers. */
static uint32_t expand_arith(uint32_t c, uint32_t imm) {
    const uint32_t rd = 8 + BITS(7, 3, 0), rs2 = 8 + BITS(2, 3, 0), shift = imm & 0x3f;
    static const uint8_t f3[4] = {0, 4, 6, 7};
    switch (c >> 10 & 3) {
    case 0: return i_type(OP_IMM, 5, rd, rd, shift);
    case 1: return i_type(OP_IMM, 5, rd, rd, shift | 0x400);
    case 2: return i_type(OP_IMM, 7, rd, rd, imm);
    default: break;
    }
    const uint32_t which = c >> 5 & 3, sub = which == 0 ? 0x20 : 0;
    if (!(c >> 12 & 1)) return r_type(OP, f3[which], sub, rd, rd, rs2);
    return which < 2 ? r_type(OP_32, 0, which == 0 ? 0x20 : 0, rd, rd, rs2) : 0;
}

static uint32_t expand1(uint32_t c) {
    const uint32_t rd = BITS(7, 5, 0), low = 8 + BITS(7, 3, 0),
                   imm = extend(BITS(12, 1, 5) | BITS(2, 5, 0), 6);
    const uint32_t sp16 =
        extend(BITS(12, 1, 9) | BITS(6, 1, 4) | BITS(5, 1, 6) | BITS(3, 2, 7) | BITS(2, 1, 5), 10);
    const uint32_t jump = extend(BITS(12, 1, 11) | BITS(11, 1, 4) | BITS(9, 2, 8) | BITS(8, 1, 10) |
                                     BITS(7, 1, 6) | BITS(6, 1, 7) | BITS(3, 3, 1) | BITS(2, 1, 5),
                                 12);
    const uint32_t branch =
        extend(BITS(12, 1, 8) | BITS(10, 2, 3) | BITS(5, 2, 6) | BITS(3, 2, 1) | BITS(2, 1, 5), 9);
    switch (c >> 13) {
    case 0: return i_type(OP_IMM, 0, rd, rd, imm);
    case 1: return rd ? i_type(OP_IMM_32, 0, rd, rd, imm) : 0;
    case 2: return i_type(OP_IMM, 0, rd, 0, imm);
    case 3:
        if (rd == SP) return sp16 ? i_type(OP_IMM, 0, SP, SP, sp16) : 0;
        return imm ? (imm & 0xfffff) << 12 | rd << 7 | LUI : 0;
    case 4: return expand_arith(c, imm);
    case 5: return j_type(0, jump);
    case 6: return b_type(0, low, branch);
    default: return b_type(1, low, branch);
    }
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static uint32_t expand_registers(uint32_t rd, uint32_t rs2, bool second) {
    if (rs2) return r_type(OP, 0, 0, rd, second ? rd : 0, rs2);
    if (rd) return i_type(JALR, 0, second, rd, 0);
    return second ? 0x100073 : 0;
}

/* Quadrant 2: slli, loads and stores by the stack pointer, jumps by registers. */
static uint32_t expand2(uint32_t c) {
    const uint32_t rd = BITS(7, 5, 0), rs2 = BITS(2, 5, 0), shift = BITS(12, 1, 5) | BITS(2, 5, 0);
    const uint32_t load4 = BITS(12, 1, 5) | BITS(4, 3, 2) | BITS(2, 2, 6);
    const uint32_t load8 = BITS(12, 1, 5) | BITS(5, 2, 3) | BITS(2, 3, 6);
    const uint32_t store4 = BITS(9, 4, 2) | BITS(7, 2, 6), store8 = BITS(10, 3, 3) | BITS(7, 3, 6);
    switch (c >> 13) {
    case 0: return i_type(OP_IMM, 1, rd, rd, shift);
    case 1: return i_type(LOAD_FP, 3, rd, SP, load8);
    case 2: return rd ? i_type(LOAD, 2, rd, SP, load4) : 0;
    case 3: return rd ? i_type(LOAD, 3, rd, SP, load8) : 0;
    case 4: return expand_registers(rd, rs2, c >> 12 & 1);
    case 5: return s_type(STORE_FP, 3, SP, rs2, store8);
    case 6: return s_type(STORE, 2, SP, rs2, store4);
    default: return s_type(STORE, 3, SP, rs2, store8);
    }
}

uint32_t rv_expand(uint16_t c) {
    switch (c & 3) {
    case 0: return expand0(c);
    case 1: return expand1(c);
    case 2: return expand2(c);
    default: return 0;
    }
}
