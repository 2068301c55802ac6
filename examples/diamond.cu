// Two diamonds, one inside the other: the control flow of Figure 3.1 of the thesis. Of every four threads the first three go
// from A to B and the last to F; of the three the first goes to C, the others to D; they meet at E, and all four at G.
// The blocks a thread went through are the digits of its result. The empty asm keeps the compiler from merging blocks.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 1 --block 4 --arg 'buf:u32[4]'
#include <cuda_runtime.h>
#define BLOCK(letter) asm volatile("// block " #letter); path = path << 4 | 0x##letter
extern "C" __global__ void diamond(unsigned *out) {
    unsigned i = threadIdx.x, path = 0;
    BLOCK(A);
    if (__builtin_expect(i % 4 == 3, 1)) {
        BLOCK(F);
    } else {
        BLOCK(B);
        if (__builtin_expect(i % 4 != 0, 1)) {
            BLOCK(D);
        } else {
            BLOCK(C);
        }
        BLOCK(E);
    }
    asm volatile("// block G");
    out[i] = path;
}
