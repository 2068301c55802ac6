/* Plackett-Burman designs: what makes them designs, HARP's Table 6, and that effects are the coefficients they should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lab/design.h"

/* Every design there is, with foldover or without. */
#define FOR_DESIGNS(d, foldover)                \
    for (size_t k_ = 0; design_sizes[k_]; k_++) \
        if (assert_true(design_make(&(d), design_sizes[k_], foldover)), true)

static int inner(const struct design *d, size_t a, size_t b) {
    int sum = 0;
    for (size_t run = 0; run < d->runs; run++) sum += d->level[run][a] * d->level[run][b];
    return sum;
}

static void the_sizes_there_are(void **state) {
    static const size_t want[] = {8, 12, 16, 20, 24, 0};
    struct design d;
    (void)state;
    for (size_t k = 0; k < 6; k++) assert_int_equal(design_sizes[k], want[k]);
    assert_false(design_make(&d, 10, false));
    assert_false(design_make(&d, 0, false));
    assert_int_equal(design_size_for(1), 8);
    assert_int_equal(design_size_for(7), 8);
    assert_int_equal(design_size_for(8), 12);
    assert_int_equal(design_size_for(23), 24);
    assert_int_equal(design_size_for(24), 0);
}

/* H^T H = n I, H being the levels and a column of ones. */
static void columns_are_balanced_and_orthogonal(void **state) {
    struct design d;
    (void)state;
    for (int fold = 0; fold < 2; fold++) FOR_DESIGNS(d, fold) {
            assert_int_equal(d.columns + 1, d.runs / (fold ? 2 : 1));
            for (size_t a = 0; a < d.columns; a++) {
                int sum = 0;
                for (size_t run = 0; run < d.runs; run++) {
                    assert_true(d.level[run][a] == 1 || d.level[run][a] == -1);
                    sum += d.level[run][a];
                }
                assert_int_equal(sum, 0);
                for (size_t b = 0; b < d.columns; b++)
                    assert_int_equal(inner(&d, a, b), a == b ? (int)d.runs : 0);
            }
        }
}

static void foldover_is_the_negation(void **state) {
    struct design d, half;
    (void)state;
    FOR_DESIGNS(d, true) {
        assert_true(design_make(&half, d.runs / 2, false));
        for (size_t run = 0; run < half.runs; run++)
            for (size_t c = 0; c < d.columns; c++) {
                assert_int_equal(d.level[run][c], half.level[run][c]);
                assert_int_equal(d.level[run + half.runs][c], -half.level[run][c]);
            }
    }
}

static void eight_runs_are_those_of_harp_table_6(void **state) {
    static const signed char table[8][7] = {
        {1, -1, -1, 1, -1, 1, 1}, {1, 1, -1, -1, 1, -1, 1},     {1, 1, 1, -1, -1, 1, -1},
        {-1, 1, 1, 1, -1, -1, 1}, {1, -1, 1, 1, 1, -1, -1},     {-1, 1, -1, 1, 1, 1, -1},
        {-1, -1, 1, -1, 1, 1, 1}, {-1, -1, -1, -1, -1, -1, -1},
    };
    struct design d;
    (void)state;
    assert_true(design_make(&d, 8, false));
    for (size_t run = 0; run < 8; run++)
        for (size_t c = 0; c < 7; c++) assert_int_equal(d.level[run][c], table[run][c]);
}

/* The responses of the table have two digits behind the point: each may be off by 0.005, an effect by 0.01. */
static void harp_table_6_has_the_effects_it_prints(void **state) {
    static const double response[] = {1.03, 1.09, 1.01, 1.09, 1.10, 0.96, 0.97, 1.10};
    static const double effect[] = {0.0283, -0.0100, -0.0020, 0.0060, -0.0270, -0.1031, 0.0007};
    struct design d;
    (void)state;
    assert_true(design_make(&d, 8, false));
    for (size_t c = 0; c < 7; c++) assert_true(fabs(design_effect(&d, c, response) - effect[c]) <= 0.01);
}

/* 3 + sum of (c + 1) / 2 x_c, which makes the effect of column c as large as c + 1; and interaction times x_a x_b. */
static void respond(const struct design *d, double interaction, size_t a, size_t b, double *response) {
    for (size_t run = 0; run < d->runs; run++) {
        response[run] = 3 + interaction * d->level[run][a] * d->level[run][b];
        for (size_t c = 0; c < d->columns; c++) response[run] += (double)(c + 1) / 2 * d->level[run][c];
    }
}

static void a_linear_response_gives_its_coefficients(void **state) {
    double response[DESIGN_FOLDED];
    struct design d;
    (void)state;
    for (int fold = 0; fold < 2; fold++) FOR_DESIGNS(d, fold) {
            respond(&d, 0, 0, 1, response);
            for (size_t c = 0; c < d.columns; c++) {
                assert_true(design_effect(&d, c, response) == (double)(c + 1)); /* halves: exact */
                if (fold) assert_true(design_interaction(&d, c, response) == 0);
            }
        }
}

/* How far an interaction of columns a and b moves the effects, most of all. */
static double moved(const struct design *d, size_t a, size_t b) {
    double response[DESIGN_FOLDED], most = 0;
    respond(d, 1, a, b, response);
    for (size_t c = 0; c < d->columns; c++)
        most = fmax(most, fabs(design_effect(d, c, response) - (double)(c + 1)));
    return most;
}

static void foldover_frees_main_effects_of_interactions(void **state) {
    struct design plain, folded;
    (void)state;
    FOR_DESIGNS(plain, false) {
        assert_true(design_make(&folded, plain.runs, true));
        for (size_t a = 0; a < plain.columns; a++)
            for (size_t b = 0; b < a; b++) {
                assert_true(moved(&plain, a, b) > 0.3);
                assert_true(moved(&folded, a, b) < 1e-12);
            }
    }
}

/* In 8 runs the product of two columns is another one, up to its sign: . */
static void the_interaction_that_foldover_removes_is_told(void **state) {
    double response[DESIGN_FOLDED];
    struct design plain, folded;
    (void)state;
    assert_true(design_make(&plain, 8, false) && design_make(&folded, 8, true));
    respond(&folded, 1, 0, 1, response);
    for (size_t c = 0; c < 7; c++) {
        double before = design_effect(&plain, c, response) - (double)(c + 1);
        assert_true(fabs(design_interaction(&folded, c, response) - before) < 1e-12);
        assert_true(fabs(before) < 1e-12 || fabs(fabs(before) - 2) < 1e-12);
    }
}

static void t_is_that_of_the_tables(void **state) {
    (void)state;
    assert_true(design_t95(1) == 12.706 && design_t95(4) == 2.776 && design_t95(10) == 2.228);
    assert_true(design_t95(DESIGN_COLUMNS) == 2.069);
    for (size_t n = 2; n <= DESIGN_COLUMNS; n++) assert_true(design_t95(n) < design_t95(n - 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sizes_there_are),
        cmocka_unit_test(columns_are_balanced_and_orthogonal),
        cmocka_unit_test(foldover_is_the_negation),
        cmocka_unit_test(eight_runs_are_those_of_harp_table_6),
        cmocka_unit_test(harp_table_6_has_the_effects_it_prints),
        cmocka_unit_test(a_linear_response_gives_its_coefficients),
        cmocka_unit_test(foldover_frees_main_effects_of_interactions),
        cmocka_unit_test(the_interaction_that_foldover_removes_is_told),
        cmocka_unit_test(t_is_that_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
