/* What a report writes for its page: cells of lanes over time, lines of text in pieces, how much each run may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cmd/report/report.h"

static void expect_cell(struct density_cell c, uint64_t full, uint64_t peak, int letters, const char *want) {
    struct sb out = {0};
    report_cell(&c, full, peak, letters, &out);
    assert_string_equal(out.text, want);
    sb_free(&out);
}

/* A is 0, / is 63; a share of one half is 63 - 4 = 59 ('7'), of one quarter 55 ('3'). */
static void a_cell_is_lanes_share_and_pc(void **state) {
    (void)state;
    expect_cell((struct density_cell){0}, 32, 4, 2, "AAAA");
    expect_cell((struct density_cell){4, 128, 0, 4}, 32, 4, 2, "//AA");
    expect_cell((struct density_cell){2, 64, 1, 2}, 32, 4, 2, "/7AB");
    expect_cell((struct density_cell){1, 16, 64, 1}, 32, 4, 2, "g3BA"); /* 16 of 32 lanes: 31.5, rounded up */
    expect_cell((struct density_cell){3, 0, 65, 1}, 32, 4, 2, "A9BB");  /* three quarters: 61 */
    expect_cell((struct density_cell){1, 1, 4096, 1}, 32, 4, 3,
                "C3BAA"); /* PCs of long programs have three */
    expect_cell((struct density_cell){1, 1, 999999, 1}, 32, 4, 2, "C3//"); /* too far for two: the last */
    expect_cell((struct density_cell){1, 40, 0, 1}, 32, 1 << 20, 2,
                "/BAA"); /* never nothing where something issued */
}

static void wanted_lines_come_in_pieces(void **state) {
    (void)state;
    const char text[] = "one\ntwo\nthree\nfour\nfive";
    const bool wanted[] = {false, true, true, false, false, true};
    assert_int_equal(report_lines(text), 5);
    json_t *p = report_text(text, wanted, 5);
    assert_int_equal(json_array_size(p), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(p, 0), "first")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(p, 0), "text")), "one\ntwo\n");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(p, 1), "first")), 5);
    assert_string_equal(json_string_value(json_object_get(json_array_get(p, 1), "text")), "five");
    json_decref(p);
}

static void text_that_is_not_utf8_is_shown_all_the_same(void **state) {
    (void)state;
    const bool wanted[] = {false, true};
    json_t *p = report_text("caf\xe9 // x", wanted, 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(p, 0), "text")), "caf? // x");
    json_decref(p);
}

static void a_cost_names_the_kinds_that_it_has(void **state) {
    (void)state;
    struct profile_cost c = {0};
    c.lanes[LANE_ACTIVE] = 7;
    c.waits[WAIT_BARRIER] = 5;
    c.held = 3;
    json_t *pairs = report_cost(&c);
    const json_int_t want[] = {0, 7, SM_LANE_KINDS + WAIT_BARRIER, 5, SM_LANE_KINDS + SM_WAITS + 2, 3};
    assert_int_equal(json_array_size(pairs), 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(json_integer_value(json_array_get(pairs, i)), want[i]);
    json_decref(pairs);
}

/* Whatever the number of runs and rows, all cells together stay below 700 kB. */
static void runs_share_what_the_page_may_hold(void **state) {
    (void)state;
    const uint64_t rows[] = {1, 64, 300};
    for (size_t runs = 1; runs <= 27; runs++)
        for (size_t k = 0; k < 3; k++) {
            const struct report_budget b = report_budget(runs, rows[k]);
            assert_true(b.bins >= 64 && b.bins <= 2048 && !(b.bins & (b.bins - 1)));
            assert_true(b.bins == 64 || 4 * rows[k] * runs * b.bins <= 700000);
            assert_true(b.windows <= b.bins && b.issues * b.windows * runs <= 32768 && b.samples >= 48);
        }
    assert_int_equal(report_budget(1, 64).bins, 2048);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_lanes_share_and_pc),
        cmocka_unit_test(wanted_lines_come_in_pieces),
        cmocka_unit_test(text_that_is_not_utf8_is_shown_all_the_same),
        cmocka_unit_test(a_cost_names_the_kinds_that_it_has),
        cmocka_unit_test(runs_share_what_the_page_may_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
