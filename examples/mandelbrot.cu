// Escape times of the Mandelbrot set: neighbouring pixels leave the loop together where the set is smooth and raggedly at
// its edge, so that some warps diverge hardly at all and others all the time.
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --cuda-flags -fmad=false --grid 8,16 --block 16,8 --arg 'buf:s32[16384]' --arg s32:128 --arg s32:128 --arg f32:-2.0 --arg f32:-1.25 --arg f32:0.01953125 --arg s32:128
#include <cuda_runtime.h>

extern "C" __global__ void mandelbrot(int *out, int width, int height, float x0, float y0, float step, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = x0 + (float)px * step, cy = y0 + (float)py * step, x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}
