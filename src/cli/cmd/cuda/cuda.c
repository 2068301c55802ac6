/* heddle cuda: a compiled CUDA program, host code and all, with its kernels on simulated machines.
 *
 * In order: read the options; look at the program's file and refuse what cannot be simulated; try every machine; start
 * the program once for each, with the runtime library before any other; read what its processes wrote down; tables and
 * files. The program's own output and exit status stay what they are: tables go to standard error, or to a file. */
#include "cli/cmd/cuda/cuda.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/file.h"

/* ---- the temporary directory ---- */

bool cuda_make_directory(struct cuda *c, struct err *e) {
    const char *tmp = getenv("TMPDIR");
    struct sb path = {0};
    sb_add(&path, "%s/heddle-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *dir = sb_keep(&path, &c->mem), *real;
    if (!mkdtemp(dir)) return err_set(e, ERR_INPUT, "cannot make a directory %s: %s", dir, strerror(errno));
    real = realpath(dir, NULL); /* the program may change its own */
    c->dir = real ? arena_strdup(&c->mem, real) : dir;
    free(real);
    return true;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s, (void)kind, (void)at;
    return remove(path);
}

void cuda_remove_directory(struct cuda *c) {
    if (c->dir) nftw(c->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    c->dir = NULL;
}

void cuda_let_go(struct cuda *c) {
    cuda_remove_directory(c);
    if (c->holding) sigprocmask(SIG_SETMASK, &c->before, NULL);
    c->holding = false;
}

static bool make_logs(struct cuda *c, struct err *e) {
    for (size_t i = 0; i < c->runs.n; i++) {
        FILE *f = fopen(c->runs.v[i].log, "w");
        if (!f || fclose(f))
            return err_set(e, ERR_INPUT, "cannot write %s: %s", c->runs.v[i].log, strerror(errno));
    }
    return true;
}

/* ---- after the runs ---- */

static bool read_logs(struct cuda *c, struct err *e) {
    for (size_t i = 0; i < c->runs.n; i++)
        if (!cuda_read_log(&c->runs.v[i], e)) return false;
    return true;
}

/* The logs one after the other, as they are. */
static bool add_logs(const struct cuda *c, struct sb *out, struct err *e) {
    for (size_t i = 0; i < c->runs.n; i++) {
        struct sb one = {0};
        const bool fine = file_read(c->runs.v[i].log, &one, e);
        if (fine) sb_addn(out, one.text, one.len);
        sb_free(&one);
        if (!fine) return false;
    }
    return true;
}

static bool cuda_write_files(struct cuda *c, const struct sb *tables, struct err *e) {
    struct sb json = {0}, csv = {0}, html = {0}, log = {0};
    const char *log_path = opts_value(&c->opts, "log");
    bool fine = (!c->json || cuda_json(c, &json, e)) && (!log_path || add_logs(c, &log, e));
    if (fine && c->csv) cuda_csv(c, &csv);
    if (fine && c->html) cuda_html(c, &html);
    const struct cli_output files[] = {
        {c->json, &json}, {c->csv, &csv}, {c->html, &html}, {log_path, &log}, {c->output, tables}};
    fine = fine && cli_write_all(c->cli, files, sizeof files / sizeof *files, e);
    sb_free(&json);
    sb_free(&csv);
    sb_free(&html);
    sb_free(&log);
    return fine;
}

/* The library writes the file under another name and renames it, so that there is another file if it did. */
static bool check_capture(const struct cuda *c, struct err *e) {
    struct stat now = {0};
    if (!c->captured) return true;
    const bool there = !stat(c->captured, &now);
    if (there && (now.st_ino != c->before_capture.st_ino || now.st_mtime != c->before_capture.st_mtime))
        return true;
    return err_set(e, ERR_INPUT, "--capture %.200s: there was no such launch",
                   opts_value(&c->opts, "capture"));
}

/* In the order of the runs, and of several the first that is not 0; then whether there are data races, or no page. */
static int exit_status(const struct cuda *c) {
    for (size_t i = 0; i < c->runs.n; i++)
        if (c->runs.v[i].over && cuda_exit_status(&c->runs.v[i])) return cuda_exit_status(&c->runs.v[i]);
    for (size_t i = 0; i < c->runs.n; i++)
        if (c->runs.v[i].races) return CLI_FAILED;
    return (int)c->page_status;
}

static int cuda_results(struct cuda *c, struct err *e) {
    struct sb tables = {0};
    bool fine = read_logs(c, e);
    if (fine && c->runs.n > 1)
        cuda_compare(c, &tables);
    else if (fine)
        cuda_report(c, &tables);
    if (fine && c->profile) cuda_profile(c, &tables);
    fine = fine && cuda_write_files(c, &tables, e);
    if (fine && !c->output && !c->quiet && tables.len) fputs(tables.text, c->cli->term.err);
    sb_free(&tables);
    fine = fine && check_capture(c, e) && (!c->report || c->signal || cuda_page(c, e));
    return fine ? exit_status(c) : (int)cli_fail(c->cli, e);
}

/* ---- all ---- */

static bool cuda_prepare(struct cuda *c, struct err *e) {
    return cuda_find_program(c, c->opts.operands.v[0], e) && cuda_find_library(c, e) &&
           cuda_make_directory(c, e) && cuda_make_runs(c, e) && make_logs(c, e);
}

static void note_capture(struct cuda *c) {
    if (c->captured && stat(c->captured, &c->before_capture)) c->before_capture = (struct stat){0};
}

void cuda_run_free(struct cuda_run *r) {
    VEC_FREE(&r->env);
    VEC_FREE(&r->processes);
    VEC_FREE(&r->kernels);
    VEC_FREE(&r->launches);
    VEC_FREE(&r->notes);
    profile_shown_free(&r->profile);
    sb_free(&r->out_text);
    sb_free(&r->err_text);
    arena_free(&r->mem);
}

static void cuda_free(struct cuda *c) {
    for (size_t i = 0; i < c->runs.n; i++) cuda_run_free(&c->runs.v[i]);
    for (size_t i = 0; i < c->machines.n; i++) machines_free(&c->machines.v[i]);
    VEC_FREE(&c->machines);
    VEC_FREE(&c->runs);
    VEC_FREE(&c->words);
    machine_free(&c->functional_machine);
    opts_free(&c->opts);
    arena_free(&c->mem);
}

/* A shell that waits for us is to see that a signal ended this, if it did. */
static void die_of(const struct cuda *c) {
    const struct cuda_run *r = c->runs.n ? &c->runs.v[0] : NULL;
    const bool died =
        c->signal && r && r->over && WIFSIGNALED(r->wait_status) && WTERMSIG(r->wait_status) == c->signal;
    if (c->holding) sigprocmask(SIG_SETMASK, &c->before, NULL);
    if (!died) return;
    fflush(NULL);
    raise(c->signal);
}

static int cmd_cuda_run(struct cuda *c, struct err *e) {
    note_capture(c);
    c->input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return cuda_simulate(c, e) ? cuda_results(c, e) : (int)cli_fail(c->cli, e);
}

enum cli_exit cuda_main(struct cli *cli, const struct opts *o) {
    struct cuda c = {.cli = cli, .term = cli->term};
    struct err e = {0};
    int status;
    c.term.out_colour = cli->term.err_colour;
    if (!cuda_read_options(&c, o, &e))
        status = (int)cli_usage(cli, &e);
    else if (!cuda_prepare(&c, &e))
        status = (int)cli_fail(cli, &e);
    else
        status = cmd_cuda_run(&c, &e);
    cuda_remove_directory(&c);
    die_of(&c);
    cuda_free(&c);
    err_free(&e);
    return (enum cli_exit)status;
}
