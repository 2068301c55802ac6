/* What {NAME} stands for in the options of a launch: numbers and texts that change from run to run while the rest of the line
 * stays. {NAME=VALUE} says what it is by default; {EXPR} computes with names, as of {(n + 255) / 256}. */
#ifndef HEDDLE_VALUE_PARAMS_H
#define HEDDLE_VALUE_PARAMS_H

#include <heddle.h>

#include "base/alloc.h"
#include "base/err.h"

struct params {
    const hd_option *given; /* name and value; these come first. A value may be NULL: none */
    size_t n;
    bool *used;             /* by given: some text has it; NULL: not asked for */
    VEC(hd_option) assumed; /* values from {NAME=VALUE} */
};

/* Whether a text can be such a name: letters, digits and _. */
bool params_valid(const char *name);
/* The value of a name, noting that it is used; NULL: there is none. */
const char *params_value(struct params *n, const char *name);

/* Takes the {NAME=VALUE} of a text. Text goes into mem. */
void params_assume(struct params *n, const char *text, struct arena *mem);
/* The text with names filled in. Braces that hold a colon, a comma or no name are a struct's or an array's and stay. False: a
 * name that has no value, an expression that cannot be computed. */
bool params_fill(struct params *n, const char *text, struct arena *mem, const char **out, struct err *e);
void params_free(struct params *n);

#endif
