/* Where threads that diverge will most likely meet, before they must: an analysis on demand. */
#ifndef HEDDLE_CFG_LIKELY_H
#define HEDDLE_CFG_LIKELY_H

#include "cfg/cfg.h"

/* By PC: the first PC of a branch's likely-convergence point, IR_NOPC where there is none before its immediate
 * post-dominator; xfree() it. */
uint32_t *cfg_likely(const struct ir_module *m, const struct cfg *c);

#endif
