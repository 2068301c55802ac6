// Walk of an uneven binary tree by recursive calls; the tree is in the bits of the input: a node has a left child where its bit
// is set, a right child where the next one is.
#include "flow.cuh"

__device__ __noinline uint walk(uint x, uint depth, uint path) {
    step(path, 'A');
    if (depth == 0) return path;
    if (x & 1) {
        step(path, 'L');
        path = walk(x >> 2, depth - 1, path);
    }
    if (x & 2) {
        step(path, 'R');
        path = walk(x >> 5, depth - 1, path);
    }
    return path;
}

KERNEL recursion(uint *out, const uint *in) {
    uint i = global_id(), path = 0;
    path = walk(in[i], 4, path);
    step(path, 'Z');
    out[i] = path;
}
