/* How many blocks of a launch an SM holds at once, and what keeps it from holding more. */
#include <inttypes.h>

#include "sm/impl.h"

static uint64_t residency_round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* What the launch says, or what is counted within the launch's and the kernel's bounds. */
static uint32_t thread_registers(const struct opt_sm *o, const struct exec_grid *g) {
    if (g->registers) return g->registers;
    uint32_t n = o->register_count == SM_COUNT_ROWS ? g->func->total_regs : g->func->total_compiled;
    if (g->registers_most && n > g->registers_most) n = g->registers_most;
    if (g->func->maxnreg && n > g->func->maxnreg) n = g->func->maxnreg;
    return n;
}

/* Registers are given to whole warps; threads are counted as they are. */
static uint64_t block_registers(const struct opt_sm *o, const struct exec_grid *g) {
    const uint64_t warps = ((uint64_t)g->threads + SM_LANES - 1) / SM_LANES;
    return warps *
           residency_round_up((uint64_t)thread_registers(o, g) * SM_LANES, (uint64_t)o->register_unit);
}

/* A scheduler has its part of the SM's threads (HARP Table 3: 768 each); a block larger than that is shared by warps. */
bool sm_whole_blocks(const struct opt_sm *o, const struct exec_grid *g) {
    return o->share == SM_SHARE_BLOCKS && g->threads <= (uint64_t)o->threads / (uint64_t)o->schedulers;
}

void sm_limits(const struct sm_options *o, const struct exec_grid *g, struct sm_limit l[SM_LIMITS]) {
    const struct opt_sm *sm = &o->sm;
    const uint64_t parts = sm_whole_blocks(sm, g) ? (uint64_t)sm->schedulers : 1;
    l[0] = (struct sm_limit){SM_BY_BLOCKS, "blocks", "sm.blocks", 1, (uint64_t)sm->blocks, 0};
    l[1] = (struct sm_limit){SM_BY_THREADS, "threads", "sm.threads", g->threads, (uint64_t)sm->threads, 0};
    l[2] = (struct sm_limit){
        SM_BY_REGISTERS, "registers", "sm.registers", block_registers(sm, g), (uint64_t)sm->registers, 0};
    l[3] = (struct sm_limit){SM_BY_SHARED,    "bytes of shared memory",   "sm.shared_bytes",
                             g->shared_bytes, (uint64_t)sm->shared_bytes, 0};
    for (struct sm_limit *x = l; x < l + SM_LIMITS; x++) {
        const uint64_t sharing = x->by == SM_BY_THREADS ? parts : 1;
        x->blocks = x->need ? x->have / sharing / x->need * sharing : UINT64_MAX;
    }
}

uint32_t sm_residency(const struct sm_options *o, const struct exec_grid *g, enum sm_limiter *limiter) {
    struct sm_limit limit[SM_LIMITS], *least = limit;
    sm_limits(o, g, limit);
    for (struct sm_limit *l = limit; l < limit + SM_LIMITS; l++)
        if (l->blocks < least->blocks) least = l;
    *limiter = least->by;
    return (uint32_t)least->blocks;
}

/* HARP Table 5: NW's launches of 128 and 127 blocks are four and three for each of 32 schedulers. */
uint64_t sm_scheduler_threads(const struct sm_options *o, const struct exec_grid *g, uint32_t resident,
                              uint32_t sms) {
    const uint64_t schedulers = (uint64_t)o->sm.schedulers,
                   whole = sm_whole_blocks(&o->sm, g) ? schedulers : 1;
    const uint64_t fit = (resident + whole - 1) / whole, share = g->blocks / (sms * whole);
    const uint64_t blocks = share < fit ? share : fit;
    return (blocks ? blocks : 1) * g->threads * whole / schedulers;
}

bool sm_fits(const struct sm_options *o, const struct exec_grid *g, struct err *e) {
    struct sm_limit limit[SM_LIMITS];
    sm_limits(o, g, limit);
    for (const struct sm_limit *l = limit; l < limit + SM_LIMITS; l++)
        if (l->need > l->have)
            return err_set(e, ERR_INPUT,
                           "kernel %s: not even one block of %" PRIu32
                           " threads fits on an SM: it needs %" PRIu64 " %s of %" PRIu64 " (%s)",
                           g->func->name, g->threads, l->need, l->unit, l->have, l->key);
    return true;
}
