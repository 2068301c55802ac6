/* Floating point of RISC-V: what the ways of computing it share (alu_rv.c, alu_rv_row.c). */
#ifndef HEDDLE_EXEC_ALU_RV_H
#define HEDDLE_EXEC_ALU_RV_H

#include "exec/alu/row.h"
#include "exec/impl.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { RNE, RTZ, RDN, RUP, RMM, DYN = 7 };
enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16, ALL_FLAGS = 31 };
#define NAN32 0x7fc00000u
#define NAN64 UINT64_C(0x7ff8000000000000)
#define BOX   (UINT64_C(0xffffffff) << 32)

/* An instruction and its rows. */
struct job {
    const struct ir_insn *i;
    const uint64_t *s[3]; /* source rows; those it does not have are the first */
    uint64_t *d, *fcsr;
    bool wide; /* of the result, or of what becomes an integer */
};

/* Computes what can be computed for all lanes at once, in vectors. Returns the lanes that are still to do: those whose flags
 * become more, or all where an operand is not boxed, NaN is among the numbers, or the operation or its rounding is rare. */
uint32_t ALU_NAME(alu_rv_row)(const struct job *j, uint32_t mask);

/* ---- the host's unit ---- */

#if defined(__SSE2__)
static inline unsigned unit_begin(unsigned mode) {
    static const unsigned rounding[4] = {0, 3, 1, 2};
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80 | rounding[mode] << 13);
    __asm__ volatile("" ::: "memory");
    return before;
}
static inline unsigned unit_end(unsigned before) {
    __asm__ volatile("" ::: "memory");
    const unsigned f = _mm_getcsr();
    _mm_setcsr(before);
    return (f >> 5 & NX) | (f >> 3 & UF) | (f >> 1 & OF) | (f << 1 & DZ) | (f << 4 & NV);
}
#else
static inline unsigned unit_begin(unsigned mode) {
    static const int rounding[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(rounding[mode]);
    __asm__ volatile("" ::: "memory");
    return 0;
}
static inline unsigned unit_end(unsigned before) {
    __asm__ volatile("" ::: "memory");
    const int f = fetestexcept(FE_ALL_EXCEPT);
    (void)before;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    return (f & FE_INEXACT ? NX : 0u) | (f & FE_UNDERFLOW ? UF : 0u) | (f & FE_OVERFLOW ? OF : 0u) |
           (f & FE_DIVBYZERO ? DZ : 0u) | (f & FE_INVALID ? NV : 0u);
}
#endif

#endif
