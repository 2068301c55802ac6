/* A shard: the part of a sweep that one host runs, in a file of its own. Points are appended as they end, each with a checksum;
 * whatever becomes of the file, what was whole before stays readable. lab/store/merge.h joins shards to a store. */
#ifndef HEDDLE_LAB_STORE_SHARD_H
#define HEDDLE_LAB_STORE_SHARD_H

#include "lab/store/store.h"

/* The part of a sweep that a shard has. A file of another part or sweep is not continued. */
struct shard_about {
    uint64_t sweep;       /* a hash of the keys of all its points */
    uint32_t part, parts; /* from 1; 0 of 0: a task of a cluster's */
    uint64_t points;      /* points that this part has, each once */
    const char *version;  /* version of heddle, as in a point's */
    const char *host;     /* who writes it: for messages */
};

/* What a shard has. Release with shard_found_free. */
struct shard_found {
    struct shard_about about;
    struct store_rows rows;
    VEC(uint64_t) running; /* keys of points that began and did not end */
    bool ended;            /* its sweep came to its end, and not the host's; then */
    const char *reason;    /* why not all points are there; "" when they are */
    uint64_t good;         /* bytes up to which it is whole */
    uint64_t bad;          /* bytes after or between that are not */
};

struct shard;
struct store_line;

/* Whether that file begins as a shard does. */
bool shard_is(const char *path);
/* Opens it for writing, or makes it; found has what is there. An end that was cut off is removed. A file that is another part,
 * or that another process writes, is refused. */
bool shard_open(const char *path, const struct shard_about *about, struct shard **out,
                struct shard_found *found, struct err *e);
bool shard_begin(struct shard *s, uint64_t key, struct err *e);
bool shard_put(struct shard *s, const struct store_line *l, struct err *e);
/* The sweep of this shard is over; reason: "", or why points are missing. Needs no room on the disk. */
void shard_end(struct shard *s, const char *reason);
void shard_close(struct shard *s); /* NULL is fine */

/* Reads one, also while it is written. Only what is no shard at all is an error. */
bool shard_read(const char *path, struct shard_found *out, struct err *e);
void shard_found_free(struct shard_found *f);

/* Whether part of parts has that point, counted from 0: one of every `parts` in a row, so that parts of a sweep whose programs
 * differ in length take about the same time; a later one each turn, so that no part has all points of one mechanism. */
bool shard_has(size_t point, uint32_t part, uint32_t parts);
/* "2/8" */
bool shard_parse(const char *text, uint32_t *part, uint32_t *parts, struct err *e);
/* A hash of keys, whose order does not matter. */
uint64_t shard_sweep(const uint64_t *keys, size_t n);

#endif
