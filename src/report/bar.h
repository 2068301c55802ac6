/* Bars of text. */
#ifndef HEDDLE_REPORT_BAR_H
#define HEDDLE_REPORT_BAR_H

#include <stdbool.h>

#include "base/err.h"

/* A bar as long as value is of full, in at most width columns: eighths of a block with utf8, otherwise whole
 * '#' signs. A value above 0 always shows. Nothing for what is no number. */
void bar_add(struct sb *out, double value, double full, unsigned width, bool utf8);

#endif
