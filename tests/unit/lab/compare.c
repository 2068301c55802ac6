/* Comparisons: the memory of every run against the functional one, and what fails stays in its cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/compare.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Every thread doubles its element and counts itself. */
static const char doubling[] = HEAD ".global .u32 count;\n"
                                    ".visible .entry k(.param .u64 a, .param .u32 add) {\n"
                                    ".reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                                    "ld.param.u64 %rd1, [a]; ld.param.u32 %r3, [add]; mov.u32 %r1, %tid.x;\n"
                                    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                    "ld.global.u32 %r2, [%rd3]; mad.lo.u32 %r2, %r2, 2, %r3;\n"
                                    "st.global.u32 [%rd3], %r2; red.global.add.u32 [count], 1; ret; }\n";

/* The grid's first warp counts to 100 and stores 1, the second stores 2 at once: who is last is a matter of time. */
static const char race[] =
    HEAD ".global .u32 winner[3];\n"
         ".visible .entry k() {\n"
         ".reg .b32 %r<4>; .reg .pred %p<3>;\n"
         "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra LATE; mov.u32 %r2, 0;\n"
         "COUNT: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra COUNT;\n"
         "st.global.u32 [winner+8], 1; ret;\n"
         "LATE: st.global.u32 [winner+8], 2; ret; }\n";

static const hd_option functional[] = {{"run.mode", "functional"}};
static const hd_option timed[] = {{"run.mode", "timed"}, {"run.mech", "mimd"}};
static const hd_option short_run[] = {{"run.mode", "functional"}, {"exec.max_insts", "10"}};
static const struct lab_machine machines[] = {
    {"functional", {.options = functional, .noptions = 1}},
    {"mimd", {.options = timed, .noptions = 2}},
    {"short", {.options = short_run, .noptions = 2}},
};

static struct lab_program program(const char *text, const struct lab_arg *args, size_t n) {
    return (struct lab_program){.file = "test.ptx",
                                .text = text,
                                .text_bytes = strlen(text),
                                .kernel = "k",
                                .launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}},
                                .args = args,
                                .nargs = n};
}

static struct lab_comparison comparison(const struct lab_subject *s, unsigned jobs) {
    return (struct lab_comparison){.subjects = s,
                                   .nsubjects = 1,
                                   .machines = machines,
                                   .nmachines = 3,
                                   .reference = machines[0].config,
                                   .jobs = jobs};
}

static void equal_memory_is_equal(void **state) {
    (void)state;
    uint32_t data[64];
    for (uint32_t i = 0; i < 64; i++) data[i] = i;
    struct lab_arg args[] = {{.text = "buffer", .bytes = sizeof data, .initial = (const uint8_t *)data},
                             {.text = "u32:1", .value = hd_arg_u32(1)}};
    struct lab_program p = program(doubling, args, 2);
    for (unsigned jobs = 1; jobs < 4; jobs++) {
        struct lab_comparison c = comparison(&(struct lab_subject){.program = &p}, jobs);
        struct err e = {0};
        assert_true(lab_compare(&c, &e));
        for (size_t m = 0; m < 2; m++) {
            assert_int_equal(lab_cell(&c, 0, m)->out.err.code, ERR_OK);
            assert_false(lab_cell(&c, 0, m)->difference.any);
            assert_int_equal(lab_cell(&c, 0, m)->out.total.exec.threads, 64);
        }
        assert_int_equal(lab_cell(&c, 0, 0)->out.total.gpu.cycles, 0);
        assert_true(lab_cell(&c, 0, 1)->out.total.gpu.cycles > 0);
        lab_compare_free(&c);
    }
    assert_int_equal(data[5], 5); /* the program's contents are only read */
}

static void a_run_that_fails_stays_in_its_cell(void **state) {
    (void)state;
    struct lab_arg args[] = {{.text = "buffer", .bytes = 256}, {.text = "u32:1", .value = hd_arg_u32(1)}};
    struct lab_program p = program(doubling, args, 2);
    struct lab_comparison c = comparison(&(struct lab_subject){.program = &p}, 2);
    struct err e = {0};
    assert_true(lab_compare(&c, &e));
    assert_int_equal(lab_cell(&c, 0, 0)->out.err.code, ERR_OK);
    assert_int_equal(lab_cell(&c, 0, 2)->out.err.code, ERR_LIMIT);
    assert_non_null(strstr(err_text(&lab_cell(&c, 0, 2)->out.err), "limit"));
    lab_compare_free(&c);
}

static void a_difference_is_found_and_named(void **state) {
    (void)state;
    struct lab_program p = program(race, NULL, 0);
    struct lab_comparison c = comparison(&(struct lab_subject){.program = &p}, 1);
    struct err e = {0};
    assert_true(lab_compare(&c, &e));
    assert_false(lab_cell(&c, 0, 0)->difference.any);
    const struct lab_difference *d = &lab_cell(&c, 0, 1)->difference;
    assert_true(d->any);
    assert_string_equal(d->symbol, "winner");
    assert_int_equal(d->offset, 8);
    assert_int_equal(d->want, 2); /* without time the warps run one after the other */
    assert_int_equal(d->have, 1);
    lab_compare_free(&c);
}

static void a_reference_that_fails_ends_it(void **state) {
    (void)state;
    struct lab_arg args[] = {{.text = "u64:0", .value = hd_arg_u64(0)},
                             {.text = "u32:1", .value = hd_arg_u32(1)}};
    struct lab_program p = program(doubling, args, 2);
    struct lab_comparison c = comparison(&(struct lab_subject){.program = &p}, 2);
    struct err e = {0};
    assert_false(lab_compare(&c, &e));
    assert_int_equal(e.code, ERR_FAULT);
    err_free(&e);
    lab_compare_free(&c);
    struct lab_arg wrong[] = {{.text = "sym:nosuch", .symbol = "nosuch"},
                              {.text = "u32:1", .value = hd_arg_u32(1)}};
    p = program(doubling, wrong, 2);
    c = comparison(&(struct lab_subject){.program = &p}, 2);
    assert_false(lab_compare(&c, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(err_text(&e), "argument 0 (sym:nosuch)"));
    err_free(&e);
    lab_compare_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_memory_is_equal),
        cmocka_unit_test(a_run_that_fails_stays_in_its_cell),
        cmocka_unit_test(a_difference_is_found_and_named),
        cmocka_unit_test(a_reference_that_fails_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
