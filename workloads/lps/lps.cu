// One Jacobi sweep of the 3D Laplace equation: a block marches in z with the current plane's tile and halo in shared memory
// (HARP Table 5).
// regen: -mllvm -disable-block-placement
#include "cuda.h"

#define COLUMNS 32
#define ROWS    4

// The cell of the halo that a thread loads in each plane: the rows above and below the tile, then the columns beside it.
struct halo {
    int column, row; // in the tile with its frame; a column of -1: none
};
DEVICE halo halo_of(int k) {
    if (k < 2 * COLUMNS) return {1 + k % COLUMNS, k < COLUMNS ? 0 : ROWS + 1};
    k -= 2 * COLUMNS;
    if (k < 2 * ROWS) return {k < ROWS ? 0 : COLUMNS + 1, 1 + k % ROWS};
    return {-1, 0};
}

KERNEL lps(float *out, const float *in, int nx, int ny, int nz) {
    __shared__ float tile[ROWS + 2][COLUMNS + 2];
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * COLUMNS, top = blockIdx.y * ROWS;
    int x = left + tx, y = top + ty, plane = nx * ny, at = y * nx + x;
    bool inside = x < nx && y < ny, edge = x == 0 || x == nx - 1 || y == 0 || y == ny - 1;
    halo h = halo_of(ty * COLUMNS + tx);
    int hx = left + h.column - 1, hy = top + h.row - 1, halo_at = hy * nx + hx;
    bool loads = h.column >= 0 && hx >= 0 && hx < nx && hy >= 0 && hy < ny;
    float below = 0, here = inside ? in[at] : 0, above = 0;
    for (int z = 0; z < nz; z++, at += plane, halo_at += plane) {
        if (inside) {
            tile[ty + 1][tx + 1] = here;
            if (z + 1 < nz) above = in[at + plane];
        }
        if (loads) tile[h.row][h.column] = in[halo_at];
        __syncthreads();
        if (inside) {
            if (edge || z == 0 || z == nz - 1)
                out[at] = here;
            else
                out[at] = (tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] +
                           below + above) *
                          (1.0f / 6);
        }
        __syncthreads();
        below = here, here = above;
    }
}
