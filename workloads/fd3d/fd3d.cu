// Finite differences of order 8 in three dimensions: 16x16 tiles with halo in shared memory, the values before and behind in
// registers while the block marches in z (SL Table 3).
#include "cuda.h"

#define TILE   16
#define RADIUS 4

__constant__ float weight[RADIUS + 1];

// Both volumes have a frame of RADIUS cells on every side; nx, ny, nz count the cells inside.
KERNEL stencil(float *out, const float *in, uint nx, uint ny, uint nz) {
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    uint tx = threadIdx.x, ty = threadIdx.y, row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
    uint sx = tx + RADIUS, sy = ty + RADIUS;
    const float *at = in + (blockIdx.y * TILE + sy) * row + blockIdx.x * TILE + sx;
    float *to = out + (at - in) + RADIUS * plane;
    float column[2 * RADIUS + 1]; // values at this thread's x and y; the current plane is in the middle
    for (uint i = 0; i < 2 * RADIUS; i++) column[i + 1] = at[i * plane];
    at += RADIUS * plane; // the plane before the current one, from here on
    for (uint z = 0; z < nz; z++, to += plane) {
        for (uint i = 0; i < 2 * RADIUS; i++) column[i] = column[i + 1];
        column[2 * RADIUS] = at[RADIUS * plane];
        __syncthreads();
        if (ty < RADIUS) {
            tile[ty][sx] = at[-(int)(RADIUS * row)];
            tile[sy + TILE][sx] = at[TILE * row];
        }
        if (tx < RADIUS) {
            tile[sy][tx] = at[-RADIUS];
            tile[sy][sx + TILE] = at[TILE];
        }
        tile[sy][sx] = column[RADIUS];
        __syncthreads();
        float sum = weight[0] * column[RADIUS];
        for (uint i = 1; i <= RADIUS; i++)
            sum += weight[i] * (column[RADIUS - i] + column[RADIUS + i] + tile[sy - i][sx] + tile[sy + i][sx] +
                                tile[sy][sx - i] + tile[sy][sx + i]);
        *to = sum;
        at += plane;
    }
}
