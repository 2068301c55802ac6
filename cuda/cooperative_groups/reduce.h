/* Reductions over a tile or the threads that are together: by shuffles, in the order of a tree. */
#ifndef HEDDLE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
namespace cooperative_groups {

#ifndef HEDDLE_CG_OPERATIONS
#define HEDDLE_CG_OPERATIONS
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
#endif

template <unsigned Size, class P, class T, class Op>
__device__ inline T reduce(const thread_block_tile<Size, P> &g, T v, Op &&op) {
    for (unsigned by = Size / 2; by; by /= 2) v = op(v, g.shfl_xor(v, by));
    return v;
}
template <class T, class Op> __device__ inline T reduce(const coalesced_group &g, T v, Op &&op) {
    const unsigned n = g.num_threads(), rank = g.thread_rank();
    for (unsigned by = 1; by < n; by *= 2) {
        const T other = g.shfl_down(v, by);
        if (rank % (2 * by) == 0 && rank + by < n) v = op(v, other);
    }
    return g.shfl(v, 0);
}
template <class Group, class T, class To, class Op>
__device__ inline void reduce_store_async(const Group &g, To *to, T v, Op &&op) {
    const T all = reduce(g, v, op);
    if (g.thread_rank() == 0) *to = all;
}

} // namespace cooperative_groups
#pragma clang attribute pop
#endif
#endif
