/* Texture fetches against closed forms. */
#include "rig.h"

#include <math.h>

#include "base/bits.h"

/* One thread, coordinates from memory, four results behind them. */
#define KERNEL(fetch)                                                                                        \
    HEAD ".global .texref ref;\n.visible .entry k(.param .u64 p, .param .u64 t) {\n.reg .u64 %a, %t; .reg "  \
         ".f32 %f<9>, %d<4>; .reg .s32 %i<9>;\n"                                                             \
         "ld.param.u64 %a, [p]; ld.param.u64 %t, [t];\nld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%a+4]; " \
         "ld.global.f32 %f2, [%a+8]; ld.global.f32 %f3, [%a+12];\n"                                          \
         "ld.global.s32 %i0, [%a+32]; ld.global.s32 %i1, [%a+36]; ld.global.s32 %i2, [%a+40];\n" fetch       \
         "\nst.global.v4.f32 [%a+16], {%d0,%d1,%d2,%d3};\nret;\n}\n"
#define D "{%d0,%d1,%d2,%d3}, [%t, "

struct bench {
    struct rig r;
    uint64_t buf, texels, handle;
};

static struct bench setup(const char *fetch, struct exec_texture t, const void *texels, size_t bytes) {
    struct bench b = {.r = rig_load(fetch)};
    b.buf = rig_buf(&b.r, 64, "args");
    b.texels = t.addr = rig_buf(&b.r, bytes, "texels");
    memcpy(exec_mem_at(b.r.mem, b.texels, bytes), texels, bytes);
    assert_true(exec_texture_new(b.r.mem, &t, &b.handle, &b.r.err));
    return b;
}

static const float *fetch(struct bench *b, float x, float y, float z, float w) {
    float *p = exec_mem_at(b->r.mem, b->buf, 64);
    p[0] = x, p[1] = y, p[2] = z, p[3] = w;
    rig_ok(&b->r, "k", 1, 1, (uint64_t[]){b->buf, b->handle});
    return p + 4;
}

static const float ramp[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};

static void point_sampling_and_address_modes(void **state) {
    (void)state;
    struct exec_texture t = {.width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 1, .border = {-7}};
    const struct {
        enum exec_address_mode mode;
        float x, want;
    } cases[] = {{EXEC_WRAP, 1.25f, 1},    {EXEC_WRAP, -0.25f, 3}, {EXEC_CLAMP, 1.25f, 3},
                 {EXEC_CLAMP, -3, 0},      {EXEC_MIRROR, 1.3f, 2}, {EXEC_MIRROR, -0.3f, 1},
                 {EXEC_BORDER, 1.25f, -7}, {EXEC_BORDER, 0.6f, 2}, {EXEC_WRAP, INFINITY, 0},
                 {EXEC_CLAMP, NAN, 0}};
    t.normalized = true;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        t.mode[0] = cases[k].mode;
        struct bench b = setup(KERNEL("tex.2d.v4.f32.f32 " D "{%f0,%f1}];"), t, ramp, sizeof ramp);
        const float *d = fetch(&b, cases[k].x, 0.5f, 0, 0);
        assert_true(d[0] == cases[k].want + (cases[k].want < 0 ? 0 : 10));
        assert_true(d[1] == 0 && d[2] == 0 && d[3] == 0);
        rig_free(&b.r);
    }
}

/* A linear ramp read linearly is the ramp, up to weights of 1/256. */
static void linear_filtering_has_eight_bit_weights(void **state) {
    (void)state;
    struct exec_texture t = {.width = 4,
                             .height = 3,
                             .texel = EXEC_TEXEL_F32,
                             .channels = 1,
                             .linear = true,
                             .mode = {EXEC_CLAMP, EXEC_CLAMP, EXEC_CLAMP}};
    struct bench b = setup(KERNEL("tex.2d.v4.f32.f32 " D "{%f0,%f1}];"), t, ramp, sizeof ramp);
    for (float x = 0.5f; x < 3.5f; x += 0.037f)
        for (float y = 0.5f; y < 2.5f; y += 0.31f) {
            double wx = floor((x - 0.5 - floor(x - 0.5)) * 256 + 0.5) / 256 + floor(x - 0.5);
            double wy = floor((y - 0.5 - floor(y - 0.5)) * 256 + 0.5) / 256 + floor(y - 0.5);
            assert_true(fabs(fetch(&b, x, y, 0, 0)[0] - (wx + 10 * wy)) < 1e-6);
        }
    assert_true(fetch(&b, -5, 0.5f, 0, 0)[0] == 0);
    assert_true(fetch(&b, 50, 0.5f, 0, 0)[0] == 3);
    rig_free(&b.r);
}

static void integers_normalised_reads_and_channels(void **state) {
    (void)state;
    const uint8_t bytes[8] = {0, 255, 51, 128, 1, 2, 3, 4};
    struct exec_texture t = {.width = 2, .texel = EXEC_TEXEL_U8, .channels = 4, .normalized_read = true};
    struct bench b = setup(KERNEL("tex.1d.v4.f32.f32 " D "{%f0}];"), t, bytes, sizeof bytes);
    const float *d = fetch(&b, 0.5f, 0, 0, 0);
    assert_true(d[0] == 0 && d[1] == 1 && d[2] == 51 / 255.0f && d[3] == 128 / 255.0f);
    rig_free(&b.r);
    t.texel = EXEC_TEXEL_S8;
    t.normalized_read = false;
    b = setup(KERNEL("tex.1d.v4.s32.f32 " D "{%f0}];"), t, bytes, sizeof bytes);
    d = fetch(&b, 0.5f, 0, 0, 0);
    assert_int_equal(f32_bits(d[1]), 0xffffffff);
    assert_int_equal(f32_bits(d[3]), 0xffffff80);
    rig_free(&b.r);
    const uint16_t halves[2] = {0x3c00, 0xc100};
    t = (struct exec_texture){.width = 2, .texel = EXEC_TEXEL_F16, .channels = 1};
    b = setup(KERNEL("tex.1d.v4.f32.f32 " D "{%f0}];"), t, halves, sizeof halves);
    assert_true(fetch(&b, 1.5f, 0, 0, 0)[0] == -2.5f);
    rig_free(&b.r);
}

static void integer_coordinates_name_texels(void **state) {
    (void)state;
    struct exec_texture t = {.width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 1, .linear = true};
    struct bench b = setup(KERNEL("tex.2d.v4.f32.s32 " D "{%i0,%i1}];"), t, ramp, sizeof ramp);
    int32_t *p = exec_mem_at(b.r.mem, b.buf, 64);
    p[8] = 2, p[9] = 1;
    assert_true(fetch(&b, 0, 0, 0, 0)[0] == 12);
    p[8] = 4;
    assert_true(fetch(&b, 0, 0, 0, 0)[0] == 0);
    p[8] = -1;
    assert_true(fetch(&b, 0, 0, 0, 0)[0] == 0);
    rig_free(&b.r);
}

static void volumes_layers_and_cubes(void **state) {
    (void)state;
    struct exec_texture t = {.width = 2,
                             .height = 2,
                             .depth = 3,
                             .texel = EXEC_TEXEL_F32,
                             .channels = 1,
                             .linear = true,
                             .mode = {EXEC_CLAMP, EXEC_CLAMP, EXEC_CLAMP}};
    struct bench b = setup(KERNEL("tex.3d.v4.f32.f32 " D "{%f0,%f1,%f2,%f3}];"), t, ramp, sizeof ramp);
    assert_true(fetch(&b, 1, 1, 1.5f, 0)[0] == (10 + 11 + 12 + 13) / 4.0f);
    assert_true(fetch(&b, 1, 1, 1, 0)[0] == (1.5f + 11.5f) / 2);
    rig_free(&b.r);
    t.linear = false;
    b = setup(KERNEL("tex.a2d.v4.f32.f32 " D "{%i0,%f0,%f1,%f1}];"), t, ramp, sizeof ramp);
    int32_t *p = exec_mem_at(b.r.mem, b.buf, 64);
    p[8] = 2;
    assert_true(fetch(&b, 1.5f, 0.5f, 0, 0)[0] == 21);
    p[8] = 9;
    assert_true(fetch(&b, 1.5f, 0.5f, 0, 0)[0] == 21);
    rig_free(&b.r);
    const float faces[6] = {0, 1, 2, 3, 4, 5};
    t = (struct exec_texture){.width = 1, .height = 1, .depth = 6, .texel = EXEC_TEXEL_F32, .channels = 1};
    b = setup(KERNEL("tex.cube.v4.f32.f32 " D "{%f0,%f1,%f2,%f3}];"), t, faces, sizeof faces);
    for (int face = 0; face < 6; face++) {
        float v[3] = {0.1f, 0.2f, -0.1f};
        v[face / 2] = face & 1 ? -3.0f : 3.0f;
        assert_true(fetch(&b, v[0], v[1], v[2], 0)[0] == (float)face);
    }
    rig_free(&b.r);
}

/* The CUDA programming guide on tex2Dgather: the footprint of linear filtering, from the lower left counter-clockwise. */
static void gathers_take_one_component_of_four_texels(void **state) {
    (void)state;
    static const float rgba[3][4][4] = {
        {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}},
        {{16, 17, 18, 19}, {20, 21, 22, 23}, {24, 25, 26, 27}, {28, 29, 30, 31}},
        {{32, 33, 34, 35}, {36, 37, 38, 39}, {40, 41, 42, 43}, {44, 45, 46, 47}}};
    static const char *const kernels[4] = {
        KERNEL("tld4.r.2d.v4.f32.f32 " D "{%f0,%f1}];"), KERNEL("tld4.g.2d.v4.f32.f32 " D "{%f0,%f1}];"),
        KERNEL("tld4.b.2d.v4.f32.f32 " D "{%f0,%f1}];"), KERNEL("tld4.a.2d.v4.f32.f32 " D "{%f0,%f1}];")};
    struct exec_texture t = {
        .width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 4, .border = {-1, -2, -3, -4}};
    for (int c = 0; c < 4; c++)
        for (int border = 0; border < 2; border++) {
            t.mode[0] = t.mode[1] = border ? EXEC_BORDER : EXEC_CLAMP;
            struct bench b = setup(kernels[c], t, rgba, sizeof rgba);
            const float *d = fetch(&b, 2.2f, 1.9f, 0, 0); /* texels 1, 2 of rows 1, 2 */
            assert_true(d[0] == rgba[2][1][c] && d[1] == rgba[2][2][c] && d[2] == rgba[1][2][c] &&
                        d[3] == rgba[1][1][c]);
            d = fetch(&b, 0.1f, 0.1f, 0, 0); /* over the corner: texels -1 and 0 */
            const float out = border ? t.border[c] : rgba[0][0][c];
            assert_true(d[0] == (border ? out : rgba[0][0][c]) && d[1] == rgba[0][0][c] && d[2] == out &&
                        d[3] == out);
            rig_free(&b.r);
        }
}

/* There is one level: which is asked for makes no difference. */
static void levels_and_gradients_read_the_only_level(void **state) {
    (void)state;
    static const char *const kernels[] = {
        KERNEL("tex.2d.v4.f32.f32 " D "{%f0,%f1}];"), KERNEL("tex.base.2d.v4.f32.f32 " D "{%f0,%f1}];"),
        KERNEL("tex.level.2d.v4.f32.f32 " D "{%f0,%f1}], %f2;"),
        KERNEL("tex.grad.2d.v4.f32.f32 " D "{%f0,%f1}], {%f2,%f3}, {%f3,%f2};")};
    struct exec_texture t = {.width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 1};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct bench b = setup(kernels[k], t, ramp, sizeof ramp);
        assert_true(fetch(&b, 2.5f, 1.5f, 3, 4)[0] == 12);
        rig_free(&b.r);
    }
}

static void bad_handles_are_faults(void **state) {
    (void)state;
    struct exec_texture t = {.width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 1};
    struct bench b = setup(KERNEL("tex.2d.v4.f32.f32 " D "{%f0,%f1}];"), t, ramp, sizeof ramp);
    assert_false(rig_run(&b.r, "k", 1, 1, (uint64_t[]){b.buf, 12345}));
    assert_non_null(strstr(err_text(&b.r.err), "0x3039 is not a texture handle"));
    assert_true(exec_mem_release(b.r.mem, b.texels, &b.r.err));
    assert_false(rig_run(&b.r, "k", 1, 1, (uint64_t[]){b.buf, b.handle}));
    assert_non_null(strstr(err_text(&b.r.err), "was released"));
    assert_true(exec_texture_release(b.r.mem, b.handle, false, &b.r.err));
    assert_false(exec_texture_release(b.r.mem, b.handle, false, &b.r.err));
    t.addr = b.buf;
    t.pitch = 64;
    assert_false(exec_texture_new(b.r.mem, &t, &b.handle, &b.r.err));
    rig_free(&b.r);
}

static void references_are_bound_by_symbol(void **state) {
    (void)state;
    struct exec_texture t = {.width = 4, .height = 3, .texel = EXEC_TEXEL_F32, .channels = 1};
    struct bench b =
        setup(KERNEL("tex.2d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [ref, {%f0,%f1}];"), t, ramp, sizeof ramp);
    uint32_t ref = (uint32_t)ir_find_var(b.r.m, "ref");
    assert_false(rig_run(&b.r, "k", 1, 1, (uint64_t[]){b.buf, 0}));
    assert_non_null(strstr(err_text(&b.r.err), "texture reference ref has no texture bound to it"));
    assert_false(exec_image_bind(b.r.im, ref, 99, &b.r.err));
    assert_true(exec_image_bind(b.r.im, ref, b.handle, &b.r.err));
    assert_true(fetch(&b, 2.5f, 1.5f, 0, 0)[0] == 12);
    rig_free(&b.r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_sampling_and_address_modes),
        cmocka_unit_test(linear_filtering_has_eight_bit_weights),
        cmocka_unit_test(integers_normalised_reads_and_channels),
        cmocka_unit_test(integer_coordinates_name_texels),
        cmocka_unit_test(volumes_layers_and_cubes),
        cmocka_unit_test(gathers_take_one_component_of_four_texels),
        cmocka_unit_test(levels_and_gradients_read_the_only_level),
        cmocka_unit_test(bad_handles_are_faults),
        cmocka_unit_test(references_are_bound_by_symbol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
