/* Statistics: every counter has its row, totals join as their rows say, ratios and formulas follow. */
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

static uint64_t *counter(struct stats *s, enum stat_id id) {
    return (uint64_t *)((char *)s + stat_rows[id].offset);
}

/* A counter that no row names cannot be read. Only a mechanism's own counters have their rows elsewhere. */
static void every_counter_has_one_row(void **state) {
    (void)state;
    enum { WORDS = offsetof(struct stats, mech) / sizeof(uint64_t) };
    const size_t own = offsetof(struct stats, div.extra) / sizeof(uint64_t);
    int rows[WORDS] = {0};
    for (int i = 0; i < STAT_COUNT; i++)
        if (stat_is_counter((enum stat_id)i)) rows[stat_rows[i].offset / sizeof(uint64_t)]++;
    for (size_t w = 0; w < WORDS; w++) assert_int_equal(rows[w], w < own || w >= own + MECH_COUNTERS);
}

static void names_are_unique_and_every_row_says_what_it_means(void **state) {
    (void)state;
    for (int i = 0; i < STAT_COUNT; i++) {
        const struct stat_row *row = &stat_rows[i];
        assert_true(*row->unit && *row->meaning && row->meaning[strlen(row->meaning) - 1] == '.');
        for (int k = 0; k < i; k++) assert_string_not_equal(row->name, stat_rows[k].name);
    }
}

/* Where a is large b is small and the other way round, so that a maximum is not always the same side's. */
static void counters_join_as_their_rows_say(void **state) {
    (void)state;
    struct stats a = {0}, b = {0};
    int seen[STAT_FORMULA + 1] = {0};
    for (int i = 0; i < STAT_COUNT; i++) {
        if (!stat_is_counter((enum stat_id)i)) continue;
        *counter(&a, (enum stat_id)i) = 1000 + (uint64_t)i * (i % 2 ? 1 : 3);
        *counter(&b, (enum stat_id)i) = 1000 + (uint64_t)i * (i % 2 ? 4 : 2);
    }
    struct stats total = a;
    stats_join(&total, &b);
    for (int i = 0; i < STAT_COUNT; i++) {
        const enum stat_id id = (enum stat_id)i;
        seen[stat_rows[i].how]++;
        if (!stat_is_counter(id)) continue;
        const uint64_t x = stats_exact(&a, id), y = stats_exact(&b, id);
        assert_int_equal(stats_exact(&total, id), stat_rows[i].how == STAT_SUM ? x + y : x > y ? x : y);
    }
    for (int how = 0; how <= STAT_FORMULA; how++) assert_true(seen[how]);
}

static void ratios_are_of_the_totals(void **state) {
    (void)state;
    for (int i = 0; i < STAT_COUNT; i++) {
        const struct stat_row *row = &stat_rows[i];
        struct stats one = {0}, two = {0};
        if (row->how != STAT_RATIO) continue;
        assert_true(stats_value(&one, (enum stat_id)i) == 0); /* nothing counted: 0, not NaN */
        *counter(&one, row->above) = 1, *counter(&one, row->below) = 2;
        *counter(&two, row->above) = 5, *counter(&two, row->below) = 6;
        assert_true(stats_value(&one, (enum stat_id)i) == 0.5);
        assert_int_equal(stat_rows[row->above].how, STAT_SUM);
        assert_int_equal(stat_rows[row->below].how, STAT_SUM);
        stats_join(&one, &two);
        assert_true(stats_value(&one, (enum stat_id)i) == 0.75);
    }
}

static void formulas_follow_the_totals(void **state) {
    (void)state;
    struct stats one = {.exec = {.thread_insts = 64, .warp_insts = 2}, .mem.used_bytes = 300};
    const struct stats two = {.exec = {.thread_insts = 32, .warp_insts = 4}, .mem.used_bytes = 200};
    assert_true(stats_value(&two, STAT_exec_lane_activity) == 0.25);
    stats_join(&one, &two);
    assert_int_equal(one.mem.used_bytes, 300);
    assert_true(stats_value(&one, STAT_exec_lane_activity) ==
                0.5); /* 96 / (32 * 6), not the mean of 1 and 0.25 */
    assert_true(stats_value(&one, STAT_exec_thread_insts) == 96);
}

static void class_rows_carry_the_class_name(void **state) {
    (void)state;
    for (int c = 0; c < IR_NCLASSES; c++) {
        struct stats s = {0};
        struct err e = {0};
        char name[64];
        int n = snprintf(name, sizeof name, "exec.insts_%s", ir_class_name[c]);
        for (int k = 0; k < n; k++) name[k] = (char)tolower((unsigned char)name[k]);
        s.exec.class_insts[c] = 5;
        enum stat_id id = stats_find(name, &e);
        assert_string_equal(err_text(&e), "");
        assert_int_equal(stats_exact(&s, id), 5);
    }
}

/* Two SMs, or two launches: the mechanism's list says which of its counters are maxima. */
static void a_mechanisms_own_counters_join_as_its_list_says(void **state) {
    (void)state;
    static const struct mech_counter own[] = {{"merges", "merges", "Merges.", STAT_SUM},
                                              {"deepest", "entries", "Deepest.", STAT_MAX},
                                              {.key = NULL}};
    struct mech_stats s = {.extra = {3, 9, 1}}, other = {.extra = {4, 6, 1}};
    mech_own_join(&s, &other, own);
    assert_int_equal(s.extra[0], 7);
    assert_int_equal(s.extra[1], 9);
    assert_int_equal(s.extra[2], 1);
    mech_own_join(&s, &other, NULL);
    assert_int_equal(s.extra[0], 7);
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
        cmocka_unit_test(every_counter_has_one_row),
        cmocka_unit_test(names_are_unique_and_every_row_says_what_it_means),
        cmocka_unit_test(counters_join_as_their_rows_say),
        cmocka_unit_test(ratios_are_of_the_totals),
        cmocka_unit_test(formulas_follow_the_totals),
        cmocka_unit_test(class_rows_carry_the_class_name),
        cmocka_unit_test(a_mechanisms_own_counters_join_as_its_list_says),
        cmocka_unit_test(names_are_found_or_suggested),
        cmocka_unit_test(counters_are_exact_beyond_what_a_double_holds),
        cmocka_unit_test(the_committed_page_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
