/* Points on their way into the tables.
 *
 * A point is written whole or not at all. When points end faster than a disk commits, those of a tenth of a second share a
 * transaction; a process that dies loses no more than these, and none where each takes longer. Of a machine that many points
 * run on, the options are written once. A point of a shard goes into the shard first, and at once. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/run/pool.h"
#include "lab/store/impl.h"
#include "lab/store/shard.h"

/* ---- statements ---- */

static const char *const statement_text[STORE_STATEMENTS] = {
    [STORE_HAS] = "SELECT state FROM point WHERE key = ?",
    [STORE_PUT_COUNTER] = "INSERT INTO counter (key, name, value) VALUES (?, ?, ?)",
    [STORE_HAS_MACHINE] = "SELECT 1 FROM setting WHERE machine = ? LIMIT 1",
    [STORE_PUT_SETTING] = "INSERT OR IGNORE INTO setting (machine, key, value) VALUES (?, ?, ?)",
    [STORE_PUT_HOST] = "INSERT OR REPLACE INTO host (key, seconds) VALUES (?, ?)",
    [STORE_DROP_POINT] = "DELETE FROM point WHERE key = ?",
    [STORE_DROP_COUNTERS] = "DELETE FROM counter WHERE key = ?",
    [STORE_DROP_HOST] = "DELETE FROM host WHERE key = ?",
};

bool store_prepare_point(struct store *s, const char *const *names, size_t columns, sqlite3_stmt **q,
                         struct err *e) {
    struct sb sql = {0};
    sb_add(&sql, "INSERT OR IGNORE INTO point (" STORE_COLUMNS);
    for (size_t i = 0; i < columns; i++) sb_add(&sql, ", \"%s\"", names[i]);
    sb_add(&sql, ") VALUES (?");
    for (size_t i = 1; i < STORE_NCOLUMNS + columns; i++) sb_add(&sql, ", ?");
    sb_add(&sql, ")");
    bool fine = store_prepare(s, sql.text, q, e);
    sb_free(&sql);
    return fine;
}

static bool prepare_own_point(struct store *s, struct err *e) {
    const char *names[STAT_COUNT];
    for (int i = 0; i < STAT_COUNT; i++) names[i] = stat_rows[i].name;
    return store_prepare_point(s, names, STAT_COUNT, &s->statement[STORE_PUT_POINT], e);
}

bool store_ready(struct store *s, enum store_statement which, sqlite3_stmt **out, struct err *e) {
    sqlite3_stmt **q = &s->statement[which];
    bool fine = *q || (which == STORE_PUT_POINT ? prepare_own_point(s, e)
                                                : store_prepare(s, statement_text[which], q, e));
    if (fine) sqlite3_reset(*q);
    *out = *q;
    return fine;
}

/* Text outlives the step that follows. */
void store_bind_text(sqlite3_stmt *q, int at, const char *text) {
    sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC);
}

static void bind_hash(sqlite3_stmt *q, int at, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

/* Counters are far from it, but a column holds no more. */
static int64_t store_write_whole(uint64_t v) {
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void bind_count(sqlite3_stmt *q, int at, uint64_t v) {
    sqlite3_bind_int64(q, at, store_write_whole(v));
}

static void bind_value(sqlite3_stmt *q, int at, const struct store_value *v) {
    if (v->kind == STORE_WHOLE)
        sqlite3_bind_int64(q, at, v->whole);
    else if (v->kind == STORE_REAL)
        sqlite3_bind_double(q, at, v->real);
    else
        sqlite3_bind_null(q, at);
}

/* ---- a point ---- */

/* In the order of STORE_COLUMNS; SQLite counts from 1. */
static void bind_point(sqlite3_stmt *q, const struct store_line *l) {
    const struct store_id *id = &l->row.id;
    const char *const text[] = {id->workload, id->size, id->config, id->mech, id->options, id->version};
    int at = 1;
    bind_count(q, at++, id->key);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) store_bind_text(q, at++, text[i]);
    bind_hash(q, at++, id->program);
    bind_count(q, at++, id->machine);
    store_bind_text(q, at++, store_state_names[l->row.state]);
    store_bind_text(q, at++, l->row.error);
    bind_count(q, at++, l->row.launches);
    bind_count(q, at++, l->row.checked);
    bind_hash(q, at++, l->row.digest);
    for (size_t i = 0; i < l->columns; i++) bind_value(q, at++, &l->row.values[i]);
}

static bool put_counters(struct store *s, const struct store_line *l, struct err *e) {
    sqlite3_stmt *q;
    for (size_t i = l->columns; i < l->nnames; i++) {
        if (l->row.values[i].kind == STORE_NONE) continue;
        if (!store_ready(s, STORE_PUT_COUNTER, &q, e)) return false;
        bind_count(q, 1, l->row.id.key);
        store_bind_text(q, 2, l->names[i]);
        bind_value(q, 3, &l->row.values[i]);
        if (!store_finish(s, q, e)) return false;
    }
    return true;
}

/* All options of a machine are written with the first of its points. */
static bool has_machine(struct store *s, uint64_t machine, bool *there, struct err *e) {
    sqlite3_stmt *q;
    if (!store_ready(s, STORE_HAS_MACHINE, &q, e)) return false;
    bind_count(q, 1, machine);
    bool fine = store_step(s, q, there, e);
    sqlite3_reset(q);
    return fine;
}

bool store_write_settings(struct store *s, const struct store_id *id, struct err *e) {
    sqlite3_stmt *q;
    bool there;
    if (s->shard) return true; /* the shard has them itself, and the copy in memory is not read */
    if (!has_machine(s, id->machine, &there, e)) return false;
    for (size_t i = 0; i < id->noptions && !there; i++) {
        if (!store_ready(s, STORE_PUT_SETTING, &q, e)) return false;
        bind_count(q, 1, id->machine);
        store_bind_text(q, 2, id->option[i].key);
        store_bind_text(q, 3, id->option[i].value);
        if (!store_finish(s, q, e)) return false;
    }
    return true;
}

static bool put_host(struct store *s, uint64_t key, double seconds, struct err *e) {
    sqlite3_stmt *q;
    if (!store_ready(s, STORE_PUT_HOST, &q, e)) return false;
    bind_count(q, 1, key);
    sqlite3_bind_double(q, 2, seconds);
    return store_finish(s, q, e);
}

static bool store_write_forget(struct store *s, uint64_t key, struct err *e) {
    for (int which = STORE_DROP_POINT; which <= STORE_DROP_HOST; which++) {
        sqlite3_stmt *q;
        if (!store_ready(s, (enum store_statement)which, &q, e)) return false;
        bind_count(q, 1, key);
        if (!store_finish(s, q, e)) return false;
    }
    return true;
}

bool store_write_line(struct store *s, sqlite3_stmt *point, const struct store_line *l, struct err *e) {
    if (l->replace && !store_write_forget(s, l->row.id.key, e)) return false;
    bind_point(point, l);
    if (!store_finish(s, point, e)) return false;
    if (!sqlite3_changes(s->db)) return true; /* it is there already */
    return put_counters(s, l, e) && (l->bare || store_write_settings(s, &l->row.id, e)) &&
           put_host(s, l->row.id.key, l->row.seconds, e);
}

/* ---- what a run left ---- */

static enum store_state state_of(const struct lab_outcome *o) {
    if (o->err.code == ERR_REFUSED) return STORE_REFUSED;
    return o->wrong ? STORE_WRONG : o->err.code ? STORE_FAILED : STORE_GOOD;
}

static struct store_value value_of(const struct stats *t, enum stat_id stat) {
    if (stat_is_counter(stat))
        return (struct store_value){.kind = STORE_WHOLE, .whole = store_write_whole(stats_exact(t, stat))};
    double v = stats_value(t, stat);
    return (struct store_value){.kind = isnan(v) ? STORE_NONE : STORE_REAL, .real = v};
}

static const char *counter_name(const struct stats *t, const struct mech_counter *c, struct arena *mem) {
    struct sb name = {0};
    sb_add(&name, "%s.%s", t->mech->name, c->key);
    return sb_keep(&name, mem);
}

void store_line_of(const struct store_id *id, const struct lab_outcome *o, struct arena *mem,
                   struct store_line *out) {
    const struct stats *t = &o->total;
    uint64_t v;
    size_t n = 0, at = STAT_COUNT;
    while (stats_counter(t, n, &v)) n++;
    struct store_value *values = ARENA_NEW(mem, struct store_value, STAT_COUNT + n);
    const char **names = ARENA_NEW(mem, const char *, STAT_COUNT + n);
    for (int i = 0; i < STAT_COUNT; i++)
        names[i] = stat_rows[i].name, values[i] = value_of(t, (enum stat_id)i);
    for (size_t k = 0; k < n; k++, at++) {
        names[at] = counter_name(t, stats_counter(t, k, &v), mem);
        values[at] = (struct store_value){.kind = STORE_WHOLE, .whole = store_write_whole(v)};
    }
    *out = (struct store_line){.names = names, .columns = STAT_COUNT, .nnames = at};
    out->row = (struct store_row){.id = *id,
                                  .state = state_of(o),
                                  .error = arena_strdup(mem, err_text(&o->err)),
                                  .launches = o->launches,
                                  .checked = o->checked,
                                  .digest = o->digest,
                                  .seconds = o->seconds,
                                  .values = values};
}

/* ---- several at a time ---- */

enum { BATCH_MILLISECONDS = 100 };

static bool write_waiting(struct store *s, struct err *e) {
    sqlite3_stmt *point;
    if (!store_exec(s, "BEGIN IMMEDIATE", e)) return false;
    bool fine = true;
    for (size_t i = 0; i < s->waiting.n && fine; i++)
        fine = store_ready(s, STORE_PUT_POINT, &point, e) && store_write_line(s, point, &s->waiting.v[i], e);
    fine = fine && store_exec(s, "COMMIT", e);
    if (!fine) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return fine;
}

/* With the lock. What could not be written is not tried again: the error ends the sweep. */
static bool store_write_flush(struct store *s, struct err *e) {
    bool fine = !s->waiting.n || write_waiting(s, e);
    s->waiting.n = 0;
    arena_free(&s->mem);
    s->flushed = lab_seconds();
    return fine;
}

bool store_flush(struct store *s, struct err *e) {
    pthread_mutex_lock(&s->lock);
    bool fine = store_write_flush(s, e);
    pthread_mutex_unlock(&s->lock);
    return fine;
}

void store_batch(struct store *s, bool on) {
    s->batch = on;
}

bool store_put(struct store *s, const struct store_id *id, const struct lab_outcome *o, bool replace,
               struct err *e) {
    struct store_line line;
    pthread_mutex_lock(&s->lock);
    store_line_of(id, o, &s->mem, &line);
    line.replace = replace;
    bool fine = !s->shard || shard_put(s->shard, &line, e);
    if (fine) VEC_PUSH(&s->waiting, line);
    if (fine && !(s->batch && lab_seconds() - s->flushed < BATCH_MILLISECONDS * 1e-3))
        fine = store_write_flush(s, e);
    pthread_mutex_unlock(&s->lock);
    return fine;
}

bool store_begin(struct store *s, uint64_t key, struct err *e) {
    if (!s->shard) return true;
    pthread_mutex_lock(&s->lock);
    bool fine = shard_begin(s->shard, key, e);
    pthread_mutex_unlock(&s->lock);
    return fine;
}

void store_shard_end(struct store *s, const char *reason) {
    if (!s->shard) return;
    pthread_mutex_lock(&s->lock);
    shard_end(s->shard, reason);
    pthread_mutex_unlock(&s->lock);
}
