/* Surfaces against a plain array: bytes and places as the PTX manual says, every geometry, width and clamp mode. */
#include "rig.h"

#include "base/bits.h"

enum { W = 8, H = 3, D = 2, CELLS = W * H * D }; /* texels of 4 bytes */

/* One thread: x, y, z in the first three words of the buffer, data from word 4 on. */
#define KERNEL                                                                                            \
    HEAD ".global .surfref ref;\n.visible .entry k(.param .u64 p, .param .u64 s) {\n.reg .u64 %%a, %%s, " \
         "%%l<2>; .reg .b32 %%r<9>; .reg .b16 %%h<4>;\nld.param.u64 %%a, [p]; ld.param.u64 %%s, [s];\n"   \
         "ld.global.b32 %%r0, [%%a]; ld.global.b32 %%r1, [%%a+4]; ld.global.b32 %%r2, [%%a+8];\n"         \
         "ld.global.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%a+16];\n%s\nret;\n}\n"

struct bench {
    struct rig r;
    uint64_t buf, texels, handle;
    uint32_t *arg;
    uint8_t *byte;
};

static struct bench setup(const char *insn, enum exec_texel texel, uint32_t channels, uint32_t width,
                          uint32_t height, uint32_t depth) {
    char text[2048];
    snprintf(text, sizeof text, KERNEL, insn);
    struct bench b = {.r = rig_load(text)};
    b.buf = rig_buf(&b.r, 64, "args");
    b.texels = rig_buf(&b.r, CELLS * 4, "texels");
    b.arg = exec_mem_at(b.r.mem, b.buf, 64);
    b.byte = exec_mem_at(b.r.mem, b.texels, CELLS * 4);
    for (int k = 0; k < CELLS * 4; k++) b.byte[k] = (uint8_t)(k * 7 + 1);
    struct exec_texture t = {.addr = b.texels,
                             .width = width,
                             .height = height,
                             .depth = depth,
                             .texel = texel,
                             .channels = channels,
                             .surface = true};
    assert_true(exec_texture_new(b.r.mem, &t, &b.handle, &b.r.err));
    return b;
}

static bool run(struct bench *b, int32_t x, int32_t y, int32_t z) {
    b->arg[0] = (uint32_t)x, b->arg[1] = (uint32_t)y, b->arg[2] = (uint32_t)z;
    return rig_run(&b->r, "k", 1, 1, (uint64_t[]){b->buf, b->handle});
}

/* The byte that (x in bytes, y, z) names in the array, or -1. */
static long place(long x, long y, long z, long bytes, char mode, long h, long d) {
    const long n[3] = {W * 4 / bytes, h ? h : 1, d ? d : 1};
    long c[3] = {x < 0 ? -1 : x / bytes, y, z};
    for (int k = 0; k < 3; k++) {
        if (c[k] >= 0 && c[k] < n[k]) continue;
        if (mode != 'c') return -1;
        c[k] = c[k] < 0 ? 0 : n[k] - 1;
    }
    return (c[2] * n[1] + c[1]) * W * 4 + c[0] * bytes;
}

static const struct {
    const char *geom, *coords;
    uint32_t h, d;
} shapes[] = {{"1d", "{%r0}", 0, 0},
              {"2d", "{%r0,%r1}", H, 0},
              {"3d", "{%r0,%r1,%r2,%r2}", H, D},
              {"a1d", "{%r2,%r0}", 0, D},
              {"a2d", "{%r2,%r0,%r1,%r1}", H, D}};
static const struct {
    const char *type, *regs;
    long bytes;
} widths[] = {{"b8", "%h0", 1},
              {"b16", "%h0", 2},
              {"b32", "%r8", 4},
              {"b64", "%l0", 8},
              {"v2.b32", "{%r4,%r5}", 8},
              {"v4.b8", "{%h0,%h1,%h2,%h3}", 4},
              {"v4.b32", "{%r4,%r5,%r6,%r7}", 16},
              {"v2.b64", "{%l0,%l1}", 16}};
static const char *const modes[] = {"trap", "clamp", "zero"};
static const int32_t spots[][3] = {{0, 0, 0},   {16, 1, 1},       {W * 4 - 16, 2, 1}, {W * 4, 0, 0},
                                   {-16, 0, 0}, {16, H, 0},       {0, -1, 1},         {0, 0, D},
                                   {0, 0, -5},  {1 << 30, 99, 99}};

static void check_shape(size_t g, size_t w, size_t m) {
    char store[256], load[512];
    /* what was loaded is stored to the buffer by the same registers' widths */
    const char *vec = widths[w].regs[0] == '{' ? strchr(widths[w].type, '.') + 1 : widths[w].type;
    snprintf(
        store, sizeof store,
        "cvt.u16.u32 %%h0, %%r4; cvt.u16.u32 %%h1, %%r5; cvt.u16.u32 %%h2, %%r6; cvt.u16.u32 %%h3, %%r7; "
        "mov.b32 %%r8, %%r4; mov.b64 %%l0, {%%r4,%%r5}; mov.b64 %%l1, {%%r6,%%r7};\n"
        "sust.b.%s.%s.%s [%%s, %s], %s;",
        shapes[g].geom, widths[w].type, modes[m], shapes[g].coords, widths[w].regs);
    const char *prefix = strncmp(widths[w].type, "v", 1) ? "" : widths[w].type[1] == '2' ? "v2." : "v4.";
    snprintf(load, sizeof load, "suld.b.%s.%s.%s %s, [%%s, %s];\nst.global.%s%s [%%a+32], %s;",
             shapes[g].geom, widths[w].type, modes[m], widths[w].regs, shapes[g].coords, prefix, vec,
             widths[w].regs);
    struct bench l = setup(load, EXEC_TEXEL_U32, 1, W, shapes[g].h, shapes[g].d);
    struct bench s = setup(store, EXEC_TEXEL_U32, 1, W, shapes[g].h, shapes[g].d);
    for (size_t k = 0; k < sizeof spots / sizeof *spots; k++) {
        const int32_t *c = spots[k];
        const long y = shapes[g].h ? c[1] : 0, z = shapes[g].d ? c[2] : 0;
        const long at = place(c[0], y, z, widths[w].bytes, modes[m][0], shapes[g].h, shapes[g].d);
        uint8_t want[16] = {0}, kept[CELLS * 4];
        if (at >= 0) memcpy(want, l.byte + at, (size_t)widths[w].bytes);
        memset(l.arg + 8, 0xee, 16);
        assert_true(run(&l, c[0], c[1], c[2]) == (at >= 0 || m));
        if (at >= 0 || m) assert_memory_equal(l.arg + 8, want, (size_t)widths[w].bytes);
        if (at < 0 && !m) assert_non_null(strstr(err_text(&l.r.err), "are outside the surface"));
        memcpy(kept, s.byte, sizeof kept);
        const uint32_t v[4] = {0x04030201, 0x14131211, 0x24232221, 0x34333231};
        memcpy(s.arg + 4, v, 16);
        assert_true(run(&s, c[0], c[1], c[2]) == (at >= 0 || m));
        const bool bytes = !strcmp(widths[w].type, "v4.b8");
        for (long b = 0; at >= 0 && b < widths[w].bytes; b++) {
            const uint32_t stored = bytes ? v[b] : v[b / 4] >> 8 * (b % 4);
            kept[at + b] = (uint8_t)(stored & 0xff);
        }
        assert_memory_equal(s.byte, kept, sizeof kept);
    }
    rig_free(&l.r);
    rig_free(&s.r);
}

static void loads_and_stores_of_every_shape_width_and_mode(void **state) {
    (void)state;
    for (size_t g = 0; g < sizeof shapes / sizeof *shapes; g++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t m = 0; m < 3; m++) check_shape(g, w, m);
}

/* A row of 4 bytes has no place for 16: not even .clamp finds one. */
static void a_row_shorter_than_the_access_has_no_place_for_it(void **state) {
    (void)state;
    for (int32_t x = -16; x <= 16; x += 16) {
        struct bench l =
            setup("suld.b.2d.v4.b32.clamp {%r4,%r5,%r6,%r7}, [%s, {%r0,%r1}]; st.global.v4.b32 [%a+32], "
                  "{%r4,%r5,%r6,%r7};",
                  EXEC_TEXEL_U32, 1, 1, H, 0);
        struct bench s =
            setup("sust.b.2d.v4.b32.clamp [%s, {%r0,%r1}], {%r4,%r5,%r6,%r7};", EXEC_TEXEL_U32, 1, 1, H, 0);
        uint8_t kept[CELLS * 4], nothing[16] = {0};
        memcpy(kept, s.byte, sizeof kept);
        assert_true(run(&l, x, 0, 0) && run(&s, x, 1, 0));
        assert_memory_equal(l.arg + 8, nothing, sizeof nothing);
        assert_memory_equal(s.byte, kept, sizeof kept);
        rig_free(&l.r);
        rig_free(&s.r);
    }
}

static void misaligned_x_is_a_fault(void **state) {
    (void)state;
    struct bench b = setup("suld.b.2d.b32.clamp %r4, [%s, {%r0,%r1}];", EXEC_TEXEL_U32, 1, W, H, 0);
    assert_true(run(&b, 4, 0, 0));
    assert_false(run(&b, 6, 0, 0));
    assert_non_null(strstr(err_text(&b.r.err), "x is 6, which an access of 4 bytes is not aligned to"));
    rig_free(&b.r);
}

static void formatted_stores_convert_to_the_surface(void **state) {
    (void)state;
    static const struct {
        enum exec_texel t;
        uint32_t in, out;
    } rows[] = {{EXEC_TEXEL_U8, 300, 255},
                {EXEC_TEXEL_U8, 17, 17},
                {EXEC_TEXEL_S8, (uint32_t)-300, 0x80},
                {EXEC_TEXEL_S8, 128, 0x7f},
                {EXEC_TEXEL_U16, 70000, 0xffff},
                {EXEC_TEXEL_S16, (uint32_t)-70000, 0x8000},
                {EXEC_TEXEL_U32, 0xdeadbeef, 0xdeadbeef},
                {EXEC_TEXEL_F16, 0x3f800000, 0x3c00},
                {EXEC_TEXEL_F16, 0x7f7fffff, 0x7c00}, /* beyond the largest half: infinity */
                {EXEC_TEXEL_F32, 0xc0490fdb, 0xc0490fdb}};
    static const long bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b = setup("sust.p.2d.b32.trap [%s, {%r0,%r1}], %r4;", rows[k].t, 1, W, H, 0);
        const long n = bytes[rows[k].t];
        b.arg[4] = rows[k].in;
        assert_true(run(&b, 5, 2, 0));
        uint32_t got = 0;
        memcpy(&got, b.byte + (2 * W + 5) * n, (size_t)n);
        assert_int_equal(got, rows[k].out);
        assert_false(run(&b, W, 0, 0)); /* x counts texels */
        rig_free(&b.r);
    }
}

static void reductions_act_on_the_texel(void **state) {
    (void)state;
    static const struct {
        const char *insn;
        uint32_t old, v, want;
    } rows[] = {{"sured.b.add.2d.u32.trap [%s, {%r0,%r1}], %r4;", 5, 7, 12},
                {"sured.b.min.2d.s32.trap [%s, {%r0,%r1}], %r4;", (uint32_t)-5, 7, (uint32_t)-5},
                {"sured.b.min.2d.u32.trap [%s, {%r0,%r1}], %r4;", (uint32_t)-5, 7, 7},
                {"sured.b.max.2d.s32.zero [%s, {%r0,%r1}], %r4;", (uint32_t)-5, 7, 7},
                {"sured.b.and.2d.b32.trap [%s, {%r0,%r1}], %r4;", 0xff, 0x1234, 0x34},
                {"sured.b.or.2d.b32.clamp [%s, {%r0,%r1}], %r4;", 0xff, 0x1200, 0x12ff}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b = setup(rows[k].insn, EXEC_TEXEL_U32, 1, W, H, 0);
        uint32_t *cell = (uint32_t *)(void *)b.byte + W + 3;
        *cell = rows[k].old;
        b.arg[4] = rows[k].v;
        assert_true(run(&b, 12, 1, 0));
        assert_int_equal(*cell, rows[k].want);
        rig_free(&b.r);
    }
}

static void reductions_that_have_no_place_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *insn;
        enum exec_texel texel;
        int32_t x;
    } rows[] = {
        {"sured.b.add.2d.u32.zero [%s, {%r0,%r1}], %r4;", EXEC_TEXEL_U32, W * 4},
        {"sured.b.add.2d.u64.zero [%s, {%r0,%r1}], %l0;", EXEC_TEXEL_U32, -8},
        {"sured.p.add.2d.u32.trap [%s, {%r0,%r1}], %r4;", EXEC_TEXEL_U16, 0}}; /* a texel of 16 bits */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b = setup(rows[k].insn, rows[k].texel, 1, W, H, 0);
        uint8_t kept[CELLS * 4];
        memcpy(kept, b.byte, sizeof kept);
        b.arg[4] = 1;
        assert_true(run(&b, rows[k].x, 1, 0));
        assert_memory_equal(b.byte, kept, sizeof kept);
        rig_free(&b.r);
    }
}

static void queries_describe_the_surface(void **state) {
    (void)state;
    struct bench b =
        setup("suq.width.b32 %r4, [%s]; suq.height.b32 %r5, [%s]; suq.channel_order.b32 %r6, [%s]; "
              "suq.channel_data_type.b32 %r7, [%s]; st.global.v4.b32 [%a+32], {%r4,%r5,%r6,%r7};",
              EXEC_TEXEL_F16, 2, W, H, 0);
    assert_true(run(&b, 0, 0, 0));
    const uint32_t want[4] = {W, H, 0x10b2, 0x10dd}; /* CL_RG, CL_HALF_FLOAT */
    assert_memory_equal(b.arg + 8, want, sizeof want);
    rig_free(&b.r);
}

static void references_and_handles_are_checked(void **state) {
    (void)state;
    struct bench b = setup("suld.b.2d.b32.trap %r4, [ref, {%r0,%r1}]; st.global.b32 [%a+32], %r4;",
                           EXEC_TEXEL_U32, 1, W, H, 0);
    const uint32_t ref = (uint32_t)ir_find_var(b.r.m, "ref");
    assert_false(run(&b, 0, 0, 0));
    assert_non_null(strstr(err_text(&b.r.err), "surface reference ref has no surface bound to it"));
    struct exec_texture t = {.addr = b.texels, .width = 4, .texel = EXEC_TEXEL_U32, .channels = 1};
    uint64_t texture;
    assert_true(exec_texture_new(b.r.mem, &t, &texture, &b.r.err));
    assert_false(exec_image_bind(b.r.im, ref, texture, &b.r.err));
    assert_true(exec_image_bind(b.r.im, ref, b.handle, &b.r.err));
    assert_true(run(&b, 4, 1, 0));
    assert_memory_equal(b.arg + 8, b.byte + W * 4 + 4, 4);
    assert_true(exec_mem_release(b.r.mem, b.texels, &b.r.err));
    assert_false(run(&b, 4, 1, 0));
    assert_non_null(strstr(err_text(&b.r.err), "was released"));
    assert_false(exec_texture_release(b.r.mem, b.handle, false, &b.r.err));
    assert_true(exec_texture_release(b.r.mem, b.handle, true, &b.r.err));
    rig_free(&b.r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores_of_every_shape_width_and_mode),
        cmocka_unit_test(a_row_shorter_than_the_access_has_no_place_for_it),
        cmocka_unit_test(misaligned_x_is_a_fault),
        cmocka_unit_test(formatted_stores_convert_to_the_surface),
        cmocka_unit_test(reductions_act_on_the_texel),
        cmocka_unit_test(reductions_that_have_no_place_change_nothing),
        cmocka_unit_test(queries_describe_the_surface),
        cmocka_unit_test(references_and_handles_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
