/* Where local memory lies for the caches: a word of a warp side by side, the warp's next word behind it, or each thread's in one
 * piece; no two words in one place; and stacks of which the same few words are used spread over the sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sm/local.h"

enum { SMS = 5, WARPS = 6, LANES = 32 };

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sizes of which some are no multiple of a word; `known` in part or in whole, or nothing. */
static const struct {
    uint64_t known, most;
} size[] = {{0, 64}, {4, 4}, {16, 100}, {48, 48}, {10, 130}, {128, 256}};
enum { SIZES = sizeof size / sizeof *size };

static struct local_layout layout(int k, uint32_t sm, bool pieces) {
    return local_layout(&(struct local_shape){size[k].known, size[k].most, sm, SMS, WARPS, pieces});
}

static void no_two_words_lie_in_one_place(void **state) {
    (void)state;
    for (int n = 0; n < 2 * SIZES; n++) {
        const int k = n / 2;
        const uint64_t words = (size[k].most + 3) / 4;
        const size_t all = (size_t)(SMS * WARPS * LANES * words);
        uint64_t *at = malloc(all * sizeof *at);
        assert_non_null(at);
        size_t found = 0;
        for (uint32_t sm = 0; sm < SMS; sm++) {
            const struct local_layout l = layout(k, sm, n % 2);
            for (uint32_t w = 0; w < WARPS * LANES; w++)
                for (uint64_t word = 0; word < words; word++)
                    at[found++] = local_address(&l, w / LANES, w % LANES, 4 * word);
        }
        qsort(at, found, sizeof *at, compare);
        assert_int_equal(found, all);
        assert_true(at[0] >= SM_LOCAL_SEGMENT);
        for (size_t i = 1; i < found; i++) assert_true(at[i] - at[i - 1] >= 4);
        free(at);
    }
}

static void a_word_of_a_warp_is_one_line_and_the_next_word_the_next(void **state) {
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        const struct local_layout l = layout(k, 3, false);
        for (uint32_t warp = 0; warp < WARPS; warp++)
            for (uint64_t word = 0; word < size[k].most / 4; word++) {
                const uint64_t line = local_address(&l, warp, 0, 4 * word);
                assert_int_equal(line % 128, 0);
                for (uint32_t lane = 0; lane < LANES; lane++)
                    for (uint32_t byte = 0; byte < 4; byte++)
                        assert_int_equal(local_address(&l, warp, lane, 4 * word + byte),
                                         line + 4 * lane + byte);
                if (word && 4 * word != l.known)
                    assert_int_equal(line - local_address(&l, warp, 0, 4 * word - 4), 128);
            }
    }
}

/* Frames of 12 words are 12 lines each, one behind the other from SM to SM; where another 64 are full, 39 are left out. */
static void one_frame_of_a_warp_lies_behind_another(void **state) {
    (void)state;
    for (uint32_t index = 0; index < SMS * WARPS; index++) {
        const struct local_layout l = layout(3, index / WARPS, false);
        const uint64_t line = (local_address(&l, index % WARPS, 0, 0) - SM_LOCAL_SEGMENT) / 128;
        assert_int_equal(line, index * 12 + index * 12 / 64 * 39);
    }
}

/* Bytes of a thread are neighbours, within the frame and beyond it, and pieces are aligned as widest accesses are. */
static void a_thread_may_have_its_memory_in_one_piece(void **state) {
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        const struct local_layout l = layout(k, 3, true);
        for (uint32_t w = 0; w < WARPS * LANES; w++) {
            assert_int_equal(local_address(&l, w / LANES, w % LANES, 0) % 16, 0);
            for (uint64_t at = 1; at < size[k].most; at++)
                if (at != l.known)
                    assert_int_equal(local_address(&l, w / LANES, w % LANES, at),
                                     local_address(&l, w / LANES, w % LANES, at - 1) + 1);
        }
    }
}

/* The most lines of one of 64 sets, if warps use these words of theirs. */
static uint32_t fullest_set(const struct local_layout *l, uint32_t warps, uint32_t from, uint32_t words) {
    uint32_t lines[64] = {0}, most = 0;
    for (uint32_t k = 0; k < warps * words; k++) {
        uint32_t *n = &lines[local_address(l, k / words, 0, (from + k % words) * 4) / 128 % 64];
        if (++*n > most) most = *n;
    }
    return most;
}

/* No set has more than twice the lines that it would have if all had as many, and two. */
static void the_words_that_all_warps_use_are_spread_over_the_sets(void **state) {
    (void)state;
    enum { MANY = 32, STACK = (16 << 10) / 4 };
    for (uint32_t words = 1; words <= 256; words++) {
        const struct local_layout stacks =
            local_layout(&(struct local_shape){0, STACK * 4, 1, SMS, MANY, false});
        assert_true(fullest_set(&stacks, MANY, STACK - words, words) <= 2 * MANY * words / 64 + 2);
        for (uint32_t frame = words; frame <= 4096; frame *= 2) {
            const struct local_layout frames =
                local_layout(&(struct local_shape){frame * 4, frame * 4, 1, SMS, MANY, false});
            assert_true(fullest_set(&frames, MANY, 0, words) <= 2 * MANY * words / 64 + 2);
        }
    }
}

/* What fits into a cache of 64 sets, in number, does: 8 frames of 32 words are four lines in each. */
static void frames_that_are_used_in_full_have_as_many_lines_in_each_set(void **state) {
    (void)state;
    for (uint32_t frame = 1; frame <= 256; frame *= 2) {
        const struct local_layout l =
            local_layout(&(struct local_shape){frame * 4, frame * 4, 1, SMS, 256 / frame, false});
        assert_int_equal(fullest_set(&l, 256 / frame, 0, frame), 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_words_lie_in_one_place),
        cmocka_unit_test(a_word_of_a_warp_is_one_line_and_the_next_word_the_next),
        cmocka_unit_test(one_frame_of_a_warp_lies_behind_another),
        cmocka_unit_test(a_thread_may_have_its_memory_in_one_piece),
        cmocka_unit_test(the_words_that_all_warps_use_are_spread_over_the_sets),
        cmocka_unit_test(frames_that_are_used_in_full_have_as_many_lines_in_each_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
