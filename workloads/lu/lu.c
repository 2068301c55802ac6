/* Blocked LU decomposition (DWF Table 5.3: SPLASH LU, "each thread is responsible for the decomposition inside a block"; high
 * divergence, and data that stays in the cache: Table 6.2 has 0.05 % misses). Without pivoting, of matrices with a heavy
 * diagonal. As the elimination proceeds fewer and fewer threads have work, and at each step the diagonal, the
 * row, the column and the interior do different things.
 *
 * The thesis gives the number of threads (12288) and not the matrix. Fitted under PDOM to misses, misses with hits on lines on
 * their way, and bandwidth (Tables 6.3, 6.2 and 6.1: 0.03, 0.05 and 0.84 %): 5 x 5 elements of 32 bits a block. Ours: one
 * matrix a core, of 27 x 27 blocks (729 of a core's 768 threads), so that barriers within a thread block are enough. 27 is odd:
 * the blocks of a column, which are busy at the same time, are on all lanes; 16 x 16 would put each column on one or two.
 * The elements of a block lie together, as in the SPLASH version with contiguous blocks. Whatever the blocks, an element is
 * changed by the same subtractions in the same order as in plain elimination, which is what the CPU does: the check is
 * exact. */
#include "workloads/workload.h"

/* A matrix of across x across square blocks, each with its elements together. */
struct matrix {
    float *v;
    uint32_t across, size;
};

static float *at(const struct matrix *m, uint32_t i, uint32_t j) {
    uint32_t block = i / m->size * m->across + j / m->size;
    return m->v + (block * m->size + i % m->size) * m->size + j % m->size;
}

static void eliminate(const struct matrix *m) {
    const uint32_t n = m->across * m->size;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) {
            const float l = *at(m, i, k) /= *at(m, k, k);
            for (uint32_t j = k + 1; j < n; j++) *at(m, i, j) -= l * *at(m, k, j);
        }
}

static void fill(struct work *w, const struct matrix *m) {
    const uint32_t n = m->across * m->size;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) *at(m, i, j) = work_uniform(w, -1, 1) + (i == j ? (float)n : 0);
}

void work_lu(struct work *w) {
    const uint32_t matrices = work_pick(w, 2, 4, 16), across = work_pick(w, 9, 27, 27),
                   size = work_pick(w, 3, 5, 5);
    const uint32_t each = across * across * size * size, elements = matrices * each;
    float *a = work_host(w, elements, sizeof *a);
    for (uint32_t m = 0; m < matrices; m++) fill(w, &(struct matrix){a + m * each, across, size});
    uint64_t da = work_input(w, "matrices", a, elements * sizeof *a);
    WORK_LAUNCH(w, "lu", WORK_SHAPE(.grid = {matrices}, .block = {across * across}), hd_arg_ptr(da),
                hd_arg_u32(across), hd_arg_u32(size));
    for (uint32_t m = 0; m < matrices; m++) eliminate(&(struct matrix){a + m * each, across, size});
    work_check_f32(w, "matrices", da, a, elements, 0, 0);
}
