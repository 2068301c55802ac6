/* An FFT with function calls, as SL has one (Table 3: Parboil_FFT, 431 instructions, 8.8 M executed by warps; 5.2: "this kernel
 * contains function calls", which the implicit stack does not run). The paper says no more of it. Ours: arrays of 512 points in
 * three passes of radix 8, in the order of Stockham; the roots of unity come from a subroutine that only threads with a root
 * other than 1 call, and that has a case for each eighth of the circle. The number of arrays is chosen for the paper's count.
 *
 * The CPU transforms in double precision by the definition. The tolerance is some units in the last place of the largest
 * values, whose size is that of sqrt(points). */
#include "workloads/workload.h"

#include <math.h>

struct point {
    float re, im;
};

static void transform(struct point *to, const struct point *from, const double *cosine, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (uint32_t i = 0; i < n; i++) {
            /* sin a = cos(a - pi/2). */
            const double c = cosine[i * k % n], s = -cosine[(i * k + 3 * n / 4) % n];
            re += (double)from[i].re * c - (double)from[i].im * s;
            im += (double)from[i].re * s + (double)from[i].im * c;
        }
        to[k] = (struct point){(float)re, (float)im};
    }
}

static struct point *want(struct work *w, const struct point *v, uint32_t arrays, uint32_t n) {
    double *cosine = work_host(w, n, sizeof *cosine);
    struct point *to = work_host(w, (size_t)arrays * n, sizeof *to);
    for (uint32_t i = 0; i < n; i++) cosine[i] = cos(2 * acos(-1) * i / n);
    for (uint32_t a = 0; a < arrays; a++) transform(to + a * n, v + a * n, cosine, n);
    return to;
}

void work_stockham(struct work *w) {
    const uint32_t n = work_pick(w, 64, 512, 512), arrays = work_pick(w, 32, 96, 3240), points = arrays * n;
    struct point *v = work_host(w, points, sizeof *v);
    for (uint32_t i = 0; i < points; i++) {
        v[i].re = work_uniform(w, -1, 1);
        v[i].im = work_uniform(w, -1, 1);
    }
    uint64_t from = work_input(w, "data", v, points * sizeof *v),
             to = work_buffer(w, "result", points * sizeof *v);
    for (uint32_t done = 1; done < n; done *= 8) {
        WORK_LAUNCH(w, "stockham", WORK_SHAPE(.grid = {points / 8 / 64}, .block = {64}), hd_arg_ptr(to),
                    hd_arg_ptr(from), hd_arg_u32(n), hd_arg_u32(done));
        const uint64_t swap = from;
        from = to, to = swap;
    }
    work_check_f32(w, "result", from, &want(w, v, arrays, n)->re, (size_t)points * 2, 0, 2e-5 * sqrt(n));
}
