/* Escape times: the loop that every warp leaves raggedly. */
#include "cuda.h"

KERNEL mandelbrot(int *out, int width, int height, float x0, float y0, float step, int limit) {
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
