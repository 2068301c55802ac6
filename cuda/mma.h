/* Matrix fragments of a warp: nvcuda::wmma, for device code. Each function is one PTX instruction (docs/tensor.md). */
#ifndef HEDDLE_CUDA_MMA_H
#define HEDDLE_CUDA_MMA_H
#define __CUDA_MMA_H__

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define HEDDLE_WMMA static __inline__ __attribute__((device, always_inline))

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* What a fragment's elements are stored as, and how many of them one is. */
template <typename T> struct heddle_element {
    typedef T type;
    enum { packed = 1, half = 0 };
};
template <> struct heddle_element<__half> {
    typedef __half type;
    enum { packed = 1, half = 1 };
};
template <> struct heddle_element<precision::tf32> {
    typedef float type;
    enum { packed = 1, half = 0 };
};
template <> struct heddle_element<experimental::precision::u4> {
    typedef unsigned type;
    enum { packed = 8, half = 0 };
};
template <> struct heddle_element<experimental::precision::s4> {
    typedef int type;
    enum { packed = 8, half = 0 };
};
template <> struct heddle_element<experimental::precision::b1> {
    typedef unsigned type;
    enum { packed = 32, half = 0 };
};

/* Elements of a thread; halves of A and B are held twice or more, 16 always. */
template <typename Use, int m, int n, int k, typename T> struct heddle_count;
template <int m, int n, int k, typename T> struct heddle_count<matrix_a, m, n, k, T> {
    enum { value = heddle_element<T>::half ? 16 : m * k / 32 };
};
template <int m, int n, int k, typename T> struct heddle_count<matrix_b, m, n, k, T> {
    enum { value = heddle_element<T>::half ? 16 : k * n / 32 };
};
template <int m, int n, int k, typename T> struct heddle_count<accumulator, m, n, k, T> {
    enum { value = m * n / 32 };
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment {
  public:
    typedef T element_type;
    typedef typename heddle_element<T>::type storage_element_type;
    static const int num_elements = heddle_count<Use, m, n, k, T>::value;
    static const int num_storage_elements = num_elements / heddle_element<T>::packed;
    storage_element_type x[num_storage_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
HEDDLE_WMMA void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &v) {
    typedef typename heddle_element<T>::type stored;
#pragma unroll
    for (int i = 0; i < f.num_storage_elements; i++) f.x[i] = (stored)v;
}

HEDDLE_WMMA float __float_to_tf32(float v) {
    float r;
    asm("{ .reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t; }" : "=f"(r) : "f"(v));
    return r;
}

/* ---- registers: names, and operands of an asm statement, by how many there are ---- */
#define HEDDLE_N1(x)    "%[" #x "0]"
#define HEDDLE_N2(x)    HEDDLE_N1(x) ", %[" #x "1]"
#define HEDDLE_N4(x)    HEDDLE_N2(x) ", %[" #x "2], %[" #x "3]"
#define HEDDLE_N8(x)    HEDDLE_N4(x) ", %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]"
#define HEDDLE_O1(x, c) [x##0] "=" c(x[0])
#define HEDDLE_O2(x, c) HEDDLE_O1(x, c), [x##1] "=" c(x[1])
#define HEDDLE_O4(x, c) HEDDLE_O2(x, c), [x##2] "=" c(x[2]), [x##3] "=" c(x[3])
#define HEDDLE_O8(x, c) HEDDLE_O4(x, c), [x##4] "=" c(x[4]), [x##5] "=" c(x[5]), [x##6] "=" c(x[6]), [x##7] "=" c(x[7])
#define HEDDLE_I1(x, c) [x##0] c(x[0])
#define HEDDLE_I2(x, c) HEDDLE_I1(x, c), [x##1] c(x[1])
#define HEDDLE_I4(x, c) HEDDLE_I2(x, c), [x##2] c(x[2]), [x##3] c(x[3])
#define HEDDLE_I8(x, c) HEDDLE_I4(x, c), [x##4] c(x[4]), [x##5] c(x[5]), [x##6] c(x[6]), [x##7] c(x[7])

/* ---- load and store: R registers of type W, constraint C ---- */
#define HEDDLE_LOAD(F, P, text, R, W, C, ...)                                                                   \
    W d[R];                                                                                                     \
    asm volatile("wmma.load." text " {" HEDDLE_N##R(d) "}, [%[p]], %[ldm];"                                     \
                 : HEDDLE_O##R(d, C)                                                                            \
                 : [p] "l"(P), [ldm] "r"(ldm)                                                                   \
                 : "memory");                                                                                   \
    __builtin_memcpy(F.x, d, sizeof d)
#define HEDDLE_FACTOR(use, letter, layout, m, n, k, T, Ptr, type, R, W, C)                                      \
    HEDDLE_WMMA void load_matrix_sync(fragment<use, m, n, k, T, layout##_major> &f, const Ptr *p, unsigned ldm) { \
        HEDDLE_LOAD(f, p, #letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." type, R, W, C);            \
    }
#define HEDDLE_FACTORS(m, n, k, T, Ptr, type, RA, RB, W, C)                                                     \
    HEDDLE_FACTOR(matrix_a, a, row, m, n, k, T, Ptr, type, RA, W, C)                                            \
    HEDDLE_FACTOR(matrix_a, a, col, m, n, k, T, Ptr, type, RA, W, C)                                            \
    HEDDLE_FACTOR(matrix_b, b, row, m, n, k, T, Ptr, type, RB, W, C)                                            \
    HEDDLE_FACTOR(matrix_b, b, col, m, n, k, T, Ptr, type, RB, W, C)
#define HEDDLE_ACCUMULATOR(m, n, k, T, type, R, W, C)                                                           \
    HEDDLE_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ldm, layout_t l) { \
        if (l == mem_row_major) {                                                                               \
            HEDDLE_LOAD(f, p, "c.sync.aligned.row.m" #m "n" #n "k" #k "." type, R, W, C);                       \
        } else {                                                                                                \
            HEDDLE_LOAD(f, p, "c.sync.aligned.col.m" #m "n" #n "k" #k "." type, R, W, C);                       \
        }                                                                                                       \
    }                                                                                                           \
    HEDDLE_WMMA void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t l) { \
        W s[R];                                                                                                 \
        __builtin_memcpy(s, f.x, sizeof s);                                                                     \
        if (l == mem_row_major)                                                                                 \
            asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." type                            \
                         " [%[p]], {" HEDDLE_N##R(s) "}, %[ldm];" ::[p] "l"(p),                                 \
                         [ldm] "r"(ldm), HEDDLE_I##R(s, C)                                                      \
                         : "memory");                                                                           \
        else                                                                                                    \
            asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." type                            \
                         " [%[p]], {" HEDDLE_N##R(s) "}, %[ldm];" ::[p] "l"(p),                                 \
                         [ldm] "r"(ldm), HEDDLE_I##R(s, C)                                                      \
                         : "memory");                                                                           \
    }

/* ---- multiply ---- */
#define HEDDLE_MMA_ASM(op, shape, types, sat, RD, RA, RB, RC, C)                                                \
    asm volatile("wmma.mma" op ".sync.aligned." shape "." types sat " {" HEDDLE_N##RD(d) "}, {" HEDDLE_N##RA(   \
                     a) "}, {" HEDDLE_N##RB(b) "}, {" HEDDLE_N##RC(c) "};"                                      \
                 : HEDDLE_O##RD(d, C)                                                                           \
                 : HEDDLE_I##RA(a, C), HEDDLE_I##RB(b, C), HEDDLE_I##RC(c, C))
#define HEDDLE_REGISTERS(RD, RA, RB, RC, W)                                                                     \
    W d[RD], a[RA], b[RB], c[RC];                                                                               \
    __builtin_memcpy(a, fa.x, sizeof a);                                                                        \
    __builtin_memcpy(b, fb.x, sizeof b);                                                                        \
    __builtin_memcpy(c, fc.x, sizeof c)
#define HEDDLE_MMA(la, lb, m, n, k, T, D, CT, types, RD, RA, RB, RC, W, C)                                      \
    HEDDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, D> &fd,                                            \
                              const fragment<matrix_a, m, n, k, T, la##_major> &fa,                             \
                              const fragment<matrix_b, m, n, k, T, lb##_major> &fb,                             \
                              const fragment<accumulator, m, n, k, CT> &fc) {                                   \
        HEDDLE_REGISTERS(RD, RA, RB, RC, W);                                                                    \
        HEDDLE_MMA_ASM("", #la "." #lb ".m" #m "n" #n "k" #k, types, "", RD, RA, RB, RC, C);                    \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                    \
    }
/* The same with .satfinite on demand. */
#define HEDDLE_MMA_SAT(la, lb, m, n, k, T, D, CT, types, RD, RA, RB, RC, W, C)                                  \
    HEDDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, D> &fd,                                            \
                              const fragment<matrix_a, m, n, k, T, la##_major> &fa,                             \
                              const fragment<matrix_b, m, n, k, T, lb##_major> &fb,                             \
                              const fragment<accumulator, m, n, k, CT> &fc, bool satf = false) {                \
        HEDDLE_REGISTERS(RD, RA, RB, RC, W);                                                                    \
        if (satf)                                                                                               \
            HEDDLE_MMA_ASM("", #la "." #lb ".m" #m "n" #n "k" #k, types, ".satfinite", RD, RA, RB, RC, C);      \
        else                                                                                                    \
            HEDDLE_MMA_ASM("", #la "." #lb ".m" #m "n" #n "k" #k, types, "", RD, RA, RB, RC, C);                \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                    \
    }
#define HEDDLE_LAYOUTS(X, ...) X(row, row, __VA_ARGS__) X(row, col, __VA_ARGS__) X(col, row, __VA_ARGS__) X(col, col, __VA_ARGS__)

/* ---- the shapes ---- */
#define HEDDLE_HALVES(m, n, k)                                                                                  \
    HEDDLE_FACTORS(m, n, k, __half, __half, "f16", 8, 8, unsigned, "r")                                         \
    HEDDLE_ACCUMULATOR(m, n, k, __half, "f16", 4, unsigned, "r")                                                \
    HEDDLE_ACCUMULATOR(m, n, k, float, "f32", 8, unsigned, "r")                                                 \
    HEDDLE_LAYOUTS(HEDDLE_MMA_SAT, m, n, k, __half, float, float, "f32.f32", 8, 8, 8, 8, unsigned, "r")         \
    HEDDLE_LAYOUTS(HEDDLE_MMA_SAT, m, n, k, __half, __half, __half, "f16.f16", 4, 8, 8, 4, unsigned, "r")       \
    HEDDLE_LAYOUTS(HEDDLE_MMA_SAT, m, n, k, __half, float, __half, "f32.f16", 8, 8, 8, 4, unsigned, "r")        \
    HEDDLE_LAYOUTS(HEDDLE_MMA_SAT, m, n, k, __half, __half, float, "f16.f32", 4, 8, 8, 8, unsigned, "r")
HEDDLE_HALVES(16, 16, 16)
HEDDLE_HALVES(32, 8, 16)
HEDDLE_HALVES(8, 32, 16)

#define HEDDLE_BFLOATS(m, n, k, RA, RB)                                                                         \
    HEDDLE_FACTORS(m, n, k, __nv_bfloat16, __nv_bfloat16, "bf16", RA, RB, unsigned, "r")                        \
    HEDDLE_LAYOUTS(HEDDLE_MMA, m, n, k, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", 8, RA, RB, 8, unsigned, "r")
HEDDLE_BFLOATS(16, 16, 16, 4, 4)
HEDDLE_BFLOATS(32, 8, 16, 8, 2)
HEDDLE_BFLOATS(8, 32, 16, 2, 8)

#define HEDDLE_BYTES(m, n, k, T, type, RA, RB)                                                                  \
    HEDDLE_FACTORS(m, n, k, T, T, type, RA, RB, unsigned, "r")                                                  \
    HEDDLE_LAYOUTS(HEDDLE_MMA_SAT, m, n, k, T, int, int, "s32." type "." type ".s32", 8, RA, RB, 8, unsigned, "r")
#define HEDDLE_BOTH_BYTES(m, n, k, RA, RB)                                                                      \
    HEDDLE_ACCUMULATOR(m, n, k, int, "s32", 8, unsigned, "r")                                                   \
    HEDDLE_BYTES(m, n, k, signed char, "s8", RA, RB)                                                            \
    HEDDLE_BYTES(m, n, k, unsigned char, "u8", RA, RB)
HEDDLE_BOTH_BYTES(16, 16, 16, 2, 2)
HEDDLE_BOTH_BYTES(32, 8, 16, 4, 1)
HEDDLE_BOTH_BYTES(8, 32, 16, 1, 4)

HEDDLE_FACTORS(16, 16, 8, precision::tf32, float, "tf32", 4, 4, unsigned, "r")
HEDDLE_ACCUMULATOR(16, 16, 8, float, "f32", 8, unsigned, "r")
HEDDLE_LAYOUTS(HEDDLE_MMA, 16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", 8, 4, 4, 8, unsigned, "r")

HEDDLE_FACTORS(8, 8, 4, double, double, "f64", 1, 1, double, "d")
HEDDLE_ACCUMULATOR(8, 8, 4, double, "f64", 2, double, "d")
HEDDLE_LAYOUTS(HEDDLE_MMA, 8, 8, 4, double, double, double, "f64.f64.f64.f64.rn", 2, 1, 1, 2, double, "d")

/* Four bits and single ones: A by rows, B by columns. */
#define HEDDLE_NIBBLES(T, type)                                                                                 \
    HEDDLE_FACTOR(matrix_a, a, row, 8, 8, 32, experimental::precision::T, void, type, 1, unsigned, "r")         \
    HEDDLE_FACTOR(matrix_b, b, col, 8, 8, 32, experimental::precision::T, void, type, 1, unsigned, "r")         \
    HEDDLE_MMA_SAT(row, col, 8, 8, 32, experimental::precision::T, int, int, "s32." type "." type ".s32", 2, 1, 1, 2, \
                   unsigned, "r")
HEDDLE_ACCUMULATOR(8, 8, 32, int, "s32", 2, unsigned, "r")
HEDDLE_NIBBLES(s4, "s4")
HEDDLE_NIBBLES(u4, "u4")

HEDDLE_FACTOR(matrix_a, a, row, 8, 8, 128, experimental::precision::b1, void, "b1", 1, unsigned, "r")
HEDDLE_FACTOR(matrix_b, b, col, 8, 8, 128, experimental::precision::b1, void, "b1", 1, unsigned, "r")
HEDDLE_ACCUMULATOR(8, 8, 128, int, "s32", 2, unsigned, "r")
HEDDLE_WMMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &fd,
                           const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &fa,
                           const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &fb,
                           const fragment<accumulator, 8, 8, 128, int> &fc,
                           experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    HEDDLE_REGISTERS(2, 1, 1, 2, unsigned);
    if (op == experimental::bmmaBitOpAND)
        HEDDLE_MMA_ASM(".and.popc", "row.col.m8n8k128", "s32.b1.b1.s32", "", 2, 1, 1, 2, "r");
    else
        HEDDLE_MMA_ASM(".xor.popc", "row.col.m8n8k128", "s32.b1.b1.s32", "", 2, 1, 1, 2, "r");
    __builtin_memcpy(fd.x, d, sizeof d);
}
namespace experimental {
using wmma::bmma_sync;
}

#undef HEDDLE_WMMA
#undef HEDDLE_LOAD
#undef HEDDLE_FACTOR
#undef HEDDLE_FACTORS
#undef HEDDLE_ACCUMULATOR
#undef HEDDLE_MMA_ASM
#undef HEDDLE_REGISTERS
#undef HEDDLE_MMA
#undef HEDDLE_MMA_SAT
#undef HEDDLE_LAYOUTS
#undef HEDDLE_HALVES
#undef HEDDLE_BFLOATS
#undef HEDDLE_BYTES
#undef HEDDLE_BOTH_BYTES
#undef HEDDLE_NIBBLES

} // namespace wmma
} // namespace nvcuda

#endif
