/* How far threads part, under pdom on the default machine (HARP's): the classes of workloads.def, and what the papers say of
 * single programs. Under a stack lane activity hardly depends on time, so that these numbers move only with the kernels, the
 * inputs and the compiler; the table is checked with ideal memory, which is faster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "lab/run/subject.h"

/* Lane activity of a class: at least the first, below the second. Of the lanes that hold a thread: a block of 16 in a warp of
 * 32 (nw), or of one thread, does not diverge by that. */
static const struct {
    double least, below;
} bounds[] = {[WORK_NONE] = {0.97, 1.01},
              [WORK_LOW] = {0.90, 0.97},
              [WORK_MEDIUM] = {0.75, 0.90},
              [WORK_HIGH] = {0, 0.75}};

struct watched {
    hd_device *dev;
    double insts, lanes, held; /* instructions of threads; of warps; of those, with a thread */
    struct stats total;
};

static void on_opened(void *user, hd_device *dev) {
    ((struct watched *)user)->dev = dev;
}

static void on_after(void *user, hd_kernel *k, const hd_launch *l) {
    struct watched *w = user;
    const struct stats *s = sim_stats(w->dev, false);
    uint32_t threads = 1, width = (uint32_t)sim_options(w->dev)->machine.sm.warp_size;
    (void)k;
    for (int d = 0; d < 3; d++) threads *= l->block[d] ? l->block[d] : 1;
    uint32_t warps = (threads + width - 1) / width;
    w->insts += (double)s->sm.thread_insts;
    w->lanes += (double)s->sm.lane_slots;
    w->held += (double)s->sm.lane_slots * threads / (warps * width);
}

static struct watched run(const struct workload *workload, enum work_size size, bool ideal_memory) {
    const hd_option timed[] = {
        {"run.mode", "timed"}, {"run.mech", "pdom"}, {"memory.ideal", ideal_memory ? "true" : "false"}};
    struct watched w = {0};
    const struct lab_subject s = {.workload = workload, .size = size};
    const struct lab_hooks hooks = {.opened = on_opened, .after = on_after, .user = &w};
    struct lab_outcome o;
    lab_run(&s, &(hd_config){.options = timed, .noptions = 3}, &hooks, &o);
    if (o.err.code) fail_msg("@%s: %s", workload->name, err_text(&o.err));
    w.total = o.total;
    lab_outcome_free(&o);
    return w;
}

static double activity(const char *name) {
    struct watched w = run(workload_find(name), WORK_TINY, false);
    return w.insts / w.lanes;
}

/* ---- the table ---- */

/* The sanitizers see the same code at size tiny, in the other tests of this folder: the table is not for them. */
static bool too_slow(void) {
#if defined __SANITIZE_ADDRESS__
    return true;
#else
    return false;
#endif
}

static void has_its_class(void **state) {
    const struct workload *w = *state;
    struct watched r = run(w, WORK_SMALL, true);
    double have = r.insts / r.held;
    if (have < bounds[w->class].least || have >= bounds[w->class].below)
        fail_msg("@%s is %s, but %.3f of its lanes with a thread are active", w->name,
                 work_class_names[w->class], have);
}

/* ---- the papers ---- */

static void some_hardly_diverge(void **state) {
    static const char *const names[] = {"matrix", "cp", "mtm", "fwal"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (activity(names[i]) < 0.99) fail_msg("@%s: %.3f", names[i], activity(names[i]));
}

static void some_clearly_do(void **state) {
    static const char *const names[] = {"mu", "mp", "bfs", "hmmer", "bitonic"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (activity(names[i]) > 0.75) fail_msg("@%s: %.3f", names[i], activity(names[i]));
}

/* HARP 3.3, Figure 5: of the threads in cycles without an issue, those that wait for others of their warp. */
static double stalled(const struct workload *w) {
    const struct stats s = run(w, WORK_SMALL, false).total;
    double by_divergence = (double)(s.idle.inactive_path + s.idle.reconvergence);
    double all = by_divergence + (double)(s.idle.dependency + s.idle.barrier);
    return all > 0 ? by_divergence / all : 0;
}

static void divergence_stalls_mu_most(void **state) {
    (void)state;
    double mu = stalled(workload_find("mu"));
    for (const struct workload *w = workload_list; w->name; w++) {
        if (strncmp(w->origin, "HARP", 4) != 0 || !strcmp(w->name, "mu")) continue;
        double other = stalled(w);
        if (other >= mu) fail_msg("@%s %.3f, @mu %.3f", w->name, other, mu);
    }
}

/* HARP Table 5: thread instructions in millions, where size small is the paper's (0: it is not), and threads that a scheduler
 * holds at once, the most of a program's launches; nw has fewer blocks at size small. docs/workloads.md has what was fitted. */
static const struct {
    const char *name;
    double insts, threads;
} table5[] = {{"mp", 0.3, 256},  {"mu", 0, 100},    {"nqu", 1.2, 96},  {"pf", 0, 128},
              {"bfs", 1.4, 512}, {"bkp", 2.9, 512}, {"hspt", 0, 512},  {"lps", 0, 384},
              {"ray", 0, 384},   {"cp", 0, 768},    {"fwal", 12, 512}, {"mtm", 2.4, 256}};

static void harps_programs_have_the_size_of_table_5(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof table5 / sizeof *table5; i++) {
        const struct stats s = run(workload_find(table5[i].name), WORK_SMALL, true).total;
        const double insts = (double)s.sm.thread_insts / 1e6, want = table5[i].insts;
        if ((double)s.gpu.scheduler_threads != table5[i].threads)
            fail_msg("@%s: %g threads a scheduler", table5[i].name, (double)s.gpu.scheduler_threads);
        if (want > 0 && (insts < 0.8 * want || insts > 1.2 * want))
            fail_msg("@%s: %g M instructions", table5[i].name, insts);
    }
}

/* DWF, Tables 6.1 and 6.3 and 6.4's IPC together: 27 to 53 % of HMMer's instructions are loads and stores. */
static void hmmer_has_the_loads_and_stores_that_the_thesis_implies(void **state) {
    static const char *const builds[] = {"hmmer", "hmmer:riscv", "hmmer:riscv-O1"};
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        const struct stats s = run(workload_find(builds[i]), WORK_TINY, true).total;
        const double share = (double)s.exec.class_insts[IR_C_LDST] / (double)s.sm.thread_insts;
        if (share < 0.27 || share > 0.53) fail_msg("@%s: %.3f", builds[i], share);
    }
}

int main(void) {
    VEC(struct CMUnitTest) tests = {0};
    VEC_PUSH(&tests, (struct CMUnitTest)cmocka_unit_test(some_hardly_diverge));
    VEC_PUSH(&tests, (struct CMUnitTest)cmocka_unit_test(some_clearly_do));
    VEC_PUSH(&tests, (struct CMUnitTest)cmocka_unit_test(divergence_stalls_mu_most));
    VEC_PUSH(&tests,
             (struct CMUnitTest)cmocka_unit_test(hmmer_has_the_loads_and_stores_that_the_thesis_implies));
    if (!too_slow())
        VEC_PUSH(&tests, (struct CMUnitTest)cmocka_unit_test(harps_programs_have_the_size_of_table_5));
    /* a stack cannot finish the spin lock, and gives it no lane activity to speak of */
    for (const struct workload *w = workload_list; w->name; w++)
        if (!too_slow() && strcmp(w->name, "spin-lock") != 0)
            VEC_PUSH(&tests, (struct CMUnitTest){w->name, has_its_class, NULL, NULL, (void *)w});
    int failed = _cmocka_run_group_tests("classes", tests.v, tests.n, NULL, NULL);
    VEC_FREE(&tests);
    return failed;
}
