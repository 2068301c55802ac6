// One frame of a particle filter that follows a bright disk through a video (HARP: Particle Filter).
#include "cuda.h"

#define PARTICLES 1024 // at most
#define THREADS   128  // at most

struct image {
    const uchar *pixels;
    int width, height;
};

struct disk {
    const int *dx, *dy; // pixels from its centre
    uint points;
};

struct particles {
    float *x, *y;
    uint *weights;
};

// cdf[i] = weights[0] + ... + weights[i]: each thread sums a part, the block the parts.
DEVICE void distribution(uint *cdf, const uint *weights, uint count) {
    __shared__ uint sums[THREADS];
    uint t = threadIdx.x, part = count / blockDim.x, first = t * part, sum = 0;
    for (uint i = first; i < first + part; i++) {
        sum += weights[i];
        cdf[i] = sum;
    }
    sums[t] = sum;
    __syncthreads();
    for (uint distance = 1; distance < blockDim.x; distance *= 2) {
        uint below = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += below;
        __syncthreads();
    }
    if (t > 0)
        for (uint i = first; i < first + part; i++) cdf[i] += sums[t - 1];
    __syncthreads();
}

DEVICE uint random24(uint &seed) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

// Resampling: the parent in whose share of the sum a random number falls.
DEVICE uint choose_parent(const uint *cdf, uint count, uint &seed) {
    uint target = (uint)((u64)cdf[count - 1] * random24(seed) >> 24), parent = 0;
    while (cdf[parent] <= target) parent++;
    return parent;
}

// The sum of twelve uniform numbers has variance 1.
DEVICE float normal(uint &seed) {
    float sum = -6;
#pragma unroll 1
    for (uint i = 0; i < 12; i++) sum += (float)random24(seed) * 0x1p-24f;
    return sum;
}

// How much brighter than the background what the disk covers is: 256 v - 41984 = (v - 100)^2 - (v - 228)^2.
DEVICE float log_likelihood(const image &frame, const disk &d, int x, int y) {
    int sum = 0, seen = 0;
    for (uint p = 0; p < d.points; p++) {
        int px = x + d.dx[p], py = y + d.dy[p];
        if (px >= 0 && px < frame.width && py >= 0 && py < frame.height) {
            sum += 256 * (int)frame.pixels[py * frame.width + px] - 41984;
            seen++;
        }
    }
    return seen > 0 ? (float)sum / (float)(seen * 2048) : -16.0f;
}

// 2^6 e^x by the series of the fraction of log2; x between -20 and 10.
DEVICE uint fixed_exp(float x) {
    float t = x * 1.44269504f, whole = __builtin_floorf(t), f = (t - whole) * 0.69314718f;
    float series = 1 + f * (1 + f * (0.5f + f * (0.16666667f + f * (0.041666668f + f * 0.0083333333f))));
    return (uint)(series * __nvvm_bitcast_i2f(((int)whole + 6 + 127) << 23));
}

KERNEL pf(particles now, particles before, uint *seeds, image frame, disk d, uint count) {
    __shared__ uint cdf[PARTICLES];
    distribution(cdf, before.weights, count);
    uint i = global_id(), seed = seeds[i], parent = choose_parent(cdf, count, seed);
    float x = before.x[parent] + 1 + 3 * normal(seed), y = before.y[parent] + 2 + 3 * normal(seed);
    float likelihood = log_likelihood(frame, d, (int)__builtin_floorf(x), (int)__builtin_floorf(y));
    now.x[i] = x;
    now.y[i] = y;
    now.weights[i] = fixed_exp(likelihood) + 1;
    seeds[i] = seed;
}
