/* Option tables: every way to write an option, and every way to get it wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/opts.h"

static const struct opt table[] = {
    {"grid", 'g', false, "X", "a value"},
    {"arg", 'a', true, "SPEC", "many values"},
    {"quiet", 'q', false, NULL, "a flag"},
    {"mech", 'm', OPT_LIST, "A,...", "A list."},
    {0},
};

#define WORDS(...) (char *[]){__VA_ARGS__}, (int)(sizeof(char *[]){__VA_ARGS__} / sizeof(char *))

static bool parse(struct opts *o, char *const *words, int n, struct err *e) {
    return opts_parse(o, table, n, words, e);
}

static void options_and_operands_mix(void **state) {
    (void)state;
    struct opts o;
    struct err e = {0};
    assert_true(parse(
        &o, WORDS("a.ptx", "--grid", "4", "-a1", "--arg=2", "-q", "-a", "-3", "-", "--", "--grid"), &e));
    assert_string_equal(opts_value(&o, "grid"), "4");
    assert_int_equal(opts_count(&o, "arg"), 3);
    assert_string_equal(opts_nth(&o, "arg", 0), "1");
    assert_string_equal(opts_nth(&o, "arg", 1), "2");
    assert_string_equal(opts_nth(&o, "arg", 2), "-3");
    assert_true(opts_has(&o, "quiet"));
    assert_false(opts_has(&o, "help"));
    assert_int_equal(o.operands.n, 3);
    assert_string_equal(o.operands.v[0], "a.ptx");
    assert_string_equal(o.operands.v[1], "-");
    assert_string_equal(o.operands.v[2], "--grid");
    opts_free(&o);
}

static void empty_values_are_values(void **state) {
    (void)state;
    struct opts o;
    struct err e = {0};
    assert_true(parse(&o, WORDS("--grid=", ""), &e));
    assert_string_equal(opts_value(&o, "grid"), "");
    assert_null(opts_value(&o, "arg"));
    assert_int_equal(o.operands.n, 1);
    opts_free(&o);
}

static void parts_of_a_list_are_one_list(void **state) {
    (void)state;
    struct opts o;
    struct err e = {0};
    struct sb text = {0};
    assert_true(parse(&o, WORDS("-m", "a,b", "--grid", "4", "--mech=c", "-m", "d"), &e));
    assert_int_equal(opts_count(&o, "mech"), 1);
    assert_string_equal(opts_value(&o, "mech"), "a,b,c,d");
    assert_string_equal(opts_value(&o, "grid"), "4");
    opts_text(o.given.v[0].opt, &text);
    assert_string_equal(text.text, "A list. Given again, the option adds to its list.");
    sb_free(&text);
    opts_free(&o);
}

static void help_is_always_known(void **state) {
    (void)state;
    struct opts o;
    struct err e = {0};
    assert_true(parse(&o, WORDS("-h", "--help", "--help"), &e));
    assert_true(opts_has(&o, "help"));
    opts_free(&o);
}

static void expect(char *const *words, int n, const char *message) {
    struct opts o;
    struct err e = {0};
    assert_false(parse(&o, words, n, &e));
    assert_string_equal(err_text(&e), message);
    opts_free(&o);
    err_free(&e);
}

static void mistakes_are_explained(void **state) {
    (void)state;
    expect(WORDS("--gird", "4"), "unknown option --gird (did you mean --grid?)");
    expect(WORDS("--hepl"), "unknown option --hepl (did you mean --help?)");
    expect(WORDS("--=4"), "unknown option --");
    expect(WORDS("--frobnicate=4"), "unknown option --frobnicate");
    expect(WORDS("-x"), "unknown option -x");
    expect(WORDS("--grid"), "option --grid needs a value: --grid X");
    expect(WORDS("-g"), "option --grid needs a value: --grid X");
    expect(WORDS("--quiet=no"), "option --quiet takes no value");
    expect(WORDS("-qa"), "option --quiet takes no value");
    expect(WORDS("-grid", "4"), "unknown option -grid (did you mean --grid?)");
    expect(WORDS("-grid=4"), "unknown option -grid (did you mean --grid?)");
    expect(WORDS("-help"), "unknown option -help (did you mean --help?)");
    expect(WORDS("--grid=1", "-g2"), "option --grid is given twice");
    expect(WORDS("--123456789012345678901234567890123456789012345678901234567890123456789"),
           "unknown option --123456789012345678901234567890123456789012345678901234567890");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_operands_mix),     cmocka_unit_test(empty_values_are_values),
        cmocka_unit_test(parts_of_a_list_are_one_list), cmocka_unit_test(help_is_always_known),
        cmocka_unit_test(mistakes_are_explained),
    };
    return cmocka_run_group_tests_name("cli/opts", tests, NULL, NULL);
}
