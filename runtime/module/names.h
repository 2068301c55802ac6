/* The name of a kernel as its author wrote it: "ns::reduce" of _ZN2ns6reduceIfEEvPT_. */
#ifndef CUDA_NAMES_H
#define CUDA_NAMES_H

#include <stddef.h>

/* Writes the name without template and call arguments; a name that is not mangled (or not as expected) stays as it is. */
void cu_plain_name(const char *mangled, char *plain, size_t bytes);
/* Whether a pattern means a kernel: its mangled name, or its plain one; what follows '(' or '<' in the pattern is not compared. */
int cu_name_matches(const char *pattern, const char *mangled);
#endif
