/* --arg SPEC: what each form means, the bytes it makes, and the message for each way to get it wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "value/args.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct arg_spec parse(const char *text) {
    struct arg_spec a;
    struct err e = {0};
    if (!arg_parse(text, &a, &e)) fail_msg("%s: %s", text, err_text(&e));
    err_free(&e);
    return a;
}

/* ---- scalars ---- */

static void scalars_hold_their_bits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum ir_type type;
        uint64_t bits;
    } cases[] = {
        {"u8:0", IR_T_U8, 0},
        {"u8:255", IR_T_U8, 255},
        {"s8:-128", IR_T_S8, 0x80},
        {"s8:127", IR_T_S8, 127},
        {"u16:0xffff", IR_T_U16, 0xffff},
        {"s16:-32768", IR_T_S16, 0x8000},
        {"u32:5", IR_T_U32, 5},
        {"u32:+5", IR_T_U32, 5},
        {"u32:-0", IR_T_U32, 0},
        {"u32:4294967295", IR_T_U32, 0xffffffff},
        {"s32:-0x80000000", IR_T_S32, 0x80000000},
        {"u32:010", IR_T_U32, 10},
        {"s64:-1", IR_T_S64, UINT64_MAX},
        {"s64:-9223372036854775808", IR_T_S64, (uint64_t)1 << 63},
        {"u64:18446744073709551615", IR_T_U64, UINT64_MAX},
        {"u64:0XFFFFFFFFFFFFFFFF", IR_T_U64, UINT64_MAX},
        {"f16:1", IR_T_F16, 0x3c00},
        {"f16:65504", IR_T_F16, 0x7bff},
        {"f16:-inf", IR_T_F16, 0xfc00},
        {"f32:1.5", IR_T_F32, 0x3fc00000},
        {"f32:-0", IR_T_F32, 0x80000000},
        {"f32:1e-45", IR_T_F32, 1},
        {"f32:inf", IR_T_F32, 0x7f800000},
        {"f32:nan", IR_T_F32, 0x7fc00000},
        {"f32:0x1p-3", IR_T_F32, 0x3e000000},
        {"f32:0f7fc00001", IR_T_F32, 0x7fc00001},
        {"f32:16777217", IR_T_F32, 0x4b800000},
        {"f64:0.1", IR_T_F64, 0x3fb999999999999a},
        {"f64:0d7ff0000000000001", IR_T_F64, 0x7ff0000000000001},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arg_spec a = parse(cases[i].text);
        assert_int_equal(a.kind, ARG_SCALAR);
        assert_int_equal(a.type, cases[i].type);
        if (a.value != cases[i].bits) fail_msg("%s: %#llx", cases[i].text, (unsigned long long)a.value);
    }
}

/* ---- errors ---- */

static void malformed_specs_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "'' is not TYPE:VALUE, buf:TYPE[COUNT]=..., ptr:NAME, sym:NAME, {FIELD, ...} or bytes:HEX"},
        {"5", "'5' is not TYPE:VALUE, buf:TYPE[COUNT]=..., ptr:NAME, sym:NAME, {FIELD, ...} or bytes:HEX"},
        {"int:5", "unknown type 'int' (u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, or buf, ptr, sym, bytes)"},
        {":5", "unknown type '' (u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, or buf, ptr, sym, bytes)"},
        {"u32:", "value is missing"},
        {"u32:x", "value 'x' is not a whole number"},
        {"u32:0x", "value '0x' is not a whole number"},
        {"u32: 5", "value ' 5' is not a whole number"},
        {"u32:--5", "value '--5' is not a whole number"},
        {"u32:5u", "value '5u' is not a whole number"},
        {"u32:1.5", "value '1.5' is not a whole number (the type is an integer)"},
        {"u32:1e6", "value '1e6' is not a whole number (the type is an integer)"},
        {"u8:256", "value 256 is out of range of u8 (0 to 255)"},
        {"u32:-1", "value -1 is out of range of u32 (0 to 4294967295)"},
        {"u32:4294967296", "value 4294967296 is out of range of u32 (0 to 4294967295)"},
        {"s8:128", "value 128 is out of range of s8 (-128 to 127)"},
        {"s8:-129", "value -129 is out of range of s8 (-128 to 127)"},
        {"s32:0xffffffff", "value 0xffffffff is out of range of s32 (-2147483648 to 2147483647)"},
        {"s64:9223372036854775808",
         "value 9223372036854775808 is out of range of s64 (-9223372036854775808 to 9223372036854775807)"},
        {"u64:18446744073709551616",
         "value 18446744073709551616 is out of range of u64 (0 to 18446744073709551615)"},
        {"f32:", "value is missing"},
        {"f32:one", "value 'one' is not a number"},
        {"f32: 1", "value ' 1' is not a number"},
        {"f32:1.5f", "value '1.5f' is not a number"},
        {"f32:0f3f80", "value '0f3f80' is not a number"},
        {"f32:1e39", "value 1e39 is out of range of f32"},
        {"f64:-1e309", "value -1e309 is out of range of f64"},
        {"f16:65520", "value 65520 is out of range of f16"},
        {"f32:00000000000000000000000000000000000000000000000000000000000000000000000000000001",
         "value '000000000000000000000000000000000000000000000000000000000000...' is too long for a number"},
        {"buf:", "buf: lacks its [COUNT], as in buf:f32[1024]"},
        {"buf:f32", "buf:f32 lacks its [COUNT], as in buf:f32[1024]"},
        {"buf:[4]", "unknown element type '' (u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64)"},
        {"buf:float[4]", "unknown element type 'float' (u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64)"},
        {"buf:f32[4", "the count '4' lacks its ']'"},
        {"buf:f32[]", "the count may be left out only with file:PATH"},
        {"buf:f32[]=iota", "the count may be left out only with file:PATH"},
        {"buf:f32[0]", "a buffer has at least 1 element"},
        {"buf:f32[-1]", "element count -1 is out of range of u64 (0 to 18446744073709551615)"},
        {"buf:f32[n]", "element count 'n' is not a whole number"},
        {"buf:f32[1.5]", "element count '1.5' is not a whole number (the type is an integer)"},
        {"buf:f32[274877906945]", "274877906945 elements of f32 are more than 1 TiB"},
        {"buf:u64[18446744073709551615]", "18446744073709551615 elements of u64 are more than 1 TiB"},
        {"buf:u8[18446744073709551616]",
         "element count 18446744073709551616 is out of range of u64 (0 to 18446744073709551615)"},
        {"buf:f32[4]iota", "'=' expected before 'iota', as in buf:f32[1024]=iota"},
        {"buf:f32[4]=",
         "unknown contents '' (zero, iota, rand(SEED), rand(SEED,LO,HI), value(V) or file:PATH)"},
        {"buf:f32[4]=ones",
         "unknown contents 'ones' (zero, iota, rand(SEED), rand(SEED,LO,HI), value(V) or file:PATH)"},
        {"buf:f32[4]=rand",
         "unknown contents 'rand' (zero, iota, rand(SEED), rand(SEED,LO,HI), value(V) or file:PATH)"},
        {"buf:f32[4]=file:", "file: needs a path"},
        {"buf:f32[4]=rand(", "'rand(' lacks its closing ')'"},
        {"buf:f32[4]=rand(1", "'rand(1' lacks its closing ')'"},
        {"buf:f32[4]=rand()", "rand: SEED is missing"},
        {"buf:f32[4]=rand(x)", "rand: SEED 'x' is not a whole number"},
        {"buf:f32[4]=rand(1,2)", "rand takes (SEED) or (SEED,LO,HI)"},
        {"buf:f32[4]=rand(1,,3)", "rand: LO is missing"},
        {"buf:f32[4]=rand(1,2,)", "rand: HI is missing"},
        {"buf:f32[4]=rand(1,2,3,4)", "rand: HI '3,4' is not a number"},
        {"buf:f32[4]=rand(1,3,2)", "rand: LO must be below HI"},
        {"buf:f32[4]=rand(1,2,2)", "rand: LO must be below HI"},
        {"buf:f32[4]=rand(1,nan,2)", "rand: LO, HI and their distance must be finite"},
        {"buf:f32[4]=rand(1,0,inf)", "rand: LO, HI and their distance must be finite"},
        {"buf:f64[4]=rand(1,-1.7e308,1.7e308)", "rand: LO, HI and their distance must be finite"},
        {"buf:u8[4]=rand(1,0,256)", "rand: HI 256 is out of range of u8 (0 to 255)"},
        {"buf:s8[4]=rand(1,1,-1)", "rand: LO must not be above HI"},
        {"buf:u32[4]=rand(1,2,1)", "rand: LO must not be above HI"},
        {"buf:u8[4]=value(300)", "value 300 is out of range of u8 (0 to 255)"},
        {"buf:u8[4]=value()", "value is missing"},
        {"buf:u8[4]=value(3", "'value(3' lacks its closing ')'"},
        {"sym:", "sym: needs the name of a variable"},
        {"bytes:", "bytes: needs hexadecimal digits, two for each byte"},
        {"bytes:0", "bytes: an odd number of digits (1); two make a byte"},
        {"bytes:0g", "bytes: 'g' at place 2 is not a hexadecimal digit"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arg_spec a;
        struct err e = {0};
        if (arg_parse(cases[i].text, &a, &e)) fail_msg("%s was accepted", cases[i].text);
        assert_int_equal(e.code, ERR_INPUT);
        assert_string_equal(err_text(&e), cases[i].message);
        err_free(&e);
    }
}

static void a_struct_is_bounded(void **state) {
    (void)state;
    char text[6 + 2 * (ARG_MAX_STRUCT + 1) + 1] = "bytes:";
    memset(text + 6, '0', 2 * (ARG_MAX_STRUCT + 1));
    struct arg_spec a;
    struct err e = {0};
    assert_false(arg_parse(text, &a, &e));
    assert_string_equal(err_text(&e), "bytes: 32765 bytes are more than a kernel can take (32764)");
    text[sizeof text - 3] = '\0';
    assert_true(arg_parse(text, &a, &e));
    assert_int_equal(arg_bytes(&a), ARG_MAX_STRUCT);
    err_free(&e);
}

/* ---- contents ---- */

static void fill(const char *text, void *out, size_t bytes) {
    struct arg_spec a = parse(text);
    assert_int_equal(a.kind, ARG_BUFFER);
    assert_int_equal(a.count * arg_bytes(&a), bytes);
    arg_fill(&a, a.count, out);
}

static void zero_iota_and_value(void **state) {
    (void)state;
    uint32_t u[4] = {9, 9, 9, 9};
    fill("buf:u32[4]", u, sizeof u);
    assert_memory_equal(u, ((uint32_t[]){0, 0, 0, 0}), sizeof u);
    fill("buf:u32[4]=iota", u, sizeof u);
    assert_memory_equal(u, ((uint32_t[]){0, 1, 2, 3}), sizeof u);
    fill("buf:s32[0x4]=value(-7)", u, sizeof u);
    assert_memory_equal(u, ((int32_t[]){-7, -7, -7, -7}), sizeof u);
    fill("buf:u32[4]=zero", u, sizeof u);
    assert_memory_equal(u, ((uint32_t[]){0, 0, 0, 0}), sizeof u);
    double d[3];
    fill("buf:f64[3]=iota", d, sizeof d);
    assert_memory_equal(d, ((double[]){0, 1, 2}), sizeof d);
    uint16_t h[3];
    fill("buf:f16[3]=iota", h, sizeof h);
    assert_memory_equal(h, ((uint16_t[]){0, 0x3c00, 0x4000}), sizeof h);
    uint8_t b[258];
    fill("buf:u8[258]=iota", b, sizeof b);
    assert_int_equal(b[255], 255);
    assert_int_equal(b[257], 1);
}

/* splitmix64 of seed 1: these bytes are part of what a command line means, and must never change */
static void random_contents_depend_on_the_seed_alone(void **state) {
    (void)state;
    uint64_t u[2], again[2];
    fill("buf:u64[2]=rand(1)", u, sizeof u);
    assert_memory_equal(u, ((uint64_t[]){0x910a2dec89025cc1, 0xbeeb8da1658eec67}), sizeof u);
    fill("buf:u64[2]=rand(1)", again, sizeof again);
    assert_memory_equal(u, again, sizeof u);
    fill("buf:u64[2]=rand(2)", again, sizeof again);
    assert_memory_not_equal(u, again, sizeof u);
}

static void random_integers_stay_in_range(void **state) {
    (void)state;
    int8_t s[1000];
    unsigned seen[7] = {0};
    fill("buf:s8[1000]=rand(3,-3,3)", s, sizeof s);
    for (size_t i = 0; i < COUNT(s); i++) {
        assert_in_range(s[i] + 3, 0, 6);
        seen[s[i] + 3]++;
    }
    for (size_t i = 0; i < 7; i++) assert_in_range(seen[i], 80, 220); /* 143 expected */
    uint64_t u[64], any = 0;
    fill("buf:u64[64]=rand(3,0,0xffffffffffffffff)", u, sizeof u);
    for (size_t i = 0; i < 64; i++) any |= u[i];
    assert_true(any == UINT64_MAX);
    int64_t w[64];
    fill("buf:s64[64]=rand(3,-9223372036854775808,9223372036854775807)", w, sizeof w);
    fill("buf:s64[64]=rand(5,-2,-2)", w, sizeof w);
    for (size_t i = 0; i < 64; i++) assert_true(w[i] == -2);
}

static void random_floats_stay_in_range(void **state) {
    (void)state;
    float f[1000], low = 2, high = -2;
    fill("buf:f32[1000]=rand(11)", f, sizeof f);
    for (size_t i = 0; i < COUNT(f); i++) {
        assert_true(f[i] >= 0 && f[i] < 1);
        low = f[i] < low ? f[i] : low;
        high = f[i] > high ? f[i] : high;
    }
    assert_true(low < 0.01f && high > 0.99f);
    fill("buf:f32[1000]=rand(11,-2,2)", f, sizeof f);
    for (size_t i = 0; i < COUNT(f); i++) assert_true(f[i] >= -2 && f[i] < 2);
    /* neighbours: half of all draws round up to HI, which is outside */
    fill("buf:f32[1000]=rand(11,0f3f800000,0f3f800001)", f, sizeof f);
    for (size_t i = 0; i < COUNT(f); i++) assert_true(f[i] == 1.0f);
    uint16_t h[1000];
    fill("buf:f16[1000]=rand(1,0,65504)", h, sizeof h);
    for (size_t i = 0; i < COUNT(h); i++) assert_true(arg_from_half(h[i]) < 65504);
}

static void structs_are_bytes_in_memory_order(void **state) {
    (void)state;
    struct arg_spec a = parse("bytes:00fFAb12");
    uint8_t out[4];
    assert_int_equal(arg_bytes(&a), 4);
    arg_decode(&a, out, NULL);
    assert_memory_equal(out, ((uint8_t[]){0, 0xff, 0xab, 0x12}), 4);
    assert_string_equal(parse("sym:a:b").text, "a:b");
}

/* ---- files ---- */

static void expect_file_error(const char *text, const char *message) {
    struct arg_spec a = parse(text);
    struct err e = {0};
    uint8_t *data = NULL;
    assert_false(arg_read_file(&a, &data, &e));
    assert_null(data);
    assert_string_equal(err_text(&e), message);
    err_free(&e);
}

static void files_hold_exactly_the_buffer(void **state) {
    (void)state;
    char dir[] = "/tmp/heddle-args-XXXXXX", text[200], message[200];
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    FILE *f = fopen("data:1", "wb");
    assert_non_null(f);
    fwrite("abcdefgh", 1, 8, f);
    fclose(f);

    struct err e = {0};
    uint8_t *data = NULL;
    struct arg_spec a = parse("buf:u32[2]=file:data:1");
    assert_true(arg_read_file(&a, &data, &e));
    assert_memory_equal(data, "abcdefgh", 8);
    free(data);
    a = parse("buf:u16[]=file:data:1");
    assert_true(arg_read_file(&a, &data, &e));
    assert_int_equal(a.count, 4);
    free(data);

    expect_file_error("buf:u32[3]=file:data:1", "data:1 has 8 bytes, u32[3] takes 12");
    expect_file_error("buf:u32[1]=file:data:1", "data:1 has 8 bytes, u32[1] takes 4");
    expect_file_error("buf:u32[1]=file:none", "none: No such file or directory");
    expect_file_error("buf:u8[]=file:.", ". is not a regular file");
    f = fopen("data:1", "wb");
    fwrite("abc", 1, 3, f);
    fclose(f);
    expect_file_error("buf:u16[]=file:data:1", "data:1 has 3 bytes, which is not a number of u16 elements");
    f = fopen("data:1", "wb");
    fclose(f);
    snprintf(text, sizeof text, "buf:u8[]=file:%s/data:1", dir);
    snprintf(message, sizeof message, "%s/data:1 has 0 bytes, which is not a number of u8 elements", dir);
    expect_file_error(text, message);
    unlink("data:1");
    rmdir(dir);
}

/* ---- halves and text ---- */

static void halves_round_to_nearest_even(void **state) {
    (void)state;
    static const struct {
        double v;
        uint16_t bits;
    } cases[] = {
        {0.0, 0},
        {-0.0, 0x8000},
        {1.0, 0x3c00},
        {1 + 0x1p-11, 0x3c00},
        {1 + 0x1.8p-10, 0x3c02},
        {65519.9, 0x7bff},
        {65520, 0x7c00},
        {0x1p-24, 1},
        {0x1p-25, 0},
        {0x1.000001p-25, 1},
        {0x1.8p-24, 2},
        {0x1p-14, 0x0400},
        {0x1.ff8p-15, 0x03ff},
        {0x1.ffcp-15, 0x0400},
        {1e300, 0x7c00},
        {2047.5, 0x6800},
        {1e-300, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (arg_half(cases[i].v) != cases[i].bits) fail_msg("%a: %#x", cases[i].v, arg_half(cases[i].v));
    for (unsigned h = 0; h < 0x10000; h++)
        if ((h & 0x7c00) != 0x7c00 || !(h & 0x3ff)) assert_int_equal(arg_half(arg_from_half((uint16_t)h)), h);
}

static void values_print_as_the_shortest_text(void **state) {
    (void)state;
    static const struct {
        enum ir_type type;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {IR_T_U8, 200, "200"},
        {IR_T_S8, 200, "-56"},
        {IR_T_S64, UINT64_MAX, "-1"},
        {IR_T_U64, UINT64_MAX, "18446744073709551615"},
        {IR_T_F32, 0x3dcccccd, "0.1"},
        {IR_T_F32, 0x3f800001, "1.0000001"},
        {IR_T_F32, 0x80000000, "-0"},
        {IR_T_F32, 0x7f800000, "inf"},
        {IR_T_F32, 0xff800000, "-inf"},
        {IR_T_F32, 0x7fc00000, "nan"},
        {IR_T_F32, 1, "1e-45"},
        {IR_T_F64, 0x3fb999999999999a, "0.1"},
        {IR_T_F64, 0x3ff0000000000001, "1.0000000000000002"},
        {IR_T_F16, 0x3555, "0.3333"},
        {IR_T_F32, 0x42700000, "60"},
        {IR_T_F32, 0xc2c80000, "-100"},
        {IR_T_F32, 0x4ceb79a3, "123456792"},
        {IR_T_F16, 0x7bff, "65504"},
        {IR_T_F64, 0x430c6bf526340000, "1000000000000000"},
        {IR_T_F64, 0x4341c37937e08000, "1e+16"},
        {IR_T_F32, 0x7f7fffff, "3.4028235e+38"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sb s = {0};
        arg_format(&s, cases[i].type, cases[i].bits);
        assert_string_equal(s.text, cases[i].text);
        sb_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_hold_their_bits),
        cmocka_unit_test(malformed_specs_are_explained),
        cmocka_unit_test(a_struct_is_bounded),
        cmocka_unit_test(zero_iota_and_value),
        cmocka_unit_test(random_contents_depend_on_the_seed_alone),
        cmocka_unit_test(random_integers_stay_in_range),
        cmocka_unit_test(random_floats_stay_in_range),
        cmocka_unit_test(structs_are_bytes_in_memory_order),
        cmocka_unit_test(files_hold_exactly_the_buffer),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(values_print_as_the_shortest_text),
    };
    return cmocka_run_group_tests_name("cli/args", tests, NULL, NULL);
}
