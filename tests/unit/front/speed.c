/* How fast text is read and lowered. Prints MB/s; fails only when nothing was read, because the machine decides. */
#include <time.h>

#include "front.h"

enum { KERNELS = 40, LINES = 2000, ROUNDS = 3 };

/* What compilers emit most: see the counts in the notes on real PTX. */
static void add_kernel(struct sb *out, int k) {
    static const char *const line[] = {
        "\tadd.s32 \t%%r%d, %%r%d, %%r%d;\n",          "\tmov.u32 \t%%r%d, %%r%d;\n",
        "\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, %%f7;\n", "\tld.global.f32 \t%%f%d, [%%rd%d+16];\n",
        "\tst.global.f32 \t[%%rd%d], %%f%d;\n",        "\tmul.wide.s32 \t%%rd%d, %%r%d, 4;\n",
        "\tsetp.lt.s32 \t%%p1, %%r%d, %%r%d;\n",       "\t@%%p1 bra \t$L__BB%d_0;\n",
        "\tmov.b64 \t%%rd%d, {%%r%d, %%r%d};\n",       "\tselp.b32 \t%%r%d, %%r%d, %%r%d, %%p1;\n",
    };
    sb_add(out, "\n.visible .entry kernel_with_a_long_mangled_name_%d(\n\t.param .u64 kernel_param_0\n)\n{\n",
           k);
    sb_add(out, "\t.reg .pred \t%%p<4>;\n\t.reg .f32 \t%%f<1000>;\n\t.reg .b32 \t%%r<1000>;\n\t.reg .b64 "
                "\t%%rd<1000>;\n\n");
    sb_add(out, "$L__BB%d_0:\n", k);
    for (int i = 0; i < LINES; i++) {
        if (i % 10 == 7)
            sb_add(out, "\t@%%p1 bra \t$L__BB%d_0;\n", k);
        else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            sb_add(out, line[i % 10], i % 997 + 1, (i * 7) % 997 + 1, (i * 3) % 997 + 1);
#pragma GCC diagnostic pop
        }
    }
    sb_add(out, "\tret;\n}\n");
}

static void reads_typical_output(void **state) {
    (void)state;
    struct sb text = {0};
    double best = 0;
    sb_add(&text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    for (int k = 0; k < KERNELS; k++) add_kernel(&text, k);
    for (int round = 0; round < ROUNDS; round++) {
        struct err e = {0};
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        struct ir_module *m = ptx_load("speed.ptx", text.text, text.len, &e);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        if (!m) fail_msg("%s", err_text(&e));
        assert_int_equal(m->code.n, KERNELS * (LINES + 1));
        double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
        double rate = (double)text.len * 1e-6 / s;
        if (rate > best) best = rate;
        ir_module_free(m);
    }
    print_message("ptx_load: %.1f MB at %.0f MB/s\n", (double)text.len * 1e-6, best);
    sb_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_typical_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
