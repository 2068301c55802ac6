// One Jacobi sweep of the 3D Laplace equation: a block marches in z with three planes of its tile, and the halo around them, in
// shared memory, and hands them down from step to step (HARP Table 5).
#include "cuda.h"

#define COLUMNS 32
#define ROWS    4
#define HALO    (2 * (COLUMNS + 2) + 2 * ROWS) // the rows above and below the tile with their corners, the columns beside it

struct planes {
    float u[3][ROWS + 2][COLUMNS + 2];
};

// The cell of the halo that a thread has; those after the first HALO threads have none.
struct cell {
    int column, row; // in the tile with its frame
};
DEVICE cell halo_cell(int k) {
    if (k < 2 * (COLUMNS + 2)) return {k % (COLUMNS + 2), k < COLUMNS + 2 ? 0 : ROWS + 1};
    k -= 2 * (COLUMNS + 2);
    return {k < ROWS ? 0 : COLUMNS + 1, 1 + k % ROWS};
}

// The plane two above comes in, the lowest goes.
DEVICE void hand_down(planes &p, int row, int column, const float *next, bool last) {
    p.u[0][row][column] = p.u[1][row][column];
    p.u[1][row][column] = p.u[2][row][column];
    if (!last) p.u[2][row][column] = *next;
}

DEVICE float mean(const planes &p, int row, int column) {
    return (p.u[1][row][column - 1] + p.u[1][row][column + 1] + p.u[1][row - 1][column] + p.u[1][row + 1][column] +
            p.u[0][row][column] + p.u[2][row][column]) *
           (1.0f / 6);
}

KERNEL lps(float *out, const float *in, int nx, int ny, int nz, int pitch) {
    __shared__ planes p;
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * COLUMNS, top = blockIdx.y * ROWS;
    int x = left + tx, y = top + ty, plane = pitch * ny, at = y * pitch + x, k = ty * COLUMNS + tx;
    bool active = x < nx && y < ny;
    cell h = halo_cell(k);
    int hx = left + h.column - 1, hy = top + h.row - 1, halo_at = hy * pitch + hx;
    bool halo = k < HALO && hx >= 0 && hx < nx && hy >= 0 && hy < ny;
    if (active) p.u[2][ty + 1][tx + 1] = in[at];
    if (halo) p.u[2][h.row][h.column] = in[halo_at];
    for (int z = 0; z < nz; z++, at += plane, halo_at += plane) {
        if (active) hand_down(p, ty + 1, tx + 1, in + at + plane, z == nz - 1);
        if (halo) hand_down(p, h.row, h.column, in + halo_at + plane, z == nz - 1);
        __syncthreads();
        if (active) {
            if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
                out[at] = p.u[1][ty + 1][tx + 1];
            else
                out[at] = mean(p, ty + 1, tx + 1);
        }
        __syncthreads();
    }
}
