/* Sampled timing: which launches are simulated and which estimated, that memory and messages are those of the program either
 * way, and what an estimate is. */
#include "sim/observe/sample.h"
#include "kernels/harness.h"
#include "sim/sim.h"

/* count(out, n): n rounds of a loop, then out[thread] += 1. says(): prints a line. grows(): allocates. */
static const char PTX[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
    ".global .align 1 .b8 hello[4] = {104, 105, 10, 0};\n"
    ".visible .entry count(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d0, [out];\n  ld.param.u32 %r0, [n];\n"
    "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
    "  mad.lo.u32 %r4, %r2, %r3, %r1;\n  mul.wide.u32 %d1, %r4, 4;\n  add.u64 %d2, %d0, %d1;\n"
    "  mov.u32 %r5, 0;\nLOOP:\n  setp.ge.u32 %p0, %r5, %r0;\n  @%p0 bra DONE;\n  add.u32 %r5, %r5, 1;\n"
    "  bra LOOP;\nDONE:\n  ld.global.u32 %r6, [%d2];\n  add.u32 %r6, %r6, 1;\n  st.global.u32 [%d2], %r6;\n"
    "  ret;\n}\n"
    ".visible .entry says()\n{\n  .reg .b64 %d<3>;\n  .reg .b32 %r;\n  mov.u64 %d0, hello;\n"
    "  cvta.global.u64 %d1, %d0;\n  mov.u64 %d2, 0;\n"
    "  {\n  .param .b64 f;\n  st.param.b64 [f], %d1;\n  .param .b64 v;\n  st.param.b64 [v], %d2;\n"
    "  .param .b32 r;\n  call.uni (r), vprintf, (f, v);\n  ld.param.b32 %r, [r];\n  }\n  ret;\n}\n";

static const char GROWS[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".visible .entry grows()\n{\n  .reg .b64 %d<2>;\n"
    "  {\n  .param .b64 n;\n  st.param.b64 [n], 16;\n  .param .b64 r;\n  call.uni (r), malloc, (n);\n"
    "  ld.param.b64 %d0, [r];\n  }\n  ret;\n}\n";

static void open_with(struct rig *r, const char *sample, const char *text) {
    const hd_option o[] = {{"run.mode", "timed"}, {"run.sample", sample}};
    *r = (struct rig){0};
    if (hd_device_open(&(hd_config){.options = o, .noptions = 2, .file = "tiny"}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    MUST(r, hd_module_load(r->dev, "k.ptx", text, 0, &r->mod));
}

static double total(const struct rig *r, const char *name) {
    double v = 0;
    assert_int_equal(hd_stat(r->dev, 1, name, &v), HD_OK);
    return v;
}

static void count(struct rig *r, uint64_t out, uint32_t n) {
    RUN(r, "count", LAUNCH(.grid = {8}, .block = {64}), PTR(out), hd_arg_u32(n));
}

/* The third launch is like all that follow, so nothing is lost: every statistic of the whole is the same. */
static void identical_launches_are_exact(void **state) {
    (void)state;
    struct rig full, sampled;
    open_with(&full, "false", PTX);
    open_with(&sampled, "true", PTX);
    const uint64_t a = rig_zero(&full, 8 * 64 * 4), b = rig_zero(&sampled, 8 * 64 * 4);
    for (int k = 0; k < 20; k++) {
        count(&full, a, 50);
        count(&sampled, b, 50);
        assert_true(rig_stat(&sampled, "gpu.estimated") == (k >= 3));
        assert_true(rig_stat(&sampled, "gpu.cycles") == rig_stat(&full, "gpu.cycles"));
    }
    for (size_t i = 0; i < hd_stat_count(); i++) {
        hd_stat_info info;
        assert_int_equal(hd_stat_at(i, &info), HD_OK);
        const double want = !strcmp(info.name, "gpu.estimated") ? 17 : total(&full, info.name);
        if (total(&sampled, info.name) != want)
            fail_msg("%s: %g, estimated %g", info.name, want, total(&sampled, info.name));
    }
    rig_close(&full);
    rig_close(&sampled);
}

/* Whatever runs first, a launch takes effect once. */
static void memory_is_that_of_every_launch(void **state) {
    (void)state;
    struct rig r;
    uint32_t values[8 * 64];
    open_with(&r, "true", PTX);
    const uint64_t out = rig_zero(&r, sizeof values);
    for (uint32_t k = 0; k < 30; k++) count(&r, out, k % 3 * 100);
    MUST(&r, hd_copy_out(r.dev, values, out, sizeof values));
    for (size_t i = 0; i < 8 * 64; i++) assert_int_equal(values[i], 30);
    assert_true(total(&r, "gpu.estimated") == 21);
    rig_close(&r);
}

/* For launches within run.sample_distance the instructions are right and the cycles near. */
static void near_launches_are_scaled(void **state) {
    (void)state;
    struct rig full, sampled;
    open_with(&full, "false", PTX);
    open_with(&sampled, "true", PTX);
    const uint64_t a = rig_zero(&full, 8 * 64 * 4), b = rig_zero(&sampled, 8 * 64 * 4);
    for (uint32_t n = 400; n < 406; n++) {
        count(&full, a, n);
        count(&sampled, b, n);
        const double want = rig_stat(&full, "gpu.cycles"), have = rig_stat(&sampled, "gpu.cycles");
        assert_true(rig_stat(&sampled, "exec.thread_insts") == rig_stat(&full, "exec.thread_insts"));
        assert_true(rig_stat(&sampled, "exec.blocks") == 8);
        assert_true(have > 0.98 * want && have < 1.02 * want);
    }
    assert_true(total(&sampled, "gpu.estimated") == 3);
    count(&sampled, b, 450); /* one in eight more */
    assert_true(rig_stat(&sampled, "gpu.estimated") == 0);
    rig_close(&full);
    rig_close(&sampled);
}

static void other_shapes_are_other_classes(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, "true", PTX);
    const uint64_t out = rig_zero(&r, 8 * 64 * 4);
    for (int k = 0; k < 4; k++) count(&r, out, 10);
    assert_true(rig_stat(&r, "gpu.estimated") == 1);
    RUN(&r, "count", LAUNCH(.grid = {4}, .block = {128}), PTR(out), hd_arg_u32(10));
    assert_true(rig_stat(&r, "gpu.estimated") == 0);
    RUN(&r, "count", LAUNCH(.grid = {8}, .block = {64}, .shared_bytes = 16), PTR(out), hd_arg_u32(10));
    assert_true(rig_stat(&r, "gpu.estimated") == 0);
    count(&r, out, 10);
    assert_true(rig_stat(&r, "gpu.estimated") == 1);
    rig_close(&r);
}

static void add_bytes(void *user, const char *text, size_t n) {
    sb_addn(user, text, n);
}

static void what_kernels_print_is_printed_once(void **state) {
    (void)state;
    struct rig r;
    struct sb said = {0};
    open_with(&r, "true", PTX);
    hd_set_print(r.dev, add_bytes, &said);
    for (int k = 0; k < 5; k++) MUST(&r, rig_launch(&r, "says", LAUNCH(.grid = {1}, .block = {1}), NULL, 0));
    assert_string_equal(said.text, "hi\nhi\nhi\nhi\nhi\n");
    assert_true(total(&r, "gpu.estimated") == 2);
    sb_free(&said);
    rig_close(&r);
}

static void modules_that_allocate_are_simulated(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, "true", GROWS);
    for (int k = 0; k < 5; k++) MUST(&r, rig_launch(&r, "grows", LAUNCH(.grid = {1}, .block = {1}), NULL, 0));
    assert_true(total(&r, "gpu.estimated") == 0);
    rig_close(&r);
}

/* The report is that of the machine, and what is left in memory too. */
static void faults_are_reported_as_without(void **state) {
    (void)state;
    char text[2][1024];
    for (int k = 0; k < 2; k++) {
        struct rig r;
        open_with(&r, k ? "true" : "false", PTX);
        const uint64_t out = rig_zero(&r, 8 * 64 * 4);
        for (int n = 0; n < 5; n++) count(&r, out, 10);
        hd_kernel *kernel;
        MUST(&r, hd_module_kernel(r.mod, "count", &kernel));
        const hd_arg args[] = {PTR(out + 4), hd_arg_u32(10)};
        assert_int_equal(hd_run(kernel, &(hd_launch){.grid = {8}, .block = {64}}, args, 2), HD_FAULT);
        snprintf(text[k], sizeof text[k], "%s", hd_error(r.dev));
        hd_fault_info info;
        assert_int_equal(hd_fault(r.dev, &info), HD_OK);
        assert_int_equal(info.kind, HD_FAULT_ADDRESS);
        rig_close(&r);
    }
    assert_string_equal(text[0], text[1]);
}

static void what_is_recorded_refuses_it(void **state) {
    (void)state;
    const struct watch watches[] = {
        {.interval = 100}, {.profile = true}, {.density = {.bins = 8, .windows = 4, .issues = 2}}};
    for (size_t k = 0; k < sizeof watches / sizeof *watches; k++) {
        struct rig r;
        open_with(&r, "true", PTX);
        const uint64_t out = rig_zero(&r, 8 * 64 * 4);
        hd_kernel *kernel;
        sim_watch(r.dev, &watches[k]);
        MUST(&r, hd_module_kernel(r.mod, "count", &kernel));
        const hd_arg args[] = {PTR(out), hd_arg_u32(10)};
        assert_int_equal(hd_run(kernel, &(hd_launch){.grid = {8}, .block = {64}}, args, 2), HD_INVALID);
        assert_non_null(strstr(hd_error(r.dev), "needs every launch simulated"));
        rig_close(&r);
    }
}

static void counters_that_add_up_are_scaled(void **state) {
    (void)state;
    struct stats s = {.exec = {.thread_insts = 1000, .blocks = 7, .launches = 1},
                      .gpu = {.cycles = 501, .resident_blocks = 3},
                      .sm = {.thread_insts = 1000}};
    sample_scale(&s, 1100);
    assert_int_equal(s.exec.thread_insts, 1100);
    assert_int_equal(s.sm.thread_insts, 1100);
    assert_int_equal(s.gpu.cycles, 551);
    assert_int_equal(s.exec.blocks, 7);
    assert_int_equal(s.exec.launches, 1);
    assert_int_equal(s.gpu.resident_blocks, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_launches_are_exact),
        cmocka_unit_test(memory_is_that_of_every_launch),
        cmocka_unit_test(near_launches_are_scaled),
        cmocka_unit_test(other_shapes_are_other_classes),
        cmocka_unit_test(what_kernels_print_is_printed_once),
        cmocka_unit_test(modules_that_allocate_are_simulated),
        cmocka_unit_test(faults_are_reported_as_without),
        cmocka_unit_test(what_is_recorded_refuses_it),
        cmocka_unit_test(counters_that_add_up_are_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
