/* The benchmark's kernels: how big they are, what goes in, how they are launched. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cpu.h"
#include "job.h"

/* Room on both sides, zeroed. NULL when there is none. */
static void *buffer(struct job *j, int k, size_t bytes, bool result, bool real) {
    struct job_buffer *b = &j->buf[k];
    *b = (struct job_buffer){calloc(1, bytes), calloc(1, bytes), bytes, 0, result, real};
    if (!b->host || !b->fresh || hd_alloc(j->dev, bytes, &b->dev)) return NULL;
    return b->fresh;
}

static hd_arg ptr(const struct job *j, int k) {
    return hd_arg_ptr(j->buf[k].dev);
}
/* Two macros that do not use each other: a SHAPE must be expanded only once. */
#define ARGS(...)                 ((const hd_arg[]){__VA_ARGS__}), sizeof((const hd_arg[]){__VA_ARGS__}) / sizeof(hd_arg)
#define RUN(j, launch, ...)       hd_run((j)->kernel[0], &(hd_launch)launch, ARGS(__VA_ARGS__))
#define RUN_AT(j, k, launch, ...) hd_run((j)->kernel[k], &(hd_launch)launch, ARGS(__VA_ARGS__))
#define SHAPE(...) \
    { __VA_ARGS__ }

/* ---- uniform arithmetic: scale thousand threads ---- */
enum { ROUNDS = 400 };
static bool arith_make(struct job *j) {
    return buffer(j, 0, (size_t)j->scale * 1024 * 4, true, true) != NULL;
}
static hd_status arith_float_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale * 4}, .block = {256}), ptr(j, 0), hd_arg_f32(0.75f),
               hd_arg_f32(0.5f), hd_arg_s32(ROUNDS));
}
static void arith_float_cpu(struct job *j) {
    cpu_arith_float(j->buf[0].host, j->scale * 1024, 0.75f, 0.5f, ROUNDS);
}
static bool arith_int_make(struct job *j) {
    return buffer(j, 0, (size_t)j->scale * 1024 * 4, true, false) != NULL;
}
static hd_status arith_int_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale * 4}, .block = {256}), ptr(j, 0), hd_arg_u32(1664525),
               hd_arg_u32(1013904223), hd_arg_s32(ROUNDS));
}
static void arith_int_cpu(struct job *j) {
    cpu_arith_int(j->buf[0].host, j->scale * 1024, 1664525, 1013904223, ROUNDS);
}

/* ---- matrix multiply: side is scale ---- */
static bool matmul_make(struct job *j) {
    size_t n = (size_t)j->scale * j->scale;
    float *a = buffer(j, 1, 4 * n, false, true), *b = buffer(j, 2, 4 * n, false, true);
    if (!a || !b || !buffer(j, 0, 4 * n, true, true)) return false;
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(i % 37) * 0.01f;
        b[i] = (float)(i % 53) * 0.02f;
    }
    return true;
}
static hd_status matmul_device(struct job *j) {
    uint32_t tiles = j->scale / 16;
    return RUN(j, SHAPE(.grid = {tiles, tiles}, .block = {16, 16}), ptr(j, 0), ptr(j, 1), ptr(j, 2),
               hd_arg_s32((int32_t)j->scale));
}
static void matmul_cpu(struct job *j) {
    cpu_matmul(j->buf[0].host, j->buf[1].host, j->buf[2].host, (int)j->scale);
}

/* ---- Mandelbrot: scale x scale pixels ---- */
enum { ESCAPE = 256 };
static bool mandelbrot_make(struct job *j) {
    return buffer(j, 0, (size_t)j->scale * j->scale * 4, true, false) != NULL;
}
static hd_status mandelbrot_device(struct job *j) {
    int32_t n = (int32_t)j->scale;
    return RUN(j, SHAPE(.grid = {j->scale / 16, j->scale / 16}, .block = {16, 16}), ptr(j, 0), hd_arg_s32(n),
               hd_arg_s32(n), hd_arg_f32(-2.0f), hd_arg_f32(-1.25f), hd_arg_f32(2.5f / (float)n),
               hd_arg_s32(ESCAPE));
}
static void mandelbrot_cpu(struct job *j) {
    int n = (int)j->scale;
    cpu_mandelbrot(j->buf[0].host, n, n, -2.0f, -1.25f, 2.5f / (float)n, ESCAPE);
}

/* ---- bitonic sort: scale blocks of 1024 keys ---- */
enum { KEYS = 1024 };
static bool bitonic_make(struct job *j) {
    uint32_t *keys = buffer(j, 0, (size_t)j->scale * KEYS * 4, true, false);
    struct rng rng = {1};
    for (size_t i = 0; keys && i < (size_t)j->scale * KEYS; i++) keys[i] = (uint32_t)rng_next(&rng);
    return keys != NULL;
}
static hd_status bitonic_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale}, .block = {KEYS / 2}, .shared_bytes = 4 * KEYS), ptr(j, 0),
               hd_arg_u32(KEYS));
}
static void bitonic_cpu(struct job *j) {
    cpu_bitonic(j->buf[0].host, j->scale, KEYS);
}

/* ---- Black-Scholes: scale thousand options ---- */
static bool options_make(struct job *j) {
    size_t n = (size_t)j->scale * 1024;
    float *s = buffer(j, 2, 4 * n, false, true), *x = buffer(j, 3, 4 * n, false, true),
          *t = buffer(j, 4, 4 * n, false, true);
    if (!s || !x || !t || !buffer(j, 0, 4 * n, true, true) || !buffer(j, 1, 4 * n, true, true)) return false;
    for (size_t i = 0; i < n; i++) {
        s[i] = 5 + (float)(i % 89);
        x[i] = 1 + (float)(i % 97);
        t[i] = 0.25f + (float)(i % 40) * 0.25f;
    }
    return true;
}
static hd_status options_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale * 2}, .block = {256}), ptr(j, 0), ptr(j, 1), ptr(j, 2), ptr(j, 3),
               ptr(j, 4), hd_arg_f32(0.02f), hd_arg_f32(0.3f), hd_arg_s32((int32_t)j->scale * 1024));
}
static void options_cpu(struct job *j) {
    cpu_blackscholes(j->buf[0].host, j->buf[1].host, j->buf[2].host, j->buf[3].host, j->buf[4].host, 0.02f,
                     0.3f, (int)j->scale * 1024);
}

/* ---- reduction: scale thousand integers ---- */
static bool reduce_make(struct job *j) {
    size_t n = (size_t)j->scale * 1024;
    int32_t *in = buffer(j, 1, 4 * n, false, false);
    if (!in || !buffer(j, 0, 4, true, false)) return false;
    for (size_t i = 0; i < n; i++) in[i] = (int32_t)((uint32_t)i * 2654435761u);
    return true;
}
static hd_status reduce_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {64}, .block = {256}), ptr(j, 0), ptr(j, 1), hd_arg_u32(j->scale * 1024));
}
static void reduce_cpu(struct job *j) {
    int32_t sum = cpu_reduce(j->buf[1].host, j->scale * 1024);
    memcpy(j->buf[0].host, &sum, sizeof sum);
}

/* ---- breadth-first search: scale thousand nodes, 1 to 15 edges each ---- */
static bool bfs_make(struct job *j) {
    uint32_t n = j->scale * 1024;
    int32_t *level = buffer(j, 0, (size_t)n * 4, true, false);
    uint32_t *row = buffer(j, 1, (size_t)(n + 1) * 4, false, false),
             *edge = buffer(j, 2, (size_t)n * 15 * 4, false, false);
    struct rng rng = {2};
    if (!level || !row || !edge || !buffer(j, 3, 4, false, false)) return false;
    for (uint32_t v = 0; v < n; v++) {
        row[v + 1] = row[v] + 1 + (uint32_t)rng_below(&rng, 15);
        for (uint32_t e = row[v]; e < row[v + 1]; e++) edge[e] = (uint32_t)rng_below(&rng, n);
        level[v] = v ? -1 : 0;
    }
    return true;
}
static hd_status bfs_device(struct job *j) {
    int32_t changed = 1;
    for (int32_t depth = 0; changed; depth++) {
        hd_status st = hd_set(j->dev, j->buf[3].dev, 0, 4);
        if (!st)
            st = RUN(j, SHAPE(.grid = {j->scale * 4}, .block = {256}), ptr(j, 0), ptr(j, 1), ptr(j, 2),
                     hd_arg_u32(j->scale * 1024), hd_arg_s32(depth), ptr(j, 3));
        if (!st) st = hd_copy_out(j->dev, &changed, j->buf[3].dev, 4);
        if (st) return st;
    }
    return HD_OK;
}
static void bfs_cpu(struct job *j) {
    cpu_bfs(j->buf[0].host, j->buf[1].host, j->buf[2].host, j->scale * 1024);
}

/* ---- state machine: scale thousand threads, each on its own way ---- */
static bool machine_make(struct job *j) {
    size_t n = (size_t)j->scale * 1024;
    uint32_t *seed = buffer(j, 1, 4 * n, false, false);
    struct rng rng = {3};
    for (size_t i = 0; seed && i < n; i++) seed[i] = (uint32_t)rng_next(&rng);
    return seed && buffer(j, 0, 4 * n, true, false);
}
static hd_status machine_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale * 4}, .block = {256}), ptr(j, 0), ptr(j, 1));
}
static void machine_cpu(struct job *j) {
    cpu_state_machine(j->buf[0].host, j->buf[1].host, j->scale * 1024);
}

/* ---- vector add: scale thousand elements ---- */
static bool vector_make(struct job *j) {
    size_t n = (size_t)j->scale * 1024;
    float *a = buffer(j, 1, 4 * n, false, true), *b = buffer(j, 2, 4 * n, false, true);
    if (!a || !b || !buffer(j, 0, 4 * n, true, true)) return false;
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(i % 1009) * 0.5f;
        b[i] = (float)(i % 757) * 0.25f;
    }
    return true;
}
static hd_status vector_device(struct job *j) {
    return RUN(j, SHAPE(.grid = {j->scale * 4}, .block = {256}), ptr(j, 0), ptr(j, 1), ptr(j, 2),
               hd_arg_u32(j->scale * 1024));
}
static void vector_cpu(struct job *j) {
    cpu_vecadd(j->buf[0].host, j->buf[1].host, j->buf[2].host, j->scale * 1024);
}

/* ---- reduction, then a histogram of the same bytes: scale thousand integers ---- */
enum { BINS = 64 };
static bool both_make(struct job *j) {
    return reduce_make(j) && buffer(j, 2, 4 * BINS, true, false);
}
static hd_status both_device(struct job *j) {
    hd_status st = reduce_device(j);
    if (st) return st;
    return RUN_AT(j, 1, SHAPE(.grid = {64}, .block = {256}), ptr(j, 2), ptr(j, 1),
                  hd_arg_u32(j->scale * 4096));
}
static void both_cpu(struct job *j) {
    reduce_cpu(j);
    cpu_histogram(j->buf[2].host, j->buf[1].host, j->scale * 4096, BINS);
}

/* ---- heat: scale x scale points, several steps ---- */
enum { STEPS = 4 };
static bool heat_make(struct job *j) {
    size_t n = (size_t)j->scale * j->scale;
    float *t = buffer(j, 0, 4 * n, true, true), *p = buffer(j, 2, 4 * n, false, true);
    if (!t || !p || !buffer(j, 1, 4 * n, false, true)) return false;
    for (size_t i = 0; i < n; i++) {
        t[i] = 20 + (float)(i % 101);
        p[i] = (float)(i % 13) * 0.125f;
    }
    return true;
}
static hd_status heat_device(struct job *j) {
    hd_status st = HD_OK;
    int32_t n = (int32_t)j->scale;
    uint32_t tiles = (j->scale + 15) / 16;
    for (int s = 0; s < STEPS && !st; s++)
        st = RUN(j, SHAPE(.grid = {tiles, tiles}, .block = {16, 16}), ptr(j, !(s & 1)), ptr(j, s & 1),
                 ptr(j, 2), hd_arg_s32(n), hd_arg_s32(n), hd_arg_f32(0.2f));
    return st;
}
static void heat_cpu(struct job *j) {
    for (int s = 0; s < STEPS; s++)
        cpu_hotspot(j->buf[!(s & 1)].host, j->buf[s & 1].host, j->buf[2].host, (int)j->scale, (int)j->scale,
                    0.2f);
}

/* ---- alignment of two sequences of scale letters, a multiple of 16 ---- */
enum { GAP = 2 };
static bool align_make(struct job *j) {
    size_t n = j->scale, pitch = n + 1;
    int32_t *score = buffer(j, 0, 4 * pitch * pitch, true, false);
    uint8_t *a = buffer(j, 1, n, false, false), *b = buffer(j, 2, n, false, false);
    struct rng rng = {4};
    if (!score || !a || !b) return false;
    for (size_t i = 0; i <= n; i++) score[i] = score[i * pitch] = -GAP * (int32_t)i;
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint8_t)rng_below(&rng, 4);
        b[i] = (uint8_t)rng_below(&rng, 4);
    }
    return true;
}
static hd_status align_device(struct job *j) {
    hd_status st = HD_OK;
    uint32_t tiles = j->scale / 16;
    for (uint32_t d = 0; d < 2 * tiles - 1 && !st; d++)
        st =
            RUN(j, SHAPE(.grid = {d < tiles ? d + 1 : 2 * tiles - 1 - d}, .block = {16}), ptr(j, 0),
                ptr(j, 1), ptr(j, 2), hd_arg_s32((int32_t)j->scale), hd_arg_s32((int32_t)d), hd_arg_s32(GAP));
    return st;
}
static void align_cpu(struct job *j) {
    cpu_align(j->buf[0].host, j->buf[1].host, j->buf[2].host, (int)j->scale, GAP);
}

const struct job_kind job_kinds[] = {
    {"uniform f32",
     {{"arith.ptx", "arith_float"}},
     64,
     4,
     true,
     arith_make,
     arith_float_device,
     arith_float_cpu},
    {"uniform u32",
     {{"arith.ptx", "arith_int"}},
     64,
     4,
     true,
     arith_int_make,
     arith_int_device,
     arith_int_cpu},
    {"matrix multiply", {{"matmul.ptx", "matmul"}}, 256, 64, true, matmul_make, matmul_device, matmul_cpu},
    {"Black-Scholes",
     {{"blackscholes.ptx", "blackscholes"}},
     512,
     16,
     false,
     options_make,
     options_device,
     options_cpu},
    {"reduction", {{"reduce.ptx", "reduce_int"}}, 4096, 64, false, reduce_make, reduce_device, reduce_cpu},
    {"bitonic sort", {{"bitonic.ptx", "bitonic"}}, 64, 4, false, bitonic_make, bitonic_device, bitonic_cpu},
    {"Mandelbrot",
     {{"mandelbrot.ptx", "mandelbrot"}},
     512,
     64,
     false,
     mandelbrot_make,
     mandelbrot_device,
     mandelbrot_cpu},
    {"BFS", {{"bfs.ptx", "bfs_level"}}, 128, 8, false, bfs_make, bfs_device, bfs_cpu},
    {"state machine",
     {{"shapes.ptx", "state_machine"}},
     256,
     16,
     false,
     machine_make,
     machine_device,
     machine_cpu},
    {"vector add", {{"vecadd.ptx", "vecadd"}}, 0, 0, true, vector_make, vector_device, vector_cpu},
    {"reduction + histogram",
     {{"reduce.ptx", "reduce_int"}, {"histogram.ptx", "histogram_shared"}},
     0,
     0,
     false,
     both_make,
     both_device,
     both_cpu},
    {"hotspot", {{"hotspot.ptx", "hotspot"}}, 0, 0, false, heat_make, heat_device, heat_cpu},
    {"Needleman-Wunsch", {{"align.ptx", "align_diagonal"}}, 0, 0, false, align_make, align_device, align_cpu},
};
const size_t job_nkinds = sizeof job_kinds / sizeof *job_kinds;
