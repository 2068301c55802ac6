/* Printing instructions, for those who print many of one module. */
#ifndef HEDDLE_IR_PRINT_H
#define HEDDLE_IR_PRINT_H

#include "ir/program.h"

/* For each symbol the constant that holds its address, so that a listing does not search the relocations each time. */
struct ir_names {
    uint32_t *reloc[2]; /* 32- and 64-bit constants: relocation plus one, 0 for a plain number */
};
void ir_names_init(struct ir_names *n, const struct ir_module *m);
void ir_names_free(struct ir_names *n);

/* ir_print_insn with the names at hand; names may be NULL. */
void ir_print_named(struct sb *out, const struct ir_module *m, const struct ir_names *names, uint32_t pc);

/* print_opnd.c: one operand; type says how a constant reads. */
void ir_print_opnd(struct sb *out, const struct ir_module *m, const struct ir_names *names, ir_opnd o,
                   enum ir_type type);
void ir_print_address(struct sb *out, const struct ir_module *m, const struct ir_names *names, ir_opnd o,
                      int32_t disp);
void ir_print_label(struct sb *out, const struct ir_module *m, uint32_t pc);

#endif
