// Black-Scholes prices of European calls and puts, with the hardware's logarithm, exponential and root (SL Table 3).
#include "cuda.h"

DEVICE float exp_fast(float x) {
    return exp2_approx(x * 1.44269504f);
}

// The normal distribution, by a polynomial of degree 5 (Abramowitz and Stegun 26.2.17).
DEVICE float normal(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * abs_f(d));
    const float p =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp_fast(-0.5f * d * d) * p;
    if (d > 0) {
        BRANCH;
        tail = 1.0f - tail;
    }
    return tail;
}

KERNEL blackscholes(float *calls, float *puts, const float *prices, const float *strikes, const float *years,
                    uint options, float rate, float volatility) {
    const uint threads = gridDim.x * blockDim.x;
    for (uint i = global_id(); i < options; i += threads) {
        const float s = prices[i], x = strikes[i], t = years[i];
        const float spread = volatility * sqrt_rn(t);
        const float d1 =
            (log2_approx(s / x) * 0.693147181f + (rate + 0.5f * volatility * volatility) * t) / spread;
        const float n1 = normal(d1), n2 = normal(d1 - spread), discounted = x * exp_fast(-rate * t);
        calls[i] = s * n1 - discounted * n2;
        puts[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
