/* What the host can do. Files that are compiled twice (ALU in the Makefile) are used in their second form where it has
 * all that this form was compiled for. */
#ifndef HEDDLE_BASE_HOST_H
#define HEDDLE_BASE_HOST_H

#include <stdbool.h>

static inline bool host_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

#endif
