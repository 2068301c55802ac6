/* SL's Table 1: ten schemes of divergence control, what the paper says of each, and what comes out here. */
#ifndef HEDDLE_LAB_TABLE1_H
#define HEDDLE_LAB_TABLE1_H

#include "lab/run/subject.h"

enum table1_column { TABLE1_TRAVERSAL, TABLE1_RECONVERGENCE, TABLE1_RECURSION, TABLE1_INDIRECT };
enum { TABLE1_COLUMNS = TABLE1_INDIRECT + 1 };
extern const char *const table1_column_names[]; /* "traversal", ... */

struct table1_scheme {
    const char *name, *mech; /* the paper's, and "NAME[:KEY=VALUE]" of ours */
    const char *paper[TABLE1_COLUMNS];
};
extern const struct table1_scheme table1_schemes[]; /* the last has no name */

struct table1_row {
    const struct table1_scheme *scheme;
    const char *ours[TABLE1_COLUMNS];
    const char *unstructured, *irreducible; /* "Yes" or "No": what the paper has no column for */
    struct err err; /* not ERR_OK: a run failed or left a wrong result, and there is no row */
    struct arena mem;
};

/* The part of its name that mech_find knows; false: there is no such mechanism yet. */
bool table1_there(const struct table1_scheme *s);
/* Runs recursive, indirect, unstructured and irreducible workloads under it; each is verified. Release with table1_free. */
void table1_run(const struct table1_scheme *s, struct table1_row *out);
void table1_free(struct table1_row *row);
/* Columns in which ours is what the paper says. */
unsigned table1_agrees(const struct table1_row *row);

#endif
