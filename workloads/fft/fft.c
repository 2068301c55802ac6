/* Complex 1D FFT (DWF Table 5.3: SPLASH FFT, modified so that "multiple 1M-point arrays are processed by 12288 threads"; medium
 * divergence, "little diverging control flow" in chapter 6). The six steps of the algorithm with a row a thread: transpose,
 * transform the rows, multiply by the roots of unity, transpose, transform the rows, transpose. A transposition starts at a
 * different place in each thread, in two loops whose lengths depend on the thread's number: there warps diverge.
 *
 * Each step is a launch: SPLASH has a barrier between steps, and threads that the transposition separated start the next step
 * together under every mechanism.
 *
 * A row's transform is radix 2 in place, each pass along the row and the roots in the order of their use, as SPLASH has them.
 * 12288 rows are 12 arrays of a million points, or 48 of 65536, which is what the size paper has, and 12 of them at small: the
 * steps and the threads are the same, the time to simulate is a twentieth. Rows are then 4 KB, in the thesis 16 KB; with
 * either the rows of a core's 768 threads are several times as large as its cache. Fitted to Tables 6.1 to 6.3 under PDOM
 * (DRAM busy for 75.4 %, misses 15.5 % with and 11.8 % without hits on lines that are on their way; ours at small 81.0, 15.7
 * and 10.9): double precision, the length of rows, and rows a line further apart than a power of two, as SPLASH's are.
 *
 * The CPU transforms by recursion; the tolerance is some units in the last place of the largest values. */
#include <math.h>

#include "workloads/workload.h"

enum { PAD = 4 }; /* points: a line of 64 bytes */
struct point {
    double re, im;
};

static struct point root(uint32_t k, uint32_t n) {
    double angle = -2 * acos(-1) * k / n;
    return (struct point){cos(angle), sin(angle)};
}

static struct point *roots(struct work *w, uint32_t n) {
    struct point *r = work_host(w, n, sizeof *r);
    for (uint32_t k = 0; k < n; k++) r[k] = root(k, n);
    return r;
}

/* The roots of a row, pass by pass: the root k of the pass whose pairs are h apart is at h - 1 + k. */
static struct point *roots_by_pass(struct work *w, uint32_t m) {
    struct point *r = work_host(w, m, sizeof *r);
    for (uint32_t half = 1; half < m; half *= 2)
        for (uint32_t k = 0; k < half; k++) r[half - 1 + k] = root(k, 2 * half);
    return r;
}

/* to[0..n) from every stride-th point; unity: the roots of all. */
static void transform(struct point *to, const struct point *from, uint32_t n, uint32_t stride,
                      const struct point *unity) {
    if (n == 1) {
        *to = *from;
        return;
    }
    transform(to, from, n / 2, 2 * stride, unity);
    transform(to + n / 2, from + stride, n / 2, 2 * stride, unity);
    for (uint32_t k = 0; k < n / 2; k++) {
        const struct point r = unity[k * stride], a = to[k], b = to[k + n / 2];
        const struct point t = {b.re * r.re - b.im * r.im, b.re * r.im + b.im * r.re};
        to[k] = (struct point){a.re + t.re, a.im + t.im};
        to[k + n / 2] = (struct point){a.re - t.re, a.im - t.im};
    }
}

/* Between the points of an array, one after the other, and its rows on the device. */
static void spread(struct point *rows, const struct point *v, uint32_t m) {
    for (uint32_t i = 0; i < m * m; i++) rows[i / m * (m + PAD) + i % m] = v[i];
}

/* What the launches of all steps have in common. */
struct steps {
    struct work *w;
    uint32_t blocks, block;
    uint32_t m;
};

static void transpose(const struct steps *s, uint64_t to, uint64_t from) {
    WORK_LAUNCH(s->w, "transpose", WORK_SHAPE(.grid = {s->blocks}, .block = {s->block}), hd_arg_ptr(to),
                hd_arg_ptr(from), hd_arg_u32(s->m), hd_arg_u32(s->m + PAD));
}

static void transform_rows(const struct steps *s, uint64_t rows, uint64_t roots) {
    WORK_LAUNCH(s->w, "fft_rows", WORK_SHAPE(.grid = {s->blocks}, .block = {s->block}), hd_arg_ptr(rows),
                hd_arg_ptr(roots), hd_arg_u32(s->m), hd_arg_u32(s->m + PAD));
}

void work_fft(struct work *w) {
    const uint32_t arrays = work_pick(w, 2, 12, 48), m = work_pick(w, 32, 256, 256), n = m * m,
                   padded = m * (m + PAD), block = work_pick(w, 32, 256, 256);
    const struct point *unity = roots(w, n);
    struct point *in = work_host(w, (size_t)arrays * padded, sizeof *in), *v = work_host(w, n, sizeof *v),
                 *t = work_host(w, n, sizeof *t), *want = work_host(w, (size_t)arrays * padded, sizeof *want);
    for (uint32_t a = 0; a < arrays; a++) {
        for (uint32_t i = 0; i < n; i++)
            v[i] = (struct point){(double)work_uniform(w, -1, 1), (double)work_uniform(w, -1, 1)};
        spread(in + a * padded, v, m);
        transform(t, v, n, 1, unity);
        spread(want + a * padded, t, m);
    }
    const uint64_t bytes = (uint64_t)arrays * padded * sizeof *in;
    uint64_t data = work_input(w, "data", in, bytes), result = work_buffer(w, "result", bytes);
    uint64_t row_roots = work_input(w, "roots of a row", roots_by_pass(w, m), m * sizeof *v);
    uint64_t all_roots = work_input(w, "roots", unity, n * sizeof *v);
    const struct steps steps = {w, arrays * m / block, block, m};
    transpose(&steps, result, data);
    transform_rows(&steps, result, row_roots);
    WORK_LAUNCH(w, "twiddle", WORK_SHAPE(.grid = {steps.blocks}, .block = {steps.block}), hd_arg_ptr(result),
                hd_arg_ptr(all_roots), hd_arg_u32(m), hd_arg_u32(m + PAD));
    transpose(&steps, data, result);
    transform_rows(&steps, data, row_roots);
    transpose(&steps, result, data);
    work_check_f64(w, "result", result, &want->re, (size_t)arrays * padded * 2, 0, 1e-13 * m);
}
