/* Launches: dimensions against the limits of CUDA and of the kernel, then the executor or the timed machine. Arguments are in
 * arguments.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/device/checkpoint.h"
#include "sim/device/internal.h"
#include "sim/device/registers.h"
#include "sim/observe/sample.h"
#include "sim/observe/tape.h"

/* ---- dimensions ---- */

static bool check_extents(const char *what, const uint32_t dim[3], const uint32_t most[3], struct err *e) {
    for (int i = 0; i < 3; i++)
        if (dim[i] > most[i])
            return err_set(e, ERR_INPUT, "%s.%c is %" PRIu32 ", at most %" PRIu32 " is possible", what,
                           "xyz"[i], dim[i], most[i]);
    return true;
}

static uint64_t volume(const uint32_t dim[3]) {
    uint64_t v = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t n = dim[i] ? dim[i] : 1;
        if (n > UINT64_MAX / v) return UINT64_MAX;
        v *= n;
    }
    return v;
}

static bool check_block(const hd_kernel_info *info, const uint32_t block[3], struct err *e) {
    uint64_t threads = volume(block);
    if (threads > 1024)
        return err_set(e, ERR_INPUT, "a block of %" PRIu64 " threads: at most 1024 are possible", threads);
    const uint32_t *most = info->max_threads, *exact = info->required_threads;
    if ((most[0] || most[1] || most[2]) && threads > volume(most))
        return err_set(e, ERR_INPUT,
                       "kernel %s allows %" PRIu64 " threads a block (.maxntid), %" PRIu64 " given",
                       info->name, volume(most), threads);
    if (!exact[0] && !exact[1] && !exact[2]) return true;
    for (int i = 0; i < 3; i++)
        if (block[i] != (exact[i] ? exact[i] : 1))
            return err_set(e, ERR_INPUT,
                           "kernel %s requires a block.%c of %" PRIu32 " (.reqntid), %" PRIu32 " given",
                           info->name, "xyz"[i], exact[i] ? exact[i] : 1, block[i]);
    return true;
}

static bool is_timed(const hd_device *dev, const hd_launch *l) {
    return l->mode == HD_MODE_DEVICE ? dev->options.run.mode == RUN_TIMED : l->mode == HD_MODE_TIMED;
}

/* A timed launch is held to the SM it runs on when its residency is known. */
static bool check_shared(const hd_kernel *k, const hd_launch *l, struct err *e) {
    const uint64_t most = k->mod->dev->options.exec.shared_bytes;
    const uint32_t dynamic = l->shared_bytes;
    if (is_timed(k->mod->dev, l) || (uint64_t)k->info.shared_bytes + dynamic <= most) return true;
    return err_set(e, ERR_INPUT,
                   "kernel %s would use %" PRIu32 " bytes of static and %" PRIu32
                   " bytes of dynamic shared memory; exec.shared_bytes is %" PRIu64,
                   k->info.name, k->info.shared_bytes, dynamic, most);
}

static bool check_launch(const hd_kernel *k, const hd_launch *l, const struct exec_launch *x, struct err *e) {
    if ((unsigned)l->mode > HD_MODE_TIMED)
        return err_set(e, ERR_INPUT, "mode: %d is not an hd_mode", (int)l->mode);
    static const uint32_t most_grid[3] = {INT32_MAX, 65535, 65535}, most_block[3] = {1024, 1024, 64};
    return check_extents("grid", x->grid, most_grid, e) && check_extents("block", x->block, most_block, e) &&
           check_block(&k->info, x->block, e) && check_shared(k, l, e);
}

/* ---- the run ---- */

void sim_print(const hd_device *dev, const char *text, size_t n) {
    struct ledger_point *p = ledger_step_out();
    if (dev->print)
        dev->print(dev->print_user, text, n);
    else
        fwrite(text, 1, n, stdout);
    ledger_adopt(p);
}

static void on_print(void *user, const char *text, size_t n) {
    sim_printed(user, text, n);
    sim_print(user, text, n);
}

/* Warns about a launch that executes very long without ending a block, though no loop is proved. The warning depends on
 * the instructions executed, not on their time. */
static void lose_patience(hd_device *dev, uint64_t done, uint64_t blocks, uint64_t insts) {
    const uint64_t most = (uint64_t)dev->options.exec.warn_insts;
    if (done != dev->patience.done) {
        dev->patience.done = done;
        dev->patience.since = insts;
    }
    if (!most || dev->patience.warned || insts < dev->patience.since + most) return;
    dev->patience.warned = true;
    sim_log(dev, HD_LOG_WARNING,
            "no block has ended for %" PRIu64 " thread instructions (%" PRIu64 " of %" PRIu64
            " have ended). The launch may only take long, or never end in a way that is not proved; "
            "exec.max_insts and gpu.max_cycles would stop it, exec.warn_insts = 0 turns this warning off",
            insts - dev->patience.since, done, blocks);
}

static bool device_launch_on_progress(void *user, uint64_t done, uint64_t blocks, uint64_t insts) {
    hd_device *dev = user;
    lose_patience(dev, done, blocks, insts);
    if (!dev->progress) return true;
    struct ledger_point *p = ledger_step_out();
    const bool go_on = dev->progress(dev->progress_user, done, blocks) != 0;
    ledger_adopt(p);
    return go_on;
}

static struct exec_launch describe_launch(const hd_kernel *k, const hd_launch *l, const void *params) {
    hd_device *dev = k->mod->dev;
    memset(&dev->patience, 0, sizeof dev->patience);
    dev->failure = (struct exec_failure){0};
    dev->failed = k;
    struct exec_launch x = {.image = k->mod->image,
                            .func = k->func,
                            .dynamic_shared = l->shared_bytes,
                            .params = params,
                            .max_insts = l->max_insts ? l->max_insts : (uint64_t)dev->options.exec.max_insts,
                            .quantum = (uint64_t)dev->options.exec.quantum,
                            .stack_bytes = dev->options.exec.stack_bytes,
                            .local_bytes = k->info.local_bytes,
                            .heap_bytes = dev->options.exec.heap_bytes,
                            .grid_id = dev->launches,
                            .sms = (uint32_t)dev->options.gpu.sms,
                            .failure = &dev->failure,
                            .races = is_timed(dev, l) ? NULL : dev->races,
                            .print = on_print,
                            .progress = device_launch_on_progress,
                            .user = dev};
    if (dev->followed) {
        x.tape = &dev->followed->tape;
        x.plan = k->plan;
    }
    for (int i = 0; i < 3; i++) {
        x.grid[i] = l->grid[i] ? l->grid[i] : 1;
        x.block[i] = l->block[i] ? l->block[i] : 1;
    }
    return x;
}

/* What the timed machine counted by PC of what ran, in the executor's words; and the module's profile, which is by the PCs
 * of the program as loaded, grows by it. */
struct counted {
    hd_module *mod;
    const struct gpu_launch *l;
    struct exec_stats *s;
};

static void count_pc(void *user, uint32_t pc, const struct sm_branch *b) {
    const struct counted *to = user;
    const struct ir_insn *i = &gpu_module(to->l)->code.v[pc];
    if (!b->executions) return;
    exec_count(to->s, i, b->executions, b->lanes);
    if (i->flags & IR_F_ADDED) return;
    if (i->op == IR_BRA || i->op == IR_BRX) to->s->divergent_branches += b->divergences;
    sm_branch_add(&to->mod->branch[to->l->form ? to->l->form->old_pc[pc] : pc], b);
}

/* What the executor would have counted of the blocks that the machine started. */
static void describe_exec(struct stats *s, const struct exec_launch *l) {
    uint64_t threads = volume(l->block);
    s->exec.warps = s->exec.blocks * ((threads + 31) / 32);
    s->exec.threads = s->exec.blocks * threads;
    s->exec.barriers = s->sm.barriers;
}

bool sim_machine(hd_device *dev, struct err *e) {
    if (dev->gpu) return true;
    storage_free(&dev->storage);
    if (storage_find(&dev->options, &dev->storage, e)) dev->gpu = gpu_new(&dev->options, e);
    return dev->gpu != NULL;
}

/* The threads that work on a launch: as many as run.threads says, and no more than SMs. */
static struct workers *sim_workers(const hd_device *dev) {
    uint64_t n = (uint64_t)dev->options.run.threads;
    if (n > (uint64_t)dev->options.gpu.sms) n = (uint64_t)dev->options.gpu.sms;
    if (n > 1 && !dev->life->workers) dev->life->workers = workers_new((uint32_t)n);
    return dev->life->workers;
}

/* Classes of the instructions of a module, one bit each. They are found once, so that a launch does not cost a search
 * of its module. */
static uint32_t classes_of(hd_module *mod, const struct gpu_launch *l) {
    const struct ir_module *m = gpu_module(l);
    enum cfg_form f = CFG_FORM_NONE;
    while (l->form && mod->form[f] != l->form) f++;
    if (mod->classes[f]) return mod->classes[f];
    for (size_t pc = 0; pc < m->code.n; pc++) mod->classes[f] |= 1u << ir_ops[m->code.v[pc].op].cls;
    return mod->classes[f];
}

bool sim_run_timed(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e) {
    hd_device *dev = k->mod->dev;
    const struct options *o = &dev->options;
    if (!sim_machine(dev, e)) return false;
    if (dev->watch.profile && !k->mod->account) k->mod->account = account_new((uint32_t)k->mod->ir->code.n);
    struct exec_launch exec = *x;
    struct gpu_launch l = {.exec = &exec,
                           .module = k->mod->ir,
                           .cfg = k->mod->cfg,
                           .tables = &k->tables,
                           .number = dev->launches,
                           .account = dev->watch.profile ? k->mod->account : NULL,
                           .series = &dev->series,
                           .trace = dev->trace,
                           .workers = sim_workers(dev),
                           .warm = dev->warm.v,
                           .nwarm = dev->warm.n};
    l.mech = options_mech(o, &l.param);
    bool good = sim_form(k->mod, k->func, &l.form, e) || gpu_refused(e);
    if (l.form) {
        exec.form = l.form->m;
        exec.old_pc = l.form->old_pc;
    }
    l.classes = classes_of(k->mod, &l);
    if (!k->mod->branch) k->mod->branch = xcalloc(k->mod->ir->code.n, sizeof *k->mod->branch);
    struct counted to = {k->mod, &l, &s->exec};
    l.count = count_pc;
    l.user = &to;
    if (good) good = gpu_simulate(dev->gpu, &l, s, e);
    s->mech = l.mech;
    s->div.storage_bits = dev->storage.bits;
    describe_exec(s, x);
    return good;
}

static bool run_launch(hd_kernel *k, bool timed, const struct exec_launch *x, struct stats *s,
                       struct err *e) {
    hd_device *dev = k->mod->dev;
    s->mem.used_bytes = dev->followed ? dev->followed->used_bytes : exec_mem_used(dev->mem);
    sim_launch_begins(dev);
    const bool good = dev->recorder             ? sim_recorded_run(k, x, s, e)
                      : !timed                  ? exec_run(x, &s->exec, e)
                      : dev->options.run.sample ? sample_run(k, x, s, e)
                                                : sim_run_timed(k, x, s, e);
    s->exec.launches = 1;
    sim_launch_ended(dev, s, good);
    return good;
}

/* What was simulated by another process comes from a journal of it. */
static void journal_launch(hd_kernel *k, bool timed, const struct exec_launch *x) {
    hd_device *dev = k->mod->dev;
    const uint32_t shape[] = {x->grid[0],  x->grid[1],        x->grid[2], x->block[0],   x->block[1],
                              x->block[2], x->dynamic_shared, timed,      x->cooperative};
    sim_journal_input(dev, k->info.name, strlen(k->info.name));
    sim_journal_input(dev, shape, sizeof shape);
    sim_journal_input(dev, x->params, k->info.param_bytes);
}

static bool run_or_replay(hd_kernel *k, bool timed, const struct exec_launch *x, struct err *e) {
    hd_device *dev = k->mod->dev;
    struct stats s = {0};
    if (dev->journal) journal_launch(k, timed, x);
    bool good =
        dev->journal && sim_replaying(dev) ? sim_replay_launch(dev, &s, e) : run_launch(k, timed, x, &s, e);
    dev->warm.n = 0;
    dev->launches++;
    if (dev->races) sim_races_update(dev);
    dev->last = s;
    stats_join(&dev->total, &s);
    return good && (!dev->journal || sim_replay_ended(dev, e));
}

/* Just past a buffer is where programs reach that hardware lets pass. */
static void device_launch_advise(const hd_device *dev, struct err *e) {
    const struct exec_failure *f = &dev->failure;
    if (f->kind != EXEC_F_BOUNDS || !f->space || strcmp(f->space, "global") != 0) return;
    const uint64_t beyond = exec_mem_beyond(dev->mem, f->addr, f->bytes);
    if (beyond)
        sb_add(&e->text,
               "\n  (run.slack = %" PRIu64
               " would let it pass: buffers padded for programs that reach past their ends)",
               beyond);
}

hd_status sim_launch(hd_kernel *k, const hd_launch *l, const void *params) {
    hd_device *dev = k->mod->dev;
    struct exec_launch x = describe_launch(k, l, params);
    struct err e = {0};
    if (k->mod->ir->replays_only && !dev->followed)
        return sim_refuse(dev, "%s is machine code out of a trace: it has no values and can only be replayed",
                          k->info.name);
    if (!check_launch(k, l, &x, &e)) return sim_fail(dev, &e);
    if (l->cooperative) {
        hd_status s = sim_cooperate(k, l, &x);
        if (s) return s;
    }
    dev->running = true;
    sim_log(dev, HD_LOG_INFO, "%s: grid %ux%ux%u, block %ux%ux%u", k->info.name, x.grid[0], x.grid[1],
            x.grid[2], x.block[0], x.block[1], x.block[2]);
    bool good = run_or_replay(k, is_timed(dev, l), &x, &e);
    if (good)
        sim_log(dev, HD_LOG_INFO, "%s: %" PRIu64 " thread instructions", k->info.name,
                dev->last.exec.thread_insts);
    dev->running = false;
    if (!good) {
        device_launch_advise(dev, &e);
        return sim_fail(dev, &e);
    }
    err_free(&e);
    return HD_OK;
}

static hd_status run_args(hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs) {
    hd_status s = sim_ready(k ? k->mod->dev : NULL);
    if (s) return s;
    if ((s = sim_supported(k))) return s;
    hd_device *dev = k->mod->dev;
    if (!l) return sim_refuse(dev, "hd_run: l must not be NULL");
    if (nargs && !args) return sim_refuse(dev, "hd_run: args must not be NULL");
    uint8_t *block = xcalloc(1, k->info.param_bytes);
    struct err e = {0};
    s = sim_pack_args(k, args, nargs, block, &e) ? sim_launch(k, l, block) : sim_fail(dev, &e);
    xfree(block);
    return s;
}

hd_status hd_run(hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs) {
    SIM_CALL(k ? k->mod->dev : NULL, run_args(k, l, args, nargs));
}

static hd_status run_packed(hd_kernel *k, const hd_launch *l, const void *params, size_t bytes) {
    hd_status s = sim_ready(k ? k->mod->dev : NULL);
    if (s) return s;
    if ((s = sim_supported(k))) return s;
    hd_device *dev = k->mod->dev;
    if (!l) return sim_refuse(dev, "hd_run_packed: l must not be NULL");
    if (bytes != k->info.param_bytes)
        return sim_refuse(dev, "kernel %s takes %" PRIu32 " bytes of arguments, %zu given", k->info.name,
                          k->info.param_bytes, bytes);
    if (bytes && !params) return sim_refuse(dev, "hd_run_packed: params must not be NULL");
    return sim_launch(k, l, params);
}

hd_status hd_run_packed(hd_kernel *k, const hd_launch *l, const void *params, size_t bytes) {
    SIM_CALL(k ? k->mod->dev : NULL, run_packed(k, l, params, bytes));
}
