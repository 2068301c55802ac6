/* Tables of text: columns line up, rows end where their text ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/table.h"

static void columns_line_up(void **state) {
    (void)state;
    struct table t;
    struct sb out = {0};
    table_init(&t, "lrl");
    table_cell(&t, "name");
    table_cell(&t, "count");
    table_cell(&t, "what");
    table_cell(&t, "%s", "x");
    table_cell(&t, "%d", 7);
    table_end_row(&t);
    table_cell(&t, "%s", "longer");
    table_cell(&t, "%d", 123456);
    table_cell(&t, "é");
    table_print(&t, 2, &out);
    assert_string_equal(out.text, "  name     count  what\n"
                                  "  x            7\n"
                                  "  longer  123456  é\n");
    assert_int_equal(table_rows(&t), 3);
    assert_int_equal(table_width(&t, 1), 6);
    sb_free(&out);
    table_free(&t);
}

static void empty_cells_take_their_place(void **state) {
    (void)state;
    struct table t;
    struct sb out = {0};
    table_init(&t, "rlr");
    table_cell(&t, "%s", "");
    table_cell(&t, "b");
    table_cell(&t, "1");
    table_cell(&t, "a");
    table_cell(&t, "%s", "");
    table_cell(&t, "22");
    table_print(&t, 0, &out);
    assert_string_equal(out.text, "   b   1\n"
                                  "a     22\n");
    sb_free(&out);
    table_free(&t);
}

static void empty_columns_are_left_out(void **state) {
    (void)state;
    struct table t;
    struct sb out = {0};
    table_init(&t, "lll");
    TABLE_HEAD(&t, "a", "b", "c");
    const char *cells[] = {"1", "", "3", "4", "", "6"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) table_cell(&t, "%s", cells[i]);
    table_print(&t, 0, &out);
    assert_string_equal(out.text, "a  c\n1  3\n4  6\n");
    sb_free(&out);
    table_free(&t);
}

static void markdown_has_a_heading(void **state) {
    static const char *const names[] = {"x", "y", NULL};
    (void)state;
    struct table t;
    struct sb out = {0};
    table_init(&t, "lr");
    const char *cells[] = {"a", "b|c", "", "4"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) table_cell(&t, "%s", cells[i]);
    table_markdown(&t, NULL, &out);
    assert_string_equal(out.text, "| a | b\\|c |\n|---|---|\n| | 4 |\n");
    out.len = 0;
    table_markdown(&t, names, &out);
    assert_string_equal(out.text, "| x | y |\n|---|---|\n| a | b\\|c |\n| | 4 |\n");
    out.len = 0;
    t.heading = true; /* nothing is shown of a column with nothing in it */
    table_markdown(&t, NULL, &out);
    assert_string_equal(out.text, "| b\\|c |\n|---|\n| 4 |\n");
    sb_free(&out);
    table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_line_up),
        cmocka_unit_test(empty_cells_take_their_place),
        cmocka_unit_test(empty_columns_are_left_out),
        cmocka_unit_test(markdown_has_a_heading),
    };
    return cmocka_run_group_tests_name("report/table", tests, NULL, NULL);
}
