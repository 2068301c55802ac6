/* Several PTX texts linked into one module: names that texts share, names that they do not, and messages that name the
 * text they are about. */
#include "api.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

struct linked {
    hd_device *dev;
    hd_module *mod;
    hd_status status;
};

static struct linked link(const hd_text *texts, size_t n) {
    struct linked l = {0};
    assert_int_equal(hd_device_open(NULL, &l.dev), HD_OK);
    l.status = hd_module_link(l.dev, "program", texts, n, &l.mod);
    return l;
}

static struct linked links(const hd_text *texts, size_t n) {
    struct linked l = link(texts, n);
    if (l.status) fail_msg("%s", hd_error(l.dev));
    return l;
}

/* The kernel's one word of output. */
static uint32_t run(struct linked *l, const char *kernel) {
    hd_kernel *k;
    uint64_t out;
    uint32_t got = 0;
    WORKS(l->dev, hd_module_kernel(l->mod, kernel, &k));
    WORKS(l->dev, hd_alloc(l->dev, 4, &out));
    hd_arg arg = hd_arg_ptr(out);
    WORKS(l->dev, hd_run(k, &(hd_launch){.block = {1}}, &arg, 1));
    WORKS(l->dev, hd_copy_out(l->dev, &got, out, 4));
    return got;
}

/* entry NAME(out): *out = what the code leaves in %r0; %d0 is out. */
#define KERNEL(name, code)                                                                \
    ".visible .entry " name "(.param .u64 out)\n{\n  .reg .b32 %r<8>; .reg .b64 %d<8>;\n" \
    "  ld.param.u64 %d0, [out];\n" code "  st.global.u32 [%d0], %r0;\n  ret;\n}\n"
#define CALL(name)       "  { .param .b32 v; call.uni (v), " name ", (); ld.param.b32 %r1, [v]; }\n"
#define FUNC(head, code) head "{\n  .reg .b32 %r<4>;\n" code "  st.param.b32 [v], %r0;\n  ret;\n}\n"

static void functions_and_variables_are_found_in_other_texts(void **state) {
    (void)state;
    const hd_text texts[] = {
        {"main.ptx",
         HEAD ".extern .global .align 4 .u32 shared_table[];\n.extern .func (.param .b32 v) seven();\n"
              ".extern .const .align 4 .u32 three;\n" KERNEL(
                  "k", CALL("seven") "  ld.global.u32 %r2, [shared_table+8];\n  ld.const.u32 %r3, [three];\n"
                                     "  add.u32 %r0, %r1, %r2;\n  add.u32 %r0, %r0, %r3;\n"),
         0},
        {"lib.ptx",
         HEAD ".visible .global .align 4 .u32 shared_table[4] = {100, 200, 300, 400};\n"
              ".visible .const .align 4 .u32 three = 3;\n.extern .func (.param .b32 v) deeper();\n" FUNC(
                  ".visible .func (.param .b32 v) seven()", CALL("deeper") "  add.u32 %r0, %r1, 2;\n"),
         0},
        {"deep.ptx", HEAD FUNC(".visible .func (.param .b32 v) deeper()", "  mov.u32 %r0, 5;\n") "// end", 0},
    };
    for (int order = 0; order < 2; order++) {
        const hd_text turned[] = {texts[order ? 2 : 0], texts[1], texts[order ? 0 : 2]};
        struct linked l = links(turned, 3);
        assert_int_equal(run(&l, "k"), 310);
        uint64_t addr, bytes;
        WORKS(l.dev, hd_module_symbol(l.mod, "shared_table", &addr, &bytes));
        assert_int_equal(bytes, 16);
        hd_device_close(l.dev);
    }
}

static void names_of_one_text_are_its_own(void **state) {
    (void)state;
    static const char format[] = HEAD
        ".global .align 4 .u32 counter = %d;\n.shared .align 4 .b8 scratch[%d];\n"
        ".extern .shared .align 16 .b8 dynamic[];\n.func (.param .b32 v) own()\n{\n  .reg .b32 %%r0;\n"
        "  ld.global.u32 %%r0, [counter];\n  st.param.b32 [v], %%r0;\n  ret;\n}\n"
        ".visible .entry k%d(.param .u64 out)\n{\n  .reg .b32 %%r<8>; .reg .b64 %%d<8>;\n"
        "  ld.param.u64 %%d0, [out];\n  { .param .b32 v; call.uni (v), own, (); ld.param.b32 %%r0, [v]; }\n"
        "  st.shared.u32 [scratch], %%r0;\n  mov.u64 %%d1, dynamic;\n  st.global.u32 [%%d0], %%r0;\n  "
        "ret;\n}\n";
    char text[2][2048];
    for (int i = 0; i < 2; i++) snprintf(text[i], sizeof text[i], format, 10 + i, 64 << i, i);
    const hd_text texts[] = {{"a.ptx", text[0], 0}, {"b.ptx", text[1], 0}};
    struct linked l = links(texts, 2);
    assert_int_equal(run(&l, "k0"), 10);
    assert_int_equal(run(&l, "k1"), 11);
    hd_kernel_info info;
    WORKS(l.dev, hd_kernel_get_info(hd_module_kernel_at(l.mod, 1), &info));
    assert_int_equal(info.shared_bytes, 128); /* only its own */
    hd_device_close(l.dev);
}

/* Weak ones yield to the other, whichever comes first; of weak ones the first counts. */
static void weak_definitions_yield(void **state) {
    (void)state;
    const char *weak =
        HEAD ".weak .global .align 8 .u32 setting = 1;\n.weak .global .align 8 .u64 where = setting;\n" FUNC(
            ".weak .func (.param .b32 v) pick()", "  mov.u32 %r0, 10;\n")
            KERNEL("weakly", "  ld.global.u32 %r2, [setting];\n" CALL("pick") "  add.u32 %r0, %r1, %r2;\n");
    const char *strong =
        HEAD ".visible .global .align 8 .u32 setting = 2;\n.visible .global .align 8 .u64 where = 0;\n" FUNC(
            ".visible .func (.param .b32 v) pick()", "  mov.u32 %r0, 20;\n");
    const char *other = HEAD ".weak .global .align 8 .u32 setting = 3;\n" FUNC(
        ".weak .func (.param .b32 v) pick()", "  mov.u32 %r0, 30;\n");
    const struct {
        const char *text[3];
        uint32_t want;
    } cases[] = {{{weak, strong, other}, 22},
                 {{strong, weak, other}, 22},
                 {{other, weak, strong}, 22},
                 {{weak, other, NULL}, 11},
                 {{other, weak, NULL}, 33}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hd_text texts[3];
        size_t n = 0;
        for (; n < 3 && cases[c].text[n]; n++) texts[n] = (hd_text){"t.ptx", cases[c].text[n], 0};
        struct linked l = links(texts, n);
        assert_int_equal(run(&l, "weakly"), cases[c].want);
        hd_device_close(l.dev);
    }
}

static void two_definitions_are_an_error_with_both_places(void **state) {
    (void)state;
    const char *a = HEAD "\n.visible .global .u32 x = 1;\n", *b = HEAD ".visible .global .u32 x = 2;\n";
    struct linked l = link((hd_text[]){{"a.ptx", a, 0}, {"b.ptx", b, 0}}, 2);
    assert_int_equal(l.status, HD_INVALID);
    assert_null(l.mod);
    assert_string_equal(hd_error(l.dev), "b.ptx:4:23: error: x is defined twice, the first time at a.ptx:5\n"
                                         "    .visible .global .u32 x = 2;\n                          ^");
    hd_device_close(l.dev);
    a = HEAD KERNEL("k", "  mov.u32 %r0, 1;\n");
    l = link((hd_text[]){{"a.ptx", a, 0}, {"b.ptx", a, 0}}, 2);
    assert_int_equal(l.status, HD_INVALID);
    assert_non_null(
        strstr(hd_error(l.dev), "b.ptx:4:17: error: k is defined twice, the first time at a.ptx:4\n"));
    hd_device_close(l.dev);
}

static void errors_and_faults_name_their_text(void **state) {
    (void)state;
    const char *good = HEAD ".file 1 \"good.cu\"\n" KERNEL("fine", ".loc 1 5 1\n  mov.u32 %r0, 1;\n");
    const char *bad = HEAD ".file 1 \"bad.cu\"\n\n" KERNEL(
        "faulty", ".loc 1 9 1\n  ld.global.u32 %r0, [%d0+64];\n") "// no newline";
    struct linked l =
        links((hd_text[]){{"good.ptx", good, 0}, {"bad.ptx", bad, 0}, {"again.ptx", HEAD, 0}}, 3);
    assert_int_equal(run(&l, "fine"), 1);
    hd_kernel *k;
    uint64_t out;
    hd_fault_info f;
    WORKS(l.dev, hd_module_kernel(l.mod, "faulty", &k));
    WORKS(l.dev, hd_alloc(l.dev, 4, &out));
    hd_arg arg = hd_arg_ptr(out);
    assert_int_equal(hd_run(k, &(hd_launch){.block = {1}}, &arg, 1), HD_FAULT);
    assert_non_null(strstr(hd_error(l.dev), "at bad.ptx:11: ld.global.u32 %r0, [%d0+64]; [bad.cu:9]"));
    hd_fault(l.dev, &f);
    assert_string_equal(f.file, "bad.ptx");
    assert_int_equal(f.line, 11);
    assert_string_equal(f.source, "bad.cu");
    hd_device_close(l.dev);
    l = link((hd_text[]){{"good.ptx", good, 0}, {"bad.ptx", HEAD "\n.visible .globl .u32 x;", 0}}, 2);
    assert_int_equal(l.status, HD_INVALID);
    assert_non_null(strstr(hd_error(l.dev), "bad.ptx:5:10: error: "));
    assert_null(strchr(hd_error(l.dev), '?'));
    hd_device_close(l.dev);
    l = link((hd_text[]){{"good.ptx", good, 0},
                         {"user.ptx",
                          HEAD ".extern .func (.param .b32 v) nowhere();\n" KERNEL("k", CALL("nowhere")), 0}},
             2);
    assert_int_equal(l.status, HD_OK); /* only what calls it is refused */
    assert_int_equal(hd_module_kernel(l.mod, "k", &k), HD_INVALID);
    assert_non_null(
        strstr(hd_error(l.dev),
               "user.ptx:9:34: error: function nowhere is called but not defined in any of the texts\n"));
    hd_device_close(l.dev);
    l = link((hd_text[]){{"good.ptx", good, 0},
                         {"narrow.ptx", ".version 7.0\n.target sm_70\n.address_size 32\n", 0}},
             2);
    assert_int_equal(l.status, HD_INVALID);
    assert_non_null(strstr(hd_error(l.dev),
                           "narrow.ptx:1:1: error: this text has 32-bit addresses, the ones before it 64\n"));
    hd_device_close(l.dev);
}

static void bad_arguments_are_refused(void **state) {
    struct api *a = *state;
    hd_module *mod = a->mod;
    const hd_text none = {"x.ptx", NULL, 0}, one = {"x.ptx", HEAD, 0};
    FAILS(a->dev, HD_INVALID, "hd_module_link: text 0 is NULL", hd_module_link(a->dev, "p", &none, 1, &mod));
    assert_null(mod);
    FAILS(a->dev, HD_INVALID, "hd_module_link: texts and mod must not be NULL, n not 0",
          hd_module_link(a->dev, "p", NULL, 1, &mod));
    assert_int_equal(hd_module_link(a->dev, "p", &one, 0, &mod), HD_INVALID);
    assert_int_equal(hd_module_link(a->dev, "p", &one, 1, NULL), HD_INVALID);
    assert_int_equal(hd_module_link(NULL, "p", &one, 1, &mod), HD_INVALID);
    WORKS(a->dev, hd_module_link(a->dev, NULL, &one, 1, &mod));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_variables_are_found_in_other_texts),
        cmocka_unit_test(names_of_one_text_are_its_own),
        cmocka_unit_test(weak_definitions_yield),
        cmocka_unit_test(two_definitions_are_an_error_with_both_places),
        cmocka_unit_test(errors_and_faults_name_their_text),
        API_TEST(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
