/* Launches: arguments against parameters, dimensions against limits, packed blocks, faults and bounds. */
#include "api.h"

/* ---- arguments ---- */

struct packed {
    uint8_t a;
    int16_t b;
    uint32_t c;
    double d;
    uint32_t e[3];
    float f;
    uint64_t out;
};
_Static_assert(sizeof(struct packed) == 40, "as the kernel's parameters lie");

static const hd_launch one = {.block = {1}};
static const uint32_t three[3] = {11, 22, 33};

static void check_types_output(struct api *a, uint64_t out) {
    struct {
        uint64_t a;
        int64_t b;
        uint64_t c;
        double d;
        uint64_t e2;
        double f;
    } got;
    WORKS(a->dev, hd_copy_out(a->dev, &got, out, sizeof got));
    assert_int_equal(got.a, 200);
    assert_int_equal(got.b, -300);
    assert_int_equal(got.c, 4000000000u);
    assert_true(got.d == 0.1);
    assert_int_equal(got.e2, 33);
    assert_true(got.f == -1.5);
}

static void typed_arguments_arrive(void **state) {
    struct api *a = *state;
    uint64_t out = api_alloc(a, 48);
    hd_arg u8 = {.type = HD_ARG_U8, .v.u = 200}, s16 = {.type = HD_ARG_S16, .v.s = -300};
    hd_arg args[] = {u8,
                     s16,
                     hd_arg_u32(4000000000u),
                     hd_arg_f64(0.1),
                     hd_arg_bytes(three, 12),
                     hd_arg_f32(-1.5f),
                     hd_arg_ptr(out)};
    WORKS(a->dev, hd_run(api_kernel(a, "types"), &one, args, 7));
    check_types_output(a, out);
}

static void packed_arguments_arrive(void **state) {
    struct api *a = *state;
    uint64_t out = api_alloc(a, 48);
    struct packed p = {200, -300, 4000000000u, 0.1, {11, 22, 33}, -1.5f, out};
    hd_kernel *k = api_kernel(a, "types");
    WORKS(a->dev, hd_run_packed(k, &one, &p, sizeof p));
    check_types_output(a, out);
    FAILS(a->dev, HD_INVALID, "kernel types takes 40 bytes of arguments, 39 given",
          hd_run_packed(k, &one, &p, 39));
    FAILS(a->dev, HD_INVALID, "hd_run_packed: params must not be NULL", hd_run_packed(k, &one, NULL, 40));
    FAILS(a->dev, HD_INVALID, "hd_run_packed: l must not be NULL", hd_run_packed(k, NULL, &p, 40));
    WORKS(a->dev, hd_run_packed(api_kernel(a, "most"), &one, NULL, 0));
}

/* Sizes decide: the sign and the kind of a number do not matter, since PTX itself says .b32 as often as .f32. */
static void arguments_of_the_right_size_will_do(void **state) {
    struct api *a = *state;
    uint64_t out = api_alloc(a, 48);
    uint8_t u8 = 200;
    int16_t s16 = -300;
    double d = 0.1;
    uint32_t f;
    memcpy(&f, &(float){-1.5f}, 4);
    hd_arg args[] = {hd_arg_bytes(&u8, 1),    hd_arg_bytes(&s16, 2),   hd_arg_s32(-294967296),
                     hd_arg_bytes(&d, 8),     hd_arg_bytes(three, 12), hd_arg_u32(f),
                     hd_arg_s64((int64_t)out)};
    WORKS(a->dev, hd_run(api_kernel(a, "types"), &one, args, 7));
    check_types_output(a, out);
}

static void refuse_argument(struct api *a, size_t i, hd_arg bad, const char *text) {
    uint64_t out = 4096;
    hd_arg args[] = {{.type = HD_ARG_U8},     {.type = HD_ARG_S16}, hd_arg_u32(0),  hd_arg_f64(0),
                     hd_arg_bytes(three, 12), hd_arg_f32(0),        hd_arg_ptr(out)};
    args[i] = bad;
    FAILS(a->dev, HD_INVALID, text, hd_run(api_kernel(a, "types"), &one, args, 7));
}

static void arguments_of_the_wrong_size_are_named(void **state) {
    struct api *a = *state;
    refuse_argument(a, 5, hd_arg_f64(1), "argument 5 (param f, f32, 4 bytes): a 64-bit value was given");
    refuse_argument(a, 3, hd_arg_f32(1), "argument 3 (param d, f64, 8 bytes): a 32-bit value was given");
    refuse_argument(a, 6, hd_arg_u32(1), "argument 6 (param out, u64, 8 bytes): a 32-bit value was given");
    refuse_argument(a, 4, hd_arg_u32(1), "argument 4 (param e, bytes, 12 bytes): a 32-bit value was given");
    refuse_argument(a, 4, hd_arg_bytes(three, 8),
                    "argument 4 (param e, bytes, 12 bytes): 8 bytes were given");
    refuse_argument(a, 4, hd_arg_bytes(NULL, 12), "argument 4 (param e, bytes, 12 bytes): data is NULL");
    refuse_argument(a, 2, hd_arg_ptr(UINT64_C(1) << 32),
                    "argument 2 (param c, u32, 4 bytes): the pointer 0x100000000 does not fit");
    refuse_argument(a, 0, (hd_arg){.type = HD_ARG_U8, .v.u = 256},
                    "argument 0 (param a, u8, 1 byte): 256 does not fit u8");
    refuse_argument(a, 0, (hd_arg){.type = HD_ARG_S8, .v.s = -129},
                    "argument 0 (param a, u8, 1 byte): -129 does not fit s8");
    refuse_argument(a, 1, (hd_arg){.type = HD_ARG_S16, .v.s = 32768},
                    "argument 1 (param b, s16, 2 bytes): 32768 does not fit s16");
    refuse_argument(a, 2, (hd_arg){.type = (hd_arg_type)40}, "argument 2: 40 is not an hd_arg_type");
}

static void the_number_of_arguments_is_checked(void **state) {
    struct api *a = *state;
    hd_arg args[2] = {hd_arg_ptr(0), hd_arg_ptr(0)};
    FAILS(a->dev, HD_INVALID, "kernel types takes 7 arguments, 2 given",
          hd_run(api_kernel(a, "types"), &one, args, 2));
    FAILS(a->dev, HD_INVALID, "kernel store takes 1 argument, 2 given",
          hd_run(api_kernel(a, "store"), &one, args, 2));
    FAILS(a->dev, HD_INVALID, "kernel most takes 0 arguments, 1 given",
          hd_run(api_kernel(a, "most"), &one, args, 1));
    FAILS(a->dev, HD_INVALID, "hd_run: args must not be NULL", hd_run(api_kernel(a, "store"), &one, NULL, 1));
    FAILS(a->dev, HD_INVALID, "hd_run: l must not be NULL", hd_run(api_kernel(a, "store"), NULL, args, 1));
}

/* ---- dimensions ---- */

static void refuse_launch(struct api *a, const char *kernel, hd_launch l, const char *text) {
    FAILS(a->dev, HD_INVALID, text, hd_run(api_kernel(a, kernel), &l, NULL, 0));
}

static void grids_and_blocks_have_limits(void **state) {
    struct api *a = *state;
    refuse_launch(a, "uses_shared", (hd_launch){.grid = {1u << 31}},
                  "grid.x is 2147483648, at most 2147483647 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.grid = {1, 65536}},
                  "grid.y is 65536, at most 65535 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.grid = {1, 1, 65536}},
                  "grid.z is 65536, at most 65535 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.block = {1025}},
                  "block.x is 1025, at most 1024 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.block = {1, 1025}},
                  "block.y is 1025, at most 1024 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.block = {1, 1, 65}},
                  "block.z is 65, at most 64 is possible");
    refuse_launch(a, "uses_shared", (hd_launch){.block = {64, 17}},
                  "a block of 1088 threads: at most 1024 are possible");
    WORKS(a->dev, hd_run(api_kernel(a, "uses_shared"), &(hd_launch){.block = {16, 1, 64}}, NULL, 0));
}

static void missing_dimensions_count_as_one(void **state) {
    struct api *a = *state;
    double threads;
    WORKS(a->dev, hd_run(api_kernel(a, "most"), &(hd_launch){0}, NULL, 0));
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.threads", &threads));
    assert_true(threads == 1);
}

static void the_kernels_own_bounds_hold(void **state) {
    struct api *a = *state;
    WORKS(a->dev,
          hd_run(api_kernel(a, "most"), &(hd_launch){.block = {64}}, NULL, 0)); /* the product counts */
    refuse_launch(a, "most", (hd_launch){.block = {65}},
                  "kernel most allows 64 threads a block (.maxntid), 65 given");
    WORKS(a->dev, hd_run(api_kernel(a, "exact"), &(hd_launch){.block = {32, 2}}, NULL, 0));
    refuse_launch(a, "exact", (hd_launch){.block = {64}},
                  "kernel exact requires a block.x of 32 (.reqntid), 64 given");
    refuse_launch(a, "exact", (hd_launch){.block = {32, 2, 2}},
                  "kernel exact requires a block.z of 1 (.reqntid), 2 given");
}

static void shared_memory_has_a_limit(void **state) {
    struct api *a = *state;
    WORKS(a->dev, hd_run(api_kernel(a, "uses_shared"), &(hd_launch){.shared_bytes = 226 * 1024}, NULL, 0));
    refuse_launch(
        a, "uses_shared", (hd_launch){.shared_bytes = 226 * 1024 + 1},
        "kernel uses_shared would use 1024 bytes of static and 231425 bytes of dynamic shared memory; "
        "exec.shared_bytes is 232448");
    refuse_launch(
        a, "uses_shared", (hd_launch){.shared_bytes = UINT32_MAX},
        "kernel uses_shared would use 1024 bytes of static and 4294967295 bytes of dynamic shared memory; "
        "exec.shared_bytes is 232448");
}

/* ---- how a launch can end ---- */

static void a_fault_is_reported_and_the_device_goes_on(void **state) {
    struct api *a = *state;
    assert_int_equal(hd_run(api_kernel(a, "store"), &one, (hd_arg[]){hd_arg_ptr(0)}, 1), HD_FAULT);
    assert_non_null(strstr(hd_error(a->dev), "store"));
    assert_int_equal(hd_run(api_kernel(a, "traps"), &one, NULL, 0), HD_FAULT);
    assert_non_null(strstr(hd_error(a->dev), "trap"));
    WORKS(a->dev, hd_run(api_kernel(a, "most"), &one, NULL, 0));
    double launches;
    WORKS(a->dev, hd_stat(a->dev, 1, "exec.launches", &launches));
    assert_true(launches == 3);
}

static void a_bound_on_instructions_ends_a_launch(void **state) {
    struct api *a = *state;
    hd_launch l = {.block = {32}, .max_insts = 100000};
    assert_int_equal(hd_run(api_kernel(a, "forever"), &l, NULL, 0), HD_LIMIT);
    double insts;
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.thread_insts", &insts));
    assert_true(insts >= 90000 && insts <= 200000);
}

static void the_option_bounds_every_launch(void **state) {
    (void)state;
    struct api a;
    hd_option options[] = {{"exec.max_insts", "5000"}, {"exec.isa", "portable"}};
    assert_int_equal(hd_device_open(&(hd_config){.options = options, .noptions = 2}, &a.dev), HD_OK);
    WORKS(a.dev, hd_module_load(a.dev, "api.ptx", API_PTX, 0, &a.mod));
    assert_int_equal(hd_run(api_kernel(&a, "forever"), &one, NULL, 0), HD_LIMIT);
    hd_device_close(a.dev);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        API_TEST(typed_arguments_arrive),
        API_TEST(packed_arguments_arrive),
        API_TEST(arguments_of_the_right_size_will_do),
        API_TEST(arguments_of_the_wrong_size_are_named),
        API_TEST(the_number_of_arguments_is_checked),
        API_TEST(grids_and_blocks_have_limits),
        API_TEST(missing_dimensions_count_as_one),
        API_TEST(the_kernels_own_bounds_hold),
        API_TEST(shared_memory_has_a_limit),
        API_TEST(a_fault_is_reported_and_the_device_goes_on),
        API_TEST(a_bound_on_instructions_ends_a_launch),
        cmocka_unit_test(the_option_bounds_every_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
