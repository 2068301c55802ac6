/* Structs by field: the layout is the one this compiler gives the same struct, and each way to get one wrong has its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "value/args.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void expect_bytes(const char *text, const void *want, size_t bytes) {
    struct arg_spec a;
    struct err e = {0};
    struct arg_links links = {0};
    if (!arg_parse(text, &a, &e)) fail_msg("%s: %s", text, err_text(&e));
    assert_int_equal(a.kind, ARG_STRUCT);
    assert_int_equal(arg_bytes(&a), bytes);
    uint8_t *have = calloc(1, bytes);
    arg_decode(&a, have, &links);
    assert_memory_equal(have, want, bytes);
    free(have);
    VEC_FREE(&links.v);
}

static void fields_lie_where_c_puts_them(void **state) {
    (void)state;
    struct {
        uint8_t a;
        double b;
        uint16_t c;
    } padded;
    memset(&padded, 0, sizeof padded);
    padded.a = 1, padded.b = 1.5, padded.c = 0x203;
    expect_bytes("{u8:1, f64:1.5, u16:0x203}", &padded, sizeof padded);
    struct {
        float scale;
        int32_t n;
    } plain = {1.5f, -3};
    expect_bytes("{f32:1.5, s32:-3}", &plain, sizeof plain);
    expect_bytes(" { f32 : 1.5 , s32 : -3 } " + 1, &plain, sizeof plain);
    struct {
        uint8_t one;
    } smallest = {7};
    expect_bytes("{u8:7}", &smallest, sizeof smallest);
}

static void arrays_and_structs_nest(void **state) {
    (void)state;
    struct inner {
        uint8_t tag;
        uint32_t v[2];
    };
    struct {
        uint8_t first;
        struct inner pair[2];
        uint16_t zeros[3];
        uint64_t last;
    } s;
    memset(&s, 0, sizeof s);
    s.first = 9, s.last = 10;
    s.pair[0].tag = 1, s.pair[0].v[0] = 2, s.pair[0].v[1] = 3;
    s.pair[1].tag = 4, s.pair[1].v[0] = 5, s.pair[1].v[1] = 5;
    s.zeros[0] = s.zeros[1] = s.zeros[2] = 8;
    expect_bytes("{u8:9, {u8:1, u32[2]:{2, 3}}, {u8:4, u32[2]:5}, u16:{8,8,8}, u64:10}", &s, sizeof s);
    struct {
        uint8_t a;
        struct {
            struct {
                double deep;
            } in;
            uint8_t b;
        } out;
    } d;
    memset(&d, 0, sizeof d);
    d.a = 1, d.out.in.deep = 2, d.out.b = 3;
    expect_bytes("{u8:1,{{f64:2},u8:3}}", &d, sizeof d);
}

static void bytes_have_no_alignment(void **state) {
    (void)state;
    expect_bytes("{u8:1, bytes:0203, u32:4}", "\1\2\3\0\4\0\0\0", 8);
    expect_bytes("{u8:1, bytes:02030a, u32:4}", "\1\2\3\x0a\4\0\0\0", 8);
}

static void addresses_are_left_for_later(void **state) {
    (void)state;
    struct arg_spec a;
    struct err e = {0};
    struct arg_links links = {0};
    uint8_t out[32] = {0};
    assert_true(arg_parse("{s32:1, ptr:x, {u8:1, sym:table }}", &a, &e));
    assert_int_equal(arg_bytes(&a), sizeof out);
    arg_decode(&a, out, &links);
    assert_int_equal(links.v.n, 2);
    assert_int_equal(links.v.v[0].offset, 8);
    assert_int_equal(links.v.v[0].length, 1);
    assert_false(links.v.v[0].symbol);
    assert_int_equal(links.v.v[1].offset, 24);
    assert_memory_equal(links.v.v[1].name, "table", links.v.v[1].length);
    assert_int_equal(links.v.v[1].length, 5);
    assert_true(links.v.v[1].symbol);
    VEC_FREE(&links.v);
}

static void malformed_structs_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{}", "a field is TYPE:VALUE, TYPE[N]:{VALUE, ...}, ptr:NAME, sym:NAME, bytes:HEX or {...}, not as "
               "at '}'"},
        {"{f32:1", "',' or '}' expected at ''"},
        {"{f32:1} x", "nothing is expected behind the struct at 'x'"},
        {"{f32}", "':' expected behind the type at '}'"},
        {"{int:1}", "a field is"},
        {"{u8:256}", "u8 256 is out of range of u8 (0 to 255)"},
        {"{u8[2]:{1,2,3}}", "u8[2] has 3 values"},
        {"{u8[0]:1}", "an array has at least 1 element"},
        {"{u8[2:1}", "array size '2:1}' is not a whole number"},
        {"{ptr:}", "a name is expected at '}'"},
        {"{bytes:1}", "two hexadecimal digits for each byte expected at '1}'"},
        {"{u8[40000]:0}", "a struct of more than 32764 bytes"},
        {"{{{{{{{{{{u8:1}}}}}}}}}}", "structs are nested too deeply"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arg_spec a;
        struct err e = {0};
        assert_false(arg_parse(cases[i].text, &a, &e));
        if (!strstr(err_text(&e), cases[i].message)) fail_msg("%s: %s", cases[i].text, err_text(&e));
        err_free(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_lie_where_c_puts_them),    cmocka_unit_test(arrays_and_structs_nest),
        cmocka_unit_test(bytes_have_no_alignment),         cmocka_unit_test(addresses_are_left_for_later),
        cmocka_unit_test(malformed_structs_are_explained),
    };
    return cmocka_run_group_tests_name("cli/fields", tests, NULL, NULL);
}
