/* The file of the result store: what is one of ours, and its tables.
 *
 * The journal is SQLite's ordinary one and not its write-ahead log: a commit is small and rare beside the simulations before
 * it, and between commits the store is one file that can be copied or read from anywhere. Who finds it locked, another sweep
 * or a reader, waits.
 *
 * Keys are hashes of what a point is. They are the primary keys too, so that the file's contents do not depend on the order
 * in which points ended; only table host, which has the host's seconds, differs from run to run.
 *
 * Statistics are columns of table point, made from stats.def by name. A file from before a statistic was added gets its
 * column when it is next written to; the old points have no value there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/store/impl.h"
#include "lab/store/shard.h"

enum { APPLICATION = 0x68656464 /* "hedd" */, SCHEMA = 1, BUSY_MILLISECONDS = 60000 };

const char *const store_state_names[] = {"ok", "wrong", "failed", "refused", "killed"};

static const char schema[] = "CREATE TABLE point ("
                             "key INTEGER PRIMARY KEY, workload TEXT NOT NULL, size TEXT NOT NULL, "
                             "config TEXT NOT NULL, mech TEXT NOT NULL, options TEXT NOT NULL, "
                             "version TEXT NOT NULL, program TEXT NOT NULL, machine INTEGER NOT NULL, "
                             "state TEXT NOT NULL, error TEXT NOT NULL, launches INTEGER NOT NULL, "
                             "checked INTEGER NOT NULL, digest TEXT NOT NULL);"
                             "CREATE TABLE counter ("
                             "key INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, "
                             "PRIMARY KEY (key, name)) WITHOUT ROWID;"
                             "CREATE TABLE setting ("
                             "machine INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, "
                             "PRIMARY KEY (machine, key)) WITHOUT ROWID;"
                             "CREATE TABLE host (key INTEGER PRIMARY KEY, seconds REAL NOT NULL);";

/* ---- SQLite ---- */

bool store_fail(const struct store *s, struct err *e) {
    int system = sqlite3_system_errno(s->db), code = sqlite3_errcode(s->db);
    if ((code & 0xff) == SQLITE_CANTOPEN && system)
        return err_set(e, ERR_INPUT, "cannot open %s: %s", s->path, strerror(system));
    if ((code & 0xff) == SQLITE_NOTADB)
        return err_set(e, ERR_INPUT, "%s is not a result store: it is no SQLite database", s->path);
    return err_set(e, ERR_INPUT, "%s: %s", s->path, sqlite3_errmsg(s->db));
}

bool store_exec(struct store *s, const char *sql, struct err *e) {
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(s, e);
}

bool store_prepare(struct store *s, const char *sql, sqlite3_stmt **out, struct err *e) {
    return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK || store_fail(s, e);
}

bool store_step(struct store *s, sqlite3_stmt *q, bool *more, struct err *e) {
    int code = sqlite3_step(q);
    *more = code == SQLITE_ROW;
    return *more || code == SQLITE_DONE || store_fail(s, e);
}

bool store_finish(struct store *s, sqlite3_stmt *q, struct err *e) {
    bool more, fine = store_step(s, q, &more, e);
    sqlite3_reset(q);
    return fine;
}

/* The whole number that a query of one row and column gives. */
static bool store_ask(struct store *s, const char *sql, int64_t *value, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(s, sql, &q, e) && store_step(s, q, &more, e);
    *value = more ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return fine;
}

/* ---- opening ---- */

/* Adds a column. Nothing is known of a statistic that only another build has: its values are kept as they come. */
static bool store_add_column(struct store *s, const char *name, const struct stat_row *row, struct err *e) {
    struct sb sql = {0};
    sb_add(&sql, "ALTER TABLE point ADD COLUMN \"%s\" %s", name,
           !row                   ? ""
           : stat_row_counts(row) ? "INTEGER"
                                  : "REAL");
    bool fine = store_exec(s, sql.text, e);
    sb_free(&sql);
    return fine;
}

static bool has_name(const struct store_rows *r, const char *name) {
    for (size_t i = 0; i < r->names.n; i++)
        if (!strcmp(r->names.v[i], name)) return true;
    return false;
}

static const struct stat_row *own_statistic(const char *name) {
    for (int i = 0; i < STAT_COUNT; i++)
        if (!strcmp(stat_rows[i].name, name)) return &stat_rows[i];
    return NULL;
}

bool store_add_columns(struct store *s, const char *const *names, size_t n, struct err *e) {
    struct store_rows have = {0};
    bool fine = store_columns(s, &have.mem, &have, e);
    for (size_t i = 0; i < n && fine; i++) {
        if (!has_name(&have, names[i])) fine = store_add_column(s, names[i], own_statistic(names[i]), e);
    }
    store_rows_free(&have);
    return fine;
}

/* A column for each statistic of this build that has none. */
static bool add_columns(struct store *s, struct err *e) {
    const char *names[STAT_COUNT];
    for (int i = 0; i < STAT_COUNT; i++) names[i] = stat_rows[i].name;
    return store_add_columns(s, names, STAT_COUNT, e);
}

enum found { FOUND_NOTHING, FOUND_OURS, FOUND_OTHER };

/* What kind of file it is, without changing it. */
static bool store_look(struct store *s, enum found *found, struct err *e) {
    int64_t application, version, things;
    if (!store_ask(s, "PRAGMA application_id", &application, e) ||
        !store_ask(s, "PRAGMA user_version", &version, e) ||
        !store_ask(s, "SELECT count(*) FROM sqlite_master", &things, e))
        return false;
    *found = application == APPLICATION ? FOUND_OURS : things || application ? FOUND_OTHER : FOUND_NOTHING;
    if (*found == FOUND_OURS && version != SCHEMA)
        return err_set(e, ERR_INPUT,
                       "%s has the tables of another version of heddle (%lld; this one knows %d)", s->path,
                       (long long)version, SCHEMA);
    return true;
}

static bool store_make_tables(struct store *s, struct err *e) {
    struct sb sql = {0};
    sb_add(&sql, "%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema, APPLICATION, SCHEMA);
    bool fine = store_exec(s, sql.text, e);
    sb_free(&sql);
    return fine;
}

/* Looked at again under the lock: another process may have made the tables in between. */
static bool prepare_to_write(struct store *s, struct err *e) {
    enum found found;
    if (!store_exec(s, "BEGIN IMMEDIATE", e)) return false;
    bool fine = store_look(s, &found, e) && (found == FOUND_OURS || store_make_tables(s, e)) &&
                add_columns(s, e) && store_exec(s, "COMMIT", e);
    if (!fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return fine;
}

static bool store_complete(struct store *s) {
    struct store_rows have = {0};
    struct err e = {0};
    bool all = store_columns(s, &have.mem, &have, &e);
    for (int i = 0; i < STAT_COUNT && all; i++) all = has_name(&have, stat_rows[i].name);
    store_rows_free(&have);
    err_free(&e);
    return all;
}

static bool store_check(struct store *s, enum store_access access, struct err *e) {
    enum found found;
    if (!store_look(s, &found, e)) return false;
    if (found == FOUND_OTHER)
        return err_set(e, ERR_INPUT, "%s is not a result store: it is a database of another program",
                       s->path);
    if (access == STORE_WRITE) return (found == FOUND_OURS && store_complete(s)) || prepare_to_write(s, e);
    if (found == FOUND_NOTHING)
        return err_set(e, ERR_INPUT, "%s is not a result store: it is empty", s->path);
    return store_exec(s, "PRAGMA query_only = 1", e);
}

/* For SQLite a name that begins with ':' is no file. */
static char *file_name(const char *path) {
    struct sb name = {0};
    sb_add(&name, "%s%s", path && *path == ':' ? "./" : "", path ? path : ":memory:");
    return name.text;
}

/* Waits for who has it locked; runs nothing that a file of unknown origin has in its tables' definitions. */
static void store_guard(struct store *s) {
    sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

/* SQLite, when it may not make a file, looks for one to read, and then says that there is none. */
static bool not_made(const struct store *s, struct err *e) {
    struct sb folder = {0};
    const char *slash = strrchr(s->path, '/');
    sb_add(&folder, "%.*s", slash ? (int)(slash - s->path) + 1 : 1, slash ? s->path : ".");
    int why = access(folder.text, W_OK | X_OK) ? errno : ENOENT;
    sb_free(&folder);
    return err_set(e, ERR_INPUT, "cannot open %s: %s", s->path, strerror(why));
}

static bool not_opened(const struct store *s, enum store_access wanted, struct err *e) {
    bool missing = sqlite3_system_errno(s->db) == ENOENT;
    return missing && wanted == STORE_WRITE ? not_made(s, e) : store_fail(s, e);
}

static bool open_database(const char *path, enum store_access wanted, struct store **out, struct err *e) {
    struct store *s = xcalloc(1, sizeof *s);
    *out = s;
    s->path = file_name(path);
    pthread_mutex_init(&s->lock, NULL);
    /* never READONLY: what a killed sweep left half written has to be undone before it can be read */
    int flags = SQLITE_OPEN_READWRITE | (wanted == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    bool fine = !path || *path || err_set(e, ERR_INPUT, "the database has no name");
    fine = fine && (sqlite3_open_v2(s->path, &s->db, flags, NULL) == SQLITE_OK || not_opened(s, wanted, e));
    if (fine) store_guard(s);
    fine = fine && store_check(s, wanted, e);
    if (fine) return true;
    store_close(s);
    *out = NULL;
    return false;
}

/* What a shard has, in memory. */
static bool open_copy(const char *path, struct store **out, struct err *e) {
    struct shard_found found;
    struct store_added added;
    bool fine = open_database(NULL, STORE_WRITE, out, e);
    fine = shard_read(path, &found, e) && fine && store_add(*out, &found.rows, path, &added, e);
    shard_found_free(&found);
    if (fine) return true;
    store_close(*out);
    *out = NULL;
    return false;
}

bool store_open(const char *path, enum store_access wanted, struct store **out, struct err *e) {
    if (!path || !shard_is(path)) return open_database(path, wanted, out, e);
    *out = NULL;
    if (wanted == STORE_READ) return open_copy(path, out, e);
    return err_set(e, ERR_INPUT, "%s is a shard of a sweep: 'heddle results merge' makes a database of it",
                   path);
}

bool store_open_shard(const char *path, const struct shard_about *about, struct store **out, struct err *e) {
    struct shard_found found = {0};
    struct store_added added;
    bool fine = open_database(NULL, STORE_WRITE, out, e);
    struct store *s = *out;
    fine =
        fine && shard_open(path, about, &s->shard, &found, e) && store_add(s, &found.rows, path, &added, e);
    shard_found_free(&found);
    if (fine) return true;
    store_close(s);
    *out = NULL;
    return false;
}

void store_close(struct store *s) {
    struct err e = {0};
    if (!s) return;
    if (s->db) store_flush(s, &e);
    err_free(&e);
    for (size_t i = 0; i < STORE_STATEMENTS; i++) sqlite3_finalize(s->statement[i]);
    shard_close(s->shard);
    VEC_FREE(&s->waiting);
    arena_free(&s->mem);
    sqlite3_close(s->db);
    pthread_mutex_destroy(&s->lock);
    free(s->path);
    free(s);
}

/* Keeps the lock for ever. This thread may have it itself; another one that writes has a second to end. */
void store_abandon(struct store *s) {
    struct timespec until;
    if (!s->db) return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_timedlock(&s->lock, &until);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

/* A write that is taken back. It opens the journal, which lies in the same folder. A shard is open already. */
bool store_writable(struct store *s, struct err *e) {
    struct sb sql = {0};
    sb_add(&sql, "BEGIN IMMEDIATE; PRAGMA user_version = %d;", SCHEMA);
    pthread_mutex_lock(&s->lock);
    bool fine = store_exec(s, sql.text, e);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    pthread_mutex_unlock(&s->lock);
    sb_free(&sql);
    return fine;
}
