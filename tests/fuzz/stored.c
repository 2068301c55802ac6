/* Fuzzes two kinds of files that heddle writes for itself, behind what keeps damage out of them. Bytes that begin with 'S' are
 * records of a sweep's shard, each behind a byte with its kind and two with its length: the file is made of them with every
 * checksum right, and what is read from it must hang together and go into a store. Others are a captured launch before it was
 * compressed, which is refused with a reason or has its parts within the file. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "lab/store/shard_impl.h"
#include "subject/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- shards ---- */

static void add_number(struct sb *file, uint64_t v, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        const char c = (char)(v >> 8 * i);
        sb_addn(file, &c, 1);
    }
}

static void make_shard(struct sb *file, const uint8_t *data, size_t size) {
    uint8_t state[SHARD_STATE_BYTES];
    shard_state(size % 2 ? "running" : "ended ", state);
    sb_addn(file, SHARD_MAGIC, SHARD_MAGIC_BYTES);
    sb_addn(file, (const char *)state, sizeof state);
    while (size >= 3) {
        const uint32_t kind = data[0];
        const size_t asked = (size_t)data[1] | (size_t)data[2] << 8, n = asked < size - 3 ? asked : size - 3;
        add_number(file, SHARD_MARK, 4);
        add_number(file, kind, 4);
        add_number(file, n, 8);
        add_number(file, shard_checksum(kind, data + 3, n), 8);
        sb_addn(file, (const char *)data + 3, n);
        data += 3 + n, size -= 3 + n;
    }
}

static size_t length(const char *text) {
    CHECK(text);
    return strlen(text);
}

static void check_rows(const struct store_rows *rows) {
    size_t sum = 0;
    double value;
    for (size_t i = 0; i < rows->names.n; i++) sum += length(rows->names.v[i]);
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct store_row *r = &rows->rows.v[i];
        sum += length(r->id.workload) + length(r->id.mech) + length(r->error);
        for (size_t k = 0; k < r->id.noptions; k++)
            sum += length(r->id.option[k].key) + length(r->id.option[k].value);
        for (size_t k = 0; k < rows->names.n; k++) sum += store_number(r, k, &value);
        CHECK(store_by_key(rows, r->id.key) == r);
        for (size_t k = 0; store_axes[k]; k++) sum += length(store_place(r, store_axes[k]));
    }
    CHECK(sum < (size_t)1 << 40);
}

static void into_store(const struct store_rows *rows) {
    struct store *s = NULL;
    struct store_added added;
    struct store_rows again;
    struct err e = {0};
    CHECK(store_open(NULL, STORE_WRITE, &s, &e));
    if (store_add(s, rows, "f", &added, &e)) {
        CHECK(store_read(s, NULL, 0, &again, &e) && again.rows.n == rows->rows.n);
        check_rows(&again);
        store_rows_free(&again);
    } else {
        CHECK(e.text.len);
    }
    store_close(s);
    err_free(&e);
}

static void as_shard(const uint8_t *data, size_t size) {
    struct sb file = {0};
    struct shard_found found;
    struct err e = {0};
    char path[64];
    make_shard(&file, data, size);
    const int fd = memfd_create("shard", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, file.text, file.len) == (ssize_t)file.len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(shard_read(path, &found, &e));
    CHECK(found.good <= file.len && found.bad <= file.len && found.reason);
    check_rows(&found.rows);
    if (found.about.version && size % 64 == 0) into_store(&found.rows); /* it takes long */
    shard_found_free(&found);
    close(fd);
    sb_free(&file);
    err_free(&e);
}

/* ---- captured launches ---- */

static void check_within(const struct capture *k, const void *data, uint64_t bytes) {
    const char *from = k->bytes.text, *p = data;
    CHECK(p >= from && bytes <= k->bytes.len && (size_t)(p - from) <= k->bytes.len - bytes);
}

static void as_capture(const uint8_t *data, size_t size) {
    static const char mark[] = "\x50\x2a\x4d\x18\x11\0\0\0heddle capture 1\n";
    const size_t most = ZSTD_compressBound(size);
    char *packed = xmalloc(most);
    const size_t n = ZSTD_compress(packed, most, data, size, 1);
    struct sb text = {0};
    struct capture k = {0};
    struct arena mem = {0};
    struct err e = {0};
    sb_addn(&text, mark, sizeof mark - 1);
    sb_addn(&text, packed, n);
    CHECK(capture_is(text.text, text.len));
    if (capture_read(&k, "f", &text, &mem, &e)) {
        CHECK(*k.kernel && k.program);
        for (size_t i = 0; i < k.buffers.n; i++) check_within(&k, k.buffers.v[i].data, k.buffers.v[i].bytes);
        for (size_t i = 0; i < k.vars.n; i++) check_within(&k, k.vars.v[i].data, k.vars.v[i].bytes);
    } else {
        CHECK(e.text.len);
    }
    capture_free(&k);
    sb_free(&text);
    xfree(packed);
    arena_free(&mem);
    err_free(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size && *data == 'S')
        as_shard(data + 1, size - 1);
    else
        as_capture(data, size);
    return 0;
}
