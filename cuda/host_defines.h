/* Attributes of functions and variables. Only a CUDA compiler knows them; for any other they are nothing, as in the CUDA SDK. */
#ifndef HEDDLE_CUDA_HOST_DEFINES_H
#define HEDDLE_CUDA_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* what other libraries ask for */

#ifdef __CUDA__
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("heddle_managed"))) /* heddle/managed.h */
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__      __attribute__((grid_constant))
#define __tile_static__        __shared__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __no_return__ __attribute__((noreturn))
#define __CUDA_DEPRECATED
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

/* Clang and the C++ library use __noinline__ as the name of an attribute. */
#if defined(__CUDA__) && !defined(__noinline__)
#define __noinline__ __attribute__((noinline))
#endif

#endif
