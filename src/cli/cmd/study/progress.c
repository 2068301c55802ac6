/* heddle study progress: which litmus kernels end under which mechanisms. A run that never ends costs no more than one that
 * does: the watchdog proves it, and a bound on cycles stops what can neither end nor be proved. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/study/study.h"
#include "cli/outputs.h"
#include "cli/stats_json.h"
#include "lab/litmus.h"
#include "lab/run/pool.h"
#include "report/csv.h"
#include "report/table.h"
#include "report/text.h"
#include "subject/machines.h"

/* Cycles after which a run is left alone that neither ended nor was proved never to: five times what the watchdog takes. */
#define BOUND "1000000"

struct study_progress {
    struct cli *cli;
    const char *json, *csv;
    bool data_on_stdout, quiet, markdown;
    unsigned jobs;
    struct machines machines;
    VEC(const struct litmus *) kernels;
    struct litmus_cell *cells; /* [mechanism][kernel] */
    uint64_t bound;            /* cycles, of the first machine */
    struct progress progress;
};

/* ---- options ---- */

static bool choose_kernels(struct study_progress *s, const struct opts *o, struct err *e) {
    for (size_t i = 1; i < o->operands.n; i++) {
        const struct litmus *l = litmus_find(o->operands.v[i], e);
        if (!l) return false;
        VEC_PUSH(&s->kernels, l);
    }
    for (const struct litmus *l = litmus_list; l->name && o->operands.n < 2; l++) VEC_PUSH(&s->kernels, l);
    return true;
}

static bool study_progress_read_options(struct study_progress *s, const struct opts *o, struct err *e) {
    static const char *const known[] = {"mech", "config",   "set",   "jobs", "json",
                                        "csv",  "markdown", "quiet", NULL};
    s->json = opts_value(o, "json");
    s->csv = opts_value(o, "csv");
    s->quiet = opts_has(o, "quiet");
    s->markdown = opts_has(o, "markdown");
    s->data_on_stdout = outputs_on_stdout(o);
    return study_only_options(o, known, "litmus kernels bring their launches and inputs", e) &&
           choose_kernels(s, o, e) && cli_jobs(o, &s->jobs, e) && machines_read(&s->machines, o, e);
}

/* ---- the runs ---- */

/* Also the check of their options. */
static bool bound_machine(struct study_progress *s, size_t machine, struct err *e) {
    struct lab_machine *m = &s->machines.v.v[machine];
    struct machine *settings = &s->machines.settings.v[machine];
    hd_device *dev = NULL;
    bool fine = lab_open(&m->config, &dev, e);
    int64_t bound = fine ? sim_options(dev)->gpu.max_cycles : 0;
    hd_device_close(dev);
    if (!fine) return false;
    if (!bound) machine_set(settings, "gpu.max_cycles", BOUND);
    m->config = machine_config(settings);
    if (!machine) s->bound = bound ? (uint64_t)bound : strtoull(BOUND, NULL, 10);
    return true;
}

static bool study_progress_prepare(struct study_progress *s, struct err *e) {
    for (size_t i = 0; i < s->machines.v.n; i++)
        if (!bound_machine(s, i, e)) return false;
    s->cells = xcalloc(s->machines.v.n * s->kernels.n + 1, sizeof *s->cells);
    return true;
}

static void study_progress_run_one(void *user, size_t task) {
    struct study_progress *s = user;
    litmus_run(s->kernels.v[task % s->kernels.n], &s->machines.v.v[task / s->kernels.n].config,
               &s->cells[task]);
}

static void study_progress_on_tick(void *user) {
    struct study_progress *s = user;
    progress_note(&s->progress, "running litmus kernels");
}

static void study_progress_simulate(struct study_progress *s) {
    progress_start(&s->progress, &s->cli->term);
    lab_run_tasks(&(struct lab_tasks){.n = s->machines.v.n * s->kernels.n,
                                      .run = study_progress_run_one,
                                      .tick = s->quiet ? NULL : study_progress_on_tick,
                                      .user = s},
                  s->jobs);
    progress_end(&s->progress);
}

static const struct litmus_cell *cell_of(const struct study_progress *s, size_t machine, size_t kernel) {
    return &s->cells[machine * s->kernels.n + kernel];
}

/* ---- the grid ---- */

static const char *const group_titles[] = {
    [LITMUS_LOCKS] = "Locks", [LITMUS_WAITS] = "Waiting for the other side", [LITMUS_BARRIERS] = "Barriers"};

static size_t in_group(const struct study_progress *s, enum litmus_group group) {
    size_t n = 0;
    for (size_t k = 0; k < s->kernels.n; k++) n += s->kernels.v[k]->group == group;
    return n;
}

static void heading_row(const struct study_progress *s, enum litmus_group group, struct table *t) {
    table_cell(t, "mechanism");
    for (size_t k = 0; k < s->kernels.n; k++)
        if (s->kernels.v[k]->group == group) table_cell(t, "%s", s->kernels.v[k]->name);
    table_end_row(t);
}

static void machine_row(const struct study_progress *s, enum litmus_group group, size_t machine,
                        struct table *t) {
    table_cell(t, "%s", s->machines.v.v[machine].name);
    for (size_t k = 0; k < s->kernels.n; k++)
        if (s->kernels.v[k]->group == group)
            table_cell(t, "%s", litmus_end_names[cell_of(s, machine, k)->end]);
    table_end_row(t);
}

static void group_table(const struct study_progress *s, enum litmus_group group, struct sb *out) {
    struct sb align = {0};
    struct table t;
    for (size_t i = 0; i <= in_group(s, group); i++) sb_add(&align, "l");
    table_init(&t, align.text);
    t.heading = true;
    heading_row(s, group, &t);
    for (size_t m = 0; m < s->machines.v.n; m++) machine_row(s, group, m, &t);
    if (s->markdown)
        sb_add(out, "%s\n\n", group_titles[group]);
    else
        sb_add(out, "%s%s%s\n", term_on(&s->cli->term, TERM_BOLD), group_titles[group],
               term_on(&s->cli->term, TERM_PLAIN));
    if (s->markdown)
        table_markdown(&t, NULL, out);
    else
        table_print(&t, 2, out);
    sb_add(out, "\n");
    table_free(&t);
    sb_free(&align);
}

/* ---- what the words mean here ---- */

static size_t study_progress_count(const struct study_progress *s, enum litmus_end end) {
    size_t n = 0;
    for (size_t i = 0; i < s->machines.v.n * s->kernels.n; i++) n += s->cells[i].end == end;
    return n;
}

static void add_refusals(const struct study_progress *s, struct sb *out) {
    for (size_t i = 0; i < s->machines.v.n * s->kernels.n; i++)
        if (s->cells[i].end == LITMUS_REFUSED)
            sb_add(out, "%s%s under %s: %s\n", s->markdown ? "- " : "  ",
                   s->kernels.v[i % s->kernels.n]->name, s->machines.v.v[i / s->kernels.n].name,
                   err_text(&s->cells[i].err));
}

static void legend(const struct study_progress *s, struct sb *out) {
    sb_add(out, "ends: every thread ended and memory is right\n");
    if (study_progress_count(s, LITMUS_DEADLOCK))
        sb_add(out, "deadlock: proved never to end, and to end if every thread runs on its own\n");
    if (study_progress_count(s, LITMUS_GOES_ON)) {
        sb_add(out, "goes on: in ");
        text_grouped(out, s->bound);
        sb_add(out, " cycles it neither ended nor was proved never to\n");
    }
    if (study_progress_count(s, LITMUS_REFUSED)) sb_add(out, "refused: the mechanism cannot run it:\n");
    add_refusals(s, out);
}

static void study_progress_report(const void *of, struct sb *out) {
    const struct study_progress *s = of;
    for (int g = 0; g < LITMUS_GROUPS; g++)
        if (in_group(s, (enum litmus_group)g)) group_table(s, (enum litmus_group)g, out);
    legend(s, out);
}

/* ---- files ---- */

static json_t *kernel_json(const struct litmus *l) {
    return json_pack("{s:s, s:s, s:s, s:i, s:i}", "kernel", l->name, "asks", l->what, "group",
                     group_titles[l->group], "blocks", (int)l->grid, "threads", (int)l->block);
}

static json_t *study_progress_cell_json(const struct study_progress *s, size_t machine, size_t kernel) {
    const struct litmus_cell *c = cell_of(s, machine, kernel);
    json_t *o = json_pack("{s:s, s:s, s:s, s:I}", "mechanism", s->machines.v.v[machine].name, "kernel",
                          s->kernels.v[kernel]->name, "outcome", litmus_end_names[c->end], "cycles",
                          (json_int_t)c->cycles);
    if (c->end != LITMUS_ENDS) json_object_set_new(o, "reason", json_string(err_text(&c->err)));
    return o;
}

static bool study_progress_add_json(const void *of, struct sb *out, struct err *e) {
    const struct study_progress *s = of;
    json_t *root = json_object(), *kernels = json_array(), *cells = json_array();
    for (size_t k = 0; k < s->kernels.n; k++) json_array_append_new(kernels, kernel_json(s->kernels.v[k]));
    for (size_t m = 0; m < s->machines.v.n; m++)
        for (size_t k = 0; k < s->kernels.n; k++)
            json_array_append_new(cells, study_progress_cell_json(s, m, k));
    json_object_set_new(root, "study", json_string("progress"));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "cells", cells);
    return stats_json_text(root, out, e);
}

/* Adds the first of the report's many lines. */
static void study_progress_add_csv(const void *of, struct sb *out) {
    const struct study_progress *s = of;
    static const char *const head[] = {"mechanism", "kernel", "outcome", "cycles", "reason"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t i = 0; i < s->machines.v.n * s->kernels.n; i++) {
        const struct litmus_cell *c = &s->cells[i];
        const char *why = err_text(&c->err);
        csv_cell(out, "%s", s->machines.v.v[i / s->kernels.n].name);
        csv_cell(out, "%s", s->kernels.v[i % s->kernels.n]->name);
        csv_cell(out, "%s", litmus_end_names[c->end]);
        csv_cell(out, "%" PRIu64, c->cycles);
        csv_cell(out, "%.*s", (int)strcspn(why, "\n"), why);
        csv_end_row(out);
    }
}

/* ---- all of it ---- */

/* A deadlock of a mechanism, a refusal and a bound are results; anything else is a failure. */
static enum cli_exit study_progress_verdicts(const struct study_progress *s) {
    enum cli_exit worst = CLI_OK;
    for (size_t i = 0; i < s->machines.v.n * s->kernels.n; i++) {
        const struct litmus_cell *c = &s->cells[i];
        if (c->end < LITMUS_NO_END) continue;
        struct err full = {.code = c->err.code};
        sb_add(&full.text, "%s under %s: %s", s->kernels.v[i % s->kernels.n]->name,
               s->machines.v.v[i / s->kernels.n].name, err_text(&c->err));
        enum cli_exit one = cli_fail(s->cli, &full);
        if (one > worst) worst = one;
        err_free(&full);
    }
    return worst;
}

static enum cli_exit study_progress_results(const struct study_progress *s, struct err *e) {
    const struct cli_report r = {.json = s->json,
                                 .csv = s->csv,
                                 .silent = s->quiet || s->data_on_stdout,
                                 .add_json = study_progress_add_json,
                                 .add_csv = study_progress_add_csv,
                                 .add_text = study_progress_report};
    return cli_report(s->cli, &r, s, e) ? study_progress_verdicts(s) : cli_fail(s->cli, e);
}

enum cli_exit study_progress_main(struct cli *c, const struct opts *o) {
    struct study_progress s = {.cli = c};
    struct err e = {0};
    enum cli_exit status;
    if (!study_progress_read_options(&s, o, &e))
        status = cli_usage(c, &e);
    else if (!study_progress_prepare(&s, &e))
        status = cli_fail(c, &e);
    else {
        study_progress_simulate(&s);
        status = study_progress_results(&s, &e);
    }
    for (size_t i = 0; s.cells && i < s.machines.v.n * s.kernels.n; i++) err_free(&s.cells[i].err);
    free(s.cells);
    VEC_FREE(&s.kernels);
    machines_free(&s.machines);
    err_free(&e);
    return status;
}
