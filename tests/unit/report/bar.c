/* Bars: length follows value, nothing overflows, whatever the numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/bar.h"

static void expect(double value, double full, unsigned width, bool utf8, const char *want) {
    struct sb out = {0};
    bar_add(&out, value, full, width, utf8);
    assert_string_equal(out.text ? out.text : "", want);
    sb_free(&out);
}

static void plain_bars_are_whole_signs(void **state) {
    (void)state;
    expect(1, 1, 10, false, "##########");
    expect(0.5, 1, 10, false, "#####");
    expect(0.44, 1, 10, false, "####");
    expect(0.45, 1, 10, false, "#####");
}

static void utf8_bars_have_eighths(void **state) {
    (void)state;
    expect(1, 1, 2, true, "██");
    expect(1, 2, 1, true, "▌");
    expect(5, 8, 1, true, "▋");
    expect(9, 16, 2, true, "█▏");
}

static void extremes_stay_inside(void **state) {
    (void)state;
    expect(1e-9, 1, 10, false, "#");
    expect(1e-9, 1, 10, true, "▏");
    expect(5, 1, 4, false, "####");
    expect(INFINITY, 1, 3, false, "###");
    expect(0, 1, 10, false, "");
    expect(-1, 1, 10, true, "");
    expect(NAN, 1, 10, false, "");
    expect(1, NAN, 10, false, "");
    expect(1, 0, 10, false, "");
    expect(1, 1, 0, false, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bars_are_whole_signs),
        cmocka_unit_test(utf8_bars_have_eighths),
        cmocka_unit_test(extremes_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
