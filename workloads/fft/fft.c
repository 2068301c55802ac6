/* Complex 1D FFT (DWF Table 5.3: SPLASH FFT, modified so that "multiple 1M-point arrays are processed by 12288 threads"; medium
 * divergence, "little diverging control flow" in chapter 6). The six steps of the algorithm with a row a thread: transpose,
 * transform the rows, multiply by the roots of unity, transpose, transform the rows, transpose. A transposition starts at a different place in each thread, in two loops whose lengths depend on the
 * thread's number: there warps diverge.
 *
 * 12288 rows are 12 arrays of a million points, or 192 of 4096, which is what the size paper has: the steps and the
 * threads are the same, the time to simulate is a thirtieth. Single precision. The CPU transforms in double precision by
 * recursion; the tolerance is some units in the last place of the largest values, whose size is that of sqrt(points). */
#include <math.h>

#include "workloads/workload.h"

struct point {
    float re, im;
};
struct wide {
    double re, im;
};

static struct wide root(uint32_t k, uint32_t n) {
    double angle = -2 * acos(-1) * k / n;
    return (struct wide){cos(angle), sin(angle)};
}

static struct point *roots(struct work *w, uint32_t n) {
    struct point *r = work_host(w, n, sizeof *r);
    for (uint32_t k = 0; k < n; k++) r[k] = (struct point){(float)root(k, n).re, (float)root(k, n).im};
    return r;
}

/* to[0..n) from every stride-th point. */
static void transform(struct wide *to, const struct point *from, uint32_t n, uint32_t stride) {
    if (n == 1) {
        to[0] = (struct wide){(double)from->re, (double)from->im};
        return;
    }
    transform(to, from, n / 2, 2 * stride);
    transform(to + n / 2, from + stride, n / 2, 2 * stride);
    for (uint32_t k = 0; k < n / 2; k++) {
        const struct wide r = root(k, n), a = to[k], b = to[k + n / 2];
        const struct wide t = {b.re * r.re - b.im * r.im, b.re * r.im + b.im * r.re};
        to[k] = (struct wide){a.re + t.re, a.im + t.im};
        to[k + n / 2] = (struct wide){a.re - t.re, a.im - t.im};
    }
}

static void transform_all(struct work *w, struct point *v, uint32_t arrays, uint32_t n) {
    struct wide *t = work_host(w, n, sizeof *t);
    for (uint32_t a = 0; a < arrays; a++) {
        transform(t, v + a * n, n, 1);
        for (uint32_t i = 0; i < n; i++) v[a * n + i] = (struct point){(float)t[i].re, (float)t[i].im};
    }
}

void work_fft(struct work *w) {
    const uint32_t arrays = work_pick(w, 2, 48, 192), m = work_pick(w, 32, 32, 64), n = m * m,
                   points = arrays * n, block = work_pick(w, 32, 128, 128);
    struct point *v = work_host(w, points, sizeof *v);
    for (uint32_t i = 0; i < points; i++) {
        v[i].re = work_uniform(w, -1, 1);
        v[i].im = work_uniform(w, -1, 1);
    }
    uint64_t data = work_input(w, "data", v, points * sizeof *v);
    uint64_t result = work_buffer(w, "result", points * sizeof *v);
    uint64_t row_roots = work_input(w, "roots of a row", roots(w, m), m * sizeof *v);
    uint64_t all_roots = work_input(w, "roots", roots(w, n), n * sizeof *v);
    WORK_LAUNCH(w, "fft", WORK_SHAPE(.grid = {arrays * m / block}, .block = {block}), hd_arg_ptr(result),
                hd_arg_ptr(data), hd_arg_ptr(row_roots), hd_arg_ptr(all_roots), hd_arg_u32(m));
    transform_all(w, v, arrays, n);
    work_check_f32(w, "result", result, &v->re, (size_t)points * 2, 0, 1e-5 * m);
}
