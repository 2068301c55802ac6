// Binomial option trees: one block an option, backward induction on pieces of a level in shared memory (SL Table 3).
// regen: -mllvm -disable-block-placement
#include "cuda.h"

#define PIECE 256 // values of a level that a block holds, one a thread
#define BACK  32  // levels that a piece goes back before the next is loaded

struct option {
    float spot, strike, step; // step: logarithm to base 2 of the move up
    float up, down;           // probabilities, discounted by one step
};

// What the call is worth at its end, after `ups` moves up.
DEVICE float payoff(option o, int ups, int steps) {
    float gain = o.spot * exp2_approx(o.step * (float)(2 * ups - steps)) - o.strike;
    return gain > 0 ? gain : 0;
}

// A piece of a level goes back `levels`, an even number: it loses one value on the right with each. Two copies, so that one
// is read while the other is written; the result is in the first.
DEVICE void go_back(float *piece, float *other, option o, int last, int levels) {
    int t = threadIdx.x;
    float value = piece[t];
    for (int k = last; k > last - levels; k -= 2) {
        if (t < k) other[t] = value = o.up * piece[t + 1] + o.down * value;
        __syncthreads();
        if (t < k - 1) piece[t] = value = o.up * other[t + 1] + o.down * value;
        __syncthreads();
    }
}

// level: a row of steps + 1 values for each option. Pieces run from left to right, and one writes only what no later one reads.
KERNEL binomial(float *price, float *level, const option *options, int steps) {
    __shared__ float piece[PIECE], other[PIECE];
    option o = options[blockIdx.x];
    float *row = level + blockIdx.x * (steps + 1);
    int t = threadIdx.x;
    for (int i = t; i <= steps; i += PIECE) row[i] = payoff(o, i, steps);
    __syncthreads();
    for (int n = steps; n > 0; n -= BACK) { // row[0 .. n] is level n
        int levels = n < BACK ? n : BACK;
        for (int first = 0; first <= n - levels; first += PIECE - BACK) {
            int last = n - first < PIECE - 1 ? n - first : PIECE - 1;
            if (t <= last) piece[t] = row[first + t];
            __syncthreads();
            go_back(piece, other, o, last, levels);
            if (t <= last - levels) row[first + t] = piece[t];
            __syncthreads();
        }
    }
    if (t == 0) price[blockIdx.x] = row[0];
}
