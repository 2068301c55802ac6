/* Laplace's equation in three dimensions, one Jacobi sweep. HARP Table 5: one launch of (4,25) blocks of (32,4), which is a
 * grid of 100 cells in x and y, and 81M instructions. The last block in x has 4 of 32 columns inside. Three planes of a tile are in
 * shared memory with a halo of 76 cells, corners included; each step hands them down. Rows are padded to whole 256 bytes, as
 * an allocation by rows has them. Ours: 160 planes, chosen for the number of instructions, and the start, random inside with the
 * faces kept. The CPU adds in the kernel's order: the check is exact. */
#include "workloads/workload.h"

enum { COLUMNS = 32, ROWS = 4, ALIGN = 64 };

struct grid {
    uint32_t nx, ny, nz, pitch;
};

static void sweep(float *out, const float *in, const struct grid *g) {
    size_t row = g->pitch, plane = row * g->ny;
    for (uint32_t z = 0; z < g->nz; z++)
        for (uint32_t y = 0; y < g->ny; y++)
            for (uint32_t x = 0; x < g->nx; x++) {
                size_t i = z * plane + y * row + x;
                bool face = !x || !y || !z || x + 1 == g->nx || y + 1 == g->ny || z + 1 == g->nz;
                out[i] = face ? in[i]
                              : (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] +
                                 in[i + plane]) *
                                    (1.0f / 6);
            }
}

void work_lps(struct work *w) {
    struct grid g = {work_pick(w, 36, 100, 100), work_pick(w, 6, 100, 100), work_pick(w, 6, 16, 160), 0};
    g.pitch = (g.nx + ALIGN - 1) / ALIGN * ALIGN;
    size_t n = (size_t)g.pitch * g.ny * g.nz;
    float *in = work_host(w, n, sizeof *in), *want = work_host(w, n, sizeof *want);
    for (size_t i = 0; i < n; i++) in[i] = i % g.pitch < g.nx ? work_uniform(w, 0, 1) : 0;
    uint64_t din = work_input(w, "u", in, n * sizeof *in), dout = work_buffer(w, "next", n * sizeof *in);
    WORK_LAUNCH(w, "lps",
                WORK_SHAPE(.grid = {(g.nx + COLUMNS - 1) / COLUMNS, (g.ny + ROWS - 1) / ROWS},
                           .block = {COLUMNS, ROWS}),
                hd_arg_ptr(dout), hd_arg_ptr(din), hd_arg_u32(g.nx), hd_arg_u32(g.ny), hd_arg_u32(g.nz),
                hd_arg_u32(g.pitch));
    sweep(want, in, &g);
    work_check_f32(w, "next", dout, want, n, 0, 0);
}
