/* Writing a trace. Pieces go out in the order in which they are complete: programs, blocks as they end, then the launch with
 * where its blocks are, at last the directory and where that is. So a file that was not finished has no directory, and the
 * memory that recording takes is that of the blocks that run. */
#include <string.h>
#include <zstd.h>

#include "base/ledger.h"
#include "front/trace/hdt.h"
#include "front/trace/impl.h"

enum { LEVEL = 9 };

struct hdt_writer {
    bool (*write)(void *user, const void *data, size_t n);
    void *user;
    bool failed;
    uint64_t at; /* bytes written */
    ZSTD_CCtx *zstd;
    bytes_vec raw, packed, blobs;
    VEC(uint64_t) programs, launches;
    uint64_t insts;
    struct hdt_launch launch; /* the one under way */
    uint32_t threads;         /* threads of its blocks */
    uint64_t *block, nblocks; /* where its blocks are in the file */
};

struct tape_thread {
    bytes_vec bytes;
    uint64_t right; /* numbers since the last that was written */
};

struct writing { /* the tapes of a block */
    struct hdt_writer *w;
    uint64_t index;
    struct tape_thread *thread;
    struct track *track; /* [column][thread], as all that follow */
    uint64_t *first, *second;
    bool *has_first, *has_second;
};

static bool hdt_write_emit(struct hdt_writer *w, const void *data, size_t n) {
    if (!w->failed && !w->write(w->user, data, n)) w->failed = true;
    w->at += n;
    return !w->failed;
}

/* Compresses to the end of `to`. */
static size_t compress(struct hdt_writer *w, const void *data, size_t n, bytes_vec *to) {
    const size_t most = ZSTD_compressBound(n);
    VEC_RESERVE(to, to->n + most);
    const size_t packed = ZSTD_compress2(w->zstd, to->v + to->n, most, data, n);
    if (ZSTD_isError(packed)) {
        w->failed = true;
        return 0;
    }
    to->n += packed;
    return packed;
}

/* w->raw as a piece of its own. */
static bool emit_piece(struct hdt_writer *w, enum piece kind) {
    uint8_t head[PIECE_HEAD] = {(uint8_t)kind};
    w->packed.n = 0;
    if (w->raw.n > PIECE_MOST) w->failed = true;
    if (w->failed) return false;
    const uint32_t sizes[2] = {(uint32_t)w->raw.n, (uint32_t)compress(w, w->raw.v, w->raw.n, &w->packed)};
    memcpy(head + 1, sizes, sizeof sizes);
    return hdt_write_emit(w, head, sizeof head) && hdt_write_emit(w, w->packed.v, w->packed.n);
}

struct hdt_writer *hdt_writer_new(bool (*write)(void *user, const void *data, size_t n), void *user) {
    struct hdt_writer *w = xcalloc(1, sizeof *w);
    w->write = write;
    w->user = user;
    w->zstd = ZSTD_createCCtx();
    w->failed = !w->zstd;
    if (w->zstd) {
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    }
    hdt_write_emit(w, HDT_MAGIC, HDT_MAGIC_BYTES);
    return w;
}

void hdt_writer_free(struct hdt_writer *w) {
    if (!w) return;
    ZSTD_freeCCtx(w->zstd);
    VEC_FREE(&w->raw);
    VEC_FREE(&w->packed);
    VEC_FREE(&w->blobs);
    VEC_FREE(&w->programs);
    VEC_FREE(&w->launches);
    xfree(w->block);
    xfree(w);
}

bool hdt_add_program(struct hdt_writer *w, const struct hdt_program *p, uint32_t *number) {
    w->raw.n = 0;
    *number = (uint32_t)w->programs.n;
    VEC_PUSH(&w->programs, w->at);
    pack_text(&w->raw, p->name, strlen(p->name));
    pack_number(&w->raw, p->ntexts);
    for (size_t i = 0; i < p->ntexts; i++) {
        pack_text(&w->raw, p->texts[i].name, strlen(p->texts[i].name));
        pack_text(&w->raw, p->texts[i].text, p->texts[i].bytes);
    }
    return emit_piece(w, PIECE_PROGRAM);
}

/* ---- launches ---- */

bool hdt_begin_launch(struct hdt_writer *w, const struct hdt_launch *l) {
    w->launch = *l;
    w->threads = l->block[0] * l->block[1] * l->block[2];
    w->nblocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    xfree(w->block);
    w->block = w->nblocks <= SIZE_MAX / 8 ? try_alloc(w->nblocks * sizeof *w->block) : NULL;
    if (!w->block) w->failed = true;
    return !w->failed;
}

static void pack_launch(struct hdt_writer *w, uint64_t blocks_at) {
    const struct hdt_launch *l = &w->launch;
    pack_number(&w->raw, l->program);
    pack_text(&w->raw, l->kernel, strlen(l->kernel));
    for (int d = 0; d < 3; d++) pack_number(&w->raw, l->grid[d]);
    for (int d = 0; d < 3; d++) pack_number(&w->raw, l->block[d]);
    pack_number(&w->raw, l->shared);
    pack_number(&w->raw, l->cooperative);
    pack_number(&w->raw, l->used_bytes);
    pack_number(&w->raw, l->ncopied);
    for (size_t i = 0; i < l->ncopied; i++) {
        pack_number(&w->raw, l->copied[i].addr);
        pack_number(&w->raw, l->copied[i].bytes);
    }
    pack_text(&w->raw, l->doubt, strlen(l->doubt));
    pack_number(&w->raw, l->columns);
    pack_number(&w->raw, l->insts);
    pack_number(&w->raw, blocks_at);
}

bool hdt_end_launch(struct hdt_writer *w, uint64_t insts) {
    const uint64_t blocks_at = w->at;
    w->launch.insts = insts;
    w->insts += insts;
    if (w->failed || !hdt_write_emit(w, w->block, w->nblocks * sizeof *w->block)) return false;
    w->raw.n = 0;
    VEC_PUSH(&w->launches, w->at);
    pack_launch(w, blocks_at);
    return emit_piece(w, PIECE_LAUNCH);
}

bool hdt_finish(struct hdt_writer *w) {
    uint8_t tail[HDT_TAIL];
    const uint64_t at = w->at;
    w->raw.n = 0;
    pack_number(&w->raw, w->programs.n);
    for (size_t i = 0; i < w->programs.n; i++) pack_number(&w->raw, w->programs.v[i]);
    pack_number(&w->raw, w->launches.n);
    for (size_t i = 0; i < w->launches.n; i++) pack_number(&w->raw, w->launches.v[i]);
    memcpy(tail, &at, sizeof at);
    memcpy(tail + sizeof at, HDT_MAGIC, HDT_MAGIC_BYTES);
    return emit_piece(w, PIECE_DIRECTORY) && hdt_write_emit(w, tail, sizeof tail);
}

struct hdt_sizes hdt_written(const struct hdt_writer *w) {
    return (struct hdt_sizes){w->launches.n, w->insts, w->at};
}

/* ---- tapes ---- */

/* A device's call is under way: what is allocated here is the writer's, not the device's. */
void *hdt_put_start(void *user, uint64_t block) {
    struct ledger_point *p = ledger_step_out();
    struct hdt_writer *w = user;
    struct writing *b = xcalloc(1, sizeof *b);
    const size_t cells = (size_t)w->threads * w->launch.columns;
    b->w = w;
    b->index = block;
    b->thread = xcalloc(w->threads, sizeof *b->thread);
    b->track = xcalloc(cells, sizeof *b->track);
    b->first = xcalloc(cells, sizeof *b->first);
    b->second = xcalloc(cells, sizeof *b->second);
    b->has_first = xcalloc(cells, sizeof *b->has_first);
    b->has_second = xcalloc(cells, sizeof *b->has_second);
    ledger_adopt(p);
    return b;
}

static void write_wrong(struct tape_thread *t, bool bit, uint64_t apart) {
    struct ledger_point *p = ledger_step_out();
    pack_number(&t->bytes, t->right);
    if (!bit) pack_number(&t->bytes, zigzag(apart));
    t->right = 0;
    ledger_adopt(p);
}

/* What stands in the tables is right by definition; true if this number does. */
static bool in_tables(struct writing *b, size_t cell, bool bit, uint64_t v) {
    struct track *t = &b->track[cell];
    if (!b->has_first[cell]) {
        b->has_first[cell] = true;
        b->first[cell] = v;
        return true;
    }
    if (b->has_second[cell]) return false;
    if (bit && v == t->last) return true;
    b->has_second[cell] = true;
    b->second[cell] = bit ? t->run : v - t->last;
    if (!bit) t->stride = b->second[cell];
    return true;
}

void hdt_put(void *tapes, uint32_t thread, uint32_t column, uint64_t v) {
    struct writing *b = tapes;
    const size_t cell = (size_t)column * b->w->threads + thread;
    const bool bit = b->w->launch.bits[column];
    struct track *t = &b->track[cell];
    if (!in_tables(b, cell, bit, v)) {
        const uint64_t guess = bit ? track_predict_bit(t) : track_predict(t);
        if (guess != v)
            write_wrong(&b->thread[thread], bit, v - guess);
        else
            b->thread[thread].right++;
    } else {
        b->thread[thread].right++;
    }
    if (bit)
        track_bit(t, v);
    else
        track_value(t, v);
}

/* Part k of the tapes of threads [from, to), compressed to the end of blobs; its size behind the block's other numbers. */
static void pack_part(struct writing *b, uint32_t from, uint32_t to, size_t k) {
    struct hdt_writer *w = b->w;
    w->packed.n = 0;
    for (uint32_t t = from; t < to; t++) {
        const bytes_vec *v = &b->thread[t].bytes;
        const size_t at = k * HDT_PART;
        if (at < v->n) pack_bytes(&w->packed, v->v + at, v->n - at < HDT_PART ? v->n - at : HDT_PART);
    }
    if (!w->packed.n) return;
    pack_number(&w->raw, compress(w, w->packed.v, w->packed.n, &w->blobs));
}

static void pack_lengths(struct writing *b) {
    uint64_t before = 0;
    for (uint32_t t = 0; t < b->w->threads; t++) {
        pack_number(&b->thread[t].bytes, b->thread[t].right);
        pack_number(&b->w->raw, zigzag(b->thread[t].bytes.n - before));
        before = b->thread[t].bytes.n;
    }
}

static void pack_parts(struct writing *b) {
    const uint32_t threads = b->w->threads;
    pack_part(b, 0, threads, 0);
    for (uint32_t from = 0; from < threads; from += HDT_GROUP) {
        const uint32_t to = from + HDT_GROUP < threads ? from + HDT_GROUP : threads;
        size_t longest = 0;
        for (uint32_t t = from; t < to; t++)
            if (b->thread[t].bytes.n > longest) longest = b->thread[t].bytes.n;
        for (size_t k = 1; k * HDT_PART < longest; k++) pack_part(b, from, to, k);
    }
}

static void emit_block(struct writing *b) {
    struct hdt_writer *w = b->w;
    w->raw.n = w->blobs.n = 0;
    pack_number(&w->raw, w->launches.n);
    pack_number(&w->raw, b->index);
    for (uint32_t c = 0; c < w->launch.columns; c++) {
        const size_t cell = (size_t)c * w->threads;
        table_pack(&w->raw, w->launch.block, b->first + cell, b->has_first + cell);
        /* a predicate that never changed has 0 there, and must have: it is predicted not to change */
        const bool *known = w->launch.bits[c] ? b->has_first : b->has_second;
        table_pack(&w->raw, w->launch.block, b->second + cell, known + cell);
    }
    pack_lengths(b);
    pack_parts(b);
    w->block[b->index] = w->at;
    if (emit_piece(w, PIECE_BLOCK)) hdt_write_emit(w, w->blobs.v, w->blobs.n);
}

void hdt_put_end(void *tapes, bool complete) {
    struct ledger_point *p = ledger_step_out();
    struct writing *b = tapes;
    if (complete) emit_block(b);
    for (uint32_t t = 0; t < b->w->threads; t++) VEC_FREE(&b->thread[t].bytes);
    xfree(b->thread);
    xfree(b->track);
    xfree(b->first);
    xfree(b->second);
    xfree(b->has_first);
    xfree(b->has_second);
    xfree(b);
    ledger_adopt(p);
}
