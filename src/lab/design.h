/* Two-level experimental designs of Plackett and Burman: which factors are low and which high in each run, and what the
 * responses of the runs say about each factor. Numbers only; lab/factors.h makes machines of them. */
#ifndef HEDDLE_LAB_DESIGN_H
#define HEDDLE_LAB_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

enum { DESIGN_RUNS = 24, DESIGN_COLUMNS = DESIGN_RUNS - 1, DESIGN_FOLDED = 2 * DESIGN_RUNS };

/* Runs of the designs there are, ascending; 0 ends the list. */
extern const size_t design_sizes[];

struct design {
    size_t runs, columns; /* columns: one less than the runs before foldover */
    bool foldover;        /* the second half of the runs negates the first */
    signed char level[DESIGN_FOLDED][DESIGN_COLUMNS + 1]; /* [run][column], -1 low or 1 high */
};

/* size: one of design_sizes. False: it is none of them. */
bool design_make(struct design *d, size_t size, bool foldover);
/* The smallest size with that many columns; 0: none has. */
size_t design_size_for(size_t factors);

/* Mean response of the runs in which the column is high less that of those in which it is low. */
double design_effect(const struct design *d, size_t column, const double *response);
/* For a design with foldover, what the effect would have been too large by without it: the part of the first half's
 * effect that comes from interactions between pairs of factors. */
double design_interaction(const struct design *d, size_t column, const double *response);

/* What Student's t of so many degrees of freedom is within, 95 times of 100; degrees from 1 to DESIGN_COLUMNS. */
double design_t95(size_t degrees);

#endif
