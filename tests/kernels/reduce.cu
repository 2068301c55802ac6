/* Sums: within a warp by shuffles, within a block through shared memory, over the grid by one atomic each. */
#include "cuda.h"

template <typename T> DEVICE T warp_sum(T v) {
    for (int d = 16; d > 0; d >>= 1) v += shfl_down(FULL, v, d);
    return v;
}

template <typename T> DEVICE T block_sum(T v, T *part) {
    v = warp_sum(v);
    uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp != 0) return 0;
    return warp_sum(lane < blockDim.x >> 5 ? part[lane] : T(0));
}

KERNEL reduce_int(int *out, const int *in, uint n) {
    __shared__ int part[32];
    int v = 0;
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) v += in[i];
    v = block_sum(v, part);
    if (threadIdx.x == 0) atomic_add(out, v);
}

/* One partial sum per block: the order of the additions is fixed, so the bits are. */
KERNEL reduce_float(float *out, const float *in, uint n) {
    __shared__ float part[32];
    float v = 0;
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) v += in[i];
    v = block_sum(v, part);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
