// Each warp adds up its 32 numbers in shared memory. warpsum relies on lanes running in lockstep, as code from before Volta
// does: nothing orders the store of one step and the load of the next. Under a mechanism that lets lanes run apart it adds up
// what is not there yet. warpsum_sync has the __syncwarp() that it takes. docs/races.md finds the first out.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --kernel warpsum --grid 4 --block 64 --arg 'buf:u32[256]=iota' --arg 'buf:u32[8]'
// heddle: --kernel warpsum_sync --grid 4 --block 64 --arg 'buf:u32[256]=iota' --arg 'buf:u32[8]'
#include <cuda_runtime.h>
// The Collatz steps of n: no two lanes take as long.
__device__ static unsigned steps(unsigned n) {
    unsigned k = 0;
    for (; n > 1; k++) n = n & 1 ? 3 * n + 1 : n / 2;
    return k;
}
extern "C" __global__ void warpsum(const unsigned *in, unsigned *out) {
    __shared__ unsigned sum[64];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t % 32;
    sum[t] = steps(in[i]);
#pragma unroll 1
    for (unsigned step = 16; step; step /= 2)
        if (lane < step) sum[t] += sum[t + step];
    if (!lane) out[i / 32] = sum[t];
}
extern "C" __global__ void warpsum_sync(const unsigned *in, unsigned *out) {
    __shared__ unsigned sum[64];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t % 32;
    sum[t] = steps(in[i]);
#pragma unroll 1
    for (unsigned step = 16; step; step /= 2) {
        __syncwarp();
        if (lane < step) sum[t] += sum[t + step];
    }
    if (!lane) out[i / 32] = sum[t];
}
