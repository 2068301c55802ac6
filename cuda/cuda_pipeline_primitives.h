/* Asynchronous copies from global to shared memory. Before sm_80 there is no instruction for it: a load and a store. */
#ifndef HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define HEDDLE_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
typedef unsigned long long __mbarrier_t;

/* size is 4, 8 or 16; the last `zeros` bytes are filled with 0 instead. */
static __device__ inline void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t size,
                                                      size_t zeros = 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to), n = (unsigned)(size - zeros);
    const size_t global = __cvta_generic_to_global(from);
    if (size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(n) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(n) : "memory");
    else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(n) : "memory");
#else
    if (!zeros && size == 16) *(uint4 *)to = *(const uint4 *)from;
    else if (!zeros && size == 8) *(uint2 *)to = *(const uint2 *)from;
    else if (!zeros && size == 4) *(unsigned *)to = *(const unsigned *)from;
    else for (size_t i = 0; i < size; i++) ((char *)to)[i] = i < size - zeros ? ((const char *)from)[i] : (char)0;
#endif
}
static __device__ inline void __pipeline_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Until all but the last n batches are there. */
static __device__ inline void __pipeline_wait_prior(size_t n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    switch (n) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    }
#else
    (void)n;
#endif
}
#pragma clang attribute pop
#endif
#endif
