/* The address decoder (DWF 5.1.3): the thesis's example bit for bit, refusals, and interleaving over any channels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "mem/dram.h"
#include "mem/options.h"

static struct opt_dram options(void) {
    return (struct opt_dram){.channels = 8,
                             .banks = 4,
                             .row_bytes = 2048,
                             .interleave = 256,
                             .bus_bytes = 8,
                             .burst = 4,
                             .mask_chip = "",
                             .mask_row = "",
                             .mask_column = "",
                             .mask_bank = "",
                             .tRFC = 160};
}

static struct opt_dram masked(const char *chip, const char *row, const char *column, const char *bank) {
    struct opt_dram o = options();
    o.mask_chip = chip;
    o.mask_row = row;
    o.mask_column = column;
    o.mask_bank = bank;
    return o;
}

static struct dram_map *map_of(const struct opt_dram *o) {
    struct err e = {0};
    struct dram_map *m = dram_map_new(o, &e);
    if (!m) fail_msg("%s", err_text(&e));
    return m;
}

static void refused(const struct opt_dram *o, const char *why) {
    struct err e = {0};
    assert_null(dram_map_new(o, &e));
    assert_int_equal(e.code, ERR_INPUT);
    if (!strstr(err_text(&e), why)) fail_msg("'%s' does not say '%s'", err_text(&e), why);
    err_free(&e);
}

/* The masks of the example in DWF 5.1.3, and the mapping it gives from bit 31 down to bit 0. */
#define CHIP_MASK   "00001a00"
#define ROW_MASK    "0fff0000"
#define COLUMN_MASK "0000e0ff"
#define BANK_MASK   "00000500"
static const char *const example[32] = {
    "X",   "X",  "X",  "X",  "R11", "R10", "R9", "R8", "R7", "R6", "R5", "R4", "R3", "R2", "R1", "R0",
    "C10", "C9", "C8", "K2", "K1",  "B1",  "K0", "B0", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "C0",
};

/* What each bit of the example alone decodes to; bits add up. */
static struct dram_place expected(uint64_t addr) {
    struct dram_place p = {0};
    for (int k = 0; k < 32; k++) {
        if (!(addr >> (31 - k) & 1)) continue;
        uint64_t bit = UINT64_C(1) << atoi(example[k] + 1);
        switch (example[k][0]) {
        case 'K': p.chip += (uint32_t)bit; break;
        case 'B': p.bank += (uint32_t)bit; break;
        case 'R': p.row += bit; break;
        case 'C': p.column += bit; break;
        default: break;
        }
    }
    return p;
}

static void assert_place(struct dram_place a, struct dram_place b) {
    assert_int_equal(a.chip, b.chip);
    assert_int_equal(a.bank, b.bank);
    assert_int_equal(a.row, b.row);
    assert_int_equal(a.column, b.column);
}

static void the_example_of_the_thesis_maps_bit_for_bit(void **state) {
    (void)state;
    struct opt_dram o = masked(CHIP_MASK, "0x" ROW_MASK, COLUMN_MASK, "0X" BANK_MASK);
    struct dram_map *m = map_of(&o);
    for (int k = 0; k < 64; k++) assert_place(dram_decode(m, UINT64_C(1) << k), expected(UINT64_C(1) << k));
    struct rng r = {1};
    for (int k = 0; k < 1000; k++) {
        uint64_t addr = rng_next(&r);
        assert_place(dram_decode(m, addr), expected(addr & UINT32_MAX));
    }
    /* 0000 1010 1100 0001 | 010 11 0 1 1 | 1000 0001 */
    assert_place(dram_decode(m, 0x0ac15b81),
                 (struct dram_place){.chip = 7, .bank = 1, .row = 0xac1, .column = 0x281});
    dram_map_free(m);
}

static void masks_may_use_all_64_bits_and_none(void **state) {
    (void)state;
    struct opt_dram o = masked("0", "ffffffffffffffff", "0x0", "00000000000000000000");
    struct dram_map *m = map_of(&o);
    assert_place(dram_decode(m, UINT64_MAX - 5), (struct dram_place){.row = UINT64_MAX - 5});
    dram_map_free(m);
    o = masked("1", "aaaaaaaaaaaaaaaa", "5555555555555550", "4"); /* every second bit: 32 runs */
    m = map_of(&o);
    assert_place(dram_decode(m, UINT64_C(0xa000000000000001)),
                 (struct dram_place){.chip = 1, .row = UINT64_C(3) << 30});
    dram_map_free(m);
}

static void bad_masks_are_refused_with_the_key_and_the_reason(void **state) {
    (void)state;
    struct opt_dram o = masked(CHIP_MASK, ROW_MASK, COLUMN_MASK, "");
    refused(&o, "dram.mask_bank is missing");
    o = masked("", ROW_MASK, COLUMN_MASK, BANK_MASK);
    refused(&o, "dram.mask_chip is missing");
    o = masked(CHIP_MASK, ROW_MASK, "0000e1ff", BANK_MASK);
    refused(&o, "dram.mask_column and dram.mask_bank overlap in 0x100");
    o = masked(CHIP_MASK, "0fff1000", COLUMN_MASK, BANK_MASK);
    refused(&o, "dram.mask_chip and dram.mask_row overlap in 0x1000");
    o = masked("0xfg", ROW_MASK, COLUMN_MASK, BANK_MASK);
    refused(&o, "dram.mask_chip: '0xfg' is not a hexadecimal number");
    o = masked("0x", ROW_MASK, COLUMN_MASK, BANK_MASK);
    refused(&o, "not a hexadecimal number");
    o = masked("-1", ROW_MASK, COLUMN_MASK, BANK_MASK);
    refused(&o, "not a hexadecimal number");
    o = masked(CHIP_MASK, "00f0000000000000000", COLUMN_MASK, BANK_MASK);
    refused(&o, "dram.mask_row: '00f0000000000000000' has more than 64 bits");
}

static void masks_may_not_name_chips_or_banks_that_are_not_there(void **state) {
    (void)state;
    struct opt_dram o = masked(CHIP_MASK, ROW_MASK, COLUMN_MASK, BANK_MASK);
    o.channels = 6; /* three bits */
    refused(&o, "dram.channels is 6");
    o.channels = 9; /* more than can be named: allowed */
    dram_map_free(map_of(&o));
    o.banks = 3;
    refused(&o, "dram.banks is 3");
    o = masked("ffffffffffffffff", "0", "0", "0");
    refused(&o, "dram.mask_chip: 64 bits");
}

static void refreshes_must_leave_time_for_requests(void **state) {
    (void)state;
    struct opt_dram o = options();
    o.tREFI = 168; /* the 160 of tRFC, 4 of the burst, 4 banks; all other constraints are 0 */
    refused(&o, "must be above 168");
    o.tREFI = 169;
    dram_map_free(map_of(&o));
}

/* Six channels of 256 bytes in turn; on a channel, 2 KB rows over four banks. */
static void addresses_interleave_over_any_number_of_channels(void **state) {
    (void)state;
    struct opt_dram o = options();
    o.channels = 6;
    struct dram_map *m = map_of(&o);
    for (uint64_t piece = 0; piece < 6000; piece++) {
        uint64_t local = piece / 6 * 256; /* bytes before it on its channel */
        assert_place(dram_decode(m, piece * 256 + 37),
                     (struct dram_place){.chip = (uint32_t)(piece % 6),
                                         .column = local % 2048 + 37,
                                         .bank = (uint32_t)(local / 2048 % 4),
                                         .row = local / 2048 / 4});
    }
    dram_map_free(m);
}

/* No two bytes share a place, and every place below the end of the range is used. */
static void interleaving_is_one_to_one(void **state) {
    (void)state;
    static const struct {
        int64_t channels, interleave, banks;
        uint64_t row;
        bool hash;
    } cases[] = {{1, 32, 1, 64, false},   {6, 256, 8, 2048, false}, {7, 1024, 3, 256, false},
                 {8, 100, 5, 300, false}, {1, 32, 1, 64, true},     {7, 1024, 3, 256, true},
                 {8, 100, 5, 300, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct opt_dram o = options();
        o.hash = cases[k].hash;
        o.channels = cases[k].channels;
        o.interleave = cases[k].interleave;
        o.row_bytes = cases[k].row;
        o.banks = cases[k].banks;
        struct dram_map *m = map_of(&o);
        /* whole turns of all channels and whole rows of all banks */
        size_t local = (size_t)(o.interleave * o.banks) * o.row_bytes, bytes = local * (size_t)o.channels;
        if (bytes > 1 << 24)
            local /= 256, bytes /= 256; /* both are powers of two here, and divide what is left */
        uint8_t *seen = calloc(bytes, 1);
        for (size_t a = 0; a < bytes; a++) {
            struct dram_place p = dram_decode(m, a);
            size_t at = (size_t)((p.row * (uint64_t)o.banks + p.bank) * (uint64_t)o.row_bytes + p.column) +
                        p.chip * local;
            assert_true(p.chip < o.channels && p.bank < o.banks && at < bytes && !seen[at]++);
        }
        free(seen);
        dram_map_free(m);
    }
}

/* With 32 channels in turns of 256 bytes, strides of 8 and 256 KB fall on one without a hash, and evenly on all with
 * it. */
static void a_hash_spreads_strides_over_all_channels(void **state) {
    (void)state;
    struct opt_dram o = options();
    o.channels = 32;
    for (int hash = 0; hash < 2; hash++)
        for (uint64_t stride = 32 * 256; stride <= 32 * 32 * 256; stride *= 32) {
            uint32_t hits[32] = {0};
            o.hash = hash;
            struct dram_map *m = map_of(&o);
            for (uint64_t i = 0; i < 320; i++) hits[dram_decode(m, i * stride).chip]++;
            for (int c = 0; c < 32; c++)
                assert_in_range(hits[c], hash ? 9 : c ? 0 : 320, hash ? 11 : c ? 0 : 320);
            dram_map_free(m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_thesis_maps_bit_for_bit),
        cmocka_unit_test(masks_may_use_all_64_bits_and_none),
        cmocka_unit_test(bad_masks_are_refused_with_the_key_and_the_reason),
        cmocka_unit_test(masks_may_not_name_chips_or_banks_that_are_not_there),
        cmocka_unit_test(refreshes_must_leave_time_for_requests),
        cmocka_unit_test(addresses_interleave_over_any_number_of_channels),
        cmocka_unit_test(interleaving_is_one_to_one),
        cmocka_unit_test(a_hash_spreads_strides_over_all_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
