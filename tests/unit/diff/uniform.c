/* Random kernels, run in lockstep on warps of 8, of 32 and of whole blocks: a branch at which threads diverged was never called
 * uniform, and a useful part of the others was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/check.h"
#include "kernels/uniform.h"

static void run(const struct diff_case *c, const char *mech, const char *width, struct uniform_count *n,
                struct sb *why) {
    const hd_option o[] = {
        {"run.mode", "timed"}, {"run.mech", mech}, {"sm.warp_size", width}, {"sm.simd_width", "8"}};
    hd_device *dev;
    hd_module *mod;
    hd_kernel *k;
    uint64_t addr[4];
    const struct gen_memory *w = &c->want;
    const size_t bytes[] = {sizeof w->input, 4 * (size_t)w->threads, 4 * (size_t)w->threads * GEN_SLOTS,
                            sizeof w->cells};
    const hd_config config = {.file = "configs/tiny.ini", .options = o, .noptions = 4};
    assert_int_equal(hd_device_open(&config, &dev), HD_OK);
    hd_status st = hd_module_load(dev, "generated.ptx", c->text.text, c->text.len, &mod);
    if (!st) st = hd_module_kernel(mod, "generated", &k);
    for (int b = 0; b < 4 && !st; b++) st = hd_alloc(dev, bytes[b], &addr[b]);
    if (!st) st = hd_copy_in(dev, addr[0], w->input, bytes[0]);
    hd_launch l = {.grid = {c->kernel.grid}, .block = {c->kernel.block}, .max_insts = 1 << 26};
    const uint32_t words[GEN_WORDS] = {gen_param(&c->kernel, 0), gen_param(&c->kernel, 1),
                                       gen_param(&c->kernel, 2), gen_param(&c->kernel, 3)};
    hd_arg args[] = {hd_arg_ptr(addr[0]), hd_arg_ptr(addr[1]), hd_arg_ptr(addr[2]), hd_arg_ptr(addr[3]),
                     hd_arg_bytes(words, sizeof words)};
    if (!st) st = hd_run(k, &l, args, 5);
    if (st) fail_msg("seed %llu, %s: %s", (unsigned long long)c->kernel.seed, width, hd_error(dev));
    if (!uniform_check(dev, n, why))
        sb_add(why, "  seed %llu under %s, warps of %s\n", (unsigned long long)c->kernel.seed, mech, width);
    hd_device_close(dev);
}

#ifdef __SANITIZE_ADDRESS__
enum { PART = 3 };
#else
enum { PART = 1 };
#endif

static void sweep(const char *mech, const char *width, uint64_t count) {
    struct diff_range range = diff_range(count / PART);
    struct uniform_count n = {0};
    struct sb why = {0};
    for (uint64_t k = 0; k < range.count && why.len < 2000; k++) {
        struct diff_case c;
        diff_make(&c, range.first + k);
        run(&c, mech, width, &n, &why);
        diff_free(&c);
    }
    if (why.len) fail_msg("%s", why.text);
    print_message(
        "warps of %s: %u branches, %u diverged, %u called uniform: %.0f %% of those that never diverged\n",
        width, n.branches, n.diverged, n.uniform, 100.0 * n.uniform / (n.branches - n.diverged));
    if (range.count >= 100) assert_true(n.diverged > 100 && n.uniform > 100);
    sb_free(&why);
}

static void no_branch_that_split_a_warp_is_called_uniform(void **state) {
    (void)state;
    sweep("pdom", "32", 300);
    sweep("nrec", "32", 100);
}
static void nor_that_split_part_of_a_warp(void **state) {
    (void)state;
    sweep("pdom", "8", 150);
    sweep("mp-basic", "16", 150);
}
static void nor_that_split_a_block(void **state) {
    (void)state;
    sweep("pdom", "128", 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_branch_that_split_a_warp_is_called_uniform),
        cmocka_unit_test(nor_that_split_part_of_a_warp),
        cmocka_unit_test(nor_that_split_a_block),
    };
    return cmocka_run_group_tests_name("cfg/uniform on random kernels", tests, NULL, NULL);
}
