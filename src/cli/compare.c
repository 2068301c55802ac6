/* heddle compare: programs and workloads side by side under several mechanisms.
 *
 * In order: read the options; read every file and try it on a functional device, so that whatever is wrong
 * with the input is said before anything runs; run all of it in parallel (lab); then the table and the files.
 * What fails under one mechanism (a deadlock, say) leaves a gap in the table, the others stay. */
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mech/mech.h"

/* ---- numbers ---- */

bool compare_ended(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_outcome *out = &lab_cell(&c->lab, subject, machine)->out;
    return out->err.code == ERR_OK || out->wrong;
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

static bool is_named(const struct compare *c, const char *mech) {
    for (size_t i = 0; i < c->lab_machines.n; i++)
        if (!strcmp(c->lab_machines.v[i].name, mech)) return true;
    return false;
}

static bool add_machine(struct compare *c, const struct opts *o, const char *mech, struct err *e) {
    struct machine m;
    bool fine = machine_read(&m, opts_value(o, "config"), o, e) && machine_choose(&m, !mech, mech, e) &&
                machine_limit(&m, o, e);
    VEC_PUSH(&c->machines, m);
    if (!mech) return fine;
    if (fine && is_named(c, mech)) fine = err_set(e, ERR_INPUT, "--mech names %.60s twice", mech);
    VEC_PUSH(&c->lab_machines, (struct lab_machine){.name = mech});
    return fine;
}

/* "all": every mechanism that is not named before it. */
static bool add_all(struct compare *c, const struct opts *o, struct err *e) {
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (!is_named(c, (*m)->name) && !add_machine(c, o, (*m)->name, e)) return false;
    return true;
}

/* "a,b,c", where one may be "all". The reference comes last. */
static bool read_mechanisms(struct compare *c, const struct opts *o, struct err *e) {
    const char *list = opts_value(o, "mech");
    if (!list && !add_all(c, o, e)) return false;
    for (const char *p = list; p;) {
        const size_t n = strcspn(p, ",");
        const char *name = arena_strndup(&c->mem, p, n);
        if (!n) return err_set(e, ERR_INPUT, "--mech '%.60s' lacks a name", list);
        if (!(strcmp(name, "all") ? add_machine(c, o, name, e) : add_all(c, o, e))) return false;
        p = p[n] ? p + n + 1 : NULL;
    }
    if (!add_machine(c, o, NULL, e)) return false;
    for (size_t i = 0; i < c->lab_machines.n; i++)
        c->lab_machines.v[i].config = machine_config(&c->machines.v[i]);
    c->lab.reference = machine_config(&c->machines.v[c->lab_machines.n]);
    return true;
}

static bool read_subjects(struct compare *c, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < o->operands.n; i++) {
        struct subject s;
        bool fine = subject_options(&s, c->cli, o->operands.v[i], WORK_SMALL, o, e);
        VEC_PUSH(&c->subjects, s);
        if (!fine) return false;
    }
    return subject_check(c->subjects.v, c->subjects.n, false, o, e);
}

static bool read_options(struct compare *c, const struct opts *o, struct err *e) {
    c->json = opts_value(o, "json");
    c->csv = opts_value(o, "csv");
    c->quiet = opts_has(o, "quiet");
    c->host = opts_has(o, "host");
    if (!cli_jobs(o, &c->lab.jobs, e) || !cli_outputs(c->json, c->csv, &c->data_on_stdout, e)) return false;
    return read_subjects(c, o, e) && read_mechanisms(c, o, e);
}

/* ---- before the runs ---- */

/* Options are checked by opening a device with them. */
static bool try_machine(const hd_config *config, struct err *e) {
    hd_device *dev = NULL;
    bool fine = lab_open(config, &dev, e);
    hd_device_close(dev);
    return fine;
}

static bool prepare(struct compare *c, struct err *e) {
    for (size_t i = 0; i < c->lab_machines.n; i++)
        if (!try_machine(&c->lab_machines.v[i].config, e)) return false;
    for (size_t i = 0; i < c->subjects.n; i++) {
        struct subject *s = &c->subjects.v[i];
        if (!subject_read(s, e) || !subject_prepare(s, &c->lab.reference, e)) return false;
        VEC_PUSH(&c->lab_subjects, s->lab);
    }
    return true;
}

/* ---- the runs and after ---- */

static void on_tick(void *user, double done) {
    struct compare *c = user;
    char what[64];
    snprintf(what, sizeof what, "of %zu runs", c->lab.nsubjects * c->lab.nmachines);
    progress_part(&c->progress, done, what);
}

static bool simulate(struct compare *c, struct err *e) {
    c->lab.subjects = c->lab_subjects.v;
    c->lab.nsubjects = c->lab_subjects.n;
    c->lab.machines = c->lab_machines.v;
    c->lab.nmachines = c->lab_machines.n;
    c->lab.tick = c->quiet ? NULL : on_tick;
    c->lab.user = c;
    progress_start(&c->progress, &c->cli->term);
    bool fine = lab_compare(&c->lab, e);
    progress_end(&c->progress);
    return fine;
}

static bool write_files(const struct compare *c, struct err *e) {
    struct sb json = {0}, csv = {0};
    if (c->csv) compare_csv(c, &csv);
    bool fine = (!c->json || compare_json(c, &json, e)) && cli_write(c->cli, c->json, &json, c->csv, &csv, e);
    sb_free(&json);
    sb_free(&csv);
    return fine;
}

/* Says what went wrong with one run; CLI_OK when nothing did. */
static enum cli_exit verdict(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_cell *cell = lab_cell(&c->lab, subject, machine);
    if (lab_cell_right(cell)) return CLI_OK;
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

static enum cli_exit verdicts(const struct compare *c) {
    enum cli_exit worst = CLI_OK;
    for (size_t i = 0; i < c->lab.nsubjects; i++)
        for (size_t m = 0; m < c->lab.nmachines; m++) {
            enum cli_exit one = verdict(c, i, m);
            if (one > worst) worst = one;
        }
    return worst;
}

static enum cli_exit results(const struct compare *c, struct err *e) {
    struct sb text = {0};
    if (!write_files(c, e)) return cli_fail(c->cli, e);
    if (!c->quiet && !c->data_on_stdout) compare_report(c, &text);
    term_print(&c->cli->term, &text);
    sb_free(&text);
    return verdicts(c);
}

static void compare_free(struct compare *c) {
    lab_compare_free(&c->lab);
    for (size_t i = 0; i < c->subjects.n; i++) subject_free(&c->subjects.v[i]);
    for (size_t i = 0; i < c->machines.n; i++) machine_free(&c->machines.v[i]);
    VEC_FREE(&c->subjects);
    VEC_FREE(&c->machines);
    VEC_FREE(&c->lab_subjects);
    VEC_FREE(&c->lab_machines);
    arena_free(&c->mem);
}

enum cli_exit compare_main(struct cli *cli, const struct opts *o) {
    struct compare c = {.cli = cli};
    struct err e = {0};
    enum cli_exit status;
    if (!read_options(&c, o, &e))
        status = cli_usage(cli, &e);
    else if (!prepare(&c, &e) || !simulate(&c, &e))
        status = cli_fail(cli, &e);
    else
        status = results(&c, &e);
    compare_free(&c);
    err_free(&e);
    return status;
}
