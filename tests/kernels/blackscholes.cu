/* European option prices: exponentials, logarithms, square roots and divisions, with one divergent sign test. */
#include "cuda.h"

DEVICE float exp_f(float x) { return exp2_approx(x * 1.4426950408889634f); }
DEVICE float log_f(float x) { return log2_approx(x) * 0.6931471805599453f; }

/* Abramowitz and Stegun 26.2.17: the cumulative normal distribution by a polynomial in 1 / (1 + 0.2316419 |d|). */
DEVICE float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * abs_f(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float c = 0.3989422804f * exp_f(-0.5f * d * d) * poly;
    if (d > 0) c = 1.0f - c;
    return c;
}

KERNEL blackscholes(float *call, float *put, const float *price, const float *strike, const float *years, float rate,
                    float volatility, int n) {
    for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) {
        float s = price[i], x = strike[i], t = years[i];
        float root = sqrt_rn(t);
        float d1 = (log_f(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float c1 = cnd(d1), c2 = cnd(d2), discount = exp_f(-rate * t);
        call[i] = s * c1 - x * discount * c2;
        put[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
    }
}
