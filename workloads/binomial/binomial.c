/* European calls by binomial trees, one block of 256 threads an option. SL Table 3: 277M warp instructions, which fit 512
 * options of 2048 steps; as blocks do nothing together, the size paper has 32 of them and the paper's steps. Ours: the options,
 * random, and how a level is cut: pieces of 256 values that go back 32 levels each. Threads beyond a piece's narrowing end have
 * nothing to do.
 * The CPU sums the payoffs over the binomial distribution of the leaves in double precision. The kernel rounds twice per step
 * in single precision, at random: some 1e-6 of the value after 2048 of them; its power of 2 is good to 2^-22. */
#include "workloads/workload.h"

#include <math.h>

enum { BLOCK = 256 };

/* As the kernel takes it. */
struct option {
    float spot, strike, step, up, down;
};
struct terms {
    double spot, strike, years, rate, volatility;
};

static struct terms random_terms(struct work *w) {
    return (struct terms){(double)work_uniform(w, 5, 30), (double)work_uniform(w, 1, 30),
                          (double)work_uniform(w, 0.25f, 5), 0.06, (double)work_uniform(w, 0.1f, 0.4f)};
}

/* Cox, Ross and Rubinstein: the move up is the volatility over one step, down its inverse. */
static double probability_up(const struct terms *t, double dt) {
    double up = exp(t->volatility * sqrt(dt)), down = 1 / up;
    return (exp(t->rate * dt) - down) / (up - down);
}

static struct option prepare(const struct terms *t, uint32_t steps) {
    double dt = t->years / steps, p = probability_up(t, dt), discount = exp(-t->rate * dt);
    return (struct option){(float)t->spot, (float)t->strike,
                           (float)(t->volatility * sqrt(dt) * 1.4426950408889634), (float)(p * discount),
                           (float)((1 - p) * discount)};
}

static double price(const struct terms *t, uint32_t steps) {
    double dt = t->years / steps, p = probability_up(t, dt), move = t->volatility * sqrt(dt);
    double chance = steps * log1p(-p), odds = log(p / (1 - p)), sum = 0; /* logarithms */
    for (uint32_t i = 0; i <= steps; i++) {
        double gain = t->spot * exp(move * (2.0 * i - steps)) - t->strike;
        if (gain > 0) sum += gain * exp(chance);
        if (i < steps) chance += odds + log((double)(steps - i) / (i + 1));
    }
    return sum * exp(-t->rate * t->years);
}

void work_binomial(struct work *w) {
    uint32_t n = work_pick(w, 2, 16, 32), steps = work_pick(w, 72, 300, 2048); /* even */
    struct option *options = work_host(w, n, sizeof *options);
    float *want = work_host(w, n, sizeof *want);
    for (uint32_t i = 0; i < n; i++) {
        struct terms t = random_terms(w);
        options[i] = prepare(&t, steps);
        want[i] = (float)price(&t, steps);
    }
    uint64_t doptions = work_input(w, "options", options, n * sizeof *options);
    uint64_t level = work_buffer(w, "level", (uint64_t)n * (steps + 1) * sizeof(float));
    uint64_t out = work_buffer(w, "price", n * sizeof *want);
    WORK_LAUNCH(w, "binomial", WORK_SHAPE(.grid = {n}, .block = {BLOCK}), hd_arg_ptr(out), hd_arg_ptr(level),
                hd_arg_ptr(doptions), hd_arg_u32(steps));
    work_check_f32(w, "price", out, want, n, 1e-4, 1e-4);
}
