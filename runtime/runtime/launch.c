/* Launches: the checks real hardware makes before a kernel starts, packing of arguments, running, and what a fault becomes. */
#include "runtime/runtime/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/module/module.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/log.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/progress.h"
#include "runtime/runtime/snapshot.h"
#include "runtime/runtime/stream.h"

enum { BLOCK_THREADS = 1024, BLOCK_Z = 64, GRID_YZ = 65535, SHARED_DEFAULT = 48 << 10 };
#define PS_PER_S 1000000000000.0

static int check_shape(const struct cu_geometry *g) {
    for (int i = 0; i < 3; i++)
        if (!g->grid[i] || !g->block[i] || g->block[i] > BLOCK_THREADS) return CU_InvalidConfiguration;
    if (g->grid[0] > INT32_MAX || g->grid[1] > GRID_YZ || g->grid[2] > GRID_YZ || g->block[2] > BLOCK_Z)
        return CU_InvalidConfiguration;
    if ((uint64_t)g->block[0] * g->block[1] * g->block[2] > BLOCK_THREADS) return CU_InvalidConfiguration;
    return CU_Success;
}

/* What the kernel says of its blocks: .maxntid bounds the product, .reqntid fixes each side. */
static int check_bounds(const struct CUfunc_st *f, const struct cu_geometry *g) {
    const uint32_t *max = f->info.max_threads, *required = f->info.required_threads;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    if (max[0] && threads > (uint64_t)max[0] * (max[1] ? max[1] : 1) * (max[2] ? max[2] : 1))
        return CU_LaunchOutOfResources;
    for (int i = 0; i < 3 && required[0]; i++)
        if (g->block[i] != (required[i] ? required[i] : 1)) return CU_InvalidConfiguration;
    return CU_Success;
}

/* All blocks of a cooperative launch run at once. */
static int check_cooperative(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g) {
    int blocks = 0,
        code = cu_occupancy(p, f, (int)(g->block[0] * g->block[1] * g->block[2]), g->shared, &blocks);
    if (code) return code;
    uint64_t most = (uint64_t)blocks * (uint64_t)p->machine.sms,
             wanted = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2];
    return wanted > most ? CU_CooperativeLaunchTooLarge : CU_Success;
}

int cu_check_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g) {
    int code = cu_function_ready(p, f);
    if (!code) code = check_shape(g);
    if (!code) code = check_bounds(f, g);
    if (code) return code;
    uint64_t limit = f->max_dynamic_shared < 0 ? SHARED_DEFAULT - (uint64_t)f->info.shared_bytes
                                               : (uint64_t)f->max_dynamic_shared;
    if (f->info.shared_bytes > SHARED_DEFAULT && f->max_dynamic_shared < 0) limit = 0;
    if (g->shared > limit) return CU_InvalidValue;
    return g->cooperative ? check_cooperative(p, f, g) : CU_Success;
}

void cu_pack_args(const struct CUfunc_st *f, void **args, void *packed) {
    for (size_t i = 0; i < f->info.nparams; i++)
        memcpy((char *)packed + f->info.params[i].offset, args[i], f->info.params[i].bytes);
}

static struct cu_kernel_op kernel_op(struct CUfunc_st *f, const struct cu_geometry *g, void *params) {
    struct cu_kernel_op op = {.function = f,
                              .shared = g->shared,
                              .cooperative = g->cooperative,
                              .params = params,
                              .param_bytes = f->info.param_bytes};
    memcpy(op.grid, g->grid, sizeof g->grid);
    memcpy(op.block, g->block, sizeof g->block);
    return op;
}

static int cu_launch_submit(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g,
                            void *params, struct CUstream_st *s) {
    struct cu_op op = {.kind = CU_OP_KERNEL, .u.kernel = kernel_op(f, g, params)};
    return cu_submit(p, s, &op);
}

/* A launch that is not even tried is in the log too. */
static int cu_launch_refuse(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g,
                            const struct CUstream_st *s, int code) {
    const struct cu_kernel_op op = kernel_op(f, g, NULL);
    p->launches++;
    cu_log_launch(p, s, &op,
                  &(struct cu_outcome){.timed = p->machine.timed, .code = code, .why = f->info.unsupported});
    return code;
}

int cu_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g, void **args,
              struct CUstream_st *s) {
    uint64_t small[64];
    int code = cu_check_launch(p, f, g);
    if (code) return cu_launch_refuse(p, f, g, s, code);
    if (f->info.nparams && !args) return CU_InvalidValue;
    void *packed = f->info.param_bytes <= sizeof small ? small : malloc(f->info.param_bytes);
    if (!packed) return CU_MemoryAllocation;
    memset(packed, 0, f->info.param_bytes);
    cu_pack_args(f, args, packed);
    code = cu_launch_submit(p, f, g, packed, s);
    if (packed != small) free(packed);
    return code;
}

int cu_launch_packed(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g,
                     const void *params, size_t bytes, struct CUstream_st *s) {
    int code = cu_check_launch(p, f, g);
    if (code) return cu_launch_refuse(p, f, g, s, code);
    if (bytes < f->info.param_bytes) return CU_InvalidValue;
    return cu_launch_submit(p, f, g, (void *)(uintptr_t)params, s);
}

/* What real hardware reports for a fault. */
static int fault_code(struct cu_process *p) {
    hd_fault_info info;
    if (hd_fault(p->dev, &info)) return CU_LaunchFailure;
    switch (info.kind) {
    case HD_FAULT_ADDRESS:
    case HD_FAULT_READONLY: return CU_IllegalAddress;
    case HD_FAULT_ALIGNMENT: return CU_MisalignedAddress;
    case HD_FAULT_STACK: return CU_HardwareStackError;
    case HD_FAULT_ASSERT: return CU_Assert;
    case HD_FAULT_DEADLOCK: return CU_LaunchTimeout;
    case HD_FAULT_CALL: return CU_InvalidPc;
    case HD_FAULT_BARRIER: return CU_IllegalInstruction;
    default: return CU_LaunchFailure; /* trap, texture, heap */
    }
}

/* Cycles of a timed launch; a functional one counts as if every lane were busy in every cycle. */
static uint64_t launch_time(struct cu_process *p, int timed) {
    double value = 0, hz = (double)p->machine.core_hz;
    if (hz <= 0) return 0;
    if (timed) {
        (void)hd_stat(p->dev, 0, "gpu.cycles", &value);
        return (uint64_t)(value / hz * PS_PER_S);
    }
    (void)hd_stat(p->dev, 0, "exec.thread_insts", &value);
    return (uint64_t)(value / (hz * p->machine.sms * p->machine.lanes) * PS_PER_S);
}

/* HEDDLE_TIMED names the launches to be timed, all others are functional then. */
static hd_mode mode_of(struct cu_process *p, const struct CUfunc_st *f) {
    if (!p->settings.nkernels) return HD_MODE_DEVICE;
    return cu_settings_timed(&p->settings, f->name, f->launches) ? HD_MODE_TIMED : HD_MODE_FUNCTIONAL;
}

/* The simulator's report goes to standard error behind what the kernel printed before it. */
static int cu_launch_report(struct cu_process *p, const struct cu_kernel_op *op, hd_status status) {
    const char *why = hd_error(p->dev);
    cu_flush_prints(p);
    fflush(stdout);
    if (status == HD_FAULT)
        fprintf(stderr, "heddle: %s\n", why); /* it names the kernel */
    else
        fprintf(stderr, "heddle: %s: %s\n", op->function->name, why);
    if (status == HD_FAULT) return fault_code(p);
    if (status == HD_LIMIT) return CU_LaunchTimeout;
    if (status == HD_MEMORY) return CU_LaunchOutOfResources;
    return status == HD_TOO_LARGE ? CU_CooperativeLaunchTooLarge : cu_status(status);
}

int cu_launch_run(struct cu_process *p, struct CUstream_st *s, const struct cu_kernel_op *op,
                  uint64_t *time) {
    hd_launch l = {.shared_bytes = (uint32_t)op->shared, .cooperative = op->cooperative};
    memcpy(l.grid, op->grid, sizeof l.grid);
    memcpy(l.block, op->block, sizeof l.block);
    cu_flush_prints(p);
    p->launches++;
    op->function->launches++;
    cu_snapshot(p, op);
    l.mode = mode_of(p, op->function);
    struct cu_outcome outcome = {1, l.mode == HD_MODE_DEVICE ? p->machine.timed : l.mode == HD_MODE_TIMED,
                                 CU_Success, NULL};
    cu_progress_begin(p, op);
    hd_status status = hd_run_packed(op->function->kernel, &l, op->params, op->param_bytes);
    cu_progress_end(p);
    if (status) {
        outcome.code = cu_launch_report(p, op, status);
        outcome.why = hd_error(p->dev);
    }
    *time = launch_time(p, outcome.timed);
    cu_log_launch(p, s, op, &outcome);
    if (status != HD_FAULT && status != HD_LIMIT) return outcome.code;
    p->failed = outcome.code; /* a launch is asynchronous: the next call tells */
    return CU_Success;
}
