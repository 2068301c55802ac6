// Bitonic sort of arrays in global memory (DWF 5.3). Of the two threads that meet at a pair only the lower one works. A pair
// is never further apart than `length`, a power of two, so that neighbouring arrays are sorted side by side.
#include "cuda.h"

DEVICE void swap(uint *v, uint a, uint b, uint x, uint y) {
    BRANCH;
    v[a] = y;
    v[b] = x;
}

// One comparator, if i is the lower end of one: stage sorts runs of that length, alternately up and down.
DEVICE void compare(uint *v, uint i, uint stage, uint distance) {
    const uint other = i ^ distance;
    if (other <= i) return;
    if ((i & stage) == 0) {
        BRANCH;
        const uint x = v[i], y = v[other];
        if (x > y) swap(v, i, other, x, y);
    } else {
        BRANCH;
        const uint x = v[i], y = v[other];
        if (x < y) swap(v, i, other, x, y);
    }
}

// Distances down to 1 that stay within the block's segment; the block walks in step.
DEVICE void merge_segment(uint *v, uint first, uint segment, uint stage, uint distance) {
    for (; distance > 0; distance >>= 1) {
        for (uint i = threadIdx.x; i < segment; i += blockDim.x) compare(v, first + i, stage, distance);
        __syncthreads();
    }
}

// All stages up to the segment's length. The run that a segment makes goes up or down as the next stage wants it.
KERNEL sort_segments(uint *v, uint segment) {
    for (uint stage = 2; stage <= segment; stage <<= 1)
        merge_segment(v, blockIdx.x * segment, segment, stage, stage >> 1);
}

// One distance of a later stage, across segments.
KERNEL merge_far(uint *v, uint n, uint stage, uint distance) {
    const uint threads = gridDim.x * blockDim.x;
    for (uint i = global_id(); i < n; i += threads) compare(v, i, stage, distance);
}

// The rest of that stage.
KERNEL merge_segments(uint *v, uint segment, uint stage) {
    merge_segment(v, blockIdx.x * segment, segment, stage, segment >> 1);
}
