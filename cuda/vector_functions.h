/* make_char1 to make_double4. */
#ifndef HEDDLE_CUDA_VECTOR_FUNCTIONS_H
#define HEDDLE_CUDA_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* what other libraries ask for */

#include "vector_types.h"

#define HEDDLE_MAKE static __inline__ __host__ __device__
#define HEDDLE_VECTORS(T, name)                                                                                       \
    HEDDLE_MAKE name##1 make_##name##1(T x) { name##1 v = {x}; return v; }                                            \
    HEDDLE_MAKE name##2 make_##name##2(T x, T y) { name##2 v = {x, y}; return v; }                                    \
    HEDDLE_MAKE name##3 make_##name##3(T x, T y, T z) { name##3 v = {x, y, z}; return v; }                            \
    HEDDLE_MAKE name##4 make_##name##4(T x, T y, T z, T w) { name##4 v = {x, y, z, w}; return v; }
HEDDLE_VECTORS(signed char, char)
HEDDLE_VECTORS(unsigned char, uchar)
HEDDLE_VECTORS(short, short)
HEDDLE_VECTORS(unsigned short, ushort)
HEDDLE_VECTORS(int, int)
HEDDLE_VECTORS(unsigned int, uint)
HEDDLE_VECTORS(long, long)
HEDDLE_VECTORS(unsigned long, ulong)
HEDDLE_VECTORS(long long, longlong)
HEDDLE_VECTORS(unsigned long long, ulonglong)
HEDDLE_VECTORS(float, float)
HEDDLE_VECTORS(double, double)
#undef HEDDLE_VECTORS
#undef HEDDLE_MAKE

#endif
