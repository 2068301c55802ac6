/* Writes checkpoint files. The journal is compressed as it grows, so that a checkpoint costs what the state takes and not
 * what the run has seen; only what came since the last whole chunk is compressed each time anew.
 *
 * The file is written under another name, brought to the disk and then renamed: whatever happens meanwhile, a whole one is
 * there. */
#include "cli/cmd/run/checkpoint_file.h"

#include <string.h>

#include "base/bits.h"
#include "base/ledger.h"

const char CHECKPOINT_MARK[] = "heddle checkpoint 1\n";
enum {
    LEVEL = 1,               /* zstd's: memory is large, and mostly zeros or noise */
    JOURNAL_CHUNK = 1 << 16, /* so much of the journal, at most, is compressed again with each checkpoint */
};

uint32_t checkpoint_check(const struct checkpoint_header *h) {
    const uint64_t x = hash_bytes(HASH_START, h, offsetof(struct checkpoint_header, check));
    return (uint32_t)(x ^ x >> 32);
}

/* Where chunks go: a text, or a file. */
struct sink {
    struct sb *text;
    struct outstream *file;
};

static void run_checkpoint_file_put(const struct sink *to, const void *data, size_t n) {
    if (to->file)
        outfile_put(to->file, data, n);
    else
        sb_addn(to->text, data, n);
}

static bool put_chunk(const struct sink *to, enum checkpoint_part part, const void *data, size_t n) {
    ZSTD_CCtx *c = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(n);
    char *packed = xmalloc(room);
    size_t stored = 0;
    if (c) {
        ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
        stored = ZSTD_compress2(c, packed, room, data, n);
    }
    const bool fine = c && !ZSTD_isError(stored);
    if (fine) {
        struct checkpoint_header h = {(uint32_t)part, (uint32_t)n, (uint32_t)stored, 0};
        h.check = checkpoint_check(&h);
        run_checkpoint_file_put(to, &h, sizeof h);
        run_checkpoint_file_put(to, packed, stored);
    }
    ZSTD_freeCCtx(c);
    xfree(packed);
    return fine;
}

static bool put_part(const struct sink *to, enum checkpoint_part part, const struct sb *s) {
    bool fine = true;
    for (size_t at = 0; at < s->len && fine; at += CHECKPOINT_CHUNK)
        fine = put_chunk(to, part, s->text + at,
                         s->len - at < CHECKPOINT_CHUNK ? s->len - at : CHECKPOINT_CHUNK);
    return fine;
}

/* ---- the journal ---- */

void checkpoint_add(struct checkpoint_journal *j, const void *data, size_t n) {
    const char *from = data;
    while (n) {
        const size_t left = JOURNAL_CHUNK - j->tail.len, here = n < left ? n : left;
        sb_addn(&j->tail, from, here);
        from += here;
        n -= here;
        if (j->tail.len < JOURNAL_CHUNK) continue;
        const struct sink to = {.text = &j->chunks};
        if (!put_chunk(&to, CHECKPOINT_JOURNAL, j->tail.text, j->tail.len)) ledger_fail(JOURNAL_CHUNK);
        j->tail.len = 0;
    }
}

void checkpoint_journal_free(struct checkpoint_journal *j) {
    sb_free(&j->chunks);
    sb_free(&j->tail);
}

/* ---- the state ---- */

struct saving {
    struct sink to;
    char *piece; /* bytes that have not been compressed yet */
    size_t n;    /* so much of it */
    uint64_t bytes;
    bool failed;
};

static void run_checkpoint_file_flush(struct saving *s) {
    if (s->n && !put_chunk(&s->to, CHECKPOINT_STATE, s->piece, s->n)) s->failed = true;
    s->n = 0;
}

static bool on_state(void *user, void *data, size_t n) {
    struct saving *s = user;
    const char *from = data;
    s->bytes += n;
    while (n) {
        const size_t left = CHECKPOINT_CHUNK - s->n, here = n < left ? n : left;
        memcpy(s->piece + s->n, from, here);
        s->n += here;
        from += here;
        n -= here;
        if (s->n == CHECKPOINT_CHUNK) run_checkpoint_file_flush(s);
    }
    return !s->failed;
}

/* ---- the file ---- */

static bool put_all(const struct sink *to, const struct sb *identity, const struct checkpoint_journal *j,
                    hd_device *dev, uint64_t *launches, struct err *e) {
    struct saving s = {.to = *to, .piece = xmalloc(CHECKPOINT_CHUNK)};
    struct sim_state at;
    run_checkpoint_file_put(to, CHECKPOINT_MARK, strlen(CHECKPOINT_MARK));
    bool fine = put_part(to, CHECKPOINT_IDENTITY, identity);
    run_checkpoint_file_put(to, j->chunks.text, j->chunks.len);
    fine = fine && put_part(to, CHECKPOINT_JOURNAL, &j->tail);
    const bool saved = sim_save(dev, on_state, &s, &at, e);
    run_checkpoint_file_flush(&s);
    xfree(s.piece);
    if (!saved) return false;
    const struct checkpoint_end end = {at.launches, at.bytes, s.bytes};
    *launches = at.launches;
    fine = fine && !s.failed && put_chunk(to, CHECKPOINT_END, &end, sizeof end);
    return fine || err_set(e, ERR_MEMORY, "no memory to compress it");
}

bool checkpoint_write(const char *path, struct outfiles **list, const struct sb *identity,
                      const struct checkpoint_journal *j, hd_device *dev, uint64_t *launches, struct err *e) {
    struct outfiles files = {0};
    struct sink to = {0};
    outfile_begin(&files, list);
    const bool fine = outfile_open(&files, path, NULL, &to.file, e) &&
                      put_all(&to, identity, j, dev, launches, e) && outfile_sync(&files, e);
    outfile_free(&files);
    return fine;
}
