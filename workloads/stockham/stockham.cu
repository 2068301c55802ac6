// Complex FFTs of radix 8 in the order of Stockham, a pass a launch; roots of unity come from a subroutine (SL Table 3).
#include "cuda.h"

DEVICE float2 operator+(float2 a, float2 b) {
    return {a.x + b.x, a.y + b.y};
}
DEVICE float2 operator-(float2 a, float2 b) {
    return {a.x - b.x, a.y - b.y};
}
DEVICE float2 operator*(float2 a, float2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
DEVICE float2 quarter_back(float2 a) { // a times -i
    return {a.y, -a.x};
}

// exp(-2 pi i turn) for 0 <= turn < 1: brought into the first eighth of the circle, where a short series will do, and back.
__device__ static __noinline float2 root(float turn) {
    const uint eighth = (uint)(turn * 8.0f);
    float rest = turn - (float)eighth * 0.125f;
    if (eighth & 1) {
        BRANCH;
        rest = 0.125f - rest;
    }
    const float a = rest * 6.28318531f, q = a * a;
    float s = a * (1.0f + q * (-1.66666667e-1f + q * (8.33333333e-3f + q * (-1.98412698e-4f + q * 2.75573192e-6f))));
    float c = 1.0f + q * (-0.5f + q * (4.16666667e-2f + q * (-1.38888889e-3f + q * 2.48015873e-5f)));
    if (((eighth + 1) >> 1) & 1) {
        BRANCH;
        const float t = s;
        s = c;
        c = t;
    }
    if (eighth - 2 < 4) {
        BRANCH;
        c = -c;
    }
    if (eighth < 4) {
        BRANCH;
        s = -s;
    }
    return {c, s};
}

DEVICE void transform_2(float2 &a, float2 &b) {
    const float2 t = a - b;
    a = a + b;
    b = t;
}

DEVICE void transform_4(float2 &a, float2 &b, float2 &c, float2 &d) {
    transform_2(a, c);
    transform_2(b, d);
    d = quarter_back(d);
    transform_2(a, b);
    transform_2(c, d);
}

// In place; the result comes out in the order 0 4 2 6 1 5 3 7.
DEVICE void transform_8(float2 v[8]) {
    const float h = 0.707106781f;
    for (uint i = 0; i < 4; i++) transform_2(v[i], v[i + 4]);
    v[5] = v[5] * float2{h, -h};
    v[6] = quarter_back(v[6]);
    v[7] = v[7] * float2{-h, -h};
    transform_4(v[0], v[1], v[2], v[3]);
    transform_4(v[4], v[5], v[6], v[7]);
}

// One pass over arrays of n points: `done` of each transform's points are one already. Thread j of an array has the points
// j, j + n/8, ...
KERNEL stockham(float2 *to, const float2 *from, uint n, uint done) {
    const uint each = n / 8, array = global_id() / each, j = global_id() % each, k = j & (done - 1);
    const float2 *in = from + array * n + j;
    float2 *out = to + array * n + (j - k) * 8 + k;
    float2 v[8];
    for (uint i = 0; i < 8; i++) v[i] = in[i * each];
    if (k != 0) {
        const float turn = (float)k / (float)(done * 8);
#pragma unroll
        for (uint i = 1; i < 8; i++) {
            const float turns = turn * (float)i;
            v[i] = v[i] * root(turns - (float)(uint)turns);
        }
    }
    transform_8(v);
    out[0] = v[0], out[done] = v[4], out[2 * done] = v[2], out[3 * done] = v[6];
    out[4 * done] = v[1], out[5 * done] = v[5], out[6 * done] = v[3], out[7 * done] = v[7];
}
