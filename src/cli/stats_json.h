/* Options and statistics as JSON members, named as the tables name them. */
#ifndef HEDDLE_CLI_STATS_JSON_H
#define HEDDLE_CLI_STATS_JSON_H

#include <jansson.h>

#include "sim/sim.h"

json_t *stats_json_options(const struct options *o);
/* Adds every statistic to the object, the mechanism's own counters last. */
void stats_json_add(json_t *object, const struct stats *s);
/* Adds what the host spent: only on request, since it differs from run to run. */
void stats_json_add_host(json_t *object, const struct stats *s, double seconds);
/* kernel, grid, block, shared */
json_t *stats_json_launch(const char *kernel, const hd_launch *l);
/* The text of a whole document; root is released. */
bool stats_json_text(json_t *root, struct sb *out, struct err *e);

#endif
