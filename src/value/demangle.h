/* Names of C++ kernels and functions as their author wrote them: from mangled ones, for people to read, and back, to find what
 * --kernel means. Data (JSON, CSV, the library) keeps the names that PTX has. */
#ifndef HEDDLE_VALUE_DEMANGLE_H
#define HEDDLE_VALUE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/err.h"

/* "outer::fill<float>" of _ZN5outer4fillIfEEvPT_S1_; a name that is not mangled stays as it is. */
void demangle_name(const char *name, struct sb *out);
const char *demangle_keep(const char *name, struct arena *mem);
struct table;
void demangle_cell(struct table *t, const char *name); /* the next cell of a table */
/* "outer::fill<float>(float*, float)" */
/* false: it is not mangled, and nothing was added. */
bool demangle_signature(const char *name, struct sb *out);
/* Every mangled name in a text, as a name. A parameter of one, NAME_param_2, keeps its number. */
void demangle_text(const char *text, struct sb *out);

/* Whether someone who writes that means this: the mangled name, the signature, the name with or without its namespaces and
 * template arguments. Blanks do not count. */
bool demangle_means(const char *written, const char *name);
/* Finds the name that is meant most directly. Returns its index; n: none; n + 1: several, and e lists them. where:
 * "FILE has" */
size_t demangle_find(const char *written, const char *const *names, size_t n, const char *where,
                     struct err *e);

#endif
