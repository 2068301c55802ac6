/* Generated kernels, executed functionally: the CPU's interpreter of the kernel's tree, and the simulator under different
 * schedules and host instruction sets, must leave the same memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/check.h"

static void all_agree(uint64_t count, uint64_t step, const struct diff_machine *machines, size_t n) {
    struct diff_range range = diff_range(count);
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        diff_make(&c, range.first + i * step);
        for (size_t m = 0; m < n; m++) failed += !diff_run(&c, &machines[m], NULL, &why);
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

static void kernels_leave_what_the_cpu_computes(void **state) {
    (void)state;
    static const struct diff_machine machines[] = {{"functional", NULL, {"exec.isa", "auto"}}};
    all_agree(500, 1, machines, 1);
}

/* A quantum of 1 sets every path aside after each instruction that could wait: another order of everything. */
static void neither_schedule_nor_host_instructions_show(void **state) {
    (void)state;
    static const struct diff_machine machines[] = {
        {"portable", NULL, {"exec.isa", "portable"}},
        {"quantum 1", NULL, {"exec.quantum", "1"}},
        {"portable, quantum 7", NULL, {"exec.isa", "portable", "exec.quantum", "7"}},
    };
    all_agree(150, 1, machines, sizeof machines / sizeof *machines);
}

/* They are free of races by construction, and the race check changes nothing. */
static void kernels_have_no_races(void **state) {
    (void)state;
    static const struct diff_machine machines[] = {
        {"races", NULL, {"run.races", "on"}},
        {"races, quantum 1", NULL, {"run.races", "on", "exec.quantum", "1"}},
        {"races in lockstep", NULL, {"run.races", "lockstep"}},
    };
    all_agree(100, 1, machines, sizeof machines / sizeof *machines);
}

/* The check above would pass if nothing were ever found: here barriers are blanked out of the text. */
static void kernels_without_their_barriers_race(void **state) {
    (void)state;
    static const struct diff_machine machine = {"races", NULL, {"run.races", "on"}};
    unsigned barriers = 0, race = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct diff_case c;
        struct sb why = {0};
        diff_make(&c, seed);
        char *at = c.text.text;
        for (; (at = strstr(at, "bar.sync 0;")); memset(at, ' ', strlen("bar.sync 0;"))) barriers++;
        if (!diff_run(&c, &machine, NULL, &why) && strstr(why.text, "race of lines")) race++;
        sb_free(&why);
        diff_free(&c);
    }
    assert_true(barriers > 0);
    assert_true(race >= 10);
}

static bool contains(const char *text, const char *word) {
    return strstr(text, word) != NULL;
}

/* A generator that stopped making something would leave every test above passing. */
static void the_generator_makes_every_construct(void **state) {
    (void)state;
    static const char *const words[] = {
        "brx.idx",       "call (r), f",   "call (r), %a0", "bar.sync",       "shfl.sync",  "vote.sync.ballot",
        "vote.sync.any", "vote.sync.all", "atom.global",   "red.global.max", "red.shared", "atom.shared",
        "ld.local",      "exit;",         "bra.uni",       "rem.u32",        "mad.lo.u32", "\tst.u32 [",
        "\tld.u32 %v",   "\tatom.",       "\tred.",        "\ttrap;",        " trap;",     " ret;",
        " exit;",        "cvta.param",    "cvta.const"};
    enum { WORDS = sizeof words / sizeof *words, KERNELS = 100 };
    unsigned seen[WORDS] = {0}, unstructured = 0, leaves = 0, stays = 0, frameless = 0, in_functions = 0;
    for (uint64_t seed = 0; seed < KERNELS; seed++) {
        struct gen_kernel k;
        struct sb text = {0};
        gen_make(&k, seed);
        gen_emit(&k, &text);
        unstructured += k.unstructured;
        leaves += k.leaves;
        stays += !k.early;
        frameless += !k.frame;
        in_functions += k.func_exits;
        for (size_t w = 0; w < WORDS; w++) seen[w] += contains(text.text, words[w]);
        sb_free(&text);
        gen_free(&k);
    }
    for (size_t w = 0; w < WORDS; w++)
        if (seen[w] < 3) fail_msg("only %u of %d kernels have \"%s\"", seen[w], KERNELS, words[w]);
    assert_int_equal(unstructured, KERNELS / 2);
    assert_true(leaves >= 30 && stays >= 20 && frameless >= 20 && in_functions >= 10);
}

static void a_seed_always_gives_the_same_kernel(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct diff_case a, b;
        diff_make(&a, seed);
        diff_make(&b, seed);
        assert_string_equal(a.text.text, b.text.text);
        assert_memory_equal(a.want.out, b.want.out, a.want.threads * sizeof *a.want.out);
        diff_free(&a);
        diff_free(&b);
    }
}

/* The comparison itself: a wrong expectation must be reported, with what is needed to have it again. */
static void a_difference_is_reported(void **state) {
    (void)state;
    static const struct diff_machine machine = {"functional", NULL, {"exec.quantum", "512"}};
    struct sb why = {0};
    struct diff_case c;
    diff_make(&c, 4);
    c.want.out[3] ^= 1;
    assert_false(diff_run(&c, &machine, NULL, &why));
    assert_true(contains(why.text, "out[3]"));
    assert_true(contains(why.text, "seed 4"));
    assert_true(contains(why.text, "--set exec.quantum=512"));
    sb_free(&why);
    diff_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_leave_what_the_cpu_computes),
        cmocka_unit_test(kernels_have_no_races),
        cmocka_unit_test(kernels_without_their_barriers_race),
        cmocka_unit_test(neither_schedule_nor_host_instructions_show),
        cmocka_unit_test(the_generator_makes_every_construct),
        cmocka_unit_test(a_seed_always_gives_the_same_kernel),
        cmocka_unit_test(a_difference_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
