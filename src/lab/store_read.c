/* Reading the result store: everything at once, in one read transaction, into memory, where it is put into canonical order.
 * The file may have been changed by other hands: a type that is not what the tables say reads as 0 or "", a state that is
 * none is an error. */
#include <stdlib.h>
#include <string.h>

#include "lab/store_impl.h"

static const char *copy(struct arena *mem, sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? arena_strdup(mem, text) : "";
}

static uint64_t hash(sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? strtoull(text, NULL, 16) : 0;
}

static bool state_from(const struct store *s, sqlite3_stmt *q, int column, enum store_state *state,
                       struct err *e) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    for (int i = STORE_GOOD; i <= STORE_REFUSED; i++)
        if (text && !strcmp(text, store_state_names[i])) return *state = (enum store_state)i, true;
    return err_set(e, ERR_INPUT, "%s is damaged: a point's state is \"%.60s\"", s->path, text ? text : "");
}

bool store_has(struct store *s, uint64_t key, bool *there, enum store_state *state, struct err *e) {
    sqlite3_stmt *q = NULL;
    *there = false;
    pthread_mutex_lock(&s->lock);
    bool fine = store_prepare(s, "SELECT state FROM point WHERE key = ?", &q, e);
    if (fine) {
        sqlite3_bind_int64(q, 1, (int64_t)key);
        fine = store_step(s, q, there, e) && (!*there || state_from(s, q, 0, state, e));
    }
    sqlite3_finalize(q);
    pthread_mutex_unlock(&s->lock);
    return fine;
}

/* ---- names of statistics ---- */

bool store_columns(struct store *s, struct arena *mem, struct store_rows *out, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false,
         fine = store_prepare(s, "SELECT name FROM pragma_table_info('point') ORDER BY cid", &q, e);
    while (fine && (fine = store_step(s, q, &more, e)) && more) {
        const char *name = copy(mem, q, 0);
        /* every statistic has a section, nothing else a point in its name; a quote could not be asked for */
        if (strchr(name, '.') && !strchr(name, '"')) VEC_PUSH(&out->names, name);
    }
    sqlite3_finalize(q);
    return fine;
}

static bool counter_names(struct store *s, struct store_rows *out, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(s, "SELECT DISTINCT name FROM counter ORDER BY name", &q, e);
    while (fine && (fine = store_step(s, q, &more, e)) && more) VEC_PUSH(&out->names, copy(&out->mem, q, 0));
    sqlite3_finalize(q);
    return fine;
}

/* ---- points ---- */

struct read {
    struct store *s;
    const uint64_t *keys; /* NULL: all */
    size_t nkeys, columns;
    struct store_rows *out;
    struct err *e;
};

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool wanted(const struct read *r, uint64_t key) {
    return !r->keys || (r->nkeys && bsearch(&key, r->keys, r->nkeys, sizeof key, by_number));
}

static struct store_value value_at(sqlite3_stmt *q, int column) {
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_INTEGER:
        return (struct store_value){.kind = STORE_WHOLE, .whole = sqlite3_column_int64(q, column)};
    case SQLITE_FLOAT:
        return (struct store_value){.kind = STORE_REAL, .real = sqlite3_column_double(q, column)};
    default: return (struct store_value){.kind = STORE_NONE};
    }
}

static bool read_row(struct read *r, sqlite3_stmt *q) {
    struct arena *mem = &r->out->mem;
    struct store_value *values = ARENA_NEW(mem, struct store_value, r->out->names.n + 1);
    struct store_row row = {.values = values};
    row.id = (struct store_id){.key = (uint64_t)sqlite3_column_int64(q, 0),
                               .workload = copy(mem, q, 1),
                               .size = copy(mem, q, 2),
                               .config = copy(mem, q, 3),
                               .mech = copy(mem, q, 4),
                               .options = copy(mem, q, 5),
                               .version = copy(mem, q, 6),
                               .program = hash(q, 7),
                               .machine = (uint64_t)sqlite3_column_int64(q, 8)};
    if (!state_from(r->s, q, 9, &row.state, r->e)) return false;
    row.error = copy(mem, q, 10);
    row.launches = (uint64_t)sqlite3_column_int64(q, 11);
    row.checked = (uint64_t)sqlite3_column_int64(q, 12);
    row.digest = hash(q, 13);
    row.seconds = sqlite3_column_double(q, STORE_NCOLUMNS);
    for (size_t i = 0; i < r->columns; i++) values[i] = value_at(q, STORE_NCOLUMNS + 1 + (int)i);
    VEC_PUSH(&r->out->rows, row);
    return true;
}

/* In the order of keys. */
static bool read_points(struct read *r) {
    struct sb sql = {0};
    sqlite3_stmt *q = NULL;
    sb_add(&sql, "SELECT " STORE_COLUMNS ", (SELECT seconds FROM host WHERE host.key = point.key)");
    for (size_t i = 0; i < r->columns; i++) sb_add(&sql, ", \"%s\"", r->out->names.v[i]);
    sb_add(&sql, " FROM point ORDER BY key");
    bool more = false, fine = store_prepare(r->s, sql.text, &q, r->e);
    sb_free(&sql);
    while (fine && (fine = store_step(r->s, q, &more, r->e)) && more)
        if (wanted(r, (uint64_t)sqlite3_column_int64(q, 0))) fine = read_row(r, q);
    sqlite3_finalize(q);
    return fine;
}

/* ---- what hangs on points ---- */

static struct store_row *row_of(struct store_rows *out, uint64_t key) {
    size_t low = 0, high = out->rows.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (out->rows.v[mid].id.key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < out->rows.n && out->rows.v[low].id.key == key ? &out->rows.v[low] : NULL;
}

static size_t place_of(const struct read *r, const char *name) {
    for (size_t i = r->columns; i < r->out->names.n; i++)
        if (!strcmp(r->out->names.v[i], name)) return i;
    return r->out->names.n; /* values have one more than that */
}

static bool read_counters(struct read *r) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(r->s, "SELECT key, name, value FROM counter", &q, r->e);
    while (fine && (fine = store_step(r->s, q, &more, r->e)) && more) {
        struct store_row *row = row_of(r->out, (uint64_t)sqlite3_column_int64(q, 0));
        const char *name = (const char *)sqlite3_column_text(q, 1);
        if (row && name) ((struct store_value *)row->values)[place_of(r, name)] = value_at(q, 2);
    }
    sqlite3_finalize(q);
    return fine;
}

/* The options of the machine that q is at; *more: q has another after it. */
static bool read_machine(struct read *r, sqlite3_stmt *q, uint64_t machine, bool *more) {
    VEC(hd_option) options = {0};
    struct arena *mem = &r->out->mem;
    bool fine = true;
    while (fine && *more && (uint64_t)sqlite3_column_int64(q, 0) == machine) {
        VEC_PUSH(&options, (hd_option){copy(mem, q, 1), copy(mem, q, 2)});
        fine = store_step(r->s, q, more, r->e);
    }
    hd_option *kept = ARENA_NEW(mem, hd_option, options.n + 1);
    memcpy(kept, options.v, options.n * sizeof *kept);
    for (size_t i = 0; i < r->out->rows.n; i++)
        if (r->out->rows.v[i].id.machine == machine)
            r->out->rows.v[i].id.option = kept, r->out->rows.v[i].id.noptions = options.n;
    VEC_FREE(&options);
    return fine;
}

static bool read_settings(struct read *r) {
    sqlite3_stmt *q = NULL;
    bool more = false,
         fine =
             store_prepare(r->s, "SELECT machine, key, value FROM setting ORDER BY machine, key", &q, r->e) &&
             store_step(r->s, q, &more, r->e);
    while (fine && more) fine = read_machine(r, q, (uint64_t)sqlite3_column_int64(q, 0), &more);
    sqlite3_finalize(q);
    return fine;
}

/* ---- all of it ---- */

static int compare_rows(const void *a, const void *b) {
    const struct store_row *x = a, *y = b;
    for (const char *const *axis = store_axes; *axis; axis++) {
        int order = store_order(*axis, store_place(x, *axis), store_place(y, *axis));
        if (order) return order;
    }
    return (x->id.key > y->id.key) - (x->id.key < y->id.key);
}

static int compare_keys(const void *a, const void *b, void *rows) {
    const struct store_row *v = rows;
    uint64_t x = v[*(const size_t *)a].id.key, y = v[*(const size_t *)b].id.key;
    return (x > y) - (x < y);
}

static void arrange(struct store_rows *out) {
    size_t n = out->rows.n;
    out->by_key = ARENA_NEW(&out->mem, size_t, n + 1);
    for (size_t i = 0; i < n; i++) out->by_key[i] = i;
    if (!n) return;
    qsort(out->rows.v, n, sizeof *out->rows.v, compare_rows);
    qsort_r(out->by_key, n, sizeof *out->by_key, compare_keys, out->rows.v);
}

bool store_read(struct store *s, const uint64_t *keys, size_t nkeys, struct store_rows *out, struct err *e) {
    struct read r = {.s = s, .keys = keys, .nkeys = nkeys, .out = out, .e = e};
    *out = (struct store_rows){0};
    pthread_mutex_lock(&s->lock);
    bool fine = store_exec(s, "BEGIN", e);
    if (fine) {
        fine = store_columns(s, &out->mem, out, e);
        r.columns = out->names.n;
        fine = fine && counter_names(s, out, e) && read_points(&r) && read_counters(&r) && read_settings(&r);
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    }
    pthread_mutex_unlock(&s->lock);
    if (fine) arrange(out);
    return fine;
}

void store_rows_free(struct store_rows *r) {
    VEC_FREE(&r->rows);
    VEC_FREE(&r->names);
    arena_free(&r->mem);
    r->by_key = NULL;
}
