/* Monte-Carlo pricing of European calls (SL Table 3: kernel MonteCarloOneBlock, 27 M instructions of a warp). A block takes an
 * option; its threads share the paths, each of which ends where a normally distributed sample says, and a tree in shared memory
 * sums what the option is worth there. The paper gives no launch: 256 options, 256 threads a block and 2^18 paths make its count.
 * Samples are made on the host, as the original's are before this kernel runs.
 *
 * The reference sums in double precision. A thread of the kernel adds up to 1024 terms in single precision, each within a few
 * roundings of its own (ex2.approx: 2^-22): sums are within 1024 * 2^-24 of theirs, squares within twice that; both are far less
 * in fact, for roundings cancel. And prices must be what Black and Scholes' formula says, within five standard errors. */
#include <math.h>

#include "workloads/workload.h"

struct option {
    double price, strike, years, rate, volatility;
};

/* As the kernel takes them. */
struct device_options {
    uint64_t price, strike, drift, spread;
};

struct device_sums {
    uint64_t values, squares;
};

/* What the kernel reads: by option, and the samples that all options share. */
struct inputs {
    uint32_t count, paths;
    struct option *options;
    float *price, *strike, *drift, *spread, *samples;
};

static float normal(struct work *w) {
    double u = (work_random(w) + 0.5) * 0x1p-32, v = (work_random(w) + 0.5) * 0x1p-32;
    return (float)(sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v));
}

static struct inputs make_inputs(struct work *w, uint32_t count, uint32_t paths) {
    struct inputs in = {.count = count, .paths = paths};
    in.options = work_host(w, count, sizeof *in.options);
    in.price = work_host(w, count, sizeof *in.price);
    in.strike = work_host(w, count, sizeof *in.strike);
    in.drift = work_host(w, count, sizeof *in.drift);
    in.spread = work_host(w, count, sizeof *in.spread);
    in.samples = work_host(w, paths, sizeof *in.samples);
    for (uint32_t i = 0; i < count; i++) {
        struct option o = {.price = (double)work_uniform(w, 5, 50),
                           .years = (double)work_uniform(w, 1, 5),
                           .rate = 0.06,
                           .volatility = 0.1};
        o.strike = o.price * (double)work_uniform(w, 0.8f, 1.2f);
        double log2e = 1 / log(2);
        in.options[i] = o;
        in.price[i] = (float)o.price;
        in.strike[i] = (float)o.strike;
        in.drift[i] = (float)((o.rate - 0.5 * o.volatility * o.volatility) * o.years * log2e);
        in.spread[i] = (float)(o.volatility * sqrt(o.years) * log2e);
    }
    for (uint32_t i = 0; i < paths; i++) in.samples[i] = normal(w);
    return in;
}

static double black_scholes(const struct option *o) {
    double root = o->volatility * sqrt(o->years);
    double d1 = log(o->price / o->strike) / root + (o->rate / o->volatility) * sqrt(o->years) + root / 2;
    double discount = exp(-o->rate * o->years);
    return o->price * erfc(-d1 / sqrt(2)) / 2 - o->strike * discount * erfc((root - d1) / sqrt(2)) / 2;
}

/* The sums of one option, and that they make the right price. */
static void simulate(struct work *w, const struct inputs *in, uint32_t i, float *value, float *square) {
    double sum = 0, squares = 0, n = in->paths;
    for (uint32_t p = 0; p < in->paths; p++) {
        double log2_growth = (double)in->drift[i] + (double)in->spread[i] * (double)in->samples[p];
        double worth = fmax((double)in->price[i] * exp2(log2_growth) - (double)in->strike[i], 0);
        sum += worth;
        squares += worth * worth;
    }
    *value = (float)sum;
    *square = (float)squares;
    double discount = exp(-in->options[i].rate * in->options[i].years);
    double error = sqrt((squares - sum * sum / n) / (n - 1) / n), price = black_scholes(&in->options[i]);
    work_expect(w, fabs(sum / n * discount - price) <= 5 * error * discount, NULL, 0,
                "option %u costs %g, not %g as its formula says", i, sum / n * discount, price);
}

static struct device_options device_options(struct work *w, const struct inputs *in) {
    uint64_t bytes = in->count * sizeof(float);
    return (struct device_options){
        work_input(w, "price", in->price, bytes), work_input(w, "strike", in->strike, bytes),
        work_input(w, "drift", in->drift, bytes), work_input(w, "spread", in->spread, bytes)};
}

void work_montecarlo(struct work *w) {
    uint32_t options = work_pick(w, 4, 32, 256), threads = work_pick(w, 64, 256, 256);
    struct inputs in = make_inputs(w, options, work_pick(w, 2048, 1u << 14, 1u << 18));
    struct device_options d = device_options(w, &in);
    struct device_sums out = {work_buffer(w, "values", options * sizeof(float)),
                              work_buffer(w, "squares", options * sizeof(float))};
    uint64_t samples = work_input(w, "samples", in.samples, in.paths * sizeof *in.samples);
    WORK_LAUNCH(w, "montecarlo", WORK_SHAPE(.grid = {options}, .block = {threads}),
                hd_arg_bytes(&out, sizeof out), hd_arg_bytes(&d, sizeof d), hd_arg_ptr(samples),
                hd_arg_u32(in.paths));
    float *values = work_host(w, options, sizeof *values), *squares = work_host(w, options, sizeof *squares);
    for (uint32_t i = 0; i < options; i++) simulate(w, &in, i, &values[i], &squares[i]);
    work_check_f32(w, "values", out.values, values, options, 1024 * 0x1p-24, 0);
    work_check_f32(w, "squares", out.squares, squares, options, 2048 * 0x1p-24, 0);
}
