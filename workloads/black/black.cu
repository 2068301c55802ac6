// Black-Scholes prices of European calls and puts; threads take the options in turn (DWF 5.3, 6.2).
#include "soft.cuh"

LITERAL(TAIL_0, 0.2316419f);
LITERAL(TAIL_1, 0.31938153f);
LITERAL(TAIL_2, -0.356563782f);
LITERAL(TAIL_3, 1.781477937f);
LITERAL(TAIL_4, -1.821255978f);
LITERAL(TAIL_5, 1.330274429f);
LITERAL(PER_ROOT, 0.39894228f); // 1 / sqrt(2 pi)

// The normal distribution, by a polynomial of degree 5 (Abramowitz and Stegun 26.2.17).
DEVICE float normal(float d) {
    const float k = ONE / (ONE + TAIL_0 * abs_f(d));
    const float p = k * (TAIL_1 + k * (TAIL_2 + k * (TAIL_3 + k * (TAIL_4 + k * TAIL_5))));
    float tail = PER_ROOT * soft_exp(-HALF * d * d) * p;
    if (d > 0) {
        BRANCH;
        tail = ONE - tail;
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
        const float d1 = (soft_log(s / x) + (rate + HALF * volatility * volatility) * t) / spread;
        const float n1 = normal(d1), n2 = normal(d1 - spread), discount = soft_exp(-rate * t);
        calls[i] = s * n1 - x * discount * n2;
        puts[i] = x * discount * (ONE - n2) - s * (ONE - n1);
    }
}
