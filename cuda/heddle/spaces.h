/* Which memory a generic address is in, and its address there. Before clang's headers, which use some of these. */
#ifndef HEDDLE_CUDA_SPACES_H
#define HEDDLE_CUDA_SPACES_H

#include <stdint.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#define HEDDLE_DEVICE __device__ static inline
HEDDLE_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
HEDDLE_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
HEDDLE_DEVICE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
HEDDLE_DEVICE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

#define HEDDLE_SPACE(name, number)                                                                                \
    HEDDLE_DEVICE size_t __cvta_generic_to_##name(const void *p) {                                                \
        return (size_t)(const void __attribute__((address_space(number))) *)p;                                    \
    }                                                                                                             \
    HEDDLE_DEVICE void *__cvta_##name##_to_generic(size_t p) {                                                    \
        return (void *)(void __attribute__((address_space(number))) *)p;                                          \
    }
HEDDLE_SPACE(global, 1)
HEDDLE_SPACE(shared, 3)
HEDDLE_SPACE(constant, 4)
HEDDLE_SPACE(local, 5)
#undef HEDDLE_SPACE
#undef HEDDLE_DEVICE

#endif
