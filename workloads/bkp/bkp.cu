// Back-propagation between an input layer and a hidden one: sums forward, weights adjusted backward (HARP: Back Propagation).
// A block of 16x16 threads has 16 inputs, one for each y, and all hidden units, one for each x. Both layers have a unit 0, the bias, that
// is of no block: a row of weights is 17 floats.
#include "cuda.h"

#define TILE  16
#define PITCH (TILE + 1)

// 2^n, as the hardware raises to a power.
DEVICE uint power_of_two(uint n) {
    return (uint)exp2_approx((float)n * log2_approx(2.0f));
}

// What the inputs of each block add to each hidden unit. The weights go back to where they came from.
KERNEL bkp_forward(float *partial, const float *inputs, float *weights) {
    __shared__ float input[TILE], weight[TILE][TILE], product[TILE][TILE];
    uint x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y + 1, at = row * PITCH + x + 1;
    if (x == 0) input[y] = inputs[row];
    __syncthreads();
    weight[y][x] = weights[at];
    __syncthreads();
    product[y][x] = weight[y][x] * input[y];
    __syncthreads();
#pragma unroll 1
    for (uint step = 1; step <= 4; step++) {
        uint span = power_of_two(step);
        if (y % span == 0) product[y][x] += product[y + span / 2][x];
        __syncthreads();
    }
    weights[at] = weight[y][x];
    __syncthreads();
    if (x == 0) partial[blockIdx.y * TILE + y] = product[0][y];
}

// Gradient descent with momentum: `last` is what was added to each weight the time before.
KERNEL bkp_adjust(float *weights, float *last, const float *deltas, const float *inputs, float rate, float momentum) {
    uint x = threadIdx.x + 1, row = blockIdx.y * TILE + threadIdx.y + 1, i = row * PITCH + x;
    weights[i] += rate * deltas[x] * inputs[row] + momentum * last[i];
    last[i] = rate * deltas[x] * inputs[row] + momentum * last[i];
    __syncthreads();
    if (row == 1) { // the bias, whose input is 1
        weights[x] += rate * deltas[x] + momentum * last[x];
        last[x] = rate * deltas[x] + momentum * last[x];
    }
}
