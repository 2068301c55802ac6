/* heddle explain: one warp (or block) of a kernel, step by step, with the mechanism's tables.
 *
 * The launch is a timed one like that of `run`, on a machine small enough to follow; a listener (explain_steps.c) turns the
 * commits of the chosen threads into text. The launch is given up once enough has been told. A program that fails is told
 * up to where it failed, then the error follows. */
#include "cli/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/machine.h"
#include "cli/program.h"
#include "sim/sim.h"

#define DEFAULT_CONFIG "tiny"
enum { DEFAULT_STEPS = 200, MOST_STEPS = 1000000 };

struct explain {
    struct cli *cli;
    struct program program;
    struct machine machine;
    uint64_t warp; /* of the block */
    bool whole;    /* all warps of it */
    struct explain_view view;
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    hd_arg *args;
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
               *config = opts_value(o, "config");
    const char *mech = o->operands.v[0], *file = o->operands.v[1];
    x->view.most = DEFAULT_STEPS;
    x->view.tables = opts_has(o, "all");
    x->view.every = x->view.tables || opts_has(o, "lanes");
    if (warp && !read_warp(x, warp, e)) return false;
    if (steps && !cli_number("--steps", steps, MOST_STEPS, &x->view.most, e)) return false;
    if (!x->view.most) return err_set(e, ERR_INPUT, "--steps: N is at least 1");
    if (!machine_read(&x->machine, config ? config : DEFAULT_CONFIG, o, e) ||
        !machine_choose(&x->machine, false, mech, e) || !machine_limit(&x->machine, o, e) ||
        !program_options(&x->program, x->cli, file, o, e))
        return false;
    x->program.before = mech;
    return true;
}

/* ---- the device ---- */

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.err);
}

static void log_message(void *user, hd_log_level level, const char *text) {
    const struct cli *c = user;
    if (level == HD_LOG_WARNING) term_warning(&c->term, c->command->name, text);
}

static int go_on(void *user, uint64_t done, uint64_t all) {
    const struct explain_view *v = user;
    (void)done, (void)all;
    return !v->more;
}

static bool prepare(struct explain *x, struct err *e) {
    struct program *p = &x->program;
    const hd_config config = machine_config(&x->machine);
    if (!lab_open(&config, &x->dev, e)) return false;
    hd_set_log(x->dev, log_message, x->cli);
    hd_set_print(x->dev, print_to_stderr, x->cli);
    hd_set_progress(x->dev, go_on, &x->view);
    hd_status s = hd_module_load(x->dev, p->file, p->text.text, p->text.len, &x->mod);
    if (!lab_check(x->dev, s, e) || !program_choose(p, x->dev, x->mod, &x->kernel, e)) return false;
    x->args = xcalloc(p->args.n + 1, sizeof *x->args);
    return lab_bind(x->dev, x->mod, p->lab_args, p->args.n, x->args, e) && program_contents(p, e) &&
           lab_fill(x->dev, p->lab_args, p->args.n, x->args, e);
}

static uint64_t product(const uint32_t d[3]) {
    uint64_t all;
    return __builtin_mul_overflow((uint64_t)d[0] * d[1], d[2], &all) ? UINT64_MAX : all;
}

/* The threads that were asked for, if the launch has them. A launch that is too large is for the library to refuse. */
static bool choose_threads(struct explain *x, struct err *e) {
    const hd_launch *l = &x->program.launch;
    const uint64_t blocks = product(l->grid), threads = product(l->block);
    const uint64_t width = (uint64_t)sim_options(x->dev)->machine.sm.warp_size;
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
    v->ir = sim_module_ir(x->mod);
    v->term = &x->cli->term;
    return true;
}

/* ---- what is told ---- */

static void heading(struct explain *x) {
    struct explain_view *v = &x->view;
    const struct options *o = sim_options(x->dev);
    const int64_t *params;
    const struct mech_ops *mech = options_mech(o, &params);
    sb_add(&v->out, "%s%s under %s (%s)%s on %s, block %" PRIu64, term_on(v->term, TERM_BOLD),
           x->program.info.name, mech->name, mech->title, term_on(v->term, TERM_PLAIN), o->file, v->block);
    if (!x->whole) sb_add(&v->out, ", warp %" PRIu64, x->warp);
    sb_add(&v->out, v->count == 1 ? ", thread %" PRIu32 : ", threads %" PRIu32, v->first);
    if (v->count > 1) sb_add(&v->out, "-%" PRIu32, v->first + v->count - 1);
    sb_add(&v->out, "\n");
    sb_add(&v->out, "%-12s%-9s%s\n", "cycles", "PCs", "lanes, block of code, instructions");
}

static bool tell(struct explain *x, struct err *e) {
    struct explain_view *v = &x->view;
    const struct watch w = {.commit = explain_commit, .commit_user = v};
    heading(x);
    sim_watch(x->dev, &w);
    hd_status s = hd_run(x->kernel, &x->program.launch, x->args, x->program.args.n);
    const bool fine = (s == HD_LIMIT && v->more) || lab_check(x->dev, s, e);
    explain_end(v);
    if (v->more) sb_add(&v->out, "... stopped after %" PRIu64 " steps: --steps N shows more\n", v->most);
    if (fine || v->steps) term_print(&x->cli->term, &v->out);
    return fine;
}

enum cli_exit explain_main(struct cli *c, const struct opts *o) {
    struct explain x = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!read_options(&x, o, &e))
        status = cli_usage(c, &e);
    else if (!program_read(&x.program, &e) || !prepare(&x, &e) || !choose_threads(&x, &e) || !tell(&x, &e))
        status = cli_fail(c, &e);
    hd_device_close(x.dev);
    program_free(&x.program);
    machine_free(&x.machine);
    explain_free(&x.view);
    free(x.args);
    err_free(&e);
    return status;
}
