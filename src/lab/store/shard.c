/* Writing a shard.
 *
 * A file to which records are appended, and not a database: file systems that several hosts share are unreliable in what
 * databases rest on, locks and the order of writes, and a database that is cut in the middle is lost whole. Here every record
 * is one write, has its checksum and is found again by its mark.
 *
 * The disk is not waited for at each point: what the host has not written when it falls is simulated again. Once a
 * second is enough. */
#include "lab/store/shard_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/bound.h"
#include "lab/run/pool.h"
#include "lab/store/impl.h"

struct shard {
    int file;
    char *path;
    off_t end; /* end of the last whole record */
    double synced;
    VEC(uint64_t) machines; /* machines whose options are there, ascending */
};

/* ---- bytes ---- */

uint64_t shard_checksum(uint32_t kind, const void *data, size_t n) {
    uint8_t k = (uint8_t)kind;
    return hash_bytes(hash_bytes(HASH_START, &k, 1), data, n);
}

static void put_number(struct sb *b, uint64_t v, int bytes) {
    char c[8];
    for (int i = 0; i < bytes; i++) c[i] = (char)(v >> 8 * i);
    sb_addn(b, c, (size_t)bytes);
}

/* With its end. */
static void put_text(struct sb *b, const char *text) {
    sb_addn(b, text, strlen(text) + 1);
}

static void put_value(struct sb *b, const struct store_value *v) {
    uint64_t bits = 0;
    if (v->kind == STORE_WHOLE)
        bits = (uint64_t)v->whole;
    else if (v->kind == STORE_REAL)
        memcpy(&bits, &v->real, sizeof bits);
    put_number(b, (uint64_t)v->kind, 1);
    if (v->kind != STORE_NONE) put_number(b, bits, 8);
}

void shard_state(const char *text, uint8_t *out) {
    memset(out, 0, SHARD_STATE_BYTES);
    strncpy((char *)out + 8, text, SHARD_STATE_BYTES - 9);
    uint64_t sum = shard_checksum(0, out + 8, SHARD_STATE_BYTES - 8);
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(sum >> 8 * i);
}

/* ---- records ---- */

static bool shard_failed(const struct shard *s, const char *what, struct err *e) {
    return err_set(e, ERR_INPUT, "cannot %s %s: %s", what, s->path, strerror(errno));
}

static bool write_at(int file, const void *data, size_t n, off_t at) {
    const char *from = data;
    while (n) {
        ssize_t k = pwrite(file, from, n, at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        from += k, at += k, n -= (size_t)k;
    }
    return true;
}

/* What is written of a record that has no room is taken back, as far as that works; else it has no checksum. */
static bool shard_append(struct shard *s, enum shard_kind kind, const struct sb *contents, struct err *e) {
    struct sb b = {0};
    put_number(&b, SHARD_MARK, 4);
    put_number(&b, (uint64_t)kind, 4);
    put_number(&b, contents->len, 8);
    put_number(&b, shard_checksum(kind, contents->text, contents->len), 8);
    sb_addn(&b, contents->text, contents->len);
    bool fine = write_at(s->file, b.text, b.len, s->end) || shard_failed(s, "write", e);
    if (fine)
        s->end += (off_t)b.len;
    else if (ftruncate(s->file, s->end))
        errno = 0;
    sb_free(&b);
    return fine;
}

static bool sync_now_and_then(struct shard *s, struct err *e) {
    double now = lab_seconds();
    if (now - s->synced < 1) return true;
    s->synced = now;
    return !fdatasync(s->file) || shard_failed(s, "write", e);
}

static bool append_about(struct shard *s, const struct shard_about *a, struct err *e) {
    struct sb b = {0};
    put_number(&b, a->sweep, 8);
    put_number(&b, a->part, 4);
    put_number(&b, a->parts, 4);
    put_number(&b, a->points, 8);
    put_text(&b, a->version);
    put_text(&b, a->host);
    put_number(&b, STAT_COUNT, 4);
    for (int i = 0; i < STAT_COUNT; i++) put_text(&b, stat_rows[i].name);
    bool fine = shard_append(s, SHARD_ABOUT, &b, e);
    sb_free(&b);
    return fine;
}

/* Where the machine is among those that are there, or is to be. */
static size_t machine_place(const struct shard *s, uint64_t machine) {
    size_t at;
    BOUND(at, 0, s->machines.n, s->machines.v[at] < machine);
    return at;
}

static bool know_machine(struct shard *s, uint64_t machine) {
    size_t at = machine_place(s, machine);
    if (at < s->machines.n && s->machines.v[at] == machine) return false;
    VEC_PUSH(&s->machines, 0);
    memmove(s->machines.v + at + 1, s->machines.v + at, (s->machines.n - 1 - at) * sizeof *s->machines.v);
    s->machines.v[at] = machine;
    return true;
}

static bool append_machine(struct shard *s, const struct store_id *id, struct err *e) {
    struct sb b = {0};
    if (!know_machine(s, id->machine)) return true;
    put_number(&b, id->machine, 8);
    put_number(&b, id->noptions, 4);
    for (size_t i = 0; i < id->noptions; i++)
        put_text(&b, id->option[i].key), put_text(&b, id->option[i].value);
    bool fine = shard_append(s, SHARD_MACHINE, &b, e);
    sb_free(&b);
    return fine;
}

static void put_row(struct sb *b, const struct store_line *l) {
    const struct store_id *id = &l->row.id;
    const char *const text[] = {id->workload, id->size,    id->config,  id->mech,
                                id->options,  id->version, l->row.error};
    uint64_t seconds;
    memcpy(&seconds, &l->row.seconds, sizeof seconds);
    const uint64_t number[] = {id->key,         id->machine,    id->program,   l->row.state,
                               l->row.launches, l->row.checked, l->row.digest, seconds};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) put_number(b, number[i], 8);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) put_text(b, text[i]);
    for (size_t i = 0; i < l->columns; i++) put_value(b, &l->row.values[i]);
    put_number(b, l->nnames - l->columns, 4);
    for (size_t i = l->columns; i < l->nnames; i++) put_text(b, l->names[i]), put_value(b, &l->row.values[i]);
}

bool shard_begin(struct shard *s, uint64_t key, struct err *e) {
    struct sb b = {0};
    put_number(&b, key, 8);
    bool fine = shard_append(s, SHARD_BEGIN, &b, e);
    sb_free(&b);
    return fine;
}

bool shard_put(struct shard *s, const struct store_line *l, struct err *e) {
    struct sb b = {0};
    CHECK(l->columns == STAT_COUNT);
    put_row(&b, l);
    bool fine =
        append_machine(s, &l->row.id, e) && shard_append(s, SHARD_POINT, &b, e) && sync_now_and_then(s, e);
    sb_free(&b);
    return fine;
}

void shard_end(struct shard *s, const char *reason) {
    uint8_t state[SHARD_STATE_BYTES];
    struct sb text = {0};
    sb_add(&text, "ended %.400s", reason);
    fdatasync(s->file);
    shard_state(text.text, state);
    if (write_at(s->file, state, sizeof state, SHARD_MAGIC_BYTES)) fdatasync(s->file);
    sb_free(&text);
}

/* ---- opening ---- */

static bool store_shard_begin(struct shard *s, struct err *e) {
    uint8_t start[SHARD_START] = SHARD_MAGIC;
    shard_state("running", start + SHARD_MAGIC_BYTES);
    return write_at(s->file, start, sizeof start, 0) || shard_failed(s, "write", e);
}

static bool same_part(const char *path, const struct shard_about *a, const struct shard_about *b,
                      struct err *e) {
    if (strcmp(a->version, b->version) != 0)
        return err_set(e, ERR_INPUT, "%s is a shard by another build of heddle (%s; this is %s)", path,
                       a->version, b->version);
    if (a->sweep != b->sweep) return err_set(e, ERR_INPUT, "%s is a shard of another sweep", path);
    return (a->part == b->part && a->parts == b->parts) ||
           err_set(e, ERR_INPUT, "%s is another shard of this sweep: %u/%u", path, a->part, a->parts);
}

/* What is there, and the options of which machines. A file that has not even its first record begins anew. */
static bool take_up(struct shard *s, const struct shard_about *about, struct shard_found *found,
                    struct err *e) {
    if (!shard_read(s->path, found, e)) return false;
    if (!found->about.version) return !ftruncate(s->file, 0) || shard_failed(s, "write", e);
    if (!same_part(s->path, &found->about, about, e)) return false;
    for (size_t i = 0; i < found->rows.rows.n; i++) know_machine(s, found->rows.rows.v[i].id.machine);
    s->end = (off_t)found->good;
    return !ftruncate(s->file, s->end) || shard_failed(s, "write", e);
}

static bool shard_prepare(struct shard *s, const struct shard_about *about, struct shard_found *found,
                          struct err *e) {
    /* Where the file system has no locks, nothing can be told. */
    if (flock(s->file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return err_set(e, ERR_INPUT, "%s is being written by another process", s->path);
    s->end = lseek(s->file, 0, SEEK_END);
    if (s->end && !take_up(s, about, found, e)) return false;
    bool fresh = !s->end || !found->about.version;
    if (fresh) s->end = SHARD_START;
    return store_shard_begin(s, e) && (!fresh || append_about(s, about, e));
}

bool shard_open(const char *path, const struct shard_about *about, struct shard **out,
                struct shard_found *found, struct err *e) {
    struct shard *s = *out = xcalloc(1, sizeof *s);
    struct sb name = {0};
    *found = (struct shard_found){0};
    sb_add(&name, "%s", path);
    s->path = name.text;
    s->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool fine = s->file >= 0 ? shard_prepare(s, about, found, e) : shard_failed(s, "open", e);
    if (fine) return true;
    shard_close(s);
    *out = NULL;
    return false;
}

void shard_close(struct shard *s) {
    if (!s) return;
    if (s->file >= 0) close(s->file);
    VEC_FREE(&s->machines);
    free(s->path);
    free(s);
}

/* ---- parts ---- */

bool shard_has(size_t point, uint32_t part, uint32_t parts) {
    return (point + point / parts) % parts == part - 1;
}

static bool read_part(const char *text, uint32_t *part, uint32_t *parts) {
    char *slash, *end;
    if (*text < '0' || *text > '9') return false;
    unsigned long i = strtoul(text, &slash, 10);
    if (*slash != '/' || slash[1] < '0' || slash[1] > '9') return false;
    unsigned long n = strtoul(slash + 1, &end, 10);
    if (*end || !i || i > n || n > 1000000) return false;
    *part = (uint32_t)i, *parts = (uint32_t)n;
    return true;
}

bool shard_parse(const char *text, uint32_t *part, uint32_t *parts, struct err *e) {
    return read_part(text, part, parts) ||
           err_set(e, ERR_INPUT, "--shard %.60s is not I/N with I from 1 to N, as in --shard 2/8", text);
}

uint64_t shard_sweep(const uint64_t *keys, size_t n) {
    uint64_t sum = n;
    for (size_t i = 0; i < n; i++) sum += hash_bytes(HASH_START, &keys[i], sizeof keys[i]);
    return sum;
}
