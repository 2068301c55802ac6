/* Pivot tables: one value of each point, laid out by the axes on which the points lie. Points that differ in nothing but the axes
 * of `over`, such as seeds, share a cell, which has their mean and how far they lie apart. Numbers only; reports print them. */
#ifndef HEDDLE_LAB_STORE_PIVOT_H
#define HEDDLE_LAB_STORE_PIVOT_H

#include "lab/store/store.h"

enum pivot_mean { PIVOT_NO_MEAN, PIVOT_ARITHMETIC, PIVOT_GEOMETRIC, PIVOT_HARMONIC };
extern const char *const pivot_mean_names[];  /* "", "arithmetic", ... */
enum pivot_mean mean_named(const char *name); /* PIVOT_NO_MEAN: it is none of them */
/* False: there are none, or one that is not positive under a mean that needs it to be. */
bool mean_of(enum pivot_mean kind, const double *value, size_t n, double *mean);

struct pivot_point {
    const struct store_row *row;
    bool has; /* a value: the point ran to its end, its check held, it has the statistic */
    double value;
};

struct pivot_cell {
    const struct store_row *row; /* a point that lies here, one without a value if there is any; or NULL */
    bool has;                    /* a value: at least one of its points has, and there is a mean of them */
    double value;                /* the value of the point, or the mean over several */
    double low, high;            /* the least and the largest of them */
    double deviation;            /* standard deviation of the sample, over n - 1; 0 of one point */
    size_t n, points;            /* points with a value, and all that lie here */
    size_t first;                /* their place among the samples */
};

struct pivot_axes {
    const char *const *name;
    size_t n;
};

struct pivot_sample {
    struct pivot_point point;
    size_t cell, over; /* which cell, and which of the different places on the axes of over */
};

struct pivot {
    struct pivot_axes rows, cols, over; /* filled by the caller; over may be empty, and so may rows or cols */
    enum pivot_mean over_mean;          /* mean within a cell; PIVOT_NO_MEAN: arithmetic */
    /* A point of each row and column, in canonical order. */
    VEC(const struct store_row *) row_heads, col_heads;
    struct pivot_cell *cells;         /* [row][col] */
    VEC(struct pivot_sample) samples; /* by cell, then by over */
    size_t overs;                     /* different places on the axes of over */
};

/* Lays n points out; false where two would share a cell and differ in something else than over, with what that is; or where the
 * table would be too large to be of use. Release with pivot_free in either case. */
bool pivot_make(struct pivot *p, const struct pivot_point *points, size_t n, struct err *e);
void pivot_free(struct pivot *p);
struct pivot_cell *pivot_cell(const struct pivot *p, size_t row, size_t col);
/* "bfs", or "bfs small": the places of a point on these axes. */
void pivot_label(const struct pivot_axes *a, const struct store_row *head, struct sb *out);

/* Divides every value by that of its row in the column of this label, point by point: the one with seed 3 by the one with seed 3.
 * Where that has none, or 0, no value remains. */
bool pivot_relative(struct pivot *p, const char *col, struct err *e);

/* The mean of the n values of a column; false: it has none, or one that is not positive under a mean that needs it
 * to be. */
bool pivot_mean(const struct pivot *p, enum pivot_mean kind, size_t col, double *mean, size_t *n);

#endif
