// Black-Scholes prices of European calls and puts; threads take the options in turn (DWF 5.3, 6.2).
#include "soft.cuh"

// The normal distribution, by a polynomial of degree 5 (Abramowitz and Stegun 26.2.17).
DEVICE float normal(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * abs_f(d));
    const float p =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * soft_exp(-0.5f * d * d) * p;
    if (d > 0) {
        BRANCH;
        tail = 1.0f - tail;
    }
    return tail;
}

KERNEL black(float *calls, float *puts, const float *prices, const float *strikes, const float *years, uint options,
             float rate, float volatility) {
    const uint threads = gridDim.x * blockDim.x;
    for (uint i = global_id(); i < options; i += threads) {
        const float s = prices[i], x = strikes[i], t = years[i];
        if (t <= 0) { // expired: what it is worth at once
            calls[i] = s > x ? s - x : 0.0f;
            puts[i] = s > x ? 0.0f : x - s;
            continue;
        }
        const float spread = volatility * soft_sqrt(t);
        const float d1 = (soft_log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
        const float n1 = normal(d1), n2 = normal(d1 - spread), discount = soft_exp(-rate * t);
        calls[i] = s * n1 - x * discount * n2;
        puts[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
    }
}
