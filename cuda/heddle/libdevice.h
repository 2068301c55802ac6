/* The functions __nv_* of NVIDIA's libdevice, on which clang's CUDA headers rest: one PTX instruction where there is one, LLVM's
 * libclc (linked as bitcode, under its OpenCL names) for elementary functions, a few lines where both lack them. What none of
 * them has (Bessel functions, erfcx) is an error that says so, at the call. docs/cuda.md has the accuracy. */
#ifndef HEDDLE_CUDA_LIBDEVICE_H
#define HEDDLE_CUDA_LIBDEVICE_H

#define HEDDLE_NV extern "C" __device__ inline __attribute__((always_inline))

/* ---- from libclc ---- */
#ifdef HEDDLE_NO_LIBCLC
#define HEDDLE_FROM_CLC(symbol, name) \
    __attribute__((error(#name " needs libclc, which is not there: Debian's package is libclc-19")))
#else
#define HEDDLE_FROM_CLC(symbol, name) __asm__(symbol)
#endif
/* float __nv_NAMEf and double __nv_NAME are _ZLENGTHNAMEf and _ZLENGTHNAMEd there. */
#define HEDDLE_CLC1(name, length)                                                                 \
    extern "C" __device__ float __heddle_##name##f(float) HEDDLE_FROM_CLC("_Z" #length #name "f", name##f);        \
    extern "C" __device__ double __heddle_##name(double) HEDDLE_FROM_CLC("_Z" #length #name "d", name);         \
    HEDDLE_NV float __nv_##name##f(float x) { return __heddle_##name##f(x); }                     \
    HEDDLE_NV double __nv_##name(double x) { return __heddle_##name(x); }
#define HEDDLE_CLC2(name, length)                                                                        \
    extern "C" __device__ float __heddle_##name##f(float, float) HEDDLE_FROM_CLC("_Z" #length #name "ff", name##f);       \
    extern "C" __device__ double __heddle_##name(double, double) HEDDLE_FROM_CLC("_Z" #length #name "dd", name);       \
    HEDDLE_NV float __nv_##name##f(float x, float y) { return __heddle_##name##f(x, y); }                \
    HEDDLE_NV double __nv_##name(double x, double y) { return __heddle_##name(x, y); }
HEDDLE_CLC1(acos, 4)
HEDDLE_CLC1(acosh, 5)
HEDDLE_CLC1(asin, 4)
HEDDLE_CLC1(asinh, 5)
HEDDLE_CLC1(atan, 4)
HEDDLE_CLC1(atanh, 5)
HEDDLE_CLC1(cbrt, 4)
HEDDLE_CLC1(cos, 3)
HEDDLE_CLC1(cosh, 4)
HEDDLE_CLC1(cospi, 5)
HEDDLE_CLC1(erf, 3)
HEDDLE_CLC1(erfc, 4)
HEDDLE_CLC1(exp, 3)
HEDDLE_CLC1(exp10, 5)
HEDDLE_CLC1(exp2, 4)
HEDDLE_CLC1(expm1, 5)
HEDDLE_CLC1(lgamma, 6)
HEDDLE_CLC1(log, 3)
HEDDLE_CLC1(log10, 5)
HEDDLE_CLC1(log1p, 5)
HEDDLE_CLC1(log2, 4)
HEDDLE_CLC1(logb, 4)
HEDDLE_CLC1(sin, 3)
HEDDLE_CLC1(sinh, 4)
HEDDLE_CLC1(sinpi, 5)
HEDDLE_CLC1(tan, 3)
HEDDLE_CLC1(tanh, 4)
HEDDLE_CLC2(atan2, 5)
HEDDLE_CLC2(fmod, 4)
HEDDLE_CLC2(hypot, 5)
HEDDLE_CLC2(nextafter, 9)
HEDDLE_CLC2(pow, 3)
HEDDLE_CLC2(remainder, 9)
#undef HEDDLE_CLC1
#undef HEDDLE_CLC2
extern "C" __device__ float __heddle_ldexpf(float, int) HEDDLE_FROM_CLC("_Z5ldexpfi", ldexpf);
extern "C" __device__ double __heddle_ldexp(double, int) HEDDLE_FROM_CLC("_Z5ldexpdi", ldexp);
extern "C" __device__ int __heddle_ilogbf(float) HEDDLE_FROM_CLC("_Z5ilogbf", ilogbf);
extern "C" __device__ int __heddle_ilogb(double) HEDDLE_FROM_CLC("_Z5ilogbd", ilogb);
extern "C" __device__ float __heddle_pownf(float, int) HEDDLE_FROM_CLC("_Z4pownfi", pownf);
extern "C" __device__ double __heddle_pown(double, int) HEDDLE_FROM_CLC("_Z4powndi", pown);
/* libclc's float tgamma is off by some 70 units of the last place. */
extern "C" __device__ double __heddle_tgamma(double) HEDDLE_FROM_CLC("_Z6tgammad", tgamma);
HEDDLE_NV double __nv_tgamma(double x) { return __heddle_tgamma(x); }
HEDDLE_NV float __nv_tgammaf(float x) { return (float)__heddle_tgamma((double)x); }
HEDDLE_NV float __nv_ldexpf(float x, int n) { return __heddle_ldexpf(x, n); }
HEDDLE_NV double __nv_ldexp(double x, int n) { return __heddle_ldexp(x, n); }
HEDDLE_NV float __nv_scalbnf(float x, int n) { return __heddle_ldexpf(x, n); }
HEDDLE_NV double __nv_scalbn(double x, int n) { return __heddle_ldexp(x, n); }
HEDDLE_NV int __nv_ilogbf(float x) { return __heddle_ilogbf(x); }
HEDDLE_NV int __nv_ilogb(double x) { return __heddle_ilogb(x); }
HEDDLE_NV float __nv_powif(float x, int n) { return __heddle_pownf(x, n); }
HEDDLE_NV double __nv_powi(double x, int n) { return __heddle_pown(x, n); }

/* ---- rounding, IEEE operations with a direction: rn nearest even, rz to zero, rd down (PTX rm), ru up (PTX rp) ---- */
#define HEDDLE_DIRECTED(ours, ptx)                                                                              \
    HEDDLE_NV float __nv_fadd_##ours(float x, float y) { return __nvvm_add_##ptx##_f(x, y); }                   \
    HEDDLE_NV float __nv_fsub_##ours(float x, float y) { return __nvvm_add_##ptx##_f(x, -y); }                  \
    HEDDLE_NV float __nv_fmul_##ours(float x, float y) { return __nvvm_mul_##ptx##_f(x, y); }                   \
    HEDDLE_NV float __nv_fdiv_##ours(float x, float y) { return __nvvm_div_##ptx##_f(x, y); }                   \
    HEDDLE_NV float __nv_frcp_##ours(float x) { return __nvvm_rcp_##ptx##_f(x); }                               \
    HEDDLE_NV float __nv_fsqrt_##ours(float x) { return __nvvm_sqrt_##ptx##_f(x); }                             \
    HEDDLE_NV float __nv_fmaf_##ours(float x, float y, float z) { return __nvvm_fma_##ptx##_f(x, y, z); }       \
    HEDDLE_NV float __nv_fmaf_ieee_##ours(float x, float y, float z) { return __nvvm_fma_##ptx##_f(x, y, z); }  \
    HEDDLE_NV double __nv_dadd_##ours(double x, double y) { return __nvvm_add_##ptx##_d(x, y); }                \
    HEDDLE_NV double __nv_dsub_##ours(double x, double y) { return __nvvm_add_##ptx##_d(x, -y); }               \
    HEDDLE_NV double __nv_dmul_##ours(double x, double y) { return __nvvm_mul_##ptx##_d(x, y); }                \
    HEDDLE_NV double __nv_ddiv_##ours(double x, double y) { return __nvvm_div_##ptx##_d(x, y); }                \
    HEDDLE_NV double __nv_drcp_##ours(double x) { return __nvvm_rcp_##ptx##_d(x); }                             \
    HEDDLE_NV double __nv_dsqrt_##ours(double x) { return __nvvm_sqrt_##ptx##_d(x); }                           \
    HEDDLE_NV double __nv_fma_##ours(double x, double y, double z) { return __nvvm_fma_##ptx##_d(x, y, z); }    \
    HEDDLE_NV float __nv_double2float_##ours(double x) { return __nvvm_d2f_##ptx(x); }                          \
    HEDDLE_NV int __nv_double2int_##ours(double x) { return __nvvm_d2i_##ptx(x); }                              \
    HEDDLE_NV unsigned __nv_double2uint_##ours(double x) { return __nvvm_d2ui_##ptx(x); }                       \
    HEDDLE_NV long long __nv_double2ll_##ours(double x) { return __nvvm_d2ll_##ptx(x); }                        \
    HEDDLE_NV unsigned long long __nv_double2ull_##ours(double x) { return __nvvm_d2ull_##ptx(x); }             \
    HEDDLE_NV int __nv_float2int_##ours(float x) { return __nvvm_f2i_##ptx(x); }                                \
    HEDDLE_NV unsigned __nv_float2uint_##ours(float x) { return __nvvm_f2ui_##ptx(x); }                         \
    HEDDLE_NV long long __nv_float2ll_##ours(float x) { return __nvvm_f2ll_##ptx(x); }                          \
    HEDDLE_NV unsigned long long __nv_float2ull_##ours(float x) { return __nvvm_f2ull_##ptx(x); }
HEDDLE_DIRECTED(rn, rn)
HEDDLE_DIRECTED(rz, rz)
HEDDLE_DIRECTED(rd, rm)
HEDDLE_DIRECTED(ru, rp)
#undef HEDDLE_DIRECTED
/* From integers by hand: clang 19 takes its builtins that round to zero for those that round to nearest. */
#define HEDDLE_FROM_INTEGER(to, letter, name, from, type, ptx, ours, rounding)                         \
    HEDDLE_NV to __nv_##name##_##ours(type x) {                                                        \
        to r;                                                                                          \
        asm("cvt." rounding ptx " %0, %1;" : "=" letter(r) : from(x));                                  \
        return r;                                                                                      \
    }
#define HEDDLE_FROM_INTEGERS(ours, rounding)                                                           \
    HEDDLE_FROM_INTEGER(float, "f", int2float, "r", int, ".f32.s32", ours, rounding)                    \
    HEDDLE_FROM_INTEGER(float, "f", uint2float, "r", unsigned, ".f32.u32", ours, rounding)              \
    HEDDLE_FROM_INTEGER(float, "f", ll2float, "l", long long, ".f32.s64", ours, rounding)               \
    HEDDLE_FROM_INTEGER(float, "f", ull2float, "l", unsigned long long, ".f32.u64", ours, rounding)     \
    HEDDLE_FROM_INTEGER(double, "d", ll2double, "l", long long, ".f64.s64", ours, rounding)             \
    HEDDLE_FROM_INTEGER(double, "d", ull2double, "l", unsigned long long, ".f64.u64", ours, rounding)
HEDDLE_FROM_INTEGERS(rn, "rn")
HEDDLE_FROM_INTEGERS(rz, "rz")
HEDDLE_FROM_INTEGERS(rd, "rm")
HEDDLE_FROM_INTEGERS(ru, "rp")
#undef HEDDLE_FROM_INTEGERS
#undef HEDDLE_FROM_INTEGER
HEDDLE_NV double __nv_int2double_rn(int x) { return x; }
HEDDLE_NV double __nv_uint2double_rn(unsigned x) { return x; }
#if defined(HEDDLE_PREC_SQRT) && !HEDDLE_PREC_SQRT /* -prec-sqrt=false */
HEDDLE_NV float __nv_sqrtf(float x) { return __nvvm_sqrt_approx_f(x); }
#else
HEDDLE_NV float __nv_sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
#endif
HEDDLE_NV double __nv_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
HEDDLE_NV float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HEDDLE_NV double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

#define HEDDLE_ROUND(name)                                                       \
    HEDDLE_NV float __nv_##name##f(float x) { return __builtin_##name##f(x); }   \
    HEDDLE_NV double __nv_##name(double x) { return __builtin_##name(x); }
HEDDLE_ROUND(ceil)
HEDDLE_ROUND(floor)
HEDDLE_ROUND(trunc)
HEDDLE_ROUND(rint)
HEDDLE_ROUND(nearbyint)
HEDDLE_ROUND(fabs)
#undef HEDDLE_ROUND
/* Halves away from zero: what is added must not itself round up to a half. */
HEDDLE_NV float __nv_roundf(float x) {
    float t = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : t, x);
}
HEDDLE_NV double __nv_round(double x) {
    double t = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t, x);
}
HEDDLE_NV long long __nv_llrintf(float x) { return __nvvm_f2ll_rn(x); }
HEDDLE_NV long long __nv_llrint(double x) { return __nvvm_d2ll_rn(x); }
HEDDLE_NV long long __nv_llroundf(float x) { return __nvvm_f2ll_rz(__nv_roundf(x)); }
HEDDLE_NV long long __nv_llround(double x) { return __nvvm_d2ll_rz(__nv_round(x)); }

/* ---- fast and approximate: the hardware's special functions ---- */
HEDDLE_NV float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
HEDDLE_NV float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
HEDDLE_NV float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
HEDDLE_NV void __nv_fast_sincosf(float x, float *s, float *c) {
    *s = __nvvm_sin_approx_f(x);
    *c = __nvvm_cos_approx_f(x);
}
HEDDLE_NV float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
HEDDLE_NV float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
HEDDLE_NV float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
HEDDLE_NV float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994531f; }
HEDDLE_NV float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398120f; }
HEDDLE_NV float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
HEDDLE_NV float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
HEDDLE_NV float __nv_frsqrt_rn(float x) { return __nvvm_d2f_rn(1.0 / __nvvm_sqrt_rn_d((double)x)); }
HEDDLE_NV float __nv_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
HEDDLE_NV double __nv_rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
HEDDLE_NV float __nv_saturatef(float x) { return __nvvm_saturate_f(x); }

/* ---- bits of floats ---- */
HEDDLE_NV int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_NV unsigned __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_NV float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_NV float __nv_uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_NV unsigned long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(unsigned long long, x); }
HEDDLE_NV double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HEDDLE_NV int __nv_double2hiint(double x) { return (int)(__nv_double_as_longlong(x) >> 32); }
HEDDLE_NV int __nv_double2loint(double x) { return (int)__nv_double_as_longlong(x); }
HEDDLE_NV double __nv_hiloint2double(int hi, int lo) {
    return __nv_longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
HEDDLE_NV unsigned short __nv_float2half_rn(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }
HEDDLE_NV float __nv_half2float(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }
HEDDLE_NV int __nv_signbitf(float x) { return __nv_float_as_int(x) < 0; }
HEDDLE_NV int __nv_signbitd(double x) { return __nv_double2hiint(x) < 0; }
HEDDLE_NV int __nv_isnanf(float x) { return (__nv_float_as_uint(x) & 0x7fffffffu) > 0x7f800000u; }
HEDDLE_NV int __nv_isinff(float x) { return (__nv_float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
HEDDLE_NV int __nv_finitef(float x) { return (__nv_float_as_uint(x) & 0x7fffffffu) < 0x7f800000u; }
HEDDLE_NV int __nv_isnand(double x) { return (__nv_double_as_longlong(x) & ~0ull >> 1) > 0x7ffull << 52; }
HEDDLE_NV int __nv_isinfd(double x) { return (__nv_double_as_longlong(x) & ~0ull >> 1) == 0x7ffull << 52; }
HEDDLE_NV int __nv_isfinited(double x) { return (__nv_double_as_longlong(x) & ~0ull >> 1) < 0x7ffull << 52; }
HEDDLE_NV float __nv_copysignf(float x, float y) { return __builtin_copysignf(x, y); }
HEDDLE_NV double __nv_copysign(double x, double y) { return __builtin_copysign(x, y); }
HEDDLE_NV float __nv_nanf(const signed char *) { return __nv_int_as_float(0x7fffffff); }
HEDDLE_NV double __nv_nan(const signed char *) { return __nv_longlong_as_double(0x7fffffffffffffffll); }

/* ---- minima, maxima, differences ---- */
HEDDLE_NV float __nv_fminf(float x, float y) { return __builtin_fminf(x, y); }
HEDDLE_NV float __nv_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
HEDDLE_NV double __nv_fmin(double x, double y) { return __builtin_fmin(x, y); }
HEDDLE_NV double __nv_fmax(double x, double y) { return __builtin_fmax(x, y); }
HEDDLE_NV float __nv_fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
HEDDLE_NV double __nv_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }

/* ---- results in memory ---- */
HEDDLE_NV float __nv_modff(float x, float *whole) {
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__nv_isinff(x) ? 0.0f : x - *whole, x);
}
HEDDLE_NV double __nv_modf(double x, double *whole) {
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__nv_isinfd(x) ? 0.0 : x - *whole, x);
}
HEDDLE_NV double __nv_frexp(double x, int *exponent) {
    if (x == 0 || !__nv_isfinited(x)) return *exponent = 0, x;
    *exponent = __heddle_ilogb(x) + 1;
    return __heddle_ldexp(x, -*exponent);
}
HEDDLE_NV float __nv_frexpf(float x, int *exponent) { return (float)__nv_frexp((double)x, exponent); }
HEDDLE_NV void __nv_sincosf(float x, float *s, float *c) { *s = __nv_sinf(x), *c = __nv_cosf(x); }
HEDDLE_NV void __nv_sincos(double x, double *s, double *c) { *s = __nv_sin(x), *c = __nv_cos(x); }
HEDDLE_NV void __nv_sincospif(float x, float *s, float *c) { *s = __nv_sinpif(x), *c = __nv_cospif(x); }
HEDDLE_NV void __nv_sincospi(double x, double *s, double *c) { *s = __nv_sinpi(x), *c = __nv_cospi(x); }
extern "C" __device__ float __heddle_remquof(float, float, int *) HEDDLE_FROM_CLC("_Z6remquoffPi", remquof);
extern "C" __device__ double __heddle_remquo(double, double, int *) HEDDLE_FROM_CLC("_Z6remquoddPi", remquo);
HEDDLE_NV float __nv_remquof(float x, float y, int *q) {
    int n; /* libclc's is for private memory */
    float r = __heddle_remquof(x, y, &n);
    return *q = n, r;
}
HEDDLE_NV double __nv_remquo(double x, double y, int *q) {
    int n;
    double r = __heddle_remquo(x, y, &n);
    return *q = n, r;
}

/* ---- from others ---- */
HEDDLE_NV float __nv_rcbrtf(float x) { return 1.0f / __nv_cbrtf(x); }
HEDDLE_NV double __nv_rcbrt(double x) { return 1.0 / __nv_cbrt(x); }
HEDDLE_NV float __nv_rhypotf(float x, float y) { return 1.0f / __nv_hypotf(x, y); }
HEDDLE_NV double __nv_rhypot(double x, double y) { return 1.0 / __nv_hypot(x, y); }
HEDDLE_NV double __nv_norm3d(double x, double y, double z) { return __nv_hypot(__nv_hypot(x, y), z); }
HEDDLE_NV double __nv_norm4d(double x, double y, double z, double w) { return __nv_hypot(__nv_hypot(x, y), __nv_hypot(z, w)); }
HEDDLE_NV double __nv_rnorm3d(double x, double y, double z) { return 1.0 / __nv_norm3d(x, y, z); }
HEDDLE_NV double __nv_rnorm4d(double x, double y, double z, double w) { return 1.0 / __nv_norm4d(x, y, z, w); }
HEDDLE_NV double __nv_norm(int n, const double *v) {
    double r = 0;
    for (int i = 0; i < n; i++) r = __nv_hypot(r, v[i]);
    return r;
}
HEDDLE_NV double __nv_rnorm(int n, const double *v) { return 1.0 / __nv_norm(n, v); }
/* Squares of floats neither overflow nor underflow as doubles. */
HEDDLE_NV float __nv_norm4df(float x, float y, float z, float w) {
    return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
HEDDLE_NV float __nv_norm3df(float x, float y, float z) { return __nv_norm4df(x, y, z, 0); }
HEDDLE_NV float __nv_rnorm3df(float x, float y, float z) { return 1.0f / __nv_norm3df(x, y, z); }
HEDDLE_NV float __nv_rnorm4df(float x, float y, float z, float w) { return 1.0f / __nv_norm4df(x, y, z, w); }
HEDDLE_NV float __nv_normf(int n, const float *v) {
    double r = 0;
    for (int i = 0; i < n; i++) r += (double)v[i] * v[i];
    return (float)__nvvm_sqrt_rn_d(r);
}
HEDDLE_NV float __nv_rnormf(int n, const float *v) { return 1.0f / __nv_normf(n, v); }
/* erfc of -x / sqrt(2), whose rounding error is put right to first order: in the tail it would be multiplied by x squared. */
HEDDLE_NV double __nv_normcdf(double x) {
    const double root = 0.70710678118654757, rest = -4.833646656726457e-17; /* of one half */
    double t = -x * root, error = __builtin_fma(-x, root, -t) - x * rest;
    double r = __nv_erfc(t) - 1.1283791670955126 * __nv_exp(-t * t) * error;
    return 0.5 * (__nv_isinfd(x) ? __nv_erfc(-x) : r);
}
HEDDLE_NV float __nv_normcdff(float x) { return (float)__nv_normcdf((double)x); }

/* The y with erf(y) = x. */
HEDDLE_NV double __heddle_erfinv_middle(double x) {
    double y = 0.8862269254527580 * x;
    for (int i = 0; i < 4; i++) {
        double wrong = (__nv_erf(y) - x) / (1.1283791670955126 * __nv_exp(-y * y));
        y -= wrong / (1 + y * wrong);
    }
    return y;
}
/* The y with erfc(y) = x: from the first term of erfc's asymptotic series, Halley's steps, each of which triples the digits. In
 * the tail erfc keeps the digits that 1 - erf has lost. */
HEDDLE_NV double __nv_erfcinv(double x) {
    if (!(x > 0 && x < 2)) return x == 0 || x == 2 ? __builtin_copysign(__builtin_inf(), 1 - x) : __builtin_nan("");
    if (x > 0.5 && x < 1.5) return __heddle_erfinv_middle(1 - x); /* exact */
    double tail = x < 1 ? x : 2 - x;
    double t = __nvvm_sqrt_rn_d(-2 * __nv_log(0.5 * tail));
    double y = 0.70710678118654752 * (t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
    for (int i = 0; i < 3; i++) {
        double wrong = (__nv_erfc(y) - tail) / (1.1283791670955126 * __nv_exp(-y * y));
        y += wrong / (1 - y * wrong);
    }
    return x < 1 ? y : -y;
}
HEDDLE_NV double __nv_erfinv(double x) {
    return __builtin_fabs(x) < 0.5 ? __heddle_erfinv_middle(x) : __nv_erfcinv(1 - x);
}
HEDDLE_NV double __nv_normcdfinv(double x) { return -1.4142135623730951 * __nv_erfcinv(2 * x); }
HEDDLE_NV float __nv_erfcinvf(float x) { return (float)__nv_erfcinv((double)x); }
HEDDLE_NV float __nv_erfinvf(float x) { return (float)__nv_erfinv((double)x); }
HEDDLE_NV float __nv_normcdfinvf(float x) { return (float)__nv_normcdfinv((double)x); }

/* ---- integers ---- */
HEDDLE_NV int __nv_abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
HEDDLE_NV long long __nv_llabs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }
HEDDLE_NV int __nv_min(int x, int y) { return x < y ? x : y; }
HEDDLE_NV int __nv_max(int x, int y) { return x > y ? x : y; }
HEDDLE_NV unsigned __nv_umin(unsigned x, unsigned y) { return x < y ? x : y; }
HEDDLE_NV unsigned __nv_umax(unsigned x, unsigned y) { return x > y ? x : y; }
HEDDLE_NV long long __nv_llmin(long long x, long long y) { return x < y ? x : y; }
HEDDLE_NV long long __nv_llmax(long long x, long long y) { return x > y ? x : y; }
HEDDLE_NV unsigned long long __nv_ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
HEDDLE_NV unsigned long long __nv_ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }
HEDDLE_NV int __nv_clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
HEDDLE_NV int __nv_clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
HEDDLE_NV int __nv_ffs(int x) { return __builtin_ffs(x); }
HEDDLE_NV int __nv_ffsll(long long x) { return __builtin_ffsll(x); }
HEDDLE_NV int __nv_popc(unsigned x) { return __builtin_popcount(x); }
HEDDLE_NV int __nv_popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_NV int __nv_brev(int x) { return (int)__builtin_bitreverse32((unsigned)x); }
HEDDLE_NV long long __nv_brevll(long long x) { return (long long)__builtin_bitreverse64((unsigned long long)x); }
HEDDLE_NV int __nv_byte_perm(int x, int y, int s) { return (int)__nvvm_prmt((unsigned)x, (unsigned)y, (unsigned)s & 0x7777u); }
HEDDLE_NV int __nv_mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
HEDDLE_NV unsigned __nv_umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
HEDDLE_NV int __nv_mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
HEDDLE_NV unsigned __nv_umulhi(unsigned x, unsigned y) { return __nvvm_mulhi_ui(x, y); }
HEDDLE_NV long long __nv_mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
HEDDLE_NV unsigned long long __nv_umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
HEDDLE_NV int __nv_sad(int x, int y, int z) { return __nvvm_sad_i(x, y, z); }
HEDDLE_NV unsigned __nv_usad(unsigned x, unsigned y, unsigned z) { return __nvvm_sad_ui(x, y, z); }
HEDDLE_NV int __nv_hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
HEDDLE_NV int __nv_rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
HEDDLE_NV int __nv_uhadd(unsigned x, unsigned y) { return (int)(((unsigned long long)x + y) >> 1); }
HEDDLE_NV unsigned __nv_urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }

/* ---- what there is not ---- */
#define HEDDLE_MISSING(T, name, ...)                                                                            \
    extern "C" __device__ T __nv_##name(__VA_ARGS__)                                                            \
        __attribute__((error(#name " is in no library that comes with clang: compile with nvcc (--cuda-compiler)")));
HEDDLE_MISSING(double, j0, double)
HEDDLE_MISSING(double, j1, double)
HEDDLE_MISSING(double, y0, double)
HEDDLE_MISSING(double, y1, double)
HEDDLE_MISSING(double, jn, int, double)
HEDDLE_MISSING(double, yn, int, double)
HEDDLE_MISSING(double, cyl_bessel_i0, double)
HEDDLE_MISSING(double, cyl_bessel_i1, double)
HEDDLE_MISSING(double, erfcx, double)
HEDDLE_MISSING(float, j0f, float)
HEDDLE_MISSING(float, j1f, float)
HEDDLE_MISSING(float, y0f, float)
HEDDLE_MISSING(float, y1f, float)
HEDDLE_MISSING(float, jnf, int, float)
HEDDLE_MISSING(float, ynf, int, float)
HEDDLE_MISSING(float, cyl_bessel_i0f, float)
HEDDLE_MISSING(float, cyl_bessel_i1f, float)
HEDDLE_MISSING(float, erfcxf, float)
#undef HEDDLE_MISSING
#undef HEDDLE_FROM_CLC
#undef HEDDLE_NV
#endif
