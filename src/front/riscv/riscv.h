/* Static RV64GC executables to programs. */
#ifndef HEDDLE_FRONT_RISCV_RISCV_H
#define HEDDLE_FRONT_RISCV_RISCV_H

#include "ir/program.h"

/* Whether the bytes are such a file, as far as their beginning says. */
bool riscv_is(const void *data, size_t n);
/* Reads and lowers all functions. name is used in messages; data is not needed afterwards. Every machine instruction becomes one
 * of the module, in the order of addresses; module->text is the disassembly, and lines count through it. Segments are
 * variables with fixed addresses, functions of the section spmd_text are kernels. Words that are no instruction become traps.
 * On error NULL. */
struct ir_module *riscv_load(const char *name, const void *data, size_t n, struct err *e);

/* A kernel's one parameter, in words of 8 bytes: what x0 to x31 and f0 to f31 hold when a thread starts, and behind them what
 * lies on its stack from sp on. */
enum {
    RISCV_REGISTERS = 64,
    RISCV_STACK_WORDS = 64,
    RISCV_PARAM_BYTES = (RISCV_REGISTERS + RISCV_STACK_WORDS) * 8
};

#endif
