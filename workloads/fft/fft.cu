// Complex 1D FFTs in six steps: an array of m * m points is a square matrix, a thread for each of its rows (DWF 5.3). A thread
// block has whole arrays.
#include "cuda.h"

DEVICE double2 multiply(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// The thread's row of `to` is its column of `from`. Threads start behind their own number, so that no two of them
// read the same row at the same time.
DEVICE void transpose(double2 *to, const double2 *from, uint row, uint m, uint pitch) {
    for (uint other = row + 1; other < m; other++) to[row * pitch + other] = from[other * pitch + row];
    for (uint other = 0; other < row; other++) to[row * pitch + other] = from[other * pitch + row];
    to[row * pitch + row] = from[row * pitch + row];
    __syncthreads();
}

DEVICE void reverse(double2 *v, uint m) {
    for (uint i = 0, j = 0; i < m; i++) {
        if (i < j) {
            const double2 t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
        uint bit = m >> 1;
        for (; bit > 0 && (j & bit); bit >>= 1) j ^= bit;
        j |= bit;
    }
}

// One row in place, radix 2, each pass along the row as SPLASH has it: group by group, and within a group pair by pair.
// The roots of a pass with pairs `half` apart lie from roots[half - 1] on.
DEVICE void fft_row(double2 *v, const double2 *roots, uint m) {
    reverse(v, m);
    for (uint half = 1; half < m; half <<= 1)
        for (uint group = 0; group < m; group += 2 * half)
            for (uint k = 0; k < half; k++) {
                double2 *const a = v + group + k, *const b = a + half;
                const double2 x = *a, y = multiply(*b, roots[half - 1 + k]);
                *a = {x.x + y.x, x.y + y.y};
                *b = {x.x - y.x, x.y - y.y};
            }
}

DEVICE void twiddle(double2 *v, const double2 *all_roots, uint row, uint m) {
    for (uint k = 0; k < m; k++) v[k] = multiply(v[k], all_roots[row * k]);
}

// all_roots[k]: exp(-2 pi i k / (m * m)). Rows are pitch points apart. The result is in `work`.
KERNEL fft(double2 *work, double2 *data, const double2 *roots, const double2 *all_roots, uint m, uint pitch) {
    const uint array = global_id() / m, row = global_id() % m;
    double2 *const a = data + array * m * pitch, *const b = work + array * m * pitch;
    transpose(b, a, row, m, pitch);
    fft_row(b + row * pitch, roots, m);
    twiddle(b + row * pitch, all_roots, row, m);
    __syncthreads();
    transpose(a, b, row, m, pitch);
    fft_row(a + row * pitch, roots, m);
    __syncthreads();
    transpose(b, a, row, m, pitch);
}
