/* Naive matrix multiply (DWF Table 5.3: a simple version, each thread computes one element of the product on its own; 12288
 * threads, no divergence). The thesis does not give the shape. Fitted to misses and bandwidth under PDOM (Tables 6.1 to 6.3:
 * 84.0 and 5.7 %, 7.9 % with hits on lines that are on their way): double precision, and neighbouring threads on neighbouring
 * rows of a, each with lines of its own: a line that is missed is asked for by 1.4 accesses there, not by the eight of
 * neighbours that share one. A core's 768 threads have one column of the product. The CPU adds in the
 * kernel's order, without fused operations, so that the check is exact. */
#include "workloads/workload.h"

static void multiply(double *c, const double *a, const double *b, uint32_t rows, uint32_t columns,
                     uint32_t depth) {
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < depth; k++) sum += a[i * depth + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
}

static double *random_matrix(struct work *w, uint32_t n) {
    double *m = work_host(w, n, sizeof *m);
    for (uint32_t i = 0; i < n; i++) m[i] = (double)work_uniform(w, -1, 1);
    return m;
}

void work_matrix(struct work *w) {
    uint32_t rows = work_pick(w, 256, 768, 768), columns = work_pick(w, 2, 4, 16),
             depth = work_pick(w, 24, 104, 264);
    uint32_t threads = rows * columns, block = work_pick(w, 64, 256, 256);
    double *a = random_matrix(w, rows * depth), *b = random_matrix(w, depth * columns);
    double *c = work_host(w, threads, sizeof *c);
    uint64_t da = work_input(w, "a", a, rows * depth * sizeof *a);
    uint64_t db = work_input(w, "b", b, depth * columns * sizeof *b);
    uint64_t dc = work_buffer(w, "c", threads * sizeof *c);
    WORK_LAUNCH(w, "matrix", WORK_SHAPE(.grid = {threads / block}, .block = {block}), hd_arg_ptr(dc),
                hd_arg_ptr(da), hd_arg_ptr(db), hd_arg_u32(rows), hd_arg_u32(columns), hd_arg_u32(depth));
    multiply(c, a, b, rows, columns, depth);
    work_check_f64(w, "c", dc, c, threads, 0, 0);
}
