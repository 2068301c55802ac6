// Solutions of the N queens problem below prefixes of the board, by backtracking without recursion (HARP: N-Queen).
#include "cuda.h"

#define THREADS 96
#define ROWS    10

// A stack of board rows for each thread of the block: columns still to try, and what the queens above attack.
struct boards {
    uint open[THREADS][ROWS], columns[THREADS][ROWS], left[THREADS][ROWS], right[THREADS][ROWS];
};

struct prefixes {
    const uint *columns, *left, *right;
    uint count;
};

DEVICE void enter_row(boards &b, int row, uint all, uint columns, uint left, uint right) {
    uint t = threadIdx.x;
    b.columns[t][row] = columns;
    b.left[t][row] = left;
    b.right[t][row] = right;
    b.open[t][row] = all & ~(columns | left | right);
}

DEVICE uint solve(boards &b, int rows, uint all) {
    uint t = threadIdx.x, found = 0;
    for (int row = 0; row >= 0;) {
        uint open = b.open[t][row], queen = open & -open;
        if (open == 0) {
            row--;
        } else {
            b.open[t][row] = open ^ queen;
            if (row + 1 == rows) {
                found++;
            } else {
                enter_row(b, row + 1, all, b.columns[t][row] | queen, (b.left[t][row] | queen) << 1,
                          (b.right[t][row] | queen) >> 1);
                row++;
            }
        }
    }
    return found;
}

// Step by step, from 64 on: the 32 threads from 64 on go to the first 32, then halves.
DEVICE void block_sum(uint *sums) {
    uint t = threadIdx.x;
    __syncthreads();
    if (t < 64 && t + 64 < THREADS) sums[t] += sums[t + 64];
    __syncthreads();
    if (t < 32) sums[t] += sums[t + 32];
    __syncthreads();
    if (t < 16) sums[t] += sums[t + 16];
    __syncthreads();
    if (t < 8) sums[t] += sums[t + 8];
    __syncthreads();
    if (t < 4) sums[t] += sums[t + 4];
    __syncthreads();
    if (t < 2) sums[t] += sums[t + 2];
    __syncthreads();
    if (t < 1) sums[t] += sums[t + 1];
    __syncthreads();
}

// A solution and its mirror image count both.
KERNEL nqu(uint *solutions, prefixes p, int rows, uint all) {
    __shared__ boards b;
    __shared__ uint sums[THREADS];
    uint i = global_id();
    if (i < p.count) {
        enter_row(b, 0, all, p.columns[i], p.left[i], p.right[i]);
        sums[threadIdx.x] = 2 * solve(b, rows, all);
    } else {
        sums[threadIdx.x] = 0;
    }
    block_sum(sums);
    if (threadIdx.x == 0) solutions[blockIdx.x] = sums[0];
}
