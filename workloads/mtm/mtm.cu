// Matrix multiply on tiles in shared memory, one element of the product a thread (HARP Table 5).
#include "cuda.h"

#define TILE 16

KERNEL mtm(float *c, const float *a, const float *b, uint columns, uint depth) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    uint tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (uint at = 0; at < depth; at += TILE) {
        ta[ty][tx] = a[y * depth + at + tx];
        tb[ty][tx] = b[(at + ty) * columns + x];
        __syncthreads();
        for (uint k = 0; k < TILE; k++) sum = __builtin_fmaf(ta[ty][k], tb[k][tx], sum);
        __syncthreads();
    }
    c[y * columns + x] = sum;
}
