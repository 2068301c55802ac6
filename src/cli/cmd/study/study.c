/* heddle study: limits that no mechanism can beat, for kernels and workloads.
 *
 * All programs are read and tried first; then each is studied by itself, in parallel. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/study/study.h"
#include "cli/outputs.h"
#include "cli/stats_json.h"
#include "lab/run/pool.h"
#include "lab/study.h"
#include "report/table.h"
#include "report/text.h"
#include "subject/machine.h"
#include "subject/subject.h"
#include "value/demangle.h"

/* One program's study, of either kind. */
struct study_one {
    struct study_lanes lanes;
    struct study_reconvergence reconvergence;
    struct err err;
    bool fine;
};

struct study {
    struct cli *cli;
    bool lanes; /* else: reconvergence */
    const char *json;
    bool json_on_stdout, quiet;
    unsigned jobs;
    struct machine machine;
    hd_config config;
    VEC(struct subject) subjects;
    struct study_one *one;
    struct progress progress;
};

/* ---- options ---- */

bool study_only_options(const struct opts *o, const char *const *known, const char *why, struct err *e) {
    for (size_t i = 0; i < o->given.n; i++) {
        const char *name = o->given.v[i].opt->name;
        size_t k = 0;
        while (known[k] && strcmp(known[k], name) != 0) k++;
        if (!known[k]) return err_set(e, ERR_INPUT, "--%s: %s", name, why);
    }
    return true;
}

/* Every study; those without a function of their own are bounds, which are here. */
static const struct {
    const char *name;
    enum cli_exit (*run)(struct cli *c, const struct opts *o);
} studies[] = {
    {"oracle-lanes", NULL},        {"oracle-reconvergence", NULL},  {"progress", study_progress_main},
    {"table1", study_table1_main}, {"factors", study_factors_main}, {"sensitivity", study_sensitivity_main},
};
enum { STUDIES = sizeof studies / sizeof *studies };

static bool unknown_study(const char *name, struct err *e) {
    const char *names[STUDIES + 1] = {0};
    struct sb all = {0};
    for (size_t i = 0; i < STUDIES; i++) {
        names[i] = studies[i].name;
        sb_add(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = nearest_name(name, names);
    err_set(e, ERR_INPUT, "there is no study '%.60s': %s%s%s", name, near ? "did you mean '" : all.text,
            near ? near : "", near ? "'?" : "");
    sb_free(&all);
    return false;
}

/* Reads a study of the bounds; the others have their own mains. */
static bool read_kind(struct study *s, const char *name, const struct opts *o, struct err *e) {
    static const char *const known[] = {"config", "set",      "mech",  "kernel", "grid", "block",
                                        "shared", "arg",      "size",  "isa",    "jobs", "json",
                                        "csv",    "markdown", "quiet", NULL};
    s->lanes = !strcmp(name, "oracle-lanes");
    if (!s->lanes && strcmp(name, "oracle-reconvergence") != 0) return unknown_study(name, e);
    return study_only_options(o, known, "not of a bound; 'heddle study --help' says of which study it is", e);
}

static bool cmd_study_read_options(struct study *s, const struct opts *o, struct err *e) {
    const char *config = opts_value(o, "config"), *mech = opts_value(o, "mech");
    s->json = opts_value(o, "json");
    s->quiet = opts_has(o, "quiet");
    if (!read_kind(s, o->operands.v[0], o, e)) return false;
    if (o->operands.n < 2)
        return err_set(e, ERR_INPUT, "%s needs a program: FILE or @NAME", o->operands.v[0]);
    if (opts_has(o, "csv") || opts_has(o, "markdown"))
        return err_set(e, ERR_INPUT, "--%s is for grids, such as that of 'heddle study progress'",
                       opts_has(o, "csv") ? "csv" : "markdown");
    s->json_on_stdout = outputs_on_stdout(o);
    if (!cli_jobs(o, &s->jobs, e)) return false;
    if (mech && !s->lanes)
        return err_set(e, ERR_INPUT,
                       "--mech: oracle-reconvergence is measured by nrec and pdom, and nothing else");
    if (!machine_read(&s->machine,
                      config     ? config
                      : s->lanes ? NULL
                                 : "dwf-8800gtx",
                      o, e) ||
        !machine_choose(&s->machine, false, mech ? mech : "pdom", e))
        return false;
    s->config = machine_config(&s->machine);
    for (size_t i = 1; i < o->operands.n; i++) {
        struct subject one;
        bool fine = subject_options(&one, s->cli, o->operands.v[i], WORK_SMALL, o, e);
        VEC_PUSH(&s->subjects, one);
        if (!fine) return false;
    }
    return subject_check(s->subjects.v, s->subjects.n, false, o, e);
}

/* ---- the runs ---- */

static void study_run_one(void *user, size_t task) {
    struct study *s = user;
    struct study_one *one = &s->one[task];
    const struct lab_subject *subject = &s->subjects.v[task].lab;
    one->fine = s->lanes ? study_lanes(subject, &s->config, &one->lanes, &one->err)
                         : study_reconvergence(subject, &s->config, NULL, &one->reconvergence, &one->err);
}

static void study_on_tick(void *user) {
    struct study *s = user;
    progress_note(&s->progress, "studying");
}

static bool study_prepare(struct study *s, struct err *e) {
    for (size_t i = 0; i < s->subjects.n; i++)
        if (!subject_read(&s->subjects.v[i], e) || !subject_prepare(&s->subjects.v[i], &s->config, e))
            return false;
    s->one = xcalloc(s->subjects.n + 1, sizeof *s->one);
    return true;
}

static void study_simulate(struct study *s) {
    progress_start(&s->progress, &s->cli->term);
    lab_run_tasks(
        &(struct lab_tasks){
            .n = s->subjects.n, .run = study_run_one, .tick = s->quiet ? NULL : study_on_tick, .user = s},
        s->jobs);
    progress_end(&s->progress);
}

/* ---- the table ---- */

static double percent(uint64_t a, uint64_t b) {
    return b ? 100 * ((double)a / (double)b - 1) : 0;
}

static void study_count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    text_grouped(&text, v);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void lanes_row(struct table *t, const char *program, const struct study_lanes *s,
                      const struct lanes_row *r) {
    table_cell(t, "%s", program);
    demangle_cell(t, r->kernel);
    study_count_cell(t, r->launches);
    study_count_cell(t, r->insts);
    study_count_cell(t, r->issues);
    study_count_cell(t, r->fewest);
    table_cell(t, "%.1f %%", 100 * study_activity(s, r, r->issues));
    table_cell(t, "%.1f %%", 100 * study_activity(s, r, r->fewest));
    table_end_row(t);
}

static void reconvergence_row(struct table *t, const char *program, const struct reconvergence_row *r) {
    table_cell(t, "%s", program);
    demangle_cell(t, r->kernel);
    study_count_cell(t, r->launches);
    study_count_cell(t, r->insts);
    study_count_cell(t, r->nrec);
    study_count_cell(t, r->pdom);
    study_count_cell(t, r->oracle);
    table_cell(t, "%+.1f %%", percent(r->nrec, r->pdom));
    table_cell(t, "%+.1f %%", percent(r->pdom, r->oracle));
    table_end_row(t);
}

static void rows(const struct study *s, size_t k, const char *name, struct table *t) {
    const struct study_one *one = &s->one[k];
    size_t n = s->lanes ? one->lanes.rows.n : one->reconvergence.rows.n;
    struct sb readable = {0};
    demangle_text(name, &readable);
    for (size_t i = 0; i < n; i++) {
        const char *program = i ? "" : readable.text;
        if (s->lanes)
            lanes_row(t, program, &one->lanes, &one->lanes.rows.v[i]);
        else
            reconvergence_row(t, program, &one->reconvergence.rows.v[i]);
    }
    sb_free(&readable);
    if (n < 2) return;
    if (s->lanes)
        lanes_row(t, "", &one->lanes, &one->lanes.total);
    else
        reconvergence_row(t, "", &one->reconvergence.total);
}

static void study_heading(const struct study *s, struct table *t, struct sb *out) {
    if (s->lanes) {
        sb_add(out, "The fewest issues that could run a kernel when threads of a block are regrouped at will "
                    "but keep their\nlanes, and what that makes of lane activity (HARP 3.2).\n");
        table_init(t, "llrrrrrr");
        TABLE_HEAD(t, "program", "kernel", "launches", "thread insts", "issues", "fewest", "lanes", "bound");
    } else {
        sb_add(out,
               "Issues of the first %d threads of every launch in warps of %d: without reconvergence, at "
               "post-dominators, and by\nthe best alignment of their traces (DWF 3.3).\n",
               STUDY_THREADS, STUDY_WARP);
        table_init(t, "llrrrrrrr");
        TABLE_HEAD(t, "program", "kernel", "launches", "thread insts", "nrec", "pdom", "oracle", "pdom gains",
                   "oracle gains");
    }
}

static void study_report(const struct study *s, struct sb *out) {
    struct table t;
    study_heading(s, &t, out);
    for (size_t k = 0; k < s->subjects.n; k++) {
        struct sb name = {0};
        lab_subject_name(&s->subjects.v[k].lab, &name);
        if (s->one[k].fine) rows(s, k, name.text, &t);
        sb_free(&name);
    }
    table_print(&t, 0, out);
    table_free(&t);
}

/* ---- JSON ---- */

static json_t *lanes_json(const struct study_lanes *s, const struct lanes_row *r) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f}", "kernel", r->kernel, "launches",
                     (json_int_t)r->launches, "thread_insts", (json_int_t)r->insts, "issues",
                     (json_int_t)r->issues, "fewest", (json_int_t)r->fewest, "lane_activity",
                     study_activity(s, r, r->issues), "bound", study_activity(s, r, r->fewest));
}

static json_t *reconvergence_json(const struct reconvergence_row *r) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "kernel", r->kernel, "launches",
                     (json_int_t)r->launches, "thread_insts", (json_int_t)r->insts, "nrec",
                     (json_int_t)r->nrec, "pdom", (json_int_t)r->pdom, "oracle", (json_int_t)r->oracle);
}

static json_t *study_one_json(const struct study *s, size_t k) {
    const struct study_one *one = &s->one[k];
    json_t *o = json_object(), *kernels = json_array();
    struct sb name = {0};
    lab_subject_name(&s->subjects.v[k].lab, &name);
    json_object_set_new(o, "program", json_string(name.text));
    sb_free(&name);
    if (!one->fine) json_object_set_new(o, "error", json_string(err_text(&one->err)));
    if (s->lanes) {
        json_object_set_new(o, "warp_size", json_integer(one->lanes.width));
        for (size_t i = 0; i < one->lanes.rows.n; i++)
            json_array_append_new(kernels, lanes_json(&one->lanes, &one->lanes.rows.v[i]));
        json_object_set_new(o, "total", lanes_json(&one->lanes, &one->lanes.total));
    } else {
        for (size_t i = 0; i < one->reconvergence.rows.n; i++)
            json_array_append_new(kernels, reconvergence_json(&one->reconvergence.rows.v[i]));
        json_object_set_new(o, "total", reconvergence_json(&one->reconvergence.total));
    }
    json_object_set_new(o, "kernels", kernels);
    return o;
}

static bool write_json(const struct study *s, struct err *e) {
    struct sb text = {0};
    json_t *root = json_object(), *programs = json_array();
    for (size_t k = 0; k < s->subjects.n; k++) json_array_append_new(programs, study_one_json(s, k));
    json_object_set_new(root, "study", json_string(s->lanes ? "oracle-lanes" : "oracle-reconvergence"));
    json_object_set_new(root, "programs", programs);
    bool fine = stats_json_text(root, &text, e) && cli_write(s->cli, s->json, &text, NULL, NULL, e);
    sb_free(&text);
    return fine;
}

/* ---- all of it ---- */

static enum cli_exit study_results(struct study *s, struct err *e) {
    enum cli_exit worst = CLI_OK;
    struct sb text = {0};
    if (s->json && !write_json(s, e)) return cli_fail(s->cli, e);
    size_t ended = 0;
    for (size_t k = 0; k < s->subjects.n; k++) ended += s->one[k].fine;
    if (ended && !s->quiet && !s->json_on_stdout) study_report(s, &text);
    term_print(&s->cli->term, &text);
    sb_free(&text);
    for (size_t k = 0; k < s->subjects.n; k++) {
        if (s->one[k].fine) continue;
        struct err full = {.code = s->one[k].err.code};
        lab_subject_name(&s->subjects.v[k].lab, &full.text);
        sb_add(&full.text, ": %s", err_text(&s->one[k].err));
        enum cli_exit status = cli_fail(s->cli, &full);
        if (status > worst) worst = status;
        err_free(&full);
    }
    return worst;
}

static void study_free(struct study *s) {
    for (size_t k = 0; k < s->subjects.n; k++) {
        if (s->one) {
            study_lanes_free(&s->one[k].lanes);
            study_reconvergence_free(&s->one[k].reconvergence);
            err_free(&s->one[k].err);
        }
        subject_free(&s->subjects.v[k]);
    }
    VEC_FREE(&s->subjects);
    machine_free(&s->machine);
    free(s->one);
}

enum cli_exit study_main(struct cli *c, const struct opts *o) {
    struct study s = {.cli = c};
    struct err e = {0};
    enum cli_exit status;
    for (size_t i = 0; i < STUDIES; i++)
        if (studies[i].run && !strcmp(o->operands.v[0], studies[i].name)) return studies[i].run(c, o);
    if (!cmd_study_read_options(&s, o, &e))
        status = cli_usage(c, &e);
    else if (!study_prepare(&s, &e))
        status = cli_fail(c, &e);
    else {
        study_simulate(&s);
        status = study_results(&s, &e);
    }
    study_free(&s);
    err_free(&e);
    return status;
}
