/* Convergence barriers as a form has them: where each begins, ends and is left. Private to cfg/. */
#ifndef HEDDLE_CFG_BARRIERS_H
#define HEDDLE_CFG_BARRIERS_H

#include "cfg/regions.h"

enum { BARRIER_REGISTERS = 16 };

struct barrier {
    uint32_t func, join; /* join: first PC of the block where its members meet */
    uint32_t reg;        /* CFG_NONE: no register was left, it is not there */
    /* marks.v[begin ..], marks.v[leave ..]; a mark before a guarded ret is for those who return. */
    uint32_t begin, nbegin, leave, nleave;
};

struct barriers {
    VEC(struct barrier) v;
    VEC(struct cfg_mark) marks;
};

/* merges.c: those of a function as compilers place them, added to `out`. False: they are not for this function; none was
 * added. */
bool barriers_of_merges(const struct ir_module *m, const struct cfg *c, uint32_t func, const uint8_t *varies,
                        struct barriers *out);

#endif
