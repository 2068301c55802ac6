/* Sorting networks. SL Table 3 measured four bitonic kernels; their instruction counts fit 16384 pairs of key and value, parts of
 * 1024 in shared memory and so blocks of 512 threads: a batch of arrays of one part each, and one array of them all, sorted by
 * parts and merged in global and, once strides are short enough, in shared memory. Beside these, which all threads work on,
 * stands Batcher's odd-even merge sort, whose inner steps leave a growing share of threads without a comparison. At smaller sizes
 * parts are smaller, so that the launches keep several blocks. Keys differ, so that a library sort on the CPU gives the one
 * right order of the values too. */
#include "workloads/workload.h"

#include <stdlib.h>

struct pair {
    uint32_t key, value;
};
struct sort {
    uint32_t n, part;
    const uint32_t *key, *value; /* as given */
    uint64_t dkey, dvalue;
};

static int by_key(const void *a, const void *b) {
    uint32_t x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
    return (x > y) - (x < y);
}

/* What the arrays of `length` should be, and a check. */
static void check(struct work *w, const struct sort *s, uint32_t length, const char *keys,
                  const char *values) {
    struct pair *p = work_host(w, s->n, sizeof *p);
    uint32_t *key = work_host(w, s->n, sizeof *key), *value = work_host(w, s->n, sizeof *value);
    for (uint32_t i = 0; i < s->n; i++) p[i] = (struct pair){s->key[i], s->value[i]};
    for (uint32_t i = 0; i < s->n; i += length) qsort(p + i, length, sizeof *p, by_key);
    for (uint32_t i = 0; i < s->n; i++) key[i] = p[i].key, value[i] = p[i].value;
    work_check_u32(w, keys, s->dkey, key, s->n);
    work_check_u32(w, values, s->dvalue, value, s->n);
}

static void start(struct work *w, const struct sort *s) {
    work_write(w, s->dkey, s->key, s->n * sizeof *s->key);
    work_write(w, s->dvalue, s->value, s->n * sizeof *s->value);
}

#define LAUNCH(w, kernel, s, ...)                                                              \
    WORK_LAUNCH(w, kernel, WORK_SHAPE(.grid = {(s)->n / (s)->part}, .block = {(s)->part / 2}), \
                hd_arg_ptr((s)->dkey), hd_arg_ptr((s)->dvalue), __VA_ARGS__)

static void sort_batch(struct work *w, const struct sort *s) {
    start(w, s);
    LAUNCH(w, "bitonic_sort_shared", s, hd_arg_u32(s->part), hd_arg_u32(1));
    check(w, s, s->part, "batch keys", "batch values");
}

static void sort_bitonic(struct work *w, const struct sort *s) {
    start(w, s);
    LAUNCH(w, "bitonic_sort_parts", s, hd_arg_u32(s->part));
    for (uint32_t size = 2 * s->part; size <= s->n; size *= 2) {
        for (uint32_t stride = size / 2; stride >= s->part; stride /= 2)
            LAUNCH(w, "bitonic_merge_global", s, hd_arg_u32(s->n), hd_arg_u32(size), hd_arg_u32(stride),
                   hd_arg_u32(1));
        LAUNCH(w, "bitonic_merge_shared", s, hd_arg_u32(s->n), hd_arg_u32(size), hd_arg_u32(1));
    }
    check(w, s, s->n, "bitonic keys", "bitonic values");
}

static void sort_odd_even(struct work *w, const struct sort *s) {
    start(w, s);
    LAUNCH(w, "odd_even_sort_shared", s, hd_arg_u32(s->part), hd_arg_u32(1));
    for (uint32_t size = 2 * s->part; size <= s->n; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2)
            LAUNCH(w, "odd_even_merge_global", s, hd_arg_u32(size), hd_arg_u32(stride), hd_arg_u32(1));
    check(w, s, s->n, "odd-even keys", "odd-even values");
}

void work_sortnet(struct work *w) {
    uint32_t n = work_pick(w, 256, 4096, 16384), part = work_pick(w, 128, 256, 1024);
    uint32_t *key = work_host(w, n, sizeof *key), *value = work_host(w, n, sizeof *value);
    for (uint32_t i = 0; i < n; i++) key[i] = (work_random(w) & ~(n - 1)) | i, value[i] = work_random(w);
    struct sort s = {n, part, key, value, 0, 0};
    s.dkey = work_buffer(w, "keys", n * sizeof *key);
    s.dvalue = work_buffer(w, "values", n * sizeof *value);
    sort_batch(w, &s);
    sort_bitonic(w, &s);
    sort_odd_even(w, &s);
}
