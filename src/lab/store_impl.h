/* The open file under a store, and the few calls of SQLite that store.c and store_read.c share. */
#ifndef HEDDLE_LAB_STORE_IMPL_H
#define HEDDLE_LAB_STORE_IMPL_H

#include <pthread.h>
#include <sqlite3.h>

#include "lab/store.h"

struct store {
    sqlite3 *db;
    char *path;           /* for messages */
    pthread_mutex_t lock; /* a transaction at a time */
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
/* Names of the columns of table point that hold statistics, in the order of the file. Text goes into mem. */
bool store_columns(struct store *s, struct arena *mem, struct store_rows *out, struct err *e);

#endif
