// Every row of intrinsics.def and atomics.def; the results as 64 bits each.
// heddle: --kernel intrinsics --grid 4 --block 64 --arg 'buf:u32[256]' --arg 'buf:u64[131072]' --cuda-flags --expt-relaxed-constexpr
// heddle: --kernel atomics --grid 1 --block 1 --arg 'buf:u64[512]' --cuda-flags --expt-relaxed-constexpr
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include "intrinsics.h"

__constant__ float table[4] = {0, 1.5f, 3, 4.5f};

__device__ int near(float have, double want) { return fabs(have - want) <= (fabs(want) + 1) * 0x1p-20; }

extern "C" __global__ void intrinsics(unsigned *in, ull *out) {
    __shared__ unsigned reversed[BLOCK];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % warpSize;
    const thread mine(i);
    const unsigned u = mine.u, v = mine.v;
    const int s = mine.s, t = mine.t;
    const ull a = mine.a, b = mine.b;
    const ll p = mine.p, q = mine.q;
    const float f = mine.f, g = mine.g, h = mine.h;
    const double d = mine.d, e = mine.e;
    int n = 0;
    float x = 0, x2 = 0;
    double y = 0, y2 = 0;
    in[i] = u;
    __syncthreads();
#define I(device, host) out[i] = bits(device), out += THREADS;
#include "intrinsics.def"
}

extern "C" __global__ void atomics(ull *out) {
#define A(T, call, before, after)       \
    {                                   \
        T value = before, *p = (T *)out; \
        *p = value;                     \
        T old = call;                   \
        out[1] = bits(old), out += 2;   \
    }
#include "atomics.def"
}
