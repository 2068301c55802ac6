/* Numbers and texts in bytes. */
#include "front/trace/pack.h"

#include <string.h>

void pack_bytes(bytes_vec *b, const void *data, size_t n) {
    VEC_RESERVE(b, b->n + n);
    if (n) memcpy(b->v + b->n, data, n);
    b->n += n;
}

void pack_text(bytes_vec *b, const char *text, size_t n) {
    pack_number(b, n);
    pack_bytes(b, text, n);
    VEC_PUSH(b, 0);
}

uint64_t unpack_number(struct unpack *u) {
    uint64_t v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (u->at == u->end) break;
        const uint8_t byte = *u->at++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return v;
    }
    u->bad = true;
    return 0;
}

uint64_t unpack_most(struct unpack *u, uint64_t most) {
    const uint64_t v = unpack_number(u);
    if (v <= most) return v;
    u->bad = true;
    return 0;
}

const char *unpack_file(struct unpack *u, size_t *n) {
    const uint64_t len = unpack_most(u, (uint64_t)(u->end - u->at));
    const char *text = (const char *)u->at;
    *n = 0;
    if (u->bad || len >= (uint64_t)(u->end - u->at) || u->at[len]) {
        u->bad = true;
        return "";
    }
    u->at += len + 1;
    *n = (size_t)len;
    return text;
}

const char *unpack_text(struct unpack *u, size_t *n) {
    const char *text = unpack_file(u, n);
    if (strlen(text) != *n) u->bad = true;
    return u->bad ? "" : text;
}
