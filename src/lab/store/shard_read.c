/* Reading a shard, of which any part may be missing or damaged: whatever has its checksum counts, and after a place that does
 * not the next mark is looked for. A point that is there twice, since it ran again, counts as it was last. */
#include "lab/store/shard_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/impl.h"
#include "sim/file.h"

/* ---- contents of a record ---- */

struct bytes {
    const uint8_t *at, *end;
    bool bad; /* it wanted more than there is */
};

static uint64_t store_shard_read_number(struct bytes *b, int n) {
    uint64_t v = 0;
    if (b->end - b->at < n) return b->bad = true, 0;
    for (int i = 0; i < n; i++) v |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    return v;
}

static const char *store_shard_read_text(struct bytes *b, struct arena *mem) {
    const uint8_t *zero = b->bad ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));
    if (!zero) return b->bad = true, "";
    const char *from = (const char *)b->at;
    b->at = zero + 1;
    return *from ? arena_strdup(mem, from) : "";
}

static struct store_value store_shard_read_value(struct bytes *b) {
    struct store_value v = {.kind = (enum store_kind)store_shard_read_number(b, 1)};
    uint64_t bits = v.kind == STORE_NONE ? 0 : store_shard_read_number(b, 8);
    if (v.kind > STORE_REAL) b->bad = true;
    if (v.kind == STORE_REAL)
        memcpy(&v.real, &bits, sizeof bits);
    else
        v.whole = (int64_t)bits;
    return v;
}

/* ---- what they become ---- */

struct machine {
    uint64_t hash;
    const hd_option *option;
    size_t n;
};
/* A mechanism's own counters of a point, until all names are known. */
struct counters {
    const char **names;
    struct store_value *values;
    size_t n;
};

struct reading {
    struct shard_found *out;
    VEC(struct machine) machines;
    VEC(struct counters) counters; /* by row */
    VEC(uint64_t) begun;
};

static void read_about(struct reading *r, struct bytes *b) {
    struct shard_about a = {.sweep = store_shard_read_number(b, 8),
                            .part = (uint32_t)store_shard_read_number(b, 4)};
    struct store_rows *rows = &r->out->rows;
    a.parts = (uint32_t)store_shard_read_number(b, 4);
    a.points = store_shard_read_number(b, 8);
    a.version = store_shard_read_text(b, &rows->mem);
    a.host = store_shard_read_text(b, &rows->mem);
    uint64_t n = store_shard_read_number(b, 4);
    for (uint64_t i = 0; i < n && !b->bad; i++) {
        const char *name = store_shard_read_text(b, &rows->mem);
        b->bad |= !strchr(name, '.') || strchr(name, '"');
        VEC_PUSH(&rows->names, name);
    }
    rows->columns = rows->names.n;
    if (!b->bad) r->out->about = a;
}

static void store_shard_read_machine(struct reading *r, struct bytes *b) {
    struct arena *mem = &r->out->rows.mem;
    struct machine m = {.hash = store_shard_read_number(b, 8)};
    m.n = (size_t)store_shard_read_number(b, 4);
    if (b->bad || m.n > (size_t)(b->end - b->at)) return;
    hd_option *list = ARENA_NEW(mem, hd_option, m.n + 1);
    for (size_t i = 0; i < m.n && !b->bad; i++) {
        list[i].key = store_shard_read_text(b, mem);
        list[i].value = store_shard_read_text(b, mem);
    }
    m.option = list;
    if (!b->bad) VEC_PUSH(&r->machines, m);
}

static struct counters read_counters(struct bytes *b, struct arena *mem) {
    struct counters c = {.n = (size_t)store_shard_read_number(b, 4)};
    if (b->bad || c.n > (size_t)(b->end - b->at)) return b->bad = true, (struct counters){0};
    c.names = ARENA_NEW(mem, const char *, c.n + 1);
    c.values = ARENA_NEW(mem, struct store_value, c.n + 1);
    for (size_t i = 0; i < c.n && !b->bad; i++)
        c.names[i] = store_shard_read_text(b, mem), c.values[i] = store_shard_read_value(b);
    return c;
}

static void read_point(struct reading *r, struct bytes *b) {
    struct store_rows *rows = &r->out->rows;
    struct arena *mem = &rows->mem;
    struct store_row row = {0};
    row.id.key = store_shard_read_number(b, 8);
    row.id.machine = store_shard_read_number(b, 8);
    row.id.program = store_shard_read_number(b, 8);
    uint64_t state = store_shard_read_number(b, 8);
    row.launches = store_shard_read_number(b, 8);
    row.checked = store_shard_read_number(b, 8);
    row.digest = store_shard_read_number(b, 8);
    uint64_t seconds = store_shard_read_number(b, 8);
    memcpy(&row.seconds, &seconds, sizeof seconds);
    const char **const to[] = {&row.id.workload, &row.id.size,    &row.id.config, &row.id.mech,
                               &row.id.options,  &row.id.version, &row.error};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) *to[i] = store_shard_read_text(b, mem);
    struct store_value *values = ARENA_NEW(mem, struct store_value, rows->columns + 1);
    for (size_t i = 0; i < rows->columns && !b->bad; i++) values[i] = store_shard_read_value(b);
    struct counters c = read_counters(b, mem);
    if (b->bad || state > STORE_KILLED) return;
    row.state = (enum store_state)state;
    row.values = values;
    VEC_PUSH(&rows->rows, row);
    VEC_PUSH(&r->counters, c);
}

/* Nothing but the first record says how the others read. */
static void read_record(struct reading *r, enum shard_kind kind, const uint8_t *data, size_t n) {
    struct bytes b = {.at = data, .end = data + n};
    bool known = r->out->about.version != NULL;
    if (kind == SHARD_ABOUT && !known) read_about(r, &b);
    if (kind == SHARD_MACHINE) store_shard_read_machine(r, &b);
    if (kind == SHARD_POINT && known) read_point(r, &b);
    if (kind == SHARD_BEGIN) {
        uint64_t key = store_shard_read_number(&b, 8);
        if (!b.bad) VEC_PUSH(&r->begun, key);
    }
}

/* ---- records ---- */

/* The record at `at`, whole and with its checksum; its length with what is before its contents, or 0. */
static size_t record_at(const uint8_t *data, size_t n, size_t at, enum shard_kind *kind) {
    struct bytes b = {.at = data + at, .end = data + n};
    if (n - at < SHARD_RECORD_BYTES || store_shard_read_number(&b, 4) != SHARD_MARK) return 0;
    *kind = (enum shard_kind)store_shard_read_number(&b, 4);
    uint64_t length = store_shard_read_number(&b, 8), sum = store_shard_read_number(&b, 8);
    if (length > SHARD_LONGEST || length > n - at - SHARD_RECORD_BYTES) return 0;
    if (sum != shard_checksum((uint32_t)*kind, data + at + SHARD_RECORD_BYTES, (size_t)length)) return 0;
    return SHARD_RECORD_BYTES + (size_t)length;
}

static void read_records(struct reading *r, const uint8_t *data, size_t n) {
    size_t good = SHARD_START, at = SHARD_START;
    while (at < n) {
        enum shard_kind kind;
        size_t length = record_at(data, n, at, &kind);
        if (!length) {
            at++;
            continue;
        }
        read_record(r, kind, data + at + SHARD_RECORD_BYTES, length - SHARD_RECORD_BYTES);
        r->out->bad += at - good;
        good = at += length;
    }
    r->out->good = good;
    if (n > good) r->out->bad += n - good;
}

static void read_state(struct shard_found *f, const uint8_t *data) {
    struct bytes b = {.at = data, .end = data + 8};
    uint64_t sum = store_shard_read_number(&b, 8);
    const char *words = (const char *)data + 8;
    f->reason = "";
    if (sum != shard_checksum(0, words, SHARD_STATE_BYTES - 8) || strncmp(words, "ended ", 6) != 0) return;
    f->ended = true;
    f->reason = arena_strdup(&f->rows.mem, words + 6);
}

/* ---- all of it ---- */

static int store_shard_read_by_key(const void *a, const void *b, void *rows) {
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct store_row *v = rows;
    uint64_t x = v[i].id.key, y = v[k].id.key;
    return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* Keeps the rows that are marked, with their counters. */
static void store_shard_read_keep(struct reading *r, const bool *marked) {
    struct store_rows *rows = &r->out->rows;
    size_t n = 0;
    for (size_t i = 0; i < rows->rows.n; i++) {
        if (!marked[i]) continue;
        rows->rows.v[n] = rows->rows.v[i];
        r->counters.v[n++] = r->counters.v[i];
    }
    rows->rows.n = r->counters.n = n;
}

/* Drops all points of one key but the last. */
static void drop_older(struct reading *r) {
    struct store_rows *rows = &r->out->rows;
    size_t n = rows->rows.n, *order = xcalloc(n + 1, sizeof *order);
    bool *last = xcalloc(n + 1, sizeof *last);
    for (size_t i = 0; i < n; i++) order[i] = i;
    if (n) qsort_r(order, n, sizeof *order, store_shard_read_by_key, rows->rows.v);
    for (size_t i = 0; i < n; i++)
        last[order[i]] = i + 1 == n || rows->rows.v[order[i]].id.key != rows->rows.v[order[i + 1]].id.key;
    store_shard_read_keep(r, last);
    free(last);
    free(order);
}

static size_t counter_place(struct store_rows *rows, const char *name) {
    for (size_t i = rows->columns; i < rows->names.n; i++)
        if (!strcmp(rows->names.v[i], name)) return i;
    VEC_PUSH(&rows->names, name);
    return rows->names.n - 1;
}

/* Values of all names, now that they are known. */
static void place_counters(struct reading *r) {
    struct store_rows *rows = &r->out->rows;
    for (size_t i = 0; i < r->counters.n; i++)
        for (size_t k = 0; k < r->counters.v[i].n; k++) counter_place(rows, r->counters.v[i].names[k]);
    for (size_t i = 0; i < rows->rows.n && rows->names.n > rows->columns; i++) {
        struct store_value *all = ARENA_NEW(&rows->mem, struct store_value, rows->names.n + 1);
        const struct counters *c = &r->counters.v[i];
        memcpy(all, rows->rows.v[i].values, rows->columns * sizeof *all);
        for (size_t k = 0; k < c->n; k++) all[counter_place(rows, c->names[k])] = c->values[k];
        rows->rows.v[i].values = all;
    }
}

static int by_hash(const void *a, const void *b) {
    const struct machine *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* A point whose machine's options were in a damaged record is as good as lost. */
static void place_machines(struct reading *r) {
    struct store_rows *rows = &r->out->rows;
    bool *whole = xcalloc(rows->rows.n + 1, sizeof *whole);
    if (r->machines.n) qsort(r->machines.v, r->machines.n, sizeof *r->machines.v, by_hash);
    for (size_t i = 0; i < rows->rows.n && r->machines.n; i++) {
        struct store_id *id = &rows->rows.v[i].id;
        struct machine wanted = {.hash = id->machine};
        const struct machine *m =
            bsearch(&wanted, r->machines.v, r->machines.n, sizeof *r->machines.v, by_hash);
        if (m) id->option = m->option, id->noptions = m->n;
        whole[i] = m != NULL;
    }
    store_shard_read_keep(r, whole);
    free(whole);
}

static int store_shard_read_by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the points that began and are not among the rows. */
static void find_running(struct reading *r) {
    size_t n = r->out->rows.rows.n;
    uint64_t *ended = xcalloc(n + 1, sizeof *ended);
    for (size_t i = 0; i < n; i++) ended[i] = r->out->rows.rows.v[i].id.key;
    if (n) qsort(ended, n, sizeof *ended, store_shard_read_by_number);
    if (r->begun.n) qsort(r->begun.v, r->begun.n, sizeof *r->begun.v, store_shard_read_by_number);
    for (size_t i = 0; i < r->begun.n; i++) {
        uint64_t key = r->begun.v[i];
        bool again = i && key == r->begun.v[i - 1];
        if (!again && !(n && bsearch(&key, ended, n, sizeof key, store_shard_read_by_number)))
            VEC_PUSH(&r->out->running, key);
    }
    free(ended);
}

static bool store_shard_read_all(const char *path, const struct sb *all, struct shard_found *out,
                                 struct err *e) {
    struct reading r = {.out = out};
    const uint8_t *data = (const uint8_t *)all->text;
    if (all->len && memcmp(data, SHARD_MAGIC, all->len < SHARD_MAGIC_BYTES ? all->len : SHARD_MAGIC_BYTES))
        return err_set(e, ERR_INPUT, "%s is not a shard of a sweep", path);
    if (all->len >= SHARD_START) {
        read_state(out, data + SHARD_MAGIC_BYTES);
        read_records(&r, data, all->len);
    } else
        out->bad = all->len;
    drop_older(&r);
    place_machines(&r);
    place_counters(&r);
    find_running(&r);
    store_arrange(&out->rows);
    VEC_FREE(&r.machines);
    VEC_FREE(&r.counters);
    VEC_FREE(&r.begun);
    return true;
}

bool shard_read(const char *path, struct shard_found *out, struct err *e) {
    struct sb all = {0};
    *out = (struct shard_found){.reason = ""};
    bool fine = file_read(path, &all, e) && store_shard_read_all(path, &all, out, e);
    sb_free(&all);
    return fine;
}

void shard_found_free(struct shard_found *f) {
    VEC_FREE(&f->running);
    store_rows_free(&f->rows);
}

bool shard_is(const char *path) {
    char start[SHARD_MAGIC_BYTES] = {0};
    FILE *f = fopen(path, "rb");
    bool is =
        f && fread(start, 1, sizeof start, f) == sizeof start && !memcmp(start, SHARD_MAGIC, sizeof start);
    if (f) fclose(f);
    return is;
}
