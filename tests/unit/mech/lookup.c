/* The set-associative table of PCs: sets, least recently used, what leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "mech/lib/lookup.h"

static void make(struct lookup *l, struct pages *pages, uint32_t entries, uint32_t ways) {
    struct err e = {0};
    if (!lookup_init(l, pages, "table", entries, ways, &e)) fail_msg("%s", err_text(&e));
}

static void put(struct lookup *l, uint32_t pc, uint32_t value, uint32_t want_evicted) {
    uint32_t evicted;
    assert_int_equal(lookup_find(l, pc), LOOKUP_NONE);
    uint32_t at = lookup_put(l, pc, value, &evicted);
    assert_int_equal(evicted, want_evicted);
    assert_int_equal(lookup_find(l, pc), at);
    assert_int_equal(l->e[at].value, value);
}

static void test_the_least_recently_used_way_gives_place(void **state) {
    (void)state;
    struct pages pages = {0};
    struct lookup l;
    make(&l, &pages, 3, 8); /* fully associative */
    assert_int_equal(lookup_entries(&l), 3);
    put(&l, 10, 100, LOOKUP_NONE);
    put(&l, 20, 200, LOOKUP_NONE);
    put(&l, 30, 300, LOOKUP_NONE);
    assert_int_not_equal(lookup_find(&l, 10), LOOKUP_NONE); /* 20 is now the oldest */
    put(&l, 40, 400, 200);
    put(&l, 50, 500, 300);
    assert_int_not_equal(lookup_find(&l, 10), LOOKUP_NONE);
    pages_free(&pages);
}

static void test_a_dropped_entry_is_taken_first(void **state) {
    (void)state;
    struct pages pages = {0};
    struct lookup l;
    make(&l, &pages, 2, 2);
    put(&l, 1, 11, LOOKUP_NONE);
    put(&l, 2, 22, LOOKUP_NONE);
    lookup_drop(&l, lookup_find(&l, 2));
    put(&l, 3, 33, LOOKUP_NONE);
    put(&l, 2, 44, 11);
    pages_free(&pages);
}

/* Straight code fills every set evenly, whether or not their number is a power of two. */
static void test_straight_code_uses_all_sets(void **state) {
    (void)state;
    static const uint32_t sets[] = {1, 2, 3, 16, 24};
    for (uint32_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        struct pages pages = {0};
        struct lookup l;
        make(&l, &pages, sets[k] * 2, 2);
        for (uint32_t pc = 0; pc < sets[k]; pc++) put(&l, pc, pc, LOOKUP_NONE);
        pages_free(&pages);
    }
}

/* Targets a multiple of the sets apart do not all fall into one. */
static void test_strides_are_spread(void **state) {
    (void)state;
    struct pages pages = {0};
    struct lookup l;
    make(&l, &pages, 16, 1);
    for (uint32_t pc = 0; pc < 16; pc++) put(&l, pc * 16, pc, LOOKUP_NONE);
    pages_free(&pages);
}

static void test_ways_must_divide_entries(void **state) {
    (void)state;
    struct pages pages = {0};
    struct lookup l;
    struct err e = {0};
    assert_false(lookup_init(&l, &pages, "the table", 10, 4, &e));
    assert_string_equal(err_text(&e), "the table: 10 entries are not a multiple of 4 ways");
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_least_recently_used_way_gives_place),
        cmocka_unit_test(test_a_dropped_entry_is_taken_first),
        cmocka_unit_test(test_straight_code_uses_all_sets),
        cmocka_unit_test(test_strides_are_spread),
        cmocka_unit_test(test_ways_must_divide_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
