/* The heap, the bitmap, the queue and the pool of base, each against the plainest thing that does the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "base/bitmap.h"
#include "base/bits.h"
#include "base/heap.h"
#include "base/queue.h"

enum { N = 200, ROUNDS = 20000 };

/* Key of each number that is in; numbers with equal keys leave lowest first. */
static uint32_t first_of(const uint64_t *key, const bool *in) {
    uint32_t first = N;
    for (uint32_t i = 0; i < N; i++)
        if (in[i] && (first == N || key[i] < key[first])) first = i;
    return first;
}

static void any_item_leaves_a_heap_with_positions(void **state) {
    (void)state;
    struct pages pages = {0};
    struct rng r = {3};
    uint32_t pos[N], n = 0;
    uint64_t key[N];
    bool in[N] = {false};
    struct heap h = heap_new(&pages, pos);
    for (uint32_t k = 0; k < ROUNDS; k++) {
        const uint32_t i = (uint32_t)rng_below(&r, N);
        if (in[i]) {
            heap_take(&h, i);
            n--;
        } else {
            heap_put(&h, key[i] = rng_below(&r, 50), i);
            n++;
        }
        in[i] = !in[i];
        assert_int_equal(h.n, n);
        if (n) assert_int_equal(h.v[0].id, first_of(key, in));
    }
    pages_free(&pages);
}

/* From just below where serial numbers wrap around. */
static void equal_keys_leave_a_heap_as_they_came(void **state) {
    (void)state;
    struct pages pages = {0};
    struct rng r = {5};
    uint64_t key[N];
    bool in[N] = {false};
    struct heap h = heap_new(&pages, NULL);
    for (uint32_t k = 0; k < N; k++) {
        heap_push(&h, key[k] = rng_below(&r, 9), UINT32_MAX - N / 2 + k, k);
        in[k] = true;
    }
    for (uint32_t k = 0; k < N; k++) {
        const uint32_t want = first_of(key, in), got = heap_pop(&h);
        assert_int_equal(got, want);
        in[got] = false;
    }
    assert_int_equal(h.n, 0);
    pages_free(&pages);
}

static void a_bitmap_is_an_array_of_flags(void **state) {
    (void)state;
    struct rng r = {7};
    bool flag[N] = {false};
    uint64_t map[4] = {0};
    assert_int_equal(bitmap_words(N), 4);
    assert_false(bitmap_any(map, 4));
    for (uint32_t k = 0; k < ROUNDS; k++) {
        const uint32_t i = (uint32_t)rng_below(&r, N);
        flag[i] = rng_below(&r, 2);
        (flag[i] ? bitmap_set : bitmap_clear)(map, i);
        uint32_t next = 0, n = 0;
        FOR_BITMAP(b, map, 4) {
            for (; next < b; next++) assert_false(flag[next]);
            assert_true(flag[next++] && bitmap_has(map, b));
            n++;
        }
        for (; next < N; next++) assert_false(flag[next] || bitmap_has(map, next));
        assert_int_equal(bitmap_any(map, 4), n > 0);
    }
}

static void bits_are_counted(void **state) {
    (void)state;
    struct rng r = {9};
    for (uint32_t k = 0; k < 1000; k++) {
        const uint64_t v = rng_next(&r) & rng_next(&r);
        assert_int_equal(bits_count64(v), __builtin_popcountll(v));
        assert_int_equal(bits_count((uint32_t)v), __builtin_popcount((uint32_t)v));
    }
    assert_int_equal(bits_for(1), 0);
    assert_int_equal(bits_for(2), 1);
    assert_int_equal(bits_for(128), 7);
    assert_int_equal(bits_for(129), 8);
}

struct element {
    uint64_t what;
    uint32_t next;
};

/* Two queues over one array: each gives out what was put into it, in order. */
static void a_queue_is_first_in_first_out(void **state) {
    (void)state;
    struct rng r = {11};
    struct element v[N];
    struct queue q[2] = {{0}, {0}};
    uint64_t put[2] = {0}, taken[2] = {0};
    uint32_t idle[N], nidle = N;
    for (uint32_t i = 0; i < N; i++) idle[i] = i;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        const uint32_t which = (uint32_t)rng_below(&r, 2);
        if (nidle && rng_below(&r, 2)) {
            const uint32_t i = idle[--nidle];
            v[i].what = put[which]++;
            QUEUE_PUT(&q[which], v, i);
        } else if (q[which].n) {
            const uint32_t i = QUEUE_TAKE(&q[which], v);
            assert_int_equal(v[i].what, taken[which]++);
            idle[nidle++] = i;
        }
        assert_int_equal(q[which].n, put[which] - taken[which]);
    }
    assert_true(taken[0] > N && taken[1] > N);
}

static void a_pool_gives_every_number_once_and_grows_no_further_than_it_must(void **state) {
    (void)state;
    struct rng r = {13};
    POOL(struct element) pool = {{0}};
    uint32_t held[3 * N], n = 0, most = 0;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        if (n < 3 * N && rng_below(&r, 2)) {
            held[n] = POOL_TAKE(&pool);
            pool.v[held[n]].what = 1000 + n;
            if (++n > most) most = n;
        } else if (n) {
            const uint32_t i = (uint32_t)rng_below(&r, n);
            assert_int_equal(pool.v[held[i]].what, 1000 + i);
            POOL_GIVE(&pool, held[i]);
            held[i] = held[--n];
            pool.v[held[i]].what = 1000 + i;
        }
        assert_int_equal(POOL_TAKEN(&pool), n);
    }
    assert_int_equal(pool.pool.used, most);
    if (n) POOL_GIVE(&pool, held[0]);
    if (n) assert_int_equal(POOL_TAKE(&pool), held[0]); /* the last given back is the next */
    POOL_FREE(&pool);
    assert_null(pool.v);
}

static void a_sized_pool_hands_out_all_of_its_array_and_never_moves(void **state) {
    (void)state;
    struct element v[N];
    bool held[N] = {false};
    POOL(struct element) pool;
    POOL_SIZE(&pool, v, N);
    for (uint32_t left = N; left; left--) {
        assert_int_equal(pool.pool.left, left);
        assert_int_equal(POOL_TAKEN(&pool), N - left);
        const uint32_t i = POOL_TAKE_SIZED(&pool);
        assert_true(i < N && !held[i]);
        held[i] = true;
    }
    assert_ptr_equal(pool.v, v);
    POOL_GIVE(&pool, 3);
    POOL_GIVE(&pool, 7);
    assert_int_equal(POOL_TAKE_SIZED(&pool), 7);
    assert_int_equal(POOL_TAKE_SIZED(&pool), 3);
    assert_int_equal(pool.pool.left, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_item_leaves_a_heap_with_positions),
        cmocka_unit_test(equal_keys_leave_a_heap_as_they_came),
        cmocka_unit_test(a_bitmap_is_an_array_of_flags),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(a_queue_is_first_in_first_out),
        cmocka_unit_test(a_pool_gives_every_number_once_and_grows_no_further_than_it_must),
        cmocka_unit_test(a_sized_pool_hands_out_all_of_its_array_and_never_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
