// Bitonic sort of arrays in global memory, one element a thread (DWF 5.3). Of the two threads that meet at a pair only the lower one works. A pair
// is never further apart than an array is long, a power of two, so that arrays are sorted side by side.
#include "cuda.h"

DEVICE void swap(u64 *v, uint a, uint b, u64 x, u64 y) {
    BRANCH;
    v[a] = y;
    v[b] = x;
}

// One comparator, if i is the lower end of one: stage sorts runs of that length, alternately up and down.
DEVICE void compare(u64 *v, uint i, uint stage, uint distance) {
    const uint other = i ^ distance;
    if (other <= i) return;
    if ((i & stage) == 0) {
        BRANCH;
        const u64 x = v[i], y = v[other];
        if (x > y) swap(v, i, other, x, y);
    } else {
        BRANCH;
        const u64 x = v[i], y = v[other];
        if (x < y) swap(v, i, other, x, y);
    }
}

// Distances down to 1 that stay within the block's elements; the block walks in step.
DEVICE void merge_near(u64 *v, uint stage, uint distance) {
    for (; distance > 0; distance >>= 1) {
        compare(v, global_id(), stage, distance);
        __syncthreads();
    }
}

// All stages that fit into a block. The runs go up or down as the next stage wants them.
KERNEL sort_blocks(u64 *v) {
    for (uint stage = 2; stage <= blockDim.x; stage <<= 1) merge_near(v, stage, stage >> 1);
}

// One distance of a later stage, across blocks.
KERNEL merge_far(u64 *v, uint stage, uint distance) {
    compare(v, global_id(), stage, distance);
}

// The rest of that stage.
KERNEL merge_blocks(u64 *v, uint stage) {
    merge_near(v, stage, blockDim.x >> 1);
}
