/* After timed runs: no branch at which a warp diverged was called uniform. What cfg promises holds for warps that diverge and meet as
 * a post-dominator stack has it, of at most 32 threads within a warp of the program, of any size within a block. */
#ifndef HEDDLE_TESTS_KERNELS_UNIFORM_H
#define HEDDLE_TESTS_KERNELS_UNIFORM_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/uniform.h"
#include "sim/device/internal.h"

struct uniform_count {
    unsigned branches, uniform; /* conditional branches that were executed; called uniform in that scope */
    unsigned diverged;          /* executed ones at which threads did diverge */
};

static inline bool uniform_branch(const struct ir_insn *i) {
    return (i->guard && (i->op == IR_BRA || i->op == IR_RET)) || i->op == IR_BRX || i->op == IR_CALL_IND;
}

/* False: why has the place of a branch that split its threads though it was called uniform. */
static inline bool uniform_check_module(const hd_module *mod, unsigned warp_size, struct uniform_count *n,
                                        struct sb *why) {
    if (!mod->branch) return true;
    uint8_t *varies = cfg_uniform(mod->ir, mod->cfg),
            bit = warp_size > 32 ? CFG_VARIES_BLOCK : CFG_VARIES_WARP;
    bool good = true;
    for (uint32_t pc = 0; pc < mod->ir->code.n; pc++) {
        if (!mod->branch[pc].executions) continue;
        n->branches += uniform_branch(&mod->ir->code.v[pc]);
        n->uniform += uniform_branch(&mod->ir->code.v[pc]) && !(varies[pc] & bit);
        n->diverged += mod->branch[pc].divergences > 0;
        if (!mod->branch[pc].divergences || varies[pc] & bit || mod->ir->code.v[pc].mods & IR_M_UNI) continue;
        sb_add(why, "%s:%" PRIu32 ": PC %" PRIu32 " was called uniform and diverged %" PRIu64 " times\n",
               mod->ir->name, mod->ir->code.v[pc].line, pc, mod->branch[pc].divergences);
        good = false;
    }
    free(varies);
    return good;
}

/* All modules of a device, if it runs a mechanism and a width of warps for which something is promised. */
static inline bool uniform_check(const hd_device *dev, struct uniform_count *n, struct sb *why) {
    const char *mech = options_mech(&dev->options, NULL)->name;
    bool good = true;
    if (strcmp(mech, "pdom") != 0 && strcmp(mech, "nrec") != 0 && strcmp(mech, "mp-basic") != 0) return true;
    for (const hd_module *mod = dev->modules; mod; mod = mod->next)
        good &= uniform_check_module(mod, (unsigned)dev->options.machine.sm.warp_size, n, why);
    return good;
}

#endif
