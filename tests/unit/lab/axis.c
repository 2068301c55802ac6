/* Axes as numbers: places in canonical order, and points sorted by several axes at once. */
#include "points.h"

#include <stdio.h>

#include "lab/store/axis.h"

enum { POINTS = 6 };

struct sheet {
    struct store_row rows[POINTS];
    const struct store_row *points[POINTS];
    hd_option words[POINTS];
};

/* Mechanisms out of their order, and an argument n whose places are numbers. */
static int setup(void **state) {
    static const char *const mech[POINTS] = {"mimd", "pdom", "mimd", "pdom", "nrec", "mimd"};
    static const char *const n[POINTS] = {"100", "20", "3", "20", "3", "-1"};
    struct sheet *t = calloc(1, sizeof *t);
    for (size_t i = 0; i < POINTS; i++) {
        t->words[i] = (hd_option){"n", n[i]};
        t->rows[i] = (struct store_row){
            .id = {.workload = "good", .mech = mech[i], .options = ""}, .word = &t->words[i], .nwords = 1};
        t->points[i] = &t->rows[i];
    }
    *state = t;
    return 0;
}

static int teardown(void **state) {
    free(*state);
    return 0;
}

static void assert_places(const struct axis *a, const char *const *want, size_t n) {
    assert_int_equal(a->places.n, n);
    for (size_t i = 0; i < n; i++) assert_string_equal(a->places.v[i], want[i]);
}

static void places_are_in_canonical_order(void **state) {
    static const char *const mechs[] = {"nrec", "pdom", "mimd"}, *const ns[] = {"-1", "3", "20", "100"};
    static const uint32_t at[] = {2, 1, 2, 1, 0, 2};
    struct sheet *t = *state;
    struct axis a;
    axis_make(&a, "mech", t->points, POINTS);
    assert_places(&a, mechs, 3);
    assert_memory_equal(a.at, at, sizeof at);
    assert_false(axis_is_number(&a));
    axis_free(&a);
    axis_make(&a, "n", t->points, POINTS);
    assert_places(&a, ns, 4);
    assert_true(axis_is_number(&a));
    axis_free(&a);
    axis_make(&a, "gpu.sms", t->points, POINTS); /* which no point has */
    assert_int_equal(a.places.n, 1);
    assert_string_equal(a.places.v[0], "-");
    assert_false(axis_is_number(&a));
    axis_free(&a);
}

static void points_are_sorted_by_several_axes(void **state) {
    struct sheet *t = *state;
    struct axis axes[2];
    size_t order[POINTS];
    static const size_t want[] = {4, 1, 3, 5, 2, 0}; /* 1 and 3 lie together: as they were */
    axis_make(&axes[0], "mech", t->points, POINTS);
    axis_make(&axes[1], "n", t->points, POINTS);
    axes_sort(axes, 2, order, POINTS);
    assert_memory_equal(order, want, sizeof want);
    assert_true(axes_same(axes, 2, 1, 3));
    assert_false(axes_same(axes, 2, 0, 2));
    assert_true(axes_same(axes, 1, 0, 2));
    axis_free(&axes[0]);
    axis_free(&axes[1]);
}

/* strverscmp alone would put 0.5 before 0.25, and -1 before -10. */
static void numbers_are_in_their_own_order(void **state) {
    static const char *const mixed[] = {"none", "0.5", "1e3", "-", "0.25", "-1", "16", "-10", "all"};
    static const char *const want[] = {"-", "-10", "-1", "0.25", "0.5", "16", "1e3", "all", "none"};
    struct axis a;
    (void)state;
    axis_make_text(&a, "n", mixed, 9);
    assert_places(&a, want, 9);
    axis_free(&a);
}

static void many_places_keep_their_points(void **state) {
    enum { MANY = 3000 };
    struct store_row *rows = calloc(MANY, sizeof *rows);
    const struct store_row **points = calloc(MANY, sizeof *points);
    hd_option *words = calloc(MANY, sizeof *words);
    char(*text)[8] = calloc(MANY, sizeof *text);
    struct axis a;
    (void)state;
    for (size_t i = 0; i < MANY; i++) { /* 7 has no factor in common with 1000: every place thrice */
        snprintf(text[i], sizeof *text, "%zu", i * 7 % 1000);
        words[i] = (hd_option){"n", text[i]};
        rows[i] = (struct store_row){.word = &words[i], .nwords = 1};
        points[i] = &rows[i];
    }
    axis_make(&a, "n", points, MANY);
    assert_int_equal(a.places.n, 1000);
    for (size_t i = 0; i < MANY; i++) assert_int_equal(a.at[i], i * 7 % 1000);
    axis_free(&a);
    free(rows);
    free(points);
    free(words);
    free(text);
}

static void what_is_a_number(void **state) {
    double v;
    (void)state;
    assert_true(axis_place_number("0x10", &v) && v == 16);
    assert_true(axis_place_number("-2.5e3", &v) && v == -2500);
    assert_false(axis_place_number("", &v));
    assert_false(axis_place_number("-", &v));
    assert_false(axis_place_number("4x", &v));
    assert_false(axis_place_number("inf", &v));
    assert_false(axis_place_number("nan", &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(places_are_in_canonical_order, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_sorted_by_several_axes, setup, teardown),
        cmocka_unit_test(numbers_are_in_their_own_order),
        cmocka_unit_test(many_places_keep_their_points),
        cmocka_unit_test(what_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
