/* Calls the simulator serves: vprintf against the host's printf, malloc and free, assertions. */
#include "rig.h"

/* Prints with a format in global memory and up to 64 bytes of packed arguments copied from p into local memory. */
#define PRINTER                                                                                              \
    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n.global .align 8 .b8 "      \
         "fmt[64];\n.global .align 8 .b8 text[16];\n.const .align 8 .b8 words[8];\n"                         \
         ".visible .entry k(.param .u64 p) {\n.local .align 8 .b8 buf[64];\n.reg .u64 %a<9>; .reg .u32 %r; " \
         ".reg .pred %q;\n"                                                                                  \
         "ld.param.u64 %a0, [p];\nmov.u64 %a1, buf; cvta.local.u64 %a2, %a1;\nmov.u64 %a4, 0;\nL: add.u64 "  \
         "%a5, %a0, %a4; ld.global.u64 %a6, [%a5];\n"                                                        \
         "add.u64 %a7, %a1, %a4; st.local.u64 [%a7], %a6;\nadd.u64 %a4, %a4, 8; setp.lt.u64 %q, %a4, "       \
         "64;\n@%q bra L;\n"                                                                                 \
         "mov.u64 %a3, fmt; cvta.global.u64 %a3, %a3;\n{ .param .b64 f; .param .b64 a; .param .b32 r; "      \
         "st.param.b64 [f], %a3; st.param.b64 [a], %a2;\n"                                                   \
         "call.uni (r), vprintf, (f, a); ld.param.b32 %r, [r]; }\nst.global.u32 [%a0], %r;\nret;\n}\n"

struct packed {
    uint8_t b[64];
    size_t n;
};
static void pack(struct packed *p, const void *v, size_t n) {
    p->n = (p->n + n - 1) / n * n;
    memcpy(p->b + p->n, v, n);
    p->n += n;
}
#define INT(p, v)    pack(p, &(int32_t){v}, 4)
#define LONG(p, v)   pack(p, &(int64_t){v}, 8)
#define DOUBLE(p, v) pack(p, &(double){v}, 8)

/* What fmt prints with these arguments, or the error text. */
static void check(const char *fmt, const struct packed *args, uint32_t count, const char *want) {
    struct rig r = rig_load(PRINTER);
    uint64_t bytes, buf = rig_buf(&r, 64, "args");
    memcpy(exec_mem_at(r.mem, buf, 64), args->b, 64);
    strcpy(exec_image_bytes(r.im, (uint32_t)ir_find_var(r.m, "fmt"), &bytes), fmt);
    rig_ok(&r, "k", 1, 1, &buf);
    assert_string_equal(r.printed.text ? r.printed.text : "", want);
    assert_int_equal(*rig_u32(&r, buf), count);
    rig_free(&r);
}

static void formats_like_printf(void **state) {
    (void)state;
    struct packed p = {0};
    char want[256];
    INT(&p, -5), INT(&p, 42), INT(&p, 255);
    check("%d|%5i|%-8x|\n", &p, 3, "-5|   42|ff      |\n");
    check("%+d %05d %#o", &p, 3, "-5 00042 0377");
    check("%hhd %hu %X", &p, 3, "-5 42 FF");
    p = (struct packed){0};
    INT(&p, 1), LONG(&p, -1), LONG(&p, INT64_MIN), INT(&p, 'x');
    check("%u %lld %ld %c", &p, 4, "1 -1 -9223372036854775808 x");
    p = (struct packed){0};
    INT(&p, 7), DOUBLE(&p, 3.25), DOUBLE(&p, 1e300), DOUBLE(&p, -0.0), DOUBLE(&p, 0.1);
    snprintf(want, sizeof want, "%d %f %g %e %a", 7, 3.25, 1e300, -0.0, 0.1);
    check("%d %f %g %e %a", &p, 5, want);
    snprintf(want, sizeof want, "%d %10.3f|%-12g|%+.0e", 7, 3.25, 1e300, -0.0);
    check("%d %10.3f|%-12g|%+.0e", &p, 4, want);
    p = (struct packed){0};
    INT(&p, 6), INT(&p, 2), DOUBLE(&p, 2.0 / 3);
    check("[%*.*f]", &p, 1, "[  0.67]");
    p = (struct packed){0};
    LONG(&p, 0x1234), LONG(&p, 0);
    check("%p %p %s", &p, 3, "0x1234 (nil) (null)");
    check("100%% %k %n end %", &p, 0, "100% %k %n end %");
}

static void widths_are_bounded(void **state) {
    (void)state;
    struct packed p = {0};
    INT(&p, INT32_MIN), INT(&p, 3);
    struct rig r = rig_load(PRINTER);
    uint64_t bytes, buf = rig_buf(&r, 64, "args");
    memcpy(exec_mem_at(r.mem, buf, 64), p.b, 64);
    strcpy(exec_image_bytes(r.im, (uint32_t)ir_find_var(r.m, "fmt"), &bytes), "%*d%99999999999d");
    rig_ok(&r, "k", 1, 1, &buf);
    assert_int_equal(r.printed.len, 2 * 4095);
    rig_free(&r);
}

/* A string in each window, and one that would begin where the window's memory ends. */
static void strings_are_read_from_every_window(void **state) {
    (void)state;
    static const struct {
        uint64_t addr;
        const char *text;
    } rows[] = {{0x01000000, ""},           /* shared: zeros */
                {0x02000000 + 16, "local"}, /* the arguments' copy */
                {0x0a000000, "const"},
                {0x0e000000, ""}}; /* the parameter: an address that ends in a zero byte */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct rig r = rig_load(PRINTER);
        uint64_t bytes, buf = rig_buf(&r, 64, "args"), *args = exec_mem_at(r.mem, buf, 64);
        char want[16];
        strcpy(exec_image_bytes(r.im, (uint32_t)ir_find_var(r.m, "fmt"), &bytes), "<%s>");
        strcpy(exec_image_bytes(r.im, (uint32_t)ir_find_var(r.m, "words"), &bytes), "const");
        strcpy((char *)(args + 2), "local");
        args[0] = rows[k].addr;
        r.launch.dynamic_shared = 16;
        rig_ok(&r, "k", 1, 1, &buf);
        snprintf(want, sizeof want, "<%s>", rows[k].text);
        assert_string_equal(r.printed.text, want);
        args[0] = (rows[k].addr & 0xff000000) + 4096;
        assert_false(rig_run(&r, "k", 1, 1, &buf));
        assert_non_null(strstr(err_text(&r.err), "out-of-bounds 1-byte load"));
        rig_free(&r);
    }
}

static void strings_are_read_from_device_memory(void **state) {
    (void)state;
    struct rig r = rig_load(PRINTER);
    uint64_t bytes, addr, buf = rig_buf(&r, 64, "args");
    uint32_t text = (uint32_t)ir_find_var(r.m, "text");
    strcpy(exec_image_bytes(r.im, (uint32_t)ir_find_var(r.m, "fmt"), &bytes), "<%s> <%6.3s>");
    strcpy(exec_image_bytes(r.im, text, &bytes), "hello");
    assert_true(exec_image_symbol(r.im, text, &addr, &bytes));
    uint64_t *args = exec_mem_at(r.mem, buf, 64);
    args[0] = args[1] = addr;
    rig_ok(&r, "k", 1, 1, &buf);
    assert_string_equal(r.printed.text, "<hello> <   hel>");
    memset(exec_image_bytes(r.im, text, &bytes), 'x', 16);
    args[0] = addr;
    assert_false(rig_run(&r, "k", 1, 1, &buf));
    assert_non_null(strstr(err_text(&r.err), "out-of-bounds 1-byte load from global memory"));
    args[0] = 8;
    assert_false(rig_run(&r, "k", 1, 1, &buf));
    assert_non_null(strstr(err_text(&r.err), "null-pointer 1-byte load from global memory at 0x8"));
    rig_free(&r);
}

#define HEAPS                                                                                                \
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n"      \
         ".visible .entry k(.param .u64 p, .param .u64 n, .param .u64 frees) {\n.reg .u64 %a<9>; .reg .u32 " \
         "%t, %f; .reg .pred %q;\n"                                                                          \
         "ld.param.u64 %a0, [p]; ld.param.u64 %a1, [n]; ld.param.u32 %f, [frees]; mov.u32 %t, %tid.x;\n"     \
         "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %a1;\ncall.uni (r), malloc, (n); ld.param.b64 "  \
         "%a2, [r]; }\n"                                                                                     \
         "mul.wide.u32 %a3, %t, 8; add.u64 %a3, %a3, %a0; st.global.u64 [%a3], %a2;\nsetp.eq.u64 %q, %a2, "  \
         "0; @%q bra DONE;\nst.u32 [%a2], %t;\n"                                                             \
         "L: setp.eq.u32 %q, %f, 0;\n@%q bra DONE;\n{ .param .b64 x; st.param.b64 [x], %a2;\ncall.uni "      \
         "free, (x); }\nsub.u32 %f, %f, 1;\nbra L;\nDONE: ret;\n}\n"

static void malloc_gives_each_thread_its_own(void **state) {
    (void)state;
    struct rig r = rig_load(HEAPS);
    uint64_t buf = rig_buf(&r, 256, "b"), used = exec_mem_used(r.mem);
    rig_ok(&r, "k", 1, 32, (uint64_t[]){buf, 100, 0});
    uint64_t *p = exec_mem_at(r.mem, buf, 256);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(*rig_u32(&r, p[l]), l);
    assert_int_equal(exec_mem_used(r.mem), used + 3200);
    rig_ok(&r, "k", 1, 32, (uint64_t[]){buf, 50, 1});
    assert_int_equal(exec_mem_used(r.mem), used + 3200);
    r.launch.heap_bytes = 3200 + 150;
    rig_ok(&r, "k", 1, 32, (uint64_t[]){buf, 60, 0});
    assert_true(p[0] && p[1] && !p[2] && !p[31]);
    rig_free(&r);
}

static void freeing_twice_is_a_fault(void **state) {
    (void)state;
    struct rig r = rig_load(HEAPS);
    uint64_t buf = rig_buf(&r, 256, "b");
    assert_false(rig_run(&r, "k", 1, 2, (uint64_t[]){buf, 16, 2}));
    assert_non_null(strstr(err_text(&r.err), "free of what malloc has not given or was freed before: "));
    assert_non_null(strstr(err_text(&r.err), "released device malloc of block (0,0,0), thread (0,0,0)"));
    rig_free(&r);
}

static void assertions_report_their_text(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param "
             ".b64 e);\n"
             ".global .align 1 .b8 msg[6] = {120, 32, 62, 32, 48, 0};\n.global .align 1 .b8 file[5] = {97, "
             "46, 99, 117, 0};\n.global .align 1 .b8 fn[2] = {102, 0};\n"
             ".visible .entry k() {\n.reg .u64 %a<4>; .reg .u32 %r; .reg .pred %p;\nmov.u32 %r, %tid.x; "
             "setp.ne.u32 %p, %r, 5; @%p bra OK;\n"
             "mov.u64 %a0, msg; mov.u64 %a1, file; mov.u64 %a2, fn;\n"
             "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], "
             "%a0; st.param.b64 [b], %a1; st.param.b32 [c], 12; st.param.b64 [d], %a2; st.param.b64 [e], 1;\n"
             "call.uni __assertfail, (a, b, c, d, e);\n}\nOK: ret;\n}\n");
    rig_fails(&r, "k", 1, 32, NULL,
              "assertion failed: x > 0, at a.cu:12 in f\n  kernel k, block (0,0,0), thread (5,0,0)\n"
              "  at t.ptx:13: call.uni __assertfail, (a, b, c, d, e);");
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_like_printf),
        cmocka_unit_test(widths_are_bounded),
        cmocka_unit_test(strings_are_read_from_every_window),
        cmocka_unit_test(strings_are_read_from_device_memory),
        cmocka_unit_test(malloc_gives_each_thread_its_own),
        cmocka_unit_test(freeing_twice_is_a_fault),
        cmocka_unit_test(assertions_report_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
