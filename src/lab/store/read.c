/* Reading the result store: everything at once, in one read transaction, into memory, where it is put into canonical order.
 * The file may have been changed by other hands: a type that is not what the tables say reads as 0 or "", a state that is
 * none is an error. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/bound.h"
#include "lab/store/axis.h"
#include "lab/store/impl.h"

static const char *store_read_copy(struct arena *mem, sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? arena_strdup(mem, text) : "";
}

static uint64_t store_read_hash(sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? strtoull(text, NULL, 16) : 0;
}

bool store_state_from(const struct store *s, sqlite3_stmt *q, int column, enum store_state *state,
                      struct err *e) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    for (int i = STORE_GOOD; i <= STORE_KILLED; i++)
        if (text && !strcmp(text, store_state_names[i])) return *state = (enum store_state)i, true;
    return err_set(e, ERR_INPUT, "%s is damaged: a point's state is \"%.60s\"", s->path, text ? text : "");
}

/* Whether a point waits to be written, and its state. */
static bool store_read_waits(const struct store *s, uint64_t key, enum store_state *state) {
    for (size_t i = 0; i < s->waiting.n; i++)
        if (s->waiting.v[i].row.id.key == key) return *state = s->waiting.v[i].row.state, true;
    return false;
}

bool store_has(struct store *s, uint64_t key, bool *there, enum store_state *state, struct err *e) {
    sqlite3_stmt *q = NULL;
    pthread_mutex_lock(&s->lock);
    *there = store_read_waits(s, key, state);
    bool fine = *there || store_ready(s, STORE_HAS, &q, e);
    if (fine && !*there) {
        sqlite3_bind_int64(q, 1, (int64_t)key);
        fine = store_step(s, q, there, e) && (!*there || store_state_from(s, q, 0, state, e));
        sqlite3_reset(q);
    }
    pthread_mutex_unlock(&s->lock);
    return fine;
}

/* ---- names of statistics ---- */

bool store_columns(struct store *s, struct arena *mem, struct store_rows *out, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false,
         fine = store_prepare(s, "SELECT name FROM pragma_table_info('point') ORDER BY cid", &q, e);
    while (fine && (fine = store_step(s, q, &more, e)) && more) {
        const char *name = store_read_copy(mem, q, 0);
        /* every statistic has a section, nothing else a point in its name; a quote could not be asked for */
        if (strchr(name, '.') && !strchr(name, '"')) VEC_PUSH(&out->names, name);
    }
    sqlite3_finalize(q);
    return fine;
}

static bool counter_names(struct store *s, struct store_rows *out, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(s, "SELECT DISTINCT name FROM counter ORDER BY name", &q, e);
    while (fine && (fine = store_step(s, q, &more, e)) && more)
        VEC_PUSH(&out->names, store_read_copy(&out->mem, q, 0));
    sqlite3_finalize(q);
    return fine;
}

/* A text that many rows have is there once: with 10^5 machines of 150 options there are 10^7 of them. */
struct texts {
    const char **slot; /* as many as a power of 2; NULL: free */
    size_t n, room;
};

static size_t text_slot(const struct texts *t, const char *text) {
    size_t at = hash_bytes(HASH_START, text, strlen(text)) & (t->room - 1);
    while (t->slot[at] && strcmp(t->slot[at], text) != 0) at = (at + 1) & (t->room - 1);
    return at;
}

static void store_read_grow(struct texts *t) {
    struct texts old = *t;
    t->room = old.room ? old.room * 2 : 1024;
    t->slot = xcalloc(t->room, sizeof *t->slot);
    for (size_t i = 0; i < old.room; i++)
        if (old.slot[i]) t->slot[text_slot(t, old.slot[i])] = old.slot[i];
    free(old.slot);
}

static const char *once(struct texts *t, struct arena *mem, sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    if (!text) return "";
    if (t->n * 2 >= t->room) store_read_grow(t);
    size_t at = text_slot(t, text);
    if (!t->slot[at]) t->slot[at] = arena_strdup(mem, text), t->n++;
    return t->slot[at];
}

/* ---- points ---- */

struct read {
    struct store *s;
    const uint64_t *keys; /* NULL: all */
    size_t nkeys, columns;
    struct store_rows *out;
    struct texts texts;
    struct err *e;
};

static int store_read_by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool wanted(const struct read *r, uint64_t key) {
    return !r->keys || (r->nkeys && bsearch(&key, r->keys, r->nkeys, sizeof key, store_read_by_number));
}

/* Through the value itself: each call of sqlite3_column_* takes SQLite's lock, of which there would be two for every number of
 * every point. No other thread uses this statement: the store's lock is held. */
static struct store_value store_read_value_at(sqlite3_stmt *q, int column) {
    sqlite3_value *v = sqlite3_column_value(q, column);
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER: return (struct store_value){.kind = STORE_WHOLE, .whole = sqlite3_value_int64(v)};
    case SQLITE_FLOAT: return (struct store_value){.kind = STORE_REAL, .real = sqlite3_value_double(v)};
    default: return (struct store_value){.kind = STORE_NONE};
    }
}

static bool read_row(struct read *r, sqlite3_stmt *q) {
    struct arena *mem = &r->out->mem;
    struct store_value *values = ARENA_NEW(mem, struct store_value, r->out->names.n + 1);
    struct store_row row = {.values = values};
    row.id = (struct store_id){.key = (uint64_t)sqlite3_column_int64(q, 0),
                               .workload = store_read_copy(mem, q, 1),
                               .size = store_read_copy(mem, q, 2),
                               .config = store_read_copy(mem, q, 3),
                               .mech = store_read_copy(mem, q, 4),
                               .options = store_read_copy(mem, q, 5),
                               .version = store_read_copy(mem, q, 6),
                               .program = store_read_hash(q, 7),
                               .machine = (uint64_t)sqlite3_column_int64(q, 8)};
    if (!store_state_from(r->s, q, 9, &row.state, r->e)) return false;
    row.error = store_read_copy(mem, q, 10);
    row.launches = (uint64_t)sqlite3_column_int64(q, 11);
    row.checked = (uint64_t)sqlite3_column_int64(q, 12);
    row.digest = store_read_hash(q, 13);
    row.seconds = sqlite3_column_double(q, STORE_NCOLUMNS);
    for (size_t i = 0; i < r->columns; i++) values[i] = store_read_value_at(q, STORE_NCOLUMNS + 1 + (int)i);
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

static struct store_row *store_read_row_of(struct store_rows *out, uint64_t key) {
    size_t at;
    BOUND(at, 0, out->rows.n, out->rows.v[at].id.key < key);
    return at < out->rows.n && out->rows.v[at].id.key == key ? &out->rows.v[at] : NULL;
}

static size_t store_read_place_of(const struct read *r, const char *name) {
    for (size_t i = r->columns; i < r->out->names.n; i++)
        if (!strcmp(r->out->names.v[i], name)) return i;
    return r->out->names.n; /* values have one more than that */
}

static bool read_counters(struct read *r) {
    sqlite3_stmt *q = NULL;
    bool more = false, fine = store_prepare(r->s, "SELECT key, name, value FROM counter", &q, r->e);
    while (fine && (fine = store_step(r->s, q, &more, r->e)) && more) {
        struct store_row *row = store_read_row_of(r->out, (uint64_t)sqlite3_column_int64(q, 0));
        const char *name = (const char *)sqlite3_column_text(q, 1);
        if (row && name)
            ((struct store_value *)row->values)[store_read_place_of(r, name)] = store_read_value_at(q, 2);
    }
    sqlite3_finalize(q);
    return fine;
}

static int compare_machines(const void *a, const void *b, void *rows) {
    const struct store_row *v = rows;
    const int64_t x = (int64_t)v[*(const size_t *)a].id.machine,
                  y = (int64_t)v[*(const size_t *)b].id.machine; /* as SQLite has it */
    return (x > y) - (x < y);
}

/* Places of rows, those of one machine together, machines ascending: the order in which settings are read. */
static size_t *rows_by_machine(const struct store_rows *out) {
    size_t *order = xcalloc(out->rows.n + 1, sizeof *order);
    for (size_t i = 0; i < out->rows.n; i++) order[i] = i;
    if (out->rows.n) qsort_r(order, out->rows.n, sizeof *order, compare_machines, out->rows.v);
    return order;
}

/* The options of the machine that q is at, ended by one without a key; *more: q has another after it. */
static bool store_read_options(struct read *r, sqlite3_stmt *q, uint64_t machine, hd_option **kept, size_t *n,
                               bool *more) {
    VEC(hd_option) options = {0};
    struct arena *mem = &r->out->mem;
    bool fine = true;
    while (fine && *more && (uint64_t)sqlite3_column_int64(q, 0) == machine) {
        VEC_PUSH(&options, (hd_option){once(&r->texts, mem, q, 1), once(&r->texts, mem, q, 2)});
        fine = store_step(r->s, q, more, r->e);
    }
    *n = options.n;
    *kept = ARENA_NEW(mem, hd_option, options.n + 1);
    memcpy(*kept, options.v, options.n * sizeof **kept);
    VEC_FREE(&options);
    return fine;
}

/* The machine that q is at, for the rows that have it; *next: where they begin in order. */
static bool store_read_machine(struct read *r, sqlite3_stmt *q, const size_t *order, size_t *next,
                               bool *more) {
    const uint64_t machine = (uint64_t)sqlite3_column_int64(q, 0);
    hd_option *options;
    size_t n;
    if (!store_read_options(r, q, machine, &options, &n, more)) return false;
    for (; *next < r->out->rows.n; ++*next) {
        struct store_id *id = &r->out->rows.v[order[*next]].id;
        if ((int64_t)id->machine > (int64_t)machine) break;
        if (id->machine == machine) id->option = options, id->noptions = n;
    }
    return true;
}

static bool read_settings(struct read *r) {
    sqlite3_stmt *q = NULL;
    size_t *order = rows_by_machine(r->out), next = 0;
    bool more = false,
         fine =
             store_prepare(r->s, "SELECT machine, key, value FROM setting ORDER BY machine, key", &q, r->e) &&
             store_step(r->s, q, &more, r->e);
    while (fine && more) fine = store_read_machine(r, q, order, &next, &more);
    sqlite3_finalize(q);
    free(order);
    return fine;
}

/* Words of a point's options that are no option of its machine: arguments and the like, which can be axes all the same. */
static void store_read_words(struct store_rows *out) {
    for (size_t i = 0; i < out->rows.n; i++) {
        struct store_row *row = &out->rows.v[i];
        VEC(hd_option) words = {0};
        for (const char *at = row->id.options; *at; at += strspn(at, " ")) {
            const size_t n = strcspn(at, " "), key = strcspn(at, "=");
            const char *name = arena_strndup(&out->mem, at, key < n ? key : n);
            if (key < n && !store_option(row, name))
                VEC_PUSH(&words, (hd_option){name, arena_strndup(&out->mem, at + key + 1, n - key - 1)});
            at += n;
        }
        hd_option *kept = ARENA_NEW(&out->mem, hd_option, words.n + 1);
        if (words.n) memcpy(kept, words.v, words.n * sizeof *kept);
        row->word = kept, row->nwords = words.n;
        VEC_FREE(&words);
    }
}

/* ---- all of it ---- */

/* By store_axes, then by key, in which order they were read. */
static void sort_rows(struct store_rows *out) {
    enum { MOST_AXES = 16 };
    const size_t n = out->rows.n;
    const struct store_row **points = xcalloc(n, sizeof *points);
    struct store_row *sorted = xcalloc(n, sizeof *sorted);
    size_t *order = xcalloc(n, sizeof *order), naxes = 0;
    struct axis axes[MOST_AXES];
    for (size_t i = 0; i < n; i++) points[i] = &out->rows.v[i];
    for (; store_axes[naxes]; naxes++) {
        CHECK(naxes < MOST_AXES);
        axis_make(&axes[naxes], store_axes[naxes], points, n);
    }
    axes_sort(axes, naxes, order, n);
    for (size_t i = 0; i < n; i++) sorted[i] = out->rows.v[order[i]];
    memcpy(out->rows.v, sorted, n * sizeof *sorted);
    for (size_t i = 0; i < naxes; i++) axis_free(&axes[i]);
    free(order);
    free(sorted);
    free(points);
}

static int compare_keys(const void *a, const void *b, void *rows) {
    const struct store_row *v = rows;
    uint64_t x = v[*(const size_t *)a].id.key, y = v[*(const size_t *)b].id.key;
    return (x > y) - (x < y);
}

void store_arrange(struct store_rows *out) {
    size_t n = out->rows.n;
    store_read_words(out);
    out->by_key = ARENA_NEW(&out->mem, size_t, n + 1);
    for (size_t i = 0; i < n; i++) out->by_key[i] = i;
    if (!n) return;
    sort_rows(out);
    qsort_r(out->by_key, n, sizeof *out->by_key, compare_keys, out->rows.v);
}

bool store_read(struct store *s, const uint64_t *keys, size_t nkeys, struct store_rows *out, struct err *e) {
    struct read r = {.s = s, .keys = keys, .nkeys = nkeys, .out = out, .e = e};
    *out = (struct store_rows){0};
    if (!store_flush(s, e)) return false;
    pthread_mutex_lock(&s->lock);
    bool fine = store_exec(s, "BEGIN", e);
    if (fine) {
        fine = store_columns(s, &out->mem, out, e);
        r.columns = out->columns = out->names.n;
        fine = fine && counter_names(s, out, e) && read_points(&r) && read_counters(&r) && read_settings(&r);
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    }
    pthread_mutex_unlock(&s->lock);
    free(r.texts.slot);
    if (fine) store_arrange(out);
    return fine;
}

void store_rows_free(struct store_rows *r) {
    VEC_FREE(&r->rows);
    VEC_FREE(&r->names);
    arena_free(&r->mem);
    r->by_key = NULL;
}
