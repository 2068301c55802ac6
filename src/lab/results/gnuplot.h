/* Runs gnuplot, which draws what a page's charts draw, for papers: as SVG. */
#ifndef HEDDLE_LAB_RESULTS_GNUPLOT_H
#define HEDDLE_LAB_RESULTS_GNUPLOT_H

#include "base/err.h"

/* What gnuplot writes to its standard output when it is given the script; an error where there is no gnuplot, or where it has
 * something to say. */
bool gnuplot_run(const struct sb *script, struct sb *out, struct err *e);
/* A text as a string of a script, in quotes. */
void gnuplot_quote(struct sb *script, const char *text);

#endif
