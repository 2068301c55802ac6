/* Laplace's equation in three dimensions, one Jacobi sweep. HARP Table 5: one launch of (4,25) blocks of (32,4), which is a
 * grid of 100 cells in x and y; its 81M instructions fit 100 planes. The last block in x has 4 of 32 columns inside. Ours: the
 * start, random inside with the faces kept. The CPU adds in the kernel's order: the check is exact. */
#include "workloads/workload.h"

enum { COLUMNS = 32, ROWS = 4 };

static void sweep(float *out, const float *in, uint32_t nx, uint32_t ny, uint32_t nz) {
    size_t row = nx, plane = (size_t)nx * ny, i = 0;
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++, i++) {
                bool face = !x || !y || !z || x + 1 == nx || y + 1 == ny || z + 1 == nz;
                out[i] = face ? in[i]
                              : (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] +
                                 in[i + plane]) *
                                    (1.0f / 6);
            }
}

void work_lps(struct work *w) {
    uint32_t nx = work_pick(w, 36, 100, 100), ny = work_pick(w, 6, 100, 100), nz = work_pick(w, 6, 14, 100);
    uint32_t n = nx * ny * nz;
    float *in = work_host(w, n, sizeof *in), *want = work_host(w, n, sizeof *want);
    for (uint32_t i = 0; i < n; i++) in[i] = work_uniform(w, 0, 1);
    uint64_t din = work_input(w, "u", in, n * sizeof *in), dout = work_buffer(w, "next", n * sizeof *in);
    WORK_LAUNCH(
        w, "lps",
        WORK_SHAPE(.grid = {(nx + COLUMNS - 1) / COLUMNS, (ny + ROWS - 1) / ROWS}, .block = {COLUMNS, ROWS}),
        hd_arg_ptr(dout), hd_arg_ptr(din), hd_arg_u32(nx), hd_arg_u32(ny), hd_arg_u32(nz));
    sweep(want, in, nx, ny, nz);
    work_check_f32(w, "next", dout, want, n, 0, 0);
}
