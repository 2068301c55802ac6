/* The machine that a device's options describe, read back: for programs that ask what they run on, and for launches that
 * need to know how much of them fits on it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "sim/device/internal.h"
#include "sim/device/registers.h"

/* ---- what there is ---- */

static uint32_t device_machine_lanes(const struct sm_options *o) {
    const int64_t n = o->sm.simd_width * o->sm.schedulers / o->interval.fp32;
    return n ? (uint32_t)n : 1;
}

static uint64_t l2_bytes(const struct mem_options *o) {
    if (!o->l2.present) return 0;
    return (uint64_t)o->l2.sets * (uint64_t)o->l2.ways * (uint64_t)o->l2.line * (uint64_t)o->dram.channels;
}

static hd_device_info device_machine_describe(const hd_device *dev) {
    const struct options *o = &dev->options;
    const struct opt_sm *sm = &o->machine.sm;
    const bool timed = o->run.mode == RUN_TIMED;
    const uint32_t capability = (uint32_t)lround(o->gpu.capability * 10);
    return (hd_device_info){.name = o->file,
                            .mech = o->run.mech,
                            .timed = timed,
                            .sms = (uint32_t)o->gpu.sms,
                            .warp_size = EXEC_LANES,
                            .lanes = device_machine_lanes(&o->machine),
                            .max_threads_per_block = sm->threads < 1024 ? (uint32_t)sm->threads : 1024,
                            .max_threads_per_sm = (uint32_t)sm->threads,
                            .max_blocks_per_sm = (uint32_t)sm->blocks,
                            .registers_per_sm = (uint32_t)sm->registers,
                            .shared_per_sm = (uint32_t)sm->shared_bytes,
                            .shared_per_block = (uint32_t)(timed ? sm->shared_bytes : o->exec.shared_bytes),
                            .l2_bytes = l2_bytes(&o->memory),
                            .memory_bytes = o->mem.global_bytes,
                            .memory_used = exec_mem_used(dev->mem),
                            .constant_bytes = exec_constant_bytes(),
                            .heap_bytes = o->exec.heap_bytes,
                            .stack_bytes = o->exec.stack_bytes,
                            .core_mhz = o->memory.clock.core,
                            .memory_mhz = o->memory.clock.dram,
                            .bus_bits = (uint32_t)(o->memory.dram.channels * o->memory.dram.bus_bytes * 8),
                            .capability_major = capability / 10,
                            .capability_minor = capability % 10};
}

hd_status hd_device_get_info(const hd_device *dev, hd_device_info *info) {
    if (!dev || !dev->mem || dev->life->lost || !info) return HD_INVALID;
    *info = device_machine_describe(dev);
    return HD_OK;
}

static hd_status set_option(hd_device *dev, const char *key, const char *value) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!key || !value) return sim_refuse(dev, "hd_device_set: key and value must not be NULL");
    struct err e = {0};
    if (strncmp(key, "exec.", 5) != 0)
        return sim_refuse(dev, "hd_device_set: %s is for hd_device_open; only options of exec change later",
                          key);
    return options_set(&dev->options, key, value, OPTION_GIVEN, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_device_set(hd_device *dev, const char *key, const char *value) {
    SIM_CALL(dev, set_option(dev, key, value));
}

/* ---- what fits on it ---- */

static void device_machine_limits(const hd_kernel *k, uint32_t threads, uint32_t shared,
                                  struct sm_limit limit[SM_LIMITS]) {
    const struct options *o = &k->mod->dev->options;
    const struct ir_func *f = &k->mod->ir->funcs.v[k->func];
    const struct registers_given given = registers_given(o->run.registers, f->name);
    const struct exec_grid g = {.func = f,
                                .threads = threads,
                                .shared_bytes = f->shared_bytes + shared,
                                .registers = given.exact,
                                .registers_most = given.most};
    sm_limits(&o->machine, &g, limit);
}

void sim_limits(const hd_kernel *k, const hd_launch *l, struct sm_limit limit[SM_LIMITS]) {
    device_machine_limits(k, (uint32_t)extent_count(l->block), l->shared_bytes, limit);
}

static const struct sm_limit *device_machine_least(const struct sm_limit limit[SM_LIMITS]) {
    const struct sm_limit *found = limit;
    for (const struct sm_limit *l = limit; l < limit + SM_LIMITS; l++)
        if (l->blocks < found->blocks) found = l;
    return found;
}

static hd_status occupancy(const hd_kernel *k, uint32_t threads, uint32_t shared, uint32_t *blocks) {
    if (!k) return HD_INVALID;
    const hd_device *dev = k->mod->dev;
    if (!blocks) return sim_refuse(dev, "hd_occupancy: blocks must not be NULL");
    if (!threads || threads > 1024)
        return sim_refuse(dev, "hd_occupancy: a block has 1 to 1024 threads, not %" PRIu32, threads);
    if (shared > UINT32_MAX - k->info.shared_bytes)
        return sim_refuse(dev, "hd_occupancy: %" PRIu32 " bytes of shared memory are too many", shared);
    struct sm_limit limit[SM_LIMITS];
    device_machine_limits(k, threads, shared, limit);
    *blocks = (uint32_t)device_machine_least(limit)->blocks;
    return HD_OK;
}

hd_status hd_occupancy(const hd_kernel *k, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks) {
    SIM_CALL(k ? k->mod->dev : NULL, occupancy(k, threads, shared_bytes, blocks));
}

/* ---- cooperative launches ---- */

enum { WORKSPACE_BYTES = 256 };

/* The code that nvcc 13 makes of grid.sync() uses the word at 4: every block adds 1 to it, the first one 2^31 less what the
 * others add, and its top bit changes when all have come. It has to be 0 when a launch begins. */
static hd_status clear_workspace(hd_device *dev) {
    struct err e = {0};
    if (!dev->workspace &&
        !exec_mem_alloc(dev->mem, WORKSPACE_BYTES, 0, "cooperative workspace", &dev->workspace, &e))
        return sim_fail(dev, &e);
    memset(exec_mem_at(dev->mem, dev->workspace, WORKSPACE_BYTES), 0, WORKSPACE_BYTES);
    return HD_OK;
}

hd_status sim_cooperate(const hd_kernel *k, const hd_launch *l, struct exec_launch *x) {
    hd_device *dev = k->mod->dev;
    struct sm_limit limit[SM_LIMITS];
    sim_limits(k, l, limit);
    const struct sm_limit *by = device_machine_least(limit);
    const uint64_t sms = (uint64_t)dev->options.gpu.sms,
                   blocks = (uint64_t)x->grid[0] * x->grid[1] * x->grid[2];
    if (blocks / sms > by->blocks || (blocks / sms == by->blocks && blocks % sms)) {
        sim_refuse(dev,
                   "kernel %s: the %" PRIu64
                   " blocks of a cooperative launch do not fit the machine at once: "
                   "it has %" PRIu64 " SMs, and %s leaves room for %" PRIu64 " on each",
                   k->info.name, blocks, sms, by->key, by->blocks);
        return HD_TOO_LARGE;
    }
    hd_status s = clear_workspace(dev);
    x->cooperative = true;
    x->workspace = dev->workspace;
    return s;
}
