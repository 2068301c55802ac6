/* Whether a committed page of docs/ is what the tables say. Tests run from the repository root. */
#ifndef TESTS_UNIT_SIM_PAGE_H
#define TESTS_UNIT_SIM_PAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

/* False: there is no such file. */
static inline bool page_read(const char *path, struct sb *out) {
    char part[4096];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) sb_addn(out, part, n);
    fclose(f);
    return true;
}

/* Frees what it is given. */
static inline void page_is(const char *path, struct sb *want) {
    struct sb got = {0};
    if (!page_read(path, &got)) fail_msg("%s is missing", path);
    if (got.len != want->len || memcmp(got.text, want->text, got.len) != 0)
        fail_msg("%s is out of date: run make docs", path);
    sb_free(&got);
    sb_free(want);
}

#endif
