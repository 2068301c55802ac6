/* Sampled timing. Launches of a kernel with the same grid, block and dynamic shared memory form one class when they execute about
 * the same number of thread instructions in every basic block (run.sample_distance). The first run.sample_timed of a class
 * are simulated; the last of these stands for the rest, which run functionally.
 *
 * The class must be known before it is decided how to run, so a launch runs functionally first. When it turns out to be of a
 * new class, memory is put back and it is simulated. A shape that was never seen needs no functional run: its counts are
 * those of the simulation itself, since threads execute the same instructions under every mechanism. Where they do not, as
 * in kernels that spin, no counts will agree with them, and the class of the next launch is one by functional counts.
 *
 * Always simulated: launches of modules that allocate memory in kernels, which cannot be put back, and those that fail in the
 * functional run, so that the report is the machine's. */
#include "sim/observe/sample.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/transfer.h"
#include "sim/device/internal.h"

struct sample_class {
    uint32_t func, grid[3], block[3], dynamic_shared;
    uint64_t *counts;  /* thread instructions by basic block of the module */
    uint64_t timed;    /* launches of the class that were simulated */
    struct stats last; /* counters of the last of them */
};

struct sample_classes {
    VEC(struct sample_class) v;
};

void sample_free(struct sample_classes *c) {
    for (size_t i = 0; c && i < c->v.n; i++) xfree(c->v.v[i].counts);
    if (c) xfree(c->v.v);
    xfree(c);
}

/* ---- estimates ---- */

/* True for counters of the launch itself, as opposed to what it executes. */
static bool is_of_launch(enum stat_id id) {
    switch (id) {
    case STAT_exec_launches:
    case STAT_exec_blocks:
    case STAT_exec_warps:
    case STAT_exec_threads:
    case STAT_gpu_estimated:
    case STAT_gpu_limited_threads:
    case STAT_gpu_limited_blocks:
    case STAT_gpu_limited_registers:
    case STAT_gpu_limited_shared:
    case STAT_gpu_limited_grid: return true;
    default: return false;
    }
}

static uint64_t observe_sample_scale(uint64_t v, uint64_t to, uint64_t from) {
    return to == from || !from ? v : (uint64_t)llround((double)v * ((double)to / (double)from));
}

void sample_scale(struct stats *one, uint64_t insts) {
    const uint64_t from = one->exec.thread_insts;
    for (int id = 0; id < STAT_COUNT; id++) {
        if (stat_rows[id].how != STAT_SUM || is_of_launch((enum stat_id)id)) continue;
        uint64_t v = observe_sample_scale(stats_exact(one, (enum stat_id)id), insts, from);
        memcpy((char *)one + stat_rows[id].offset, &v, sizeof v);
    }
    const struct mech_counter *own = one->mech ? one->mech->counters : NULL;
    for (size_t k = 0; own && own[k].key; k++)
        if (own[k].how == STAT_SUM) one->div.extra[k] = observe_sample_scale(one->div.extra[k], insts, from);
    one->exec.thread_insts = insts;
}

static void estimate(const struct sample_class *c, uint64_t insts, struct stats *s) {
    const uint64_t used = s->mem.used_bytes;
    *s = c->last;
    sample_scale(s, insts);
    s->mem.used_bytes = used;
    s->gpu.estimated = 1;
}

/* ---- classes ---- */

static bool same_shape(const struct sample_class *c, const struct exec_launch *x) {
    return c->func == x->func && c->dynamic_shared == x->dynamic_shared &&
           !memcmp(c->grid, x->grid, sizeof c->grid) && !memcmp(c->block, x->block, sizeof c->block);
}

static bool shape_is_known(const hd_module *mod, const struct exec_launch *x) {
    const struct sample_classes *all = mod->samples;
    for (size_t i = 0; all && i < all->v.n; i++)
        if (same_shape(&all->v.v[i], x)) return true;
    return false;
}

static double observe_sample_distance(const uint64_t *a, const uint64_t *b, size_t n) {
    uint64_t apart = 0, total_a = 0, total_b = 0;
    for (size_t i = 0; i < n; i++) {
        apart += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        total_a += a[i];
        total_b += b[i];
    }
    const uint64_t larger = stat_larger(total_a, total_b);
    return larger ? (double)apart / (double)larger : 0;
}

/* The nearest one that is near enough, the older of two; NULL: there is none. */
static struct sample_class *find_class(const hd_module *mod, const struct exec_launch *x,
                                       const uint64_t *counts) {
    const double most = mod->dev->options.run.sample_distance;
    struct sample_class *best = NULL;
    double least = 0;
    for (size_t i = 0; mod->samples && i < mod->samples->v.n; i++) {
        struct sample_class *c = &mod->samples->v.v[i];
        if (!same_shape(c, x)) continue;
        const double d = observe_sample_distance(c->counts, counts, mod->cfg->nblocks);
        if (d > most || (best && d >= least)) continue;
        best = c;
        least = d;
    }
    return best;
}

/* Takes the counts over. */
static void add_class(hd_module *mod, const struct exec_launch *x, uint64_t *counts, const struct stats *s) {
    struct sample_class c = {
        .func = x->func, .dynamic_shared = x->dynamic_shared, .counts = counts, .timed = 1, .last = *s};
    memcpy(c.grid, x->grid, sizeof c.grid);
    memcpy(c.block, x->block, sizeof c.block);
    if (!mod->samples) mod->samples = xcalloc(1, sizeof *mod->samples);
    VEC_PUSH(&mod->samples->v, c);
}

/* ---- counts by basic block ---- */

static uint64_t *counts_new(const hd_module *mod) {
    return xcalloc(mod->cfg->nblocks + 1, sizeof(uint64_t));
}

static uint64_t *functional_counts(const hd_module *mod, const uint64_t *lanes) {
    uint64_t *counts = counts_new(mod);
    for (size_t pc = 0; pc < mod->ir->code.n; pc++) counts[mod->ir->code.v[pc].block] += lanes[pc];
    return counts;
}

/* Thread instructions by block in all simulated launches of the module so far, less those in `before`. */
static uint64_t *timed_counts(const hd_module *mod, const uint64_t *before) {
    uint64_t *counts = counts_new(mod);
    for (size_t pc = 0; mod->branch && pc < mod->ir->code.n; pc++)
        counts[mod->ir->code.v[pc].block] += mod->branch[pc].lanes;
    for (size_t b = 0; before && b < mod->cfg->nblocks; b++) counts[b] -= before[b];
    return counts;
}

/* ---- launches ---- */

/* A shape that was not seen before: its class is by what the simulation executes. */
static bool run_first(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e) {
    uint64_t *before = timed_counts(k->mod, NULL);
    const bool good = sim_run_timed(k, x, s, e);
    if (good) add_class(k->mod, x, timed_counts(k->mod, before), s);
    xfree(before);
    return good;
}

/* A functional run before it is known whether it counts: what it prints is held back. */
struct trial {
    const struct exec_launch *launch;
    struct exec_stats executed;
    struct sb printed;
};

static void sample_hold(void *user, const char *text, size_t n) {
    struct trial *t = user;
    sb_addn(&t->printed, text, n);
}

static bool trial_progress(void *user, uint64_t done, uint64_t blocks, uint64_t insts) {
    const struct trial *t = user;
    return !t->launch->progress || t->launch->progress(t->launch->user, done, blocks, insts);
}

/* Counts by basic block, the caller's; NULL: it failed. */
static uint64_t *try_functional(const hd_module *mod, struct trial *t) {
    struct exec_launch f = *t->launch;
    struct err ignored = {0};
    f.lanes = xcalloc(mod->ir->code.n, sizeof *f.lanes);
    f.failure = NULL;
    f.print = sample_hold;
    f.progress = trial_progress;
    f.user = t;
    const bool good = exec_run(&f, &t->executed, &ignored);
    uint64_t *counts = good ? functional_counts(mod, f.lanes) : NULL;
    xfree(f.lanes);
    err_free(&ignored);
    return counts;
}

/* Simulates what has been tried; the launch joins the class, or is the first of one by these counts. */
static bool run_again(hd_kernel *k, const struct exec_launch *x, struct sample_class *class, uint64_t *counts,
                      struct stats *s, struct err *e) {
    if (!sim_run_timed(k, x, s, e)) return xfree(counts), false;
    if (!class && counts) return add_class(k->mod, x, counts, s), true;
    if (class) {
        class->timed++;
        class->last = *s;
    }
    xfree(counts);
    return true;
}

static void warn_once(const hd_device *dev) {
    if (dev->total.gpu.estimated) return;
    sim_log(dev, HD_LOG_WARNING,
            "run.sample: launches that repeat earlier ones are estimated, not simulated; cycles and "
            "statistics of time "
            "are approximate");
}

static bool run_known(hd_kernel *k, const struct exec_launch *x, struct exec_mem_copy *memory,
                      struct stats *s, struct err *e) {
    hd_device *dev = k->mod->dev;
    struct trial t = {.launch = x};
    uint64_t *counts = try_functional(k->mod, &t);
    struct sample_class *class = counts ? find_class(k->mod, x, counts) : NULL;
    bool good = true;
    if (class && class->timed >= (uint64_t)dev->options.run.sample_timed) {
        warn_once(dev);
        exec_mem_forget(memory);
        estimate(class, t.executed.thread_insts, s);
        if (t.printed.len) x->print(x->user, t.printed.text, t.printed.len);
        xfree(counts);
    } else {
        exec_mem_put_back(dev->mem, memory);
        good = run_again(k, x, class, counts, s, e);
    }
    sb_free(&t.printed);
    return good;
}

static bool allocates(const struct ir_module *m) {
    for (size_t pc = 0; pc < m->code.n; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        if (i->op == IR_SYS && (i->sub == IR_SYS_MALLOC || i->sub == IR_SYS_FREE)) return true;
    }
    return false;
}

/* What is recorded while a launch runs cannot be estimated. */
static bool is_watched(const hd_device *dev) {
    return dev->trace || dev->series.interval || dev->watch.profile;
}

bool sample_run(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e) {
    hd_device *dev = k->mod->dev;
    if (is_watched(dev))
        return err_set(e, ERR_INPUT,
                       "run.sample: a trace, a time series or a profile needs every launch simulated");
    if (allocates(k->mod->ir)) return sim_run_timed(k, x, s, e);
    if (!shape_is_known(k->mod, x)) return run_first(k, x, s, e);
    struct exec_mem_copy *memory = exec_mem_keep(dev->mem);
    return memory ? run_known(k, x, memory, s, e) : sim_run_timed(k, x, s, e);
}

/* ---- kept for another process ---- */

static void move_class(const hd_module *mod, struct sample_class *c, struct transfer *t) {
    TRANSFER(t, c->func);
    TRANSFER(t, c->grid);
    TRANSFER(t, c->block);
    TRANSFER(t, c->dynamic_shared);
    TRANSFER(t, c->timed);
    if (t->in) c->counts = counts_new(mod);
    transfer_bytes(t, c->counts, mod->cfg->nblocks * sizeof *c->counts);
    sim_move_stats(mod->dev, &c->last, t);
}

void sample_transfer(hd_module *mod, struct transfer *t) {
    const uint64_t n =
        transfer_count(t, mod->samples ? mod->samples->v.n : 0, UINT32_MAX, "the number of classes");
    if (t->in) {
        sample_free(mod->samples);
        mod->samples = n ? xcalloc(1, sizeof *mod->samples) : NULL;
    }
    for (uint64_t i = 0; i < n && transfer_good(t); i++) {
        if (t->in) VEC_PUSH(&mod->samples->v, (struct sample_class){0});
        move_class(mod, &mod->samples->v.v[i], t);
    }
}
