/* Reading a trace: the directory, programs and launches. Nothing that the file says is believed before it is checked; each
 * piece has zstd's checksum, and sizes are bounded before memory is asked for. */
#include "front/trace/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

bool hdt_is(const void *data, size_t n) {
    return n >= HDT_MAGIC_BYTES && !memcmp(data, HDT_MAGIC, HDT_MAGIC_BYTES - 1);
}

static bool hdt_read_fail(const struct hdt *t, uint64_t at, struct err *e, const char *why) {
    return err_set(e, ERR_INPUT, "%s: at byte %" PRIu64 ": %s", t->source.name, at, why);
}

ZSTD_DCtx *read_take(struct hdt *t) {
    pthread_mutex_lock(&t->lock);
    ZSTD_DCtx *z = t->nspare ? t->spare[--t->nspare] : NULL;
    pthread_mutex_unlock(&t->lock);
    return z ? z : ZSTD_createDCtx();
}

void read_give(struct hdt *t, ZSTD_DCtx *z) {
    pthread_mutex_lock(&t->lock);
    const bool keep = z && t->nspare < SPARE_MOST;
    if (keep) t->spare[t->nspare++] = z;
    pthread_mutex_unlock(&t->lock);
    if (!keep) ZSTD_freeDCtx(z);
}

/* n bytes of the file that are `raw` unpacked. NULL: a reason in *why. */
uint8_t *read_packed(struct hdt *t, uint64_t at, size_t n, size_t raw, const char **why) {
    *why = "the file ends before what should be there";
    if (at > t->source.bytes || n > t->source.bytes - at) return NULL;
    uint8_t *packed = try_alloc(n + 1), *data = try_alloc(raw + 1);
    *why = "the host has no memory for it";
    if (packed && data) {
        *why = "it cannot be read";
        ZSTD_DCtx *z = t->source.read(t->source.user, at, packed, n) ? read_take(t) : NULL;
        const size_t got = z ? ZSTD_decompressDCtx(z, data, raw, packed, n) : 0;
        if (z) *why = ZSTD_isError(got) || got != raw ? "the data is damaged" : NULL;
        read_give(t, z);
    }
    xfree(packed);
    if (!*why) return data;
    xfree(data);
    return NULL;
}

uint8_t *read_piece(struct hdt *t, uint64_t at, enum piece kind, struct unpack *u, uint64_t *next,
                    const char **why) {
    uint8_t head[PIECE_HEAD];
    uint32_t sizes[2];
    *why = "the file ends before what should be there";
    if (at > t->source.bytes || sizeof head > t->source.bytes - at) return NULL;
    *why = "it cannot be read";
    if (!t->source.read(t->source.user, at, head, sizeof head)) return NULL;
    memcpy(sizes, head + 1, sizeof sizes);
    *why = "there is something else than expected: the file is damaged";
    if (head[0] != kind || sizes[0] > PIECE_MOST) return NULL;
    /* zstd expands by at most about 2^15. Larger claims are rejected before memory is allocated; 2^17 leaves a
     * margin. */
    if (sizes[0] / (1u << 17) > sizes[1]) return NULL;
    uint8_t *data = read_packed(t, at + sizeof head, sizes[1], sizes[0], why);
    *u = (struct unpack){data, data ? data + sizes[0] : NULL, false};
    *next = at + sizeof head + sizes[1];
    return data;
}

/* ---- the directory ---- */

static bool read_offsets(struct unpack *u, uint64_t **v, uint32_t *n) {
    *n = (uint32_t)unpack_most(u, (uint64_t)(u->end - u->at));
    *v = xcalloc((size_t)*n + 1, sizeof **v);
    for (uint32_t i = 0; i < *n; i++) (*v)[i] = unpack_number(u);
    return !u->bad;
}

static bool read_directory(struct hdt *t, uint64_t at, struct err *e) {
    const char *why;
    struct unpack u;
    uint64_t next;
    uint8_t *data = read_piece(t, at, PIECE_DIRECTORY, &u, &next, &why);
    if (!data) return hdt_read_fail(t, at, e, why);
    const bool good =
        read_offsets(&u, &t->programs, &t->nprograms) && read_offsets(&u, &t->launches, &t->nlaunches);
    xfree(data);
    return good || hdt_read_fail(t, at, e, "the directory is damaged");
}

static bool find_directory(struct hdt *t, struct err *e) {
    uint8_t head[HDT_MAGIC_BYTES], tail[HDT_TAIL];
    const struct hdt_source *s = &t->source;
    uint64_t at;
    if (s->bytes < sizeof head || !s->read(s->user, 0, head, sizeof head) || !hdt_is(head, sizeof head))
        return err_set(e, ERR_INPUT, "%s: this is no trace of heddle's", s->name);
    if (memcmp(head, HDT_MAGIC, sizeof head) != 0)
        return err_set(e, ERR_INPUT, "%s: a trace of format %c; this heddle reads format %c", s->name,
                       head[HDT_MAGIC_BYTES - 1], HDT_MAGIC[HDT_MAGIC_BYTES - 1]);
    if (s->bytes < sizeof head + sizeof tail ||
        !s->read(s->user, s->bytes - sizeof tail, tail, sizeof tail) ||
        memcmp(tail + sizeof at, HDT_MAGIC, HDT_MAGIC_BYTES) != 0)
        return hdt_read_fail(t, s->bytes, e, "the file has no end: it was truncated, or never finished");
    memcpy(&at, tail, sizeof at);
    return read_directory(t, at, e);
}

struct hdt *hdt_open(const struct hdt_source *s, struct err *e) {
    struct hdt *t = xcalloc(1, sizeof *t);
    t->source = *s;
    pthread_mutex_init(&t->lock, NULL);
    if (find_directory(t, e)) return t;
    hdt_close(t);
    return NULL;
}

void hdt_close(struct hdt *t) {
    if (!t) return;
    while (t->nspare) ZSTD_freeDCtx(t->spare[--t->nspare]);
    pthread_mutex_destroy(&t->lock);
    xfree(t->programs);
    xfree(t->launches);
    xfree(t->program_data);
    xfree(t->texts);
    xfree(t->launch_data);
    xfree(t->copied);
    xfree(t->bits);
    xfree(t);
}

uint32_t hdt_programs(const struct hdt *t) {
    return t->nprograms;
}

uint32_t hdt_launches(const struct hdt *t) {
    return t->nlaunches;
}

/* ---- programs ---- */

static bool unpack_program(struct hdt *t, struct unpack *u) {
    size_t n;
    t->program.name = unpack_text(u, &n);
    t->program.ntexts = (size_t)unpack_most(u, (uint64_t)(u->end - u->at));
    xfree(t->texts);
    t->texts = xcalloc(t->program.ntexts + 1, sizeof *t->texts);
    for (size_t i = 0; i < t->program.ntexts && !u->bad; i++) {
        t->texts[i].name = unpack_text(u, &n);
        t->texts[i].text = unpack_file(u, &t->texts[i].bytes);
    }
    t->program.texts = t->texts;
    return !u->bad && t->program.ntexts;
}

const struct hdt_program *hdt_program(struct hdt *t, uint32_t number, struct err *e) {
    const char *why = NULL;
    struct unpack u;
    uint64_t next;
    CHECK(number < t->nprograms);
    xfree(t->program_data);
    t->program_data = read_piece(t, t->programs[number], PIECE_PROGRAM, &u, &next, &why);
    if (t->program_data && !unpack_program(t, &u)) why = "the program is damaged";
    if (!why) return &t->program;
    hdt_read_fail(t, t->programs[number], e, why);
    return NULL;
}

/* ---- launches ---- */

static void unpack_dims(struct unpack *u, uint32_t dim[3]) {
    for (int d = 0; d < 3; d++) {
        dim[d] = (uint32_t)unpack_most(u, INT32_MAX);
        if (!dim[d]) u->bad = true;
    }
}

static void unpack_copied(struct hdt *t, struct unpack *u) {
    struct hdt_launch *l = &t->launch;
    l->ncopied = (size_t)unpack_most(u, (uint64_t)(u->end - u->at));
    xfree(t->copied);
    l->copied = t->copied = xcalloc(l->ncopied + 1, sizeof *t->copied);
    for (size_t i = 0; i < l->ncopied; i++) {
        t->copied[i].addr = unpack_number(u);
        t->copied[i].bytes = unpack_number(u);
    }
}

static bool unpack_launch(struct hdt *t, struct unpack *u) {
    struct hdt_launch *l = &t->launch;
    size_t n;
    l->program = (uint32_t)unpack_most(u, t->nprograms - 1u);
    l->kernel = unpack_text(u, &n);
    unpack_dims(u, l->grid);
    unpack_dims(u, l->block);
    l->shared = (uint32_t)unpack_most(u, UINT32_MAX);
    l->cooperative = unpack_most(u, 1);
    l->used_bytes = unpack_number(u);
    unpack_copied(t, u);
    l->doubt = unpack_text(u, &n);
    l->columns = (uint32_t)unpack_most(u, PIECE_MOST);
    l->insts = unpack_number(u);
    t->blocks_at = unpack_number(u);
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1];
    if (threads > 1024 || threads * l->block[2] > 1024) u->bad = true;
    return !u->bad && t->nprograms;
}

const struct hdt_launch *hdt_launch(struct hdt *t, uint32_t number, struct err *e) {
    const char *why = NULL;
    struct unpack u;
    uint64_t next;
    CHECK(number < t->nlaunches);
    xfree(t->launch_data);
    t->number = number;
    t->launch_data = read_piece(t, t->launches[number], PIECE_LAUNCH, &u, &next, &why);
    if (t->launch_data && !unpack_launch(t, &u)) why = "the launch is damaged";
    if (!why) return &t->launch;
    hdt_read_fail(t, t->launches[number], e, why);
    return NULL;
}

bool hdt_follow(struct hdt *t, const bool *bits, uint32_t columns, struct err *e) {
    if (columns != t->launch.columns)
        return err_set(e, ERR_INPUT,
                       "%s: launch %" PRIu32 " of %s has %" PRIu32 " columns where the program has %" PRIu32
                       ": it was recorded by another version of heddle",
                       t->source.name, t->number, t->launch.kernel, t->launch.columns, columns);
    xfree(t->bits);
    t->bits = xcalloc((size_t)columns + 1, sizeof *t->bits);
    if (columns) memcpy(t->bits, bits, columns * sizeof *bits);
    return true;
}
