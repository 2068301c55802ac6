// Photons through fog: each thread follows one through a square of cells, some thin, some dense, until it leaves, is
// absorbed or has had enough. In a dense cell it is scattered, which is much work for few threads; in a thin one it flies on.
// Threads of a warp part inside the loop, at its two ways out, and in the cells they read.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --cuda-flags -fmad=false --grid 32 --block 128 --arg 'buf:f32[4096]=rand(5)' --arg 'buf:f32[4096]' --arg u32:64 --arg u32:96
#include <cuda_runtime.h>

__device__ inline unsigned next(unsigned &seed) { // xorshift
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}
__device__ inline float unit(unsigned &seed) { return (float)(next(seed) >> 8) * (1.0f / 16777216.0f); }

extern "C" __global__ void photons(const float *density, float *left, unsigned side, unsigned limit) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, seed = id * 2654435761u + 1;
    float x = 0.5f * (float)side, y = x, dx = unit(seed) - 0.5f, dy = unit(seed) - 0.5f, energy = 1.0f;
    for (unsigned step = 0; step < limit; step++) {
        x += dx;
        y += dy;
        if (x < 0.0f || y < 0.0f || x >= (float)side || y >= (float)side) break; // out of the fog
        float d = density[(unsigned)y * side + (unsigned)x];
        if (d > 0.7f) {
            float u, v, r;
            do { // a new direction, evenly over the circle
                u = 2.0f * unit(seed) - 1.0f;
                v = 2.0f * unit(seed) - 1.0f;
                r = u * u + v * v;
            } while (r > 1.0f);
            dx = u;
            dy = v;
            energy *= 1.0f - 0.25f * d;
            if (energy < 0.05f) break; // absorbed
        }
    }
    left[id] = energy;
}
