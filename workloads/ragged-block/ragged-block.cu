// Blocks whose size is no multiple of the warp's: the last warp has lanes without a thread. Sums neighbours through shared
// memory.
#include "flow.cuh"

KERNEL ragged_block(uint *out, const uint *in) {
    __shared__ uint s[128];
    uint i = global_id(), t = threadIdx.x, path = in[i];
    s[t] = path;
    __syncthreads();
    uint left = t ? s[t - 1] : 0, right = t + 1 < blockDim.x ? s[t + 1] : 0;
    if (left > right) {
        step(path, 'A');
        path += left;
    } else {
        step(path, 'B');
        path ^= right;
    }
    out[i] = path;
}
