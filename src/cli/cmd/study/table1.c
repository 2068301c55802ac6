/* heddle study table1: SL's Table 1 with ours beside it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/study/study.h"
#include "cli/outputs.h"
#include "cli/stats_json.h"
#include "lab/run/pool.h"
#include "lab/table1.h"
#include "report/csv.h"
#include "report/table.h"

struct study_table1 {
    struct cli *cli;
    const char *json, *csv;
    bool data_on_stdout, quiet, markdown;
    unsigned jobs;
    VEC(struct table1_row) rows; /* rows of the schemes that are there */
    struct progress progress;
};

static bool study_table1_read_options(struct study_table1 *s, const struct opts *o, struct err *e) {
    static const char *const known[] = {"jobs", "json", "csv", "markdown", "quiet", NULL};
    s->json = opts_value(o, "json");
    s->csv = opts_value(o, "csv");
    s->quiet = opts_has(o, "quiet");
    s->markdown = opts_has(o, "markdown");
    s->data_on_stdout = outputs_on_stdout(o);
    if (o->operands.n > 1)
        return err_set(e, ERR_INPUT, "table1 takes no program: it has its own (%.60s)", o->operands.v[1]);
    return study_only_options(o, known, "the table has its own mechanisms, machine and programs", e) &&
           cli_jobs(o, &s->jobs, e);
}

/* ---- the runs ---- */

static void study_table1_run_one(void *user, size_t task) {
    struct study_table1 *s = user;
    table1_run(s->rows.v[task].scheme, &s->rows.v[task]);
}

static void study_table1_on_tick(void *user) {
    struct study_table1 *s = user;
    progress_note(&s->progress, "running ten schemes");
}

static void study_table1_simulate(struct study_table1 *s) {
    for (const struct table1_scheme *t = table1_schemes; t->name; t++)
        if (table1_there(t)) VEC_PUSH(&s->rows, (struct table1_row){.scheme = t});
    progress_start(&s->progress, &s->cli->term);
    lab_run_tasks(&(struct lab_tasks){.n = s->rows.n,
                                      .run = study_table1_run_one,
                                      .tick = s->quiet ? NULL : study_table1_on_tick,
                                      .user = s},
                  s->jobs);
    progress_end(&s->progress);
}

/* ---- the grid ---- */

static void print_table(const struct study_table1 *s, struct table *t, struct sb *out) {
    table_finish(t, s->markdown, 0, out);
}

/* Two columns of the paper's, ours behind each, and what the paper has no column for. */
static void add_grid(const struct study_table1 *s, enum table1_column first, bool more, struct sb *out) {
    struct table t;
    table_init(&t, more ? "llllllll" : "llllll");
    const char *const names[] = {"scheme",
                                 "mechanism",
                                 table1_column_names[first],
                                 "ours",
                                 table1_column_names[first + 1],
                                 "ours",
                                 "unstructured",
                                 "irreducible"};
    for (size_t i = 0; i < (more ? 8 : 6); i++) table_cell(&t, "%s", names[i]);
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct table1_row *r = &s->rows.v[i];
        if (r->err.code) continue;
        table_cell(&t, "%s", r->scheme->name);
        table_cell(&t, "%s", r->scheme->mech);
        for (enum table1_column c = first; c <= first + 1; c++) {
            table_cell(&t, "%s", r->scheme->paper[c]);
            table_cell(&t, "%s", r->ours[c]);
        }
        if (!more) continue;
        table_cell(&t, "%s", r->unstructured);
        table_cell(&t, "%s", r->irreducible);
    }
    print_table(s, &t, out);
}

static void study_table1_report(const void *of, struct sb *out) {
    const struct study_table1 *s = of;
    unsigned same = 0;
    for (size_t i = 0; i < s->rows.n; i++) same += table1_agrees(&s->rows.v[i]);
    add_grid(s, TABLE1_TRAVERSAL, false, out);
    sb_add(out, "\n");
    add_grid(s, TABLE1_RECURSION, true, out);
    sb_add(out, "\n%u of %zu cells of SL's Table 1 are as in the paper.\n", same, s->rows.n * TABLE1_COLUMNS);
}

/* ---- files ---- */

static json_t *study_table1_row_json(const struct table1_row *r) {
    json_t *o = json_pack("{s:s, s:s}", "scheme", r->scheme->name, "mechanism", r->scheme->mech);
    if (r->err.code) {
        json_object_set_new(o, "error", json_string(err_text(&r->err)));
        return o;
    }
    for (int c = 0; c < TABLE1_COLUMNS; c++)
        json_object_set_new(o, table1_column_names[c],
                            json_pack("{s:s, s:s}", "paper", r->scheme->paper[c], "ours", r->ours[c]));
    json_object_set_new(o, "unstructured", json_string(r->unstructured));
    json_object_set_new(o, "irreducible", json_string(r->irreducible));
    return o;
}

static bool study_table1_add_json(const void *of, struct sb *out, struct err *e) {
    const struct study_table1 *s = of;
    json_t *root = json_object(), *rows = json_array();
    for (size_t i = 0; i < s->rows.n; i++) json_array_append_new(rows, study_table1_row_json(&s->rows.v[i]));
    json_object_set_new(root, "study", json_string("table1"));
    json_object_set_new(root, "schemes", rows);
    return stats_json_text(root, out, e);
}

/* A row for each cell. */
static void study_table1_add_csv(const void *of, struct sb *out) {
    const struct study_table1 *s = of;
    static const char *const head[] = {"scheme", "mechanism", "column", "paper", "ours"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t i = 0; i < s->rows.n; i++)
        for (int c = 0; !s->rows.v[i].err.code && c < TABLE1_COLUMNS; c++) {
            const struct table1_row *r = &s->rows.v[i];
            csv_cell(out, "%s", r->scheme->name);
            csv_cell(out, "%s", r->scheme->mech);
            csv_cell(out, "%s", table1_column_names[c]);
            csv_cell(out, "%s", r->scheme->paper[c]);
            csv_cell(out, "%s", r->ours[c]);
            csv_end_row(out);
        }
}

/* ---- all of it ---- */

static enum cli_exit study_table1_results(const struct study_table1 *s, struct err *e) {
    const struct cli_report r = {.json = s->json,
                                 .csv = s->csv,
                                 .silent = s->quiet || s->data_on_stdout,
                                 .add_json = study_table1_add_json,
                                 .add_csv = study_table1_add_csv,
                                 .add_text = study_table1_report};
    enum cli_exit worst = CLI_OK;
    if (!cli_report(s->cli, &r, s, e)) return cli_fail(s->cli, e);
    for (size_t i = 0; i < s->rows.n; i++) {
        if (!s->rows.v[i].err.code) continue;
        enum cli_exit one = cli_fail(s->cli, &s->rows.v[i].err);
        if (one > worst) worst = one;
    }
    return worst;
}

enum cli_exit study_table1_main(struct cli *c, const struct opts *o) {
    struct study_table1 s = {.cli = c};
    struct err e = {0};
    enum cli_exit status;
    if (!study_table1_read_options(&s, o, &e))
        status = cli_usage(c, &e);
    else {
        study_table1_simulate(&s);
        status = study_table1_results(&s, &e);
    }
    for (size_t i = 0; i < s.rows.n; i++) table1_free(&s.rows.v[i]);
    VEC_FREE(&s.rows);
    err_free(&e);
    return status;
}
