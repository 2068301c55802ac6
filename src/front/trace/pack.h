/* Bytes of a trace: numbers of variable length, and pieces of the file, each compressed by zstd with a checksum. */
#ifndef HEDDLE_FRONT_TRACE_PACK_H
#define HEDDLE_FRONT_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

/* Kinds of pieces, as they stand in the file; TAPES have no head, since the block they are of describes them. */
enum piece { PIECE_PROGRAM = 'P', PIECE_BLOCK = 'B', PIECE_LAUNCH = 'L', PIECE_DIRECTORY = 'D' };
enum { PIECE_HEAD = 9, PIECE_MOST = 1 << 30 }; /* kind, then bytes before and after compression, 4 each */

typedef VEC(uint8_t) bytes_vec;

static inline uint64_t zigzag(uint64_t v) {
    return v << 1 ^ (0 - (v >> 63));
}
static inline uint64_t unzigzag(uint64_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

static inline void pack_number(bytes_vec *b, uint64_t v) {
    for (; v >= 128; v >>= 7) VEC_PUSH(b, (uint8_t)(v | 128));
    VEC_PUSH(b, (uint8_t)v);
}
void pack_bytes(bytes_vec *b, const void *data, size_t n);
void pack_text(bytes_vec *b, const char *text, size_t n);

/* Unpacking: what is not there, or is no number, is 0, and `bad` is set. */
struct unpack {
    const uint8_t *at, *end;
    bool bad;
};
uint64_t unpack_number(struct unpack *u);
uint64_t unpack_most(struct unpack *u, uint64_t most); /* bad when it is more */
/* Points into the bytes; NUL follows a text that pack_text wrote. */
const char *unpack_text(struct unpack *u, size_t *n);
/* Points to bytes that may be anything; a byte that is 0 follows them. */
const char *unpack_file(struct unpack *u, size_t *n);

#endif
