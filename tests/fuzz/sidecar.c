/* Fuzzes the launch options of a PTX file, and their --arg texts: anything is either refused with a message that
 * begins with the file, or gives options whose values can be asked for. */
#include <stdint.h>
#include <string.h>

#include "subject/sidecar.h"
#include "value/args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct opts *o) {
    for (size_t i = 0; i < opts_count(o, "arg"); i++) {
        struct arg_spec a;
        struct err e = {0};
        if (!arg_parse(opts_nth(o, "arg", i), &a, &e)) CHECK(e.text.len > 0);
        err_free(&e);
    }
    CHECK(o->operands.n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena mem = {0};
    struct opts o;
    struct err e = {0};
    const char *text = arena_strndup(&mem, (const char *)data, size);
    if (sidecar_read(&o, "f.ptx", text, size % 2 ? "k" : NULL, &mem, &e))
        ask(&o);
    else
        CHECK(!strncmp(err_text(&e), "f.ptx:", 6));
    opts_free(&o);
    err_free(&e);
    arena_free(&mem);
    return 0;
}
