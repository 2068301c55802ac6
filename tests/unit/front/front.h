/* What the front end's tests share: loading a text, a kernel around some lines, a file, a compact dump. */
#ifndef HEDDLE_TESTS_FRONT_H
#define HEDDLE_TESTS_FRONT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/ptx/ptx.h"

static inline char *read_text(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot open %s (tests run from the repository's root)", path);
    struct sb text = {0};
    char chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) sb_addn(&text, chunk, n);
    fclose(f);
    sb_addn(&text, "", 0);
    if (len) *len = text.len;
    return text.text;
}

#define TEST_HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
/* Registers of every kind, for lines that only have to load. */
#define TEST_REGS                                                                                        \
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .b64 %d<16>;\n.reg .f32 %f<8>;\n.reg " \
    ".f64 %g<8>;\n"

/* The messages about a function's unsupported instructions, one after another; "" when it has none. To be freed. */
static inline char *refusals(const struct ir_module *m, const char *function) {
    struct sb text = {0};
    int f = ir_find_func(m, function);
    assert_true(f >= 0);
    for (uint32_t i = 0; i < m->funcs.v[f].nrefused; i++) sb_add(&text, "%s", m->funcs.v[f].refused[i].text);
    sb_addn(&text, "", 0);
    return text.text;
}

/* A module with one kernel "k" (one parameter, arg) around the lines. */
static inline void kernel_around(struct sb *out, const char *lines) {
    sb_add(out, "%s%s%s\n}\n",
           TEST_HEADER ".global .texref tex0;\n.shared .b32 sh[64];\n.const .b32 co[4];\n.func f() { ret; }\n"
                       ".entry k(.param .u64 arg) {\n" TEST_REGS,
           ".local .b32 lo[16];\n", lines);
}

#endif
