/* The mechanisms that the benchmark compares, and the kernels it does so on. */
#ifndef HEDDLE_BENCH_MECHS_H
#define HEDDLE_BENCH_MECHS_H

#include "timed.h"

#define MECHS_MACHINE "harp-fermi"
enum { MECHS_KINDS = 5, MECHS_ROWS = 64 };

extern const struct mechs_kind {
    const char *job;
    uint32_t full, quick; /* scale */
} mechs_kinds[MECHS_KINDS];

/* A mechanism, or one with an option of its own. */
struct mechs_row {
    char name[32];
    const char *mech;
    hd_option option;
    struct timed best[MECHS_KINDS]; /* seconds 0: not measured, or it failed */
};
size_t mechs_rows(struct mechs_row *rows); /* at most MECHS_ROWS; pdom is the first */

#endif
