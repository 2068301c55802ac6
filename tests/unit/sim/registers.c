/* Registers that a kernel is given in place of those that are counted: .maxnreg and run.registers change how many blocks fit
 * on an SM, and nothing else. */
#include "sim/device/registers.h"
#include "kernels/harness.h"
#include "sim/sim.h"

/* A sum of forty values that are all alive at once: more than forty registers. */
static void add_kernel(struct sb *t, const char *name, const char *directive) {
    sb_add(t, ".visible .entry %s(.param .u64 out)\n%s\n{\n.reg .b64 %%a;\n.reg .b32 %%r<41>;\n", name,
           directive);
    sb_add(t, "ld.param.u64 %%a, [out];\nmov.u32 %%r40, %%tid.x;\n");
    for (int k = 0; k < 40; k++) sb_add(t, "mul.lo.u32 %%r%d, %%r40, %d;\n", k, k + 1);
    for (int k = 0; k < 40; k++) sb_add(t, "add.u32 %%r40, %%r40, %%r%d;\n", k);
    sb_add(t, "st.global.u32 [%%a], %%r40;\nret;\n}\n");
}

/* Blocks of 256 threads that fit on an SM of 65536 registers, given out in units of 256. */
static double resident(const char *kernel, const char *registers) {
    const hd_option o[] = {{"run.mode", "timed"},      {"run.registers", registers},
                           {"gpu.sms", "1"},           {"sm.threads", "4096"},
                           {"sm.blocks", "32"},        {"sm.registers", "65536"},
                           {"sm.register_unit", "256"}};
    struct rig r = {0};
    struct sb t = {0};
    if (hd_device_open(&(hd_config){.options = o, .noptions = sizeof o / sizeof *o, .file = "tiny"}, &r.dev))
        fail_msg("%s", r.dev ? hd_error(r.dev) : "no memory");
    sb_add(&t, ".version 7.0\n.target sm_75\n.address_size 64\n");
    add_kernel(&t, "free", "");
    add_kernel(&t, "bound", ".maxnreg 32");
    MUST(&r, hd_module_load(r.dev, "k.ptx", t.text, t.len, &r.mod));
    uint64_t d = rig_zero(&r, 4);
    RUN(&r, kernel, LAUNCH(.grid = {64}, .block = {256}), PTR(d));
    const double blocks = rig_stat(&r, "gpu.resident_blocks");
    sb_free(&t);
    rig_close(&r);
    return blocks;
}

static double fit(uint32_t registers) {
    return 65536 / (8 * ((registers * 32 + 255) / 256 * 256));
}

static void maxnreg_bounds_the_registers(void **state) {
    (void)state;
    assert_true(resident("free", "") <= fit(41));
    assert_true(resident("bound", "") == fit(32));
}

static void a_number_bounds_all_kernels(void **state) {
    (void)state;
    assert_true(resident("free", "24") == fit(24));
    assert_true(resident("bound", "24") == fit(24));
    assert_true(resident("bound", "40") == fit(32)); /* both bounds hold */
    assert_true(resident("free", "255") == resident("free", ""));
}

static void a_name_says_what_its_kernel_has(void **state) {
    (void)state;
    assert_true(resident("free", "free:64") == fit(64));
    assert_true(resident("bound", "free:64") == fit(32));
    assert_true(resident("bound", "16, free:64 , bound:128") == fit(128));
    assert_true(resident("free", "16,bound:128") == fit(16));
}

static void what_is_no_list_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"x",  "0",  "1025", ":3",    "k:",         "k:0",
                                      "1,", ",1", "1 2",  "k:1:2", "99999999999"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct err e = {0};
        if (registers_check(bad[k], &e)) fail_msg("\"%s\" was taken", bad[k]);
        assert_non_null(strstr(err_text(&e), bad[k]));
        err_free(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxnreg_bounds_the_registers),
        cmocka_unit_test(a_number_bounds_all_kernels),
        cmocka_unit_test(a_name_says_what_its_kernel_has),
        cmocka_unit_test(what_is_no_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
