/* Whole kernels: threads that part and meet: warp intrinsics in divergent code, spinning, barriers, block shapes. */
#include "base/bits.h"
#include "kernels/harness.h"

enum { THIRDS = 0x49249249 }; /* lanes 0, 3, ... 30 */

static int32_t arm_of(uint32_t i) {
    uint32_t lane = i & 31, base = i - lane;
    if (lane % 3 == 0) {
        uint32_t s = (base + 30) * (base + 30);
        return (int32_t)(s + (THIRDS & 0xfffff800u) * 2 + 1 + 4);
    }
    uint32_t s = (base + 31) * (base + 31) * 5;
    s ^= 0xaaaaaaaau & ~(uint32_t)THIRDS;
    return (int32_t)(s + (0xffu << lane / 8 * 8 & ~(uint32_t)THIRDS));
}

static void both_arms_of_a_branch_vote_and_shuffle_among_themselves(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "warps.ptx");
    int32_t got[96], want[96];
    for (uint32_t i = 0; i < 96; i++) want[i] = arm_of(i);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "arms", LAUNCH(.block = {96}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 96);
    rig_close(&r);
}

static void a_full_shuffle_joins_two_places_of_the_code(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "warps.ptx");
    int32_t got[64], want[64];
    for (int i = 0; i < 64; i++) want[i] = (i ^ 1) * ((i ^ 1) & 1 ? 3 : 7);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "rendezvous", LAUNCH(.block = {64}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 64);
    rig_close(&r);
}

static void aggregated_atomics_give_each_thread_its_slot(void **state) {
    (void)state;
    enum { N = 320, LIMIT = 60 };
    struct rig r;
    rig_open(&r, "warps.ptx");
    uint32_t in[N], slot[N], expected = 0, count;
    uint8_t seen[N] = {0};
    for (uint32_t i = 0; i < N; i++) expected += (in[i] = i * 37 % 101) < LIMIT;
    uint64_t din = rig_in(&r, in, sizeof in), dslot = rig_zero(&r, sizeof slot), dcount = rig_zero(&r, 4);
    RUN(&r, "aggregate", LAUNCH(.grid = {5}, .block = {64}), PTR(dcount), PTR(dslot), PTR(din),
        hd_arg_u32(LIMIT));
    rig_out(&r, dcount, &count, 4);
    rig_out(&r, dslot, slot, sizeof slot);
    assert_int_equal(count, expected);
    for (uint32_t k = 0; k < count; k++) {
        assert_true(slot[k] < N && in[slot[k]] < LIMIT && !seen[slot[k]]);
        seen[slot[k]] = 1;
    }
    rig_close(&r);
}

static void member_masks_shrink_as_lanes_leave_a_loop(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "warps.ptx");
    uint32_t got[64], want[64] = {0};
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t k = 0; k <= i % 32; k++) want[i] = want[i] * 3 + 32 - k;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "shrinking", LAUNCH(.block = {64}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("sum", got, want, 64);
    rig_close(&r);
}

static void warp_barriers_order_shared_memory(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "warps.ptx");
    uint32_t got[64], want[64];
    for (uint32_t i = 0, s = 0; i < 64; i++) want[i] = s = i % 32 ? s + i : i;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "chain", LAUNCH(.block = {64}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("prefix", got, want, 64);
    rig_close(&r);
}

/* ---- spinning ---- */

static void locks_within_a_warp_and_between_blocks_are_passed_on(void **state) {
    (void)state;
    static const char *const kernels[] = {"lock_warp", "lock_outside"};
    struct rig r;
    rig_open(&r, "locks.ptx");
    for (int k = 0; k < 2; k++) {
        uint64_t lock = rig_zero(&r, 4), count = rig_zero(&r, 4);
        int32_t got;
        RUN(&r, kernels[k], LAUNCH(.grid = {3}, .block = {40}), PTR(lock), PTR(count));
        rig_out(&r, count, &got, 4);
        assert_int_equal(got, 120);
        rig_out(&r, lock, &got, 4);
        assert_int_equal(got, 0);
    }
    rig_close(&r);
}

static void tickets_are_served_in_order(void **state) {
    (void)state;
    enum { N = 4 * 33 };
    struct rig r;
    rig_open(&r, "locks.ptx");
    uint64_t ticket = rig_zero(&r, 4), serving = rig_zero(&r, 4), order = rig_zero(&r, 4 * N);
    RUN(&r, "lock_ticket", LAUNCH(.grid = {4}, .block = {33}), PTR(ticket), PTR(serving), PTR(order));
    int32_t got[N], last;
    uint8_t seen[N] = {0};
    rig_out(&r, order, got, sizeof got);
    rig_out(&r, serving, &last, 4);
    assert_int_equal(last, N);
    for (int i = 0; i < N; i++) {
        assert_in_range(got[i], 0, N - 1);
        assert_false(seen[got[i]]);
        seen[got[i]] = 1;
    }
    rig_close(&r);
}

static void a_relay_runs_from_the_last_thread_to_the_first(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "locks.ptx");
    int32_t got[96], want[96];
    for (int i = 0; i < 96; i++) want[i] = 96 - i;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "relay", LAUNCH(.block = {96}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("flag", got, want, 96);
    rig_close(&r);
}

static void blocks_wait_for_later_blocks(void **state) {
    (void)state;
    enum { BLOCKS = 6 };
    struct rig r;
    rig_open(&r, "locks.ptx");
    int32_t got[BLOCKS], want[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) want[b] = BLOCKS - b;
    uint64_t flag = rig_zero(&r, 4 * (BLOCKS + 1)), d = rig_zero(&r, sizeof got);
    RUN(&r, "blocks_backwards", LAUNCH(.grid = {BLOCKS}, .block = {64}), PTR(flag), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("order", got, want, BLOCKS);
    rig_close(&r);
}

static void a_grid_barrier_made_of_atomics_holds(void **state) {
    (void)state;
    enum { BLOCKS = 5, B = 48, N = BLOCKS * B, ROUNDS = 3 };
    struct rig r;
    rig_open(&r, "locks.ptx");
    int32_t got[N], want[N];
    for (int i = 0; i < N; i++) want[i] = (i + B) % N * (ROUNDS * (ROUNDS + 1) / 2);
    uint64_t arrived = rig_zero(&r, 4), data = rig_zero(&r, sizeof got), d = rig_zero(&r, sizeof got);
    RUN(&r, "grid_barrier", LAUNCH(.grid = {BLOCKS}, .block = {B}), PTR(arrived), PTR(data), PTR(d),
        hd_arg_s32(ROUNDS));
    rig_out(&r, d, got, sizeof got);
    same_u32("sum", got, want, N);
    rig_close(&r);
}

/* ---- shapes ---- */

static void coordinates_in_three_dimensions(void **state) {
    (void)state;
    enum { T = 7 * 5 * 2, B = 3 * 2 * 4 };
    struct rig r;
    rig_open(&r, "shapes.ptx");
    static uint32_t got[B * T * 8], want[B * T * 8];
    for (uint32_t b = 0; b < B; b++)
        for (uint32_t t = 0; t < T; t++) {
            uint32_t *w = want + 8 * (b * T + t), lane = t % 32;
            w[0] = t % 7 | t / 7 % 5 << 8 | t / 35 << 16;
            w[1] = b % 3 | b / 3 % 2 << 8 | b / 6 << 16;
            w[2] = 7 | 5 << 8 | 2 << 16;
            w[3] = 3 | 2 << 8 | 4 << 16;
            w[4] = lane;
            w[5] = t < 64 ? ~0u : (1u << (T - 64)) - 1;
            w[6] = t / 32;
            w[7] = (1u << lane) - 1;
        }
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "coordinates", LAUNCH(.grid = {3, 2, 4}, .block = {7, 5, 2}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("word", got, want, B * T * 8);
    assert_true(rig_stat(&r, "exec.threads") == B * T);
    assert_true(rig_stat(&r, "exec.warps") == B * 3);
    rig_close(&r);
}

static void clocks_advance(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "shapes.ptx");
    uint64_t got[2 * 40], want[2 * 40];
    for (uint64_t i = 0; i < 40; i++) {
        want[2 * i] = i;
        for (int k = 0; k < 100; k++) want[2 * i] = want[2 * i] * 6364136223846793005u + 1;
        want[2 * i + 1] = 1;
    }
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "clocks", LAUNCH(.block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u64("word", got, want, 2 * 40);
    rig_close(&r);
}

static uint32_t machine(uint32_t x) {
    for (uint32_t steps = 1, state = 0;; steps++) {
        switch (state) {
        case 0:
            x = x & 1 ? x * 3 + 1 : x >> 1;
            state = x & 3;
            break;
        case 1:
            x += 5;
            state = 4;
            break;
        case 2:
            x ^= steps;
            state = x % 5;
            break;
        case 3:
            x = x >> 1 | (x & 1) << 31;
            state = 0;
            break;
        case 4:
            if (x % 7 == 0 || steps > 200) return x ^ steps << 20;
            state = (x >> 3) % 4;
            x = x * 5 + 1;
            break;
        }
    }
}

static void a_state_machine_diverges_completely(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "shapes.ptx");
    uint32_t seed[128], got[128], want[128];
    struct rng rng = {5};
    for (int i = 0; i < 128; i++) want[i] = machine(seed[i] = (uint32_t)rng_next(&rng));
    uint64_t ds = rig_in(&r, seed, sizeof seed), d = rig_zero(&r, sizeof got);
    RUN(&r, "state_machine", LAUNCH(.grid = {2}, .block = {64}), PTR(d), PTR(ds));
    rig_out(&r, d, got, sizeof got);
    same_u32("state", got, want, 128);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_arms_of_a_branch_vote_and_shuffle_among_themselves),
        cmocka_unit_test(a_full_shuffle_joins_two_places_of_the_code),
        cmocka_unit_test(aggregated_atomics_give_each_thread_its_slot),
        cmocka_unit_test(member_masks_shrink_as_lanes_leave_a_loop),
        cmocka_unit_test(warp_barriers_order_shared_memory),
        cmocka_unit_test(locks_within_a_warp_and_between_blocks_are_passed_on),
        cmocka_unit_test(tickets_are_served_in_order),
        cmocka_unit_test(a_relay_runs_from_the_last_thread_to_the_first),
        cmocka_unit_test(blocks_wait_for_later_blocks),
        cmocka_unit_test(a_grid_barrier_made_of_atomics_holds),
        cmocka_unit_test(coordinates_in_three_dimensions),
        cmocka_unit_test(clocks_advance),
        cmocka_unit_test(a_state_machine_diverges_completely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
