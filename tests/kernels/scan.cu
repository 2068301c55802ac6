/* Exclusive prefix sums in three launches, and N-queens by backtracking in local memory. */
#include "cuda.h"

/* Inclusive scan of a warp by shfl.up, then of the warps' totals by the first warp. */
DEVICE int block_scan(int v, int *part) {
    uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d <<= 1) {
        int t = shfl_up(FULL, v, d);
        if (lane >= (uint)d) v += t;
    }
    if (lane == 31) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int t = lane < blockDim.x / 32 ? part[lane] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            int u = shfl_up(FULL, t, d);
            if (lane >= (uint)d) t += u;
        }
        part[lane] = t;
    }
    __syncthreads();
    return v + (warp ? part[warp - 1] : 0);
}

KERNEL scan_blocks(int *out, int *totals, const int *in, uint n) {
    __shared__ int part[32];
    uint i = global_id();
    int v = i < n ? in[i] : 0, s = block_scan(v, part);
    if (i < n) out[i] = s - v;
    if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = s;
}

KERNEL scan_add(int *out, const int *offsets, uint n) {
    uint i = global_id();
    if (i < n) out[i] += offsets[blockIdx.x];
}

/* Thread i fixes the queens of the first two rows and counts the completions. */
KERNEL queens(uint *count, uint n) {
    uint i = global_id();
    if (i >= n * n) return;
    uint first = i / n, second = i % n;
    if (second == first || second == first + 1 || second + 1 == first) return;
    uint col[16], left[16], right[16], pick[16];
    uint all = (1u << n) - 1, row = 2, found = 0;
    uint a = 1u << first, b = 1u << second;
    col[2] = a | b;
    left[2] = (a << 2) | (b << 1);
    right[2] = (a >> 2) | (b >> 1);
    pick[2] = all & ~(col[2] | left[2] | right[2]);
    while (row >= 2) {
        if (!pick[row]) {
            row--;
            continue;
        }
        uint bit = pick[row] & -pick[row];
        pick[row] &= ~bit;
        if (row + 1 == n) {
            found++;
            continue;
        }
        col[row + 1] = col[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        pick[row] = all & ~(col[row] | left[row] | right[row]);
    }
    atomic_add(count, found);
}
