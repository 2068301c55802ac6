/* Launch options in the comment at the top of a PTX file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "subject/sidecar.h"

struct reading {
    struct opts o;
    struct arena mem;
    struct err e;
    bool fine;
};

static struct reading reading(const char *text, const char *kernel) {
    struct reading r = {0};
    r.fine = sidecar_read(&r.o, "f.ptx", text, kernel, &r.mem, &r.e);
    return r;
}

static void done(struct reading *r) {
    opts_free(&r->o);
    arena_free(&r->mem);
    err_free(&r->e);
}

static void expect(const char *text, const char *kernel, const char *option, const char *want) {
    struct reading r = reading(text, kernel);
    assert_true(r.fine);
    if (want)
        assert_string_equal(opts_value(&r.o, option), want);
    else
        assert_null(opts_value(&r.o, option));
    done(&r);
}

static void refuse(const char *text, const char *message) {
    struct reading r = reading(text, NULL);
    assert_false(r.fine);
    assert_non_null(strstr(err_text(&r.e), message));
    done(&r);
}

static void the_line_is_found_among_comments(void **state) {
    (void)state;
    expect("// heddle: --grid 4\n.version 7.0\n", NULL, "grid", "4");
    expect("//\n// text\n\n  \t//heddle:--grid 4", NULL, "grid", "4");
    expect("// heddle: --grid 4\r\n", NULL, "grid", "4");
    expect(".version 7.0\n// heddle: --grid 4\n", NULL, "grid", NULL);
    expect("// not heddle: --grid 4\n", NULL, "grid", NULL);
    expect("", NULL, "grid", NULL);
}

static void words_are_split_as_in_a_shell(void **state) {
    (void)state;
    expect("// heddle: --arg 'buf:u32[4]=file:a b'", NULL, "arg", "buf:u32[4]=file:a b");
    expect("// heddle: --arg buf:u32[4]=\"file:it's\"", NULL, "arg", "buf:u32[4]=file:it's");
    expect("// heddle: -g 1,2 --arg ''", NULL, "arg", "");
    struct reading r = reading("// heddle: --arg a --arg 'b c'  --arg d", NULL);
    assert_int_equal(opts_count(&r.o, "arg"), 3);
    assert_string_equal(opts_nth(&r.o, "arg", 1), "b c");
    done(&r);
}

static void a_line_may_be_for_one_kernel(void **state) {
    (void)state;
    static const char text[] =
        "// heddle: --kernel a --grid 1\n// heddle: --kernel b --grid 2\n// heddle: --grid 3\n";
    expect(text, "a", "grid", "1");
    expect(text, "b", "grid", "2");
    expect(text, "c", "grid", "3");
    expect(text, NULL, "grid", "1");
}

static void what_is_wrong_is_said_with_its_place(void **state) {
    (void)state;
    refuse("//\n// heddle: --gird 4\n",
           "f.ptx:2: launch options: unknown option --gird (did you mean --grid?)");
    refuse("// heddle: --arg 'buf\n'", "a quote is not closed");
    refuse("// heddle: --grid", "option --grid needs a value");
    refuse("// heddle: other.ptx --grid 1", "'other.ptx' is not an option of a launch");
    refuse("// heddle: --json x", "unknown option --json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_found_among_comments),
        cmocka_unit_test(words_are_split_as_in_a_shell),
        cmocka_unit_test(a_line_may_be_for_one_kernel),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
