/* Kernels that use instructions heddle does not support: the file loads, the other kernels run, and those that may get to such
 * an instruction are refused by name, with its place and the reason, when they are looked up or launched. */
#include "api.h"

#define HEADER   ".version 8.0\n.target sm_90\n.address_size 64\n"
#define MULTIMEM "multimem.ld_reduce.global.add.u32 %r1, [%rd1];\n"
#define REGS     ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"

static const char text[] = HEADER /* 1 to 3 */
    ".func deep() { " REGS MULTIMEM " ret; }\n"
    ".func pointed() { " REGS MULTIMEM " ret; }\n"
    ".func fine() { ret; }\n"
    ".func through() { call deep; ret; }\n"
    ".func around() { " REGS ".reg .pred %p; @%p call around; call deep; ret; }\n"
    ".entry works(.param .u64 out) {\n" REGS
    "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 7; call fine; ret; }\n"
    ".entry itself() {\n" REGS MULTIMEM "frob.x %r1; frob.x %r2; ret; }\n"
    ".entry calls() { call through; ret; }\n"
    ".entry circles() { call around; ret; }\n"
    ".entry takes() {\n" REGS "mov.u64 %rd1, pointed; ret; }\n"
    ".entry jumps() {\n" REGS "P: .callprototype _ ();\nmov.u64 %rd1, fine; call %rd1, P; ret; }\n"
    ".entry lists() {\n" REGS "T: .calltargets fine;\nmov.u64 %rd1, fine; call %rd1, T; ret; }\n"
    ".entry listed() {\n" REGS "T: .calltargets fine, deep;\nmov.u64 %rd1, fine; call %rd1, T; ret; }\n";

struct loaded {
    hd_device *dev;
    hd_module *mod;
};

static int setup(void **state) {
    struct loaded *l = calloc(1, sizeof *l);
    assert_int_equal(hd_device_open(NULL, &l->dev), HD_OK);
    WORKS(l->dev, hd_module_load(l->dev, "some.ptx", text, 0, &l->mod));
    *state = l;
    return 0;
}

static int teardown(void **state) {
    struct loaded *l = *state;
    hd_device_close(l->dev);
    free(l);
    return 0;
}

static hd_kernel *place(const struct loaded *l, const char *name) {
    for (size_t i = 0; i < hd_module_kernel_count(l->mod); i++) {
        hd_kernel_info info;
        assert_int_equal(hd_kernel_get_info(hd_module_kernel_at(l->mod, i), &info), HD_OK);
        if (!strcmp(info.name, name)) return hd_module_kernel_at(l->mod, i);
    }
    fail_msg("there is no kernel %s", name);
    return NULL;
}

static void the_other_kernels_run(void **state) {
    struct loaded *l = *state;
    hd_kernel *k = NULL;
    uint64_t out;
    uint32_t value = 0;
    hd_launch one = {0};
    WORKS(l->dev, hd_module_kernel(l->mod, "works", &k));
    WORKS(l->dev, hd_alloc(l->dev, 4, &out));
    hd_arg arg = hd_arg_ptr(out);
    WORKS(l->dev, hd_run(k, &one, &arg, 1));
    WORKS(l->dev, hd_copy_out(l->dev, &value, out, 4));
    assert_int_equal(value, 7);
}

static void a_look_up_names_every_instruction_with_its_place(void **state) {
    struct loaded *l = *state;
    hd_kernel *k = NULL;
    FAILS(l->dev, HD_INVALID,
          "some.ptx:17: error: kernel itself cannot run: it uses instructions that are not supported\n"
          "some.ptx:19:1: error: instruction multimem.ld_reduce.global.add.u32 is not "
          "supported\n"
          "    multimem.ld_reduce.global.add.u32 %r1, [%rd1];\n"
          "    ^\n"
          "some.ptx:20:1: error: instruction frob.x is not supported: there is no such instruction (2 times "
          "in this function)\n"
          "    frob.x %r1; frob.x %r2; ret; }\n"
          "    ^",
          hd_module_kernel(l->mod, "itself", &k));
    assert_null(k);
}

static void a_launch_is_refused_like_the_look_up(void **state) {
    struct loaded *l = *state;
    hd_kernel *k = NULL;
    hd_launch one = {0};
    assert_int_equal(hd_module_kernel(l->mod, "itself", &k), HD_INVALID);
    char *why = strdup(hd_error(l->dev));
    FAILS(l->dev, HD_INVALID, why, hd_run(place(l, "itself"), &one, NULL, 0));
    FAILS(l->dev, HD_INVALID, why, hd_run_packed(place(l, "itself"), &one, NULL, 0));
    hd_kernel_info info;
    WORKS(l->dev, hd_kernel_get_info(place(l, "itself"), &info));
    assert_string_equal(info.unsupported, why);
    WORKS(l->dev, hd_kernel_get_info(place(l, "works"), &info));
    assert_null(info.unsupported);
    free(why);
}

static void calls_are_followed(void **state) {
    struct loaded *l = *state;
    hd_kernel *k = NULL;
    static const char *const refused[][2] = {
        {"calls", "it may call deep, which uses instructions that are not supported\nsome.ptx:5:1: "},
        {"circles", "it may call deep, which uses"},
        {"jumps", "it may call pointed, which uses"}, /* any function whose address is taken */
        {"listed", "it may call deep, which uses"}};
    static const char *const fine[] = {"works", "takes", "lists"}; /* an address alone is no call */
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(hd_module_kernel(l->mod, refused[i][0], &k), HD_INVALID);
        if (!strstr(hd_error(l->dev), refused[i][1])) fail_msg("%s: %s", refused[i][0], hd_error(l->dev));
    }
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        WORKS(l->dev, hd_module_kernel(l->mod, fine[i], &k));
}

/* As of functions that only a driver has: the text loads, what may call them does not run, anything else does. */
static void calls_of_what_is_not_defined_are_refused_alike(void **state) {
    struct loaded *l = *state;
    hd_module *mod;
    hd_kernel *k = NULL;
    uint64_t out;
    uint32_t value = 0;
    static const char declared[] = HEADER /* 1 to 3 */
        ".extern .func (.param .b32 v) absent(.param .b32 a);\n"
        ".func through() { .param .b32 a, v; call (v), absent, (a); ret; }\n"
        ".entry calls() { call through; ret; }\n"
        ".entry both() {\n" REGS ".param .b32 a, v;\ncall (v), absent, (a);\n" MULTIMEM
        "call (v), absent, (a); ret; }\n"
        ".entry works(.param .u64 out) {\n" REGS
        "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 7; ret; }\n";
    WORKS(l->dev, hd_module_load(l->dev, "declared.ptx", declared, 0, &mod));
    FAILS(l->dev, HD_INVALID,
          "declared.ptx:6: error: kernel calls cannot run: it may call through, which calls functions that "
          "are not "
          "defined\n"
          "declared.ptx:5:47: error: function absent is called but not defined in this file\n"
          "    .func through() { .param .b32 a, v; call (v), absent, (a); ret; }\n"
          "                                                  ^",
          hd_module_kernel(mod, "calls", &k));
    FAILS(
        l->dev, HD_INVALID,
        "declared.ptx:7: error: kernel both cannot run: it uses instructions that are not supported\n"
        "declared.ptx:10:11: error: function absent is called but not defined in this file (2 times in this "
        "function)\n"
        "    call (v), absent, (a);\n"
        "              ^\n"
        "declared.ptx:11:1: error: instruction multimem.ld_reduce.global.add.u32 is not supported\n"
        "    multimem.ld_reduce.global.add.u32 %r1, [%rd1];\n"
        "    ^",
        hd_module_kernel(mod, "both", &k));
    WORKS(l->dev, hd_module_kernel(mod, "works", &k));
    WORKS(l->dev, hd_alloc(l->dev, 4, &out));
    WORKS(l->dev, hd_run(k, &(hd_launch){0}, &(hd_arg){HD_ARG_PTR, {out}, 0}, 1));
    WORKS(l->dev, hd_copy_out(l->dev, &value, out, 4));
    assert_int_equal(value, 7);
}

static void note(void *user, hd_log_level level, const char *message) {
    char *seen = user;
    if (level == HD_LOG_WARNING) snprintf(seen, 200, "%s", message);
}

static void a_newer_minor_version_is_a_warning(void **state) {
    struct loaded *l = *state;
    hd_module *mod;
    char seen[200] = "";
    hd_set_log(l->dev, note, seen);
    WORKS(l->dev,
          hd_module_load(l->dev, "new.ptx", ".version 9.7\n.target sm_90\n.entry k() { ret; }", 0, &mod));
    assert_string_equal(
        seen, "new.ptx:1:10: warning: PTX version 9.7 is newer than 9.0, the latest known\n    .version 9.7\n"
              "             ^");
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        CASE(the_other_kernels_run),
        CASE(a_look_up_names_every_instruction_with_its_place),
        CASE(a_launch_is_refused_like_the_look_up),
        CASE(calls_are_followed),
        CASE(calls_of_what_is_not_defined_are_refused_alike),
        CASE(a_newer_minor_version_is_a_warning),
    };
    return cmocka_run_group_tests_name("sim/unsupported", tests, NULL, NULL);
}
