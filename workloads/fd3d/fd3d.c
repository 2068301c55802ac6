/* One step of a finite-difference operator of order 8: a star of 25 points. SL Table 3 (stencil_3D_16x16_order8) gives the tile
 * and 3.2M warp instructions; the volume is ours, 160x160x52 cells, which comes to about as many. Only the first lanes of a row
 * load the halo left and right. The weights are those of the second derivative of order 8. The CPU adds in the kernel's
 * order: the check is exact. */
#include "workloads/workload.h"

enum { TILE = 16, RADIUS = 4 };

struct volume {
    uint32_t nx, ny, nz;      /* inside the frame of RADIUS cells */
    size_t row, plane, cells; /* with it */
};

static struct volume make_volume(uint32_t nx, uint32_t ny, uint32_t nz) {
    struct volume v = {nx, ny, nz, nx + 2 * RADIUS, 0, 0};
    v.plane = v.row * (ny + 2 * RADIUS);
    v.cells = v.plane * (nz + 2 * RADIUS);
    return v;
}

static float star(const float *at, const struct volume *v, const float *weight) {
    float sum = weight[0] * at[0];
    for (ptrdiff_t i = 1; i <= RADIUS; i++) {
        ptrdiff_t y = i * (ptrdiff_t)v->row, z = i * (ptrdiff_t)v->plane;
        sum += weight[i] * (at[-z] + at[z] + at[-y] + at[y] + at[-i] + at[i]);
    }
    return sum;
}

static void step(float *out, const float *in, const struct volume *v, const float *weight) {
    for (uint32_t z = 0; z < v->nz; z++)
        for (uint32_t y = 0; y < v->ny; y++)
            for (uint32_t x = 0; x < v->nx; x++) {
                size_t i = (z + RADIUS) * v->plane + (y + RADIUS) * v->row + x + RADIUS;
                out[i] = star(in + i, v, weight);
            }
}

void work_fd3d(struct work *w) {
    static const float weight[RADIUS + 1] = {3 * -205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
    uint32_t gx = work_pick(w, 2, 4, 10), gy = work_pick(w, 1, 4, 10);
    struct volume v = make_volume(gx * TILE, gy * TILE, work_pick(w, 6, 16, 52));
    float *in = work_host(w, v.cells, sizeof *in), *want = work_host(w, v.cells, sizeof *want);
    for (size_t i = 0; i < v.cells; i++) in[i] = work_uniform(w, -1, 1);
    work_write(w, work_symbol(w, "weight"), weight, sizeof weight);
    uint64_t din = work_input(w, "in", in, v.cells * sizeof *in);
    uint64_t dout = work_buffer(w, "out", v.cells * sizeof *want);
    WORK_LAUNCH(w, "stencil", WORK_SHAPE(.grid = {gx, gy}, .block = {TILE, TILE}), hd_arg_ptr(dout),
                hd_arg_ptr(din), hd_arg_u32(v.nx), hd_arg_u32(v.ny), hd_arg_u32(v.nz));
    step(want, in, &v, weight);
    work_check_f32(w, "out", dout, want, v.cells, 0, 0);
}
