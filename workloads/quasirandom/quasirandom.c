/* Quasi-random numbers and the inverse of the normal distribution. SL Table 3 measured the second kernel (inverseCNDKernel): its
 * 3.4M warp instructions fit 3 x 2^20 values taken in order, so that neighbours nearly always fall in the same piece of the
 * formula. The launch, 128 blocks of 128 threads, is ours; so is the first kernel's share: at size paper it makes 2^15 points
 * in three dimensions, few beside what the paper counted. Direction numbers are computed here from the primitive polynomials
 * (the first, x + 1, x^2 + x + 1).
 *
 * References: Sobol' points one from the other in the order of Gray's code (Antonov and Saleev), exact; the inverse by Newton's
 * method on the error function in double precision. Moro's formula is good to 3e-9; single precision, and logarithms good to
 * 2^-22, leave some 1e-6 of the result's size. */
#include "workloads/workload.h"

#include <math.h>

enum { DIMENSIONS = 3, BITS = 32, BLOCK = 128 };

/* Sobol's recurrence for a polynomial of degree s: v[k] is the exclusive or of v[k-s], v[k-s] >> s and those v[k-i] whose
 * coefficient i, 0 < i < s, is 1. */
static void make_directions(uint32_t v[DIMENSIONS][BITS]) {
    for (uint32_t k = 0; k < BITS; k++) v[0][k] = 1u << (BITS - 1 - k);
    v[1][0] = 1u << 31;
    for (uint32_t k = 1; k < BITS; k++) v[1][k] = v[1][k - 1] ^ v[1][k - 1] >> 1;
    v[2][0] = 1u << 31, v[2][1] = 3u << 30;
    for (uint32_t k = 2; k < BITS; k++) v[2][k] = v[2][k - 1] ^ v[2][k - 2] ^ v[2][k - 2] >> 2;
}

static void sobol(float *want, const uint32_t v[BITS], uint32_t n) {
    uint32_t point = 0;
    for (uint32_t i = 0; i < n; i++) {
        want[i ^ i >> 1] = (float)(point >> 8) * 0x1p-24f;
        point ^= v[__builtin_ctz(~i)];
    }
}

/* Newton from x, which must not lie far below the root: the distribution is convex left of 0. */
static double inverse(double p, double x) {
    double step = 1;
    for (int i = 0; i < 100 && fabs(step) > 1e-10; i++) {
        step = (0.5 * erfc(-x * 0x1.6a09e667f3bcdp-1) - p) / (exp(-0.5 * x * x) * 0x1.9884533d43651p-2);
        x -= step;
    }
    return x;
}

static void quantiles(float *want, uint32_t n) {
    float share = 1 / (float)(n + 1);
    double x = 0;
    for (uint32_t i = 0; i < n; i++) {
        x = inverse((double)((float)(i + 1) * share), x);
        want[i] = (float)x;
    }
}

static void run_sobol(struct work *w, uint32_t grid) {
    uint32_t n = work_pick(w, 256, 4096, 32768); /* a power of 2: Gray's code stays within it */
    uint32_t v[DIMENSIONS][BITS];
    float *want = work_host(w, DIMENSIONS * n, sizeof *want);
    make_directions(v);
    work_write(w, work_symbol(w, "direction"), v, sizeof v);
    uint64_t out = work_buffer(w, "points", DIMENSIONS * n * sizeof *want);
    WORK_LAUNCH(w, "sobol", WORK_SHAPE(.grid = {grid}, .block = {BLOCK, DIMENSIONS}), hd_arg_ptr(out),
                hd_arg_u32(n));
    for (uint32_t d = 0; d < DIMENSIONS; d++) sobol(want + d * n, v[d], n);
    work_check_f32(w, "points", out, want, DIMENSIONS * n, 0, 0);
}

static void run_inverse(struct work *w, uint32_t grid) {
    uint32_t n = 3 * work_pick(w, 1024, 65536, 1048576);
    float *want = work_host(w, n, sizeof *want);
    uint64_t out = work_buffer(w, "normal", n * sizeof *want);
    WORK_LAUNCH(w, "inverse", WORK_SHAPE(.grid = {grid}, .block = {BLOCK}), hd_arg_ptr(out), hd_arg_u32(n));
    quantiles(want, n);
    work_check_f32(w, "normal", out, want, n, 1e-5, 1e-6);
}

void work_quasirandom(struct work *w) {
    uint32_t grid = work_pick(w, 4, 64, 128);
    run_sobol(w, grid);
    run_inverse(w, grid);
}
