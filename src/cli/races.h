/* What the race check found, for people and as JSON. Shared by run and compare. */
#ifndef HEDDLE_CLI_RACES_H
#define HEDDLE_CLI_RACES_H

#include <heddle.h>
#include <jansson.h>

#include "cli/term.h"

/* Pairs of instructions that race: not those that only ever stored the same value. */
size_t races_real(const hd_device *dev);
/* A paragraph for each of the first few, after a line of how many there are. same_value: also of those that only stored the
 * same value. */
void races_text(const struct term *t, const hd_device *dev, bool same_value, struct sb *out);
json_t *races_json(const hd_device *dev);

#endif
