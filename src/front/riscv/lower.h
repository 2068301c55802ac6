/* From decoded instructions to a module. */
#ifndef HEDDLE_FRONT_RISCV_LOWER_H
#define HEDDLE_FRONT_RISCV_LOWER_H

#include "front/riscv/code.h"
#include "ir/program.h"

struct lower {
    const struct rv_code *c;
    struct ir_module *m;
    const void *file; /* bytes that the module keeps */
    size_t file_bytes;
    const struct rv_func *fn; /* under way */
    uint32_t pc;              /* PC of its first instruction */
    VEC(uint64_t) addr;       /* by PC */
    VEC(uint32_t) text;       /* by PC: where its line begins in the text */
    VEC(uint32_t) out;        /* branches of the function whose target is elsewhere */
    VEC(uint64_t) out_to;     /* by `out`: the address of the target */
    struct rv_targets targets;
    uint32_t line_at; /* where the line under way begins in the text */
};

/* Appends the functions and their code to m. */
void rv_lower(struct lower *l);
/* lower_insn.c: the instruction that k becomes, but for line. */
struct ir_insn rv_lower_insn(struct lower *l, uint32_t k);
/* A jump to an address outside of the function. */
struct ir_insn rv_jump_out(struct lower *l, uint64_t addr);

/* lines.c: source lines of the instructions, by module->src, from the file's debugging information; what is damaged in it is
 * left out. */
void rv_lines(const struct rv_elf *f, struct ir_module *m);

#endif
