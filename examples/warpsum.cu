// Each warp adds up its 32 numbers in shared memory. warpsum relies on lanes running in lockstep, as code from before Volta
// does: nothing orders the store of one step and the load of the next. Under a mechanism that lets lanes run apart it adds up
// what is not there yet. warpsum_sync has the two __syncwarp() that it takes. docs/races.md finds the first out.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --kernel warpsum --grid 4 --block 64 --arg 'buf:u32[256]=iota' --arg 'buf:u32[8]'
// heddle: --kernel warpsum_sync --grid 4 --block 64 --arg 'buf:u32[256]=iota' --arg 'buf:u32[8]'
#include "cuda.h"
// The Collatz steps of n: no two lanes take as long.
DEVICE uint steps(uint n) {
    uint k = 0;
    for (; n > 1; k++) n = n & 1 ? 3 * n + 1 : n / 2;
    return k;
}
KERNEL warpsum(const uint *in, uint *out) {
    __shared__ uint sum[64];
    uint t = threadIdx.x, lane = t % 32;
    sum[t] = steps(in[global_id()]);
#pragma clang loop unroll(disable)
    for (uint step = 16; step; step /= 2)
        if (lane < step) sum[t] += sum[t + step];
    if (!lane) out[global_id() / 32] = sum[t];
}
KERNEL warpsum_sync(const uint *in, uint *out) {
    __shared__ uint sum[64];
    uint t = threadIdx.x, lane = t % 32;
    sum[t] = steps(in[global_id()]);
#pragma clang loop unroll(disable)
    for (uint step = 16; step; step /= 2) {
        warp_sync(FULL); // __syncwarp()
        if (lane < step) sum[t] += sum[t + step];
    }
    if (!lane) out[global_id() / 32] = sum[t];
}
