/* The manual in man(7) and Markdown form. docs/heddle.1 and the option lists of docs/cli.md are this output,
 * committed; tests/cli/docs.sh fails when they differ. */
#include <ctype.h>
#include <string.h>

#include "cli/cmd/help.h"

/* roff reads a backslash, and a dot or quote that begins a line; a plain "-" would become a hyphen. */
static void roff(struct sb *out, const char *text) {
    if (*text == '.' || *text == '\'') sb_add(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            sb_add(out, "\\e");
        else if (*text == '-')
            sb_add(out, "\\-");
        else if (*text == '\'')
            sb_add(out, "\\(aq");
        else
            sb_addn(out, text, 1);
    }
}

static void roff_heading(struct sb *out, const char *macro, const char *title) {
    sb_add(out, ".%s \"", macro);
    for (; *title; title++) sb_add(out, "%c", !strcmp(macro, "SH") ? toupper((unsigned char)*title) : *title);
    sb_add(out, "\"\n");
}

/* Upper-case words of an option's value are what the reader replaces: italic, as manuals have it. */
static void roff_value(struct sb *out, const char *value) {
    while (*value) {
        size_t word = strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (word) sb_add(out, "\\fI%.*s\\fR", (int)word, value);
        value += word;
        char next[2] = {*value, 0};
        if (*value) roff(out, next), value++;
    }
}

static void roff_entries(struct sb *out, const struct help_entry *h) {
    for (; h->term; h++) {
        sb_add(out, ".TP\n\\fB");
        roff(out, h->term);
        sb_add(out, "\\fR\n");
        roff(out, h->text);
        sb_add(out, "\n");
    }
}

static void roff_sections(struct sb *out, const char *macro, const struct help_section *s) {
    for (; s->title; s++) {
        roff_heading(out, macro, s->title);
        if (*s->text) {
            roff(out, s->text);
            sb_add(out, "\n");
        }
        roff_entries(out, s->entries);
    }
}

static void roff_option(struct sb *out, const struct opt *o) {
    sb_add(out, ".TP\n");
    if (o->letter) sb_add(out, "\\fB\\-%c\\fR, ", o->letter);
    sb_add(out, "\\fB\\-\\-");
    roff(out, o->name);
    sb_add(out, "\\fR%s", o->value && !opts_optional(o) ? " " : "");
    if (o->value) roff_value(out, o->value);
    sb_add(out, "\n");
    struct sb text = {0};
    opts_text(o, &text);
    roff(out, text.text);
    sb_free(&text);
    sb_add(out, "\n");
}

static void roff_synopsis(struct sb *out, const struct command *c) {
    sb_add(out, ".HP\n\\fBheddle %s\\fR ", c->name);
    roff_value(out, c->operands);
    for (const struct opt *o = c->options; o->name; o++) {
        sb_add(out, "\n[\\fB\\-\\-");
        roff(out, o->name);
        sb_add(out, "\\fR%s", o->value && !opts_optional(o) ? "\\ " : "");
        if (o->value) roff_value(out, o->value);
        sb_add(out, "]%s", o->how & (OPT_REPEAT | OPT_LIST) ? "..." : "");
    }
    sb_add(out, "\n");
}

static void roff_command(struct sb *out, const struct command *c) {
    sb_add(out, ".SS \"heddle %s\"\n", c->name);
    roff(out, c->text);
    sb_add(out, "\n");
    for (const struct opt *o = c->options; o->name; o++) roff_option(out, o);
    for (const struct help_section *s = c->sections; s->title; s++) {
        sb_add(out, ".PP\n\\fB%s.\\fR\n", s->title);
        if (*s->text) {
            roff(out, s->text);
            sb_add(out, "\n");
        }
        sb_add(out, ".RS\n");
        roff_entries(out, s->entries);
        sb_add(out, ".RE\n");
    }
}

static void roff_examples(struct sb *out) {
    sb_add(out, ".SH EXAMPLES\n");
    for (const struct command *const *c = commands; *c; c++)
        for (const struct help_entry *h = (*c)->examples; h->term; h++) {
            sb_add(out, ".PP\n");
            roff(out, h->text);
            sb_add(out, "\n.RS 4\n.PP\n\\fB");
            roff(out, h->term);
            sb_add(out, "\\fR\n.RE\n");
        }
}

void help_man(struct sb *out) {
    sb_add(out, ".\\\" Made by 'heddle help --man' from the tables of src/cli/cmd; edits belong there.\n");
    sb_add(out, ".TH HEDDLE 1 \"\" \"heddle %s\" \"User Commands\"\n.nh\n.ad l\n", hd_version());
    sb_add(out, ".SH NAME\nheddle \\- run GPU kernels on a simulated SIMT processor\n.SH SYNOPSIS\n");
    for (const struct command *const *c = commands; *c; c++) roff_synopsis(out, *c);
    sb_add(out, ".SH DESCRIPTION\n");
    roff(out, help_description);
    sb_add(out,
           "\n.PP\nOptions and operands of a command may come in any order; \\fB\\-\\-\\fR ends the options. "
           "A value follows its option as the next word or after an equals sign. Every command takes "
           "\\fB\\-\\-help\\fR.\n.SH COMMANDS\n");
    for (const struct command *const *c = commands; *c; c++) roff_command(out, *c);
    roff_sections(out, "SH", help_general);
    roff_examples(out);
    sb_add(out, ".SH \"SEE ALSO\"\n.BR dot (1)\n.PP\nThe files \\fIdocs/cli.md\\fR, "
                "\\fIdocs/compare.md\\fR and \\fIdocs/inspect.md\\fR of the source show runs with "
                "their output.\n");
}

/* ---- Markdown ---- */

/* In a table a bar would end the cell, and an angle bracket begin a tag. */
static void markdown(struct sb *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            sb_add(out, "\\|");
        else if (*text == '<')
            sb_add(out, "&lt;");
        else
            sb_addn(out, text, 1);
    }
}

static void markdown_row(struct sb *out, const char *term, const char *text) {
    sb_add(out, "| `");
    for (; *term; term++) sb_add(out, *term == '|' ? "\\%c" : "%c", *term); /* the rest of code is literal */
    sb_add(out, "` | ");
    markdown(out, text);
    sb_add(out, " |\n");
}

void help_markdown(struct sb *out, const struct command *c) {
    struct sb term = {0}, text = {0};
    sb_add(out, "| option | |\n|---|---|\n");
    for (const struct opt *o = c->options; o->name; o++) {
        if (o->letter) sb_add(&term, "-%c, ", o->letter);
        sb_add(&term, "--%s%s%s", o->name, o->value && !opts_optional(o) ? " " : "",
               o->value ? o->value : "");
        opts_text(o, &text);
        markdown_row(out, term.text, text.text);
        sb_free(&text);
        sb_free(&term);
    }
    for (const struct help_section *s = c->sections; s->title; s++) {
        sb_add(&term, "**%s.**%s", s->title, *s->text ? " " : "");
        markdown(&term, s->text);
        sb_add(out, "\n");
        help_wrap(out, term.text, 0, 0, HELP_PAGE_WIDTH);
        sb_free(&term);
        if (s->entries->term) sb_add(out, "\n| | |\n|---|---|\n");
        for (const struct help_entry *h = s->entries; h->term; h++) markdown_row(out, h->term, h->text);
    }
}
