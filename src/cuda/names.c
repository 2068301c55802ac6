/* Names of kernels, from the Itanium C++ ABI's mangling: only the qualified name is read, template arguments are stepped
 * over and the types of the arguments, which come last, are not looked at. */
#include "cuda/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Steps over "<length><that many characters>"; NULL when they are not all there. */
static const char *step_source_name(const char *s, const char **name, size_t *length) {
    size_t n = 0;
    while (isdigit((unsigned char)*s) && n < 100000) n = 10 * n + (size_t)(*s++ - '0');
    if (!n || strnlen(s, n) < n) return NULL;
    *name = s;
    *length = n;
    return s + n;
}

/* Behind "L": a literal as a template argument. */
static const char *step_literal(const char *s) {
    const char *name;
    size_t length;
    if (isdigit((unsigned char)*s) && !(s = step_source_name(s, &name, &length))) return NULL;
    while (*s && *s != 'E') s++;
    return *s ? s + 1 : NULL;
}

/* Steps over a list of template arguments, s behind its "I". */
static const char *step_arguments(const char *s) {
    int depth = 1;
    while (depth && *s) {
        const char *name;
        size_t length;
        if (isdigit((unsigned char)*s)) {
            if (!(s = step_source_name(s, &name, &length))) return NULL;
        } else if (*s == 'L' && strncmp(s, "L_Z", 3)) {
            if (!(s = step_literal(s + 1))) return NULL;
        } else if (strchr("STA", *s)) { /* substitutions, parameters and bounds of arrays end in '_' */
            s += *s == 'S' && islower((unsigned char)s[1]) ? 2 : 1 + strcspn(s, "_");
        } else {
            depth += strchr("INLXFJ", *s) ? 1 : *s == 'E' ? -1 : 0;
            s++;
        }
    }
    return depth ? NULL : s;
}

/* Appends one part of a qualified name. */
static void join(char *plain, size_t bytes, const char *name, size_t length) {
    size_t at = strlen(plain);
    if (!strncmp(name, "_GLOBAL__N_", 11)) name = "(anonymous namespace)", length = strlen(name);
    snprintf(plain + at, bytes - at, "%s%.*s", at ? "::" : "", (int)length, name);
}

static int read_name(const char *s, char *plain, size_t bytes) {
    int nested = *s == 'N';
    if (nested) s += 1 + strspn(s + 1, "rVKRO");
    do {
        const char *name = NULL;
        size_t length = 0;
        if (*s == 'L') s++;
        if (!strncmp(s, "St", 2)) {
            join(plain, bytes, "std", 3);
            s += 2;
            if (!nested) continue;
        }
        if (*s == 'I')
            s = step_arguments(s + 1);
        else if ((s = step_source_name(s, &name, &length)))
            join(plain, bytes, name, length);
        if (!s) return -1;
        if (!nested) return 0;
    } while (*s && *s != 'E');
    return *s == 'E' ? 0 : -1;
}

void cu_plain_name(const char *mangled, char *plain, size_t bytes) {
    plain[0] = 0;
    if (strncmp(mangled, "_Z", 2) || read_name(mangled + 2, plain, bytes) || !plain[0])
        snprintf(plain, bytes, "%s", mangled);
}

int cu_name_matches(const char *pattern, const char *mangled) {
    char plain[1024];
    if (!strcmp(pattern, mangled)) return 1;
    cu_plain_name(mangled, plain, sizeof plain);
    size_t n = strcspn(pattern + 1, "(<") + 1; /* "(anonymous namespace)::" may come first */
    if (pattern[0] == '(' && !strncmp(pattern, "(anonymous namespace)", 21))
        n = 21 + strcspn(pattern + 21, "(<");
    return strlen(plain) == n && !strncmp(plain, pattern, n);
}
