/* What the lowering of mma, wmma.mma, wmma.load and wmma.store share. */
#ifndef HEDDLE_FRONT_PTX_LOWER_MMA_H
#define HEDDLE_FRONT_PTX_LOWER_MMA_H

#include "front/ptx/lower.h"
#include "ir/mma.h"

enum mma_instruction { MMA, WMMA };
enum mma_family { HALF, BF16, TF32, FP8, F64, INT8, INT4, BITS };

enum { MMA_REGS = 8 }; /* registers of a fragment, at most */

/* Its shape and those of its types that say what the factors are, as the table of shapes has them; false: it does not. */
bool mma_shape(const struct stmt *s, enum mma_instruction of, enum mma_family f, struct ir_mma *to);
/* The n-th type that was written; IR_MT_COUNT: it is none of a matrix, or there is none. */
enum ir_mma_type mma_type(const struct stmt *s, unsigned n);
bool mma_family_of(enum ir_mma_type t, enum mma_family *f);
/* Is the n-th .row or .col a .col? No: there is no n-th one. */
bool mma_major(const struct stmt *s, unsigned n, bool *column);
/* The registers of a fragment, n of them. */
bool mma_registers(struct ptx *p, const struct opnd *o, unsigned n, enum ir_mma_type t, bool to,
                   ir_opnd *out);
/* What a program writes for a fragment of A or B of wmma: as many as it has, but eight always in f16, which holds them
 * twice or more. */
unsigned mma_written(const struct ir_frag *f, enum ir_mma_type t);

bool lower_wmma_load(struct ptx *p, struct stmt *s);
bool lower_wmma_store(struct ptx *p, struct stmt *s);

#endif
