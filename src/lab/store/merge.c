/* Every file is looked at first to see that it belongs here, and then read to be added, in one transaction for all. So a file
 * that is refused, the last one too, leaves nothing behind, and no more than one file is in memory. */
#include "lab/store/merge.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/store/impl.h"

/* ---- one file ---- */

/* Store or shard: its points. Of a store only with rows; else what it is is enough. */
static bool merge_read_file(struct merge_file *f, bool rows, struct shard_found *found, struct err *e) {
    struct store *s = NULL;
    *found = (struct shard_found){.reason = ""};
    f->shard = shard_is(f->path);
    if (f->shard) return shard_read(f->path, found, e);
    bool fine = store_open(f->path, STORE_READ, &s, e) && (!rows || store_read(s, NULL, 0, &found->rows, e));
    store_close(s);
    return fine;
}

static void merge_describe(struct merge_file *f, const struct shard_found *found, struct arena *mem) {
    f->about = found->about;
    f->about.version = arena_strdup(mem, found->about.version ? found->about.version : "");
    f->about.host = arena_strdup(mem, found->about.host ? found->about.host : "");
    f->reason = arena_strdup(mem, found->reason);
    f->ended = found->ended;
    f->bad = found->bad;
    f->points = found->rows.rows.n;
    f->missing = found->about.points > f->points ? found->about.points - f->points : 0;
}

bool merge_shard(struct store *to, const char *path, struct merge_file *f, struct shard_found *found,
                 struct err *e) {
    *f = (struct merge_file){.path = path, .shard = true};
    if (!shard_read(path, found, e)) return false;
    f->points = found->rows.rows.n;
    f->ended = found->ended;
    f->bad = found->bad;
    return store_add(to, &found->rows, path, &f->added, e);
}

/* ---- whether they belong together ---- */

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return !strcmp(a, b) || (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* A shard that was cut before it says what it is of belongs anywhere: it has no points. */
static bool same_sweep(const struct merge_file *a, const struct merge_file *b, struct err *e) {
    if (!a->shard || !b->shard || !*a->about.version || !*b->about.version) return true;
    if (strcmp(a->about.version, b->about.version) != 0)
        return err_set(e, ERR_INPUT, "%s and %s are shards by different builds of heddle (%s and %s)",
                       a->path, b->path, a->about.version, b->about.version);
    if (a->about.sweep != b->about.sweep)
        return err_set(e, ERR_INPUT, "%s and %s are shards of different sweeps; merge one sweep at a time",
                       a->path, b->path);
    return a->about.parts == b->about.parts ||
           err_set(e, ERR_INPUT, "%s and %s are shards of one sweep cut differently: %u/%u and %u/%u",
                   a->path, b->path, a->about.part, a->about.parts, b->about.part, b->about.parts);
}

static bool look_at(struct merge *m, size_t i, struct err *e) {
    struct merge_file *f = &m->files[i];
    struct shard_found found;
    if (same_file(m->to, f->path)) return err_set(e, ERR_INPUT, "%s cannot be joined to itself", f->path);
    bool fine = merge_read_file(f, false, &found, e);
    if (fine) merge_describe(f, &found, &m->mem);
    shard_found_free(&found);
    for (size_t k = 0; k < i && fine; k++) fine = same_sweep(&m->files[k], f, e);
    return fine;
}

/* ---- joining ---- */

static bool merge_add_file(struct store *to, struct merge_file *f, struct err *e) {
    struct shard_found found;
    bool fine = merge_read_file(f, true, &found, e) && store_add_some(to, &found.rows, f->path, &f->added, e);
    f->points = found.rows.rows.n;
    shard_found_free(&found);
    return fine;
}

static bool merge_count(struct store *s, size_t *points, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false,
         fine = store_prepare(s, "SELECT count(*) FROM point", &q, e) && store_step(s, q, &more, e);
    if (fine && more) *points = (size_t)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return fine;
}

static bool merge_join(struct merge *m, struct store *to, struct err *e) {
    if (!store_add_begin(to, e)) return false;
    bool fine = true;
    for (size_t i = 0; i < m->nfiles && fine; i++) fine = merge_add_file(to, &m->files[i], e);
    return store_add_end(to, fine, e) && fine && merge_count(to, &m->points, e);
}

bool merge(struct merge *m, struct err *e) {
    struct store *to = NULL;
    for (size_t i = 0; i < m->nfiles; i++)
        if (!look_at(m, i, e)) return false;
    bool there = !access(m->to, F_OK);
    bool fine = store_open(m->to, STORE_WRITE, &to, e) && merge_join(m, to, e);
    store_close(to);
    if (!fine && to && !there) unlink(m->to);
    return fine;
}

void merge_free(struct merge *m) {
    arena_free(&m->mem);
}
