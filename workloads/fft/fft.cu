// Complex 1D FFTs in six steps: an array of m * m points is a square matrix, a thread for each of its rows (DWF 5.3). A thread
// block has whole arrays.
#include "cuda.h"

DEVICE float2 multiply(float2 a, float2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// The thread's row of `to` is its column of `from`. Threads start behind their own number, so that no two of them
// read the same row at the same time.
DEVICE void transpose(float2 *to, const float2 *from, uint row, uint m) {
    for (uint other = row + 1; other < m; other++) to[row * m + other] = from[other * m + row];
    for (uint other = 0; other < row; other++) to[row * m + other] = from[other * m + row];
    to[row * m + row] = from[row * m + row];
    __syncthreads();
}

DEVICE void reverse(float2 *v, uint m) {
    for (uint i = 0, j = 0; i < m; i++) {
        if (i < j) {
            const float2 t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
        uint bit = m >> 1;
        for (; bit > 0 && (j & bit); bit >>= 1) j ^= bit;
        j |= bit;
    }
}

// One row in place, radix 2; roots[k] is exp(-2 pi i k / m).
DEVICE void fft_row(float2 *v, const float2 *roots, uint m) {
    reverse(v, m);
    for (uint half = 1, step = m >> 1; half < m; half <<= 1, step >>= 1)
        for (uint k = 0; k < half; k++) {
            const float2 root = roots[k * step];
            for (uint a = k; a < m; a += 2 * half) {
                const float2 x = v[a], y = multiply(v[a + half], root);
                v[a] = {x.x + y.x, x.y + y.y};
                v[a + half] = {x.x - y.x, x.y - y.y};
            }
        }
}

DEVICE void twiddle(float2 *v, const float2 *all_roots, uint row, uint m) {
    for (uint k = 0; k < m; k++) v[k] = multiply(v[k], all_roots[row * k]);
}

// all_roots[k]: exp(-2 pi i k / (m * m)). The result is in `work`.
KERNEL fft(float2 *work, float2 *data, const float2 *roots, const float2 *all_roots, uint m) {
    const uint array = global_id() / m, row = global_id() % m;
    float2 *const a = data + array * m * m, *const b = work + array * m * m;
    transpose(b, a, row, m);
    fft_row(b + row * m, roots, m);
    twiddle(b + row * m, all_roots, row, m);
    __syncthreads();
    transpose(a, b, row, m);
    fft_row(a + row * m, roots, m);
    __syncthreads();
    transpose(b, a, row, m);
}
