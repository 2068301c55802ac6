// The photons of fog.cu without `continue` and `break`: every round of the loop ends at one place, where the threads of a warp meet.
// docs/tutorial.md leads from one to the other. The results are the same, bit for bit.
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
    bool inside = true;
    for (unsigned step = 0; step < limit && inside;) {
        if (d <= 0.7f) {
            x += dx;
            y += dy;
            inside = x >= 0.0f && y >= 0.0f && x < (float)side && y < (float)side; // else it is out of the fog
            if (inside) d = density[(unsigned)y * side + (unsigned)x];
        }
        bool refused = false;
        if (d > 0.7f) { // one try to find a new direction, evenly over the circle
            float u = 2.0f * unit(seed) - 1.0f;
            float v = 2.0f * unit(seed) - 1.0f;
            refused = u * u + v * v > 1.0f;
            if (!refused) {
                dx = u;
                dy = v;
                energy *= 1.0f - 0.25f * d;
                inside = energy >= 0.05f; // else it is absorbed
                d = 0.0f;
            }
        }
        step += !refused;
    }
    left[id] = energy;
}
