// Matrix transpose, one element a thread: as it comes, and through a tile in shared memory so that both the loads and the stores
// of a warp are next to each other (SL Table 3).
#include "cuda.h"

enum { TILE = 16 };

KERNEL transpose_naive(float *to, const float *from, uint width, uint height) {
    const uint x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) to[x * height + y] = from[y * width + x];
}

KERNEL transpose_tiled(float *to, const float *from, uint width, uint height) {
    __shared__ float tile[TILE][TILE + 1]; // a column apart: no two lanes meet in a bank
    const uint x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[y * width + x];
    __syncthreads();
    const uint column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;
    if (column < height && row < width) to[row * height + column] = tile[threadIdx.x][threadIdx.y];
}
