/* Machine code as it is known from a trace: instructions that ran, registers that they named, and where control was seen to
 * go. There are no values and no predicates in it, so it can be replayed (exec/tape/tape.h) and not executed.
 *
 * A listing is its text, a line for each instruction, and what a trace file keeps as the program:
 *   .sass 70 24 _Z3addPf
 *   0090 ISETP.GE.AND s R5 R2 tells 00a0
 *   00a0 @ BRA > 0100
 *   00b0 LDG.E.64 d R4 s R2 bytes 8
 * The head has the architecture, registers of a thread (0: not known) and the kernel's name. Then: PC, @ if it has been passed over, opcode; d and s: registers written and read; bytes of an access; > where it jumps to, by
 * an index if to several; tells: the guards that are told to those PCs when it runs, leads: the indices of those jumps. */
#ifndef HEDDLE_FRONT_SASS_SASS_H
#define HEDDLE_FRONT_SASS_SASS_H

#include "base/alloc.h"
#include "base/err.h"
#include "ir/program.h"

enum sass_kind {
    SASS_ALU,
    SASS_SETP,
    SASS_LOAD,
    SASS_STORE,
    SASS_ATOM,
    SASS_SHFL,
    SASS_VOTE,
    SASS_MATCH,
    SASS_BARRIER,
    SASS_NOP,
    SASS_JUMP,
    SASS_INDIRECT,
    SASS_EXIT
};

struct sass_row {
    const char *name;
    uint16_t op;   /* enum ir_op */
    uint8_t kind;  /* enum sass_kind */
    uint8_t space; /* enum ir_space */
};
/* Finds an opcode, with or without its modifiers; NULL: it is not in sass.def. */
const struct sass_row *sass_find(const char *opcode);

enum { SASS_DESTS = 1, SASS_SOURCES = 4, SASS_RZ = 255, SASS_LONGEST = 64, SASS_MOST = 1 << 20 };

struct sass_insn {
    uint64_t pc;
    const char *opcode;
    const struct sass_row *row; /* never NULL: integer arithmetic where it is not known */
    bool known, guarded;
    uint8_t nd, ns;
    uint8_t dest[SASS_DESTS], source[SASS_SOURCES];
    uint32_t bytes;        /* bytes of an access; 0: it has none, and is arithmetic whatever its row says */
    VEC(uint32_t) targets; /* numbers of instructions, as those that follow */
    VEC(uint32_t) tells, leads;
};

struct sass_program {
    uint32_t version, registers;
    const char *kernel;
    VEC(struct sass_insn) code; /* PCs ascend */
    struct arena mem;
};
void sass_free(struct sass_program *p);
static inline bool sass_accesses(const struct sass_insn *i) {
    return i->bytes && i->row->kind >= SASS_LOAD && i->row->kind <= SASS_ATOM;
}
/* Arithmetic, whatever it was: what has time and registers, and nothing else. */
static inline bool sass_computes(const struct sass_insn *i) {
    return i->row->kind <= SASS_SETP || (i->row->kind <= SASS_ATOM && !i->bytes);
}
/* Destinations of the operation's own, before those of tells and leads. */
uint32_t sass_own(const struct sass_insn *i);
/* Whether another may be told there. */
bool sass_has_room(const struct sass_insn *i);

/* Finds for every guard and every index the instructions that tell it: the last ones before that always run. */
void sass_connect(struct sass_program *p);

void sass_print(const struct sass_program *p, struct sb *out);
bool sass_is(const char *text, size_t n);
bool sass_parse(struct sass_program *p, const char *name, const char *text, size_t n, struct err *e);
/* A listing as a program; instruction k of the listing is at PC k. */
struct ir_module *sass_load(const char *name, const char *text, size_t n, struct err *e);

#endif
