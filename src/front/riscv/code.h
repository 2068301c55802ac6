/* The instructions of a file in the order of their addresses, cut into functions. */
#ifndef HEDDLE_FRONT_RISCV_CODE_H
#define HEDDLE_FRONT_RISCV_CODE_H

#include "front/riscv/decode.h"
#include "front/riscv/elf.h"

#define RV_NONE 0xffffffffu

struct rv_func {
    uint64_t from, to;    /* addresses */
    uint32_t first, last; /* instructions [first, last) */
    const char *name;     /* NULL: it has none */
    bool kernel;
    bool taken; /* its address is somewhere in the program */
};

struct rv_code {
    const struct rv_elf *f;
    uint64_t base, halves; /* addresses of instructions begin at base; steps of two bytes */
    uint32_t *at;          /* by step: the instruction that begins there, or RV_NONE */
    VEC(struct rv_insn) insn;
    VEC(uint64_t) addr;        /* address of each instruction */
    VEC(struct rv_func) funcs; /* ascending; together they are all instructions */
};

bool rv_code_read(struct rv_code *c, const struct rv_elf *f, const char *name, struct err *e);
void rv_code_free(struct rv_code *c);
/* The instruction at an address, the function that holds it; RV_NONE: there is none. */
uint32_t rv_code_at(const struct rv_code *c, uint64_t addr);
uint32_t rv_code_func(const struct rv_code *c, uint64_t addr);

/* targets.c: what a register holds before instruction i of a function if the few instructions in front of it say so. */
bool rv_known(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint32_t reg, uint64_t *value);
/* The instructions within the function that the jump at i may go to, by the table it reads; false: no table was found. */
struct rv_targets {
    VEC(uint32_t) v;
};
bool rv_jump_table(const struct rv_code *c, const struct rv_func *fn, uint32_t i, struct rv_targets *to);

#endif
