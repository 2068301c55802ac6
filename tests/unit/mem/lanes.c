/* Accesses of one warp: both builds of lanes.c against the general coalescer and the general count of bank cycles. */
#include "rig.h"

#include "base/host.h"
#include "mem/lanes.h"

/* The builds that this host can run. */
static uint32_t builds(const struct mem_lanes **out) {
    out[0] = &mem_lanes_portable;
#if defined(__x86_64__)
    if (host_has_avx2()) {
        out[1] = &mem_lanes_avx2;
        return 2;
    }
#endif
    return 1;
}

/* Addresses of one kind or another: anywhere, in a few lines, side by side, one for all, on both sides of 4 GB. */
static void draw(struct rng *r, uint64_t *addr, uint32_t bytes) {
    const uint64_t spread = UINT64_C(1) << rng_below(r, 20), base = rng_below(r, 4) << 31;
    const uint32_t kind = (uint32_t)rng_below(r, 4);
    for (uint32_t l = 0; l < MEM_LANES; l++) {
        uint64_t at = kind == 0 ? l : kind == 1 ? 3 : rng_below(r, spread);
        if (kind == 3) at ^= rng_below(r, 2) << 40;
        addr[l] = base + at * bytes;
    }
}

static uint32_t draw_mask(struct rng *r) {
    uint32_t mask = (uint32_t)rng_next(r) | (uint32_t)rng_next(r);
    if (!rng_below(r, 3)) mask = ~0u;
    if (!rng_below(r, 4)) mask &= (uint32_t)(rng_next(r) & rng_next(r));
    if (!rng_below(r, 4)) /* one to four lanes */
        for (uint32_t n = 1 + (uint32_t)rng_below(r, 4); bits_count(mask) > n;) mask &= mask - 1;
    return mask ? mask : 1;
}

static uint32_t pack(const uint64_t *addr, uint32_t mask, uint64_t *out) {
    uint32_t n = 0;
    FOR_LANES(l, mask) out[n++] = addr[l];
    return n;
}

static void check_served(const struct mem_served *got, const struct mem_line *line, const uint64_t *addr,
                         uint32_t bytes) {
    assert_int_equal(got->addr, line->addr);
    assert_int_equal(got->bytes, line->bytes);
    assert_int_equal(bits_count(got->lanes), line->lanes);
    FOR_LANES(l, got->lanes) {
        assert_true(addr[l] >= line->addr);
        assert_true(addr[l] + bytes <= line->addr + line->bytes);
    }
}

static void requests_are_those_of_the_general_form(void **state) {
    (void)state;
    const struct mem_lanes *build[2];
    const uint32_t n = builds(build);
    struct rng r = {3};
    for (uint32_t round = 0; round < 20000; round++) {
        uint64_t addr[MEM_LANES], packed[MEM_LANES];
        struct mem_line line[2 * MEM_LANES];
        struct mem_served got[MEM_LANES];
        const uint32_t bytes = 1u << rng_below(&r, 6), size = 32u << rng_below(&r, 4),
                       sector = rng_below(&r, 2) ? 32 : 0, mask = draw_mask(&r);
        draw(&r, addr, bytes);
        const uint32_t lines = mem_coalesce(packed, pack(addr, mask, packed), bytes, size, sector, line);
        for (uint32_t b = 0; b < n; b++) {
            uint32_t served = 0;
            assert_int_equal(build[b]->coalesce(addr, mask, bytes, size, sector, got), lines);
            for (uint32_t k = 0; k < lines; k++) {
                check_served(&got[k], &line[k], addr, bytes);
                assert_int_equal(served & got[k].lanes, 0);
                served |= got[k].lanes;
            }
            assert_int_equal(served, mask);
        }
    }
}

static void an_access_that_is_not_aligned_is_left_to_the_general_form(void **state) {
    (void)state;
    const struct mem_lanes *build[2];
    const uint32_t n = builds(build);
    uint64_t addr[MEM_LANES] = {[3] = 0x1004, [7] = 0x1002};
    struct mem_served got[MEM_LANES];
    for (uint32_t b = 0; b < n; b++) {
        assert_int_equal(build[b]->coalesce(addr, 1u << 3, 4, 128, 32, got), 1);
        assert_int_equal(build[b]->coalesce(addr, 1u << 7, 4, 128, 32, got), 0);
        assert_int_equal(build[b]->coalesce(addr, 1u << 3 | 1u << 7, 4, 128, 32, got), 0);
    }
}

static void banks_take_as_long_as_the_general_count_says(void **state) {
    (void)state;
    const struct mem_lanes *build[2];
    const uint32_t n = builds(build);
    uint32_t conflicts = 0;
    struct rng r = {5};
    for (uint32_t round = 0; round < 20000; round++) {
        uint64_t addr[MEM_LANES], packed[MEM_LANES];
        const uint32_t shift = 2 + (uint32_t)rng_below(&r, 2), banks = 16u << rng_below(&r, 3),
                       stride = (uint32_t)rng_below(&r, 4), mask = draw_mask(&r), bytes = 1u << shift;
        for (uint32_t l = 0; l < MEM_LANES; l++)
            addr[l] = (rng_below(&r, 4) ? l * stride + l / 16 * banks : rng_below(&r, 256)) * bytes;
        if (rng_below(&r, 2))
            for (uint32_t l = 0; l < MEM_LANES; l++) addr[l] = (l / (1 + stride) * 17) * bytes;
        const uint32_t cycles = mem_bank_cycles(packed, pack(addr, mask, packed), bytes, banks, bytes);
        conflicts += cycles > 1;
        for (uint32_t b = 0; b < n; b++)
            assert_int_equal(build[b]->bank_cycles(addr, mask, banks, shift), cycles);
    }
    assert_in_range(conflicts, 2000, 18000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_those_of_the_general_form),
        cmocka_unit_test(an_access_that_is_not_aligned_is_left_to_the_general_form),
        cmocka_unit_test(banks_take_as_long_as_the_general_count_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
