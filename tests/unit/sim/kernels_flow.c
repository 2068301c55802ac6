/* Whole kernels against the CPU: those the timed machine is measured with, from straight to wholly divergent. */
#include <math.h>

#include "base/bits.h"
#include "kernels/harness.h"

enum { N = 320, BLOCK = 64 };

/* Runs kernel(out, rounds) of diverge.ptx on N threads. */
static void run_rounds(const char *kernel, uint32_t rounds, uint32_t *got) {
    struct rig r;
    rig_open(&r, "diverge.ptx");
    uint64_t d = rig_zero(&r, 4 * N);
    RUN(&r, kernel, LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(d), hd_arg_u32(rounds));
    rig_out(&r, d, got, 4 * N);
    rig_close(&r);
}

static void collatz_steps_are_counted(void **state) {
    (void)state;
    enum { COUNT = N - 7 };
    uint32_t got[N], want[N] = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint64_t v = i + 1; v != 1; want[i]++) v = v & 1 ? 3 * v + 1 : v >> 1;
    run_rounds("collatz", COUNT, got);
    same_u32("steps", got, want, N);
}

static void a_search_breaks_out_of_its_loop(void **state) {
    (void)state;
    enum { MOST = 40 };
    struct rig r;
    rig_open(&r, "diverge.ptx");
    uint32_t in[N], got[N], want[N];
    struct rng rng = {9};
    for (int i = 0; i < N; i++) {
        uint32_t x = in[i] = (uint32_t)rng_next(&rng), k = 0;
        for (; k < MOST; k++) {
            x = x * 1664525u + 1013904223u;
            if (x >> 24 < 16) {
                x = x / (k + 3) + 7;
                break;
            }
            x ^= x >> 5;
        }
        for (uint32_t j = 0; j < 12; j++) x = (x ^ x >> 3) * 5 + j;
        want[i] = x + k;
    }
    uint64_t din = rig_in(&r, in, sizeof in), d = rig_zero(&r, sizeof got);
    RUN(&r, "loop_break", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(d), PTR(din), hd_arg_u32(MOST));
    rig_out(&r, d, got, sizeof got);
    same_u32("found", got, want, N);
    rig_close(&r);
}

static void odd_and_even_threads_take_turns(void **state) {
    (void)state;
    enum { ROUNDS = 21 };
    uint32_t got[N], want[N];
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = i;
        for (uint32_t k = 0; k < ROUNDS; k++) {
            if ((k + i) & 1)
                for (int j = 0; j < 8; j++) x = (x ^ x >> 3) * 5 + 1;
            else
                x = x / 3 + k;
        }
        want[i] = x;
    }
    run_rounds("odd_even", ROUNDS, got);
    same_u32("x", got, want, N);
}

static uint32_t one_of_six_ways(uint32_t x, uint32_t k) {
    if (x & 1) return x & 2 ? x / 3 : x & 4 ? x * x + k : x % 1000003u;
    return x & 8 ? x / 7 + (x << 9) : x & 16 ? (x >> 3) * 17 : x + 0x9e3779b9u;
}
static void nested_ifs(void **state) {
    (void)state;
    enum { ROUNDS = 17 };
    uint32_t got[N], want[N];
    for (uint32_t i = 0; i < N; i++) {
        want[i] = i * 2654435761u;
        for (uint32_t k = 0; k < ROUNDS; k++) {
            uint32_t x = one_of_six_ways(want[i], k);
            want[i] = (x ^ x >> 7) * 0x85ebca6bu;
        }
    }
    run_rounds("nested", ROUNDS, got);
    same_u32("x", got, want, N);
}

static void uniform_rounds(void **state) {
    (void)state;
    enum { ROUNDS = 30 };
    uint32_t got[N], want[N];
    for (uint32_t i = 0; i < N; i++) {
        want[i] = i;
        for (uint32_t k = 0; k < ROUNDS; k++) want[i] = (want[i] ^ want[i] >> 3) * 5 + k;
    }
    run_rounds("uniform", ROUNDS, got);
    same_u32("x", got, want, N);
}

static void vectors_add(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "vecadd.ptx");
    float a[N], b[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i * 0.37f;
        b[i] = 1.0f / (float)(i + 1);
        want[i] = i < N - 5 ? a[i] + b[i] : 0;
    }
    uint64_t da = rig_in(&r, a, sizeof a), db = rig_in(&r, b, sizeof b), dc = rig_zero(&r, sizeof got);
    RUN(&r, "vecadd", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(dc), PTR(da), PTR(db),
        hd_arg_u32(N - 5));
    rig_out(&r, dc, got, sizeof got);
    same_u32("c", got, want, N);
    rig_close(&r);
}

enum { W = 37, H = 21 };

static float heat(const float *t, int x, int y) {
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return t[y * W + x];
}
static void heat_spreads(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "hotspot.ptx");
    static float t[2][W * H], power[W * H], got[W * H];
    for (int i = 0; i < W * H; i++) {
        t[0][i] = 20 + (float)(i * 31 % 97);
        power[i] = (float)(i % 11) * 0.125f;
    }
    uint64_t d[2] = {rig_in(&r, t[0], sizeof got), rig_zero(&r, sizeof got)},
             dp = rig_in(&r, power, sizeof power);
    for (int step = 0; step < 3; step++) {
        const float *from = t[step & 1];
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float around =
                    heat(from, x, y - 1) + heat(from, x, y + 1) + heat(from, x - 1, y) + heat(from, x + 1, y);
                t[!(step & 1)][y * W + x] =
                    heat(from, x, y) + 0.2f * (around - 4.0f * heat(from, x, y)) + power[y * W + x];
            }
        RUN(&r, "hotspot", LAUNCH(.grid = {3, 2}, .block = {16, 16}), PTR(d[!(step & 1)]), PTR(d[step & 1]),
            PTR(dp), hd_arg_s32(W), hd_arg_s32(H), hd_arg_f32(0.2f));
    }
    rig_out(&r, d[1], got, sizeof got);
    same_u32("heat", got, t[1], W * H);
    rig_close(&r);
}

static void sequences_align(void **state) {
    (void)state;
    enum { L = 64, P = L + 1, TILES = L / 16, GAP = 2 };
    struct rig r;
    rig_open(&r, "align.ptx");
    uint8_t a[L], b[L];
    static int32_t want[P * P], got[P * P];
    struct rng rng = {21};
    for (int i = 0; i < L; i++) {
        a[i] = (uint8_t)rng_below(&rng, 4);
        b[i] = (uint8_t)rng_below(&rng, 4);
    }
    for (int i = 0; i <= L; i++) want[i] = want[i * P] = -GAP * i;
    uint64_t d = rig_in(&r, want, sizeof want), da = rig_in(&r, a, sizeof a), db = rig_in(&r, b, sizeof b);
    for (int y = 1; y <= L; y++)
        for (int x = 1; x <= L; x++) {
            int32_t *s = &want[y * P + x], match = s[-P - 1] + (a[x - 1] == b[y - 1] ? 3 : -1);
            int32_t skip = (s[-P] > s[-1] ? s[-P] : s[-1]) - GAP;
            *s = match > skip ? match : skip;
        }
    for (int g = 0; g < 2 * TILES - 1; g++) {
        uint32_t tiles = (uint32_t)(g < TILES ? g + 1 : 2 * TILES - 1 - g);
        RUN(&r, "align_diagonal", LAUNCH(.grid = {tiles}, .block = {16}), PTR(d), PTR(da), PTR(db),
            hd_arg_s32(L), hd_arg_s32(g), hd_arg_s32(GAP));
    }
    rig_out(&r, d, got, sizeof got);
    same_u32("score", got, want, P * P);
    rig_close(&r);
}

/* Warps of 32 that leave a loop with a barrier go their own ways, unless they are rows of one large warp
 * (tests/unit/mech/lwm_machine.c) or wait for their block at its reconvergence point (thread block compaction): the others
 * then wait at the barrier for them. */
static bool warps_are_apart(void) {
    const char *options = getenv("HEDDLE_TEST_OPTIONS");
    return !options || (!strstr(options, "run.mech=lwm") && !strstr(options, "run.mech=tbc"));
}

static void barriers_do_not_wait_for_threads_that_left(void **state) {
    (void)state;
    enum { LIVE = 201 };
    struct rig r;
    rig_open(&r, "shapes.ptx");
    int32_t got[256], want[256] = {0}, sums[3], want_sums[3] = {15, 15, 15};
    for (int i = 0; i < LIVE; i += 2) want[i] = i + 2 < LIVE ? (i + 2) * (i + 2) : 0;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "early_exit", LAUNCH(.block = {256}), PTR(d), hd_arg_s32(LIVE));
    rig_out(&r, d, got, sizeof got);
    same_u32("next", got, want, 256);
    if (warps_are_apart()) {
        RUN(&r, "warps_leave", LAUNCH(.grid = {3}, .block = {160}), PTR(d));
        rig_out(&r, d, sums, sizeof sums);
        same_u32("sum", sums, want_sums, 3);
    }
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_do_not_wait_for_threads_that_left),
        cmocka_unit_test(collatz_steps_are_counted),
        cmocka_unit_test(a_search_breaks_out_of_its_loop),
        cmocka_unit_test(odd_and_even_threads_take_turns),
        cmocka_unit_test(nested_ifs),
        cmocka_unit_test(uniform_rounds),
        cmocka_unit_test(vectors_add),
        cmocka_unit_test(heat_spreads),
        cmocka_unit_test(sequences_align),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
