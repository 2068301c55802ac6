// Bitonic sort of arrays in global memory, one element a thread (DWF 5.3). Of the two threads that meet at a pair only the lower one works. A pair
// is never further apart than an array is long, a power of two, so that arrays are sorted side by side.
#include "cuda.h"

DEVICE void swap(u64 *a, u64 *b) {
    const u64 t = *a;
    *a = *b;
    *b = t;
}

// One comparator, if i is the lower end of one: stage sorts runs of that length, alternately up and down.
DEVICE void compare(u64 *v, uint i, uint stage, uint distance) {
    const uint other = i ^ distance;
    if (other <= i) return;
    if ((i & stage) == 0) {
        BRANCH;
        if (v[i] > v[other]) swap(v + i, v + other);
    } else {
        BRANCH;
        if (v[i] < v[other]) swap(v + i, v + other);
    }
}

// All stages that fit into a block, which walks in step. The runs go up or down as the next stage wants them.
KERNEL sort_blocks(u64 *v) {
    const uint i = global_id();
    for (uint stage = 2; stage <= blockDim.x; stage <<= 1)
        for (uint distance = stage >> 1; distance > 0; distance >>= 1) {
            compare(v, i, stage, distance);
            __syncthreads();
        }
}

// One distance of a later stage.
KERNEL step(u64 *v, uint stage, uint distance) {
    compare(v, global_id(), stage, distance);
}
