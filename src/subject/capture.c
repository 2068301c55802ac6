/* Reads captured launches. The file is what zstd makes, behind a frame that zstd skips and that says what it is;
 * decompressed it is one line of JSON, which has the size of everything, and then the bytes in that order: arguments,
 * PTX, variables, memory. Sizes that do not add up to the file's are refused before anything is looked at. */
#include "subject/capture.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* A skippable frame: its magic number, the bytes it has, and the words. */
static const char mark[] = "\x50\x2a\x4d\x18\x11\0\0\0heddle capture 1\n";

bool capture_is(const char *data, size_t n) {
    return n >= sizeof mark - 1 && !memcmp(data, mark, sizeof mark - 1);
}

static bool capture_damaged(const char *file, const char *what, struct err *e) {
    return err_set(e, ERR_INPUT, "%s is a captured launch, but damaged: %s", file, what);
}

static bool decompress(const char *file, const struct sb *from, struct sb *out, struct err *e) {
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {from->text, from->len, 0};
    const size_t room = ZSTD_DStreamOutSize();
    char *piece = xmalloc(room);
    size_t left = 1;
    for (bool more = context; more;) {
        ZSTD_outBuffer to = {piece, room, 0};
        left = ZSTD_decompressStream(context, &to, &in);
        if (ZSTD_isError(left)) break;
        sb_addn(out, piece, to.pos);
        more = in.pos < in.size || (left && to.pos == room);
    }
    ZSTD_freeDCtx(context);
    free(piece);
    if (!context) return err_set(e, ERR_MEMORY, "no memory to read %s", file);
    return !ZSTD_isError(left) && !left
               ? true
               : capture_damaged(file, ZSTD_isError(left) ? ZSTD_getErrorName(left) : "it ends early", e);
}

/* ---- the description ---- */

struct reader {
    struct capture *k;
    const char *file;
    struct arena *mem;
    const uint8_t *at;
    uint64_t left;
};

static uint64_t capture_number(const json_t *o, const char *name) {
    const json_int_t v = json_integer_value(json_object_get(o, name));
    return v > 0 ? (uint64_t)v : 0;
}

static const char *capture_word(const json_t *o, const char *name, struct arena *mem) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? arena_strdup(mem, text) : "";
}

/* The next bytes of the file; NULL: there are not so many. */
static const uint8_t *capture_take(struct reader *r, uint64_t bytes) {
    const uint8_t *p = r->at;
    if (bytes > r->left) return NULL;
    r->at += bytes;
    r->left -= bytes;
    return p;
}

static void read_extent(const json_t *o, const char *name, uint32_t d[3]) {
    const json_t *a = json_object_get(o, name);
    for (size_t i = 0; i < 3; i++) d[i] = (uint32_t)json_integer_value(json_array_get(a, i));
}

static bool read_params(struct reader *r, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const uint64_t bytes = (uint64_t)json_integer_value(json_array_get(list, i));
        const uint8_t *data = bytes && bytes <= UINT32_MAX ? capture_take(r, bytes) : NULL;
        if (!data) return false;
        VEC_PUSH(&r->k->params, hd_arg_bytes(data, (uint32_t)bytes));
    }
    return true;
}

static bool read_vars(struct reader *r, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = capture_word(o, "name", r->mem);
        const uint64_t bytes = capture_number(o, "bytes"), addr = capture_number(o, "addr");
        const uint8_t *data = capture_take(r, bytes);
        if (!data || !*name) return false;
        if (bytes)
            VEC_PUSH(&r->k->vars,
                     (struct lab_var){.text = name, .symbol = name, .bytes = bytes, .data = data});
        if (addr) VEC_PUSH(&r->k->places, (struct lab_place){name, addr});
    }
    return true;
}

static bool read_buffers(struct reader *r, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const uint64_t bytes = capture_number(o, "bytes"), addr = capture_number(o, "addr");
        const uint8_t *data = capture_take(r, bytes);
        struct sb name = {0};
        if (!data || !bytes || !addr) return false;
        sb_add(&name, "m%zu", i + 1);
        VEC_PUSH(&r->k->buffers, (struct capture_buffer){sb_keep(&name, r->mem), addr, bytes, data});
    }
    return true;
}

static bool capture_read_all(struct reader *r, const json_t *o, struct sb *text) {
    struct capture *k = r->k;
    const uint64_t ptx = capture_number(o, "ptx");
    struct sb name = {0}, launch = {0};
    k->kernel = capture_word(o, "kernel", r->mem);
    sb_add(&name, "PTX of %s", r->file);
    k->module = sb_keep(&name, r->mem);
    sb_add(&launch, "%s, launch %" PRIu64, capture_word(o, "program", r->mem), capture_number(o, "launch"));
    k->program = sb_keep(&launch, r->mem);
    read_extent(o, "grid", k->launch.grid);
    read_extent(o, "block", k->launch.block);
    k->launch.shared_bytes = (uint32_t)capture_number(o, "shared");
    k->launch.cooperative = json_is_true(json_object_get(o, "cooperative"));
    if (!read_params(r, json_object_get(o, "params"))) return false;
    const uint8_t *p = capture_take(r, ptx);
    if (!p || !*k->kernel) return false;
    text->len = 0;
    sb_addn(text, (const char *)p, (size_t)ptx);
    return read_vars(r, json_object_get(o, "variables")) && read_buffers(r, json_object_get(o, "memory")) &&
           !r->left;
}

bool capture_read(struct capture *k, const char *file, struct sb *text, struct arena *mem, struct err *e) {
    if (!decompress(file, text, &k->bytes, e)) return false;
    const char *end = k->bytes.text ? memchr(k->bytes.text, '\n', k->bytes.len) : NULL;
    json_t *o = end ? json_loadb(k->bytes.text, (size_t)(end - k->bytes.text), 0, NULL) : NULL;
    if (!json_is_object(o)) {
        json_decref(o);
        return capture_damaged(file, "it has no description", e);
    }
    struct reader r = {k, file, mem, (const uint8_t *)end + 1,
                       k->bytes.len - (uint64_t)(end + 1 - k->bytes.text)};
    const bool fine = capture_read_all(&r, o, text);
    json_decref(o);
    return fine || capture_damaged(file, "its parts do not fit its description", e);
}

void capture_free(struct capture *k) {
    VEC_FREE(&k->params);
    VEC_FREE(&k->buffers);
    VEC_FREE(&k->vars);
    VEC_FREE(&k->places);
    sb_free(&k->bytes);
}
