// Sorting networks over keys with values: Batcher's bitonic and odd-even merge sorts, in shared memory and over global memory
// (SL Table 3). A block sorts or merges a part of two elements a thread; `up` is the direction.
// regen: -mllvm -disable-block-placement
#include "cuda.h"

#define PART 1024 // most elements of a block

struct pairs {
    uint *key, *value;
};

DEVICE void compare(pairs s, uint i, uint j, bool up) {
    uint a = s.key[i], b = s.key[j];
    if ((a > b) == up) {
        uint t = s.value[i];
        s.key[i] = b, s.key[j] = a;
        s.value[i] = s.value[j], s.value[j] = t;
    }
}

// The place of comparator i of those that are `stride` apart.
DEVICE uint place(uint i, uint stride) {
    return 2 * i - (i & (stride - 1));
}

DEVICE void fetch(pairs s, pairs g) {
    uint t = threadIdx.x, half = blockDim.x, first = blockIdx.x * 2 * half + t;
    s.key[t] = g.key[first], s.value[t] = g.value[first];
    s.key[t + half] = g.key[first + half], s.value[t + half] = g.value[first + half];
}

DEVICE void give_back(pairs g, pairs s) {
    uint t = threadIdx.x, half = blockDim.x, first = blockIdx.x * 2 * half + t;
    __syncthreads();
    g.key[first] = s.key[t], g.value[first] = s.value[t];
    g.key[first + half] = s.key[t + half], g.value[first + half] = s.value[t + half];
}

// Bitonic runs of `size` become sorted.
DEVICE void bitonic_merge(pairs s, uint size, bool up) {
    for (uint stride = size / 2; stride > 0; stride /= 2) {
        uint at = place(threadIdx.x, stride);
        __syncthreads();
        compare(s, at, at + stride, up);
    }
}

// Arrays of n elements each, n at most a part.
KERNEL bitonic_sort_shared(uint *key, uint *value, uint n, uint up) {
    __shared__ uint k[PART], v[PART];
    fetch({k, v}, {key, value});
    for (uint size = 2; size < n; size *= 2) bitonic_merge({k, v}, size, (threadIdx.x & size / 2 ? 1 : 0) ^ up);
    bitonic_merge({k, v}, n, up);
    give_back({key, value}, {k, v});
}

// Parts of one long array, up and down in turn, as bitonic merges need them.
KERNEL bitonic_sort_parts(uint *key, uint *value, uint n) {
    __shared__ uint k[PART], v[PART];
    fetch({k, v}, {key, value});
    for (uint size = 2; size < n; size *= 2) bitonic_merge({k, v}, size, (threadIdx.x & size / 2) != 0);
    bitonic_merge({k, v}, n, blockIdx.x & 1);
    give_back({key, value}, {k, v});
}

// One step of a merge whose stride is wider than a part.
KERNEL bitonic_merge_global(uint *key, uint *value, uint n, uint size, uint stride, uint up) {
    uint i = global_id(), at = place(i, stride);
    bool direction = up ^ (i & (n / 2 - 1) & size / 2 ? 1 : 0);
    compare({key, value}, at, at + stride, direction);
}

// The remaining steps of a merge, once its strides lie within a part.
KERNEL bitonic_merge_shared(uint *key, uint *value, uint n, uint size, uint up) {
    __shared__ uint k[PART], v[PART];
    fetch({k, v}, {key, value});
    bool direction = up ^ (global_id() & (n / 2 - 1) & size / 2 ? 1 : 0);
    bitonic_merge({k, v}, 2 * blockDim.x, direction);
    give_back({key, value}, {k, v});
}

KERNEL odd_even_sort_shared(uint *key, uint *value, uint n, uint up) {
    __shared__ uint k[PART], v[PART];
    fetch({k, v}, {key, value});
    for (uint size = 2; size <= n; size *= 2) {
        uint stride = size / 2, offset = threadIdx.x & (stride - 1), at = place(threadIdx.x, stride);
        __syncthreads();
        compare({k, v}, at, at + stride, up);
        for (stride /= 2; stride > 0; stride /= 2) {
            at = place(threadIdx.x, stride);
            __syncthreads();
            if (offset >= stride) compare({k, v}, at - stride, at, up);
        }
    }
    give_back({key, value}, {k, v});
}

KERNEL odd_even_merge_global(uint *key, uint *value, uint size, uint stride, uint up) {
    uint i = global_id(), at = place(i, stride);
    if (stride == size / 2)
        compare({key, value}, at, at + stride, up);
    else if ((i & (size / 2 - 1)) >= stride)
        compare({key, value}, at - stride, at, up);
}
