/* heddle config: the machine that a configuration and settings make, key by key. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/help.h"
#include "report/table.h"
#include "sim/config.h"
#include "subject/machine.h"

/* Options of a named configuration or file (NULL: the default machine), with the settings on top. */
static bool cmd_config_build(struct options *o, const char *name, const struct opts *given, struct err *e) {
    struct machine m;
    options_init(o);
    bool fine = machine_read(&m, name, given, e);
    for (size_t i = 0; i < m.settings.n && fine; i++)
        fine = options_set(o, m.settings.v[i].key, m.settings.v[i].value, OPTION_GIVEN, e);
    fine = fine && (!name || config_read(o, name, e)) && options_check(o, e);
    machine_free(&m);
    return fine;
}

static void show_with_help(const struct options *o, const struct term *t, struct sb *out) {
    for (size_t i = 0; i < o->nrows; i++) {
        const struct option_row *row = &o->rows[i];
        if (!i || strcmp(row->section, row[-1].section) != 0) {
            sb_add(out, "%s; ", i ? "\n" : "");
            options_section_title(row->section, out);
            sb_add(out, "\n");
        }
        sb_add(out, "%s%s%s = ", term_on(t, TERM_CYAN), row->key, term_on(t, TERM_PLAIN));
        option_print(row, o, out);
        sb_add(out, "  ; %s; accepts ", options_origin(o, i));
        option_accepts(row, out);
        sb_add(out, "%s%s\n    ", *row->unit ? ", in " : "", row->unit);
        help_wrap(out, row->help, 4, 4, t->width);
    }
}

static bool cmd_config_show(struct cli *c, const struct opts *o, struct sb *out, struct err *e) {
    struct options options;
    if (o->operands.n > 2) return err_set(e, ERR_INPUT, "config show takes one name, unlike config diff");
    bool fine = cmd_config_build(&options, o->operands.n > 1 ? o->operands.v[1] : NULL, o, e);
    if (fine && opts_has(o, "help-keys"))
        show_with_help(&options, &c->term, out);
    else if (fine)
        config_show(&options, out);
    options_free(&options);
    return fine;
}

static void cmd_config_differences(const struct options *a, const struct options *b, struct table *t) {
    for (size_t i = 0; i < a->nrows; i++) {
        struct sb x = {0}, y = {0};
        option_print(&a->rows[i], a, &x);
        option_print(&b->rows[i], b, &y);
        const char *left = x.text ? x.text : "", *right = y.text ? y.text : "";
        if (strcmp(left, right) != 0) {
            table_cell(t, "%s", a->rows[i].key);
            table_cell(t, "%s", *left ? left : "\"\"");
            table_cell(t, "%s", *right ? right : "\"\"");
        }
        sb_free(&x);
        sb_free(&y);
    }
}

static bool diff(struct cli *c, const struct opts *o, struct sb *out, struct err *e) {
    struct options a, b;
    struct table t;
    (void)c;
    if (o->operands.n != 3) return err_set(e, ERR_INPUT, "config diff takes two names or files");
    if (!cmd_config_build(&a, o->operands.v[1], o, e)) {
        options_free(&a);
        return false;
    }
    bool fine = cmd_config_build(&b, o->operands.v[2], o, e);
    table_init(&t, "lrr");
    table_cell(&t, "key");
    for (size_t i = 1; i < 3; i++) table_cell(&t, "%s", o->operands.v[i]);
    if (fine) cmd_config_differences(&a, &b, &t);
    if (fine) table_print(&t, 0, out);
    table_free(&t);
    options_free(&a);
    options_free(&b);
    return fine;
}

static const struct {
    const char *name;
    bool (*make)(struct cli *c, const struct opts *o, struct sb *out, struct err *e);
} actions[] = {{"show", cmd_config_show}, {"diff", diff}};
enum { ACTIONS = sizeof actions / sizeof *actions };

static enum cli_exit cmd_config_unknown(const struct cli *c, const char *word) {
    const char *names[ACTIONS + 1] = {0};
    for (size_t i = 0; i < ACTIONS; i++) names[i] = actions[i].name;
    return cli_unknown(c, "action", word, names, "show or diff");
}

enum cli_exit config_main(struct cli *c, const struct opts *o) {
    size_t i = 0;
    while (i < ACTIONS && strcmp(actions[i].name, o->operands.v[0]) != 0) i++;
    if (i == ACTIONS) return cmd_config_unknown(c, o->operands.v[0]);
    struct err e = {0};
    struct sb out = {0};
    enum cli_exit status = CLI_OK;
    if (actions[i].make(c, o, &out, &e))
        term_print(&c->term, &out);
    else
        status = cli_fail(c, &e);
    sb_free(&out);
    err_free(&e);
    return status;
}

/* ---- the command line ---- */

static const struct opt config_options[] = {
    {"set", 'S', true, "KEY=VALUE", "Set an option on top."},
    {"help-keys", 0, false, NULL, "With what each key means and accepts."},
    {0},
};
static const struct help_entry config_actions[] = {
    {"show [NAME|FILE]",
     "Every key with its value and where it comes from: default, the configuration, given. What it prints "
     "can be read back as a file. Without a name, the default machine."},
    {"diff NAME|FILE NAME|FILE", "The keys in which two machines differ."},
    {0},
};
static const struct help_section config_sections[] = {
    {"Actions", "", config_actions},
    {0},
};
static const struct help_entry config_examples[] = {
    {"heddle config show harp-fermi --set gpu.sms=4", "What machine is that, exactly?"},
    {"heddle config diff harp-fermi turing-rtx2060", "How do the two differ?"},
    {0},
};

const struct command command_config = {
    .name = "config",
    .operands = "ACTION [NAME|FILE]...",
    .min_operands = 1,
    .max_operands = 3,
    .summary = "show or compare machine configurations",
    .text = "Prints the machine that a configuration and settings make.",
    .options = config_options,
    .sections = config_sections,
    .examples = config_examples,
    .run = config_main,
};
