/* Names of kernels. The Itanium ABI's mangling is undone by GNU libiberty, as in the command; template arguments are left out. */
#include "runtime/module/names.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <string.h>

struct plain {
    char *text;
    size_t n, bytes;
    int depth; /* depth of template arguments */
};

static void add_piece(const char *piece, size_t n, void *user) {
    struct plain *p = user;
    for (size_t i = 0; i < n; i++) {
        p->depth -= piece[i] == '>';
        if (!p->depth && piece[i] != '>' && piece[i] != '<' && p->n + 1 < p->bytes)
            p->text[p->n++] = piece[i];
        p->depth += piece[i] == '<';
    }
}

static void ignore_piece(const char *piece, size_t n, void *user) {
    (void)piece, (void)n, (void)user;
}

/* Only with parameters does libiberty look at the name to its end. */
static int is_mangled(const char *name) {
    return !strncmp(name, "_Z", 2) && cplus_demangle_v3_callback(name, DMGL_PARAMS, ignore_piece, NULL);
}

void cu_plain_name(const char *mangled, char *plain, size_t bytes) {
    struct plain p = {.text = plain, .bytes = bytes};
    if (is_mangled(mangled) && cplus_demangle_v3_callback(mangled, DMGL_ANSI | DMGL_RET_DROP, add_piece, &p))
        plain[p.n] = 0;
    else
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
