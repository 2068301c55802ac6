/* The host runs out of memory at every single allocation, one after the other: each call then says HD_MEMORY, nothing is lost
 * but the device, and the device gives everything back. Lua's tests do this to Lua. */
#include "kernels/harness.h"
#include "mech/mech.h"
#include "sim/sim.h"

/* A loop, what doubles %r0 into %r2, a barrier. */
#define PROGRAM(TWICE)                                                                                      \
    ".version 7.0\n.target sm_70\n.address_size 64\n.global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"       \
    ".func (.param .b32 r) twice(.param .b32 x)\n{\n\t.reg .b32 %r<3>;\n\tld.param.b32 %r1, [x];\n"         \
    "\tadd.u32 %r2, %r1, %r1;\n\tst.param.b32 [r], %r2;\n\tret;\n}\n"                                       \
    ".visible .entry k(.param .u64 out)\n{\n\t.reg .b64 %a<4>;\n\t.reg .b32 %r<8>;\n\t.reg .pred %p<2>;\n"  \
    "\t.shared .align 4 .b8 words[256];\n\tld.param.u64 %a0, [out];\n\tmov.u32 %r0, %tid.x;\n"              \
    "\tand.b32 %r1, %r0, 3;\nL:\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra D;\n\tsub.u32 %r1, %r1, 1;\n\tbra " \
    "L;\nD:\n" TWICE "\tbar.sync 0;\n\tmul.wide.u32 %a1, %r0, 4;\n\tadd.u64 %a2, %a0, %a1;\n"               \
    "\tst.global.u32 [%a2], %r2;\n\tret;\n}\n"

static const char CALLS[] = PROGRAM("\t{\n\t.param .b32 x;\n\t.param .b32 r;\n\tst.param.b32 [x], %r0;\n"
                                    "\tcall (r), twice, (x);\n\tld.param.b32 %r2, [r];\n\t}\n");
static const char ADDS[] = PROGRAM("\tadd.u32 %r2, %r0, %r0;\n"); /* for mechanisms that run no calls */

static void quiet(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

static hd_status use(hd_device *dev, const char *text) {
    hd_module *mod = NULL;
    hd_kernel *k = NULL;
    uint64_t buffer = 0, table = 0, handle = 0;
    uint32_t out[64];
    double v;
    hd_status s = hd_module_load(dev, "memory.ptx", text, strlen(text), &mod);
    if (!s) s = hd_module_kernel(mod, "k", &k);
    if (!s) s = hd_module_symbol(mod, "table", &table, NULL);
    if (!s) s = hd_alloc(dev, sizeof out, &buffer);
    if (!s) s = hd_label(dev, buffer, "out");
    if (!s)
        s = hd_texture_new(
            dev, &(hd_texture){.addr = buffer, .width = 16, .texel = HD_TEXEL_U32, .channels = 1}, &handle);
    if (!s) s = hd_run(k, &(hd_launch){.grid = {2}, .block = {64}}, (const hd_arg[]){hd_arg_ptr(buffer)}, 1);
    if (!s) s = hd_stat(dev, 0, "exec.thread_insts", &v);
    if (!s)
        s = hd_run(k, &(hd_launch){.grid = {1}, .block = {64}}, (const hd_arg[]){hd_arg_ptr(8)}, 1) ==
                    HD_FAULT
                ? HD_OK
                : HD_MEMORY;
    if (!s) s = hd_texture_free(dev, handle);
    if (!s) s = hd_copy_out(dev, out, buffer, sizeof out);
    for (uint32_t i = 0; !s && i < 64; i++) assert_int_equal(out[i], 2 * i);
    if (!s) s = hd_free(dev, buffer);
    return s;
}

/* True: it came to the end. */
static bool attempt(const char *mech, uint64_t fail_at) {
    hd_option o[] = {{"run.mode", mech ? "timed" : "functional"},
                     {"run.mech", mech ? mech : "pdom"},
                     {"run.races", mech ? "off" : "on"}};
    hd_device *dev = NULL;
    struct watch w = {.trace = {quiet, NULL}, .timeline = {quiet, NULL}, .interval = 50};
    hd_status s = sim_open(&(hd_config){.options = o, .noptions = 3, .file = "tiny"}, fail_at, &dev);
    assert_non_null(dev);
    if (!s) sim_watch(dev, mech ? &w : NULL);
    if (!s) s = use(dev, mech && !(mech_find(mech)->caps & MECH_CALLS) ? ADDS : CALLS);
    if (s) {
        if (s != HD_MEMORY) fail_msg("%s: %s: %s", mech, hd_status_name(s), hd_error(dev));
        assert_true(sim_lost(dev));
        assert_non_null(strstr(hd_error(dev), "out of memory"));
        assert_int_equal(hd_alloc(dev, 4, &(uint64_t){0}), HD_MEMORY);
    }
    hd_device_close(dev);
    return !s;
}

static void every_allocation(const char *mech) {
    uint64_t n = 1;
    while (!attempt(mech, n)) n += n < 400 ? 1 : 1 + n / 97;
    assert_in_range(n, 50, 100000);
    assert_true(attempt(mech, 0));
}

static void functional_runs(void **state) {
    (void)state;
    every_allocation(NULL);
}

static void timed_runs_under_every_mechanism(void **state) {
    (void)state;
    for (size_t m = 0; mech_list[m]; m++) every_allocation(mech_list[m]->name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functional_runs),
        cmocka_unit_test(timed_runs_under_every_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
