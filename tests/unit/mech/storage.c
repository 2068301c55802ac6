/* Rows of storage: what a mechanism leaves out, and what every mechanism must say. */
#include <string.h>

#include "unit/mech/rig.h"

static void entries_are_shared_by_the_schedulers_where_that_comes_out_even(void **state) {
    (void)state;
    struct mech_storage s = {.schedulers = 4};
    storage_add(&s, (struct mech_array){.name = "a", .entries = 64, .bits = 10});
    storage_add(&s, (struct mech_array){.name = "b", .entries = 66, .bits = 10});
    storage_add(&s, (struct mech_array){.name = "c", .arrays = 8, .entries = 66, .bits = 10});
    const uint64_t arrays[] = {4, 1, 8}, entries[] = {16, 66, 66}, bits[] = {640, 660, 5280};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.v[i].arrays, arrays[i]);
        assert_int_equal(s.v[i].entries, entries[i]);
        assert_int_equal(storage_array_bits(&s.v[i]), bits[i]);
    }
}

static void an_array_has_a_way_a_read_port_and_a_write_port_unless_it_says_otherwise(void **state) {
    (void)state;
    struct mech_storage s = {.schedulers = 1};
    storage_add(&s, (struct mech_array){.name = "a", .entries = 1, .bits = 1});
    storage_add(&s, (struct mech_array){.name = "b", .entries = 8, .bits = 1, .ways = 4, .reads = 1});
    assert_int_equal(s.v[0].ways, 1);
    assert_int_equal(s.v[0].reads, 1);
    assert_int_equal(s.v[0].writes, 1);
    assert_int_equal(s.v[1].ways, 4);
    assert_int_equal(s.v[1].reads, 1);
    assert_int_equal(s.v[1].writes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_shared_by_the_schedulers_where_that_comes_out_even),
        cmocka_unit_test(an_array_has_a_way_a_read_port_and_a_write_port_unless_it_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
