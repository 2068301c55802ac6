/* Complex numbers of two floats or doubles, for C and C++, host and device. */
#ifndef HEDDLE_CUCOMPLEX_H
#define HEDDLE_CUCOMPLEX_H

#include <math.h>

#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX(C, R, make, suffix, root, size)                                                                  \
    HEDDLE_C R cuCreal##suffix(C x) { return x.x; }                                                                     \
    HEDDLE_C R cuCimag##suffix(C x) { return x.y; }                                                                     \
    HEDDLE_C C make(R r, R i) { C c; c.x = r, c.y = i; return c; }                                                      \
    HEDDLE_C C cuConj##suffix(C x) { return make(x.x, -x.y); }                                                          \
    HEDDLE_C C cuCadd##suffix(C x, C y) { return make(x.x + y.x, x.y + y.y); }                                          \
    HEDDLE_C C cuCsub##suffix(C x, C y) { return make(x.x - y.x, x.y - y.y); }                                          \
    HEDDLE_C C cuCmul##suffix(C x, C y) { return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }                  \
    HEDDLE_C C cuCfma##suffix(C x, C y, C d) {                                                                          \
        return make(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);                                          \
    }                                                                                                                   \
    /* Scaled by the larger part: squares neither overflow nor vanish. */                                               \
    HEDDLE_C C cuCdiv##suffix(C x, C y) {                                                                               \
        const R s = (R)1 / (size(y.x) + size(y.y)), a = x.x * s, b = x.y * s, c = y.x * s, d = y.y * s;                 \
        const R n = (R)1 / (c * c + d * d);                                                                             \
        return make((a * c + b * d) * n, (b * c - a * d) * n);                                                          \
    }                                                                                                                   \
    HEDDLE_C R cuCabs##suffix(C x) {                                                                                    \
        const R a = size(x.x), b = size(x.y), high = a > b ? a : b, low = a > b ? b : a;                                \
        const R t = high > 0 ? low / high : (R)0;                                                                       \
        return high > 0 && t == t && high * (R)0 == (R)0 ? high * root((R)1 + t * t) : high + low;                      \
    }
#define HEDDLE_C static __inline__ __host__ __device__
HEDDLE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, sqrtf, fabsf)
HEDDLE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , sqrt, fabs)
HEDDLE_C cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
HEDDLE_C cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex((double)c.x, (double)c.y); }
HEDDLE_C cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }
#undef HEDDLE_C
#undef HEDDLE_COMPLEX

#endif
