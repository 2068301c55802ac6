// SL Listing 1: a call inside a divergent if. The function lies after the kernel, so that by PC alone the threads that skip the
// call would run D before those in it.
#include "flow.cuh"

__device__ __noinline uint f(uint path);

KERNEL listing1(uint *out, const uint *in) {
    uint i = global_id(), path = in[i];
    step(path, 'A');
    if (in[i] & 1) path = f(path);
    step(path, 'D');
    ROLLED for (uint k = 0; k < 16; k++) path = (path ^ path >> 3) * 5 + k;
    out[i] = path;
}

__device__ __noinline uint f(uint path) {
    step(path, 'F');
    ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 5) * 3 + k;
    return path;
}
