/* clang's __clang_cuda_intrinsics.h, but for functions that it has wrong, as of clang 19. Those get names that nobody calls, and
 * ours follow:
 *  - __reduce_*_sync (sm_80) hand the mask on as the value and the value as the mask;
 *  - atomicAdd of float2 and float4 (sm_90) are assembly that is not volatile: without a use of the result there is no addition;
 *  - __shfl and its kin without a mask end the compiler from sm_70 on, where there are no such instructions any more. */
#ifndef HEDDLE_CUDA_CLANG_INTRINSICS_H
#define HEDDLE_CUDA_CLANG_INTRINSICS_H

#define __reduce_add_sync __heddle_unused_reduce_add
#define __reduce_min_sync __heddle_unused_reduce_min
#define __reduce_max_sync __heddle_unused_reduce_max
#define __reduce_and_sync __heddle_unused_reduce_and
#define __reduce_or_sync  __heddle_unused_reduce_or
#define __reduce_xor_sync __heddle_unused_reduce_xor
#define atomicAdd         __heddle_unused_add
#define atomicAdd_block   __heddle_unused_add_block
#define atomicAdd_system  __heddle_unused_add_system
#if __CUDA_ARCH__ >= 700
#define __shfl            __heddle_unused_shfl
#define __shfl_up         __heddle_unused_shfl_up
#define __shfl_down       __heddle_unused_shfl_down
#define __shfl_xor        __heddle_unused_shfl_xor
#endif
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUCE(name, T, builtin)                                                     \
    __device__ static inline T __reduce_##name##_sync(unsigned mask, T value) {             \
        return (T)__nvvm_redux_sync_##builtin((int)value, (int)mask);                       \
    }
HEDDLE_REDUCE(add, unsigned, add)
HEDDLE_REDUCE(add, int, add)
HEDDLE_REDUCE(min, unsigned, umin)
HEDDLE_REDUCE(min, int, min)
HEDDLE_REDUCE(max, unsigned, umax)
HEDDLE_REDUCE(max, int, max)
HEDDLE_REDUCE(and, unsigned, and)
HEDDLE_REDUCE(or, unsigned, or)
HEDDLE_REDUCE(xor, unsigned, xor)
#undef HEDDLE_REDUCE
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HEDDLE_ADD(name, ptx)                                                                                \
    __device__ static inline float2 name(float2 *p, float2 v) {                                              \
        float2 was;                                                                                          \
        asm volatile("atom." ptx ".v2.f32 {%0, %1}, [%2], {%3, %4};"                                         \
                     : "=f"(was.x), "=f"(was.y)                                                              \
                     : "l"(p), "f"(v.x), "f"(v.y)                                                            \
                     : "memory");                                                                            \
        return was;                                                                                          \
    }                                                                                                        \
    __device__ static inline float4 name(float4 *p, float4 v) {                                              \
        float4 was;                                                                                          \
        asm volatile("atom." ptx ".v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                         \
                     : "=f"(was.x), "=f"(was.y), "=f"(was.z), "=f"(was.w)                                    \
                     : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)                                        \
                     : "memory");                                                                            \
        return was;                                                                                          \
    }
HEDDLE_ADD(atomicAdd, "add")
HEDDLE_ADD(atomicAdd_block, "cta.add")
HEDDLE_ADD(atomicAdd_system, "sys.add")
#undef HEDDLE_ADD
#endif

#if __CUDA_ARCH__ >= 700
#define HEDDLE_REMOVED(name)                                                                                        \
    template <class... T>                                                                                           \
    __device__ int name(T...) __attribute__((unavailable("from sm_70 on a shuffle has a mask: " #name               \
                                                         "_sync; sm_62 (-arch) still has " #name)));
HEDDLE_REMOVED(__shfl)
HEDDLE_REMOVED(__shfl_up)
HEDDLE_REMOVED(__shfl_down)
HEDDLE_REMOVED(__shfl_xor)
#undef HEDDLE_REMOVED
#endif

#endif
