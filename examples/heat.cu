// Heat along a rod: a point moves towards the mean of its neighbours, the two ends keep their temperature. The host launches
// it again and again, each time from what the last launch left (heat.hds).
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 1 --block 32 --arg 'buf:f32[32]=iota' --arg 'buf:f32[32]' --arg s32:32
#include <cuda_runtime.h>
__constant__ float conductivity = 0.5f;
extern "C" __global__ void heat(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == 0 || i == n - 1)
        to[i] = from[i];
    else
        to[i] = from[i] + conductivity * (from[i - 1] - 2 * from[i] + from[i + 1]);
}
