// Odd and even threads take the two sides of a branch by turns (the contrived loop of Fung's thesis, Figure 3.3). If one half
// ran a round ahead, all could go in step for ever after; a post-dominator makes them meet in every round instead.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 64 --block 128 --arg 'buf:u32[8192]' --arg u32:32
#include <cuda_runtime.h>
extern "C" __global__ void oddeven(unsigned *out, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    for (unsigned r = 0; r < rounds; r++) {
        if ((r ^ i) & 1) {
#pragma unroll 1
            for (unsigned k = 0; k < 4; k++) v = (v ^ v >> 3) * 5 + k;
        } else {
#pragma unroll 1
            for (unsigned k = 0; k < 4; k++) v = (v ^ v >> 5) * 3 - k;
        }
    }
    out[i] = v;
}
