/* Aligned text. Widths count characters, not bytes: a UTF-8 continuation byte takes no column. */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

static size_t report_table_columns(const struct table *t) {
    return strlen(t->align);
}

static size_t display_width(const char *s) {
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

void table_init(struct table *t, const char *align) {
    *t = (struct table){.align = align};
    CHECK(*align);
}

void table_free(struct table *t) {
    for (size_t i = 0; i < t->cells.n; i++) free(t->cells.v[i]);
    VEC_FREE(&t->cells);
}

void table_head(struct table *t, const char *const *names) {
    t->heading = true;
    for (; *names; names++) table_cell(t, "%s", *names);
    table_end_row(t);
}

void table_cell(struct table *t, const char *fmt, ...) {
    struct sb cell = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&cell, fmt, ap);
    va_end(ap);
    VEC_PUSH(&t->cells, cell.text);
}

void table_end_row(struct table *t) {
    while (t->cells.n % report_table_columns(t)) table_cell(t, "%s", "");
}

size_t table_rows(const struct table *t) {
    return (t->cells.n + report_table_columns(t) - 1) / report_table_columns(t);
}

size_t table_width(const struct table *t, size_t c) {
    size_t widest = 0;
    for (size_t i = c; i < t->cells.n; i += report_table_columns(t)) {
        size_t w = display_width(t->cells.v[i]);
        if (w > widest) widest = w;
    }
    return widest;
}

static void report_table_pad(struct sb *out, size_t n) {
    if (n) sb_add(out, "%*s", (int)n, "");
}

static bool has_content(const struct table *t, size_t c) {
    for (size_t i = c + (t->heading ? report_table_columns(t) : 0); i < t->cells.n;
         i += report_table_columns(t))
        if (*t->cells.v[i]) return true;
    return false;
}

static void print_row(const struct table *t, size_t row, const size_t *width, struct sb *out) {
    size_t blanks = 0; /* owed before the next character, so that no row ends in any */
    for (size_t c = 0, i = row * report_table_columns(t); c < report_table_columns(t) && i < t->cells.n;
         c++, i++) {
        if (!width[c]) continue;
        size_t w = display_width(t->cells.v[i]), rest = width[c] - w;
        if (t->align[c] == 'r') blanks += rest;
        if (w) {
            report_table_pad(out, blanks);
            sb_add(out, "%s", t->cells.v[i]);
            blanks = 0;
        }
        blanks += (t->align[c] == 'r' ? 0 : rest) + 2;
    }
    sb_add(out, "\n");
}

void table_print(const struct table *t, int indent, struct sb *out) {
    size_t *width = xcalloc(report_table_columns(t), sizeof *width);
    for (size_t c = 0; c < report_table_columns(t); c++) width[c] = has_content(t, c) ? table_width(t, c) : 0;
    for (size_t r = 0; r < table_rows(t); r++) {
        report_table_pad(out, (size_t)indent);
        print_row(t, r, width, out);
    }
    free(width);
}

static void markdown_cell(const char *text, struct sb *out) {
    sb_add(out, "| ");
    for (const char *p = text; *p; p++) sb_add(out, *p == '|' ? "\\%c" : "%c", *p);
    sb_add(out, *text ? " " : "");
}

void table_markdown(const struct table *t, const char *const *names, struct sb *out) {
    const size_t n = report_table_columns(t), first = names ? 0 : n;
    bool *shown = xcalloc(n, sizeof *shown);
    for (size_t c = 0; c < n; c++) {
        shown[c] = !t->heading || has_content(t, c);
        if (shown[c]) markdown_cell(names ? names[c] : t->cells.v[c], out);
    }
    sb_add(out, "|\n");
    for (size_t c = 0; c < n; c++) sb_add(out, "%s", shown[c] ? "|---" : "");
    for (size_t i = first; i < t->cells.n; i++) {
        if (i % n == 0) sb_add(out, "|\n");
        if (shown[i % n]) markdown_cell(t->cells.v[i], out);
    }
    sb_add(out, "|\n");
    free(shown);
}

void table_finish(struct table *t, bool markdown, int indent, struct sb *out) {
    t->heading = true;
    if (markdown)
        table_markdown(t, NULL, out);
    else
        table_print(t, indent, out);
    table_free(t);
}
