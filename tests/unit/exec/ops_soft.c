/* The references' soft floating point against the host's hardware: f32 and f64 in the four IEEE rounding
 * modes, f16 and bf16 by construction from them. A reference that is wrong would make the tests of every
 * operation worthless. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bits.h"
#include "ref/ref.h"

static const int host_round[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static void same(const struct soft_fmt *f, uint64_t got, uint64_t want) {
    if (soft_decode(f, got).cls == SOFT_NAN && soft_decode(f, want).cls == SOFT_NAN) return;
    assert_int_equal(got, want);
}

/* volatile: the operation must happen under the rounding mode set around it. */
static void check32(uint32_t a, uint32_t b, uint32_t c, enum soft_round r) {
    const struct soft_fmt *f = &soft_f32;
    struct soft x = soft_decode(f, a), y = soft_decode(f, b), z = soft_decode(f, c);
    volatile float p = f32_from(a), q = f32_from(b), s = f32_from(c);
    fesetround(host_round[r]);
    volatile float sum = p + q, product = p * q, quotient = p / q, root = sqrtf(p), fused = fmaf(p, q, s);
    fesetround(FE_TONEAREST);
    same(f, soft_encode(f, soft_add(x, y, r), r), f32_bits(sum));
    same(f, soft_encode(f, soft_mul(x, y), r), f32_bits(product));
    same(f, soft_encode(f, soft_div(x, y), r), f32_bits(quotient));
    same(f, soft_encode(f, soft_sqrt(x), r), f32_bits(root));
    same(f, soft_encode(f, soft_add(soft_mul(x, y), z, r), r), f32_bits(fused));
}
static void check64(uint64_t a, uint64_t b, uint64_t c, enum soft_round r) {
    const struct soft_fmt *f = &soft_f64;
    struct soft x = soft_decode(f, a), y = soft_decode(f, b), z = soft_decode(f, c);
    volatile double p = f64_from(a), q = f64_from(b), s = f64_from(c);
    fesetround(host_round[r]);
    volatile double sum = p + q, product = p * q, quotient = p / q, root = sqrt(p), fused = fma(p, q, s);
    volatile float narrow = (float)p;
    fesetround(FE_TONEAREST);
    same(f, soft_encode(f, soft_add(x, y, r), r), f64_bits(sum));
    same(f, soft_encode(f, soft_mul(x, y), r), f64_bits(product));
    same(f, soft_encode(f, soft_div(x, y), r), f64_bits(quotient));
    same(f, soft_encode(f, soft_sqrt(x), r), f64_bits(root));
    same(f, soft_encode(f, soft_add(soft_mul(x, y), z, r), r), f64_bits(fused));
    same(&soft_f32, soft_encode(&soft_f32, x, r), f32_bits(narrow));
}

static void test_edges(void **state) {
    (void)state;
    uint64_t v32[40], v64[40];
    size_t n32 = ref_edges(IR_T_F32, v32, 40), n64 = ref_edges(IR_T_F64, v64, 40);
    for (int r = SOFT_RN; r <= SOFT_RP; r++) {
        for (size_t k = 0; k < n32 * n32 * n32; k++)
            check32((uint32_t)v32[k % n32], (uint32_t)v32[k / n32 % n32], (uint32_t)v32[k / n32 / n32],
                    (enum soft_round)r);
        for (size_t k = 0; k < n64 * n64 * n64; k++)
            check64(v64[k % n64], v64[k / n64 % n64], v64[k / n64 / n64], (enum soft_round)r);
    }
}

/* Random numbers whose exponents are close, so that sums cancel and quotients are near one. */
static void test_random(void **state) {
    (void)state;
    struct rng rng = {7};
    for (int k = 0; k < 100000; k++) {
        enum soft_round r = (enum soft_round)(k & 3);
        uint64_t a = rng_next(&rng), b = rng_next(&rng), c = rng_next(&rng);
        check32((uint32_t)a, (uint32_t)b, (uint32_t)c, r);
        check64(a, b, c, r);
        uint64_t e = 1023 - 60 + rng_below(&rng, 120), near_by = rng_below(&rng, 60);
        uint64_t keep = 0x800fffffffffffffu & ~0u << rng_below(&rng, 32);
        check64((a & keep) | e << 52, (b & keep) | 1023ull << 52, (c & keep) | (e - near_by) << 52, r);
        check32((uint32_t)(a & 0x807fffff) | 127u << 23, (uint32_t)(b & 0x807fff00) | 126u << 23,
                (uint32_t)(c & 0x80700000) | (uint32_t)(127 - near_by) << 23, r);
    }
}

static void test_comparison_and_integers(void **state) {
    (void)state;
    uint64_t v[REF_MAX_EDGES];
    size_t n = ref_edges(IR_T_F64, v, REF_MAX_EDGES);
    for (size_t k = 0; k < n * n; k++) {
        double a = f64_from(v[k % n]), b = f64_from(v[k / n]);
        enum soft_order want = isunordered(a, b) ? SOFT_UNORDERED
                               : a < b           ? SOFT_LESS
                               : a > b           ? SOFT_GREATER
                                                 : SOFT_EQUAL;
        assert_int_equal(soft_compare(soft_decode(&soft_f64, v[k % n]), soft_decode(&soft_f64, v[k / n])),
                         want);
        if (!isnan(a)) assert_true(soft_double(soft_decode(&soft_f64, v[k % n])) == a);
        for (int r = SOFT_RN; r <= SOFT_RP; r++) {
            fesetround(host_round[r]);
            volatile double x = a, integral = nearbyint(x);
            fesetround(FE_TONEAREST);
            struct soft s = soft_rint(soft_decode(&soft_f64, v[k % n]), (enum soft_round)r);
            same(&soft_f64, soft_encode(&soft_f64, s, SOFT_RN), f64_bits(integral));
        }
    }
}

/* Every f16 and bf16 survives decoding and encoding; between two neighbours, each mode goes where it must. */
static void test_small_formats(void **state) {
    (void)state;
    const struct soft_fmt *formats[] = {&soft_f16, &soft_bf16};
    for (int k = 0; k < 2; k++)
        for (uint64_t bits = 0; bits < soft_inf(formats[k], false); bits++) {
            const struct soft_fmt *f = formats[k];
            struct soft v = soft_decode(f, bits), w = soft_decode(f, bits + 1);
            for (int r = SOFT_RN; r <= SOFT_RNA; r++)
                assert_int_equal(soft_encode(f, v, (enum soft_round)r), bits);
            if (w.cls == SOFT_INF) continue;
            struct soft middle = soft_mul(soft_add(v, w, SOFT_RN), (struct soft){SOFT_FINITE, false, -1, 1});
            assert_int_equal(soft_encode(f, middle, SOFT_RN), bits + (bits & 1));
            assert_int_equal(soft_encode(f, middle, SOFT_RNA), bits + 1);
            assert_int_equal(soft_encode(f, middle, SOFT_RZ), bits);
            assert_int_equal(soft_encode(f, middle, SOFT_RM), bits);
            assert_int_equal(soft_encode(f, middle, SOFT_RP), bits + 1);
            assert_int_equal(soft_encode(f, soft_neg(middle), SOFT_RM), soft_zero(f, true) | (bits + 1));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_comparison_and_integers),
                                       cmocka_unit_test(test_small_formats)};
    return cmocka_run_group_tests_name("soft floating point", tests, NULL, NULL);
}
