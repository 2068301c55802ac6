/* The result store: every finished point of every sweep, in one SQLite file. A point is one program on one machine; its key
 * comes from what it is and not from when it ran, so that what is there need not run again. docs/sweep.md has the tables. */
#ifndef HEDDLE_LAB_STORE_STORE_H
#define HEDDLE_LAB_STORE_STORE_H

#include "lab/run/subject.h"

/* What a point is. All text is canonical: the same point, however it was asked for, has the same bytes here. */
struct store_id {
    uint64_t key;         /* hash of all that follows; below 2^63 */
    uint64_t machine;     /* hash of every option in force; below 2^63 */
    uint64_t program;     /* hash of the PTX, and of launch and arguments where no workload makes them */
    const char *workload; /* "bfs", or "FILE:kernel" of a program */
    const char *size;     /* "tiny", "small", "paper"; "-" of a program */
    const char *config;   /* name or file */
    const char *mech;     /* "pdom:side=most": with what it does not have from the configuration */
    /* "n=1024 gpu.sms=4 sm.warp_size=16": arguments of the program that are axes, whose names have no point, then other options
     * that differ from the configuration; or "" */
    const char *options;
    const char *version;     /* version of heddle, and lab_sources: "0.2.0+0123456789ab" */
    const hd_option *option; /* every option in force; of mechanisms' parameters only its own */
    size_t noptions;
};

enum store_state {
    STORE_GOOD,    /* ran to its end and its check held */
    STORE_WRONG,   /* ran to its end and its check did not hold */
    STORE_FAILED,  /* did not run to its end: a fault, a deadlock, a machine it does not fit on */
    STORE_REFUSED, /* the mechanism cannot run one of its kernels */
    STORE_KILLED   /* no result: its host ended it, as often as it was tried */
};
extern const char *const store_state_names[]; /* "ok", "wrong", "failed", "refused", "killed" */

enum store_kind { STORE_NONE, STORE_WHOLE, STORE_REAL };
struct store_value {
    enum store_kind kind; /* NONE: the point has no such statistic */
    union {
        int64_t whole;
        double real;
    };
};

struct store_row {
    struct store_id id;
    enum store_state state;
    const char *error;                  /* what went wrong, or "" */
    uint64_t launches, checked, digest; /* as of struct lab_outcome */
    double seconds;                     /* seconds of the host: the one thing that differs from run to run */
    const struct store_value *values;   /* as store_rows.names says */
    const hd_option *word;              /* "KEY=VALUE" of id.options that are no options of the machine */
    size_t nwords;
};

/* Points in canonical order: by workload, size, configuration, mechanism, options, version. Text belongs to mem. */
struct store_rows {
    VEC(struct store_row) rows;
    VEC(const char *) names; /* names of statistics: those of stats.def, then mechanisms' own counters */
    size_t columns;          /* how many of names are of the former kind */
    size_t *by_key;          /* places of rows, in the order of their keys */
    struct arena mem;
};

struct store;
enum store_access {
    STORE_READ, /* the file must be there and is not changed */
    STORE_WRITE /* it is made when it is not there */
};

/* Opens the file of that path, or with NULL a store in memory. Whatever is not one of ours is refused and left as it is; a
 * shard (lab/store/shard.h) can be read as any other. A store may be used by several threads at once, a file by several processes. */
bool store_open(const char *path, enum store_access access, struct store **s, struct err *e);
/* A store in memory whose points go to that shard too, and which has those of it that are there. */
struct shard_about;
bool store_open_shard(const char *path, const struct shard_about *about, struct store **s, struct err *e);
void store_close(struct store *s); /* NULL is fine; writes what waits */
/* When the process is about to end, from any thread and without memory: takes back what was being written. */
void store_abandon(struct store *s);

/* Whether points can be added, as far as that can be told without adding one: a file or a folder that is write-protected, a full
 * disk. Changes nothing. */
bool store_writable(struct store *s, struct err *e);
/* Whether a point of that key is there, and then how it ended. */
bool store_has(struct store *s, uint64_t key, bool *there, enum store_state *state, struct err *e);
/* Adds a finished point, whole or not at all. One that is there already stays as it is, unless replace. */
bool store_put(struct store *s, const struct store_id *id, const struct lab_outcome *o, bool replace,
               struct err *e);
/* A point of a shard begins to run: for who finds the shard when its host is gone. */
bool store_begin(struct store *s, uint64_t key, struct err *e);
/* Its sweep is over, if it is of a shard; reason: "", or why points are missing. */
void store_shard_end(struct store *s, const char *reason);
/* From now on points that end soon after one another are written together, by the one that ends a tenth of a second later or
 * by store_flush, since a transaction costs the disk more than a short simulation its core. store_batch(s, false) ends it. */
void store_batch(struct store *s, bool on);
bool store_flush(struct store *s, struct err *e);

/* What became of the points that were added. */
struct store_added {
    size_t fresh;    /* were not there */
    size_t same;     /* were there with the same results */
    size_t replaced; /* were there as killed */
    size_t killed;   /* points of `fresh` that were killed: without results */
};
/* Adds all points of rows, or none. A point that is there must have the same results, the host's seconds aside; if not, the
 * message says which point and what differs. `from` names where rows come from. A point that was killed gives way to one that
 * was not. */
bool store_add(struct store *s, const struct store_rows *rows, const char *from, struct store_added *out,
               struct err *e);
/* Adds several sets of points: begin, some, some, ..., end; all of it is there after, or with keep false nothing. */
bool store_add_begin(struct store *s, struct err *e);
bool store_add_some(struct store *s, const struct store_rows *rows, const char *from, struct store_added *out,
                    struct err *e);
bool store_add_end(struct store *s, bool keep, struct err *e);

/* Adds a point that has no results since its host ended it; one that is there stays. */
bool store_put_killed(struct store *s, const struct store_id *id, const char *reason, struct err *e);
/* A point was killed while it ran in that task; a second time for the same task changes nothing. */
bool store_attempt(struct store *s, uint64_t key, const char *task, const char *reason, struct err *e);
/* How often that happened for a reason that may be the point's own, not to make room for others; and the last reason, in mem,
 * or "". */
bool store_attempts(struct store *s, uint64_t key, size_t *n, const char **reason, struct arena *mem,
                    struct err *e);
/* Removes a point, and what is known of its attempts. */
bool store_forget(struct store *s, uint64_t key, struct err *e);

/* All points, or with keys (ascending) those of them that are there. Release with store_rows_free in either case. */
bool store_read(struct store *s, const uint64_t *keys, size_t nkeys, struct store_rows *out, struct err *e);
void store_rows_free(struct store_rows *r);

/* The place of that statistic among names, or names.n with the nearest name in the message. A name without its section is
 * gpu.NAME, or that of the only section that has it. */
size_t store_find(const struct store_rows *r, const char *name, struct err *e);
/* The value as a number; false: the point has none. */
bool store_number(const struct store_row *row, size_t name, double *value);
/* The option in force at that point, or the word of its options; NULL where it has none: another mechanism's parameter. */
const char *store_option(const struct store_row *row, const char *key);
const struct store_row *store_by_key(const struct store_rows *r, uint64_t key); /* NULL: not there */

/* ---- what points differ in ---- */

/* "workload", "size", "config", "mech", "options", "version", "state": NULL ends the list. Any option's key is one too, and so is
 * any other KEY that a point has as KEY=VALUE in its options. */
extern const char *const store_axes[];
/* Whether that is an axis of any of these points; the message has the nearest name. */
bool store_axis(const struct store_rows *r, const char *axis, struct err *e);
/* Where the point lies on it; "-" where it has no such option, or no options that differ. */
const char *store_place(const struct store_row *row, const char *axis);
/* The canonical order of two places of one axis: negative, 0, positive. */
int store_order(const char *axis, const char *a, const char *b);

#endif
