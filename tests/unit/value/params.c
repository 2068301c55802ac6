/* {NAME} in the options of a launch: what is filled in, what stays a struct, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "value/params.h"

static const hd_option given[] = {
    {"block", "256"}, {"fill", "iota"}, {"n", "64K"}, {"none", NULL}, {"x", "0.5"}};
enum { GIVEN = sizeof given / sizeof *given };

struct filling {
    struct params p;
    bool used[GIVEN];
    struct arena mem;
    struct err e;
    const char *out;
    bool fine;
};

static void fill(struct filling *f, const char *text) {
    *f = (struct filling){.p = {.given = given, .n = GIVEN}};
    f->p.used = f->used;
    params_assume(&f->p, text, &f->mem);
    f->fine = params_fill(&f->p, text, &f->mem, &f->out, &f->e);
}

static void done(struct filling *f) {
    params_free(&f->p);
    err_free(&f->e);
    arena_free(&f->mem);
}

static void expect(const char *text, const char *want) {
    struct filling f;
    fill(&f, text);
    if (!f.fine) fail_msg("%s: %s", text, err_text(&f.e));
    assert_string_equal(f.out, want);
    done(&f);
}

static void refuse(const char *text, const char *message) {
    struct filling f;
    fill(&f, text);
    if (f.fine) fail_msg("%s is not refused", text);
    if (!strstr(err_text(&f.e), message)) fail_msg("%s: %s", text, err_text(&f.e));
    done(&f);
}

static void names_and_expressions(void **state) {
    (void)state;
    expect("buf:f32[{n}]={fill}", "buf:f32[65536]=iota");
    expect("{(n + block - 1) / block}", "256");
    expect("f32:{x}", "f32:0.5");
    expect("f32:{x * 3}", "f32:1.5");
    expect("{n}{n}", "6553665536");
    expect("nothing", "nothing");
    expect("", "");
}

static void structs_and_arrays_stay(void **state) {
    (void)state;
    expect("{f32:1.5, u32:2}", "{f32:1.5, u32:2}");
    expect("{u32:{n}, ptr:a}", "{u32:65536, ptr:a}");
    expect("u16[2]:{1, 2}", "u16[2]:{1, 2}");
    expect("u32[1]:{7}", "u32[1]:{7}");
    expect("{", "{");
    expect("}{", "}{");
    expect("{}", "{}");
    expect("{a b}", "{a b}");
}

static void a_text_may_say_what_is_assumed(void **state) {
    (void)state;
    expect("{m=12}", "12");
    expect("{m} {m=12} {m + 1}", "12 12 13");
    expect("{n=12}", "65536"); /* a value that is given wins */
    expect("{none=3}", "3");
    expect("{m=iota}", "iota");
}

static void what_has_no_value(void **state) {
    (void)state;
    refuse("{m}", "{m}: m has no value; there are block, fill, n, none, x");
    refuse("{n / m}", "m has no value");
    refuse("{none}", "none has no value");
    refuse("{n / 0}", "{n / 0}: a division by zero");
    refuse("{fill + 1}", "'iota' is not a number");
}

static void use_is_noted(void **state) {
    (void)state;
    struct filling f;
    fill(&f, "{n} {block / 2} {m=1}");
    assert_true(f.used[0] && !f.used[1] && f.used[2] && !f.used[3] && !f.used[4]);
    done(&f);
}

static void valid_names(void **state) {
    (void)state;
    assert_true(params_valid("n") && params_valid("_a1"));
    assert_false(params_valid("") || params_valid("1a") || params_valid("a-b") || params_valid("a.b"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_expressions),
                                       cmocka_unit_test(structs_and_arrays_stay),
                                       cmocka_unit_test(a_text_may_say_what_is_assumed),
                                       cmocka_unit_test(what_has_no_value),
                                       cmocka_unit_test(use_is_noted),
                                       cmocka_unit_test(valid_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
