/* Expressions over axes: precedence, texts and numbers, axes that say nothing, and where errors are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "value/expr.h"

/* The axes of these tests; pdom.side says nothing about this point. */
static bool find(const void *user, const char *name, const char **value) {
    static const char *const axes[][2] = {
        {"mech", "harp"},    {"n", "1024"}, {"sm.warp_size", "32"},         {"big", "64K"},
        {"pdom.side", NULL}, {"f", "0.5"},  {"last", "9223372036854775807"}};
    (void)user;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (!strcmp(axes[i][0], name)) return *value = axes[i][1], true;
    return false;
}
static const struct sweep_scope scope = {find, NULL};

static void holds(const char *text, bool want) {
    struct arena mem = {0};
    struct err e = {0};
    const struct sweep_expr *x;
    bool is = false;
    if (!sweep_expr_parse(text, &mem, &x, &e) || !sweep_expr_true(x, &scope, &is, &e))
        fail_msg("%s: %s", text, err_text(&e));
    if (is != want) fail_msg("%s is %s", text, is ? "true" : "false");
    err_free(&e);
    arena_free(&mem);
}

static void refuse(const char *text, const char *message) {
    struct arena mem = {0};
    struct err e = {0};
    const struct sweep_expr *x;
    bool is;
    if (sweep_expr_parse(text, &mem, &x, &e) && sweep_expr_true(x, &scope, &is, &e))
        fail_msg("%s is not refused", text);
    if (!strstr(err_text(&e), message)) fail_msg("%s: %s", text, err_text(&e));
    err_free(&e);
    arena_free(&mem);
}

static void comparisons(void **state) {
    (void)state;
    holds("n == 1024", true);
    holds("n != 1024", false);
    holds("n < 1025 and n <= 1024 and n > 1023 and n >= 1024", true);
    holds("n == 1K", true);
    holds("big == 65536", true);
    holds("f < 0.75", true);
    holds("f == 0.50", true);
    holds("mech == harp", true);
    holds("harp == mech", true);
    holds("mech != 'pdom:side=most'", true);
    holds("mech == \"harp\"", true);
    holds("sm.warp_size>16", true);
}

static void connectives_bind_as_in_c(void **state) {
    (void)state;
    holds("1 or 0 and 0", true);
    holds("(1 or 0) and 0", false);
    holds("not 0 and 0", false);
    holds("not (0 and 0)", true);
    holds("!n", false);
    holds("not not n", true);
    holds("n == 1 || mech == harp && n == 1024", true);
    holds("n", true);
    holds("n - 1024", false);
    holds("not mech == pdom", true);
}

static void arithmetic(void **state) {
    (void)state;
    holds("1 + 2 * 3 == 7", true);
    holds("(1 + 2) * 3 == 9", true);
    holds("n / sm.warp_size == 32", true);
    holds("(n + 255) / 256 == 4", true);
    holds("n % 3 == 1", true);
    holds("7 / 2 == 3", true);
    holds("7 / 2.0 == 3.5", true);
    holds("-n == 0 - 1024", true);
    holds("8 - 4 - 2 == 2", true);
    holds("n-1==1023", true);
    holds("5.5 % 2 == 1.5", true);
}

static void what_is_absent_is_not_compared(void **state) {
    (void)state;
    holds("pdom.side == most", false);
    holds("pdom.side != most", false);
    holds("not pdom.side == most", true);
    holds("pdom.side + 1 > 0", false);
    holds("pdom.side", false);
    holds("-pdom.side < 0", false);
}

static void errors_have_a_place(void **state) {
    (void)state;
    refuse("", "expected at the end");
    refuse("n ==", "expected at the end");
    refuse("n = 4", "column 3: '==' expected");
    refuse("n == 4 4", "column 8: and, or, or the end expected, not '4'");
    refuse("(n == 4", "')' expected at the end");
    refuse("n == 'a", "column 6: a quote is not closed");
    refuse("n < mech", "'harp' is not a number");
    refuse("mech", "'harp' is not a number");
    refuse("unknown", "'unknown' is not a number");
    refuse("n / 0", "division by zero");
    refuse("n % 0", "division by zero");
    refuse("1.5 / 0", "division by zero");
    refuse("last + 1", "too large");
    refuse("last * 2", "too large");
    refuse("9223372036854775808 > 1", "column 1: the number");
    refuse("4x > 1", "a number expected");
    refuse("@", "column 1");
    refuse(".5 > 1", "column 1");
}

static void depth_and_length_are_bounded(void **state) {
    (void)state;
    struct sb deep = {0}, nots = {0}, wide = {0};
    for (int i = 0; i < 1000; i++) sb_add(&deep, "("), sb_add(&nots, "not ");
    for (int i = 0; i < 1900; i++) sb_add(&wide, "1+");
    sb_add(&wide, "1");
    refuse(deep.text, "levels");
    refuse(nots.text, "levels");
    holds(wide.text, true);
    for (int i = 0; i < 200; i++) sb_add(&wide, "+1");
    refuse(wide.text, "longer than 4000");
    sb_free(&deep);
    sb_free(&nots);
    sb_free(&wide);
}

static bool note(void *user, const char *word, const char *other, struct err *e) {
    (void)e;
    sb_add(user, "%s:%s ", word, other ? other : "-");
    return true;
}

static void words_come_with_what_they_are_compared_to(void **state) {
    (void)state;
    struct arena mem = {0};
    struct err e = {0};
    struct sb seen = {0};
    const struct sweep_expr *x;
    assert_true(
        sweep_expr_parse("mech == pdom and not (n > 4 or 'a b' != workload) and a + b == 2", &mem, &x, &e));
    assert_true(sweep_expr_visit(x, &(struct sweep_visit){note, &seen}, &e));
    assert_string_equal(seen.text, "mech:pdom n:- workload:a b a:- b:- ");
    sb_free(&seen);
    arena_free(&mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons),
        cmocka_unit_test(connectives_bind_as_in_c),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(what_is_absent_is_not_compared),
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(words_come_with_what_they_are_compared_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
