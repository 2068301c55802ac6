/* heddle list: the tables that drive the program, as they are compiled in. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/help.h"
#include "report/table.h"
#include "sim/sim.h"
#include "workloads/workload.h"

/* One list: the heading of its columns and a row for each entry, the last column being prose. */
struct list {
    const char *const *columns;
    const char *joint; /* between the name and what follows it, where rows are printed with prose below */
    struct table table;
};

static const char *const option_columns[] = {"key", "default", "accepts", "meaning", NULL};
static const char *const stat_columns[] = {"name", "unit", "mechanism", "meaning", NULL};
static const char *const mechanism_columns[] = {"name", "title", "source", "runs", NULL};
static const char *const config_columns[] = {"name", "title", NULL};
static const char *const workload_columns[] = {"name", "origin", "divergence", "isa", "launch", "what", NULL};
static const char *const op_columns[] = {"name", "result", "operand", "class", "id", NULL};

static void list_options(struct list *l) {
    struct options o;
    options_init(&o);
    l->columns = option_columns;
    l->joint = " = ";
    table_init(&l->table, "llll");
    for (size_t i = 0; i < o.nrows; i++) {
        struct sb accepts = {0};
        option_accepts(&o.rows[i], &accepts);
        table_cell(&l->table, "%s", o.rows[i].key);
        table_cell(&l->table, "%s", o.rows[i].initial);
        table_cell(&l->table, "%s", accepts.text ? accepts.text : "");
        table_cell(&l->table, "%s", o.rows[i].help);
        sb_free(&accepts);
    }
    options_free(&o);
}

/* What a mechanism can run beyond structured code without calls. */
static void list_mechanisms(struct list *l) {
    static const struct {
        unsigned cap;
        const char *word;
    } caps[] = {{MECH_UNSTRUCTURED, "unstructured"},
                {MECH_IRREDUCIBLE, "irreducible"},
                {MECH_CALLS, "calls"},
                {MECH_INDIRECT, "indirect"},
                {MECH_RECURSION, "recursion"},
                {MECH_PROGRESS, "spin locks"}};
    l->columns = mechanism_columns;
    table_init(&l->table, "llll");
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct sb runs = {0};
        for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
            if ((*m)->caps & caps[i].cap) sb_add(&runs, "%s%s", runs.len ? ", " : "", caps[i].word);
        table_cell(&l->table, "%s", (*m)->name);
        table_cell(&l->table, "%s", (*m)->title);
        table_cell(&l->table, "%s", (*m)->source);
        table_cell(&l->table, "%s", runs.text ? runs.text : "");
        sb_free(&runs);
    }
}

static void list_configs(struct list *l) {
    l->columns = config_columns;
    table_init(&l->table, "ll");
    for (const struct config *c = config_list; c->name; c++) {
        table_cell(&l->table, "%s", c->name);
        table_cell(&l->table, "%s", c->title);
    }
}

static void table_isas(struct table *t, const struct workload *w) {
    struct sb isas = {0};
    for (enum work_isa i = WORK_PTX; i < WORK_ISAS; i++)
        if (workload_build(w, i)) sb_add(&isas, "%s%s", i ? ", " : "", work_isa_names[i]);
    table_cell(t, "%s", isas.text);
    sb_free(&isas);
}

static void list_workloads(struct list *l) {
    l->columns = workload_columns;
    l->joint = "  ";
    table_init(&l->table, "llllll");
    for (const struct workload *w = workload_list; w->name; w++) {
        table_cell(&l->table, "%s", w->name);
        table_cell(&l->table, "%s", w->origin);
        table_cell(&l->table, "%s", work_class_names[w->class]);
        table_isas(&l->table, w);
        table_cell(&l->table, "%s", w->launch);
        table_cell(&l->table, "%s", w->what);
    }
}

/* Lists the statistics of every run, then what each mechanism counts of its own. */
static void list_stats(struct list *l) {
    l->columns = stat_columns;
    l->joint = "  ";
    table_init(&l->table, "llll");
    for (int i = 0; i < STAT_COUNT; i++) {
        table_cell(&l->table, "%s", stat_rows[i].name);
        table_cell(&l->table, "%s", stat_rows[i].unit);
        table_cell(&l->table, "%s", "");
        table_cell(&l->table, "%s", stat_rows[i].meaning);
    }
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        for (const struct mech_counter *c = (*m)->counters; c && c->key; c++) {
            table_cell(&l->table, "%s.%s", (*m)->name, c->key);
            table_cell(&l->table, "%s", c->unit);
            table_cell(&l->table, "%s", (*m)->name);
            table_cell(&l->table, "%s", c->meaning);
        }
}

static void list_instructions(struct list *l) {
    l->columns = op_columns;
    table_init(&l->table, "lllll");
    for (int i = 0; i < IR_NOPS; i++) {
        table_cell(&l->table, "%s", ir_ops[i].name);
        table_cell(&l->table, "%s", ir_type_name[ir_ops[i].dtype]);
        table_cell(&l->table, "%s", ir_type_name[ir_ops[i].type]);
        table_cell(&l->table, "%s", ir_class_name[ir_ops[i].cls]);
        table_cell(&l->table, "%s", ir_ops[i].id);
    }
}

static const struct {
    const char *name;
    void (*make)(struct list *l);
    bool prose; /* the last column is sentences: printed below its row */
} topics[] = {
    {"mechanisms", list_mechanisms, false},
    {"configs", list_configs, false},
    {"workloads", list_workloads, false},
    {"options", list_options, true},
    {"stats", list_stats, true},
    {"instructions", list_instructions, false},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static size_t count_columns(const struct list *l) {
    size_t n = 0;
    while (l->columns[n]) n++;
    return n;
}

static void print_prose(const struct list *l, const struct term *t, struct sb *out) {
    size_t columns = count_columns(l);
    for (size_t i = 0; i < l->table.cells.n; i += columns) {
        sb_add(out, "%s%s%s", term_on(t, TERM_CYAN), l->table.cells.v[i], term_on(t, TERM_PLAIN));
        for (size_t c = 1; c + 1 < columns; c++)
            if (*l->table.cells.v[i + c])
                sb_add(out, "%s%s", c == 1 ? l->joint : "  ", l->table.cells.v[i + c]);
        sb_add(out, "\n    ");
        help_wrap(out, l->table.cells.v[i + columns - 1], 4, 4, t->width);
    }
}

static void print_json(const struct list *l, struct sb *out) {
    size_t columns = count_columns(l);
    json_t *a = json_array();
    for (size_t i = 0; i < l->table.cells.n; i += columns) {
        json_t *o = json_object();
        for (size_t c = 0; c < columns; c++)
            json_object_set_new(o, l->columns[c], json_string(l->table.cells.v[i + c]));
        json_array_append_new(a, o);
    }
    char *text = json_dumps(a, JSON_INDENT(2));
    json_decref(a);
    CHECK(text);
    sb_add(out, "%s\n", text);
    free(text);
}

static enum cli_exit cmd_list_unknown(const struct cli *c, const char *word) {
    const char *names[TOPICS + 1] = {0};
    for (size_t i = 0; i < TOPICS; i++) names[i] = topics[i].name;
    return cli_unknown(c, "topic", word, names,
                       "mechanisms, configs, workloads, options, stats or instructions");
}

static enum cli_exit two_forms(const struct cli *c) {
    struct err e = {0};
    err_set(&e, ERR_INPUT, "--json and --markdown are two forms of one list");
    cli_usage(c, &e);
    err_free(&e);
    return CLI_USAGE;
}

enum cli_exit list_main(struct cli *c, const struct opts *o) {
    size_t i = 0;
    while (i < TOPICS && strcmp(topics[i].name, o->operands.v[0]) != 0) i++;
    if (i == TOPICS) return cmd_list_unknown(c, o->operands.v[0]);
    if (opts_has(o, "json") && opts_has(o, "markdown")) return two_forms(c);
    struct list l = {0};
    struct sb out = {0};
    topics[i].make(&l);
    if (opts_has(o, "json"))
        print_json(&l, &out);
    else if (opts_has(o, "markdown"))
        table_markdown(&l.table, l.columns, &out);
    else if (topics[i].prose)
        print_prose(&l, &c->term, &out);
    else
        table_print(&l.table, 0, &out);
    term_print(&c->term, &out);
    table_free(&l.table);
    sb_free(&out);
    return CLI_OK;
}

/* ---- the command line ---- */

static const struct opt list_takes[] = {
    {"json", 0, false, NULL, "Print the list as JSON."},
    {"markdown", 0, false, NULL, "Print the list as a Markdown table."},
    {0},
};
static const struct help_entry list_topics[] = {
    {"mechanisms",
     "Control-flow mechanisms that --mech takes: name, title, where it is from, what it can run."},
    {"configs", "Machines that --config takes by name."},
    {"workloads", "Benchmarks that @NAME runs: name, where it was measured, how far its warps diverge, its "
                  "launch there, what it does."},
    {"options", "Keys that --set takes: default, accepted values, meaning."},
    {"stats", "Statistics of a run: name, unit, the mechanism it is of if not of all, meaning. These are the "
              "keys of --json."},
    {"instructions", "Operations of the intermediate form: name, types, class."},
    {0},
};
static const struct help_section list_sections[] = {
    {"Topics", "", list_topics},
    {0},
};

const struct command command_list = {
    .name = "list",
    .operands = "TOPIC",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "list mechanisms, configurations, workloads, options, statistics, instructions",
    .text = "Prints one of the tables that drive heddle.",
    .options = list_takes,
    .sections = list_sections,
    .examples = no_entries,
    .run = list_main,
};
