/* A trace file in memory, for tests of front/trace: what its writer and its reader (hdt.h) call. */
#ifndef HEDDLE_TESTS_HDT_BYTES_H
#define HEDDLE_TESTS_HDT_BYTES_H

#include <string.h>

#include "front/trace/hdt.h"
#include "front/trace/pack.h"

static inline bool hdt_bytes_keep(void *user, const void *data, size_t n) {
    pack_bytes(user, data, n);
    return true;
}

static inline bool hdt_bytes_fetch(void *user, uint64_t at, void *data, size_t n) {
    const bytes_vec *f = user;
    if (at > f->n || n > f->n - at) return false;
    memcpy(data, f->v + at, n);
    return true;
}

static inline struct hdt *hdt_bytes_open(bytes_vec *f, struct err *e) {
    const struct hdt_source s = {"f.hdt", f->n, hdt_bytes_fetch, f};
    return hdt_open(&s, e);
}

#endif
