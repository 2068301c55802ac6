// The loop with a break of the multi-path slides: threads leave it in different rounds, each through B, which is long. At the
// post-dominator, D, they all meet; those that come to B while others are in it could go on with them from there.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 64 --block 128 --arg 'buf:u32[8192]=rand(7)' --arg 'buf:u32[8192]' --arg u32:24
#include <cuda_runtime.h>
extern "C" __global__ void loopbreak(const unsigned *in, unsigned *out, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], v = 1;
    for (unsigned r = 0; r < rounds; r++) {
        v = (v ^ x) * 5 + r; // A
        if ((x & 7) == 0) {  // B
#pragma unroll 1
            for (unsigned k = 0; k < 16; k++) v = (v ^ v >> 3) * 5 + k;
            break;
        }
        x = x >> 3 | x << 29; // C
        v += x * 3;
    }
    out[i] = v; // D
}
