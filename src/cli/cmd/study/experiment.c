/* In order: read the options; read and try the programs; check factors and machines; only then open the store, in memory unless
 * --db names a file, and run. A signal that asks to end does so as in heddle sweep (stop.h). */
#include "cli/cmd/study/experiment.h"
#include "cli/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/mech_choice.h"
#include "sim/config.h"

/* ---- options ---- */

static bool read_mech(struct study_experiment *s, const char *option, const char *text, struct err *e) {
    struct mech_choice choice;
    if (!strchr(text, ',')) return mech_choice_read(text, &s->mem, &choice, e);
    return err_set(e, ERR_INPUT, "--%s takes one mechanism; --relative-to says what it is measured by",
                   option);
}

static bool read_mean(const char *name, struct response *r, struct err *e) {
    if (!name) return true;
    r->mean = mean_named(name);
    return r->mean ||
           err_set(e, ERR_INPUT, "--mean '%.60s': expected harmonic, geometric or arithmetic", name);
}

static bool read_response(struct study_experiment *s, const struct opts *o, struct response *r,
                          struct err *e) {
    const char *stat = opts_value(o, "response"), *mech = opts_value(o, "mech");
    *r = s->preset ? s->preset->response : (struct response){.stat = "ipc", .mech = "pdom"};
    if (stat) r->stat = stat;
    if (mech) r->mech = mech;
    if (opts_has(o, "relative-to")) r->relative_to = opts_value(o, "relative-to");
    r->mech = mech_choice_spelling(r->mech, &s->mem);
    if (r->relative_to) r->relative_to = mech_choice_spelling(r->relative_to, &s->mem);
    if (!r->mean) r->mean = r->relative_to ? PIVOT_GEOMETRIC : PIVOT_ARITHMETIC;
    return read_mean(opts_value(o, "mean"), r, e) && read_mech(s, "mech", r->mech, e) &&
           (!r->relative_to || read_mech(s, "relative-to", r->relative_to, e));
}

/* --config and --set, and for trying programs the mechanism; x has the settings as given. */
static bool study_read_machine(struct study_experiment *s, const struct opts *o, struct experiment *x,
                               struct err *e) {
    x->config = opts_value(o, "config");
    if (!x->config && s->preset) x->config = s->preset->config;
    if (!machine_read(&s->machine, x->config, o, e)) return false;
    x->nsettings = s->machine.settings.n;
    hd_option *settings = ARENA_NEW(&s->mem, hd_option, x->nsettings + 1);
    for (size_t i = 0; i < x->nsettings; i++) settings[i] = s->machine.settings.v[i];
    x->settings = settings;
    return machine_choose(&s->machine, false, x->response.mech, e);
}

static bool add_subject(struct study_experiment *s, const char *operand, const struct opts *o,
                        struct err *e) {
    struct subject one;
    bool fine = subject_options(&one, s->cli, operand, WORK_SMALL, o, e);
    VEC_PUSH(&s->subjects, one);
    return fine;
}

/* A preset brings its workloads along. */
static bool add_preset(struct study_experiment *s, const struct opts *o, struct err *e) {
    for (const char *p = s->preset->workloads; *p;) {
        size_t n = strcspn(p, " ");
        struct sb operand = {0};
        sb_add(&operand, "@%.*s", (int)n, p);
        if (!add_subject(s, sb_keep(&operand, &s->mem), o, e)) return false;
        p += n + (p[n] == ' ');
    }
    return true;
}

static bool study_read_subjects(struct study_experiment *s, const struct opts *o, struct err *e) {
    if (o->operands.n < 2 && !s->preset)
        return err_set(e, ERR_INPUT, "%s needs a program: FILE or @NAME", o->operands.v[0]);
    if (o->operands.n < 2 && !add_preset(s, o, e)) return false;
    for (size_t i = 1; i < o->operands.n; i++)
        if (!add_subject(s, o->operands.v[i], o, e)) return false;
    return subject_check(s->subjects.v, s->subjects.n, false, o, e);
}

bool study_experiment_options(struct study_experiment *s, const struct opts *o, struct experiment *x,
                              struct err *e) {
    s->x = x;
    s->json = opts_value(o, "json");
    s->csv = opts_value(o, "csv");
    s->db = opts_value(o, "db");
    s->quiet = opts_has(o, "quiet");
    s->markdown = opts_has(o, "markdown");
    s->data_on_stdout = outputs_on_stdout(o);
    return cli_jobs(o, &x->sweep.jobs, e) && read_response(s, o, &x->response, e) &&
           study_read_machine(s, o, x, e) && study_read_subjects(s, o, e);
}

static bool add_factor(struct study_experiment *s, const char *text, const char *option, struct err *e) {
    struct factor f;
    if (!factor_read(text, &s->mem, &f, e)) return err_set(e, ERR_INPUT, "--%s: %s", option, err_text(e));
    VEC_PUSH(&s->factors, f);
    return true;
}

bool study_experiment_factors(struct study_experiment *s, const struct opts *o, const char *option,
                              struct err *e) {
    for (size_t i = 0; i < opts_count(o, option); i++)
        if (!add_factor(s, opts_nth(o, option, i), option, e)) return false;
    for (size_t i = 0; s->preset && s->preset->row[i].factor; i++)
        if (!add_factor(s, s->preset->row[i].factor, option, e)) return false;
    return s->factors.n || err_set(e, ERR_INPUT, "--%s is missing: what is to be varied", option);
}

/* ---- the runs ---- */

bool study_experiment_prepare(struct study_experiment *s, struct err *e) {
    hd_config config = machine_config(&s->machine);
    for (size_t i = 0; i < s->subjects.n; i++) {
        struct sb name = {0};
        if (!subject_read(&s->subjects.v[i], e) || !subject_prepare(&s->subjects.v[i], &config, e))
            return false;
        lab_subject_name(&s->subjects.v[i].lab, &name);
        VEC_PUSH(&s->names, sb_keep(&name, &s->mem));
        VEC_PUSH(&s->programs, s->subjects.v[i].lab);
    }
    s->x->subjects = s->programs.v;
    s->x->nsubjects = s->programs.n;
    return factors_check(s->factors.v, s->factors.n, s->x, &s->mem, e);
}

static bool study_experiment_on_tick(void *user, const struct lab_progress *p) {
    struct study_experiment *s = user;
    char what[64];
    if (stop_asked(&s->stop)) return false;
    snprintf(what, sizeof what, "%zu of %zu simulations", p->stored + p->done, p->points);
    if (!s->quiet) progress_part(&s->progress, p->part, what);
    return true;
}

bool study_experiment_run(struct study_experiment *s, bool (*run)(void *user, struct err *e), void *user,
                          struct err *e) {
    struct lab_sweep *sweep = &s->x->sweep;
    sweep->tick = study_experiment_on_tick;
    sweep->user = s;
    s->cli->store = &sweep->store;
    if (!store_open(s->db, STORE_WRITE, &sweep->store, e)) return false;
    stop_hold(&s->stop, s->cli);
    progress_start(&s->progress, &s->cli->term);
    bool fine = run(user, e);
    progress_end(&s->progress);
    stop_release(&s->stop);
    return fine;
}

/* ---- how they ended ---- */

enum cli_exit study_experiment_failed(const struct study_experiment *s, const struct err *e) {
    struct sb text = {0};
    if (!stop_asked(&s->stop)) return cli_fail(s->cli, e);
    if (s->db)
        sb_add(&text, "stopped; %zu of %zu simulations are in %s, and the same command goes on from there",
               s->x->sweep.rows.rows.n, s->x->sweep.progress.points, s->db);
    else
        sb_add(&text, "stopped; nothing is kept without --db");
    term_error(&s->cli->term, s->cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

static enum cli_exit study_experiment_verdict(const struct study_experiment *s) {
    struct sb text = {0};
    for (size_t i = 0; i < s->x->nsubjects; i++) {
        if (!s->x->left_out[i]) continue;
        sb_add(&text, "%s is left out: %s", s->names.v[i], s->x->left_out[i]);
        term_warning(&s->cli->term, s->cli->command->name, text.text);
        sb_free(&text);
    }
    if (!s->x->wrong) return CLI_OK;
    sb_add(&text, "%zu of the simulations gave wrong results", s->x->wrong);
    term_error(&s->cli->term, s->cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

enum cli_exit study_experiment_results(const struct study_experiment *s,
                                       bool (*add_json)(const void *of, struct sb *out, struct err *e),
                                       void (*add_csv)(const void *of, struct sb *out),
                                       void (*add_text)(const void *of, struct sb *out), const void *of,
                                       struct err *e) {
    const struct cli_report r = {.json = s->json,
                                 .csv = s->csv,
                                 .silent = s->quiet || s->data_on_stdout,
                                 .add_json = add_json,
                                 .add_csv = add_csv,
                                 .add_text = add_text};
    return cli_report(s->cli, &r, of, e) ? study_experiment_verdict(s) : cli_fail(s->cli, e);
}

/* It is called before the points are freed; cli->store must not name a closed store. */
void study_experiment_free(struct study_experiment *s) {
    s->cli->store = NULL;
    if (s->x) store_close(s->x->sweep.store);
    for (size_t i = 0; i < s->subjects.n; i++) subject_free(&s->subjects.v[i]);
    VEC_FREE(&s->subjects);
    VEC_FREE(&s->programs);
    VEC_FREE(&s->names);
    VEC_FREE(&s->factors);
    machine_free(&s->machine);
    arena_free(&s->mem);
}

/* ---- for the reports ---- */

void study_experiment_title(const struct study_experiment *s, struct sb *out) {
    const struct experiment *x = s->x;
    experiment_response_name(x, out);
    sb_add(out, " on %s", x->config ? x->config : CONFIG_DEFAULT);
    for (size_t i = 0; x->counted == 1 && i < x->nsubjects; i++)
        if (!x->left_out[i]) sb_add(out, ", %s", s->names.v[i]);
    if (x->counted > 1)
        sb_add(out, ", %s mean over %zu programs", pivot_mean_names[x->response.mean], x->counted);
}

int study_experiment_digits(double size) {
    if (!(size > 0)) return 4;
    int digits = 3 - (int)floor(log10(size));
    return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

void study_experiment_table(const struct study_experiment *s, struct table *t, struct sb *out) {
    table_finish(t, s->markdown, 0, out);
}
