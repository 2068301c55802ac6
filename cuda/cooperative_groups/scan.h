/* Prefix sums, or of another operation, over a tile or the threads that are together. */
#ifndef HEDDLE_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
namespace cooperative_groups {

template <class Group, class T, class Op> __device__ inline T inclusive_scan(const Group &g, T v, Op &&op) {
    const unsigned n = (unsigned)g.num_threads(), rank = (unsigned)g.thread_rank();
    for (unsigned by = 1; by < n; by *= 2) {
        const T other = g.shfl_up(v, by);
        if (rank >= by) v = op(other, v);
    }
    return v;
}
template <class Group, class T> __device__ inline T inclusive_scan(const Group &g, T v) {
    return inclusive_scan(g, v, plus<T>());
}
/* The first thread's is T(), as for a sum. */
template <class Group, class T, class Op> __device__ inline T exclusive_scan(const Group &g, T v, Op &&op) {
    const T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() ? before : T();
}
template <class Group, class T> __device__ inline T exclusive_scan(const Group &g, T v) {
    return exclusive_scan(g, v, plus<T>());
}

} // namespace cooperative_groups
#pragma clang attribute pop
#endif
#endif
