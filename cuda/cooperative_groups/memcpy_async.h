/* Copies by a group. The threads copy at once; waiting is the group's barrier. */
#ifndef HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cuda {
#ifndef HEDDLE_ALIGNED_SIZE
#define HEDDLE_ALIGNED_SIZE
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t n) : value(n) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
#endif
} // namespace cuda

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
namespace cooperative_groups {

namespace details {
template <class Word, class Group> __device__ inline void copy(const Group &g, void *to, const void *from, size_t bytes) {
    for (size_t i = g.thread_rank(); i < bytes / sizeof(Word); i += g.num_threads()) ((Word *)to)[i] = ((const Word *)from)[i];
}
template <class Group> __device__ inline void copy_any(const Group &g, void *to, const void *from, size_t bytes) {
    const size_t all = (size_t)to | (size_t)from | bytes;
    if (all % 16 == 0) copy<uint4>(g, to, from, bytes);
    else if (all % 4 == 0) copy<unsigned>(g, to, from, bytes);
    else copy<unsigned char>(g, to, from, bytes);
}
} // namespace details
template <class Group, class T, class Size>
__device__ inline void memcpy_async(const Group &g, T *to, const T *from, const Size &bytes) {
    details::copy_any(g, to, from, (size_t)bytes);
}
/* Counts of elements: as many as both have. */
template <class Group, class T, class N, class M>
__device__ inline void memcpy_async(const Group &g, T *to, const N &room, const T *from, const M &n) {
    details::copy_any(g, to, from, sizeof(T) * ((size_t)room < (size_t)n ? (size_t)room : (size_t)n));
}
template <class Group> __device__ inline void wait(const Group &g) { g.sync(); }
template <unsigned Stages, class Group> __device__ inline void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups
#pragma clang attribute pop
#endif
#endif
