/* Matrix multiplication by a warp as the PTX manual has it: which thread holds which element, and what is added. Written
 * from the manual's tables, shape by shape, and from Fasi et al. 2021, not from src/. */
#ifndef HEDDLE_TESTS_REF_MMA_H
#define HEDDLE_TESTS_REF_MMA_H

#include <stdbool.h>
#include <stdint.h>

struct ref_mma {
    unsigned m, n, k;
    const char *a, *b, *c, *d; /* types */
    bool a_col, b_row;         /* m8n8k4 on f16 alone */
    bool sat, bits_and;
    int round; /* rounding of f64: that of fenv.h */
};

/* Where element i of a thread's fragment is. matrix: 'a', 'b', or 'c' (d, of the type of c). */
void ref_mma_place(const struct ref_mma *s, char matrix, const char *type, unsigned lane, unsigned i,
                   unsigned *row, unsigned *col);
unsigned ref_mma_elements(const struct ref_mma *s, char matrix); /* elements that a thread has */
unsigned ref_mma_bits(const char *type);

/* c + a[0] b[0] + ... of n elements of these types, raw bits; a result of the type d. */
uint64_t ref_mma_sum(const struct ref_mma *s, const uint64_t *a, const uint64_t *b, unsigned n, uint64_t c);

#endif
