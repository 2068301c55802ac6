/* Points of another store or shard, added to this one. They were simulated elsewhere, perhaps more than once; since a point's
 * key covers all that its results depend on, two results of one key that differ mean that one of them is damaged or that a
 * host computes wrongly, and then nothing is added.
 *
 * Killed points have no results. They are kept so that the reason is not lost, and give way to any result. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/impl.h"

struct adding {
    struct store *s;
    const struct store_rows *rows;
    const char *from;
    sqlite3_stmt *put, *get, *get_counter;
    struct store_added *out;
    struct err *e;
};

static bool store_add_differs(const struct adding *a, const struct store_row *row, const char *what) {
    return err_set(a->e, ERR_INPUT,
                   "%s and %s have different results for %s %s under %s on %s%s%s: %s differs", a->s->path,
                   a->from, row->id.workload, row->id.size, row->id.mech, row->id.config,
                   *row->id.options ? ", " : "", row->id.options, what);
}

/* ---- what is there ---- */

static bool same_text(sqlite3_stmt *q, int column, const char *text) {
    const char *there = (const char *)sqlite3_column_text(q, column);
    return there && !strcmp(there, text);
}

static bool same_hash(sqlite3_stmt *q, int column, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return same_text(q, column, text);
}

/* A build that does not count something says nothing about it. */
static bool same_value(sqlite3_stmt *q, int column, const struct store_value *v) {
    int type = sqlite3_column_type(q, column);
    if (type == SQLITE_NULL || v->kind == STORE_NONE) return true;
    if (type == SQLITE_INTEGER && v->kind == STORE_WHOLE) return sqlite3_column_int64(q, column) == v->whole;
    return sqlite3_column_double(q, column) == (v->kind == STORE_WHOLE ? (double)v->whole : v->real);
}

/* In the order of STORE_COLUMNS. */
static bool same_point(const struct adding *a, const struct store_row *row) {
    sqlite3_stmt *q = a->get;
    const char *const text[] = {row->id.workload, row->id.size,    row->id.config,
                                row->id.mech,     row->id.options, row->id.version};
    for (int i = 0; i < 6; i++)
        if (!same_text(q, 1 + i, text[i])) return store_add_differs(a, row, "what the point is");
    if (!same_hash(q, 7, row->id.program) || sqlite3_column_int64(q, 8) != (int64_t)row->id.machine)
        return store_add_differs(a, row, "what the point is");
    if (!same_text(q, 9, store_state_names[row->state])) return store_add_differs(a, row, "its state");
    if (!same_text(q, 10, row->error)) return store_add_differs(a, row, "its error");
    if (sqlite3_column_int64(q, 11) != (int64_t)row->launches ||
        sqlite3_column_int64(q, 12) != (int64_t)row->checked || !same_hash(q, 13, row->digest))
        return store_add_differs(a, row, "its memory at the end");
    for (size_t i = 0; i < a->rows->columns; i++)
        if (!same_value(q, STORE_NCOLUMNS + (int)i, &row->values[i]))
            return store_add_differs(a, row, a->rows->names.v[i]);
    return true;
}

static bool same_counters(const struct adding *a, const struct store_row *row) {
    for (size_t i = a->rows->columns; i < a->rows->names.n; i++) {
        if (row->values[i].kind == STORE_NONE) continue;
        bool there;
        sqlite3_reset(a->get_counter);
        sqlite3_bind_int64(a->get_counter, 1, (int64_t)row->id.key);
        store_bind_text(a->get_counter, 2, a->rows->names.v[i]);
        if (!store_step(a->s, a->get_counter, &there, a->e)) return false;
        bool same = !there || same_value(a->get_counter, 0, &row->values[i]);
        sqlite3_reset(a->get_counter);
        if (!same) return store_add_differs(a, row, a->rows->names.v[i]);
    }
    return true;
}

/* ---- one point ---- */

static bool store_add_write(const struct adding *a, const struct store_row *row, bool replace) {
    struct store_line line = {.row = *row,
                              .names = a->rows->names.v,
                              .columns = a->rows->columns,
                              .nnames = a->rows->names.n,
                              .replace = replace,
                              .bare = true};
    return store_write_line(a->s, a->put, &line, a->e);
}

static bool add(const struct adding *a, const struct store_row *row) {
    enum store_state state = STORE_GOOD;
    bool there, fine;
    sqlite3_reset(a->get);
    sqlite3_bind_int64(a->get, 1, (int64_t)row->id.key);
    fine =
        store_step(a->s, a->get, &there, a->e) && (!there || store_state_from(a->s, a->get, 9, &state, a->e));
    bool gives_way = there && state == STORE_KILLED && row->state != STORE_KILLED;
    bool stays = there && !gives_way;
    if (fine && stays && row->state != STORE_KILLED) fine = same_point(a, row) && same_counters(a, row);
    sqlite3_reset(a->get);
    if (!fine) return false;
    a->out->same += stays;
    a->out->replaced += gives_way;
    a->out->fresh += !there;
    a->out->killed += !there && row->state == STORE_KILLED;
    return stays || store_add_write(a, row, gives_way);
}

static bool store_add_prepare(struct adding *a) {
    struct sb sql = {0};
    const char *const *names = a->rows->names.v;
    sb_add(&sql, "SELECT " STORE_COLUMNS);
    for (size_t i = 0; i < a->rows->columns; i++) sb_add(&sql, ", \"%s\"", names[i]);
    sb_add(&sql, " FROM point WHERE key = ?");
    bool fine =
        store_add_columns(a->s, names, a->rows->columns, a->e) &&
        store_prepare(a->s, sql.text, &a->get, a->e) &&
        store_prepare(a->s, "SELECT value FROM counter WHERE key = ? AND name = ?", &a->get_counter, a->e) &&
        store_prepare_point(a->s, names, a->rows->columns, &a->put, a->e);
    sb_free(&sql);
    return fine;
}

static int by_machine(const void *a, const void *b, void *rows) {
    const struct store_row *v = rows;
    uint64_t x = v[*(const size_t *)a].id.machine, y = v[*(const size_t *)b].id.machine;
    return (x > y) - (x < y);
}

/* In the order of machines, which is that of their table. */
static bool add_machines(struct adding *a) {
    size_t n = a->rows->rows.n, *order = xcalloc(n + 1, sizeof *order);
    const struct store_row *v = a->rows->rows.v;
    bool fine = true;
    for (size_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof *order, by_machine, (void *)v);
    for (size_t i = 0; i < n && fine; i++)
        if (!i || v[order[i]].id.machine != v[order[i - 1]].id.machine)
            fine = store_write_settings(a->s, &v[order[i]].id, a->e);
    free(order);
    return fine;
}

/* Points in the order of keys, likewise: a table of a hundred thousand is written from front to back, not page by page. */
static bool store_add_all(struct adding *a) {
    bool fine = store_add_prepare(a);
    for (size_t i = 0; i < a->rows->rows.n && fine; i++) fine = add(a, &a->rows->rows.v[a->rows->by_key[i]]);
    fine = fine && add_machines(a);
    sqlite3_finalize(a->put);
    sqlite3_finalize(a->get);
    sqlite3_finalize(a->get_counter);
    return fine;
}

/* ---- all of them ---- */

bool store_add_begin(struct store *s, struct err *e) {
    pthread_mutex_lock(&s->lock);
    if (store_exec(s, "BEGIN IMMEDIATE", e)) return true;
    pthread_mutex_unlock(&s->lock);
    return false;
}

bool store_add_end(struct store *s, bool keep, struct err *e) {
    bool fine = !keep || store_exec(s, "COMMIT", e);
    if (!keep || !fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    pthread_mutex_unlock(&s->lock);
    return fine;
}

bool store_add_some(struct store *s, const struct store_rows *rows, const char *from, struct store_added *out,
                    struct err *e) {
    struct adding a = {.s = s, .rows = rows, .from = from, .out = out, .e = e};
    *out = (struct store_added){0};
    return !rows->rows.n || store_add_all(&a);
}

bool store_add(struct store *s, const struct store_rows *rows, const char *from, struct store_added *out,
               struct err *e) {
    if (!store_add_begin(s, e)) return false;
    bool fine = store_add_some(s, rows, from, out, e);
    return store_add_end(s, fine, e) && fine;
}

/* ---- what was killed ---- */

static bool has_attempts(struct store *s, bool *there, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool fine = store_prepare(s, "SELECT 1 FROM sqlite_master WHERE name = 'attempt'", &q, e) &&
                store_step(s, q, there, e);
    sqlite3_finalize(q);
    return fine;
}

static bool read_attempts(struct store *s, uint64_t key, size_t *n, const char **reason, struct arena *mem,
                          struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false,
         fine = store_prepare(s, "SELECT reason FROM attempt WHERE key = ? ORDER BY task", &q, e);
    if (fine) sqlite3_bind_int64(q, 1, (int64_t)key);
    while (fine && (fine = store_step(s, q, &more, e)) && more) {
        const char *text = (const char *)sqlite3_column_text(q, 0);
        *reason = arena_strdup(mem, text ? text : "");
        *n += strncmp(*reason, "preempted", 9) != 0 && strncmp(*reason, "requeued", 8) != 0;
    }
    sqlite3_finalize(q);
    return fine;
}

bool store_attempts(struct store *s, uint64_t key, size_t *n, const char **reason, struct arena *mem,
                    struct err *e) {
    bool there = false;
    *n = 0;
    *reason = "";
    pthread_mutex_lock(&s->lock);
    bool fine = has_attempts(s, &there, e) && (!there || read_attempts(s, key, n, reason, mem, e));
    pthread_mutex_unlock(&s->lock);
    return fine;
}

bool store_forget(struct store *s, uint64_t key, struct err *e) {
    struct sb sql = {0};
    bool there = false;
    const long long k = (long long)key;
    pthread_mutex_lock(&s->lock);
    bool fine = has_attempts(s, &there, e);
    sb_add(&sql,
           "BEGIN IMMEDIATE; DELETE FROM point WHERE key = %lld; DELETE FROM counter WHERE key = %lld; "
           "DELETE FROM host WHERE key = %lld;",
           k, k, k);
    if (there) sb_add(&sql, "DELETE FROM attempt WHERE key = %lld;", k);
    sb_add(&sql, "COMMIT");
    fine = fine && store_exec(s, sql.text, e);
    if (!fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    pthread_mutex_unlock(&s->lock);
    sb_free(&sql);
    return fine;
}

/* It has no statistics, not even zeros. */
bool store_put_killed(struct store *s, const struct store_id *id, const char *reason, struct err *e) {
    size_t place = 0;
    struct store_row row = {.id = *id, .state = STORE_KILLED, .error = reason};
    struct store_rows rows = {.rows = {.v = &row, .n = 1}, .by_key = &place};
    struct store_added added;
    return store_add(s, &rows, "", &added, e);
}

static bool with_attempts(struct store *s, struct err *e) {
    return store_exec(s,
                      "CREATE TABLE IF NOT EXISTS attempt (key INTEGER NOT NULL, task TEXT NOT NULL, "
                      "reason TEXT NOT NULL, PRIMARY KEY (key, task)) WITHOUT ROWID",
                      e);
}

bool store_attempt(struct store *s, uint64_t key, const char *task, const char *reason, struct err *e) {
    sqlite3_stmt *q = NULL;
    pthread_mutex_lock(&s->lock);
    bool fine = with_attempts(s, e) &&
                store_prepare(s, "INSERT OR IGNORE INTO attempt (key, task, reason) VALUES (?, ?, ?)", &q, e);
    if (fine) {
        sqlite3_bind_int64(q, 1, (int64_t)key);
        store_bind_text(q, 2, task);
        store_bind_text(q, 3, reason);
        fine = store_finish(s, q, e);
    }
    sqlite3_finalize(q);
    pthread_mutex_unlock(&s->lock);
    return fine;
}
