/* heddle explain: one warp (or block) of a kernel, step by step, with the mechanism's tables.
 *
 * The run is a timed one like that of `run`, on a machine small enough to follow; a listener (explain_steps.c) turns the
 * commits of the chosen threads of the chosen launch into text. The run is given up once enough has been told. A program that
 * fails is told up to where it failed, then the error follows. */
#include "cli/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/machine.h"
#include "cli/subject.h"
#include "sim/sim.h"

#define DEFAULT_CONFIG "tiny"
enum { DEFAULT_STEPS = 200, MOST_STEPS = 1000000 };

struct explain {
    struct cli *cli;
    struct subject subject;
    struct machine machine;
    const char *kernel; /* of the launch that is told, of a workload; NULL: any */
    uint64_t launch;    /* which one, of those of that kernel */
    uint64_t warp;      /* of the block */
    bool whole;         /* all warps of it */
    struct explain_view view;
    /* of the simulation */
    hd_device *dev;
    uint64_t launches; /* so far */
    uint64_t passed;   /* of these, of that kernel */
    bool begun, ended; /* the one that is told */
    struct err wrong;  /* that launch has no such threads */
};

/* ---- options ---- */

/* [BLOCK:]N or [BLOCK:]all */
static bool read_warp(struct explain *x, const char *text, struct err *e) {
    const char *colon = strchr(text, ':');
    if (colon && !arg_number(text, (size_t)(colon - text), IR_T_U64, "--warp: BLOCK", &x->view.block, e))
        return false;
    const char *warp = colon ? colon + 1 : text;
    x->whole = !strcmp(warp, "all");
    return x->whole || cli_number("--warp", warp, UINT32_MAX, &x->warp, e);
}

static bool read_options(struct explain *x, const struct opts *o, struct err *e) {
    const char *warp = opts_value(o, "warp"), *steps = opts_value(o, "steps"),
               *config = opts_value(o, "config"), *launch = opts_value(o, "launch");
    const char *mech = o->operands.v[0], *operand = o->operands.v[1];
    x->view.most = DEFAULT_STEPS;
    x->view.tables = opts_has(o, "all");
    x->view.every = x->view.tables || opts_has(o, "lanes");
    if (warp && !read_warp(x, warp, e)) return false;
    if (steps && !cli_number("--steps", steps, MOST_STEPS, &x->view.most, e)) return false;
    if (!x->view.most) return err_set(e, ERR_INPUT, "--steps: N is at least 1");
    if (launch && !cli_number("--launch", launch, UINT64_MAX, &x->launch, e)) return false;
    if (!machine_read(&x->machine, config ? config : DEFAULT_CONFIG, o, e) ||
        !machine_choose(&x->machine, false, mech, e) || !machine_limit(&x->machine, o, e) ||
        !subject_options(&x->subject, x->cli, operand, WORK_TINY, o, e) ||
        !subject_check(&x->subject, 1, true, o, e))
        return false;
    if (x->subject.workload) x->kernel = opts_value(o, "kernel");
    x->subject.program.before = mech;
    return true;
}

/* ---- the device ---- */

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.err);
}

static int go_on(void *user, uint64_t done, uint64_t all) {
    const struct explain *x = user;
    (void)done, (void)all;
    return !x->view.more && !x->ended && !x->wrong.code;
}

static void on_opened(void *user, hd_device *dev) {
    struct explain *x = user;
    x->dev = dev;
    hd_set_print(dev, print_to_stderr, x->cli);
    hd_set_progress(dev, go_on, x);
}

/* The threads that were asked for, if the launch has them. A launch that is too large is for the library to refuse. */
static bool choose_threads(struct explain *x, const hd_launch *l, struct err *e) {
    const uint64_t blocks = extent_count(l->grid), threads = extent_count(l->block);
    const struct opt_sm *sm = &sim_options(x->dev)->machine.sm;
    const int64_t *params;
    const struct mech_ops *mech = options_mech(sim_options(x->dev), &params);
    const uint64_t width = mech_width(mech, params, (uint32_t)sm->warp_size, (uint32_t)sm->simd_width);
    struct explain_view *v = &x->view;
    if (v->block >= blocks)
        return err_set(e, ERR_INPUT,
                       "--warp: there is no block %" PRIu64 " (the grid has %" PRIu64 ", counted from 0)",
                       v->block, blocks);
    const uint64_t warps = threads / width + (threads % width != 0);
    if (!x->whole && x->warp >= warps)
        return err_set(e, ERR_INPUT,
                       "--warp: there is no warp %" PRIu64 " (a block has %" PRIu64 " of %" PRIu64
                       " threads, counted from 0)",
                       x->warp, warps, width);
    const uint64_t first = x->whole ? 0 : x->warp * width, left = threads - first;
    v->width = (uint32_t)width;
    v->first = (uint32_t)first;
    v->count = (uint32_t)(x->whole || left < width ? left : width);
    return true;
}

/* ---- what is told ---- */

static void heading(struct explain *x, const char *kernel) {
    struct explain_view *v = &x->view;
    const struct options *o = sim_options(x->dev);
    const int64_t *params;
    const struct mech_ops *mech = options_mech(o, &params);
    sb_add(&v->out, "%s%s under %s (%s)%s on %s, ", term_on(v->term, TERM_BOLD), kernel, mech->name,
           mech->title, term_on(v->term, TERM_PLAIN), o->file);
    if (x->subject.workload)
        sb_add(&v->out, "@%s %s, launch %" PRIu64 ", ", x->subject.workload->name,
               work_size_names[x->subject.size], x->launches - 1);
    sb_add(&v->out, "block %" PRIu64, v->block);
    if (!x->whole) sb_add(&v->out, ", warp %" PRIu64, x->warp);
    sb_add(&v->out, v->count == 1 ? ", thread %" PRIu32 : ", threads %" PRIu32, v->first);
    if (v->count > 1) sb_add(&v->out, "-%" PRIu32, v->first + v->count - 1);
    sb_add(&v->out, "\n");
    sb_add(&v->out, "%-12s%-9s%s\n", "cycles", "PCs", "lanes, block of code, instructions");
}

static void before_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct explain *x = user;
    const struct watch w = {.commit = explain_commit, .commit_user = &x->view};
    hd_kernel_info info;
    CHECK(hd_kernel_get_info(k, &info) == HD_OK);
    x->launches++;
    if (x->begun || (x->kernel && strcmp(x->kernel, info.name) != 0) || x->passed++ < x->launch) return;
    x->begun = true;
    hd_module *mod = sim_kernel_module(k);
    const struct rewrite *form;
    struct err none = {0}; /* the launch will say what it is */
    x->view.form = sim_form(mod, sim_kernel_func(k), &form, &none) ? form : NULL;
    x->view.program = sim_module_ir(mod);
    x->view.ir = x->view.form ? x->view.form->m : x->view.program;
    err_free(&none);
    if (!choose_threads(x, l, &x->wrong)) return;
    heading(x, info.name);
    sim_watch(x->dev, &w);
}

static void after_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct explain *x = user;
    (void)k, (void)l;
    x->ended = x->begun;
    if (x->ended) sim_watch(x->dev, NULL);
}

static void on_closing(void *user, hd_device *dev) {
    struct explain *x = user;
    struct explain_view *v = &x->view;
    (void)dev;
    explain_end(v);
    if (v->more) sb_add(&v->out, "... stopped after %" PRIu64 " steps: --steps N shows more\n", v->most);
}

static bool no_such_launch(const struct explain *x, struct err *e) {
    const char *name = x->subject.workload->name, *kernel = x->kernel;
    if (kernel && !x->passed)
        return err_set(e, ERR_INPUT, "@%s launches no kernel %.60s; 'heddle inspect @%s' shows them", name,
                       kernel, name);
    return err_set(e, ERR_INPUT,
                   "--launch: there is no launch %" PRIu64 "%s%.60s (@%s has %" PRIu64 ", counted from 0)",
                   x->launch, kernel ? " of " : "", kernel ? kernel : "", name, x->passed);
}

/* Stopped because all was told, it did not fail. */
static bool verdict(struct explain *x, const struct lab_outcome *out, struct err *e) {
    if (x->wrong.code) return err_set(e, x->wrong.code, "%s", err_text(&x->wrong));
    if (out->err.code && !(out->err.code == ERR_LIMIT && (x->view.more || x->ended)))
        return err_set(e, out->err.code, "%s", err_text(&out->err));
    return x->begun || no_such_launch(x, e);
}

static bool run_and_print(struct explain *x, struct err *e) {
    struct explain_view *v = &x->view;
    const hd_config config = machine_config(&x->machine);
    const struct lab_hooks hooks = {.opened = on_opened,
                                    .before = before_launch,
                                    .after = after_launch,
                                    .closing = on_closing,
                                    .user = x,
                                    .no_digest = true};
    struct lab_outcome out;
    v->term = &x->cli->term;
    if (!subject_prepare(&x->subject, &config, e)) return false;
    lab_run(&x->subject.lab, &config, &hooks, &out);
    const bool fine = verdict(x, &out, e);
    if (fine || v->steps) term_print(&x->cli->term, &v->out);
    lab_outcome_free(&out);
    return fine;
}

enum cli_exit explain_main(struct cli *c, const struct opts *o) {
    struct explain x = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!read_options(&x, o, &e))
        status = cli_usage(c, &e);
    else if (!subject_read(&x.subject, &e) || !run_and_print(&x, &e))
        status = cli_fail(c, &e);
    subject_free(&x.subject);
    machine_free(&x.machine);
    explain_free(&x.view);
    err_free(&x.wrong);
    err_free(&e);
    return status;
}
