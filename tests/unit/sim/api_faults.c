/* What hd_fault says of a launch that failed: the kind, the thread, the lines and the access, functional and timed. */
#include "api.h"

struct fault_case {
    const char *code; /* code of a kernel over a pointer, %d0, and its thread, %r0; on line 12 */
    hd_fault_kind kind;
    const char *space; /* NULL: no access */
    uint64_t offset;   /* offset of the address in the buffer, or in the space */
};

static const struct fault_case cases[] = {
    {"ld.global.u32 %r1, [%d0+256];", HD_FAULT_ADDRESS, "global", 256},
    {"mov.u64 %d1, 0;\tld.global.u32 %r1, [%d1+8];", HD_FAULT_ADDRESS, "global", 8},
    {"st.shared.u32 [4096], %r0;", HD_FAULT_ADDRESS, "shared", 4096},
    {"atom.global.add.u32 %r1, [%d0+2], 1;", HD_FAULT_ALIGNMENT, "global", 2},
    {"mov.u64 %d1, table;\tcvta.const.u64 %d2, %d1;\tst.u32 [%d2], %r0;", HD_FAULT_READONLY, "const", 0},
    {"trap;", HD_FAULT_TRAP, NULL, 0},
    {"call.uni deep;", HD_FAULT_STACK, NULL, 0},
    {"mov.u64 %d1, 64;\tcall %d1, (), proto;", HD_FAULT_CALL, NULL, 0},
    {"bar.sync %r2;", HD_FAULT_BARRIER, NULL, 0},
    {"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}];", HD_FAULT_TEXTURE, NULL, 0},
    {"call.uni frees, (%d0);", HD_FAULT_HEAP, NULL, 0},
    {"call.uni asserts;", HD_FAULT_ASSERT, NULL, 0},
};

static const char HEAD[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"made.cu\"\n"
    ".func frees(.param .b64 q); .const .u32 table = 1;\n.extern .func free(.param .b64 p); .func deep(); "
    ".func asserts();\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".visible .entry faulty(.param .u64 p)\n{ .reg .u32 %r<4>; .reg .u64 %d<4>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r2, 99; proto: .callprototype ()_();\n"
    ".loc 1 77 1\n";

static const char TAIL[] =
    "\nret;\n}\n"
    ".func deep()\n{ .local .b8 room[4096]; .reg .u32 %r; mov.u32 %r, 1; st.local.u32 [room], %r;\n"
    "call.uni deep; ld.local.u32 %r, [room]; ret; }\n"
    ".func frees(.param .b64 q)\n{ .reg .u64 %d; ld.param.u64 %d, [q]; { .param .b64 f; st.param.b64 [f], "
    "%d;\n"
    "call.uni free, (f); } ret; }\n"
    ".func asserts()\n{ .reg .u64 %d; .reg .u32 %r; mov.u64 %d, 0; mov.u32 %r, 3;\n"
    "{ .param .b64 a; st.param.b64 [a], %d; .param .b64 b; st.param.b64 [b], %d; .param .b32 c;\n"
    "st.param.b32 [c], %r; .param .b64 d; st.param.b64 [d], %d; .param .b64 e; st.param.b64 [e], %d;\n"
    "call.uni __assertfail, (a, b, c, d, e); } ret; }\n";

static void load_case(hd_device *dev, const char *code, hd_module **mod) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", HEAD, code, TAIL);
    WORKS(dev, hd_module_load(dev, "made.ptx", text, 0, mod));
}

static void check_case(hd_device *dev, const struct fault_case *c) {
    hd_module *mod;
    hd_kernel *k;
    uint64_t buf;
    load_case(dev, c->code, &mod);
    WORKS(dev, hd_module_kernel(mod, "faulty", &k));
    WORKS(dev, hd_alloc(dev, 256, &buf));
    hd_arg arg = hd_arg_ptr(buf);
    if (hd_run(k, &(hd_launch){.grid = {1}, .block = {32, 1, 1}}, &arg, 1) != HD_FAULT)
        fail_msg("%s does not fail: %s", c->code, hd_error(dev));
    hd_fault_info f;
    assert_int_equal(hd_fault(dev, &f), HD_OK);
    if (f.kind != c->kind) fail_msg("%s: %s, not %s", c->code, hd_fault_name(f.kind), hd_fault_name(c->kind));
    assert_string_equal(f.kernel, "faulty");
    assert_true(f.thread_known);
    assert_int_equal(f.block[0] + f.block[1] + f.block[2] + f.thread[1] + f.thread[2], 0);
    assert_int_equal(f.thread[0], 0);
    if (c->kind != HD_FAULT_STACK && c->kind != HD_FAULT_HEAP && c->kind != HD_FAULT_ASSERT) {
        assert_int_equal(f.line, 12);
        assert_string_equal(f.source, "made.cu");
        assert_int_equal(f.source_line, 77);
    }
    if (!c->space) {
        assert_null(f.space);
    } else {
        assert_string_equal(f.space, c->space);
        const int in_buffer = !strcmp(c->space, "global") && !strstr(c->code, ", 0;");
        assert_int_equal(f.address, (in_buffer ? buf : 0) + c->offset);
        assert_int_equal(f.bytes, 4);
        assert_int_equal(f.store, !strncmp(c->code, "ld", 2) || strstr(c->code, "ld.global") ? 0 : 1);
    }
    hd_module_unload(mod); /* the names go with it, the rest stays */
    assert_int_equal(hd_fault(dev, &f), HD_OK);
    assert_int_equal(f.kind, c->kind);
    assert_null(f.kernel);
    assert_null(f.source);
    WORKS(dev, hd_free(dev, buf));
}

static void every_kind_is_told_with_its_place(void **state) {
    (void)state;
    static const char *const modes[] = {"functional", "timed"};
    for (size_t m = 0; m < 2; m++) {
        hd_device *dev;
        const hd_option mode = {"run.mode", modes[m]};
        const hd_config config = {.options = &mode, .noptions = 1};
        assert_int_equal(hd_device_open(&config, &dev), HD_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_case(dev, &cases[k]);
        hd_device_close(dev);
    }
}

static void the_thread_is_the_one_that_failed(void **state) {
    struct api *a = *state;
    hd_fault_info f;
    uint64_t out = api_alloc(a, 40 * 4);
    hd_arg arg = hd_arg_ptr(out);
    assert_int_equal(hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {8, 8, 1}}, &arg, 1), HD_OK);
    assert_int_equal(
        hd_run(api_kernel(a, "lookup"), &(hd_launch){.grid = {2, 1, 1}, .block = {64, 1, 1}}, &arg, 1),
        HD_FAULT);
    assert_int_equal(hd_fault(a->dev, &f), HD_OK);
    assert_int_equal(f.thread[0], 40);
    assert_int_equal(f.address, out + 160);
    assert_true(f.store);
    assert_null(f.source); /* its PTX has no .loc */
}

static void deadlocks_are_faults_without_an_access(void **state) {
    struct api *a = *state;
    hd_fault_info f;
    assert_int_equal(hd_run(api_kernel(a, "forever"), &(hd_launch){.block = {1}}, NULL, 0), HD_FAULT);
    assert_int_equal(hd_fault(a->dev, &f), HD_OK);
    assert_string_equal(hd_fault_name(f.kind), "HD_FAULT_DEADLOCK");
    assert_true(f.thread_known);
    assert_null(f.space);
    hd_device *dev;
    hd_module *mod;
    hd_kernel *k;
    const hd_option options[] = {{"run.mode", "timed"}, {"gpu.watchdog", "2000"}};
    assert_int_equal(hd_device_open(&(hd_config){.options = options, .noptions = 2}, &dev), HD_OK);
    WORKS(dev, hd_module_load(dev, "api.ptx", API_PTX, 0, &mod));
    WORKS(dev, hd_module_kernel(mod, "forever", &k));
    assert_int_equal(hd_run(k, &(hd_launch){.block = {1}}, NULL, 0), HD_FAULT);
    assert_int_equal(hd_fault(dev, &f), HD_OK);
    assert_int_equal(f.kind, HD_FAULT_DEADLOCK);
    assert_false(f.thread_known);
    hd_device_close(dev);
}

/* Two devices, each failing in both modes in turn, with memory of the host under both: every other launch is right. */
static void devices_go_on_after_faults(void **state) {
    (void)state;
    hd_device *dev[2];
    hd_kernel *good[2], *bad[2];
    uint32_t host[2][32];
    hd_arg arg[2];
    for (int d = 0; d < 2; d++) {
        hd_module *mod;
        uint64_t addr = (uint64_t)(uintptr_t)host[d];
        assert_int_equal(hd_device_open(&(hd_config){.file = d ? "tiny" : NULL}, &dev[d]), HD_OK);
        WORKS(dev[d], hd_module_load(dev[d], "api.ptx", API_PTX, 0, &mod));
        WORKS(dev[d], hd_module_kernel(mod, "lookup", &good[d]));
        WORKS(dev[d], hd_module_kernel(mod, "traps", &bad[d]));
        WORKS(dev[d], hd_alloc_at(dev[d], sizeof host[d], host[d], &addr));
        arg[d] = hd_arg_ptr(addr);
    }
    for (int n = 0; n < 8; n++) {
        const int d = n % 2;
        hd_launch l = {.block = {32, 1, 1}, .mode = n / 2 % 2 ? HD_MODE_TIMED : HD_MODE_FUNCTIONAL};
        hd_fault_info f;
        memset(host[d], 0, sizeof host[d]);
        assert_int_equal(hd_run(bad[d], &l, NULL, 0), HD_FAULT);
        assert_int_equal(hd_fault(dev[d], &f), HD_OK);
        assert_int_equal(f.kind, HD_FAULT_TRAP);
        l.mode = n / 4 ? HD_MODE_TIMED : HD_MODE_FUNCTIONAL;
        WORKS(dev[d], hd_run(good[d], &l, &arg[d], 1));
        assert_int_equal(host[d][31], 47);
        assert_int_equal(hd_fault(dev[d], &f), HD_OK);
        assert_int_equal(f.kind, HD_FAULT_NONE);
    }
    for (int d = 0; d < 2; d++) hd_device_close(dev[d]);
}

static void a_launch_that_ends_well_forgets_the_fault(void **state) {
    struct api *a = *state;
    hd_fault_info f;
    hd_kernel *traps = api_kernel(a, "traps");
    assert_int_equal(hd_fault(a->dev, &f), HD_OK);
    assert_int_equal(f.kind, HD_FAULT_NONE);
    assert_int_equal(hd_run(traps, &(hd_launch){.block = {1}}, NULL, 0), HD_FAULT);
    assert_int_equal(hd_run(api_kernel(a, "forever"), &(hd_launch){.max_insts = 100}, NULL, 0), HD_LIMIT);
    assert_int_equal(hd_fault(a->dev, &f), HD_OK);
    assert_int_equal(f.kind, HD_FAULT_NONE);
    assert_null(f.kernel);
    assert_int_equal(hd_fault(NULL, &f), HD_INVALID);
    assert_int_equal(hd_fault(a->dev, NULL), HD_INVALID);
    assert_string_equal(hd_fault_name((hd_fault_kind)99), "unknown fault");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_told_with_its_place),
        API_TEST(the_thread_is_the_one_that_failed),
        API_TEST(deadlocks_are_faults_without_an_access),
        API_TEST(a_launch_that_ends_well_forgets_the_fault),
        cmocka_unit_test(devices_go_on_after_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
