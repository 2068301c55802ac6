/* What `heddle reproduce` shows: score, claims and figures as tables for people, and as Markdown for a page. */
#include <string.h>

#include "cli/cmd/help.h"
#include "cli/cmd/reproduce/reproduce.h"
#include "report/table.h"

/* "mu +12.3, mp -1.0": ours, and the paper's where it has one. */
static void add_values(const struct claim_result *r, struct sb *out) {
    for (size_t k = 0; k < r->values.n; k++) {
        const struct claim_value *v = &r->values.v[k];
        sb_add(out, "%s%s ", k ? ", " : "", v->workload);
        reproduce_value_ours(r, v, out);
        if (!v->has_paper && !v->way) continue;
        sb_add(out, " (");
        reproduce_value_paper(r, v, out);
        sb_add(out, ")%s", v->there && v->verdict == VERDICT_SIGN ? "!" : "");
    }
}

/* The sentence of the table and the computed ones. */
static void add_notes(const struct claim_result *r, struct sb *out) {
    const char *remark = claim_note(r->claim);
    sb_add(out, "%s", r->note.len ? r->note.text : "");
    if (remark) sb_add(out, "%s%s", out->len ? " " : "", remark);
}

/* What else there would be. */
static void add_isa(const struct reproduce *r, struct sb *out) {
    if (r->claims.isa == WORK_PTX) return;
    sb_add(out, "Programs compiled for %s", work_isa_names[r->claims.isa]);
    if (r->left_out)
        sb_add(out, "; %zu claim%s left out, which %s about others or about none", r->left_out,
               r->left_out == 1 ? " is" : "s are", r->left_out == 1 ? "is" : "are");
    sb_add(out, ".\n\n");
}

/* A few blocks leave most of a machine idle: what a mechanism gains or loses then says little about it. */
static void add_caution(const struct reproduce *r, int width, struct sb *out) {
    if (r->claims.size != WORK_TINY) return;
    help_wrap(
        out,
        "Caution: at size tiny the launches are too small to fill the machines. The figures show that the "
        "command works and mean little beside the papers'; without --size they can be compared.",
        0, 0, width);
    sb_add(out, "\n");
}

/* ---- for people ---- */

void reproduce_list(const struct reproduce *r, struct sb *out) {
    struct table t;
    table_init(&t, "llrlll");
    TABLE_HEAD(&t, "claim", "what", "paper", "basis", "source", "waits for");
    for (size_t i = 0; i < r->chosen.n; i++) {
        const struct claim *c = r->chosen.v[i];
        const char *waits = claim_waits(c);
        struct sb paper = {0};
        if (c->values)
            sb_add(&paper, "%s", c->values);
        else
            reproduce_paper(&(struct claim_result){.claim = c}, &paper);
        table_cell(&t, "%s", c->id);
        table_cell(&t, "%s", c->what);
        table_cell(&t, "%s", paper.text);
        table_cell(&t, "%s", claim_basis_names[c->basis]);
        table_cell(&t, "%s", c->source);
        table_cell(&t, "%s", waits ? waits : "");
        table_end_row(&t);
        sb_free(&paper);
    }
    table_print(&t, 0, out);
    table_free(&t);
}

static void reproduce_add_row(const struct claim_result *r, struct table *t) {
    void (*const cells[])(const struct claim_result *, struct sb *) = {reproduce_paper, reproduce_ours,
                                                                       reproduce_verdict};
    table_cell(t, "%s", r->claim->id);
    table_cell(t, "%s", r->claim->what);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct sb text = {0};
        cells[i](r, &text);
        table_cell(t, "%s", text.len ? text.text : "");
        sb_free(&text);
    }
    table_cell(t, "%s", claim_basis_names[r->claim->basis]);
    table_end_row(t);
}

/* Words that fit into the line, the rest below it. */
static void add_wrapped(struct sb *out, const char *text, int width, int indent) {
    int column = width;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column + 1 + n > width) {
            sb_add(out, "%s%*s", out->len && out->text[out->len - 1] != '\n' ? "\n" : "", indent, "");
            column = indent;
        } else {
            sb_add(out, " ");
            column++;
        }
        sb_addn(out, text, (size_t)n);
        column += n;
        text += n + (text[n] == ' ');
    }
    sb_add(out, "\n");
}

static void add_details(const struct reproduce *r, const struct claim_result *c, struct sb *out) {
    struct sb values = {0}, notes = {0};
    if (claim_waits(c->claim)) return;
    sb_add(out, "%s%s%s  %s; %s\n", term_on(&r->cli->term, TERM_BOLD), c->claim->id,
           term_on(&r->cli->term, TERM_PLAIN), c->claim->source, c->claim->how);
    add_values(c, &values);
    add_notes(c, &notes);
    if (values.len) add_wrapped(out, values.text, r->cli->term.width, 4);
    if (notes.len) add_wrapped(out, notes.text, r->cli->term.width, 4);
    sb_free(&values);
    sb_free(&notes);
}

static bool all_wait(const struct reproduce *r) {
    for (size_t i = 0; i < r->claims.n; i++)
        if (!claim_waits(r->claims.results[i].claim)) return false;
    return true;
}

static void add_score(const struct reproduce *r, bool markdown, struct sb *out) {
    struct table t;
    reproduce_score(r, &t);
    if (table_rows(&t) > 1) {
        if (markdown)
            table_markdown(&t, NULL, out);
        else
            table_print(&t, 0, out);
        sb_add(out, "\n");
    }
    table_free(&t);
}

static void main_table(const struct reproduce *r, struct table *t) {
    table_init(t, "llrrll");
    TABLE_HEAD(t, "claim", "what", "paper", "ours", "verdict", "basis");
    for (size_t i = 0; i < r->claims.n; i++) reproduce_add_row(&r->claims.results[i], t);
}

void reproduce_report(const struct reproduce *r, struct sb *out) {
    struct table t;
    add_isa(r, out);
    if (!all_wait(r)) add_caution(r, r->cli->term.width, out);
    if (!all_wait(r)) add_score(r, false, out);
    main_table(r, &t);
    table_print(&t, 0, out);
    table_free(&t);
    if (all_wait(r)) return;
    sb_add(out, "\nBy workload (size %s):\n", work_size_names[r->claims.size]);
    for (size_t i = 0; i < r->claims.n; i++) add_details(r, &r->claims.results[i], out);
}

/* ---- for a page ---- */

static void markdown_details(const struct claim_result *c, struct sb *out) {
    if (claim_waits(c->claim)) return;
    struct sb item = {0}, notes = {0};
    sb_add(&item, "- `%s`, %s: ", c->claim->id, c->claim->how);
    add_values(c, &item);
    sb_add(&item, ".");
    add_notes(c, &notes);
    if (notes.len) sb_add(&item, " *%s*", notes.text);
    help_wrap(out, item.text, 0, 2, HELP_PAGE_WIDTH);
    sb_free(&item);
    sb_free(&notes);
}

static void markdown_row(const struct claim_result *c, struct sb *out) {
    sb_add(out, "| `%s` | %s | %s | ", c->claim->id, c->claim->what, c->claim->source);
    reproduce_paper(c, out);
    sb_add(out, " | ");
    reproduce_ours(c, out);
    sb_add(out, " | ");
    struct sb verdict = {0};
    reproduce_verdict(c, &verdict);
    sb_add(out, "%s | %s |\n", verdict.len ? verdict.text : "", claim_basis_names[c->claim->basis]);
    sb_free(&verdict);
}

void reproduce_markdown(const struct reproduce *r, struct sb *out) {
    add_isa(r, out);
    if (!all_wait(r)) add_caution(r, HELP_PAGE_WIDTH, out);
    if (!all_wait(r)) add_score(r, true, out);
    sb_add(out,
           "| claim | what | source | paper | ours | verdict | basis |\n|---|---|---|---:|---:|---|---|\n");
    for (size_t i = 0; i < r->claims.n; i++) markdown_row(&r->claims.results[i], out);
    sb_add(out, "\nBy workload (size %s):\n\n", work_size_names[r->claims.size]);
    for (size_t i = 0; i < r->claims.n; i++) markdown_details(&r->claims.results[i], out);
}
