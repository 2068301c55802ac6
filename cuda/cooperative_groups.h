/* Cooperative groups: the block, the grid, tiles of a warp known at compile time or later, the threads that are together now, and
 * parts of these by a label. Missing are tiles of more than 32 threads, clusters and groups of several devices. */
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define HEDDLE_CG __device__ inline
#define HEDDLE_CG_STATIC static __device__ inline

namespace cooperative_groups {

namespace details {
/* Values of any size, by words. */
template <class T> struct words {
    static constexpr unsigned count = (sizeof(T) + 3) / 4;
    unsigned w[count];
    __device__ explicit words(const T &v) { w[count - 1] = 0, memcpy(w, &v, sizeof v); }
    __device__ T value() const {
        T v;
        memcpy(&v, w, sizeof v);
        return v;
    }
};
#define HEDDLE_CG_SHUFFLE(name, second)                                                            \
    template <class T> HEDDLE_CG_STATIC T name(unsigned mask, T v, second n, int width) {          \
        words<T> moved(v);                                                                         \
        for (unsigned i = 0; i < words<T>::count; i++) moved.w[i] = __##name##_sync(mask, moved.w[i], n, width); \
        return moved.value();                                                                      \
    }
HEDDLE_CG_SHUFFLE(shfl, int)
HEDDLE_CG_SHUFFLE(shfl_up, unsigned)
HEDDLE_CG_SHUFFLE(shfl_down, unsigned)
HEDDLE_CG_SHUFFLE(shfl_xor, int)
#undef HEDDLE_CG_SHUFFLE

HEDDLE_CG_STATIC unsigned lane() {
    unsigned l;
    asm("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}
HEDDLE_CG_STATIC unsigned below() { return (1u << lane()) - 1; }
/* The lane of the n-th bit, from 0. */
HEDDLE_CG_STATIC unsigned nth(unsigned mask, unsigned n) {
    for (; n; n--) mask &= mask - 1;
    return (unsigned)__ffs((int)mask) - 1;
}
HEDDLE_CG_STATIC unsigned thread_of_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
HEDDLE_CG_STATIC unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/* Two words that a cooperative launch sets to 0 and whose address is in two environment registers, as nvcc's code expects them too. */
HEDDLE_CG_STATIC unsigned *workspace() {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned *)((unsigned long long)high << 32 | low);
}
/* Every block adds one, the first as much as lets the sum of all flip the top bit: whoever sees it flip may go on. */
HEDDLE_CG_STATIC void grid_arrive_and_wait() {
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z, top = 0x80000000u;
    const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    __syncthreads();
    if (thread_of_block() == 0) {
        volatile unsigned *arrived = workspace() + 1;
        __threadfence();
        const unsigned old = atomicAdd((unsigned *)arrived, first ? top - (blocks - 1) : 1);
        while (!((old ^ *arrived) & top)) {}
        __threadfence();
    }
    __syncthreads();
}
enum kind { of_block, of_grid, of_lanes };
} // namespace details

/* ---- any group ---- */
class thread_group {
  protected:
    details::kind kind_;
    unsigned mask_; /* of_lanes: the warp's threads in it */
    unsigned index_ = 0, count_ = 1; /* of the groups that a larger one was divided into */
    __device__ thread_group(details::kind k, unsigned mask) : kind_(k), mask_(mask) {}
    friend __device__ thread_group tiled_partition(const thread_group &g, unsigned n);

  public:
    __device__ thread_group() : kind_(details::of_lanes), mask_(0) {}
    __device__ void sync() const {
        if (kind_ == details::of_block) __syncthreads();
        else if (kind_ == details::of_grid) details::grid_arrive_and_wait();
        else __syncwarp(mask_);
    }
    __device__ unsigned long long size() const { return num_threads(); }
    __device__ unsigned long long num_threads() const {
        if (kind_ == details::of_block) return details::threads_of_block();
        if (kind_ == details::of_grid) return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * details::threads_of_block();
        return (unsigned)__popc(mask_);
    }
    __device__ unsigned long long thread_rank() const {
        if (kind_ == details::of_block) return details::thread_of_block();
        if (kind_ == details::of_lanes) return (unsigned)__popc(mask_ & details::below());
        return ((unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * details::threads_of_block() +
               details::thread_of_block();
    }
    __device__ bool is_valid() const { return kind_ != details::of_grid || details::workspace(); }
    __device__ unsigned get_type() const { return (unsigned)kind_; }
    __device__ unsigned heddle_mask() const { return mask_; }
};

/* ---- the block ---- */
class thread_block : public thread_group {
    __device__ thread_block() : thread_group(details::of_block, 0) {}
    friend __device__ thread_block this_thread_block();

  public:
    struct arrival_token {};
    HEDDLE_CG_STATIC void sync() { __syncthreads(); }
    HEDDLE_CG_STATIC arrival_token barrier_arrive() { return __syncthreads(), arrival_token(); }
    HEDDLE_CG_STATIC void barrier_wait(arrival_token &&) {}
    HEDDLE_CG_STATIC unsigned thread_rank() { return details::thread_of_block(); }
    HEDDLE_CG_STATIC unsigned num_threads() { return details::threads_of_block(); }
    HEDDLE_CG_STATIC unsigned size() { return details::threads_of_block(); }
    HEDDLE_CG_STATIC dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    HEDDLE_CG_STATIC dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    HEDDLE_CG_STATIC dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    HEDDLE_CG_STATIC dim3 dim_threads() { return group_dim(); }
};
HEDDLE_CG thread_block this_thread_block() { return thread_block(); }

/* ---- the grid ---- */
class grid_group : public thread_group {
    __device__ grid_group() : thread_group(details::of_grid, 0) {}
    friend __device__ grid_group this_grid();

  public:
    struct arrival_token {};
    HEDDLE_CG_STATIC void sync() { details::grid_arrive_and_wait(); }
    HEDDLE_CG_STATIC arrival_token barrier_arrive() { return details::grid_arrive_and_wait(), arrival_token(); }
    HEDDLE_CG_STATIC void barrier_wait(arrival_token &&) {}
    HEDDLE_CG_STATIC dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    HEDDLE_CG_STATIC dim3 dim_blocks() { return group_dim(); }
    HEDDLE_CG_STATIC dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    HEDDLE_CG_STATIC unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    HEDDLE_CG_STATIC unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
};
HEDDLE_CG grid_group this_grid() { return grid_group(); }

/* ---- threads of a warp ---- */
class coalesced_group : public thread_group {
    template <class V> __device__ V from(V v, unsigned lane) const { return details::shfl(mask_, v, (int)lane, 32); }

  public:
    __device__ explicit coalesced_group(unsigned mask, unsigned index = 0, unsigned count = 1)
        : thread_group(details::of_lanes, mask) {
        index_ = index, count_ = count;
    }
    __device__ void sync() const { __syncwarp(mask_); }
    __device__ unsigned num_threads() const { return (unsigned)__popc(mask_); }
    __device__ unsigned size() const { return num_threads(); }
    __device__ unsigned thread_rank() const { return (unsigned)__popc(mask_ & details::below()); }
    __device__ unsigned meta_group_size() const { return count_; }
    __device__ unsigned meta_group_rank() const { return index_; }
    template <class V> __device__ V shfl(V v, int rank) const { return from(v, details::nth(mask_, (unsigned)rank % num_threads())); }
    template <class V> __device__ V shfl_up(V v, unsigned by) const {
        const unsigned rank = thread_rank();
        return from(v, rank < by ? details::lane() : details::nth(mask_, rank - by));
    }
    template <class V> __device__ V shfl_down(V v, unsigned by) const {
        const unsigned to = thread_rank() + by;
        return from(v, to >= num_threads() ? details::lane() : details::nth(mask_, to));
    }
    /* Bits of a ballot in the order of ranks. */
    __device__ unsigned ranked(unsigned lanes) const {
        unsigned r = 0, i = 0;
        for (unsigned m = mask_; m; m &= m - 1, i++) r |= (lanes >> (__ffs((int)m) - 1) & 1) << i;
        return r;
    }
    __device__ unsigned ballot(int is) const { return ranked(__ballot_sync(mask_, is)); }
    __device__ int any(int is) const { return __any_sync(mask_, is); }
    __device__ int all(int is) const { return __all_sync(mask_, is); }
    template <class V> __device__ unsigned match_any(V v) const { return ranked(__match_any_sync(mask_, v)); }
    template <class V> __device__ unsigned match_all(V v, int &all) const { return ranked(__match_all_sync(mask_, v, &all)); }
};
HEDDLE_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size <= 32 && !(Size & (Size - 1)), "tiles have 1, 2, 4, 8, 16 or 32 threads here");
    static __device__ unsigned tile_mask() {
        return Size == 32 ? ~0u : ((1u << (Size % 32)) - 1) << (details::lane() & ~(Size - 1));
    }

  public:
    __device__ thread_block_tile() : thread_group(details::of_lanes, tile_mask()) {}
    __device__ thread_block_tile(unsigned index, unsigned count) : thread_block_tile() { index_ = index, count_ = count; }
    /* of another parent */
    template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &t)
        : thread_block_tile(t.meta_group_rank(), t.meta_group_size()) {}
    __device__ operator coalesced_group() const { return coalesced_group(mask_, index_, count_); }
    __device__ void sync() const { __syncwarp(mask_); }
    static constexpr __host__ __device__ unsigned num_threads() { return Size; }
    static constexpr __host__ __device__ unsigned size() { return Size; }
    HEDDLE_CG_STATIC unsigned thread_rank() { return details::lane() & (Size - 1); }
    __device__ unsigned meta_group_size() const { return count_; }
    __device__ unsigned meta_group_rank() const { return index_; }
    template <class V> __device__ V shfl(V v, int rank) const { return details::shfl(mask_, v, rank, Size); }
    template <class V> __device__ V shfl_up(V v, unsigned by) const { return details::shfl_up(mask_, v, by, Size); }
    template <class V> __device__ V shfl_down(V v, unsigned by) const { return details::shfl_down(mask_, v, by, Size); }
    template <class V> __device__ V shfl_xor(V v, unsigned by) const { return details::shfl_xor(mask_, v, (int)by, Size); }
    __device__ unsigned ranked(unsigned lanes) const { return (lanes & mask_) >> (details::lane() & ~(Size - 1) & 31); }
    __device__ unsigned ballot(int is) const { return ranked(__ballot_sync(mask_, is)); }
    __device__ int any(int is) const { return __any_sync(mask_, is); }
    __device__ int all(int is) const { return __all_sync(mask_, is); }
    template <class V> __device__ unsigned match_any(V v) const { return ranked(__match_any_sync(mask_, v)); }
    template <class V> __device__ unsigned match_all(V v, int &all) const { return ranked(__match_all_sync(mask_, v, &all)); }
};

/* ---- partitions ---- */
template <unsigned Size, class Parent> HEDDLE_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &g) {
    const unsigned n = (unsigned)g.num_threads();
    return thread_block_tile<Size, Parent>((unsigned)g.thread_rank() / Size, (n + Size - 1) / Size);
}
HEDDLE_CG thread_group tiled_partition(const thread_group &g, unsigned n) {
    const unsigned rank = (unsigned)g.thread_rank();
    if (g.get_type() == details::of_lanes) { /* n neighbours in rank */
        unsigned mask = 0;
        for (unsigned i = rank / n * n; i < rank / n * n + n && i < g.num_threads(); i++)
            mask |= 1u << details::nth(g.heddle_mask(), i);
        return thread_group(details::of_lanes, mask);
    }
    return thread_group(details::of_lanes, (n >= 32 ? ~0u : (1u << n) - 1) << (details::lane() & ~(n - 1) & 31));
}
HEDDLE_CG coalesced_group tiled_partition(const coalesced_group &g, unsigned n) {
    return coalesced_group(tiled_partition((const thread_group &)g, n).heddle_mask(), g.thread_rank() / n,
                           (g.num_threads() + n - 1) / n);
}
template <class Group, class Label> HEDDLE_CG coalesced_group labeled_partition(const Group &g, Label label) {
    const unsigned same = __match_any_sync(g.heddle_mask(), label), leader = details::nth(same, 0);
    const unsigned leaders = __ballot_sync(g.heddle_mask(), details::lane() == leader);
    return coalesced_group(same, (unsigned)__popc(leaders & ((1u << leader) - 1)), (unsigned)__popc(leaders));
}
template <class Group> HEDDLE_CG coalesced_group binary_partition(const Group &g, bool is) {
    const unsigned yes = __ballot_sync(g.heddle_mask(), is), no = g.heddle_mask() & ~yes;
    return coalesced_group(is ? yes : no, is ? (no != 0) : 0, (yes != 0) + (no != 0));
}

/* ---- functions of any group ---- */
template <class Group> HEDDLE_CG void sync(const Group &g) { g.sync(); }
template <class Group> HEDDLE_CG auto thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> HEDDLE_CG auto group_size(const Group &g) { return g.num_threads(); }
template <class Group, class F, class... A> HEDDLE_CG void invoke_one(const Group &g, F &&f, A &&...a) {
    if (g.thread_rank() == 0) f(static_cast<A &&>(a)...);
}
template <class Group, class F, class... A> HEDDLE_CG auto invoke_one_broadcast(const Group &g, F &&f, A &&...a) {
    decltype(f(static_cast<A &&>(a)...)) r{};
    if (g.thread_rank() == 0) r = f(static_cast<A &&>(a)...);
    return g.shfl(r, 0);
}

} // namespace cooperative_groups

#undef HEDDLE_CG
#undef HEDDLE_CG_STATIC
#pragma clang attribute pop
#endif
#endif
