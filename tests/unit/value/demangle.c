/* Names of C++ kernels, as people read and write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "value/demangle.h"

#define FILL  "_ZN5outer4fillIfEEvPT_S1_" /* void outer::fill<float>(float*, float) */
#define FILLI "_ZN5outer4fillIiEEvPT_S1_" /* void outer::fill<int>(int*, int) */
#define SCALE "_Z5scalePfi"               /* scale(float*, int) */
#define OTHER "_ZN5outer5scaleEPff"       /* outer::scale(float*, float) */

static void names_are_readable(void **state) {
    (void)state;
    static const struct {
        const char *mangled, *name, *signature;
    } cases[] = {{FILL, "outer::fill<float>", "outer::fill<float>(float*, float)"},
                 {SCALE, "scale", "scale(float*, int)"},
                 {"_Z1kILi4EEvPKj", "k<4>", "k<4>(unsigned int const*)"},
                 {"collatz", "collatz", ""},
                 {"_Z", "_Z", ""},
                 {"_Zebra", "_Zebra", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sb name = {0}, signature = {0};
        demangle_name(cases[i].mangled, &name);
        assert_string_equal(name.text, cases[i].name);
        assert_int_equal(demangle_signature(cases[i].mangled, &signature), *cases[i].signature != 0);
        assert_string_equal(signature.text, cases[i].signature);
        sb_free(&name);
        sb_free(&signature);
    }
}

static void names_in_a_text_are_readable(void **state) {
    (void)state;
    struct sb out = {0};
    demangle_text("kernel " SCALE " (" FILL "): " SCALE "_param_1, _Zebra; a_Z1k, x", &out);
    assert_string_equal(out.text, "kernel scale (outer::fill<float>): scale_param_1, _Zebra; a_Z1k, x");
    sb_free(&out);
}

static void a_kernel_is_meant_by_any_part_of_its_name(void **state) {
    (void)state;
    static const char *const ways[] = {FILL,
                                       "fill",
                                       "outer::fill",
                                       "fill<float>",
                                       "outer::fill<float>",
                                       "outer::fill<float>(float*, float)",
                                       "outer::fill< float >(float *,float)"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) assert_true(demangle_means(ways[i], FILL));
    assert_false(demangle_means("fill<int>", FILL));
    assert_false(demangle_means("fil", FILL));
    assert_false(demangle_means("inner::fill", FILL));
    assert_false(demangle_means("outer::fill<float>(float*)", FILL));
    assert_true(demangle_means("collatz", "collatz"));
    assert_true(demangle_means("k(unsigned int)", "_Z1kj"));
    assert_false(demangle_means("k(unsignedint)", "_Z1kj"));
}

static void one_is_found_or_several_are_listed(void **state) {
    (void)state;
    static const char *const names[] = {FILL, FILLI, SCALE, OTHER};
    struct err e = {0};
    assert_int_equal(demangle_find("fill<int>", names, 4, "f.cu has", &e), 1);
    assert_int_equal(demangle_find("outer::scale", names, 4, "f.cu has", &e), 3);
    assert_int_equal(demangle_find("scale(float*, int)", names, 4, "f.cu has", &e), 2);
    assert_int_equal(demangle_find(OTHER, names, 4, "f.cu has", &e), 3);
    assert_int_equal(demangle_find("scale", names, 4, "f.cu has", &e), 2); /* the one in no namespace */
    assert_int_equal(demangle_find("scales", names, 4, "f.cu has", &e), 4);
    assert_int_equal(e.code, ERR_OK);
    assert_int_equal(demangle_find("fill", names, 4, "f.cu has", &e), 5);
    assert_string_equal(err_text(&e), "f.cu has several that fill may mean:\n"
                                      "  outer::fill<float>(float*, float)\n"
                                      "  outer::fill<int>(int*, int)");
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_readable),
        cmocka_unit_test(names_in_a_text_are_readable),
        cmocka_unit_test(a_kernel_is_meant_by_any_part_of_its_name),
        cmocka_unit_test(one_is_found_or_several_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
