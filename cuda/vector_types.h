/* The vector types: char1 to double4, and dim3. Aligned so that a whole vector moves in one instruction where PTX has one. Valid C
 * and C++. */
#ifndef HEDDLE_CUDA_VECTOR_TYPES_H
#define HEDDLE_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* what other libraries ask for */

#include "host_defines.h"

#define HEDDLE_VECTORS(T, name, a2, a4)                                   \
    struct name##1 { T x; };                                              \
    struct __attribute__((aligned(a2))) name##2 { T x, y; };              \
    struct name##3 { T x, y, z; };                                        \
    struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };        \
    typedef struct name##1 name##1;                                       \
    typedef struct name##2 name##2;                                       \
    typedef struct name##3 name##3;                                       \
    typedef struct name##4 name##4;
HEDDLE_VECTORS(signed char, char, 2, 4)
HEDDLE_VECTORS(unsigned char, uchar, 2, 4)
HEDDLE_VECTORS(short, short, 4, 8)
HEDDLE_VECTORS(unsigned short, ushort, 4, 8)
HEDDLE_VECTORS(int, int, 8, 16)
HEDDLE_VECTORS(unsigned int, uint, 8, 16)
HEDDLE_VECTORS(long, long, 16, 16)
HEDDLE_VECTORS(unsigned long, ulong, 16, 16)
HEDDLE_VECTORS(long long, longlong, 16, 16)
HEDDLE_VECTORS(unsigned long long, ulonglong, 16, 16)
HEDDLE_VECTORS(float, float, 8, 16)
HEDDLE_VECTORS(double, double, 16, 16)
#undef HEDDLE_VECTORS

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
