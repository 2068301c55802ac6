/* --report: the page of 'heddle report', of the launch that took most cycles.
 *
 * Which one that is, is known when the first run has ended. The program then runs once more with exactly that launch taken
 * out into a temporary file: functionally, since memory is the same whatever time is modelled, and with its output thrown
 * away. So the program must do the same when it is repeated: if the launch that was taken out is not the one that was
 * measured, or if there was none, there is no page. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/cuda/cuda.h"
#include "cli/cmd/report/report.h"
#include "value/demangle.h"

/* NULL: no launch was timed and ended well. */
static const struct cuda_launch *heaviest(const struct cuda_run *r) {
    const struct cuda_launch *most = NULL;
    for (size_t i = 0; i < r->launches.n; i++) {
        const struct cuda_launch *l = &r->launches.v[i];
        if (!l->timed || l->error || !l->nth || !l->stats.gpu.cycles) continue;
        if (!most || l->stats.gpu.cycles > most->stats.gpu.cycles) most = l;
    }
    return most;
}

/* A capture names a kernel and a number, in whatever process. */
static bool check_alone(const struct cuda_run *r, const struct cuda_launch *l, struct err *e) {
    for (size_t i = 0; i < r->launches.n; i++) {
        const struct cuda_launch *o = &r->launches.v[i];
        if (o != l && o->kernel == l->kernel && o->nth == l->nth)
            return err_set(e, ERR_INPUT,
                           "--report: several processes or modules have a launch %" PRIu64
                           " of kernel %.200s: run one of them by itself",
                           l->nth, r->kernels.v[l->kernel].name);
    }
    return true;
}

/* ---- once more ---- */

static bool replaced(const char *word) {
    static const char *const names[] = {
        "HEDDLE_MODE=", "HEDDLE_TIMED=", "HEDDLE_CAPTURE=", "HEDDLE_PROFILE=", "HEDDLE_PROGRESS="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(word, names[i], strlen(names[i]))) return true;
    return false;
}

static void make_environment(struct cuda_run *again, const struct cuda_run *first, const char *kernel,
                             uint64_t nth, const char *file) {
    struct sb capture = {0};
    for (size_t i = 0; first->env.v[i]; i++)
        if (!replaced(first->env.v[i])) VEC_PUSH(&again->env, first->env.v[i]);
    sb_add(&capture, "HEDDLE_CAPTURE=%s:%" PRIu64 "=%s", kernel, nth, file);
    VEC_PUSH(&again->env, sb_keep(&capture, &again->mem));
    VEC_PUSH(&again->env, arena_strdup(&again->mem, "HEDDLE_MODE=functional"));
    VEC_PUSH(&again->env, NULL);
}

/* In place of the runs that were, which come back afterwards. */
static bool run_again(struct cuda *c, struct cuda_run *again, struct err *e) {
    struct cuda_run *const runs = c->runs.v;
    const size_t n = c->runs.n;
    c->runs.v = again;
    c->runs.n = 1;
    c->hidden = true;
    if (c->input_at >= 0) lseek(STDIN_FILENO, c->input_at, SEEK_SET);
    const bool fine = cuda_simulate(c, e);
    c->hidden = false;
    c->runs.v = runs;
    c->runs.n = n;
    return fine;
}

/* NULL: it did not get there. */
static const struct cuda_launch *cuda_page_find(const struct cuda_run *again, const char *kernel,
                                                uint64_t nth) {
    for (size_t i = 0; i < again->launches.n; i++) {
        const struct cuda_launch *l = &again->launches.v[i];
        if (l->nth == nth && !strcmp(again->kernels.v[l->kernel].name, kernel)) return l;
    }
    return NULL;
}

/* Launches that wait for each other may take other numbers of instructions when time is modelled: that is said, no more. */
static void check_work(const struct cuda *c, const struct cuda_launch *l, const struct cuda_launch *now) {
    const uint64_t was = l->stats.exec.thread_insts, is = now->stats.exec.thread_insts;
    struct sb text = {0};
    if (was == is) return;
    sb_add(&text,
           "--report: the launch executed %" PRIu64 " thread instructions when it was measured, and %" PRIu64
           " when the program was run again for the page: had it the same standard input?",
           was, is);
    term_warning(&c->cli->term, c->cli->command->name, text.text);
    sb_free(&text);
}

/* What was taken out is the launch that was measured: the same number in its process, of the same shape. */
static bool check_taken(struct cuda *c, const struct cuda_launch *l, const struct cuda_run *again,
                        const char *file, struct err *e) {
    const char *kernel = c->runs.v[0].kernels.v[l->kernel].name;
    const struct cuda_launch *now = cuda_page_find(again, kernel, l->nth);
    if (c->signal) return err_set(e, ERR_INPUT, "--report: stopped by a signal: there is no page");
    if (!now || access(file, R_OK))
        return err_set(e, ERR_INPUT,
                       "--report: when the program was run again it did not get to launch %" PRIu64
                       " of kernel %.200s: it does not do the same every time",
                       l->nth, kernel);
    if (now->number != l->number || memcmp(now->shape.grid, l->shape.grid, sizeof now->shape.grid) != 0 ||
        memcmp(now->shape.block, l->shape.block, sizeof now->shape.block) != 0)
        return err_set(e, ERR_INPUT,
                       "--report: when the program was run again, launch %" PRIu64
                       " of kernel %.200s was another one: it does not do the same every time",
                       l->nth, kernel);
    check_work(c, l, now);
    return true;
}

static bool take_out(struct cuda *c, const struct cuda_launch *l, const char *file, struct err *e) {
    const struct cuda_run *first = &c->runs.v[0];
    struct cuda_run again = {.cuda = c, .name = first->name, .in = -1, .out = -1, .err = -1};
    again.log = first->log; /* it has been read */
    make_environment(&again, first, first->kernels.v[l->kernel].name, l->nth, file);
    const bool fine = (!truncate(again.log, 0) || err_set(e, ERR_INPUT, "cannot write %s", again.log)) &&
                      run_again(c, &again, e) && cuda_read_log(&again, e) &&
                      check_taken(c, l, &again, file, e);
    cuda_run_free(&again);
    return fine;
}

/* ---- the page ---- */

static const struct opt *cuda_page_row_of(const char *name) {
    for (const struct opt *t = command_report.options; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}

/* The options that both commands have and that mean the machine. */
static void add_options(const struct cuda *c, struct opts *o) {
    static const char *const names[] = {"mech", "config", "set", "max-insts", "jobs"};
    for (size_t i = 0; i < c->opts.given.n; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!strcmp(c->opts.given.v[i].opt->name, names[k]))
                VEC_PUSH(&o->given, (struct opt_given){cuda_page_row_of(names[k]), c->opts.given.v[i].value});
    VEC_PUSH(&o->given, (struct opt_given){cuda_page_row_of("html"), c->report});
    VEC_PUSH(&o->given, (struct opt_given){cuda_page_row_of("quiet"), NULL});
}

static enum cli_exit write_page(struct cuda *c, const struct cuda_launch *l, int fd) {
    struct opts o = {.table = command_report.options};
    struct sb title = {0};
    char file[32];
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    const char *program = c->opts.operands.v[0];
    demangle_name(c->runs.v[0].kernels.v[l->kernel].name, &title);
    sb_add(&title, ", launch %" PRIu64 " of %s", l->nth, program);
    VEC_PUSH(&o.operands, file);
    add_options(c, &o);
    const enum cli_exit status = report_of(
        c->cli, &o, &(struct report_origin){.title = title.text, .file = program, .opts = &c->opts});
    opts_free(&o);
    sb_free(&title);
    return status;
}

static void cuda_page_say(const struct cuda *c, const struct cuda_launch *l) {
    const struct cuda_run *r = &c->runs.v[0];
    struct sb text = {0};
    demangle_name(r->kernels.v[l->kernel].name, &text);
    if (!c->quiet)
        fprintf(c->cli->term.err,
                "The report in %s is of %s, launch %" PRIu64 ": %.1f %% of all cycles under %s.\n", c->report,
                text.text, l->nth, 100.0 * (double)l->stats.gpu.cycles / (double)r->total.gpu.cycles,
                r->name);
    sb_free(&text);
}

bool cuda_page(struct cuda *c, struct err *e) {
    const struct cuda_launch *l = heaviest(&c->runs.v[0]);
    struct sb path = {0};
    if (!l) return err_set(e, ERR_INPUT, "--report: no launch was timed and ended well");
    sb_add(&path, "%s/heaviest.hdl", c->dir);
    const char *file = sb_keep(&path, &c->mem);
    if (!check_alone(&c->runs.v[0], l, e) || !take_out(c, l, file, e)) return false;
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set(e, ERR_INPUT, "cannot read %s: %s", file, strerror(errno));
    cuda_let_go(c);
    c->page_status = write_page(c, l, fd);
    close(fd);
    if (c->page_status == CLI_OK) cuda_page_say(c, l);
    return true;
}
