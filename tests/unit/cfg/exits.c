/* Main exits: where the threads of a branch meet when others leave early, on the shapes that programmers write and compilers
 * make; with cfg.exits = edges beside it. docs/reconvergence.md works the first two out. tests/unit/cfg/graph.c has random
 * graphs against the definition. */
#include "unit/cfg/graphs.h"

#include <string.h>

#include "front/ptx/ptx.h"

#define KERNEL(body)                                                                                      \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<4>;\n.reg .b32 " \
    "%r<4>;\n" body "}\n"

/* Where the branch at pc meets: a PC, or IR_NOPC. */
static uint32_t meets(const char *text, enum cfg_exits exits, uint32_t pc) {
    struct err e = {0};
    struct ir_module *m = ptx_load("t.ptx", text, strlen(text), &e);
    if (!m) fail_msg("%s", err_text(&e));
    struct cfg *c = analysed_with(m, exits);
    const uint32_t rpc = m->code.v[pc].rpc;
    cfg_free(c);
    ir_module_free(m);
    return rpc;
}

static void expect(const char *text, uint32_t pc, uint32_t main_exit, uint32_t all_edges) {
    assert_int_equal(meets(text, CFG_EXITS_MAIN, pc), main_exit);
    assert_int_equal(meets(text, CFG_EXITS_EDGES, pc), all_edges);
}

/* if (p1) { if (p2) return; x } y; barrier */
static void an_early_return_does_not_move_the_join_around_it(void **state) {
    (void)state;
    const char *text = KERNEL("@!%p1 bra Y;\n"        /* 0 */
                              "@%p2 ret;\n"           /* 1 */
                              "mov.u32 %r1, 1;\n"     /* 2 */
                              "Y: mov.u32 %r1, 2;\n"  /* 3 */
                              "bar.sync 0;\nret;\n"); /* 4, 5 */
    expect(text, 0, 3, IR_NOPC);
    /* Threads that stay go on together until the join around. */
    expect(text, 1, 3, IR_NOPC);
}

/* if (p1) { long code; return; } vote: others wait for the way with the vote, however short it is. */
static void the_way_with_a_vote_is_that_of_the_main_exit(void **state) {
    (void)state;
    const char *text = KERNEL("@!%p2 bra Y;\n" /* 0 */
                              "@!%p1 bra X;\n" /* 1 */
                              "mov.u32 %r1, 1;\nmov.u32 %r1, 2;\nmov.u32 %r1, 3;\nmov.u32 %r1, 4;\nret;\n"
                              "X: mov.u32 %r1, 5;\n"                            /* 7 */
                              "Y: vote.sync.ballot.b32 %r2, %p1, -1;\nret;\n"); /* 8 */
    expect(text, 0, 8, IR_NOPC);
    expect(text, 1, 8, IR_NOPC);
}

/* do { if (p1) { loop; return; } barrier; } while (p2): the return is in front of the barrier, the loop's own end behind it,
 * and those who stay do not wait for threads that return. */
static void a_return_in_front_of_the_barrier_of_a_loop_is_early(void **state) {
    (void)state;
    const char *text = KERNEL("L: mov.u32 %r1, 1;\n"                       /* 0 */
                              "@%p1 bra E;\n"                              /* 1 */
                              "bar.sync 0;\n"                              /* 2 */
                              "@%p2 bra L;\n"                              /* 3 */
                              "mov.u32 %r1, 2;\nret;\n"                    /* 4, 5 */
                              "E: mov.u32 %r1, 3;\n"                       /* 6 */
                              "M: mov.u32 %r1, 4;\n@%p3 bra M;\n"          /* 7, 8 */
                              "mov.u32 %r1, 5;\nmov.u32 %r1, 6;\nret;\n"); /* 9 */
    expect(text, 3, 4, IR_NOPC);
    expect(text, 1, 4, IR_NOPC);
    expect(text, 8, 9, 9);
}

/* do { barrier; if (p1) { loop; return; } x; } while (p2): the return is early, although both leave behind the barrier. */
static void a_return_behind_the_barrier_of_a_loop_is_early_too(void **state) {
    (void)state;
    const char *text = KERNEL("L: bar.sync 0;\n"                           /* 0 */
                              "@%p1 bra E;\n"                              /* 1 */
                              "mov.u32 %r1, 1;\n"                          /* 2 */
                              "@%p2 bra L;\n"                              /* 3 */
                              "mov.u32 %r1, 2;\nret;\n"                    /* 4, 5 */
                              "E: mov.u32 %r1, 3;\n"                       /* 6 */
                              "M: mov.u32 %r1, 4;\n@%p3 bra M;\n"          /* 7, 8 */
                              "mov.u32 %r1, 5;\nmov.u32 %r1, 6;\nret;\n"); /* 9 */
    expect(text, 3, 4, IR_NOPC);
    expect(text, 1, 4, IR_NOPC);
}

/* A test that does not jump back itself, but by blocks without another test. */
static void the_last_test_of_a_round_need_not_jump_back(void **state) {
    (void)state;
    const char *text = KERNEL("L: bar.sync 0;\n"                           /* 0 */
                              "@%p1 bra E;\n"                              /* 1 */
                              "mov.u32 %r1, 1;\n"                          /* 2 */
                              "@%p2 bra O;\n"                              /* 3 */
                              "mov.u32 %r1, 7;\nbra L;\n"                  /* 4, 5 */
                              "O: mov.u32 %r1, 2;\nret;\n"                 /* 6, 7 */
                              "E: mov.u32 %r1, 3;\n"                       /* 8 */
                              "M: mov.u32 %r1, 4;\n@%p3 bra M;\n"          /* 9, 10 */
                              "mov.u32 %r1, 5;\nmov.u32 %r1, 6;\nret;\n"); /* 11 */
    expect(text, 3, 6, IR_NOPC);
    expect(text, 1, 6, IR_NOPC);
}

/* if (p1) { if (p2) { x; return; } y } z: the code before the return is a part of its own. */
static void code_before_an_early_return_is_a_part_of_its_own(void **state) {
    (void)state;
    const char *text = KERNEL("@!%p1 bra Z;\n"       /* 0 */
                              "@!%p2 bra Y;\n"       /* 1 */
                              "@%p3 bra A;\n"        /* 2: an if on the way out */
                              "mov.u32 %r1, 1;\n"    /* 3 */
                              "A: mov.u32 %r1, 2;\n" /* 4 */
                              "ret;\n"               /* 5 */
                              "Y: mov.u32 %r1, 3;\n" /* 6 */
                              "Z: mov.u32 %r1, 4;\n" /* 7 */
                              "mov.u32 %r2, 4;\nmov.u32 %r2, 5;\nmov.u32 %r2, 6;\nret;\n");
    expect(text, 0, 7, IR_NOPC);
    expect(text, 1, 7, IR_NOPC);
    expect(text, 2, 4, 4);
}

/* A failed assertion behind the end of the kernel, as compilers lay it out. */
static void a_trap_is_no_main_exit_however_long_the_way_to_it(void **state) {
    (void)state;
    expect(KERNEL("@%p1 bra B;\n"          /* 0 */
                  "@%p2 bra T;\n"          /* 1 */
                  "mov.u32 %r1, 1;\n"      /* 2 */
                  "B: mov.u32 %r1, 2;\n"   /* 3 */
                  "ret;\n"                 /* 4 */
                  "T: mov.u32 %r1, 3;\n"   /* 5 */
                  "mov.u32 %r2, %r1;\n"    /* 6 */
                  "mov.u32 %r3, %r2;\n"    /* 7 */
                  "bar.sync 0;\ntrap;\n"), /* 8, 9 */
           0, 3, IR_NOPC);
}

/* The default of a switch that cannot be reached: clang ends it by exit. */
static void an_exit_for_unreachable_code_is_no_main_exit(void **state) {
    (void)state;
    expect(KERNEL("L: @%p1 bra A;\n"          /* 0 */
                  "@%p2 bra B;\n"             /* 1 */
                  "exit;\n"                   /* 2: unreachable */
                  "A: mov.u32 %r1, 1;\n"      /* 3 */
                  "bra.uni E;\n"              /* 4 */
                  "B: mov.u32 %r1, 2;\n"      /* 5 */
                  "E: @%p3 bra L;\n"          /* 6 */
                  "mov.u32 %r1, 3;\nret;\n"), /* 7, 8 */
           0, 6, IR_NOPC);
}

/* Where a loop can be left in two ways, the way from its latch is the usual one, even if more is done after the
 * other. */
static void the_usual_way_out_of_a_loop_leads_to_the_main_exit(void **state) {
    (void)state;
    expect(KERNEL("L: @%p1 bra C;\n"     /* 0: an if */
                  "mov.u32 %r1, 1;\n"    /* 1 */
                  "@%p2 bra F;\n"        /* 2: found */
                  "C: mov.u32 %r1, 2;\n" /* 3 */
                  "@%p3 bra L;\n"        /* 4 */
                  "ret;\n"               /* 5 */
                  "F: mov.u32 %r1, 3;\n" /* 6 */
                  "mov.u32 %r1, 4;\nmov.u32 %r1, 5;\nret;\n"),
           0, 3, IR_NOPC);
}

/* The barrier is on the shorter way: threads that are not together there may never meet. */
static void the_way_with_barriers_leads_to_the_main_exit(void **state) {
    (void)state;
    expect(KERNEL("@%p1 bra B;\n"        /* 0 */
                  "@%p2 bra X;\n"        /* 1 */
                  "mov.u32 %r1, 1;\n"    /* 2 */
                  "B: bar.sync 0;\n"     /* 3 */
                  "ret;\n"               /* 4 */
                  "X: mov.u32 %r1, 3;\n" /* 5 */
                  "mov.u32 %r1, 4;\nmov.u32 %r1, 5;\nmov.u32 %r1, 6;\nret;\n"),
           0, 3, IR_NOPC);
}

/* Where threads do not meet again a function's threads meet at its caller, whatever exits it has. */
static void a_function_returns_together_and_its_exits_do_not_count(void **state) {
    (void)state;
    const char *text = ".version 7.0\n.target sm_70\n.address_size 64\n"
                       ".func f() {\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n"
                       "@%p1 bra A;\n"        /* 0 */
                       "mov.u32 %r1, 1;\n"    /* 1 */
                       "@%p2 exit;\n"         /* 2 */
                       "A: mov.u32 %r1, 2;\n" /* 3 */
                       "@%p3 ret;\n"          /* 4 */
                       "mov.u32 %r1, 3;\nret;\n}\n"
                       ".visible .entry k() {\ncall f;\nret;\n}\n";
    expect(text, 0, 3, IR_NOPC);
    expect(text, 4, IR_NOPC, IR_NOPC);
}

/* Both sides end: there is nothing to wait for. */
static void sides_that_end_apart_do_not_meet(void **state) {
    (void)state;
    expect(KERNEL("@%p1 bra A;\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\nret;\nA: mov.u32 %r1, 3;\nret;\n"), 0,
           IR_NOPC, IR_NOPC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_early_return_does_not_move_the_join_around_it),
        cmocka_unit_test(the_way_with_a_vote_is_that_of_the_main_exit),
        cmocka_unit_test(a_return_in_front_of_the_barrier_of_a_loop_is_early),
        cmocka_unit_test(a_return_behind_the_barrier_of_a_loop_is_early_too),
        cmocka_unit_test(the_last_test_of_a_round_need_not_jump_back),
        cmocka_unit_test(code_before_an_early_return_is_a_part_of_its_own),
        cmocka_unit_test(a_trap_is_no_main_exit_however_long_the_way_to_it),
        cmocka_unit_test(an_exit_for_unreachable_code_is_no_main_exit),
        cmocka_unit_test(the_usual_way_out_of_a_loop_leads_to_the_main_exit),
        cmocka_unit_test(the_way_with_barriers_leads_to_the_main_exit),
        cmocka_unit_test(a_function_returns_together_and_its_exits_do_not_count),
        cmocka_unit_test(sides_that_end_apart_do_not_meet),
    };
    return cmocka_run_group_tests_name("cfg/exits", tests, NULL, NULL);
}
