/* The control-flow kernels, worked out by hand: which blocks a warp of four runs, in which order, with which threads.
 *
 * Each block of interest begins with one instruction that adds its letter to the thread's path (workloads/flow.cuh); the trace
 * of a run is read off those. "A#### B.#.#" is: A by all four threads, then B by threads 1 and 3. Under pdom the taken side of
 * a branch runs first (the .ptx says which that is), and threads meet again at the immediate post-dominator. Kernels without
 * letters are read off one of their instructions, which stands for A. */
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
#include "lab/run/subject.h"

enum { THREADS = 4 };

struct flow_case {
    const char *workload, *kernel, *mech;
    hd_option option; /* option of the mechanism; key NULL: none */
    uint32_t in[THREADS];
    const char *want;
};

/* ---- from a trace to letters ---- */

struct letters {
    const char *mark; /* the instruction that stands for A; NULL: letters */
    struct sb text;   /* text of the trace */
    struct sb seen;
};

static void on_trace(void *user, const char *text, size_t n) {
    sb_addn(&((struct letters *)user)->text, text, n);
}

/* The letter of an instruction; 0: none. */
static char letter_of(const char *line, const char *mark) {
    const char *step = strstr(line, ", 31, ");
    if (mark) return strstr(line, mark) ? 'A' : 0;
    return step ? (char)strtoul(step + 6, NULL, 10) : 0;
}

/* "CYCLE SM SCHEDULER PC w0:MASK THREADS  INSTRUCTION" */
static void read_line(const char *line, struct letters *t) {
    const char *set = strstr(line, " w0:");
    char letter = letter_of(line, t->mark);
    if (!letter || !set) return;
    unsigned long mask = strtoul(set + 4, NULL, 16);
    sb_add(&t->seen, "%s%c", t->seen.len ? " " : "", letter);
    for (int l = 0; l < THREADS; l++) sb_add(&t->seen, "%c", mask >> l & 1 ? '#' : '.');
}

static void read_trace(struct letters *t) {
    char *rest = NULL;
    for (char *line = strtok_r(t->text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, t);
}

static void free_letters(struct letters *t) {
    sb_free(&t->text);
    sb_free(&t->seen);
}

/* ---- one run ---- */

static hd_device *open_traced(const struct flow_case *c, struct letters *t, hd_kernel **k) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", c->mech}, c->option};
    const hd_config machine = {.options = options, .noptions = c->option.key ? 3 : 2, .file = "tiny"};
    hd_device *dev;
    hd_module *mod;
    const struct workload *w = workload_find(c->workload);
    assert_non_null(w);
    assert_int_equal(hd_device_open(&machine, &dev), HD_OK);
    sim_watch(dev, &(struct watch){.trace = {on_trace, t}});
    assert_int_equal(hd_module_load(dev, c->workload, w->code, w->code_bytes, &mod), HD_OK);
    assert_int_equal(hd_module_kernel(mod, c->kernel, k), HD_OK);
    return dev;
}

/* Device memory with the case's input in it. */
static hd_arg buffer(const struct flow_case *c, hd_device *dev) {
    uint64_t at;
    assert_int_equal(hd_alloc(dev, sizeof c->in, &at), HD_OK);
    assert_int_equal(hd_copy_in(dev, at, c->in, sizeof c->in), HD_OK);
    return hd_arg_ptr(at);
}

/* One block; message NULL: it ends well. */
static void launch(hd_device *dev, hd_kernel *k, uint32_t threads, const hd_arg *args, size_t n,
                   const char *message) {
    hd_status s = hd_run(k, &(hd_launch){.block = {threads}}, args, n);
    assert_int_equal(s, message ? HD_FAULT : HD_OK);
    if (message && !strstr(hd_error(dev), message)) fail_msg("%s", hd_error(dev));
}

static void close_traced(hd_device *dev, struct letters *t) {
    sim_watch(dev, NULL);
    hd_device_close(dev);
    read_trace(t);
}

static void run_case(const struct flow_case *c, struct letters *t, const char *message) {
    hd_kernel *k;
    hd_device *dev = open_traced(c, t, &k);
    const hd_arg args[] = {buffer(c, dev), buffer(c, dev)};
    launch(dev, k, THREADS, args, 2, message);
    close_traced(dev, t);
}

static void test_case(void **state) {
    const struct flow_case *c = *state;
    struct letters t = {0};
    run_case(c, &t, NULL);
    assert_string_equal(t.seen.text, c->want);
    free_letters(&t);
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
    /* The loop with a break, but no thread waits at D. */
    {"loop-break", "loop_break", "nrec", {0}, {00, 01, 011, 0111},
     "A#### C.### B#... A.### B.#.. C..## A..## B..#. C...# A...# B...# D#... D.#.. D..#. D...#"},
    {"listing1", "listing1", "pdom", {0}, {1, 0, 1, 0}, "A#### F#.#. D####"},
    {"listing1", "listing1", "tesla", {0}, {1, 0, 1, 0}, "A#### F#.#. D####"},
    /* The function lies after the kernel: the lowest PC is that of the threads that skip the call, unless depth goes first. */
    {"listing1", "listing1", "minpc", {0}, {1, 0, 1, 0}, "A#### F#.#. D####"},
    {"listing1", "listing1", "minpc", {"minpc.sp", "off"}, {1, 0, 1, 0}, "A#### D.#.# F#.#. D#.#."},
    {"nested-diamond", "nested_diamond", "pdom", {0}, {4, 1, 17, 2}, "A#### F#... B.### D.#.# C..#. E.### G####"},
    /* a && b || c && d of: ab; none; cd; a and c. All joins are at Z: C, D, N and Y run twice. */
    {"short-circuit", "short_circuit", "pdom", {0}, {3, 0, 12, 5},
     "A#### C.##. N.#.. D..#. Y..#. B#..# Y#... C...# D...# N...# Z####"},
    {"short-circuit", "short_circuit", "minpc", {0}, {3, 0, 12, 5}, "A#### B#..# C.### D..## N.#.# Y#.#. Z####"},
    {"short-circuit", "short_circuit", "tesla", {0}, {3, 0, 12, 5},
     "A#### C.##. N.#.. D..#. Y..#. B#..# Y#... C...# D...# N...# Z####"},
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
    /* Threads come to R in activations of different depth: with stacks that diverge it runs for all of them at once. */
    {"recursion", "recursion", "minpc", {"minpc.stack", "sync"}, {21, 10, 13, 6},
     "A#### L#.#. A#.#. L#.#. A#.#. L#... A#... R..#. A..#. R.#.# A.#.# Z####"},
    {"recursion", "recursion", "minpc", {0}, {21, 10, 13, 6},
     "A#### L#.#. A#.#. L#.#. A#.#. L#... A#... R.### A.### Z####"},
    {"function-pointer", "function_pointer", "pdom", {0}, {0, 1, 2, 1}, "A#... B.#.# C..#. Z#### A#### Z#### A#### Z####"},
    /* B, D and E exit. The compiler lets the ends of D and of the loop meet before E, so that E waits for the Ds. */
    {"early-exit", "early_exit", "pdom", {0}, {0, 1, 7, 2},
     "A#### B#... C.### C..## C...# C...# C...# C...# D..#. D.#.. E...#"},
    {"ragged-block", "ragged_block", "pdom", {0}, {1, 2, 3, 0}, "B##.. A..##"},
    {"barrier-in-branch", "barrier_legal", "pdom", {0}, {0, 1, 2, 3}, "C#.#. B.#.# C#.#. B.#.# C.##. B#..# D####"},
    /* Odd numbers vote for B only if all have bit 1, even ones for D if any has bits 1 and 2. */
    {"warp-vote-shuffle", "warp_vote_shuffle", "pdom", {0}, {3, 0, 3, 6}, "C.#.# D.#.# A#.#. B#.#. E####"},
    {"warp-vote-shuffle", "warp_vote_shuffle", "pdom", {0}, {3, 0, 1, 2}, "C.#.# A#.#. E####"},
};
/* clang-format on */

/* Odd threads at one barrier, even ones at another: no thread is left to come, under any mechanism. Under a stack the
 * second side does not even begin. */
static void test_illegal_barrier(void **state) {
    (void)state;
    const struct flow_case c = {"barrier-in-branch", "barrier_apart", "pdom", {0}, {0}, NULL};
    struct letters t = {0};
    run_case(&c, &t, "program deadlock");
    assert_string_equal(t.seen.text, "B#.#.");
    free_letters(&t);
}

/* ---- kernels with other arguments ---- */

/* Among threads that ask at once the lowest gets the lock, and the others spin; it gives the lock back between A and
 * B. Under a stack it waits behind the loop for those who wait for it, and no thread ever comes to A. */
static void test_lock(void **state) {
    static const struct flow_case cases_of_lock[] = {
        {"spin-lock", "spin_lock", "mimd", {0}, {0}, "A#... B#... A.#.. B.#.. A..#. B..#. A...# B...#"},
        {"spin-lock", "spin_lock", "mp", {0}, {0}, "A#... B#... A.#.. B.#.. A..#. B..#. A...# B...#"},
        {"spin-lock", "spin_lock", "pdom", {0}, {0}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases_of_lock / sizeof *cases_of_lock; i++) {
        const struct flow_case *c = &cases_of_lock[i];
        struct letters t = {0};
        hd_kernel *k;
        hd_device *dev = open_traced(c, &t, &k);
        const hd_arg args[] = {buffer(c, dev), buffer(c, dev), buffer(c, dev)};
        launch(dev, k, THREADS, args, 3, c->want ? NULL : "SIMT-induced deadlock");
        close_traced(dev, &t);
        if (c->want)
            assert_string_equal(t.seen.text, c->want);
        else
            assert_null(t.seen.text);
        free_letters(&t);
    }
}

/* c = 0 never leaves; 1 goes 0, 1, 2, 5 and leaves in round 3; 2 goes 0, 2, 6, in round 2; 3 goes 0, 3, in round 1. Five rounds
 * are the limit. */
static void test_escape_times(void **state) {
    const struct flow_case c = {"mandelbrot", "mandelbrot", "pdom", {0}, {0}, NULL};
    struct letters t = {.mark = "setp.gt.f32"};
    hd_kernel *k;
    hd_device *dev = open_traced(&c, &t, &k);
    const hd_arg out = buffer(&c, dev), args[] = {out,           hd_arg_u32(THREADS), hd_arg_f32(0),
                                                  hd_arg_f32(0), hd_arg_f32(1),       hd_arg_u32(5)};
    const uint32_t want[THREADS] = {5, 3, 2, 1};
    uint32_t have[THREADS];
    (void)state;
    launch(dev, k, THREADS, args, 6, NULL);
    assert_int_equal(hd_copy_out(dev, have, out.v.u, sizeof have), HD_OK);
    close_traced(dev, &t);
    assert_memory_equal(have, want, sizeof want);
    assert_string_equal(t.seen.text, "A#### A#### A###. A##.. A#...");
    free_letters(&t);
}

/* The greatest common divisor of 4 and 6: 4 % 6, 6 % 4, 4 % 2. */
static void test_one_thread(void **state) {
    const struct flow_case c = {"one-thread", "one_thread", "pdom", {0}, {6, 4}, NULL};
    struct letters t = {.mark = "rem.u32"};
    hd_kernel *k;
    hd_device *dev = open_traced(&c, &t, &k);
    const hd_arg sum = buffer(&c, dev), args[] = {sum, buffer(&c, dev), hd_arg_u32(2)};
    uint32_t have;
    (void)state;
    launch(dev, k, 1, args, 3, NULL);
    assert_int_equal(hd_copy_out(dev, &have, sum.v.u, sizeof have), HD_OK);
    close_traced(dev, &t);
    assert_int_equal(have, 2);
    assert_string_equal(t.seen.text, "A#... A#... A#...");
    free_letters(&t);
}

/* One instruction, and no other. */
static void test_empty(void **state) {
    const struct flow_case c = {"empty-kernel", "empty_kernel", "pdom", {0}, {0}, NULL};
    struct letters t = {.mark = "w0:"};
    hd_kernel *k;
    hd_device *dev = open_traced(&c, &t, &k);
    const hd_arg args[] = {buffer(&c, dev)};
    (void)state;
    launch(dev, k, THREADS, args, 1, NULL);
    close_traced(dev, &t);
    assert_string_equal(t.seen.text, "A####");
    free_letters(&t);
}

int main(void) {
    enum { CASES = sizeof cases / sizeof *cases };
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(test_illegal_barrier), cmocka_unit_test(test_lock),
        cmocka_unit_test(test_escape_times), cmocka_unit_test(test_one_thread), cmocka_unit_test(test_empty)};
    enum { OTHERS = sizeof others / sizeof *others };
    struct CMUnitTest tests[CASES + OTHERS];
    char name[CASES][64];
    for (size_t i = 0; i < CASES; i++) {
        const struct flow_case *c = &cases[i];
        snprintf(name[i], sizeof name[i], "%s under %s%s", c->workload, c->mech,
                 c->option.key ? " with an option" : "");
        tests[i] = (struct CMUnitTest){name[i], test_case, NULL, NULL, (void *)(uintptr_t)c};
    }
    memcpy(tests + CASES, others, sizeof others);
    return _cmocka_run_group_tests("flow", tests, CASES + OTHERS, NULL, NULL);
}
