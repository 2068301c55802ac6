/* Fuzzes traces. Any bytes are refused with a reason or can be read. Then, since checksums keep damage out, the same bytes are
 * taken for what the pieces hold: two bytes with the length of a block's description, that, and tapes. A file is made of them
 * with a program of a loop, loads, an atomic and a barrier, and replayed under two mechanisms: it ends, or fails with a
 * reason. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "front/trace/impl.h"
#include "heddle.h"
#include "lab/trace.h"
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

static void make_file(bytes_vec *f, const uint8_t *data, size_t size, uint32_t columns) {
    const size_t split = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8) % (size - 1);
    const uint8_t *body = size < 2 ? data : data + 2;
    bytes_vec raw = {0};
    uint64_t at[4], block;
    pack_bytes(f, HDT_MAGIC, HDT_MAGIC_BYTES);
    pack_text(&raw, "k", 1);
    pack_number(&raw, 1);
    pack_text(&raw, "k", 1);
    pack_text(&raw, ptx, sizeof ptx - 1);
    at[0] = add_piece(f, PIECE_PROGRAM, raw.v, raw.n);
    block = add_piece(f, PIECE_BLOCK, body, split);
    if (size > 2) pack(f, body + split, size - 2 - split);
    at[1] = f->n;
    pack_bytes(f, &block, sizeof block);
    raw.n = 0;
    const uint64_t head[] = {0};
    pack_number(&raw, head[0]);
    pack_text(&raw, "k", 1);
    const uint64_t rest[] = {1, 1, 1, THREADS, 1, 1, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) pack_number(&raw, rest[i]);
    pack_text(&raw, "", 0);
    pack_number(&raw, columns);
    pack_number(&raw, 1000);
    pack_number(&raw, at[1]);
    at[2] = add_piece(f, PIECE_LAUNCH, raw.v, raw.n);
    raw.n = 0;
    const uint64_t directory[] = {1, at[0], 1, at[2]};
    for (size_t i = 0; i < 4; i++) pack_number(&raw, directory[i]);
    at[3] = add_piece(f, PIECE_DIRECTORY, raw.v, raw.n);
    pack_bytes(f, &at[3], sizeof at[3]);
    pack_bytes(f, HDT_MAGIC, HDT_MAGIC_BYTES);
    VEC_FREE(&raw);
}

static void follow(hd_device *dev, hd_kernel *k, bytes_vec *f, const bool *bits, uint32_t columns) {
    struct err e = {0};
    struct hdt *t = hdt_bytes_open(f, &e);
    CHECK(t && hdt_launch(t, 0, &e) && hdt_follow(t, bits, columns, &e));
    const struct sim_followed x = lab_followed(t, "");
    const hd_launch l = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}};
    if (sim_follow(k, &l, &x)) CHECK(*hd_error(dev));
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
    bytes_vec f = {0};
    CHECK(!hd_device_open(&config, &dev) && !hd_module_load(dev, "k", ptx, sizeof ptx - 1, &mod) &&
          !hd_module_kernel(mod, "k", &k) && sim_plan(k, &plan, &e));
    const uint32_t columns = exec_plan_columns(plan, &bits);
    make_file(&f, data, size, columns);
    follow(dev, k, &f, bits, columns);
    hd_device_close(dev);
    VEC_FREE(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    as_file(data, size);
    as_pieces("pdom", data, size);
    as_pieces("dwf", data, size);
    return 0;
}
