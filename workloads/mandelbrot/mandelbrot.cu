// Escape time of z = z^2 + c for a grid of points: threads of a warp leave the loop at different rounds.
#include "cuda.h"

KERNEL mandelbrot(uint *out, uint width, float left, float top, float pitch, uint limit) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = left + (float)x * pitch, ci = top + (float)y * pitch, r = 0, i = 0;
    uint k = 0;
    for (; k < limit; k++) {
        float rr = r * r, ii = i * i;
        if (rr + ii > 4) break;
        i = 2 * r * i + ci;
        r = rr - ii + cr;
    }
    out[y * width + x] = k;
}
