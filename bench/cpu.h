/* The benchmark's kernels as a CPU programmer would write them: plain loops, one core, compiled with -O2. */
#ifndef HEDDLE_BENCH_CPU_H
#define HEDDLE_BENCH_CPU_H

#include <stdint.h>

void cpu_arith_float(float *out, uint32_t n, float a, float b, int rounds);
void cpu_arith_int(uint32_t *out, uint32_t n, uint32_t a, uint32_t b, int rounds);
void cpu_matmul(float *c, const float *a, const float *b, int n);
void cpu_mandelbrot(int32_t *out, int width, int height, float x0, float y0, float step, int limit);
void cpu_bitonic(uint32_t *keys, uint32_t blocks, uint32_t n);
void cpu_blackscholes(float *call, float *put, const float *price, const float *strike, const float *years,
                      float rate, float volatility, int n);
int32_t cpu_reduce(const int32_t *in, uint32_t n);
void cpu_bfs(int32_t *level, const uint32_t *row, const uint32_t *edge, uint32_t n);
void cpu_state_machine(uint32_t *out, const uint32_t *seed, uint32_t n);
void cpu_vecadd(float *c, const float *a, const float *b, uint32_t n);
void cpu_histogram(uint32_t *bins, const uint8_t *in, uint32_t n, uint32_t nbins);
void cpu_hotspot(float *out, const float *in, const float *power, int width, int height, float k);
void cpu_align(int32_t *score, const uint8_t *a, const uint8_t *b, int n, int gap);

#endif
