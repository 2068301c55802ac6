// Back-propagation between an input layer and a hidden one: sums forward, weights adjusted backward (HARP: Back Propagation).
// A block of 16x16 threads has 16 inputs, one for each y, and all hidden units, one for each x.
#include "cuda.h"

#define TILE 16

// What the inputs of each block add to each hidden unit; row 0 of the weights is the bias and not of any block.
KERNEL bkp_forward(float *partial, const float *inputs, const float *weights) {
    __shared__ float input[TILE], product[TILE][TILE];
    uint x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y + 1;
    if (x == 0) input[y] = inputs[row];
    __syncthreads();
    product[y][x] = weights[row * TILE + x] * input[y];
    __syncthreads();
#pragma unroll 1
    for (uint distance = 1; distance < TILE; distance *= 2) {
        if (y % (2 * distance) == 0) product[y][x] += product[y + distance][x];
        __syncthreads();
    }
    if (x == 0) partial[blockIdx.y * TILE + y] = product[0][y];
}

// Gradient descent with momentum: `last` is what was added to each weight the time before.
KERNEL bkp_adjust(float *weights, float *last, const float *deltas, const float *inputs, float rate, float momentum) {
    uint x = threadIdx.x, row = blockIdx.y * TILE + threadIdx.y + 1, i = row * TILE + x;
    float change = rate * deltas[x] * inputs[row] + momentum * last[i];
    weights[i] += change;
    last[i] = change;
    if (row == 1) { // the bias, whose input is 1
        change = rate * deltas[x] + momentum * last[x];
        weights[x] += change;
        last[x] = change;
    }
}
