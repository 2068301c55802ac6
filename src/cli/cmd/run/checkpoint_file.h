/* Checkpoint files: a run's identity, its journal and the state of its device (sim/device/checkpoint.h).
 *
 * A line that says what it is, then chunks, each with a header of four words: which part it belongs to, its length, its
 * length in the file, and a check of these three; then its bytes as one frame of zstd, with zstd's check of the contents. The
 * last chunk says how much there must be of each part. So damage is found, and named, before anything is done with a file. */
#ifndef HEDDLE_CLI_CMD_RUN_CHECKPOINT_FILE_H
#define HEDDLE_CLI_CMD_RUN_CHECKPOINT_FILE_H

#include <zstd.h>

#include "cli/outfile.h"
#include "sim/device/checkpoint.h"

enum checkpoint_part { CHECKPOINT_IDENTITY, CHECKPOINT_JOURNAL, CHECKPOINT_STATE, CHECKPOINT_END };
extern const char CHECKPOINT_MARK[];
enum { CHECKPOINT_CHUNK = 1 << 20 }; /* most bytes of a chunk, before it is compressed */

struct checkpoint_header {
    uint32_t part, bytes, stored, check;
};
uint32_t checkpoint_check(const struct checkpoint_header *h);

struct checkpoint_end {
    uint64_t launches, journal, state; /* state, journal: bytes */
};

/* ---- writing ---- */

/* The journal of a run so far: chunks that are complete, as they stand in the file, and the bytes behind them. */
struct checkpoint_journal {
    struct sb chunks, tail;
};
void checkpoint_add(struct checkpoint_journal *j, const void *data, size_t n);
void checkpoint_journal_free(struct checkpoint_journal *j);

/* Replaces the file at path by one with the state that dev has now. False, with the reason: the file is as it was. */
bool checkpoint_write(const char *path, struct outfiles **list, const struct sb *identity,
                      const struct checkpoint_journal *j, hd_device *dev, uint64_t *launches, struct err *e);

/* ---- reading ---- */

/* Where a part's next bytes come from. */
struct checkpoint_reader {
    size_t at;       /* place of its next chunk */
    struct sb piece; /* the chunk under way, and how much of it was taken */
    size_t taken;
};
struct checkpoint {
    const char *bytes; /* n bytes of the file */
    size_t n;
    void *map; /* where it is mapped; NULL: the bytes are the caller's */
    struct checkpoint_end end;
    struct checkpoint_reader reader[CHECKPOINT_END];
};
/* Reads and checks all of a file. Release with checkpoint_free in either case. */
bool checkpoint_read(struct checkpoint *k, const char *path, struct err *e);
/* Reads and checks bytes that are there already; name: for messages. */
bool checkpoint_open(struct checkpoint *k, const char *name, struct err *e);
/* The next bytes of a part; false: there are not so many. */
bool checkpoint_take(struct checkpoint *k, enum checkpoint_part part, void *data, size_t n);
/* All of it that has not been taken. */
void checkpoint_whole(struct checkpoint *k, enum checkpoint_part part, struct sb *out);
/* The journal as the file has it, for a run that goes on. */
void checkpoint_continue(const struct checkpoint *k, struct checkpoint_journal *j);
void checkpoint_free(struct checkpoint *k);

#endif
