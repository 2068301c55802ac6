/* A table of text: cells are added row by row, columns are as wide as their widest cell. */
#ifndef HEDDLE_REPORT_TABLE_H
#define HEDDLE_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/err.h"

struct table {
    const char *align; /* one letter for each column: 'l' left, 'r' right */
    bool heading;      /* the first row is one: a column with nothing below it is left out */
    VEC(char *) cells; /* row by row */
};

/* align must outlive the table; its length is the number of columns. */
void table_init(struct table *t, const char *align);
void table_free(struct table *t);
/* The first row as a heading: names, ended by NULL. */
void table_head(struct table *t, const char *const *names);
#define TABLE_HEAD(t, ...) table_head(t, (const char *const[]){__VA_ARGS__, NULL})
/* The next cell; cells of a row left out at its end are empty (table_end_row). */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_end_row(struct table *t);
size_t table_rows(const struct table *t);
/* Width of column c: its widest cell. */
size_t table_width(const struct table *t, size_t c);
/* All rows, each indented, columns two spaces apart, empty columns left out, nothing after the last character of a row. */
void table_print(const struct table *t, int indent, struct sb *out);
/* As a table of Markdown, columns left out as above; names: of the columns, where the first row is no heading, or else NULL. */
void table_markdown(const struct table *t, const char *const *names, struct sb *out);
/* Either of them, of a table whose first row is a heading; then it is freed. indent: of text. */
void table_finish(struct table *t, bool markdown, int indent, struct sb *out);

#endif
