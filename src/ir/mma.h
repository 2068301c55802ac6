/* Matrix instructions: the types of elements, the words of an instruction, and which thread of a warp holds which element
 * of a matrix. Shared by the front end, which reads and writes fragments, and by exec, which multiplies them.
 *
 * One rule covers every fragment of mma.sync but those of m8n8k4 on f16 (PTX ISA, "Matrix Fragments for mma..."): a
 * matrix is seen as rows (outer) of elements that lie side by side (inner): A by its rows, B by its columns. A register
 * holds `per` elements side by side. `threads` threads, four unless rows are shorter or fewer than eight, hold a part of
 * one row, so that a warp's registers of one number hold one pass over 32 / threads rows. The remaining parts of the rows
 * (groups) and the remaining rows (passes) are in further registers. C and D have a pair of elements where A and B have a
 * register.
 *
 * For wmma the manual leaves open who holds what. Here it is the same rule, applied to the matrix as it lies in memory:
 * a matrix A stored by columns has these as rows. */
#ifndef HEDDLE_IR_MMA_H
#define HEDDLE_IR_MMA_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* TYPE(id, name, bits) */
#define IR_MMA_TYPES(TYPE)                                                                                             \
    TYPE(F16, "f16", 16) TYPE(BF16, "bf16", 16) TYPE(TF32, "tf32", 32) TYPE(F32, "f32", 32) TYPE(F64, "f64", 64)       \
    TYPE(E4M3, "e4m3", 8) TYPE(E5M2, "e5m2", 8) TYPE(S8, "s8", 8) TYPE(U8, "u8", 8) TYPE(S4, "s4", 4)                  \
    TYPE(U4, "u4", 4) TYPE(B1, "b1", 1) TYPE(S32, "s32", 32)
/* clang-format on */
enum ir_mma_type {
#define TYPE(id, name, bits) IR_MT_##id,
    IR_MMA_TYPES(TYPE)
#undef TYPE
        IR_MT_COUNT
};
extern const char *const ir_mma_name[IR_MT_COUNT];
extern const uint8_t ir_mma_bits[IR_MT_COUNT];

/* Words of MMA_*: [SHAPE] m | n << 8 | k << 16; [KINDS] types of a, b, c, d, a byte each; then the registers of a, b and
 * c, and of the metadata if it is sparse (insn.h, IR_MORE). */
enum { IR_MMA_SHAPE, IR_MMA_KINDS };

/* insn.sub of MMA_* */
enum {
    IR_MMA_A_COL = 1, /* the fragment of a is of a matrix stored by columns */
    IR_MMA_B_ROW = 2, /* the fragment of b is of a matrix stored by rows */
    IR_MMA_QUADS = 4, /* m8n8k4 on f16: four products, each by eight threads */
    IR_MMA_AND = 8,   /* b1: .and.popc, else .xor.popc */
    IR_MMA_SPARSE = 16,
    IR_MMA_SELECTOR = 5 /* shift: sparse, whose metadata counts */
};

struct ir_mma {
    uint32_t m, n, k;
    enum ir_mma_type a, b, c, d;
    uint32_t flags; /* insn.sub */
};
/* From the two words and sub. */
struct ir_mma ir_mma_of(const uint32_t *words, uint8_t sub);

/* How a matrix lies in registers. */
struct ir_frag {
    uint32_t outer, inner, per, threads, rows, passes, groups;
    bool pairs; /* two passes' registers go together, as the halves of 16 rows of A do */
};
struct ir_frag ir_frag_a(const struct ir_mma *s);
struct ir_frag ir_frag_b(const struct ir_mma *s);
static inline uint32_t ir_frag_regs(const struct ir_frag *f) {
    return f->passes * f->groups;
}
static inline uint32_t ir_frag_reg(const struct ir_frag *f, uint32_t pass, uint32_t group) {
    const uint32_t together = f->pairs && f->passes > 1 ? 2 : 1;
    return pass / together * together * f->groups + group * together + pass % together;
}
/* Registers of c, or d, of that type. */
uint32_t ir_mma_acc_regs(const struct ir_mma *s, enum ir_mma_type t);
/* The first of the pair of elements of C that tiles of 8 rows and 8 columns have: the pair holds row lane / 4, columns
 * 2 (lane % 4) and the next, of its tile. */
static inline uint32_t ir_acc_at(const struct ir_mma *s, uint32_t row_tile, uint32_t col_tile) {
    return 2 * (col_tile * (s->m / 8) + row_tile);
}

/* How many steps of a tensor unit it is: multiplications of 16 x 8 x 8 halves, 8 x 8 x 16 bytes or 8 x 8 x 4 doubles, or
 * what is as much work. */
uint32_t ir_mma_steps(const struct ir_mma *s);

/* wmma.load and wmma.store become loads and stores of their parts; WMMA_AT computes where a thread's are. imm: */
enum {
    IR_AT_OUTER = 0,    /* 8 bits: the first row */
    IR_AT_THREADS = 8,  /* 4 bits: threads to a row */
    IR_AT_PER = 12,     /* 8 bits: elements that each thread has */
    IR_AT_LG_BITS = 20, /* 4 bits: logarithm of an element's bits */
    IR_AT_ACROSS = 24   /* C stored by columns: row 2 (lane % 4), element lane / 4 */
};

#endif
