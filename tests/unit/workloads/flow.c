/* The control-flow kernels, worked out by hand: which blocks a warp of four runs, in which order, with which threads.
 *
 * Each block of interest begins with one instruction that adds its letter to the thread's path (workloads/flow.cuh); the trace
 * of a run is read off those. "A#### B.#.#" is: A by all four threads, then B by threads 1 and 3. Under pdom the taken side of
 * a branch runs first (the .ptx says which that is), and threads meet again at the immediate post-dominator. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "lab/subject.h"

enum { THREADS = 4 };

struct flow_case {
    const char *workload, *kernel, *mech;
    hd_option option; /* of the mechanism; key NULL: none */
    uint32_t in[THREADS];
    const char *want;
};

/* ---- from a trace to letters ---- */

struct letters {
    struct sb text; /* of the trace */
    struct sb seen;
};

static void on_trace(void *user, const char *text, size_t n) {
    sb_addn(&((struct letters *)user)->text, text, n);
}

/* "CYCLE SM SCHEDULER PC w0:MASK THREADS  INSTRUCTION" */
static void read_line(const char *line, struct sb *out) {
    const char *mark = strstr(line, ", 31, "), *set = strstr(line, " w0:");
    if (!mark || !set) return;
    unsigned long letter = strtoul(mark + 6, NULL, 10), mask = strtoul(set + 4, NULL, 16);
    sb_add(out, "%s%c", out->len ? " " : "", (char)letter);
    for (int l = 0; l < THREADS; l++) sb_add(out, "%c", mask >> l & 1 ? '#' : '.');
}

static void read_trace(struct letters *t) {
    char *rest = NULL;
    for (char *line = strtok_r(t->text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, &t->seen);
}

/* ---- one run ---- */

static void run_case(const struct flow_case *c, struct letters *t, hd_status expected) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", c->mech}, c->option};
    const hd_config machine = {.options = options, .noptions = c->option.key ? 3 : 2, .file = "tiny"};
    hd_device *dev;
    hd_module *mod;
    hd_kernel *k;
    uint64_t in, out;
    const struct workload *w = workload_find(c->workload);
    assert_non_null(w);
    assert_int_equal(hd_device_open(&machine, &dev), HD_OK);
    sim_watch(dev, &(struct watch){.trace = {on_trace, t}});
    assert_int_equal(hd_module_load(dev, c->workload, w->ptx, w->ptx_bytes, &mod), HD_OK);
    assert_int_equal(hd_module_kernel(mod, c->kernel, &k), HD_OK);
    assert_int_equal(hd_alloc(dev, sizeof c->in, &in), HD_OK);
    assert_int_equal(hd_alloc(dev, sizeof c->in, &out), HD_OK);
    assert_int_equal(hd_copy_in(dev, in, c->in, sizeof c->in), HD_OK);
    const hd_arg args[] = {hd_arg_ptr(out), hd_arg_ptr(in)};
    assert_int_equal(hd_run(k, &(hd_launch){.block = {THREADS}}, args, 2), expected);
    if (expected) assert_non_null(strstr(hd_error(dev), "program deadlock"));
    sim_watch(dev, NULL);
    hd_device_close(dev);
    read_trace(t);
}

static void test_case(void **state) {
    const struct flow_case *c = *state;
    struct letters t = {0};
    run_case(c, &t, HD_OK);
    assert_string_equal(t.seen.text, c->want);
    sb_free(&t.text);
    sb_free(&t.seen);
}

/* clang-format off */
#define EIGHT \
    "B#.#. A.#.# B.#.# A#.#. B#.#. A.#.# B.#.# A#.#. B#.#. A.#.# B.#.# A#.#. B#.#. A.#.# B.#.# A#.#."
static const struct flow_case cases[] = {
    /* Both sides in every round, whatever the order; the even threads' side of round 0 is the taken one. */
    {"odd-even", "odd_even", "pdom", {0}, {0, 0, 0, 0},
     EIGHT " " EIGHT " " EIGHT " " EIGHT},
    /* Thread k breaks in round k. D is the post-dominator: B runs for each thread by itself, last come first, when the loop
     * (the taken side) is over. */
    {"loop-break", "loop_break", "pdom", {0}, {00, 01, 011, 0111},
     "A#### C.### A.### C..## A..## C...# A...# B...# B..#. B.#.. B#... D####"},
    /* The paths take turns instead of waiting for each other. */
    {"loop-break", "loop_break", "mp-basic", {0}, {00, 01, 011, 0111},
     "A#### C.### B#... A.### B.#.. C..## A..## B..#. C...# A...# B...# D####"},
    /* The same, but nobody waits at D. */
    {"loop-break", "loop_break", "nrec", {0}, {00, 01, 011, 0111},
     "A#### C.### B#... A.### B.#.. C..## A..## B..#. C...# A...# B...# D#... D.#.. D..#. D...#"},
    {"listing1", "listing1", "pdom", {0}, {1, 0, 1, 0}, "A#### F#.#. D####"},
    /* The function lies after the kernel: the lowest PC is that of the threads that skip the call, unless depth goes first. */
    {"listing1", "listing1", "minpc", {0}, {1, 0, 1, 0}, "A#### F#.#. D####"},
    {"listing1", "listing1", "minpc", {"minpc.sp", "off"}, {1, 0, 1, 0}, "A#### D.#.# F#.#. D#.#."},
    {"nested-diamond", "nested_diamond", "pdom", {0}, {4, 1, 17, 2}, "A#### F#... B.### D.#.# C..#. E.### G####"},
    /* a && b || c && d of: ab; none; cd; a and c. All joins are at Z: C, D, N and Y run twice. */
    {"short-circuit", "short_circuit", "pdom", {0}, {3, 0, 12, 5},
     "A#### C.##. N.#.. D..#. Y..#. B#..# Y#... C...# D...# N...# Z####"},
    {"short-circuit", "short_circuit", "minpc", {0}, {3, 0, 12, 5}, "A#### B#..# C.### D..## N.#.# Y#.#. Z####"},
    /* Paths AF, ACAF, ABAF, ABACAF: rows cut short meet at C, and all at F. */
    {"multi-level-break", "multi_level_break", "pdom", {0}, {0, 113, 2, 20},
     "A#### B..## A..## C.#.# A.#.# F#### Z####"},
    /* Paths ACDE, ABCDE, ABDE, ACE: C and D could each run once. */
    {"goto-join", "goto_join", "pdom", {0}, {1, 0, 2, 5}, "A#### C#..# D#... B.##. C.#.. D.#.. D..#. E####"},
    {"goto-join", "goto_join", "minpc", {0}, {1, 0, 2, 5}, "A#### B.##. C##.# D###. E####"},
    /* BC, CB, BCB, CBC between A and D: the two entries never meet before D. */
    {"irreducible", "irreducible", "pdom", {0}, {0, 1, 2, 3}, "A#### C.#.# B.#.# C...# B#.#. C#.#. B..#. D####"},
    /* Thread 2 falls from D into E, where thread 3 is a side of its own. */
    {"switch-indirect", "switch_indirect", "pdom", {0}, {0, 1, 3, 4}, "B.#.. D..#. E..#. E...# A#... A#### A#### A####"},
    {"recursion", "recursion", "pdom", {0}, {0, 1, 2, 3}, "A#### L.#.# A.#.# R..## A..## Z####"},
    {"function-pointer", "function_pointer", "pdom", {0}, {0, 1, 2, 1}, "A#... B.#.# C..#. Z#### A#### Z#### A#### Z####"},
    /* B, D and E exit. The compiler lets the ends of D and of the loop meet before E, so that E waits for the Ds. */
    {"early-exit", "early_exit", "pdom", {0}, {0, 1, 7, 2},
     "A#### B#... C.### C..## C...# C...# C...# C...# D..#. D.#.. E...#"},
    {"ragged-block", "ragged_block", "pdom", {0}, {1, 2, 3, 0}, "B##.. A..##"},
    {"barrier-in-branch", "barrier_legal", "pdom", {0}, {0, 1, 2, 3}, "C#.#. B.#.# C#.#. B.#.# C.##. B#..# D####"},
};
/* clang-format on */

/* Odd threads at one barrier, even ones at another: nobody is left to come, under any mechanism. Under a stack the second side
 * does not even begin. */
static void test_illegal_barrier(void **state) {
    (void)state;
    const struct flow_case c = {"barrier-in-branch", "barrier_apart", "pdom", {0}, {0}, NULL};
    struct letters t = {0};
    run_case(&c, &t, HD_FAULT);
    assert_string_equal(t.seen.text, "B#.#.");
    sb_free(&t.text);
    sb_free(&t.seen);
}

int main(void) {
    enum { CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[CASES + 1];
    char name[CASES][64];
    for (size_t i = 0; i < CASES; i++) {
        const struct flow_case *c = &cases[i];
        snprintf(name[i], sizeof name[i], "%s under %s%s", c->workload, c->mech,
                 c->option.key ? " with an option" : "");
        tests[i] = (struct CMUnitTest){name[i], test_case, NULL, NULL, (void *)(uintptr_t)c};
    }
    tests[CASES] = (struct CMUnitTest)cmocka_unit_test(test_illegal_barrier);
    return _cmocka_run_group_tests("flow", tests, CASES + 1, NULL, NULL);
}
