/* Parquet files, as pandas, DuckDB, Polars and Spark read them: one table, its rows in groups, each group column by column. */
#ifndef HEDDLE_REPORT_PARQUET_H
#define HEDDLE_REPORT_PARQUET_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

enum parquet_kind { PARQUET_TEXT, PARQUET_WHOLE, PARQUET_REAL };

struct parquet_column {
    const char *name;
    enum parquet_kind kind;
};

/* The values of a column in a group of rows. */
struct parquet_values {
    const uint32_t *word; /* number of each row's value among nwords; never NULL for text */
    size_t nwords;
    const char *const *text; /* values by their number, or, without word, one for each row */
    const int64_t *whole;
    const double *real;
    const bool *has; /* whether a row has a value; NULL: all have */
};

struct parquet_chunk {                /* one column of one group, in the file */
    uint64_t dictionary, data, bytes; /* dictionary: 0 where there is none */
    size_t rows;
};

struct parquet {
    struct sb *out;      /* this and the next three are filled by the caller, and outlive it */
    const char *creator; /* "PROGRAM version 1.2.3" */
    const struct parquet_column *columns;
    size_t ncolumns;
    VEC(struct parquet_chunk) chunks; /* group by group */
};

void parquet_begin(struct parquet *p);
/* The next column of the group that is being written; the first one after the last begins the next group. At least one row, at
 * most 2^27, and as many for all columns of a group. */
void parquet_add(struct parquet *p, const struct parquet_values *v, size_t rows);
/* After a whole number of groups: writes what the file holds, and releases p. */
void parquet_end(struct parquet *p);

#endif
