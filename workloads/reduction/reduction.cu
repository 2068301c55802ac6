// Sums of an array, a block each: with many elements a thread, and with two (SL: reduce6 and reduce5 of reduction).
#include "cuda.h"

#define THREADS 256 // at most

// Within the last warp no barrier of the block is needed, and no thread need leave: those past the middle add what is not read.
DEVICE void warp_step(uint *sums, uint distance) {
    uint t = threadIdx.x, sum = sums[t] + sums[t + distance];
    warp_sync(FULL);
    sums[t] = sum;
    warp_sync(FULL);
}

// The block's sum, in thread 0. Blocks have a power of two of threads, at least a warp.
DEVICE uint block_sum(uint sum) {
    __shared__ uint sums[THREADS + 32];
    uint t = threadIdx.x;
    sums[t] = sum;
    __syncthreads();
    for (uint distance = blockDim.x / 2; distance >= 32; distance /= 2) {
        if (t < distance) sums[t] += sums[t + distance];
        __syncthreads();
    }
    if (t < 32) {
        for (uint distance = 16; distance > 0; distance /= 2) warp_step(sums, distance);
    }
    return sums[t];
}

KERNEL reduce_many(uint *out, const uint *in, uint n) {
    uint stride = 2 * blockDim.x, sum = 0;
    for (uint i = blockIdx.x * stride + threadIdx.x; i < n; i += gridDim.x * stride) {
        sum += in[i];
        if (i + blockDim.x < n) sum += in[i + blockDim.x];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

KERNEL reduce_two(uint *out, const uint *in, uint n) {
    uint i = blockIdx.x * 2 * blockDim.x + threadIdx.x, sum = 0;
    if (i < n) sum = in[i];
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
