/* Memory for one launch after another: aligned, zeroed where that is promised, kept, and never handed out twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    assert_null(p.first);
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
    pages_free(&p); /* of nothing is nothing */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(a_rewind_gives_the_same_memory_again),
        cmocka_unit_test(what_no_host_has_is_refused),
        cmocka_unit_test(a_larger_piece_begins_as_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
