/* How figures of a sampled run (run.sample) are marked: estimates must not be taken for simulations. */
#ifndef HEDDLE_CLI_SAMPLED_H
#define HEDDLE_CLI_SAMPLED_H

#include <jansson.h>

#include "sim/stats.h"

/* Cycles, with ~ before them when some are estimated. */
void sampled_cycles(const struct stats *s, struct sb *out);
/* "28 of 36 launches were estimated, not simulated (run.sample)"; nothing when none was. */
void sampled_words(const struct stats *s, struct sb *out);
/* {"launches", "simulated", "estimated"} as member "sampled" of o, when some were. */
void sampled_json(json_t *o, const struct stats *s);

#endif
