/* Pivot tables: one value of each point, laid out by the axes on which the points lie. Numbers only; reports print them. */
#ifndef HEDDLE_LAB_PIVOT_H
#define HEDDLE_LAB_PIVOT_H

#include "lab/store.h"

struct pivot_cell {
    const struct store_row *row; /* NULL: no point lies here */
    bool has;                    /* a value: the point ran to its end, its check held, it has the statistic */
    double value;
};

struct pivot_axes {
    const char *const *name;
    size_t n;
};

struct pivot {
    struct pivot_axes rows, cols; /* filled by the caller */
    VEC(const struct store_row *)
    row_heads, col_heads;     /* a point of each row and column, in canonical order */
    struct pivot_cell *cells; /* [row][col] */
};

/* Lays n points out; false where two would share a cell, with what they differ in. Release with pivot_free in either case. */
bool pivot_make(struct pivot *p, const struct pivot_cell *points, size_t n, struct err *e);
void pivot_free(struct pivot *p);
struct pivot_cell *pivot_cell(const struct pivot *p, size_t row, size_t col);
/* "bfs", or "bfs small": the places of a point on these axes. */
void pivot_label(const struct pivot_axes *a, const struct store_row *head, struct sb *out);

/* Divides every value by that of its row in the column of this label. Where that has none, or 0, no value remains. */
bool pivot_relative(struct pivot *p, const char *col, struct err *e);

enum pivot_mean { PIVOT_NO_MEAN, PIVOT_ARITHMETIC, PIVOT_GEOMETRIC, PIVOT_HARMONIC };
extern const char *const pivot_mean_names[];  /* "", "arithmetic", ... */
enum pivot_mean mean_named(const char *name); /* PIVOT_NO_MEAN: it is none of them */
/* False: there are none, or one that is not positive under a mean that needs it to be. */
bool mean_of(enum pivot_mean kind, const double *value, size_t n, double *mean);
/* Of the n values of a column; false: it has none, or one that is not positive under a mean that needs it to be. */
bool pivot_mean(const struct pivot *p, enum pivot_mean kind, size_t col, double *mean, size_t *n);

#endif
