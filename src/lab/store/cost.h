/* What points will take of the host, from what others took: the table host of a store. */
#ifndef HEDDLE_LAB_STORE_COST_H
#define HEDDLE_LAB_STORE_COST_H

#include "lab/store/store.h"

/* What an estimate rests on, the best first. */
enum lab_basis {
    COST_SAME, /* a run of this point, of another build of heddle */
    COST_LIKE, /* runs of this program and arguments, under the same mechanism if that is known, on another machine */
    COST_SCALED, /* runs of this program with other arguments or at another size */
    COST_UNKNOWN
};
enum { COST_BASES = COST_UNKNOWN + 1 };
struct lab_cost {
    double seconds; /* seconds of one core, within launches */
    enum lab_basis basis;
};

/* One for each id. */
bool lab_costs(struct store *s, const struct store_id *ids, size_t n, struct lab_cost *out, struct err *e);
/* Seconds until all are done, jobs at a time and in this order; those that are unknown take none. */
double lab_cost_wall(const struct lab_cost *costs, size_t n, unsigned jobs);

#endif
