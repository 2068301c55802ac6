/* CSV: cells that hold a comma, a quote or a line break are quoted, the rest are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/csv.h"

static void cells_and_rows(void **state) {
    (void)state;
    struct sb out = {0};
    csv_cell(&out, "%s", "name");
    csv_cell(&out, "%d", 7);
    csv_cell(&out, "%s", "");
    csv_end_row(&out);
    csv_cell(&out, "%s", "");
    csv_cell(&out, "%s", "a,b");
    csv_cell(&out, "say \"hi\"");
    csv_cell(&out, "two\nlines");
    csv_end_row(&out);
    assert_string_equal(out.text, "name,7,\n"
                                  "\"\",\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
    sb_free(&out);
}

static void a_row_may_end_in_a_quoted_line_break(void **state) {
    (void)state;
    struct sb out = {0};
    csv_cell(&out, "%s", "x\n");
    csv_cell(&out, "%s", "y");
    csv_end_row(&out);
    assert_string_equal(out.text, "\"x\n\",y\n");
    sb_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_and_rows),
        cmocka_unit_test(a_row_may_end_in_a_quoted_line_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
