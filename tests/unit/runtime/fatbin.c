/* Fat binaries: which text is taken, how it is unpacked, and that no damage is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime/error.h"
#include "unit/runtime/fatbins.h"

static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; "
                           "}\n.visible .entry l() { ret; }\n";

static void takes(const struct fatbin_image *im, uint32_t capability, uint32_t arch, const char *body) {
    struct cu_ptx ptx = {0};
    assert_int_equal(cu_fatbin_ptx(im->bytes, im->n, capability, &ptx), CU_Success);
    assert_int_equal(ptx.arch, arch);
    assert_string_equal(ptx.text, body);
    assert_int_equal(ptx.bytes, strlen(body));
    free(ptx.text);
}

static void reads_plain_lz4_and_zstd_texts_behind_headers_of_any_size(void **state) {
    static const int how[] = {PLAIN, LZ4, ZSTD};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t header = 64; header <= 112; header += 16) {
            struct fatbin_image im;
            begin(&im);
            add(&im, PTX, 75, how[i], header, text);
            takes(&im, 75, 75, text);
        }
}

static void takes_the_newest_text_that_is_not_newer_than_the_machine(void **state) {
    struct fatbin_image im;
    (void)state;
    begin(&im);
    add(&im, ELF, 80, PLAIN, 64, "machine code");
    add(&im, PTX, 90, PLAIN, 64, "ninety");
    add(&im, PTX, 60, LZ4, 64, "sixty sixty sixty sixty sixty sixty");
    add(&im, PTX, 70, ZSTD, 96, "seventy");
    takes(&im, 75, 70, "seventy");
    takes(&im, 100, 90, "ninety");
    takes(&im, 50, 60, "sixty sixty sixty sixty sixty sixty"); /* all are newer: the oldest */
}

static void machine_code_alone_is_no_image(void **state) {
    struct fatbin_image im;
    struct cu_ptx ptx;
    (void)state;
    begin(&im);
    assert_int_equal(cu_fatbin_ptx(im.bytes, im.n, 75, &ptx), CU_NoKernelImageForDevice);
    assert_false(cu_fatbin_has_code(im.bytes, im.n));
    add(&im, ELF, 75, PLAIN, 64, "machine code");
    assert_int_equal(cu_fatbin_ptx(im.bytes, im.n, 75, &ptx), CU_NoKernelImageForDevice);
    assert_true(cu_fatbin_has_code(im.bytes, im.n));
}

/* What is left of a binary lies in memory of just that size, so that reading past it would be seen. */
static int read_part(const struct fatbin_image *im, size_t n, struct cu_ptx *ptx) {
    uint8_t *part = malloc(n ? n : 1);
    memcpy(part, im->bytes, n);
    int code = cu_fatbin_ptx(part, n, 75, ptx);
    free(part);
    return code;
}

static void a_binary_cut_short_anywhere_is_refused(void **state) {
    struct fatbin_image im;
    struct cu_ptx ptx;
    (void)state;
    begin(&im);
    add(&im, PTX, 75, ZSTD, 64, text);
    add(&im, PTX, 70, LZ4, 80, text);
    for (size_t n = 0; n < im.n; n++) assert_int_equal(read_part(&im, n, &ptx), CU_InvalidKernelImage);
}

static void a_flipped_bit_is_refused_or_harmless(void **state) {
    struct fatbin_image im;
    (void)state;
    begin(&im);
    add(&im, PTX, 75, ZSTD, 64, text);
    add(&im, PTX, 80, LZ4, 64, text);
    for (size_t bit = 0; bit < 8 * im.n; bit++) {
        struct cu_ptx ptx = {0};
        im.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (!read_part(&im, im.n, &ptx)) {
            assert_int_equal(strlen(ptx.text), ptx.bytes);
            free(ptx.text);
        }
        im.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void a_size_that_is_not_what_unpacking_gives_is_refused(void **state) {
    static const int how[] = {LZ4, ZSTD};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int off = -1; off <= 1; off += 2) {
            struct fatbin_image im;
            struct cu_ptx ptx;
            begin(&im);
            add(&im, PTX, 75, how[i], 64, text);
            put(im.bytes + 16 + 56, sizeof text + (size_t)off, 8);
            assert_int_equal(cu_fatbin_ptx(im.bytes, im.n, 75, &ptx), CU_InvalidKernelImage);
        }
}

/* Machine code is looked for up to the damage, and in the whole container when there is none of it. */
static void a_damaged_binary_has_the_machine_code_before_the_damage(void **state) {
    struct fatbin_image im;
    (void)state;
    begin(&im);
    assert_false(cu_fatbin_has_code(im.bytes, 8)); /* not even a header */
    add(&im, PTX, 75, PLAIN, 64, text);
    const size_t second = im.n;
    add(&im, ELF, 75, PLAIN, 64, "machine code");
    assert_true(cu_fatbin_has_code(im.bytes, im.n));
    put(im.bytes + second + 4, 8, 4); /* an entry whose header would be shorter than its own fields */
    assert_false(cu_fatbin_has_code(im.bytes, im.n));
}

static void an_empty_text_is_a_text(void **state) {
    struct fatbin_image im;
    (void)state;
    begin(&im);
    add(&im, PTX, 75, PLAIN, 64, "");
    struct cu_ptx ptx = {0};
    put(im.bytes + 16 + 8, 0, 8); /* nothing stored */
    put(im.bytes + 8, 64, 8);
    assert_int_equal(cu_fatbin_ptx(im.bytes, 16 + 64, 75, &ptx), CU_Success);
    assert_int_equal(ptx.bytes, 0);
    free(ptx.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_lz4_and_zstd_texts_behind_headers_of_any_size),
        cmocka_unit_test(takes_the_newest_text_that_is_not_newer_than_the_machine),
        cmocka_unit_test(machine_code_alone_is_no_image),
        cmocka_unit_test(a_binary_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_flipped_bit_is_refused_or_harmless),
        cmocka_unit_test(a_size_that_is_not_what_unpacking_gives_is_refused),
        cmocka_unit_test(a_damaged_binary_has_the_machine_code_before_the_damage),
        cmocka_unit_test(an_empty_text_is_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
