/* Bad input and the exact words it gets. tests/golden/ptx/errors.txt holds cases: a line "### lines" (instructions inside
 * a kernel) or "### text" (a whole module), the input, a line "---", the whole expected message. "### refused" is lines that
 * load, and what the kernel says that it cannot run for, "### refused text" a module with such a
 * kernel k; "### warned" a module that loads, and its warnings. */
#include "front.h"

static char *cut(char **at, const char *mark) {
    char *begin = *at, *end = strstr(begin, mark);
    if (!end) return NULL;
    *end = '\0';
    *at = end + strlen(mark);
    return begin;
}

static void compare(const char *input, const char *expected, const char *found) {
    if (strcmp(found, expected)) fail_msg("input:\n%s\nexpected:\n%s\nfound:\n%s", input, expected, found);
}

static void check_loaded(const char *kind, const char *input, const char *expected,
                         const struct ir_module *m) {
    if (!strcmp(kind, "warned")) {
        compare(input, expected, m->warnings);
    } else if (!strncmp(kind, "refused", 7)) {
        char *why = refusals(m, "k");
        compare(input, expected, why);
        free(why);
    } else
        fail_msg("this loads, but should not:\n%s", input);
}

static void check(const char *kind, const char *input, const char *expected) {
    struct sb module = {0};
    struct err e = {0};
    if (!strcmp(kind, "lines") || !strcmp(kind, "refused"))
        kernel_around(&module, input);
    else
        sb_add(&module, "%s", input);
    struct ir_module *m = ptx_load("bad.ptx", module.text, module.len, &e);
    if (m) {
        check_loaded(kind, input, expected, m);
    } else {
        compare(input, expected, err_text(&e));
        assert_int_equal(e.code, ERR_INPUT);
    }
    ir_module_free(m);
    sb_free(&module);
    err_free(&e);
}

static void bad_input_is_explained(void **state) {
    (void)state;
    char *text = read_text("tests/golden/ptx/errors.txt", NULL), *at = text;
    unsigned n = 0;
    assert_non_null(cut(&at, "### "));
    while (*at) {
        char *kind = cut(&at, "\n");
        char *input = cut(&at, "\n---\n");
        char *expected = at, *next = strstr(at, "### ");
        assert_non_null(input);
        if (next)
            *next = '\0', at = next + 4;
        else
            at += strlen(at);
        check(kind, input, expected);
        n++;
    }
    assert_true(n >= 60);
    free(text);
}

/* No text may be too odd to be refused politely. */
static void odd_texts_do_no_harm(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } odd[] = {{"", 0},         {"\0\0\0", 3},
               {"/*", 2},       {"//", 2},
               {".", 1},        {"\"", 1},
               {".version", 8}, {".version 7.0", 12},
               {"{{{{", 4},     {".section .x {", 13},
               {"\xff\xfe", 2}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct err e = {0};
        struct ir_module *m = ptx_load("odd.ptx", odd[i].text, odd[i].len, &e);
        if (i != 7) assert_null(m);
        if (!m)
            assert_true(strlen(err_text(&e)) > 0);
        else
            ir_module_free(m);
        err_free(&e);
    }
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    struct sb lines = {0}, module = {0};
    struct err e = {0};
    sb_add(&lines, "mov.u32 %%r1, ");
    for (int i = 0; i < 100000; i++) sb_addn(&lines, "(", 1);
    kernel_around(&module, lines.text);
    assert_null(ptx_load("deep.ptx", module.text, module.len, &e));
    assert_non_null(strstr(err_text(&e), "nested too deeply"));
    err_free(&e);
    lines.len = module.len = 0;
    for (int i = 0; i < 100000; i++) sb_addn(&lines, "{", 1);
    kernel_around(&module, lines.text);
    assert_null(ptx_load("deep.ptx", module.text, module.len, &e));
    assert_non_null(strstr(err_text(&e), "nested too deeply"));
    err_free(&e);
    sb_free(&lines);
    sb_free(&module);
}

/* Reporting is linear: a line number is counted on from the last one. */
static void thousands_of_refusals_are_reported_quickly(void **state) {
    (void)state;
    struct sb lines = {0}, module = {0};
    struct err e = {0};
    for (int i = 0; i < 50000; i++) sb_add(&lines, "a%d.u32 x;\n", i);
    kernel_around(&module, lines.text);
    struct ir_module *m = ptx_load("many.ptx", module.text, module.len, &e);
    assert_non_null(m);
    char *why = refusals(m, "k");
    assert_non_null(strstr(why, "many.ptx:2015:1: error: instruction a1999.u32 is not supported"));
    assert_null(strstr(why, "instruction a2000.u32"));
    free(why);
    ir_module_free(m);
    sb_add(&module,
           ".entry other() { a1.u32 x; bad"); /* with an error the text does not load: all are listed */
    assert_null(ptx_load("many.ptx", module.text, module.len, &e));
    assert_non_null(strstr(err_text(&e), "many.ptx:2015:1: error: instruction a1999.u32 is not supported"));
    assert_non_null(
        strstr(err_text(&e), "many.ptx: error: 48001 more kinds of instructions are not supported\n"));
    err_free(&e);
    sb_free(&lines);
    sb_free(&module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_explained),
        cmocka_unit_test(odd_texts_do_no_harm),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(thousands_of_refusals_are_reported_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
