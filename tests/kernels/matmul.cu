/* C = A B for square matrices whose side is a multiple of the tile's, tiles of both in shared memory. */
#include "cuda.h"

enum { TILE = 16 };

KERNEL matmul(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = __builtin_fmaf(ta[y][k], tb[k][x], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}
