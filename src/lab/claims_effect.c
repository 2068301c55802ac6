/* Claims about effects: what a factor of HARP's Table 6 does to a response, by the eight runs of its Plackett-Burman design. */
#include <math.h>

#include "lab/claims_impl.h"
#include "lab/design.h"

static const double alike = 1e-9; /* effects that differ by no more have one place */

double claims_effect(const struct claim *c, const double response[CLAIM_RUNS]) {
    struct design d;
    if (!design_make(&d, CLAIM_RUNS, false) || !c->factor || c->factor > d.columns)
        PANIC("%s: factor %zu", c->id, c->factor);
    const double effect = design_effect(&d, c->factor - 1, response);
    size_t larger = 0;
    for (size_t k = 0; k < d.columns; k++)
        larger += fabs(design_effect(&d, k, response)) > fabs(effect) + alike;
    return c->kind == CLAIM_RANK ? (double)larger + 1 : 100 * effect;
}
