/* Kernels that fail: the launch stops, and the report names what happened, kernel, block, thread, the line of
 * the PTX and of the source, the address and the nearest allocation. The device goes on working. */
#include "base/err.h"
#include "kernels/harness.h"

/* A kernel "faulty" over a pointer; the code begins on line 16, with .loc naming line 100 of made.cu. */
static void faulty(struct rig *r, const char *decls, const char *code) {
    struct sb t = {0};
    sb_add(&t,
           ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"made.cu\"\n%s\n"
           ".visible .entry faulty(.param .u64 p)\n{\n.reg .u32 %%r<10>;\n.reg .u64 %%d<10>;\n.reg .pred "
           "%%p<4>;\n"
           "ld.param.u64 %%d0, [p];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmul.wide.u32 %%d1, "
           "%%r0, 4;\n"
           ".loc 1 100 3\n%s\nret;\n}\n",
           decls, code);
    rig_text(r, "made.ptx", t.text);
    sb_free(&t);
}

#define EXPECT(r, launch, arg, ...) \
    rig_fails(r, "faulty", launch, ARGS(arg), HD_FAULT, TEXTS("kernel faulty", __VA_ARGS__))

static void a_store_past_the_end_names_the_buffer(void **state) {
    (void)state;
    struct rig r;
    char address[40];
    faulty(&r, "", "add.u64 %d2, %d0, %d1; st.global.u32 [%d2], %r0;");
    uint64_t p = rig_zero(&r, 4 * 40);
    MUST(&r, hd_label(r.dev, p, "the table"));
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)p + 160);
    EXPECT(&r, LAUNCH(.grid = {3}, .block = {64}), PTR(p), "out-of-bounds", "store", "global", address,
           "the table", "160 bytes", "block (0,0,0)", "thread (40,0,0)", "made.ptx:16", "made.cu:100");
    RUN(&r, "faulty", LAUNCH(.grid = {3}, .block = {40}), PTR(p));
    uint32_t got[40];
    rig_out(&r, p, got, sizeof got);
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(got[i], i);
    rig_close(&r);
}

static void a_load_before_the_beginning(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "sub.u64 %d2, %d0, 4; setp.ne.u32 %p1, %r1, 2; @!%p1 ld.global.u32 %r2, [%d2];");
    uint64_t p = rig_zero(&r, 64);
    MUST(&r, hd_label(r.dev, p, "numbers"));
    EXPECT(&r, LAUNCH(.grid = {4}, .block = {2}), PTR(p), "out-of-bounds", "load", "numbers", "block (2,0,0)",
           "thread (0,0,0)");
    rig_close(&r);
}

/* The first bytes are inside; a vector access must be inside as a whole. */
static void a_vector_that_straddles_the_end(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d0+16];");
    EXPECT(&r, LAUNCH(.block = {1}), PTR(rig_zero(&r, 24)), "out-of-bounds", "16-byte", "load");
    rig_close(&r);
}

static void memory_that_was_freed(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "ld.global.u32 %r2, [%d0];");
    uint64_t p = rig_zero(&r, 64);
    RUN(&r, "faulty", LAUNCH(.block = {1}), PTR(p));
    MUST(&r, hd_free(r.dev, p));
    EXPECT(&r, LAUNCH(.block = {1}), PTR(p), "out-of-bounds", "load");
    rig_close(&r);
}

static void misaligned_accesses(void **state) {
    (void)state;
    static const char *const codes[] = {"ld.global.u32 %r2, [%d0+2];",
                                        "st.global.v2.u32 [%d0+4], {%r0, %r0};",
                                        "atom.global.add.u32 %r2, [%d0+1], 1;", "ld.u64 %d2, [%d0+12];"};
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        struct rig r;
        faulty(&r, "", codes[k]);
        EXPECT(&r, LAUNCH(.block = {1}), PTR(rig_zero(&r, 64)), "misaligned", "made.ptx:16", "0x");
        rig_close(&r);
    }
}

static void null_pointers(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "ld.u32 %r2, [%d0];");
    EXPECT(&r, LAUNCH(.block = {1}), PTR(0), "null", "load", "made.ptx:16");
    rig_close(&r);
}

static void shared_local_and_constant_memory_have_ends(void **state) {
    (void)state;
    static const struct {
        const char *decls, *code, *space;
    } cases[] = {
        {".shared .align 4 .b8 s[64];", "mov.u64 %d2, s; add.u64 %d2, %d2, %d1; st.shared.u32 [%d2], %r0;",
         "shared"},
        {"",
         ".local .align 4 .b8 l[16]; mov.u64 %d2, l; add.u64 %d2, %d2, 16777216; st.local.u32 [%d2], %r0;",
         "local"},
        {".const .align 4 .u32 c[4] = {1, 2, 3, 4};",
         "mov.u64 %d2, c; add.u64 %d2, %d2, 1048576; ld.const.u32 %r2, [%d2];", "const"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct rig r;
        faulty(&r, cases[k].decls, cases[k].code);
        EXPECT(&r, LAUNCH(.block = {32}), PTR(0), "out-of-bounds", cases[k].space,
               k ? "thread (0,0,0)" : "thread (16,0,0)");
        rig_close(&r);
    }
}

static void constants_cannot_be_written(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, ".const .align 4 .u32 c[4] = {1, 2, 3, 4};",
           "mov.u64 %d2, c; cvta.const.u64 %d2, %d2; st.u32 [%d2], %r0;");
    EXPECT(&r, LAUNCH(.block = {1}), PTR(0), "store", "const", "made.ptx:16");
    rig_close(&r);
}

/* 64 threads at a barrier for 96, and two halves of a warp that wait for each other at different barriers. */
static void barriers_that_can_never_complete(void **state) {
    (void)state;
    static const char *const codes[] = {
        "bar.sync 1, 96;",
        "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1, 64; bra.uni B; A: bar.sync 2, 64; B:",
        "setp.lt.u32 %p1, %r0, 7; @%p1 bra A; bar.warp.sync -1; bra.uni B; A: bar.sync 0; B:",
    };
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        struct rig r;
        faulty(&r, "", codes[k]);
        EXPECT(&r, LAUNCH(.block = {64}), PTR(0), "barrier", "made.ptx:16", "made.cu:100", "block (0,0,0)");
        rig_close(&r);
    }
}

static void a_call_to_no_function(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, ".func f(.param .u32 x)\n{\nret;\n}",
           "{ .param .u32 a; st.param.u32 [a], 1; P: .callprototype _ (.param .u32 _); add.u64 %d2, %d0, "
           "%d1; call %d2, (a), P; }");
    EXPECT(&r, LAUNCH(.block = {4}), hd_arg_u64(0x1234), "call", "thread (0,0,0)", "1234");
    rig_close(&r);
}

/* A function that exists, but is not among the targets the instruction lists. */
static void a_call_outside_its_target_list(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, ".func f(.param .u32 x)\n{\nret;\n}\n.func g(.param .u32 x)\n{\nret;\n}",
           "mov.u64 %d2, g; { .param .u32 a; st.param.u32 [a], 1; T: .calltargets f; call %d2, (a), T; }");
    EXPECT(&r, LAUNCH(.block = {1}), PTR(0), "call", "thread (0,0,0)");
    rig_close(&r);
}

static void an_endless_kernel_meets_its_limit(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "L: add.u32 %r2, %r2, 1; bra L;");
    rig_fails(&r, "faulty", LAUNCH(.grid = {3}, .block = {64}, .max_insts = 100000), ARGS(PTR(0)), HD_LIMIT,
              TEXTS("100000"));
    assert_in_range((uint64_t)rig_stat(&r, "exec.thread_insts"), 90000, 110000);
    rig_close(&r);
}

/* No thread will ever write what these threads read. */
static void a_spin_without_end_is_named(void **state) {
    (void)state;
    struct rig r;
    faulty(&r, "", "L: ld.volatile.global.u32 %r2, [%d0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;");
    rig_fails(&r, "faulty", LAUNCH(.grid = {2}, .block = {40}, .max_insts = 200000),
              ARGS(PTR(rig_zero(&r, 4))), HD_FAULT,
              TEXTS("program deadlock", "kernel faulty", "block (1,0,0), warp 1", "ld.volatile"));
    rig_close(&r);
}

static int stop_after_two(void *user, uint64_t done, uint64_t blocks) {
    uint64_t *last = user;
    *last = done;
    return blocks != 100 || done < 2;
}
static void the_progress_callback_can_stop_a_launch(void **state) {
    (void)state;
    struct rig r;
    uint64_t done = 0;
    faulty(&r, "", "add.u32 %r2, %r2, 1;");
    hd_set_progress(r.dev, stop_after_two, &done);
    assert_int_equal(rig_launch(&r, "faulty", LAUNCH(.grid = {100}, .block = {32}), ARGS(PTR(0))), HD_LIMIT);
    assert_in_range(done, 2, 99);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_past_the_end_names_the_buffer),
        cmocka_unit_test(a_load_before_the_beginning),
        cmocka_unit_test(a_vector_that_straddles_the_end),
        cmocka_unit_test(memory_that_was_freed),
        cmocka_unit_test(misaligned_accesses),
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(shared_local_and_constant_memory_have_ends),
        cmocka_unit_test(constants_cannot_be_written),
        cmocka_unit_test(barriers_that_can_never_complete),
        cmocka_unit_test(a_call_to_no_function),
        cmocka_unit_test(a_call_outside_its_target_list),
        cmocka_unit_test(an_endless_kernel_meets_its_limit),
        cmocka_unit_test(a_spin_without_end_is_named),
        cmocka_unit_test(the_progress_callback_can_stop_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
