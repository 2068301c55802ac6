// Fast Walsh transform: radix-4 stages in global memory until a part fits in shared memory, and the product of two spectra
// (HARP Table 5, SL Table 3).
// regen: -mllvm -disable-block-placement
#include "cuda.h"

struct quad {
    float a, b, c, d;
};
// Two stages at once: four values, `stride` apart.
DEVICE quad butterfly(quad q) {
    float ac = q.a + q.c, bd = q.b + q.d, a_c = q.a - q.c, b_d = q.b - q.d;
    return {ac + bd, ac - bd, a_c + b_d, a_c - b_d};
}

// One pair of stages over the whole array: thread i takes the i-th group of four.
KERNEL walsh_global(float *out, const float *in, uint stride) {
    uint i = global_id(), low = i & (stride - 1), at = (i - low) * 4 + low;
    quad q = butterfly({in[at], in[at + stride], in[at + 2 * stride], in[at + 3 * stride]});
    out[at] = q.a, out[at + stride] = q.b, out[at + 2 * stride] = q.c, out[at + 3 * stride] = q.d;
}

// A whole transform of 2^bits values for each block of a quarter as many threads.
KERNEL walsh_shared(float *out, const float *in, uint bits) {
    extern __shared__ float part[];
    uint n = 1u << bits, i = threadIdx.x, first = blockIdx.x << bits;
    for (uint k = i; k < n; k += blockDim.x) part[k] = in[first + k];
    for (uint stride = n >> 2; stride > 0; stride >>= 2) {
        uint low = i & (stride - 1);
        float *at = part + (i - low) * 4 + low;
        __syncthreads();
        quad q = butterfly({at[0], at[stride], at[2 * stride], at[3 * stride]});
        at[0] = q.a, at[stride] = q.b, at[2 * stride] = q.c, at[3 * stride] = q.d;
    }
    __syncthreads();
    if (bits & 1) { // one stage is left: pairs of neighbours
        for (uint k = i; k < n / 2; k += blockDim.x) {
            float a = part[2 * k], b = part[2 * k + 1];
            part[2 * k] = a + b, part[2 * k + 1] = a - b;
        }
        __syncthreads();
    }
    for (uint k = i; k < n; k += blockDim.x) out[first + k] = part[k];
}

KERNEL modulate(float *a, const float *b, uint n) {
    float scale = 1 / (float)n;
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) a[i] = a[i] * b[i] * scale;
}
