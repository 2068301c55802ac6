// Quasi-random numbers: Sobol' points from their direction numbers, and Moro's inverse of the normal distribution (SL Table 3).
// regen: -mllvm -disable-block-placement
#include "cuda.h"

#define DIMENSIONS 3
#define BITS       32

__constant__ uint direction[DIMENSIONS][BITS];

// threadIdx.y is the dimension. A point is the exclusive or of the direction numbers where its index has a 1.
KERNEL sobol(float *out, uint n) {
    uint d = threadIdx.y;
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) {
        uint point = 0;
        for (uint bit = 0, rest = i; rest; bit++, rest >>= 1)
            if (rest & 1) point ^= direction[d][bit];
        out[d * n + i] = (float)(point >> 8) * 0x1p-24f;
    }
}

DEVICE float log_approx(float x) {
    return log2_approx(x) * 0.693147181f;
}

// Near the middle a quotient of polynomials in the distance from it, in the tails a polynomial in log(-log(p)).
DEVICE float inverse_normal(float p) {
    float y = p - 0.5f;
    if (abs_f(y) < 0.42f) {
        float z = y * y;
        float above = ((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f;
        float below = (((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.47351093090f) * z + 1;
        return y * above / below;
    }
    float tail = y > 0 ? 1 - p : p;
    float z = log_approx(-log_approx(tail)), sum = 0.0000003960315187f;
    sum = sum * z + 0.0000002888167364f;
    sum = sum * z + 0.0000321767881768f;
    sum = sum * z + 0.0003951896511919f;
    sum = sum * z + 0.0038405729373609f;
    sum = sum * z + 0.0276438810333863f;
    sum = sum * z + 0.1607979714918209f;
    sum = sum * z + 0.9761690190917186f;
    sum = sum * z + 0.3374754822726147f;
    return y < 0 ? -sum : sum;
}

// The values that part the distribution into n + 1 equal shares.
KERNEL inverse(float *out, uint n) {
    float share = 1 / (float)(n + 1);
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) out[i] = inverse_normal((float)(i + 1) * share);
}
