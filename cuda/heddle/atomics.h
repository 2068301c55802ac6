/* Atomic functions by type, over those of clang (__iAtomicAdd ...); _block and _system are the same with another scope. */
#ifndef HEDDLE_CUDA_ATOMICS_H
#define HEDDLE_CUDA_ATOMICS_H

#define HEDDLE_ATOMIC1(scope, name, T, of)                                   \
    __device__ static inline T atomic##name##scope(T *address, T value) {    \
        return __##of##Atomic##name##scope(address, value);                  \
    }
#define HEDDLE_ATOMIC(name, T, of)      \
    HEDDLE_ATOMIC1(, name, T, of)       \
    HEDDLE_ATOMIC1(_block, name, T, of) \
    HEDDLE_ATOMIC1(_system, name, T, of)
HEDDLE_ATOMIC(Add, int, i)
HEDDLE_ATOMIC(Add, unsigned, u)
HEDDLE_ATOMIC(Add, unsigned long long, ull)
HEDDLE_ATOMIC(Add, float, f)
HEDDLE_ATOMIC(Add, double, d)
HEDDLE_ATOMIC(Exch, int, i)
HEDDLE_ATOMIC(Exch, unsigned, u)
HEDDLE_ATOMIC(Exch, unsigned long long, ull)
HEDDLE_ATOMIC(Exch, float, f)
HEDDLE_ATOMIC(Min, int, i)
HEDDLE_ATOMIC1(, Min, unsigned, u)
HEDDLE_ATOMIC(Min, long long, ill)
HEDDLE_ATOMIC1(, Min, unsigned long long, ull)
HEDDLE_ATOMIC(Max, int, i)
HEDDLE_ATOMIC1(, Max, unsigned, u)
HEDDLE_ATOMIC(Max, long long, ill)
HEDDLE_ATOMIC1(, Max, unsigned long long, ull)
HEDDLE_ATOMIC(Inc, unsigned, u)
HEDDLE_ATOMIC(Dec, unsigned, u)
/* By hand: clang 19 makes signed instructions of these with a scope. */
#define HEDDLE_ATOMIC_ASM(name, T, ptx, letter)                                                              \
    __device__ static inline T name(T *address, T value) {                                                   \
        T old;                                                                                               \
        asm volatile("atom." ptx " %0, [%1], %2;" : "=" letter(old) : "l"(address), letter(value) : "memory"); \
        return old;                                                                                          \
    }
HEDDLE_ATOMIC_ASM(atomicMin_block, unsigned, "cta.min.u32", "r")
HEDDLE_ATOMIC_ASM(atomicMax_block, unsigned, "cta.max.u32", "r")
HEDDLE_ATOMIC_ASM(atomicMin_system, unsigned, "sys.min.u32", "r")
HEDDLE_ATOMIC_ASM(atomicMax_system, unsigned, "sys.max.u32", "r")
HEDDLE_ATOMIC_ASM(atomicMin_block, unsigned long long, "cta.min.u64", "l")
HEDDLE_ATOMIC_ASM(atomicMax_block, unsigned long long, "cta.max.u64", "l")
HEDDLE_ATOMIC_ASM(atomicMin_system, unsigned long long, "sys.min.u64", "l")
HEDDLE_ATOMIC_ASM(atomicMax_system, unsigned long long, "sys.max.u64", "l")
#undef HEDDLE_ATOMIC_ASM

#define HEDDLE_ATOMIC_BITS(name)                  \
    HEDDLE_ATOMIC(name, int, i)                   \
    HEDDLE_ATOMIC(name, unsigned, u)              \
    HEDDLE_ATOMIC(name, unsigned long long, ull)  \
    HEDDLE_ATOMIC(name, long long, ll)
HEDDLE_ATOMIC_BITS(And)
HEDDLE_ATOMIC_BITS(Or)
HEDDLE_ATOMIC_BITS(Xor)
#undef HEDDLE_ATOMIC_BITS
#undef HEDDLE_ATOMIC
#undef HEDDLE_ATOMIC1

/* No function of clang's, but an instruction of a wider type that wraps around the same. */
#define HEDDLE_ATOMIC_SUB(scope)                                                                                    \
    __device__ static inline int atomicSub##scope(int *p, int v) { return __iAtomicAdd##scope(p, -v); }              \
    __device__ static inline unsigned atomicSub##scope(unsigned *p, unsigned v) { return __uAtomicAdd##scope(p, 0u - v); }
HEDDLE_ATOMIC_SUB()
HEDDLE_ATOMIC_SUB(_block)
HEDDLE_ATOMIC_SUB(_system)
#undef HEDDLE_ATOMIC_SUB

#define HEDDLE_ATOMIC_CAS(scope)                                                                                    \
    __device__ static inline int atomicCAS##scope(int *p, int compare, int v) {                                      \
        return __iAtomicCAS##scope(p, compare, v);                                                                   \
    }                                                                                                               \
    __device__ static inline unsigned atomicCAS##scope(unsigned *p, unsigned compare, unsigned v) {                  \
        return __uAtomicCAS##scope(p, compare, v);                                                                   \
    }                                                                                                               \
    __device__ static inline unsigned long long atomicCAS##scope(unsigned long long *p, unsigned long long compare,  \
                                                                 unsigned long long v) {                             \
        return __ullAtomicCAS##scope(p, compare, v);                                                                 \
    }
HEDDLE_ATOMIC_CAS()
HEDDLE_ATOMIC_CAS(_block)
HEDDLE_ATOMIC_CAS(_system)
#undef HEDDLE_ATOMIC_CAS

__device__ static inline unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v) {
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

#endif
