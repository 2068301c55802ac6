/* Rows and columns are the places that occur, in canonical order and not in that of the points: a column that only the last
 * row has stands where it always stands. */
#include "lab/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pivot_mean_names[] = {"", "arithmetic", "geometric", "harmonic"};

/* ---- rows and columns ---- */

static int compare_heads(const void *a, const void *b, void *user) {
    const struct store_row *x = *(const struct store_row *const *)a, *y = *(const struct store_row *const *)b;
    const struct pivot_axes *axes = user;
    for (size_t i = 0; i < axes->n; i++) {
        int order = store_order(axes->name[i], store_place(x, axes->name[i]), store_place(y, axes->name[i]));
        if (order) return order;
    }
    return 0;
}

/* The different places of the points, ascending; returns how many. */
static size_t make_heads(const struct pivot_axes *axes, const struct pivot_cell *points, size_t n,
                         const struct store_row **heads) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) heads[i] = points[i].row;
    if (n) qsort_r(heads, n, sizeof *heads, compare_heads, (void *)axes);
    for (size_t i = 0; i < n; i++)
        if (!kept || compare_heads(&heads[i], &heads[kept - 1], (void *)axes)) heads[kept++] = heads[i];
    return kept;
}

static size_t find_head(const struct pivot_axes *axes, const struct store_row *const *heads, size_t n,
                        const struct store_row *row) {
    size_t low = 0, high = n;
    while (low + 1 < high) {
        size_t mid = low + (high - low) / 2;
        if (compare_heads(&heads[mid], &row, (void *)axes) <= 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void pivot_label(const struct pivot_axes *a, const struct store_row *head, struct sb *out) {
    for (size_t i = 0; i < a->n; i++) sb_add(out, "%s%s", i ? " " : "", store_place(head, a->name[i]));
}

struct pivot_cell *pivot_cell(const struct pivot *p, size_t row, size_t col) {
    return &p->cells[row * p->col_heads.n + col];
}

/* ---- laying out ---- */

/* The axis that tells two points apart: the first of the named ones, but an option rather than all options. */
static const char *difference(const struct store_row *a, const struct store_row *b) {
    for (const char *const *axis = store_axes; *axis; axis++)
        if (strcmp(*axis, "options") != 0 && strcmp(store_place(a, *axis), store_place(b, *axis)) != 0)
            return *axis;
    for (size_t i = 0; i < a->id.noptions; i++)
        if (strcmp(a->id.option[i].value, store_place(b, a->id.option[i].key)) != 0)
            return a->id.option[i].key;
    return NULL;
}

static bool clash(const struct pivot *p, const struct store_row *a, const struct store_row *b,
                  struct err *e) {
    struct sb row = {0}, col = {0};
    const char *axis = difference(a, b);
    pivot_label(&p->rows, a, &row);
    pivot_label(&p->cols, a, &col);
    if (axis)
        err_set(e, ERR_INPUT,
                "row %.60s and column %.60s have more than one point: they differ in %s (%.60s, %.60s), "
                "which can be a row or column too, or be chosen by --only",
                row.text, col.text, axis, store_place(a, axis), store_place(b, axis));
    else
        err_set(e, ERR_INPUT, "row %.60s and column %.60s have more than one point: their programs differ",
                row.text, col.text);
    sb_free(&row);
    sb_free(&col);
    return false;
}

bool pivot_make(struct pivot *p, const struct pivot_cell *points, size_t n, struct err *e) {
    VEC_RESERVE(&p->row_heads, n);
    VEC_RESERVE(&p->col_heads, n);
    p->row_heads.n = make_heads(&p->rows, points, n, p->row_heads.v);
    p->col_heads.n = make_heads(&p->cols, points, n, p->col_heads.v);
    p->cells = xcalloc(p->row_heads.n * p->col_heads.n + 1, sizeof *p->cells);
    for (size_t i = 0; i < n; i++) {
        size_t row = find_head(&p->rows, p->row_heads.v, p->row_heads.n, points[i].row);
        size_t col = find_head(&p->cols, p->col_heads.v, p->col_heads.n, points[i].row);
        struct pivot_cell *cell = pivot_cell(p, row, col);
        if (cell->row) return clash(p, cell->row, points[i].row, e);
        *cell = points[i];
    }
    return true;
}

void pivot_free(struct pivot *p) {
    VEC_FREE(&p->row_heads);
    VEC_FREE(&p->col_heads);
    free(p->cells);
    p->cells = NULL;
}

/* ---- numbers ---- */

static bool unknown_column(char *const *labels, const char *col, struct err *e) {
    const char *near = nearest_name(col, (const char *const *)labels);
    struct sb all = {0};
    for (size_t i = 0; labels[i]; i++) sb_add(&all, "%s%s", i ? ", " : "", labels[i]);
    if (near)
        err_set(e, ERR_INPUT, "there is no column \"%.60s\"; did you mean %s?", col, near);
    else
        err_set(e, ERR_INPUT, "there is no column \"%.60s\"; there are %.400s", col,
                all.text ? all.text : "none");
    sb_free(&all);
    return false;
}

static bool find_column(const struct pivot *p, const char *col, size_t *found, struct err *e) {
    size_t n = p->col_heads.n;
    char **labels = xcalloc(n + 1, sizeof *labels);
    for (size_t i = 0; i < n; i++) {
        struct sb label = {0};
        pivot_label(&p->cols, p->col_heads.v[i], &label);
        labels[i] = label.text;
    }
    for (*found = 0; *found < n && strcmp(labels[*found], col) != 0;) ++*found;
    bool fine = *found < n || unknown_column(labels, col, e);
    for (size_t i = 0; i < n; i++) free(labels[i]);
    free(labels);
    return fine;
}

bool pivot_relative(struct pivot *p, const char *col, struct err *e) {
    size_t base;
    if (!find_column(p, col, &base, e)) return false;
    for (size_t r = 0; r < p->row_heads.n; r++) {
        struct pivot_cell by = *pivot_cell(p, r, base);
        for (size_t c = 0; c < p->col_heads.n; c++) {
            struct pivot_cell *cell = pivot_cell(p, r, c);
            cell->has = cell->has && by.has && by.value != 0;
            if (cell->has) cell->value /= by.value;
        }
    }
    return true;
}

enum pivot_mean mean_named(const char *name) {
    for (enum pivot_mean kind = PIVOT_ARITHMETIC; kind <= PIVOT_HARMONIC; kind++)
        if (!strcmp(name, pivot_mean_names[kind])) return kind;
    return PIVOT_NO_MEAN;
}

bool mean_of(enum pivot_mean kind, const double *value, size_t n, double *mean) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (kind != PIVOT_ARITHMETIC && !(value[i] > 0)) return false;
        sum += kind == PIVOT_ARITHMETIC ? value[i] : kind == PIVOT_GEOMETRIC ? log(value[i]) : 1 / value[i];
    }
    if (!n) return false;
    sum /= (double)n;
    *mean = kind == PIVOT_ARITHMETIC ? sum : kind == PIVOT_GEOMETRIC ? exp(sum) : 1 / sum;
    return true;
}

bool pivot_mean(const struct pivot *p, enum pivot_mean kind, size_t col, double *mean, size_t *n) {
    double *value = xcalloc(p->row_heads.n + 1, sizeof *value);
    *n = 0;
    for (size_t r = 0; r < p->row_heads.n; r++) {
        const struct pivot_cell *cell = pivot_cell(p, r, col);
        if (cell->has) value[(*n)++] = cell->value;
    }
    bool fine = mean_of(kind, value, *n, mean);
    free(value);
    return fine;
}
