/* The open file under a store, and the few calls of SQLite that store*.c share. */
#ifndef HEDDLE_LAB_STORE_IMPL_H
#define HEDDLE_LAB_STORE_IMPL_H

#include <pthread.h>
#include <sqlite3.h>

#include "lab/store/store.h"

/* Statements that are used again and again. */
enum store_statement {
    STORE_HAS,
    STORE_PUT_POINT, /* with the statistics of this build */
    STORE_PUT_COUNTER,
    STORE_HAS_MACHINE,
    STORE_PUT_SETTING,
    STORE_PUT_HOST,
    STORE_DROP_POINT,
    STORE_DROP_COUNTERS,
    STORE_DROP_HOST,
    STORE_STATEMENTS
};

/* A point on its way into a file. names: statistics of stats.def, then counters. */
struct store_line {
    struct store_row row;
    const char *const *names;
    size_t columns, nnames;
    bool replace;
    bool bare; /* the machine's options are written otherwise */
};

struct shard;
struct store {
    sqlite3 *db;
    char *path;           /* for messages */
    pthread_mutex_t lock; /* a transaction at a time */
    sqlite3_stmt *statement[STORE_STATEMENTS];
    struct shard *shard; /* where points go too; or NULL */
    bool batch;
    double flushed; /* when points were last written, by lab_seconds */
    VEC(struct store_line) waiting;
    struct arena mem; /* memory of what waits */
};

/* The columns of table point before its statistics, in the order in which they are written and read. */
#define STORE_COLUMNS                                                                                 \
    "key, workload, size, config, mech, options, version, program, machine, state, error, launches, " \
    "checked, digest"
enum { STORE_NCOLUMNS = 14 };

/* Says what SQLite last complained about. Returns false. */
bool store_fail(const struct store *s, struct err *e);
/* Statements without results. */
bool store_exec(struct store *s, const char *sql, struct err *e);
bool store_prepare(struct store *s, const char *sql, sqlite3_stmt **out, struct err *e);
/* The next row of a query; *more false: there is none. */
bool store_step(struct store *s, sqlite3_stmt *q, bool *more, struct err *e);
/* The statement of that number, ready to be bound. */
bool store_ready(struct store *s, enum store_statement which, sqlite3_stmt **out, struct err *e);
/* Runs a statement that gives nothing; it can be bound again after. */
bool store_finish(struct store *s, sqlite3_stmt *q, struct err *e);
void store_bind_text(sqlite3_stmt *q, int at, const char *text);
bool store_state_from(const struct store *s, sqlite3_stmt *q, int column, enum store_state *state,
                      struct err *e);

/* write.c: a statement that adds points with these statistics; a point, whole, into the open transaction. */
bool store_prepare_point(struct store *s, const char *const *names, size_t columns, sqlite3_stmt **q,
                         struct err *e);
bool store_write_line(struct store *s, sqlite3_stmt *point, const struct store_line *l, struct err *e);
/* The options of the point's machine, unless they are there. */
bool store_write_settings(struct store *s, const struct store_id *id, struct err *e);
void store_line_of(const struct store_id *id, const struct lab_outcome *o, struct arena *mem,
                   struct store_line *out);
/* A column for each of these that has none. */
bool store_add_columns(struct store *s, const char *const *names, size_t n, struct err *e);
/* Puts rows into canonical order and fills by_key. */
void store_arrange(struct store_rows *out);
/* Names of the columns of table point that hold statistics, in the order of the file. Text goes into mem. */
bool store_columns(struct store *s, struct arena *mem, struct store_rows *out, struct err *e);

#endif
