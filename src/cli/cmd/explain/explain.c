/* heddle explain: one warp (or block) of a kernel, step by step, with the mechanism's tables.
 *
 * The run is a timed one like that of `run`, on a machine small enough to follow; a listener (steps.c) turns the
 * commits of the chosen threads of the chosen launch into steps, which are printed as they come. The run is given up once
 * enough has been told or the threads have exited. A program that fails is told up to where it failed, then the error
 * follows. */
#include "cli/cmd/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cmd/explain/page.h"
#include "cli/page_about.h"
#include "lab/run/mech_choice.h"
#include "page/page.h"
#include "sim/sim.h"
#include "subject/machine.h"
#include "subject/subject.h"
#include "value/demangle.h"

#define DEFAULT_CONFIG "tiny"
enum { DEFAULT_STEPS = 200, PAGE_STEPS = 2000, MOST_STEPS = 1000000 };
enum { PAGE_BYTES = 1400000 }; /* bytes of steps: with the scripts and the program a page stays below 2 MB */

struct explain {
    struct cli *cli;
    struct subject subject;
    const char *kernel; /* kernel of the launch that is explained, of a workload; NULL: any */
    uint64_t launch;    /* which one, of those of that kernel */
    uint64_t block, warp;
    bool whole;     /* all warps of the block */
    bool was_cut;   /* the launch was cut */
    hd_launch full; /* the launch before it was cut */
    uint64_t most;  /* steps */
    bool every, all_tables;
    const char *html; /* the page's file; NULL: text */
    struct explain_page page;
    struct arena mem;
    VEC(struct explain_run) runs; /* one for each mechanism */
};

/* The simulation under one mechanism. */
struct explain_run {
    struct explain *x;
    const char *name; /* name of the mechanism, as it was given */
    struct machine machine;
    struct explain_view view;
    struct explain_record record;
    hd_device *dev;
    hd_module *mod; /* module of the launch that is explained */
    const struct mech_ops *mech;
    struct sb what;     /* kernel and threads */
    uint64_t launches;  /* so far */
    uint64_t passed;    /* launches so far of the kernel that is explained */
    bool begun, ended;  /* the one that is told */
    const char *kernel; /* its, readable */
    struct err wrong;   /* why that launch has no such threads */
};

/* ---- options ---- */

/* [BLOCK:]N or [BLOCK:]all */
static bool read_warp(struct explain *x, const char *text, struct err *e) {
    const char *colon = strchr(text, ':');
    if (colon && !arg_number(text, (size_t)(colon - text), IR_T_U64, "--warp: BLOCK", &x->block, e))
        return false;
    const char *warp = colon ? colon + 1 : text;
    x->whole = !strcmp(warp, "all");
    return x->whole || cli_number("--warp", warp, UINT32_MAX, &x->warp, e);
}

/* One of the mechanisms: a machine of its own. */
static bool add_run(struct explain *x, const char *mech, const struct opts *o, struct err *e) {
    const char *config = opts_value(o, "config");
    VEC_PUSH(&x->runs, (struct explain_run){.name = mech});
    struct machine *m = &x->runs.v[x->runs.n - 1].machine;
    return machine_read(m, config ? config : DEFAULT_CONFIG, o, e) && machine_choose(m, false, mech, e) &&
           machine_limit(m, o, e);
}

/* "pdom,dwf:scheduler=majority,mp" */
static bool read_mechanisms(struct explain *x, const char *text, const struct opts *o, struct err *e) {
    for (;;) {
        const size_t n = strcspn(text, ",");
        if (!add_run(x, mech_choice_spelling(arena_strndup(&x->mem, text, n), &x->mem), o, e)) return false;
        if (!text[n]) return true;
        text += n + 1;
    }
}

/* Whether it begins with one; if not, e says what was meant. */
static bool is_mechanism(const char *text, struct arena *mem, struct err *e) {
    struct mech_choice choice;
    return mech_choice_read(arena_strndup(mem, text, strcspn(text, ":,")), mem, &choice, e);
}

/* One of the two operands is missing, or they are in the other order: the line that was probably meant. */
static bool check_operands(struct explain *x, const struct opts *o, struct err *e) {
    const char *first = o->operands.v[0], *second = o->operands.n > 1 ? o->operands.v[1] : NULL;
    struct err unknown = {0};
    const bool mech = is_mechanism(first, &x->mem, e),
               swapped = !mech && second && is_mechanism(second, &x->mem, &unknown);
    err_free(&unknown);
    if (!second && mech)
        return err_set(
            e, ERR_INPUT,
            "a program is missing, FILE or @NAME, as in\n  heddle explain %.60s examples/diamond.ptx"
            "\n  heddle explain %.60s @bfs",
            first, first);
    if (!second && !cli_names_program(first)) return false;
    if (!second)
        return err_set(e, ERR_INPUT, "a mechanism is missing, as in\n  heddle explain pdom %.200s", first);
    if (swapped)
        return err_set(e, ERR_INPUT, "the mechanism comes first:\n  heddle explain %.60s %.200s", second,
                       first);
    return mech;
}

static bool explain_read_options(struct explain *x, const struct opts *o, struct err *e) {
    if (!check_operands(x, o, e)) return false;
    const char *warp = opts_value(o, "warp"), *steps = opts_value(o, "steps"),
               *launch = opts_value(o, "launch");
    const char *mech = o->operands.v[0], *operand = o->operands.v[1];
    x->html = opts_value(o, "html");
    x->most = x->html ? PAGE_STEPS : DEFAULT_STEPS;
    x->all_tables = opts_has(o, "all");
    x->every = x->all_tables || opts_has(o, "lanes");
    if (warp && !read_warp(x, warp, e)) return false;
    if (steps && !cli_number("--steps", steps, MOST_STEPS, &x->most, e)) return false;
    if (!x->most) return err_set(e, ERR_INPUT, "--steps: N is at least 1");
    if (launch && !cli_number("--launch", launch, UINT64_MAX, &x->launch, e)) return false;
    if (!read_mechanisms(x, mech, o, e) || !subject_options(&x->subject, x->cli, operand, WORK_TINY, o, e) ||
        !subject_check(&x->subject, 1, true, o, e))
        return false;
    if (x->subject.workload) x->kernel = opts_value(o, "kernel");
    x->subject.program.before = mech;
    machine_warn_unused(x->cli, o, mech);
    return true;
}

/* ---- the launch ---- */

/* Under all mechanisms the same: the largest of what each asks for. */
static bool cut_launch(struct explain *x, const struct opts *o, struct err *e) {
    struct lab_program *p = &x->subject.program.lab;
    const struct explain_cut c = {
        .grid = !opts_has(o, "grid"), .threads = !opts_has(o, "block"), .block = x->block, .warp = x->warp};
    hd_launch least = {0};
    x->full = p->launch;
    if (extent_count(p->launch.grid) == UINT64_MAX || extent_count(p->launch.block) == UINT64_MAX)
        return true;
    for (size_t i = 0; i < x->runs.n; i++) {
        const hd_config config = machine_config(&x->runs.v[i].machine);
        hd_launch l = p->launch;
        if (!explain_cut_launch(p, &config, &c, &l, e)) return false;
        if (extent_count(l.block) > extent_count(least.block)) least = l;
    }
    x->was_cut = memcmp(least.grid, x->full.grid, sizeof least.grid) != 0 ||
                 memcmp(least.block, x->full.block, sizeof least.block) != 0;
    p->launch = least;
    return true;
}

static bool explain_prepare(struct explain *x, const struct opts *o, struct err *e) {
    const hd_config config = machine_config(&x->runs.v[0].machine);
    if (!subject_read(&x->subject, e)) return false;
    if (x->subject.traced)
        return err_set(e, ERR_INPUT, "%s is a trace: explain chooses a launch of a program and executes it",
                       x->subject.program.file);
    if (!subject_prepare(&x->subject, &config, e)) return false;
    return x->subject.workload || x->subject.program.binary || cut_launch(x, o, e);
}

/* ---- the device ---- */

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct explain_run *r = user;
    fwrite(text, 1, n, r->x->cli->term.err);
}

static int explain_go_on(void *user, uint64_t done, uint64_t all) {
    const struct explain_run *r = user;
    (void)done, (void)all;
    return !r->view.more && !r->view.full && !r->view.done && !r->ended && !r->wrong.code &&
           !r->x->cli->term.out_errno;
}

static void explain_on_opened(void *user, hd_device *dev) {
    struct explain_run *r = user;
    const int64_t *params;
    r->dev = dev;
    r->mech = options_mech(sim_options(dev), &params);
    hd_set_print(dev, print_to_stderr, r);
    hd_set_progress(dev, explain_go_on, r);
}

/* The threads that were asked for, if the launch has them. A launch that is too large is for the library to refuse. */
static bool choose_threads(struct explain_run *r, const hd_launch *l, struct err *e) {
    const uint64_t blocks = extent_count(l->grid), threads = extent_count(l->block);
    const struct opt_sm *sm = &sim_options(r->dev)->machine.sm;
    const int64_t *params;
    const struct mech_ops *mech = options_mech(sim_options(r->dev), &params);
    const uint64_t width = mech_width(mech, params, (uint32_t)sm->warp_size, (uint32_t)sm->simd_width);
    const struct explain *x = r->x;
    struct explain_view *v = &r->view;
    if (x->block >= blocks)
        return err_set(e, ERR_INPUT,
                       "--warp: there is no block %" PRIu64 " (the grid has %" PRIu64 ", counted from 0)",
                       x->block, blocks);
    const uint64_t warps = threads / width + (threads % width != 0);
    if (!x->whole && x->warp >= warps)
        return err_set(e, ERR_INPUT,
                       "--warp: there is no warp %" PRIu64 " (a block has %" PRIu64 " of %" PRIu64
                       " threads, counted from 0)",
                       x->warp, warps, width);
    const uint64_t first = x->whole ? 0 : x->warp * width, left = threads - first;
    v->block = x->block;
    v->width = (uint32_t)width;
    v->first = (uint32_t)first;
    v->count = (uint32_t)(x->whole || left < width ? left : width);
    return true;
}

/* ---- what is told ---- */

/* "1 block of 32 threads; the file's launch has 32 blocks of 256 threads (--grid, --block)" */
static void say_cut(const struct explain *x, struct sb *out) {
    program_shape(&x->subject.program.lab.launch, out);
    sb_add(out, " here; the file's own launch has ");
    program_shape(&x->full, out);
    sb_add(out, " (--grid and --block choose)\n");
}

/* "@nw tiny, launch 5, block 0, warp 0, threads 0-7" */
static void say_threads(struct explain_run *r) {
    const struct explain *x = r->x;
    const struct explain_view *v = &r->view;
    struct sb *out = &r->what;
    if (x->subject.workload)
        sb_add(out, "@%s %s, launch %" PRIu64 ", ", x->subject.workload->name,
               work_size_names[x->subject.size], r->launches - 1);
    sb_add(out, "block %" PRIu64, v->block);
    if (!x->whole) sb_add(out, ", warp %" PRIu64, x->warp);
    sb_add(out, v->count == 1 ? ", thread %" PRIu32 : ", threads %" PRIu32, v->first);
    if (v->count > 1) sb_add(out, "-%" PRIu32, v->first + v->count - 1);
}

static void explain_heading(struct explain_run *r) {
    const struct explain *x = r->x;
    struct sb *out = &r->view.out;
    sb_add(out, "%s%s under %s (%s)%s on %s, %s\n", term_on(r->view.term, TERM_BOLD), r->kernel,
           r->mech->name, r->mech->title, term_on(r->view.term, TERM_PLAIN), sim_options(r->dev)->file,
           r->what.text);
    if (x->was_cut) say_cut(x, out);
    sb_add(out, "%-12s%-9s%s\n", "cycles", "PCs", "lanes, block of code, instructions");
}

static void print_now(struct explain_run *r) {
    struct term *t = &r->x->cli->term;
    if (!r->view.out.len) return;
    term_print(t, &r->view.out);
    fflush(t->out);
    r->view.out.len = 0;
}

/* The heading waits for the first step: a launch that is refused has none. */
static void on_commit(void *user, const struct sm_commit *c) {
    struct explain_run *r = user;
    explain_commit(&r->view, c);
    if (r->view.steps) print_now(r);
}

/* The launch's shape and the number of blocks of code are known: those of all mechanisms are the same. */
static void begin_record(struct explain_run *r) {
    struct explain_page *p = &r->x->page;
    if (!p->seen) p->seen = xcalloc(sim_module_cfg(r->mod)->nblocks + 1, sizeof *p->seen);
    r->record = (struct explain_record){p, json_array(), json_array(), json_object(), 0};
    r->view.record = &r->record;
    r->view.show = explain_show_page;
    r->view.keep_tables = true;
}

static void before_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct explain_run *r = user;
    struct explain *x = r->x;
    const struct watch w = {.commit = on_commit, .commit_user = r};
    hd_kernel_info info;
    CHECK(hd_kernel_get_info(k, &info) == HD_OK);
    r->launches++;
    if (r->begun || (x->kernel && strcmp(x->kernel, info.name) != 0) || r->passed++ < x->launch) return;
    r->begun = true;
    hd_module *mod = r->mod = sim_kernel_module(k);
    const struct rewrite *form;
    struct err none = {0}; /* the launch will say what it is */
    r->view.form = sim_form(mod, sim_kernel_func(k), &form, &none) ? form : NULL;
    r->view.program = sim_module_ir(mod);
    r->view.ir = r->view.form ? r->view.form->m : r->view.program;
    err_free(&none);
    r->kernel = demangle_keep(info.name, &r->x->mem);
    if (!choose_threads(r, l, &r->wrong)) return;
    say_threads(r);
    if (!x->html) explain_heading(r);
    if (x->html) begin_record(r);
    sim_watch(r->dev, &w);
}

static void explain_after_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct explain_run *r = user;
    (void)k, (void)l;
    r->ended = r->begun;
    if (r->ended) sim_watch(r->dev, NULL);
}

static void explain_on_closing(void *user, hd_device *dev) {
    struct explain_run *r = user;
    struct explain_view *v = &r->view;
    (void)dev;
    explain_end(v);
    if (r->record.page) explain_page_code(r->record.page, v->program, sim_module_cfg(r->mod));
    if (r->x->html) return;
    if (v->more) sb_add(&v->out, "... stopped after %" PRIu64 " steps: --steps N shows more\n", v->most);
}

static bool no_such_launch(const struct explain_run *r, struct err *e) {
    const struct explain *x = r->x;
    const char *name = x->subject.workload ? x->subject.workload->name : x->subject.program.file;
    const char *kernel = x->kernel;
    if (kernel && !r->passed)
        return err_set(e, ERR_INPUT, "@%s launches no kernel %.60s; 'heddle inspect @%s' shows them", name,
                       kernel, name);
    return err_set(e, ERR_INPUT,
                   "--launch: there is no launch %" PRIu64 "%s%.60s (@%s has %" PRIu64 ", counted from 0)",
                   x->launch, kernel ? " of " : "", kernel ? kernel : "", name, r->passed);
}

/* Stopped because all was told, it did not fail. */
static bool explain_verdict(struct explain_run *r, const struct lab_outcome *out, struct err *e) {
    const bool told = r->view.more || r->view.full || r->view.done || r->ended;
    if (r->wrong.code) return err_set(e, r->wrong.code, "%s", err_text(&r->wrong));
    if (out->err.code && !(out->err.code == ERR_LIMIT && told))
        return err_set(e, out->err.code, "%s", err_text(&out->err));
    return r->begun || no_such_launch(r, e);
}

static bool cmd_explain_run(struct explain_run *r, struct err *e) {
    struct explain *x = r->x;
    const hd_config config = machine_config(&r->machine);
    const struct lab_hooks hooks = {.opened = explain_on_opened,
                                    .before = before_launch,
                                    .after = explain_after_launch,
                                    .closing = explain_on_closing,
                                    .user = r,
                                    .no_digest = true};
    struct lab_outcome out;
    r->view.term = &x->cli->term;
    r->view.show = explain_show_text;
    r->view.most = x->most;
    r->view.every = x->every;
    r->view.all_tables = x->all_tables;
    lab_run(&x->subject.lab, &config, &hooks, &out);
    const bool fine = explain_verdict(r, &out, e);
    if (fine || r->view.steps) print_now(r);
    lab_outcome_free(&out);
    return fine;
}

static bool tell_all(struct explain *x, struct err *e) {
    for (size_t i = 0; i < x->runs.n; i++) {
        if (i) sb_add(&x->runs.v[i].view.out, "\n");
        if (!cmd_explain_run(&x->runs.v[i], e)) return false;
    }
    return true;
}

/* ---- the page ---- */

static void page_text(const struct explain *x, struct sb *out, const struct opts *o) {
    const struct explain_run *r = &x->runs.v[0];
    const char *config = opts_value(o, "config");
    struct sb machine = {0}, launch = {0};
    json_t *data = page_about(x->cli, o, r->kernel);
    page_machine(config ? config : DEFAULT_CONFIG, o, &machine);
    if (!x->subject.workload) program_shape(&x->subject.program.lab.launch, &launch);
    if (x->was_cut) {
        sb_add(&launch, "; the file's own has ");
        program_shape(&x->full, &launch);
    }
    json_object_set_new(data, "machine", json_string(machine.text));
    json_object_set_new(data, "threads", json_string(r->what.text));
    if (launch.len) json_object_set_new(data, "launch", json_string(launch.text));
    json_object_set(data, "code", x->page.code);
    json_object_set(data, "mechanisms", x->page.mechs);
    page_write(out, &(struct page){.title = r->kernel, .app = "explain", .use = PAGE_GRAPHS, .data = data});
    json_decref(data);
    sb_free(&machine);
    sb_free(&launch);
}

static bool write_page(struct explain *x, const struct opts *o, struct err *e) {
    struct sb page = {0};
    page_text(x, &page, o);
    const bool fine = cli_write_all(x->cli, &(struct cli_output){x->html, &page}, 1, e);
    sb_free(&page);
    return fine;
}

/* A mechanism that refuses the program, or under which the program fails, has a place on the page too: what it came to is
 * shown, and why it ended. The page is there even then; the first such failure is what the command ends with. */
static bool record_all(struct explain *x, const struct opts *o, struct err *e) {
    struct err failed = {0};
    x->page = (struct explain_page){.mechs = json_array(),
                                    .most = PAGE_BYTES / x->runs.n,
                                    .file = x->subject.workload ? NULL : x->subject.program.file};
    for (size_t i = 0; i < x->runs.n; i++) {
        struct explain_run *r = &x->runs.v[i];
        const bool fine = cmd_explain_run(r, e);
        if (!fine && (!r->record.page || (e->code != ERR_REFUSED && e->code != ERR_FAULT))) {
            err_free(&failed);
            return false;
        }
        if (!fine && !failed.code) err_set(&failed, e->code, "under %s: %s", r->name, err_text(e));
        explain_page_add(&x->page, &r->view, r->mech, r->name, &r->record, fine ? "" : err_text(e));
        err_free(e);
    }
    if (!write_page(x, o, e)) return err_free(&failed), false;
    if (failed.code) err_set(e, failed.code, "%s", err_text(&failed));
    err_free(&failed);
    return !e->code;
}

static void explain_release(struct explain *x) {
    for (size_t i = 0; i < x->runs.n; i++) {
        struct explain_run *r = &x->runs.v[i];
        json_decref(r->record.steps);
        json_decref(r->record.lines);
        json_decref(r->record.numbers);
        machine_free(&r->machine);
        explain_free(&r->view);
        err_free(&r->wrong);
        sb_free(&r->what);
    }
    VEC_FREE(&x->runs);
    explain_page_free(&x->page);
    subject_free(&x->subject);
    arena_free(&x->mem);
}

static bool explain_run_all(struct explain *x, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < x->runs.n; i++) x->runs.v[i].x = x;
    return x->html ? record_all(x, o, e) : tell_all(x, e);
}

enum cli_exit explain_main(struct cli *c, const struct opts *o) {
    struct explain x = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!explain_read_options(&x, o, &e))
        status = cli_usage(c, &e);
    else if (!explain_prepare(&x, o, &e) || !explain_run_all(&x, o, &e))
        status = cli_fail(c, &e);
    explain_release(&x);
    err_free(&e);
    return status;
}
