/* Where each register of a function holds a value that may still be read. Private to cfg/. */
#ifndef HEDDLE_CFG_LIVE_H
#define HEDDLE_CFG_LIVE_H

#include "cfg/graph.h"

enum { LIVE_FILES = 3 };

/* [start, end) in half-instructions from the function's entry: 2k where instruction k reads, 2k + 1 where it writes. */
struct live_segment {
    uint32_t start, end;
};

struct live {
    struct work *w;
    uint32_t first[LIVE_FILES + 1]; /* registers of file f are numbered first[f] .. first[f + 1] */
    uint32_t points;                /* 2 x instructions */
    VEC(struct live_segment) segments;
    uint32_t *range; /* segments of register r: range[r] .. range[r + 1], ascending, apart from each other */
};

void live_analyse(struct live *l); /* w set, the rest zero; memory of the work, but for segments */
/* The register's number, or CFG_NONE for a constant, no operand, or the predicate that is always true. */
uint32_t live_register(const struct live *l, ir_opnd o);
uint32_t live_guard(const struct live *l, const struct ir_insn *i);
void pressure_analyse(const struct live *l); /* pressure.c: max_live, compiled_regs */

#endif
