/* Whole kernels: generic addresses, symbols, parameters, vectors, f16 and f64, textures of every geometry. */
#include <math.h>

#include "base/bits.h"
#include "kernels/harness.h"

static void one_pointer_reaches_shared_local_and_global(void **state) {
    (void)state;
    static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19};
    struct rig r;
    rig_open(&r, "generic.ptx");
    int32_t got[128], want[128];
    for (int i = 0; i < 64; i++) {
        int which = i % 3, local = i + i % 4, s = i * 10, g = i * 1000;
        int *p = which == 0 ? &s : which == 1 ? &local : &g;
        want[i] = ++*p * 16 + (1 << which);
        want[64 + i] = s + local + prime[i % 8] + g;
    }
    uint64_t d = rig_zero(&r, sizeof got), scratch = rig_zero(&r, 4 * 64);
    RUN(&r, "mixed", LAUNCH(.block = {64}), PTR(d), PTR(scratch));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 128);
    rig_close(&r);
}

static void globals_hold_values_and_addresses_of_others(void **state) {
    (void)state;
    static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19};
    static const char words[] = "warp and weft";
    struct rig r;
    rig_open(&r, "generic.ptx");
    int32_t got[40], want[40], counter;
    for (int i = 0; i < 40; i++) want[i] = (4 - i % 4) * 100 + prime[i % 8] + 2 + words[i % 13];
    uint64_t d = rig_zero(&r, sizeof got), addr, bytes;
    RUN(&r, "symbols", LAUNCH(.block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 40);

    MUST(&r, hd_module_symbol(r.mod, "counter", &addr, &bytes));
    assert_int_equal(bytes, 4);
    rig_out(&r, addr, &counter, 4);
    assert_int_equal(counter, 15);
    MUST(&r, hd_module_symbol(r.mod, "primes", &addr, &bytes)); /* constants are written by the host */
    assert_int_equal(bytes, 32);
    int32_t eight[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    MUST(&r, hd_copy_in(r.dev, addr, eight, sizeof eight));
    for (int i = 0; i < 40; i++) want[i] += 1 - prime[i % 8];
    RUN(&r, "symbols", LAUNCH(.block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 40);
    rig_close(&r);
}

struct box {
    int8_t tag;
    int16_t shorts[3];
    double d;
    uint8_t bytes[5];
    _Alignas(8) float pair[2];
};

static void parameters_of_every_size(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "generic.ptx");
    struct box b = {-7, {100, -200, 300}, 0.125, {1, 2, 3, 4, 255}, {1.5f, 2.0f}};
    double got[30], want[30];
    for (int i = 0; i < 30; i++)
        want[i] = (double)b.tag + b.shorts[i % 3] + b.d + b.bytes[i % 5] + 3.0 - 100 + 65000 + 0.25 - 5e9;
    hd_arg c = hd_arg_s32(-100), u = hd_arg_u32(65000), flag = hd_arg_u32(1);
    c.type = HD_ARG_S8;
    u.type = HD_ARG_U16;
    flag.type = HD_ARG_U8;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "params", LAUNCH(.block = {30}), PTR(d), hd_arg_bytes(&b, sizeof b), c, u, flag,
        hd_arg_s64(-5000000000));
    rig_out(&r, d, got, sizeof got);
    same_u64("value", got, want, 30);
    rig_close(&r);
}

static void vectors_and_volatile_accesses(void **state) {
    (void)state;
    enum { N = 70 };
    struct rig r;
    rig_open(&r, "generic.ptx");
    static float in[N][4], want[N][4], got[N][4];
    static uint32_t u[N][4];
    static double e[N][2];
    int32_t vol[N], want_vol[N];
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            in[i][k] = (float)(i * 4 + k) * 0.5f;
            u[i][k] = i + k * 100;
        }
        e[i][0] = i * 3.0;
        e[i][1] = i * 2.5;
        want[i][0] = in[i][3] + (float)u[i][0];
        want[i][1] = in[i][2] + (float)u[i][1];
        want[i][2] = in[i][1] + (float)(u[i][2] ^ u[i][3]);
        want[i][3] = in[i][0] + (float)(e[i][0] - e[i][1]);
        want_vol[i] = 3 * (1 + (int32_t)i);
    }
    uint64_t din = rig_in(&r, in, sizeof in), du = rig_in(&r, u, sizeof u), de = rig_in(&r, e, sizeof e);
    uint64_t d = rig_zero(&r, sizeof got), scratch = rig_zero(&r, sizeof vol);
    RUN(&r, "vectors", LAUNCH(.grid = {2}, .block = {35}), PTR(d), PTR(din), PTR(du), PTR(de));
    rig_out(&r, d, got, sizeof got);
    same_u32("element", got, want, 4 * N);
    RUN(&r, "volatiles", LAUNCH(.grid = {2}, .block = {35}), PTR(scratch), PTR(d));
    rig_out(&r, d, vol, sizeof vol);
    same_u32("volatile", vol, want_vol, N);
    rig_close(&r);
}

/* ---- floats ---- */

/* Rounds to half precision, ties to even; v must not need more than the normal range. Returns the value and
 * its bits. */
static double round_half(double v, uint16_t *bits) {
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    int e = a < 0x1p-14 ? -14 : ilogb(a);
    double steps = nearbyint(ldexp(a, 10 - e)); /* in units of the last place */
    *bits = (uint16_t)(sign | ((e + 14) * 1024 + (int)steps));
    return copysign(ldexp(steps, e - 10), v);
}

static void half_precision_rounds_once_per_operation(void **state) {
    (void)state;
    enum { N = 200 };
    struct rig r;
    rig_open(&r, "floats.ptx");
    float in[N];
    uint16_t got[2 * N], want[2 * N], bits;
    for (int i = 0; i < N; i++) {
        in[i] = (float)(i - 100) * 0.0371f;
        double x = round_half(in[i], &bits), s = 0.5;
        s = round_half(s * x - 1.25, &bits);
        s = round_half(s * x + 3.0, &want[i]);
        round_half((double)((float)s * (float)x), &want[N + i]);
    }
    uint64_t din = rig_in(&r, in, sizeof in), d = rig_zero(&r, sizeof got);
    RUN(&r, "half_poly", LAUNCH(.grid = {2}, .block = {128}), PTR(d), PTR(din), hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    for (int i = 0; i < 2 * N; i++)
        if (got[i] != want[i]) fail_msg("half[%d]: got 0x%04x, want 0x%04x", i, got[i], want[i]);
    rig_close(&r);
}

static void double_precision_is_ieee(void **state) {
    (void)state;
    enum { N = 150 };
    struct rig r;
    rig_open(&r, "floats.ptx");
    static double in[3 * N], want[2 * N], got[2 * N];
    struct rng rng = {9};
    for (int i = 0; i < 3 * N; i++) in[i] = (double)(int64_t)rng_next(&rng) * 0x1p-60 + 0.001;
    for (int i = 0; i < N; i++) {
        double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], disc = b * b - 4 * a * c;
        double q = -0.5 * (b + copysign(sqrt(fabs(disc)), b));
        want[2 * i] = disc < 0 ? -b / (2 * a) : q / a;
        want[2 * i + 1] = disc < 0 ? sqrt(-disc) / (2 * a) : c / q;
    }
    uint64_t din = rig_in(&r, in, sizeof in), d = rig_zero(&r, sizeof got);
    RUN(&r, "quadratic", LAUNCH(.grid = {3}, .block = {64}), PTR(d), PTR(din), hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    same_u64("root", got, want, 2 * N);

    for (int i = 0; i < N; i++) {
        double v = in[i] = 1 + i * 0.37, y = 1.0 / v;
        for (int k = 0; k < 40; k++) y = fma(0.5 * y, fma(-v * y, y, 1.0), y);
        want[i] = y;
    }
    MUST(&r, hd_copy_in(r.dev, din, in, sizeof in));
    RUN(&r, "newton", LAUNCH(.grid = {3}, .block = {64}), PTR(d), PTR(din), hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    same_u64("reciprocal root", got, want, N);
    rig_close(&r);
}

static void conversions_round_as_c_does(void **state) {
    (void)state;
    enum { N = 90 };
    struct rig r;
    rig_open(&r, "floats.ptx");
    static double in[N];
    static int64_t got[6 * N], want[6 * N];
    for (int i = 0; i < N; i++) {
        double d = in[i] = (i % 2 ? -1 : 1) * ((i % 9) * 0.25 + (double)i * i * i * 37.5);
        int64_t *w = want + 6 * i;
        w[0] = (int64_t)d;
        w[1] = (int32_t)(float)d;
        w[2] = (int64_t)(uint64_t)fabs(d);
        w[3] = (int64_t)floor(d) - (int64_t)ceil(d);
        w[4] = (int64_t)rint(d);
        w[5] = (int64_t)((double)(int64_t)d - (double)(float)(int64_t)d);
    }
    uint64_t din = rig_in(&r, in, sizeof in), d = rig_zero(&r, sizeof got);
    RUN(&r, "conversions", LAUNCH(.grid = {2}, .block = {64}), PTR(d), PTR(din), hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    same_u64("value", got, want, 6 * N);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pointer_reaches_shared_local_and_global),
        cmocka_unit_test(globals_hold_values_and_addresses_of_others),
        cmocka_unit_test(parameters_of_every_size),
        cmocka_unit_test(vectors_and_volatile_accesses),
        cmocka_unit_test(half_precision_rounds_once_per_operation),
        cmocka_unit_test(double_precision_is_ieee),
        cmocka_unit_test(conversions_round_as_c_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
