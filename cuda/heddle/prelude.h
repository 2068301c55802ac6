/* CUDA C++ for clang without the CUDA SDK: what nvcc includes before the first line of every file. `heddle run FILE.cu`
 * and `heddle nvcc` include it with -include.
 *
 * clang brings headers of its own for CUDA: built-in variables, shuffles, votes, intrinsics, overloads of <cmath>. They rest on
 * two things of the SDK, for which this folder has replacements: types (driver_types.h, vector_types.h) and NVIDIA's libdevice, the
 * functions __nv_* (libdevice.h, over LLVM's libclc). The order below is that of clang's __clang_cuda_runtime_wrapper.h. */
#ifndef HEDDLE_CUDA_PRELUDE_H
#define HEDDLE_CUDA_PRELUDE_H
#define __CUDA_RUNTIME_H__ /* what other libraries ask for */

#if !defined(__clang__) || !defined(__CUDA__)
#error "this header is for clang compiling CUDA; nvcc has its own"
#endif

/* A profile is about the user's lines: what is inlined from here belongs to the line that calls it. */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#include "../host_defines.h"
#include "version.h"
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 82

/* Overloads of device functions have to be known before <cmath> declares those of the host. */
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <__clang_cuda_builtin_vars.h>
#include "../driver_types.h"
#include "../vector_functions.h"
#include "spaces.h"
#include "libdevice.h"
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "overloads.h"
#include "atomics.h"

/* ---- served by the simulator ---- */
extern "C" {
__device__ int vprintf(const char *format, const char *args);
__device__ int printf(const char *format, ...); /* clang makes it a call of vprintf */
__device__ void *malloc(size_t bytes) __attribute__((nothrow, malloc));
__device__ void free(void *p) __attribute__((nothrow));
__device__ void __assertfail(const char *what, const char *file, unsigned line, const char *function, size_t char_bytes);
__device__ static inline void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    __assertfail(what, file, line, function, 1);
}
}
namespace std {
__device__ static inline void free(void *p) { ::free(p); }
__device__ static inline void *malloc(size_t bytes) { return ::malloc(bytes); }
} // namespace std

/* ---- built-in variables as values ---- */
#define HEDDLE_AS_VALUE(T)                                                                       \
    __device__ inline __cuda_builtin_##T##_t::operator dim3() const { return dim3(x, y, z); }    \
    __device__ inline __cuda_builtin_##T##_t::operator uint3() const { return uint3{x, y, z}; }
HEDDLE_AS_VALUE(threadIdx)
HEDDLE_AS_VALUE(blockIdx)
HEDDLE_AS_VALUE(blockDim)
HEDDLE_AS_VALUE(gridDim)
#undef HEDDLE_AS_VALUE

#include <__clang_cuda_cmath.h>
#include "clang_intrinsics.h"
#include <__clang_cuda_complex_builtins.h>
#include "intrinsics.h"
#include "../cuda_runtime_api.h"
#include "../cuda_device_runtime_api.h"
#include "runtime_templates.h"
#include "textures.h"
#ifndef HEDDLE_NO_TEXTURE_REFERENCES /* a program may need the name `texture` for something else */
#include "texture_refs.h"
#endif
#include "linked.h"
#include "managed.h"

#pragma clang attribute pop

#endif
