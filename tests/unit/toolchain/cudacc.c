/* Flags for the compiler of CUDA C++: nvcc's as clang has them, and which a file may bring itself. What a file is, by its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "subject/source.h"
#include "toolchain/cudacc.h"
#include "toolchain/nvcc_flags.h"

static void flags_are(const char *text, bool own, bool nvcc, const char *expected) {
    struct cudacc_words words = {0};
    struct arena mem = {0};
    struct err e = {0};
    struct sb got = {0};
    sb_add(&got, "%s", "");
    if (cudacc_flags(text, own, nvcc, &words, &mem, &e))
        for (size_t i = 0; i < words.v.n; i++) sb_add(&got, "%s%s", i ? "|" : "", words.v.v[i]);
    else
        sb_add(&got, "%s", err_text(&e));
    assert_string_equal(got.text, expected);
    sb_free(&got);
    err_free(&e);
    VEC_FREE(&words.v);
    arena_free(&mem);
}

static void flags_of_nvcc_are_those_of_clang(void **state) {
    (void)state;
    flags_are(NULL, false, false, "");
    flags_are("-DN=4 -D M -I../inc -std=c++20", false, false, "-DN=4|-DM|-I../inc|-std=c++20");
    flags_are("-fmad=false --fmad true", false, false, "-ffp-contract=off|-ffp-contract=fast-honor-pragmas");
    flags_are("-ftz=true", false, false, "-fgpu-flush-denormals-to-zero");
    flags_are("-ftz=false", false, false, "-fno-gpu-flush-denormals-to-zero");
    flags_are("-arch=sm_80 -arch compute_86", false, false, "--cuda-gpu-arch=sm_80|--cuda-gpu-arch=sm_86");
    flags_are("-lineinfo -maxrregcount=32 -Xptxas -v -O3", false, false, "-O3");
    flags_are("-use_fast_math", false, false,
              "-fgpu-flush-denormals-to-zero|-fgpu-approx-transcendentals|-mllvm|-nvptx-prec-divf32=0|"
              "-DHEDDLE_PREC_SQRT=0");
    flags_are("-prec-div=false -prec-sqrt true", false, false,
              "-mllvm|-nvptx-prec-divf32=1|-DHEDDLE_PREC_SQRT=1");
    flags_are("-o x -lm -shared -c --threads 4", false, false, "");
}

static unsigned target_of(const char *a, const char *b, const char *c) {
    unsigned best = 0;
    nvcc_target(a, &best);
    nvcc_target(b, &best);
    nvcc_target(c, &best);
    return best;
}

static void of_several_targets_the_highest_up_to_sm_80_is_taken(void **state) {
    (void)state;
    assert_int_equal(target_of("", "native", "all"), 0);
    assert_int_equal(target_of("sm_60", "", ""), 60);
    assert_int_equal(target_of("arch=compute_70,code=sm_70", "arch=compute_80,code=[sm_80,compute_80]",
                               "arch=compute_90,code=sm_90"),
                     80);
    assert_int_equal(target_of("sm_86", "sm_90", ""), 86);
    assert_int_equal(target_of("sm_35", "", ""), 50);
    assert_int_equal(target_of("sm_120", "", ""), 90);
}

static void other_flags_and_those_for_nvcc_are_handed_on(void **state) {
    (void)state;
    flags_are("-Xclang -fnative-half-type '-DNAME=\"a b\"'", false, false,
              "-Xclang|-fnative-half-type|-DNAME=\"a b\"");
    flags_are("-fmad=false -Xptxas -v -D N", false, true, "-fmad=false|-Xptxas|-v|-D|N");
    flags_are("-Wall", false, true, "-Wall");
    flags_are("-D", false, false, "--cuda-flags: -D needs a value");
    flags_are("-D", false, true, "--cuda-flags: -D needs a value");
    flags_are("'-D", false, false, "a quote is not closed");
}

static void a_file_may_not_load_code_into_its_compiler(void **state) {
    (void)state;
    flags_are("-DN=4 -fmad=false", true, false, "-DN=4|-ffp-contract=off");
    flags_are("-ccbin evil", true, true, "--cuda-flags: a file may not ask for '-ccbin' itself");
    flags_are("-fplugin=evil.so", true, false,
              "--cuda-flags: a file may not ask for '-fplugin=evil.so' itself");
    flags_are("-Xclang -load", true, false, "--cuda-flags: a file may not ask for '-Xclang' itself");
}

static void kind_is(const char *name, const char *text, enum source_kind expected) {
    struct err e = {0};
    enum source_kind kind;
    assert_true(source_kind(name, text, strlen(text), &kind, &e));
    assert_int_equal(kind, expected);
}

static void text_is_ptx_unless_it_is_cuda(void **state) {
    (void)state;
    kind_is("a.ptx", ".version 8.0\n// __global__\n", SOURCE_PTX);
    kind_is("a.cu", "", SOURCE_CUDA);
    kind_is("<stdin>", "// PTX\n  .version 8.0\n", SOURCE_PTX);
    kind_is("<stdin>", "template <class T> __global__ void k(T *p);", SOURCE_CUDA);
    kind_is("a.txt", "anything else is for the parser to refuse", SOURCE_PTX);
    kind_is("a.ptx", "", SOURCE_PTX);
}

static void a_program_is_told_by_its_machine(void **state) {
    (void)state;
    static const struct {
        unsigned char type, machine;
        const char *section, *text;
    } cases[] = {{2, 190, "", "is a cubin"},
                 {1, 62, "", "is an object file, not PTX: it has no GPU code"},
                 {1, 62, ".nv_fatbin", "is an object file with GPU code"},
                 {3, 62, "__nv_relfatbin", "is a program or library with GPU code"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[64] = "\177ELF\2\1\1";
        struct err e = {0};
        enum source_kind kind;
        file[16] = (char)cases[i].type;
        file[18] = (char)cases[i].machine;
        memcpy(file + 40, cases[i].section, strlen(cases[i].section));
        assert_false(source_kind("a.out", file, sizeof file, &kind, &e));
        assert_non_null(strstr(err_text(&e), cases[i].text));
        err_free(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_of_nvcc_are_those_of_clang),
        cmocka_unit_test(of_several_targets_the_highest_up_to_sm_80_is_taken),
        cmocka_unit_test(other_flags_and_those_for_nvcc_are_handed_on),
        cmocka_unit_test(a_file_may_not_load_code_into_its_compiler),
        cmocka_unit_test(text_is_ptx_unless_it_is_cuda),
        cmocka_unit_test(a_program_is_told_by_its_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
