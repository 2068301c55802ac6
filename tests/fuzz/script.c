/* Fuzzes scripts and arrays in files: any text is either refused with its file, line and column, or a tree whose names are all
 * declared; any bytes are either refused as an array with a message, or as many elements as were said. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "value/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct script *s, const struct script_block *b) {
    for (size_t i = 0; i < b->v.n; i++) {
        const struct script_statement *x = &b->v.v[i];
        CHECK(x->at.line > 0 && x->at.column > 0);
        if (x->kind == DO_LET) CHECK(x->name < s->numbers.n && x->expr);
        if (x->kind == DO_BUFFER) CHECK(x->name < s->buffers.n);
        if (x->kind == DO_SWAP) CHECK(x->name < s->buffers.n && x->other < s->buffers.n);
        if (x->kind == DO_LAUNCH) CHECK(x->text && x->grid.v.n >= 1 && x->grid.v.n <= 3);
        for (size_t k = 0; k < x->args.v.n; k++)
            for (size_t f = 0; f < x->args.v.v[k].fields.n; f++)
                CHECK(x->args.v.v[k].fields.v[f].offset < x->args.v.v[k].bytes);
        look(s, &x->body);
        look(s, &x->otherwise);
    }
}

static void as_array(const uint8_t *data, size_t size) {
    static const enum ir_type types[] = {IR_T_U8, IR_T_S16, IR_T_F32, IR_T_F64};
    for (int f = ARRAY_RAW; f <= ARRAY_NPY; f++) {
        uint64_t count = 0;
        uint8_t *out;
        struct err e = {0};
        if (array_decode((enum array_format)f, types[size % 4], data, size, &count, &out, &e))
            CHECK(count > 0 && count * ir_type_bytes[types[size % 4]] <= 8 * size);
        else
            CHECK(e.text.len > 0 && !out);
        free(out);
        err_free(&e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct script s;
    struct err e = {0};
    if (script_parse(&s, "s.hds", (const char *)data, size, &e))
        look(&s, &s.body);
    else
        CHECK(!strncmp(err_text(&e), "s.hds:", 6));
    script_free(&s);
    err_free(&e);
    as_array(data, size);
    return 0;
}
