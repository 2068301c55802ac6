/* Overloads for float of C's functions of double. clang's headers declare all of them and define some; of the rest, and of those
 * that only CUDA has, the SDK has the definitions. They are static: as external ones some would have libclc's very symbols. */
#ifndef HEDDLE_CUDA_OVERLOADS_H
#define HEDDLE_CUDA_OVERLOADS_H

#define HEDDLE_FLOAT1(T, name) \
    static __device__ inline T name(float x) { return name##f(x); }
#define HEDDLE_FLOAT2(name) \
    static __device__ inline float name(float x, float y) { return name##f(x, y); }

HEDDLE_FLOAT1(float, acosh)
HEDDLE_FLOAT1(float, asinh)
HEDDLE_FLOAT1(float, atanh)
HEDDLE_FLOAT1(float, cbrt)
HEDDLE_FLOAT1(float, erf)
HEDDLE_FLOAT1(float, erfc)
HEDDLE_FLOAT1(float, exp2)
HEDDLE_FLOAT1(float, expm1)
HEDDLE_FLOAT1(float, lgamma)
HEDDLE_FLOAT1(float, log1p)
HEDDLE_FLOAT1(float, log2)
HEDDLE_FLOAT1(float, logb)
HEDDLE_FLOAT1(float, nearbyint)
HEDDLE_FLOAT1(float, rint)
HEDDLE_FLOAT1(float, round)
HEDDLE_FLOAT1(float, tgamma)
HEDDLE_FLOAT1(float, trunc)
HEDDLE_FLOAT1(int, ilogb)
HEDDLE_FLOAT1(long, lrint)
HEDDLE_FLOAT1(long, lround)
HEDDLE_FLOAT1(long long, llrint)
HEDDLE_FLOAT1(long long, llround)
HEDDLE_FLOAT2(copysign)
HEDDLE_FLOAT2(fdim)
HEDDLE_FLOAT2(fmax)
HEDDLE_FLOAT2(fmin)
HEDDLE_FLOAT2(hypot)
HEDDLE_FLOAT2(nextafter)
HEDDLE_FLOAT2(remainder)
static __device__ inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static __device__ inline float remquo(float x, float y, int *q) { return remquof(x, y, q); }
static __device__ inline float scalbn(float x, int n) { return scalbnf(x, n); }
static __device__ inline float scalbln(float x, long n) { return scalblnf(x, n); }

/* Of CUDA alone. */
HEDDLE_FLOAT1(float, rsqrt)
HEDDLE_FLOAT1(float, rcbrt)
HEDDLE_FLOAT1(float, sinpi)
HEDDLE_FLOAT1(float, cospi)
HEDDLE_FLOAT1(float, exp10)
HEDDLE_FLOAT1(float, normcdf)
HEDDLE_FLOAT1(float, normcdfinv)
HEDDLE_FLOAT1(float, erfinv)
HEDDLE_FLOAT1(float, erfcinv)
static __device__ inline void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
static __device__ inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }

#undef HEDDLE_FLOAT1
#undef HEDDLE_FLOAT2

/* min and max of any two types, as wide as the wider and unsigned if one of that width is. */
#define HEDDLE_MINMAX(T, A, B)                                                                      \
    static __device__ inline T min(A x, B y) { return (T)x < (T)y ? (T)x : (T)y; }                  \
    static __device__ inline T max(A x, B y) { return (T)x > (T)y ? (T)x : (T)y; }
HEDDLE_MINMAX(unsigned, unsigned, unsigned)
HEDDLE_MINMAX(unsigned, int, unsigned)
HEDDLE_MINMAX(unsigned, unsigned, int)
HEDDLE_MINMAX(long, long, long)
HEDDLE_MINMAX(unsigned long, unsigned long, unsigned long)
HEDDLE_MINMAX(unsigned long, long, unsigned long)
HEDDLE_MINMAX(unsigned long, unsigned long, long)
HEDDLE_MINMAX(long long, long long, long long)
HEDDLE_MINMAX(unsigned long long, unsigned long long, unsigned long long)
HEDDLE_MINMAX(unsigned long long, long long, unsigned long long)
HEDDLE_MINMAX(unsigned long long, unsigned long long, long long)
#undef HEDDLE_MINMAX
#define HEDDLE_MINMAX(T, A, B, name)                                                \
    static __device__ inline T min(A x, B y) { return fmin##name((T)x, (T)y); }     \
    static __device__ inline T max(A x, B y) { return fmax##name((T)x, (T)y); }
HEDDLE_MINMAX(float, float, float, f)
HEDDLE_MINMAX(double, double, double, )
HEDDLE_MINMAX(double, float, double, )
HEDDLE_MINMAX(double, double, float, )
#undef HEDDLE_MINMAX

/* No payload is read from the text. */
static __device__ inline float nanf(const char *) { return __nv_nanf(nullptr); }
static __device__ inline double nan(const char *) { return __nv_nan(nullptr); }

#endif
