/* Black-Scholes on the CPU: in double precision, with the library's functions. The kernels' polynomial of the normal
 * distribution is good to 7.5e-8, single precision in d1 to about 1e-6, and both are multiplied by prices up to 100: hence the
 * absolute part of the tolerance. Prices, strikes and times are as in the description of NVIDIA's example. */
#include "workloads/option.h"

#include <math.h>

static const float rate = 0.02f, volatility = 0.30f;

static double normal(double d) {
    return 0.5 * erfc(-d / sqrt(2));
}

static void price(float *call, float *put, double s, double x, double t) {
    if (t <= 0) {
        *call = (float)fmax(s - x, 0);
        *put = (float)fmax(x - s, 0);
        return;
    }
    const double r = (double)rate, v = (double)volatility, discounted = x * exp(-r * t);
    const double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    *call = (float)(s * normal(d1) - discounted * normal(d2));
    *put = (float)(discounted * normal(-d2) - s * normal(-d1));
}

static float *random_values(struct work *w, uint32_t n, float low, float high) {
    float *v = work_host(w, n, sizeof *v);
    for (uint32_t i = 0; i < n; i++) v[i] = work_uniform(w, low, high);
    return v;
}

void option_run(struct work *w, const char *kernel, uint32_t threads, uint32_t block, uint32_t options,
                uint32_t expired) {
    const uint64_t bytes = options * sizeof(float);
    float *s = random_values(w, options, 5, 30), *x = random_values(w, options, 1, 100),
          *t = random_values(w, options, 0.25f, 10);
    for (uint32_t i = 0; i < options && expired; i++)
        if (work_below(w, expired) == 0) t[i] = 0;
    uint64_t calls = work_buffer(w, "calls", bytes), puts = work_buffer(w, "puts", bytes);
    uint64_t ds = work_input(w, "prices", s, bytes), dx = work_input(w, "strikes", x, bytes),
             dt = work_input(w, "years", t, bytes);
    WORK_LAUNCH(w, kernel, WORK_SHAPE(.grid = {threads / block}, .block = {block}), hd_arg_ptr(calls),
                hd_arg_ptr(puts), hd_arg_ptr(ds), hd_arg_ptr(dx), hd_arg_ptr(dt), hd_arg_u32(options),
                hd_arg_f32(rate), hd_arg_f32(volatility));
    float *call = work_host(w, options, sizeof *call), *put = work_host(w, options, sizeof *put);
    for (uint32_t i = 0; i < options; i++) price(&call[i], &put[i], (double)s[i], (double)x[i], (double)t[i]);
    work_check_f32(w, "calls", calls, call, options, 1e-5, 1e-4);
    work_check_f32(w, "puts", puts, put, options, 1e-5, 1e-4);
}
