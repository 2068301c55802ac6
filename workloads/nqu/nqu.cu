// Solutions of the N queens problem below prefixes of the board, by backtracking without recursion (HARP: N-Queen).
#include "cuda.h"

#define THREADS 96
#define ROWS    12

// A stack of board rows for each thread of the block: columns still to try, and what the queens above attack.
struct boards {
    uint open[ROWS][THREADS], columns[ROWS][THREADS], left[ROWS][THREADS], right[ROWS][THREADS];
};

struct prefixes {
    const uint *columns, *left, *right;
    uint count;
};

DEVICE void enter_row(boards &b, int row, uint all, uint columns, uint left, uint right) {
    uint t = threadIdx.x;
    b.columns[row][t] = columns;
    b.left[row][t] = left;
    b.right[row][t] = right;
    b.open[row][t] = all & ~(columns | left | right);
}

DEVICE uint solve(boards &b, int rows, uint all) {
    uint t = threadIdx.x, found = 0;
    for (int row = 0; row >= 0;) {
        uint open = b.open[row][t], queen = open & -open;
        if (open == 0) {
            row--;
        } else {
            b.open[row][t] = open ^ queen;
            if (row + 1 == rows) {
                found++;
            } else {
                enter_row(b, row + 1, all, b.columns[row][t] | queen, (b.left[row][t] | queen) << 1,
                          (b.right[row][t] | queen) >> 1);
                row++;
            }
        }
    }
    return found;
}

DEVICE uint block_sum(uint *sums, uint value) {
    uint t = threadIdx.x;
    sums[t] = value;
    __syncthreads();
    for (uint n = THREADS; n > 1;) {
        uint half = (n + 1) / 2;
        if (t < n / 2) sums[t] += sums[t + half];
        __syncthreads();
        n = half;
    }
    return sums[0];
}

KERNEL nqu(uint *solutions, prefixes p, int rows, uint all) {
    __shared__ boards b;
    __shared__ uint sums[THREADS];
    uint i = global_id(), found = 0;
    if (i < p.count) {
        enter_row(b, 0, all, p.columns[i], p.left[i], p.right[i]);
        found = solve(b, rows, all);
    }
    found = block_sum(sums, found);
    if (threadIdx.x == 0) solutions[blockIdx.x] = found;
}
