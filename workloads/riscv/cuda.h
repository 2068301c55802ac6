/* CUDA C as RISC-V's compilers see it: stands in for workloads/cuda.h, so that a program of the thesis (DWF 5.3) has one source
 * for PTX and for machine code. Compiled by tools/regen-riscv as C++; never by the host build. Only what those programs use is
 * here. Space qualifiers mean nothing: memory is one. */
#ifndef HEDDLE_WORKLOADS_RISCV_CUDA_H
#define HEDDLE_WORKLOADS_RISCV_CUDA_H

#include <heddle_spmd.h>

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long long u64;

#define __device__
#define __noinline __attribute__((noinline))
#define DEVICE     static inline __attribute__((always_inline))
#define KERNEL     extern "C" SPMD_KERNEL void

/* ---- built-in variables: read when they are used, as the special registers of PTX are ---- */
#define BUILTIN(name)                                            \
    struct name##_builtin {                                      \
        struct {                                                 \
            operator uint() const { return spmd_##name##_x(); }  \
        } x;                                                     \
    }
BUILTIN(thread);
BUILTIN(threads);
BUILTIN(block);
BUILTIN(blocks);
#undef BUILTIN
#define threadIdx (thread_builtin())
#define blockDim  (threads_builtin())
#define blockIdx  (block_builtin())
#define gridDim   (blocks_builtin())
DEVICE uint global_id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

struct __attribute__((aligned(16))) double2 {
    double x, y;
};

DEVICE void __syncthreads() {
    spmd_barrier();
}
DEVICE uint atomic_add(uint *p, uint v) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
DEVICE float abs_f(float x) {
    return __builtin_fabsf(x);
}

/* ---- control flow: as workloads/cuda.h has it ---- */
#define BRANCH asm volatile("")
#define UNROLL _Pragma("GCC unroll 32")
#define ROLLED _Pragma("GCC unroll 1")

#endif
