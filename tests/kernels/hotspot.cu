/* Heat on a grid, one step a launch: a block loads its tile and the rim around it into shared memory, edges clamped. */
#include "cuda.h"

enum { TILE = 16, RIM = TILE + 2 };

DEVICE int clamp(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

KERNEL hotspot(float *out, const float *in, const float *power, int width, int height, float k) {
    __shared__ float t[RIM][RIM];
    int x0 = (int)blockIdx.x * TILE - 1, y0 = (int)blockIdx.y * TILE - 1;
    for (int i = (int)(threadIdx.y * TILE + threadIdx.x); i < RIM * RIM; i += TILE * TILE)
        t[i / RIM][i % RIM] = in[clamp(y0 + i / RIM, height) * width + clamp(x0 + i % RIM, width)];
    __syncthreads();
    int lx = (int)threadIdx.x + 1, ly = (int)threadIdx.y + 1, x = x0 + lx, y = y0 + ly;
    if (x >= width || y >= height) return;
    float around = t[ly - 1][lx] + t[ly + 1][lx] + t[ly][lx - 1] + t[ly][lx + 1];
    out[y * width + x] = t[ly][lx] + k * (around - 4.0f * t[ly][lx]) + power[y * width + x];
}
