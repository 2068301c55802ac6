// One call instruction, a different function in each lane.
#include "flow.cuh"

__device__ __noinline uint fa(uint path) { step(path, 'A'); return path; }
__device__ __noinline uint fb(uint path) {
    step(path, 'B');
    ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 3) * 5 + k;
    return path;
}
__device__ __noinline uint fc(uint path) {
    step(path, 'C');
    ROLLED for (uint k = 0; k < 4; k++) path = (path ^ path >> 5) * 3 + k;
    return path;
}
__device__ uint (*functions[3])(uint) = {fa, fb, fc};

KERNEL function_pointer(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    ROLLED for (uint k = 0; k < 3; k++, x >>= 4) {
        path = functions[x % 3](path);
        step(path, 'Z');
    }
    out[i] = path;
}
