/* The values of an axis as they are written, and the numbers among them: pure functions of the text. */
#ifndef HEDDLE_VALUE_LIST_H
#define HEDDLE_VALUE_LIST_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

enum { SWEEP_MOST = 100000 }; /* values of an axis, rows of a file, points of a sweep */

struct sweep_words {
    VEC(const char *) v;
};

/* "8,16", "8..64", "8..64:8", "8..64*2", "0.5..2:0.5", in any mixture; commas within brackets are part of a value. Text goes
 * into mem. */
bool sweep_values(const char *text, struct arena *mem, struct sweep_words *out, struct err *e);

/* A number, whole where it is written without a point. K, M, G and T stand for powers of 1024 behind whole ones. */
struct sweep_number {
    bool whole;
    int64_t i;
    double d; /* in either case */
};
enum sweep_scan { SCAN_NOT, SCAN_NUMBER, SCAN_TOO_LARGE };
/* The number that text begins with, moving past it. "8..64" begins with 8. */
enum sweep_scan sweep_scan_number(const char **text, struct sweep_number *out);
/* Whether all of the text is one. */
bool sweep_is_number(const char *text, struct sweep_number *out);

#endif
