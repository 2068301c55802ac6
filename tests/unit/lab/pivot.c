/* Pivot tables against numbers worked out by hand:
 *
 *            nrec   pdom   mimd
 *   good        1      2      4
 *   wrong       3      6     12      (only a name here)
 *   endless     -      8      -      mimd failed
 */
#include "points.h"

#include <math.h>
#include <stdio.h>

#include "lab/store/pivot.h"

static const char *const by_workload[] = {"workload"}, *const by_mech[] = {"mech"};

struct sheet {
    struct arena mem;
    struct store_row rows[8];
    struct pivot_point points[8];
    size_t n;
};

static void add(struct sheet *t, size_t workload, const char *mech, bool has, double value) {
    struct lab_point p = points_at(workload, mech);
    struct store_row *row = &t->rows[t->n];
    struct err e = {0};
    assert_true(lab_point_id(&p, &t->mem, &row->id, &e));
    row->state = has ? STORE_GOOD : STORE_FAILED;
    t->points[t->n++] = (struct pivot_point){.row = row, .has = has, .value = value};
}

/* In no order that the table should have. */
static int setup(void **state) {
    struct sheet *t = calloc(1, sizeof *t);
    add(t, 2, "mimd", false, 99);
    add(t, 0, "mimd", true, 4);
    add(t, 2, "pdom", true, 8);
    add(t, 1, "pdom", true, 6);
    add(t, 1, "nrec", true, 3);
    add(t, 0, "pdom", true, 2);
    add(t, 1, "mimd", true, 12);
    add(t, 0, "nrec", true, 1);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    struct sheet *t = *state;
    arena_free(&t->mem);
    free(t);
    return 0;
}

static struct pivot make(const struct sheet *t) {
    struct pivot p = {.rows = {by_workload, 1}, .cols = {by_mech, 1}};
    struct err e = {0};
    if (!pivot_make(&p, t->points, t->n, &e)) fail_msg("%s", err_text(&e));
    return p;
}

static void assert_label(const struct pivot_axes *a, const struct store_row *head, const char *want) {
    struct sb label = {0};
    pivot_label(a, head, &label);
    assert_string_equal(label.text, want);
    sb_free(&label);
}

static void assert_near(double have, double want) {
    if (!(fabs(have - want) < 1e-12)) fail_msg("%.17g is not %.17g", have, want);
}

/* Row by row; 0: no value. */
static void assert_cells(const struct pivot *p, const double *want) {
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 3; c++) {
            const struct pivot_cell *cell = pivot_cell(p, r, c);
            assert_int_equal(cell->has, want[3 * r + c] != 0);
            if (cell->has) assert_near(cell->value, want[3 * r + c]);
        }
}

static void points_lie_where_their_axes_say(void **state) {
    struct pivot p = make(*state);
    static const double want[] = {0, 8, 0, 1, 2, 4, 3, 6, 12};
    assert_int_equal(p.row_heads.n, 3);
    assert_int_equal(p.col_heads.n, 3);
    /* names that no table has are in order of the alphabet, mechanisms in that of theirs */
    assert_label(&p.rows, p.row_heads.v[0], "endless");
    assert_label(&p.rows, p.row_heads.v[1], "good");
    assert_label(&p.rows, p.row_heads.v[2], "wrong");
    assert_label(&p.cols, p.col_heads.v[0], "nrec");
    assert_label(&p.cols, p.col_heads.v[1], "pdom");
    assert_label(&p.cols, p.col_heads.v[2], "mimd");
    assert_cells(&p, want);
    assert_null(pivot_cell(&p, 0, 0)->row);                           /* there is none */
    assert_int_equal(pivot_cell(&p, 0, 2)->row->state, STORE_FAILED); /* there is, but it failed */
    pivot_free(&p);
}

static void values_over_a_column(void **state) {
    struct pivot p = make(*state);
    struct err e = {0};
    static const double want[] = {0, 1, 0, 0.5, 1, 2, 0.5, 1, 2};
    assert_true(pivot_relative(&p, "pdom", &e));
    assert_cells(&p, want);
    pivot_free(&p);
    p = make(*state);
    static const double over_nrec[] = {0, 0, 0, 1, 2, 4, 1, 2, 4}; /* nothing to divide by in the first row */
    assert_true(pivot_relative(&p, "nrec", &e));
    assert_cells(&p, over_nrec);
    assert_false(pivot_relative(&p, "pdon", &e));
    assert_string_equal(err_text(&e), "there is no column \"pdon\"; did you mean pdom?");
    assert_false(pivot_relative(&p, "something", &e));
    assert_string_equal(err_text(&e), "there is no column \"something\"; there are nrec, pdom, mimd");
    err_free(&e);
    pivot_free(&p);
}

static void means_of_columns(void **state) {
    struct pivot p = make(*state);
    static const double want[][3] = {
        [PIVOT_ARITHMETIC] = {2, 16.0 / 3, 8},
        [PIVOT_GEOMETRIC] = {1.7320508075688772, 4.5788569702133275,
                             6.9282032302755088}, /* root 3, cube root 96, root 48 */
        [PIVOT_HARMONIC] = {1.5, 72.0 / 19, 6},   /* 2 / (1 + 1/3), 3 / (1/2 + 1/6 + 1/8), 2 / (1/4 + 1/12) */
    };
    static const size_t counts[] = {2, 3, 2};
    for (int kind = PIVOT_ARITHMETIC; kind <= PIVOT_HARMONIC; kind++)
        for (size_t c = 0; c < 3; c++) {
            double mean;
            size_t n;
            assert_true(pivot_mean(&p, (enum pivot_mean)kind, c, &mean, &n));
            assert_near(mean, want[kind][c]);
            assert_int_equal(n, counts[c]);
        }
    double mean;
    size_t n;
    pivot_cell(&p, 1, 0)->value = 0; /* no logarithm, no reciprocal */
    assert_true(pivot_mean(&p, PIVOT_ARITHMETIC, 0, &mean, &n) && mean == 1.5);
    assert_false(pivot_mean(&p, PIVOT_GEOMETRIC, 0, &mean, &n));
    assert_false(pivot_mean(&p, PIVOT_HARMONIC, 0, &mean, &n));
    pivot_free(&p);
}

static void two_points_in_one_cell_are_refused(void **state) {
    struct sheet *t = *state;
    struct pivot p = {.rows = {by_workload, 1}, .cols = {by_workload, 1}};
    struct err e = {0};
    assert_false(pivot_make(&p, t->points, t->n, &e));
    assert_non_null(strstr(err_text(&e), "more than one point: they differ in mech ("));
    pivot_free(&p);
    hd_option sms = {"gpu.sms", "2"};
    struct lab_point other = points_at(0, "mimd");
    other.settings = &sms;
    other.nsettings = 1;
    assert_true(lab_point_id(&other, &t->mem, &t->rows[7].id, &e));
    p = (struct pivot){.rows = {by_workload, 1}, .cols = {by_mech, 1}};
    assert_false(pivot_make(&p, t->points, t->n, &e));
    assert_non_null(strstr(
        err_text(&e), "row good and column mimd have more than one point: they differ in gpu.sms (1, 2)"));
    pivot_free(&p);
    static const char *const both[] = {"workload", "gpu.sms"};
    p = (struct pivot){.rows = {both, 2}, .cols = {by_mech, 1}};
    assert_true(pivot_make(&p, t->points, t->n, &e));
    assert_int_equal(p.row_heads.n, 4);
    assert_label(&p.rows, p.row_heads.v[2], "good 2");
    pivot_free(&p);
    err_free(&e);
}

/* ---- over an axis that is not shown ---- */

/* One row for mech and argument seed:    seed 1   2   3   4
 *                                  nrec       1   2   4   -     seed 4 failed
 *                                  pdom       2   8   2   4
 *                                  mimd       6                 others did not run */
struct seeds {
    struct store_row rows[9];
    hd_option word[9];
    struct pivot_point points[9];
};

static void seeds_make(struct seeds *t) {
    static const char *const mech[9] = {"pdom", "nrec", "mimd", "nrec", "pdom",
                                        "pdom", "nrec", "nrec", "pdom"};
    static const char *const seed[9] = {"3", "4", "1", "2", "1", "4", "1", "3", "2"};
    static const double value[9] = {2, 0, 6, 2, 2, 4, 1, 4, 8};
    for (size_t i = 0; i < 9; i++) {
        const bool has = value[i] != 0;
        t->word[i] = (hd_option){"seed", seed[i]};
        t->rows[i] = (struct store_row){.id = {.workload = "good",
                                               .size = "-",
                                               .config = "tiny",
                                               .mech = mech[i],
                                               .options = "",
                                               .version = ""},
                                        .state = has ? STORE_GOOD : STORE_FAILED,
                                        .word = &t->word[i],
                                        .nwords = 1};
        t->points[i] = (struct pivot_point){&t->rows[i], has, value[i]};
    }
}

static struct pivot seeds_pivot(const struct seeds *t, enum pivot_mean mean) {
    static const char *const by_seed[] = {"seed"};
    struct pivot p = {
        .rows = {by_workload, 1}, .cols = {by_mech, 1}, .over = {by_seed, 1}, .over_mean = mean};
    struct err e = {0};
    if (!pivot_make(&p, t->points, 9, &e)) fail_msg("%s", err_text(&e));
    return p;
}

static void assert_spread(const struct pivot_cell *c, const double want[4], size_t n, size_t points) {
    assert_true(c->has);
    assert_near(c->value, want[0]);
    assert_near(c->low, want[1]);
    assert_near(c->high, want[2]);
    assert_near(c->deviation, want[3]);
    assert_int_equal(c->n, n);
    assert_int_equal(c->points, points);
}

static void points_over_an_axis_have_a_mean_and_a_spread(void **state) {
    struct seeds t;
    (void)state;
    seeds_make(&t);
    struct pivot p = seeds_pivot(&t, PIVOT_NO_MEAN);
    assert_int_equal(p.row_heads.n, 1);
    assert_int_equal(p.col_heads.n, 3);
    assert_int_equal(p.overs, 4);
    /* squares of differences: 16/9 + 1/9 + 25/9 over 2; 4 + 16 + 4 + 0 over 3 */
    assert_spread(pivot_cell(&p, 0, 0), (double[]){7.0 / 3, 1, 4, sqrt(7.0 / 3)}, 3, 4);
    assert_spread(pivot_cell(&p, 0, 1), (double[]){4, 2, 8, sqrt(8)}, 4, 4);
    assert_spread(pivot_cell(&p, 0, 2), (double[]){6, 6, 6, 0}, 1, 1);
    assert_int_equal(pivot_cell(&p, 0, 0)->row->state, STORE_FAILED); /* so that a reader can be told */
    pivot_free(&p);
    p = seeds_pivot(&t, PIVOT_GEOMETRIC);
    assert_near(pivot_cell(&p, 0, 0)->value, 2);                  /* cube root of 8 */
    assert_near(pivot_cell(&p, 0, 1)->value, 3.3635856610148585); /* fourth root of 128 */
    assert_true(pivot_cell(&p, 0, 2)->value == 6);
    pivot_free(&p);
}

static void quotients_are_of_points_with_the_same_place(void **state) {
    struct seeds t;
    struct err e = {0};
    (void)state;
    seeds_make(&t);
    struct pivot p = seeds_pivot(&t, PIVOT_NO_MEAN);
    assert_true(pivot_relative(&p, "nrec", &e));
    assert_spread(pivot_cell(&p, 0, 0), (double[]){1, 1, 1, 0}, 3, 4);
    /* 2/1, 8/2, 2/4, and nothing to divide the fourth by: not 4 over 7/3 */
    assert_spread(pivot_cell(&p, 0, 1), (double[]){6.5 / 3, 0.5, 4, sqrt(37.0 / 12)}, 3, 4);
    assert_spread(pivot_cell(&p, 0, 2), (double[]){6, 6, 6, 0}, 1, 1);
    assert_true(pivot_relative(&p, "mimd", &e));
    assert_spread(pivot_cell(&p, 0, 1), (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3, 0}, 1, 4);
    pivot_free(&p);
    err_free(&e);
}

static void what_differs_in_more_than_that_is_refused(void **state) {
    struct seeds t;
    struct err e = {0};
    static const char *const by_seed[] = {"seed"};
    (void)state;
    seeds_make(&t);
    struct pivot p = {.rows = {by_workload, 1}, .cols = {by_workload, 1}, .over = {by_seed, 1}};
    assert_false(pivot_make(&p, t.points, 9, &e));
    assert_non_null(strstr(err_text(&e), "more than one point: they differ in mech ("));
    pivot_free(&p);
    p = (struct pivot){.rows = {by_workload, 1}, .cols = {by_mech, 1}};
    assert_false(pivot_make(&p, t.points, 9, &e));
    assert_non_null(strstr(err_text(&e), "they differ in seed ("));
    pivot_free(&p);
    err_free(&e);
}

static void a_table_of_millions_of_cells_is_refused(void **state) {
    enum { SIDE = 2100 };
    static const char *const by_a[] = {"a"}, *const by_b[] = {"b"};
    struct store_row *rows = calloc(SIDE, sizeof *rows);
    struct pivot_point *points = calloc(SIDE, sizeof *points);
    hd_option(*words)[2] = calloc(SIDE, sizeof *words);
    char(*text)[8] = calloc(SIDE, sizeof *text);
    struct err e = {0};
    (void)state;
    for (size_t i = 0; i < SIDE; i++) {
        snprintf(text[i], sizeof *text, "%zu", i);
        words[i][0] = (hd_option){"a", text[i]};
        words[i][1] = (hd_option){"b", text[i]};
        rows[i] = (struct store_row){.id = {.options = ""}, .word = words[i], .nwords = 2};
        points[i] = (struct pivot_point){&rows[i], true, 1};
    }
    struct pivot p = {.rows = {by_a, 1}, .cols = {by_b, 1}};
    assert_false(pivot_make(&p, points, SIDE, &e));
    assert_non_null(strstr(err_text(&e), "the table would have 2100 rows and 2100 columns"));
    pivot_free(&p);
    err_free(&e);
    free(rows);
    free(points);
    free(words);
    free(text);
}

static void no_points_make_an_empty_table(void **state) {
    struct pivot p = {.rows = {by_workload, 1}, .cols = {by_mech, 1}};
    struct err e = {0};
    (void)state;
    assert_true(pivot_make(&p, NULL, 0, &e));
    assert_int_equal(p.row_heads.n + p.col_heads.n, 0);
    assert_false(pivot_relative(&p, "pdom", &e));
    err_free(&e);
    pivot_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_lie_where_their_axes_say, setup, teardown),
        cmocka_unit_test_setup_teardown(values_over_a_column, setup, teardown),
        cmocka_unit_test_setup_teardown(means_of_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(two_points_in_one_cell_are_refused, setup, teardown),
        cmocka_unit_test(points_over_an_axis_have_a_mean_and_a_spread),
        cmocka_unit_test(quotients_are_of_points_with_the_same_place),
        cmocka_unit_test(what_differs_in_more_than_that_is_refused),
        cmocka_unit_test(a_table_of_millions_of_cells_is_refused),
        cmocka_unit_test(no_points_make_an_empty_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
