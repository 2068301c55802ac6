/* Matrix multiply on tiles of 16x16. HARP Table 5: one launch of (5,8) blocks of (16,16); its 2.4M instructions fit a depth of
 * three tiles, as do those of SL Table 3 (matrixMul). It is small enough to be the size small too. Products are added by
 * multiply-add instructions. The CPU adds in the kernel's order: the check is exact. */
#include "workloads/workload.h"

#include <math.h>

enum { TILE = 16 };

static float *random_matrix(struct work *w, uint32_t n) {
    float *m = work_host(w, n, sizeof *m);
    for (uint32_t i = 0; i < n; i++) m[i] = work_uniform(w, -1, 1);
    return m;
}

void work_mtm(struct work *w) {
    uint32_t gx = work_pick(w, 2, 5, 5), gy = work_pick(w, 2, 8, 8);
    uint32_t columns = gx * TILE, rows = gy * TILE, depth = 3 * TILE;
    float *a = random_matrix(w, rows * depth), *b = random_matrix(w, depth * columns);
    float *c = work_host(w, rows * columns, sizeof *c);
    uint64_t da = work_input(w, "a", a, rows * depth * sizeof *a);
    uint64_t db = work_input(w, "b", b, depth * columns * sizeof *b);
    uint64_t dc = work_buffer(w, "c", rows * columns * sizeof *c);
    WORK_LAUNCH(w, "mtm", WORK_SHAPE(.grid = {gx, gy}, .block = {TILE, TILE}), hd_arg_ptr(dc), hd_arg_ptr(da),
                hd_arg_ptr(db), hd_arg_u32(columns), hd_arg_u32(depth));
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t k = 0; k < depth; k++)
            for (uint32_t x = 0; x < columns; x++)
                c[y * columns + x] = fmaf(a[y * depth + k], b[k * columns + x], c[y * columns + x]);
    work_check_f32(w, "c", dc, c, rows * columns, 0, 0);
}
