// Scores of a global alignment, tile by tile of the matrix along its anti-diagonals (HARP: Needleman-Wunsch).
#include "cuda.h"

#define TILE 16

struct matrix {
    int *scores;           // width x width; the first row and column are given
    const int *similarity; // similarity of the symbols above and left of a score; same layout
    uint width;
    int penalty;
};

// A tile of scores with the row above and the column left of it.
struct tile {
    int scores[TILE + 1][TILE + 1], similarity[TILE][TILE];
};

DEVICE int max3(int a, int b, int c) {
    int m = a > b ? a : b;
    return m > c ? m : c;
}

DEVICE void load(tile &t, const matrix &m, uint corner) {
    uint x = threadIdx.x;
    for (uint y = 0; y < TILE; y++) t.similarity[y][x] = m.similarity[corner + (y + 1) * m.width + x + 1];
    if (x == 0) t.scores[0][0] = m.scores[corner];
    t.scores[0][x + 1] = m.scores[corner + x + 1];
    t.scores[x + 1][0] = m.scores[corner + (x + 1) * m.width];
    __syncthreads();
}

DEVICE void score(tile &t, uint y, uint x, int penalty) {
    t.scores[y + 1][x + 1] = max3(t.scores[y][x] + t.similarity[y][x], t.scores[y + 1][x] - penalty,
                                  t.scores[y][x + 1] - penalty);
}

// The wavefront grows to all threads and shrinks again.
DEVICE void sweep(tile &t, int penalty) {
    uint x = threadIdx.x;
#pragma unroll 1
    for (uint front = 0; front < TILE; front++) {
        if (x <= front) score(t, front - x, x, penalty);
        __syncthreads();
    }
#pragma unroll 1
    for (uint front = 1; front < TILE; front++) {
        if (x >= front) score(t, TILE - 1 + front - x, x, penalty);
        __syncthreads();
    }
}

DEVICE void align(const matrix &m, uint tile_row, uint tile_column) {
    __shared__ tile t;
    uint x = threadIdx.x, corner = tile_row * TILE * m.width + tile_column * TILE;
    load(t, m, corner);
    sweep(t, m.penalty);
    for (uint y = 0; y < TILE; y++) m.scores[corner + (y + 1) * m.width + x + 1] = t.scores[y + 1][x + 1];
}

// Anti-diagonals up to the longest: as many tiles as blocks, the first at the left edge.
KERNEL nw_upper_left(matrix m) {
    align(m, gridDim.x - 1 - blockIdx.x, blockIdx.x);
}

// Anti-diagonals after the longest, which begin at the lower edge.
KERNEL nw_lower_right(matrix m, uint tiles) {
    align(m, tiles - 1 - blockIdx.x, tiles - gridDim.x + blockIdx.x);
}
