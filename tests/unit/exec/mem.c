/* Device memory, loads and stores of every space and width, and every memory fault with its exact report. */
#include "rig.h"

#define LOAD_KERNEL(body)                                                                             \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .u16 %rs<4>;\n" \
         "ld.param.u64 %rd1, [p];\n" body "\nret;\n}\n"

static void allocations_do_not_touch_and_say_where_an_address_is(void **state) {
    (void)state;
    struct exec_mem *m = exec_mem_new(1 << 20, 0);
    struct err e = {0};
    struct sb s = {0};
    uint64_t a, b;
    assert_true(exec_mem_alloc(m, 100, 1, "first", &a, &e));
    assert_true(exec_mem_alloc(m, 4096, 1, "second", &b, &e));
    assert_true(b >= a + 100 + 256);
    assert_int_equal(exec_mem_used(m), 4196);
    assert_non_null(exec_mem_at(m, a + 96, 4));
    assert_null(exec_mem_at(m, a + 97, 4));
    exec_mem_describe(m, a + 112, &s);
    assert_string_equal(s.text, "0x10000070 is 12 bytes past the end of first (0x10000000, 100 bytes)");
    s.len = 0;
    exec_mem_describe(m, b - 1, &s);
    assert_string_equal(s.text, "0x100001ff is 1 byte before second (0x10000200, 4096 bytes)");
    s.len = 0;
    assert_true(exec_mem_release(m, a, &e));
    exec_mem_describe(m, a + 4, &s);
    assert_string_equal(s.text, "0x10000004 is 4 bytes into released first (0x10000000, 100 bytes)");
    assert_null(exec_mem_at(m, a, 1));
    assert_false(exec_mem_release(m, a, &e));
    assert_false(exec_mem_alloc(m, 1 << 20, 1, "big", &a, &e));
    assert_int_equal(e.code, ERR_MEMORY);
    assert_false(exec_mem_alloc(m, UINT64_MAX, 1, "huge", &a, &e));
    assert_int_equal(exec_mem_used(m), 4096);
    sb_free(&s);
    err_free(&e);
    exec_mem_free_all(m);
}

static void released_memory_is_found_again_by_later_allocations(void **state) {
    (void)state;
    struct exec_mem *m = exec_mem_new(1 << 24, 0);
    struct err e = {0};
    uint64_t keep[64], addr;
    for (int k = 0; k < 64; k++) assert_true(exec_mem_alloc(m, 64, 1, "keep", &keep[k], &e));
    for (int k = 0; k < 10000; k++) {
        assert_true(exec_mem_alloc(m, 1000, 1, "passing", &addr, &e));
        assert_true(exec_mem_release(m, addr, &e));
    }
    for (int k = 0; k < 64; k++) assert_non_null(exec_mem_at(m, keep[k], 64));
    assert_int_equal(exec_mem_used(m), 64 * 64);
    exec_mem_free_all(m);
    err_free(&e);
}

/* One load or store with address p + offset, and the report it must give. */
static void check_fault(const char *body, uint64_t offset, const char *want) {
    struct rig r = rig_load(body);
    uint64_t buf = rig_buf(&r, 64, "argument 0");
    rig_fails(&r, "k", 1, 1, &(uint64_t){buf + offset}, want);
    assert_int_equal(r.err.code, ERR_FAULT);
    rig_free(&r);
}

#define AT "\n  kernel k, block (0,0,0), thread (0,0,0)\n  at t.ptx:7: "

static void faults_are_reported_in_full(void **state) {
    (void)state;
    check_fault(LOAD_KERNEL("ld.global.u32 %r1, [%rd1+12];"), 64,
                "out-of-bounds 4-byte load from global memory at 0x1000004c" AT
                "ld.global.u32 %r1, [%rd1+12];\n"
                "  0x1000004c is 12 bytes past the end of argument 0 (0x10000000, 64 bytes)");
    check_fault(LOAD_KERNEL("ld.global.v2.u32 {%r1,%r2}, [%rd1];"), 56 + 8,
                "out-of-bounds 8-byte load from global memory at 0x10000040" AT
                "ld.global.v2.u32 {%r1,%r2}, [%rd1];\n"
                "  0x10000040 is just past the end of argument 0 (0x10000000, 64 bytes)");
    check_fault(LOAD_KERNEL("st.global.u32 [%rd1+2], %r1;"), 0,
                "misaligned 4-byte store to global memory at 0x10000002" AT "st.global.u32 [%rd1+2], %r1;\n"
                "  0x10000002 is 2 bytes into argument 0 (0x10000000, 64 bytes)");
    check_fault(LOAD_KERNEL("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+8];"), 0,
                "misaligned 16-byte load from global memory at 0x10000008" AT
                "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+8];\n"
                "  0x10000008 is 8 bytes into argument 0 (0x10000000, 64 bytes)");
    check_fault(LOAD_KERNEL("mov.u64 %rd1, 0; ld.u32 %r1, [%rd1+4];"), 0,
                "null-pointer 4-byte load from global memory at 0x4" AT
                "mov.u64 %rd1, 0; ld.u32 %r1, [%rd1+4];");
    check_fault(LOAD_KERNEL("atom.global.add.u32 %r1, [%rd1+64], 1;"), 0,
                "out-of-bounds 4-byte atomic on global memory at 0x10000040" AT
                "atom.global.add.u32 %r1, [%rd1+64], 1;\n"
                "  0x10000040 is just past the end of argument 0 (0x10000000, 64 bytes)");
    check_fault(LOAD_KERNEL(".shared .b8 s[16]; st.shared.u32 [s+16], %r1;"), 0,
                "out-of-bounds 4-byte store to shared memory at 0x10" AT
                ".shared .b8 s[16]; st.shared.u32 [s+16], %r1;\n"
                "  shared memory has 16 bytes here");
}

static void constants_and_parameters_cannot_be_written(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD ".const .u32 c = 7;\n"
             ".visible .entry k(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %r<3>;\n"
             "mov.u64 %a, c; cvta.const.u64 %a, %a;\nld.u32 %r1, [%a];\nst.u32 [%a], %r1;\nret;\n}\n");
    rig_fails(&r, "k", 1, 1, &(uint64_t){0},
              "forbidden 4-byte store to const memory at 0x0\n  kernel k, block (0,0,0), thread (0,0,0)\n"
              "  at t.ptx:10: st.u32 [%a], %r1;");
    rig_free(&r);
}

/* Loads extend as their type says, stores cut off, vectors go element by element. */
static void every_width_extends_and_truncates(void **state) {
    (void)state;
    struct rig r = rig_load(
        LOAD_KERNEL("ld.global.u8 %r1, [%rd1];\nst.global.u32 [%rd1+16], %r1;\n"
                    "ld.global.s8 %r2, [%rd1];\nst.global.u32 [%rd1+20], %r2;\n"
                    "ld.global.u16 %r3, [%rd1];\nst.global.u32 [%rd1+24], %r3;\n"
                    "ld.global.s16 %r4, [%rd1];\nst.global.u32 [%rd1+28], %r4;\n"
                    "ld.global.s32 %rd2, [%rd1];\nst.global.u64 [%rd1+32], %rd2;\n"
                    "ld.global.u32 %rd3, [%rd1];\nst.global.u64 [%rd1+40], %rd3;\n"
                    "ld.global.v2.u64 {%rd4,%rd5}, [%rd1];\nst.global.v2.u64 [%rd1+48], {%rd5,%rd4};\n"
                    "ld.global.s8 %rd6, [%rd1];\nst.global.u64 [%rd1+64], %rd6;\n"
                    "st.global.u8 [%rd1+72], %r2;\nst.global.u16 [%rd1+74], %r4;\n"));
    uint64_t buf = rig_buf(&r, 128, "b");
    uint8_t *p = exec_mem_at(r.mem, buf, 128);
    for (int k = 0; k < 16; k++) p[k] = (uint8_t)(0x81 + k);
    rig_ok(&r, "k", 1, 1, &buf);
    const uint32_t *u = (const uint32_t *)(const void *)p;
    const uint64_t *d = (const uint64_t *)(const void *)p;
    assert_int_equal(u[4], 0x81);
    assert_int_equal(u[5], 0xffffff81u);
    assert_int_equal(u[6], 0x8281);
    assert_int_equal(u[7], 0xffff8281u);
    assert_int_equal(d[4], 0xffffffff84838281u);
    assert_int_equal(d[5], 0x84838281u);
    assert_int_equal(d[6], d[1]);
    assert_int_equal(d[7], d[0]);
    assert_int_equal(d[8], 0xffffffffffffff81u);
    assert_int_equal(u[18], 0x82810081u);
    rig_free(&r);
}

/* Warp patterns: consecutive, one address, strided, reversed, with some lanes off. */
static void patterns_of_a_warp_all_read_the_same_memory(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD ".visible .entry k(.param .u64 p, .param .u64 mul, .param .u64 add, .param .u64 lanes) {\n"
             ".reg .u64 %a<9>; .reg .u32 %t, %v; .reg .pred %p;\n"
             "ld.param.u64 %a0, [p]; ld.param.u64 %a1, [mul]; ld.param.u64 %a2, [add]; ld.param.u64 %a3, "
             "[lanes];\n"
             "mov.u32 %t, %tid.x; cvt.u64.u32 %a4, %t;\nshr.u64 %a5, %a3, %t; and.b64 %a5, %a5, 1;\n"
             "setp.ne.u64 %p, %a5, 0;\nmad.lo.u64 %a6, %a4, %a1, %a2; shl.b64 %a6, %a6, 2; add.u64 %a6, %a6, "
             "%a0;\n"
             "mov.u32 %v, 999;\n@%p ld.global.u32 %v, [%a6];\n"
             "mad.lo.u64 %a7, %a4, 4, %a0;\nst.global.u32 [%a7+1024], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 2048, "b");
    uint32_t *p = rig_u32(&r, buf);
    for (uint32_t k = 0; k < 256; k++) p[k] = k * 7 + 1;
    const uint64_t cases[][3] = {{1, 0, ~0u}, {0, 5, ~0u},    {2, 3, ~0u},       {(uint64_t)-1, 31, ~0u},
                                 {1, 0, 0xf}, {0, 9, 0x8000}, {3, 1, 0x55555555}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rig_ok(&r, "k", 1, 32, (uint64_t[]){buf, cases[c][0], cases[c][1], cases[c][2]});
        for (uint64_t l = 0; l < 32; l++)
            assert_int_equal(p[256 + l],
                             cases[c][2] >> l & 1 ? p[(l * cases[c][0] + cases[c][1]) & 0xffffffff] : 999);
    }
    rig_free(&r);
}

/* One generic pointer per lane into a different space each. */
static void generic_addresses_reach_every_space(void **state) {
    (void)state;
    struct rig r = rig_load(
        HEAD
        ".const .u32 c = 1111;\n.global .u32 g = 2222;\n"
        ".visible .entry k(.param .u64 p) {\n.local .align 4 .b8 loc[8];\n.shared .align 4 .b8 sh[8];\n"
        ".reg .u64 %a<9>; .reg .u32 %t, %v; .reg .pred %p<9>;\n"
        "ld.param.u64 %a0, [p]; mov.u32 %t, %tid.x;\nmov.u32 %v, 3333; st.local.u32 [loc+4], %v;\n"
        "mov.u32 %v, 4444; st.shared.u32 [sh+4], %v;\n"
        "mov.u64 %a1, c; cvta.const.u64 %a1, %a1;\nmov.u64 %a2, g; cvta.global.u64 %a2, %a2;\n"
        "mov.u64 %a3, loc; cvta.local.u64 %a3, %a3; add.u64 %a3, %a3, 4;\n"
        "mov.u64 %a4, sh; cvta.shared.u64 %a4, %a4; add.u64 %a4, %a4, 4;\n"
        "setp.eq.u32 %p1, %t, 1; @%p1 mov.u64 %a1, %a2;\nsetp.eq.u32 %p1, %t, 2; @%p1 mov.u64 %a1, %a3;\n"
        "setp.eq.u32 %p1, %t, 3; @%p1 mov.u64 %a1, %a4;\nld.u32 %v, [%a1];\n"
        "isspacep.shared %p2, %a1; @%p2 add.u32 %v, %v, 100000;\n"
        "isspacep.local %p2, %a1; @%p2 add.u32 %v, %v, 200000;\n"
        "isspacep.global %p2, %a1; @%p2 add.u32 %v, %v, 300000;\n"
        "cvt.u64.u32 %a5, %t; mad.lo.u64 %a5, %a5, 4, %a0; st.global.u32 [%a5], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 64, "b");
    rig_ok(&r, "k", 1, 4, &buf);
    const uint32_t want[] = {1111, 302222, 203333, 104444};
    assert_memory_equal(rig_u32(&r, buf), want, sizeof want);
    rig_free(&r);
}

/* An OpenCL __constant pointer parameter: ld.const of an address the host took from device memory. */
static void constant_loads_reach_buffers_and_stay_checked(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a, %a1; .reg .u32 %t, %v;\n"
                                 "ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; cvt.u64.u32 %a1, %t;\n"
                                 "mad.lo.u64 %a1, %a1, 4, %a;\nld.const.u32 %v, [%a1]; add.u32 %v, %v, 1;\n"
                                 "st.global.u32 [%a1+16], %v;\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 32, "b");
    for (uint32_t i = 0; i < 4; i++) rig_u32(&r, buf)[i] = 10 * i;
    rig_ok(&r, "k", 1, 4, &buf);
    const uint32_t want[] = {0, 10, 20, 30, 1, 11, 21, 31};
    assert_memory_equal(rig_u32(&r, buf), want, sizeof want);
    uint64_t past = buf + 32;
    assert_false(rig_run(&r, "k", 1, 4, &past));
    assert_non_null(strstr(err_text(&r.err), "out-of-bounds 4-byte load from const memory"));
    assert_non_null(strstr(err_text(&r.err), "is just past the end of b ("));
    rig_free(&r);
}

/* The lanes of a constant load may be in the bank and in a buffer; either way a generic pointer made from the constant one
 * reads the same word. */
static void constant_addresses_are_decoded_lane_by_lane(void **state) {
    (void)state;
    struct rig r = rig_load(HEAD ".const .u32 c = 77;\n.visible .entry k(.param .u64 p) {\n"
                                 ".reg .u64 %a, %b, %g; .reg .u32 %t, %v, %w; .reg .pred %q, %s;\n"
                                 "ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; and.b32 %t, %t, 1;\n"
                                 "setp.eq.u32 %q, %t, 0; mov.u64 %b, c; @%q mov.u64 %b, %a;\n"
                                 "ld.const.u32 %v, [%b]; cvta.const.u64 %g, %b; ld.u32 %w, [%g];\n"
                                 "isspacep.const %s, %g; @%s add.u32 %w, %w, 1000;\n"
                                 "cvta.to.const.u64 %g, %g; setp.ne.u64 %s, %g, %b; @%s trap;\n"
                                 "mov.u32 %t, %tid.x; mul.wide.u32 %b, %t, 8; add.u64 %a, %a, %b;\n"
                                 "st.global.v2.u32 [%a+8], {%v, %w};\nret;\n}\n");
    uint64_t buf = rig_buf(&r, 24, "b");
    rig_u32(&r, buf)[0] = 55;
    rig_ok(&r, "k", 1, 2, &buf);
    const uint32_t want[] = {55, 0, 55, 55, 77, 1077};
    assert_memory_equal(rig_u32(&r, buf), want, sizeof want);
    rig_free(&r);
}

/* Reads eight words at base + disp, writes them behind and adds them to the eight after those: every part of these accesses
 * that is an instruction of its own has a larger displacement than the one written, here up to and beyond 2^31. */
static void accesses_in_parts_have_offsets_beyond_2_to_the_31(void **state) {
    (void)state;
    for (int64_t disp = INT32_MAX - 80; disp <= INT32_MAX + INT64_C(80); disp += 8) {
        struct sb text = {0};
        sb_add(&text,
               HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %%b; .reg .f32 %%f<8>, %%g<4>;\n"
                    "ld.param.u64 %%b, [p]; sub.u64 %%b, %%b, %lld;\n"
                    "ld.global.v8.f32 {%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7}, [%%b+%lld];\n"
                    "st.global.v8.f32 [%%b+%lld], {%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7};\n"
                    "red.global.v4.f32.add [%%b+%lld], {%%f0,%%f1,%%f2,%%f3};\n"
                    "atom.global.v4.f32.add {%%g0,%%g1,%%g2,%%g3}, [%%b+%lld], {%%f4,%%f5,%%f6,%%f7};\n"
                    "ret;\n}\n",
               (long long)disp, (long long)disp, (long long)disp + 32, (long long)disp + 64,
               (long long)disp + 80);
        struct rig r = rig_load(text.text);
        uint64_t buf = rig_buf(&r, 96, "b");
        float *at = (float *)rig_u32(&r, buf);
        for (int k = 0; k < 24; k++) at[k] = (float)(k < 8 ? k + 1 : 100);
        rig_ok(&r, "k", 1, 1, &buf);
        for (int k = 0; k < 8; k++) {
            assert_true(at[8 + k] == (float)(k + 1));
            assert_true(at[16 + k] == (float)(k + 101));
        }
        rig_free(&r);
        sb_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_do_not_touch_and_say_where_an_address_is),
        cmocka_unit_test(released_memory_is_found_again_by_later_allocations),
        cmocka_unit_test(faults_are_reported_in_full),
        cmocka_unit_test(constants_and_parameters_cannot_be_written),
        cmocka_unit_test(constant_loads_reach_buffers_and_stay_checked),
        cmocka_unit_test(constant_addresses_are_decoded_lane_by_lane),
        cmocka_unit_test(every_width_extends_and_truncates),
        cmocka_unit_test(patterns_of_a_warp_all_read_the_same_memory),
        cmocka_unit_test(accesses_in_parts_have_offsets_beyond_2_to_the_31),
        cmocka_unit_test(generic_addresses_reach_every_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
