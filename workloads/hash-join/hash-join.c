/* The probe of a hash join (control flow of the multi-path slides' kind: breaks and short-circuited conditions). The table is half
 * full, a key has one to eight rows, a third of the keys looked up are not there. The CPU does without the table: rows are
 * sorted by key and place, and it searches by bisection. */
#include "workloads/workload.h"

#include <stdlib.h>

#define EMPTY 0xffffffffu

struct row {
    uint32_t key, stamp, amount, next;
};
struct table {
    struct row *rows;
    uint32_t *slots, mask, n;
};

static uint32_t hash(uint32_t key) {
    key *= 2654435761u;
    return key ^ key >> 15;
}

/* Rows of a key lie behind each other; keys are even numbers. */
static struct table make_table(struct work *w, uint32_t keys) {
    struct table t = {.mask = 2 * keys - 1, .n = 0};
    t.rows = work_host(w, 8 * (size_t)keys, sizeof *t.rows);
    t.slots = work_host(w, 2 * (size_t)keys, sizeof *t.slots);
    for (uint32_t i = 0; i <= t.mask; i++) t.slots[i] = EMPTY;
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t slot = hash(2 * k) & t.mask;
        while (t.slots[slot] != EMPTY) slot = (slot + 1) & t.mask;
        t.slots[slot] = t.n;
        for (uint32_t more = work_below(w, 8) + 1; more; more--, t.n++)
            t.rows[t.n] =
                (struct row){2 * k, work_below(w, 1024), work_below(w, 1000), more > 1 ? t.n + 1 : EMPTY};
    }
    return t;
}

static int by_key(const void *key, const void *row) {
    const uint32_t a = *(const uint32_t *)key, b = ((const struct row *)row)->key;
    return a < b ? -1 : a > b;
}

static uint32_t probe(const struct table *t, uint32_t key, uint32_t stamp, uint32_t sum) {
    const struct row *r = bsearch(&key, t->rows, t->n, sizeof *r, by_key), *end = t->rows + t->n;
    while (r && r > t->rows && r[-1].key == key) r--;
    for (; r && r < end && r->key == key; r++) {
        const bool odd = r->amount % 2, near = r->stamp + 64 > stamp;
        if (r->stamp > stamp || (odd && near)) continue;
        if (r->amount > 900) return (sum ^ r->amount) * 3;
        sum += r->amount;
    }
    return key % 8 ? sum : (sum ^ key) * 5;
}

void work_hash_join(struct work *w) {
    const uint32_t threads = work_pick(w, 256, 7680, 30720), each = work_pick(w, 4, 8, 16), block = 128;
    const struct table t = make_table(w, work_pick(w, 1024, 16384, 65536));
    const uint32_t n = threads * each, keys = (t.mask + 1) / 2;
    uint32_t *key = work_host(w, n, sizeof *key), *stamp = work_host(w, n, sizeof *stamp),
             *sums = work_host(w, threads, sizeof *sums);
    for (uint32_t i = 0; i < n; i++) {
        key[i] = 2 * work_below(w, keys) + (work_below(w, 3) == 0);
        stamp[i] = work_below(w, 1024);
        sums[i % threads] = probe(&t, key[i], stamp[i], sums[i % threads]);
    }
    uint64_t dsums = work_buffer(w, "sums", threads * sizeof *sums);
    uint64_t dslots = work_input(w, "slots", t.slots, (t.mask + 1) * sizeof *t.slots),
             drows = work_input(w, "rows", t.rows, t.n * sizeof *t.rows),
             dkey = work_input(w, "keys", key, n * sizeof *key),
             dstamp = work_input(w, "stamps", stamp, n * sizeof *stamp);
    WORK_LAUNCH(w, "hash_join", WORK_SHAPE(.grid = {threads / block}, .block = {block}), hd_arg_ptr(dsums),
                hd_arg_ptr(dslots), hd_arg_ptr(drows), hd_arg_ptr(dkey), hd_arg_ptr(dstamp),
                hd_arg_u32(t.mask), hd_arg_u32(each));
    work_check_u32(w, "sums", dsums, sums, threads);
}
