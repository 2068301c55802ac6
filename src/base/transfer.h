/* State on its way out of the program, or back in. A structure has one function that names what is to be kept of it, piece
 * by piece; it serves both ways, so that what is written and what is read cannot differ.
 *
 * What comes in may be anything: sizes and indices are checked against what is there before they are used. After a failure
 * only zeros come in; what was being filled is of no use then, but can be released. */
#ifndef HEDDLE_BASE_TRANSFER_H
#define HEDDLE_BASE_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct transfer {
    bool in;                                        /* back in; else out */
    bool (*move)(void *user, void *data, size_t n); /* all n bytes; false: there are not so many */
    void *user;
    uint64_t moved; /* bytes so far */
    struct err err; /* ERR_OK: all went well. Release with err_free */
};

void transfer_bytes(struct transfer *t, void *data, size_t n);
/* A scalar, or an array or struct without padding. */
#define TRANSFER(t, x) transfer_bytes((t), &(x), sizeof(x))
/* A number that is the same on both sides; in: a failure when it is not. */
void transfer_same(struct transfer *t, uint64_t value, const char *what);
/* How many of something: in, what was written, and a failure and 0 when it is above `most`. */
uint64_t transfer_count(struct transfer *t, uint64_t n, uint64_t most, const char *what);
bool transfer_flag(struct transfer *t, bool flag);
/* What came in cannot be: the first such reason stays. Nothing when the condition holds, or on the way out. */
void transfer_check(struct transfer *t, bool holds, const char *what);
static inline bool transfer_good(const struct transfer *t) {
    return t->err.code == ERR_OK;
}

#endif
