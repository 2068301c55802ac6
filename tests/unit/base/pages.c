/* Memory for one launch after another: aligned, zeroed where that is promised, kept, and never handed out twice. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/pages.h"

enum { PIECES = 2000 };

static size_t size_of(uint32_t k) { /* from one byte to some beyond a chunk */
    return k % 500 == 499 ? (size_t)5 << 20 : 1 + k * 37 % 9000;
}

static void pieces_are_aligned_zeroed_and_apart(void **state) {
    (void)state;
    struct pages p = {0};
    static uint8_t *at[PIECES];
    for (int launch = 0; launch < 3; launch++) {
        for (uint32_t k = 0; k < PIECES; k++) {
            at[k] = k % 3 ? pages_get(&p, size_of(k)) : pages_try(&p, size_of(k));
            assert_non_null(at[k]);
            assert_int_equal((uintptr_t)at[k] % 64, 0);
            for (size_t i = 0; k % 3 && i < size_of(k); i++) assert_int_equal(at[k][i], 0);
            memset(at[k], (int)(k % 251 + 1), size_of(k));
        }
        for (uint32_t k = 0; k < PIECES; k++)
            for (size_t i = 0; i < size_of(k); i++) assert_int_equal(at[k][i], k % 251 + 1);
        pages_rewind(&p);
    }
    pages_free(&p);
    assert_null(p.dense.first);
}

static void a_rewind_gives_the_same_memory_again(void **state) {
    (void)state;
    struct pages p = {0};
    void *first = pages_get(&p, 100), *second = pages_raw(&p, 3 << 20);
    pages_rewind(&p);
    assert_ptr_equal(pages_raw(&p, 100), first);
    assert_ptr_equal(pages_get(&p, 3 << 20), second);
    pages_free(&p);
}

static void what_no_host_has_is_refused(void **state) {
    (void)state;
    struct pages p = {0};
    assert_null(pages_try(&p, SIZE_MAX));
    assert_null(pages_try(&p, SIZE_MAX / 4 - 4096));
    assert_non_null(pages_try(&p, 0));
    pages_rewind(&p);
    pages_free(&p);
    pages_free(&p); /* a pool of nothing is freed, too */
}

static void a_larger_piece_begins_as_the_old_one(void **state) {
    (void)state;
    struct pages p = {0};
    unsigned char *a = pages_more(&p, NULL, 0, 3), *b;
    memcpy(a, "abc", 3);
    b = pages_more(&p, a, 3, 1 << 20);
    assert_true(a != b && !memcmp(b, "abc", 3));
    pages_free(&p);
}

/* Pages of the host that hold something of [at, at + bytes). */
static size_t resident(const void *at, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *from = (unsigned char *)((uintptr_t)at / page * page), in[4096];
    const size_t pages = ((uintptr_t)at + bytes - (uintptr_t)from + page - 1) / page;
    assert_true(pages <= sizeof in);
    if (mincore(from, pages * page, in)) return 0; /* it is not even mapped */
    size_t n = 0;
    for (size_t k = 0; k < pages; k++) n += in[k] & 1;
    return n;
}

static void sparse_room_costs_what_is_touched_of_it(void **state) {
    (void)state;
    enum { BYTES = 8 << 20 };
    struct pages p = {0};
    unsigned char *a = pages_sparse(&p, BYTES), *b = pages_sparse(&p, BYTES);
    memset(a, 1, 10000);
    memset(b, 2, 10000);
    assert_true(resident(a, BYTES) + resident(b, BYTES) <= 8);
    assert_int_equal(a[9999], 1);
    pages_rewind(&p);
    assert_ptr_equal(pages_sparse(&p, BYTES), a);
    assert_true(resident(a, BYTES) >= 2); /* kept for the next launch */
    pages_free(&p);
}

/* After a large launch come small ones: what only the large one used goes back, and nothing else. */
static void what_launches_no_longer_use_goes_back(void **state) {
    (void)state;
    enum { SMALL = 1 << 20, LARGE = 12 << 20, LAUNCHES = 40 };
    struct pages p = {0};
    unsigned char *small = NULL, *large = NULL;
    size_t most = 0;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        small = pages_get(&p, SMALL);
        memset(small, 1, SMALL);
        if (!launch) memset(large = pages_get(&p, LARGE), 1, LARGE);
        if (launch < 4) most = resident(large, LARGE);
        pages_rewind(&p);
    }
    assert_true(most >= LARGE / (size_t)sysconf(_SC_PAGESIZE));
    assert_true(resident(large, LARGE) <= most / 4);
    assert_ptr_equal(pages_get(&p, SMALL), small);
    for (int i = 0; i < SMALL; i++) assert_int_equal(small[i], 0);
    large = pages_get(&p, LARGE);
    for (int i = 0; i < LARGE; i++) assert_int_equal(large[i], 0);
    pages_free(&p);
}

enum { PARTS = 4 };
struct filler {
    struct pages *p;
    unsigned char *at[PIECES];
    int value;
};

static void *fill(void *arg) {
    struct filler *f = arg;
    for (uint32_t k = 0; k < PIECES; k++) {
        const size_t n = 1 + k * 37 % 900;
        f->at[k] = pages_get(f->p, n);
        for (size_t i = 0; i < n; i++)
            if (f->at[k][i]) return "a piece was not zeroed";
        memset(f->at[k], f->value, n);
    }
    return NULL;
}

/* Each by a thread of its own, twice, so that the second time meets what the first one wrote. */
static void parts_are_apart_from_each_other(void **state) {
    (void)state;
    static struct filler f[PARTS];
    struct pages whole = {0};
    for (int launch = 0; launch < 2; launch++) {
        pthread_t thread[PARTS];
        for (int k = 0; k < PARTS; k++) {
            f[k].p = pages_part(&whole);
            f[k].value = k + 1;
            assert_int_equal(pthread_create(&thread[k], NULL, fill, &f[k]), 0);
        }
        for (int k = 0; k < PARTS; k++) {
            void *said;
            pthread_join(thread[k], &said);
            assert_null(said);
        }
        for (int k = 0; k < PARTS; k++)
            for (uint32_t i = 0; i < PIECES; i++)
                for (size_t b = 0; b < 1 + i * 37 % 900; b++) assert_int_equal(f[k].at[i][b], k + 1);
        pages_rewind(&whole);
    }
    pages_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(a_rewind_gives_the_same_memory_again),
        cmocka_unit_test(what_no_host_has_is_refused),
        cmocka_unit_test(a_larger_piece_begins_as_the_old_one),
        cmocka_unit_test(sparse_room_costs_what_is_touched_of_it),
        cmocka_unit_test(what_launches_no_longer_use_goes_back),
        cmocka_unit_test(parts_are_apart_from_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
