/* Writing the result store.
 *
 * Each point is one transaction, so that a process that dies leaves whole points and nothing else. The journal is SQLite's
 * ordinary one and not its write-ahead log: a commit is small and rare beside the simulation before it, and between commits
 * the store is one file that can be copied or read from anywhere. Who finds it locked, another sweep or a reader, waits.
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

#include "lab/store_impl.h"

enum { APPLICATION = 0x68656464 /* "hedd" */, SCHEMA = 1, BUSY_MILLISECONDS = 60000 };

const char *const store_state_names[] = {"ok", "wrong", "failed", "refused"};

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

/* The whole number that a query of one row and column gives. */
static bool ask(struct store *s, const char *sql, int64_t *value, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(s, sql, &q, e) && store_step(s, q, &more, e);
    *value = more ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return fine;
}

/* ---- opening ---- */

static bool add_column(struct store *s, const struct stat_row *row, struct err *e) {
    struct sb sql = {0};
    sb_add(&sql, "ALTER TABLE point ADD COLUMN \"%s\" %s", row->name,
           stat_row_counts(row) ? "INTEGER" : "REAL");
    bool fine = store_exec(s, sql.text, e);
    sb_free(&sql);
    return fine;
}

static bool has_name(const struct store_rows *r, const char *name) {
    for (size_t i = 0; i < r->names.n; i++)
        if (!strcmp(r->names.v[i], name)) return true;
    return false;
}

/* A column for each statistic that has none. */
static bool add_columns(struct store *s, struct err *e) {
    struct store_rows have = {0};
    bool fine = store_columns(s, &have.mem, &have, e);
    for (int i = 0; i < STAT_COUNT && fine; i++)
        if (!has_name(&have, stat_rows[i].name)) fine = add_column(s, &stat_rows[i], e);
    store_rows_free(&have);
    return fine;
}

enum found { FOUND_NOTHING, FOUND_OURS, FOUND_OTHER };

/* What kind of file it is, without changing it. */
static bool look(struct store *s, enum found *found, struct err *e) {
    int64_t application, version, things;
    if (!ask(s, "PRAGMA application_id", &application, e) || !ask(s, "PRAGMA user_version", &version, e) ||
        !ask(s, "SELECT count(*) FROM sqlite_master", &things, e))
        return false;
    *found = application == APPLICATION ? FOUND_OURS : things || application ? FOUND_OTHER : FOUND_NOTHING;
    if (*found == FOUND_OURS && version != SCHEMA)
        return err_set(e, ERR_INPUT,
                       "%s has the tables of another version of heddle (%lld; this one knows %d)", s->path,
                       (long long)version, SCHEMA);
    return true;
}

static bool make_tables(struct store *s, struct err *e) {
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
    bool fine = look(s, &found, e) && (found == FOUND_OURS || make_tables(s, e)) && add_columns(s, e) &&
                store_exec(s, "COMMIT", e);
    if (!fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return fine;
}

static bool complete(struct store *s) {
    struct store_rows have = {0};
    struct err e = {0};
    bool all = store_columns(s, &have.mem, &have, &e);
    for (int i = 0; i < STAT_COUNT && all; i++) all = has_name(&have, stat_rows[i].name);
    store_rows_free(&have);
    err_free(&e);
    return all;
}

static bool check(struct store *s, enum store_access access, struct err *e) {
    enum found found;
    if (!look(s, &found, e)) return false;
    if (found == FOUND_OTHER)
        return err_set(e, ERR_INPUT, "%s is not a result store: it is a database of another program",
                       s->path);
    if (access == STORE_WRITE) return (found == FOUND_OURS && complete(s)) || prepare_to_write(s, e);
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
static void guard(struct store *s) {
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

bool store_open(const char *path, enum store_access wanted, struct store **out, struct err *e) {
    struct store *s = xcalloc(1, sizeof *s);
    *out = s;
    s->path = file_name(path);
    pthread_mutex_init(&s->lock, NULL);
    /* never READONLY: what a killed sweep left half written has to be undone before it can be read */
    int flags = SQLITE_OPEN_READWRITE | (wanted == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    bool fine = !path || *path || err_set(e, ERR_INPUT, "the database has no name");
    fine = fine && (sqlite3_open_v2(s->path, &s->db, flags, NULL) == SQLITE_OK || not_opened(s, wanted, e));
    if (fine) guard(s);
    fine = fine && check(s, wanted, e);
    if (fine) return true;
    store_close(s);
    *out = NULL;
    return false;
}

void store_close(struct store *s) {
    if (!s) return;
    sqlite3_close(s->db);
    pthread_mutex_destroy(&s->lock);
    free(s->path);
    free(s);
}

/* Nobody gets the lock any more; this thread may have it itself, or somebody writes: he has a second to end. */
void store_abandon(struct store *s) {
    struct timespec until;
    if (!s->db) return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_timedlock(&s->lock, &until);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

/* A write that is taken back. It opens the journal, which lies in the same folder. */
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

/* ---- points ---- */

static void bind_text(sqlite3_stmt *q, int at, const char *text) {
    sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_hash(sqlite3_stmt *q, int at, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    bind_text(q, at, text);
}

/* Counters are far from it, but a column holds no more. */
static void bind_count(sqlite3_stmt *q, int at, uint64_t v) {
    sqlite3_bind_int64(q, at, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

/* Runs a statement that gives nothing, and releases it. */
static bool finish(struct store *s, sqlite3_stmt *q, struct err *e) {
    bool more, fine = store_step(s, q, &more, e);
    sqlite3_finalize(q);
    return fine;
}

static enum store_state state_of(const struct lab_outcome *o) {
    if (o->err.code == ERR_REFUSED) return STORE_REFUSED;
    return o->wrong ? STORE_WRONG : o->err.code ? STORE_FAILED : STORE_GOOD;
}

static void point_sql(struct sb *sql) {
    sb_add(sql, "INSERT OR IGNORE INTO point (" STORE_COLUMNS);
    for (int i = 0; i < STAT_COUNT; i++) sb_add(sql, ", \"%s\"", stat_rows[i].name);
    sb_add(sql, ") VALUES (?");
    for (int i = 1; i < STORE_NCOLUMNS + STAT_COUNT; i++) sb_add(sql, ", ?");
    sb_add(sql, ")");
}

/* In the order of STORE_COLUMNS; SQLite counts from 1. */
static void bind_point(sqlite3_stmt *q, const struct store_id *id, const struct lab_outcome *o) {
    const char *const text[] = {id->workload, id->size, id->config, id->mech, id->options, id->version};
    int at = 1;
    bind_count(q, at++, id->key);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) bind_text(q, at++, text[i]);
    bind_hash(q, at++, id->program);
    bind_count(q, at++, id->machine);
    bind_text(q, at++, store_state_names[state_of(o)]);
    bind_text(q, at++, err_text(&o->err));
    bind_count(q, at++, o->launches);
    bind_count(q, at++, o->checked);
    bind_hash(q, at++, o->digest);
    for (int i = 0; i < STAT_COUNT; i++) {
        enum stat_id stat = (enum stat_id)i;
        if (stat_is_counter(stat))
            bind_count(q, at++, stats_exact(&o->total, stat));
        else
            sqlite3_bind_double(q, at++, stats_value(&o->total, stat));
    }
}

static bool put_point(struct store *s, const struct store_id *id, const struct lab_outcome *o,
                      struct err *e) {
    struct sb sql = {0};
    sqlite3_stmt *q = NULL;
    point_sql(&sql);
    bool fine = store_prepare(s, sql.text, &q, e);
    sb_free(&sql);
    if (!fine) return false;
    bind_point(q, id, o);
    return finish(s, q, e);
}

static bool put_counters(struct store *s, uint64_t key, const struct stats *t, struct err *e) {
    const struct mech_counter *c;
    uint64_t value;
    for (size_t k = 0; (c = stats_counter(t, k, &value)); k++) {
        struct sb name = {0};
        sqlite3_stmt *q = NULL;
        if (!store_prepare(s, "INSERT INTO counter (key, name, value) VALUES (?, ?, ?)", &q, e)) return false;
        sb_add(&name, "%s.%s", t->mech->name, c->key);
        bind_count(q, 1, key);
        bind_text(q, 2, name.text);
        bind_count(q, 3, value);
        sb_free(&name);
        if (!finish(s, q, e)) return false;
    }
    return true;
}

static bool put_settings(struct store *s, const struct store_id *id, struct err *e) {
    for (size_t i = 0; i < id->noptions; i++) {
        sqlite3_stmt *q = NULL;
        if (!store_prepare(s, "INSERT OR IGNORE INTO setting (machine, key, value) VALUES (?, ?, ?)", &q, e))
            return false;
        bind_count(q, 1, id->machine);
        bind_text(q, 2, id->option[i].key);
        bind_text(q, 3, id->option[i].value);
        if (!finish(s, q, e)) return false;
    }
    return true;
}

static bool put_host(struct store *s, uint64_t key, double seconds, struct err *e) {
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, "INSERT INTO host (key, seconds) VALUES (?, ?)", &q, e)) return false;
    bind_count(q, 1, key);
    sqlite3_bind_double(q, 2, seconds);
    return finish(s, q, e);
}

static bool forget(struct store *s, uint64_t key, struct err *e) {
    static const char *const statements[] = {"DELETE FROM point WHERE key = ?",
                                             "DELETE FROM counter WHERE key = ?",
                                             "DELETE FROM host WHERE key = ?"};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        sqlite3_stmt *q = NULL;
        if (!store_prepare(s, statements[i], &q, e)) return false;
        bind_count(q, 1, key);
        if (!finish(s, q, e)) return false;
    }
    return true;
}

static bool put(struct store *s, const struct store_id *id, const struct lab_outcome *o, bool replace,
                struct err *e) {
    if (replace && !forget(s, id->key, e)) return false;
    if (!put_point(s, id, o, e)) return false;
    if (!sqlite3_changes(s->db)) return true; /* it is there already */
    return put_counters(s, id->key, &o->total, e) && put_settings(s, id, e) &&
           put_host(s, id->key, o->seconds, e);
}

bool store_put(struct store *s, const struct store_id *id, const struct lab_outcome *o, bool replace,
               struct err *e) {
    pthread_mutex_lock(&s->lock);
    bool fine = store_exec(s, "BEGIN IMMEDIATE", e);
    if (fine) {
        fine = put(s, id, o, replace, e) && store_exec(s, "COMMIT", e);
        if (!fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    }
    pthread_mutex_unlock(&s->lock);
    return fine;
}
