/* The plan of a tape, for the files that make and follow it. */
#ifndef HEDDLE_EXEC_TAPE_IMPL_H
#define HEDDLE_EXEC_TAPE_IMPL_H

#include "exec/impl.h"
#include "exec/tape/tape.h"

enum site_kind {
    SITE_NONE,   /* of code that the kernel does not get to, as far as the program says */
    SITE_RUN,    /* executed as ever: nothing is told */
    SITE_SKIP,   /* not executed */
    SITE_STATIC, /* an access whose address is the instruction's: not executed, nothing is told of it */
    SITE_ACCESS, /* an address */
    SITE_ATOM,   /* an address, and whether memory changed */
    SITE_LOOSE,  /* bytes that are accessed, 0: none; then the address */
    SITE_BRANCH, /* machine code: whether the branch is taken */
    SITE_JUMP /* machine code: what the register holds that it jumps, calls or returns by; executed with it */
};
/* The operand that a SITE_JUMP tells. */
static inline ir_opnd site_target(const struct ir_insn *i) {
    return i->o[i->nd];
}

/* What an instruction tells: first what its kind says, then the registers it writes that are asked for again. */
struct site {
    uint8_t kind;
    uint8_t written; /* those of o[0..nd), a bit each */
    uint32_t column; /* its first */
};

struct exec_plan {
    struct site *site; /* by PC */
    bool *bits;        /* by column */
    uint32_t columns;
    const char *doubt;
};

#endif
