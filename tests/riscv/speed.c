/* Kernels that are compiled both for RISC-V and to PTX, from this one text, so that what an instruction costs the host can be
 * compared (tests/riscv-speed.sh). For RISC-V: LAUNCH is the kernel, with its ARGS, TIMES how often it is launched. */
#ifdef __CUDA__
#include "cuda.h"
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#else
#include <heddle_spmd.h>
#define KERNEL SPMD_KERNEL void
#define INDEX  ((unsigned)spmd_global_x())
typedef unsigned uint;
#endif

enum { THREADS = 2048, BLOCK = 128, SIDE = 64 };

/* A loop of floats that threads leave at different rounds. */
KERNEL mandelbrot(uint *out) {
    const uint i = INDEX;
    const float cr = -2.2f + (float)(i % SIDE) * 0.05f, ci = -1.2f + (float)(i / SIDE) * 0.02f;
    float x = 0, y = 0;
    uint n = 0;
    for (; n < 32; n++) {
        const float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + ci;
        x = xx - yy + cr;
    }
    out[i] = n;
}

/* Memory: consecutive words, little else. */
KERNEL saxpy(float *y, const float *x) {
    for (uint k = 0, i = INDEX; k < 8; k++, i += THREADS) y[i] = 2.5f * x[i] + y[i];
}

/* Integers; branches that every thread takes its own way. */
KERNEL collatz(uint *out) {
    const uint i = INDEX;
    uint v = i + 1, steps = 0;
    while (v > 1 && steps < 32) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[i] = steps;
}

/* Integers in memory: every thread sorts words of its own. */
KERNEL sort(uint *words) {
    uint *w = words + INDEX, seed = INDEX * 2654435761u + 1;
    for (uint k = 0; k < 8; k++) {
        seed = seed * 1664525u + 1013904223u;
        w[k * THREADS] = seed >> 8;
    }
    for (uint k = 0; k + 1 < 8; k++) {
        uint least = w[k * THREADS], at = k;
        for (uint n = k + 1; n < 8; n++) {
            const uint v = w[n * THREADS];
            if (v < least) least = v, at = n;
        }
        w[at * THREADS] = w[k * THREADS];
        w[k * THREADS] = least;
    }
}

/* Doubles and their neighbours, with a border that is left alone. */
KERNEL stencil(double *to, const double *from) {
    const uint i = INDEX, x = i % SIDE, y = i / SIDE;
    if (x == 0 || x == SIDE - 1 || y == 0 || y == THREADS / SIDE - 1) return;
    double v = from[i];
    for (uint k = 0; k < 12; k++)
        v = v + 0.125 * (from[i - 1] + from[i + 1] + from[i - SIDE] + from[i + SIDE] - 4 * v) / (1 + v * v);
    to[i] = v;
}

KERNEL fill(float *fa, float *fb, double *db) {
    const uint i = INDEX;
    fa[i] = (float)i * 0.37f;
    fb[i] = 1 / (float)(i + 3);
    if (i < THREADS) db[i] = i % 97 * 0.37;
}

#ifndef __CUDA__
static uint words[8 * THREADS];
static float fa[8 * THREADS], fb[8 * THREADS];
static double da[THREADS], db[THREADS];

/* Without a library, whose code would take longer to read than a launch takes. */
void _start(void) {
    spmd_launch(fill, 8 * THREADS / BLOCK, BLOCK, fa, fb, db);
    for (int n = 0; n < TIMES; n++) spmd_launch(LAUNCH, THREADS / BLOCK, BLOCK, ARGS);
    register long status __asm__("a0") = 0, number __asm__("a7") = 93;
    __asm__ volatile("ecall" ::"r"(status), "r"(number));
}
#endif
