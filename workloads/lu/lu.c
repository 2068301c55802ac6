/* Blocked LU decomposition (DWF Table 5.3: SPLASH LU, "each thread is responsible for the decomposition inside a block"; high
 * divergence, and data that stays in the cache: Table 6.2 has 0.05 % misses). Without pivoting, of matrices with a heavy
 * diagonal. As the elimination proceeds fewer and fewer threads have work, and at each step the diagonal, the
 * row, the column and the interior do different things.
 *
 * The thesis gives the number of threads (12288) and not the matrix. Fitted to misses and bandwidth under PDOM (Tables 6.1
 * and 6.3: 0.03 and 0.84 %): elements of a block, at small. Ours: one matrix of 16 x 16 blocks for each 256 threads,
 * so that barriers within a thread block are enough. Whatever the blocks, an element is changed by the same
 * subtractions in the same order as in plain elimination, which is what the CPU does: the check is exact. */
#include "workloads/workload.h"

static void eliminate(float *a, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (uint32_t j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

void work_lu(struct work *w) {
    const uint32_t matrices = work_pick(w, 2, 12, 48), across = work_pick(w, 8, 16, 16),
                   size = work_pick(w, 3, 5, 8);
    const uint32_t n = across * size, elements = matrices * n * n;
    float *a = work_host(w, elements, sizeof *a);
    for (uint32_t i = 0; i < elements; i++) {
        bool diagonal = i / n % n == i % n;
        a[i] = work_uniform(w, -1, 1) + (diagonal ? (float)n : 0);
    }
    uint64_t da = work_input(w, "matrices", a, elements * sizeof *a);
    WORK_LAUNCH(w, "lu", WORK_SHAPE(.grid = {matrices}, .block = {across * across}), hd_arg_ptr(da),
                hd_arg_u32(across), hd_arg_u32(size));
    for (uint32_t m = 0; m < matrices; m++) eliminate(a + m * n * n, n);
    work_check_f32(w, "matrices", da, a, elements, 0, 0);
}
