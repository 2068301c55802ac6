/* Naive matrix multiply (DWF Table 5.3: a simple version, each thread computes one element of the product on its own; 12288
 * threads, no divergence). The thesis does not give the shape, only that memory is busy (Table 6.1: 84 %). Ours is a product
 * so wide that a core's 768 threads work on one row and all of b streams through it; memory is less busy than there, because
 * cores that ask for the same line at about the same time are served together. The CPU adds in the
 * kernel's order, in single precision and without fused operations, so that the check is exact. */
#include "workloads/workload.h"

static void multiply(float *c, const float *a, const float *b, uint32_t rows, uint32_t columns,
                     uint32_t depth) {
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            float sum = 0;
            for (uint32_t k = 0; k < depth; k++) sum += a[i * depth + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
}

static float *random_matrix(struct work *w, uint32_t n) {
    float *m = work_host(w, n, sizeof *m);
    for (uint32_t i = 0; i < n; i++) m[i] = work_uniform(w, -1, 1);
    return m;
}

void work_matrix(struct work *w) {
    uint32_t rows = work_pick(w, 2, 4, 16), columns = work_pick(w, 256, 768, 768),
             depth = work_pick(w, 24, 96, 256);
    uint32_t threads = rows * columns, block = work_pick(w, 64, 256, 256);
    float *a = random_matrix(w, rows * depth), *b = random_matrix(w, depth * columns);
    float *c = work_host(w, threads, sizeof *c);
    uint64_t da = work_input(w, "a", a, rows * depth * sizeof *a);
    uint64_t db = work_input(w, "b", b, depth * columns * sizeof *b);
    uint64_t dc = work_buffer(w, "c", threads * sizeof *c);
    WORK_LAUNCH(w, "matrix", WORK_SHAPE(.grid = {threads / block}, .block = {block}), hd_arg_ptr(dc),
                hd_arg_ptr(da), hd_arg_ptr(db), hd_arg_u32(rows), hd_arg_u32(columns), hd_arg_u32(depth));
    multiply(c, a, b, rows, columns, depth);
    work_check_f32(w, "c", dc, c, threads, 0, 0);
}
