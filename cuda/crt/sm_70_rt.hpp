/* clang's __clang_cuda_intrinsics.h includes this file of the SDK for its __match functions, by type; the ones by size are its
 * own. */
#define HEDDLE_MATCH(T, size)                                                                                            \
    __device__ static inline unsigned __match_any_sync(unsigned mask, T value) {                                         \
        return __match##size##_any_sync(mask, __builtin_bit_cast(HEDDLE_MATCH##size, value));                            \
    }                                                                                                                    \
    __device__ static inline unsigned __match_all_sync(unsigned mask, T value, int *all) {                               \
        return __match##size##_all_sync(mask, __builtin_bit_cast(HEDDLE_MATCH##size, value), all);                       \
    }
#define HEDDLE_MATCH32 unsigned
#define HEDDLE_MATCH64 unsigned long long
HEDDLE_MATCH(int, 32)
HEDDLE_MATCH(unsigned, 32)
HEDDLE_MATCH(float, 32)
HEDDLE_MATCH(long, 64)
HEDDLE_MATCH(unsigned long, 64)
HEDDLE_MATCH(long long, 64)
HEDDLE_MATCH(unsigned long long, 64)
HEDDLE_MATCH(double, 64)
#undef HEDDLE_MATCH
#undef HEDDLE_MATCH32
#undef HEDDLE_MATCH64
