/* Needleman-Wunsch: the score of every pair of prefixes of two sequences. One launch per diagonal of tiles; within a tile 16
 * threads walk its diagonals in step, most of them idle at the ends. score is (n + 1) x (n + 1), first row and column given;
 * n is a multiple of 16. */
#include "cuda.h"

enum { TILE = 16 };

DEVICE int larger(int a, int b) { return a > b ? a : b; }

KERNEL align_diagonal(int *score, const uchar *a, const uchar *b, int n, int diagonal, int gap) {
    __shared__ int s[TILE + 1][TILE + 1];
    int tiles = n / TILE, first = diagonal < tiles ? 0 : diagonal - tiles + 1;
    int tx = first + (int)blockIdx.x, ty = diagonal - tx, t = (int)threadIdx.x, pitch = n + 1;
    int *origin = score + ty * TILE * pitch + tx * TILE;
    s[0][t + 1] = origin[t + 1];
    s[t + 1][0] = origin[(t + 1) * pitch];
    if (t == 0) s[0][0] = origin[0];
    uchar mine = a[tx * TILE + t];
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int row = d - t; /* the thread's column goes down one row a step */
        if (row >= 0 && row < TILE) {
            int match = s[row][t] + (mine == b[ty * TILE + row] ? 3 : -1);
            s[row + 1][t + 1] = larger(match, larger(s[row][t + 1], s[row + 1][t]) - gap);
        }
        __syncthreads();
    }
    for (int row = 1; row <= TILE; row++) origin[row * pitch + t + 1] = s[row][t + 1];
}
