// Block barriers inside a branch and a loop: legal where all threads of the block go the same way (barrier_legal); where they
// do not, each side waits at a barrier of its own for threads that never come (barrier_apart).
#include "flow.cuh"

KERNEL barrier_legal(uint *out, const uint *in) {
    __shared__ uint turn[128];
    uint i = global_id(), t = threadIdx.x, path = in[i];
    if (blockIdx.x & 1) {
        step(path, 'A');
        turn[t] = path;
        __syncthreads();
        path += turn[(t + 1) % blockDim.x];
    } else {
        ROLLED for (uint k = 0; k < 3; k++) {
            if ((path >> k) & 1) step(path, 'B');
            else step(path, 'C');
            turn[t] = path;
            __syncthreads();
            path += turn[(t + 33) % blockDim.x];
            __syncthreads();
        }
    }
    step(path, 'D');
    out[i] = path;
}

KERNEL barrier_apart(uint *out, const uint *in) {
    uint i = global_id(), path = in[i];
    if (threadIdx.x & 1) {
        step(path, 'A');
        asm volatile("bar.sync 1;");
    } else {
        step(path, 'B');
        asm volatile("bar.sync 2;");
    }
    step(path, 'D');
    out[i] = path;
}
