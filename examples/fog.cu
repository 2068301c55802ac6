// Photons through fog, as in photons.cu, with one loop: a photon in a dense cell tries one new direction in a round, and where that
// is refused goes on to the next round. Its `continue` is what makes it slow: docs/tutorial.md finds that out.
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

extern "C" __global__ void fog(const float *density, float *left, unsigned side, unsigned limit) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, seed = id * 2654435761u + 1;
    float x = 0.5f * (float)side, y = x, dx = unit(seed) - 0.5f, dy = unit(seed) - 0.5f, energy = 1.0f, d = 0.0f;
    for (unsigned step = 0; step < limit;) {
        if (d <= 0.7f) {
            x += dx;
            y += dy;
            if (x < 0.0f || y < 0.0f || x >= (float)side || y >= (float)side) break; // out of the fog
            d = density[(unsigned)y * side + (unsigned)x];
        }
        if (d > 0.7f) { // one try to find a new direction, evenly over the circle
            float u = 2.0f * unit(seed) - 1.0f;
            float v = 2.0f * unit(seed) - 1.0f;
            if (u * u + v * v > 1.0f) continue;
            dx = u;
            dy = v;
            energy *= 1.0f - 0.25f * d;
            if (energy < 0.05f) break; // absorbed
            d = 0.0f;
        }
        step++;
    }
    left[id] = energy;
}
