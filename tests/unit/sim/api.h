/* What the tests of the public API share: one PTX module with something for each of them, and checks of
 * status and text. */
#ifndef HEDDLE_TESTS_SIM_API_H
#define HEDDLE_TESTS_SIM_API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <heddle.h>

static const char API_PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
    ".visible .const .align 8 .f64 scale = 0d4000000000000000;\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".global .texref image;\n"
    ".shared .align 4 .b8 scratch[1024];\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
    ".global .align 1 .b8 hello[4] = {104, 105, 10, 0};\n"
    /* out[tid] = table[tid & 3] + counter */
    ".visible .entry lookup(.param .u64 out)\n{\n"
    "  .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d0, [out];\n  mov.u32 %r0, %tid.x;\n  and.b32 %r1, %r0, 3;\n"
    "  mul.wide.u32 %d1, %r1, 4;\n  mov.u64 %d2, table;\n  add.u64 %d3, %d2, %d1;\n  ld.const.u32 %r2, "
    "[%d3];\n"
    "  ld.global.u32 %r3, [counter];\n  add.u32 %r4, %r2, %r3;\n"
    "  mul.wide.u32 %d4, %r0, 4;\n  add.u64 %d5, %d0, %d4;\n  st.global.u32 [%d5], %r4;\n  ret;\n}\n"
    /* out[0..7] = the arguments, each widened to 64 bits */
    ".visible .entry types(.param .u8 a, .param .s16 b, .param .u32 c, .param .f64 d,\n"
    "  .param .align 4 .b8 e[12], .param .f32 f, .param .u64 .ptr .global .align 8 out)\n{\n"
    "  .reg .b16 %h<2>; .reg .b32 %r<4>; .reg .f32 %f<2>; .reg .f64 %g<2>; .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d0, [out];\n"
    "  ld.param.u8 %h0, [a];\n  cvt.u64.u8 %d1, %h0;\n  st.global.u64 [%d0], %d1;\n"
    "  ld.param.s16 %h1, [b];\n  cvt.s64.s16 %d2, %h1;\n  st.global.u64 [%d0+8], %d2;\n"
    "  ld.param.u32 %r0, [c];\n  cvt.u64.u32 %d3, %r0;\n  st.global.u64 [%d0+16], %d3;\n"
    "  ld.param.f64 %g0, [d];\n  st.global.f64 [%d0+24], %g0;\n"
    "  ld.param.u32 %r1, [e+8];\n  cvt.u64.u32 %d4, %r1;\n  st.global.u64 [%d0+32], %d4;\n"
    "  ld.param.f32 %f0, [f];\n  cvt.f64.f32 %g1, %f0;\n  st.global.f64 [%d0+40], %g1;\n  ret;\n}\n"
    ".visible .entry exact() .reqntid 32, 2\n{\n  ret;\n}\n"
    ".visible .entry most() .maxntid 16, 4, 1\n{\n  ret;\n}\n"
    ".visible .entry uses_shared()\n{\n  .reg .b32 %r<2>;\n  mov.u32 %r0, 1;\n  st.shared.u32 [scratch], "
    "%r0;\n  ret;\n}\n"
    ".visible .entry forever()\n{\nL:\n  bra L;\n}\n"
    ".visible .entry store(.param .u64 to)\n{\n  .reg .b64 %d;\n  .reg .b32 %r;\n  ld.param.u64 %d, [to];\n"
    "  mov.u32 %r, 5;\n  st.global.u32 [%d], %r;\n  ret;\n}\n"
    ".visible .entry traps()\n{\n  trap;\n}\n"
    ".visible .entry says()\n{\n  .reg .b64 %d<3>;\n  .reg .b32 %r;\n  mov.u64 %d0, hello;\n"
    "  cvta.global.u64 %d1, %d0;\n  mov.u64 %d2, 0;\n"
    "  {\n  .param .b64 f;\n  st.param.b64 [f], %d1;\n  .param .b64 v;\n  st.param.b64 [v], %d2;\n"
    "  .param .b32 r;\n  call.uni (r), vprintf, (f, v);\n  ld.param.b32 %r, [r];\n  }\n  ret;\n}\n"
    /* out[tid] = image at tid */
    ".visible .entry texels(.param .u64 out)\n{\n  .reg .b64 %d<4>;\n  .reg .b32 %r<2>;\n  .reg .f32 %f<4>;\n"
    "  ld.param.u64 %d0, [out];\n  mov.u32 %r0, %tid.x;\n  tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [image, "
    "{%r0}];\n"
    "  mul.wide.u32 %d1, %r0, 4;\n  add.u64 %d2, %d0, %d1;\n  st.global.f32 [%d2], %f0;\n  ret;\n}\n"
    /* reads through a texture object in that way */
    ".visible .entry object(.param .u64 tex, .param .u64 out)\n{\n  .reg .b64 %d<5>;\n  .reg .b32 %r<2>;\n"
    "  .reg .f32 %f<4>;\n  ld.param.u64 %d3, [tex];\n"
    "  ld.param.u64 %d0, [out];\n  mov.u32 %r0, %tid.x;\n  tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d3, "
    "{%r0}];\n"
    "  mul.wide.u32 %d1, %r0, 4;\n  add.u64 %d2, %d0, %d1;\n  st.global.f32 [%d2], %f0;\n  ret;\n}\n"
    /* frames of 16, 32 and 64 bytes: kernel -> middle -> leaf */
    ".func leaf()\n{\n  .local .align 8 .b8 room[64];\n  .reg .b32 %r;\n  mov.u32 %r, 0;\n  st.local.u32 "
    "[room], %r;\n  ret;\n}\n"
    ".func middle()\n{\n  .local .align 8 .b8 room[32];\n  .reg .b32 %r;\n  mov.u32 %r, 0;\n  st.local.u32 "
    "[room], %r;\n"
    "  call.uni leaf;\n  ret;\n}\n"
    ".visible .entry deep()\n{\n  .local .align 8 .b8 room[16];\n  .reg .b32 %r;\n  mov.u32 %r, 0;\n"
    "  st.local.u32 [room], %r;\n  call.uni leaf;\n  call.uni middle;\n  ret;\n}\n";

struct api {
    hd_device *dev;
    hd_module *mod;
};

#define WORKS(dev_, call)                                                                  \
    do {                                                                                   \
        hd_status works_ = (call);                                                         \
        if (works_) fail_msg("%s: %s: %s", #call, hd_status_name(works_), hd_error(dev_)); \
    } while (0)

#define FAILS(dev_, status_, text_, call)                                   \
    do {                                                                    \
        assert_string_equal(hd_status_name(call), hd_status_name(status_)); \
        assert_string_equal(hd_error(dev_), (text_));                       \
    } while (0)

/* A device with the module on it, for each test. */
static inline int api_setup(void **state) {
    struct api *a = calloc(1, sizeof *a);
    *state = a;
    if (hd_device_open(NULL, &a->dev)) return -1;
    if (!hd_module_load(a->dev, "api.ptx", API_PTX, 0, &a->mod)) return 0;
    fprintf(stderr, "%s\n", hd_error(a->dev));
    return -1;
}

static inline int api_teardown(void **state) {
    struct api *a = *state;
    hd_device_close(a->dev);
    free(a);
    return 0;
}

static inline hd_kernel *api_kernel(struct api *a, const char *name) {
    hd_kernel *k = NULL;
    WORKS(a->dev, hd_module_kernel(a->mod, name, &k));
    return k;
}

static inline uint64_t api_alloc(struct api *a, uint64_t bytes) {
    uint64_t addr = 0;
    WORKS(a->dev, hd_alloc(a->dev, bytes, &addr));
    return addr;
}

#define API_TEST(f) cmocka_unit_test_setup_teardown(f, api_setup, api_teardown)

#endif
