/* Fuzzes configurations: any text is read as one. It may be refused, with a reason; what is accepted shows as a text that
 * reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const struct options *o) {
    struct options again;
    struct err e = {0};
    struct sb one = {0}, two = {0};
    options_init(&again);
    config_show(o, &one);
    CHECK(options_read_text(&again, "again", one.text, &e));
    for (size_t i = 0; i < o->nrows; i++) {
        one.len = two.len = 0;
        option_print(&o->rows[i], o, &one);
        option_print(&again.rows[i], &again, &two);
        CHECK(one.len == two.len && !memcmp(one.text, two.text, one.len));
    }
    sb_free(&one);
    sb_free(&two);
    options_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct options o;
    struct err e = {0};
    char *text = calloc(1, size + 1);
    CHECK(text);
    memcpy(text, data, size);
    options_init(&o);
    bool good = options_read_text(&o, "fuzz.ini", text, &e) && options_check(&o, &e);
    CHECK(good || e.text.len);
    if (good) read_back(&o);
    options_free(&o);
    err_free(&e);
    free(text);
    return 0;
}
