/* Statistics: each counter of the executor arrives under its name, totals join as their rows say, formulas follow. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/docs.h"
#include "sim/stats.h"
#include "unit/sim/page.h"

/* Every counter of the executor has a different value, so that none can stand for another. */
static struct stats_source distinct(void) {
    struct stats_source x = {.mem_used = 1000};
    uint64_t *word = (uint64_t *)&x.exec;
    for (size_t i = 0; i < sizeof x.exec / sizeof *word; i++) word[i] = i + 1;
    return x;
}

static void every_counter_of_the_executor_has_one_row(void **state) {
    (void)state;
    struct stats_source x = distinct();
    size_t counters = sizeof x.exec / sizeof(uint64_t);
    struct stats s;
    stats_collect(&s, &x);
    for (uint64_t want = 1; want <= counters; want++) {
        int found = 0;
        for (int i = 0; i < STAT_COUNT; i++)
            found += i != STAT_exec_launches && stat_rows[i].how != STAT_FORMULA &&
                     stats_exact(&s, (enum stat_id)i) == want;
        assert_int_equal(found, 1);
    }
    assert_int_equal(s.exec.launches, 1);
    assert_int_equal(s.mem.used_bytes, 1000);
}

static void class_rows_carry_the_class_name(void **state) {
    (void)state;
    for (int c = 0; c < IR_NCLASSES; c++) {
        struct stats_source x = {0};
        struct stats s;
        struct err e = {0};
        char name[64];
        int n = snprintf(name, sizeof name, "exec.insts_%s", ir_class_name[c]);
        for (int k = 0; k < n; k++) name[k] = (char)tolower((unsigned char)name[k]);
        x.exec.class_insts[c] = 5;
        stats_collect(&s, &x);
        enum stat_id id = stats_find(name, &e);
        assert_string_equal(err_text(&e), "");
        assert_int_equal(stats_exact(&s, id), 5);
    }
}

static void totals_are_sums_or_maxima_and_formulas_follow(void **state) {
    (void)state;
    struct stats_source x = {.mem_used = 300};
    struct stats one, total = {0};
    x.exec.thread_insts = 64;
    x.exec.warp_insts = 2;
    stats_collect(&one, &x);
    stats_join(&total, &one);
    x.exec.thread_insts = 32;
    x.exec.warp_insts = 4;
    x.mem_used = 200;
    stats_collect(&one, &x);
    stats_join(&total, &one);
    assert_int_equal(total.exec.launches, 2);
    assert_int_equal(total.exec.thread_insts, 96);
    assert_int_equal(total.mem.used_bytes, 300);
    assert_true(stats_value(&one, STAT_exec_lane_activity) == 0.25);
    assert_true(stats_value(&total, STAT_exec_lane_activity) ==
                0.5); /* 96 / (32 * 6), not the mean of 1 and 0.25 */
    assert_true(stats_value(&total, STAT_exec_divergence) == 0); /* no branches: 0, not NaN */
    assert_true(stats_value(&total, STAT_exec_thread_insts) == 96);
}

static void names_are_found_or_suggested(void **state) {
    (void)state;
    struct err e = {0};
    assert_int_equal(stats_find("exec.turns", &e), STAT_exec_turns);
    assert_int_equal(stats_find("exec.turnz", &e), STAT_COUNT);
    assert_string_equal(err_text(&e), "there is no statistic \"exec.turnz\"; did you mean exec.turns?");
    assert_int_equal(stats_find("speed", &e), STAT_COUNT);
    assert_string_equal(err_text(&e), "there is no statistic \"speed\"");
    err_free(&e);
}

static void counters_are_exact_beyond_what_a_double_holds(void **state) {
    (void)state;
    struct stats s = {0};
    s.exec.threads = (UINT64_C(1) << 53) + 1;
    assert_true(stats_exact(&s, STAT_exec_threads) == (UINT64_C(1) << 53) + 1);
}

static void the_committed_page_is_current(void **state) {
    (void)state;
    struct sb page = {0};
    docs_statistics(&page);
    page_is("docs/statistics.md", &page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_of_the_executor_has_one_row),
        cmocka_unit_test(class_rows_carry_the_class_name),
        cmocka_unit_test(totals_are_sums_or_maxima_and_formulas_follow),
        cmocka_unit_test(names_are_found_or_suggested),
        cmocka_unit_test(counters_are_exact_beyond_what_a_double_holds),
        cmocka_unit_test(the_committed_page_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
