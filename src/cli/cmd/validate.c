/* heddle validate: what a machine's operations, accesses and transfers take, measured by micro-benchmarks, beside what was published
 * of the hardware. Without --config: every configuration of which something was. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/help.h"
#include "cli/outputs.h"
#include "cli/stats_json.h"
#include "lab/probe.h"
#include "lab/run/pool.h"
#include "lab/run/program.h"
#include "report/csv.h"
#include "report/table.h"
#include "subject/machine.h"

struct cell {
    const struct probe *probe;
    const struct published *published; /* NULL: none */
    double value;
    bool fine;
    struct err err;
};

/* One machine. */
struct column {
    const char *config;
    struct machine machine;
    hd_config options;
};

struct validate {
    struct cli *cli;
    const char *json, *csv;
    bool data_on_stdout, quiet, markdown;
    unsigned jobs;
    VEC(struct column) columns;
    VEC(const struct probe *) probes;
    struct cell *cells; /* by column, then by probe */
    struct progress progress;
};

/* ---- options ---- */

static bool validate_add_column(struct validate *v, const char *config, const struct opts *o, struct err *e) {
    struct column c = {.config = config};
    const bool fine = machine_read(&c.machine, config, o, e) && machine_choose(&c.machine, false, "pdom", e);
    VEC_PUSH(&v->columns, c);
    return fine;
}

/* All that something was published of, in the table's order. */
static bool add_columns(struct validate *v, const struct opts *o, struct err *e) {
    if (opts_value(o, "config")) return validate_add_column(v, opts_value(o, "config"), o, e);
    for (const struct published *p = published_list; p->config; p++)
        if ((p == published_list || strcmp(p->config, p[-1].config) != 0) &&
            !validate_add_column(v, p->config, o, e))
            return false;
    return true;
}

static bool validate_read_options(struct validate *v, const struct opts *o, struct err *e) {
    v->json = opts_value(o, "json");
    v->csv = opts_value(o, "csv");
    v->quiet = opts_has(o, "quiet");
    v->markdown = opts_has(o, "markdown");
    v->data_on_stdout = outputs_on_stdout(o);
    for (size_t i = 0; i < o->operands.n; i++) {
        const struct probe *p = probe_find(o->operands.v[i], e);
        if (!p) return false;
        VEC_PUSH(&v->probes, p);
    }
    for (const struct probe *p = probe_list; p->name && !o->operands.n; p++) VEC_PUSH(&v->probes, p);
    if (!add_columns(v, o, e)) return false;
    for (size_t i = 0; i < v->columns.n; i++)
        v->columns.v[i].options = machine_config(&v->columns.v[i].machine);
    return cli_jobs(o, &v->jobs, e);
}

/* Every machine must open: told once, not by each probe. */
static bool validate_prepare(struct validate *v, struct err *e) {
    for (size_t i = 0; i < v->columns.n; i++) {
        struct column *c = &v->columns.v[i];
        hd_device *dev = NULL;
        c->options = machine_config(&c->machine);
        const bool fine = lab_open(&c->options, &dev, e);
        hd_device_close(dev);
        if (!fine) return false;
    }
    return true;
}

/* ---- the runs ---- */

static struct cell *cell_at(const struct validate *v, size_t column, size_t probe) {
    return &v->cells[column * v->probes.n + probe];
}

static void validate_run_one(void *user, size_t task) {
    const struct validate *v = user;
    const struct column *c = &v->columns.v[task / v->probes.n];
    struct cell *cell = &v->cells[task];
    cell->probe = v->probes.v[task % v->probes.n];
    cell->published = published_find(c->config, cell->probe->name);
    cell->fine = probe_run(cell->probe, &c->options, &cell->value, &cell->err);
}

static void validate_on_tick(void *user) {
    struct validate *v = user;
    progress_note(&v->progress, "measuring");
}

static void validate_simulate(struct validate *v) {
    const size_t n = v->columns.n * v->probes.n;
    v->cells = xcalloc(n + 1, sizeof *v->cells);
    progress_start(&v->progress, &v->cli->term);
    lab_run_tasks(
        &(struct lab_tasks){
            .n = n, .run = validate_run_one, .tick = v->quiet ? NULL : validate_on_tick, .user = v},
        v->jobs);
    progress_end(&v->progress);
}

/* ---- the tables ---- */

static const char *validate_verdict(const struct cell *c) {
    if (!c->fine || !c->published) return "";
    if (c->published->percent == 0) return "for the record";
    return published_holds(c->published, c->value) ? "holds" : "OFF";
}

static void validate_add_table(const struct validate *v, size_t column, struct sb *out) {
    struct table t;
    table_init(&t, "lrlrll");
    TABLE_HEAD(&t, "probe", "ours", "unit", "published", "", "what");
    for (size_t i = 0; i < v->probes.n; i++) {
        const struct cell *c = cell_at(v, column, i);
        table_cell(&t, "%s", c->probe->name);
        if (c->fine)
            table_cell(&t, "%.*f", c->value < 100 ? 2 : 1, c->value);
        else
            table_cell(&t, "-");
        table_cell(&t, "%s", c->probe->unit);
        if (c->published)
            table_cell(&t, "%g", c->published->value);
        else
            table_cell(&t, "%s", "");
        table_cell(&t, "%s", validate_verdict(c));
        table_cell(&t, "%s", c->probe->what);
    }
    table_finish(&t, v->markdown, 2, out);
}

static bool known_source(const struct validate *v, size_t column, size_t probe) {
    const struct published *p = cell_at(v, column, probe)->published;
    for (size_t i = 0; i < probe; i++) {
        const struct published *before = cell_at(v, column, i)->published;
        if (before && !strcmp(before->source, p->source)) return true;
    }
    return false;
}

/* A line about a probe, wrapped. */
static void add_note(const struct validate *v, const struct cell *c, const char *text, struct sb *out) {
    struct sb line = {0};
    sb_add(&line, "%s: %s", c->probe->name, text);
    sb_add(out, "%s", v->markdown ? "- " : "  ");
    help_wrap(out, line.text, 2, 2, v->markdown ? HELP_PAGE_WIDTH : v->cli->term.width);
    sb_free(&line);
}

/* Sources, what the machine lacks, and why figures differ. */
static void add_notes(const struct validate *v, size_t column, struct sb *out) {
    for (size_t i = 0; i < v->probes.n; i++) {
        const struct cell *c = cell_at(v, column, i);
        if (c->published && !known_source(v, column, i)) add_note(v, c, c->published->source, out);
    }
    for (size_t i = 0; i < v->probes.n; i++) {
        const struct cell *c = cell_at(v, column, i);
        if (!c->fine && c->err.code == ERR_REFUSED) add_note(v, c, err_text(&c->err), out);
        if (c->published && c->published->note) add_note(v, c, c->published->note, out);
    }
}

static void validate_report(const void *of, struct sb *out) {
    const struct validate *v = of;
    for (size_t i = 0; i < v->columns.n; i++) {
        sb_add(out, v->markdown ? "%s### %s\n\n" : "%s%s\n", i ? "\n" : "", v->columns.v[i].config);
        validate_add_table(v, i, out);
        sb_add(out, "\n");
        add_notes(v, i, out);
    }
}

/* ---- files ---- */

static json_t *validate_cell_json(const struct cell *c) {
    json_t *o = json_pack("{s:s, s:s}", "probe", c->probe->name, "unit", c->probe->unit);
    json_object_set_new(o, "ours", c->fine ? json_real(c->value) : json_null());
    if (!c->fine) json_object_set_new(o, "reason", json_string(err_text(&c->err)));
    if (c->published) {
        json_object_set_new(o, "published", json_real(c->published->value));
        json_object_set_new(o, "source", json_string(c->published->source));
        json_object_set_new(o, "verdict", json_string(validate_verdict(c)));
    }
    return o;
}

static bool validate_add_json(const void *of, struct sb *out, struct err *e) {
    const struct validate *v = of;
    json_t *root = json_object(), *machines = json_array();
    for (size_t i = 0; i < v->columns.n; i++) {
        json_t *rows = json_array();
        for (size_t k = 0; k < v->probes.n; k++)
            json_array_append_new(rows, validate_cell_json(cell_at(v, i, k)));
        json_array_append_new(machines,
                              json_pack("{s:s, s:o}", "config", v->columns.v[i].config, "probes", rows));
    }
    json_object_set_new(root, "machines", machines);
    return stats_json_text(root, out, e);
}

static void csv_number(struct sb *out, bool there, double value) {
    if (there)
        csv_cell(out, "%.9g", value);
    else
        csv_cell(out, "%s", "");
}

static void validate_add_csv(const void *of, struct sb *out) {
    const struct validate *v = of;
    static const char *const head[] = {"config", "probe", "unit", "ours", "published", "verdict"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t i = 0; i < v->columns.n * v->probes.n; i++) {
        const struct cell *c = &v->cells[i];
        csv_cell(out, "%s", v->columns.v[i / v->probes.n].config);
        csv_cell(out, "%s", c->probe->name);
        csv_cell(out, "%s", c->probe->unit);
        csv_number(out, c->fine, c->value);
        csv_number(out, c->published != NULL, c->published ? c->published->value : 0);
        csv_cell(out, "%s", validate_verdict(c));
        csv_end_row(out);
    }
}

/* ---- all of it ---- */

/* A probe that failed, unless the machine lacks its part, and a figure that should hold and does not, are the status. */
static enum cli_exit validate_judge(const struct validate *v) {
    enum cli_exit worst = CLI_OK;
    for (size_t i = 0; i < v->columns.n * v->probes.n; i++) {
        const struct cell *c = &v->cells[i];
        enum cli_exit one = CLI_OK;
        if (!c->fine && c->err.code != ERR_REFUSED)
            one = cli_fail(v->cli, &c->err);
        else if (!strcmp(validate_verdict(c), "OFF"))
            one = CLI_FAILED;
        if (one > worst) worst = one;
    }
    return worst;
}

static enum cli_exit validate_results(const struct validate *v, struct err *e) {
    const struct cli_report r = {.json = v->json,
                                 .csv = v->csv,
                                 .silent = v->quiet || v->data_on_stdout,
                                 .add_json = validate_add_json,
                                 .add_csv = validate_add_csv,
                                 .add_text = validate_report};
    return cli_report(v->cli, &r, v, e) ? validate_judge(v) : cli_fail(v->cli, e);
}

static void validate_release(struct validate *v) {
    for (size_t i = 0; v->cells && i < v->columns.n * v->probes.n; i++) err_free(&v->cells[i].err);
    for (size_t i = 0; i < v->columns.n; i++) machine_free(&v->columns.v[i].machine);
    VEC_FREE(&v->columns);
    VEC_FREE(&v->probes);
    free(v->cells);
}

enum cli_exit validate_main(struct cli *c, const struct opts *o) {
    struct validate v = {.cli = c};
    struct err e = {0};
    enum cli_exit status;
    if (!validate_read_options(&v, o, &e))
        status = cli_usage(c, &e);
    else if (!validate_prepare(&v, &e))
        status = cli_fail(c, &e);
    else {
        validate_simulate(&v);
        status = validate_results(&v, &e);
    }
    validate_release(&v);
    err_free(&e);
    return status;
}

/* ---- the command line ---- */

static const struct opt validate_options[] = {
    MACHINE_ROWS,
    {"jobs", 'j', false, "N", "Probes at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each machine and probe to FILE."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry validate_probes[] = {
    {"latency.NAME",
     "Cycles from an operation, or a load from a level of memory, to one that needs its result."},
    {"rate.NAME", "Operations of threads that an SM full of threads completes in a cycle."},
    {"banks.N", "Cycles of a warp's load from shared memory with N threads at each bank it uses."},
    {"bandwidth.NAME",
     "Bytes read in a cycle from shared memory or L1 by an SM, from L2 by all; from DRAM, GB/s."},
    {"resident", "Threads that fit on an SM."},
    {0},
};
static const struct help_section validate_sections[] = {
    {"Probes",
     "Names choose among them; without one, all are measured. 'holds' and 'OFF' say whether ours is as near "
     "to the "
     "published figure as docs/validation.md asks; 'OFF' makes the exit status 1.",
     validate_probes},
    {0},
};
static const struct help_entry validate_examples[] = {
    {"heddle validate", "Every configuration of which figures were published."},
    {"heddle validate latency.l1 latency.l2 --config turing-rtx2060", "Two probes of one machine."},
    {"heddle validate bandwidth.dram --config harp-fermi --set dram.channels=8",
     "What does a wider memory give?"},
    {0},
};

const struct command command_validate = {
    .name = "validate",
    .operands = "[PROBE]...",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "measure a machine by micro-benchmarks, beside published figures of the hardware",
    .text = "Runs pointer chases, chains of dependent operations, streams, bank conflicts and atomics on a "
            "machine, as "
            "micro-benchmarks do on hardware, and prints what each takes beside what was published of the "
            "hardware that "
            "the configuration models.",
    .options = validate_options,
    .sections = validate_sections,
    .examples = validate_examples,
    .run = validate_main,
};
