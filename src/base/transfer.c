/* Numbers go as the host has them, little-endian: heddle runs on no other. */
#include "base/transfer.h"

#include <inttypes.h>
#include <string.h>

void transfer_bytes(struct transfer *t, void *data, size_t n) {
    if (!n) return;
    if (transfer_good(t) && !t->move(t->user, data, n))
        err_set(&t->err, ERR_INPUT, t->in ? "it ends too early" : "it could not be written");
    if (transfer_good(t))
        t->moved += n;
    else if (t->in)
        memset(data, 0, n);
}

void transfer_check(struct transfer *t, bool holds, const char *what) {
    if (t->in && !holds && transfer_good(t))
        err_set(&t->err, ERR_INPUT, "%s before its byte %" PRIu64 " cannot be", what, t->moved);
}

void transfer_same(struct transfer *t, uint64_t value, const char *what) {
    uint64_t other = value;
    TRANSFER(t, other);
    if (t->in && other != value && transfer_good(t))
        err_set(&t->err, ERR_INPUT, "%s is %" PRIu64 " there and %" PRIu64 " here", what, other, value);
}

uint64_t transfer_count(struct transfer *t, uint64_t n, uint64_t most, const char *what) {
    TRANSFER(t, n);
    transfer_check(t, n <= most, what);
    return transfer_good(t) ? n : 0;
}

bool transfer_flag(struct transfer *t, bool flag) {
    return transfer_count(t, flag, 1, "a mark");
}
