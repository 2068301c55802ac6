/* Reads checkpoint files. Everything is checked once before any of it is used: headers, the frames' own checks, and that
 * there is as much of each part as the end says. The bytes are then taken chunk by chunk, in memory for one of each part. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd_errors.h>

#include "base/ledger.h"
#include "cli/cmd/run/checkpoint_file.h"

static const char *const part_names[] = {"identity", "journal", "state", "end"};

static bool run_checkpoint_read_damaged(const char *name, size_t at, const char *what, struct err *e) {
    return err_set(e, ERR_INPUT, "%s: the checkpoint is damaged at byte %zu: %s", name, at, what);
}

/* ---- chunks ---- */

/* The header at that place; false: not all of the chunk is there, or it is none. */
static const char *header_at(const struct checkpoint *k, size_t at, struct checkpoint_header *h) {
    if (k->n - at < sizeof *h) return "it ends in the middle";
    memcpy(h, k->bytes + at, sizeof *h);
    if (h->check != checkpoint_check(h) || h->part > CHECKPOINT_END || !h->bytes ||
        h->bytes > CHECKPOINT_CHUNK)
        return "no part begins there";
    if (k->n - at - sizeof *h < h->stored) return "it ends in the middle";
    return NULL;
}

/* What a chunk holds; NULL: all is well, else what is wrong with it. */
static const char *run_checkpoint_read_unpack(const struct checkpoint *k, size_t at,
                                              const struct checkpoint_header *h, struct sb *out) {
    const char *from = k->bytes + at + sizeof *h;
    out->len = 0;
    if (out->cap < h->bytes) {
        xfree(out->text);
        *out = (struct sb){.text = xmalloc(h->bytes), .cap = h->bytes};
    }
    const size_t n = ZSTD_decompress(out->text, h->bytes, from, h->stored);
    if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation) ledger_fail(h->bytes);
    if (ZSTD_isError(n)) return ZSTD_getErrorName(n);
    if (n != h->bytes) return "it has another length than it says";
    out->len = n;
    return NULL;
}

/* ---- the whole ---- */

/* Parts come in order, and what is of one part is of one piece. */
static bool check_chunk(struct checkpoint *k, const char *name, size_t at, const struct checkpoint_header *h,
                        uint64_t bytes[CHECKPOINT_END + 1], struct err *e) {
    struct sb *piece = &k->reader[CHECKPOINT_IDENTITY].piece;
    const char *wrong = run_checkpoint_read_unpack(k, at, h, piece);
    for (uint32_t later = h->part + 1; later <= CHECKPOINT_END && !wrong; later++)
        if (bytes[later]) wrong = "its parts are in the wrong order";
    if (!wrong && h->part == CHECKPOINT_END && h->bytes != sizeof k->end) wrong = "its end is none";
    if (wrong) {
        struct sb what = {0};
        sb_add(&what, "%s: %s", part_names[h->part], wrong);
        run_checkpoint_read_damaged(name, at, what.text, e);
        sb_free(&what);
        return false;
    }
    if (h->part == CHECKPOINT_END) memcpy(&k->end, piece->text, sizeof k->end);
    bytes[h->part] += h->bytes;
    return true;
}

static bool check_end(const struct checkpoint *k, const char *name, const uint64_t bytes[CHECKPOINT_END + 1],
                      size_t at, struct err *e) {
    if (at != k->n) return run_checkpoint_read_damaged(name, at, "something follows its end", e);
    if (!bytes[CHECKPOINT_IDENTITY] || !k->end.launches || bytes[CHECKPOINT_JOURNAL] != k->end.journal ||
        bytes[CHECKPOINT_STATE] != k->end.state)
        return run_checkpoint_read_damaged(name, at, "it does not have what its end says", e);
    return true;
}

static bool is_checkpoint(const struct checkpoint *k, const char *name, struct err *e) {
    const size_t n = strlen(CHECKPOINT_MARK), words = n - 2; /* without the version and the end of the line */
    if (k->n < n || memcmp(k->bytes, CHECKPOINT_MARK, words) != 0)
        return err_set(e, ERR_INPUT, "%s is not a checkpoint", name);
    return !memcmp(k->bytes, CHECKPOINT_MARK, n) ||
           err_set(e, ERR_INPUT, "%s is a checkpoint of another format (%.1s; this heddle reads %.1s)", name,
                   k->bytes + words, CHECKPOINT_MARK + words);
}

bool checkpoint_open(struct checkpoint *k, const char *name, struct err *e) {
    uint64_t bytes[CHECKPOINT_END + 1] = {0};
    struct checkpoint_header h;
    size_t at = strlen(CHECKPOINT_MARK);
    if (!is_checkpoint(k, name, e)) return false;
    for (; !bytes[CHECKPOINT_END]; at += sizeof h + h.stored) {
        const char *wrong = header_at(k, at, &h);
        if (wrong) return run_checkpoint_read_damaged(name, at, wrong, e);
        if (!check_chunk(k, name, at, &h, bytes, e)) return false;
    }
    for (int p = 0; p < CHECKPOINT_END; p++) k->reader[p].at = strlen(CHECKPOINT_MARK);
    k->reader[CHECKPOINT_IDENTITY].piece.len = 0;
    return check_end(k, name, bytes, at, e);
}

/* Mapped, for it may be larger than what is read as a text. It is not changed under us: a new one takes its name. */
static bool run_checkpoint_read_map(struct checkpoint *k, const char *path, struct err *e) {
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && !fstat(fd, &st);
    if (fine && S_ISREG(st.st_mode) && st.st_size > 0) {
        k->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        fine = k->map != MAP_FAILED;
        k->bytes = fine ? k->map : NULL;
        k->n = fine ? (size_t)st.st_size : 0;
    }
    if (!fine) {
        k->map = NULL;
        err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    }
    if (fd >= 0) close(fd);
    return fine;
}

bool checkpoint_read(struct checkpoint *k, const char *path, struct err *e) {
    return run_checkpoint_read_map(k, path, e) && checkpoint_open(k, path, e);
}

void checkpoint_free(struct checkpoint *k) {
    if (k->map) munmap(k->map, k->n);
    for (int p = 0; p < CHECKPOINT_END; p++) sb_free(&k->reader[p].piece);
}

/* ---- parts ---- */

/* The reader's next chunk; false: there is none. */
static bool next_piece(struct checkpoint *k, enum checkpoint_part part) {
    struct checkpoint_reader *r = &k->reader[part];
    struct checkpoint_header h;
    while (r->at < k->n && !header_at(k, r->at, &h)) {
        const size_t here = r->at;
        r->at += sizeof h + h.stored;
        if (h.part != part) continue;
        r->taken = 0;
        return !run_checkpoint_read_unpack(k, here, &h, &r->piece);
    }
    return false;
}

bool checkpoint_take(struct checkpoint *k, enum checkpoint_part part, void *data, size_t n) {
    struct checkpoint_reader *r = &k->reader[part];
    char *to = data;
    while (n) {
        const size_t left = r->piece.len - r->taken, here = n < left ? n : left;
        if (!here) {
            if (!next_piece(k, part)) return false;
            continue;
        }
        memcpy(to, r->piece.text + r->taken, here);
        r->taken += here;
        to += here;
        n -= here;
    }
    return true;
}

void checkpoint_whole(struct checkpoint *k, enum checkpoint_part part, struct sb *out) {
    struct checkpoint_reader *r = &k->reader[part];
    if (r->taken < r->piece.len) sb_addn(out, r->piece.text + r->taken, r->piece.len - r->taken);
    while (next_piece(k, part)) sb_addn(out, r->piece.text, r->piece.len);
    r->taken = r->piece.len;
}

void checkpoint_continue(const struct checkpoint *k, struct checkpoint_journal *j) {
    struct checkpoint_header h;
    size_t at = strlen(CHECKPOINT_MARK);
    for (; at < k->n && !header_at(k, at, &h); at += sizeof h + h.stored)
        if (h.part == CHECKPOINT_JOURNAL) sb_addn(&j->chunks, k->bytes + at, sizeof h + h.stored);
}
