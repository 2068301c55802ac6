/* Sorted lists of threads that do not run: who is next, who meets, where released threads stand. */
#include "mech/lib/sorted.h"

#include "unit/mech/rig.h"

static struct ir_module *two_instructions(void) {
    struct ir_module *m = ir_module_new("two");
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "two");
    return m;
}

struct lists {
    struct rig r;
    struct sorted q;
    struct sorted_home h;
};

/* A home warp of 64 threads, slots 0 and 1. */
static void lists_up(struct lists *l) {
    struct mech_set all;
    *l = (struct lists){0};
    rig_load(&l->r, two_instructions(), 64, 64, NULL);
    fake_start(l->r.f, "nrec");
    sorted_create(l->r.f->mech, &l->q);
    set_one(&all, 0, ~0u);
    set_add(&all, 1, ~0u);
    sorted_start(l->r.f->mech, &l->q, &l->h, 0, &all);
}

static void lists_down(struct lists *l) {
    uint32_t seen[2] = {0};
    assert_int_equal(sorted_audit(&l->h, seen), l->q.standing);
    assert_true(fake_run(l->r.f));
    rig_down(&l->r);
}

static bool stand(struct lists *l, uint32_t warp, uint32_t mask, uint32_t depth, uint32_t place) {
    struct mech_set s;
    set_one(&s, warp, mask);
    return sorted_stand(&l->q, &l->h, &s, sorted_key(depth, place));
}

/* Checks the next entry: "depth place threads". */
static void expect_next(struct lists *l, uint32_t depth, uint32_t place, const char *threads) {
    const uint64_t key = l->h.limit;
    struct mech_set s;
    struct sb out = {0};
    assert_int_equal(sorted_depth(key), depth);
    assert_int_equal(sorted_place(key), place);
    sorted_take(&l->q, &l->h, &s);
    set_print(&s, &out);
    assert_string_equal(out.text, threads);
    sb_free(&out);
}

static void the_deepest_call_then_the_lowest_place_is_next(void **state) {
    (void)state;
    struct lists l;
    lists_up(&l);
    assert_true(l.h.limit == SORTED_NONE);
    assert_false(stand(&l, 0, 0x1, 0, 7));
    assert_false(stand(&l, 0, 0x2, 1, 9));
    assert_false(stand(&l, 0, 0x4, 0, 3));
    assert_false(stand(&l, 0, 0x8, 1, 0x80000000u));
    assert_int_equal(l.q.standing, 4);
    expect_next(&l, 1, 9, "w0:00000002");
    expect_next(&l, 1, 0x80000000u, "w0:00000008");
    expect_next(&l, 0, 3, "w0:00000004");
    expect_next(&l, 0, 7, "w0:00000001");
    assert_true(l.h.limit == SORTED_NONE && !l.q.standing);
    lists_down(&l);
}

static void threads_in_one_place_are_one_entry(void **state) {
    (void)state;
    struct lists l;
    lists_up(&l);
    assert_false(stand(&l, 0, 0x1, 0, 5));
    assert_false(stand(&l, 0, 0x2, 0, 6));
    assert_true(stand(&l, 1, 0x80000000u, 0, 5));
    assert_int_equal(l.h.standing.n, 2);
    expect_next(&l, 0, 5, "w0:00000001 w1:80000000");
    lists_down(&l);
}

/* Threads may wait at one instruction in different activations of its function. */
static void released_threads_stand_at_the_depth_at_which_they_waited(void **state) {
    (void)state;
    struct lists l;
    struct mech_set s;
    lists_up(&l);
    set_one(&s, 0, 0xf);
    sorted_block(&l.h, &s, sorted_key(1, 5));
    set_one(&s, 0, 0xf0);
    sorted_block(&l.h, &s, sorted_key(2, 5));
    sorted_unblock(&l.q, &l.h, 0, 0x3c, 5);
    assert_int_equal(l.h.blocked.threads, 4);
    expect_next(&l, 2, 5, "w0:00000030");
    expect_next(&l, 1, 5, "w0:0000000c");
    sorted_unblock(&l.q, &l.h, 0, 0xc3, 8);
    assert_int_equal(l.h.blocked.n, 0);
    expect_next(&l, 2, 8, "w0:000000c0");
    expect_next(&l, 1, 8, "w0:00000003");
    lists_down(&l);
}

static void those_above_at_the_same_place_can_be_taken_too(void **state) {
    (void)state;
    struct lists l;
    struct mech_set s;
    struct sb out = {0};
    lists_up(&l);
    stand(&l, 0, 0x01, 3, 6);
    stand(&l, 0, 0x02, 2, 5);
    stand(&l, 1, 0x04, 1, 5);
    stand(&l, 0, 0x08, 1, 6);
    assert_false(sorted_above(&l.h, sorted_key(3, 4)));
    assert_true(sorted_above(&l.h, sorted_key(3, 5)));
    set_one(&s, 0, 0x10); /* runs at {3, 5} */
    assert_int_equal(sorted_take_above(&l.q, &l.h, sorted_key(3, 5), &s), 1);
    set_print(&s, &out);
    assert_string_equal(out.text, "w0:00000012 w1:00000004");
    sb_free(&out);
    assert_int_equal(l.q.standing, 2);
    /* none other: its own depth */
    assert_int_equal(sorted_take_above(&l.q, &l.h, sorted_key(3, 5), &s), 3);
    expect_next(&l, 3, 6, "w0:00000001");
    expect_next(&l, 1, 6, "w0:00000008");
    lists_down(&l);
}

/* With one depth alone the limit says it all. */
static void nobody_is_above_whoever_is_as_deep(void **state) {
    (void)state;
    struct lists l;
    lists_up(&l);
    assert_false(sorted_above(&l.h, sorted_key(0, 5)));
    stand(&l, 0, 0x1, 2, 5);
    assert_false(sorted_above(&l.h, sorted_key(2, 5)));
    assert_true(sorted_above(&l.h, sorted_key(3, 5)));
    lists_down(&l);
}

static void threads_are_told_apart_by_depth(void **state) {
    (void)state;
    struct lists l;
    struct mech_set left, here;
    lists_up(&l);
    for (uint32_t t = 0; t < 64; t++) l.r.f->t[t].depth = t % 3;
    set_one(&left, 0, 0x7);
    set_add(&left, 1, 0x7); /* threads 32, 33, 34: depths 2, 0, 1 */
    assert_int_equal(sorted_take_depth(l.r.f->mech, &l.q, &left, &here), 0);
    assert_true(set_mask(&here, 0) == 1 && set_mask(&here, 1) == 2);
    assert_int_equal(sorted_take_depth(l.r.f->mech, &l.q, &left, &here), 1);
    assert_true(set_mask(&here, 0) == 2 && set_mask(&here, 1) == 4);
    assert_int_equal(sorted_take_depth(l.r.f->mech, &l.q, &left, &here), 2);
    assert_true(set_mask(&here, 0) == 4 && set_mask(&here, 1) == 1 && !left.n);
    for (uint32_t t = 0; t < 64; t++) l.r.f->t[t].depth = 0;
    lists_down(&l);
}

/* The last parting is the one that is still open when all meet. */
static void groups_that_meet_end_but_for_the_one_parted_last(void **state) {
    (void)state;
    struct lists l;
    struct mech_set a, b, c, both, all;
    lists_up(&l);
    struct mech *m = l.r.f->mech;
    set_one(&a, 0, 0x1);
    set_one(&b, 0, 0x2);
    set_one(&c, 1, 0x4);
    set_one(&both, 0, 0x3);
    set_copy(&all, &both);
    set_union(&all, &c);
    sorted_part(m, &l.q, &c);
    l.r.f->now++;
    sorted_part(m, &l.q, &a);
    sorted_part(m, &l.q, &b);
    assert_int_equal(sorted_meet(m, &l.q, &both, 1), 1);
    assert_int_equal(sorted_meet(m, &l.q, &both, 1), 0);
    assert_int_equal(sorted_meet(m, &l.q, &all, 1), 1);
    assert_int_equal(m->stats.reconvergences, 2);
    lists_down(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deepest_call_then_the_lowest_place_is_next),
        cmocka_unit_test(threads_in_one_place_are_one_entry),
        cmocka_unit_test(released_threads_stand_at_the_depth_at_which_they_waited),
        cmocka_unit_test(those_above_at_the_same_place_can_be_taken_too),
        cmocka_unit_test(nobody_is_above_whoever_is_as_deep),
        cmocka_unit_test(threads_are_told_apart_by_depth),
        cmocka_unit_test(groups_that_meet_end_but_for_the_one_parted_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
