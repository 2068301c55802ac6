/* heddle run: one kernel, its arguments from the command line, its buffers and statistics out.
 *
 * In order: read the options; open the device; load the file; choose the kernel; match and place the
 * arguments; launch; and only when that went well, write files and show results. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

enum { PRINT_DEFAULT = 64 };

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.err);
}

static void print_to_stdout(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.out);
}

/* Errors also come back from the call that failed, and are printed once, there. */
static void log_message(void *user, hd_log_level level, const char *text) {
    const struct cli *c = user;
    if (level == HD_LOG_WARNING) term_warning(&c->term, "run", text);
}

static int on_progress(void *user, uint64_t done, uint64_t all) {
    progress_update(user, done, all);
    return 1;
}

static bool open_device(struct run *r, struct err *e) {
    hd_config config = {
        .options = r->machine.settings.v, .noptions = r->machine.settings.n, .file = r->machine.config};
    if (!lab_open(&config, &r->dev, e)) return false;
    hd_set_log(r->dev, log_message, r->cli);
    hd_set_print(r->dev, r->data_on_stdout ? print_to_stderr : print_to_stdout, r->cli);
    if (!r->quiet) hd_set_progress(r->dev, on_progress, &r->progress);
    return true;
}

/* The device is asked for room first: it refuses what is too large before the host tries to fill it. */
static bool prepare(struct run *r, struct err *e) {
    struct program *p = &r->program;
    hd_status s = hd_module_load(r->dev, p->file, p->text.text, p->text.len, &r->mod);
    if (!lab_check(r->dev, s, e) || !program_choose(p, r->dev, r->mod, &r->kernel, e)) return false;
    r->args = xcalloc(p->args.n + 1, sizeof *r->args);
    return lab_bind(r->dev, r->mod, p->lab_args, p->args.n, r->args, e) && program_contents(p, e) &&
           lab_fill(r->dev, p->lab_args, p->args.n, r->args, e);
}

/* ---- the launch and after ---- */

static bool launch(struct run *r, struct err *e) {
    progress_start(&r->progress, &r->cli->term);
    double start = term_seconds();
    hd_status s = hd_run(r->kernel, &r->program.launch, r->args, r->program.args.n);
    r->seconds = term_seconds() - start;
    r->ran = s == HD_OK || s == HD_FAULT || s == HD_LIMIT;
    progress_end(&r->progress);
    return lab_check(r->dev, s, e);
}

/* The first count elements of an argument's buffer, as they are now; NULL on error. */
static uint8_t *fetch(const struct run *r, size_t arg, uint64_t count, struct err *e) {
    uint64_t bytes = count * arg_bytes(&r->program.args.v[arg].spec);
    uint8_t *data = try_alloc(bytes);
    if (!data)
        err_set(e, ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    else if (!lab_check(r->dev, hd_copy_out(r->dev, data, r->args[arg].v.u, bytes), e)) {
        free(data);
        data = NULL;
    }
    return data;
}

static bool show(const struct run *r, struct sb *out, struct err *e) {
    for (size_t i = 0; i < r->prints.n; i++) {
        const struct program_arg *a = &r->program.args.v[r->prints.v[i].arg];
        uint64_t want = r->prints.v[i].count ? r->prints.v[i].count : PRINT_DEFAULT;
        uint64_t count = want < a->spec.count ? want : a->spec.count;
        uint8_t *data = fetch(r, r->prints.v[i].arg, count, e);
        if (!data) return false;
        run_elements(a, r->prints.v[i].arg, count, data, r->cli->term.width, out);
        free(data);
    }
    return true;
}

static bool write_files(const struct run *r, struct outfiles *files, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < r->dumps.n && fine; i++) {
        const struct program_arg *a = &r->program.args.v[r->dumps.v[i].arg];
        uint8_t *data = fetch(r, r->dumps.v[i].arg, a->spec.count, e);
        fine = data && outfile_write(files, r->dumps.v[i].path, data, a->spec.count * arg_bytes(&a->spec), e);
        free(data);
    }
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

static bool results(const struct run *r, struct err *e) {
    struct outfiles files = {0};
    struct sb text = {0};
    bool fine = show(r, &text, e) && write_files(r, &files, e) && outfile_commit(&files, r->cli->term.out, e);
    outfile_free(&files);
    if (fine && !r->quiet && !r->data_on_stdout) run_report(r, &text);
    if (fine) term_print(&r->cli->term, &text);
    sb_free(&text);
    return fine;
}

static void run_free(struct run *r) {
    hd_device_close(r->dev);
    program_free(&r->program);
    machine_free(&r->machine);
    outfile_free(&r->watched);
    free(r->args);
    VEC_FREE(&r->prints);
    VEC_FREE(&r->dumps);
}

static enum cli_exit simulate(struct run *r, struct err *e) {
    bool fine = open_device(r, e) && prepare(r, e) && run_watch(r, e) && launch(r, e) && results(r, e);
    enum cli_exit status = fine ? CLI_OK : cli_fail(r->cli, e);
    return run_watch_end(r, e) ? status : cli_fail(r->cli, e);
}

enum cli_exit run_main(struct cli *c, const struct opts *o) {
    struct run r = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!run_read_options(&r, o, &e))
        status = cli_usage(c, &e);
    else if (!program_read(&r.program, &e))
        status = cli_fail(c, &e);
    else if (!run_read_outputs(&r, o, &e))
        status = cli_usage(c, &e);
    else
        status = simulate(&r, &e);
    run_free(&r);
    err_free(&e);
    return status;
}
