/* Rows and columns are the places that occur, in canonical order and not in that of the points: a column that only the last
 * row has stands where it always stands. */
#include "lab/store/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "lab/store/axis.h"

const char *const pivot_mean_names[] = {"", "arithmetic", "geometric", "harmonic"};

/* ---- rows and columns ---- */

/* The axes of one direction, as numbers. */
struct side {
    struct axis *axes;
    size_t n;
    size_t *of; /* by point: which head it belongs to */
};

static void side_make(struct side *s, const struct pivot_axes *names, const struct store_row *const *rows,
                      size_t n) {
    s->axes = xcalloc(names->n + 1, sizeof *s->axes);
    s->n = names->n;
    s->of = xcalloc(n + 1, sizeof *s->of);
    for (size_t i = 0; i < names->n; i++) axis_make(&s->axes[i], names->name[i], rows, n);
}

static void side_free(struct side *s) {
    for (size_t i = 0; i < s->n; i++) axis_free(&s->axes[i]);
    free(s->axes);
    free(s->of);
}

/* Numbers the different places, ascending, and says of each point which it is at; heads (may be NULL) gets a point of
 * each. Returns how many there are. */
static size_t number_heads(struct side *s, const struct store_row *const *rows, size_t n,
                           const struct store_row **heads) {
    size_t *order = xcalloc(n + 1, sizeof *order), kept = 0;
    axes_sort(s->axes, s->n, order, n);
    for (size_t i = 0; i < n; i++) {
        if (!i || !axes_same(s->axes, s->n, order[i - 1], order[i])) {
            if (heads) heads[kept] = rows[order[i]];
            kept++;
        }
        s->of[order[i]] = kept - 1;
    }
    free(order);
    return kept;
}

void pivot_label(const struct pivot_axes *a, const struct store_row *head, struct sb *out) {
    for (size_t i = 0; i < a->n; i++) sb_add(out, "%s%s", i ? " " : "", store_place(head, a->name[i]));
}

struct pivot_cell *pivot_cell(const struct pivot *p, size_t row, size_t col) {
    return &p->cells[row * p->col_heads.n + col];
}

/* ---- laying out ---- */

/* The axis that tells two points apart: the first of the named ones, but an option rather than all options, and never how they
 * ended, which is not what they are. */
static const char *pivot_difference(const struct store_row *a, const struct store_row *b) {
    for (const char *const *axis = store_axes; *axis; axis++)
        if (strcmp(*axis, "options") != 0 && strcmp(*axis, "state") != 0 &&
            strcmp(store_place(a, *axis), store_place(b, *axis)) != 0)
            return *axis;
    for (size_t i = 0; i < a->id.noptions; i++)
        if (strcmp(a->id.option[i].value, store_place(b, a->id.option[i].key)) != 0)
            return a->id.option[i].key;
    for (size_t i = 0; i < a->nwords; i++)
        if (strcmp(a->word[i].value, store_place(b, a->word[i].key)) != 0) return a->word[i].key;
    return NULL;
}

static bool clash(const struct pivot *p, const struct store_row *a, const struct store_row *b,
                  struct err *e) {
    struct sb row = {0}, col = {0};
    const char *axis = pivot_difference(a, b);
    pivot_label(&p->rows, a, &row);
    pivot_label(&p->cols, a, &col);
    if (axis)
        err_set(e, ERR_INPUT,
                "row %.60s and column %.60s have more than one point: they differ in %s (%.60s, %.60s), "
                "which can be a row or column too, be averaged by --over, or be chosen by --only",
                row.text, col.text, axis, store_place(a, axis), store_place(b, axis));
    else
        err_set(e, ERR_INPUT, "row %.60s and column %.60s have more than one point: their programs differ",
                row.text, col.text);
    sb_free(&row);
    sb_free(&col);
    return false;
}

static int by_cell(const void *a, const void *b) {
    const struct pivot_sample *x = a, *y = b;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return (x->over > y->over) - (x->over < y->over);
}

/* Two that are neighbours and lie in the same place. */
static bool check_samples(const struct pivot *p, struct err *e) {
    for (size_t i = 1; i < p->samples.n; i++) {
        const struct pivot_sample *a = &p->samples.v[i - 1], *b = &p->samples.v[i];
        if (a->cell == b->cell && a->over == b->over) return clash(p, a->point.row, b->point.row, e);
    }
    return true;
}

static bool small_enough(const struct pivot *p, struct err *e) {
    enum { MOST_CELLS = 4000000 };
    if (!p->row_heads.n || p->col_heads.n <= MOST_CELLS / p->row_heads.n) return true;
    return err_set(
        e, ERR_INPUT,
        "the table would have %zu rows and %zu columns: choose points by --only, or other rows and columns",
        p->row_heads.n, p->col_heads.n);
}

static double deviation_of(const double *value, size_t n) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += value[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) sum += (value[i] - mean) * (value[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* The cell's numbers, from its samples; value has room for them. */
static void summarise(const struct pivot *p, struct pivot_cell *cell, double *value) {
    cell->n = 0;
    for (size_t i = cell->first; i < cell->first + cell->points; i++) {
        const struct pivot_point *point = &p->samples.v[i].point;
        if (point->has) value[cell->n++] = point->value;
        if (!cell->row || !point->has) cell->row = point->row;
    }
    cell->has = mean_of(p->over_mean ? p->over_mean : PIVOT_ARITHMETIC, value, cell->n, &cell->value);
    if (!cell->n) return;
    cell->low = cell->high = value[0];
    for (size_t i = 1; i < cell->n; i++) {
        cell->low = fmin(cell->low, value[i]);
        cell->high = fmax(cell->high, value[i]);
    }
    /* The value is exact, without the rounding of a sum or a logarithm. */
    if (cell->low == cell->high && cell->has) cell->value = cell->low;
    cell->deviation = cell->low == cell->high ? 0 : deviation_of(value, cell->n);
}

static void summarise_all(struct pivot *p) {
    double *value = xcalloc(p->overs + 1, sizeof *value);
    for (size_t i = 0; i < p->row_heads.n * p->col_heads.n; i++) summarise(p, &p->cells[i], value);
    free(value);
}

/* Samples in their order, and the cells over them. */
static void pivot_place(struct pivot *p, const struct pivot_point *points, const struct side *rows,
                        const struct side *cols, const struct side *over, size_t n) {
    VEC_RESERVE(&p->samples, n);
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(&p->samples,
                 (struct pivot_sample){points[i], rows->of[i] * p->col_heads.n + cols->of[i], over->of[i]});
    if (n) qsort(p->samples.v, n, sizeof *p->samples.v, by_cell);
    for (size_t i = n; i-- > 0;) {
        struct pivot_cell *cell = &p->cells[p->samples.v[i].cell];
        cell->first = i;
        cell->points++;
    }
}

static bool lay_out(struct pivot *p, const struct pivot_point *points, const struct store_row *const *rows,
                    struct side side[3], size_t n, struct err *e) {
    VEC_RESERVE(&p->row_heads, n);
    VEC_RESERVE(&p->col_heads, n);
    p->row_heads.n = number_heads(&side[0], rows, n, p->row_heads.v);
    p->col_heads.n = number_heads(&side[1], rows, n, p->col_heads.v);
    p->overs = number_heads(&side[2], rows, n, NULL);
    if (!small_enough(p, e)) return false;
    p->cells = xcalloc(p->row_heads.n * p->col_heads.n + 1, sizeof *p->cells);
    pivot_place(p, points, &side[0], &side[1], &side[2], n);
    if (!check_samples(p, e)) return false;
    summarise_all(p);
    return true;
}

bool pivot_make(struct pivot *p, const struct pivot_point *points, size_t n, struct err *e) {
    const struct pivot_axes *const axes[] = {&p->rows, &p->cols, &p->over};
    const struct store_row **rows = xcalloc(n + 1, sizeof *rows);
    struct side side[3];
    for (size_t i = 0; i < n; i++) rows[i] = points[i].row;
    for (size_t i = 0; i < 3; i++) side_make(&side[i], axes[i], rows, n);
    bool fine = lay_out(p, points, rows, side, n, e);
    for (size_t i = 0; i < 3; i++) side_free(&side[i]);
    free(rows);
    return fine;
}

void pivot_free(struct pivot *p) {
    VEC_FREE(&p->row_heads);
    VEC_FREE(&p->col_heads);
    VEC_FREE(&p->samples);
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

/* The sample of a cell at that place of over, or NULL. */
static const struct pivot_point *sample_at(const struct pivot *p, const struct pivot_cell *cell,
                                           size_t over) {
    const size_t end = cell->first + cell->points;
    size_t at;
    BOUND(at, cell->first, end, p->samples.v[at].over < over);
    return at < end && p->samples.v[at].over == over ? &p->samples.v[at].point : NULL;
}

static void pivot_divide(struct pivot *p, struct pivot_cell *cell, const struct pivot_cell *by) {
    for (size_t i = cell->first; i < cell->first + cell->points; i++) {
        struct pivot_point *point = &p->samples.v[i].point;
        const struct pivot_point *base = sample_at(p, by, p->samples.v[i].over);
        point->has = point->has && base && base->has && base->value != 0;
        if (point->has) point->value /= base->value;
    }
}

/* The column itself comes last: the others need its values. */
bool pivot_relative(struct pivot *p, const char *col, struct err *e) {
    size_t base;
    if (!find_column(p, col, &base, e)) return false;
    for (size_t r = 0; r < p->row_heads.n; r++) {
        for (size_t c = 0; c < p->col_heads.n; c++)
            if (c != base) pivot_divide(p, pivot_cell(p, r, c), pivot_cell(p, r, base));
        pivot_divide(p, pivot_cell(p, r, base), pivot_cell(p, r, base));
    }
    summarise_all(p);
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
