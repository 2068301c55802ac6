/* A room's options with their defaults, from its table: the tests of a room know no other room's. */
#ifndef TESTS_DEFAULTS_H
#define TESTS_DEFAULTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/option_rows.h"

/* Sets the field of options that row describes. */
static inline void default_set(const struct option_row *row, void *options) {
    struct err e = {0};
    if (row->kind == OPTION_TEXT)
        *(option_TEXT *)((char *)options + row->offset) = row->initial;
    else if (!option_read(row, row->initial, options, NULL, &e))
        fail_msg("%s", err_text(&e));
}

#endif
