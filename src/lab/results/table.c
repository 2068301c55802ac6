/* One statistic of every point as a table (lab/store/pivot.h), as text, CSV and JSON. Where there is no number, the text says why:
 * "-" no such point or statistic, "failed", "wrong". */
#include <stdlib.h>

#include "lab/results/results.h"
#include "report/csv.h"
#include "report/table.h"

/* The points' values of one statistic, laid out. */
static bool lay_out(struct results *r, const struct results_value *v, struct pivot *p, struct err *e) {
    size_t n = r->chosen.n;
    struct pivot_point *points = xcalloc(n + 1, sizeof *points);
    for (size_t i = 0; i < n; i++) {
        const struct store_row *row = r->chosen.v[i];
        points[i].row = row;
        points[i].has = row->state == STORE_GOOD && results_number(row, v, &points[i].value);
    }
    p->rows = (struct pivot_axes){r->row_axes.v.v, r->row_axes.v.n};
    p->cols = (struct pivot_axes){r->col_axes.v.v, r->col_axes.v.n};
    p->over = (struct pivot_axes){r->over_axes.v.v, r->over_axes.v.n};
    p->over_mean = r->over_mean;
    bool fine = pivot_make(p, points, n, e);
    free(points);
    return fine;
}

/* Makes the tables: of a scatter plot both statistics; only the one upwards is divided. */
bool results_pivot_make(struct results *r, struct err *e) {
    return lay_out(r, &r->values.v[0], &r->pivot, e) &&
           (r->plot != PLOT_SCATTER || lay_out(r, &r->values.v[1], &r->x_pivot, e)) &&
           (!r->relative_to || pivot_relative(&r->pivot, r->relative_to, e));
}

/* ---- spread ---- */

void results_over_text(const struct results *r, struct sb *out) {
    sb_add(out, "%s mean over ", pivot_mean_names[r->over_mean ? r->over_mean : PIVOT_ARITHMETIC]);
    for (size_t i = 0; i < r->over_axes.v.n; i++) sb_add(out, "%s%s", i ? ", " : "", r->over_axes.v.v[i]);
}

bool results_spread_of(const struct results *r, const struct pivot_cell *c, double *low, double *high) {
    if (!r->over_axes.v.n || !c->has || c->n < 2) return false;
    *low = r->spread == SPREAD_RANGE ? c->low : c->value - c->deviation;
    *high = r->spread == SPREAD_RANGE ? c->high : c->value + c->deviation;
    return true;
}

/* ---- text ---- */

void results_pivot_number(const struct results *r, double value, struct sb *out) {
    if (r->relative_to)
        sb_add(out, "%.3f", value);
    else
        results_show(r->values.v[0].name, value, out);
}

/* "2.125 2.100..2.150" or "2.125 +-0.025". */
static void spread_text(const struct results *r, const struct pivot_cell *c, struct sb *out) {
    double low, high;
    if (!results_spread_of(r, c, &low, &high)) return;
    sb_add(out, "%s", r->spread == SPREAD_RANGE ? " " : " +-");
    results_pivot_number(r, r->spread == SPREAD_RANGE ? low : c->deviation, out);
    if (r->spread == SPREAD_DEVIATION) return;
    sb_add(out, "..");
    results_pivot_number(r, high, out);
}

static void body_cell(const struct results *r, struct table *t, const struct pivot_cell *c) {
    struct sb text = {0};
    if (c->has) {
        results_pivot_number(r, c->value, &text);
        spread_text(r, c, &text);
        if (c->n < c->points) sb_add(&text, " of %zu", c->n);
    } else {
        sb_add(&text, "%s", c->row && c->row->state != STORE_GOOD ? store_state_names[c->row->state] : "-");
    }
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
    for (size_t a = 1; a < r->row_axes.v.n; a++) table_cell(t, "%s", "");
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) mean_cell(r, t, c);
}

static void head_cells(const struct results *r, struct table *t) {
    for (size_t a = 0; a < r->row_axes.v.n; a++) table_cell(t, "%s", r->row_axes.v.v[a]);
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
    for (size_t a = 0; a < r->row_axes.v.n; a++) sb_add(&align, "l");
    for (size_t c = 0; c < p->col_heads.n; c++) sb_add(&align, "r");
    sb_add(out, "%s", term_on(&r->cli->term, TERM_BOLD));
    sb_add(out, "%s%s%s%s", r->values.v[0].name, term_on(&r->cli->term, TERM_PLAIN),
           r->relative_to ? " over that of " : "", r->relative_to ? r->relative_to : "");
    if (r->over_axes.v.n) {
        sb_add(out, ", ");
        results_over_text(r, out);
        sb_add(out, "; %s", r->spread == SPREAD_RANGE ? "smallest..largest" : "+- standard deviation");
    }
    sb_add(out, "%s\n", p->row_heads.n ? "" : ": no points");
    table_init(&t, align.text);
    head_cells(r, &t);
    for (size_t row = 0; row < p->row_heads.n; row++) {
        for (size_t a = 0; a < r->row_axes.v.n; a++)
            table_cell(&t, "%s", store_place(p->row_heads.v[row], r->row_axes.v.v[a]));
        for (size_t c = 0; c < p->col_heads.n; c++) body_cell(r, &t, pivot_cell(p, row, c));
    }
    if (r->mean && p->row_heads.n) mean_row(r, &t);
    if (p->row_heads.n) table_print(&t, 2, out);
    table_free(&t);
    sb_free(&align);
}

/* ---- files ---- */

/* A file has every number of a cell that several points may share. */
enum { SPREAD_PARTS = 4 };
static const char *const part_names[SPREAD_PARTS] = {"low", "high", "deviation", "n"};

static double results_table_part_of(const struct pivot_cell *c, size_t part) {
    const double parts[SPREAD_PARTS] = {c->low, c->high, c->deviation, (double)c->n};
    return parts[part];
}

/* As it is stored, unless it is a quotient or a mean. */
static bool is_stored(const struct results *r, const struct pivot_cell *c) {
    return !r->relative_to && c->points == 1;
}

static void exact(const struct results *r, const struct pivot_cell *c, struct sb *out) {
    if (c->has && is_stored(r, c))
        results_exact(c->row, &r->values.v[0], out);
    else if (c->has)
        sb_add(out, "%.12g", c->value);
}

static void csv_head(const struct results *r, struct sb *out) {
    for (size_t a = 0; a < r->row_axes.v.n; a++) csv_text(out, r->row_axes.v.v[a]);
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) {
        struct sb label = {0};
        pivot_label(&r->pivot.cols, r->pivot.col_heads.v[c], &label);
        csv_text(out, label.text);
        for (size_t part = 0; r->over_axes.v.n && part < SPREAD_PARTS; part++)
            csv_cell(out, "%s %s", label.text, part_names[part]);
        sb_free(&label);
    }
    csv_end_row(out);
}

static void csv_mean(const struct results *r, struct sb *out) {
    csv_cell(out, "%s mean", pivot_mean_names[r->mean]);
    for (size_t a = 1; a < r->row_axes.v.n; a++) csv_cell(out, "%s", "");
    for (size_t c = 0; c < r->pivot.col_heads.n; c++) {
        double mean;
        size_t n;
        if (pivot_mean(&r->pivot, r->mean, c, &mean, &n))
            csv_cell(out, "%.12g", mean);
        else
            csv_text(out, "");
        for (size_t part = 0; r->over_axes.v.n && part < SPREAD_PARTS; part++) csv_text(out, "");
    }
    csv_end_row(out);
}

static void csv_body_cell(const struct results *r, const struct pivot_cell *c, struct sb *out) {
    struct sb text = {0};
    exact(r, c, &text);
    csv_text(out, text.text ? text.text : "");
    sb_free(&text);
    for (size_t part = 0; r->over_axes.v.n && part < SPREAD_PARTS; part++) {
        if (c->has || part == SPREAD_PARTS - 1)
            csv_cell(out, "%.12g", results_table_part_of(c, part));
        else
            csv_text(out, "");
    }
}

void results_pivot_csv(const struct results *r, struct sb *out) {
    const struct pivot *p = &r->pivot;
    csv_head(r, out);
    for (size_t row = 0; row < p->row_heads.n; row++) {
        for (size_t a = 0; a < r->row_axes.v.n; a++)
            csv_text(out, store_place(p->row_heads.v[row], r->row_axes.v.v[a]));
        for (size_t c = 0; c < p->col_heads.n; c++) csv_body_cell(r, pivot_cell(p, row, c), out);
        csv_end_row(out);
    }
    if (r->mean) csv_mean(r, out);
}

static json_t *results_table_cell_json(const struct results *r, const struct pivot_cell *c) {
    if (!c->has) return json_null();
    json_t *value = is_stored(r, c) ? results_json(c->row, &r->values.v[0]) : json_real(c->value);
    if (!r->over_axes.v.n) return value;
    return json_pack("{s:o, s:f, s:f, s:f, s:I}", "value", value, "low", c->low, "high", c->high, "deviation",
                     c->deviation, "n", (json_int_t)c->n);
}

/* An object with a member for each column. */
static json_t *results_table_row_json(const struct results *r, size_t row) {
    const struct pivot *p = &r->pivot;
    json_t *out = json_object(), *cells = json_object();
    for (size_t a = 0; a < r->row_axes.v.n; a++)
        json_object_set_new(out, r->row_axes.v.v[a],
                            json_string(store_place(p->row_heads.v[row], r->row_axes.v.v[a])));
    for (size_t c = 0; c < p->col_heads.n; c++) {
        struct sb label = {0};
        pivot_label(&p->cols, p->col_heads.v[c], &label);
        json_object_set_new(cells, label.text, results_table_cell_json(r, pivot_cell(p, row, c)));
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
    if (r->over_axes.v.n) {
        json_t *over = json_array();
        for (size_t i = 0; i < r->over_axes.v.n; i++)
            json_array_append_new(over, json_string(r->over_axes.v.v[i]));
        json_object_set_new(root, "over", over);
        json_object_set_new(root, "over_mean",
                            json_string(pivot_mean_names[r->over_mean ? r->over_mean : PIVOT_ARITHMETIC]));
    }
    for (size_t i = 0; i < r->pivot.row_heads.n; i++)
        json_array_append_new(rows, results_table_row_json(r, i));
    json_object_set_new(root, "rows", rows);
    if (r->mean) {
        json_object_set_new(root, "mean", json_string(pivot_mean_names[r->mean]));
        json_object_set_new(root, "means", mean_json(r));
    }
    return root;
}
