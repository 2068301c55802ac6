/* Whom idle lanes are charged to: single kernels of a few instructions, counted by hand. */
#include "unit/sm/rig.h"

#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p) {\n" body "exit;\n}\n"
#define LANES        ".reg .u32 %l, %a; .reg .pred %p, %q; mov.u32 %l, %laneid; mov.u32 %a, 0;\n"
enum { BEGUN = 2 }; /* instructions of LANES */

static struct machine run_on(const char *text, const char *mech, int64_t warp, uint32_t threads) {
    struct machine x = machine_load(text);
    uint64_t p = 0;
    x.profile = true;
    x.o.sm.warp_size = warp;
    x.o.sm.simd_width = 16;
    machine_ok(&x, mech, "k", 1, threads, &p);
    return x;
}

/* The instruction so many behind the first ones. */
static const struct sm_cost *at(const struct machine *x, uint32_t n) {
    return &x->account->costs.v[x->r.m->funcs.v[0].entry + BEGUN + n];
}

static void a_guard_that_is_false_is_charged_to_its_instruction(void **state) {
    (void)state;
    struct machine x =
        run_on(KERNEL(LANES "setp.lt.u32 %p, %l, 5; @%p add.u32 %a, %a, 1;\n"), "pdom", 32, 64);
    assert_int_equal(at(&x, 1)->lanes[LANE_ACTIVE], 2 * 5);
    assert_int_equal(at(&x, 1)->lanes[LANE_GUARDED], 2 * 27);
    assert_int_equal(x.s.lane.parted, 0);
    machine_free(&x);
}

static void lanes_without_a_thread_are_nobodys(void **state) {
    (void)state;
    static const int64_t sizes[] = {16, 32, 64, 256};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct machine x = run_on(KERNEL(LANES), "pdom", sizes[k], 40);
        const uint64_t warps = (40 + (uint64_t)sizes[k] - 1) / (uint64_t)sizes[k];
        assert_int_equal(x.s.lane.absent, 3 * (warps * (uint64_t)sizes[k] - 40));
        assert_int_equal(x.s.lane.active, 3 * 40);
        machine_free(&x);
    }
}

/* Lanes 0-7 stay at the outer branch, of them 0-1 at the inner one. While 0-1 run, 2-7 are charged to the inner branch. */
static void an_idle_lane_is_charged_to_the_last_parting(void **state) {
    (void)state;
    const char *const text = KERNEL(LANES "setp.ge.u32 %p, %l, 8; @%p bra OUT;\n"
                                          "setp.ge.u32 %q, %l, 2; @%q bra IN; add.u32 %a, %a, 1; IN: add.u32 "
                                          "%a, %a, 2; OUT: add.u32 %a, %a, 3;\n");
    static const char *const mechs[] = {"pdom", "mp", "dpe", "minpc", "tf", "takahashi"};
    for (size_t k = 0; k < sizeof mechs / sizeof *mechs; k++) {
        struct machine x = run_on(text, mechs[k], 32, 32);
        assert_int_equal(at(&x, 1)->caused[LANE_PARTED], 4 * 24); /* setp, branch and two additions */
        assert_int_equal(at(&x, 3)->caused[LANE_PARTED], 6);
        assert_int_equal(at(&x, 4)->lanes[LANE_PARTED], 30); /* suffered by the inner addition */
        machine_free(&x);
    }
}

/* All but lane 0 leave: by a guarded exit, or by a branch to one. The three instructions behind it run for lane 0 alone. */
static void exited_lanes_are_charged_to_where_they_left(void **state) {
    (void)state;
    struct machine x =
        run_on(KERNEL(LANES "setp.ne.u32 %p, %l, 0; @%p exit; add.u32 %a, %a, 1; add.u32 %a, %a, 2;\n"),
               "pdom", 32, 32);
    assert_int_equal(x.s.lane.exited, 3 * 31);
    assert_int_equal(at(&x, 1)->caused[LANE_EXITED], 3 * 31);
    machine_free(&x);
    x = run_on(KERNEL(LANES
                      "setp.ne.u32 %p, %l, 0; @%p bra OUT; add.u32 %a, %a, 1; add.u32 %a, %a, 2; exit;\n"
                      "OUT: add.u32 %a, %a, 3;\n"),
               "nrec", 32, 32);
    /* Three instructions of one lane, two of 31: the sides never meet. */
    assert_int_equal(at(&x, 1)->caused[LANE_EXITED] + at(&x, 1)->caused[LANE_PARTED], 3 * 31 + 2 * 1);
    assert_int_equal(at(&x, 4)->caused[LANE_EXITED], 0);
    machine_free(&x);
}

/* Threads of one warp whose loads come back one after the other go on without each other under MIMD, and part at the load:
 * there is no branch. */
static void under_mimd_threads_part_at_a_load(void **state) {
    (void)state;
    struct machine x =
        machine_load(KERNEL(".reg .u64 %b, %o; .reg .u32 %l, %a; ld.param.u64 %b, [p];\n"
                            "mov.u32 %l, %laneid; mul.wide.u32 %o, %l, 512; add.u64 %b, %b, %o;\n"
                            "ld.global.u32 %a, [%b]; add.u32 %a, %a, 1; add.u32 %a, %a, 1;\n"));
    uint64_t p = rig_buf(&x.r, 32 * 512, "in");
    x.profile = true;
    x.m.memory.ideal = false;
    machine_ok(&x, "mimd", "k", 1, 32, &p);
    const struct sm_cost *load = &x.account->costs.v[x.r.m->funcs.v[0].entry + 4];
    assert_true(x.s.lane.parted > 0);
    assert_int_equal(load->caused[LANE_PARTED] + load->caused[LANE_EXITED],
                     x.s.lane.parted + x.s.lane.exited);
    machine_free(&x);
}

/* ---- threads that part while they do not run together: without reconvergence, one warp ---- */

#define ADD  "add.u32 %a, %a, 1;\n"
#define ADDS ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
enum { ADDS_N = 10 };

/* Odd lanes are behind even ones by what they do alone. Lanes from 16 on skip the additions; while even ones below 16 are
 * there, the odd ones below 16 are elsewhere because of the first branch, all others because of the second. */
static void threads_apart_part_at_a_later_branch(void **state) {
    (void)state;
    struct machine x =
        run_on(KERNEL(LANES "and.b32 %a, %l, 1; setp.eq.u32 %p, %a, 0; @%p bra EVEN;\n" ADD
                            "EVEN: setp.ge.u32 %q, %l, 16; @%q bra OUT;\n" ADDS ADDS ADDS "OUT: " ADD),
               "nrec", 32, 32);
    const uint64_t first = at(&x, 2)->caused[LANE_PARTED] + at(&x, 2)->caused[LANE_EXITED];
    const uint64_t second = at(&x, 5)->caused[LANE_PARTED] + at(&x, 5)->caused[LANE_EXITED];
    /* Twice the additions, once for each half; of the other half those from 16 on come to the branch a little later. */
    assert_in_range(second, 2 * 3 * ADDS_N * 16 - 8 * 8, 2 * 3 * ADDS_N * 16 + 8 * 24);
    assert_in_range(first, 2 * 3 * ADDS_N * 8, 2 * 3 * ADDS_N * 8 + 10 * 24);
    machine_free(&x);
}

/* Every lane goes round the same number of times, odd ones with an addition more: the loop parts no threads, even when
 * lanes are in different iterations. */
static void a_loop_is_not_to_blame_for_the_branch_in_it(void **state) {
    (void)state;
    struct machine x =
        run_on(KERNEL(LANES ".reg .u32 %i, %o; mov.u32 %i, 0;\n"
                            "AGAIN: and.b32 %o, %l, 1; setp.eq.u32 %p, %o, 0; @%p bra EVEN;\n" ADDS
                            "EVEN: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 20; @%q bra AGAIN;\n"),
               "nrec", 32, 32);
    const struct sm_cost *branch = at(&x, 3), *loop = at(&x, 4 + ADDS_N + 2);
    assert_int_equal(loop->caused[LANE_PARTED] + loop->caused[LANE_EXITED], 0);
    assert_int_equal(branch->caused[LANE_PARTED] + branch->caused[LANE_EXITED],
                     x.s.lane.parted + x.s.lane.exited);
    machine_free(&x);
}

/* After the branch comes a loop from which lanes 16 and up come out 40 iterations before the others. They have been
 * apart since the first branch; the loop is to blame for what the others do when they are out of it. */
static void threads_apart_part_where_one_leaves_the_loop(void **state) {
    (void)state;
    struct machine x = run_on(
        KERNEL(LANES ".reg .u32 %i, %n; mov.u32 %i, 0; setp.ge.u32 %p, %l, 16; selp.u32 %n, 10, 50, %p;\n"
                     "@%p bra HIGH;\n" ADDS "HIGH:" ADD
                     "AGAIN: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n; @%q bra AGAIN;\n"),
        "nrec", 32, 32);
    const struct sm_cost *branch = at(&x, 3), *loop = at(&x, 4 + ADDS_N + 1 + 2);
    const uint64_t by_loop = loop->caused[LANE_PARTED] + loop->caused[LANE_EXITED];
    assert_in_range(by_loop, 3 * 40 * 16, 3 * 42 * 16);
    assert_int_equal(by_loop + branch->caused[LANE_PARTED] + branch->caused[LANE_EXITED],
                     x.s.lane.parted + x.s.lane.exited);
    machine_free(&x);
}

/* The branch and the loop are in a function that both halves call: paths go through calls and returns, also from
 * different depths. */
static void threads_apart_part_inside_of_calls(void **state) {
    (void)state;
    struct machine x = run_on(
        HEAD
        ".func f(.param .b32 l) {\n.reg .u32 %l, %a; .reg .pred %q; ld.param.u32 %l, [l]; mov.u32 %a, 0;\n"
        "setp.ge.u32 %q, %l, 16; @%q ret;\n" ADDS ADDS ADDS "ret;\n}\n"
        ".visible .entry k(.param .u64 p) {\n" LANES
        "and.b32 %a, %l, 1; setp.eq.u32 %p, %a, 0; @%p bra EVEN;\n" ADD
        "EVEN: { .param .b32 x; st.param.b32 [x], %l; call f, (x); }\n" ADD "exit;\n}\n",
        "nrec", 32, 32);
    uint64_t ret = 0;
    for (uint32_t k = x.account->insts; k < x.account->places.n; k++)
        if (x.account->places.v[k].pc == x.r.m->funcs.v[0].entry + 3)
            ret += x.account->costs.v[k].caused[LANE_PARTED] + x.account->costs.v[k].caused[LANE_EXITED];
    assert_in_range(ret, 2 * 3 * ADDS_N * 16 - 8 * 8, 2 * 3 * ADDS_N * 16 + 8 * 24);
    machine_free(&x);
}

/* One lane loads, the others wait where the paths meet: cycles without an issue belong to the branch. */
static void waits_for_reconvergence_are_charged_to_the_branch(void **state) {
    (void)state;
    struct machine x = machine_load(
        KERNEL(".reg .u64 %b; .reg .u32 %l, %a; .reg .pred %p; ld.param.u64 %b, [p]; mov.u32 %l, %laneid;\n"
               "setp.ne.u32 %p, %l, 3; @%p bra OUT; ld.global.u32 %a, [%b]; add.u32 %a, %a, 1; OUT: add.u32 "
               "%a, %a, 3;\n"));
    uint64_t p = rig_buf(&x.r, 64, "in");
    x.profile = true;
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    const struct sm_cost *branch = &x.account->costs.v[x.r.m->funcs.v[0].entry + 3];
    assert_true(branch->waits_caused > 20);
    assert_int_equal(branch->waits_caused, x.account->waits[WAIT_RECONVERGENCE]);
    assert_true(x.account->waits[WAIT_MEMORY] < branch->waits_caused);
    machine_free(&x);
}

/* SWI lays thread t of warp 1 on lane t ^ 16. Its four threads run beside lanes 0-7 of warp 0, of which 8-23 have exited and
 * 24-31 have parted: on the 20 lanes left there would be 8-15 and 20-23, and those that have parted. */
static void an_idle_lane_is_named_after_who_would_be_on_it(void **state) {
    (void)state;
    struct machine x = machine_load(
        KERNEL(LANES "setp.ge.u32 %p, %l, 24; @%p bra HIGH; setp.ge.u32 %q, %l, 8; @%q exit;\n"
                     "bar.sync 0; add.u32 %a, %a, 1; add.u32 %a, %a, 2; add.u32 %a, %a, 3; exit;\n"
                     "HIGH: bar.sync 0; add.u32 %a, %a, 4;\n"));
    uint64_t p = 0;
    x.profile = true;
    x.o.sm.schedulers = 1;
    machine_ok(&x, "swi", "k", 1, 36, &p);
    assert_int_equal(at(&x, 6)->lanes[LANE_ACTIVE], 8 + 4);
    assert_int_equal(at(&x, 6)->issues, 1); /* together, for the barrier released them so */
    assert_int_equal(at(&x, 6)->lanes[LANE_ABSENT], 0);
    assert_int_equal(at(&x, 6)->lanes[LANE_EXITED], 8 + 4);
    assert_int_equal(at(&x, 6)->lanes[LANE_PARTED], 8);
    machine_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_that_is_false_is_charged_to_its_instruction),
        cmocka_unit_test(lanes_without_a_thread_are_nobodys),
        cmocka_unit_test(an_idle_lane_is_charged_to_the_last_parting),
        cmocka_unit_test(exited_lanes_are_charged_to_where_they_left),
        cmocka_unit_test(under_mimd_threads_part_at_a_load),
        cmocka_unit_test(threads_apart_part_at_a_later_branch),
        cmocka_unit_test(a_loop_is_not_to_blame_for_the_branch_in_it),
        cmocka_unit_test(threads_apart_part_where_one_leaves_the_loop),
        cmocka_unit_test(threads_apart_part_inside_of_calls),
        cmocka_unit_test(waits_for_reconvergence_are_charged_to_the_branch),
        cmocka_unit_test(an_idle_lane_is_named_after_who_would_be_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
