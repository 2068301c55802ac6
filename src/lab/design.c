/* The matrices of Plackett and Burman, "The design of optimum multifactorial experiments", Biometrika 33 (1946).
 *
 * For each size the paper gives one column of signs; each further column is the one before it shifted down by one, cyclically, and a
 * last run has all factors low. All columns are balanced and orthogonal to each other, so that each effect is computed from all
 * runs and no main effect is in another's. With as many runs as one more than factors nothing remains for interactions: those of
 * two factors are spread over the effects of the others. Runs with all signs reversed (foldover) remove them from main effects.
 * HARP's Table 6 is the matrix of 8 runs as it comes out here, row by row. */
#include "lab/design.h"

#include <string.h>

const size_t design_sizes[] = {8, 12, 16, 20, 24, 0};

static const char *const generators[] = {
    "+++-+--",                 /* 8 */
    "++-+++---+-",             /* 12 */
    "++++-+-++--+---",         /* 16 */
    "++--++++-+-+----++-",     /* 20 */
    "+++++-+-++--++--+-+----", /* 24 */
};

bool design_make(struct design *d, size_t size, bool foldover) {
    size_t k = 0;
    while (design_sizes[k] && design_sizes[k] != size) k++;
    if (!design_sizes[k]) return false;
    *d = (struct design){.runs = foldover ? 2 * size : size, .columns = size - 1, .foldover = foldover};
    for (size_t run = 0; run < size; run++)
        for (size_t c = 0; c < d->columns; c++) {
            bool high = run < d->columns && generators[k][(run + d->columns - c) % d->columns] == '+';
            d->level[run][c] = high ? 1 : -1;
            if (foldover) d->level[size + run][c] = high ? -1 : 1;
        }
    return true;
}

size_t design_size_for(size_t factors) {
    size_t k = 0;
    while (design_sizes[k] && design_sizes[k] <= factors) k++;
    return design_sizes[k];
}

/* The effect of a column over some runs: the sum of the responses with the column's signs, over half their number. */
static double contrast(const struct design *d, size_t column, const double *response, size_t from,
                       size_t to) {
    double sum = 0;
    for (size_t run = from; run < to; run++) sum += d->level[run][column] * response[run];
    return 2 * sum / (double)(to - from);
}

double design_effect(const struct design *d, size_t column, const double *response) {
    return contrast(d, column, response, 0, d->runs);
}

/* An interaction of two factors has the same sign in a run and in its reverse, a main effect has not. */
double design_interaction(const struct design *d, size_t column, const double *response) {
    size_t half = d->runs / 2;
    return (contrast(d, column, response, 0, half) - contrast(d, column, response, half, d->runs)) / 2;
}

double design_t95(size_t degrees) {
    static const double t[DESIGN_COLUMNS + 1] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                                 2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                                 2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069};
    return t[degrees];
}
