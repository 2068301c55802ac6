/* Matrix multiplication by a warp, and the arithmetic of it. */
#ifndef HEDDLE_EXEC_MMA_H
#define HEDDLE_EXEC_MMA_H

#include "exec/impl.h"

/* For all 32 threads. */
void mma_run(struct exec_ctx *x, const struct ir_insn *i);

/* A factor of a product: what it is worth, and the exponent of its leading bit (0 where it is zero or not finite). */
struct mma_factor {
    double value;
    int32_t exponent;
};
/* c + the sum of the products, as a tensor core adds them: mma_math.c. */
float mma_dot(const struct mma_factor *a, const struct mma_factor *b, uint32_t k, float c);
double mma_dot_f64(const double *a, const double *b, uint32_t k, double c, enum ir_round mode);

#endif
