/* A file of points: CSV with a heading, whose columns are axes; each row says where a point lies on them. */
#ifndef HEDDLE_LAB_SWEEP_TABLE_H
#define HEDDLE_LAB_SWEEP_TABLE_H

#include "value/list.h"

struct sweep_table {
    const char *file;
    struct sweep_words keys;
    VEC(const char *) cells; /* row by row; NULL: empty, which leaves the axis as it is without the file */
    VEC(unsigned) lines;     /* lines in the file, by row */
};

/* A pure function of the text. The message begins with "FILE:LINE: ". Text goes into mem; release with sweep_table_free in
 * either case. */
bool sweep_table_parse(const char *file, const char *text, struct arena *mem, struct sweep_table *out,
                       struct err *e);
void sweep_table_free(struct sweep_table *t);

#endif
