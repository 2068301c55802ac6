/* Bytes that grow, for what a transfer (base/transfer.h) writes and reads again. */
#ifndef HEDDLE_TESTS_UNIT_BYTES_H
#define HEDDLE_TESTS_UNIT_BYTES_H

#include <string.h>

#include "base/alloc.h"

struct bytes {
    uint8_t *v;
    size_t n, cap, at;
};

static inline bool bytes_put(void *user, void *data, size_t n) {
    struct bytes *b = user;
    VEC_RESERVE(b, b->n + n);
    memcpy(b->v + b->n, data, n);
    b->n += n;
    return true;
}

static inline bool bytes_get(void *user, void *data, size_t n) {
    struct bytes *b = user;
    if (n > b->n - b->at) return false;
    memcpy(data, b->v + b->at, n);
    b->at += n;
    return true;
}

#endif
