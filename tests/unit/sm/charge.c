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
    static const char *const mechs[] = {"pdom", "mp", "dpe", "minpc"};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_that_is_false_is_charged_to_its_instruction),
        cmocka_unit_test(lanes_without_a_thread_are_nobodys),
        cmocka_unit_test(an_idle_lane_is_charged_to_the_last_parting),
        cmocka_unit_test(exited_lanes_are_charged_to_where_they_left),
        cmocka_unit_test(under_mimd_threads_part_at_a_load),
        cmocka_unit_test(waits_for_reconvergence_are_charged_to_the_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
