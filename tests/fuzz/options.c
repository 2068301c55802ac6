/* Fuzzes options: any text is a configuration file that is either refused with a place and a reason, or leaves options that
 * print as text which reads back the same; and the first line of it, taken as "key=value", is either set or refused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct options *o, struct sb *out) {
    for (size_t i = 0; i < o->nrows; i++) {
        option_print(&o->rows[i], o, out);
        sb_add(out, "\n");
    }
}

/* Every value set again from what it prints as. */
static void round_trip(const struct options *o) {
    struct options again;
    struct sb before = {0}, after = {0};
    struct err e = {0};
    options_init(&again);
    for (size_t i = 0; i < o->nrows; i++) {
        struct sb value = {0};
        option_print(&o->rows[i], o, &value);
        CHECK(options_set(&again, o->rows[i].key, value.text ? value.text : "", OPTION_GIVEN, &e));
        sb_free(&value);
    }
    print_all(o, &before);
    print_all(&again, &after);
    CHECK(!strcmp(before.text, after.text));
    sb_free(&before);
    sb_free(&after);
    err_free(&e);
    options_free(&again);
}

static void set_one(char *line) {
    struct options o;
    struct err e = {0};
    char *equals = strchr(line, '=');
    if (!equals) return;
    *equals = '\0';
    options_init(&o);
    if (!options_set(&o, line, equals + 1, OPTION_GIVEN, &e)) CHECK(e.text.len > 0);
    err_free(&e);
    options_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena mem = {0};
    struct options o;
    struct err e = {0};
    char *text = arena_strndup(&mem, (const char *)data, size);
    options_init(&o);
    if (!options_read_text(&o, "fuzz.ini", text, &e))
        CHECK(e.text.len > 0);
    else if (options_check(&o, &e))
        round_trip(&o);
    else
        CHECK(e.text.len > 0);
    text[strcspn(text, "\n")] = '\0';
    set_one(text);
    err_free(&e);
    options_free(&o);
    arena_free(&mem);
    return 0;
}
