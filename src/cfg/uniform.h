/* Finds which branches can diverge: an analysis on demand (uniform.c says what is promised and what is not). */
#ifndef HEDDLE_CFG_UNIFORM_H
#define HEDDLE_CFG_UNIFORM_H

#include "cfg/cfg.h"

/* Bits of a branch, brx.idx, guarded ret or exit, guarded or indirect call: threads that execute it together may
 * diverge there. */
enum {
    CFG_VARIES_WARP = 1, /* together: those of an architectural warp of 32, or of a part of one */
    CFG_VARIES_BLOCK = 2 /* together: any of a block; set wherever CFG_VARIES_WARP is */
};

/* A byte per instruction, 0 for where none can; xfree() it. */
uint8_t *cfg_uniform(const struct ir_module *m, const struct cfg *c);

#endif
