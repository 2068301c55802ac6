/* Bitonic sort: each block sorts its own 2 * blockDim.x keys in shared memory, direction alternating by block. */
#include "cuda.h"

KERNEL bitonic(uint *keys, uint n) {
    extern __shared__ uint s[];
    uint t = threadIdx.x, base = blockIdx.x * n;
    s[t] = keys[base + t];
    s[t + blockDim.x] = keys[base + t + blockDim.x];
    __syncthreads();
    for (uint size = 2; size <= n; size <<= 1) {
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            uint i = 2 * t - (t & (stride - 1)), j = i + stride;
            bool up = ((i & size) == 0) == ((blockIdx.x & 1) == 0);
            uint a = s[i], b = s[j];
            if ((a > b) == up) {
                s[i] = b;
                s[j] = a;
            }
            __syncthreads();
        }
    }
    keys[base + t] = s[t];
    keys[base + t + blockDim.x] = s[t + blockDim.x];
}
