/* Intrinsics that neither clang's headers nor its builtins have. */
#ifndef HEDDLE_CUDA_INTRINSICS_H
#define HEDDLE_CUDA_INTRINSICS_H

#define HEDDLE_DEVICE __device__ static inline

HEDDLE_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

/* Dot products of bytes (sm_61). */
HEDDLE_DEVICE int __dp4a(int a, int b, int c) {
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
HEDDLE_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
HEDDLE_DEVICE int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
HEDDLE_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

/* Loads and stores of a struct with a cache operator: __ldg is clang's. */
template <class T> HEDDLE_DEVICE T __ldcg(const T *p) { return *p; }
template <class T> HEDDLE_DEVICE T __ldca(const T *p) { return *p; }
template <class T> HEDDLE_DEVICE T __ldcs(const T *p) { return *p; }
template <class T> HEDDLE_DEVICE T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> HEDDLE_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> HEDDLE_DEVICE void __stwb(T *p, T v) { *p = v; }
template <class T> HEDDLE_DEVICE void __stcs(T *p, T v) { *p = v; }
template <class T> HEDDLE_DEVICE void __stwt(T *p, T v) { *p = v; }

#undef HEDDLE_DEVICE
#endif
