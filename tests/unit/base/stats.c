/* What a table of statistics generates, on a small one: structs, joins, differences, a new start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define STATS      "unit/base/stats_rows.def"
#define STATS_ROOM house_stats
#include "base/stats_types.h"

static const struct house_stats one = {.left = {.opened = 3, .fullest = 9, .size = 20},
                                       .right = {.opened = 1, .fullest = 2, .size = 10},
                                       .road = {.length = {5, 7}}};
static const struct house_stats other = {.left = {.opened = 4, .fullest = 6, .size = 25},
                                         .right = {.opened = 0, .fullest = 8, .size = 10},
                                         .road = {.length = {6, 4}}};

static void is(const struct house_stats *s, const struct house_stats want) {
    assert_memory_equal(s, &want, sizeof want);
}

static void two_sms_add_sums_and_keep_the_larger_of_the_others(void **state) {
    (void)state;
    struct house_stats s = one;
    house_stats_join(&s, &other);
    is(&s, (struct house_stats){.left = {.opened = 7, .fullest = 9, .size = 25},
                                .right = {.opened = 1, .fullest = 8, .size = 10},
                                .road = {.length = {11, 7}}});
}

static void between_two_readings_sums_are_differences_and_the_others_as_last_read(void **state) {
    (void)state;
    struct house_stats s = {.left = {.opened = 7, .fullest = 6, .size = 25}, .road = {.length = {8, 2}}};
    const struct house_stats before = {.left = {.opened = 3, .fullest = 9, .size = 20},
                                       .road = {.length = {5, 7}}};
    house_stats_since(&s, &before);
    is(&s, (struct house_stats){.left = {.opened = 4, .fullest = 6, .size = 25}, .road = {.length = {3, 2}}});
}

static void a_launch_begins_with_maxima_of_zero(void **state) {
    (void)state;
    struct house_stats s = one;
    box_stats_restart(&s.left);
    road_stats_restart(&s.road);
    is(&s, (struct house_stats){.left = {.opened = 3, .fullest = 0, .size = 20},
                                .right = one.right,
                                .road = {.length = {5, 0}}});
}

static void a_ratio_of_nothing_is_zero(void **state) {
    (void)state;
    assert_true(stat_ratio(3, 4) == 0.75);
    assert_true(stat_ratio(3, 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sms_add_sums_and_keep_the_larger_of_the_others),
        cmocka_unit_test(between_two_readings_sums_are_differences_and_the_others_as_last_read),
        cmocka_unit_test(a_launch_begins_with_maxima_of_zero),
        cmocka_unit_test(a_ratio_of_nothing_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
