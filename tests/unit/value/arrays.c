/* Arrays in files: .npy headers against bytes written by hand after the format's description (NEP 1), text and CSV, and the
 * message for each way to get them wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "value/arrays.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* numpy.save of array([1, -2], dtype='<i4'): a header of 128 - 10 = 118 bytes, 0x76, as NumPy pads to 64 */
static const char ints[] = "\x93NUMPY\x01\x00\x76\x00"
                           "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
                           "                                                            \n"
                           "\x01\x00\x00\x00\xfe\xff\xff\xff";

/* A file of version 1 with the given dictionary and bytes. */
static struct sb npy(const char *dictionary, const void *data, size_t n) {
    struct sb s = {0};
    const size_t length = strlen(dictionary) + 1;
    const char head[] = {1, 0, (char)(length & 0xff), (char)(length >> 8)};
    sb_addn(&s, "\x93NUMPY", 6);
    sb_addn(&s, head, sizeof head);
    sb_add(&s, "%s\n", dictionary);
    sb_addn(&s, data, n);
    return s;
}

static void a_file_of_numpy_reads_as_its_elements(void **state) {
    (void)state;
    uint64_t count = 0;
    uint8_t *data;
    struct err e = {0};
    assert_int_equal(sizeof ints - 1, 128 + 8);
    if (!array_decode(ARRAY_NPY, IR_T_S32, (const uint8_t *)ints, sizeof ints - 1, &count, &data, &e))
        fail_msg("%s", err_text(&e));
    assert_int_equal(count, 2);
    assert_memory_equal(data, "\x01\x00\x00\x00\xfe\xff\xff\xff", 8);
    free(data);
}

static void what_is_written_is_what_numpy_writes(void **state) {
    (void)state;
    struct sb out = {0};
    array_encode(ARRAY_NPY, IR_T_S32, (const uint8_t *)ints + 128, 2, &out);
    /* NumPy 1.14 and later align to 64 with as few blanks as that takes: 10 + 118 = 128 */
    assert_int_equal(out.len, sizeof ints - 1);
    assert_memory_equal(out.text, ints, out.len);
    sb_free(&out);
}

static void versions_shapes_and_blanks_vary(void **state) {
    (void)state;
    static const char two[] = "\x93NUMPY\x02\x00\x3e\x00\x00\x00"
                              "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"|u1\"}          \n"
                              "abcdef";
    uint64_t count = 6;
    uint8_t *data;
    struct err e = {0};
    if (!array_decode(ARRAY_NPY, IR_T_U8, (const uint8_t *)two, sizeof two - 1, &count, &data, &e))
        fail_msg("%s", err_text(&e));
    assert_memory_equal(data, "abcdef", 6);
    free(data);
    struct sb scalar = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "12345678", 8);
    count = 0;
    assert_true(
        array_decode(ARRAY_NPY, IR_T_F64, (const uint8_t *)scalar.text, scalar.len, &count, &data, &e));
    assert_int_equal(count, 1);
    free(data);
    sb_free(&scalar);
}

static void expect_npy_error(const char *dictionary, size_t bytes, const char *message) {
    struct sb file = npy(dictionary, "0123456789abcdef", bytes);
    struct err e = {0};
    uint64_t count = 0;
    uint8_t *data;
    assert_false(array_decode(ARRAY_NPY, IR_T_F32, (const uint8_t *)file.text, file.len, &count, &data, &e));
    if (!strstr(err_text(&e), message)) fail_msg("%s: %s", dictionary, err_text(&e));
    assert_null(data);
    err_free(&e);
    sb_free(&file);
}

static void other_arrays_of_numpy_are_refused_by_name(void **state) {
    (void)state;
    expect_npy_error("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16,
                     "it is in Fortran order (fortran_order is True)");
    expect_npy_error("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16,
                     "its elements are of NumPy's type '<f8', those of the buffer f32 ('<f4')");
    expect_npy_error("{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }", 16, "'<i4'");
    expect_npy_error("{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }", 16, "big-endian ('>f4')");
    expect_npy_error("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (4,), }", 16, "structures");
    expect_npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 16,
                     "its header says 3 elements of 4 bytes, after which it has 16 bytes");
    expect_npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }", 0, "it holds no element");
    expect_npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 16,
                     "the shape is too large");
    expect_npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 16, "whole numbers");
    expect_npy_error("{'descr': '<f4', 'fortran_order': False, }", 16, "is missing");
    expect_npy_error("{'descr': '<f4', 'descr': '<f4', 'shape': (4,), }", 16, "its keys are not");
    expect_npy_error("{'descr': '<f4', 'fortran_order': No, 'shape': (4,), }", 16, "neither True nor False");
    expect_npy_error("{'descr': '<f4' 'shape': (4,)}", 16, "lacks its '}'");
    expect_npy_error("[]", 16, "it is not a dictionary");
}

static void headers_that_are_cut_or_foreign_are_refused(void **state) {
    (void)state;
    struct npy h;
    for (size_t n = 0; n < 128; n++) {
        struct err e = {0};
        assert_false(npy_read_header((const uint8_t *)ints, n, &h, &e));
        assert_true(e.text.len > 0);
        err_free(&e);
    }
    struct err e = {0};
    assert_false(npy_read_header((const uint8_t *)"\x93NUMPY\x04\x00\x00\x00", 10, &h, &e));
    assert_string_equal(err_text(&e), "version 4.0 of .npy is not known (1, 2 and 3 are)");
    err_free(&e);
}

static void text_is_numbers_with_anything_between(void **state) {
    (void)state;
    static const struct {
        enum array_format format;
        const char *text;
        uint64_t count;
    } cases[] = {{ARRAY_TEXT, "1 2 -3", 3},
                 {ARRAY_TEXT, "# three\n1\n2 # second\n\n-3\n", 3},
                 {ARRAY_CSV, "a,b,c\n1,2,-3\n", 3},
                 {ARRAY_CSV, "1, 2;\r\n-0x3\r\n", 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t count = 0;
        uint8_t *data;
        struct err e = {0};
        if (!array_decode(cases[i].format, IR_T_S16, (const uint8_t *)cases[i].text, strlen(cases[i].text),
                          &count, &data, &e))
            fail_msg("%s: %s", cases[i].text, err_text(&e));
        assert_int_equal(count, cases[i].count);
        assert_memory_equal(data, "\1\0\2\0\xfd\xff", 6);
        free(data);
    }
}

static void wrong_text_is_named_by_line(void **state) {
    (void)state;
    static const struct {
        enum array_format format;
        uint64_t count;
        const char *text, *message;
    } cases[] = {{ARRAY_TEXT, 0, "1\n2 300\n", "line 2: number 300 is out of range of u8 (0 to 255)"},
                 {ARRAY_TEXT, 0, "a\n1\n", "line 1: number 'a' is not a whole number"},
                 {ARRAY_CSV, 0, "a,1\n1\n", "line 1: number 'a' is not a whole number"},
                 {ARRAY_CSV, 0, "a,b\n1\nc\n", "line 3: number 'c' is not a whole number"},
                 {ARRAY_TEXT, 0, "# none\n", "it holds no element"},
                 {ARRAY_TEXT, 4, "1 2 3", "it holds 3 elements, not 4"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t count = cases[i].count;
        uint8_t *data;
        struct err e = {0};
        assert_false(array_decode(cases[i].format, IR_T_U8, (const uint8_t *)cases[i].text,
                                  strlen(cases[i].text), &count, &data, &e));
        assert_string_equal(err_text(&e), cases[i].message);
        err_free(&e);
    }
}

static void text_reads_back_as_the_same_bits(void **state) {
    (void)state;
    static const uint8_t floats[] = {0xcd, 0xcc, 0xcc, 0x3d, 1, 0, 0, 0x80, 0, 0, 0x80, 0x7f};
    struct sb out = {0};
    uint64_t count = 0;
    uint8_t *data;
    struct err e = {0};
    array_encode(ARRAY_TEXT, IR_T_F32, floats, 3, &out);
    assert_string_equal(out.text, "0.1\n-1e-45\ninf\n");
    assert_true(array_decode(ARRAY_TEXT, IR_T_F32, (const uint8_t *)out.text, out.len, &count, &data, &e));
    assert_memory_equal(data, floats, sizeof floats);
    free(data);
    sb_free(&out);
}

static void the_suffix_says_the_format(void **state) {
    (void)state;
    assert_int_equal(array_format_of("a.npy"), ARRAY_NPY);
    assert_int_equal(array_format_of("d/a.csv"), ARRAY_CSV);
    assert_int_equal(array_format_of("a.txt"), ARRAY_TEXT);
    assert_int_equal(array_format_of("a.bin"), ARRAY_RAW);
    assert_int_equal(array_format_of("npy"), ARRAY_RAW);
    assert_int_equal(array_format_of("-"), ARRAY_RAW);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_numpy_reads_as_its_elements),
        cmocka_unit_test(what_is_written_is_what_numpy_writes),
        cmocka_unit_test(versions_shapes_and_blanks_vary),
        cmocka_unit_test(other_arrays_of_numpy_are_refused_by_name),
        cmocka_unit_test(headers_that_are_cut_or_foreign_are_refused),
        cmocka_unit_test(text_is_numbers_with_anything_between),
        cmocka_unit_test(wrong_text_is_named_by_line),
        cmocka_unit_test(text_reads_back_as_the_same_bits),
        cmocka_unit_test(the_suffix_says_the_format),
    };
    return cmocka_run_group_tests_name("cli/arrays", tests, NULL, NULL);
}
