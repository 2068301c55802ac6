/* main on the scalar core. A launch stops the core; the function it names runs on the device, with the device's time, on the
 * same memory; then the core goes on. */
#include "sim/riscv_host/main.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/warp.h"
#include "front/riscv/riscv.h"
#include "sim/device/internal.h"
#include "sim/riscv_host/host.h"
#include "sim/riscv_host/linux.h"

bool sim_has_main(const hd_module *mod) {
    return mod->ir->binary;
}

/* What heddle_spmd.h passes to a launch. */
struct request {
    uint64_t function;
    uint32_t grid[3], block[3];
    uint64_t shared, args[8];
};

/* Registers of the ABI: ra is 0, where returns of threads go. */
enum { SP = IR_RV_SP, GP = 3, TP = 4, A0 = 10 };

static hd_kernel *kernel_at(hd_module *mod, uint64_t addr) {
    const uint32_t pc = ir_binary_pc(mod->ir->binary, addr);
    for (size_t k = 0; pc != IR_NOPC && k < mod->nkernels; k++)
        if (mod->ir->funcs.v[mod->kernels[k].func].entry == pc) return &mod->kernels[k];
    return NULL;
}

/* A launch that main asks for. */
struct wanted {
    hd_kernel *kernel; /* NULL: none, main has ended */
    hd_launch launch;
    uint64_t regs[RISCV_PARAM_BYTES / 8];
};

static bool read_request(hd_module *mod, struct linux *x, struct wanted *w, struct err *e) {
    uint64_t *result;
    const uint64_t at = exec_core_launch(x->core, &result);
    const struct request *r = linux_bytes(x, at, sizeof *r);
    if (!r) return exec_core_fail(x->core, e, "a launch that is not described");
    w->kernel = kernel_at(mod, r->function);
    if (!w->kernel)
        return exec_core_fail(x->core, e, "a launch of a function that is not declared SPMD_KERNEL");
    if (r->shared > UINT32_MAX) return exec_core_fail(x->core, e, "a launch with too much shared memory");
    w->launch = (hd_launch){.shared_bytes = (uint32_t)r->shared};
    memcpy(w->launch.grid, r->grid, sizeof r->grid);
    memcpy(w->launch.block, r->block, sizeof r->block);
    w->regs[SP] = EXEC_WIN_LOCAL + mod->ir->funcs.v[w->kernel->func].frame_bytes;
    w->regs[GP] = *exec_core_register(x->core, GP);
    w->regs[TP] = *exec_core_register(x->core, TP);
    memcpy(&w->regs[A0], r->args, sizeof r->args);
    *result = 0;
    return true;
}

/* To the next launch, or to the end. */
static bool host_main_go_on(hd_module *mod, struct linux *x, struct wanted *w, struct err *e) {
    const uint64_t most = x->main->max_insts ? x->main->max_insts : UINT64_MAX;
    *w = (struct wanted){0};
    while (!x->ended) {
        switch (exec_core_run(x->core, most, e)) {
        case EXEC_CORE_CALL: linux_call(x); break;
        case EXEC_CORE_LAUNCH: host_waits(x->host); return read_request(mod, x, w, e);
        case EXEC_CORE_ENDED: x->ended = true; break;
        case EXEC_CORE_FAILED: return false;
        }
        if (x->why) return exec_core_fail(x->core, e, x->why);
    }
    return true;
}

/* ---- calls on the device; between them, launches are calls of their own ---- */

static hd_status host_main_begin(hd_module *mod, struct linux *x) {
    struct err e = {0};
    hd_status s = sim_ready(mod->dev);
    if (s) return s;
    if (!x->binary) return sim_refuse(mod->dev, "%s is no program with a main", mod->ir->name);
    const bool good = (x->core = exec_core_new(mod->image, &e)) && linux_begin(x, &e);
    if (good) x->host = host_new(&mod->dev->options, mod->ir, x->core);
    return good ? HD_OK : sim_fail(mod->dev, &e);
}

static hd_status begin_call(hd_module *mod, struct linux *x) {
    SIM_CALL(mod->dev, host_main_begin(mod, x));
}

static hd_status host_main_go(hd_module *mod, struct linux *x, struct wanted *w) {
    struct err e = {0};
    return host_main_go_on(mod, x, w, &e) ? HD_OK : sim_fail(mod->dev, &e);
}

static hd_status go_call(hd_module *mod, struct linux *x, struct wanted *w) {
    SIM_CALL(mod->dev, host_main_go(mod, x, w));
}

static hd_status host_main_end(hd_module *mod, struct linux *x) {
    struct stats s = {0};
    host_stats(x->host, &s.cpu);
    stats_join(&mod->dev->total, &s);
    host_free(x->host);
    if (x->core) x->main->insts = exec_core_insts(x->core);
    x->main->status = x->status;
    linux_end(x);
    exec_core_free(x->core);
    return HD_OK;
}

static hd_status end_call(hd_module *mod, struct linux *x) {
    SIM_CALL(mod->dev, host_main_end(mod, x));
}

hd_status sim_main_run(hd_module *mod, struct sim_main *m) {
    struct linux x = {
        .mem = mod->dev->mem, .binary = mod->ir->binary, .main = m, .rule = {.folder = -1}, .random = 1};
    struct wanted w = {0};
    m->output = HASH_START;
    hd_status s = begin_call(mod, &x);
    while (!s && !m->stopped && !(s = go_call(mod, &x, &w)) && w.kernel) {
        const hd_arg arg = hd_arg_bytes(w.regs, sizeof w.regs);
        m->stopped = !m->launch(m->user, w.kernel, &w.launch, &arg, 1);
    }
    const hd_status ended = end_call(mod, &x);
    return s ? s : ended;
}
