// Haar wavelet transform of a signal: a block decomposes 2 * blockDim samples down to one in shared memory; at each level half of
// the threads that are left stay (SL Table 3).
#include "cuda.h"

enum { MOST = 512 };
constexpr float SCALE = 0x1.6a09e6p-1f; // 1 / sqrt(2)

// coefficients: the details of level l, of which a signal of n samples has n >> l, from n >> l on; the block's last
// average goes to averages, the signal of the next launch.
KERNEL dwt(float *coefficients, float *averages, const float *signal, uint n) {
    __shared__ float line[2 * MOST];
    const uint t = threadIdx.x, block = blockIdx.x;
    line[t] = signal[2 * blockDim.x * block + t];
    line[t + blockDim.x] = signal[2 * blockDim.x * block + t + blockDim.x];
    __syncthreads();
    uint first = n >> 1;
    for (uint pairs = blockDim.x; pairs > 0; pairs >>= 1, first >>= 1) {
        float a = 0, b = 0;
        if (t < pairs) {
            a = line[2 * t];
            b = line[2 * t + 1];
        }
        __syncthreads();
        if (t < pairs) {
            line[t] = (a + b) * SCALE;
            coefficients[first + block * pairs + t] = (a - b) * SCALE;
        }
        __syncthreads();
    }
    if (t == 0) averages[block] = line[0];
}
