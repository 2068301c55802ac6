/* Fuzzes --arg SPEC: any text is either refused with a message, or describes contents that can be made and printed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "value/args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(const struct arg_spec *a) {
    enum { MOST = 64 };
    uint8_t bytes[MOST * 8];
    uint64_t count = a->count < MOST ? a->count : MOST;
    CHECK(count <= ARG_MAX_BYTES / arg_bytes(a));
    arg_fill(a, count, bytes);
    for (uint64_t i = 0; i < count; i++) {
        struct sb text = {0};
        uint64_t v = 0, again;
        struct err e = {0};
        memcpy(&v, bytes + i * arg_bytes(a), arg_bytes(a));
        arg_format(&text, a->type, v);
        /* what is printed reads back as the same bits; only NaN has several encodings of one name */
        CHECK(arg_number(text.text, text.len, a->type, "value", &again, &e));
        CHECK(again == v || strstr(text.text, "nan"));
        sb_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena mem = {0};
    struct arg_spec a;
    struct err e = {0};
    const char *text = arena_strndup(&mem, (const char *)data, size);
    if (!arg_parse(text, &a, &e)) {
        CHECK(e.text.len > 0);
    } else if (a.kind == ARG_BUFFER && a.fill != ARG_FILE) {
        make(&a);
    } else if (a.kind == ARG_BYTES || a.kind == ARG_STRUCT) {
        struct arg_links links = {0};
        arg_decode(&a, arena_alloc(&mem, arg_bytes(&a)), &links);
        for (size_t i = 0; i < links.v.n; i++) CHECK(links.v.v[i].offset + 8 <= arg_bytes(&a));
        VEC_FREE(&links.v);
    }
    err_free(&e);
    arena_free(&mem);
    return 0;
}
