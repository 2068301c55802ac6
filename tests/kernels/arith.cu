/* Uniform arithmetic: a long dependent chain without memory or divergence, the executor's speed limit. */
#include "cuda.h"

KERNEL arith_float(float *out, float a, float b, int rounds) {
    uint i = global_id();
    float x = (float)i, y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 8
    for (int r = 0; r < rounds; r++) {
        x = __builtin_fmaf(x, a, b);
        y = y * a + x;
        z = __builtin_fmaf(z, a, y);
        w = w * b + z;
    }
    out[i] = x + y + z + w;
}

KERNEL arith_int(uint *out, uint a, uint b, int rounds) {
    uint i = global_id(), x = i, y = i ^ a, z = i + b;
#pragma unroll 8
    for (int r = 0; r < rounds; r++) {
        x = x * a + b;
        y ^= x >> 7;
        z += y << 3;
        y += z & a;
    }
    out[i] = x + y + z;
}
