// Steps of the Collatz sequence from each start to 1: neighbouring threads need very different numbers of them, so that
// every warp leaves the loop raggedly, and some leave it early. A number whose sequence grows too large gets no count.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 32 --block 256 --arg 'buf:u32[8192]=iota' --arg 'buf:u32[8192]' --arg u32:8192
#include <cuda_runtime.h>
extern "C" __global__ void collatz(const unsigned *start, unsigned *steps, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = start[i], s = 0;
    while (v > 1) {
        if (v > 0x55555554u) { // 3v + 1 would not fit
            s = 0xffffffffu;
            break;
        }
        v = v % 2 ? 3 * v + 1 : v / 2;
        s++;
    }
    steps[i] = s;
}
