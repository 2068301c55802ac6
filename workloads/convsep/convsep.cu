// Separable convolution with a kernel of 17 taps, rows and then columns: a block loads its pixels and a halo into shared memory,
// each thread computes several results (SL Table 3). Outside the image is black.
#include "cuda.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, RESULTS = 8 };
enum { ROW_X = 16, ROW_Y = 4 };      // threads of a block along rows; a halo is one step of ROW_X
enum { COLUMN_X = 16, COLUMN_Y = 8 }; // threads of a block along columns

__constant__ float taps[TAPS];

KERNEL convolve_rows(float *to, const float *from, int width, int height) {
    __shared__ float line[ROW_Y][(RESULTS + 2) * ROW_X];
    const int left = ((int)blockIdx.x * RESULTS - 1) * ROW_X + (int)threadIdx.x;
    const int y = blockIdx.y * ROW_Y + threadIdx.y;
    float *const own = &line[threadIdx.y][threadIdx.x];
    for (int i = 0; i < RESULTS + 2; i++) {
        const int x = left + i * ROW_X;
        own[i * ROW_X] = x >= 0 && x < width && y < height ? from[y * width + x] : 0.0f;
    }
    __syncthreads();
    for (int i = 1; i <= RESULTS; i++) {
        const int x = left + i * ROW_X;
        if (x >= width || y >= height) break;
        float sum = 0;
#pragma unroll
        for (int t = 0; t < TAPS; t++) sum += taps[t] * own[i * ROW_X + t - RADIUS];
        to[y * width + x] = sum;
    }
}

KERNEL convolve_columns(float *to, const float *from, int width, int height) {
    __shared__ float line[COLUMN_X][(RESULTS + 2) * COLUMN_Y + 1];
    const int x = blockIdx.x * COLUMN_X + threadIdx.x;
    const int top = ((int)blockIdx.y * RESULTS - 1) * COLUMN_Y + (int)threadIdx.y;
    float *const own = &line[threadIdx.x][threadIdx.y];
    for (int i = 0; i < RESULTS + 2; i++) {
        const int y = top + i * COLUMN_Y;
        own[i * COLUMN_Y] = y >= 0 && y < height && x < width ? from[y * width + x] : 0.0f;
    }
    __syncthreads();
    for (int i = 1; i <= RESULTS; i++) {
        const int y = top + i * COLUMN_Y;
        if (y >= height || x >= width) break;
        float sum = 0;
#pragma unroll
        for (int t = 0; t < TAPS; t++) sum += taps[t] * own[i * COLUMN_Y + t - RADIUS];
        to[y * width + x] = sum;
    }
}
