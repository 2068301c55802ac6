/* Joining stores and shards to one store. */
#ifndef HEDDLE_LAB_STORE_MERGE_H
#define HEDDLE_LAB_STORE_MERGE_H

#include "lab/store/shard.h"

/* One of the files that are joined, and what became of it. */
struct merge_file {
    const char *path;
    bool shard;               /* it is a shard; false: a store */
    struct shard_about about; /* what a shard says of itself; text belongs to the merge */
    size_t points;            /* points that it has */
    uint64_t missing;         /* points that a shard should have and has not */
    uint64_t bad;             /* bytes of a shard that are no whole record */
    bool ended;               /* a shard's sweep came to its end */
    const char *reason;       /* why points are missing nevertheless, or "" */
    struct store_added added;
};

struct merge {
    const char *to;
    struct merge_file *files;
    size_t nfiles;
    size_t points;    /* points of the store, after */
    struct arena mem; /* memory of what files say */
};

/* Fills in all but path of each file. False: one is not ours or not of this version, shards are of different sweeps, or two
 * files have different results for one point; then m->to is as before, and not made. Doing it again changes nothing.
 * Release with merge_free in either case. */
bool merge(struct merge *m, struct err *e);
void merge_free(struct merge *m);

/* Adds what a shard has to an open store; for who watches it grow. */
bool merge_shard(struct store *to, const char *path, struct merge_file *f, struct shard_found *found,
                 struct err *e);

#endif
