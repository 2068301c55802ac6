/* Machine instructions of RV64GC: one word to one row of riscv.def and its fields. */
#ifndef HEDDLE_FRONT_RISCV_DECODE_H
#define HEDDLE_FRONT_RISCV_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ir/insn.h"

/* clang-format off */
/* The fields that an instruction has, in the order they are written in.
 * FORMAT(id, operands): X and F are registers, upper case the destination's field rd, then 1, 2, 3 for rs1 to rs3;
 * i an immediate of I type, s of S, b of B, u of U, j of J, h and w shift amounts of 6 and 5 bits, c a CSR's number,
 * z five bits in place of rs1, ( an address in rs1, r a rounding mode. */
#define RV_FORMATS(FORMAT)                                                                                             \
    FORMAT(NONE, "") FORMAT(R, "Xx1x2") FORMAT(I, "Xx1i") FORMAT(I0, "Xx1") FORMAT(SH6, "Xx1h") FORMAT(SH5, "Xx1w")    \
    FORMAT(LD, "Xi(") FORMAT(ST, "x2s(") FORMAT(BR, "x1x2b") FORMAT(U, "Xu") FORMAT(J, "Xj") FORMAT(JR, "Xi(")         \
    FORMAT(FENCE, "p") FORMAT(CSR, "Xcx1") FORMAT(CSRI, "Xcz") FORMAT(LR, "X(") FORMAT(AMO, "Xx2(")                    \
    FORMAT(FLD, "Fi(") FORMAT(FST, "f2s(") FORMAT(FFFF, "Ff1f2f3r") FORMAT(FFF, "Ff1f2r") FORMAT(FF, "Ff1r")           \
    FORMAT(FFF0, "Ff1f2") FORMAT(XFF, "Xf1f2") FORMAT(XF, "Xf1r") FORMAT(XF0, "Xf1") FORMAT(FX, "Fx1r")                \
    FORMAT(FX0, "Fx1")
/* clang-format on */

enum rv_format {
#define FORMAT(id, operands) RV_F_##id,
    RV_FORMATS(FORMAT)
#undef FORMAT
};

enum rv_id {
#define RV(id, ...) RV_##id,
#include "front/riscv/riscv.def"
    RV_NROWS
};

struct rv_row {
    const char *name;
    uint32_t match, mask;
    uint8_t format; /* enum rv_format */
    uint8_t sub;
    uint16_t op; /* enum ir_op */
};
extern const struct rv_row rv_rows[RV_NROWS];

struct rv_insn {
    uint16_t id;    /* enum rv_id; RV_NROWS: no such instruction */
    uint8_t length; /* bytes, 2 or 4 */
    uint8_t rd, rs1, rs2, rs3;
    uint8_t rm; /* rounding mode, or what else bits 14..12 are */
    int32_t imm;
    uint32_t word; /* as it is in memory */
};

/* The rows by bits 6..2 of the word: those of opcode k are row[first[k]] to row[first[k + 1] - 1]. */
struct rv_table {
    uint16_t first[33], row[RV_NROWS];
};
void rv_table_init(struct rv_table *t);

/* Decodes the word at p, of whose bytes n > 0 are there. If it is longer than that, or is no instruction, id is
 * RV_NROWS, and length says how far to go on. */
void rv_decode(const struct rv_table *t, const uint8_t *p, size_t n, struct rv_insn *out);
/* The instruction of 32 bits that a compressed one stands for; 0: none. */
uint32_t rv_expand(uint16_t c);

/* Adds "addw a0,a0,a1"; targets of jumps are addresses, from where the instruction is. */
void rv_print(struct sb *out, const struct rv_insn *i, uint64_t address);
extern const char *const rv_xname[32], *const rv_fname[32];

#endif
