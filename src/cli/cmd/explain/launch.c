/* The launch that is explained. A file's own may have thousands of threads, and a warp that is watched among them
 * mostly waits. So the grid is cut behind the block that is watched, and the block to a few warps. A block stays as it
 * is where its threads may depend on each other or on their number: with barriers, with shared memory, or where the
 * kernel fixes it. */
#include "cli/cmd/explain/explain.h"
#include "sim/sim.h"

enum { FEW_WARPS = 4, FEW_THREADS = 32 }; /* least size of a cut block: enough for warps to trade threads */

static bool has_barrier(const struct ir_module *m, uint32_t func) {
    bool *seen = xcalloc(m->funcs.n, sizeof *seen), found = false;
    ir_reach(m, func, seen);
    for (size_t f = 0; f < m->funcs.n; f++)
        for (uint32_t pc = m->funcs.v[f].entry; seen[f] && pc < m->funcs.v[f].end; pc++)
            found |= ir_ops[m->code.v[pc].op].cls == IR_C_BAR;
    xfree(seen);
    return found;
}

static bool block_matters(const hd_kernel *k, const hd_launch *l) {
    hd_kernel_info info;
    CHECK(hd_kernel_get_info(k, &info) == HD_OK);
    return info.required_threads[0] || info.shared_bytes || l->shared_bytes ||
           has_barrier(sim_module_ir(sim_kernel_module(k)), sim_kernel_func(k));
}

/* Drops what lies behind the first n: whole planes, then rows, then of the only row. */
static void explain_launch_cut(uint32_t dims[3], uint64_t n) {
    const uint64_t row = dims[0], plane = row * dims[1];
    const uint64_t planes = (n + plane - 1) / plane, rows = (n + row - 1) / row;
    if (planes < dims[2]) dims[2] = (uint32_t)planes;
    if (rows < dims[1]) dims[1] = (uint32_t)rows;
    if (n < row) dims[0] = (uint32_t)n;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t few_threads(const struct options *o, uint64_t warp) {
    const int64_t *params;
    const struct mech_ops *mech = options_mech(o, &params);
    const uint64_t machine = (uint64_t)o->machine.sm.warp_size,
                   width = mech_width(mech, params, (uint32_t)machine, (uint32_t)o->machine.sm.simd_width);
    return most(most(FEW_THREADS, FEW_WARPS * machine), most(1, warp + 1) * width);
}

static bool cut_on(hd_device *dev, const struct lab_program *p, const struct explain_cut *c, hd_launch *l,
                   struct err *e) {
    hd_module *mod;
    hd_kernel *k;
    if (!lab_load(dev, p, &mod, &k, e)) return false;
    if (c->grid) explain_launch_cut(l->grid, c->block + 1);
    if (c->threads && !block_matters(k, l))
        explain_launch_cut(l->block, few_threads(sim_options(dev), c->warp));
    return true;
}

bool explain_cut_launch(const struct lab_program *p, const hd_config *config, const struct explain_cut *c,
                        hd_launch *l, struct err *e) {
    hd_device *dev = NULL;
    const bool fine = lab_open(config, &dev, e) && cut_on(dev, p, c, l, e);
    hd_device_close(dev);
    return fine;
}
