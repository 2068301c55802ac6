/* Values of an axis: lists, ranges by steps and by factors, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "value/list.h"

/* The values of the text with blanks between them. */
static void expect(const char *text, const char *want) {
    struct arena mem = {0};
    struct sweep_words out = {0};
    struct sb all = {0};
    struct err e = {0};
    if (!sweep_values(text, &mem, &out, &e)) fail_msg("%s: %s", text, err_text(&e));
    for (size_t i = 0; i < out.v.n; i++) sb_add(&all, "%s%s", i ? " " : "", out.v.v[i]);
    assert_string_equal(all.text, want);
    sb_free(&all);
    VEC_FREE(&out.v);
    err_free(&e);
    arena_free(&mem);
}

static void refuse(const char *text, const char *message) {
    struct arena mem = {0};
    struct sweep_words out = {0};
    struct err e = {0};
    if (sweep_values(text, &mem, &out, &e)) fail_msg("%s is not refused", text);
    if (!strstr(err_text(&e), message)) fail_msg("%s: %s", text, err_text(&e));
    VEC_FREE(&out.v);
    err_free(&e);
    arena_free(&mem);
}

static void lists(void **state) {
    (void)state;
    expect("8", "8");
    expect("taken,most", "taken most");
    expect("16x16,32x8", "16x16 32x8");
    expect("rand(1,0,5),iota", "rand(1,0,5) iota");
    expect("{u32:1, u32:2},{u32:3, u32:4}", "{u32:1, u32:2} {u32:3, u32:4}");
    expect("a)b,c", "a)b c");
    refuse("", "an empty value");
    refuse("1,,2", "an empty value");
    refuse("1,", "an empty value");
}

static void what_is_no_range_is_text(void **state) {
    (void)state;
    expect("../a..b", "../a..b");
    expect("a..b", "a..b");
    expect("1.5,0x10,1e3,8K", "1.5 0x10 1e3 8K");
    expect("-", "-");
    expect("1.", "1.");
}

static void ranges_by_steps(void **state) {
    (void)state;
    expect("1..4", "1 2 3 4");
    expect("4..1", "4 3 2 1");
    expect("4..16:4", "4 8 12 16");
    expect("4..15:4", "4 8 12");
    expect("16..4:5", "16 11 6");
    expect("5..5", "5");
    expect("-2..2:2", "-2 0 2");
    expect("1,4..6,9", "1 4 5 6 9");
    expect("1K..2K:512", "1024 1536 2048");
    refuse("1..4:0", "step is above 0");
    refuse("1..4:-1", "step is above 0");
    refuse("1..", "lacks its end");
    refuse("1..x", "lacks its end");
    refuse("1..4:", "lacks its step");
    refuse("1..4x", "is not a range");
    refuse("1..4:1:2", "is not a range");
}

static void ranges_by_factors(void **state) {
    (void)state;
    expect("8..64*2", "8 16 32 64");
    expect("8..63*2", "8 16 32");
    expect("64..8*2", "64 32 16 8");
    expect("1..1000*10", "1 10 100 1000");
    expect("16K..64K*2", "16384 32768 65536");
    expect("100..50*3", "100");
    refuse("100..10*3", "100 cannot be divided by 3");
    refuse("0..64*2", "above 0");
    refuse("-8..-1*2", "above 0");
    refuse("8..64*1", "factor is above 1");
    refuse("8..64*", "lacks its factor");
}

static void ranges_of_decimals_do_not_drift(void **state) {
    (void)state;
    expect("0.1..0.5:0.1", "0.1 0.2 0.3 0.4 0.5");
    expect("0..1:0.25", "0 0.25 0.5 0.75 1");
    expect("2..0.5*2", "2 1 0.5");
    expect("2..0.5*2.0", "2 1 0.5");
    expect("1..0:0.5", "1 0.5 0");
    expect("1e-3..1*10.0", "0.001 0.01 0.1 1");
    refuse("0.1..0.5:0.0", "step is above 0");
    refuse("0.0..4*2", "above 0");
}

static void ends_of_the_numbers(void **state) {
    (void)state;
    expect("9223372036854775806..9223372036854775807", "9223372036854775806 9223372036854775807");
    expect("-9223372036854775807..9223372036854775807:9223372036854775807",
           "-9223372036854775807 0 9223372036854775807");
    expect("4611686018427387904..9223372036854775807*2", "4611686018427387904");
    refuse("9223372036854775808..1", "begin is too large");
    refuse("1..9223372036854775808", "end is too large");
    refuse("1..2:8388608T", "step is too large");
    refuse("1..1e400:0.5", "end is too large");
    refuse("1..100001", "more than 100000 values");
    refuse("0..1:0.000001", "more than 100000 values");
    refuse("0..9223372036854775807", "more than 100000 values");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(what_is_no_range_is_text),
        cmocka_unit_test(ranges_by_steps),
        cmocka_unit_test(ranges_by_factors),
        cmocka_unit_test(ends_of_the_numbers),
        cmocka_unit_test(ranges_of_decimals_do_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
