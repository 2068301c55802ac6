/* The mechanism that docs/mechanisms.md adds step by step: it does what the page says, and the page shows it as it is. */
#include "unit/mech/example/rejoin.c"
#include "unit/mech/random_run.h"
#include "unit/mech/rig.h"
#include "unit/sim/page.h"

/* if (odd) op, op; else op; then two instructions for all. */
static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 */
    fake_bra(m, 0, 5);          /* 2 */
    fake_op(m);                 /* 3 */
    fake_op(m);                 /* 4 */
    fake_op(m);                 /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "diamond");
    return m;
}
static uint32_t odd(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread & 1;
}

static uint64_t issues(bool merge) {
    struct rig r = {0};
    rig_load(&r, diamond(), 8, 8, odd);
    r.param[0] = merge;
    fake_start_ops(r.f, &mech_rejoin);
    assert_true(fake_run(r.f));
    assert_int_equal(rig_counter(&r, "merges"), merge);
    assert_int_equal(r.f->mech->stats.reconvergences, merge);
    const uint64_t n = r.f->issued;
    rig_down(&r);
    return n;
}

/* The sides are of the same length and take turns: the first at 5 is still there when the other comes. */
static void test_sides_that_meet_go_on_as_one(void **state) {
    (void)state;
    assert_int_equal(issues(true), 1 + 2 + 2 + 2);
    assert_int_equal(issues(false), 1 + 4 + 4); /* as nrec */
}

static void test_every_state_of_the_page(void **state) {
    (void)state;
    static const char *const after[] = {
        "split 0 sched 0 pc 1 ready w0:00000055\nsplit 1 sched 0 pc 3 ready w0:000000aa\n", /* 0 */
        "split 0 sched 0 pc 1 ready w0:00000055\nsplit 1 sched 0 pc 4 ready w0:000000aa\n", /* 3 */
        "split 0 sched 0 pc 2 ready w0:00000055\nsplit 1 sched 0 pc 4 ready w0:000000aa\n", /* 1 */
        "split 0 sched 0 pc 2 ready w0:00000055\nsplit 1 sched 0 pc 5 ready w0:000000aa\n", /* 4 */
        "split 1 sched 0 pc 5 ready w0:000000ff\n",                                         /* 2 */
        "split 1 sched 0 pc 6 ready w0:000000ff\n",                                         /* 5 */
        ""};
    struct rig r = {.param = {1}};
    rig_load(&r, diamond(), 8, 8, odd);
    fake_start_ops(r.f, &mech_rejoin);
    for (size_t k = 0; k < sizeof after / sizeof *after; k++) {
        fake_cycle(r.f);
        fake_expect_state(r.f, after[k]);
    }
    assert_true(fake_done(r.f));
    rig_down(&r);
}

static void test_random_programs_run_to_the_end(void **state) {
    (void)state;
    assert_int_equal(random_run(&mech_rejoin, false), 0);
    assert_int_equal(random_run(&mech_rejoin, true), 0);
}

static void test_the_page_shows_this_file(void **state) {
    (void)state;
    struct sb page = {0}, file = {0}, want = {0};
    assert_true(page_read("docs/mechanisms.md", &page));
    assert_true(page_read("tests/unit/mech/example/rejoin.c", &file));
    sb_add(&want, "```c\n%s```\n", file.text);
    if (!strstr(page.text, want.text)) fail_msg("docs/mechanisms.md is out of date: run make docs");
    sb_free(&page);
    sb_free(&file);
    sb_free(&want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides_that_meet_go_on_as_one),
        cmocka_unit_test(test_every_state_of_the_page),
        cmocka_unit_test(test_random_programs_run_to_the_end),
        cmocka_unit_test(test_the_page_shows_this_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
