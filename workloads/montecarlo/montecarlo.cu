// Monte-Carlo prices of European call options, one block an option (SL: MonteCarloOneBlock).
#include "cuda.h"

#define THREADS 256 // at most

struct options {
    const float *price, *strike, *drift, *spread; // drift and spread of the price's base-2 logarithm until the option expires
};

struct sums {
    float *values, *squares; // values at the end of each path, and their squares
};

// Both sums of the block, in thread 0. Blocks have a power of two of threads.
DEVICE void block_sum(float &value, float &square) {
    __shared__ float values[THREADS], squares[THREADS];
    uint t = threadIdx.x;
    values[t] = value;
    squares[t] = square;
    __syncthreads();
    for (uint distance = blockDim.x / 2; distance > 0; distance /= 2) {
        if (t < distance) {
            values[t] += values[t + distance];
            squares[t] += squares[t + distance];
        }
        __syncthreads();
    }
    value = values[0];
    square = squares[0];
}

KERNEL montecarlo(sums out, options o, const float *samples, uint paths) {
    uint option = blockIdx.x;
    float price = o.price[option], strike = o.strike[option], drift = o.drift[option], spread = o.spread[option];
    float value = 0, square = 0;
#pragma unroll 1
    for (uint i = threadIdx.x; i < paths; i += blockDim.x) {
        float worth = price * exp2_approx(drift + spread * samples[i]) - strike;
        worth = worth > 0 ? worth : 0;
        value += worth;
        square += worth * worth;
    }
    block_sum(value, square);
    if (threadIdx.x == 0) {
        out.values[option] = value;
        out.squares[option] = square;
    }
}
