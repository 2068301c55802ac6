/* Source files that are whole programs, and how they are built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "subject/source.h"

static void a_main_is_found_in_code_only(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool has;
    } cases[] = {
        {"int main() { return 0; }", true},
        {"int\nmain (int argc, char **argv) {}", true},
        {"extern \"C\" int /* of the host */ main(void) {}", true},
        {"__global__ void k() {}\n'\"' ; int main() {}", true},
        {"// int main() {}\n__global__ void k() {}", false},
        {"/* int main() {} */", false},
        {"const char *s = \"int main() {\\\" int main()\";", false},
        {"int remain() {}", false},
        {"int main_loop() {}", false},
        {"void f() { x.main(); }", false},
        {"int mains; main();", false},
        {"int main;", false},
        {"/* never closed int main() {}", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(source_has_main(cases[i].text), cases[i].has);
}

static void builds(const char *file, const char *line, const char *program) {
    struct sb made = {0}, called = {0};
    source_build_line(file, &made, &called);
    assert_string_equal(made.text, line);
    assert_string_equal(called.text, program);
    sb_free(&made);
    sb_free(&called);
}

static void the_program_has_the_name_of_its_source(void **state) {
    (void)state;
    builds("examples/walks.cu", "heddle nvcc -O2 examples/walks.cu -o walks", "./walks");
    builds("a b/one.two.cu", "heddle nvcc -O2 'a b/one.two.cu' -o one.two", "./one.two");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_main_is_found_in_code_only),
        cmocka_unit_test(the_program_has_the_name_of_its_source),
    };
    return cmocka_run_group_tests_name("subject/source", tests, NULL, NULL);
}
