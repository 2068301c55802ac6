/* The tables of the CUDA library and what reads the environment: errors, properties, attributes, names of kernels, settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/map.h"
#include "runtime/module/names.h"
#include "runtime/runtime/device.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/settings.h"

static void every_error_is_found_by_its_number(void **state) {
    const struct cu_error *e;
    int last = -1;
    (void)state;
    for (size_t i = 0; (e = cu_error_at(i)); i++) {
        assert_true(e->code > last); /* the search relies on it */
        assert_ptr_equal(cu_error_of(e->code), e);
        assert_true(*e->text && !strncmp(e->name, "cuda", 4));
        last = e->code;
    }
    assert_null(cu_error_of(10));
    assert_null(cu_error_of(-1));
    assert_string_equal(cu_error_of(CU_IllegalAddress)->text, "an illegal memory access was encountered");
    assert_string_equal(cu_error_of(CU_IllegalAddress)->driver, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_string_equal(cu_error_of(0)->name, "cudaSuccess");
}

/* A call that succeeds leaves the last error alone; reading it with cudaGetLastError takes it away. */
static void the_last_error_stays_until_it_is_read(void **state) {
    (void)state;
    cu_set_last_error(CU_InvalidValue);
    cu_set_last_error(CU_Success);
    assert_int_equal(cu_last_error(0), CU_InvalidValue);
    assert_int_equal(cu_last_error(1), CU_InvalidValue);
    assert_int_equal(cu_last_error(1), CU_Success);
}

/* Offsets as a program compiled with the real headers has them. */
static void properties_lie_where_programs_look(void **state) {
    (void)state;
    assert_int_equal(offsetof(struct cu_properties_12, totalGlobalMem), 288);
    assert_int_equal(offsetof(struct cu_properties_12, clockRate), 348);
    assert_int_equal(offsetof(struct cu_properties_12, multiProcessorCount), 388);
    assert_int_equal(offsetof(struct cu_properties_12, maxBlocksPerMultiProcessor), 712);
    assert_int_equal(CU_PROPERTIES_11, 728);
    assert_int_equal(offsetof(struct cu_properties_13, major), 360);
    assert_int_equal(offsetof(struct cu_properties_13, hostRegisterSupported), 704);
}

static void attributes_are_the_properties(void **state) {
    struct cu_machine m = {.name = "machine",
                           .sms = 30,
                           .warp = 32,
                           .major = 7,
                           .minor = 5,
                           .threads_block = 1024,
                           .shared_block = 49152,
                           .core_hz = 1365000000};
    struct cu_properties_12 v;
    int value;
    (void)state;
    cu_properties_12(&m, &v);
    assert_string_equal(v.name, "machine");
    assert_int_equal(v.maxThreadsDim[2], 64);
    assert_int_equal(cu_attribute(&m, 16, &value), CU_Success);
    assert_int_equal(value, 30);
    assert_int_equal(cu_attribute(&m, 13, &value), CU_Success);
    assert_int_equal(value, 1365000);
    assert_int_equal(cu_attribute(&m, 0, &value), CU_InvalidValue);
    assert_int_equal(cu_attribute(&m, 1000, &value), CU_InvalidValue);
}

static void plain_names_of_mangled_ones(void **state) {
    static const char *const pairs[][2] = {
        {"_Z3addPfi", "add"},
        {"_ZN2ns6reduceIfEEvPT_", "ns::reduce"},
        {"_ZN12_GLOBAL__N_13addEi", "(anonymous namespace)::add"},
        {"_Z6kernelILi4EN1a1bIiLb1EEEEvT0_", "kernel"},
        {"_ZN1aI5thingILj3EEE3runEv", "a::run"},
        {"_ZSt4swapv", "std::swap"},
        {"_ZL5localPi", "local"},
        {"plain", "plain"},
        {"_Z", "_Z"},
        {"_ZN2ns", "_ZN2ns"},
        {"_Z99short", "_Z99short"},
    };
    char name[64];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cu_plain_name(pairs[i][0], name, sizeof name);
        assert_string_equal(name, pairs[i][1]);
    }
}

static void a_kernel_is_meant_by_either_name(void **state) {
    (void)state;
    assert_true(cu_name_matches("_Z3addPfi", "_Z3addPfi"));
    assert_true(cu_name_matches("add", "_Z3addPfi"));
    assert_true(cu_name_matches("add(float*, int)", "_Z3addPfi"));
    assert_true(cu_name_matches("ns::reduce<float>", "_ZN2ns6reduceIfEEvPT_"));
    assert_true(cu_name_matches("(anonymous namespace)::add", "_ZN12_GLOBAL__N_13addEi"));
    assert_false(cu_name_matches("ad", "_Z3addPfi"));
    assert_false(cu_name_matches("reduce", "_ZN2ns6reduceIfEEvPT_"));
}

static int read_with(const char *name, const char *value, struct cu_settings *s, char *why, size_t bytes) {
    setenv(name, value, 1);
    int bad = cu_settings_read(s, why, bytes);
    unsetenv(name);
    return bad;
}

static void settings_come_from_the_environment(void **state) {
    struct cu_settings s;
    char why[200] = "";
    (void)state;
    assert_int_equal(read_with("HEDDLE_SET", "sm.warps=8; l2.banks = 4;", &s, why, sizeof why), 0);
    assert_int_equal(s.noptions, 2);
    assert_string_equal(s.options[1].key, "l2.banks");
    assert_string_equal(s.options[1].value, "4");
    cu_settings_free(&s);
    assert_int_equal(read_with("HEDDLE_TIMED", "ns::reduce:3;add", &s, why, sizeof why), 0);
    assert_true(cu_settings_timed(&s, "_ZN2ns6reduceIfEEvPT_", 3));
    assert_false(cu_settings_timed(&s, "_ZN2ns6reduceIfEEvPT_", 2));
    assert_true(cu_settings_timed(&s, "_Z3addPfi", 17));
    cu_settings_free(&s);
}

static void a_wrong_setting_is_named(void **state) {
    static const char *const wrong[][3] = {
        {"HEDDLE_MODE", "fast", "HEDDLE_MODE=fast: should be functional, timed or auto"},
        {"HEDDLE_SET", "novalue", "HEDDLE_SET=novalue: should be key=value;key=value"},
        {"HEDDLE_TIMED", "k:0", "HEDDLE_TIMED=k:0: should be KERNEL or KERNEL:N, N from 1"},
        {"HEDDLE_RACES", "yes", "HEDDLE_RACES=yes: should be 0 or 1"},
        {"HEDDLE_FILE", "/nonexistent/file", "HEDDLE_FILE=/nonexistent/file: No such file or directory"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cu_settings s;
        char why[200] = "";
        assert_int_equal(read_with(wrong[i][0], wrong[i][1], &s, why, sizeof why), -1);
        assert_string_equal(why, wrong[i][2]);
        cu_settings_free(&s);
    }
}

static void the_map_keeps_thousands_and_forgets_those_taken_away(void **state) {
    static char keys[5000];
    struct cu_map m = {0};
    (void)state;
    assert_null(cu_map_get(&m, keys));
    for (size_t i = 0; i < sizeof keys; i++)
        assert_int_equal(cu_map_put(&m, keys + i, keys + sizeof keys - i), 0);
    for (size_t i = 0; i < sizeof keys; i += 2) assert_int_equal(cu_map_put(&m, keys + i, NULL), 0);
    for (size_t i = 0; i < sizeof keys; i++)
        assert_ptr_equal(cu_map_get(&m, keys + i), i % 2 ? keys + sizeof keys - i : NULL);
    cu_map_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_is_found_by_its_number),
        cmocka_unit_test(the_last_error_stays_until_it_is_read),
        cmocka_unit_test(properties_lie_where_programs_look),
        cmocka_unit_test(attributes_are_the_properties),
        cmocka_unit_test(plain_names_of_mangled_ones),
        cmocka_unit_test(a_kernel_is_meant_by_either_name),
        cmocka_unit_test(settings_come_from_the_environment),
        cmocka_unit_test(a_wrong_setting_is_named),
        cmocka_unit_test(the_map_keeps_thousands_and_forgets_those_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
