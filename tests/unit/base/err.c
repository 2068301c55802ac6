/* Growing text, error values, and which name is taken for the one that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/err.h"

static const char *const names[] = {"pf", "bfs", "bitonic", "mandelbrot", "matrix", NULL};

static void one_slip_of_the_hand_is_one_edit(void **state) {
    (void)state;
    assert_string_equal(nearest_name("bfs", names), "bfs");
    assert_string_equal(nearest_name("bs", names), "bfs");   /* a letter left out */
    assert_string_equal(nearest_name("bffs", names), "bfs"); /* one too many */
    assert_string_equal(nearest_name("bgs", names), "bfs");  /* the key beside it */
    assert_string_equal(nearest_name("bsf", names),
                        "bfs"); /* two swapped: pf, which comes first, is two edits off */
    assert_string_equal(nearest_name("mandelbrto", names), "mandelbrot");
    assert_string_equal(nearest_name("amtrxi", names), "matrix");
}

static void the_first_of_names_that_are_as_near_is_taken(void **state) {
    (void)state;
    const char *const alike[] = {"abx", "aby", NULL};
    assert_string_equal(nearest_name("abz", alike), "abx");
}

static void what_is_far_from_every_name_has_none(void **state) {
    (void)state;
    const char *const none[] = {NULL};
    char longest[100] = {0};
    memset(longest, 'b', sizeof longest - 1);
    assert_null(nearest_name("", names));
    assert_null(nearest_name("bfs", none));
    assert_null(nearest_name("quicksort", names));
    assert_null(nearest_name(longest, names));
    const char *const long_name[] = {longest, NULL};
    assert_null(nearest_name(longest, long_name)); /* too long to be a typing error */
}

static void text_grows_and_ends_in_nul(void **state) {
    (void)state;
    struct sb s = {0};
    for (int i = 0; i < 1000; i++) sb_add(&s, "%d ", i % 10);
    sb_addn(&s, "end and more", 3);
    assert_int_equal(s.len, 2003);
    assert_string_equal(s.text + 1994, "7 8 9 end");
    sb_free(&s);
    assert_null(s.text);
    sb_addn(&s, "", 0);
    assert_string_equal(s.text, "");
    sb_free(&s);
}

static void a_new_error_may_quote_the_old_one(void **state) {
    (void)state;
    struct err e = {0};
    assert_string_equal(err_text(&e), "");
    assert_false(err_set(&e, ERR_INPUT, "line %d", 7));
    assert_false(err_set(&e, ERR_FAULT, "file: %s", err_text(&e)));
    assert_int_equal(e.code, ERR_FAULT);
    assert_string_equal(err_text(&e), "file: line 7");
    err_free(&e);
    assert_int_equal(e.code, ERR_OK);
    assert_string_equal(err_text(&e), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_of_the_hand_is_one_edit),
        cmocka_unit_test(the_first_of_names_that_are_as_near_is_taken),
        cmocka_unit_test(what_is_far_from_every_name_has_none),
        cmocka_unit_test(text_grows_and_ends_in_nul),
        cmocka_unit_test(a_new_error_may_quote_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
