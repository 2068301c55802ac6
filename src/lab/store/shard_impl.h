/* The bytes of a shard. All numbers are little-endian.
 *
 *   0    "heddle shard 1\n" and a zero
 *   16   the state: a checksum of 8 bytes and 488 of text, "running" or "ended REASON". It is overwritten in place, which
 *        works on a full disk as well
 *   512  records: a mark, the kind, the length, a checksum, the contents
 *
 * The first record says what the file is of and which statistics a point has. A machine's options come before its first
 * point. */
#ifndef HEDDLE_LAB_STORE_SHARD_IMPL_H
#define HEDDLE_LAB_STORE_SHARD_IMPL_H

#include "lab/store/shard.h"

#define SHARD_MAGIC "heddle shard 1\n"
enum {
    SHARD_MAGIC_BYTES = 16,
    SHARD_STATE_BYTES = 496,
    SHARD_START = SHARD_MAGIC_BYTES + SHARD_STATE_BYTES,
    SHARD_RECORD_BYTES = 24, /* bytes of a record before its contents */
    SHARD_MARK = 0x4b524d68, /* "hMRK" */
    SHARD_LONGEST = 1 << 28
};
enum shard_kind { SHARD_ABOUT = 1, SHARD_MACHINE, SHARD_BEGIN, SHARD_POINT };

uint64_t shard_checksum(uint32_t kind, const void *data, size_t n);
/* The state's 496 bytes. */
void shard_state(const char *text, uint8_t *out);

#endif
