/* The pages of docs/ that are written by the tables. */
#ifndef HEDDLE_SIM_DOCS_H
#define HEDDLE_SIM_DOCS_H

#include "base/err.h"

void docs_options(struct sb *out);        /* docs/options.md */
void docs_statistics(struct sb *out);     /* docs/statistics.md */
void docs_configurations(struct sb *out); /* docs/configurations.md */
struct mech_ops;
/* Options, statistics and storage of a mechanism, a part of docs/mechanisms/NAME.md. */
void docs_mechanism(const struct mech_ops *mech, struct sb *out);

#endif
