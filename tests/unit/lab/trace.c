/* Trace files: what is put is got back, under any order of threads; regular tapes cost next to nothing; long ones are read in
 * little memory; damage is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdt_bytes.h"

#include <zstd.h>

/* ---- what threads put ---- */

static const bool bits[] = {false, true, false, true};
enum { COLUMNS = 4 };
typedef uint64_t put_fn(uint64_t block, uint32_t thread, uint32_t column, uint32_t n);

static uint64_t mix(uint64_t v) {
    v = (v ^ v >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return v ^ v >> 29;
}

/* Addresses that are those of a matrix in two loops; a loop's end after eight rounds; noise; noise. */
static uint64_t mixed(uint64_t block, uint32_t thread, uint32_t column, uint32_t n) {
    switch (column) {
    case 0: return 0x7f0000000000 + block * 4096 + thread * 4u + n % 8 * 256u + n / 8 * 65536u;
    case 1: return n % 8 != 7;
    case 2: return mix(block * 977 + thread * 131u + n) >> (n % 64);
    default: return mix(thread * 7919u + n) & 1;
    }
}

static uint64_t regular(uint64_t block, uint32_t thread, uint32_t column, uint32_t n) {
    return mixed(block, thread, column & 1, n);
}

struct shape {
    uint32_t grid, block[3], numbers; /* numbers of each column and thread */
};

static void write_blocks(struct hdt_writer *w, const struct shape *s, put_fn *put) {
    const uint32_t threads = s->block[0] * s->block[1] * s->block[2];
    for (uint64_t b = s->grid; b-- > 0;) { /* in any order */
        void *tapes = hdt_put_start(w, b);
        for (uint32_t n = 0; n < s->numbers; n++)
            for (uint32_t t = 0; t < threads; t++)
                for (uint32_t c = 0; c < COLUMNS; c++) hdt_put(tapes, t, c, put(b, t, c, n));
        hdt_put_end(tapes, true);
    }
}

static void write_file(bytes_vec *f, const struct shape *s, put_fn *put) {
    struct hdt_writer *w = hdt_writer_new(hdt_bytes_keep, f);
    const struct hdt_text text = {"k.ptx", "some text", 9};
    const struct hdt_range copied[] = {{0x1000, 64}};
    struct hdt_launch l = {.kernel = "k",
                           .grid = {s->grid, 1, 1},
                           .block = {s->block[0], s->block[1], s->block[2]},
                           .copied = copied,
                           .ncopied = 1,
                           .doubt = "because",
                           .columns = COLUMNS,
                           .bits = bits};
    assert_true(hdt_add_program(w, &(struct hdt_program){"k", &text, 1}, &l.program));
    assert_true(hdt_begin_launch(w, &l));
    write_blocks(w, s, put);
    assert_true(hdt_end_launch(w, 12345));
    assert_true(hdt_finish(w));
    assert_int_equal(hdt_written(w).bytes, f->n);
    hdt_writer_free(w);
}

static void read_block(struct hdt *t, const struct shape *s, put_fn *put, uint64_t block, bool alone) {
    const uint32_t threads = s->block[0] * s->block[1] * s->block[2];
    void *tapes = hdt_get_start(t, block);
    uint64_t v;
    assert_non_null(tapes);
    for (uint64_t k = 0; k < (uint64_t)threads * s->numbers; k++) {
        const uint32_t thread = (uint32_t)(alone ? k / s->numbers : k % threads),
                       n = (uint32_t)(alone ? k % s->numbers : k / threads);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            assert_true(hdt_get(tapes, thread, c, &v));
            assert_int_equal(v, put(block, thread, c, n));
        }
    }
    assert_false(hdt_get(tapes, 0, 0, &v));
    assert_string_equal(hdt_get_why(t, tapes), "the trace has no more of this thread");
    hdt_get_end(tapes, true);
}

static void round_trip(const struct shape *s, put_fn *put, bool alone) {
    bytes_vec f = {0};
    struct err e = {0};
    write_file(&f, s, put);
    struct hdt *t = hdt_bytes_open(&f, &e);
    assert_non_null(t);
    const struct hdt_program *p = hdt_program(t, 0, &e);
    assert_string_equal(p->texts[0].text, "some text");
    const struct hdt_launch *l = hdt_launch(t, 0, &e);
    assert_string_equal(l->kernel, "k");
    assert_int_equal(l->insts, 12345);
    assert_int_equal(l->copied[0].bytes, 64);
    assert_true(hdt_follow(t, bits, COLUMNS, &e));
    for (uint64_t b = 0; b < s->grid; b++) read_block(t, s, put, b, alone);
    hdt_close(t);
    VEC_FREE(&f);
}

static void what_is_put_is_got(void **state) {
    (void)state;
    static const struct shape shapes[] = {
        {3, {1, 1, 1}, 5}, {2, {33, 1, 1}, 300}, {2, {8, 4, 3}, 40}, {1, {5, 7, 1}, 2000}, {1, {2, 1, 1}, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        round_trip(&shapes[k], mixed, false);
        round_trip(&shapes[k], mixed, true);
    }
}

/* 1024 threads, 4000 numbers each: tables, one for all, and how many are right. */
static void loops_cost_next_to_nothing(void **state) {
    (void)state;
    bytes_vec f = {0};
    write_file(&f, &(struct shape){1, {32, 32, 1}, 1000}, regular);
    assert_true(f.n < 2000);
    VEC_FREE(&f);
}

/* ---- memory ---- */

static bool fetch_fd(void *user, uint64_t at, void *data, size_t n) {
    return pread(*(int *)user, data, n, (off_t)at) == (ssize_t)n;
}

static long peak(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* In a process of its own: KiB that reading adds, with thread 0 far ahead of the others and back again for each. */
static int grows_by(int fd, uint64_t bytes, const struct shape *s) {
    struct err e = {0};
    const struct hdt_source source = {"f.hdt", bytes, fetch_fd, &fd};
    const long before = peak();
    struct hdt *t = hdt_open(&source, &e);
    if (!t || !hdt_launch(t, 0, &e) || !hdt_follow(t, bits, COLUMNS, &e)) return 255;
    read_block(t, s, mixed, 0, true);
    hdt_close(t);
    const long grown = (peak() - before) / 1024;
    return grown > 254 ? 254 : (int)grown;
}

static void long_tapes_are_read_in_little_memory(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it keeps what was freed, so that use of it is found */
#endif
    const struct shape s = {1, {32, 1, 1}, 60000};
    char path[] = "/tmp/heddle-hdt-XXXXXX";
    const int fd = mkstemp(path);
    bytes_vec f = {0};
    int status;
    unlink(path);
    write_file(&f, &s, mixed);
    const uint64_t bytes = f.n;
    assert_true(bytes > 8 << 20);
    assert_int_equal(write(fd, f.v, f.n), (ssize_t)f.n);
    VEC_FREE(&f);
    const pid_t child = fork();
    if (!child) _exit(grows_by(fd, bytes, &s));
    assert_int_equal(waitpid(child, &status, 0), child);
    close(fd);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) < 4);
}

/* ---- damage ---- */

/* Reads all there is; whatever it finds, it ends. Returns whether anything was refused. */
static bool refuses_source(const struct hdt_source *s) {
    struct err e = {0};
    struct hdt *t = hdt_open(s, &e);
    const bool some = t && hdt_programs(t) && hdt_launches(t);
    const struct hdt_launch *l = some && hdt_program(t, 0, &e) ? hdt_launch(t, 0, &e) : NULL;
    bool refused = !l || !hdt_follow(t, bits, COLUMNS, &e);
    if (refused) assert_true(e.text.len > 0 || !some);
    for (uint64_t b = 0; !refused && b < 3; b++) {
        void *tapes = hdt_get_start(t, b);
        uint64_t v;
        refused = !tapes;
        for (uint32_t n = 0; tapes && !refused && n < 5 * COLUMNS; n++)
            refused = !hdt_get(tapes, 0, n % COLUMNS, &v);
        if (refused) assert_non_null(hdt_get_why(t, tapes));
        if (tapes) hdt_get_end(tapes, false);
    }
    hdt_close(t);
    err_free(&e);
    return refused;
}

static bool refuses(bytes_vec *f) {
    return refuses_source(&(struct hdt_source){"f.hdt", f->n, hdt_bytes_fetch, f});
}

static void every_cut_is_refused(void **state) {
    (void)state;
    bytes_vec f = {0};
    write_file(&f, &(struct shape){3, {4, 1, 1}, 5}, mixed);
    assert_false(refuses(&f));
    for (size_t n = f.n; f.n-- > 0 && n;) assert_true(refuses(&f));
    VEC_FREE(&f);
}

/* A byte that is not what it was is in a piece with a checksum, or says where one is. */
static void every_changed_byte_is_refused(void **state) {
    (void)state;
    bytes_vec f = {0};
    write_file(&f, &(struct shape){3, {4, 1, 1}, 5}, mixed);
    for (size_t at = 0; at < f.n; at++)
        for (int flip = 1; flip < 256; flip += 127) {
            f.v[at] = (uint8_t)(f.v[at] ^ flip);
            assert_true(refuses(&f));
            f.v[at] = (uint8_t)(f.v[at] ^ flip);
        }
    for (uint64_t at = f.n - 32; at < f.n + 32; at++) { /* a directory at the very end, and behind it */
        memcpy(f.v + f.n - 2 * sizeof at, &at, sizeof at);
        assert_true(refuses(&f));
    }
    VEC_FREE(&f);
}

/* A file in which one piece is another than it was, of any length, with a head and a checksum that are right. */
struct forged {
    bytes_vec *f;
    VEC(uint64_t) pieces; /* where the reader looked for one */
    uint64_t at;          /* place of the piece that is replaced; 0: none */
    bytes_vec piece;
};

static bool fetch_forged(void *user, uint64_t at, void *data, size_t n) {
    struct forged *g = user;
    if (g->at && (at == g->at || at == g->at + PIECE_HEAD)) {
        const size_t from = (size_t)(at - g->at);
        if (n > g->piece.n - from) return false;
        memcpy(data, g->piece.v + from, n);
        return true;
    }
    if (n == PIECE_HEAD && !g->at) VEC_PUSH(&g->pieces, at);
    return hdt_bytes_fetch(g->f, at, data, n);
}

static void forge(struct forged *g, uint64_t at, const uint8_t *raw, size_t n) {
    uint8_t packed[4096];
    const size_t bytes = ZSTD_compress(packed, sizeof packed, raw, n, 1);
    const uint32_t sizes[2] = {(uint32_t)n, (uint32_t)bytes};
    assert_false(ZSTD_isError(bytes));
    g->at = at;
    g->piece.n = 0;
    pack_bytes(&g->piece, g->f->v + at, 1);
    pack_bytes(&g->piece, sizes, sizeof sizes);
    pack_bytes(&g->piece, packed, bytes);
}

static void forge_piece(struct forged *g, uint64_t at) {
    const struct hdt_source s = {"f.hdt", g->f->n, fetch_forged, g};
    uint8_t raw[1024];
    uint32_t sizes[2];
    memcpy(sizes, g->f->v + at + 1, sizeof sizes);
    assert_true(sizes[0] <= sizeof raw);
    assert_int_equal(ZSTD_decompress(raw, sizeof raw, g->f->v + at + PIECE_HEAD, sizes[1]), sizes[0]);
    for (uint32_t n = 0; n < sizes[0]; n++) {
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
        const uint8_t was = raw[n];
        forge(g, at, raw, n);
        assert_true(refuses_source(&s));
        for (size_t k = 0; k < sizeof values; k++) {
            raw[n] = values[k];
            forge(g, at, raw, sizes[0]);
            refuses_source(&s);
        }
        if (n + 1 < sizes[0]) { /* a number of two bytes, 16383 */
            const uint8_t next = raw[n + 1];
            raw[n] = 0xff, raw[n + 1] = 0x7f;
            forge(g, at, raw, sizes[0]);
            refuses_source(&s);
            raw[n + 1] = next;
        }
        raw[n] = was;
    }
}

/* Behind the checksums: every piece cut everywhere, and every byte of it changed. Some changes only tell another story. */
static void what_a_right_checksum_covers_is_not_believed(void **state) {
    (void)state;
    bytes_vec f = {0};
    struct forged g = {.f = &f};
    write_file(&f, &(struct shape){3, {4, 1, 1}, 5}, mixed);
    const struct hdt_source s = {"f.hdt", f.n, fetch_forged, &g};
    assert_false(refuses_source(&s));
    assert_true(g.pieces.n >= 6); /* directory, program, launch and three blocks */
    for (size_t k = 0; k < g.pieces.n; k++) forge_piece(&g, g.pieces.v[k]);
    VEC_FREE(&g.pieces);
    VEC_FREE(&g.piece);
    VEC_FREE(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_got),
        cmocka_unit_test(loops_cost_next_to_nothing),
        cmocka_unit_test(long_tapes_are_read_in_little_memory),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused),
        cmocka_unit_test(what_a_right_checksum_covers_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
