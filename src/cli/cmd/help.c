/* Help for a terminal, and the help and version commands. */
#include "cli/cmd/help.h"
#include "cli/cmd/commands.h"

#include <string.h>

enum { MARGIN = 2, COLUMN = 28, MAX_WIDTH = 100 };

static int text_width(const struct term *t) {
    return t->width < MAX_WIDTH ? t->width : MAX_WIDTH;
}

static void spaces(struct sb *out, int n) {
    if (n > 0) sb_add(out, "%*s", n, "");
}

void help_wrap(struct sb *out, const char *text, int at, int indent, int width) {
    bool first = true;
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (!first && at + 1 + (int)n > width) {
            sb_add(out, "\n");
            spaces(out, indent);
            at = indent;
            first = true;
        }
        if (n) {
            sb_add(out, "%s%.*s", first ? "" : " ", (int)n, text);
            at += (int)n + !first;
            first = false;
        }
        text += n;
        if (*text) text++;
    }
    sb_add(out, "\n");
}

/* A command line, broken only before an option, each line but the last continued as a shell wants it. */
static void wrap_command(struct sb *out, const char *text, int width) {
    int at = MARGIN;
    for (bool first = true; *text; first = false) {
        const char *next = strstr(text + 1, " -");
        int n = (int)(next ? (size_t)(next - text) : strlen(text));
        if (!first && at + n + 2 > width) {
            sb_add(out, " \\\n");
            spaces(out, 2 * MARGIN - 1);
            at = 2 * MARGIN - 1;
        }
        sb_add(out, "%.*s", n, text);
        at += n;
        text += n;
    }
    sb_add(out, "\n");
}

/* A term at the margin and its text in the right column; a long term gets a line of its own. */
static void entry(struct sb *out, const struct term *t, const char *term, const char *text) {
    int at = MARGIN + (int)strlen(term);
    spaces(out, MARGIN);
    sb_add(out, "%s%s%s", term_on(t, TERM_CYAN), term, term_on(t, TERM_PLAIN));
    if (at + 2 > COLUMN) {
        sb_add(out, "\n");
        at = 0;
    }
    spaces(out, COLUMN - at);
    help_wrap(out, text, COLUMN, COLUMN, text_width(t));
}

static void help_heading(struct sb *out, const struct term *t, const char *title) {
    sb_add(out, "\n%s%s:%s\n", term_on(t, TERM_BOLD), title, term_on(t, TERM_PLAIN));
}

static void option(struct sb *out, const struct term *t, const struct opt *o) {
    struct sb term = {0};
    if (o->letter)
        sb_add(&term, "-%c, ", o->letter);
    else
        sb_add(&term, "    ");
    sb_add(&term, "--%s%s%s", o->name, o->value && !opts_optional(o) ? " " : "", o->value ? o->value : "");
    struct sb text = {0};
    opts_text(o, &text);
    entry(out, t, term.text, text.text);
    sb_free(&text);
    sb_free(&term);
}

static void sections(struct sb *out, const struct term *t, const struct help_section *s) {
    for (; s->title; s++) {
        help_heading(out, t, s->title);
        if (*s->text) {
            spaces(out, MARGIN);
            help_wrap(out, s->text, MARGIN, MARGIN, text_width(t));
        }
        for (const struct help_entry *h = s->entries; h->term; h++) entry(out, t, h->term, h->text);
    }
}

void help_command(struct sb *out, const struct term *t, const struct command *c) {
    sb_add(out, "%sUsage:%s heddle %s %s%s\n", term_on(t, TERM_BOLD), term_on(t, TERM_PLAIN), c->name,
           c->options->name ? "[OPTION]... " : "", c->operands);
    sb_add(out, "\n");
    help_wrap(out, c->text, 0, 0, text_width(t));
    help_heading(out, t, "Options");
    for (const struct opt *o = c->options; o->name; o++) option(out, t, o);
    option(out, t, &opts_help);
    sections(out, t, c->sections);
    if (c->examples->term) help_heading(out, t, "Examples");
    for (const struct help_entry *h = c->examples; h->term; h++) {
        spaces(out, MARGIN);
        wrap_command(out, h->term, text_width(t));
        spaces(out, 2 * MARGIN);
        help_wrap(out, h->text, 2 * MARGIN, 2 * MARGIN, text_width(t));
    }
}

void help_overview(struct sb *out, const struct term *t) {
    sb_add(out, "%sUsage:%s heddle COMMAND [OPTION]...\n\n", term_on(t, TERM_BOLD), term_on(t, TERM_PLAIN));
    help_wrap(out, help_description, 0, 0, text_width(t));
    help_heading(out, t, "Commands");
    for (const struct command *const *c = commands; *c; c++) {
        struct sb term = {0};
        sb_add(&term, "%s %s", (*c)->name, (*c)->operands);
        entry(out, t, term.text, (*c)->summary);
        sb_free(&term);
    }
    help_heading(out, t, "Options");
    entry(out, t, "-h, --help", "Show this help and exit; after a command, its own.");
    entry(out, t, "    --version", "Print the version and exit.");
    sections(out, t, help_general);
    sb_add(out, "\n'heddle COMMAND --help' says more; 'man heddle' is the manual.\n");
}

/* ---- the commands ---- */

static enum cli_exit wrong_forms(struct cli *c, const struct opts *o, const struct command *topic) {
    struct err e = {0};
    if (opts_has(o, "man") && (opts_has(o, "markdown") || topic))
        err_set(&e, ERR_INPUT, "--man stands alone: the man page holds every command");
    else if (opts_has(o, "markdown") && !topic)
        err_set(&e, ERR_INPUT, "--markdown needs a command");
    enum cli_exit x = e.code ? cli_usage(c, &e) : CLI_OK;
    err_free(&e);
    return x;
}

enum cli_exit help_main(struct cli *c, const struct opts *o) {
    const struct command *topic = NULL;
    if (o->operands.n && !(topic = command_find(o->operands.v[0]))) {
        struct err e = {0};
        command_unknown(o->operands.v[0], &e);
        cli_usage(c, &e);
        err_free(&e);
        return CLI_USAGE;
    }
    if (wrong_forms(c, o, topic)) return CLI_USAGE;
    struct sb out = {0};
    if (opts_has(o, "man"))
        help_man(&out);
    else if (opts_has(o, "markdown"))
        help_markdown(&out, topic);
    else if (topic)
        help_command(&out, &c->term, topic);
    else
        help_overview(&out, &c->term);
    term_print(&c->term, &out);
    sb_free(&out);
    return CLI_OK;
}

enum cli_exit version_main(struct cli *c, const struct opts *o) {
    (void)o;
    fprintf(c->term.out, "heddle %s\n", hd_version());
    return CLI_OK;
}

/* ---- the command line ---- */

static const struct opt help_options[] = {
    {"man", 0, false, NULL, "Print the whole manual as a man page."},
    {"markdown", 0, false, NULL, "Print the help of a command as Markdown."},
    {0},
};

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "show help on a command",
    .text = "Shows what 'heddle COMMAND --help' shows.",
    .options = help_options,
    .sections = no_sections,
    .examples = no_entries,
    .run = help_main,
};

static const struct opt no_options[] = {{0}};

const struct command command_version = {
    .name = "version",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .summary = "print the version",
    .text = "Prints the version.",
    .options = no_options,
    .sections = no_sections,
    .examples = no_entries,
    .run = version_main,
};
