/* heddle run: one kernel, its arguments from the command line, or a workload; buffers and statistics out.
 *
 * In order: read the options; read the file, choose the kernel, match the arguments; run it on a device of its own (lab), where
 * hooks record each launch; and only when that went well, write files and show results while the device still has them. */
#include "cli/cmd/run/run.h"

#include <stdlib.h>

#include "cli/races.h"
#include "sim/sim.h"
#include "value/arrays.h"
#include "value/elements.h"

enum { PRINT_DEFAULT = 64 };

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.err);
}

static void print_to_stdout(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.out);
}

static int run_on_progress(void *user, uint64_t done, uint64_t all) {
    struct run *r = user;
    char what[96];
    if (stop_asked(&r->stop)) return 0;
    if (r->quiet) return 1;
    snprintf(what, sizeof what, "launch %zu, %llu of %llu blocks", r->launches.n, (unsigned long long)done,
             (unsigned long long)all);
    if (r->subject.lab.workload || r->subject.lab.script)
        progress_note(&r->progress, what);
    else
        progress_update(&r->progress, done, all);
    return 1;
}

/* ---- while it runs ---- */

static void run_on_opened(void *user, hd_device *dev) {
    struct run *r = user;
    r->dev = dev;
    hd_set_print(dev, r->data_on_stdout ? print_to_stderr : print_to_stdout, r->cli);
    hd_set_progress(dev, run_on_progress, r);
    machine_warn_unused(r->cli, r->opts, r->functional ? NULL : sim_options(dev)->run.mech);
    sim_watch(dev, &r->watch);
    run_checkpoint_begin(r);
    progress_start(&r->progress, &r->cli->term);
}

static void before_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct run *r = user;
    /* What loading warns of was said when the subject was prepared. */
    hd_set_log(r->dev, subject_warn, r->cli);
    r->under_way = k;
    r->shape = *l;
    r->started = term_seconds();
}

static void run_after_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct run *r = user;
    hd_kernel_info info;
    double seconds = term_seconds() - r->started;
    r->under_way = NULL;
    CHECK(hd_kernel_get_info(k, &info) == HD_OK);
    sim_note(r->dev, &seconds, sizeof seconds);
    VEC_PUSH(&r->launches, (struct run_launch){.kernel = arena_strdup(&r->mem, info.name),
                                               .shape = *l,
                                               .seconds = seconds,
                                               .stats = *sim_stats(r->dev, false)});
    if (r->profile || r->annotate) run_profile_launch(r, k, &r->launches.v[r->launches.n - 1].slots);
    if (!r->partial) run_checkpoint_launched(r);
}

/* ---- after the last launch ---- */

/* The first count elements of an argument's buffer, as they are now; NULL on error. */
static uint8_t *run_fetch(const struct run *r, size_t arg, uint64_t count, struct err *e) {
    uint64_t bytes = count * arg_bytes(&program_entry(&r->subject.program, arg)->spec);
    uint8_t *data = try_alloc(bytes);
    if (!data)
        err_set(e, ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    else if (!lab_check(r->dev, hd_copy_out(r->dev, data, r->args[arg].v.u, bytes), e)) {
        free(data);
        data = NULL;
    }
    return data;
}

static bool run_show(const struct run *r, struct sb *out, struct err *e) {
    for (size_t i = 0; i < r->prints.n && !r->partial; i++) {
        const struct program_arg *a = program_entry(&r->subject.program, r->prints.v[i].arg);
        uint64_t want = r->prints.v[i].count ? r->prints.v[i].count : PRINT_DEFAULT;
        uint64_t count = want < a->spec.count ? want : a->spec.count;
        uint8_t *data = run_fetch(r, r->prints.v[i].arg, count, e);
        if (!data) return false;
        program_entry_name(&r->subject.program, r->prints.v[i].arg, out);
        elements_show(
            &(struct elements){
                .type = a->spec.type, .count = count, .all = a->spec.count, .more = a->spec.count - count},
            data, r->cli->term.width, out);
        free(data);
    }
    return true;
}

static bool dump(const struct run *r, const struct run_dump *d, struct outfiles *files, struct err *e) {
    const struct program_arg *a = program_entry(&r->subject.program, d->arg);
    const enum array_format format = array_format_of(d->path);
    uint8_t *data = run_fetch(r, d->arg, a->spec.count, e);
    struct sb text = {0};
    if (data && format != ARRAY_RAW) array_encode(format, a->spec.type, data, a->spec.count, &text);
    bool fine =
        data && (text.len ? outfile_write(files, d->path, text.text, text.len, e)
                          : outfile_write(files, d->path, data, a->spec.count * arg_bytes(&a->spec), e));
    sb_free(&text);
    free(data);
    return fine;
}

static bool run_write_files(const struct run *r, struct outfiles *files, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < r->dumps.n && !r->partial && fine; i++) fine = dump(r, &r->dumps.v[i], files, e);
    struct sb json = {0}, series = {0};
    if (fine && r->json)
        fine = run_json(r, &json, e) && outfile_write(files, r->json, json.text, json.len, e);
    if (fine && r->series) {
        series_csv(sim_series(r->dev), &series);
        fine = outfile_write(files, r->series, series.text, series.len, e);
    }
    sb_free(&json);
    sb_free(&series);
    return fine;
}

static bool run_results(struct run *r, struct err *e) {
    struct sb text = {0};
    bool fine = run_show(r, &text, e) && run_write_files(r, &r->written, e) &&
                outfile_commit(&r->written, r->cli->term.out, e);
    if (fine && !r->quiet && !r->data_on_stdout) run_report(r, &text);
    if (fine) term_print(&r->cli->term, &text);
    sb_free(&text);
    return fine;
}

static void run_on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct run *r = user;
    (void)dev;
    progress_end(&r->progress);
    r->mod = mod;
    r->args = args;
    r->reported = true;
    run_results(r, &r->failed);
}

/* Stopped by a signal: where it stood, then what was counted until there. Memory is that of no moment of the program, so
 * nothing of it is shown. */
static void show_partial(struct run *r) {
    struct sb where = {0};
    progress_end(&r->progress);
    if (r->subject.workload) sb_add(&where, "launch %zu, the first being 0: ", r->launches.n);
    sb_add(&where, "%s", err_text(&r->outcome.err));
    term_error(&r->cli->term, r->cli->command->name, where.text);
    sb_free(&where);
    r->partial = true;
    outfile_free(&r->written); /* what a script wrote before */
    outfile_begin(&r->written, &r->cli->writing);
    r->mod = sim_kernel_module(r->under_way);
    run_after_launch(r, r->under_way, &r->shape);
    r->reported = true;
    run_results(r, &r->failed);
}

/* Races are shown for a program that failed, too: they may be the reason. */
static void run_on_closing(void *user, hd_device *dev) {
    struct run *r = user;
    struct sb text = {0};
    if (stop_asked(&r->stop) && r->outcome.err.code == ERR_LIMIT && r->under_way) show_partial(r);
    if (!r->races) return;
    r->nraces = races_real(dev);
    progress_end(&r->progress);
    if (r->nraces && !r->reported && !r->quiet && !r->data_on_stdout)
        races_text(&r->cli->term, dev, true, &text);
    term_print(&r->cli->term, &text);
    sb_free(&text);
}

/* ---- the command ---- */

static void run_free(struct run *r) {
    subject_free(&r->subject);
    machine_free(&r->machine);
    outfile_free(&r->watched);
    outfile_free(&r->written);
    VEC_FREE(&r->script_paths);
    lab_outcome_free(&r->outcome);
    err_free(&r->failed);
    run_checkpoint_free(r);
    arena_free(&r->mem);
    VEC_FREE(&r->launches);
    VEC_FREE(&r->prints);
    VEC_FREE(&r->dumps);
}

static enum cli_exit run_simulate(struct run *r, struct err *e) {
    const struct lab_hooks hooks = {.opened = run_on_opened,
                                    .before = before_launch,
                                    .after = run_after_launch,
                                    .ended = run_on_ended,
                                    .closing = run_on_closing,
                                    .print = run_script_print,
                                    .write = run_script_write,
                                    .stop = run_script_stop,
                                    .user = r,
                                    .no_digest = true};
    const hd_config config = machine_config(&r->machine);
    if (!subject_prepare(&r->subject, &config, e) || !script_try_writes(&r->subject.script, e) ||
        !run_checkpoint_prepare(r, &config, e) || !run_watch(r, e))
        return cli_fail(r->cli, e);
    outfile_begin(&r->written, &r->cli->writing);
    stop_hold(&r->stop, r->cli);
    lab_run(&r->subject.lab, &config, &hooks, &r->outcome);
    progress_end(&r->progress);
    if (stop_asked(&r->stop)) run_checkpoint_stopped(r);
    enum cli_exit status = r->outcome.err.code && !r->partial ? cli_fail(r->cli, &r->outcome.err)
                           : r->failed.code                   ? cli_fail(r->cli, &r->failed)
                           : r->nraces                        ? CLI_FAILED
                                                              : CLI_OK;
    if (!run_watch_end(r, e)) status = cli_fail(r->cli, e);
    stop_release(&r->stop);
    return status;
}

enum cli_exit run_main(struct cli *c, const struct opts *o) {
    struct run r = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!run_read_options(&r, o, &e))
        status = cli_usage(c, &e);
    else if (!subject_read(&r.subject, &e))
        status = cli_fail(c, &e);
    else if (!run_read_outputs(&r, o, &e))
        status = cli_usage(c, &e);
    else
        status = run_simulate(&r, &e);
    run_free(&r);
    err_free(&e);
    return stop_die(&r.stop, c, status);
}
