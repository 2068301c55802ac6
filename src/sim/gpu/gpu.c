/* The timed machine, and a launch on it: its SMs are made, the loop runs (gpu_loop.c), what it left in the caches is written
 * back, everything is counted. A launch ends when every block has ended and memory is quiet: writes on their way are part of
 * it. First-level caches are empty at the start of each launch (DWF 2.2). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/registers.h"
#include "sim/gpu/run.h"
#include "sim/observe/timeline.h"

struct gpu *gpu_new(const struct options *o, struct err *e) {
    struct mem *mem = mem_new(&o->memory, (uint32_t)o->gpu.sms, e);
    if (!mem) return NULL;
    struct gpu *g = xcalloc(1, sizeof *g);
    *g = (struct gpu){.options = o, .mem = mem};
    return g;
}

void gpu_free(struct gpu *g) {
    if (!g) return;
    mem_free(g->mem);
    for (uint32_t k = 0; k < g->nworkers; k++) sm_common_free(g->common[k]);
    xfree(g->common);
    xfree(g);
}

/* ---- counters ---- */

void gpu_sum(const struct gpu_run *r, struct sm_stats *s, struct mech_stats *m) {
    *s = (struct sm_stats){0};
    *m = (struct mech_stats){0};
    for (uint32_t i = 0; i < r->nsms; i++) {
        struct sm_stats one;
        struct mech_stats mech;
        sm_account(r->sm[i], r->gpu->now);
        sm_get_stats(r->sm[i], &one, &mech);
        sm_stats_join(s, &one);
        mech_stats_join(m, &mech);
        mech_own_join(m, &mech, sm_mech(r->sm[i])->ops->counters);
    }
}

uint64_t gpu_exited(const struct gpu_run *r) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->nsms; i++) n += sm_exited(r->sm[i]);
    return n;
}

/* ---- after the last block ---- */

static void gpu_settle(struct gpu_run *r) {
    struct gpu *g = r->gpu;
    const uint64_t *interval = &r->launch->series->interval;
    while (mem_settle(g->mem, g->now)) {
        uint64_t next = mem_run_next(g->mem);
        for (; *interval && next >= r->sampled + *interval; gpu_sample(r)) g->now = r->sampled + *interval;
        g->now = next;
    }
}

/* The launch ends with its caches emptied (DWF 2.2): what it left dirty there is its own traffic, and its own time. */
static void drain(struct gpu_run *r) {
    mem_flush(r->gpu->mem);
    gpu_settle(r);
    mem_flush_l2(r->gpu->mem);
    gpu_settle(r);
}

/* ---- a launch ---- */

static struct sm_env sm_env(struct gpu_run *r, uint32_t i) {
    const struct options *o = r->gpu->options;
    const struct gpu_launch *l = r->launch;
    struct sm_env env = {.index = i,
                         .sms = (uint32_t)o->gpu.sms,
                         .watchdog = (uint64_t)o->gpu.watchdog,
                         .options = &o->machine,
                         .mem_options = &o->memory,
                         .mem = r->gpu->mem,
                         .grid = &r->at[i].grid,
                         .module = gpu_module(l),
                         .form = l->form,
                         .cfg = l->form ? l->form->cfg : l->cfg,
                         .common = r->worker[0].common,
                         .mech = l->mech,
                         .mech_params = l->param,
                         .mech_tables = l->tables->v,
                         .branch = r->worker[0].branch,
                         .account = l->account,
                         .account_pc = l->form ? l->form->old_pc : NULL,
                         .thread_insts = r->thread_insts,
                         .observer = l->trace ? trace_observer(l->trace) : NULL,
                         .audit = o->run.audit};
    return env;
}

/* Each thread has tables of its own, kept from launch to launch. */
static void make_workers(struct gpu_run *r) {
    struct gpu *g = r->gpu;
    const uint32_t n = workers_size(r->launch->workers);
    if (n > g->nworkers) {
        g->common = xrealloc(g->common, n * sizeof(struct sm_common *));
        while (g->nworkers < n) g->common[g->nworkers++] = sm_common_new();
    }
    r->worker = xcalloc(n, sizeof *r->worker);
    for (; r->nworkers < n; r->nworkers++) {
        struct sm_common *c = g->common[r->nworkers];
        r->worker[r->nworkers] = (struct gpu_worker){c, sm_common_begin(c, gpu_module(r->launch))};
    }
}

/* SMs beyond the number of blocks would never be used; the memory system has their ports all the same. */
static bool make_sms(struct gpu_run *r, struct err *e) {
    uint64_t want = (uint64_t)r->gpu->options->gpu.sms;
    if (want > r->grid.blocks) want = r->grid.blocks;
    make_workers(r);
    r->list = xcalloc(want, sizeof *r->list);
    mem_use(r->gpu->mem, (uint32_t)want);
    r->sm = xcalloc(want, sizeof(struct sm *));
    gpu_wake_init(&r->wake, (uint32_t)want, r->gpu->now);
    r->at = xaligned(64, want * sizeof *r->at);
    r->deferred = xcalloc(want, sizeof(struct exec_deferred *));
    for (; r->nsms < want; r->nsms++) {
        struct sm_env env = sm_env(r, r->nsms);
        gpu_at_init(r, r->nsms);
        r->sm[r->nsms] = sm_new(&env, e);
        if (!r->sm[r->nsms]) return false;
    }
    return true;
}

bool gpu_refused(struct err *e) {
    if (e->code == ERR_INPUT || e->code == ERR_LIMIT) e->code = ERR_REFUSED;
    return false;
}

static void give_registers(struct gpu_run *r) {
    const struct registers_given given = registers_given(r->gpu->options->run.registers, r->grid.func->name);
    r->grid.registers = given.exact;
    r->grid.registers_most = given.most;
}

static bool gpu_prepare(const struct gpu_launch *l, struct mech_program program, struct err *e) {
    struct gpu_tables *t = l->tables;
    if (t->made) return true;
    t->made = mech_prepare(l->mech, l->param, program, &t->mem, &t->v, e);
    if (!t->made) arena_free(&t->mem);
    return t->made;
}

/* Refuses what cannot run, before anything has changed. */
static bool gpu_admit(struct gpu_run *r, struct gpu_stats *out, struct err *e) {
    const struct options *o = r->gpu->options;
    const struct gpu_launch *l = r->launch;
    const struct mech_program program = {.module = gpu_module(l),
                                         .cfg = l->form ? l->form->cfg : l->cfg,
                                         .func = l->exec->func,
                                         .warp_size = (uint32_t)o->machine.sm.warp_size,
                                         .simd_width = (uint32_t)o->machine.sm.simd_width};
    if (!mech_can_run(l->mech, l->module, l->cfg, l->exec->func, e) || !gpu_prepare(l, program, e))
        return gpu_refused(e);
    give_registers(r);
    if (!sm_fits(&o->machine, &r->grid, e)) return false;
    out->resident_blocks = sm_residency(&o->machine, &r->grid, &r->limiter);
    out->scheduler_threads =
        sm_scheduler_threads(&o->machine, &r->grid, (uint32_t)out->resident_blocks, (uint32_t)o->gpu.sms);
    if (r->grid.blocks <= out->resident_blocks * (uint64_t)o->gpu.sms) r->limiter = SM_BY_GRID;
    return true;
}

static bool want_thread_counts(struct gpu_run *r, struct err *e) {
    if (!r->launch->series->interval || !r->launch->series->threads) return true;
    uint64_t threads = exec_grid_threads(&r->grid);
    if (threads < r->launch->series->threads) threads = r->launch->series->threads;
    r->thread_insts = threads < SIZE_MAX / 16 ? try_pages(threads * sizeof *r->thread_insts) : NULL;
    return r->thread_insts ||
           err_set(e, ERR_MEMORY, "no memory to count the instructions of %" PRIu64 " threads", threads);
}

static void count_pcs(const struct gpu_run *r) {
    size_t n;
    for (uint32_t h = 1; h < r->nworkers; h++) sm_common_join(r->worker[0].common, r->worker[h].common);
    const uint32_t *pc = sm_common_met(r->worker[0].common, &n);
    for (size_t k = 0; k < n; k++) r->launch->count(r->launch->user, pc[k], &r->worker[0].branch[pc[k]]);
}

static void end_run(struct gpu_run *r, const struct mem_stats *before, struct stats *out) {
    struct sm_stats sm;
    struct mem_stats mem;
    if (r->launch->series->interval && r->gpu->now > r->sampled) gpu_sample(r);
    if (r->launch->trace) trace_launch_end(r->launch->trace, r->gpu->now);
    gpu_sum(r, &sm, &out->div);
    stats_set_sm(out, &sm);
    mem_get_stats(r->gpu->mem, &mem);
    mem_stats_since(&mem, before);
    stats_set_mem(out, &mem);
    count_pcs(r);
    out->exec.blocks = r->next_block;
    out->gpu.cycles = r->gpu->now - r->start;
    out->gpu.limited[r->limiter] = out->gpu.cycles != 0;
    memcpy(out->gpu.lockstep, r->lockstep, sizeof out->gpu.lockstep);
}

static void free_run(struct gpu_run *r) {
    for (uint32_t i = 0; i < r->nsms; i++) sm_free(r->sm[i]);
    for (uint32_t h = 0; h < r->nworkers; h++) sm_common_end(r->worker[h].common);
    xfree(r->worker);
    xfree(r->list);
    exec_looper_free(r->watchdog.looper);
    exec_joint_free(r->watchdog.joint);
    xfree(r->sm);
    gpu_wake_free(&r->wake);
    for (uint32_t i = 0; i < r->nsms; i++) {
        sb_free(&r->at[i].grid.note);
        err_free(&r->at[i].fault);
        exec_deferred_free(r->at[i].deferred);
    }
    gpu_windows_free(&r->windows);
    xfree(r->deferred);
    xfree(r->at);
    xfree(r->thread_insts);
    exec_grid_free(&r->grid);
}

/* Replaces the machine after a failed launch, which left requests and lines behind: the new one has empty caches and
 * counters. */
static bool renew(struct gpu *g, struct err *e) {
    struct mem *another = mem_new(&g->options->memory, (uint32_t)g->options->gpu.sms, e);
    if (!another) return false;
    mem_free(g->mem);
    g->mem = another;
    g->now = 0;
    g->failed = false;
    return true;
}

static void begin_trace(const struct gpu_run *r) {
    const struct gpu_launch *l = r->launch;
    const struct opt_sm *o = &r->gpu->options->machine.sm;
    const uint32_t width = mech_width(l->mech, l->param, (uint32_t)o->warp_size, (uint32_t)o->simd_width),
                   threads = r->grid.threads;
    const struct timeline_launch t = {.module = l->module,
                                      .form = l->form,
                                      .kernel = r->grid.func->name,
                                      .warp_size = width,
                                      .block_warps = (threads + width - 1) / width,
                                      .start = r->start,
                                      .mem = r->gpu->mem};
    trace_launch(l->trace, &t);
}

bool gpu_simulate(struct gpu *g, const struct gpu_launch *l, struct stats *out, struct err *e) {
    struct mem_stats before;
    if (g->failed && !renew(g, e)) return false;
    struct gpu_run r = {.gpu = g, .launch = l, .start = g->now, .checked = g->now, .sampled = g->now};
    for (size_t i = 0; i < l->nwarm; i++) mem_warm(g->mem, l->warm[i].addr, l->warm[i].bytes);
    mem_restart_stats(g->mem);
    mem_get_stats(g->mem, &before);
    bool good =
        exec_grid_init(&r.grid, l->exec, e) && gpu_admit(&r, &out->gpu, e) && want_thread_counts(&r, e);
    if (good) {
        if (l->trace) begin_trace(&r);
        good = make_sms(&r, e) && gpu_loop(&r, e);
        g->failed = !good;
        if (good) drain(&r);
        end_run(&r, &before, out);
    }
    free_run(&r);
    return good;
}
