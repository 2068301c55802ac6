/* Memory and textures: buffers, copies and their bounds, the device's limit, names in reports. */
#include "api.h"

static void buffers_are_zeroed_and_aligned(void **state) {
    struct api *a = *state;
    unsigned char bytes[1000];
    for (int i = 0; i < 5; i++) {
        uint64_t b = api_alloc(a, sizeof bytes);
        assert_int_equal(b % 256, 0);
        WORKS(a->dev, hd_copy_out(a->dev, bytes, b, sizeof bytes));
        for (size_t k = 0; k < sizeof bytes; k++) assert_int_equal(bytes[k], 0);
        WORKS(a->dev, hd_set(a->dev, b, 0xff, sizeof bytes));
        if (i % 2) WORKS(a->dev, hd_free(a->dev, b));
    }
    FAILS(a->dev, HD_INVALID, "hd_alloc: a buffer has at least one byte",
          hd_alloc(a->dev, 0, &(uint64_t){0}));
    FAILS(a->dev, HD_INVALID, "hd_alloc: addr must not be NULL", hd_alloc(a->dev, 1, NULL));
}

static void copies_move_the_bytes_asked_for(void **state) {
    struct api *a = *state;
    uint64_t b = api_alloc(a, 8), c = api_alloc(a, 8);
    char got[9] = "";
    WORKS(a->dev, hd_copy_in(a->dev, b, "abcdefgh", 8));
    WORKS(a->dev, hd_copy(a->dev, c + 2, b + 1, 3));
    WORKS(a->dev, hd_copy_out(a->dev, got, c, 8));
    assert_memory_equal(got, "\0\0bcd\0\0\0", 8);
    WORKS(a->dev, hd_copy(a->dev, b + 2, b, 6)); /* overlapping */
    WORKS(a->dev, hd_set(a->dev, b + 7, 'x', 1));
    WORKS(a->dev, hd_copy_out(a->dev, got, b, 8));
    assert_string_equal(got, "ababcdex");
}

static void copies_of_nothing_are_fine_anywhere(void **state) {
    struct api *a = *state;
    WORKS(a->dev, hd_copy_in(a->dev, 1, NULL, 0));
    WORKS(a->dev, hd_copy_out(a->dev, NULL, 1, 0));
    WORKS(a->dev, hd_copy(a->dev, 1, 2, 0));
    WORKS(a->dev, hd_set(a->dev, 1, 0, 0));
}

/* "call: N bytes at ADDR are not inside one allocation: WHERE" */
static void expect_outside(struct api *a, const char *call, uint64_t bytes, uint64_t addr,
                           const char *where) {
    char text[256];
    snprintf(text, sizeof text, "%s: %llu bytes at 0x%llx are not inside one allocation: 0x%llx is %s", call,
             (unsigned long long)bytes, (unsigned long long)addr, (unsigned long long)addr, where);
    assert_string_equal(hd_error(a->dev), text);
}

static void copies_stay_within_one_buffer(void **state) {
    struct api *a = *state;
    uint64_t b = api_alloc(a, 64);
    char host[128] = "", where[128];
    WORKS(a->dev, hd_label(a->dev, b, "weights"));
    snprintf(where, sizeof where, "0 bytes into weights (0x%llx, 64 bytes)", (unsigned long long)b);
    assert_int_equal(hd_copy_in(a->dev, b, host, 65), HD_INVALID);
    expect_outside(a, "hd_copy_in", 65, b, where);
    assert_int_equal(hd_copy_out(a->dev, host, b, UINT64_MAX), HD_INVALID);
    expect_outside(a, "hd_copy_out", UINT64_MAX, b, where);
    assert_int_equal(hd_set(a->dev, b, 0, 65), HD_INVALID);
    expect_outside(a, "hd_set", 65, b, where);
    assert_int_equal(hd_copy(a->dev, b, b, 65), HD_INVALID);
    expect_outside(a, "hd_copy", 65, b, where);
    snprintf(where, sizeof where, "just past the end of weights (0x%llx, 64 bytes)", (unsigned long long)b);
    assert_int_equal(hd_copy_in(a->dev, b + 64, host, 1), HD_INVALID);
    expect_outside(a, "hd_copy_in", 1, b + 64, where);
    FAILS(a->dev, HD_INVALID, "hd_copy_in: src must not be NULL", hd_copy_in(a->dev, b, NULL, 1));
    FAILS(a->dev, HD_INVALID, "hd_copy_out: dst must not be NULL", hd_copy_out(a->dev, NULL, b, 1));
    assert_int_equal(hd_copy_out(a->dev, host, 0, 1), HD_INVALID);
    assert_int_equal(hd_copy_out(a->dev, host, UINT64_MAX, 1), HD_INVALID);
}

static void only_buffers_are_freed_and_only_once(void **state) {
    struct api *a = *state;
    uint64_t b[3];
    for (int i = 0; i < 3; i++) b[i] = api_alloc(a, 64);
    WORKS(a->dev, hd_free(a->dev, b[1]));
    char text[256];
    snprintf(text, sizeof text,
             "hd_free: no buffer of hd_alloc begins there: 0x%llx is 0 bytes into released buffer 2 (0x%llx, "
             "64 bytes)",
             (unsigned long long)b[1], (unsigned long long)b[1]);
    FAILS(a->dev, HD_INVALID, text, hd_free(a->dev, b[1]));
    assert_int_equal(hd_free(a->dev, b[0] + 4), HD_INVALID);
    assert_int_equal(hd_free(a->dev, 0), HD_INVALID);
    assert_int_equal(hd_label(a->dev, b[1], "x"), HD_INVALID);
    FAILS(a->dev, HD_INVALID, "hd_label: label must not be NULL", hd_label(a->dev, b[0], NULL));
    WORKS(a->dev, hd_free(a->dev, b[2]));
    WORKS(a->dev, hd_free(a->dev, b[0]));
}

static void the_device_limit_holds(void **state) {
    (void)state;
    hd_device *dev;
    uint64_t one = 0, two = 0;
    assert_int_equal(
        hd_device_open(&(hd_config){.options = (hd_option[]){{"mem.global_bytes", "1M"}}, .noptions = 1},
                       &dev),
        HD_OK);
    WORKS(dev, hd_alloc(dev, 1 << 19, &one));
    FAILS(dev, HD_MEMORY, "buffer 2: 524289 bytes do not fit: 524288 of 1048576 are in use",
          hd_alloc(dev, (1 << 19) + 1, &two));
    assert_int_equal(hd_alloc(dev, UINT64_MAX, &two), HD_MEMORY);
    WORKS(dev, hd_alloc(dev, 1 << 19, &two));
    WORKS(dev, hd_free(dev, one));
    WORKS(dev, hd_alloc(dev, 1000, &one));
    hd_device_close(dev);
}

static void faults_name_the_buffer(void **state) {
    struct api *a = *state;
    uint64_t b = api_alloc(a, 64);
    hd_launch one = {.block = {1}};
    assert_int_equal(hd_run(api_kernel(a, "store"), &one, (hd_arg[]){hd_arg_ptr(b + 64)}, 1), HD_FAULT);
    assert_non_null(strstr(hd_error(a->dev), "past the end of buffer 1 ("));
    WORKS(a->dev, hd_label(a->dev, b, "weights"));
    assert_int_equal(hd_run(api_kernel(a, "store"), &one, (hd_arg[]){hd_arg_ptr(b + 64)}, 1), HD_FAULT);
    assert_non_null(strstr(hd_error(a->dev), "past the end of weights ("));
    WORKS(a->dev,
          hd_run(api_kernel(a, "store"), &one, (hd_arg[]){hd_arg_ptr(b + 60)}, 1)); /* the device goes on */
}

/* ---- textures ---- */

static hd_texture four_floats(struct api *a) {
    uint64_t b = api_alloc(a, 16);
    WORKS(a->dev, hd_copy_in(a->dev, b, (float[]){0.5f, 1.5f, 2.5f, 3.5f}, 16));
    return (hd_texture){
        .addr = b, .width = 4, .texel = HD_TEXEL_F32, .channels = 1, .mode = {HD_CLAMP, HD_CLAMP, HD_CLAMP}};
}

static void surfaces_are_handles_of_their_own(void **state) {
    struct api *a = *state;
    const hd_texture t = four_floats(a);
    hd_surface s = {.addr = t.addr, .width = t.width, .texel = HD_TEXEL_F32, .channels = 1};
    uint64_t surface, texture;
    WORKS(a->dev, hd_surface_new(a->dev, &s, &surface));
    WORKS(a->dev, hd_texture_new(a->dev, &t, &texture));
    assert_int_equal(hd_texture_free(a->dev, surface), HD_INVALID);
    assert_int_equal(hd_surface_free(a->dev, texture), HD_INVALID);
    assert_int_equal(hd_surface_bind(a->mod, "image", surface), HD_INVALID); /* that is a .texref */
    assert_string_equal(hd_error(a->dev), "hd_surface_bind: api.ptx has no .surfref \"image\"");
    WORKS(a->dev, hd_surface_free(a->dev, surface));
    assert_int_equal(hd_surface_free(a->dev, surface), HD_INVALID);
    WORKS(a->dev, hd_texture_free(a->dev, texture));
    s.channels = 3;
    assert_int_equal(hd_surface_new(a->dev, &s, &surface), HD_INVALID);
    assert_int_equal(hd_surface_new(a->dev, NULL, &surface), HD_INVALID);
}

static void textures_are_read_through_references_and_objects(void **state) {
    struct api *a = *state;
    hd_texture t = four_floats(a);
    uint64_t handle = 0, out = api_alloc(a, 24);
    static const float want[6] = {0.5f, 1.5f, 2.5f, 3.5f}; /* integer coordinates outside read zeros */
    float got[6];
    hd_launch six = {.block = {6}};
    WORKS(a->dev, hd_texture_new(a->dev, &t, &handle));
    WORKS(a->dev, hd_texture_bind(a->mod, "image", handle));
    WORKS(a->dev, hd_run(api_kernel(a, "texels"), &six, (hd_arg[]){hd_arg_ptr(out)}, 1));
    WORKS(a->dev, hd_copy_out(a->dev, got, out, sizeof got));
    assert_memory_equal(got, want, sizeof got);
    WORKS(a->dev, hd_set(a->dev, out, 0, sizeof got));
    WORKS(a->dev, hd_run(api_kernel(a, "object"), &six, (hd_arg[]){hd_arg_u64(handle), hd_arg_ptr(out)}, 2));
    WORKS(a->dev, hd_copy_out(a->dev, got, out, sizeof got));
    assert_memory_equal(got, want, sizeof got);
    WORKS(a->dev, hd_texture_bind(a->mod, "image", 0));
    assert_int_equal(hd_run(api_kernel(a, "texels"), &six, (hd_arg[]){hd_arg_ptr(out)}, 1), HD_FAULT);
    WORKS(a->dev, hd_texture_free(a->dev, handle));
    assert_int_equal(hd_texture_free(a->dev, handle), HD_INVALID);
    assert_int_equal(
        hd_run(api_kernel(a, "object"), &six, (hd_arg[]){hd_arg_u64(handle), hd_arg_ptr(out)}, 2), HD_FAULT);
}

static void an_unbound_reference_is_a_fault(void **state) {
    struct api *a = *state;
    uint64_t out = api_alloc(a, 24);
    assert_int_equal(
        hd_run(api_kernel(a, "texels"), &(hd_launch){.block = {6}}, (hd_arg[]){hd_arg_ptr(out)}, 1),
        HD_FAULT);
}

static void bad_textures_are_refused(void **state) {
    struct api *a = *state;
    hd_texture good = four_floats(a), t;
    uint64_t handle = 0;
    FAILS(a->dev, HD_INVALID, "hd_texture_new: t and handle must not be NULL",
          hd_texture_new(a->dev, NULL, &handle));
    FAILS(a->dev, HD_INVALID, "hd_texture_new: t and handle must not be NULL",
          hd_texture_new(a->dev, &good, NULL));
    t = good, t.channels = 3;
    FAILS(a->dev, HD_INVALID, "hd_texture_new: channels must be 1, 2 or 4",
          hd_texture_new(a->dev, &t, &handle));
    t = good, t.texel = (hd_texel)77;
    FAILS(a->dev, HD_INVALID, "hd_texture_new: texel is not an hd_texel",
          hd_texture_new(a->dev, &t, &handle));
    t = good, t.mode[1] = (hd_address_mode)-1;
    FAILS(a->dev, HD_INVALID, "hd_texture_new: mode is not an hd_address_mode",
          hd_texture_new(a->dev, &t, &handle));
    t = good, t.width = 0;
    FAILS(a->dev, HD_INVALID, "hd_texture_new: width must not be 0", hd_texture_new(a->dev, &t, &handle));
    t = good, t.width = 5; /* longer than its memory */
    assert_int_equal(hd_texture_new(a->dev, &t, &handle), HD_INVALID);
    t = good, t.height = UINT32_MAX, t.depth = UINT32_MAX;
    assert_int_equal(hd_texture_new(a->dev, &t, &handle), HD_INVALID);
    t = good, t.height = 2, t.pitch = UINT64_MAX;
    assert_int_equal(hd_texture_new(a->dev, &t, &handle), HD_INVALID);
    assert_int_equal(hd_texture_free(a->dev, 12345), HD_INVALID);
    FAILS(a->dev, HD_INVALID, "hd_texture_bind: api.ptx has no .texref \"table\"",
          hd_texture_bind(a->mod, "table", 1));
    FAILS(a->dev, HD_INVALID, "hd_texture_bind: texref must not be NULL", hd_texture_bind(a->mod, NULL, 1));
    assert_int_equal(hd_texture_bind(a->mod, "image", 12345), HD_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        API_TEST(buffers_are_zeroed_and_aligned),
        API_TEST(copies_move_the_bytes_asked_for),
        API_TEST(copies_of_nothing_are_fine_anywhere),
        API_TEST(copies_stay_within_one_buffer),
        API_TEST(only_buffers_are_freed_and_only_once),
        cmocka_unit_test(the_device_limit_holds),
        API_TEST(faults_name_the_buffer),
        API_TEST(textures_are_read_through_references_and_objects),
        API_TEST(surfaces_are_handles_of_their_own),
        API_TEST(an_unbound_reference_is_a_fault),
        API_TEST(bad_textures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
