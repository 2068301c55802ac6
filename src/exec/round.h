/* Directed rounding: the host's rounding mode, changed around a loop and put back. */
#ifndef HEDDLE_EXEC_ROUND_H
#define HEDDLE_EXEC_ROUND_H

#include <fenv.h>

#include "ir/insn.h"

/* The loop in between reads its operands from memory and leaves its results there. Memory that the statement
 * might touch pins it: no load moves up over the first change, no store down over the second, whatever the
 * compiler thinks it knows about rounding. p makes an array of the caller's part of that memory. */
#define ROUND_PIN(p) __asm__ volatile("" : : "r"(p) : "memory")

static inline int round_host(enum ir_round mode) {
    return mode == IR_RZ   ? FE_TOWARDZERO
           : mode == IR_RM ? FE_DOWNWARD
           : mode == IR_RP ? FE_UPWARD
                           : FE_TONEAREST;
}

static inline void round_set(enum ir_round mode, const void *memory) {
    ROUND_PIN(memory);
    fesetround(round_host(mode));
    ROUND_PIN(memory);
}

#endif
