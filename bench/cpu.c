/* The algorithms of tests/kernels/<name>.cu, thread by thread in a loop. Multiply-adds are not fused: a CPU without
 * FMA would call a library for each; results differ from the kernel's in the last bits and are compared with a
 * tolerance. */
#include "cpu.h"

#include <math.h>
#include <stdbool.h>

void cpu_arith_float(float *out, uint32_t n, float a, float b, int rounds) {
    for (uint32_t i = 0; i < n; i++) {
        float x = (float)i, y = x + 1, z = x + 2, w = x + 3;
        for (int r = 0; r < rounds; r++) {
            x = x * a + b;
            y = y * a + x;
            z = z * a + y;
            w = w * b + z;
        }
        out[i] = x + y + z + w;
    }
}

void cpu_arith_int(uint32_t *out, uint32_t n, uint32_t a, uint32_t b, int rounds) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = i, y = i ^ a, z = i + b;
        for (int r = 0; r < rounds; r++) {
            x = x * a + b;
            y ^= x >> 7;
            z += y << 3;
            y += z & a;
        }
        out[i] = x + y + z;
    }
}

void cpu_matmul(float *c, const float *a, const float *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

void cpu_mandelbrot(int32_t *out, int width, int height, float x0, float y0, float step, int limit) {
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
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
}

static void bitonic_block(uint32_t *s, uint32_t n, bool ascending) {
    for (uint32_t size = 2; size <= n; size <<= 1)
        for (uint32_t stride = size >> 1; stride > 0; stride >>= 1)
            for (uint32_t t = 0; t < n / 2; t++) {
                uint32_t i = 2 * t - (t & (stride - 1)), j = i + stride;
                bool up = ((i & size) == 0) == ascending;
                uint32_t a = s[i], b = s[j];
                if ((a > b) == up) {
                    s[i] = b;
                    s[j] = a;
                }
            }
}
void cpu_bitonic(uint32_t *keys, uint32_t blocks, uint32_t n) {
    for (uint32_t b = 0; b < blocks; b++) bitonic_block(keys + b * n, n, (b & 1) == 0);
}

static float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float c = 0.3989422804f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - c : c;
}
void cpu_blackscholes(float *call, float *put, const float *price, const float *strike, const float *years,
                      float rate, float volatility, int n) {
    for (int i = 0; i < n; i++) {
        float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float c1 = cnd(d1), c2 = cnd(d2), discount = expf(-rate * t);
        call[i] = s * c1 - x * discount * c2;
        put[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
    }
}

int32_t cpu_reduce(const int32_t *in, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (uint32_t)in[i];
    return (int32_t)sum;
}

void cpu_bfs(int32_t *level, const uint32_t *row, const uint32_t *edge, uint32_t n) {
    bool changed = true;
    for (int32_t depth = 0; changed; depth++) {
        changed = false;
        for (uint32_t v = 0; v < n; v++) {
            if (level[v] != depth) continue;
            for (uint32_t e = row[v]; e < row[v + 1]; e++)
                if (level[edge[e]] < 0) {
                    level[edge[e]] = depth + 1;
                    changed = true;
                }
        }
    }
}

static uint32_t machine(uint32_t x) {
    for (uint32_t steps = 1, state = 0;; steps++) {
        switch (state) {
        case 0:
            x = x & 1 ? x * 3 + 1 : x >> 1;
            state = x & 3;
            break;
        case 1:
            x += 5;
            state = 4;
            break;
        case 2:
            x ^= steps;
            state = x % 5;
            break;
        case 3:
            x = x >> 1 | (x & 1) << 31;
            state = 0;
            break;
        case 4:
            if (x % 7 == 0 || steps > 200) return x ^ steps << 20;
            state = (x >> 3) % 4;
            x = x * 5 + 1;
            break;
        }
    }
}
void cpu_state_machine(uint32_t *out, const uint32_t *seed, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) out[i] = machine(seed[i]);
}

void cpu_vecadd(float *c, const float *a, const float *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

void cpu_histogram(uint32_t *bins, const uint8_t *in, uint32_t n, uint32_t nbins) {
    for (uint32_t i = 0; i < n; i++) bins[in[i] % nbins]++;
}

void cpu_hotspot(float *out, const float *in, const float *power, int width, int height, float k) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int up = y ? y - 1 : 0, down = y + 1 < height ? y + 1 : y;
            int left = x ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
            float t = in[y * width + x];
            float around =
                in[up * width + x] + in[down * width + x] + in[y * width + left] + in[y * width + right];
            out[y * width + x] = t + k * (around - 4.0f * t) + power[y * width + x];
        }
}

void cpu_align(int32_t *score, const uint8_t *a, const uint8_t *b, int n, int gap) {
    for (int y = 1; y <= n; y++)
        for (int x = 1; x <= n; x++) {
            int32_t *s = &score[y * (n + 1) + x], up = s[-(n + 1)],
                    match = s[-(n + 2)] + (a[x - 1] == b[y - 1] ? 3 : -1);
            int32_t skip = (up > s[-1] ? up : s[-1]) - gap;
            *s = match > skip ? match : skip;
        }
}
