/* How many blocks of a launch an SM holds at once, and what keeps it from holding more. */
#include "sm/impl.h"

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* Registers are given to whole warps; threads are counted as they are. */
static uint64_t block_registers(const struct opt_sm *o, const struct exec_grid *g) {
    const uint64_t warps = ((uint64_t)g->threads + SM_LANES - 1) / SM_LANES;
    return warps * round_up((uint64_t)g->func->total_regs * SM_LANES, (uint64_t)o->register_unit);
}

uint32_t sm_residency(const struct sm_options *options, const struct exec_grid *g, const char **limiter) {
    const struct opt_sm *o = &options->sm;
    const struct {
        const char *name;
        uint64_t need, have;
    } limit[] = {{"threads", g->threads, (uint64_t)o->threads},
                 {"registers", block_registers(o, g), (uint64_t)o->registers},
                 {"shared memory", g->shared_bytes, (uint64_t)o->shared_bytes}};
    uint64_t most = (uint64_t)o->blocks;
    *limiter = "blocks";
    for (size_t k = 0; k < sizeof limit / sizeof *limit; k++) {
        if (!limit[k].need || limit[k].have / limit[k].need >= most) continue;
        most = limit[k].have / limit[k].need;
        *limiter = limit[k].name;
    }
    return (uint32_t)most;
}
