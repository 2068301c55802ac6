/* Grids, blocks and barriers of every shape: three dimensions, ragged warps, threads that left before a barrier. */
#include "cuda.h"

KERNEL coordinates(uint *out) {
    uint t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    uint b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    uint *o = out + 8 * (b * blockDim.x * blockDim.y * blockDim.z + t);
    o[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    o[1] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
    o[2] = blockDim.x | blockDim.y << 8 | blockDim.z << 16;
    o[3] = gridDim.x | gridDim.y << 8 | gridDim.z << 16;
    o[4] = lane_id();
    o[5] = activemask();
    o[6] = __nvvm_read_ptx_sreg_warpid();
    o[7] = __nvvm_read_ptx_sreg_lanemask_lt();
}

/* Odd threads leave; the others' barriers must complete without them. */
KERNEL early_exit(int *out, int n) {
    __shared__ int s[256];
    int i = (int)threadIdx.x;
    s[i] = -1;
    __syncthreads();
    if (i >= n || (i & 1)) return;
    s[i] = i * i;
    __syncthreads();
    int next = (i + 2) % 256;
    out[i] = s[next < n ? next : 0];
    __syncthreads();
    s[i] = out[i];
}

/* Whole warps leave first. */
KERNEL warps_leave(int *out) {
    __shared__ int sum;
    uint warp = threadIdx.x / 32;
    if (threadIdx.x == blockDim.x - 1) sum = 0;
    __syncthreads();
    for (uint w = 0; w <= warp; w++) {
        if ((threadIdx.x & 31) == 0) atomic_add(&sum, 1);
        __syncthreads();
    }
    if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = sum;
}

/* Clocks never run backwards. */
KERNEL clocks(u64 *out) {
    u64 a = (u64)__nvvm_read_ptx_sreg_clock64();
    uint c = __nvvm_read_ptx_sreg_clock();
    u64 x = global_id();
    for (int k = 0; k < 100; k++) x = x * 6364136223846793005ull + 1;
    u64 b = (u64)__nvvm_read_ptx_sreg_clock64();
    uint d = __nvvm_read_ptx_sreg_clock();
    out[2 * global_id()] = x;
    out[2 * global_id() + 1] = b > a && d - c < 1u << 30;
}

/* A loop without a visible end, left by a return in its middle; and a switch inside it. */
KERNEL state_machine(uint *out, const uint *seed) {
    uint i = global_id(), x = seed[i], steps = 0, state = 0;
    for (;;) {
        steps++;
        switch (state) {
        case 0: x = x & 1 ? x * 3 + 1 : x >> 1; state = x & 3; break;
        case 1: x += 5; state = 4; break;
        case 2: x ^= steps; state = x % 5; break;
        case 3: x = x >> 1 | (x & 1) << 31; state = 0; break;
        case 4:
            if (x % 7 == 0 || steps > 200) {
                out[i] = x ^ steps << 20;
                return;
            }
            state = (x >> 3) % 4;
            x = x * 5 + 1;
            break;
        }
    }
}
