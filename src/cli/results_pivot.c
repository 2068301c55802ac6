/* One statistic of every point as a table (lab/pivot.h), as text, CSV and JSON. Where there is no number, the text says why:
 * "-" no such point or statistic, "failed", "wrong". */
#include <stdlib.h>

#include "cli/results.h"
#include "report/csv.h"
#include "report/table.h"

bool results_pivot_make(struct results *r, struct err *e) {
    size_t n = r->chosen.n;
    struct pivot_cell *points = xcalloc(n + 1, sizeof *points);
    for (size_t i = 0; i < n; i++) {
        const struct store_row *row = r->chosen.v[i];
        points[i].row = row;
        points[i].has = row->state == STORE_GOOD && results_number(row, &r->values.v[0], &points[i].value);
    }
    r->pivot.rows = (struct pivot_axes){r->row_axes.v, r->row_axes.n};
    r->pivot.cols = (struct pivot_axes){r->col_axes.v, r->col_axes.n};
    bool fine = pivot_make(&r->pivot, points, n, e) &&
                (!r->relative_to || pivot_relative(&r->pivot, r->relative_to, e));
    free(points);
    return fine;
}

/* ---- text ---- */

void results_pivot_number(const struct results *r, double value, struct sb *out) {
    if (r->relative_to)
        sb_add(out, "%.3f", value);
    else
        results_show(r->values.v[0].name, value, out);
}

static void body_cell(const struct results *r, struct table *t, const struct pivot_cell *c) {
    struct sb text = {0};
    if (c->has)
        results_pivot_number(r, c->value, &text);
    else
        sb_add(&text, "%s", c->row && c->row->state != STORE_GOOD ? store_state_names[c->row->state] : "-");
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void mean_cell(const struct results *r, struct table *t, size_t col) {
    struct sb text = {0};
    double mean;
    size_t n;
    if (pivot_mean(&r->pivot, r->mean, col, &mean, &n))
        results_pivot_number(r, mean, &text);
    else
        sb_add(&text, "-");
    if (n && n < r->pivot.row_heads.n) sb_add(&text, " of %zu", n);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void mean_row(const struct results *r, struct table *t) {
    table_cell(t, "%s mean", pivot_mean_names[r->mean]);
    for (size_t a = 1; a < r->row_axes.n; a++) table_cell(t, "%s", "");
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) mean_cell(r, t, c);
}

static void head_cells(const struct results *r, struct table *t) {
    for (size_t a = 0; a < r->row_axes.n; a++) table_cell(t, "%s", r->row_axes.v[a]);
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) {
        struct sb label = {0};
        pivot_label(&r->pivot.cols, r->pivot.col_heads.v[c], &label);
        table_cell(t, "%s", label.text);
        sb_free(&label);
    }
}

void results_pivot_text(const struct results *r, struct sb *out) {
    const struct pivot *p = &r->pivot;
    struct sb align = {0};
    struct table t;
    for (size_t a = 0; a < r->row_axes.n; a++) sb_add(&align, "l");
    for (size_t c = 0; c < p->col_heads.n; c++) sb_add(&align, "r");
    sb_add(out, "%s%s%s%s%s%s\n", term_on(&r->cli->term, TERM_BOLD), r->values.v[0].name,
           term_on(&r->cli->term, TERM_PLAIN), r->relative_to ? " over that of " : "",
           r->relative_to ? r->relative_to : "", p->row_heads.n ? "" : ": no points");
    table_init(&t, align.text);
    head_cells(r, &t);
    for (size_t row = 0; row < p->row_heads.n; row++) {
        for (size_t a = 0; a < r->row_axes.n; a++)
            table_cell(&t, "%s", store_place(p->row_heads.v[row], r->row_axes.v[a]));
        for (size_t c = 0; c < p->col_heads.n; c++) body_cell(r, &t, pivot_cell(p, row, c));
    }
    if (r->mean && p->row_heads.n) mean_row(r, &t);
    if (p->row_heads.n) table_print(&t, 2, out);
    table_free(&t);
    sb_free(&align);
}

/* ---- files ---- */

/* As it is stored, unless it is a quotient. */
static void exact(const struct results *r, const struct pivot_cell *c, struct sb *out) {
    if (c->has && r->relative_to)
        sb_add(out, "%.12g", c->value);
    else if (c->has)
        results_exact(c->row, &r->values.v[0], out);
}

static void csv_head(const struct results *r, struct sb *out) {
    for (size_t a = 0; a < r->row_axes.n; a++) csv_cell(out, "%s", r->row_axes.v[a]);
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) {
        struct sb label = {0};
        pivot_label(&r->pivot.cols, r->pivot.col_heads.v[c], &label);
        csv_cell(out, "%s", label.text);
        sb_free(&label);
    }
    csv_end_row(out);
}

static void csv_mean(const struct results *r, struct sb *out) {
    csv_cell(out, "%s mean", pivot_mean_names[r->mean]);
    for (size_t a = 1; a < r->row_axes.n; a++) csv_cell(out, "%s", "");
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) {
        double mean;
        size_t n;
        if (pivot_mean(&r->pivot, r->mean, c, &mean, &n))
            csv_cell(out, "%.12g", mean);
        else
            csv_cell(out, "%s", "");
    }
    csv_end_row(out);
}

void results_pivot_csv(const struct results *r, struct sb *out) {
    const struct pivot *p = &r->pivot;
    csv_head(r, out);
    for (size_t row = 0; row < p->row_heads.n; row++) {
        for (size_t a = 0; a < r->row_axes.n; a++)
            csv_cell(out, "%s", store_place(p->row_heads.v[row], r->row_axes.v[a]));
        for (size_t c = 0; c < p->col_heads.n; c++) {
            struct sb text = {0};
            exact(r, pivot_cell(p, row, c), &text);
            csv_cell(out, "%s", text.text ? text.text : "");
            sb_free(&text);
        }
        csv_end_row(out);
    }
    if (r->mean) csv_mean(r, out);
}

static json_t *cell_json(const struct results *r, const struct pivot_cell *c) {
    if (!c->has) return json_null();
    return r->relative_to ? json_real(c->value) : results_json(c->row, &r->values.v[0]);
}

/* An object with a member for each column. */
static json_t *row_json(const struct results *r, size_t row) {
    const struct pivot *p = &r->pivot;
    json_t *out = json_object(), *cells = json_object();
    for (size_t a = 0; a < r->row_axes.n; a++)
        json_object_set_new(out, r->row_axes.v[a],
                            json_string(store_place(p->row_heads.v[row], r->row_axes.v[a])));
    for (size_t c = 0; c < p->col_heads.n; c++) {
        struct sb label = {0};
        pivot_label(&p->cols, p->col_heads.v[c], &label);
        json_object_set_new(cells, label.text, cell_json(r, pivot_cell(p, row, c)));
        sb_free(&label);
    }
    json_object_set_new(out, "cells", cells);
    return out;
}

static json_t *mean_json(const struct results *r) {
    const struct pivot *p = &r->pivot;
    json_t *cells = json_object();
    for (size_t c = 0; c < p->col_heads.n; c++) {
        struct sb label = {0};
        double mean;
        size_t n;
        bool has = pivot_mean(p, r->mean, c, &mean, &n);
        pivot_label(&p->cols, p->col_heads.v[c], &label);
        json_object_set_new(cells, label.text, has ? json_real(mean) : json_null());
        sb_free(&label);
    }
    return cells;
}

json_t *results_pivot_json(const struct results *r) {
    json_t *root = json_object(), *rows = json_array();
    json_object_set_new(root, "value", json_string(r->values.v[0].name));
    if (r->relative_to) json_object_set_new(root, "relative_to", json_string(r->relative_to));
    for (size_t i = 0; i < r->pivot.row_heads.n; i++) json_array_append_new(rows, row_json(r, i));
    json_object_set_new(root, "rows", rows);
    if (r->mean) {
        json_object_set_new(root, "mean", json_string(pivot_mean_names[r->mean]));
        json_object_set_new(root, "means", mean_json(r));
    }
    return root;
}
