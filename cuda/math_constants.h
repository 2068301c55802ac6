/* Constants of the CUDA SDK's header of this name, by value. */
#ifndef HEDDLE_CUDA_MATH_CONSTANTS_H
#define HEDDLE_CUDA_MATH_CONSTANTS_H

#define CUDART_INF_F        __int_as_float(0x7f800000)
#define CUDART_NAN_F        __int_as_float(0x7fffffff)
#define CUDART_MIN_DENORM_F __int_as_float(0x00000001)
#define CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffff)
#define CUDART_ZERO_F       0.0f
#define CUDART_NEG_ZERO_F   __int_as_float((int)0x80000000)
#define CUDART_ONE_F        1.0f
#define CUDART_SQRT_HALF_F  0.707106781f
#define CUDART_SQRT_TWO_F   1.414213562f
#define CUDART_SQRT_2PI_F   2.506628275f
#define CUDART_THIRD_F      0.333333333f
#define CUDART_PI_F         3.141592654f
#define CUDART_PIO2_F       1.570796327f
#define CUDART_PIO4_F       0.785398163f
#define CUDART_2PI_F        6.283185307f
#define CUDART_LN2_F        0.693147181f
#define CUDART_L2E_F        1.442695041f
#define CUDART_LNT_F        2.302585093f

#define CUDART_INF       __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_NAN       __longlong_as_double(0xfff8000000000000ull)
#define CUDART_NEG_ZERO  __longlong_as_double(0x8000000000000000ull)
#define CUDART_MIN_DENORM __longlong_as_double(1ll)
#define CUDART_ZERO      0.0
#define CUDART_ONE       1.0
#define CUDART_SQRT_TWO  1.4142135623730951
#define CUDART_SQRT_HALF 0.70710678118654757
#define CUDART_SQRT_2PI  2.5066282746310007
#define CUDART_THIRD     0.33333333333333333
#define CUDART_PI        3.1415926535897931
#define CUDART_PIO2      1.5707963267948966
#define CUDART_PIO4      0.78539816339744828
#define CUDART_LN2       0.69314718055994529
#define CUDART_L2E       1.4426950408889634
#define CUDART_LNT       2.3025850929940459

#endif
