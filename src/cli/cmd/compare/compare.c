/* heddle compare: programs and workloads side by side under several mechanisms.
 *
 * In order: read the options; read every file and try it on a functional device, so that whatever is wrong
 * with the input is said before anything runs; run all of it in parallel (lab); then the table and the files.
 * What fails under one mechanism (a deadlock, say) leaves a gap in the table, the others stay; one that refuses
 * a kernel is no failure. */
#include "cli/cmd/compare/compare.h"

#include <math.h>

#include "cli/outputs.h"

/* ---- numbers ---- */

bool compare_ended(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_outcome *out = &lab_cell(&c->lab, subject, machine)->out;
    return out->err.code == ERR_OK || out->wrong;
}

bool compare_refused(const struct compare *c, size_t subject, size_t machine) {
    return lab_cell(&c->lab, subject, machine)->out.err.code == ERR_REFUSED;
}

bool compare_wrong(const struct compare *c, size_t subject, size_t machine) {
    return compare_ended(c, subject, machine) && !lab_cell_right(lab_cell(&c->lab, subject, machine));
}

double compare_speedup(const struct compare *c, size_t subject, size_t machine) {
    if (!compare_ended(c, subject, 0) || !compare_ended(c, subject, machine)) return 0;
    double base = stats_value(&lab_cell(&c->lab, subject, 0)->out.total, STAT_gpu_cycles);
    double own = stats_value(&lab_cell(&c->lab, subject, machine)->out.total, STAT_gpu_cycles);
    return own > 0 ? base / own : 0;
}

double compare_mean(const struct compare *c, size_t machine, size_t *subjects) {
    double sum = 0;
    *subjects = 0;
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        double s = compare_speedup(c, i, machine);
        if (!(s > 0)) continue;
        sum += log(s);
        ++*subjects;
    }
    return *subjects ? exp(sum / (double)*subjects) : 0;
}

/* ---- options ---- */

/* The reference is the same machine without time. */
static bool read_machines(struct compare *c, const struct opts *o, struct err *e) {
    if (!machines_read(&c->machines, o, e) || !machines_limit(&c->machines, o, e)) return false;
    machines_sample(&c->machines, o);
    machine_warn_unused(c->cli, o, opts_has(o, "mech") ? opts_value(o, "mech") : "all");
    bool fine = machine_read(&c->functional, opts_value(o, "config"), o, e) &&
                machine_choose(&c->functional, true, NULL, e) && machine_limit(&c->functional, o, e);
    c->lab.reference = machine_config(&c->functional);
    return fine;
}

static bool compare_read_subjects(struct compare *c, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < o->operands.n; i++) {
        struct subject s;
        bool fine = subject_options(&s, c->cli, o->operands.v[i], WORK_SMALL, o, e);
        VEC_PUSH(&c->subjects, s);
        if (!fine) return false;
    }
    return subject_check(c->subjects.v, c->subjects.n, false, o, e);
}

static bool compare_read_options(struct compare *c, const struct opts *o, struct err *e) {
    c->json = opts_value(o, "json");
    c->csv = opts_value(o, "csv");
    c->html = opts_value(o, "html");
    c->opts = o;
    c->data_on_stdout = outputs_on_stdout(o);
    c->quiet = opts_has(o, "quiet");
    c->markdown = opts_has(o, "markdown");
    c->host = opts_has(o, "host");
    if (!cli_jobs(o, &c->lab.jobs, e)) return false;
    return compare_read_subjects(c, o, e) && read_machines(c, o, e);
}

/* ---- before the runs ---- */

static bool compare_prepare(struct compare *c, struct err *e) {
    if (!machines_check(&c->machines, e)) return false;
    for (size_t i = 0; i < c->subjects.n; i++) {
        struct subject *s = &c->subjects.v[i];
        if (!subject_read(s, e) || !subject_prepare(s, &c->lab.reference, e)) return false;
        VEC_PUSH(&c->lab_subjects, s->lab);
    }
    return true;
}

/* ---- the runs and after ---- */

static void compare_on_tick(void *user, double done) {
    struct compare *c = user;
    char what[64];
    snprintf(what, sizeof what, "of %zu runs", c->lab.nsubjects * c->lab.nmachines);
    progress_part(&c->progress, done, what);
}

static bool on_stop(void *user) {
    const struct compare *c = user;
    return stop_asked(&c->stop);
}

static bool compare_simulate(struct compare *c, struct err *e) {
    c->lab.subjects = c->lab_subjects.v;
    c->lab.nsubjects = c->lab_subjects.n;
    c->lab.machines = c->machines.v.v;
    c->lab.nmachines = c->machines.v.n;
    c->lab.tick = c->quiet ? NULL : compare_on_tick;
    c->lab.stop = on_stop;
    c->lab.user = c;
    stop_hold(&c->stop, c->cli);
    progress_start(&c->progress, &c->cli->term);
    bool fine = lab_compare(&c->lab, e);
    if (fine) compare_races(c);
    progress_end(&c->progress);
    stop_release(&c->stop);
    return fine;
}

/* Says what went wrong with one run; CLI_OK when nothing did. A refusal is a result, and stands below its table. */
static enum cli_exit compare_verdict(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_cell *cell = lab_cell(&c->lab, subject, machine);
    if (lab_cell_right(cell) || compare_refused(c, subject, machine) || cell->stopped) return CLI_OK;
    struct err e = {.code = cell->out.err.code ? cell->out.err.code : ERR_FAULT};
    compare_title(c, subject, &e.text);
    sb_add(&e.text, " under %s: ", c->lab.machines[machine].name);
    if (cell->out.err.code)
        sb_add(&e.text, "%s", err_text(&cell->out.err));
    else
        compare_difference(c, subject, &cell->difference, &e.text);
    enum cli_exit status = cli_fail(c->cli, &e);
    err_free(&e);
    return status;
}

/* Says what there is of a comparison that was stopped. */
static void say_stopped(const struct compare *c, size_t stopped) {
    const size_t all = c->lab.nsubjects * c->lab.nmachines;
    struct sb text = {0};
    sb_add(&text, "stopped; %zu of %zu runs have ended, the others have no figures", all - stopped, all);
    term_error(&c->cli->term, c->cli->command->name, text.text);
    sb_free(&text);
}

static enum cli_exit compare_verdicts(const struct compare *c) {
    enum cli_exit worst = CLI_OK;
    size_t stopped = 0;
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        for (size_t m = 0; m < c->lab.nmachines; m++) {
            enum cli_exit one = compare_verdict(c, i, m);
            if (one > worst) worst = one;
            stopped += lab_cell(&c->lab, i, m)->stopped;
        }
        compare_races_verdict(c, i);
    }
    if (stopped) say_stopped(c, stopped);
    return worst;
}

static enum cli_exit compare_results(const struct compare *c, struct err *e) {
    const struct cli_report r = {.json = c->json,
                                 .csv = c->csv,
                                 .html = c->html,
                                 .silent = c->quiet || c->data_on_stdout,
                                 .add_json = compare_json,
                                 .add_csv = compare_csv,
                                 .add_html = compare_html,
                                 .add_text = compare_report};
    return cli_report(c->cli, &r, c, e) ? compare_verdicts(c) : cli_fail(c->cli, e);
}

static void compare_free(struct compare *c) {
    compare_races_free(c);
    lab_compare_free(&c->lab);
    for (size_t i = 0; i < c->subjects.n; i++) subject_free(&c->subjects.v[i]);
    VEC_FREE(&c->subjects);
    VEC_FREE(&c->lab_subjects);
    machine_free(&c->functional);
    machines_free(&c->machines);
}

enum cli_exit compare_main(struct cli *cli, const struct opts *o) {
    struct compare c = {.cli = cli};
    struct err e = {0};
    enum cli_exit status;
    if (!compare_read_options(&c, o, &e))
        status = cli_usage(cli, &e);
    else if (!compare_prepare(&c, &e) || !compare_simulate(&c, &e))
        status = cli_fail(cli, &e);
    else
        status = compare_results(&c, &e);
    compare_free(&c);
    err_free(&e);
    return stop_die(&c.stop, cli, status);
}
