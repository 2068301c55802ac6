/* Fuzzes traces. Any bytes are refused with a reason or can be read. Then, since checksums keep damage out, the same bytes are
 * taken for what the pieces hold: two bytes with the length of a block's description, that, and tapes. A file is made of them
 * with a program of a loop, loads, an atomic and a barrier, and replayed under two mechanisms: it ends, or fails with a
 * reason. Bytes that begin with 'L' are instead what a program, a launch and a block hold, each behind its length, and
 * tapes; the launch's blocks are listed at byte 8 of the file. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "front/trace/impl.h"
#include "heddle.h"
#include "lab/run/trace.h"
#include "tests/hdt_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 a) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .b32 s[64];\n"
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
    "L: ld.global.u32 %r3, [%rd1]; atom.shared.add.u32 %r4, [s], %r3;\n"
    "setp.lt.u32 %p1, %r3, %r4; @%p1 bra M; st.shared.v2.u32 [s+8], {%r3, %r4};\n"
    "M: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r3; @%p2 bra L; ret; }\n";
enum { THREADS = 40 };

/* ---- any bytes ---- */

static void as_file(const uint8_t *data, size_t size) {
    bytes_vec f = {0};
    struct err e = {0};
    pack_bytes(&f, data, size);
    struct hdt *t = hdt_bytes_open(&f, &e);
    for (uint32_t k = 0; t && k < hdt_programs(t) && k < 8; k++) hdt_program(t, k, &e);
    for (uint32_t k = 0; t && k < hdt_launches(t) && k < 8; k++) hdt_launch(t, k, &e);
    CHECK(t || e.text.len);
    hdt_close(t);
    err_free(&e);
    VEC_FREE(&f);
}

/* ---- what pieces hold ---- */

static size_t pack(bytes_vec *f, const void *data, size_t n) {
    const size_t most = ZSTD_compressBound(n);
    VEC_RESERVE(f, f->n + most);
    ZSTD_CCtx *z = ZSTD_createCCtx(); /* as the writer has it: so the seed's sizes are those of its parts */
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, 9);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    const size_t packed = ZSTD_compress2(z, f->v + f->n, most, data, n);
    CHECK(!ZSTD_isError(packed));
    ZSTD_freeCCtx(z);
    f->n += packed;
    return packed;
}

static uint64_t add_piece(bytes_vec *f, enum piece kind, const void *data, size_t n) {
    const uint64_t at = f->n;
    uint32_t sizes[2] = {(uint32_t)n, 0};
    VEC_PUSH(f, (uint8_t)kind);
    pack_bytes(f, sizes, sizeof sizes);
    sizes[1] = (uint32_t)pack(f, data, n);
    memcpy(f->v + at + 1, sizes, sizeof sizes);
    return at;
}

/* What the pieces of a file hold. */
struct parts {
    const void *program, *launch, *block, *tapes;
    size_t nprogram, nlaunch, nblock, ntapes;
};
enum { BLOCKS_AT = HDT_MAGIC_BYTES };

static void make_file(bytes_vec *f, const struct parts *p) {
    bytes_vec raw = {0};
    uint64_t block = 0;
    pack_bytes(f, HDT_MAGIC, HDT_MAGIC_BYTES);
    pack_bytes(f, &block, sizeof block);
    const uint64_t program = add_piece(f, PIECE_PROGRAM, p->program, p->nprogram);
    block = add_piece(f, PIECE_BLOCK, p->block, p->nblock);
    memcpy(f->v + BLOCKS_AT, &block, sizeof block);
    if (p->ntapes) pack(f, p->tapes, p->ntapes);
    const uint64_t launch = add_piece(f, PIECE_LAUNCH, p->launch, p->nlaunch);
    const uint64_t list[] = {1, program, 1, launch};
    for (size_t i = 0; i < 4; i++) pack_number(&raw, list[i]);
    const uint64_t directory = add_piece(f, PIECE_DIRECTORY, raw.v, raw.n);
    pack_bytes(f, &directory, sizeof directory);
    pack_bytes(f, HDT_MAGIC, HDT_MAGIC_BYTES);
    VEC_FREE(&raw);
}

static void pack_program(bytes_vec *raw) {
    pack_text(raw, "k", 1);
    pack_number(raw, 1);
    pack_text(raw, "k", 1);
    pack_text(raw, ptx, sizeof ptx - 1);
}

static void pack_launch(bytes_vec *raw, uint32_t columns) {
    static const uint64_t shape[] = {1, 1, 1, THREADS, 1, 1, 0, 0, 0, 0};
    pack_number(raw, 0);
    pack_text(raw, "k", 1);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) pack_number(raw, shape[i]);
    pack_text(raw, "", 0);
    pack_number(raw, columns);
    pack_number(raw, 1000);
    pack_number(raw, BLOCKS_AT);
}

/* The next part: two bytes with its length, and so many bytes or all that is left. */
static const uint8_t *take(const uint8_t **at, size_t *left, size_t *n) {
    const uint8_t *from = *at;
    if (*left < 2) return *n = 0, from;
    *n = (size_t)from[0] | (size_t)from[1] << 8;
    if (*n > *left - 2) *n = *left - 2;
    *at += 2 + *n;
    *left -= 2 + *n;
    return from + 2;
}

static struct parts given_parts(const uint8_t *data, size_t size) {
    struct parts p;
    p.program = take(&data, &size, &p.nprogram);
    p.launch = take(&data, &size, &p.nlaunch);
    p.block = take(&data, &size, &p.nblock);
    p.tapes = data;
    p.ntapes = size;
    return p;
}

/* Only the block and its tapes are given. */
static struct parts known_parts(const uint8_t *data, size_t size, bytes_vec *program, bytes_vec *launch,
                                uint32_t columns) {
    const size_t split = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8) % (size - 1);
    const uint8_t *body = size < 2 ? data : data + 2;
    pack_program(program);
    pack_launch(launch, columns);
    return (struct parts){program->v, launch->v, body,  body + split,
                          program->n, launch->n, split, size > 2 ? size - 2 - split : 0};
}

/* As lab/run/trace.c does, with the launch that the file has. */
static void follow(hd_device *dev, hd_kernel *k, bytes_vec *f, const bool *bits, uint32_t columns,
                   bool known) {
    struct err e = {0};
    struct hdt *t = hdt_bytes_open(f, &e);
    CHECK(t);
    const struct hdt_program *p = hdt_program(t, 0, &e);
    CHECK(p || (!known && e.text.len));
    const struct hdt_launch *l = hdt_launch(t, 0, &e);
    if (l && hdt_follow(t, bits, columns, &e)) {
        struct sim_followed x = lab_followed(t, l->doubt);
        struct gpu_range *copied = xcalloc(l->ncopied + 1, sizeof *copied);
        for (size_t i = 0; i < l->ncopied; i++)
            copied[i] = (struct gpu_range){l->copied[i].addr, l->copied[i].bytes};
        x.used_bytes = l->used_bytes;
        x.copied = copied;
        x.ncopied = l->ncopied;
        hd_launch shape = {.shared_bytes = l->shared, .cooperative = l->cooperative};
        memcpy(shape.grid, l->grid, sizeof shape.grid);
        memcpy(shape.block, l->block, sizeof shape.block);
        if (sim_follow(k, &shape, &x)) CHECK(*hd_error(dev));
        xfree(copied);
    } else {
        CHECK(!known && e.text.len);
    }
    hdt_close(t);
    err_free(&e);
}

static void as_pieces(const char *mech, const uint8_t *data, size_t size) {
    const hd_option options[] = {
        {"run.mode", "timed"}, {"run.mech", mech}, {"gpu.max_cycles", "6000"}, {"gpu.watchdog", "1000"}};
    const hd_config config = {.options = options, .noptions = 4, .file = "tiny"};
    hd_device *dev = NULL;
    hd_module *mod;
    hd_kernel *k;
    const struct exec_plan *plan;
    const bool *bits;
    struct err e = {0};
    bytes_vec f = {0}, program = {0}, launch = {0};
    CHECK(!hd_device_open(&config, &dev) && !hd_module_load(dev, "k", ptx, sizeof ptx - 1, &mod) &&
          !hd_module_kernel(mod, "k", &k) && sim_plan(k, &plan, &e));
    const uint32_t columns = exec_plan_columns(plan, &bits);
    const bool given = size && *data == 'L';
    const struct parts p =
        given ? given_parts(data + 1, size - 1) : known_parts(data, size, &program, &launch, columns);
    make_file(&f, &p);
    follow(dev, k, &f, bits, columns, !given);
    hd_device_close(dev);
    VEC_FREE(&program);
    VEC_FREE(&launch);
    VEC_FREE(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    as_file(data, size);
    as_pieces("pdom", data, size);
    as_pieces("dwf", data, size);
    return 0;
}
