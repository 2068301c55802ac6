/* What every workload's host code calls (workload.h). The first failure stays: of the device in status, of a check in why. */
#include "workloads/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

const char *const work_size_names[WORK_SIZES] = {"tiny", "small", "paper"};
const char *const work_isa_names[WORK_ISAS] = {"ptx", "riscv", "riscv-O1"};
const char *const work_class_names[WORK_HIGH + 1] = {"none", "low", "medium", "high"};

const struct workload *workload_find(const char *name) {
    for (const struct workload *w = workload_list; w->name; w++)
        if (!strcmp(w->name, name)) return w;
    for (const struct workload *w = workload_builds; w->name; w++)
        if (!strcmp(w->name, name)) return w;
    return NULL;
}

const struct workload *workload_build(const struct workload *w, enum work_isa isa) {
    for (const struct workload *b = isa == WORK_PTX ? workload_list : workload_builds; b->name; b++)
        if (b->run == w->run && b->isa == isa) return b;
    return NULL;
}

/* ---- one run ---- */

static void load(struct work *w) {
    char name[64];
    snprintf(name, sizeof name, "@%s", w->workload->name);
    w->status = hd_module_load(w->dev, name, w->workload->code, w->workload->code_bytes, &w->mod);
}

/* The generator counts up by one constant, so that states which are near each other in its order would give the same numbers
 * a few draws later: a seed is mixed first. */
static uint64_t first_state(uint64_t seed) {
    struct rng r = {seed};
    return seed ? rng_next(&r) : 0x6865646c65u;
}

bool work_run(struct work *w) {
    struct arena mem = {0};
    w->mem = &mem;
    w->random = first_state(w->seed);
    w->digest = HASH_START;
    load(w);
    if (work_ok(w)) w->workload->run(w);
    arena_free(&mem);
    w->mem = NULL;
    return work_ok(w) && !w->wrong;
}

bool work_ok(const struct work *w) {
    return w->status == HD_OK;
}

uint32_t work_pick(const struct work *w, uint32_t tiny, uint32_t small, uint32_t paper) {
    return w->size == WORK_TINY ? tiny : w->size == WORK_SMALL ? small : paper;
}

/* ---- inputs ---- */

static uint64_t next(struct work *w) {
    struct rng r = {w->random};
    uint64_t v = rng_next(&r);
    w->random = r.state;
    return v;
}

uint32_t work_random(struct work *w) {
    return (uint32_t)(next(w) >> 32);
}

uint32_t work_below(struct work *w, uint32_t n) {
    return (uint32_t)((uint64_t)work_random(w) * n >> 32);
}

float work_uniform(struct work *w, float low, float high) {
    return low + (high - low) * ((float)(work_random(w) >> 8) * 0x1p-24f);
}

void *work_host(struct work *w, size_t count, size_t bytes) {
    return arena_alloc(w->mem, count * bytes);
}

/* ---- the device ---- */

uint64_t work_buffer(struct work *w, const char *label, uint64_t bytes) {
    uint64_t addr = 0;
    if (work_ok(w)) w->status = hd_alloc(w->dev, bytes, &addr);
    if (work_ok(w)) w->status = hd_label(w->dev, addr, label);
    return work_ok(w) ? addr : 0;
}

uint64_t work_input(struct work *w, const char *label, const void *data, uint64_t bytes) {
    uint64_t addr = work_buffer(w, label, bytes);
    work_write(w, addr, data, bytes);
    return addr;
}

uint64_t work_symbol(struct work *w, const char *name) {
    uint64_t addr = 0;
    if (work_ok(w)) w->status = hd_module_symbol(w->mod, name, &addr, NULL);
    return work_ok(w) ? addr : 0;
}

void work_write(struct work *w, uint64_t dst, const void *src, uint64_t bytes) {
    if (work_ok(w)) w->status = hd_copy_in(w->dev, dst, src, bytes);
}

void work_read(struct work *w, void *dst, uint64_t src, uint64_t bytes) {
    memset(dst, 0, bytes);
    if (work_ok(w)) w->status = hd_copy_out(w->dev, dst, src, bytes);
}

void work_zero(struct work *w, uint64_t dst, uint64_t bytes) {
    if (work_ok(w)) w->status = hd_set(w->dev, dst, 0, bytes);
}

void work_launch(struct work *w, const char *kernel, const hd_launch *l, const hd_arg *args, size_t nargs) {
    hd_kernel *k = NULL;
    if (work_ok(w)) w->status = hd_module_kernel(w->mod, kernel, &k);
    if (!work_ok(w)) return;
    if (w->before) w->before(w, k, l);
    w->status = hd_run(k, l, args, nargs);
    if (work_ok(w) && w->after) w->after(w, k, l);
}

/* ---- checks ---- */

/* The n values the device has there, counted and in the digest; NULL after a failure. */
static const void *fetch(struct work *w, uint64_t addr, size_t n, size_t bytes) {
    void *have = work_host(w, n, bytes);
    work_read(w, have, addr, n * bytes);
    if (!work_ok(w)) return NULL;
    w->digest = hash_bytes(w->digest, have, n * bytes);
    w->checked += n;
    return have;
}

__attribute__((format(printf, 4, 5))) static void differs(struct work *w, const char *what, size_t at,
                                                          const char *fmt, ...) {
    if (w->wrong) return;
    w->wrong = true;
    int n = snprintf(w->why, sizeof w->why, "%s[%zu] ", what, at);
    va_list ap;
    va_start(ap, fmt);
    if (n > 0 && (size_t)n < sizeof w->why) vsnprintf(w->why + n, sizeof w->why - (size_t)n, fmt, ap);
    va_end(ap);
}

#define CHECK_EXACT(suffix, T, format)                                                                     \
    void work_check_##suffix(struct work *w, const char *what, uint64_t addr, const T *want, size_t n) {   \
        const T *have = fetch(w, addr, n, sizeof *have);                                                   \
        for (size_t i = 0; have && i < n && !w->wrong; i++)                                                \
            if (have[i] != want[i]) differs(w, what, i, "is %" format ", not %" format, have[i], want[i]); \
    }
CHECK_EXACT(u32, uint32_t, PRIu32)
CHECK_EXACT(s32, int32_t, PRId32)
CHECK_EXACT(u64, uint64_t, PRIu64)

static bool near(double have, double want, double relative, double absolute) {
    if (isnan(want) || isnan(have)) return isnan(want) && isnan(have);
    if (isinf(want) || isinf(have)) return want == have;
    return fabs(have - want) <= absolute + relative * fabs(want);
}

#define CHECK_NEAR(suffix, T, format)                                                                     \
    void work_check_##suffix(struct work *w, const char *what, uint64_t addr, const T *want, size_t n,    \
                             double relative, double absolute) {                                          \
        const T *have = fetch(w, addr, n, sizeof *have);                                                  \
        for (size_t i = 0; have && i < n && !w->wrong; i++)                                               \
            if (!near((double)have[i], (double)want[i], relative, absolute))                              \
                differs(w, what, i, "is " format ", not " format " (tolerance %g relative, %g absolute)", \
                        (double)have[i], (double)want[i], relative, absolute);                            \
    }
CHECK_NEAR(f32, float, "%.9g")
CHECK_NEAR(f64, double, "%.17g")

void work_expect(struct work *w, bool holds, const void *bytes, size_t n, const char *fmt, ...) {
    if (!work_ok(w)) return;
    w->checked++;
    if (bytes) w->digest = hash_bytes(w->digest, bytes, n);
    if (holds || w->wrong) return;
    w->wrong = true;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(w->why, sizeof w->why, fmt, ap);
    va_end(ap);
}
