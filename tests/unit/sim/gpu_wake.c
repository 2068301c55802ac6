/* The wheel of due SMs does what a plain table of due cycles would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sim/gpu/wake.h"

enum { MOST = 200 };

struct table {
    uint32_t n;
    uint64_t when[MOST];
};

static uint64_t first(const struct table *t) {
    uint64_t at = GPU_NEVER;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->when[i] < at) at = t->when[i];
    return at;
}

/* Near, at the wheel's end, far beyond it, never. */
static uint64_t some_time(struct rng *r, uint64_t now) {
    switch (rng_below(r, 5)) {
    case 0: return GPU_NEVER;
    case 1: return now + 60 + rng_below(r, 10);
    case 2: return now + 1 + rng_below(r, 1000);
    default: return now + 1 + rng_below(r, 4);
    }
}

static void set(struct gpu_wake *w, struct table *t, uint32_t i, uint64_t when) {
    gpu_wake_set(w, i, when);
    t->when[i] = when;
    assert_true(gpu_wake_next(w) == first(t));
}

/* Every SM that is due now gets another time, and some that are not. */
static void step(struct gpu_wake *w, struct table *t, struct rng *r, uint64_t now) {
    gpu_wake_advance(w, now, now + 1);
    for (uint32_t i = 0; i < t->n; i++) {
        bool due = w->due[i / 64] >> i % 64 & 1;
        assert_int_equal(due, t->when[i] == now);
        if (due) t->when[i] = GPU_NEVER;
    }
    assert_true(gpu_wake_next(w) == first(t));
    for (uint32_t i = 0; i < t->n; i++)
        if ((w->due[i / 64] >> i % 64 & 1) || !rng_below(r, 8)) set(w, t, i, some_time(r, now));
}

static void the_wheel_is_a_table_of_times(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 30, 64, 65, MOST};
    for (uint32_t k = 0; k < 5; k++) {
        struct rng r = {k};
        struct gpu_wake w;
        struct table t = {.n = sizes[k]};
        uint64_t now = rng_below(&r, 1000);
        gpu_wake_init(&w, t.n, now);
        for (uint32_t i = 0; i < t.n; i++) t.when[i] = GPU_NEVER;
        assert_true(gpu_wake_next(&w) == GPU_NEVER);
        for (uint32_t i = 0; i < t.n; i += 2) set(&w, &t, i, now + (i % 3 ? 0 : 100));
        for (uint32_t round = 0; round < 2000; round++) {
            step(&w, &t, &r, now);
            uint64_t next = first(&t);
            if (next == GPU_NEVER || !rng_below(&r, 10)) /* something else happens before */
                next = next == GPU_NEVER ? now + 1 + rng_below(&r, 200) : now + 1 + rng_below(&r, next - now);
            now = next;
        }
        gpu_wake_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_wheel_is_a_table_of_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
