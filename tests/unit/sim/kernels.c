/* Whole kernels against the same algorithm on the CPU: the classic ones. Integers and IEEE operations must
 * agree bit by bit; results of .approx instructions within a stated error. */
#include <math.h>

#include "base/bits.h"
#include "kernels/harness.h"

static void reduction_by_shuffles_sums_exactly(void **state) {
    (void)state;
    enum { N = 10000 };
    struct rig r;
    rig_open(&r, "reduce.ptx");
    static int32_t in[N];
    uint32_t want = 0;
    for (int i = 0; i < N; i++) want += (uint32_t)(in[i] = (int32_t)((uint32_t)i * 2654435761u));
    uint64_t din = rig_in(&r, in, sizeof in), dout = rig_zero(&r, 4);
    RUN(&r, "reduce_int", LAUNCH(.grid = {7}, .block = {256}), PTR(dout), PTR(din), hd_arg_u32(N));
    uint32_t got;
    rig_out(&r, dout, &got, 4);
    assert_int_equal(got, want);
    rig_close(&r);
}

/* The kernel's order of additions: strided per thread, then halves of a warp onto each other. */
static float tree_sum(const float *in, uint32_t n, uint32_t stride) {
    float v[256], part[8];
    for (uint32_t t = 0; t < 256; t++) {
        v[t] = 0;
        for (uint32_t i = t; i < n; i += stride) v[t] += in[i];
    }
    for (uint32_t w = 0; w < 8; w++) {
        for (uint32_t d = 16; d > 0; d >>= 1)
            for (uint32_t l = 0; l < d; l++) v[32 * w + l] += v[32 * w + l + d];
        part[w] = v[32 * w];
    }
    for (uint32_t d = 4; d > 0; d >>= 1)
        for (uint32_t l = 0; l < d; l++) part[l] += part[l + d];
    return part[0];
}

static void float_reduction_keeps_the_order_of_additions(void **state) {
    (void)state;
    enum { N = 5000, BLOCKS = 3 };
    struct rig r;
    rig_open(&r, "reduce.ptx");
    static float in[N];
    for (int i = 0; i < N; i++) in[i] = 1.0f / (float)(i + 1);
    uint64_t din = rig_in(&r, in, sizeof in), dout = rig_zero(&r, 4 * BLOCKS);
    RUN(&r, "reduce_float", LAUNCH(.grid = {BLOCKS}, .block = {256}), PTR(dout), PTR(din), hd_arg_u32(N));
    float got[BLOCKS], want[BLOCKS];
    rig_out(&r, dout, got, sizeof got);
    for (uint32_t b = 0; b < BLOCKS; b++) want[b] = tree_sum(in + 256 * b, N - 256 * b, 256 * BLOCKS);
    same_u32("sum", got, want, BLOCKS);
    rig_close(&r);
}

static void histograms_count_every_byte(void **state) {
    (void)state;
    enum { N = 20011, BINS = 64 };
    struct rig r;
    rig_open(&r, "histogram.ptx");
    static uint8_t in[N];
    uint32_t want[BINS] = {0}, got[BINS];
    uint64_t sums[BINS] = {0}, got_sums[BINS];
    struct rng rng = {7};
    for (int i = 0; i < N; i++) {
        in[i] = (uint8_t)(rng_next(&rng) & rng_next(&rng)); /* skewed, so that bins are contended */
        want[in[i] % BINS]++;
        sums[in[i] % BINS] += in[i];
    }
    uint64_t din = rig_in(&r, in, sizeof in), bins = rig_zero(&r, sizeof want),
             wide = rig_zero(&r, sizeof sums);
    RUN(&r, "histogram_shared", LAUNCH(.grid = {5}, .block = {96}), PTR(bins), PTR(din), hd_arg_u32(N));
    rig_out(&r, bins, got, sizeof got);
    same_u32("bin", got, want, BINS);
    RUN(&r, "histogram_global", LAUNCH(.grid = {3}, .block = {100}), PTR(wide), PTR(din), hd_arg_u32(N));
    rig_out(&r, wide, got_sums, sizeof got_sums);
    same_u64("sum", got_sums, sums, BINS);
    rig_close(&r);
}

static void atomics_of_every_kind_lose_no_update(void **state) {
    (void)state;
    enum { N = 300 };
    struct rig r;
    rig_open(&r, "histogram.ptx");
    uint32_t cell[13] = {0, ~0u, 0, 0x7fffffff, 0x80000000, 0xffff, 0, 0, 0, 4, 0, 0, 0}, want[13] = {0};
    uint64_t wide[4] = {0}, want_wide[4] = {0};
    want[0] = N * (N - 1) / 2;
    want[1] = 1000 - (N - 1);
    want[2] = 3 * (N - 1);
    want[3] = 100u - (N - 1);
    want[4] = (uint32_t)((N - 1) - 1000);
    want[6] = ~0u;
    for (uint32_t i = 0; i < N; i++) want[7] ^= i * 0x01010101u;
    want[8] = N % 10; /* counts 0..9 and round */
    for (uint32_t i = 0, v = 4; i < N; i++) want[9] = v = v == 0 || v > 6 ? 6 : v - 1;
    want[10] = 2 * N;
    want[11] = want[12] = 1;
    want_wide[0] = (uint64_t)want[0] << 32;
    want_wide[1] = (uint64_t)(N - 1) * (N - 1);
    want_wide[2] = (uint64_t)0 - ((uint64_t)(N - 1) << 33);
    for (int i = 0; i < N; i++) want_wide[3] = want_wide[3] * 3 + 1;
    float f = 0;
    double d = 0;
    uint64_t dc = rig_in(&r, cell, sizeof cell), dw = rig_in(&r, wide, sizeof wide);
    uint64_t df = rig_in(&r, &f, sizeof f), dd = rig_in(&r, &d, sizeof d);
    RUN(&r, "atomics", LAUNCH(.grid = {3}, .block = {100}), PTR(dc), PTR(dw), PTR(df), PTR(dd));
    rig_out(&r, dc, cell, sizeof cell);
    rig_out(&r, dw, wide, sizeof wide);
    rig_out(&r, df, &f, sizeof f);
    rig_out(&r, dd, &d, sizeof d);
    same_u32("cell", cell, want, 13);
    same_u64("wide", wide, want_wide, 4);
    assert_true(f == (float)want[0]); /* every partial sum is an exact integer */
    assert_true(d == N * 0.25);
    rig_close(&r);
}

static void tiled_matrix_product_is_bit_exact(void **state) {
    (void)state;
    enum { N = 48 };
    struct rig r;
    rig_open(&r, "matmul.ptx");
    static float a[N * N], b[N * N], want[N * N], got[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 37) * 0.37f - 5;
        b[i] = (float)(i % 53) * 0.11f - 2;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) want[i * N + j] = fmaf(a[i * N + k], b[k * N + j], want[i * N + j]);
    uint64_t da = rig_in(&r, a, sizeof a), db = rig_in(&r, b, sizeof b), dc = rig_zero(&r, sizeof got);
    RUN(&r, "matmul", LAUNCH(.grid = {3, 3}, .block = {16, 16}), PTR(dc), PTR(da), PTR(db), hd_arg_s32(N));
    rig_out(&r, dc, got, sizeof got);
    same_u32("c", got, want, N * N);
    assert_true(rig_stat(&r, "exec.barriers") == 9 * 3 * 2);
    rig_close(&r);
}

static void bitonic_sort_orders_each_block(void **state) {
    (void)state;
    enum { N = 512, BLOCKS = 4 };
    struct rig r;
    rig_open(&r, "bitonic.ptx");
    static uint32_t keys[BLOCKS * N];
    uint64_t sum = 0, sorted_sum = 0;
    struct rng rng = {3};
    for (int i = 0; i < BLOCKS * N; i++) sum += keys[i] = (uint32_t)rng_next(&rng);
    uint64_t d = rig_in(&r, keys, sizeof keys);
    RUN(&r, "bitonic", LAUNCH(.grid = {BLOCKS}, .block = {N / 2}, .shared_bytes = 4 * N), PTR(d),
        hd_arg_u32(N));
    rig_out(&r, d, keys, sizeof keys);
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 1; i < N; i++) {
            uint32_t x = keys[b * N + i - 1], y = keys[b * N + i];
            assert_true(b & 1 ? x >= y : x <= y);
        }
    for (int i = 0; i < BLOCKS * N; i++) sorted_sum += keys[i];
    assert_true(sum == sorted_sum);
    rig_close(&r);
}

static int32_t escape(float cx, float cy, int32_t limit) {
    float x = 0, y = 0;
    int32_t n = 0;
    for (; n < limit && x * x + y * y <= 4.0f; n++) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
    }
    return n;
}

static void mandelbrot_counts_agree(void **state) {
    (void)state;
    enum { W = 61, H = 45, LIMIT = 200 };
    struct rig r;
    rig_open(&r, "mandelbrot.ptx");
    static int32_t got[W * H], want[W * H];
    const float x0 = -2.1f, y0 = -1.2f, step = 0.05f;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            want[y * W + x] = escape(x0 + (float)x * step, y0 + (float)y * step, LIMIT);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "mandelbrot", LAUNCH(.grid = {4, 6}, .block = {16, 8}), PTR(d), hd_arg_s32(W), hd_arg_s32(H),
        hd_arg_f32(x0), hd_arg_f32(y0), hd_arg_f32(step), hd_arg_s32(LIMIT));
    rig_out(&r, d, got, sizeof got);
    same_u32("iterations", got, want, W * H);
    assert_true(rig_stat(&r, "exec.divergent_branches") > 0);
    rig_close(&r);
}

static double normal_distribution(double d) {
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double poly =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double c = 0.3989422804 * exp(-0.5 * d * d) * poly;
    return d > 0 ? 1 - c : c;
}

/* The reference is in double precision; prices reach 100, so 1e-4 is a few units in the last place of the terms. */
static void option_prices_agree_with_double_precision(void **state) {
    (void)state;
    enum { N = 1000 };
    struct rig r;
    rig_open(&r, "blackscholes.ptx");
    static float s[N], x[N], t[N], call[N], put[N];
    static double want_call[N], want_put[N];
    const double rate = 0.02f, vol = 0.3f;
    for (int i = 0; i < N; i++) {
        s[i] = 5 + (float)(i % 89);
        x[i] = 1 + (float)(i % 97);
        t[i] = 0.25f + (float)(i % 40) * 0.25f;
        double years = t[i], root = sqrt(years), price = s[i], strike = x[i];
        double d1 = (log(price / strike) + (rate + 0.5 * vol * vol) * years) / (vol * root),
               d2 = d1 - vol * root;
        double c1 = normal_distribution(d1), c2 = normal_distribution(d2), discount = exp(-rate * years);
        want_call[i] = price * c1 - strike * discount * c2;
        want_put[i] = strike * discount * (1 - c2) - price * (1 - c1);
    }
    uint64_t ds = rig_in(&r, s, sizeof s), dx = rig_in(&r, x, sizeof x), dt = rig_in(&r, t, sizeof t);
    uint64_t dc = rig_zero(&r, sizeof call), dp = rig_zero(&r, sizeof put);
    RUN(&r, "blackscholes", LAUNCH(.grid = {4}, .block = {128}), PTR(dc), PTR(dp), PTR(ds), PTR(dx), PTR(dt),
        hd_arg_f32(0.02f), hd_arg_f32(0.3f), hd_arg_s32(N));
    rig_out(&r, dc, call, sizeof call);
    rig_out(&r, dp, put, sizeof put);
    near_f32("call", call, want_call, N, 1e-4, 1e-5);
    near_f32("put", put, want_put, N, 1e-4, 1e-5);
    rig_close(&r);
}

enum { NODES = 700, DEGREE = 3 };

static void bfs_on_cpu(const uint32_t *edge, int32_t *level) {
    uint32_t queue[NODES], head = 0, tail = 0;
    for (int i = 0; i < NODES; i++) level[i] = -1;
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = v * DEGREE; e < (v + 1) * DEGREE; e++)
            if (level[edge[e]] < 0) {
                level[edge[e]] = level[v] + 1;
                queue[tail++] = edge[e];
            }
    }
}

static void breadth_first_levels_agree(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "bfs.ptx");
    static uint32_t row[NODES + 1], edge[NODES * DEGREE];
    static int32_t level[NODES], want[NODES];
    struct rng rng = {11};
    for (uint32_t v = 0; v <= NODES; v++) row[v] = v * DEGREE;
    for (int e = 0; e < NODES * DEGREE; e++) edge[e] = (uint32_t)rng_below(&rng, NODES);
    for (int v = 1; v < NODES; v++) level[v] = -1;
    bfs_on_cpu(edge, want);
    uint64_t dl = rig_in(&r, level, sizeof level), dr = rig_in(&r, row, sizeof row),
             de = rig_in(&r, edge, sizeof edge);
    uint64_t dchanged = rig_zero(&r, 4);
    int32_t changed = 1;
    for (int depth = 0; changed; depth++) {
        MUST(&r, hd_set(r.dev, dchanged, 0, 4));
        RUN(&r, "bfs_level", LAUNCH(.grid = {6}, .block = {128}), PTR(dl), PTR(dr), PTR(de),
            hd_arg_u32(NODES), hd_arg_s32(depth), PTR(dchanged));
        rig_out(&r, dchanged, &changed, 4);
        assert_true(depth < NODES);
    }
    rig_out(&r, dl, level, sizeof level);
    same_u32("level", level, want, NODES);
    rig_close(&r);
}

static void prefix_sums_over_blocks(void **state) {
    (void)state;
    enum { N = 2000, B = 256, BLOCKS = (N + B - 1) / B };
    struct rig r;
    rig_open(&r, "scan.ptx");
    static int32_t in[N], want[N], got[N];
    int32_t totals[BLOCKS], run = 0;
    for (int i = 0; i < N; i++) {
        in[i] = i * 7919 % 101 - 50;
        want[i] = run;
        run += in[i];
    }
    uint64_t din = rig_in(&r, in, sizeof in), dout = rig_zero(&r, sizeof got),
             dt = rig_zero(&r, sizeof totals);
    RUN(&r, "scan_blocks", LAUNCH(.grid = {BLOCKS}, .block = {B}), PTR(dout), PTR(dt), PTR(din),
        hd_arg_u32(N));
    rig_out(&r, dt, totals, sizeof totals);
    for (int b = 0, s = 0; b < BLOCKS; b++) {
        int t = totals[b];
        totals[b] = s;
        s += t;
    }
    MUST(&r, hd_copy_in(r.dev, dt, totals, sizeof totals));
    RUN(&r, "scan_add", LAUNCH(.grid = {BLOCKS}, .block = {B}), PTR(dout), PTR(dt), hd_arg_u32(N));
    rig_out(&r, dout, got, sizeof got);
    same_u32("prefix", got, want, N);
    rig_close(&r);
}

static void queens_are_counted(void **state) {
    (void)state;
    static const struct { uint32_t n, solutions; } known[] = {{4, 2}, {6, 4}, {8, 92}, {9, 352}};
    struct rig r;
    rig_open(&r, "scan.ptx");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t d = rig_zero(&r, 4);
        uint32_t got;
        RUN(&r, "queens", LAUNCH(.grid = {2}, .block = {64}), PTR(d), hd_arg_u32(known[i].n));
        rig_out(&r, d, &got, 4);
        assert_int_equal(got, known[i].solutions);
    }
    rig_close(&r);
}

/* x = x a + b in f32 and in u32: what the benchmark runs, checked once for a ragged grid. */
static void uniform_arithmetic_is_exact(void **state) {
    (void)state;
    enum { N = 3 * 40, ROUNDS = 37 };
    struct rig r;
    rig_open(&r, "arith.ptx");
    float want_f[N], got_f[N];
    uint32_t want_i[N], got_i[N], a = 1664525, b = 1013904223;
    for (uint32_t i = 0; i < N; i++) {
        float x = (float)i, y = x + 1, z = x + 2, w = x + 3;
        uint32_t p = i, q = i ^ a, s = i + b;
        for (int k = 0; k < ROUNDS; k++) {
            x = fmaf(x, 0.75f, 0.5f);
            y = y * 0.75f + x;
            z = fmaf(z, 0.75f, y);
            w = w * 0.5f + z;
            p = p * a + b;
            q ^= p >> 7;
            s += q << 3;
            q += s & a;
        }
        want_f[i] = x + y + z + w;
        want_i[i] = p + q + s;
    }
    uint64_t df = rig_zero(&r, sizeof got_f), di = rig_zero(&r, sizeof got_i);
    RUN(&r, "arith_float", LAUNCH(.grid = {3}, .block = {40}), PTR(df), hd_arg_f32(0.75f), hd_arg_f32(0.5f),
        hd_arg_s32(ROUNDS));
    RUN(&r, "arith_int", LAUNCH(.grid = {3}, .block = {40}), PTR(di), hd_arg_u32(a), hd_arg_u32(b),
        hd_arg_s32(ROUNDS));
    rig_out(&r, df, got_f, sizeof got_f);
    rig_out(&r, di, got_i, sizeof got_i);
    same_u32("float", got_f, want_f, N);
    same_u32("int", got_i, want_i, N);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduction_by_shuffles_sums_exactly),
        cmocka_unit_test(float_reduction_keeps_the_order_of_additions),
        cmocka_unit_test(histograms_count_every_byte),
        cmocka_unit_test(atomics_of_every_kind_lose_no_update),
        cmocka_unit_test(tiled_matrix_product_is_bit_exact),
        cmocka_unit_test(bitonic_sort_orders_each_block),
        cmocka_unit_test(mandelbrot_counts_agree),
        cmocka_unit_test(option_prices_agree_with_double_precision),
        cmocka_unit_test(breadth_first_levels_agree),
        cmocka_unit_test(prefix_sums_over_blocks),
        cmocka_unit_test(queens_are_counted),
        cmocka_unit_test(uniform_arithmetic_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
