// Complex 1D FFTs in six steps: an array of m * m points is a square matrix, a thread for each of its rows (DWF 5.3). Rows
// are pitch points apart. A step is a launch of its own: all threads end it before one begins the next.
#include "cuda.h"

DEVICE double2 multiply(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

DEVICE double2 *row_of(double2 *rows, uint pitch) {
    return rows + global_id() * pitch;
}

// The thread's row of `to` is its column of `from`. Threads start behind their own number, so that no two of them
// read the same row at the same time.
KERNEL transpose(double2 *to, const double2 *from, uint m, uint pitch) {
    const uint row = global_id() % m;
    double2 *const mine = row_of(to, pitch);
    const double2 *const column = from + (global_id() - row) * pitch + row;
    for (uint other = row + 1; other < m; other++) mine[other] = column[other * pitch];
    for (uint other = 0; other < row; other++) mine[other] = column[other * pitch];
    mine[row] = column[row * pitch];
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
KERNEL fft_rows(double2 *rows, const double2 *roots, uint m, uint pitch) {
    double2 *const v = row_of(rows, pitch);
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

// all_roots[k]: exp(-2 pi i k / (m * m)).
KERNEL twiddle(double2 *rows, const double2 *all_roots, uint m, uint pitch) {
    double2 *const v = row_of(rows, pitch);
    const uint row = global_id() % m;
    for (uint k = 0; k < m; k++) v[k] = multiply(v[k], all_roots[row * k]);
}
