/* Comma-separated values (RFC 4180, lines ending in a newline alone). */
#ifndef HEDDLE_REPORT_CSV_H
#define HEDDLE_REPORT_CSV_H

#include "base/err.h"

/* The next cell of the row that out ends with; quoted where it has to be. */
void csv_cell(struct sb *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void csv_text(struct sb *out, const char *text); /* as csv_cell, for a text as it is */
void csv_end_row(struct sb *out);

#endif
