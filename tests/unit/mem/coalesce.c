/* Coalescing of lane addresses and conflicts of shared-memory banks. */
#include "rig.h"

static uint32_t strided(uint64_t *addr, uint32_t n, uint64_t base, uint64_t stride) {
    for (uint32_t i = 0; i < n; i++) addr[i] = base + i * stride;
    return n;
}

static void a_warp_of_words_is_one_line(void **state) {
    (void)state;
    uint64_t addr[32];
    struct mem_line out[64];
    strided(addr, 32, 0x1000, 4);
    assert_int_equal(mem_coalesce(addr, 32, 4, 128, 0, out), 1);
    assert_int_equal(out[0].addr, 0x1000);
    assert_int_equal(out[0].bytes, 128);
    assert_int_equal(out[0].lanes, 32);
    assert_int_equal(mem_coalesce(addr, 32, 4, 64, 0, out), 2);
    assert_int_equal(out[1].addr, 0x1040);
    assert_int_equal(out[1].lanes, 16);
}

static void lines_come_in_order_of_first_use(void **state) {
    (void)state;
    const uint64_t addr[] = {0x2080, 0x1000, 0x2084, 0x1010, 0x0};
    struct mem_line out[10];
    assert_int_equal(mem_coalesce(addr, 5, 4, 64, 0, out), 3);
    assert_int_equal(out[0].addr, 0x2080);
    assert_int_equal(out[0].bytes, 8);
    assert_int_equal(out[1].addr, 0x1000);
    assert_int_equal(out[1].bytes, 0x14);
    assert_int_equal(out[1].lanes, 2);
    assert_int_equal(out[2].addr, 0);
    assert_int_equal(out[2].bytes, 4);
}

static void an_access_across_a_line_takes_both(void **state) {
    (void)state;
    const uint64_t addr[] = {0x103c};
    struct mem_line out[2];
    assert_int_equal(mem_coalesce(addr, 1, 8, 64, 0, out), 2);
    assert_int_equal(out[0].addr, 0x1000);
    assert_int_equal(out[0].bytes, 64);
    assert_int_equal(out[1].addr, 0x1040);
    assert_int_equal(out[1].bytes, 4);
    assert_int_equal(out[0].lanes + out[1].lanes, 2);
}

/* Line of four sectors; lanes use sectors 3, 0 and 1 of one line and 2 of another: runs {0,1}, {3}, then {2}. */
static void sectors_nobody_wants_are_left_out(void **state) {
    (void)state;
    const uint64_t addr[] = {0x1064, 0x1004, 0x1020, 0x2040, 0x1008};
    struct mem_line out[10];
    assert_int_equal(mem_coalesce(addr, 5, 4, 128, 32, out), 3);
    assert_int_equal(out[0].addr, 0x1000);
    assert_int_equal(out[0].bytes, 0x24);
    assert_int_equal(out[0].lanes, 3);
    assert_int_equal(out[1].addr, 0x1060);
    assert_int_equal(out[1].bytes, 8);
    assert_int_equal(out[1].lanes, 1);
    assert_int_equal(out[2].addr, 0x2040);
}

static void every_other_sector_needs_all_the_room_there_is(void **state) {
    (void)state;
    uint64_t addr[16];
    struct mem_line out[32];
    strided(addr, 16, 0x1000, 64);
    assert_int_equal(mem_coalesce(addr, 16, 4, 1024, 32, out), 16);
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(out[i].addr, addr[i]);
}

static void random_accesses_are_covered_once_each(void **state) {
    (void)state;
    struct rng r = {7};
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t addr[32];
        struct mem_line out[64];
        uint32_t bytes = 1u << rng_below(&r, 5), line = 32u << rng_below(&r, 3),
                 sector = 16u << rng_below(&r, 2);
        for (uint32_t i = 0; i < 32; i++) addr[i] = rng_below(&r, 2048 / bytes) * bytes;
        uint32_t n = mem_coalesce(addr, 32, bytes, line, sector, out), lanes = 0;
        for (uint32_t i = 0; i < n; i++) {
            lanes += out[i].lanes;
            assert_int_equal(out[i].addr % sector, 0);
            assert_int_equal(out[i].addr / line, (out[i].addr + out[i].bytes - 1) / line);
            for (uint32_t k = 0; k < i; k++)
                assert_true(out[i].addr >= out[k].addr + out[k].bytes ||
                            out[k].addr >= out[i].addr + out[i].bytes);
        }
        assert_int_equal(lanes, 32);
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t k = 0;
            while (k < n && (addr[i] < out[k].addr || addr[i] + bytes > out[k].addr + out[k].bytes)) k++;
            assert_true(k < n);
        }
    }
}

static int by_address(const void *a, const void *b) {
    const struct mem_line *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Ascending addresses have a way of their own; backwards they have not, and the requests are the same but for the order. */
static void the_order_of_lanes_changes_no_request(void **state) {
    (void)state;
    struct rng r = {11};
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t up[32], down[32];
        struct mem_line a[64], b[64];
        uint32_t bytes = 1u << rng_below(&r, 5), line = 128u << rng_below(&r, 2),
                 step = 1u << rng_below(&r, 8);
        uint64_t at = rng_below(&r, 64) * bytes;
        for (uint32_t i = 0; i < 32; i++)
            up[i] = down[31 - i] = at += rng_below(&r, step + 1) / bytes * bytes;
        uint32_t n = mem_coalesce(up, 32, bytes, line, round % 2 ? 32 : 0, a);
        assert_int_equal(mem_coalesce(down, 32, bytes, line, round % 2 ? 32 : 0, b), n);
        for (uint32_t i = 1; i < n; i++) assert_true(a[i - 1].addr < a[i].addr);
        qsort(b, n, sizeof *b, by_address);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(a[i].addr, b[i].addr);
            assert_int_equal(a[i].bytes, b[i].bytes);
            assert_int_equal(a[i].lanes, b[i].lanes);
        }
    }
}

static void a_conflict_of_degree_k_costs_k(void **state) {
    (void)state;
    uint64_t addr[32];
    for (uint32_t k = 1; k <= 32; k *= 2) {
        strided(addr, 32, 0, 4 * k);
        assert_int_equal(mem_bank_cycles(addr, 32, 4, 32, 4), k);
    }
    strided(addr, 32, 0, 4 * 33);
    assert_int_equal(mem_bank_cycles(addr, 32, 4, 32, 4), 1);
    for (uint32_t k = 1; k <= 32; k++) { /* k different words of bank 5, the others elsewhere */
        strided(addr, 32, 0, 4);
        for (uint32_t i = 0; i < k; i++) addr[i] = 20 + 128 * (i + 1);
        uint32_t alone = k > 5 ? 0 : 1; /* lane 5's own word is in that bank too */
        assert_int_equal(mem_bank_cycles(addr, 32, 4, 32, 4), k + alone);
    }
}

static void the_same_word_is_broadcast(void **state) {
    (void)state;
    uint64_t addr[256];
    strided(addr, 256, 64, 0);
    assert_int_equal(mem_bank_cycles(addr, 256, 4, 32, 4), 1);
    strided(addr, 32, 0, 1); /* bytes of eight words */
    assert_int_equal(mem_bank_cycles(addr, 32, 1, 32, 4), 1);
    strided(addr, 32, 0, 8); /* banks of 8 bytes: no two lanes in one bank */
    assert_int_equal(mem_bank_cycles(addr, 32, 4, 32, 8), 1);
    assert_int_equal(mem_bank_cycles(addr, 0, 4, 32, 4), 0);
}

static void wide_accesses_go_by_half_and_quarter_warps(void **state) {
    (void)state;
    uint64_t addr[32];
    strided(addr, 32, 0, 8);
    assert_int_equal(mem_bank_cycles(addr, 32, 8, 32, 4), 2);
    assert_int_equal(mem_bank_cycles(addr, 16, 8, 32, 4), 1);
    strided(addr, 32, 0, 16);
    assert_int_equal(mem_bank_cycles(addr, 32, 16, 32, 4), 4);
    assert_int_equal(mem_bank_cycles(addr, 32, 8, 32, 4), 4); /* stride 2 words: twofold within each half */
}

static void banks_need_not_be_a_power_of_two(void **state) {
    (void)state;
    uint64_t addr[12];
    strided(addr, 12, 0, 4);
    assert_int_equal(mem_bank_cycles(addr, 12, 4, 6, 4), 2);
    strided(addr, 12, 0, 24);
    assert_int_equal(mem_bank_cycles(addr, 12, 4, 6, 4), 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_of_words_is_one_line),
        cmocka_unit_test(lines_come_in_order_of_first_use),
        cmocka_unit_test(an_access_across_a_line_takes_both),
        cmocka_unit_test(sectors_nobody_wants_are_left_out),
        cmocka_unit_test(every_other_sector_needs_all_the_room_there_is),
        cmocka_unit_test(random_accesses_are_covered_once_each),
        cmocka_unit_test(the_order_of_lanes_changes_no_request),
        cmocka_unit_test(a_conflict_of_degree_k_costs_k),
        cmocka_unit_test(the_same_word_is_broadcast),
        cmocka_unit_test(wide_accesses_go_by_half_and_quarter_warps),
        cmocka_unit_test(banks_need_not_be_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
