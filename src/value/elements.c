/* See elements.h. */
#include "value/elements.h"

#include <inttypes.h>
#include <stdio.h>

#include "value/args.h"
#include "value/arrays.h"

/* As many columns as fit, a power of two, so that indices are easy to add to. */
static uint64_t elements_columns(size_t width, size_t cell, size_t index) {
    uint64_t n = 32;
    while (n > 1 && index + n * (cell + 2) > width) n /= 2;
    return n;
}

void elements_show(const struct elements *c, const uint8_t *data, int width, struct sb *out) {
    size_t bytes = ir_type_bytes[c->type], widest = 0,
           index = (size_t)snprintf(NULL, 0, "%" PRIu64, c->first + c->count - 1) + 3;
    struct sb cell = {0};
    for (uint64_t i = 0; i < c->count; i++, cell.len = 0) {
        arg_format(&cell, c->type, array_element(data, i, bytes));
        if (cell.len > widest) widest = cell.len;
    }
    sb_add(out, ": %s[%" PRIu64 "]\n", ir_type_name[c->type], c->all);
    uint64_t per_row = elements_columns((size_t)width, widest, index);
    for (uint64_t i = 0; i < c->count; i++, cell.len = 0) {
        arg_format(&cell, c->type, array_element(data, i, bytes));
        if (i % per_row == 0) sb_add(out, "%*" PRIu64 ":", (int)index - 1, c->first + i);
        sb_add(out, "  %*s", (int)widest, cell.text);
        if (i % per_row == per_row - 1 || i == c->count - 1) sb_add(out, "\n");
    }
    if (c->more) sb_add(out, "  ... %" PRIu64 " more\n", c->more);
    sb_free(&cell);
}
